/* SPDX-License-Identifier: MIT
 *
 * ordered_sums_near.cuh - runs whose powers are added as they are, of ordered_sums_powers.cuh: divided by the power of
 * two of the run's largest element, and held where that one has been halved LOWEST times. So little changes no sum
 * beside the largest element, or what stands left of the run: before any of both, sums may be wrong. No include guard.
 */

#if POWERS_ARE_FLOATS
enum { LOWEST = -120, LEFT_LOWEST = -60 };
#else
enum { LOWEST = -1000, LEFT_LOWEST = -900 };
#endif

/* e^v, divided by two to INTEGER - shift. */
DEVICE power_real power_beside(power_real v, power_real shift)
{
    power_real shifted = FUSED(v, POWER_PER_UNIT, shift), power = OF_POWERS(power_near_factor)(v, shifted - shift);
#if POWERS_ARE_FLOATS
    return scaled(power, shifted > POWER_INTEGER + LOWEST ? shifted : POWER_INTEGER + LOWEST);
#elif ALWAYS_NEAR && ELEMENT_BYTES == 4
    /* Exponents may differ by more than 32 bits hold. As bits, since ptxas 13.0 compares such doubles with zero. */
    uint64_t bits = double_bits(shifted), least = double_bits(POWER_INTEGER + LOWEST);
    return double_from_bits(double_bits(power) + ((bits > least ? bits : least) << 52));
#else
    int32_t exponent = (int32_t)(uint32_t)double_bits(shifted);
    return double_from_bits(double_bits(power) + ((uint64_t)(uint32_t)max(exponent, (int32_t)LOWEST) << 52));
#endif
}

/* Twice the high word of a number's size. */
DEVICE_UNUSED uint32_t size_of(power_real v)
{
    return POWERS_ARE_FLOATS ? float_bits((float)v) * 2 : (uint32_t)(double_bits((double)v) >> 32) * 2;
}

#if !ALWAYS_NEAR
/* The largest of elements that are present; whether all are of a size that exponents are found for by one addition of
 * two constants: below 2^20. */
DEVICE int find_largest(const element *x, uint32_t present, power_real *largest)
{
    power_real most = -(power_real)INFINITY;
    uint32_t size = 0;
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        power_real v = NUMBER_OF(x[i]);
        int here = present >> i & 1;
        most = here && v > most ? v : most;
        size = max(size, here ? size_of(v) : 0);
    }
    *largest = most;
    return size < size_of(524288);
}
#else
DEVICE int find_largest(const element *x, uint32_t present, power_real *largest)
{
    element most = x[0];
    int some = present & 1;
#pragma unroll
    for (int i = 1; i < RUN; i++) {
        int here = present >> i & 1;
        if (here && (!some || x[i].v > most.v)) most = x[i];
        some |= here;
    }
    *largest = some ? NUMBER_OF(most) : -(power_real)INFINITY;
    return 1;
}
#endif

/* Sums up to each element, in the unit of the run's sum; whether that could be done. */
DEVICE int enter_near(const element *x, uint32_t present, struct local *local)
{
    struct sum upto = no_sum();
    power_real largest;
    int fit = find_largest(x, present, &largest), some = largest > -(power_real)INFINITY;
    power_real exponent = some ? OF_POWERS(power_near_exponent)(largest) : 0, shift = POWER_INTEGER - exponent;
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        power_real power = power_beside(NUMBER_OF(x[i]), shift);
        if (!(present >> i & 1)) power = 0;
        local->sum[i] = i > 0 ? local->sum[i - 1] + power : power;
    }
    if (some) {
        upto.largest = largest;
        upto.exponent = exponent;
        upto.sum = local->sum[RUN - 1];
    }
    local->last = upto;
    return fit;
}

/* The last place of a quotient by a power is right where that power's last place, and the remainder's, are normal. */
#define NOT_HELD (POWERS_ARE_FLOATS ? LOWEST : LEFT_LOWEST)

/* Whether no element had to be held, or is so small that results beside it would be wrong. */
DEVICE int none_held(const element *x, uint32_t present, power_real exponent)
{
    int none = 1;
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        power_real own = OF_POWERS(power_near_exponent)(NUMBER_OF(x[i]));
        none &= !(present >> i & 1) || own - exponent >= NOT_HELD;
    }
    return none;
}

/* Whether sums are right beside what stands left. */
DEVICE int is_right(const element *x, uint32_t present, const struct local *local, struct sum left)
{
    if (left.largest == -(power_real)INFINITY) return none_held(x, present, local->last.exponent);
    if (!is_finite(left.largest)) return 0;
    return local->last.largest <= left.largest || left.exponent - local->last.exponent >= LEFT_LOWEST;
}

/* ---- results ---- */

/* Whether results are found from logarithms near enough to tell how they round, nearly always. */
#define ARE_NEAR (POWERS_ARE_FLOATS && RESULT_PART <= 4)

DEVICE struct logarithms *shared_logarithms(void)
{
    __shared__ struct logarithms logarithms;
    return &logarithms;
}

/* What stands left of a run, in the unit that its sums are multiplied to. */
struct beside {
    power_real left, scale, shift;
    struct largest top;
    double offset; /* what is added to the logarithm of a sum, if results are near */
};

DEVICE void beside_take(struct beside *beside, struct largest top)
{
    beside->top = top;
    if (ARE_NEAR) beside->offset = (double)top.value - near_log((float)top.power, 0, shared_logarithms());
}

DEVICE struct beside beside_of(const struct local *local, struct sum left)
{
    power_real scale = OF_POWERS(powers_scale_apart)(left.exponent - local->last.exponent);
    struct beside beside = {left.sum, scale, POWER_INTEGER - local->last.exponent, largest_of(left.largest), 0};
    if (!(local->last.largest <= left.largest)) {
        beside.scale = 1;
        beside.left = left.largest > -(power_real)INFINITY ? left.sum * scale : 0;
        beside.top = largest_with(left.largest, beside.top.power * (double)scale);
    }
    beside_take(&beside, beside.top);
    return beside;
}

enum { RESULTS = 4 }; /* at once */

/* Of the sum up to element i: the result, if results are near; else the quotient that it follows from. */
DEVICE double found_of(const struct local *local, const struct beside *beside, int i)
{
    power_real sum = FUSED(local->sum[i], beside->scale, beside->left);
    if (ARE_NEAR) return near_log((float)sum, beside->offset, shared_logarithms());
    return quotient((double)sum, beside->top.power, beside->top.inverse);
}

DEVICE void find(const struct local *local, const struct beside *beside, int first, double *found)
{
#pragma unroll
    for (int i = 0; i < RESULTS; i++) found[i] = found_of(local, beside, first + i);
}

/* The same where the largest element may change, whose power is in the unit of the run then. */
DEVICE void find_growing(const element *x, uint32_t present, const struct local *local, struct beside *beside,
                         int first, double *found)
{
#pragma unroll
    for (int i = 0; i < RESULTS; i++) {
        power_real v = NUMBER_OF(x[first + i]);
        if (present >> (first + i) & 1 && v > beside->top.value)
            beside_take(beside, largest_with(v, (double)power_beside(v, beside->shift)));
        found[i] = found_of(local, beside, first + i);
    }
}
