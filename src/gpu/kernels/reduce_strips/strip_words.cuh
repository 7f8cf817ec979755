/* SPDX-License-Identifier: MIT
 *
 * strip_words.cuh - sums that no pair of doubles holds: a thread goes through its vectors once more and adds them to
 * words, one for each of a strip's totals. No include guard. */
#if ONE_COLUMN && REDUCED_NEST
DEVICE_CALL void walk_words(const struct walk *w, struct words *sums)
{
    words_clear(&sums[0]);
#pragma unroll 1
    for (int64_t run = w->first_run; run < w->runs; run += w->run_step) {
        struct spot spot = spot_of(w, run);
        struct part part = part_of(w, w->x + spot.x);
#pragma unroll 1
        for (int32_t unit = (int32_t)w->first; unit <= part.last; unit += LANES) {
            int32_t range = part_range(&part, unit);
            const char *x = part.x + unit * 16;
            struct vector16 v;
            if (range == WHOLE) v = load_vector(x);
            else v = load_elements(x, range);
#pragma unroll 1
            for (int k = range & 255; k < range >> 8; k++) {
#if IS_MASKED
                if (is_absent(w->p, x, k)) continue;
#endif
                sums[0] = words_add_double(sums[0], quick_number(load_element(&v, k)), 0);
            }
        }
    }
}
#else
static_assert(UNIT_BYTES < 16 || DEPTH <= 32, "a vector of a thread has a bit");
DEVICE_CALL void walk_words(const struct walk *w, struct words *sums)
{
#if ROW_BUNDLES
    const struct walk rows = walk_by_rows(w);
    w = &rows;
#endif
    for (int k = 0; k < STRIP_TOTALS; k++) words_clear(&sums[k]);
#pragma unroll 1
    for (int64_t u = w->first; u < w->units; u += w->far) {
        struct vector16 v[DEPTH];
        uint32_t whole = 0;
        int32_t from, to;
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            memset(&v[d], 0, sizeof v[d]);
            if (u + d * w->step >= w->units) continue;
            const char *x = walk_unit(w, u + d * w->step, &from, &to);
            if (UNIT_BYTES < 16 || FETCH_STAGES || IS_MASKED || from > 0 || to < IN_VECTOR) continue;
            v[d] = load_vector(x);
            whole |= 1u << d;
        }
#pragma unroll 1
        for (int i = 0; i < DEPTH * IN_VECTOR; i++) {
            int k = i / DEPTH, d = i % DEPTH;
            element x = load_element(&v[d], k);
            if (UNIT_BYTES < 16 || !(whole >> d & 1)) {
                if (u + d * w->step >= w->units) continue;
                const char *at = walk_unit(w, u + d * w->step, &from, &to);
                if (k < from || k >= to || at + PLACE_OF(k) * ELEMENT_SIZE >= w->p->high) continue;
                x = element_at(w->p, at, PLACE_OF(k));
            }
            sums[LANE_OF(k)] = words_add_double(sums[LANE_OF(k)], quick_number(x), 0);
        }
    }
}
#endif
