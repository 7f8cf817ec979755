# SPDX-License-Identifier: MIT
#
# Fuzz targets: each tests/fuzz/fuzz_*.c defines LLVMFuzzerTestOneInput. clang's libFuzzer drives it when there is one;
# otherwise tests/fuzz/standalone.c does, feeding files and random mutations of them.
include(CheckCSourceCompiles)
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c")

set(CMAKE_REQUIRED_FLAGS "-fsanitize=fuzzer")
check_c_source_compiles("#include <stddef.h>
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) { (void)data; (void)size; return 0; }" HAVE_LIBFUZZER)
unset(CMAKE_REQUIRED_FLAGS)
