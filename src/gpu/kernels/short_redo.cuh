/* SPDX-License-Identifier: MIT
 *
 * short_redo.cuh - sums again what could not be summed quickly: by pairs of doubles, or by the words of reduce.cu. No
 * include guard. */

#if IS_FLOAT
DEVICE int redo_by_pair(struct pair *pair, element x)
{
    return pair_add(pair, quick_number(x));
}

DEVICE void redo_by_words(struct state *s, element x)
{
    s->sum[0] = words_add_double(s->sum[0], quick_number(x), 0);
}
#else
/* What is exact in a pair has been tried. */
DEVICE int redo_by_pair(struct pair *pair, element x)
{
    (void)pair;
    (void)x;
    return 1;
}

DEVICE void redo_by_words(struct state *s, element x)
{
    const int64_t place = 0;
    state_absorb(s, &x, &x, &place, 1);
}
#endif

struct redone {
    struct pair pair;
    uint32_t lost;
};

SHUFFLE(redone)

/* The sum of a cell's elements by pairs, in every lane of a team; those that one lost are summed by words. Every lane
 * of a warp comes here; teams with nothing to do with a cell of -1. */
DEVICE_CALL void redo_cell(const struct reduce_parameters *p, const char *x, int64_t stride, int64_t cell,
                           int32_t lanes)
{
    int32_t member = (int32_t)threadIdx.x & (lanes - 1);
    int64_t n = cell < 0 ? 0 : p->length;
    struct redone sum = {{0, 0}, 0};
    for (int64_t i = member; i < n; i += lanes)
        sum.lost |= (uint32_t)redo_by_pair(&sum.pair, load_element(x + element_offset(p, stride, i), 0));
    for (int32_t half = lanes / 2; half > 0; half /= 2) {
        struct redone other = redone_down(sum, (uint32_t)half);
        sum.lost |= other.lost;
        sum.lost |= (uint32_t)pair_add(&sum.pair, other.pair.high);
        sum.lost |= (uint32_t)pair_add(&sum.pair, other.pair.low);
    }
    int failed = 0;
    if (member == 0 && cell >= 0) {
        struct offsets at = cell_offsets(p, cell);
        failed = sum.lost || !pair_finish(sum.pair, p->length, (char *)p->out + at.out * RESULT_SIZE);
    }
    failed = __shfl_sync(FULL_WARP, failed, (int32_t)(threadIdx.x & 31) - member);
    if (!__any_sync(FULL_WARP, failed)) return;
    struct state s;
    state_open(&s);
    for (int64_t i = member; i < n && failed; i += lanes)
        redo_by_words(&s, load_element(x + element_offset(p, stride, i), 0));
    for (int32_t half = lanes / 2; half > 0; half /= 2) {
        struct state other = state_down(s, (uint32_t)half);
        if (member + half < lanes) state_merge(&s, &other);
    }
    if (member == 0 && failed) finish_cell(p, &s, cell);
}
