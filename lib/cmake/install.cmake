# The installed package: find_package(selectors 0.1), and pkg-config for those who do not use CMake.
include(CMakePackageConfigHelpers)

set(SELECTORS_INSTALL_CMAKEDIR
    "${CMAKE_INSTALL_LIBDIR}/cmake/selectors"
    CACHE STRING "Where the CMake package goes, relative to the prefix")

install(
  TARGETS selectors
  EXPORT selectors-targets
  RUNTIME COMPONENT selectors_runtime
  LIBRARY COMPONENT selectors_runtime NAMELINK_COMPONENT selectors_development
  ARCHIVE COMPONENT selectors_development
  FILE_SET HEADERS COMPONENT selectors_development)
install(
  EXPORT selectors-targets
  NAMESPACE selectors::
  DESTINATION "${SELECTORS_INSTALL_CMAKEDIR}"
  COMPONENT selectors_development)

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/selectors-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/selectors-config.cmake
  INSTALL_DESTINATION "${SELECTORS_INSTALL_CMAKEDIR}" NO_SET_AND_CHECK_MACRO)
# While the version is 0.x a minor release may change the interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/selectors-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(
  FILES ${CMAKE_CURRENT_BINARY_DIR}/selectors-config.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/selectors-config-version.cmake
  DESTINATION "${SELECTORS_INSTALL_CMAKEDIR}"
  COMPONENT selectors_development)

# ${pcfiledir} keeps the installed tree relocatable; an absolute library folder cannot be, and says so plainly.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
  set(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
  file(RELATIVE_PATH pc_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/selectors.pc.in ${CMAKE_CURRENT_BINARY_DIR}/selectors.pc @ONLY)
install(
  FILES ${CMAKE_CURRENT_BINARY_DIR}/selectors.pc
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
  COMPONENT selectors_development)
