/* What is checked from C. Each returns 0, or the line that failed. */
#ifndef WARPTUNE_TESTS_C_INTERFACE_CHECKS_H
#define WARPTUNE_TESTS_C_INTERFACE_CHECKS_H

#include <warptune/runtime/warptune.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kernel tally on the stub device: x holds 1024 ones, tuned for n = 1024 and k = 1. */
int check_launch(warptune_runtime* runtime, void* x, float* y);
int check_errors(warptune_runtime* runtime, void* x, float* y);
/* dot of each element type at n = 64, which the stub answers with n, then rows 2, 0 and 1 of a table of three rows of four floats: see the test. */
int check_typed_calls(warptune_runtime* runtime, void* a, float* y, const int32_t* ids, const float* table,
                      float* output);
/* Where no context is current on this thread. */
int check_open_without_context(void);

#ifdef __cplusplus
}
#endif

#endif
