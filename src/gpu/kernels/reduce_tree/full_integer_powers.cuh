/* SPDX-License-Identifier: MIT
 *
 * full_integer_powers.cuh - whole leaves of logsumexp of integers. Those near the array's first element look their
 * powers up. Others lie so far apart, nearly all, that the largest one of a lane is all that matters. No
 * include guard. */

#include "lanes.cuh"

#include "power_table.cuh"

DEVICE void full_prepare(const struct reduce_parameters *p)
{
    prepare_table(p->length < TREE_LEAF ? 0 : integer_of(load_element(p->x, 0)));
}

/* ---- those that are looked up ---- */

struct looked_up {
    double sum[LANES];
    uint32_t largest; /* place in the table */
};

DEVICE uint32_t spot_in_row(struct full_row row, int q, wide_distance first, uint32_t copy)
{
#if ELEMENT_BYTES == 1
    (void)first;
    return spot_in_word(row.word[0], q, copy);
#else
    return spot_of(integer_of(of_full_row(row, q)), first, copy);
#endif
}

DEVICE struct looked_up look_up(struct full_walk *walk, wide_distance first)
{
    const uint32_t copy = copy_of_thread();
    uint32_t largest = 0;
    struct looked_up sums;
#pragma unroll
    for (int q = 0; q < LANES; q++) sums.sum[q] = 0;
#pragma unroll 2
    for (int row = 0; row < ROWS; row += FULL_ROWS) {
        struct full_rows rows = next_rows(walk, row);
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
#pragma unroll
            for (int q = 0; q < LANES; q++) {
                uint32_t spot = spot_in_row(rows.row[r], q, first, copy);
                sums.sum[q] += power_at(spot);
                largest = spot > largest ? spot : largest;
            }
        }
    }
    sums.largest = place_of_spot(largest);
    return sums;
}

/* ---- those that are not ---- */

/* Of two integers FAR apart, the sum is that of the larger one. So a lane whose largest one is alone within LONE
 * has its power for a sum, whatever came when; one whose two largest ones are alone, theirs. In others, elements are
 * added one after the other. The largest ones are found by four integers, or two pairs of two bytes, at once. */
#if ELEMENT_BYTES == 2
enum { TOPS = 3, TOP_WORDS = LANES / 2 };
typedef uint32_t top_word;
#define TOP_SMALLEST (ELEMENT_KIND == KIND_SIGNED ? 0x80008000u : 0)
#if defined(ONLY_TYPE_i16)
#define TOP_LARGER max_s16x2
#define TOP_SMALLER min_s16x2
#else
#define TOP_LARGER max_u16x2
#define TOP_SMALLER min_u16x2
#endif

DEVICE top_word top_word_of(struct full_row row, int word)
{
    return row.word[word];
}

DEVICE wide_integer of_top(const top_word *top, int lane)
{
    storage stored = (storage)(top[lane / 2] >> lane % 2 * 16);
    return integer_of(OF_ELEMENT(load)(&stored, 0));
}
#else
enum { TOPS = 2, TOP_WORDS = LANES };
typedef wide_integer top_word;
#define TOP_SMALLEST INTEGER_LEAST
#define TOP_LARGER(a, b) ((a) > (b) ? (a) : (b))
#define TOP_SMALLER(a, b) ((a) > (b) ? (b) : (a))

DEVICE top_word top_word_of(struct full_row row, int word)
{
    return integer_of(of_full_row(row, word));
}

DEVICE wide_integer of_top(const top_word *top, int lane)
{
    return top[lane];
}
#endif

struct tops {
    top_word word[TOPS][TOP_WORDS]; /* from the largest one on */
};

DEVICE struct tops find_tops(struct full_walk *walk)
{
    struct tops tops;
#pragma unroll
    for (int t = 0; t < TOPS; t++) {
#pragma unroll
        for (int w = 0; w < TOP_WORDS; w++) tops.word[t][w] = (top_word)TOP_SMALLEST;
    }
#pragma unroll 2
    for (int row = 0; row < ROWS; row += FULL_ROWS) {
        struct full_rows rows = next_rows(walk, row);
#pragma unroll
        for (int r = 0; r < FULL_ROWS; r++) {
#pragma unroll
            for (int w = 0; w < TOP_WORDS; w++) {
                top_word v = top_word_of(rows.row[r], w);
#pragma unroll
                for (int t = 0; t < TOPS; t++) {
                    top_word before = tops.word[t][w];
                    tops.word[t][w] = TOP_LARGER(before, v);
                    v = TOP_SMALLER(before, v);
                }
            }
        }
    }
    return tops;
}

DEVICE int is_apart(wide_integer larger, wide_integer smaller)
{
    return (wide_distance)larger - (wide_distance)smaller >= LONE;
}

/* The sum of a lane whose first element lies at x. */
DEVICE_CALL double add_in_turn(const char *x)
{
    enum { AT_ONCE = 8 }; /* loads that wait for no addition */
    wide_integer largest = integer_of(load_element(x, 0));
    double sum = power_factor_double((double)largest);
#pragma unroll 1
    for (int row = 0; row < ROWS; row += AT_ONCE) {
        wide_integer some[AT_ONCE];
#pragma unroll
        for (int r = 0; r < AT_ONCE; r++)
            some[r] = integer_of(load_element(x + (row + r) * TREE_LANES * ELEMENT_SIZE, 0));
#pragma unroll 1
        for (int r = row == 0; r < AT_ONCE; r++) {
            wide_integer v = some[0];
#pragma unroll
            for (int k = 1; k < AT_ONCE; k++) v = r == k ? some[k] : v;
            int more = v > largest, far = is_far(v, largest);
            if (far && !more) continue;
            double a[2] = {(double)largest, sum}, b[2] = {(double)v, power_factor_double((double)v)};
            if (far) a[1] = b[1];
            else powers_add_double(a, b);
            largest = more ? v : largest;
            sum = a[1];
        }
    }
    return sum;
}

/* The sums of the thread's lanes, divided by two to `exponent`, that of the leaf's largest element. Beside that one's
 * sum, what is halved 1000 times changes nothing, as lanes are joined in few steps. x is the thread's first element. */
DEVICE void sum_lanes(const struct tops *tops, const char *x, double exponent, double *sums)
{
    double own[LANES];
#pragma unroll
    for (int q = 0; q < LANES; q++) {
        own[q] = exponent_of(of_top(tops->word[0], q));
        sums[q] = factor_of(of_top(tops->word[0], q), own[q]);
    }
#pragma unroll
    for (int q = 0; q < LANES; q++) {
        wide_integer second = of_top(tops->word[1], q);
        if (is_apart(of_top(tops->word[0], q), second)) continue;
        if (TOPS > 2 && is_apart(second, of_top(tops->word[TOPS - 1], q))) {
            double next = exponent_of(second);
            sums[q] += scaled(factor_of(second, next), POWER_INTEGER + (next - own[q]));
        } else {
            sums[q] = add_in_turn(x + q * ELEMENT_SIZE);
        }
    }
#pragma unroll
    for (int q = 0; q < LANES; q++)
        sums[q] = own[q] - exponent < -1000 ? 0 : scaled(sums[q], POWER_INTEGER + (own[q] - exponent));
}

DEVICE wide_integer largest_of_warp(wide_integer own)
{
#if ELEMENT_BYTES == 8
    const uint64_t flip = (uint64_t)INTEGER_LEAST ^ 1ull << 63; /* so that they compare as signed ones */
    return (wide_integer)((uint64_t)most_of_long_lanes((int64_t)((uint64_t)own ^ flip)) ^ flip);
#else
    const uint32_t flip = (uint32_t)INTEGER_LEAST ^ 1u << 31;
    return (wide_integer)((uint32_t)most_of_lanes((int32_t)((uint32_t)own ^ flip)) ^ flip);
#endif
}

/* Whether those of the leaf were all looked up. */
DEVICE int full_leaf_looked_up(struct full_walk *walk, int32_t member, struct FOLD(lane) * leaf)
{
    wide_distance first = power_table()->first;
    struct looked_up sums = look_up(walk, first);
    uint32_t largest = (uint32_t)most_of_lanes((int32_t)sums.largest);
    if (!IS_BYTE && largest == POWERS) return 0;
    *leaf = leaf_of_sums(sums.sum, table_value(first, largest), table_exponent(first), member);
    return 1;
}

/* The leaf where the warp is. */
DEVICE int full_leaf(struct full_walk *walk, int32_t member, struct leaf_memory *memory, struct FOLD(lane) * leaf)
{
    if (IS_BYTE || (memory->table_rest == 0 && !power_table()->none)) {
        if (full_leaf_looked_up(walk, member, leaf)) return 1;
        memory->table_rest = REST + 1;
        walk_again(walk);
    }
    if (memory->table_rest > 0) memory->table_rest--;
    struct tops tops = find_tops(walk);
    wide_integer largest = of_top(tops.word[0], 0);
#pragma unroll
    for (int q = 1; q < LANES; q++) {
        wide_integer other = of_top(tops.word[0], q);
        largest = other > largest ? other : largest;
    }
    largest = largest_of_warp(largest);
    double sums[LANES], exponent = exponent_of(largest);
    sum_lanes(&tops, walk->x, exponent, sums);
    *leaf = leaf_of_sums(sums, (double)largest, exponent, member);
    return 1;
}
