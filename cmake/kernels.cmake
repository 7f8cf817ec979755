# SPDX-License-Identifier: MIT
#
# The GPU kernels and the headers they include, as bytes in one C file, embedded_kernels.c. CMake alone makes it: at
# configure time this file adds the rule; at build time it runs as a script (cmake -P) with OUTPUT and FILES.
if(CMAKE_SCRIPT_MODE_FILE)
    set(text "/* Made by cmake/kernels.cmake. */\n#include \"gpu/machine.h\"\n\n")
    set(rows "")
    set(number 0)
    foreach(file IN LISTS FILES)
        get_filename_component(name "${file}" NAME)
        file(READ "${file}" bytes HEX)
        string(LENGTH "${bytes}" size)
        math(EXPR size "${size} / 2")
        # Lines of 32 bytes; the zero at the end is for readers of text.
        string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
        string(APPEND text "static const unsigned char file_${number}[] = {\n${bytes}0};\n")
        string(APPEND rows "    {\"${name}\", (const char *)file_${number}, ${size}},\n")
        math(EXPR number "${number} + 1")
    endforeach()
    string(APPEND text "\nconst struct embedded_file embedded_files[] = {\n${rows}    {0, 0, 0},\n};\n")
    file(WRITE "${OUTPUT}" "${text}")
    return()
endif()

file(GLOB embedded_files CONFIGURE_DEPENDS
    "${tally_src}/gpu/kernels/*/*.cu" "${tally_src}/gpu/kernels/*/*.cuh" "${tally_src}/gpu/kernels/*/*.h"
    "${tally_src}/dtype.h" "${tally_src}/op.h" "${tally_src}/each_type*.h" "${tally_src}/fold*.h" "${tally_src}/exact.h"
    "${tally_src}/exact_*.h" "${tally_src}/elementary.h" "${tally_src}/power.h" "${tally_src}/narrow.h" "${tally_src}/complex_norm.h"
    "${tally_src}/modulo.h" "${tally_src}/user/prelude.h" "${tally_src}/user/values.h" "${tally_src}/user/kernels.h"
    "${tally_src}/user/compiled.h" "${tally_src}/user/compiled_map.h")
# Headers of the host alone.
list(FILTER embedded_files EXCLUDE REGEX "/fold_table\\.h$")
set(embedded_names "")
foreach(file IN LISTS embedded_files)
    get_filename_component(name "${file}" NAME)
    if(name IN_LIST embedded_names)
        message(FATAL_ERROR "Two embedded kernel files are named ${name}; kernels include by bare names")
    endif()
    list(APPEND embedded_names "${name}")
endforeach()

set(embedded_kernels "${PROJECT_BINARY_DIR}/embedded_kernels.c")
add_custom_command(OUTPUT "${embedded_kernels}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${embedded_kernels}" "-DFILES=${embedded_files}" -P "${CMAKE_CURRENT_LIST_FILE}"
    DEPENDS ${embedded_files} "${CMAKE_CURRENT_LIST_FILE}"
    COMMENT "Embedding the GPU kernels" VERBATIM)
