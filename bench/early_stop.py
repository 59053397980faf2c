#!/usr/bin/env python3
"""What stopping early saves of screening, computed from recordings: no GPU is used.

    bench/early_stop.py WARPTUNE RECORDING.db 'TUNE ARGUMENTS' [SEEDS]

Replays `warptune tune TUNE ARGUMENTS --device recorded:RECORDING.db` from several seeds and reckons in the order of its trials
what screening each config costs by its recorded time: two warm-up graphs of 8 calls, then two blocks of a millisecond, at most 256
calls each. With the early stop a config whose time is over 1.5 times the best so far gets no block, and one over 1.25 times one
block. Prints one row of Markdown.
"""

import json
import math
import shlex
import subprocess
import sys

WARM_UP_CALLS, BLOCK_NS, MOST_CALLS, BLOCKS = 16, 1e6, 256, 2
HOPELESS, SLOWER = 1.5, 1.25


def block_ns(time_ns):
    return time_ns * min(MOST_CALLS, max(1, math.ceil(BLOCK_NS / time_ns)))


def times(program, recording, arguments, seed):
    command = [program, "tune", *shlex.split(arguments), "--device", "recorded:" + recording, "--no-save", "--json", "--seed",
               str(seed)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    events = [json.loads(line) for line in lines]
    return [event["time_ns"] for event in events if event.get("event") == "outcome" and event.get("time_ns")]


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    program, recording, arguments = sys.argv[1:4]
    seeds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    tried = no_block = one_block = whole_ns = stopped_ns = 0
    for seed in range(1, seeds + 1):
        best = float("inf")
        for time_ns in times(program, recording, arguments, seed):
            warm_up = WARM_UP_CALLS * time_ns
            blocks = 0 if time_ns > HOPELESS * best else 1 if time_ns > SLOWER * best else BLOCKS
            tried += 1
            no_block += blocks == 0
            one_block += blocks == 1
            whole_ns += warm_up + BLOCKS * block_ns(time_ns)
            stopped_ns += warm_up + blocks * block_ns(time_ns)
            best = min(best, time_ns)
    print(f"| {arguments} | {tried // seeds} | {no_block / seeds:.0f} | {one_block / seeds:.0f} | {whole_ns / seeds / 1e9:.3f} s | "
          f"{1 - stopped_ns / whole_ns:.0%} |")


if __name__ == "__main__":
    main()
