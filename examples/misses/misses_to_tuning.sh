#!/bin/sh
# misses_to_tuning.sh MISSES WARPTUNE FOLDER: runs the example, tunes what it missed, runs it again. 77: no usable GPU.
set -eu
misses=$1 warptune=$2 folder=$3
rm -rf "$folder" && mkdir -p "$folder"
db=$folder/app.db

run() {
  code=0
  out=$("$misses" "$db" 100003 1000000) || code=$?
  printf '%s\n' "$out"
  [ "$code" -eq 0 ] || exit "$code"
}
served() { printf '%s\n' "$out" | grep -c "$1" || true; }

run
[ "$(served ' default:')" -eq 2 ] || { echo "nothing was tuned yet, so both calls must run the default" >&2; exit 1; }
[ "$(grep -c warptune_miss "$db.misses")" -eq 2 ] || { echo "both problems must be in $db.misses" >&2; exit 1; }
"$warptune" tune --misses "$db.misses" --db "$db" --seconds 5
run
[ "$(served ' tuned:')" -eq 2 ] || { echo "both calls must run what was tuned" >&2; exit 1; }
