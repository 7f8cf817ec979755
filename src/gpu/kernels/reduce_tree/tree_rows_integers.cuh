/* SPDX-License-Identifier: MIT
 *
 * tree_rows_integers.cuh - lanes of logsumexp of integers, of the rows of reduce_ordered_rows.cu: powers of those near
 * the first element of all are looked up, and added as they are; where rows of a warp have others, lanes are taken step
 * by step. No include guard. */

#include "power_table.cuh"

enum { LOOKED_UP, IN_STEPS };

/* A thread's lanes of a row. LOOKED_UP they are sums of the table's powers, and `spot` is the largest one's. */
struct lanes_of_row {
    lane own[HELD][PACK];
    uint32_t spot;
};

/* A row's total: of packs of lanes, the first one; of looked up ones, the largest place. */
struct total {
    lane of;
    uint32_t place;
};

DEVICE void lanes_begin(const struct row *row, int pass, struct lanes_of_row *lanes)
{
    const lane looked_up = {0, 0};
    (void)row;
    lanes->spot = 0;
#pragma unroll
    for (int h = 0; h < HELD; h++) {
#pragma unroll
        for (int q = 0; q < PACK; q++) lanes->own[h][q] = pass == LOOKED_UP ? looked_up : lane_none();
    }
}

DEVICE element of_pack(const struct pack *pack, int q)
{
#if PACKS_ARE_WORDS
    const storage stored = (storage)(pack->word[q / 4] >> 8 * (q % 4));
    return OF_ELEMENT(load)(&stored, 0);
#else
    return OF_ELEMENT(load)(pack->stored, (size_t)q);
#endif
}

DEVICE uint32_t spot_in_pack(const struct pack *pack, int q)
{
#if PACKS_ARE_WORDS
    return spot_in_word(pack->word[q / 4], q % 4, copy_of_thread());
#else
    return spot_of(integer_of(of_pack(pack, q)), power_table()->first, copy_of_thread());
#endif
}

/* Adds the elements of a pack to the lanes they belong to. */
DEVICE void lanes_add(struct lanes_of_row *lanes, int pass, int h, const struct pack *x, const struct pack *y,
                      uint32_t present)
{
    (void)y;
#pragma unroll
    for (int q = 0; q < PACK; q++) {
        lane *to = &lanes->own[h][q];
        const int is_there = present >> q & 1;
        if (pass == LOOKED_UP) {
            uint32_t spot = spot_in_pack(x, q);
            double power = power_at(spot);
            to->sum += is_there ? power : 0;
            spot = is_there ? spot : 0;
            lanes->spot = spot > lanes->spot ? spot : lanes->spot;
        } else if (is_there) {
            element v = of_pack(x, q);
            lane_append(to, lane_of(v, v));
        }
    }
}

/* Whether a row of the warp has others than those that are looked up, as far as it was read. */
DEVICE int lanes_failed(const struct lanes_of_row *lanes, int pass)
{
    int failed = 0;
    if (IS_BYTE || pass != LOOKED_UP) return 0;
#pragma unroll
    for (int r = 0; r < EACH; r++) failed |= lanes[r].spot >= NO_SPOT;
    return __any_sync(FULL_WARP, failed);
}

/* The first one or the other, without an address. */
DEVICE struct total total_of_two(int first, struct total a, struct total b)
{
    a.of.largest = first ? a.of.largest : b.of.largest;
    a.of.sum = first ? a.of.sum : b.of.sum;
    a.place = first ? a.place : b.place;
    return a;
}

DEVICE void join_two(int pass, lane *a, lane b)
{
    if (pass == LOOKED_UP) a->sum += b.sum;
    else lane_append(a, b);
}

/* Joins with the same of another thread of the warp. */
DEVICE void join_across(int pass, lane *mine, lane given, int32_t distance)
{
    lane other = given;
    other.sum = __shfl_xor_sync(FULL_WARP, given.sum, distance);
    if (pass == IN_STEPS) other.largest = __shfl_xor_sync(FULL_WARP, given.largest, distance);
    join_two(pass, mine, other);
}

/* Lanes of a pack that a thread has before it exchanges with the one at this distance; and in the end. */
#define LANES_LEFT(distance) (2 * (distance)*PACK > TEAM ? 2 * (distance)*PACK / TEAM : 1)
enum { LEFT = PACK > TEAM ? PACK / TEAM : 1 };

/* Joins a pack of lanes with those of the team, of which a thread gives half away each time while it has several, and
 * then what is left of the pack, which threads have some of, too. All get the total. */
DEVICE lane join_team(int pass, lane *own, int32_t member)
{
#pragma unroll
    for (int32_t distance = TEAM / 2; distance > 0; distance /= 2) {
        const int upper = (member & distance) != 0, half = LANES_LEFT(distance) / 2;
        if (half == 0) join_across(pass, &own[0], own[0], distance);
#pragma unroll
        for (int q = 0; q < PACK / 2; q++) {
            if (q >= half) continue;
            lane low = own[q], high = own[q + half];
            own[q].largest = upper ? high.largest : low.largest, own[q].sum = upper ? high.sum : low.sum;
            high.largest = upper ? low.largest : high.largest, high.sum = upper ? low.sum : high.sum;
            join_across(pass, &own[q], high, distance);
        }
    }
#pragma unroll
    for (int32_t distance = TEAM / 2; distance > 0; distance /= 2) {
#pragma unroll
        for (int q = 0; q < LEFT && LANES_LEFT(distance) > 1; q++) join_across(pass, &own[q], own[q], distance);
    }
#pragma unroll
    for (int half = LEFT / 2; half > 0; half /= 2) {
#pragma unroll
        for (int q = 0; q < LEFT / 2; q++)
            if (q < half) join_two(pass, &own[q], own[q + half]);
    }
    return own[0];
}

/* The total of a row of the team. */
DEVICE struct total total_of_row(struct lanes_of_row *lanes, int pass, int32_t member)
{
    struct total total;
#pragma unroll
    for (int half = HELD / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < HELD / 2 * PACK; i++)
            if (i / PACK < half) join_two(pass, &lanes->own[i / PACK][i % PACK], lanes->own[i / PACK + half][i % PACK]);
    }
    total.of = join_team(pass, lanes->own[0], member);
    total.place = place_of_spot(lanes->spot);
#pragma unroll
    for (int32_t distance = TEAM / 2; distance > 0 && pass == LOOKED_UP; distance /= 2)
        total.place = max(total.place, __shfl_xor_sync(FULL_WARP, total.place, distance));
    return total;
}

/* Of a team's rows; a thread has those at multiples of APART, and one that follows from its number. */
DEVICE void exchange(struct lanes_of_row *lanes, int pass, int32_t member, struct total *total)
{
    struct total all[EACH];
#pragma unroll
    for (int r = 0; r < EACH; r++) all[r] = total_of_row(&lanes[r], pass, member);
#pragma unroll
    for (int r = 0; r < EACH; r += APART) {
        total[r] = all[r];
#pragma unroll
        for (int k = 1; k < APART; k++) total[r] = total_of_two(member / SHARERS == k, all[r + k], total[r]);
    }
}

/* What a row's total is, which this pass found. */
DEVICE struct FOLD(lane)
    total_value(const struct reduce_parameters *p, int64_t number, int writes, int pass, struct total total)
{
    (void)p, (void)number, (void)writes;
    if (!IS_BYTE && pass == IN_STEPS) return lane_close(total.of);
    wide_distance first = power_table()->first;
    wide_integer largest = integer_at(first, total.place);
    struct FOLD(lane) value = {{(double)largest, total.of.sum * scale_of_looked_up(first, largest)}};
    return value;
}

DEVICE int32_t total_absent(const struct total *total)
{
    (void)total;
    return 0;
}
