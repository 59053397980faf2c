# Sourced by the scripts of this project from its root: messages, stage times, and where CUDA is.

root=$(pwd)
jobs=$(nproc)
stage_times=""

say() { printf '\n== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# stage NAME COMMAND...: runs a step and remembers how long it took.
stage() {
  local name=$1 start=$SECONDS
  shift
  say "$name"
  "$@" || die "$name failed"
  stage_times+=$(printf '%5d s  %s' $((SECONDS - start)) "$name")$'\n'
}

print_stage_times() { say "Time of each stage"; printf '%s' "$stage_times"; }

# has_cuda PREFIX: PREFIX is a toolkit with headers and NVRTC, or a Python environment with the vendor's wheels.
has_cuda() {
  [ -n "$1" ] || return 1
  if [ -e "$1/include/cuda.h" ] && [ -e "$1/include/nvrtc.h" ]; then return 0; fi
  compgen -G "$1/lib/python3*/site-packages/nvidia/*/include/cuda.h" >/dev/null &&
    compgen -G "$1/lib/python3*/site-packages/nvidia/*/include/nvrtc.h" >/dev/null
}

# find_cuda: prints the first place with CUDA, in the order that cmake/FindCudaHeaders.cmake and the runtime use.
find_cuda() {
  local prefix
  if [ -n "${WARPTUNE_CUDA_HOME:-}" ]; then
    if has_cuda "$WARPTUNE_CUDA_HOME"; then echo "$WARPTUNE_CUDA_HOME"; return 0; fi
    return 1
  fi
  for prefix in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda "${VIRTUAL_ENV:-}" "$root/.venv" "${CONDA_PREFIX:-}"; do
    if has_cuda "$prefix"; then echo "$prefix"; return 0; fi
  done
  return 1
}

# use_cuda: makes the project's own Python environment the active one where CUDA comes from there.
use_cuda() {
  if [ "$(find_cuda)" = "$root/.venv" ]; then export VIRTUAL_ENV="$root/.venv"; fi
}
