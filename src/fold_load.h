/* SPDX-License-Identifier: MIT
 *
 * fold_load.h - an element of one type as the fold programs read it. Included inside an EACH_TYPE_TEMPLATE, before
 * fold.h; defines `struct element_<type>` and `load_<type>`. No include guard. */

#ifndef TYPE_NAME
#define TYPE_PASTE(name, type) name##_##type
#define TYPE_EXPAND(name, type) TYPE_PASTE(name, type)
#define TYPE_NAME(name) TYPE_EXPAND(name, TYPE)
#define PROGRAM_PASTE(name, lift, combine, type) name##_##lift##_##combine##_##type
#define PROGRAM_EXPAND(name, lift, combine, type) PROGRAM_PASTE(name, lift, combine, type)
#define PROGRAM_NAME(name) PROGRAM_EXPAND(name, LIFT, COMBINE, TYPE)
/* The row of a table indexed [lift][combine][type] that belongs to the program. */
#define INDEX_PASTE(prefix, name) prefix##name
#define INDEX_EXPAND(prefix, name) INDEX_PASTE(prefix, name)
#define TYPE_SIZE sizeof(struct TYPE_NAME(stored))
#endif

/* An element as it lies in memory; TYPE_SIZE is its bytes. */
struct TYPE_NAME(stored) {
#if defined(KIND_COMPLEX_TYPE)
    STORAGE re, im;
#else
    STORAGE v;
#endif
};

struct TYPE_NAME(element) {
#if defined(KIND_COMPLEX_TYPE)
    REAL re, im;
#elif defined(KIND_REAL_TYPE)
    REAL v;
#else
    STORAGE v;
#endif
};

ELEMENTARY_FUNCTION struct TYPE_NAME(element) TYPE_NAME(load)(const STORAGE *x, size_t i)
{
#if defined(KIND_COMPLEX_TYPE)
    struct TYPE_NAME(element) e = {TO_REAL(x[2 * i]), TO_REAL(x[2 * i + 1])};
#elif defined(KIND_REAL_TYPE)
    struct TYPE_NAME(element) e = {TO_REAL(x[i])};
#else
    struct TYPE_NAME(element) e = {x[i]};
#endif
    return e;
}
