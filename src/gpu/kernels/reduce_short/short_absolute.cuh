/* SPDX-License-Identifier: MIT
 *
 * short_absolute.cuh - sums that take numbers as they are, not relative to one of their cell. No include guard. */
#include "short_no_origin.cuh"

DEVICE_UNUSED void number_add(struct quick *q, struct watch *w, origin origin, element x, int32_t place)
{
    (void)origin, (void)place;
    quick_add(q, w, x);
}

DEVICE_UNUSED void vector_add(struct quick *q, struct watch *w, origin origin, const struct vector16 *v, int from,
                              int to, int32_t place)
{
    (void)origin, (void)place;
    quick_add_vector(q, w, v, from, to);
}

/* Of elements [from, to) of a vector. */
DEVICE_UNUSED struct quick vector_sums(struct watch *w, const struct vector16 *v, int from, int to)
{
    struct quick q = quick_begin();
    quick_add_vector(&q, w, v, from, to);
    return q;
}
