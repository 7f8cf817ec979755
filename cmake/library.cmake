# SPDX-License-Identifier: MIT
#
# libtally: every source is compiled once, position-independent, and the objects go into both libraries.
find_package(Threads REQUIRED)
set(tally_include "${PROJECT_SOURCE_DIR}/include")
set(tally_src "${PROJECT_SOURCE_DIR}/src")

file(GLOB core_sources CONFIGURE_DEPENDS "${tally_src}/*.c" "${tally_src}/user/*.c")
include(cmake/user.cmake)
file(GLOB cpu_sources CONFIGURE_DEPENDS "${tally_src}/cpu/*.c")
file(GLOB kernel_sources CONFIGURE_DEPENDS "${tally_src}/cpu/kernels*.c")
if(kernel_sources)
    list(REMOVE_ITEM cpu_sources ${kernel_sources})
endif()

# The GPU engine opens the driver and the compiler when it runs; nothing of CUDA is needed to build it.
file(GLOB gpu_sources CONFIGURE_DEPENDS "${tally_src}/gpu/*.c")
include(cmake/kernels.cmake)
set(TALLY_HAVE_SIMT OFF)
if(TALLY_SIMT AND EXISTS "${tally_src}/gpu/simt_machine.c")
    set(TALLY_HAVE_SIMT ON)
else()
    list(FILTER gpu_sources EXCLUDE REGEX "/simt_[a-z_]*\\.c$")
endif()

# Objects of one part of the library; a part without sources is left out.
set(tally_objects "")
function(tally_part name)
    if(NOT ARGN)
        return()
    endif()
    add_library(${name} OBJECT ${ARGN})
    tally_target(${name})
    target_include_directories(${name} PRIVATE "${tally_include}" "${tally_src}")
    foreach(isa IN LISTS TALLY_ISAS)
        target_compile_definitions(${name} PRIVATE HAVE_ISA_${isa}=1)
    endforeach()
    if(TALLY_HAVE_SIMT)
        target_compile_definitions(${name} PRIVATE HAVE_SIMT=1)
    endif()
    set(tally_objects ${tally_objects} $<TARGET_OBJECTS:${name}> PARENT_SCOPE)
endfunction()

# Not one of tally's results depends on floating-point traps, and loops with comparisons vectorise without them.
check_c_compiler_flag(-fno-trapping-math TALLY_NO_TRAPPING_MATH)
function(tally_cpu_flags target)
    if(TARGET ${target} AND TALLY_NO_TRAPPING_MATH)
        target_compile_options(${target} PRIVATE -fno-trapping-math)
    endif()
endfunction()

tally_part(tally_core ${core_sources} "${user_texts}")
set_source_files_properties("${tally_src}/kernel_cache_shipped.c" PROPERTIES
    COMPILE_DEFINITIONS "TALLY_LIBRARY_FOLDER=\"${CMAKE_INSTALL_FULL_LIBDIR}\"")
tally_part(tally_cpu ${cpu_sources})
tally_cpu_flags(tally_cpu)
tally_part(tally_gpu ${gpu_sources} "${embedded_kernels}")
if(TALLY_HAVE_SIMT)
    include("${CMAKE_CURRENT_LIST_DIR}/simt.cmake")
    tally_simt_flags(tally_gpu)
endif()
foreach(isa IN LISTS TALLY_ISAS)
    tally_part(tally_cpu_${isa} ${kernel_sources})
    tally_cpu_flags(tally_cpu_${isa})
    if(TARGET tally_cpu_${isa})
        target_compile_options(tally_cpu_${isa} PRIVATE ${TALLY_ISA_FLAGS_${isa}})
        # Loops are faster or slower by where they lie in a cache line; so that does not depend on what comes before.
        target_compile_options(tally_cpu_${isa} PRIVATE -falign-functions=64)
        target_compile_definitions(tally_cpu_${isa} PRIVATE ISA=${isa})
    endif()
endforeach()

# Only names of the public interface leave the shared library; C++ or compiler helpers do not either.
add_library(tally SHARED ${tally_objects})
add_library(tally_static STATIC ${tally_objects})
set(map "${PROJECT_SOURCE_DIR}/cmake/tally.map")
target_link_options(tally PRIVATE "LINKER:--version-script=${map}" LINKER:--exclude-libs,ALL)
set_target_properties(tally PROPERTIES LINK_DEPENDS "${map}" EXPORT_NAME tally
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
if(NOT TALLY_SANITIZE)
    target_link_options(tally PRIVATE LINKER:-z,defs)
endif()
set_target_properties(tally_static PROPERTIES OUTPUT_NAME tally EXPORT_NAME static)

foreach(target tally tally_static)
    tally_target(${target})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}" ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
    target_include_directories(${target} PUBLIC
        $<BUILD_INTERFACE:${tally_include}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
target_link_libraries(tally PRIVATE Threads::Threads m ${CMAKE_DL_LIBS})
target_link_libraries(tally_static PUBLIC Threads::Threads m ${CMAKE_DL_LIBS})
add_library(tally::tally ALIAS tally)
add_library(tally::static ALIAS tally_static)
