/* SPDX-License-Identifier: MIT
 *
 * ordered_rows_steps.cuh - runs of scan_ordered_rows.cu, element after element. No include guard. */
#include "ordered_sums.cuh"
#include "run_steps.cuh"

/* What a lane keeps of its run until there is what stands left of it: everything up to each element. */
struct taken {
    struct FOLD(lane) upto[RUN];
};

/* Whether element i is the first one of the run, or of a row of it. */
DEVICE int is_first(int i)
{
    return TOGETHER ? i % LENGTH == 0 : i == 0;
}

DEVICE struct sum take_run(const struct run *run, int32_t count, struct taken *taken)
{
    (void)count;
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        if (!is_first(i)) taken->upto[i] = taken->upto[i - 1], FOLD(lane_combine)(&taken->upto[i], lifted(run, i));
        else taken->upto[i] = lifted(run, i);
    }
    return sum_of(FOLD(widen)(taken->upto[RUN - 1]));
}

/* Whether results are rounded with no thought of the bits of NaNs: they stay NaN to the end of a row, so that the last
 * one tells. Products of complex infinities may be NaN before others that are not. */
#define QUICK_NANS                                                                                      \
    (FOLD(is_real) && sizeof(((struct FOLD(wide) *)0)->part[0]) == sizeof(float) && RESULT_PART <= 4 && \
     (COMBINE_NUMBER == COMBINE_ADD || FOLD(parts) == 1))

/* But for the sign of a zero sum. */
DEVICE struct FOLD(wide) result_value(const struct taken *taken, const struct left *left, int i)
{
    struct left value = *left;
    if (!EXCLUSIVE || !is_first(i)) left_append(&value, FOLD(widen)(taken->upto[EXCLUSIVE && i > 0 ? i - 1 : i]));
    return value.value;
}

DEVICE int has_nan(struct FOLD(wide) value)
{
    int has = 0;
    for (int i = 0; i < FOLD(parts); i++) has |= value.part[i] != value.part[i];
    return has;
}

/* The bits that NaNs have. */
DEVICE_UNUSED void mend_nans(struct results *results)
{
    const uint32_t infinity = RESULT_PART == 4 ? 0x7f800000u : IS_F16(RESULT_NUMBER) ? 0x7c00u : 0x7f80u;
    const uint32_t nan = RESULT_PART == 4 ? 0x7fc00000u : IS_F16(RESULT_NUMBER) ? 0x7e00u : 0x7fc0u;
#pragma unroll
    for (int i = 0; i < 4 * RESULT_VECTORS; i++) {
        uint32_t word = results->vectors[i / 4].word[i % 4], low = word & 0xffffu, high = word >> 16;
        if (RESULT_PART == 4) {
            word = (word & 0x7fffffffu) > infinity ? nan : word;
        } else {
            low = (low & 0x7fffu) > infinity ? nan : low;
            high = (high & 0x7fffu) > infinity ? nan : high;
            word = high << 16 | low;
        }
        results->vectors[i / 4].word[i % 4] = word;
    }
}

/* Results of two neighbours in memory, as halves. */
DEVICE void put_pairs(const struct taken *taken, const struct left *left, struct results *results)
{
#pragma unroll
    for (int i = 0; i < RUN; i += 2) {
        int low = OUT_BACKWARD ? RUN - 1 - i : i, high = OUT_BACKWARD ? RUN - 2 - i : i + 1;
        float first = (float)result_value(taken, left, low).part[0];
        float second = (float)result_value(taken, left, high).part[0];
        results->vectors[i / 8].word[i % 8 / 2] = narrowed_pair(first, second);
    }
}

DEVICE void put_floats(const struct taken *taken, const struct left *left, struct results *results)
{
    enum { PARTS = RESULT_SIZE / RESULT_PART };
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        struct FOLD(wide) value = result_value(taken, left, i);
#pragma unroll
        for (int k = 0; k < PARTS; k++) {
            int word = (OUT_BACKWARD ? RUN - 1 - i : i) * PARTS + k;
            results->vectors[word / 4].word[word % 4] = float_bits((float)value.part[k < FOLD(parts) ? k : 0]);
        }
    }
}

DEVICE struct results results_of(const struct taken *taken, const struct standing *base)
{
    struct results results;
    struct left left = left_of(*base);
    left_prepare(&left);
    if (!QUICK_NANS) {
#pragma unroll
        for (int i = 0; i < RUN; i++)
            store_result(result_value(taken, &left, i),
                         (char *)&results + (OUT_BACKWARD ? RUN - 1 - i : i) * RESULT_SIZE);
        return results;
    }
    int some = 0;
    if (RESULT_PART == 2) put_pairs(taken, &left, &results);
    else put_floats(taken, &left, &results);
#pragma unroll
    for (int i = 0; i < RUN; i++) {
        if (i + 1 == RUN || is_first(i + 1)) some |= has_nan(result_value(taken, &left, i));
    }
    if (some) mend_nans(&results);
    return results;
}

/* In the lane's place. */
DEVICE void leave_in_units(struct taken *taken, const struct standing *base, int32_t count, struct vector16 *to)
{
    struct results results = results_of(taken, base);
    (void)count;
#pragma unroll
    for (int i = 0; i < RESULT_VECTORS; i++) to[i] = results.vectors[i];
}
