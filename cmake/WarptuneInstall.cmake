# Install and export rules. Each folder of the project is a component with an export set of its own, so that an application can
# take the runtime alone; warptuneConfig.cmake puts them together again.
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(WARPTUNE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/warptune)

# warptune_install_library(NAME): the archive, the public headers and the export set of warptune_NAME.
function(warptune_install_library name)
  install(TARGETS warptune_${name} EXPORT warptune-${name}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name})
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/warptune/${name}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warptune COMPONENT ${name}
          FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
  install(EXPORT warptune-${name} NAMESPACE warptune:: FILE warptune-${name}.cmake
          DESTINATION ${WARPTUNE_CMAKE_DIR} COMPONENT ${name})
endfunction()

# warptune_install_package(): what does not belong to one library: the package's entry file, shipped templates, the licence.
function(warptune_install_package)
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/warptuneConfig.cmake.in ${PROJECT_BINARY_DIR}/warptuneConfig.cmake
    INSTALL_DESTINATION ${WARPTUNE_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/warptuneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/warptuneConfig.cmake ${PROJECT_BINARY_DIR}/warptuneConfigVersion.cmake
          DESTINATION ${WARPTUNE_CMAKE_DIR} COMPONENT base)
  install(TARGETS warptune warptune_worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tuner)
  # The library has its templates built in; the files are there to be read and to start one's own from.
  file(GLOB manifests ${PROJECT_SOURCE_DIR}/kernel_templates/*/*.toml)
  foreach(manifest IN LISTS manifests)
    get_filename_component(folder ${manifest} DIRECTORY)
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/warptune/templates COMPONENT spec)
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT base)
endfunction()
