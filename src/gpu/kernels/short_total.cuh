/* SPDX-License-Identifier: MIT
 *
 * short_total.cuh - from an exact total, in a pair of doubles, to the result, rounded once. No include guard. */
#include "pair.cuh"

/* The quotient by n, rounded to the nearest double; inverse is that of 1 / n (Markstein). */
DEVICE double divide(double total, double n, double inverse)
{
    double q = total * inverse;
    return fma(fma(-q, n, total), inverse, q);
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
        mean = q + rest * (1 + 0x1p-40);
        if (mean != q + rest * (1 - 0x1p-40)) return 0; /* too close to the middle between two doubles */
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
