# SPDX-License-Identifier: MIT
"""What torch_peer.py and cupy_peer.py share: cases, elements, and time as cli/bench_time.c takes it.

A peer is an object with a name and these methods:
    job(case)                   a function that starts the work on views of a window and gives the result, or None
    load(bytes, type, count)    an array of `count` elements on the GPU, the period again and again
    ends(result)                [first, last] as floats
    mark(), elapsed(a, b)       events, and microseconds from one to the other
    spin(), flush(), wait()     keep the GPU busy a while; push everything out of its caches; wait for it"""
import json
import math
import pathlib
import statistics
import sys
import time

RUNS, WARM, ROUNDS, CALLS = 31, 4, 7, 41
SHORT = 1 << 22
HOT_BYTES = 24 << 20
COLD_BYTES = 256 << 20
SLOW_US = 200e3  # a job that takes longer is not repeated
COMPILED_US = 3e6  # what a first run may take because it compiles
TIME_OF_CASE_US = 150e3
SIZES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
EPSILONS = {"f16": 1e-3, "bf16": 8e-3, "f32": 1.2e-7, "f64": 2.3e-16}
SPREADS = {"40_binades": "40", "all_exponents": "all"}
ALONE = ("views", "numbers")  # parts that no peer is timed in


def words_of(case):
    return case["variant"].split("+")


def spread_of(case):
    return next((SPREADS[word] for word in words_of(case) if word in SPREADS), "8")


def is_wanted(case):
    """No peer scans backwards or into another type on request, has fields or operators from text; their sums are all plain, and take the same time on all data."""
    words = words_of(case)
    others = {"reverse", "exclusive", "plain", *SPREADS}
    if case.get("part") in ALONE:
        return False
    if case["op"].startswith("user_") or any(word.startswith("mod_") for word in words):
        return False
    return not case.get("gap") and not others & set(words) and not any(word.startswith("to_") for word in words)


def view(array, start, shape):
    return array[start:start + math.prod(shape)].reshape(tuple(shape))


class Pool:
    """Elements of one type and spread, enough for the largest case of that type."""

    def __init__(self, peer, folder, cases):
        self.peer, self.folder, self.most = peer, pathlib.Path(folder), {}
        self.kind, self.array = None, None
        for case in cases:
            size = SIZES[case["type"]]
            elements = (case["n"] + 256) * (2 if case["op"] == "dot" else 1)
            self.most[case["type"]] = max(self.most.get(case["type"], COLD_BYTES // size), elements)

    def select(self, case):
        kind = (case["type"], spread_of(case))
        if kind == self.kind:
            return True
        path = self.folder / f"{kind[0]}-{kind[1]}.raw"
        if not path.exists():
            return False
        self.array = None
        self.array = self.peer.load(path.read_bytes(), kind[0], self.most[kind[0]])
        self.kind = kind
        return True

    def windows(self, case):
        """Views of the pool, as far apart as tally's."""
        size = SIZES[case["type"]]
        bytes_of_window = -(-(case["n"] + case.get("offset", 0)) * size // 256) * 256
        count = max(1, self.most[case["type"]] * size // bytes_of_window)
        apart = count // 32 if count > 128 else 1
        for i in range(min(RUNS, count)):
            start = i * apart % count * bytes_of_window // size
            views = [view(self.array, start + case.get("offset", 0), case["shape"])]
            if case["op"] == "dot":
                other = (i * apart + 1) % count * bytes_of_window // size
                views.append(view(self.array, other, case["shape"]))
            yield views


def axes_of(case):
    """Those that are reduced or scanned; none: all of them."""
    axis = case["axis"]
    return [] if axis is None else axis if isinstance(axis, list) else [axis]


def axis_argument(case):
    """As NumPy and those who follow it take it: None, a number or a tuple."""
    return tuple(case["axis"]) if isinstance(case["axis"], list) else case["axis"]


def slack_of(case, want):
    """How far from tally's result another order of additions may lead."""
    epsilon = EPSILONS.get(case["type"])
    if case["op"] in ("max", "min", "any"):
        return 0
    if epsilon is None:
        return 1e-15 * abs(want)  # tally's integer went through a double
    length = math.prod(case["shape"][axis] for axis in axes_of(case)) if axes_of(case) else case["n"]
    sums = 8 * length if case["op"] in ("sum", "dot") else 1
    return epsilon * (1000 * abs(want) + sums)


def is_right(case, ends):
    """The ends of the result against tally's, which the CPU has verified."""
    if case["op"].startswith("arg"):
        return True  # the elements repeat, and a peer may give any of the largest
    if spread_of(case) != "8" and case["type"] in EPSILONS:
        return True  # what plain additions leave of small elements beside large ones is anything
    return all(want is None or not math.isfinite(got) or abs(got - want) <= slack_of(case, want)
               for want, got in zip((case.get("first"), case.get("last")), ends))


def time_runs(peer, call, windows, runs):
    marks = [peer.mark()]
    for i in range(runs):
        call(*windows[i % len(windows)])
        marks.append(peer.mark())
    warm = WARM if runs > 2 * WARM else 0
    return statistics.median(peer.elapsed(a, b) for a, b in list(zip(marks, marks[1:]))[warm:])


def time_batch(peer, call, windows):
    times = []
    for _ in range(ROUNDS):
        if len(windows) > 1:
            peer.flush()
        peer.spin()
        begin = peer.mark()
        for i in range(RUNS):
            call(*windows[i % len(windows)])
        times.append(peer.elapsed(begin, peer.mark()) / RUNS)
    return statistics.median(times)


def time_calls(peer, call, window):
    times = []
    for i in range(-2, CALLS):
        begin = time.perf_counter()
        call(*window)
        peer.wait()
        if i >= 0:
            times.append(1e6 * (time.perf_counter() - begin))
    return statistics.median(times)


def time_case(peer, case, call, windows):
    """None when the result is wrong."""
    begin = peer.mark()
    result = call(*windows[0])
    once = peer.elapsed(begin, peer.mark())
    if not is_right(case, peer.ends(result)):
        return None
    del result
    if once < COMPILED_US:
        once = time_runs(peer, call, windows, 1)
    if once > SLOW_US:
        return {"us": once}
    if case["n"] > SHORT or once > 5e3:
        return {"us": time_runs(peer, call, windows, max(1, min(RUNS, int(TIME_OF_CASE_US / once))))}
    times = {"us": time_batch(peer, call, windows), "call_us": time_calls(peer, call, windows[0])}
    if case["n"] * SIZES[case["type"]] * (2 if case["verb"] == "scan" else 1) <= HOT_BYTES:
        times["hot_us"] = time_batch(peer, call, windows[:1])
    return times


def read_cases(path):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return [case for case in lines if "verb" in case and "us" in case and is_wanted(case)]


def key_of(case):
    axes = "+".join(str(axis) for axis in axes_of(case)) or "all"
    shape = "x".join(str(length) for length in case["shape"])
    return f"{case['verb']}/{case['op']}/{case['type']}/{shape}/{axes}/{case['variant'] or '-'}"


def in_parts(cases):
    """The cases of each part of the grid, in the order in which parts begin."""
    parts = {}
    for case in cases:
        parts.setdefault(case.get("part"), []).append(case)
    return list(parts.values())


def try_case(peer, case, pool):
    """Prints what the case took, or why it took nothing."""
    call = peer.job(case)
    if call is None or not pool.select(case):
        return
    try:
        times = time_case(peer, case, call, list(pool.windows(case)))
    except Exception as error:  # peers fail in many ways; the other cases go on
        print(f"{peer.name}: {key_of(case)}: {str(error).splitlines()[0] if str(error) else error!r}", file=sys.stderr)
        return
    if times is None:
        print(f"{peer.name}: {key_of(case)} is wrong", file=sys.stderr)
        return
    print(json.dumps({"key": key_of(case), "name": peer.name, **{k: round(v, 3) for k, v in times.items()}}), flush=True)


def main(peer, words):
    """words: RESULTS.jsonl of tally bench, FOLDER of elements, seconds that all may take. Each part has its share of
    them; what it leaves goes to those behind it."""
    cases = read_cases(words[0])
    pool = Pool(peer, words[1], cases)
    end, left = time.monotonic() + float(words[2] if len(words) > 2 else 120), len(cases)
    for part in in_parts(cases):
        begin = time.monotonic()
        part_end = begin + (end - begin) * len(part) / left
        left -= len(part)
        for number, case in enumerate(part):
            if time.monotonic() > part_end:
                print(f"{peer.name}: {case.get('part')}: its time is over, {len(part) - number} cases are left out", file=sys.stderr)
                break
            try_case(peer, case, pool)
