# SPDX-License-Identifier: MIT
#
# tally_life: Conway's Life, with its kernels as text. It builds on the public interface alone.
set(tally_life_folder "${PROJECT_SOURCE_DIR}/life")
file(GLOB life_sources CONFIGURE_DEPENDS "${tally_life_folder}/*.c")
file(GLOB life_kernels CONFIGURE_DEPENDS "${tally_life_folder}/*.cu" "${tally_life_folder}/*.cuh")

# Kernels of the CPU engine are compiled once per row of isa.cmake with -DISA=<name>; life/cpu_isa.c chooses.
file(GLOB life_cpu_kernels CONFIGURE_DEPENDS "${tally_life_folder}/cpu_kernels*.c")
if(life_cpu_kernels)
    list(REMOVE_ITEM life_sources ${life_cpu_kernels})
endif()
set(life_objects "")
foreach(isa IN LISTS TALLY_ISAS)
    add_library(tally_life_${isa} OBJECT ${life_cpu_kernels})
    tally_target(tally_life_${isa})
    target_include_directories(tally_life_${isa} PRIVATE "${tally_include}" "${tally_life_folder}")
    target_compile_options(tally_life_${isa} PRIVATE ${TALLY_ISA_FLAGS_${isa}})
    target_compile_definitions(tally_life_${isa} PRIVATE ISA=${isa})
    list(APPEND life_objects $<TARGET_OBJECTS:tally_life_${isa}>)
endforeach()

set(life_files "${PROJECT_BINARY_DIR}/life_files.c")
add_custom_command(OUTPUT "${life_files}"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${life_kernels}" -DNAME=life_files -DHEADER=gpu.h -DTYPE=life_file
            "-DOUTPUT=${life_files}" -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${life_kernels} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    COMMENT "Embedding the kernels of Life" VERBATIM)

add_library(tally_life STATIC ${life_sources} ${life_objects} "${life_files}")
tally_target(tally_life)
foreach(isa IN LISTS TALLY_ISAS)
    target_compile_definitions(tally_life PRIVATE HAVE_ISA_${isa}=1)
endforeach()
target_include_directories(tally_life PUBLIC "${tally_life_folder}")
target_link_libraries(tally_life PUBLIC tally_static)
