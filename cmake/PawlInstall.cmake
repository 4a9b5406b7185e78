# The C++ SDK as a package: one static library of all that it needs of this repository, the public headers, and what
# find_package(Pawl) and pkg-config read. `cmake --install build/release --component sdk --prefix DIR` installs it alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(parts core wire store store_memory store_sqlite store_postgres engine runtime net client worker sdk)
set(objects "")
foreach(part IN LISTS parts)
  list(APPEND objects $<TARGET_OBJECTS:pawl_${part}>)
endforeach()
add_library(pawl_package STATIC ${objects})
set_target_properties(pawl_package PROPERTIES OUTPUT_NAME pawl LINKER_LANGUAGE CXX)

install(TARGETS pawl_package ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/pawl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT sdk
  FILES_MATCHING PATTERN *.hpp)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Pawl)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/PawlConfig.cmake.in ${CMAKE_BINARY_DIR}/package/PawlConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/PawlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/PawlConfig.cmake ${CMAKE_BINARY_DIR}/package/PawlConfigVersion.cmake
  DESTINATION ${package} COMPONENT sdk)

# From one to the other, so that what is installed can be moved.
file(RELATIVE_PATH PAWL_LIB_TO_INCLUDE /p/${CMAKE_INSTALL_LIBDIR} /p/${CMAKE_INSTALL_INCLUDEDIR})
configure_file(${CMAKE_SOURCE_DIR}/cmake/pawl.pc.in ${CMAKE_BINARY_DIR}/package/pawl.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/pawl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT sdk)

set(notices ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/THIRD_PARTY_NOTICES.md)
install(FILES ${notices} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT sdk)
if(TARGET pawl)
  install(TARGETS pawl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(FILES ${notices} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
endif()
