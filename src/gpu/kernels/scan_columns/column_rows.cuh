/* SPDX-License-Identifier: MIT
 *
 * column_rows.cuh - exact running sums of DEPTH rows of SIDE columns at once. Part of column_exact.cuh. No include
 * guard.
 *
 * Sums of narrow floats are doubles, as long as bounds of their sizes prove that nothing is lost; sums of doubles are
 * pairs, which show it. It is looked at once for all rows, and rows that fail are gone through again. */

/* What DEPTH numbers add up to, of the largest one, in bits. */
#define DEPTH_BITS (DEPTH > 16 ? 5 : DEPTH > 8 ? 4 : DEPTH > 4 ? 3 : DEPTH > 2 ? 2 : DEPTH - 1)
static_assert(DEPTH <= 32, "bits of a batch of rows");

/* Bits of an element's significand, the lowest of which weighs 2^(exponent field of a float - FIELD_TO_UNIT). */
#if defined(ONLY_TYPE_bf16)
#define NARROW_BITS 8
#else
#define NARROW_BITS 24
#endif
#define FIELD_TO_UNIT (126 + NARROW_BITS)
#if defined(ONLY_TYPE_f16)
#define LEAST_FIELD (FIELD_TO_UNIT - 24) /* all are multiples of 2^-24 */
#else
#define LEAST_FIELD 1
#endif

/* Whether a result is the sum's nearest double rounded again, unless that is the middle between two results. (Results
 * too small for that are multiples of what all elements are multiples of, and then nothing is rounded.) */
#define ROUNDS_TWICE (RESULT_PART == 8 || (IS_NARROW && (RESULT_PART == 4 || ELEMENT_NUMBER == RESULT_NUMBER)))

enum { ALL_NAN = 2 }; /* no column of a thread will have another result */

/* What is known of a thread's columns. */
struct trail {
    int32_t apart;  /* whether some are strays, infinite or NaN; ALL_NAN */
    uint32_t least; /* what they are multiples of: a float's size, shifted to the left, less one; 0: not all are single
                       doubles */
};

/* The same of a sum alone. 0: it may be a multiple of less than any element's last bit. */
DEVICE uint32_t least_of_sum(double x)
{
    uint64_t bits = double_bits(x), fraction = bits & 0xfffffffffffffull;
    int32_t lowest = fraction ? __ffsll((long long)fraction) - 1 : 52;
    int32_t field = (int32_t)(bits >> 52 & 0x7ff) - 1075 + lowest + FIELD_TO_UNIT;
    if (x == 0) return 0xffffffffu;
    return field < LEAST_FIELD ? 0 : ((uint32_t)(field < 254 ? field : 254) << 24) - 1;
}

DEVICE struct trail trail_of(const struct column *columns, int apart)
{
    struct trail trail = {apart, 0xffffffffu};
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        uint32_t least = columns[k].above.low == 0 ? least_of_sum(columns[k].above.high) : 0;
        trail.least = least < trail.least ? least : trail.least;
    }
    return trail;
}

/* A float's exponent field, of a double; less than 0 if it is small. */
DEVICE int32_t field_of(double x)
{
    return (int32_t)((uint32_t)(double_bits(x) >> 32) << 1 >> 21) - 896;
}

DEVICE element row_element(const struct side *side, int k)
{
    element x = side_element(side, k);
    if (SKIP_NAN && element_is_nan(x)) memset(&x, 0, sizeof x);
    return x;
}

/* The sizes of numbers, as floats' shifted to the left: the largest, and the smallest but zeros, less one. Of doubles,
 * of their upper words; where these are zero, lower ones are put together. */
struct sizes {
#if HAS_HALVES
    struct halves halves;
#elif IS_NARROW
    uint32_t most, least;
#else
    uint32_t most, least, tiny;
#endif
};

#if HAS_HALVES
#define HALF_TO_SIZE 17 /* of bfloat16 */

DEVICE uint32_t side_word(const struct side *side, int i)
{
    uint32_t word = 0;
    memcpy(&word, (const char *)side + 4 * i, SIDE_BYTES < 4 ? SIDE_BYTES : 4);
    return word;
}

DEVICE struct number row_number(const struct side *side, int k)
{
    uint32_t word = side_word(side, k / 2);
    return number_of_upper(upper_counted(k % 2 ? word : word << 16));
}

DEVICE struct sizes sizes_begin(void)
{
    struct sizes sizes = {halves_begin()};
    return sizes;
}

DEVICE void sizes_see(struct sizes *sizes, const struct side *side)
{
#pragma unroll
    for (int i = 0; i < (SIDE + 1) / 2; i++) halves_see(&sizes->halves, halves_counted(side_word(side, i)));
}

DEVICE_UNUSED uint32_t sizes_most(const struct sizes *sizes)
{
    return halves_most(&sizes->halves) << HALF_TO_SIZE;
}

DEVICE_UNUSED uint32_t sizes_least(const struct sizes *sizes)
{
    return ((halves_least(&sizes->halves) + 1) << HALF_TO_SIZE) - 1;
}
#else
DEVICE struct number row_number(const struct side *side, int k)
{
    return number_of_element(row_element(side, k));
}

#if IS_NARROW
DEVICE struct sizes sizes_begin(void)
{
    struct sizes sizes = {0, 0xffffffffu};
    return sizes;
}

DEVICE void sizes_see(struct sizes *sizes, const struct side *side)
{
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        uint32_t size = __float_as_uint(row_element(side, k).v) << 1;
        sizes->most = size > sizes->most ? size : sizes->most;
        sizes->least = size - 1 < sizes->least ? size - 1 : sizes->least;
    }
}

DEVICE uint32_t sizes_most(const struct sizes *sizes)
{
    return sizes->most;
}

DEVICE uint32_t sizes_least(const struct sizes *sizes)
{
    return sizes->least;
}
#else
DEVICE struct sizes sizes_begin(void)
{
    struct sizes sizes = {0, 0xffffffffu, 0};
    return sizes;
}

DEVICE void sizes_see(struct sizes *sizes, const struct side *side)
{
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        uint64_t bits = double_bits(row_element(side, k).v);
        uint32_t size = (uint32_t)(bits >> 32) << 1;
        sizes->most = size > sizes->most ? size : sizes->most;
        sizes->least = size - 1 < sizes->least ? size - 1 : sizes->least;
        sizes->tiny |= size ? 0 : (uint32_t)bits;
    }
}

DEVICE_UNUSED uint32_t sizes_most(const struct sizes *sizes)
{
    return sizes->most;
}

DEVICE_UNUSED uint32_t sizes_least(const struct sizes *sizes)
{
    return sizes->tiny ? 0 : sizes->least;
}
#endif
#endif

/* Whether there was an infinity or NaN. */
DEVICE_UNUSED int sizes_special(const struct sizes *sizes)
{
#if HAS_HALVES
    return halves_special(&sizes->halves);
#else
    return sizes->most >= (IS_NARROW ? 0xff000000u : 0xffe00000u);
#endif
}

/* Absent rows are zeros: only their results are left out. Returns whether something may have been lost. */
#if IS_NARROW
DEVICE int rows_single(struct column *columns, struct trail *trail, const struct side *v, int32_t count, char *out,
                       int64_t pitch)
{
    struct sizes sizes = sizes_begin();
    int32_t top = -896;
    int failed = 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        int32_t field = field_of(columns[k].above.high);
        top = field > top ? field : top;
    }
#pragma unroll
    for (int d = 0; d < DEPTH; d++, out += pitch) {
        struct results results;
        sizes_see(&sizes, &v[d]);
#pragma unroll
        for (int k = 0; k < SIDE; k++) {
            double above = columns[k].above.high;
            columns[k].above.high = number_plus(above, row_number(&v[d], k));
            finish_bits(nearest(EXCLUSIVE ? above : columns[k].above.high), 0, results.bytes + k * RESULT_SIZE);
        }
        if (d < count) store_results(out, &results);
    }
#if defined(ONLY_TYPE_f16)
    /* Multiples of 2^-24, none of which was larger than 2^28 and the rows. */
    (void)trail, (void)top;
    failed = halves_special(&sizes.halves);
#pragma unroll
    for (int k = 0; k < SIDE; k++) failed |= !(fabs(columns[k].above.high) < 0x1p28);
#else
    uint32_t least = sizes_least(&sizes);
    least = least < trail->least ? least : trail->least;
    int32_t field = (int32_t)(sizes_most(&sizes) >> 24), bottom = (int32_t)((least + 1) >> 24);
    trail->least = least;
    top = field + DEPTH_BITS > top ? field + DEPTH_BITS : top;
    if (least == 0xffffffffu) return 0; /* zeros, and sums of zeros */
    failed = field == 255 || top - bottom > 52 - NARROW_BITS;
#endif
    return failed;
}
#endif

/* Whether a double is the middle between two results. */
DEVICE int is_middle(double x)
{
    uint32_t low = (uint32_t)double_bits(x), high = (uint32_t)(double_bits(x) >> 32);
    if (IS_F16(RESULT_NUMBER)) return low == 0 && (high & 0x3ff) == 0x200;
    if (IS_BF16(RESULT_NUMBER)) return low == 0 && (high & 0x1fff) == 0x1000;
    return (low & 0x1fffffff) == 0x10000000;
}

DEVICE void sum_store(const struct pair *sum, char *out)
{
    double rounded = sum->high + sum->low;
    if (!ROUNDS_TWICE || (RESULT_PART < 8 && is_middle(rounded))) rounded = round_to_odd_sum(sum->high, sum->low);
    finish_bits(nearest(rounded), 0, out);
}

DEVICE double row_value(const struct side *side, int k)
{
#if HAS_HALVES
    return number_value(row_number(side, k));
#else
    return (double)row_element(side, k).v;
#endif
}

/* The same in pairs, whose high part is not always the sum's nearest double meanwhile. */
DEVICE int rows_paired(struct column *columns, const struct side *v, int32_t count, char *out, int64_t pitch)
{
    uint64_t lost = 0;
#if HAS_HALVES
    struct sizes sizes = sizes_begin();
#pragma unroll
    for (int d = 0; d < DEPTH; d++) sizes_see(&sizes, &v[d]);
    if (halves_special(&sizes.halves)) return 1;
#endif
#pragma unroll
    for (int d = 0; d < DEPTH; d++, out += pitch) {
        struct results results;
#pragma unroll
        for (int k = 0; k < SIDE; k++) {
            struct pair above = columns[k].above, *next = &columns[k].above;
            double error, rest;
            next->high = two_sum(above.high, row_value(&v[d], k), &error);
            next->low = two_sum(above.low, error, &rest);
            lost |= double_bits(rest);
            sum_store(EXCLUSIVE ? &above : next, results.bytes + k * RESULT_SIZE);
        }
        if (d < count) store_results(out, &results);
    }
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        struct pair *sum = &columns[k].above;
        sum->high = two_sum(sum->high, sum->low, &sum->low);
        lost |= (uint64_t)!is_finite(sum->high);
    }
    return lost << 1 != 0;
}

/* Whether the quick way, one double for each sum of narrow floats and pairs for others, does not hold what rows add up
 * to; the columns are as they were then. */
DEVICE int rows_lost(struct column *columns, struct trail *trail, const struct side *v, int32_t count, char *out,
                     int64_t pitch)
{
    struct column next[SIDE];
#pragma unroll
    for (int k = 0; k < SIDE; k++) next[k] = columns[k];
#if IS_NARROW
    int lost = trail->least == 0 || rows_single(next, trail, v, count, out, pitch);
#else
    int lost = rows_paired(next, v, count, out, pitch);
    (void)trail;
#endif
#pragma unroll
    for (int k = 0; k < SIDE && !lost; k++) columns[k] = next[k];
    return lost;
}
