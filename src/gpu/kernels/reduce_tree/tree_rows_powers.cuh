/* SPDX-License-Identifier: MIT
 *
 * tree_rows_powers.cuh - lanes of logsumexp of floats, of the rows of reduce_ordered_rows.cu: powers are divided by a
 * power of two, and then added as they are. The first element of a row tells it; where others lie too far from that
 * one, the largest of all in another pass, for which -infinity counts for nothing; where they lie too far from each
 * other, or are not finite, a warp takes the row step by step. No include guard. */

enum { BY_FIRST, FIND_LARGEST, BY_LARGEST };

/* A thread's lanes of a row, divided by two to the exponent that `shift` lacks to POWER_INTEGER. */
struct lanes_of_row {
    power_real lane[HELD][PACK], shift;
    struct seen seen;   /* BY_FIRST */
    power_real largest; /* the other passes: of the thread's elements, then of all */
    int fits;           /* BY_LARGEST */
};

/* The pack of lanes that is left of them; the first one is NaN where elements do not fit. The largest element. */
struct total {
    power_real lane[PACK], largest;
};

SHUFFLE(total)

DEVICE power_real larger_or_nan(power_real a, power_real b)
{
    return a > b || a != a ? a : b;
}

/* What lies too far for this exponent is no guess either. */
DEVICE power_real shift_of(power_real largest, int guessed)
{
    return POWER_INTEGER - (OF_POWERS(power_near_exponent)(largest) - guessed);
}

/* Whether sums may be divided by so much. */
DEVICE int is_near_guess(power_real shift)
{
    power_real exponent = POWER_INTEGER - shift;
    return exponent < POWER_LARGEST_GUESS && exponent > -POWER_LARGEST_GUESS;
}

DEVICE void lanes_begin(const struct row *row, int pass, struct lanes_of_row *lanes)
{
    power_real first = OF_ELEMENT(load)(&row->first, 0).v;
    if (pass == BY_FIRST) lanes->shift = shift_of(first, 0);
    if (pass == BY_LARGEST) lanes->shift = shift_of(lanes->largest, GUESSED);
#if SEEN_IN_PAIRS
    uint32_t pair = row->first * 0x10001u;
    if (pass == BY_FIRST) lanes->seen.largest = lanes->seen.smallest = pair;
#else
    if (pass == BY_FIRST) lanes->seen = seen_one(first, FUSED(first, POWER_PER_UNIT, lanes->shift));
#endif
    if (pass == FIND_LARGEST) lanes->largest = -(power_real)INFINITY;
    if (pass == BY_LARGEST) lanes->fits = is_near_guess(lanes->shift);
#pragma unroll
    for (int h = 0; h < HELD; h++) {
#pragma unroll
        for (int q = 0; q < PACK; q++) lanes->lane[h][q] = 0;
    }
}

DEVICE power_real power_of(power_real v, power_real shifted, power_real shift)
{
    return scaled(OF_POWERS(power_near_factor)(v, shifted - shift), shifted);
}

/* An element beside the largest one. */
DEVICE void add_finite(struct lanes_of_row *lanes, power_real *lane, power_real v, uint32_t present)
{
    power_real shifted = FUSED(v, POWER_PER_UNIT, lanes->shift), off = shifted - POWER_INTEGER;
    power_real power = power_of(v, shifted, lanes->shift);
    int none = v == -(power_real)INFINITY;
    lanes->fits &= none || (off >= LEAST && off <= MOST);
    *lane += present && !none ? power : 0;
}

/* Adds the elements of a pack to the lanes they belong to. */
DEVICE void lanes_add(struct lanes_of_row *lanes, int pass, int h, const struct pack *x, const struct pack *y,
                      uint32_t present)
{
    (void)y; /* of what is not present, there is the row's first element */
#pragma unroll
    for (int q = 0; q < PACK; q++) {
        power_real v = OF_ELEMENT(load)(x->stored, (size_t)q).v;
        if (pass == FIND_LARGEST) lanes->largest = larger_or_nan(lanes->largest, v);
        if (pass == BY_LARGEST) add_finite(lanes, &lanes->lane[h][q], v, present >> q & 1);
        if (pass != BY_FIRST) continue;
        power_real shifted = FUSED(v, POWER_PER_UNIT, lanes->shift);
        power_real power = power_of(v, shifted, lanes->shift);
        lanes->lane[h][q] += present >> q & 1 ? power : 0;
#if !SEEN_IN_PAIRS
        seen_join(&lanes->seen, seen_one(v, shifted));
#endif
    }
#if SEEN_IN_PAIRS
#pragma unroll
    for (int i = 0; i < PACK / 2 && pass == BY_FIRST; i++) {
        struct seen seen;
        memcpy(&seen.largest, x->stored + 2 * i, 4);
        seen.smallest = seen.largest;
        seen_join(&lanes->seen, seen);
    }
#endif
}

/* The first one or the other, without an address. */
DEVICE struct total total_of_two(int first, struct total a, struct total b)
{
#pragma unroll
    for (int q = 0; q < PACK; q++) a.lane[q] = first ? a.lane[q] : b.lane[q];
    a.largest = first ? a.largest : b.largest;
    return a;
}

DEVICE struct total total_join(struct total a, struct total b)
{
#pragma unroll
    for (int q = 0; q < PACK; q++) a.lane[q] += b.lane[q];
    a.largest = larger_or_nan(a.largest, b.largest);
    return a;
}

/* The thread's lanes of the row, joined in halves until it has one pack. */
DEVICE struct total total_of_lanes(struct lanes_of_row *lanes, int pass)
{
    struct total total;
#pragma unroll
    for (int half = HELD / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < HELD / 2 * PACK; i++)
            if (i / PACK < half) lanes->lane[i / PACK][i % PACK] += lanes->lane[i / PACK + half][i % PACK];
    }
#pragma unroll
    for (int q = 0; q < PACK; q++) total.lane[q] = lanes->lane[0][q];
    int fits = lanes->fits;
    if (pass == BY_FIRST) fits = is_near_guess(lanes->shift) && seen_fits(lanes->seen, POWER_INTEGER - lanes->shift);
    total.lane[0] = fits ? total.lane[0] : (power_real)NAN;
    total.largest = pass == BY_FIRST ? seen_largest(lanes->seen) : lanes->largest;
    return total;
}

/* The largest element of a row, for all threads of its team. */
DEVICE power_real largest_of_team(power_real largest)
{
#pragma unroll
    for (int32_t distance = TEAM / 2; distance > 0; distance /= 2)
        largest = larger_or_nan(largest, __shfl_xor_sync(FULL_WARP, largest, distance));
    return largest;
}

/* Of a row whose elements have no exponent in common. */
DEVICE_CALL struct total total_by_steps(const struct reduce_parameters *p, const struct cell *c)
{
    struct lanes lanes;
    int32_t member = (int32_t)threadIdx.x & 31;
    lanes_open(&lanes);
    lanes.together = 0;
    struct some_lanes some = absorb_some(p, c, LANES * member, 0);
#pragma unroll
    for (int q = 0; q < LANES; q++) lanes.lane[q] = lane_close(some.own[q]);
    struct FOLD(lane) value = join_lanes_of_warp(&lanes, member);
    struct total total;
    total.largest = value.part[0];
    total.lane[0] = value.part[1];
    return total;
}

/* Joins what is left of the lanes of a row, which this pass found; every thread of the warp calls it, if it writes or
 * not. */
DEVICE struct FOLD(lane)
    total_value(const struct reduce_parameters *p, int64_t number, int writes, int pass, struct total total)
{
    struct row row = row_of(p, number);
    power_real first = OF_ELEMENT(load)(&row.first, 0).v;
    power_real shift = pass == BY_FIRST ? shift_of(first, 0) : shift_of(total.largest, GUESSED);
    power_real above = OF_POWERS(power_near_exponent)(total.largest) - (POWER_INTEGER - shift);
#pragma unroll
    for (int half = PACK / 2; half > 0; half /= 2) {
#pragma unroll
        for (int q = 0; q < PACK / 2; q++)
            if (q < half) total.lane[q] += total.lane[q + half];
    }
    struct FOLD(lane) value = {{total.largest + 0, total.lane[0] * scaled(1, POWER_INTEGER - above)}};
    int decides = total.largest - total.largest != 0 && !p->has_initial; /* what is not finite is the result */
    uint32_t failed = __ballot_sync(FULL_WARP, writes && total.lane[0] != total.lane[0] && !decides);
    for (; failed; failed &= failed - 1) {
        int32_t thread = __ffs((int)failed) - 1;
        struct row one = row_of(p, __shfl_sync(FULL_WARP, number, thread));
        one.cell.x += one.ahead * ELEMENT_SIZE;
        struct total steps = total_by_steps(p, &one.cell);
        if (thread == ((int32_t)threadIdx.x & 31)) value.part[0] = steps.largest, value.part[1] = steps.lane[0];
    }
    return value;
}

DEVICE int32_t total_absent(const struct total *total)
{
    (void)total;
    return 0;
}
