#!/bin/sh
# Runs all examples from a folder of programs that were built elsewhere; a GPU, its driver and NVRTC are what this machine needs.
#
#   examples/run_all.sh BIN [BUNDLE]
#
# BIN: bundled_dot, c_caller, dot_product, graph_capture, misses, own_kernel, two_streams, warptune and warptune-worker, as they lie in a build's
# bin folder. BUNDLE: for the two that open one; made here from the recordings beside this script where it is left out.
#
# Each example compares its result with one worked out on the host. Prints a line per example. Exit codes: 0 all right, 1 some were not,
# 2 wrong usage, 77 no usable GPU.
set -u
[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: run_all.sh BIN [BUNDLE]" >&2; exit 2; }
bin=$(CDPATH='' cd -- "$1" && pwd) || exit 2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
without_gpu=0

# NAME COMMAND...
example() {
  name=$1
  shift
  code=0
  timeout 120 "$@" > "$folder/out" 2>&1 || code=$?
  case $code in
    0) verdict=right ;;
    77) verdict="no usable GPU" without_gpu=$((without_gpu + 1)) ;;
    124) verdict="did not end" failed=$((failed + 1)) ;;
    *) verdict="WRONG (exit code $code)" failed=$((failed + 1)) ;;
  esac
  printf '%-28s %s\n' "$name" "$verdict"
  [ "$code" -eq 0 ] || sed 's/^/    /' "$folder/out"
}

for type in float half bf16; do
  example "call dot, $type" "$bin/dot_product" --type "$type" --n 1000003 --db "$folder/none.db"
done
example "own kernel" "$bin/own_kernel" "$here/own_kernel/row_sum.toml" 1000 333 "$folder/none.db"
example "graph capture" "$bin/graph_capture" "$folder/none.db"
example "two streams" "$bin/two_streams" "$folder/none.db"
example "misses to tuning" sh "$here/misses/misses_to_tuning.sh" "$bin/misses" "$bin/warptune" "$folder/misses"

bundle=${2:-$folder/dot.wtb}
[ $# -eq 2 ] || example "bundle is made" "$bin/warptune" bundle -o "$bundle" "$here/recordings/h200.db"
# From here on NVRTC is hidden.
WARPTUNE_CUDA_HOME=$folder/no_toolkit
export WARPTUNE_CUDA_HOME
example "bundle from its path" "$bin/bundled_dot" "$bundle"
example "bundle from memory" "$bin/bundled_dot" "$bundle" memory
example "C caller" "$bin/c_caller" "$bundle"

[ "$failed" -eq 0 ] || exit 1
[ "$without_gpu" -eq 0 ] || exit 77
