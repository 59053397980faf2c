# Tests of runtime/dispatch, on the stub device.
set(dispatch_fixture dispatch_fixture.cpp)
warptune_add_test(dispatch_table_test SOURCES dispatch_table_test.cpp LIBS warptune::runtime LABELS tsan)
warptune_add_test(dispatch_selection_test
  SOURCES dispatch_selection_test.cpp neighbours_test.cpp ${dispatch_fixture}
  LIBS warptune::runtime warptune_test_support)
warptune_add_test(dispatch_launch_test
  SOURCES dispatch_launch_test.cpp dispatch_failure_test.cpp capture_scope_test.cpp embedding_test.cpp operands_test.cpp
          ${dispatch_fixture}
  LIBS warptune::runtime warptune_test_support)
warptune_add_test(dispatch_contexts_test
  SOURCES dispatch_contexts_test.cpp ${dispatch_fixture}
  LIBS warptune::runtime warptune_test_support LABELS tsan)
warptune_add_test(dispatch_misses_test
  SOURCES dispatch_misses_test.cpp ${dispatch_fixture} LIBS warptune::runtime warptune_test_support)
warptune_add_test(dispatch_threads_test
  SOURCES dispatch_threads_test.cpp ${dispatch_fixture}
  LIBS warptune::runtime warptune_test_support LABELS tsan)
warptune_add_test(dispatch_hit_path_test
  SOURCES dispatch_hit_path_test.cpp ${dispatch_fixture} LIBS warptune::runtime warptune_test_support)

set(bundle_fixture bundle_fixture.cpp ${dispatch_fixture})
warptune_add_test(bundle_test
  SOURCES bundle_test.cpp ${bundle_fixture} LIBS warptune::runtime warptune_test_support LABELS tsan)
# Its checks are compiled as C.
enable_language(C)
# The part in C is a library of its own: the tests' precompiled header is C++.
add_library(warptune_c_interface_checks OBJECT c_interface_checks.c)
target_link_libraries(warptune_c_interface_checks PRIVATE warptune::runtime warptune_options)
target_include_directories(warptune_c_interface_checks PRIVATE ${PROJECT_SOURCE_DIR})
warptune_add_test(c_interface_test
  SOURCES c_interface_test.cpp $<TARGET_OBJECTS:warptune_c_interface_checks> ${bundle_fixture} LIBS warptune::runtime warptune_test_support)
