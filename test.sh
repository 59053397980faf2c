#!/usr/bin/env bash
# Installs what is missing, builds the tests under AddressSanitizer and UndefinedBehaviorSanitizer, and runs them.
#   ./test.sh [arguments for ctest]      e.g. ./test.sh -R Store; -C exhaustive -L exhaustive runs what is run by hand
# Without a GPU the tests that need one say so and are counted as skipped.
set -euo pipefail
cd "$(dirname "$0")"
. scripts/lib.sh

stage "Set-up" scripts/setup.sh test
use_cuda
build() { cmake --preset test >build/test-configure.log && cmake --build --preset test -- -j "$jobs"; }
mkdir -p build
stage "Build of the tests (sanitized)" build
print_stage_times
say "Tests"
exec ctest --test-dir build/test --output-on-failure -j "$jobs" "$@"
