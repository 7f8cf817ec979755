/* SPDX-License-Identifier: MIT
 *
 * stage_vector.cuh - vectors copied to shared memory, of which the operand may have only a part. No include guard. */
#include "copy_async.cuh"

/* The part of a vector that is the operand's. */
DEVICE_CALL void stage_end(struct vector16 *to, const char *x, const char *low, const char *high)
{
    enum { ELEMENTS = 16 / ELEMENT_SIZE };
    int64_t from = x < low ? (low - x) / ELEMENT_SIZE : 0, end = (high - x) / ELEMENT_SIZE;
    *to = load_elements(x, (int32_t)from | (int32_t)(end < ELEMENTS ? end : ELEMENTS) << 8);
}

/* Starts to copy an aligned vector, of which no one needs what lies outside of the operand. */
DEVICE void stage_vector(const struct reduce_parameters *p, struct vector16 *to, const char *x)
{
    if (x >= p->low && x + 16 <= p->high) copy_async((char *)to, x, 16);
    else stage_end(to, x, p->low, p->high);
}
