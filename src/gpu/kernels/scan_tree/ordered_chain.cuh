/* SPDX-License-Identifier: MIT
 *
 * ordered_chain.cuh - scan_chain of scan_chain.cu: carries the totals of blocks along the axis. No include guard. */

/* Totals of a round of scan_chain, and those that its first thread has in registers at once. */
enum { ROUND = 8192 / (int)sizeof(struct FOLD(wide)), AT_ONCE = 8 };

static_assert(THREADS >= 64 && ROUND % AT_ONCE == 0, "a warp chains, the others fetch");

/* By one thread: each of the totals [begin, end) gives way to what stands left of it. The next ones are on their way
 * while some are chained, which then takes little more than the additions wait for each other. */
DEVICE struct FOLD(wide) chain_round(struct FOLD(wide) * total, int32_t begin, int32_t end, struct FOLD(wide) carry)
{
    struct FOLD(wide) some[AT_ONCE], next[AT_ONCE];
    for (int k = 0; k < AT_ONCE; k++) next[k] = total[begin + k < end ? begin + k : 0];
    for (; begin + AT_ONCE <= end; begin += AT_ONCE) {
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) some[k] = next[k];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) next[k] = total[begin + AT_ONCE + k < end ? begin + AT_ONCE + k : 0];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            total[begin + k] = carry;
            FOLD(wide_combine)(&carry, some[k]);
        }
    }
    for (int32_t k = begin; k < end; k++) {
        struct FOLD(wide) own = total[k];
        total[k] = carry;
        FOLD(wide_combine)(&carry, own);
    }
    return carry;
}

/* One block for each cell: its first thread chains the totals, round by round; meanwhile the other warps take carries
 * out and bring totals in. Every block of the axis has a total. */
KERNEL(scan_chain, struct scan_parameters, given)
{
    __shared__ struct FOLD(wide) room[2][ROUND];
    const struct reduce_parameters *p = &given.reduce;
    int64_t blocks = (p->length + BLOCK_ELEMENTS - 1) / BLOCK_ELEMENTS, rounds = (blocks + ROUND - 1) / ROUND;
    struct left *totals = (struct left *)given.totals + blockIdx.x, first = first_left(&given, blockIdx.x);
    struct FOLD(wide) carry = first.value;
    for (int64_t round = -1; round <= rounds; round++) {
        struct FOLD(wide) *mine = room[round & 1], *others = room[round & 1 ^ 1];
        for (int32_t k = (int32_t)threadIdx.x - 32; k >= 0 && k < ROUND; k += THREADS - 32) {
            int64_t out = (round - 1) * ROUND + k, in = out + 2 * ROUND;
            if (out >= 0 && out < blocks) {
                totals[out * p->cells].value = others[k];
                totals[out * p->cells].some = out > 0 || first.some;
            }
            if (in < blocks) others[k] = totals[in * p->cells].value;
        }
        if (threadIdx.x == 0 && round >= 0 && round < rounds) {
            int64_t left = blocks - round * ROUND;
            int32_t begin = 0;
            if (round == 0 && !first.some) { /* nothing is left of the first one, not even an identity */
                carry = mine[0];
                mine[0] = first.value;
                begin = 1;
            }
            carry = chain_round(mine, begin, left < ROUND ? (int32_t)left : ROUND, carry);
        }
        __syncthreads();
    }
    struct left last = {carry, 1};
    if (threadIdx.x == 0) leave_carry(&given, blockIdx.x, &last);
}
