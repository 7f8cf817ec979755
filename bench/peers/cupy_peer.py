#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CuPy's times for the cases that tally bench wrote, on the same data. JSON lines on standard output.

Usage: cupy_peer.py RESULTS.jsonl FOLDER [SECONDS]    FOLDER has f32-8.raw and so on by tally bench --data"""
import sys

try:
    import cupy as cp
except ImportError:
    sys.exit("cupy_peer: SKIPPED, CuPy is not installed")

import peer

TYPES = {"i8": cp.int8, "i16": cp.int16, "i32": cp.int32, "i64": cp.int64, "f16": cp.float16, "f32": cp.float32,
         "f64": cp.float64}
SPIN = """extern "C" __global__ void spin(long long cycles)
{
    const long long begin = clock64();
    while (clock64() - begin < cycles) {}
}"""


class CuPy:
    name = "cupy"

    def __init__(self):
        self.scratch = cp.zeros(peer.COLD_BYTES // 4, dtype=cp.int32)
        self.kernel = cp.RawKernel(SPIN, "spin")

    def spin(self):
        self.kernel((1,), (1,), (cp.int64(4_000_000),))  # cycles, so that the host is ahead

    def mark(self):
        event = cp.cuda.Event()
        event.record()
        return event

    def elapsed(self, begin, end):
        end.synchronize()
        return 1e3 * cp.cuda.get_elapsed_time(begin, end)

    def wait(self):
        cp.cuda.get_current_stream().synchronize()

    def flush(self):
        self.scratch.max()  # read: what is written would have to leave the cache later

    def load(self, data, kind, count):
        cp.get_default_memory_pool().free_all_blocks()
        period = cp.frombuffer(data, dtype=TYPES[kind])
        pool = cp.empty(count, dtype=TYPES[kind])
        whole = count // len(period)
        pool[:whole * len(period)].reshape(whole, len(period))[...] = period
        pool[whole * len(period):] = period[:count - whole * len(period)]
        return pool

    def ends(self, result):
        flat = result.reshape(-1)
        return [float(flat[0]), float(flat[-1])]

    def job(self, case):
        axis, real = peer.axis_argument(case), case["type"] in peer.EPSILONS
        if case["type"] not in TYPES or (isinstance(axis, tuple) and case["op"] == "argmax"):
            return None
        if case["verb"] == "scan":
            return (lambda x: cp.cumsum(x, axis)) if case["op"] == "sum" else None
        jobs = {"sum": lambda x: x.sum(axis), "max": lambda x: x.max(axis), "min": lambda x: x.min(axis),
                "argmax": lambda x: x.argmax(axis), "any": lambda x: x.any(axis)}
        floats = {"mean": lambda x: x.mean(axis), "var": lambda x: x.var(axis), "norm2": cp.linalg.norm, "dot": cp.dot}
        return jobs.get(case["op"]) or (floats.get(case["op"]) if real else None)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        cp.cuda.runtime.getDeviceCount()
    except cp.cuda.runtime.CUDARuntimeError:
        sys.exit("cupy_peer: SKIPPED, CuPy finds no GPU")
    peer.main(CuPy(), sys.argv[1:])
