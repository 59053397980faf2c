# The runtime on a real GPU; each test skips itself without one.
warptune_add_test(gpu_dispatch_test SOURCES dispatch_test.cpp contexts_test.cpp LIBS warptune::runtime LABELS gpu)
