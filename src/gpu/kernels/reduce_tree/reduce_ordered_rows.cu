/* SPDX-License-Identifier: MIT
 *
 * reduce_ordered_rows.cu - folds in the fixed-shape tree of docs/semantics.md along rows that are no longer than a
 * leaf. TEAM neighbouring threads share a row. Each has PACK neighbouring lanes of it, and those that lie TEAM * PACK,
 * 2 * TEAM * PACK, ... behind: the halves that are joined first are a thread's own, the next ones threads exchange, and
 * what is left is again a thread's own. A team has EACH rows under way, and gives half of them away at each exchange.
 * What lanes are, tree_rows_steps.cuh and, for logsumexp, tree_rows_powers.cuh and tree_rows_integers.cuh say.
 *   LANES_OF_ROW  the lanes that have elements, rounded up to a power of two
 *   STEPS         of so many elements of a row, that are read at once
 *   ONE_STEP      1: a row has no more elements than lanes
 *   NEIGHBOURS    1: its elements lie side by side
 *   TURNED        1: rows begin inside of packs, which are whole vectors. Elements before the first one are left out,
 *                 and lane l is held where another row has lane l + the number of these. Whatever that is, lanes that
 *                 are to be joined stand half of all apart, and which of them comes first does not show
 *   KEPT_NEST     loops that lead from row to row
 *   BATCHES       of rows, that a warp takes one after the other before results are found
 *   TURNS         so many times, where a block makes a table first */
#if defined(PICK_VALUE_ADD_POWERS)
#define CONTIGUOUS 0
#define FULL_LEAVES 0
#if PACK == 1
#define SEEN_SIDE 1
#endif
#include "ordered_leaf.cuh"
#else
#include "team.cuh"

#include "ordered_steps.cuh"
#define POWERS_OF_INTEGERS 0
#endif

#include "shuffle.cuh"

#if !defined(TURNS)
#define TURNS 1
#endif

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

/* Rows that a warp takes at once. */
struct batch {
    int64_t first;
    int32_t count; /* that there are */
    int32_t team, member;
};

enum {
    ROWS_AT_ONCE = EACH * TEAMS,
    SHARERS = EACH < TEAM ? TEAM / EACH : 1, /* threads that have the same total in the end */
    APART = EACH < TEAM ? EACH : TEAM        /* of a thread's totals, from one that is left to the next */
};

static_assert(BATCHES == 1 || BATCHES == SHARERS, "of each batch another sharer keeps the total");

DEVICE struct batch batch_of(const struct reduce_parameters *p, int32_t number)
{
    struct batch b;
    int32_t thread = (int32_t)threadIdx.x & 31;
    int64_t warp = (p->first_block + blockIdx.x) * (THREADS / 32) + (threadIdx.x >> 5);
    b.first = (warp * (TURNS * BATCHES) + number) * ROWS_AT_ONCE;
    int64_t left = p->cells - b.first;
    b.count = left > ROWS_AT_ONCE ? ROWS_AT_ONCE : left < 0 ? 0 : (int32_t)left;
    b.team = thread / TEAM;
    b.member = thread % TEAM;
    return b;
}

/* Row i of the team's; behind the last one there are none, and that is read again. */
DEVICE int64_t number_of(const struct batch *b, int32_t i)
{
    int32_t k = b->team + TEAMS * i;
    return b->first + (k < b->count ? k : b->count - 1);
}

/* Whether elements that are not there have another in their place, so that nothing branches. */
#if defined(PICK_VALUE_ADD_POWERS)
#define FILLS_PACKS 1
#else
#define FILLS_PACKS 0
#endif

#include "tree_rows_load.cuh"

#if POWERS_OF_INTEGERS
#include "tree_rows_integers.cuh"
#elif defined(PICK_VALUE_ADD_POWERS)
#include "tree_rows_powers.cuh"
#else
#include "tree_rows_steps.cuh"
#endif

DEVICE void add_some(const struct reduce_parameters *p, const struct row *row, const struct some *some, int32_t i,
                     enum part part, int pass, struct lanes_of_row *lanes)
{
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
#pragma unroll
        for (int h = 0; h < HELD; h++) {
            int32_t k = i + s * LANES_OF_ROW + h * (TEAM * PACK);
            int has = part == WHOLE_STEPS || has_of_row(p, row, k);
            if (!FILLS_PACKS && !has) continue;
            uint32_t present = has ? (1u << PACK) - 1 : 0;
#pragma unroll
            for (int q = 0; q < PACK && TURNED && part != WHOLE_STEPS; q++)
                present &= ~((uint32_t)!is_in_row(p, row, k + q) << q);
#if WITH_WHERE
            present = some->present[s][h] != 0;
#endif
#if WITH_SECOND
            lanes_add(lanes, pass, h, &some->x[s][h], &some->y[s][h], present);
#else
            lanes_add(lanes, pass, h, &some->x[s][h], &some->x[s][h], present);
#endif
        }
    }
}

DEVICE void absorb_step(const struct reduce_parameters *p, const struct row *row, int32_t i, enum part part, int pass,
                        struct lanes_of_row *lanes)
{
    struct some some[EACH];
#pragma unroll
    for (int r = 0; r < EACH; r++) load_some(p, &row[r], i, part, &some[r]);
#pragma unroll
    for (int r = 0; r < EACH; r++) add_some(p, &row[r], &some[r], i, part, pass, &lanes[r]);
}

/* All steps of a thread's rows; `part`: of those that are not whole. */
DEVICE void absorb_steps(const struct reduce_parameters *p, const struct batch *b, const struct row *row,
                         enum part part, int pass, struct lanes_of_row *lanes)
{
    const int32_t step = STEPS * LANES_OF_ROW, length = (int32_t)p->length, end = length + (TURNED ? PACK - 1 : 0);
    int32_t i = b->member * PACK, first = 0;
    if (ONE_STEP || TURNED) {
        absorb_step(p, row, i, part, pass, lanes);
        first += step;
    }
    if (ONE_STEP) return;
#pragma unroll 1
    for (; first + step <= length; first += step) {
#if POWERS_OF_INTEGERS
        if (lanes_failed(lanes, pass)) return;
#endif
        absorb_step(p, row, first + i, WHOLE_STEPS, pass, lanes);
    }
#pragma unroll 1
    for (; first < end; first += step) absorb_step(p, row, first + i, part, pass, lanes);
}

/* Whether the operand has all of the packs that a warp's rows lie in. */
DEVICE int are_inside(const struct reduce_parameters *p, const struct row *row)
{
    int inside = 1;
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        const char *end = row[r].cell.x + (row[r].ahead + p->length) * ELEMENT_SIZE;
        end += (0 - (uintptr_t)end) & 15;
        inside &= row[r].cell.x >= p->low && end <= p->high;
    }
    return __all_sync(FULL_WARP, inside);
}

/* A thread's lanes of the rows of its team. */
DEVICE void absorb_rows(const struct reduce_parameters *p, const struct batch *b, int pass, struct lanes_of_row *lanes)
{
    struct row row[EACH];
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        row[r] = row_of(p, number_of(b, r));
        lanes_begin(&row[r], pass, &lanes[r]);
    }
    if (TURNED && !are_inside(p, row)) absorb_steps(p, b, row, LAST_STEPS, pass, lanes);
    else absorb_steps(p, b, row, SOME_STEPS, pass, lanes);
}

#if !POWERS_OF_INTEGERS
/* Joins with the other thread of the team that `distance` tells apart, whose lanes lie behind if it is the upper one.
 */
DEVICE struct total join_across(struct total mine, struct total given, int32_t distance, int upper)
{
    struct total other = total_xor(given, (uint32_t)distance);
    return total_join(total_of_two(upper, other, mine), total_of_two(upper, mine, other));
}

/* Joins the team's lanes; a thread gives half of its rows away while it has several. Those at multiples of TEAM are
 * left, or the first one. */
DEVICE void exchange(struct lanes_of_row *lanes, int pass, int32_t member, struct total *total)
{
    int taken = 0; /* bits of a row's number that a bit of the member's stands for */
#pragma unroll
    for (int r = 0; r < EACH; r++) total[r] = total_of_lanes(&lanes[r], pass);
#pragma unroll
    for (int32_t distance = TEAM / 2; distance > 0; distance /= 2) {
        int upper = (member & distance) != 0, bit = EACH >= TEAM ? distance : distance * EACH / TEAM;
        taken |= bit;
#pragma unroll
        for (int r = 0; r < EACH; r++) {
            if (r & taken) continue;
            struct total keep = total_of_two(upper, total[r | bit], total[r]);
            struct total give = total_of_two(upper, total[r], total[r | bit]);
            total[r] = join_across(keep, give, distance, upper);
        }
    }
}
#endif

#if POWERS_OF_INTEGERS
/* The pass that found the totals of a warp's rows. */
DEVICE int total_rows(const struct reduce_parameters *p, const struct batch *b, struct total *total)
{
    struct lanes_of_row lanes[EACH];
    int near = !power_table()->none;
    if (IS_BYTE || near) {
        absorb_rows(p, b, LOOKED_UP, lanes);
        near = !lanes_failed(lanes, LOOKED_UP);
    }
    if (IS_BYTE || near) {
        exchange(lanes, LOOKED_UP, b->member, total);
        return LOOKED_UP;
    }
    absorb_rows(p, b, IN_STEPS, lanes);
    exchange(lanes, IN_STEPS, b->member, total);
    return IN_STEPS;
}
#elif defined(PICK_VALUE_ADD_POWERS)
/* The last pass that it took. */
DEVICE int total_rows(const struct reduce_parameters *p, const struct batch *b, struct total *total)
{
    struct lanes_of_row lanes[EACH];
    int failed = 0;
    absorb_rows(p, b, BY_FIRST, lanes);
    exchange(lanes, BY_FIRST, b->member, total);
#pragma unroll
    for (int r = 0; r < EACH; r += APART) failed |= total[r].lane[0] != total[r].lane[0];
    if (!__any_sync(FULL_WARP, failed)) return BY_FIRST;
    absorb_rows(p, b, FIND_LARGEST, lanes);
#pragma unroll
    for (int r = 0; r < EACH; r++) lanes[r].largest = largest_of_team(lanes[r].largest);
    absorb_rows(p, b, BY_LARGEST, lanes);
    exchange(lanes, BY_LARGEST, b->member, total);
    return BY_LARGEST;
}
#else
DEVICE int total_rows(const struct reduce_parameters *p, const struct batch *b, struct total *total)
{
    struct lanes_of_row lanes[EACH];
    absorb_rows(p, b, 0, lanes);
    exchange(lanes, 0, b->member, total);
    return 0;
}
#endif

/* Writes the row's result, if the thread is to. */
DEVICE void finish_row(const struct reduce_parameters *p, int64_t number, int writes, int pass, struct total total)
{
    struct FOLD(lane) value = total_value(p, number, writes, pass, total);
    if (!writes) return;
    int64_t out = KEPT_NEST > 1 ? out_of_cell(p, number) : number * p->kept[0].out;
    uint32_t failure =
        finish_fold(p, FOLD(widen)(value), p->length - total_absent(&total), (char *)p->out + out * RESULT_SIZE);
    if (failure && p->failures) atomicOr(p->failures, failure);
}

#if BATCHES > 1
/* Another of the threads that have the same total keeps it of each batch: they finish all of them at once. */
DEVICE void take_batches(const struct reduce_parameters *p, int32_t from)
{
    struct total mine;
    int64_t number = -1;
    int pass = 0;
    memset(&mine, 0, sizeof mine);
#pragma unroll 1
    for (int32_t i = 0; i < BATCHES; i++) {
        struct batch b = batch_of(p, from + i);
        struct total total[EACH];
        if (b.count == 0) break;
        int taken = total_rows(p, &b, total), kept = b.member % SHARERS == i;
        mine = total_of_two(kept, total[0], mine);
        int32_t k = b.member / SHARERS;
        if (kept) pass = taken, number = b.team + TEAMS * k < b.count ? number_of(&b, k) : -1;
    }
    if (__any_sync(FULL_WARP, number >= 0)) finish_row(p, number < 0 ? 0 : number, number >= 0, pass, mine);
}
#else
DEVICE void take_batches(const struct reduce_parameters *p, int32_t from)
{
    struct batch b = batch_of(p, from);
    struct total total[EACH];
    if (b.count == 0) return;
    int pass = total_rows(p, &b, total);
#pragma unroll
    for (int r = 0; r < EACH; r += APART) {
        int32_t k = r + b.member / SHARERS;
        int writes = b.member % SHARERS == 0 && b.team + TEAMS * k < b.count;
        finish_row(p, number_of(&b, k), writes, pass, total[r]);
    }
}
#endif

KERNEL(reduce, struct reduce_parameters, p)
{
#if POWERS_OF_INTEGERS
    prepare_table(integer_of(load_element(p.x, 0)));
#endif
#pragma unroll 1
    for (int32_t turn = 0; turn < TURNS; turn++) take_batches(&p, turn * BATCHES);
}
