/* SPDX-License-Identifier: MIT
 *
 * short_redo.cuh - sums again what could not be summed quickly: in three doubles, or by the words of reduce.cu. No
 * include guard. */

#if WITH_SECOND
DEVICE void redo_nearly(struct near_sum *sum, element x, element y)
{
    product_add_nearly(sum, x, y);
}

DEVICE void redo_by_words(struct state *s, element x, element y)
{
#if IS_NARROW
    s->sum[0] = words_add_double(s->sum[0], (double)x.v * (double)y.v, 0);
#else
    s->sum[0] = words_add_product(s->sum[0], (double)x.v, (double)y.v);
#endif
}
#elif IS_FLOAT
DEVICE void redo_nearly(struct near_sum *sum, element x, element y)
{
    (void)y;
    near_add(sum, quick_number(x));
}

DEVICE void redo_by_words(struct state *s, element x, element y)
{
    (void)y;
    s->sum[0] = words_add_double(s->sum[0], quick_number(x), 0);
}
#else
/* What is exact in a double has been tried. */
DEVICE void redo_nearly(struct near_sum *sum, element x, element y)
{
    (void)x, (void)y;
    sum->off = (double)NAN;
}

DEVICE void redo_by_words(struct state *s, element x, element y)
{
    const int64_t place = 0;
    (void)y;
    state_absorb(s, &x, &x, &place, 1);
}
#endif

SHUFFLE(near_sum)

/* The sum of a cell's elements in three doubles; by words, where what these lost could matter. Every lane of a warp
 * comes here; teams with nothing to do with a cell of -1. */
DEVICE_CALL void redo_cell(const struct reduce_parameters *p, const char *x, int64_t stride, int64_t cell,
                           int32_t lanes)
{
    int32_t member = (int32_t)threadIdx.x & (lanes - 1);
    int64_t n = cell < 0 ? 0 : p->length, absent = 0;
#if IS_FLOAT && !IS_NARROW && !HAS_ABSENT && !WITH_SECOND
    struct specials specials = specials_of(p, x, stride, n, member, lanes);
    if (specials.seen) {
        if (member == 0 && cell >= 0) specials_finish(p, specials, cell);
        cell = -1;
        n = 0;
    }
#endif
    struct near_sum sum = {{0, 0}, 0, 0};
    const struct members m = members_of(p, x, stride, cell);
    for (int64_t i = member; i < n; i += MEMBERS * lanes) {
        const struct some_members some = some_members_of(p, &m, i, lanes, n);
        absent += some.absent;
        for (int k = 0; k < MEMBERS; k++)
            if (some.present >> k & 1) redo_nearly(&sum, some.x[k], some.y[k]);
    }
    for (int32_t half = lanes / 2; half > 0; half /= 2) {
        struct near_sum other = near_sum_down(sum, (uint32_t)half);
        near_merge(&sum, &other);
    }
    int64_t present = n - (HAS_ABSENT ? team_total(absent, lanes) : 0);
    int failed = 0;
    if (member == 0 && cell >= 0)
        failed =
            present == 0 || !near_store(p, &sum, present, (char *)p->out + cell_offsets(p, cell).out * RESULT_SIZE);
    failed = __shfl_sync(FULL_WARP, failed, (int32_t)(threadIdx.x & 31) - member);
    if (!__any_sync(FULL_WARP, failed)) return;
    struct state s;
    state_open(&s);
    for (int64_t i = member; i < n && failed; i += MEMBERS * lanes) {
        const struct some_members some = some_members_of(p, &m, i, lanes, n);
        for (int k = 0; k < MEMBERS; k++)
            if (some.present >> k & 1) redo_by_words(&s, some.x[k], some.y[k]);
    }
    for (int32_t half = lanes / 2; half > 0; half /= 2) {
        struct state other = state_down(s, (uint32_t)half);
        if (member + half < lanes) state_merge(&s, &other);
    }
    s.absent = n - present;
    if (member == 0 && failed) finish_cell(p, &s, cell);
}
