# SPDX-License-Identifier: MIT
#
# tally_life: Conway's Life, with its kernels as text. It builds on the public interface alone.
set(tally_life_folder "${PROJECT_SOURCE_DIR}/life")
file(GLOB life_sources CONFIGURE_DEPENDS "${tally_life_folder}/*.c")
file(GLOB life_kernels CONFIGURE_DEPENDS "${tally_life_folder}/*.cu" "${tally_life_folder}/*.cuh")

set(life_files "${PROJECT_BINARY_DIR}/life_files.c")
add_custom_command(OUTPUT "${life_files}"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${life_kernels}" -DNAME=life_files -DHEADER=gpu.h -DTYPE=life_file
            "-DOUTPUT=${life_files}" -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${life_kernels} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    COMMENT "Embedding the kernels of Life" VERBATIM)

add_library(tally_life STATIC ${life_sources} "${life_files}")
tally_target(tally_life)
target_include_directories(tally_life PUBLIC "${tally_life_folder}")
target_link_libraries(tally_life PUBLIC tally_static)
