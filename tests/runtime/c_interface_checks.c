#include "tests/runtime/c_interface_checks.h"

#include <string.h>

#define CHECK(condition) \
  if (!(condition)) return __LINE__

int check_launch(warptune_runtime* runtime, void* x, float* y) {
  const char* const types[] = {"T=float", NULL};
  const char* const hot[] = {"hot", NULL};
  const int64_t dims[] = {1024, 1}, near_dims[] = {2048, 1};
  void* const pointers[] = {x, y};
  warptune_kernel_options options = {NULL, NULL, NULL};
  warptune_kernel* kernel = NULL;
  warptune_match match = WARPTUNE_DEFAULT;
  warptune_selection selection;
  warptune_workspace* workspace = NULL;

  CHECK(warptune_get_kernel(runtime, "tally", types, NULL, &kernel) == WARPTUNE_OK);
  CHECK(warptune_prepare(kernel, NULL, dims, 2, 0) == WARPTUNE_OK);
  CHECK(warptune_launch(kernel, NULL, dims, 2, pointers, 2, &match) == WARPTUNE_OK);
  CHECK(match == WARPTUNE_TUNED);
  CHECK(*y == 1024.0f);
  *y = 0;
  CHECK(warptune_launch(kernel, NULL, dims, 2, pointers, 2, NULL) == WARPTUNE_OK);
  CHECK(*y == 1024.0f);

  *y = 0;
  CHECK(warptune_reserve(kernel, dims, 2, 0, &workspace) == WARPTUNE_OK);
  CHECK(warptune_launch_with(kernel, NULL, dims, 2, pointers, 2, workspace, &match) == WARPTUNE_OK);
  CHECK(*y == 1024.0f);
  warptune_release_workspace(workspace);

  CHECK(warptune_select(kernel, dims, 2, 0, &selection) == WARPTUNE_OK);
  CHECK(selection.match == WARPTUNE_TUNED);
  CHECK(strcmp(selection.config, "BLOCK=128 PACK=4 MODE=one") == 0);
  CHECK(strstr(selection.reason, "tuned for these dims") != NULL);
  CHECK(selection.expected_ns == 1000.0);
  CHECK(selection.alignment_bytes == 16);
  CHECK(selection.other_toolchain == 0);
  CHECK(strcmp(selection.staleness, "") == 0);
  CHECK(selection.expected_loss == 0.0); /* it won there */
  CHECK(warptune_select(kernel, near_dims, 2, 0, &selection) == WARPTUNE_OK);
  CHECK(selection.match == WARPTUNE_NEAREST);
  CHECK(selection.log2_distance == 1.0);
  CHECK(selection.expected_loss < 0); /* no neighbour was timed */
  warptune_release_kernel(kernel);

  /* Measured cold and exact: with other wishes it is not tuned. */
  options.policies = hot;
  CHECK(warptune_get_kernel(runtime, "tally", types, &options, &kernel) == WARPTUNE_OK);
  CHECK(warptune_select(kernel, dims, 2, 0, &selection) == WARPTUNE_OK);
  CHECK(selection.match == WARPTUNE_DEFAULT);
  CHECK(selection.expected_ns < 0);
  warptune_release_kernel(kernel);
  options.policies = NULL;
  options.allowed = "approx";
  CHECK(warptune_get_kernel(runtime, "tally", types, &options, &kernel) == WARPTUNE_OK);
  CHECK(warptune_select(kernel, dims, 2, 0, &selection) == WARPTUNE_OK);
  CHECK(selection.match == WARPTUNE_DEFAULT);
  warptune_release_kernel(kernel);

  warptune_release_kernel(NULL);
  warptune_release_workspace(NULL);
  warptune_close(NULL);
  return 0;
}

int check_errors(warptune_runtime* runtime, void* x, float* y) {
  const char* const types[] = {"T=float", NULL};
  const char* const no_assignment[] = {"float", NULL};
  const char* const unknown_type[] = {"T=bool", NULL};
  const warptune_kernel_options wrong = {NULL, "sloppy", NULL};
  const int64_t dims[] = {1024, 1};
  void* const pointers[] = {x, y};
  void* const crooked[] = {(char*)x + 1, y};
  warptune_kernel* kernel = NULL;
  warptune_selection selection;
  warptune_embedding_call call;
  long code = 77;

  memset(&call, 0, sizeof(call));

  CHECK(warptune_get_kernel(runtime, "tallly", types, NULL, &kernel) == WARPTUNE_ERROR_NOT_FOUND);
  CHECK(kernel == NULL);
  CHECK(strstr(warptune_last_error(), "tallly") != NULL);
  CHECK(warptune_last_hint()[0] != '\0');
  CHECK(warptune_last_native_code(&code) == 0);
  CHECK(code == 77);
  CHECK(warptune_get_kernel(runtime, "tally", no_assignment, NULL, &kernel) == WARPTUNE_ERROR_USAGE);
  CHECK(strstr(warptune_last_error(), "'float'") != NULL);
  CHECK(warptune_get_kernel(runtime, "tally", unknown_type, NULL, &kernel) == WARPTUNE_ERROR_BAD_INPUT);
  CHECK(warptune_get_kernel(runtime, "tally", types, &wrong, &kernel) == WARPTUNE_ERROR_BAD_INPUT);
  CHECK(strstr(warptune_last_error(), "sloppy") != NULL);
  CHECK(warptune_get_kernel(NULL, "tally", types, NULL, &kernel) == WARPTUNE_ERROR_USAGE);
  CHECK(strstr(warptune_last_error(), "runtime") != NULL);
  CHECK(warptune_get_kernel(runtime, "tally", types, NULL, NULL) == WARPTUNE_ERROR_USAGE);

  CHECK(warptune_get_kernel(runtime, "tally", types, NULL, &kernel) == WARPTUNE_OK);
  CHECK(warptune_launch(kernel, NULL, dims, 1, pointers, 2, NULL) == WARPTUNE_ERROR_USAGE);
  CHECK(strstr(warptune_last_error(), "2 dims") != NULL);
  CHECK(warptune_launch(kernel, NULL, NULL, 2, pointers, 2, NULL) == WARPTUNE_ERROR_USAGE);
  CHECK(warptune_launch(kernel, NULL, dims, 2, NULL, 2, NULL) == WARPTUNE_ERROR_USAGE);
  CHECK(warptune_launch(kernel, NULL, dims, 2, pointers, 1, NULL) == WARPTUNE_ERROR_USAGE);
  CHECK(warptune_launch(kernel, NULL, dims, 2, crooked, 2, NULL) == WARPTUNE_ERROR_USAGE);
  CHECK(warptune_select(kernel, dims, 2, 3, &selection) == WARPTUNE_ERROR_USAGE);
  CHECK(warptune_select(kernel, dims, 2, 0, NULL) == WARPTUNE_ERROR_USAGE);
  warptune_release_kernel(kernel);

  CHECK(warptune_dot(runtime, 9, x, x, y, 1, NULL, NULL) == WARPTUNE_ERROR_USAGE);
  CHECK(warptune_dot(NULL, WARPTUNE_F32, x, x, y, 1, NULL, NULL) == WARPTUNE_ERROR_USAGE);
  CHECK(warptune_embedding(runtime, NULL, NULL, NULL) == WARPTUNE_ERROR_USAGE);
  call.id_bytes = 3;
  CHECK(warptune_embedding(runtime, &call, NULL, NULL) == WARPTUNE_ERROR_USAGE);
  CHECK(strstr(warptune_last_error(), "id_bytes") != NULL);
  call.id_bytes = 4;
  CHECK(warptune_embedding(runtime, &call, NULL, NULL) == WARPTUNE_ERROR_USAGE);
  CHECK(strstr(warptune_last_error(), "element_bytes") != NULL);
  call.element_bytes = 4;
  call.policy = 7;
  CHECK(warptune_embedding(runtime, &call, NULL, NULL) == WARPTUNE_ERROR_USAGE);
  CHECK(strstr(warptune_last_error(), "policy") != NULL);
  CHECK(strcmp(warptune_status_name(WARPTUNE_OK), "ok") == 0);
  CHECK(strcmp(warptune_status_name(WARPTUNE_ERROR_OUT_OF_MEMORY), "out_of_memory") == 0);
  CHECK(strcmp(warptune_status_name(WARPTUNE_ERROR_INTERNAL), "internal") == 0);
  CHECK(strcmp(warptune_status_name(99), "unknown") == 0);
  return 0;
}

int check_typed_calls(warptune_runtime* runtime, void* a, float* y, const int32_t* ids, const float* table,
                      float* output) {
  warptune_match match = WARPTUNE_TUNED;
  warptune_embedding_call call;
  const int elements[] = {WARPTUNE_F32, WARPTUNE_F16, WARPTUNE_BF16};
  int i;
  for (i = 0; i < 3; ++i) {
    *y = 0;
    CHECK(warptune_dot(runtime, elements[i], a, a, y, 64, NULL, &match) == WARPTUNE_OK);
    CHECK(*y == 64.0f);
    CHECK(match == WARPTUNE_DEFAULT);
  }
  memset(&call, 0, sizeof(call));
  call.ids = ids;
  call.id_bytes = sizeof(*ids);
  call.table = table;
  call.output = output;
  call.element_bytes = sizeof(*table);
  call.v = 3;
  call.n = 3;
  call.h = 4;
  CHECK(warptune_embedding(runtime, &call, NULL, &match) == WARPTUNE_OK);
  CHECK(match == WARPTUNE_DEFAULT);
  CHECK(output[0] == 20.0f && output[3] == 23.0f);
  CHECK(output[4] == 0.0f && output[7] == 3.0f);
  CHECK(output[8] == 10.0f && output[11] == 13.0f);
  return 0;
}

int check_open_without_context(void) {
  warptune_runtime* runtime = NULL;
  const char byte = 0;
  warptune_options options;
  memset(&options, 0, sizeof(options));
  CHECK(warptune_open("no_such_file.db", NULL, &runtime) == WARPTUNE_ERROR_NO_DEVICE);
  CHECK(runtime == NULL);
  CHECK(warptune_last_error()[0] != '\0');
  CHECK(warptune_open_memory(&byte, 1, NULL, &runtime) == WARPTUNE_ERROR_NO_DEVICE);
  CHECK(warptune_open(NULL, NULL, &runtime) == WARPTUNE_ERROR_USAGE);
  CHECK(warptune_open("x.db", NULL, NULL) == WARPTUNE_ERROR_USAGE);
  CHECK(warptune_open_memory(NULL, 0, NULL, &runtime) == WARPTUNE_ERROR_USAGE);
  options.on_miss = 7;
  CHECK(warptune_open("x.db", &options, &runtime) == WARPTUNE_ERROR_USAGE);
  CHECK(strstr(warptune_last_error(), "on_miss") != NULL);
  options.on_miss = WARPTUNE_MISS_RECORD;
  options.misses_file = "x.misses";
  CHECK(warptune_open("x.db", &options, &runtime) == WARPTUNE_ERROR_NO_DEVICE);
  return 0;
}
