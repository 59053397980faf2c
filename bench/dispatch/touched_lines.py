#!/usr/bin/env python3
"""Cache lines that one launch on the stub touches, beside the same call made directly: what a launch costs once the driver's own work
has pushed them out.

    bench/dispatch/touched_lines.py DISPATCH_BENCH

valgrind's lackey traces a run of 300 calls; a call is what lies between two executions of an instruction that is executed once per
call. Prints JSON: lines of 64 bytes, of code, of data, and of the stack, in the call in the middle.
"""
import collections
import json
import subprocess
import sys

CALLS = 300
LINE_BYTES = 64


def trace(program, which):
    command = ["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=/dev/stdout", program, "--count", which, str(CALLS)]
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    accesses = []
    for line in output.splitlines():
        kind, _, rest = line.strip().partition(" ")
        if kind in ("I", "L", "S", "M") and "," in rest:
            address, size = rest.strip().split(",")
            accesses.append((kind, int(address, 16), int(size)))
    return accesses


def lines_of_a_call(accesses):
    executed = collections.Counter(address for kind, address, _ in accesses if kind == "I")
    mark = next(address for kind, address, _ in accesses if kind == "I" and executed[address] == CALLS)
    starts = [at for at, access in enumerate(accesses) if access[:2] == ("I", mark)]
    lines = {"code": set(), "data": set(), "stack": set()}
    for kind, address, size in accesses[starts[CALLS // 2] : starts[CALLS // 2 + 1]]:
        where = "code" if kind == "I" else "stack" if address >> 32 == STACK_TOP >> 32 else "data"
        lines[where].update(range(address // LINE_BYTES, (address + size - 1) // LINE_BYTES + 1))
    return {where: len(touched) for where, touched in lines.items()}


STACK_TOP = 0x1FFF000000  # where valgrind puts the main thread's on x86-64


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(json.dumps({which: lines_of_a_call(trace(sys.argv[1], which)) for which in ("raw", "warptune")}))


if __name__ == "__main__":
    main()
