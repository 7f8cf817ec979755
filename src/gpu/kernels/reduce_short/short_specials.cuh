/* SPDX-License-Identifier: MIT
 *
 * short_specials.cuh - cells of reduce_short.cu with infinities or NaN, which alone matter then: no sum of others is
 * needed to know the result. No include guard. */
#include "components.cuh"

struct specials {
    uint32_t seen;
};

SHUFFLE(specials)

/* Infinities and NaN of a cell, in every lane of its team. */
DEVICE struct specials specials_of(const struct reduce_parameters *p, const char *x, int64_t stride, int64_t n,
                                   int32_t member, int32_t lanes)
{
    struct specials all = {0};
    for (int64_t i = member; i < n; i += lanes) {
        element number = load_element(x + element_offset(p, stride, i), 0);
#pragma unroll
        for (int k = 0; k < COMPONENTS; k++) all.seen |= special_of_double(component(number, k));
    }
    for (int32_t half = lanes / 2; half > 0; half /= 2) all.seen |= specials_xor(all, (uint32_t)half).seen;
    return all;
}

/* Writes the result of a cell that has some. */
DEVICE_CALL void specials_finish(const struct reduce_parameters *p, struct specials specials, int64_t cell)
{
    struct state s;
    uint32_t size = specials.seen & EXACT_NAN ? EXACT_NAN : EXACT_PLUS_INFINITY;
    state_open(&s);
#pragma unroll
    for (int i = 0; i < SUMS; i++) s.sum[i].special = specials.seen;
#if HAS_SPREAD
    s.sum[SUMS - 1].special = size;
#elif defined(PICK_MAGNITUDE)
    s.sum[0].special = size;
#else
    (void)size;
#endif
    finish_cell(p, &s, cell);
}
