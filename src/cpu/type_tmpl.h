/* SPDX-License-Identifier: MIT
 *
 * type_tmpl.h - EACH_TYPE_TEMPLATE of kernels.c: all reduction kernels of one type. No include guard. */
#include "fold_load.h"

#define FOLD_TEMPLATE "cpu/fold_program_tmpl.h"
#include "fold.h"
#undef FOLD_TEMPLATE

#if defined(KIND_REAL_TYPE) || defined(KIND_COMPLEX_TYPE)
#include "cpu/exact_float_tmpl.h"
#if defined(KIND_REAL_TYPE)
#include "cpu/exact_columns_tmpl.h"
#endif
#else
#include "cpu/exact_integer_tmpl.h"
#endif
#include "cpu/search_tmpl.h"
