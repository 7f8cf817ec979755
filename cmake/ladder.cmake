# SPDX-License-Identifier: MIT
#
# tally_ladder: the ladders' tables, and their kernels as text. It builds on the public interface alone.
set(tally_ladder_folder "${PROJECT_SOURCE_DIR}/ladder")
file(GLOB ladder_sources CONFIGURE_DEPENDS "${tally_ladder_folder}/*.c")
file(GLOB ladder_kernels CONFIGURE_DEPENDS "${tally_ladder_folder}/*.cu" "${tally_ladder_folder}/*.cuh")

set(ladder_files "${PROJECT_BINARY_DIR}/ladder_files.c")
add_custom_command(OUTPUT "${ladder_files}"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${ladder_kernels}" -DNAME=ladder_files -DHEADER=ladder.h -DTYPE=ladder_file
            "-DOUTPUT=${ladder_files}" -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${ladder_kernels} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    COMMENT "Embedding the ladders' kernels" VERBATIM)

add_library(tally_ladder STATIC ${ladder_sources} "${ladder_files}")
tally_target(tally_ladder)
target_include_directories(tally_ladder PUBLIC "${tally_ladder_folder}")
target_link_libraries(tally_ladder PUBLIC tally_static)
