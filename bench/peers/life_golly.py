#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Golly's times (bgolly, Debian's package golly) beside those of tally life: the same soups, the same populations at the
end. JSON lines on standard output, a table on standard error; ends with 1 where populations differ.

Usage: life_golly.py [--tally build/tally] [--sizes 512,2048] [--generations 240] [--devices cpu:1,cpu,cuda]

Each soup lives on a torus and in the open, where tally has a torus so large that nothing meets across it. Rates count the
cells of the soup in both. Golly runs QuickLife, which is made for endless worlds: it does a torus one generation at a time.
Times are the least of three, of the generations alone: of a run, less that of one that only loads."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

RUNS = 3


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"life_golly: {' '.join(command)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def golly(pattern, generations):
    """The population, and the seconds of the generations."""
    least = {}
    for wanted in (0, generations):
        for _ in range(RUNS):
            begin = time.monotonic()
            text = output_of(["bgolly", "-m", str(wanted), "-i", str(max(wanted, 1)), "-a", "QuickLife", pattern])
            least[wanted] = min(least.get(wanted, 1e9), time.monotonic() - begin)
    last = re.findall(r"([\d,]+): ([\d,]+)", text)[-1]
    return int(last[1].replace(",", "")), max(least[generations] - least[0], 1e-9)


def tally(arguments, pattern, generations):
    command = [arguments.tally, "life", pattern, "-m", str(generations), "-b", "--json"]
    runs = [json.loads(output_of(command + arguments.world)) for _ in range(RUNS)]
    return runs[0]["reports"][-1]["population"], max(min(run["seconds"] for run in runs), 1e-9)


def has_device(arguments, device):
    return subprocess.run([arguments.tally, "life", "-q", "--device", device], capture_output=True).returncode == 0


def report(rows, who, size, edges, generations, population, seconds):
    row = {"peer": who, "world": f"soup {size} x {size}", "edges": edges, "generations": generations,
           "population": population, "seconds": seconds, "updates_per_second": size * size * generations / seconds}
    print(json.dumps(row), flush=True)
    rows.append(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tally", default="build/tally")
    parser.add_argument("--sizes", default="512,2048")
    parser.add_argument("--generations", type=int, default=240)
    parser.add_argument("--devices", default="cpu:1,cpu,cuda")
    arguments = parser.parse_args()
    if shutil.which("bgolly") is None:
        print("life_golly: SKIPPED, bgolly is not installed (Debian: golly)", file=sys.stderr)
        return 0
    devices = [device for device in arguments.devices.split(",") if has_device(arguments, device)]
    rows, wrong = [], False
    with tempfile.TemporaryDirectory() as folder:
        for size in map(int, arguments.sizes.split(",")):
            pattern = os.path.join(folder, "soup.rle")
            for edges in ("torus", "open"):
                # A file that names no size is endless to Golly; tally's torus is out of reach.
                across = size if edges == "torus" else size + 2 * arguments.generations + 2
                rule = f"B3/S23:T{size},{size}" if edges == "torus" else "B3/S23"
                output_of([arguments.tally, "life", "--soup", "0.5", "--torus", str(size), "-q", "-o", pattern])
                with open(pattern, encoding="ascii") as file:
                    text = re.sub(r"rule = \S+", f"rule = {rule}", file.read(), count=1)
                with open(pattern, "w", encoding="ascii") as file:
                    file.write(text)
                population, seconds = golly(pattern, arguments.generations)
                report(rows, "bgolly", size, edges, arguments.generations, population, seconds)
                for device in devices:
                    arguments.world = ["--torus", str(across), "--device", device]
                    ours, seconds = tally(arguments, pattern, arguments.generations)
                    report(rows, f"tally {device}", size, edges, arguments.generations, ours, seconds)
                    wrong |= ours != population
    print(f"\n{'':14}{'world':>18} {'edges':>6} {'population':>12} {'updates/s':>11}", file=sys.stderr)
    for row in rows:
        print(f"{row['peer']:14}{row['world']:>18} {row['edges']:>6} {row['population']:>12,} "
              f"{row['updates_per_second']:>11.2e}", file=sys.stderr)
    if wrong:
        print("life_golly: populations differ", file=sys.stderr)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
