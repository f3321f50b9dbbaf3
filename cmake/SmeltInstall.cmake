# `cmake --install`: the library, its headers, the program where it is built, the presets, and a
# package that find_package(smelt) finds.
include(CMakePackageConfigHelpers)
set(SMELT_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/smelt)

set_target_properties(smelt PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
install(TARGETS smelt EXPORT smeltTargets)
install(DIRECTORY include/smelt TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY presets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/smelt/presets
        FILES_MATCHING PATTERN "*.json" PATTERN "*.csv")

if(TARGET smelt_program)
  # The program finds a shared libsmelt beside it, wherever the prefix is moved.
  file(RELATIVE_PATH lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(smelt_program PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
  install(TARGETS smelt_program)
endif()

install(EXPORT smeltTargets NAMESPACE smelt:: DESTINATION ${SMELT_INSTALL_CMAKEDIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/smeltConfig.cmake.in
  ${PROJECT_BINARY_DIR}/smeltConfig.cmake INSTALL_DESTINATION ${SMELT_INSTALL_CMAKEDIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/smeltConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/smeltConfig.cmake ${PROJECT_BINARY_DIR}/smeltConfigVersion.cmake
        DESTINATION ${SMELT_INSTALL_CMAKEDIR})
