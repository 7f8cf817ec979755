/* SPDX-License-Identifier: MIT
 *
 * short_words.cuh - rows that vectors do not divide, behind each other or nearly so: a block copies p->split_units of
 * them to shared memory, where LANES neighbouring threads go through a row: one by words, several by vectors. What a
 * word or a vector has of other rows gives way to what counts for nothing. No include guard. */
#include "short_stage.cuh"

#include "short_left_out.cuh"

#if LANES > 1
/* The vectors of a row but the first and the last lie inside of it. */
DEVICE void add_row(struct quick *q, struct watch *watch, origin from, struct left_out *left, const char *row,
                    int32_t bytes, int32_t member)
{
    int32_t ahead = (int32_t)((uintptr_t)row & 15), last = (ahead + bytes - 1) / 16;
    const struct vector16 *x = (const struct vector16 *)(row - ahead);
    int32_t to = (ahead + bytes - last * 16) / ELEMENT_SIZE;
    int32_t range = member == 0 ? (ahead / ELEMENT_SIZE) | (int32_t)WHOLE : member == 1 ? to << 8 : 0;
    struct vector16 end = x[member == 0 ? 0 : last];
    const struct mask none = {0};
    leave_out(left, row, &end, &none, range);
    vector_add(q, watch, from, &end, 0, IN_VECTOR, 0);
#pragma unroll 4
    for (int32_t i = 1 + member; i < last; i += LANES) {
        struct vector16 v = x[i]; /* read once, not element by element */
        leave_out(left, row, &v, &none, WHOLE);
        vector_add(q, watch, from, &v, 0, IN_VECTOR, 0);
    }
}
#elif ELEMENT_BYTES >= 4
DEVICE void add_row(struct quick *q, struct watch *watch, origin from, struct left_out *left, const char *row,
                    int32_t bytes, int32_t member)
{
    enum { PARTS = ELEMENT_SIZE / sizeof(storage) };
    const storage *x = (const storage *)row;
    const struct mask none = {0};
    int32_t length = bytes / ELEMENT_SIZE, i = 0;
    (void)member;
#pragma unroll 1
    for (; i + IN_VECTOR <= length; i += IN_VECTOR) {
        struct vector16 v;
        storage stored[16 / sizeof(storage)];
#pragma unroll
        for (int k = 0; k < (int)(16 / sizeof(storage)); k++) stored[k] = x[i * PARTS + k];
        memcpy(&v, stored, sizeof v);
        leave_out(left, row, &v, &none, WHOLE);
        vector_add(q, watch, from, &v, 0, IN_VECTOR, 0);
    }
#pragma unroll
    for (int k = 0; k < IN_VECTOR - 1; k++) {
        if (i + k >= length) break;
        element last = load_element(x, i + k);
        if (SKIP_NAN && element_is_nan(last)) left->count++;
        else number_add(q, watch, from, last, 0);
    }
}
#else
/* The words of a row but the first and the last lie inside of it. */
DEVICE void add_row(struct quick *q, struct watch *watch, origin from, struct left_out *left, const char *row,
                    int32_t bytes, int32_t member)
{
    enum { ALL = IN_VECTOR, SOME = ZERO_IS_NOTHING ? IN_VECTOR / 2 : ALL }; /* extremes are quicker of all */
    int32_t ahead = (int32_t)((uintptr_t)row & 3), last = (ahead + bytes - 1) / 4, i = 1;
    const uint32_t *x = (const uint32_t *)(row - ahead);
    const struct mask no_mask = {0};
    uint32_t none = filling_of(left, row).word[0], before = 0xffffffffu << 8 * ahead;
    uint32_t behind = 0xffffffffu >> 8 * (4 * last + 3 - (ahead + bytes - 1));
    struct vector16 ends = {{none, none, none, none}}, rest = ends;
    (void)member;
    if (last == 0) before &= behind;
    ends.word[0] = (x[0] & before) | (none & ~before);
    if (last > 0) ends.word[1] = (x[last] & behind) | (none & ~behind);
#pragma unroll 1
    for (; i + 4 <= last; i += 4) {
        struct vector16 v = {{x[i], x[i + 1], x[i + 2], x[i + 3]}};
        leave_out(left, row, &v, &no_mask, WHOLE);
        vector_add(q, watch, from, &v, 0, ALL, 0);
    }
#pragma unroll
    for (int k = 0; k < 2; k++) {
        if (i + k < last) ends.word[2 + k] = x[i + k];
    }
    leave_out(left, row, &ends, &no_mask, WHOLE);
    vector_add(q, watch, from, &ends, 0, ALL, 0);
    if (i + 2 >= last) return;
    rest.word[0] = x[i + 2];
    leave_out(left, row, &rest, &no_mask, WHOLE);
    vector_add(q, watch, from, &rest, 0, SOME, 0);
}
#endif

DEVICE void reduce_short(const struct reduce_parameters *p)
{
    DYNAMIC_SHARED(struct vector16, room);
    enum { TEAMS = THREADS / LANES };
    int64_t first = (p->first_block + blockIdx.x) * p->split_units, left = p->cells - first;
    int32_t rows = (int32_t)(left < p->split_units ? left : p->split_units);
    int32_t bytes = (int32_t)p->length * ELEMENT_SIZE, apart = (int32_t)p->kept[0].x * ELEMENT_SIZE;
    int32_t team = (int32_t)threadIdx.x / LANES, member = (int32_t)threadIdx.x % LANES;
    const char *x = stage(p, first * apart, (rows - 1) * apart + bytes, room);
    int64_t out_step = p->kept[p->kept_count - 1].out * RESULT_SIZE;
#pragma unroll 1
    for (int32_t base = 0; base < rows; base += TEAMS) {
        struct quick q = quick_begin();
        struct watch watch = watch_begin();
        int32_t row = base + team;
        struct left_out left;
        memset(&left, 0, sizeof left);
        const char *at = x + (row < rows ? row : 0) * apart;
        origin from = IS_RELATIVE ? origin_of_row(p, &left, at) : NO_ORIGIN;
        add_row(&q, &watch, from, &left, at, bytes, member);
#pragma unroll
        for (int distance = LANES / 2; distance > 0; distance /= 2) {
            watch_merge(&watch, watch_xor(watch, (uint32_t)distance));
            quick_merge(&q, &watch, quick_xor(q, (uint32_t)distance));
        }
        __align__(16) char result[STORED_SIZE];
        int64_t n = p->length - (COUNTS_OF_ROWS ? team_total(left.count, LANES) : 0);
        int failed = !quick_settle(p, &q, &watch, n, first + row, result) & (row < rows);
        if (row < rows && member == 0) store_results(p, (char *)p->out + (first + row) * out_step, result, 1);
        failed = __shfl_sync(FULL_WARP, failed, (int32_t)(threadIdx.x & 31) - member); /* of what was stored */
        if (__any_sync(FULL_WARP, failed))
            redo_cell(p, (const char *)p->x + (first + row) * apart, ELEMENT_SIZE, failed ? first + row : -1, LANES);
    }
}
