/* SPDX-License-Identifier: MIT
 *
 * dtype.h - every element type, one row each. Read by the C compiler and by NVRTC, so it includes nothing. */
#ifndef TALLY_DTYPE_H
#define TALLY_DTYPE_H

/* How a type behaves; bits, so that an operator's row can name the kinds that it takes. */
#define KIND_BOOLEAN 1
#define KIND_SIGNED 2
#define KIND_UNSIGNED 4
#define KIND_REAL 8
#define KIND_COMPLEX 16
#define KIND_INTEGER (KIND_SIGNED | KIND_UNSIGNED)
#define KIND_FLOAT (KIND_REAL | KIND_COMPLEX)
#define KIND_ORDERED (KIND_BOOLEAN | KIND_INTEGER | KIND_REAL)
#define KIND_ANY (KIND_ORDERED | KIND_COMPLEX)

/* X(name, NAME, kind, storage, real part, total, arithmetic, npy, dlpack code)
 *   storage     the C type of an element, or of one part of a complex element
 *   real part   the real type that norms and variances of the type have
 *   total       what sum and prod give by default
 *   arithmetic  C type of ordinary arithmetic on it: what `prod`, `logsumexp` and TALLY_PLAIN compute in
 *   npy         the type's letters in a .npy header, without the byte order
 * TALLY_<NAME> in tally.h is the type's number; dtype.c checks that the rows stand in that order. */
#define FOR_EACH_TYPE(X)                                                                  \
    X(bool, BOOL, KIND_BOOLEAN, unsigned char, F64, I64, unsigned long long, "b1", 6)     \
    X(i8, I8, KIND_SIGNED, signed char, F64, I64, unsigned long long, "i1", 0)            \
    X(i16, I16, KIND_SIGNED, short, F64, I64, unsigned long long, "i2", 0)                \
    X(i32, I32, KIND_SIGNED, int, F64, I64, unsigned long long, "i4", 0)                  \
    X(i64, I64, KIND_SIGNED, long long, F64, I64, unsigned long long, "i8", 0)            \
    X(u8, U8, KIND_UNSIGNED, unsigned char, F64, U64, unsigned long long, "u1", 1)        \
    X(u16, U16, KIND_UNSIGNED, unsigned short, F64, U64, unsigned long long, "u2", 1)     \
    X(u32, U32, KIND_UNSIGNED, unsigned int, F64, U64, unsigned long long, "u4", 1)       \
    X(u64, U64, KIND_UNSIGNED, unsigned long long, F64, U64, unsigned long long, "u8", 1) \
    X(f16, F16, KIND_REAL, unsigned short, F16, F16, float, "f2", 2)                      \
    X(bf16, BF16, KIND_REAL, unsigned short, BF16, BF16, float, "", 4)                    \
    X(f32, F32, KIND_REAL, float, F32, F32, float, "f4", 2)                               \
    X(f64, F64, KIND_REAL, double, F64, F64, double, "f8", 2)                             \
    X(c64, C64, KIND_COMPLEX, float, F32, C64, float, "c8", 5)                            \
    X(c128, C128, KIND_COMPLEX, double, F64, C128, double, "c16", 5)

#endif
