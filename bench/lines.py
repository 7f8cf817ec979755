#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts what bench/lines.c printed side by side: lines.py BEFORE NOW... Microseconds of each, how much of the first one's
time the last takes, its percent of the limit, and DIFFERS where results have other bits."""
import sys


def read(path):
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            us, percent, bits, call = line.rstrip("\n").split(None, 3)
            found[call] = float(us), float(percent), bits
    return found


def main(paths):
    if len(paths) < 2:
        sys.exit(__doc__)
    runs = [read(path) for path in paths]
    for call in runs[0]:
        if not all(call in run for run in runs):
            continue
        cells = [run[call] for run in runs]
        times = " ".join(f"{us:9.1f}" for us, _, _ in cells)
        ratio = f"{cells[-1][0] / cells[0][0]:6.2f}" if cells[0][0] else "     -"
        differs = "" if len({bits for _, _, bits in cells}) == 1 else "  DIFFERS"
        print(f"{times} {ratio} {cells[-1][1]:5.1f}  {call}{differs}")


main(sys.argv[1:])
