# Installs the build BUILD_FOLDER to PREFIX, which is emptied first; and its runtime part alone to PREFIX-runtime.
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}-runtime)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD_FOLDER} --prefix ${PREFIX} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(component base spec db runtime)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD_FOLDER} --prefix ${PREFIX}-runtime --component ${component}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
if(EXISTS ${PREFIX}-runtime/include/warptune/tuner)
  message(FATAL_ERROR "the tuner's headers came with the runtime's components")
endif()
