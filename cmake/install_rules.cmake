# The umbrella troupe::troupe, and what `cmake --install` writes: the binary, the rooms' headers under include/troupe, the
# libraries, and a package that find_package(troupe) finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(rooms protocol store client actors agents net)
list(TRANSFORM rooms PREPEND troupe_ OUTPUT_VARIABLE room_targets)
set(private_targets troupe_asio troupe_planner) # what rooms are made of, without headers of its own

add_library(troupe_umbrella INTERFACE)
add_library(troupe::troupe ALIAS troupe_umbrella)
set_target_properties(troupe_umbrella PROPERTIES EXPORT_NAME troupe)
target_link_libraries(troupe_umbrella INTERFACE ${room_targets})

install(TARGETS ${room_targets} ${private_targets} troupe_umbrella EXPORT troupeTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  FILE_SET public_headers DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(TARGETS troupe RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/docs/plan.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/troupe/docs COMPONENT runtime) # where scenarios look for it
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/troupe COMPONENT runtime)
set(help_directory ${PROJECT_BINARY_DIR}/apps/help) # apps/CMakeLists.txt
install(FILES ${help_directory}/troupe.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
install(FILES ${help_directory}/troupe.bash RENAME troupe
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime)
install(FILES ${help_directory}/_troupe DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT runtime)
install(FILES ${help_directory}/troupe.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/troupe)
install(EXPORT troupeTargets NAMESPACE troupe:: DESTINATION ${package_dir} COMPONENT library)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/troupeConfig.cmake.in ${PROJECT_BINARY_DIR}/troupeConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/troupeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/troupeConfig.cmake ${PROJECT_BINARY_DIR}/troupeConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/dependencies.cmake DESTINATION ${package_dir} COMPONENT library)
