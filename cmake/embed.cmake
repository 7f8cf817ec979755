# SPDX-License-Identifier: MIT
#
# Run by the build: cmake -DFILES=a;b -DNAME=array -DHEADER=h -DOUTPUT=c -P embed.cmake
# Writes a C file with the bytes of FILES as an array of struct embedded_file.
set(rows "")
set(text "/* Made by cmake/embed.cmake. */\n#include \"gpu/machine.h\"\n#include \"${HEADER}\"\n\n")
set(number 0)
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME)
    file(READ "${file}" hex HEX)
    string(LENGTH "${hex}" size)
    math(EXPR size "${size} / 2")
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
    string(APPEND text "static const unsigned char file_${number}[] = {\n${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", (const char *)file_${number}, ${size}},\n")
    math(EXPR number "${number} + 1")
endforeach()
string(APPEND text "\nconst struct embedded_file ${NAME}[] = {\n${rows}    {0, 0, 0},\n};\n")
file(WRITE "${OUTPUT}" "${text}")
