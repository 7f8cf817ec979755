/* SPDX-License-Identifier: MIT
 *
 * user_prelude.cuh - a user's text in a kernel, and what stands before it: the names that it sees on the CPU, too, and
 * nothing else. It has a namespace of its own, so that kernels may use names that helpers have, and all that a request
 * defines begins with USER_ until the text is read. */
#ifndef TALLY_USER_PRELUDE_CUH
#define TALLY_USER_PRELUDE_CUH

#include "device_types.cuh"

#if defined(TALLY_SIMT)
#pragma GCC diagnostic ignored "-Wnarrowing" /* members of a state convert as in C */
#else
#pragma nv_diag_suppress 177  /* a helper that is not called */
#pragma nv_diag_suppress 2361 /* members of a state convert as in C */
#endif

#include "narrow.h"
#include "prelude.h"
#include "values.h"

#include "kernels.h"

/* The output's type of a map in memory: STORE_VALUE of values.h. */
#if defined(USER_RESULT)
typedef u8 stored_bool, stored_u8;
typedef i8 stored_i8;
typedef i16 stored_i16;
typedef i32 stored_i32;
typedef i64 stored_i64;
typedef u16 stored_u16, stored_f16, stored_bf16;
typedef u32 stored_u32;
typedef u64 stored_u64;
typedef f32 stored_f32;
typedef f64 stored_f64;
typedef c64 stored_c64;
typedef c128 stored_c128;
#define USER_STORED(type) USER_STORED_AS(type)
#define USER_STORED_AS(type) stored_##type
typedef USER_STORED(USER_RESULT) stored_result;
#endif

namespace user_text {
#include "user_text.h"
}

#if defined(USER_RESULT)
using user_text::user_map_element;
#else
using user_text::state;
using user_text::user_combine;
using user_text::user_finish;
using user_text::user_lift;
#if HAS_IDENTITY
using user_text::user_identity;
#endif
#endif

#define AHEAD USER_AHEAD
#define BACKWARD USER_BACKWARD
#if defined(USER_BLOCKS_AT_ONCE)
#define BLOCKS_AT_ONCE USER_BLOCKS_AT_ONCE
#endif
#define CARRIED USER_CARRIED
#define CHUNK_BLOCKS USER_CHUNK_BLOCKS
#define EXCLUSIVE USER_EXCLUSIVE
#define FINDERS USER_FINDERS
#define INPUT_0 USER_INPUT_0
#define INPUT_1 USER_INPUT_1
#define INPUT_2 USER_INPUT_2
#define INPUT_ALIGN_0 USER_INPUT_ALIGN_0
#define INPUT_BYTES_0 USER_INPUT_BYTES_0
#define INPUT_COUNT USER_INPUT_COUNT
#if USER_INPUT_COUNT > 1
#define INPUT_ALIGN_1 USER_INPUT_ALIGN_1
#define INPUT_BYTES_1 USER_INPUT_BYTES_1
#else
#define INPUT_ALIGN_1 1
#define INPUT_BYTES_1 1
#endif
#if USER_INPUT_COUNT > 2
#define INPUT_ALIGN_2 USER_INPUT_ALIGN_2
#define INPUT_BYTES_2 USER_INPUT_BYTES_2
#else
#define INPUT_ALIGN_2 1
#define INPUT_BYTES_2 1
#endif
#define INPUT_BYTES_3 USER_INPUT_BYTES_3
#define LAG USER_LAG
#define LEAVES USER_LEAVES
#define PASS USER_PASS
#define RESULT_ALIGN USER_RESULT_ALIGN
#define RESULT_BYTES USER_RESULT_BYTES
#define RUN_BYTES USER_RUN_BYTES
#define STAGES USER_STAGES
#define STATE_BYTES USER_STATE_BYTES
#define TEAM USER_TEAM
#define THREADS USER_THREADS

#include "device.cuh"

#endif
