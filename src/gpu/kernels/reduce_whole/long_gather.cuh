/* SPDX-License-Identifier: MIT
 *
 * long_gather.cuh - the end of layers.cuh: from long sums, which several blocks may share, to spans. No include guard.
 */

enum { LONG_SUMS_AT = 64 }; /* tickets before the long sums that blocks share: zeros between launches */

DEVICE struct long_sum *shared_sum(const struct reduce_parameters *p, int i)
{
    return (gridDim.x > 1 ? (struct long_sum *)(p->tickets + LONG_SUMS_AT) : long_sums()) + i;
}

/* A block's long sums into those of all blocks, by its first threads. What is above 32 bits goes up a word: the words
 * of many blocks can then be added. */
DEVICE_CALL void long_share(const struct reduce_parameters *p, int32_t threads)
{
    enum { ALL = LONG_WORDS + 1 };
#pragma unroll 1
    for (int32_t i = (int32_t)threadIdx.x; i < SUMS * ALL; i += threads) {
        const struct long_sum *sum = &long_sums()[i / ALL];
        int32_t k = i % ALL;
        unsigned long long *to = (unsigned long long *)shared_sum(p, i / ALL) + k;
        if (k == LONG_WORDS) {
            if (sum->special) atomicOr(to, sum->special);
            continue;
        }
        int64_t word = (int64_t)sum->word[k], below = k > 0 ? (int64_t)sum->word[k - 1] : 0;
        if (k < LONG_WORDS - 1) word &= 0xffffffff;
        word += below >> 32;
        if (word) atomicAdd(to, (unsigned long long)word);
    }
}

/* Elements that are left out, of all blocks. */
DEVICE_UNUSED unsigned long long *absent_count(const struct reduce_parameters *p)
{
    __shared__ unsigned long long own;
    return gridDim.x > 1 ? (unsigned long long *)((struct long_sum *)(p->tickets + LONG_SUMS_AT) + SUMS) : &own;
}

/* By all threads, before a barrier. */
DEVICE_UNUSED void absent_add(const struct reduce_parameters *p, int64_t count)
{
    unsigned long long *all = absent_count(p);
    int64_t sum = sum_of_lanes(count & 0xffffff) + ((int64_t)sum_of_lanes(count >> 24) << 24);
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) *all = 0;
        __syncthreads();
    }
    if ((threadIdx.x & 31) == 0 && sum) atomicAdd(all, (unsigned long long)sum);
}

/* By the first warp of the last block. */
DEVICE_UNUSED int64_t absent_take(const struct reduce_parameters *p)
{
    int64_t count = (int64_t)*absent_count(p);
    __syncwarp();
    if (threadIdx.x == 0) *absent_count(p) = 0;
    return count;
}

/* True in the first warp of the last block to come here. */
DEVICE int is_last_warp(const struct reduce_parameters *p)
{
    uint32_t before = 0;
    if (threadIdx.x >= 32) return 0;
    __syncwarp();
    if (threadIdx.x == 0 && gridDim.x > 1) before = arrive(p->tickets, gridDim.x);
    before = __shfl_sync(FULL_WARP, before, 0);
    __syncwarp();
    return gridDim.x == 1 || before == gridDim.x - 1;
}

/* From the least word that is not zero on; whether that is all. Words have signs. */
DEVICE int span_of_long(const struct long_sum *sum, int32_t least, int32_t most, struct span *s)
{
    enum { DIGITS = 7 };
    uint32_t digit[DIGITS];
    int64_t carry = 0;
    if (most >= least + DIGITS) return 0;
#pragma unroll
    for (int k = 0; k < DIGITS; k++) {
        carry += least + k <= most ? (int64_t)sum->word[least + k] : 0;
        digit[k] = (uint32_t)carry;
        carry >>= 32;
    }
    s->place = LONG_LOW + 32 * least;
    s->v[0] = (uint64_t)digit[1] << 32 | digit[0];
    s->v[1] = (uint64_t)digit[3] << 32 | digit[2];
    s->v[2] = (uint64_t)digit[5] << 32 | digit[4];
    return ((uint64_t)carry << 32 | digit[6]) == (uint64_t)((int64_t)s->v[2] >> 63);
}

/* A long sum as a span; whether it is one. By a warp, which leaves it in `to`, its block's own, and zeros if it was
 * elsewhere. */
DEVICE int gather_words(struct long_sum *from, struct long_sum *to, struct span *s)
{
    enum { ALL = LONG_WORDS + 1, EACH = (ALL + 31) / 32 };
    unsigned long long *words = (unsigned long long *)from, word[EACH];
    int32_t lane = (int32_t)threadIdx.x & 31, least = ALL, most = -1;
#pragma unroll
    for (int j = 0; j < EACH; j++) word[j] = 32 * j + lane < ALL ? words[32 * j + lane] : 0;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        int32_t i = 32 * j + lane;
        if (i < ALL && from != to) ((unsigned long long *)to)[i] = word[j];
        if (word[j] == 0) continue;
        if (from != to) words[i] = 0;
        least = i < least ? i : least;
        most = i;
    }
    least = least_of_lanes(least);
    most = most_of_lanes(most);
    __syncwarp();
    *s = span_none();
    return most < 0 || (most < LONG_WORDS && span_of_long(to, least, most, s));
}

DEVICE void long_add_span(struct long_sum *sum, const struct span *s)
{
    if (s->place != NO_PLACE) long_add_signed(sum, s->v[0], (int64_t)s->v[1], s->place);
}

/* All that layers took, by the first warp of the last block. */
DEVICE int gather_layers(struct layers *l, struct long_sum *own, struct span *s)
{
    int is_all = l->is_alone && l->count <= 1 && own->special == 0;
    *s = l->alone;
    __syncwarp(); /* the first thread may write to the long sum next */
    if (is_all) return 1;
    if (l->is_alone && threadIdx.x == 0) long_add_span(own, s);
    l->is_alone = 0;
    __syncwarp();
    return gather_words(l->sum, own, s);
}

/* Any result of sums that gather_layers left, by one thread. */
DEVICE_CALL void finish_spans(const struct reduce_parameters *p, int are_spans, const struct layers *layers,
                              const struct span *s, int64_t absent)
{
    if (are_spans && !(p->has_initial && FINISH_NUMBER == FINISH_TOTAL)) {
        for (int i = 0; i < SUMS; i++) span_read(&s[i], &sums_room()[i]);
        finish_sums(p, sums_room(), p->length - absent);
        return;
    }
    for (int i = 0; i < SUMS; i++) {
        if (layers[i].is_alone) long_add_span(&long_sums()[i], &s[i]);
    }
    finish_long(p, absent);
}
