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
