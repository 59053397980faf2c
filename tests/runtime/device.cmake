# Tests of runtime/device and runtime/compile, and of the doubles that stand in for them.
add_library(warptune_fake_driver SHARED fake_driver.cpp)
target_link_libraries(warptune_fake_driver PRIVATE warptune_options)
add_library(warptune_fake_nvml SHARED fake_nvml.cpp)
target_link_libraries(warptune_fake_nvml PRIVATE warptune_options)
warptune_add_test(driver_test SOURCES driver_test.cpp sensors_test.cpp LIBS warptune::runtime CudaHeaders::CudaHeaders)
target_compile_definitions(driver_test PRIVATE
  WARPTUNE_FAKE_DRIVER_LIBRARY="$<TARGET_FILE:warptune_fake_driver>"
  WARPTUNE_FAKE_NVML_LIBRARY="$<TARGET_FILE:warptune_fake_nvml>")
add_dependencies(driver_test warptune_fake_driver warptune_fake_nvml)
warptune_add_test(stub_device_test SOURCES stub_device_test.cpp LIBS warptune_test_support LABELS tsan)
warptune_add_test(compile_test
  SOURCES compile_log_test.cpp cubin_test.cpp LIBS warptune::runtime TIMEOUT 300)
warptune_add_test(nvrtc_compiler_test
  SOURCES nvrtc_compiler_test.cpp LIBS warptune::runtime warptune_test_support CudaHeaders::CudaHeaders)
warptune_add_test(kernel_builder_test
  SOURCES kernel_builder_test.cpp binary_cache_test.cpp LIBS warptune::runtime warptune_test_support LABELS tsan)
