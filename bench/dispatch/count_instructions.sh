#!/bin/sh
# Instructions of one launch on the stub, beside those of the same call made directly: callgrind counts runs of 2,000 and of 12,000
# calls, and what 10,000 more calls take is divided by them.  count_instructions.sh DISPATCH_BENCH
set -eu
[ $# -eq 1 ] || { echo "usage: count_instructions.sh DISPATCH_BENCH" >&2; exit 2; }
command -v valgrind > /dev/null || { echo "valgrind is not installed (apt-get install valgrind)" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

instructions() {  # WHICH CALLS
  valgrind --tool=callgrind --callgrind-out-file="$folder/out" "$bench" --count "$1" "$2" > /dev/null 2> "$folder/log" ||
    { cat "$folder/log" >&2; exit 1; }
  sed -n 's/^summary: //p' "$folder/out"
}
per_call() {  # WHICH
  few=$(instructions "$1" 2000)
  many=$(instructions "$1" 12000)
  echo $(((many - few) / 10000))
}
bench=$1
raw=$(per_call raw)
ours=$(per_call warptune)
echo "{\"raw\":$raw,\"warptune\":$ours,\"more\":$((ours - raw))}"
