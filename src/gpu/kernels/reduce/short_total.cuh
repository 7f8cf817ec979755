/* SPDX-License-Identifier: MIT
 *
 * short_total.cuh - from an exact total, in a pair of doubles, to the result, rounded once. No include guard. */
#include "pair.cuh"

#if !defined(HAS_INITIAL)
#define HAS_INITIAL 0 /* totals have an initial value to be added, which is one more of a cell's numbers */
#endif

/* The quotient by n, rounded to the nearest double; inverse is that of 1 / n (Markstein). */
DEVICE double divide(double total, double n, double inverse)
{
    double q = total * inverse;
    return fma(fma(-q, n, total), inverse, q);
}

/* The double nearest to total / n, which is near the middle between two: between their distances from q, a quotient
 * that is nearly it. NaN where what q leaves of the total is not known exactly. */
DEVICE_CALL double nearest_of_two(struct pair total, double n, double q, double less, double more)
{
    double lost, left = two_sum(fma(-q, n, total.high), total.low, &lost);
    double middle = n * ((less - q) + (more - less) / 2); /* exact: few bits */
    if (lost != 0) return (double)NAN;
    if (left == middle) return double_bits(less) & 1 ? more : less;
    return fabs(left) > fabs(middle) ? more : less;
}

/* Writes total / n, rounded once; returns whether it could. `odd`: the total, or of the doubles around it the odd one.
 */
DEVICE int mean_store(struct pair total, double odd, int64_t length, char *out)
{
    double n = (double)length, inverse = 1.0 / n, size = fabs(total.high), mean;
    if (size != 0 && !(size > 0x1p-900 && size < 0x1p1000)) return 0;
    if (RESULT_PART < 8 && length >> (__ffsll(length) - 1) >> 27) return 0;
    if (RESULT_PART < 8) {
        mean = divide(odd, n, inverse); /* n times a middle between two results has 52 bits: none is hidden */
    } else if ((length & (length - 1)) == 0) {
        mean = total.high * inverse;
    } else {
        double q = divide(total.high, n, inverse);
        double rest = (fma(-q, n, total.high) + total.low) * inverse;
        double less = q + rest * (1 - 0x1p-40);
        mean = q + rest * (1 + 0x1p-40);
        if (mean != less) mean = nearest_of_two(total, n, q, less, mean);
        if (mean != mean) return 0;
    }
    double_store(mean, 0, out);
    return 1;
}

/* Writes the root of a positive total, rounded once; returns whether it could. odd: as above. */
DEVICE int root_store(struct pair total, double odd, char *out)
{
    if (!(total.high > 0x1p-900 && total.high < 0x1p1000)) return 0;
    double root = sqrt(odd), rest = fma(-root, root, odd);
    if (RESULT_PART == 8) {
        double more = (rest + total.low) / (2 * root), up = root + more * (1 + 0x1p-40);
        if (up != root + more * (1 - 0x1p-40)) return 0; /* too close to the middle between two doubles */
        root = up;
    } else if (rest != 0) { /* the odd one of the two doubles around it, so that the next rounding sees the side */
        root = double_from_bits((double_bits(root) - (rest < 0)) | 1);
    }
    double_store(root, 0, out);
    return 1;
}

DEVICE int pair_finish(struct pair total, int64_t length, char *out)
{
    double odd = RESULT_PART == 8 ? total.high : round_to_odd_sum(total.high, total.low);
    if (FINISH_NUMBER == FINISH_MEAN) return mean_store(total, odd, length, out);
    if (FINISH_NUMBER == FINISH_ROOT) return root_store(total, odd, out);
    double_store(odd, 0, out);
    return is_finite(total.high);
}

/* Writes the initial value where it is the result, as it is none of finite numbers beside a sum of some; returns
 * whether it was. */
DEVICE_UNUSED int initial_store(const struct reduce_parameters *p, double sum, char *out)
{
    double initial = initial_real(p, 0);
    if (is_finite(initial) || !is_finite(sum)) return 0;
    finish_bits(initial != initial ? nan_result() : double_result(initial), 0, out);
    return 1;
}

/* A result that is known, or not. */
struct near_result {
    uint64_t bits;
    int is_known;
};

/* The same sum, of which each double is small beside the one before, although these may have cancelled. */
DEVICE void near_normalize(struct near_sum *sum)
{
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        double upper, lower, both = two_sum(sum->pair.low, sum->rest, &lower);
        sum->pair.high = two_sum(sum->pair.high, both, &upper);
        sum->pair.low = two_sum(upper, lower, &sum->rest);
    }
}

/* The result of a sum that is not known exactly: both ends of what it can be must have the same. */
DEVICE_CALL struct near_result near_finish(struct near_sum sum, int64_t length)
{
    struct near_result ends[2] = {{0, 1}, {0, 1}};
    near_normalize(&sum);
    int is_exact = sum.off == 0 && fabs(sum.rest) <= fabs(sum.pair.high) * 0x1p-20;
    double reach = is_exact ? 0 : sum.off * (1 + 0x1p-20) + fabs(sum.rest) * 0x1p-50; /* both were rounded */
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
        double low = round_to_odd_sum(sum.pair.low, side ? sum.rest + reach : sum.rest - reach);
        struct pair end;
        end.high = two_sum(sum.pair.high, low, &end.low);
        ends[side].is_known = pair_finish(end, length, (char *)&ends[side].bits);
    }
    ends[0].is_known &= ends[1].is_known & (ends[0].bits == ends[1].bits);
    return ends[0];
}

/* Writes the result of a cell whose elements have this sum; returns whether it could. */
DEVICE_UNUSED int near_store(const struct reduce_parameters *p, const struct near_sum *sum, int64_t length, char *out)
{
    struct near_sum total = *sum;
#if HAS_INITIAL
    if (initial_store(p, sum->pair.high, out)) return 1;
    near_add(&total, initial_real(p, 0));
#else
    (void)p;
#endif
    struct near_result result = near_finish(total, length);
    if (result.is_known) finish_bits(result.bits, 0, out);
    return result.is_known;
}

/* The same of a sum that is exact. */
DEVICE_UNUSED int sum_store(const struct reduce_parameters *p, struct pair sum, int64_t length, char *out)
{
#if HAS_INITIAL
    const struct near_sum near = {sum, 0, 0};
    struct near_sum total = near;
    near_add(&total, initial_real(p, 0));
    if (total.rest != 0) return near_store(p, &near, length, out); /* three doubles, or none are finite */
    sum = total.pair;
#else
    (void)p;
#endif
    return pair_finish(sum, length, out);
}

/* The same of a double that is off by up to `off`; what both ends are rounded to is the total. */
DEVICE_UNUSED int double_near_store(const struct reduce_parameters *p, double sum, double off, int64_t length,
                                    char *out)
{
    if (FINISH_NUMBER != FINISH_TOTAL || RESULT_PART == 8) {
        struct near_sum near = {{sum, 0}, 0, off};
        return near_store(p, &near, length, out);
    }
#if HAS_INITIAL
    double lost;
    if (initial_store(p, sum, out)) return 1;
    sum = two_sum(sum, initial_real(p, 0), &lost);
    off += fabs(lost);
#endif
    double reach = off + fabs(sum) * 0x1p-52;
    uint64_t low = double_result(sum - reach), high = double_result(sum + reach);
    finish_bits(low, 0, out);
    return low == high && is_finite(sum) && is_finite(reach);
}
