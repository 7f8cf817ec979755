/* SPDX-License-Identifier: MIT
 *
 * strip_masked.cuh - bundles of strip_ends.cuh some elements of which are left out: what vectors at the ends have of
 * others is left out, too. All masks are under way before any is looked at. No include guard. */

/* Whether all lanes of a warp have all of their bundles: then none waits for others that go another way. */
DEVICE int bundle_is_whole(const struct walk *w, int64_t u)
{
#if ONE_COLUMN
    int64_t first = u - (int64_t)(threadIdx.x & 31), last = first + 31;
#else
    int64_t first = u, last = u;
#endif
    return first >= w->begin && last + (DEPTH - 1) * w->step < w->end;
}

DEVICE void load_whole(const struct walk *w, struct strip *strip, int64_t u, struct vector16 *v)
{
    const char *x = w->x + u * w->pitch;
    int64_t step = w->step * w->pitch;
    struct mask mask[DEPTH];
#pragma unroll
    for (int d = 0; d < DEPTH; d++) v[d] = load_vector(x + d * step);
#if WITH_WHERE
    const unsigned char *where = mask_at(w->p, x);
#pragma unroll
    for (int d = 0; d < DEPTH; d++) mask[d] = load_mask(where + d * (step / ELEMENT_SIZE));
#endif
#pragma unroll
    for (int d = 0; d < DEPTH; d++) strip_mask(strip, &v[d], &mask[d], WHOLE);
}

/* A bundle of which not all may be there. */
DEVICE void load_some(const struct walk *w, struct strip *strip, int64_t u, struct vector16 *v)
{
    int32_t range[DEPTH];
    struct mask mask[DEPTH];
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        int64_t here = u + d * w->step;
        int32_t from, to;
        const char *x = walk_unit(w, here, &from, &to);
        range[d] = here < w->units ? from | to << 8 : 0;
        memset(&v[d], 0, sizeof v[d]);
        memset(&mask[d], 0, sizeof mask[d]);
        if (range[d] == 0) continue;
        int inside = x >= w->p->low && x + 16 <= w->p->high;
        v[d] = inside ? load_vector(x) : load_elements(x, range[d]);
#if WITH_WHERE
        mask[d] = inside ? load_mask(mask_at(w->p, x)) : load_mask_part(mask_at(w->p, x), from, to);
#endif
    }
#pragma unroll
    for (int d = 0; d < DEPTH; d++) strip_mask(strip, &v[d], &mask[d], range[d]);
}

/* The bundle that begins at u; returns whether any vector is there. */
DEVICE int load_bundle(const struct walk *w, struct strip *strip, int64_t u, struct vector16 *v)
{
    if (bundle_is_whole(w, u)) load_whole(w, strip, u, v);
    else load_some(w, strip, u, v);
    return 1;
}
