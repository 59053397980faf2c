# Finds the libraries that more than one folder uses, once, so that a build with WARPTUNE_STATIC_DEPS gets archives everywhere.
include_guard(GLOBAL)

if(WARPTUNE_STATIC_DEPS)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(Boost_USE_STATIC_LIBS ON)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
if(WARPTUNE_SHARED_FMT)
  # Targets ask for the header-only form; here they get the shared library under that name.
  set_target_properties(fmt::fmt-header-only PROPERTIES
    INTERFACE_COMPILE_DEFINITIONS "" INTERFACE_LINK_LIBRARIES fmt::fmt)
endif()
find_package(SQLite3 REQUIRED)
find_package(CudaHeaders 12.0 REQUIRED)

if(WARPTUNE_STATIC_DEPS)
  # Distributions build SQLite with compression of its own files off but zlib and libm referenced.
  set_property(TARGET SQLite::SQLite3 APPEND PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads ${CMAKE_DL_LIBS} m)
endif()
