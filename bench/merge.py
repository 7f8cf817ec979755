#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins what tally bench wrote with what its peers took for the same cases.

Usage: merge.py RESULTS.jsonl PEERS.jsonl...      the results, with the peers' times in them, on standard output
       merge.py --cases RESULTS.jsonl             vectors and matrices, one a line, for peers that read no JSON
       merge.py --data RESULTS.jsonl              "TYPE SPREAD" of the elements that the cases need, one a line"""
import json
import sys
from typing import Iterator

SPREADS = {"40_binades": "40", "all_exponents": "all"}
ALONE = ("views", "numbers")  # parts that no peer is timed in


def read_lines(path: str) -> Iterator[dict]:
    """The last line may be cut off, where a program was killed."""
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    yield json.loads(line)
                except ValueError:
                    print(f"merge: {path} has a line that is no JSON; it is left out", file=sys.stderr)
    except FileNotFoundError:
        return


def axes_of(case: dict) -> list[int]:
    """Those that are reduced or scanned; none: all of them."""
    axis = case["axis"]
    return [] if axis is None else axis if isinstance(axis, list) else [axis]


def key_of(case: dict) -> str:
    axes = "+".join(str(axis) for axis in axes_of(case)) or "all"
    shape = "x".join(str(length) for length in case["shape"])
    return f"{case['verb']}/{case['op']}/{case['type']}/{shape}/{axes}/{case['variant'] or '-'}"


def spread_of(case: dict) -> str:
    return next((SPREADS[word] for word in case["variant"].split("+") if word in SPREADS), "8")


def read_results(path: str) -> tuple[list[dict], dict[str, dict], dict[str, dict]]:
    """The lines about devices; the timed cases by their keys, and what was measured of cases but their time, by the
    part of the grid and the key: of two the later one."""
    heads, cases, figures = [], {}, {}
    for line in read_lines(path):
        if "verb" not in line:
            heads.append(line)
        elif "us" in line:
            cases[key_of(line)] = line
        else:
            figures[f"{line['part']}/{key_of(line)}"] = line
    return heads, cases, figures


def is_flat(case: dict) -> bool:
    """Whether peers that know of vectors and matrices alone can time it."""
    return len(case["shape"]) <= 2 and len(axes_of(case)) <= 1 and case.get("part") not in ALONE


def case_row(key: str, case: dict) -> str:
    shape = (case["shape"] + [1])[:2]
    ends = ["nan" if case.get(end) is None else repr(case[end]) for end in ("first", "last")]
    axis = -1 if case["axis"] is None else case["axis"]
    fields = [key, case["verb"], case["op"], case["type"], axis, case["variant"] or "-", case.get("offset", 0),
              case.get("gap", 0), spread_of(case), *shape, *ends]
    return " ".join(str(field) for field in fields)


def merge(cases: dict[str, dict], paths: list[str]) -> None:
    for path in paths:
        for line in read_lines(path):
            case = cases.get(line["key"])
            if case is None:
                continue
            for time, peers in (("us", "peers"), ("hot_us", "hot_peers"), ("call_us", "call_peers")):
                if line.get(time) is not None:
                    case.setdefault(peers, {})[line["name"]] = line[time]


def main() -> None:
    words = sys.argv[1:]
    option = words.pop(0) if words and words[0].startswith("--") else ""
    if not words or option not in ("", "--cases", "--data") or (option and len(words) > 1):
        sys.exit(__doc__)
    heads, cases, figures = read_results(words[0])
    if option == "--cases":
        for key, case in cases.items():
            if is_flat(case):
                print(case_row(key, case))
    elif option == "--data":
        for pair in sorted({f"{case['type']} {spread_of(case)}" for case in cases.values()}):
            print(pair)
    else:
        merge(cases, words[1:])
        for line in [*heads, *cases.values(), *figures.values()]:
            print(json.dumps(line))


if __name__ == "__main__":
    main()
