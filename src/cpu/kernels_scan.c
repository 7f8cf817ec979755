/* SPDX-License-Identifier: MIT
 *
 * kernels_scan.c - the scan kernels of one instruction set: compiled once for each, with -DISA=<name>. */
#include "../fold_steps.h"
#include "scan.h"

#include <math.h>
#include <string.h>

#ifndef ISA
#define ISA base
#endif
#define ALWAYS_INLINE static inline __attribute__((always_inline))

#include "scan_store.h"
#include "scan_sum.h"

/* The programs that have a running form; preprocessor names, as a template is left out by #if. */
#define SCANNED_VALUE_ADD 1
#define SCANNED_VALUE_MULTIPLY 1
#define SCANNED_VALUE_MULTIPLY_REAL 1
#define SCANNED_VALUE_ADD_MODULO 1
#define SCANNED_VALUE_MULTIPLY_MODULO 1
#define SCANNED_VALUE_MINIMUM 1
#define SCANNED_VALUE_MAXIMUM 1
#define SCANNED_VALUE_AND 1
#define SCANNED_VALUE_OR 1
#define SCANNED_VALUE_XOR 1
#define SCANNED_VALUE_ADD_POWERS 1
#define SCANNED_NONZERO_AND 1
#define SCANNED_NONZERO_OR 1
#define SCANNED_PASTE(lift, combine) SCANNED_##lift##_##combine
#define SCANNED_EXPAND(lift, combine) SCANNED_PASTE(lift, combine)
#define FIELD_REAL_integer 0
#define FIELD_REAL_real 1
#define FIELD_PASTE(field) FIELD_REAL_##field
#define FIELD_EXPAND(field) FIELD_PASTE(field)

/* Those that several cells go through side by side, and what their values are in. */
#define SCANNED_CELLS_integer_ADD 1
#define SCANNED_CELLS_integer_MULTIPLY 1
#define SCANNED_CELLS_integer_MINIMUM 1
#define SCANNED_CELLS_integer_MAXIMUM 1
#define SCANNED_CELLS_integer_AND 1
#define SCANNED_CELLS_integer_OR 1
#define SCANNED_CELLS_integer_XOR 1
#define SCANNED_CELLS_real_MINIMUM 1
#define SCANNED_CELLS_real_MAXIMUM 1
#define SCANNED_CELLS_PASTE(field, combine) SCANNED_CELLS_##field##_##combine
#define SCANNED_CELLS_EXPAND(field, combine) SCANNED_CELLS_PASTE(field, combine)
#define WORD_integer int64_t
#define WORD_real double
#define SCANNED_WORD_PASTE(field) WORD_##field
#define SCANNED_WORD(field) SCANNED_WORD_PASTE(field)

/* Loops over the elements of a run stay loops: written out by gcc, the loops over runs inside of them, which are over
 * vectors, are not vectorised well, and take it long. */
#define SCAN_ROLLED _Pragma("GCC unroll 1")

/* Groups of real programs are the same for all types that have values in common. There is one of each for f32, f64, c64
 * and c128; products in doubles are f64's. */
#define GROUP_PASTE(name, combine, wide, parts) name##_##combine##_##wide##_##parts
#define GROUP_EXPAND(name, combine, wide, parts) GROUP_PASTE(name, combine, wide, parts)
#define GROUP_NAME(name) GROUP_EXPAND(name, COMBINE, WIDE, PARTS)
#define GROUPED_ADD 1
#define GROUPED_MULTIPLY 1
#define GROUPED_MULTIPLY_REAL (PRECISION == 53)
#define GROUPED_MINIMUM 1
#define GROUPED_MAXIMUM 1
#define GROUPED_ADD_POWERS 1
#define GROUPED_PASTE(combine) GROUPED_##combine
#define GROUPED_EXPAND(combine) GROUPED_PASTE(combine)

/* Those whose order counts that several cells go through side by side. */
#define SCANNED_ORDERED_real_ADD 1
#define SCANNED_ORDERED_real_MULTIPLY 1
#define SCANNED_ORDERED_real_MULTIPLY_REAL 1
#define SCANNED_ORDERED_PASTE(field, combine) SCANNED_ORDERED_##field##_##combine
#define SCANNED_ORDERED_EXPAND(field, combine) SCANNED_ORDERED_PASTE(field, combine)
#define ORDERED_PART_PASTE(wide) of_##wide
#define ORDERED_PART_EXPAND(wide) ORDERED_PART_PASTE(wide)
#define ORDERED_PART(wide) ORDERED_PART_EXPAND(wide)

#define ONLY_TYPE
#define ONLY_TYPE_f32
#define ONLY_TYPE_f64
#define ONLY_TYPE_c64
#define ONLY_TYPE_c128
#define FOLD_TEMPLATE "cpu/scan_group_tmpl.h"
#define EACH_TYPE_TEMPLATE "fold.h"
#include "../each_type.h"
#undef FOLD_TEMPLATE
#define FOLD_TEMPLATE "cpu/scan_ordered_tmpl.h"
#include "../each_type.h"
#undef FOLD_TEMPLATE
#undef EACH_TYPE_TEMPLATE
#undef ONLY_TYPE

#define EACH_TYPE_TEMPLATE "cpu/scan_type_tmpl.h"
#include "../each_type.h"
#undef EACH_TYPE_TEMPLATE

#define ISA_PASTE(name, isa) name##_##isa
#define ISA_EXPAND(name, isa) ISA_PASTE(name, isa)

const struct cpu_scan_kernels ISA_EXPAND(cpu_scan_kernels, ISA) = {
    .fold =
        {
#define FOLD_TEMPLATE "cpu/scan_row_tmpl.h"
#define EACH_TYPE_TEMPLATE "fold.h"
#include "../each_type.h"
#undef EACH_TYPE_TEMPLATE
        },
#define EACH_TYPE_TEMPLATE "cpu/scan_load_row_tmpl.h"
#include "../each_type.h"
#undef EACH_TYPE_TEMPLATE
    .sum = scan_sum,
    .sum_total = scan_sum_total,
    .sum_cells = scan_sum_cells,
    .store_real = scan_store_real,
    .store_word = scan_store_word,
    .add_logarithm = scan_add_logarithm,
};
