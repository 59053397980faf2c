#!/usr/bin/env bash
# Formats every C and C++ file of the project by .clang-format; with --check, only says what differs and fails.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=$(command -v clang-format-16 || command -v clang-format) || { echo "error: clang-format-16 is not installed" >&2; exit 1; }
mode=(-i)
if [ "${1:-}" = --check ]; then mode=(--dry-run -Werror); fi
git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.hpp' '*.c' '*.h' | xargs -0 "$tool" "${mode[@]}"
