/* SPDX-License-Identifier: MIT
 *
 * values.h - elements in memory and the values that a user's operator sees. Compiled at run time, after prelude.h and
 * narrow.h. */
#ifndef TALLY_USER_VALUES_H
#define TALLY_USER_VALUES_H

#define LOAD_bool(memory, k) (((const u8 *)(memory))[k] != 0)
#define LOAD_i8(memory, k) (((const i8 *)(memory))[k])
#define LOAD_i16(memory, k) (((const i16 *)(memory))[k])
#define LOAD_i32(memory, k) (((const i32 *)(memory))[k])
#define LOAD_i64(memory, k) (((const i64 *)(memory))[k])
#define LOAD_u8(memory, k) (((const u8 *)(memory))[k])
#define LOAD_u16(memory, k) (((const u16 *)(memory))[k])
#define LOAD_u32(memory, k) (((const u32 *)(memory))[k])
#define LOAD_u64(memory, k) (((const u64 *)(memory))[k])
#define LOAD_f16(memory, k) f16_to_f32(((const u16 *)(memory))[k])
#define LOAD_bf16(memory, k) bf16_to_f32(((const u16 *)(memory))[k])
#define LOAD_f32(memory, k) (((const f32 *)(memory))[k])
#define LOAD_f64(memory, k) (((const f64 *)(memory))[k])
#define LOAD_c64(memory, k) (((const c64 *)(memory))[k])
#define LOAD_c128(memory, k) (((const c128 *)(memory))[k])

#define STORE_bool(memory, k, value) (((u8 *)(memory))[k] = (value) != 0)
#define STORE_i8(memory, k, value) (((i8 *)(memory))[k] = (value))
#define STORE_i16(memory, k, value) (((i16 *)(memory))[k] = (value))
#define STORE_i32(memory, k, value) (((i32 *)(memory))[k] = (value))
#define STORE_i64(memory, k, value) (((i64 *)(memory))[k] = (value))
#define STORE_u8(memory, k, value) (((u8 *)(memory))[k] = (value))
#define STORE_u16(memory, k, value) (((u16 *)(memory))[k] = (value))
#define STORE_u32(memory, k, value) (((u32 *)(memory))[k] = (value))
#define STORE_u64(memory, k, value) (((u64 *)(memory))[k] = (value))
#define STORE_f16(memory, k, value) (((u16 *)(memory))[k] = f64_to_f16(value))
#define STORE_bf16(memory, k, value) (((u16 *)(memory))[k] = f64_to_bf16(value))
#define STORE_f32(memory, k, value) (((f32 *)(memory))[k] = (value))
#define STORE_f64(memory, k, value) (((f64 *)(memory))[k] = (value))
#define STORE_c64(memory, k, value) (((c64 *)(memory))[k] = (value))
#define STORE_c128(memory, k, value) (((c128 *)(memory))[k] = (value))

/* The type of the value at hand, and its way to memory of that type. In CUDA C, where some types of expressions differ
 * from C's, memory has the type that the host has found. */
#if defined(__cplusplus)
#define VALUE_TYPE auto
#define STORE_VALUE(memory, k, value) (*((stored_result *)(memory) + (k)) = (stored_result)(value))
#else
#define VALUE_TYPE __auto_type
#define STORE_VALUE(memory, k, value) (((__typeof__(value) *)(memory))[k] = (value))
#endif

/* Number of the type of an expression, as tally.h has it. */
#define TYPE_OF(expression)                                                                                  \
    _Generic((expression), bool : 1, signed char : 2, char : 2, short : 3, int : 4, long : 5, long long : 5, \
             unsigned char : 6, unsigned short : 7, unsigned : 8, unsigned long : 9, unsigned long long : 9, \
             float : 12, double : 13, c64 : 14, c128 : 15)

#endif
