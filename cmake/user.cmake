# SPDX-License-Identifier: MIT
#
# Users' operators are compiled on the user's machine: the files that their text includes are embedded in one C file.
set(user_files "")
foreach(name user/prelude.h user/values.h user/kernels.h user/kernels_tmpl.h user/cells_tmpl.h user/group_tmpl.h user/compiled.h user/compiled_map.h narrow.h)
    list(APPEND user_files "${tally_src}/${name}")
endforeach()
set(user_texts "${PROJECT_BINARY_DIR}/user_texts.c")
add_custom_command(OUTPUT "${user_texts}"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${user_files}" -DNAME=user_texts -DHEADER=user/texts.h -DTYPE=host_text
            -DSIZES=ON "-DOUTPUT=${user_texts}" -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${user_files} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake" VERBATIM)
