#!/usr/bin/env python3
"""Process start to first result: a program on a bundle beside one on the driver alone, which runs the same kernels.

    bench/start_up.py BIN BUNDLE [RUNS]        BIN: folder with start_bundle, start_bare and start_plan

Prints JSON: seconds from before the process is made to the line with which it says that its result was checked, of RUNS (31) runs in
turn, after one run of each that does not count; and the median over the pairs of bundle - bare. Exits with 77 where there is no GPU.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time


def run(command, environment):
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        line = process.stdout.readline()
        seconds = time.perf_counter() - start
    if process.returncode != 0 or line != b"done\n":
        sys.exit(process.returncode or f"{command[0]} said {line!r}")
    return seconds


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    programs, bundle = sys.argv[1:3]
    runs = int(sys.argv[3]) if len(sys.argv) == 4 else 31
    with tempfile.TemporaryDirectory() as folder:
        plan = subprocess.run([os.path.join(programs, "start_plan"), bundle, folder], stdout=subprocess.PIPE, text=True, check=False)
        if plan.returncode != 0:
            sys.exit(plan.returncode)
        # Neither finds a toolkit; both load modules as they are used.
        environment = dict(os.environ, WARPTUNE_CUDA_HOME=os.path.join(folder, "none"), CUDA_MODULE_LOADING="LAZY")
        commands = {
            "bare": [os.path.join(programs, "start_bare"), os.path.join(folder, "plan")],
            "bundle": [os.path.join(programs, "start_bundle"), bundle],
        }
        seconds = {name: [] for name in commands}
        for turn in range(runs + 1):
            for name, command in commands.items():
                taken = run(command, environment)
                if turn > 0:
                    seconds[name].append(taken)
    report = {"selected": plan.stdout.strip(), "runs": runs}
    for name, values in seconds.items():
        ordered = sorted(values)
        report[name] = {
            "median_ms": 1e3 * statistics.median(ordered),
            "p05_ms": 1e3 * ordered[len(ordered) // 20],
            "p95_ms": 1e3 * ordered[-1 - len(ordered) // 20],
        }
    pairs = [late - early for early, late in zip(seconds["bare"], seconds["bundle"])]
    report["bundle_minus_bare_median_ms"] = 1e3 * statistics.median(pairs)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
