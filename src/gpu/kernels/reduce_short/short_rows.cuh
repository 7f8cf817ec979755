/* SPDX-License-Identifier: MIT
 *
 * short_rows.cuh - rows of whole vectors. LANES neighbouring threads share a row, EACH vectors of it at once, and have
 * ROWS rows under way; IN_ROW is the elements of a row where a vector holds several, else IN_VECTOR. Rows without gaps
 * are read as consecutive memory. RAGGED: they begin and end inside of vectors. COUNTS_OF_ROWS: results depend on how
 * many elements are absent. No include guard. */

#include "vector_part.cuh"

#include "short_left_out.cuh"

enum { TEAMS = 32 / LANES, PER = IN_VECTOR / IN_ROW };

/* Rows of which a warp takes ROWS * TEAMS; where a vector holds several rows, they count as one. */
struct batch {
    int64_t first; /* of the warp */
    int32_t count; /* that there are */
    int32_t team, member;
};

DEVICE struct batch batch_of(const struct reduce_parameters *p)
{
    struct batch b;
    int32_t lane = (int32_t)threadIdx.x & 31;
    int64_t all = (p->cells + PER - 1) / PER;
    b.first = ((p->first_block + blockIdx.x) * (THREADS / 32) + (threadIdx.x >> 5)) * (ROWS * TEAMS);
    int64_t left = all - b.first;
    b.count = left > ROWS * TEAMS ? ROWS * TEAMS : left < 0 ? 0 : (int32_t)left;
    b.team = lane / LANES;
    b.member = lane % LANES;
    return b;
}

#if LANES == 1
/* The last rows, when they do not fill a vector. */
DEVICE_CALL struct vector16 load_last(const char *x, int64_t elements)
{
    const int parts = ELEMENT_SIZE / sizeof(storage);
    storage stored[IN_VECTOR * parts];
    struct vector16 v;
    memset(stored, 0, sizeof stored);
    for (int i = 0; i < elements * parts; i++) stored[i] = ((const storage *)x)[i];
    memcpy(&v, stored, sizeof v);
    return v;
}

DEVICE void reduce_short(const struct reduce_parameters *p)
{
    struct batch b = batch_of(p);
    struct vector16 v[ROWS];
    int64_t apart = PER == 1 ? p->kept[0].x * ELEMENT_SIZE : 16;
    const char *x = (const char *)p->x + (b.first + b.team) * apart;
    int64_t cell = (b.first + b.team) * PER, out_step = p->kept[p->kept_count - 1].out * RESULT_SIZE;
    char *out = (char *)p->out + cell * out_step;
    uint32_t failed = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int64_t cells = p->cells - cell - r * 32 * PER;
        memset(&v[r], 0, sizeof v[r]);
        if (cells >= PER) v[r] = load_vector(x + r * 32 * apart);
        else if (cells > 0) v[r] = load_last(x + r * 32 * apart, cells * IN_ROW);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        __align__(16) char results[PER * STORED_SIZE];
        struct watch watch = watch_begin();
        int64_t cells = p->cells - cell - r * 32 * PER;
        int stored = 1;
#pragma unroll
        for (int k = 0; k < PER; k++) {
            struct quick q = vector_sums(&watch, &v[r], k * IN_ROW, (k + 1) * IN_ROW);
            stored &= quick_settle(p, &q, &watch, IN_ROW, cell + r * 32 * PER + k, results + k * STORED_SIZE);
        }
        failed |= (uint32_t)!stored << r;
        char *to = out + r * 32 * PER * out_step;
        if (cells >= PER) store_results(p, to, results, PER);
        for (int k = 0; k < PER - 1 && cells < PER; k++) {
            if (k < cells) store_result(to + k * out_step, results + k * STORED_SIZE);
        }
    }
    if (!__any_sync(FULL_WARP, failed != 0)) return;
    /* each lane its next one, until none has any */
    for (; __any_sync(FULL_WARP, failed != 0); failed &= failed - 1) {
        int r = failed ? __ffs((int)failed) - 1 : 0;
#pragma unroll 1
        for (int k = 0; k < PER; k++) {
            int64_t at = r * 32 * PER + k;
            redo_cell(p, x + r * 32 * apart + k * IN_ROW * ELEMENT_SIZE, ELEMENT_SIZE,
                      failed && cell + at < p->cells ? cell + at : -1, 1);
        }
    }
}
#else
/* Halves the rows that a thread has a part of until it has one, or as many as it must, whole. Returns the first. */
DEVICE int32_t exchange(struct quick *q, int32_t *absent, struct watch *watch, int32_t member)
{
    int32_t first = 0, rows = ROWS;
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        int upper = (member & distance) != 0;
        watch_merge(watch, watch_xor(*watch, (uint32_t)distance));
        if (rows == 1) {
            quick_merge(&q[0], watch, quick_xor(q[0], (uint32_t)distance));
            if (COUNTS_OF_ROWS) absent[0] += __shfl_xor_sync(FULL_WARP, absent[0], distance);
            continue;
        }
        rows /= 2;
        if (upper) first += rows;
#pragma unroll
        for (int r = 0; r < rows; r++) {
            struct quick mine = quick_of_two(upper, q[r + rows], q[r]), other = quick_of_two(upper, q[r], q[r + rows]);
            quick_merge(&mine, watch, quick_xor(other, (uint32_t)distance));
            q[r] = mine;
            if (!COUNTS_OF_ROWS) continue;
            int32_t count = upper ? absent[r + rows] : absent[r], rest = upper ? absent[r] : absent[r + rows];
            absent[r] = count + __shfl_xor_sync(FULL_WARP, rest, distance);
        }
    }
    return first;
}

/* A thread's rows of a batch. */
struct reach {
    const char *x;       /* RAGGED: the first row; else the thread's next vector of it */
    int64_t pitch;       /* RAGGED: from one of its rows to the next; else from any row to the next */
    int32_t rows, units; /* that there are; of rows, too, those of other threads are counted unless RAGGED */
};

/* Vectors that are under way, and their masks. */
struct vectors {
    struct vector16 of[ROWS][EACH];
    struct mask mask[ROWS][EACH];
};

#if RAGGED
/* Vector u of a row, as far as it is the row's. */
DEVICE int32_t range_in_row(const struct reduce_parameters *p, const struct reach *reach, int r, int32_t u)
{
    int32_t first = u * IN_VECTOR - elements_ahead(reach->x + r * reach->pitch);
    return r < reach->rows ? range_within(first, (int32_t)p->length) : 0;
}

DEVICE void load_rows(const struct reduce_parameters *p, const struct reach *reach, int32_t u, struct vectors *v)
{
#pragma unroll
    for (int i = 0; i < ROWS * EACH; i++) {
        int r = i / EACH, e = i % EACH;
        const char *row = reach->x + r * reach->pitch;
        int32_t range = range_in_row(p, reach, r, u + e * LANES);
        memset(&v->of[r][e], 0, 16);
        if (range) v->of[r][e] = load_range(p, row - ((uintptr_t)row & 15) + (u + e * LANES) * 16, range);
    }
}

DEVICE void add_rows(const struct reduce_parameters *p, const struct reach *reach, int32_t u, struct quick *q,
                     struct watch *watch, const origin *from, struct left_out *left, struct vectors *v)
{
#pragma unroll
    for (int i = 0; i < ROWS * EACH; i++) {
        int r = i / EACH, e = i % EACH;
        int32_t range = range_in_row(p, reach, r, u + e * LANES);
        if (range == 0) continue;
        leave_out(&left[r], reach->x + r * reach->pitch, &v->of[r][e], &v->mask[r][e], range);
        /* steps that know places have whole vectors */
        vector_add(&q[r], watch, from[r], &v->of[r][e], 0, IN_VECTOR, 0);
    }
}
#else
DEVICE void load_rows(const struct reduce_parameters *p, const struct reach *reach, int32_t u, struct vectors *v)
{
    (void)p;
#pragma unroll
    for (int i = 0; i < ROWS * EACH; i++) {
        int r = i / EACH, e = i % EACH;
        const char *x = reach->x + r * TEAMS * reach->pitch + e * LANES * 16;
        int there = r * TEAMS < reach->rows && u + e * LANES < reach->units;
        memset(&v->of[r][e], 0, 16);
        if (there) v->of[r][e] = load_vector(x);
#if WITH_WHERE
        memset(&v->mask[r][e], 255, sizeof v->mask[r][e]); /* rows that are not there miss nothing */
        if (there) v->mask[r][e] = load_mask(p->where + (x - (const char *)p->x) / ELEMENT_SIZE);
#endif
    }
}

DEVICE void add_rows(const struct reduce_parameters *p, const struct reach *reach, int32_t u, struct quick *q,
                     struct watch *watch, const origin *from, struct left_out *left, struct vectors *v)
{
    (void)p;
#pragma unroll
    for (int i = 0; i < ROWS * EACH; i++) {
        int r = i / EACH, e = i % EACH;
        int32_t place = (u + e * LANES) * IN_VECTOR;
        if (u + e * LANES >= reach->units) continue;
#if HAS_ABSENT
        leave_out(&left[r], reach->x, &v->of[r][e], &v->mask[r][e], WHOLE);
#endif
        vector_add(&q[r], watch, from[r], &v->of[r][e], 0, IN_VECTOR, place);
    }
}
#endif

/* What the rows' numbers are relative to. */
DEVICE void set_origins(const struct reduce_parameters *p, const struct reach *reach, const struct vectors *v,
                        int32_t member, origin *from, struct left_out *left)
{
    (void)p, (void)reach, (void)v, (void)member, (void)left;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#if RAGGED
        if (IS_RELATIVE && r < reach->rows) from[r] = origin_of_row(p, &left[r], reach->x + r * reach->pitch);
#elif HAS_ABSENT
        from[r] = origin_of_vectors(&left[r], v->of[r][0], &v->mask[r][0], member);
#else
        from[r] = origin_of_team(vector_element(&v->of[r][0], 0), member);
#endif
    }
}

DEVICE void reduce_short(const struct reduce_parameters *p)
{
    struct batch b = batch_of(p);
    struct quick q[ROWS];
    origin from[ROWS];
    struct left_out left[ROWS];
    int32_t absent[ROWS];
    struct watch watch = watch_begin();
    int64_t row = b.first + b.team, pitch = p->kept[0].x * ELEMENT_SIZE;
    const char *x = (const char *)p->x + row * pitch;
#if RAGGED
    struct reach reach = {x, TEAMS * pitch, (b.count - b.team + TEAMS - 1) / TEAMS, (int32_t)p->row_units};
#else
    struct reach reach = {x + b.member * 16, pitch, b.count - b.team, (int32_t)p->row_units};
#endif
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        q[r] = quick_begin();
        from[r] = NO_ORIGIN;
        memset(&left[r], 0, sizeof left[r]);
    }
    for (int32_t u = b.member; u < reach.units + b.member; u += LANES * EACH) {
        struct vectors v;
        load_rows(p, &reach, u, &v);
        if (u == b.member) set_origins(p, &reach, &v, b.member, from, left);
        add_rows(p, &reach, u, q, &watch, from, left, &v);
        if (!RAGGED) reach.x += LANES * EACH * 16;
    }
    enum { OWN = ROWS > LANES ? ROWS / LANES : 1, COPIES = ROWS > LANES ? 1 : LANES / ROWS };
#pragma unroll
    for (int r = 0; r < ROWS; r++) absent[r] = left[r].count;
    int32_t first = exchange(q, absent, &watch, b.member);
    uint32_t failed = 0;
    int64_t out_step = p->kept[p->kept_count - 1].out * RESULT_SIZE;
#pragma unroll
    for (int r = 0; r < OWN; r++) {
        int32_t here = (first + r) * TEAMS + b.team;
        int64_t n = p->length - (COUNTS_OF_ROWS ? absent[r] : 0);
        __align__(16) char result[STORED_SIZE];
        failed |= (uint32_t)!quick_settle(p, &q[r], &watch, n, b.first + here, result) << (first + r);
        if (here < b.count && b.member % COPIES == 0)
            store_results(p, (char *)p->out + (b.first + here) * out_step, result, 1);
    }
    if (!__any_sync(FULL_WARP, failed != 0)) return;
    __syncwarp(); /* what other lanes stored is stored before */
    for (int distance = LANES / 2; distance > 0; distance /= 2) failed |= __shfl_xor_sync(FULL_WARP, failed, distance);
#pragma unroll 1
    for (int r = 0; r < ROWS; r++) {
        int64_t cell = (failed >> r & 1) && r * TEAMS + b.team < b.count ? row + r * TEAMS : -1;
        if (__any_sync(FULL_WARP, cell >= 0)) redo_cell(p, x + r * TEAMS * pitch, ELEMENT_SIZE, cell, LANES);
    }
}
#endif
