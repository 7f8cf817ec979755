/* SPDX-License-Identifier: MIT
 *
 * near.cuh - running sums in pairs of doubles that know how far they may be off: nearly always both ends round to the
 * same result. No include guard. */

/* A sum that is off by no more than the error, and exact without one. */
struct near {
    struct pair pair;
    double error;
};

DEVICE void near_add(struct near *near, double x)
{
    double error, lost;
    double sum = two_sum(near->pair.high, x, &error);
    double low = two_sum(near->pair.low, error, &lost);
    near->pair.high = two_sum(sum, low, &near->pair.low);
    near->error += fabs(lost);
}

DEVICE uint64_t pair_result(struct pair pair, double more)
{
    double low = pair.low + more;
    return double_result(RESULT_PART == 8 ? pair.high + low : round_to_odd_sum(pair.high, low));
}

/* Whether the result is not known; something is stored. */
DEVICE int near_store(const struct near *near, char *out)
{
    double error = near->error;
    if (!(error + fabs(near->pair.low) <= 0x1p1000)) return 1; /* also NaN, where a sum is too large */
    if (error > 0) error = error * (1 + 0x1p-20) + fabs(near->pair.low) * 0x1p-52; /* the ends are rounded, too */
    uint64_t bits = pair_result(near->pair, error);
    finish_bits(bits, 0, out);
    return error > 0 && bits != pair_result(near->pair, -error);
}

/* Of a sum in words; whether there is such a pair. */
DEVICE_UNUSED int near_of_state(const struct state *state, struct near *near)
{
    int kind = words_pair(&state->sum[0], &near->pair);
    near->error = kind == 2 ? 0 : fabs(near->pair.high) * 0x1p-100;
    return kind > 0;
}
