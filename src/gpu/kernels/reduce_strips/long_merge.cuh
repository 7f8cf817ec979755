/* SPDX-License-Identifier: MIT
 *
 * long_merge.cuh - how reduce_long.cu merges the totals of a team's threads, and of splits. No include guard. */
#include "shuffle.cuh"

SHUFFLE(total)

/* What a team takes. */
struct place {
    int64_t cell, split;
};

/* What a split publishes. */
struct published {
    struct total total;
#if HAS_WORDS
    struct words words; /* if the total is lost */
#endif
};

enum { WARPS = THREADS / 32 };

/* Totals of a warp's first `lanes` lanes, a power of two, in its first one. */
DEVICE struct total merge_lanes(struct total total, uint32_t lanes)
{
#if HAS_SHORT_TOTALS
    struct total all = total;
    uint32_t lost = 0;
#pragma unroll
    for (uint32_t half = lanes / 2; half > 0; half /= 2) {
        struct total other = total_xor(all, half);
        lost |= total_merge_short(&all, &other);
    }
    if (!__any_sync(FULL_WARP, lost != 0)) return all;
#endif
#pragma unroll 1
    for (uint32_t half = lanes / 2; half > 0; half /= 2) {
        struct total other = total_down(total, half);
        total_merge(&total, &other);
    }
    return total;
}

/* Totals of a team, in its first thread. */
DEVICE struct total merge_team(struct total total)
{
    total = merge_lanes(total, 32);
#if TEAM > 32
    __shared__ struct total room[WARPS];
    int32_t lane = (int32_t)threadIdx.x & 31, warp = (int32_t)threadIdx.x >> 5;
    __syncthreads();
    if (lane == 0) room[warp] = total;
    __syncthreads();
    if (warp > 0) return total;
    total = merge_lanes(lane < WARPS ? room[lane] : total_identity(), WARPS);
#endif
    return total;
}

/* Whether a condition holds in the team's first thread, in all of them. */
DEVICE int first_says(int condition)
{
#if TEAM > 32
    return __syncthreads_or(threadIdx.x == 0 && condition);
#else
    return __shfl_sync(FULL_WARP, condition, 0);
#endif
}

#if HAS_WORDS
#include "strip_words.cuh"

struct wordy {
    struct words words;
};

SHUFFLE(wordy)

/* The same of words. */
DEVICE_CALL struct words merge_team_words(struct words words)
{
    struct wordy all = {words};
#pragma unroll 1
    for (uint32_t half = 16; half > 0; half /= 2) {
        struct wordy other = wordy_down(all, half);
        if ((threadIdx.x & 31) + half < 32) words_merge(&all.words, other.words);
    }
#if TEAM > 32
    __shared__ struct words room[WARPS];
    __syncthreads();
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = all.words;
    __syncthreads();
#pragma unroll 1
    for (int i = 1; i < WARPS && threadIdx.x == 0; i++) words_merge(&all.words, room[i]);
#endif
    return all.words;
}

/* A thread's part of what the splits published. */
DEVICE_CALL struct words gather_words(const struct published *published, int64_t count)
{
    struct words words;
    words_clear(&words);
#pragma unroll 1
    for (int64_t i = threadIdx.x; i < count; i += THREADS) {
        struct total total = published[i].total;
        words_merge(&words, total_is_lost(&total) ? published[i].words : words_of_total(total));
    }
    return words;
}

/* One team goes through all of a cell whose splits' totals leave open what the result is. */
DEVICE_CALL void sum_alone(const struct reduce_parameters *p, struct walk walk, int64_t absent, int64_t cell)
{
    struct words words[STRIP_TOTALS];
    struct offsets at = cell_offsets(p, cell);
    const char *x = (const char *)p->x + at.x * ELEMENT_SIZE;
    int first = threadIdx.x % TEAM == 0;
#if TEAM > 32
    struct near_sum near = near_of_block(p, x);
#else
    struct near_sum near = near_of_cell(p, x, threadIdx.x % TEAM, TEAM);
#endif
    int open = first && !near_store(p, &near, p->length - absent, (char *)p->out + at.out * RESULT_SIZE);
    if (!first_says(open)) return;
#if REDUCED_NEST
    walk.first_run = threadIdx.x % TEAM / LANES;
    walk.run_step = TEAM / LANES;
#else
    walk.first = threadIdx.x % TEAM;
    walk.step = TEAM;
    walk.far = DEPTH * TEAM;
#endif
    walk_words(&walk, words);
    words[0] = merge_team_words(words[0]);
    if (first) finish_with_words(p, words[0], absent, cell);
}
#endif

DEVICE void merge_and_finish(const struct reduce_parameters *p, const struct place *place, const struct walk *walk,
                             const struct strip *strip)
{
    struct total totals[STRIP_TOTALS];
    strip_end(strip, totals);
#if HAS_UNITS
#pragma unroll
    for (int k = 0; k < STRIP_TOTALS; k++) {
        if (totals[k].index >= 0) totals[k].index = element_of_unit(totals[k].index, k) + walk->column;
    }
#endif
#pragma unroll
    for (int k = 1; k < STRIP_TOTALS; k++) total_merge(&totals[0], &totals[k]);
    struct total total = totals[0];
    struct published *published = (struct published *)p->states + place->cell * p->splits;
    int first = threadIdx.x % TEAM == 0 && place->cell < p->cells;
#pragma unroll 1
    for (int last = p->splits == 1, round = 0;; last = 1, round++) {
        total = merge_team(total);
#if HAS_WORDS
        if (first_says(total_is_lost(&total))) {
            struct words words[STRIP_TOTALS];
            struct walk again = *walk;
            if (round) words[0] = gather_words(published, p->splits);
            else walk_words(&again, words);
            words[0] = merge_team_words(words[0]);
            int told = last && words_tell(&words[0]);
            if (first && told) finish_with_words(p, words[0], ABSENT(total), place->cell);
            if (first && !last) published[place->split].words = words[0];
            first &= !told;
        }
#else
        (void)round;
#endif
        if (last) break;
        if (first) published[place->split].total = total;
        if (!last_to_arrive(&p->tickets[place->cell], (uint32_t)p->splits)) return;
        total = total_identity();
        for (int64_t i = threadIdx.x; i < p->splits; i += THREADS) {
            struct total other = published[i].total;
            total_merge(&total, &other);
        }
    }
#if HAS_WORDS
    if (first_says(first && !total_settle(p, total, place->cell))) sum_alone(p, *walk, ABSENT(total), place->cell);
#else
#if HAS_UNITS && REDUCED_NEST
    if (first) total.index = element_of_parts(walk, &total);
#endif
    if (first) total_finish(p, &total, place->cell);
#endif
}
