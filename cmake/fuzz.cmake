# SPDX-License-Identifier: MIT
#
# Fuzz targets: each tests/fuzz/fuzz_*.c defines LLVMFuzzerTestOneInput. clang's libFuzzer drives it when there is one;
# otherwise tests/fuzz/standalone.c does, which knows the same -max_total_time=SECONDS.
include(CheckCSourceCompiles)
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c")
set(fuzz_main "${PROJECT_SOURCE_DIR}/tests/fuzz/standalone.c")

set(CMAKE_REQUIRED_FLAGS "-fsanitize=fuzzer")
check_c_source_compiles("#include <stddef.h>
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) { (void)data; (void)size; return 0; }" HAVE_LIBFUZZER)
unset(CMAKE_REQUIRED_FLAGS)

# Coverage feedback is wanted from the parsers.
if(HAVE_LIBFUZZER)
    foreach(parsers tally_io tally_life)
        target_compile_options(${parsers} PRIVATE -fsanitize=fuzzer-no-link)
    endforeach()
elseif(NOT EXISTS "${fuzz_main}")
    message(WARNING "Fuzz targets are LEFT OUT: no libFuzzer (Debian: apt install clang libclang-rt-14-dev)")
    set(fuzz_sources "")
endif()

# What is fuzzed are readers. The CPU's kernels take most of the time to compile, least without optimisation, and have tests
# of their own under sanitizers.
foreach(isa IN LISTS TALLY_ISAS)
    target_compile_options(tally_cpu_${isa} PRIVATE -fno-sanitize=all -O0)
endforeach()

add_custom_target(fuzz_targets)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(${name} "${source}")
    add_dependencies(fuzz_targets ${name})
    tally_target(${name})
    target_include_directories(${name} PRIVATE "${tally_src}" "${PROJECT_SOURCE_DIR}/cli")
    target_link_libraries(${name} PRIVATE tally_io tally_life tally_static)
    if(HAVE_LIBFUZZER)
        target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
        target_sources(${name} PRIVATE "${fuzz_main}")
    endif()
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
endforeach()
