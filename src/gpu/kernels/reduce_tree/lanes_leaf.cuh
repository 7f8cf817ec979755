/* SPDX-License-Identifier: MIT
 *
 * lanes_leaf.cuh - a member's share of a leaf of its cells, for reduce_lanes.cu: round by round of its lanes. No
 * include guard. */

/* So that it takes longer to see whether a lane has elements. */
#if defined(PICK_VALUE_ADD_POWERS)
#define STEPS_ARE_SHORT 0
#else
#define STEPS_ARE_SHORT 1
#endif

/* Where round k begins: its bits the other way round, so that neighbours in time are joined in halves, too. */
DEVICE int32_t begin_of_round(int32_t k)
{
    return ROUNDS > 1 ? (int32_t)(__brev((uint32_t)k) >> (32 - ROUND_LEVELS) % 32) * TEAM : 0;
}

/* Puts the totals of a round to those of the rounds before. */
#define DEFINE_RISE(name, type, append)                                           \
    DEVICE void name(type(*levels)[ROUND_LEVELS + 1], type *total, int32_t round) \
    {                                                                             \
        _Pragma("unroll") for (int k = 0; k < MINE; k++)                          \
        {                                                                         \
            int rises = 1;                                                        \
            _Pragma("unroll") for (int level = 0; level < ROUND_LEVELS; level++)  \
            {                                                                     \
                if (!rises) continue;                                             \
                rises = round >> level & 1;                                       \
                if (rises) {                                                      \
                    append(&levels[k][level], total[k]);                          \
                    total[k] = levels[k][level];                                  \
                } else {                                                          \
                    levels[k][level] = total[k];                                  \
                }                                                                 \
            }                                                                     \
        }                                                                         \
    }

DEFINE_RISE(rise, lane, lane_append)

#if defined(PICK_VALUE_ADD_POWERS)
#define HAS_NEAR_LEAVES (!WITH_WHERE && !SKIP_NAN && !REDUCED_NEST)
#else
#define HAS_NEAR_LEAVES 0
#endif
#if HAS_NEAR_LEAVES && POWERS_OF_INTEGERS
#include "lanes_integers.cuh"
#elif HAS_NEAR_LEAVES
#include "lanes_near.cuh"
#endif

/* The thread's cells, and what it knows of them from one leaf to the next. */
struct mine {
    struct cell cell[GROUPS];
    int32_t absent[MINE]; /* elements that were left out: fewer than 2^31, as memory is smaller */
#if HAS_NEAR_LEAVES
    struct guess guess;
#endif
};

DEVICE struct mine mine_begin(void)
{
    struct mine mine;
    memset(&mine, 0, sizeof mine);
    return mine;
}

/* Those of a group. */
DEVICE void add_some(lane (*lanes)[DEPTH], const struct some *some, int32_t *absent)
{
#pragma unroll
    for (int k = 0; k < ROWS * DEPTH; k++) {
        if (!(some->inside >> k & 1)) continue;
        struct side side = side_of_some(some, k);
#pragma unroll
        for (int i = 0; i < SIDE; i++) {
            element x = side_element(&side, i), y = x;
            int present = 1;
#if WITH_SECOND
            y = side_element(&some->y[k], i);
#endif
#if WITH_WHERE
            present = (some->present[k] >> 8 * i & 255) != 0;
#endif
            if (SKIP_NAN && (element_is_nan(x) || (WITH_SECOND && element_is_nan(y)))) present = 0;
            if (present) lane_append(&lanes[i][k % DEPTH], lane_of(x, y));
            if (HAS_ABSENT) absent[i] += !present;
        }
    }
}

/* Joins a round's lanes in halves; the leaf has `left` elements from the first one on. */
DEVICE lane join_round(lane *lanes, int32_t left)
{
    for (int half = TREE_LANES / 2; IDENTITY_SHOWS && half >= LEAF_LANES; half /= 2) {
#pragma unroll
        for (int m = 0; m < DEPTH; m++) lane_append(&lanes[m], lane_none());
    }
#pragma unroll
    for (int half = DEPTH / 2; half > 0; half /= 2) {
#pragma unroll
        for (int m = 0; m < half; m++) {
            if (IDENTITY_SHOWS || STEPS_ARE_SHORT || (m + half) * APART < left) lane_append(&lanes[m], lanes[m + half]);
        }
    }
    return lanes[0];
}

/* Rows of the thread's cells, from element i on. */
DEVICE void load_rows(const struct reduce_parameters *p, const struct cell *c, int64_t i, int32_t left, int whole,
                      struct some *some)
{
#pragma unroll
    for (int g = 0; g < GROUPS; g++) load_some(p, &c[g], i, left, whole, &some[g]);
}

DEVICE void add_rows(lane (*lanes)[DEPTH], const struct some *some, int32_t *absent)
{
#pragma unroll
    for (int g = 0; g < GROUPS; g++) add_some(lanes + g * SIDE, &some[g], absent + g * SIDE);
}

DEVICE void lanes_begin(lane (*lanes)[DEPTH])
{
#pragma unroll
    for (int k = 0; k < MINE; k++) {
#pragma unroll
        for (int m = 0; m < DEPTH; m++) lanes[k][m] = lane_none();
    }
}

/* A member's share of a round of lanes of the leaf that begins at element `first`, of each of its cells. */
DEVICE void absorb_round(const struct reduce_parameters *p, const struct cell *c, int64_t first, int32_t base,
                         int32_t length, lane *total, int32_t *absent)
{
    lane lanes[MINE][DEPTH];
    struct some some[GROUPS];
    int32_t i = base;
    lanes_begin(lanes);
#pragma unroll 1
    for (; length - i > (ROWS * DEPTH - 1) * APART; i += ROWS * TREE_LANES) {
        load_rows(p, c, first + i, length - i, 1, some);
        add_rows(lanes, some, absent);
    }
#pragma unroll 1
    for (; i < length; i += ROWS * TREE_LANES) {
        load_rows(p, c, first + i, length - i, 0, some);
        add_rows(lanes, some, absent);
    }
#pragma unroll
    for (int k = 0; k < MINE; k++) total[k] = join_round(lanes[k], length - base);
}

#if ONE_ROW && !HAS_NEAR_LEAVES
/* A member's share of its cells, whose lanes have one element at most: those of the next round are under way while a
 * round's are joined. */
DEVICE void absorb_leaf(const struct reduce_parameters *p, struct mine *mine, int64_t first, int32_t member,
                        lane *total)
{
    int32_t length = (int32_t)p->length;
    lane lanes[MINE][DEPTH], levels[MINE][ROUND_LEVELS + 1];
    struct some next[GROUPS];
    load_rows(p, mine->cell, first + member, length - member, 0, next);
#pragma unroll(ROUNDS < 4 ? ROUNDS : 2)
    for (int32_t round = 0; round < ROUNDS; round++) {
        struct some some[GROUPS];
        int32_t base = begin_of_round(round) + member, then = begin_of_round(round + 1) + member;
        memcpy(some, next, sizeof some);
        if (round + 1 < ROUNDS) load_rows(p, mine->cell, first + then, length - then, 0, next);
        lanes_begin(lanes);
        add_rows(lanes, some, mine->absent);
#pragma unroll
        for (int k = 0; k < MINE; k++) total[k] = join_round(lanes[k], length - base);
        rise(levels, total, round);
    }
}
#else
struct totals {
    lane of[MINE];
    int32_t absent[MINE];
};

DEVICE int32_t length_of_leaf(const struct reduce_parameters *p, int64_t first)
{
    return p->length - first < TREE_LEAF ? (int32_t)(p->length - first) : TREE_LEAF;
}

/* A member's share of the leaf that begins at element `first`, of each of its cells. */
#if HAS_NEAR_LEAVES
DEVICE_CALL
#else
DEVICE
#endif
struct totals absorb_rounds(const struct reduce_parameters *p, struct mine mine, int64_t first, int32_t member)
{
    lane levels[MINE][ROUND_LEVELS + 1];
    struct totals total;
#pragma unroll 1
    for (int32_t round = 0; round < ROUNDS; round++) {
        int32_t base = begin_of_round(round) + member;
        absorb_round(p, mine.cell, first, base, length_of_leaf(p, first), total.of, mine.absent);
        rise(levels, total.of, round);
    }
#pragma unroll
    for (int k = 0; k < MINE; k++) total.absent[k] = mine.absent[k];
    return total;
}

/* The same, of powers in a shorter way where there is one. */
DEVICE void absorb_leaf(const struct reduce_parameters *p, struct mine *mine, int64_t first, int32_t member,
                        lane *total)
{
#if HAS_NEAR_LEAVES
    if (absorb_near(p, mine->cell, first + member, length_of_leaf(p, first) - member, &mine->guess, total)) return;
#endif
    struct totals totals = absorb_rounds(p, *mine, first, member);
#pragma unroll
    for (int k = 0; k < MINE; k++) total[k] = totals.of[k], mine->absent[k] = totals.absent[k];
}
#endif
