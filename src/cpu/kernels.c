/* SPDX-License-Identifier: MIT
 *
 * kernels.c - the reduction kernels of one instruction set: compiled once for each, with -DISA=<name>. */
#include "kernels.h"
#include "../fold_steps.h"

#include <math.h>
#include <string.h>

#ifndef ISA
#define ISA base
#endif
#define ALWAYS_INLINE static inline __attribute__((always_inline))
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
typedef uint32_t near_flag_float; /* as wide as what they are about, so that both are vectors */
typedef uint64_t near_flag_double;
/* Of ordered_columns_tmpl.h: rows of so many columns are taken as they are; elements of narrower ones, and of those
 * that lie apart, are gathered, so many at once. */
#define TILE_WIDE_ROW 16
#define TILE_GATHERED 1024

/* Lifts of two arrays: columns go cell after cell. */
#define PAIRED_PRODUCT 1
#define PAIRED_PASTE(lift) PAIRED_##lift
#define PAIRED_EXPAND(lift) PAIRED_PASTE(lift)

/* Combines that only scans have: reductions of residues add words. */
#define RUNNING_ADD_MODULO 1
#define RUNNING_PASTE(combine) RUNNING_##combine
#define RUNNING_EXPAND(combine) RUNNING_PASTE(combine)

/* Types whose sums of powers are another one's, which elements are converted to first. */
#define WIDENED_bool 1
#define WIDENED_f16 1
#define WIDENED_bf16 1
#define WIDENED_PASTE(type) WIDENED_##type
#define WIDENED_EXPAND(type) WIDENED_PASTE(type)

#include "exact_narrow.h"
#include "product.h"

#define EACH_TYPE_TEMPLATE "cpu/type_tmpl.h"
#include "../each_type.h"
#undef EACH_TYPE_TEMPLATE

#define ISA_PASTE(name, isa) name##_##isa
#define ISA_EXPAND(name, isa) ISA_PASTE(name, isa)

const struct cpu_kernels ISA_EXPAND(cpu_kernels, ISA) = {
    .fold =
        {
#define FOLD_TEMPLATE "cpu/fold_row_tmpl.h"
#define EACH_TYPE_TEMPLATE "fold.h"
#include "../each_type.h"
#undef EACH_TYPE_TEMPLATE
        },
    .exact =
        {
#define EACH_TYPE_TEMPLATE "cpu/exact_row_tmpl.h"
#include "../each_type.h"
#undef EACH_TYPE_TEMPLATE
        },
    .exact_columns =
        {
#define EACH_TYPE_TEMPLATE "cpu/exact_columns_row_tmpl.h"
#include "../each_type.h"
#undef EACH_TYPE_TEMPLATE
        },
    .summary = {[TYPE_INDEX_f16] = summary_f16, [TYPE_INDEX_bf16] = summary_bf16, [TYPE_INDEX_f32] = summary_f32},
    .mask_nan =
        {
#define SEARCH_ROW mask_nan
#define EACH_TYPE_TEMPLATE "cpu/search_row_tmpl.h"
#include "../each_type.h"
#undef SEARCH_ROW
        },
    .any_nan =
        {
#define SEARCH_ROW any_nan
#include "../each_type.h"
#undef SEARCH_ROW
#undef EACH_TYPE_TEMPLATE
        },
    .find =
        {
#define ORDERED_ROW find
#define EACH_TYPE_TEMPLATE "cpu/find_row_tmpl.h"
#include "../each_type.h"
#undef ORDERED_ROW
        },
    .best_columns =
        {
#define ORDERED_ROW best_columns
#include "../each_type.h"
#undef ORDERED_ROW
#undef EACH_TYPE_TEMPLATE
        },
};
