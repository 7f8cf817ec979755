#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""PyTorch's times for the cases that tally bench wrote, on the same data. JSON lines on standard output.

Usage: torch_peer.py RESULTS.jsonl FOLDER [SECONDS]    FOLDER has f32-8.raw and so on by tally bench --data"""
import sys
import warnings

try:
    import torch
except ImportError:
    sys.exit("torch_peer: SKIPPED, PyTorch is not installed")

import peer

TYPES = {"i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "f16": torch.float16,
         "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}


def is_too_slow(case):
    """Scans that were seen to take many seconds, and cannot be stopped: down few columns, and other ones than sums."""
    axis = case["axis"]
    if axis is None:
        return case["op"] != "sum" and case["n"] > 1 << 24
    beside = case["n"] // case["shape"][axis]  # scans that go on at once
    across = 16 if case["type"] == "f32" and case["op"] == "sum" else 256
    return case["n"] > 1 << 24 and axis != len(case["shape"]) - 1 and beside < across


class Torch:
    name = "torch"

    def __init__(self):
        self.scratch = torch.zeros(peer.COLD_BYTES // 4, device="cuda", dtype=torch.int32)

    def spin(self):
        torch.cuda._sleep(4_000_000)  # cycles, so that the host is ahead

    def mark(self):
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def elapsed(self, begin, end):
        end.synchronize()
        return 1e3 * begin.elapsed_time(end)

    def wait(self):
        torch.cuda.synchronize()

    def flush(self):
        self.scratch.amax()  # read: what is written would have to leave the cache later

    def load(self, data, kind, count):
        torch.cuda.empty_cache()
        period = torch.frombuffer(bytearray(data), dtype=TYPES[kind]).cuda()
        pool = torch.empty(count, dtype=TYPES[kind], device="cuda")
        whole = count // len(period)
        pool[:whole * len(period)].view(whole, len(period)).copy_(period)
        pool[whole * len(period):] = period[:count - whole * len(period)]
        return pool

    def ends(self, result):
        flat = (result.values if hasattr(result, "values") and not torch.is_tensor(result) else result).reshape(-1)
        return [float(flat[0]), float(flat[-1])]

    def job(self, case):
        axis, real = peer.axis_argument(case), case["type"] in peer.EPSILONS
        if case["verb"] == "scan":
            along = axis or 0
            jobs = {"sum": lambda x: torch.cumsum(x, along), "max": lambda x: torch.cummax(x, along),
                    "logsumexp": lambda x: torch.logcumsumexp(x, along)}
            if is_too_slow(case):
                return None
            return jobs.get(case["op"])
        whole = {"sum": torch.sum, "max": torch.amax, "min": torch.amin, "argmax": torch.argmax, "any": torch.any}
        floats = {"mean": torch.mean, "var": lambda x: torch.var(x, correction=0), "norm2": torch.linalg.vector_norm,
                  "dot": torch.dot, "logsumexp": lambda x: torch.logsumexp(x, 0)}
        along = {"sum": lambda x: torch.sum(x, axis), "max": lambda x: torch.amax(x, axis),
                 "var": lambda x: torch.var(x, axis, correction=0)}
        if not isinstance(axis, tuple):
            along["argmax"] = lambda x: torch.argmax(x, axis)
        if axis is not None:
            return along.get(case["op"]) if real or case["op"] != "var" else None
        return whole.get(case["op"]) or (floats.get(case["op"]) if real else None)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    if not torch.cuda.is_available():
        sys.exit("torch_peer: SKIPPED, PyTorch finds no GPU")
    warnings.simplefilter("ignore")
    with torch.inference_mode():
        peer.main(Torch(), sys.argv[1:])
