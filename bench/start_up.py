#!/usr/bin/env python3
"""Process start to first result: programs on a bundle, and on a database with NVRTC, beside one on the driver alone that runs the
bundle's kernels.

    bench/start_up.py BIN BUNDLE [--db DATABASE] [--runs 31] [--json]

BIN: a folder with start_runtime, start_bare and start_plan. DATABASE: the one that BUNDLE was made of; without it the programs with
NVRTC run the default. Needs a GPU, NVRTC for the last two rows, and nothing of Python's but itself. Exits with 77 where there is no GPU.

Times are milliseconds from before the process is made to the line with which it says that its result was checked. The programs take
turns; the first turn does not count. NVRTC's and the driver's own cache are off (CUDA_CACHE_DISABLE=1); "cold" begins with an empty
cache of binaries each time.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


class Program:
    def __init__(self, what, command, environment, before=lambda: None):
        self.what, self.command, self.environment, self.before = what, command, environment, before
        self.milliseconds, self.missing = [], ""

    def run(self, counts):
        if self.missing:
            return
        self.before()
        start = time.perf_counter()
        with subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=dict(os.environ, **self.environment)) as process:
            line = process.stdout.readline()
            taken = 1e3 * (time.perf_counter() - start)
            said = process.stderr.read().strip()
        if process.returncode == 77:
            print(said, file=sys.stderr)
            sys.exit(77)
        if process.returncode != 0 or line != "done\n":
            self.missing = said.splitlines()[-1] if said else f"exit code {process.returncode}"
        elif counts:
            self.milliseconds.append(taken)


def emptied(folder):
    shutil.rmtree(folder, ignore_errors=True)


def programs(options, folder):
    own = os.path.join(folder, "none")
    runtime = os.path.join(options.bin, "start_runtime")
    database = options.db or os.path.join(folder, "none.db")
    warm, cold = os.path.join(folder, "warm"), os.path.join(folder, "cold")
    # Those that need no toolkit find none; all load modules as they are used.
    usual = {"CUDA_MODULE_LOADING": "LAZY", "CUDA_CACHE_DISABLE": "1"}
    hidden = dict(usual, WARPTUNE_CUDA_HOME=own)
    return [
        Program("driver alone", [os.path.join(options.bin, "start_bare"), os.path.join(folder, "plan")], hidden),
        Program("bundle", [runtime, options.bundle], hidden),
        Program("NVRTC, warm", [runtime, database], dict(usual, WARPTUNE_CACHE_DIR=warm)),
        Program("NVRTC, cold", [runtime, database], dict(usual, WARPTUNE_CACHE_DIR=cold), lambda: emptied(cold)),
    ]


def figures(program, bare):
    if program.missing:
        return {"missing": program.missing}
    ordered = sorted(program.milliseconds)
    pairs = [late - early for early, late in zip(bare.milliseconds, program.milliseconds)]
    return {
        "median_ms": statistics.median(ordered),
        "p05_ms": ordered[len(ordered) // 20],
        "p95_ms": ordered[-1 - len(ordered) // 20],
        "more_ms": statistics.median(pairs),
    }


def table(report):
    lines = [f"{'start to first result':22} {'median ms':>10} {'5 %':>8} {'95 %':>8} {'more than driver alone':>24}"]
    for what, row in report["programs"].items():
        if "missing" in row:
            lines.append(f"{what:22} not run: {row['missing']}")
        else:
            lines.append(f"{what:22} {row['median_ms']:10.1f} {row['p05_ms']:8.1f} {row['p95_ms']:8.1f} {row['more_ms']:24.1f}")
    return "\n".join(lines + [f"{report['runs']} runs in turn; the bundle runs {report['selected']}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("bundle")
    parser.add_argument("--db")
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plan = subprocess.run([os.path.join(options.bin, "start_plan"), options.bundle, folder], stdout=subprocess.PIPE, text=True,
                              check=False)
        if plan.returncode != 0:
            sys.exit(plan.returncode)
        all_programs = programs(options, folder)
        for turn in range(options.runs + 1):
            for program in all_programs:
                program.run(counts=turn > 0)
    bare = all_programs[0]
    if bare.missing:
        sys.exit(f"start_bare: {bare.missing}")
    report = {"selected": plan.stdout.strip(), "runs": options.runs,
              "programs": {program.what: figures(program, bare) for program in all_programs}}
    print(json.dumps(report, indent=2) if options.json else table(report))
    sys.exit(1 if any(program.missing for program in all_programs) else 0)


if __name__ == "__main__":
    main()
