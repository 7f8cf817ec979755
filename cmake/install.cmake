# SPDX-License-Identifier: MIT
#
# What `cmake --install` puts where: header, libraries, command, manual page, pkg-config file, CMake package.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tally")

install(FILES "${tally_include}/tally.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS tally tally_static EXPORT tallyTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET tally_cli)
    install(TARGETS tally_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
if(EXISTS "${PROJECT_SOURCE_DIR}/docs/tally.1")
    install(FILES "${PROJECT_SOURCE_DIR}/docs/tally.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()

set(tally_dl_flag "")
if(CMAKE_DL_LIBS)
    set(tally_dl_flag " -l${CMAKE_DL_LIBS}")
endif()
configure_file(cmake/tally.pc.in "${PROJECT_BINARY_DIR}/tally.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tally.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

configure_package_config_file(cmake/tallyConfig.cmake.in "${PROJECT_BINARY_DIR}/tallyConfig.cmake"
    INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tallyConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tallyConfig.cmake" "${PROJECT_BINARY_DIR}/tallyConfigVersion.cmake"
    DESTINATION "${package_dir}")
install(EXPORT tallyTargets NAMESPACE tally:: DESTINATION "${package_dir}")
