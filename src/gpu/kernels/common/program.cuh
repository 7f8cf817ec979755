/* SPDX-License-Identifier: MIT
 *
 * program.cuh - the element type and the fold programs that a kernel is compiled for, out of the rows that the C
 * compiler reads, too. The host defines
 *   ONLY_TYPE, ONLY_TYPE_<name>, ELEMENT     the element type; ELEMENT_BYTES
 *   RESULT                                   the result type
 *   PICK_<lift>_<combine>                    1 for each fold program to compile
 *   OP_LIFT, OP_COMBINE, OP_FINISH           names in op.h without their prefix
 *   EMPTY_FAILS, WITH_SECOND, WITH_WHERE, SKIP_NAN, CHECKED   0 or 1
 *   MODULUS                                  where results are residues, the members of struct modulus */
#ifndef TALLY_PROGRAM_CUH
#define TALLY_PROGRAM_CUH

#include "device.cuh"
#include "dtype.h"
#include "op.h"

#define FOLD_MODULUS program_modulus()
#define MODULO_FITS_HALF(m) IS_SHORT_MODULUS(m)
#include "fold_steps.h"

#if defined(MODULUS)
DEVICE_UNUSED struct modulus program_modulus(void)
{
    struct modulus modulus = {MODULUS};
    return modulus;
}
#endif

#define NAME_PASTE(a, b) a##b
#define NAME_EXPAND(a, b) NAME_PASTE(a, b)

#define PICK_PASTE(lift, combine) PICK_##lift##_##combine
#define PICKED(lift, combine) PICK_PASTE(lift, combine)
#if defined(PICK_VALUE_ADD) || defined(PICK_MAGNITUDE_ADD) || defined(PICK_SQUARE_ADD) || defined(PICK_NONZERO_ADD) || \
    defined(PICK_VALUE_ADD_WIDE) || defined(PICK_VALUE_ADD_MODULO)
#define PICKED_SUM /* zeros count for nothing */
#endif
#define FIELD_IS_real 1
#define FIELD_IS_integer 0

/* What is known of a type by its name: KIND_OF_f32, SIZE_OF_f32, PART_OF_f32 (bytes of a part). */
enum {
#define ROW(name, NAME, kind, storage, ...)                  \
    KIND_OF_##name = kind, PART_OF_##name = sizeof(storage), \
    SIZE_OF_##name = sizeof(storage) * ((kind) == KIND_COMPLEX ? 2 : 1),
    FOR_EACH_TYPE(ROW)
#undef ROW
};
enum {
#define ROW(name, ...) NUMBER_OF_##name,
    FOR_EACH_TYPE(ROW)
#undef ROW
};
#define ELEMENT_KIND NAME_EXPAND(KIND_OF_, ELEMENT)
#define ELEMENT_SIZE NAME_EXPAND(SIZE_OF_, ELEMENT)
#define ELEMENT_NUMBER NAME_EXPAND(NUMBER_OF_, ELEMENT)
#define RESULT_KIND NAME_EXPAND(KIND_OF_, RESULT)
#define RESULT_SIZE NAME_EXPAND(SIZE_OF_, RESULT)
#define RESULT_PART NAME_EXPAND(PART_OF_, RESULT)
#define RESULT_NUMBER NAME_EXPAND(NUMBER_OF_, RESULT)
#define LIFT_NUMBER NAME_EXPAND(LIFT_, OP_LIFT)
#define COMBINE_NUMBER NAME_EXPAND(COMBINE_, OP_COMBINE)
#define FINISH_NUMBER NAME_EXPAND(FINISH_, OP_FINISH)

#define FOLD_TEMPLATE "program_pick.cuh"
#define EACH_TYPE_TEMPLATE "program_type.cuh"
#include "each_type.h"
#undef FOLD_TEMPLATE
#undef EACH_TYPE_TEMPLATE

#define OF_ELEMENT(name) TYPE_EXPAND(name, ELEMENT)
typedef struct OF_ELEMENT(element) element;
typedef OF_ELEMENT(storage) storage; /* of an element, or of a part of a complex one */

/* A step of the picked program of this lift and combine. */
#define STEP(name, lift, combine) PROGRAM_EXPAND(name, lift, combine, ELEMENT)

DEVICE element load_element(const void *x, int64_t i)
{
    return OF_ELEMENT(load)((const storage *)x, (size_t)i);
}

/* One element, or result, of `part` bytes or of two such parts. It lies at a multiple of them, which the compiler does
 * not know of bytes: it would copy one after the other. */
DEVICE void copy_parts(void *to, const void *from, int32_t size, int32_t part)
{
#pragma unroll
    for (int32_t k = 0; k < size / part; k++) {
        if (part == 1) ((uint8_t *)to)[k] = ((const uint8_t *)from)[k];
        else if (part == 2) ((uint16_t *)to)[k] = ((const uint16_t *)from)[k];
        else if (part == 4) ((uint32_t *)to)[k] = ((const uint32_t *)from)[k];
        else ((uint64_t *)to)[k] = ((const uint64_t *)from)[k];
    }
}

DEVICE void copy_element(void *to, const void *from)
{
    copy_parts(to, from, ELEMENT_SIZE, sizeof(storage));
}

DEVICE void copy_result(void *to, const void *from)
{
    copy_parts(to, from, RESULT_SIZE, RESULT_PART);
}

/* Element i of those that lie in a vector. */
DEVICE element vector_element(const struct vector16 *v, int i)
{
    storage stored[16 / sizeof(storage)];
    memcpy(stored, v, sizeof stored);
    return OF_ELEMENT(load)(stored, (size_t)i);
}

DEVICE int element_is_nan(element x)
{
#if defined(ONLY_TYPE_c64) || defined(ONLY_TYPE_c128)
    return x.re != x.re || x.im != x.im;
#else
    return x.v != x.v;
#endif
}

#endif
