#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NumPy's times for the cases of bench/reduce.c, on the same kind of data. JSON lines on standard output.

Usage: numpy_reduce.py [ELEMENTS]"""
import json
import statistics
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit("numpy_reduce: SKIPPED, NumPy is not installed")

ROUNDS = 7
CASES = [("sum", "f4", 0, 0), ("sum", "f8", 0, 0), ("sum", "f2", 0, 0), ("sum", "i4", 0, 0), ("sum", "i1", 0, 0),
         ("mean", "i4", 0, 0), ("max", "f4", 0, 0), ("argmax", "f4", 0, 0), ("var", "f4", 0, 0), ("var", "f8", 0, 0),
         ("sum", "f4", 4, 1), ("sum", "f4", 4, 0), ("sum", "f4", 1024, 1), ("sum", "f4", 1024, 0),
         ("max", "f4", 1024, 1), ("max", "f4", 1024, 0)]


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 25
    generator = np.random.default_rng(1)
    for op, kind, row, axis in CASES:
        if kind[0] == "i":
            x = generator.integers(-100, 100, n, dtype=kind)
        else:
            x = (generator.random(n, dtype="f8" if kind == "f8" else "f4") + 1).astype(kind)
        if row:
            x = x.reshape(-1, row)
        seconds = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            getattr(x, op)(axis=axis if row else None)
            seconds.append(time.perf_counter() - start)
        print(json.dumps({"peer": "numpy " + np.__version__, "op": op, "type": kind.replace("f4", "f32").replace(
            "f8", "f64").replace("f2", "f16").replace("i4", "i32").replace("i1", "i8"), "row": row, "axis": axis, "n": n,
            "us": round(1e6 * statistics.median(seconds), 1)}))


if __name__ == "__main__":
    main()
