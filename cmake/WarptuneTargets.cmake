# How every target of the project is made: standard, warnings, sanitizers, install component.
include_guard(GLOBAL)
include(GNUInstallDirs)

add_library(warptune_options INTERFACE)
target_compile_features(warptune_options INTERFACE cxx_std_20)
target_compile_options(warptune_options INTERFACE -Wall -Wextra -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlapping copies in std::string's operator+ that are not there (GCC bug 105651).
  target_compile_options(warptune_options INTERFACE -Wno-restrict)
endif()
if(WARPTUNE_WERROR)
  target_compile_options(warptune_options INTERFACE -Werror)
endif()
if(WARPTUNE_SANITIZE)
  target_compile_options(warptune_options INTERFACE
    -fsanitize=${WARPTUNE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(warptune_options INTERFACE -fsanitize=${WARPTUNE_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 reports standard library code as uninitialised once sanitizers are in.
    target_compile_options(warptune_options INTERFACE -Wno-error=maybe-uninitialized)
  endif()
endif()

# warptune_add_library(NAME SOURCES ... PUBLIC ... PRIVATE ...): target warptune_NAME, alias warptune::NAME, install component
# and export set NAME. Public headers lie in include/warptune/NAME beside the calling CMakeLists.txt; private ones are included
# relative to the project's root. Header-only dependencies go under PRIVATE as $<BUILD_INTERFACE:...>: they are compiled in,
# and whoever links the installed library needs none of them.
function(warptune_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(warptune_${name} STATIC ${ARG_SOURCES})
  add_library(warptune::${name} ALIAS warptune_${name})
  set_target_properties(warptune_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  target_include_directories(warptune_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_features(warptune_${name} PUBLIC cxx_std_20)
  target_link_libraries(warptune_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:warptune_options>)
  if(WARPTUNE_INSTALL)
    warptune_install_library(${name})
  endif()
endfunction()
