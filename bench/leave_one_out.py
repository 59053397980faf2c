#!/usr/bin/env python3
"""Leave one space out: are the constants of the default strategy owed to the spaces that it is judged on?

For each constant below the program is linked again with other values, and every variant replays all recorded spaces. Then,
for each space, the value of each constant is chosen that is best by the mean over the other spaces, and is judged on the
space that was left out.

    bench/leave_one_out.py BUILD SPACES [SEEDS]

BUILD: a configured and built folder (build/release); SPACES: as for `warptune bench search --spaces`. Prints Markdown.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEARCH = "tuner/search/"
# name, file that defines it, sources that use it, values beside the present one
CONSTANTS = [
    ("spread_points", "model_search.cpp", ["model_search.cpp"], [4, 16]),
    ("spread_choices", "model_search.cpp", ["model_search.cpp"], [10, 200]),
    ("refit_growth", "model_search.cpp", ["model_search.cpp"], [1.05, 1.4]),
    ("slow_end", "model_search.cpp", ["model_search.cpp"], [2, 6]),
    ("learned_from", "model_search.cpp", ["model_search.cpp"], [75]),
    ("divisibility_weight", "space_kernel.cpp", ["space_kernel.cpp"], [0.5, 2]),
    ("divisibility_most", "space_kernel.cpp", ["space_kernel.cpp"], [5, 10]),
    ("length_deviation", "learn_lengths.cpp", ["learn_lengths.cpp"], [0.5, 2]),
    ("usual_log_noise", "learn_lengths.cpp", ["learn_lengths.cpp"], [-8, -4]),
    ("iterations", "learn_lengths.cpp", ["learn_lengths.cpp"], [8, 30]),
    ("parents", "candidates.hpp", ["model_search.cpp", "candidates.cpp"], [5, 20]),
    ("at_random", "candidates.hpp", ["model_search.cpp", "candidates.cpp"], [1000]),
    ("prior_", "failure_model.hpp", ["model_search.cpp", "failure_model.cpp"], [0.7]),
]
BUDGETS = [25, 50, 100, 200]


def definition(name):
    return re.compile(r"(\b" + re.escape(name) + r"\s*=\s*)(-?[0-9.]+)")


class Build:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        entries = json.loads((self.folder / "compile_commands.json").read_text())
        self.compile = {entry["file"]: entry for entry in entries}
        commands = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "bin/warptune"], check=True,
                                  capture_output=True, text=True).stdout.splitlines()
        self.link = next(line for line in reversed(commands) if " -o bin/warptune " in line)

    def variant(self, file, name, value, sources, scratch):
        """Links the program with one constant changed; returns its path."""
        text, count = definition(name).subn(lambda m: m.group(1) + str(value), (ROOT / SEARCH / file).read_text(), 1)
        if count != 1:
            raise SystemExit(f"{file} defines no {name}")
        changed = scratch / SEARCH / file
        changed.parent.mkdir(parents=True, exist_ok=True)
        changed.write_text(text)
        objects = []
        for source in sources:
            entry = self.compile[str(ROOT / SEARCH / source)]
            words = shlex.split(entry["command"])
            words[words.index("-o") + 1] = str(scratch / (source + ".o"))
            words[words.index("-c") + 1] = str(changed if source == file else entry["file"])
            compiler = next(i for i, word in enumerate(words) if word.endswith(("c++", "g++", "clang++-16")))
            words.insert(compiler + 1, "-I" + str(scratch))
            subprocess.run(words, cwd=entry["directory"], check=True)
            objects.append(str(scratch / (source + ".o")))
        program = scratch / "warptune"
        # Members of an archive are not taken where an object before it has their symbols.
        link = self.link.replace(" -o bin/warptune ", f" -o {program} {' '.join(objects)} ")
        subprocess.run(link, shell=True, cwd=self.folder, check=True)
        return program


def replay(program, spaces, seeds):
    """{space: mean over the budgets of the mean over the seeds}, {(space, budget): median}"""
    text = subprocess.run([program, "bench", "search", "--spaces", spaces, "--strategies", "auto", "--seeds", str(seeds),
                           "--budgets", ",".join(map(str, BUDGETS)), "--json"], check=True, capture_output=True,
                          text=True).stdout
    rows = json.loads(text)["results"]
    names = sorted({row["space"] for row in rows})
    means = {name: sum(row["mean_fraction"] for row in rows if row["space"] == name) / len(BUDGETS) for name in names}
    return means, {(row["space"], row["budget"]): row["median_fraction"] for row in rows}


def average(values):
    values = list(values)
    return sum(values) / len(values)


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    build, spaces, seeds = Build(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 10
    present, present_medians = replay(build.folder / "bin/warptune", spaces, seeds)
    names = sorted(present)
    print(f"Present values, {seeds} seeds: {average(present.values()):.4f}\n")
    print("| constant | present | others: mean over the spaces | chosen without the space, judged on it | change |")
    print("|---|---|---|---|---|")
    for name, file, sources, values in CONSTANTS:
        now = definition(name).search((ROOT / SEARCH / file).read_text()).group(2)
        results = {now: present}
        for value in values:
            with tempfile.TemporaryDirectory() as scratch:
                program = build.variant(file, name, value, sources, pathlib.Path(scratch))
                results[str(value)] = replay(program, spaces, seeds)[0]
        judged = []
        for left_out in names:
            others = [each for each in names if each != left_out]
            best = max(results, key=lambda value: average(results[value][each] for each in others))
            judged.append(results[best][left_out])
        shown = ", ".join(f"{value}: {average(result.values()):.4f}" for value, result in results.items() if value != now)
        change = average(judged) - average(present.values())
        print(f"| `{name}` | {now} | {shown} | {average(judged):.4f} | {change:+.4f} |", flush=True)


if __name__ == "__main__":
    main()
