# SPDX-License-Identifier: MIT
#
# tally_life: Conway's Life, with its kernels as text. It builds on the public interface alone.
set(tally_life_folder "${PROJECT_SOURCE_DIR}/life")
file(GLOB life_sources CONFIGURE_DEPENDS "${tally_life_folder}/*.c")
file(GLOB life_kernels CONFIGURE_DEPENDS "${tally_life_folder}/*.cu" "${tally_life_folder}/*.cuh")

add_library(tally_life STATIC ${life_sources})
tally_target(tally_life)
target_include_directories(tally_life PUBLIC "${tally_life_folder}")
target_link_libraries(tally_life PUBLIC tally_static)
