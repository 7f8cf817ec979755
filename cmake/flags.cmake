# SPDX-License-Identifier: MIT
#
# Compiler flags that every part of tally shares: the target `tally_flags`.
include(CheckCCompilerFlag)

# Exact sums rest on IEEE arithmetic as written. A compiler that may reorder or drop operations breaks them silently,
# so the build stops instead.
function(tally_refuse_fast_math)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
    set(all_flags " ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${config}} ")
    set(refused -ffast-math -Ofast -funsafe-math-optimizations -fassociative-math -freciprocal-math
                -ffinite-math-only -fno-signed-zeros -ffp-model=fast -ffp-contract=fast)
    foreach(flag IN LISTS refused)
        string(FIND "${all_flags}" " ${flag} " at)
        if(NOT at EQUAL -1)
            message(FATAL_ERROR "tally cannot be built with ${flag}: it lets the compiler change floating-point results, "
                                "and tally promises exact ones. Remove ${flag} from CMAKE_C_FLAGS (or CFLAGS).")
        endif()
    endforeach()
endfunction()
tally_refuse_fast_math()

add_library(tally_flags INTERFACE)
# x != x asks for NaN in code that is written once for all types.
target_compile_options(tally_flags INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wno-tautological-compare)
if(TALLY_WERROR)
    target_compile_options(tally_flags INTERFACE -Werror)
    # Instrumented code confuses this one warning of gcc; the plain build still has it as an error.
    if((TALLY_SANITIZE OR TALLY_COVERAGE) AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_compile_options(tally_flags INTERFACE -Wno-error=maybe-uninitialized)
    endif()
endif()

if(TALLY_SANITIZE)
    target_compile_options(tally_flags INTERFACE -fsanitize=${TALLY_SANITIZE} -fno-sanitize-recover=all
                                                 -fno-omit-frame-pointer -g)
    target_link_options(tally_flags INTERFACE -fsanitize=${TALLY_SANITIZE})
endif()

if(TALLY_COVERAGE)
    target_compile_options(tally_flags INTERFACE --coverage)
    target_link_options(tally_flags INTERFACE --coverage)
endif()

# Sets properties that all our targets have. C11 without extensions: a file that needs POSIX or GNU names says so at
# its top (#define _GNU_SOURCE).
function(tally_target target)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tally_flags>)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden
        POSITION_INDEPENDENT_CODE ON)
endfunction()
