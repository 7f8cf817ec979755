/* SPDX-License-Identifier: MIT
 *
 * reduce_ordered_rows.cu - folds in the fixed-shape tree of docs/semantics.md along rows that are no longer than a
 * leaf. TEAM neighbouring threads share a row. Each has PACK neighbouring lanes of it, and those that lie TEAM * PACK,
 * 2 * TEAM * PACK, ... behind: the halves that are joined first are a thread's own, the next ones threads exchange, and
 * what is left is again a thread's own. A team has ROWS rows under way, and of these steps it gives half away at each
 * exchange.
 *   LANES_OF_ROW  the lanes that have elements, rounded up to a power of two
 *   STEPS         of so many elements of a row, that are read at once
 *   ONE_STEP      1: a row has no more elements than lanes
 *   NEIGHBOURS    1: its elements lie side by side
 *   TURNED        1: rows begin inside of packs, which are whole vectors. Elements before the first one are left out,
 *                 and lane l is held where another row has lane l + the number of these. Whatever that is, lanes that
 *                 are to be joined stand half of all apart, and which of them comes first does not show
 *   KEPT_NEST     loops that lead from row to row */
#include "team.cuh"

#include "ordered_steps.cuh"

#include "shuffle.cuh"

enum {
    TEAMS = 32 / TEAM,                  /* of a warp */
    HELD = LANES_OF_ROW / (TEAM * PACK) /* packs of lanes of a thread */
};

static_assert(HELD * TEAM * PACK == LANES_OF_ROW && (PACK == 1 || NEIGHBOURS), "threads share all lanes of a row");

#define HAS_ABSENT (WITH_WHERE || SKIP_NAN)

#if TURNED
enum { IN_VECTOR = PACK };
#include "vector_part.cuh"
#endif

/* Neighbouring elements as they lie in memory. */
struct pack {
    storage stored[PACK * ELEMENT_SIZE / sizeof(storage)];
};

/* Neighbouring lanes of a row; elements of it that are absent. */
struct sums {
    struct FOLD(lane) lane[PACK];
#if HAS_ABSENT
    int32_t absent;
#endif
};

SHUFFLE(sums)

/* What a thread reads of a row at once. */
struct some {
    struct pack x[STEPS][HELD];
#if WITH_SECOND
    struct pack y[STEPS][HELD];
#endif
#if WITH_WHERE
    unsigned char present[STEPS][HELD];
#endif
};

/* Rows of a warp. */
struct batch {
    int64_t first;
    int32_t count; /* that there are */
    int32_t team, member;
};

DEVICE struct batch batch_of(const struct reduce_parameters *p)
{
    struct batch b;
    int32_t thread = (int32_t)threadIdx.x & 31;
    b.first = ((p->first_block + blockIdx.x) * (THREADS / 32) + (threadIdx.x >> 5)) * (ROWS * TEAMS);
    int64_t left = p->cells - b.first;
    b.count = left > ROWS * TEAMS ? ROWS * TEAMS : left < 0 ? 0 : (int32_t)left;
    b.team = thread / TEAM;
    b.member = thread % TEAM;
    return b;
}

/* A row: its elements, or the pack that has the first of them, and elements of that which lie before it. */
struct row {
    struct cell cell;
    int32_t ahead;
};

/* The team's row i. Behind the last one there are none: it is read again. */
DEVICE struct row row_of(const struct reduce_parameters *p, const struct batch *b, int32_t i)
{
    struct row row = {{0, 0, 0}, 0};
    int32_t k = b->team + TEAMS * i;
    k = k < b->count ? k : b->count - 1;
#if KEPT_NEST > 1
    row.cell = cell_of(p, b->first + k);
#else
    int64_t number = b->first + k;
    row.cell.x = (const char *)p->x + number * p->kept[0].x * ELEMENT_SIZE;
    row.cell.y = WITH_SECOND ? (const char *)p->y + number * p->kept[0].y * ELEMENT_SIZE : 0;
    row.cell.where = WITH_WHERE ? p->where + number * p->kept[0].where : 0;
#endif
#if TURNED
    row.ahead = elements_ahead(row.cell.x);
    row.cell.x -= row.ahead * ELEMENT_SIZE;
#endif
    return row;
}

DEVICE struct pack load_pack(const char *from)
{
    struct pack pack;
    const int bytes = PACK * ELEMENT_SIZE;
    if (bytes == 16) {
        struct vector16 v = load_vector(from);
        memcpy(pack.stored, &v, sizeof pack);
    } else if (bytes == 8) {
        uint64_t v = *(const uint64_t *)from;
        memcpy(pack.stored, &v, sizeof pack);
    } else if (bytes == 4) {
        uint32_t v = *(const uint32_t *)from;
        memcpy(pack.stored, &v, sizeof pack);
    } else if (bytes == 2) {
        uint16_t v = *(const uint16_t *)from;
        memcpy(pack.stored, &v, sizeof pack);
    } else {
        *(uint8_t *)pack.stored = *(const uint8_t *)from;
    }
    return pack;
}

/* Whether element i + q of those from the first pack's on is the row's. */
DEVICE int is_in_row(const struct reduce_parameters *p, const struct row *row, int32_t i)
{
    return (uint32_t)(i - row->ahead) < (uint32_t)p->length;
}

/* The same of a pack. */
DEVICE int has_of_row(const struct reduce_parameters *p, const struct row *row, int32_t i)
{
    return TURNED ? i + PACK > row->ahead && i < row->ahead + (int32_t)p->length : i < p->length;
}

/* What is read of a row at once: whole steps; what it has of these; the same where that may be all that the operand
 * has of a pack. */
enum part { WHOLE_STEPS, SOME_STEPS, LAST_STEPS };

DEVICE struct pack load_part(const struct reduce_parameters *p, const struct row *row, const char *from, int32_t i,
                             enum part part)
{
#if TURNED
    if (part == LAST_STEPS) {
        struct pack pack;
        struct vector16 v = load_elements(from, range_within(i - row->ahead, p->length));
        memcpy(pack.stored, &v, sizeof pack);
        return pack;
    }
#endif
    (void)p, (void)row, (void)i, (void)part;
    return load_pack(from);
}

/* The steps from element i of the row on. */
DEVICE void load_some(const struct reduce_parameters *p, const struct row *row, int32_t i, enum part part,
                      struct some *some)
{
    int64_t x_stride = NEIGHBOURS ? 1 : p->reduced[0].x, y_stride = NEIGHBOURS ? 1 : p->reduced[0].y;
    const char *x = row->cell.x + i * x_stride * ELEMENT_SIZE, *y = row->cell.y + i * y_stride * ELEMENT_SIZE;
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
#pragma unroll
        for (int h = 0; h < HELD; h++) {
            int32_t k = s * LANES_OF_ROW + h * (TEAM * PACK);
            if (part != WHOLE_STEPS && !has_of_row(p, row, i + k)) continue;
            const char *from = x + k * x_stride * ELEMENT_SIZE;
            some->x[s][h] = load_part(p, row, from, i + k, part);
#if WITH_SECOND
            some->y[s][h] = load_pack(y + k * y_stride * ELEMENT_SIZE);
#endif
#if WITH_WHERE
            some->present[s][h] = row->cell.where[(i + k) * p->reduced[0].where];
#endif
        }
    }
    (void)y;
}

DEVICE void add_some(const struct reduce_parameters *p, const struct row *row, const struct some *some, int32_t i,
                     enum part part, struct sums *sums)
{
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
#pragma unroll
        for (int h = 0; h < HELD; h++) {
            int32_t k = i + s * LANES_OF_ROW + h * (TEAM * PACK);
            if (part != WHOLE_STEPS && !has_of_row(p, row, k)) continue;
#pragma unroll
            for (int q = 0; q < PACK; q++) {
                if (TURNED && part != WHOLE_STEPS && !is_in_row(p, row, k + q)) continue;
                element x = OF_ELEMENT(load)(some->x[s][h].stored, (size_t)q), y = x;
#if WITH_SECOND
                y = OF_ELEMENT(load)(some->y[s][h].stored, (size_t)q);
#endif
#if HAS_ABSENT
                int absent = SKIP_NAN && (element_is_nan(x) || (WITH_SECOND && element_is_nan(y)));
#if WITH_WHERE
                absent |= !some->present[s][h];
#endif
                sums[h].absent += absent;
                if (absent) continue;
#endif
                FOLD(lane_combine)(&sums[h].lane[q], FOLD(lift)(x, y));
            }
        }
    }
}

DEVICE struct sums join(struct sums a, struct sums b)
{
#pragma unroll
    for (int q = 0; q < PACK; q++) a.lane[q] = lane_sum(a.lane[q], b.lane[q]);
#if HAS_ABSENT
    a.absent += b.absent;
#endif
    return a;
}

/* The thread's lanes of the row, joined in halves until it has one pack. */
DEVICE struct sums halve_lanes(struct sums *sums)
{
#pragma unroll
    for (int half = TREE_LANES / 2; IDENTITY_SHOWS && half >= LANES_OF_ROW; half /= 2) {
#pragma unroll
        for (int h = 0; h < HELD; h++) {
#pragma unroll
            for (int q = 0; q < PACK; q++) sums[h].lane[q] = lane_sum(sums[h].lane[q], FOLD(lane_identity)());
        }
    }
#pragma unroll
    for (int half = HELD / 2; half > 0; half /= 2) {
#pragma unroll
        for (int h = 0; h < half; h++) sums[h] = join(sums[h], sums[h + half]);
    }
    return sums[0];
}

DEVICE void absorb_step(const struct reduce_parameters *p, const struct row *row, int32_t i, enum part part,
                        struct sums sums[ROWS][HELD])
{
    struct some some[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) load_some(p, &row[r], i, part, &some[r]);
#pragma unroll
    for (int r = 0; r < ROWS; r++) add_some(p, &row[r], &some[r], i, part, sums[r]);
}

/* All steps of a thread's rows; `part`: of those that are not whole. */
DEVICE void absorb_steps(const struct reduce_parameters *p, const struct batch *b, const struct row *row,
                         enum part part, struct sums sums[ROWS][HELD])
{
    const int32_t step = STEPS * LANES_OF_ROW, length = (int32_t)p->length, end = length + (TURNED ? PACK - 1 : 0);
    int32_t i = b->member * PACK, first = 0;
    if (ONE_STEP || TURNED) {
        absorb_step(p, row, i, part, sums);
        first += step;
    }
    if (ONE_STEP) return;
#pragma unroll 1
    for (; first + step <= length; first += step) absorb_step(p, row, first + i, WHOLE_STEPS, sums);
#pragma unroll 1
    for (; first < end; first += step) absorb_step(p, row, first + i, part, sums);
}

/* Whether the operand has all of the packs that a warp's rows lie in. */
DEVICE int are_inside(const struct reduce_parameters *p, const struct row *row)
{
    int inside = 1;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const char *end = row[r].cell.x + (row[r].ahead + p->length) * ELEMENT_SIZE;
        end += (0 - (uintptr_t)end) & 15;
        inside &= row[r].cell.x >= p->low && end <= p->high;
    }
    return __all_sync(FULL_WARP, inside);
}

/* A thread's lanes of ROWS rows. */
DEVICE void absorb_rows(const struct reduce_parameters *p, const struct batch *b, struct sums *total)
{
    struct sums sums[ROWS][HELD];
    struct row row[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        row[r] = row_of(p, b, r);
#pragma unroll
        for (int h = 0; h < HELD; h++) {
#pragma unroll
            for (int q = 0; q < PACK; q++) sums[r][h].lane[q] = FOLD(lane_identity)();
#if HAS_ABSENT
            sums[r][h].absent = 0;
#endif
        }
    }
    if (TURNED && !are_inside(p, row)) absorb_steps(p, b, row, LAST_STEPS, sums);
    else absorb_steps(p, b, row, SOME_STEPS, sums);
#pragma unroll
    for (int r = 0; r < ROWS; r++) total[r] = halve_lanes(sums[r]);
}

/* Joins with the other thread of the team that `distance` tells apart, whose lanes lie behind if it is the upper one.
 */
DEVICE struct sums join_across(struct sums mine, struct sums given, int32_t distance, int upper)
{
    struct sums other = sums_xor(given, (uint32_t)distance);
    return upper ? join(other, mine) : join(mine, other);
}

/* Joins the team's lanes; a thread gives half of its rows away while it has several. Those at multiples of TEAM are
 * left, or the first one. */
DEVICE void exchange(struct sums *total, int32_t member)
{
    int taken = 0; /* bits of a row's number that a bit of the member's stands for */
#pragma unroll
    for (int32_t distance = TEAM / 2; distance > 0; distance /= 2) {
        int upper = (member & distance) != 0, bit = ROWS >= TEAM ? distance : distance * ROWS / TEAM;
        taken |= bit;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (r & taken) continue;
            struct sums keep = upper ? total[r | bit] : total[r], give = upper ? total[r] : total[r | bit];
            total[r] = join_across(keep, give, distance, upper);
        }
    }
}

/* Writes the result of the warp's row k. */
DEVICE void finish_row(const struct reduce_parameters *p, const struct batch *b, int32_t k, struct sums total)
{
#pragma unroll
    for (int half = PACK / 2; half > 0; half /= 2) {
#pragma unroll
        for (int q = 0; q < half; q++) total.lane[q] = lane_sum(total.lane[q], total.lane[q + half]);
    }
    int64_t n = p->length, row = b->first + k;
#if HAS_ABSENT
    n -= total.absent;
#endif
    int64_t out = KEPT_NEST > 1 ? out_of_cell(p, row) : row * p->kept[0].out;
    uint32_t failure = finish_fold(p, FOLD(widen)(total.lane[0]), n, (char *)p->out + out * RESULT_SIZE);
    if (failure && p->failures) atomicOr(p->failures, failure);
}

KERNEL(reduce, struct reduce_parameters, p)
{
    struct batch b = batch_of(&p);
    if (b.count == 0) return;
    struct sums total[ROWS];
    absorb_rows(&p, &b, total);
    exchange(total, b.member);
#if ROWS >= TEAM
#pragma unroll
    for (int r = 0; r < ROWS; r += TEAM) {
        int32_t k = b.team + TEAMS * (r + b.member);
        if (k < b.count) finish_row(&p, &b, k, total[r]);
    }
#else
    int32_t k = b.team + TEAMS * (b.member / (TEAM / ROWS));
    if (b.member % (TEAM / ROWS) == 0 && k < b.count) finish_row(&p, &b, k, total[0]);
#endif
}
