#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""numpy_agree.py - results equal NumPy's wherever NumPy is exact, and math's elsewhere.

    numpy_agree.py LIBRARY [COMMAND]

LIBRARY is libtally.so, called through ctypes on random shapes, strides, axes and types, empty ones among them. COMMAND
is the tally program, which reads .npy files of every version, byte order and element order. Without NumPy it says so
and is skipped (exit status 77)."""
import ctypes as c
import fractions
import math
import os
import struct
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("numpy_agree: SKIPPED: Python has no NumPy (Debian: apt install python3-numpy)")
    sys.exit(77)

SEED = int(os.environ.get("TALLY_TEST_SEED", "20240917"), 0)
random = np.random.default_rng(SEED)
TYPES = dict(zip("? b h i q B H I Q e f d F D".split(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15]))
DTYPES = {number: np.dtype(char) for char, number in TYPES.items()}
OPS = "sum prod min max argmin argmax minmax any all count_nonzero bit_and bit_or bit_xor mean var std norm1 norm2 norminf dot"
OPS = {name: i + 1 for i, name in enumerate(OPS.split())}
KEEPDIMS, SKIP_NAN, CHECK, EXCLUSIVE, REVERSE = 1, 2, 8, 16, 32
OK, EMPTY, UNSUPPORTED = 0, 3, 2
passed = failed = 0


class Array(c.Structure):
    _fields_ = [("data", c.c_void_p), ("shape", c.c_int64 * 8), ("strides", c.c_int64 * 8), ("rank", c.c_int32),
                ("type", c.c_int32), ("flags", c.c_uint32), ("reserved", c.c_uint32)]


class Options(c.Structure):
    _fields_ = [("size", c.c_uint32), ("flags", c.c_uint32), ("axes", c.POINTER(c.c_int32)), ("axis_count", c.c_int32),
                ("type", c.c_int32), ("initial", c.c_void_p), ("where", c.POINTER(Array)), ("second", c.POINTER(Array)),
                ("correction", c.c_double), ("position", c.c_int64)]


def check(holds, *what):
    global passed, failed
    if holds:
        passed += 1
        return
    failed += 1
    if failed <= 20:
        print("numpy_agree:", *what, file=sys.stderr)


def view(array):
    result = Array(array.__array_interface__["data"][0], rank=array.ndim, type=TYPES[array.dtype.char.replace("l", "q").replace("L", "Q")])
    for d in range(array.ndim):
        result.shape[d] = array.shape[d]
        result.strides[d] = array.strides[d] // array.itemsize
    return result


class Tally:
    """The library on one device."""

    def __init__(self, path, device):
        self.functions = c.CDLL(path)
        self.functions.tally_last_error.restype = c.c_char_p
        self.functions.tally_reduce.argtypes = [c.c_void_p, c.c_uint64, c.POINTER(Array), c.POINTER(Array), c.POINTER(Options)]
        self.functions.tally_scan.argtypes = self.functions.tally_reduce.argtypes
        self.functions.tally_result_like.argtypes = [c.c_int32, c.c_uint64, c.POINTER(Array), c.POINTER(Options), c.POINTER(Array)]
        self.context = c.c_void_p()
        assert self.functions.tally_open(device.encode(), c.byref(self.context)) == OK

    def call(self, verb, op, x, axes=None, flags=0, dtype=None, initial=None, where=None, second=None, correction=0.0):
        """The status, and the result or None."""
        options = Options(c.sizeof(Options), flags)
        if axes is not None:
            options.axes = (c.c_int32 * max(1, len(axes)))(*axes)
            options.axis_count = len(axes)
        options.type = TYPES[np.dtype(dtype).char.replace("l", "q")] if dtype else 0
        options.correction = correction
        arrays = {name: view(a) for name, a in (("where", where), ("second", second)) if a is not None}
        for name, a in arrays.items():
            setattr(options, name, c.pointer(a))
        source, like = view(x), Array()
        if initial is not None:
            options.initial = initial.__array_interface__["data"][0]
        status = self.functions.tally_result_like(2 if verb == "scan" else 1, OPS[op], c.byref(source), c.byref(options), c.byref(like))
        if status != OK:
            return status, None
        out = np.empty(tuple(like.shape[:like.rank]), DTYPES[like.type])
        target = view(out)
        run = self.functions.tally_scan if verb == "scan" else self.functions.tally_reduce
        status = run(self.context, OPS[op], c.byref(source), c.byref(target), c.byref(options))
        return status, out if status == OK else None

    def error(self):
        return self.functions.tally_last_error().decode()


def random_array(dtype, shape=None):
    """Random values under a random view: transposed, stepped, turned, broadcast."""
    if shape is None:
        shape = tuple(int(n) for n in random.integers(0 if random.integers(6) == 0 else 1, [9, 9, 40, 300, 5000][random.integers(5)] if random.integers(3) == 0 else 12,
                                                      random.integers(0, 5)))
        while math.prod(shape) > 200000:
            shape = shape[1:]
    dtype = np.dtype(dtype)
    steps = tuple(int(random.integers(1, 3)) for _ in shape)
    full = tuple(n * s for n, s in zip(shape, steps))
    order = random.permutation(len(shape))
    if dtype.kind == "b":
        base = random.integers(0, 2, [full[i] for i in order]).astype(dtype)
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = (info.min, info.max) if random.integers(2) else (max(info.min, -3), 4)
        base = random.integers(low, high, [full[i] for i in order], dtype=dtype, endpoint=True)
    else:
        base = random_floats(dtype, [full[i] for i in order])
    base = np.asarray(base)
    result = base.transpose(np.argsort(order))
    result = result[tuple(slice(None, None, s if random.integers(2) else -s) for s in steps)]
    if result.ndim and result.shape[0] and random.integers(8) == 0:
        result = np.broadcast_to(result[:1], result.shape)
    return np.asarray(result)


def random_floats(dtype, shape):
    real = np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype
    values = random.standard_normal(shape) * 2.0 ** random.integers(-8, 8, shape)
    kind = random.integers(4)
    if kind == 1:
        values = np.round(values)
    if kind == 2:
        values = np.where(random.random(shape) < 0.03, random.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape), values)
    if dtype.kind == "c":
        return (values + 1j * np.where(np.isfinite(values), random.standard_normal(shape), 0)).astype(dtype)
    return values.astype(real)


def random_axes(rank):
    axes = [int(a) - (rank if random.integers(2) else 0) for a in random.permutation(rank)[:random.integers(0, rank + 1)]]
    return axes if random.integers(4) else None


def same(got, want):
    want = np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if got.dtype.kind in "fc":
        return bool(np.array_equal(got, want, equal_nan=True)) and not np.signbit(got.real[got == 0]).any()
    return bool(np.array_equal(got, want))


# ---- what NumPy does exactly ----

def numpy_reduce(op, x, axes, keepdims, where, initial):
    """NumPy's answer, or EMPTY."""
    axis = None if axes is None else tuple(axes)
    options = {"axis": axis, "keepdims": keepdims}
    if op == "sum" or op == "prod":
        wide = {"b": np.int64, "i": np.int64, "u": np.uint64}[x.dtype.kind]
        return getattr(np, op)(x, dtype=wide, where=True if where is None else where, initial=(0 if op == "sum" else 1) if initial is None else initial, **options)
    if op in ("any", "all"):
        result = getattr(np, op)(x, where=True if where is None else where, **options)
        return result if initial is None else np.logical_or(result, initial) if op == "any" else np.logical_and(result, initial)
    if op == "count_nonzero":
        masked = (x != 0) if where is None else (x != 0) & where
        return np.sum(masked, dtype=np.int64, **options)
    if op.startswith("bit_"):
        function = {"bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor}[op]
        identity = (True if x.dtype.kind == "b" else x.dtype.type(-1) if x.dtype.kind == "i" else np.iinfo(x.dtype).max) if op == "bit_and" else 0
        masked = x if where is None else np.where(where, x, np.array(identity, x.dtype))
        masked = np.asarray(masked, x.dtype)
        result = masked
        if axis is None or axis:
            result = function.reduce(masked, axis=axis, keepdims=keepdims, initial=np.array(identity, x.dtype)[()])
        return np.asarray(result, x.dtype) if initial is None else function(np.asarray(result, x.dtype), initial)
    return numpy_extreme(op, x, axis, keepdims, where, initial)


def numpy_extreme(op, x, axis, keepdims, where, initial):
    present = np.ones(x.shape, bool) if where is None else np.broadcast_to(where, x.shape)
    lacking = ~np.any(present, axis=axis, keepdims=keepdims)
    if np.any(lacking) and initial is None:
        return EMPTY
    smallest, largest = (-np.inf, np.inf) if x.dtype.kind == "f" else (False, True) if x.dtype.kind == "b" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
    fill = np.array(largest if "min" in op else smallest, x.dtype)[()]
    masked = np.where(present, x, fill).astype(x.dtype)
    if op in ("min", "max"):
        result = getattr(np, op)(masked, axis=axis, keepdims=keepdims, initial=fill if initial is None else initial)
        return np.asarray(result + np.zeros((), x.dtype) if x.dtype.kind == "f" else result, x.dtype)
    return None


def agree_reduce(tally):
    integers = "? b h i q B H I Q".split()
    exact = ["any", "all", "count_nonzero", "min", "max"]
    for op, types in ([(o, integers) for o in ("sum", "prod", "bit_and", "bit_or", "bit_xor")] + [(o, integers + ["e", "f", "d"]) for o in exact]):
        for char in types:
            for _ in range(6):
                x = random_array(char)
                axes, keepdims = random_axes(x.ndim), bool(random.integers(2))
                where = random_array("?", x.shape) if random.integers(3) == 0 else None
                result_type = {"sum": "Q" if x.dtype.kind == "u" else "q", "prod": "Q" if x.dtype.kind == "u" else "q", "any": "?", "all": "?", "count_nonzero": "q"}.get(op, char)
                initial = np.ascontiguousarray(random.integers(0, 2, 1).astype(result_type)) if random.integers(4) == 0 and op != "count_nonzero" else None
                want = numpy_reduce(op, x, axes, keepdims, where, None if initial is None else initial[0])
                status, got = tally.call("reduce", op, x, axes, KEEPDIMS if keepdims else 0, initial=initial, where=where)
                what = (op, x.dtype, x.shape, x.strides, axes, "where" if where is not None else "", initial)
                if want is EMPTY:
                    check(status == EMPTY, *what, "status", status)
                else:
                    check(status == OK and same(got, np.asarray(want)), *what, "status", status, tally.error() if status else "", "\n got", got, "\n want", want)


def agree_arg(tally):
    for op in ("argmin", "argmax"):
        for char in "? b h i q B H I Q e f d".split():
            for _ in range(12):
                x = random_array(char)
                axis = int(random.integers(x.ndim)) if x.ndim and random.integers(3) else None
                keepdims = bool(random.integers(2))
                status, got = tally.call("reduce", op, x, None if axis is None else [axis], KEEPDIMS if keepdims else 0)
                try:
                    want = getattr(np, op)(x, axis=axis, keepdims=keepdims)
                except ValueError:
                    cells = math.prod(n for d, n in enumerate(x.shape) if axis is not None and d != axis)
                    check(status == (EMPTY if cells else OK), op, x.dtype, x.shape, axis, status)
                    continue
                check(status == OK and same(got, np.asarray(want, np.int64)), op, x.dtype, x.shape, x.strides, axis, got, want)


def agree_scan(tally):
    functions = {"sum": np.cumsum, "prod": np.cumprod, "min": np.minimum.accumulate, "max": np.maximum.accumulate}
    for op, function in functions.items():
        for char in "? b h i q B H I Q".split() + (["e", "f", "d"] if op in ("min", "max") else []):
            for _ in range(12):
                x = random_array(char)
                if x.ndim == 0:
                    continue
                axis, reverse = int(random.integers(x.ndim)), bool(random.integers(2))
                turned = np.flip(x, axis) if reverse else x
                dtype = x.dtype if op in ("min", "max") else np.uint64 if x.dtype.kind == "u" else np.int64
                want = function(turned, axis=axis, dtype=dtype)
                want = np.flip(want, axis) if reverse else want
                status, got = tally.call("scan", op, x, [axis - (x.ndim if random.integers(2) else 0)], REVERSE if reverse else 0)
                if x.dtype.kind == "f":
                    want = want + np.zeros((), x.dtype)
                check(status == OK and same(got, want.astype(dtype)), "scan", op, x.dtype, x.shape, x.strides, axis, reverse, status, "\n got", got, "\n want", want)


def fraction_sum(values):
    return sum((fractions.Fraction(float(v)) for v in values), fractions.Fraction(0))


def agree_floats(tally):
    """Sums, means and dots of doubles against fsum and fractions; means and variances of integers against fractions."""
    for _ in range(150):
        x = random_floats(np.dtype("d"), int(random.integers(0, 3000)))
        x = x[np.isfinite(x)] * 2.0 ** int(random.integers(-900, 900))
        y = random_floats(np.dtype("d"), x.size)
        y = np.where(np.isfinite(y), y, 1.0)
        check(same(tally.call("reduce", "sum", x)[1], math.fsum(x) + 0.0), "fsum", x.size)
        exact = sum((fractions.Fraction(float(a)) * fractions.Fraction(float(b)) for a, b in zip(x, y)), fractions.Fraction(0))
        check(same(tally.call("reduce", "dot", x, second=y)[1], float(exact) + 0.0), "dot", x.size)
        if x.size:
            check(same(tally.call("reduce", "mean", x)[1], float(fraction_sum(x) / x.size) + 0.0), "mean", x.size)
            running = tally.call("scan", "sum", x)[1]
            i = int(random.integers(x.size))
            check(running[i] == math.fsum(x[:i + 1]), "prefix", x.size, i)
    for char in "? b h i q B H I Q".split():
        for _ in range(10):
            x = random_array(char, (int(random.integers(2, 400)),))
            values = [int(v) for v in x]
            mean = fractions.Fraction(sum(values), len(values))
            variance = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
            check(same(tally.call("reduce", "mean", x)[1], np.float64(float(mean)) + 0.0), "mean", x.dtype, x)
            check(same(tally.call("reduce", "var", x, correction=1.0)[1], float(variance)), "var", x.dtype, x)
            check(same(tally.call("reduce", "norm1", x)[1], float(sum(abs(v) for v in values))), "norm1", x.dtype, x)
            if sum(v * v for v in values) < 2**53:
                check(same(tally.call("reduce", "norm2", x)[1], math.sqrt(sum(v * v for v in values))), "norm2", x.dtype, x)


def agree_types(tally):
    """Explicit result types: NumPy casts each element."""
    for char in "? b h i q B H I Q".split():
        for to in "b h i q B H I Q".split():
            for op in ("sum", "prod"):
                x = random_array(char)
                status, got = tally.call("reduce", op, x, dtype=to)
                want = getattr(np, op)(x.astype(to), dtype=to)
                check(status == OK and same(got, np.asarray(want, to)), op, char, "to", to, status, got, want)
    for char in "e f".split():
        for to in "f d".split():
            x = random_array(char, (50,))
            x = np.where(np.isfinite(x), x, x.dtype.type(1))
            status, got = tally.call("reduce", "sum", x, dtype=to)
            check(status == OK and same(got, np.asarray(np.dtype(to).type(float(fraction_sum(x))) + np.dtype(to).type(0))), "sum", char, "to", to, got)


# ---- files, through the command ----

def npy_bytes(array, version, fortran):
    shape = repr(tuple(array.shape))
    header = "{'descr': %r, 'fortran_order': %s, 'shape': %s, }" % (array.dtype.str, bool(fortran), shape)
    size = 10 if version == 1 else 12
    header = header.encode("utf-8" if version == 3 else "latin1")
    header += b" " * (63 - (size + len(header)) % 64) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + array.tobytes("F" if fortran else "C")


def run_command(command, *arguments, stdin=None):
    done = subprocess.run([command, *arguments], input=stdin, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def agree_files(command):
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "x.npy"), os.path.join(folder, "out.npy")
        for char in "? b h i q B H I Q e f d F D".split():
            for round_number in range(8):
                rank = int(random.integers(1, 4))
                plain = np.ascontiguousarray(random_array(char, tuple(int(n) for n in random.integers(1, 9, rank))))
                stored = plain.astype(plain.dtype.newbyteorder(">" if round_number % 2 else "<"))
                content = npy_bytes(stored, round_number % 3 + 1, round_number // 2 % 2)
                with open(path, "wb") as file:
                    file.write(content)
                agree_file(command, path, out, plain, content)
        empty = np.zeros((3, 0), "d")
        np.save(path, empty)
        check(run_command(command, "sum", path)[1].strip() == b"0", "sum of an empty file")
        check(run_command(command, "min", path)[0] == 1, "min of an empty file")


def agree_file(command, path, out, plain, content):
    axis = int(random.integers(plain.ndim))
    what = (plain.dtype, plain.shape, "axis", axis)
    status, _, error = run_command(command, "count", path, "--axis", str(axis), "-o", out)
    want = np.count_nonzero(plain, axis=axis)
    check(status == 0 and same(np.load(out), np.asarray(want, np.int64)), "command count", *what, status, error)
    if plain.dtype.kind in "?biu":
        wide = np.uint64 if plain.dtype.kind == "u" else np.int64
        status, _, error = run_command(command, "sum", path, "--axis", str(axis), "-o", out)
        check(status == 0 and same(np.load(out), np.asarray(plain.sum(axis=axis, dtype=wide))), "command sum", *what, error)
        status, _, error = run_command(command, "scan", "sum", path, "--axis", str(axis), "-o", out)
        check(status == 0 and same(np.load(out), np.cumsum(plain, axis=axis, dtype=wide)), "command scan", *what, error)
        status, text, error = run_command(command, "sum", "-", stdin=content)
        check(status == 0 and int(text) == int(plain.sum(dtype=wide)), "command sum from a pipe", *what, text, error)
    if plain.dtype.kind == "f":
        status, _, error = run_command(command, "max", path, "--axis", str(axis), "-o", out)
        check(status == 0 and same(np.load(out), plain.max(axis=axis) + np.zeros((), plain.dtype)), "command max", *what, error)
    if plain.dtype.char == "d" and np.isfinite(plain).all():
        status, text, error = run_command(command, "sum", path)
        check(status == 0 and float(text) == math.fsum(plain.ravel()), "command sum", *what, text, error)


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: numpy_agree.py LIBRARY [COMMAND]")
    np.seterr(all="ignore")
    for device in ("cpu:1", "cpu:3", "reference"):
        tally = Tally(sys.argv[1], device)
        for part in (agree_reduce, agree_arg, agree_scan, agree_floats, agree_types):
            part(tally)
    if len(sys.argv) > 2:
        agree_files(sys.argv[2])
    if failed:
        print("numpy_agree: repeat with TALLY_TEST_SEED=%d" % SEED, file=sys.stderr)
    print("numpy_agree: %d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
