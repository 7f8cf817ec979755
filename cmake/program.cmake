# SPDX-License-Identifier: MIT
#
# The `tally` command: src/io (file formats) and cli/ on top of the static library, so that the program runs from
# anywhere. The optional libhdf5 is linked into the program alone, never into libtally.
file(GLOB io_sources CONFIGURE_DEPENDS "${tally_src}/io/*.c")
file(GLOB cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.c")

set(TALLY_HAVE_HDF5 OFF)
if(TALLY_HDF5)
    # Debian keeps the serial flavour under its own folder and name; other systems do not.
    find_path(HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
    find_library(HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
    mark_as_advanced(HDF5_INCLUDE_DIR HDF5_LIBRARY)
    if(HDF5_INCLUDE_DIR AND HDF5_LIBRARY)
        set(TALLY_HAVE_HDF5 ON)
        message(STATUS "HDF5: ${HDF5_LIBRARY}")
    else()
        message(STATUS "HDF5: not found, the command will not read .h5 files (Debian: apt install libhdf5-dev)")
    endif()
endif()

if(io_sources)
    add_library(tally_io STATIC ${io_sources})
    tally_target(tally_io)
    target_include_directories(tally_io PRIVATE "${tally_src}")
    target_link_libraries(tally_io PUBLIC tally_static)
    if(TALLY_HAVE_HDF5)
        target_compile_definitions(tally_io PUBLIC HAVE_HDF5=1)
        target_include_directories(tally_io SYSTEM PRIVATE "${HDF5_INCLUDE_DIR}")
        target_link_libraries(tally_io PUBLIC "${HDF5_LIBRARY}")
    endif()
endif()

if(cli_sources)
    add_executable(tally_cli ${cli_sources})
    tally_target(tally_cli)
    target_include_directories(tally_cli PRIVATE "${tally_src}")
    set_target_properties(tally_cli PROPERTIES OUTPUT_NAME tally RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
    if(TARGET tally_io)
        target_link_libraries(tally_cli PRIVATE tally_io)
    endif()
    target_link_libraries(tally_cli PRIVATE tally_ladder tally_life tally_static)
endif()
