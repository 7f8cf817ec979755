/* SPDX-License-Identifier: MIT
 *
 * short_sides.cuh - how the elements of groups of SIDE neighbouring columns are added, up to DEPTH rows of them at
 * once. IN_ROW of a side are one cell's. ROW_STEP, if it is defined: a thread has every so-manieth row. No include
 * guard.
 */
#include "side.cuh"

enum { CELLS = SIDE / IN_ROW }; /* of a group */

#if !defined(ROW_STEP)
#define ROW_STEP 1
#endif

#if HAS_EXTREMES && SIDE * ELEMENT_BYTES >= 4
/* The best of each column, two elements to an instruction. */
DEVICE struct side best_side(const struct side *v, int32_t count)
{
    struct side best = v[0];
#pragma unroll
    for (int i = 0; i < SIDE_BYTES / 4; i++) {
#if ELEMENT_BYTES == 1
        uint32_t even = v[0].word[i] << 8, odd = v[0].word[i];
#pragma unroll
        for (int d = 1; d < DEPTH; d++) {
            if (d < count) even = BETTER_PAIR(even, v[d].word[i] << 8), odd = BETTER_PAIR(odd, v[d].word[i]);
        }
        best.word[i] = (even >> 8 & 0x00ff00ffu) | (odd & 0xff00ff00u);
#else
#pragma unroll
        for (int d = 1; d < DEPTH; d++) {
            if (d < count) best.word[i] = BETTER_PAIR(best.word[i], v[d].word[i]);
        }
#endif
    }
    return best;
}

/* The accesses from row `place` on. */
DEVICE void add_sides(struct quick *q, struct watch *watch, const origin *from, const struct side *v, int32_t place,
                      int32_t count)
{
    struct side best = best_side(v, count);
#pragma unroll
    for (int k = 0; k < SIDE; k++) number_add(&q[k / IN_ROW], watch, from[k / IN_ROW], side_element(&best, k), place);
}
#elif defined(QUICK_IS_NARROW) && ELEMENT_BYTES == 1 && SIDE >= 4
#include "bytes.cuh"

/* The accesses from row `place` on. */
DEVICE void add_sides(struct quick *q, struct watch *watch, const origin *from, const struct side *v, int32_t place,
                      int32_t count)
{
    (void)watch, (void)from, (void)place;
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
#pragma unroll
        for (int k = 0; k < SIDE && d < count; k++)
            q[k / IN_ROW].total.part[0] = add_bytes(q[k / IN_ROW].total.part[0], v[d].word[k / 4], 1u << k % 4 * 8);
    }
}
#else
/* The accesses from row `place` on. */
DEVICE void add_sides(struct quick *q, struct watch *watch, const origin *from, const struct side *v, int32_t place,
                      int32_t count)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
#pragma unroll
        for (int k = 0; k < SIDE && d < count; k++)
            number_add(&q[k / IN_ROW], watch, from[k / IN_ROW], side_element(&v[d], k),
                       (place + d * ROW_STEP) * IN_ROW + k % IN_ROW);
    }
}
#endif

/* Of a group whose first access this is. */
DEVICE void origins_of(origin *from, const struct side *first)
{
#pragma unroll
    for (int k = 0; k < CELLS; k++) from[k] = origin_of_team(side_element(first, k * IN_ROW), 0);
}
