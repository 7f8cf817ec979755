/* SPDX-License-Identifier: MIT
 *
 * blocks_results_f64.cuh - of blocks_results.cuh, for f64: all by the definition. No include guard. */

/* Element after element, where the largest one changes. */
DEVICE_CALL void growing_results(struct vector16 *memory, struct base base, struct entered entered,
                                 const struct logarithms *logarithms)
{
    int32_t first = ((int32_t)threadIdx.x & 31) * RUN_VECTORS;
    double own = 0, largest = base.largest, shift = POWER_INTEGER - entered.guess, of = NAN;
    struct factor factor = {1, 1};
#pragma unroll 1
    for (int i = 0; i < RUN; i++) {
        double *place = (double *)&memory[place_of(first + i / 2)] + i % 2, v = *place;
        double sum = with_left(&base, own), m = largest;
        if (SKIP_NAN && v != v) v = -(double)INFINITY;
        if (v > -(double)INFINITY) own += power_of(v, shift);
        largest = v > largest ? v + 0 : largest;
        if (!EXCLUSIVE) sum = with_left(&base, own), m = largest;
        if (!(m > -(double)INFINITY)) {
            *place = m;
            continue;
        }
        if (m != of) {
            factor = factor_of(m, logarithms);
            of = m;
        }
        double s = scaled(sum, POWER_INTEGER + (base.exponent - power_near_exponent_double(m)));
        *place = m + log_of_sum(quotient(s, factor.power, factor.inverse));
    }
}

DEVICE void run_results(struct vector16 *memory, const struct entered *entered, const struct base *base,
                        const struct factor *factor, const struct logarithms *logarithms)
{
    struct run_results results;
    double sums[RUN];
    if (base->grows) {
        growing_results(memory, *base, *entered, logarithms);
        return;
    }
    struct own_sums own = own_sums(memory, entered);
    run_sums(base, own.sum, sums);
    double more = power_near_exponent_double(base->largest) - base->exponent;
    double power = scaled(factor->power, POWER_INTEGER + more), inverse = scaled(factor->inverse, POWER_INTEGER - more);
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        double v = base->largest + log_of_sum(quotient(sums[i], power, inverse));
        memcpy((char *)&results + 8 * i, &v, 8);
    }
    store_run(&results, memory);
}
