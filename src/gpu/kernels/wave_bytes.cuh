/* SPDX-License-Identifier: MIT
 *
 * wave_bytes.cuh - runs of minima and maxima of bytes, two to an instruction (pairs_of_bytes.cuh), four results at
 * once. Part of wave_fold.cuh. No include guard. */

/* Four elements in the order of the scan, the first one lowest; and back. */
DEVICE uint32_t in_scan_order(uint32_t word)
{
    return BACKWARD ? __byte_perm(word, 0, 0x0123) : word;
}

DEVICE uint32_t run_word(const struct vector16 *v, int i)
{
    return in_scan_order(v->word[BACKWARD ? 3 - i : i]);
}

/* A state's value in the upper bytes of two halves. */
DEVICE uint32_t both_of_state(const struct state *s)
{
    runner r = runner_of(s);
    uint8_t byte;
    runner_store(&r, (char *)&byte);
    return byte * 0x01000100u;
}

DEVICE struct state state_of_both(uint32_t both)
{
    storage byte = (storage)(both >> 24);
    element x = load_element(&byte, 0);
    struct FOLD(lane) lane = FOLD(lift)(x, x);
    struct state s = {FOLD(widen)(lane)};
    return s;
}

/* Since the last row began. */
DEVICE struct state run_total(const struct vector16 *run, const struct starts *starts)
{
    uint32_t even = WORST_BYTE * 0x01000100u, odd = even;
#pragma unroll
    for (int i = 0; i < 4 * VECTORS; i++) {
        struct vector16 v = run[IN_ORDER(16 * (i / 4)) / 16];
        uint32_t word = run_word(&v, i % 4);
        if (SEGMENTED && starts->inside) {
            int32_t before = starts->last - 4 * i, bytes = before < 0 ? 0 : before > 4 ? 4 : before;
            uint32_t counts = (uint32_t)(0xffffffffull << 8 * bytes);
            word = (word & counts) | (WORST_BYTE * 0x01010101u & ~counts);
        }
        even = BETTER_OF_16(even, word << 8);
        odd = BETTER_OF_16(odd, word);
    }
    even = BETTER_OF_16(even, odd);
    return state_of_both(BETTER_OF_16(even, even << 16));
}

/* Results of four elements behind what stands left of them, which becomes what stands left of the next. */
DEVICE uint32_t word_results(uint32_t word, uint32_t *left)
{
    uint32_t before = *left, even = word << 8, two = BETTER_OF_16(even, word);
    uint32_t up_to = BETTER_OF_16(before, __byte_perm(two, before, 0x1054)), last = BETTER_OF_16(two, up_to);
    uint32_t results = __byte_perm(BETTER_OF_16(even, up_to), last, 0x7351);
    *left = __byte_perm(last, 0, 0x3232);
    return EXCLUSIVE ? __byte_perm(before, results, 0x6543) : results;
}

/* The same where rows begin: bits of `begins`. */
DEVICE uint32_t word_with_starts(uint32_t word, uint32_t begins, uint32_t first, uint32_t *left)
{
    uint32_t results = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint32_t before = begins >> k & 1 ? first : *left;
        *left = BETTER_OF_16(before, (word >> 8 * k & 255) * 0x01000100u);
        results |= (EXCLUSIVE ? before : *left) >> 24 << 8 * k;
    }
    return results;
}

/* The results of a run to `to`, which may be the run itself. */
DEVICE void byte_results(const struct vector16 *run, struct vector16 *to, const struct state *before,
                         const struct state *at_start, const struct starts *starts)
{
    uint32_t left = both_of_state(before), first = both_of_state(at_start);
#pragma unroll
    for (int j = 0; j < VECTORS; j++) {
        int at = BACKWARD ? VECTORS - 1 - j : j;
        struct vector16 v = run[at], results;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            uint32_t word = run_word(&v, i),
                     begins = SEGMENTED ? (uint32_t)(starts->inside >> (16 * j + 4 * i)) & 15 : 0;
            uint32_t result = begins ? word_with_starts(word, begins, first, &left) : word_results(word, &left);
            results.word[BACKWARD ? 3 - i : i] = in_scan_order(result);
        }
        to[at] = results;
    }
}
