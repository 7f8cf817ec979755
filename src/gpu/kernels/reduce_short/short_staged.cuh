/* SPDX-License-Identifier: MIT
 *
 * short_staged.cuh - rows that vectors do not divide, behind each other or nearly so: a block copies p->split_units of
 * them to shared memory, and the same rows of a second array and of a mask behind them, and LANES neighbouring threads
 * share a row. No include guard. */

/* The vector at an address, of which a part may lie outside of an array. */
DEVICE_CALL struct vector16 load_end(const char *at, const char *begin, const char *end)
{
    uint64_t half[2] = {0, 0};
    struct vector16 v;
    for (int i = 0; i < 16; i++) {
        if (at + i >= begin && at + i < end) half[i / 8] |= (uint64_t) * (const uint8_t *)(at + i) << i % 8 * 8;
    }
    memcpy(&v, half, sizeof v);
    return v;
}

/* Rows that begin whole vectors apart are a vector more apart in shared memory, where all would lie at the same banks.
 */
enum { LEAST_SPREAD = 32 };

DEVICE int can_spread(int64_t apart)
{
    return apart >= LEAST_SPREAD && apart % 16 == 0;
}

/* Where rows lie in shared memory. */
struct place {
    const char *first;
    int32_t apart;
};

/* Bytes of an array [begin, end) to shared memory, of rows that lie some bytes apart. */
DEVICE struct place stage(const char *first, int32_t bytes, int32_t apart, const char *begin, const char *end,
                          struct vector16 *room)
{
    enum { AT_ONCE = 4 };
    int32_t before = (int32_t)((uintptr_t)first & 15), count = (before + bytes + 15) / 16;
    int32_t in_row =
        can_spread(apart) && before == 0 ? apart / 16 : 0x7fffffff; /* vectors before each one that is left out */
    struct place place = {(const char *)room + before, in_row == 0x7fffffff ? apart : apart + 16};
    const char *x = first - before;
    for (int32_t i = (int32_t)threadIdx.x; i < count; i += AT_ONCE * THREADS) {
        struct vector16 v[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const char *at = x + (int64_t)(i + k * THREADS) * 16;
            if (i + k * THREADS >= count) continue;
            v[k] = at >= begin && at + 16 <= end ? load_vector(at) : load_end(at, begin, end);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            int32_t at = i + k * THREADS;
            if (at < count) room[at + at / in_row] = v[k];
        }
    }
    return place;
}

/* A row in shared memory, and all. */
struct staged {
    const char *x;
#if WITH_SECOND
    const char *y;
#endif
#if WITH_WHERE
    const char *where;
#endif
};

struct stages {
    struct place x;
#if WITH_SECOND
    struct place y;
#endif
#if WITH_WHERE
    struct place where;
#endif
};

/* Vectors of shared memory that rows may take, wherever they begin. */
DEVICE int32_t room_of(int64_t rows, int64_t apart, int64_t bytes)
{
    return (int32_t)(((rows - 1) * apart + bytes + 15) / 16 + 1 + (can_spread(apart) ? rows : 0));
}

DEVICE struct stages stage_rows(const struct reduce_parameters *p, int64_t first, int32_t rows, struct vector16 *room)
{
    struct stages s;
    int64_t bytes = p->length * ELEMENT_SIZE, apart = p->kept[0].x * ELEMENT_SIZE;
    s.x = stage((const char *)p->x + first * apart, (int32_t)((rows - 1) * apart + bytes), (int32_t)apart, p->low,
                p->high, room);
    room += room_of(p->split_units, apart, bytes);
#if WITH_SECOND
    apart = p->kept[0].y * ELEMENT_SIZE;
    s.y = stage((const char *)p->y + first * apart, (int32_t)((rows - 1) * apart + bytes), (int32_t)apart,
                (const char *)p->y, (const char *)p->y + (p->cells - 1) * apart + bytes, room);
    room += room_of(p->split_units, apart, bytes);
#endif
#if WITH_WHERE
    bytes = p->length, apart = p->kept[0].where;
    s.where = stage((const char *)p->where + first * apart, (int32_t)((rows - 1) * apart + bytes), (int32_t)apart,
                    (const char *)p->where, (const char *)p->where + (p->cells - 1) * apart + bytes, room);
#endif
    __syncthreads();
    return s;
}

DEVICE struct staged row_of(const struct stages *s, int32_t row)
{
    struct staged at;
    at.x = s->x.first + row * s->x.apart;
#if WITH_SECOND
    at.y = s->y.first + row * s->y.apart;
#endif
#if WITH_WHERE
    at.where = s->where.first + row * s->where.apart;
#endif
    return at;
}

/* The elements that a thread takes from a row at once, where rows are made of so many bytes. */
enum { IN_STAGED = STAGED_BYTES / ELEMENT_SIZE };

#if HAS_ABSENT || WITH_SECOND
DEVICE int is_absent(const struct staged *at, int32_t i)
{
#if WITH_WHERE
    if (at->where[i] == 0) return 1;
#endif
#if SKIP_NAN && WITH_SECOND
    if (element_is_nan(load_element(at->y, i))) return 1;
#endif
    return SKIP_NAN && element_is_nan(load_element(at->x, i));
}

/* The elements of a row that are a thread's; returns how many of them are absent. */
DEVICE int32_t add_row(struct quick *q, struct watch *watch, const struct staged *at, int32_t length, int32_t member)
{
    int32_t absent = 0, first = 0;
#if !WITH_SECOND
    while (IS_RELATIVE && first < length && is_absent(at, first)) first++;
    origin from = origin_of(load_element(at->x, first < length ? first : 0));
#endif
    (void)first;
#pragma unroll 4
    for (int32_t i = member; i < length; i += LANES) {
        if (HAS_ABSENT && is_absent(at, i)) {
            absent++;
            continue;
        }
#if WITH_SECOND
        product_add(q, watch, load_element(at->x, i), load_element(at->y, i));
#else
        number_add(q, watch, from, load_element(at->x, i), i);
#endif
    }
    return absent;
}
#else
DEVICE void add_staged(struct quick *q, struct watch *watch, origin from, const char *at, int32_t place)
{
#if STAGED_BYTES > ELEMENT_BYTES
    struct vector16 v;
    memset(&v, 0, sizeof v);
    for (int i = 0; i < STAGED_BYTES / 4; i++) v.word[i] = ((const uint32_t *)at)[i];
    vector_add(q, watch, from, &v, 0, IN_STAGED, place);
#else
    number_add(q, watch, from, load_element(at, 0), place);
#endif
}

DEVICE int32_t add_row(struct quick *q, struct watch *watch, const struct staged *at, int32_t length, int32_t member)
{
    origin from = origin_of(load_element(at->x, 0));
#pragma unroll 4
    for (int32_t i = member; i < length / IN_STAGED; i += LANES)
        add_staged(q, watch, from, at->x + i * STAGED_BYTES, i * IN_STAGED);
    return 0;
}
#endif

DEVICE void reduce_short(const struct reduce_parameters *p)
{
    DYNAMIC_SHARED(struct vector16, room);
    enum { TEAMS = THREADS / LANES };
    int64_t first = (p->first_block + blockIdx.x) * p->split_units, left = p->cells - first;
    int32_t rows = (int32_t)(left < p->split_units ? left : p->split_units), length = (int32_t)p->length;
    int32_t team = (int32_t)threadIdx.x / LANES, member = (int32_t)threadIdx.x % LANES;
    const struct stages all = stage_rows(p, first, rows, room);
    int64_t out_step = p->kept[p->kept_count - 1].out * RESULT_SIZE;
    for (int32_t base = 0; base < rows; base += TEAMS) {
        struct quick q = quick_begin();
        struct watch watch = watch_begin();
        int32_t row = base + team;
        const struct staged at = row_of(&all, row < rows ? row : 0);
        int64_t n = length - add_row(&q, &watch, &at, length, member);
        if (HAS_ABSENT) n = team_total(n, LANES) - (LANES - 1) * length;
#pragma unroll
        for (int distance = LANES / 2; distance > 0; distance /= 2) {
            watch_merge(&watch, watch_xor(watch, (uint32_t)distance));
            quick_merge(&q, &watch, quick_xor(q, (uint32_t)distance));
        }
        __align__(16) char result[STORED_SIZE];
        int failed = !quick_settle(p, &q, &watch, n, first + row, result) & (row < rows);
        if (row < rows && member == 0) store_results(p, (char *)p->out + (first + row) * out_step, result, 1);
        failed = __shfl_sync(FULL_WARP, failed, (int32_t)(threadIdx.x & 31) - member); /* of what was stored */
        if (__any_sync(FULL_WARP, failed))
            redo_cell(p, (const char *)p->x + (first + row) * p->kept[0].x * ELEMENT_SIZE, ELEMENT_SIZE,
                      failed ? first + row : -1, LANES);
    }
}
