/* SPDX-License-Identifier: MIT
 *
 * wave_pairs.cuh - runs of minima, maxima and bits of narrow elements, two or a word to an instruction
 * (scan_method_pair.cuh), and the results of a word at once. Part of wave_fold.cuh. No include guard. */

enum { PER_WORD = 4 / ELEMENT_SIZE };

/* The elements of a word in the order of the scan, the first one lowest; and back. */
DEVICE uint32_t in_scan_order(uint32_t word)
{
    return BACKWARD ? __byte_perm(word, 0, ELEMENT_BYTES == 1 ? 0x0123 : 0x1032) : word;
}

/* Whether each byte is not zero, as 0 or 1. */
DEVICE uint32_t truth_of_bytes(uint32_t word)
{
    return (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) >> 7 & 0x01010101u;
}

#if RUNS_OF_BITS
/* A word of elements, of which those that are truths are 0 or 1. */
DEVICE uint32_t pair_of_word(uint32_t word)
{
#if defined(ONLY_TYPE_bool)
    return truth_of_bytes(word);
#else
    return word;
#endif
}

/* All elements of a word combined, in each of their places. */
DEVICE uint32_t both_of_pair(uint32_t word)
{
    uint32_t halves = BETTER_PAIR(word, __byte_perm(word, 0, 0x1032));
    return ELEMENT_BYTES == 1 ? BETTER_PAIR(halves, __byte_perm(halves, 0, 0x2301)) : halves;
}

DEVICE uint32_t both_of_word(uint32_t word, int k)
{
    return __byte_perm(pair_of_word(word), 0, ELEMENT_BYTES == 1 ? 0x1111u * (uint32_t)k : k ? 0x3232 : 0x1010);
}

/* Results of a word behind what stands left of it, which becomes what stands left of the next. */
DEVICE uint32_t word_results(uint32_t word, uint32_t *left)
{
    uint32_t before = *left, up_to = pair_of_word(word);
    if (ELEMENT_BYTES == 1) up_to = BETTER_PAIR(up_to, __funnelshift_l(WORST_WORD, up_to, 8));
    up_to = BETTER_PAIR(up_to, __funnelshift_l(WORST_WORD, up_to, 16));
    uint32_t results = BETTER_PAIR(before, up_to);
    *left = __byte_perm(results, 0, ELEMENT_BYTES == 1 ? 0x3333 : 0x3232);
    return EXCLUSIVE ? __byte_perm(before, results, ELEMENT_BYTES == 1 ? 0x6543 : 0x5432) : results;
}

/* Of states, one for each element of a word. */
DEVICE uint32_t word_of_states(const uint32_t *both)
{
    if (ELEMENT_BYTES == 2) return __byte_perm(both[0], both[1], 0x5410);
    return __byte_perm(__byte_perm(both[0], both[1], 0x0040), __byte_perm(both[2], both[3], 0x0040), 0x5410);
}
#else
/* The better one of a pair, twice. */
DEVICE uint32_t both_of_pair(uint32_t pair)
{
    return BETTER_PAIR(pair, __byte_perm(pair, 0, 0x1032));
}

#if ELEMENT_BYTES == 1
/* Element k of a word, twice. */
DEVICE uint32_t both_of_word(uint32_t word, int k)
{
    return __byte_perm(word, 0, 0x0404 | (uint32_t)k << 12 | (uint32_t)k << 4);
}

/* The better ones of its elements, at the upper ends of two halves. */
DEVICE uint32_t pair_of_word(uint32_t word)
{
    return BETTER_PAIR(word << 8, word);
}

/* Results of a word behind what stands left of it, which becomes what stands left of the next. */
DEVICE uint32_t word_results(uint32_t word, uint32_t *left)
{
    uint32_t before = *left, even = word << 8, two = BETTER_PAIR(even, word);
    uint32_t up_to = BETTER_PAIR(before, __byte_perm(two, before, 0x1054)), last = BETTER_PAIR(two, up_to);
    uint32_t results = __byte_perm(BETTER_PAIR(even, up_to), last, 0x7351);
    *left = __byte_perm(last, 0, 0x3232);
    return EXCLUSIVE ? __byte_perm(before, results, 0x6543) : results;
}

/* Of states, one for each element of a word. */
DEVICE uint32_t word_of_states(const uint32_t *both)
{
    return __byte_perm(__byte_perm(both[0], both[1], 0x0073), __byte_perm(both[2], both[3], 0x0073), 0x5410);
}
#else
DEVICE uint32_t both_of_word(uint32_t word, int k)
{
    return __byte_perm(word, 0, k ? 0x3232 : 0x1010);
}

DEVICE uint32_t pair_of_word(uint32_t word)
{
    return word;
}

/* Nothing that is left of the next word waits for more than one instruction. */
DEVICE uint32_t word_results(uint32_t word, uint32_t *left)
{
    uint32_t before = *left, results = BETTER_PAIR(before, BETTER_PAIR(word, both_of_word(word, 0)));
    *left = BETTER_PAIR(before, both_of_pair(word));
    return HALVES_RESULT(EXCLUSIVE ? __byte_perm(before, results, 0x5410) : results);
}

DEVICE uint32_t word_of_states(const uint32_t *both)
{
    return HALVES_RESULT(__byte_perm(both[0], both[1], 0x5410));
}
#endif
#endif

/* The largest of some bytes, or the least, as a result: RUNS_OF_TRUTH: whether it is not zero, as 0 or 1. */
DEVICE uint32_t as_results(uint32_t word)
{
    return RUNS_OF_TRUTH ? truth_of_bytes(word) : word;
}

/* Vector j of a run, in the order of the scan, and word i of it. */
DEVICE struct vector16 run_vector(const struct vector16 *run, int32_t j)
{
    return run[BACKWARD ? VECTORS - 1 - j : j];
}

DEVICE uint32_t vector_word(const struct vector16 *v, int i)
{
    return v->word[BACKWARD ? 3 - i : i];
}

/* Since the last row began: the rest of the word where it did, of that vector, and of the run. */
DEVICE struct state run_total(const struct vector16 *run, const struct starts *starts)
{
    int32_t last = SEGMENTED ? starts->last : 0, partial = last / PER_WORD, vector = partial / 4;
    uint32_t word = ((const uint32_t *)run)[BACKWARD ? 4 * VECTORS - 1 - partial : partial];
    uint32_t rest = __funnelshift_r(in_scan_order(word), WORST_WORD, (uint32_t)(last % PER_WORD * 8 * ELEMENT_SIZE));
    uint32_t best = pair_of_word(rest);
    struct vector16 v = run_vector(run, vector);
#pragma unroll
    for (int i = 1; i < 4; i++) {
        if (i > partial % 4) best = BETTER_PAIR(best, pair_of_word(vector_word(&v, i)));
    }
#pragma unroll
    for (int j = 1; j < VECTORS; j++) {
        if (j <= vector) continue;
        v = run_vector(run, j);
#pragma unroll
        for (int i = 0; i < 4; i++) best = BETTER_PAIR(best, pair_of_word(vector_word(&v, i)));
    }
    struct state total = {both_of_pair(best)};
    return total;
}

/* As word_results, where rows begin: bits of `begins`. */
DEVICE uint32_t word_with_starts(uint32_t word, uint32_t begins, uint32_t first, uint32_t *left)
{
    uint32_t results[PER_WORD];
#pragma unroll
    for (int k = 0; k < PER_WORD; k++) {
        uint32_t before = begins >> k & 1 ? first : *left;
        *left = BETTER_PAIR(before, both_of_word(word, k));
        results[k] = EXCLUSIVE ? before : *left;
    }
    return word_of_states(results);
}

/* Where rows begin among the four elements from i on: bits. */
DEVICE uint32_t begins_among(const struct starts *starts, int i)
{
    if (!SEGMENTED) return 0;
    if (ONE_START) return starts->inside && starts->last / 4 == i / 4 ? 1u << starts->last % 4 : 0;
    return (uint32_t)(starts->inside >> i % 64) & 15;
}

/* The results of a run to `to`, which may be the run itself. Where rows begin is looked at for four elements at once.
 */
DEVICE void pair_results(const struct vector16 *run, struct vector16 *to, const struct state *before,
                         const struct state *at_start, const struct starts *starts)
{
    enum { AT_ONCE = 4 / PER_WORD /* words */ };
    uint32_t left = before->both, first = at_start->both;
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
        struct vector16 v = run_vector(run, j), results;
#pragma unroll
        for (int i = 0; i < 4; i += AT_ONCE) {
            uint32_t begins = begins_among(starts, (4 * j + i) * PER_WORD), word[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) word[k] = in_scan_order(vector_word(&v, i + k));
            if (begins) {
#pragma unroll
                for (int k = 0; k < AT_ONCE; k++)
                    word[k] = word_with_starts(word[k], begins >> k * PER_WORD, first, &left);
            } else {
#pragma unroll
                for (int k = 0; k < AT_ONCE; k++) word[k] = word_results(word[k], &left);
            }
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++)
                results.word[BACKWARD ? 3 - i - k : i + k] = as_results(in_scan_order(word[k]));
        }
        to[BACKWARD ? VECTORS - 1 - j : j] = results;
    }
}
