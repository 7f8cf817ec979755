# SPDX-License-Identifier: MIT
#
# simt: runs GPU kernels on the host. Adds its objects to tally_objects; the headers that kernels include are embedded,
# because kernels are compiled on the user's machine.
file(GLOB simt_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/simt/*.c")
set(simt_headers "")
foreach(name simt_calls.h simt.h simt_atomic.h simt_math.h simt_count.h)
    list(APPEND simt_headers "${PROJECT_SOURCE_DIR}/simt/${name}")
endforeach()

function(tally_embed output array header)
    add_custom_command(OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" "-DFILES=${ARGN}" "-DNAME=${array}" "-DHEADER=${header}" "-DOUTPUT=${output}"
                -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
        DEPENDS ${ARGN} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake" VERBATIM)
endfunction()
tally_embed("${PROJECT_BINARY_DIR}/simt_files.c" simt_files "../simt/files.h" ${simt_headers})
list(APPEND simt_sources "${PROJECT_BINARY_DIR}/simt_files.c")

tally_part(tally_simt ${simt_sources})
# Fibres share one host thread; the thread sanitizer would take each for the others' stack.
if(TALLY_SANITIZE STREQUAL "thread")
    target_compile_options(tally_simt PRIVATE -fno-sanitize=thread)
endif()

# What compiles kernels at run time uses the sanitizers of this build.
function(tally_simt_flags target)
    if(TALLY_SANITIZE MATCHES "address")
        target_compile_definitions(${target} PRIVATE "SIMT_SANITIZE=\"${TALLY_SANITIZE}\"")
    endif()
endfunction()
