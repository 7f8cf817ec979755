/* SPDX-License-Identifier: MIT
 *
 * results_across.cuh - results from runs in shared memory to global memory where they lie otherwise within vectors: a
 * vector of global memory is put together from the two in shared memory that it lies across. No include guard. */

/* 16 bytes of the 32 in two vectors, from byte `by` on: a whole number of results, less than 16 bytes. */
DEVICE_UNUSED struct vector16 vector_across(struct vector16 low, struct vector16 high, uint32_t by)
{
    uint32_t word[8];
    struct vector16 v;
#pragma unroll
    for (int i = 0; i < 4; i++) word[i] = low.word[i], word[i + 4] = high.word[i];
#pragma unroll
    for (int i = 0; i < 6; i++) word[i] = by & 8 ? word[i + 2] : word[i];
#pragma unroll
    for (int i = 0; i < 5 && RESULT_SIZE <= 4; i++) word[i] = by & 4 ? word[i + 1] : word[i];
#pragma unroll
    for (int i = 0; i < 4; i++)
        v.word[i] = RESULT_SIZE < 4 ? __funnelshift_r(word[i], word[i + 1], (by & 3) * 8) : word[i];
    return v;
}

/* Result i of a warp's runs in shared memory, which has one every `stride` vectors. */
DEVICE_UNUSED const char *result_of_runs(const struct vector16 *runs, int32_t stride, int32_t i)
{
    if (IN_PLACE) return (const char *)runs + i * RESULT_SIZE; /* the same, without a division */
    return (const char *)(runs + i / RUN * stride) + i % RUN * RESULT_SIZE;
}

DEVICE_UNUSED struct vector16 vector_of_runs(const struct vector16 *runs, int32_t stride, int32_t i)
{
    return IN_PLACE ? runs[i] : runs[i / RESULT_VECTORS * stride + i % RESULT_VECTORS];
}

/* Results [begin, end) of a warp's runs, the first of which, if they had it, would go to `to`. Every lane of the warp
 * calls it. Vectors that are not filled get results one by one, since they have others beside them. */
DEVICE_UNUSED void store_across(char *to, const struct vector16 *runs, int32_t stride, int32_t begin, int32_t end)
{
    enum { PER = RESULTS_PER_VECTOR, AT_ONCE = 4 };
    int32_t lane = (int32_t)threadIdx.x & 31, ahead = (int32_t)((uintptr_t)to & 15) / RESULT_SIZE;
    int32_t low = (begin + ahead + PER - 1) / PER, high = (end + ahead) / PER; /* vectors that are filled */
    uint32_t by = (uint32_t)(-ahead * RESULT_SIZE) & 15;
    struct vector16 *vectors = (struct vector16 *)(to - ahead * RESULT_SIZE);
#if SEGMENTED /* which has no registers for several */
#pragma unroll 4
    for (int32_t i = low + lane; i < high; i += 32)
        vectors[i] = vector_across(vector_of_runs(runs, stride, by ? i - 1 : i), vector_of_runs(runs, stride, i), by);
#else
    for (int32_t i = low + lane; i < high; i += 32 * AT_ONCE) {
        struct vector16 v[AT_ONCE];
#pragma unroll
        for (int32_t k = 0, at = i; k < AT_ONCE; k++, at += 32) {
            if (at >= high) continue;
            v[k] = vector_across(vector_of_runs(runs, stride, by ? at - 1 : at), vector_of_runs(runs, stride, at), by);
        }
#pragma unroll
        for (int32_t k = 0, at = i; k < AT_ONCE; k++, at += 32) {
            if (at < high) vectors[at] = v[k];
        }
    }
#endif
    int32_t border = low * PER - ahead, after = high * PER - ahead;
    int32_t before = (border < end ? border : end) - begin;
    after = after > begin + before ? after : begin + before;
    int32_t at = lane < before ? begin + lane : after + lane - before;
    if (at < end) copy_result(to + (int64_t)at * RESULT_SIZE, result_of_runs(runs, stride, at));
}
