# SPDX-License-Identifier: MIT
#
# Kernels that come with the library: for each architecture of TALLY_KERNELS the command just built compiles those of
# everyday calls into tally-kernels, beside the library, where it looks for them, and the installation takes them along.
# That takes NVIDIA's run-time compiler and some minutes for an architecture, and no GPU; those that are there already
# take no time. What other sources left in the folder stays there: packages are made in new folders.
set(TALLY_KERNELS "" CACHE STRING "GPU architectures whose kernels are compiled ahead (a list: sm_80;sm_90); empty: none")
if(NOT TALLY_KERNELS OR NOT TARGET tally_cli)
    return()
endif()

set(shipped_folder "${PROJECT_BINARY_DIR}/tally-kernels")
set(shipped_marks "")
foreach(architecture IN LISTS TALLY_KERNELS)
    set(mark "${PROJECT_BINARY_DIR}/kernels-${architecture}.done")
    add_custom_command(OUTPUT "${mark}"
        COMMAND tally_cli cache compile "${architecture}" "${shipped_folder}"
        COMMAND "${CMAKE_COMMAND}" -E touch "${mark}"
        DEPENDS "${embedded_kernels}" tally_cli
        COMMENT "Compiling the GPU kernels for ${architecture}" VERBATIM)
    list(APPEND shipped_marks "${mark}")
endforeach()
add_custom_target(kernels ALL DEPENDS ${shipped_marks})
install(DIRECTORY "${shipped_folder}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" PATTERN "*.tmp" EXCLUDE)
