/* SPDX-License-Identifier: MIT
 *
 * strip_words.cuh - sums that no pair of doubles holds: a thread goes through its vectors once more and adds them to
 * words, one for each of a strip's totals. No include guard. */
DEVICE_CALL void walk_words(const struct walk *w, struct words *sums)
{
    for (int k = 0; k < STRIP_TOTALS; k++) words_clear(&sums[k]);
#pragma unroll 1
    for (int64_t u = w->first; u < w->units; u += w->far) {
        struct vector16 v[DEPTH];
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            int64_t here = u + d * w->step;
            memset(&v[d], 0, sizeof v[d]);
            if (here >= w->begin && here < w->end) v[d] = load_vector(w->x + here * w->pitch);
        }
#pragma unroll 1
        for (int i = 0; i < DEPTH * IN_VECTOR; i++) {
            int k = i / DEPTH, d = i % DEPTH;
            int64_t here = u + d * w->step;
            element x = load_element(&v[d], k);
            if (here < w->begin || here >= w->end) {
                int32_t from = here == 0 ? w->head : 0, to = here == w->units - 1 ? w->tail : IN_VECTOR;
                if (here >= w->units || k < from || k >= to) continue;
                x = load_element(w->x + here * w->pitch, k);
            }
            sums[LANE_OF(k)] = words_add_double(sums[LANE_OF(k)], quick_number(x), 0);
        }
    }
}
