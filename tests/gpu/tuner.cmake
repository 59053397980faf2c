# Verification, timing and the evaluator on a real GPU; each test skips itself without one.
set(warptune_gpu_tuner_libs warptune_tuner_device_test_support)
warptune_add_test(gpu_verify_test SOURCES verify_test.cpp LIBS ${warptune_gpu_tuner_libs} LABELS gpu)
warptune_add_test(gpu_measure_test SOURCES measure_test.cpp LIBS ${warptune_gpu_tuner_libs} LABELS gpu)
warptune_add_test(gpu_evaluator_test SOURCES evaluator_test.cpp LIBS ${warptune_gpu_tuner_libs} LABELS gpu)
# The program itself, alone and beside the runtime on the database that it fills.
foreach(test bench_command bundle round_trip)
  warptune_add_test(gpu_${test}_test
    SOURCES ${test}_test.cpp ${PROJECT_SOURCE_DIR}/tests/tuner/cli/program.cpp
    LIBS warptune_tuner_test_support warptune_cli LABELS gpu TIMEOUT 600)
  target_compile_definitions(gpu_${test}_test PRIVATE WARPTUNE_PROGRAM="$<TARGET_FILE:warptune>")
  add_dependencies(gpu_${test}_test warptune)
endforeach()
# Tuning from inside an application.
warptune_add_test(gpu_misses_test SOURCES misses_test.cpp ${PROJECT_SOURCE_DIR}/tests/tuner/cli/program.cpp
  LIBS warptune_tuner_test_support LABELS gpu TIMEOUT 600)
target_compile_definitions(gpu_misses_test PRIVATE WARPTUNE_PROGRAM="$<TARGET_FILE:warptune>")
add_dependencies(gpu_misses_test warptune warptune_worker)
# Candidates that crash and hang, in worker processes.
warptune_add_test(gpu_planted_test SOURCES planted_test.cpp LIBS warptune_planted_kit LABELS gpu TIMEOUT 600)
add_dependencies(gpu_planted_test warptune_worker)
