#!/bin/sh
# run_all_test.sh RUN_ALL FOLDER: what the script that runs all examples says of programs that are right, wrong, or without a GPU.
set -eu
run_all=$1 folder=$2
rm -rf "$folder" && mkdir -p "$folder"
programs="bundled_dot c_caller dot_product graph_capture own_kernel two_streams warptune"

# EXIT_CODE PROGRAMS...: they print a line, and end so.
stand_in() {
  code=$1
  shift
  for program in "$@"; do
    printf '#!/bin/sh\necho "%s speaks"\nexit %s\n' "$program" "$code" > "$folder/$program"
    chmod +x "$folder/$program"
  done
}
# Prints "n=... tuned" from its second run on, as the example does once its misses were tuned.
cat > "$folder/misses" << 'END'
#!/bin/sh
served=default
[ -f "$1" ] && served=tuned
touch "$1"
printf 'warptune_miss\nwarptune_miss\n' > "$1.misses"
printf 'n=1 %s: 1, right\nn=2 %s: 1, right\n' "$served" "$served"
END
chmod +x "$folder/misses"
expect() {  # EXIT_CODE TEXT
  code=0
  said=$("$run_all" "$folder" 2>&1) || code=$?
  [ "$code" -eq "$1" ] || { echo "exit code $code instead of $1:"; echo "$said"; exit 1; }
  case $said in *"$2"*) ;; *) echo "not said: $2"; echo "$said"; exit 1 ;; esac
}

# shellcheck disable=SC2086  # a list of words
stand_in 0 $programs
expect 0 "C caller                     right"
stand_in 1 two_streams
expect 1 "two streams                  WRONG (exit code 1)
    two_streams speaks"
stand_in 77 graph_capture
expect 1 "graph capture                no usable GPU"
stand_in 0 two_streams
expect 77 "two streams                  right"
rm "$folder/own_kernel"
expect 1 "own kernel                   WRONG (exit code 127)"
