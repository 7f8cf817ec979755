/* SPDX-License-Identifier: MIT
 *
 * column_rows.cuh - exact running sums of DEPTH rows of SIDE columns at once. Part of column_exact.cuh. No include
 * guard.
 *
 * Where the sums of narrow floats are doubles, bounds of their sizes prove that nothing was lost; otherwise pairs of
 * doubles show it. It is looked at once for all rows, and rows that fail are gone through again, step by step. */

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

/* What is known of a thread's columns. */
struct trail {
    int32_t is_single; /* every sum is one double */
    uint32_t least;    /* what they are multiples of: a float's size, shifted to the left, less one */
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

DEVICE struct trail trail_of(const struct column *columns)
{
    struct trail trail = {IS_NARROW, 0xffffffffu};
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        uint32_t least = least_of_sum(columns[k].above.high);
        trail.is_single &= columns[k].above.low == 0 && least > 0;
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

/* Absent rows are zeros: only their results are left out. Returns whether something may have been lost. */
#if IS_NARROW
DEVICE int rows_single(struct column *columns, struct trail *trail, const struct side *v, int32_t count, char *out,
                       int64_t pitch)
{
    uint32_t most = 0, least = trail->least;
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
#pragma unroll
        for (int k = 0; k < SIDE; k++) {
            element x = row_element(&v[d], k);
#if !defined(ONLY_TYPE_f16)
            uint32_t size = __float_as_uint(x.v) << 1;
            most = size > most ? size : most;
            least = size - 1 < least ? size - 1 : least;
#endif
            double above = columns[k].above.high;
            columns[k].above.high += (double)x.v;
            finish_bits(nearest(EXCLUSIVE ? above : columns[k].above.high), 0, results.bytes + k * RESULT_SIZE);
        }
        if (d < count) store_results(out, &results);
    }
#if defined(ONLY_TYPE_f16)
    /* Multiples of 2^-24, none of which was larger than 2^28 and the rows. */
#pragma unroll
    for (int k = 0; k < SIDE; k++) failed |= !(fabs(columns[k].above.high) < 0x1p28);
    (void)most, (void)least, (void)top;
#else
    int32_t field = (int32_t)(most >> 24), bottom = (int32_t)((least + 1) >> 24);
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

/* The same in pairs, whose high part is not always the sum's nearest double meanwhile. */
DEVICE int rows_paired(struct column *columns, const struct side *v, int32_t count, char *out, int64_t pitch)
{
    uint64_t lost = 0;
#pragma unroll
    for (int d = 0; d < DEPTH; d++, out += pitch) {
        struct results results;
#pragma unroll
        for (int k = 0; k < SIDE; k++) {
            struct pair above = columns[k].above, *next = &columns[k].above;
            double error, rest;
            next->high = two_sum(above.high, (double)row_element(&v[d], k).v, &error);
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

/* What goes through rows again. */
struct batch {
    struct column columns[SIDE];
    struct side v[DEPTH];
};

DEVICE_CALL void rows_one_by_one(struct batch *b, struct strays *strays, int32_t count, char *out, int64_t pitch)
{
#pragma unroll 1
    for (int32_t d = 0; d < count; d++, out += pitch) {
#pragma unroll 1
        for (int k = 0; k < SIDE; k++)
            column_step(&b->columns[k], strays, k, side_element(&b->v[d], k), out + k * RESULT_SIZE);
    }
}

DEVICE void step_rows(struct column *columns, struct strays *strays, struct trail *trail, const struct side *v,
                      int32_t count, char *out, int64_t pitch)
{
    struct column next[SIDE];
    int failed = strays->mask != 0;
#pragma unroll
    for (int k = 0; k < SIDE; k++) next[k] = columns[k];
#if IS_NARROW
    if (trail->is_single && !failed) trail->is_single = !rows_single(next, trail, v, count, out, pitch);
    if (!trail->is_single && !failed) {
#pragma unroll
        for (int k = 0; k < SIDE; k++) next[k] = columns[k];
        failed = rows_paired(next, v, count, out, pitch);
    }
#else
    if (!failed) failed = rows_paired(next, v, count, out, pitch);
#endif
    if (failed) {
        struct batch b;
        memcpy(b.columns, columns, sizeof b.columns);
        memcpy(b.v, v, sizeof b.v);
        trail->is_single = 0;
        rows_one_by_one(&b, strays, count, out, pitch);
        memcpy(next, b.columns, sizeof next);
    }
#pragma unroll
    for (int k = 0; k < SIDE; k++) columns[k] = next[k];
}
