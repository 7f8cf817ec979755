# SPDX-License-Identifier: MIT
#
# One program per tests/*.c, the command's golden tests, and checks of what the build itself produced.
# Labels: unit, thread (what the thread sanitizer should see), cli, build.
file(GLOB test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*.c")
file(GLOB example_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.c")
set(build_checks "${PROJECT_SOURCE_DIR}/tests/install")

find_path(GMP_INCLUDE_DIR gmp.h)
find_library(GMP_LIBRARY gmp)
find_path(MPFR_INCLUDE_DIR mpfr.h)
find_library(MPFR_LIBRARY mpfr)
mark_as_advanced(GMP_INCLUDE_DIR GMP_LIBRARY MPFR_INCLUDE_DIR MPFR_LIBRARY)
set(have_oracles OFF)
if(GMP_INCLUDE_DIR AND GMP_LIBRARY AND MPFR_INCLUDE_DIR AND MPFR_LIBRARY)
    set(have_oracles ON)
endif()

# All that the thread sanitizer's build is for.
add_custom_target(thread_tests)

# Tests may look inside (inside_*.c, oracle_*.c), so they get src/ and the static library.
function(tally_test source)
    get_filename_component(name "${source}" NAME_WE)
    if(name MATCHES "^oracle_" AND NOT have_oracles)
        message(WARNING "Test ${name} is LEFT OUT: GMP or MPFR not found (Debian: apt install libgmp-dev libmpfr-dev)")
        return()
    endif()
    if(name MATCHES "^inside_simt" AND NOT TALLY_HAVE_SIMT)
        return()
    endif()
    # It tests what another compiler makes of the kernels: the same in every build, so one build does it.
    if(name STREQUAL "inside_kernel_code" AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
        return()
    endif()
    # The ladders' kernels are the same in every build: one runs all, and the sanitizers see each rung once.
    if(name MATCHES "^ladder_" AND TALLY_WERROR AND NOT name STREQUAL "ladder_counters"
            AND NOT (name STREQUAL "ladder_sweep" AND TALLY_SANITIZE MATCHES "address"))
        return()
    endif()
    add_executable(test_${name} "${source}")
    tally_target(test_${name})
    target_compile_options(test_${name} PRIVATE -O1) # compilers take longer over more than tests run
    target_include_directories(test_${name} PRIVATE "${tally_src}" "${PROJECT_SOURCE_DIR}/tests")
    foreach(isa IN LISTS TALLY_ISAS)
        target_compile_definitions(test_${name} PRIVATE HAVE_ISA_${isa}=1)
    endforeach()
    target_compile_definitions(test_${name} PRIVATE "TEST_KERNELS=\"${PROJECT_SOURCE_DIR}/tests/simt\"")
    if(TARGET tally_io)
        target_link_libraries(test_${name} PRIVATE tally_io)
    endif()
    target_link_libraries(test_${name} PRIVATE tally_static)
    if(name MATCHES "^life_")
        target_link_libraries(test_${name} PRIVATE tally_life)
    endif()
    if(name MATCHES "^ladder_")
        target_link_libraries(test_${name} PRIVATE tally_ladder)
    endif()
    if(have_oracles)
        target_include_directories(test_${name} SYSTEM PRIVATE "${GMP_INCLUDE_DIR}" "${MPFR_INCLUDE_DIR}")
        target_link_libraries(test_${name} PRIVATE "${MPFR_LIBRARY}" "${GMP_LIBRARY}")
    endif()
    set_target_properties(test_${name} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    add_test(NAME ${name} COMMAND test_${name} WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    set_tests_properties(${name} PROPERTIES LABELS "unit" TIMEOUT 600 SKIP_RETURN_CODE 77)
    if(name MATCHES "^(threads|memory|user_threads)")
        set_tests_properties(${name} PROPERTIES LABELS "unit;thread")
        add_dependencies(thread_tests test_${name})
    endif()
endfunction()
foreach(source IN LISTS test_sources)
    tally_test("${source}")
endforeach()

# A driver and a compiler for the tests of what goes wrong with them; opened at run time, as the real ones are.
add_library(fake_cuda MODULE "${PROJECT_SOURCE_DIR}/tests/fake/fake_cuda.c")
target_link_libraries(fake_cuda PRIVATE tally_flags Threads::Threads)
set_target_properties(fake_cuda PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
foreach(name inside_cuda_machine inside_cuda_module inside_kernel_shipped threads_cuda_machine threads_transfer)
    add_dependencies(test_${name} fake_cuda)
    target_compile_definitions(test_${name} PRIVATE FAKE_CUDA="$<TARGET_FILE:fake_cuda>")
endforeach()

# Examples are programs of users: the public header and the shared library, nothing else.
foreach(source IN LISTS example_sources)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(example_${name} "${source}")
    tally_target(example_${name})
    target_link_libraries(example_${name} PRIVATE tally)
    set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples")
endforeach()

if(TARGET example_sum)
    add_test(NAME example_sum COMMAND example_sum)
    set_tests_properties(example_sum PROPERTIES LABELS "unit" PASS_REGULAR_EXPRESSION "^1\n$")
endif()

if(TARGET example_field_columns)
    add_test(NAME example_field_columns COMMAND example_field_columns cpu:2 4096 256)
    set_tests_properties(example_field_columns PROPERTIES LABELS "unit"
        PASS_REGULAR_EXPRESSION "^4096 x 256 elements of KoalaBear: 256 sums, verified")
endif()

# Kernels of users; the examples run where there is no GPU.
if(TALLY_HAVE_SIMT)
    foreach(name scale_vector histogram transpose)
        add_test(NAME example_${name} COMMAND example_${name} simt)
        set_tests_properties(example_${name} PROPERTIES LABELS "unit" TIMEOUT 600)
    endforeach()
    set_tests_properties(example_scale_vector PROPERTIES
        PASS_REGULAR_EXPRESSION "123457 elements in 483 blocks of 256 threads: y.123456. = 61728\n$")
endif()

function(tally_script_test name label)
    add_test(NAME ${name} COMMAND bash ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT 600)
endfunction()

if(TARGET tally_cli AND EXISTS "${PROJECT_SOURCE_DIR}/tests/cli/run.sh")
    tally_script_test(cli cli "${PROJECT_SOURCE_DIR}/tests/cli/run.sh" $<TARGET_FILE:tally_cli>)
    if(TALLY_SANITIZE) # cases that are mostly scripts of other languages are left out
        set_property(TEST cli APPEND PROPERTY ENVIRONMENT TALLY_TEST_SANITIZED=1)
    endif()
    if(TALLY_HAVE_SIMT AND CMAKE_BUILD_TYPE STREQUAL "Release") # a page is the same in every build
        tally_script_test(ladder_page cli "${PROJECT_SOURCE_DIR}/tests/cli/page.sh" $<TARGET_FILE:tally_cli>)
        set_tests_properties(ladder_page PROPERTIES SKIP_RETURN_CODE 77)
    endif()
    tally_script_test(life_golly cli "${PROJECT_SOURCE_DIR}/tests/cli/golly.sh" $<TARGET_FILE:tally_cli>)
    set_tests_properties(life_golly PROPERTIES SKIP_RETURN_CODE 77)
    tally_script_test(example_pipeline cli "${PROJECT_SOURCE_DIR}/examples/pipeline.sh" $<TARGET_FILE:tally_cli>)
endif()

# The packaging checks look at the library as users get it; instrumented builds are not that.
if(NOT TALLY_SANITIZE AND NOT TALLY_COVERAGE)
    tally_script_test(build_header build "${build_checks}/header.sh" "${CMAKE_C_COMPILER}" "${tally_include}")
    tally_script_test(build_symbols build "${build_checks}/symbols.sh" $<TARGET_FILE:tally> "${tally_include}/tally.h")
    tally_script_test(build_fast_math build "${build_checks}/fast_math.sh" "${PROJECT_SOURCE_DIR}" "${CMAKE_C_COMPILER}")
    tally_script_test(build_install build "${build_checks}/run.sh" "${PROJECT_BINARY_DIR}" "${CMAKE_C_COMPILER}")
endif()

# Tests neither use nor fill the user's cache of compiled kernels. Builds may share one of their own: what device simt
# compiles is the same in all that have no sanitizer.
get_property(all_tests DIRECTORY PROPERTY TESTS)
set(test_cache "${PROJECT_BINARY_DIR}/cache")
if(DEFINED ENV{TALLY_TEST_CACHE})
    set(test_cache "$ENV{TALLY_TEST_CACHE}")
endif()
set_property(TEST ${all_tests} APPEND PROPERTY ENVIRONMENT
    "TALLY_CACHE_DIR=${test_cache};TALLY_TEST_CACHE=${test_cache};TALLY_CACHE_LIMIT=2048")

# Operators from text are compiled by what compiles the library, too.
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    foreach(name IN LISTS all_tests)
        if(name MATCHES "^(user_|map$)")
            set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "TALLY_CC=${CMAKE_C_COMPILER}")
        endif()
    endforeach()
endif()

# The longest first: none is left to run alone at the end.
set(longest device_absent device_tall device_fetched device_long device_nests device_columns device_doubles device_nan_columns device_skew gpu_partials inside_kernel_code device_wave device_few device_masks device_short device_spread device_rows device_across device_bytes device_halves device_middle device_steps
    device_initial device_multiplied device_whole device_sums engines_agree invariance device_agree host_arrays scan_agree cli invariance_scan ladder_sweep
    oracle_reduce environment oracle_integer ladder_matrix ladder_scan ladder_reduce ladder_page)
list(REVERSE longest)
set(cost 0)
foreach(name IN LISTS longest)
    math(EXPR cost "${cost} + 1")
    if(name IN_LIST all_tests)
        set_property(TEST ${name} PROPERTY COST ${cost})
    endif()
endforeach()

# Tests ask for impossible amounts of memory on purpose; the sanitizers' allocators must then say no, not abort.
if(TALLY_SANITIZE)
    # Compiling kernels with sanitizers is what takes the time.
    set_property(TEST device_agree host_arrays APPEND PROPERTY ENVIRONMENT "TALLY_TEST_PROGRAMS=25")
    set_property(TEST device_calls APPEND PROPERTY ENVIRONMENT "TALLY_TEST_CALLS=25")
    set_property(TEST ${all_tests} APPEND PROPERTY ENVIRONMENT
        "ASAN_OPTIONS=allocator_may_return_null=1;TSAN_OPTIONS=allocator_may_return_null=1")
endif()
