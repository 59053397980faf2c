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
/* Where no context is current on this thread. */
int check_open_without_context(void);

#ifdef __cplusplus
}
#endif

#endif
