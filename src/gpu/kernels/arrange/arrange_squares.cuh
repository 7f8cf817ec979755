/* SPDX-License-Identifier: MIT
 *
 * arrange_squares.cuh - tiles of parts that are narrower than words, where those that lie side by side in out do not in
 * x: a thread reads as many words as a word has parts, turns them in registers, and has words of out. Those of x may
 * begin anywhere: they are put together from the two that they lie in. In shared memory parts lie as in out, run behind
 * run, so that words of out are put together in the same way. Part of arrange.cu. No include guard. */
enum {
    X_STEPS = X0 == 1   ? T1
              : X0 == 2 ? T2
                        : T3,
    ALONG = (X_STEPS + EACH - 1) / EACH, /* squares beside each other in x, */
    SIDES = (T0 + EACH - 1) / EACH,      /* and in out */
    SQUARES_OF_TILE = ALONG * SIDES * (ALL / (T0 * X_STEPS)),
    AT_ONCE = X_WORDS ? 4 : 2,
    STORES_WORDS = T0 % EACH == 0 || OUT_RUN == T0, /* words begin with a row's multiple in shared memory, too */
    OUT_UNITS = OUT_WORDS ? OUT_RUN / EACH : (OUT_RUN + 2 * EACH - 2) / EACH /* that a run lies in */
};

static_assert(SIZE < WORD && X0 != 0, "words that are to be turned");
static_assert(!X_WORDS || X_STEPS % EACH == 0, "whole words of x");
static_assert(!OUT_WORDS || T0 % EACH == 0, "whole words of out");

/* Words of as many rows of x to words of as many rows of out. */
DEVICE void turn(uint32_t *words)
{
#if SIZE == 1
    uint32_t a = __byte_perm(words[0], words[1], 0x5140), b = __byte_perm(words[0], words[1], 0x7362);
    uint32_t c = __byte_perm(words[2], words[3], 0x5140), d = __byte_perm(words[2], words[3], 0x7362);
    words[0] = __byte_perm(a, c, 0x5410);
    words[1] = __byte_perm(a, c, 0x7632);
    words[2] = __byte_perm(b, d, 0x5410);
    words[3] = __byte_perm(b, d, 0x7632);
#else
    uint32_t low = __byte_perm(words[0], words[1], 0x5410);
    words[1] = __byte_perm(words[0], words[1], 0x7632);
    words[0] = low;
#endif
}

DEVICE int32_t place_of_run(int32_t run)
{
    return run * RUN_PITCH + run / SKEW_ROWS * EACH;
}

/* Where a part lies in shared memory. */
DEVICE int32_t place_of_part(const struct steps *s)
{
    const int32_t tile[ARRANGE_TILED] = {T0, T1, T2, T3};
    int32_t run = 0, in_run = 0, runs = 1, all = 1;
#pragma unroll
    for (int d = 0; d < ARRANGE_TILED; d++) {
        if (all * tile[d] <= OUT_RUN) in_run += all * s->in[d];
        else run += runs * s->in[d], runs *= tile[d];
        all *= tile[d];
    }
    return place_of_run(run) + in_run;
}

/* The steps of a square's first part; those of other loops than its own two are what is left of its number. */
DEVICE struct steps steps_of_square(int32_t q)
{
    struct steps s;
    int32_t rest = q / (ALONG * SIDES);
    s.in[0] = q / ALONG % SIDES * EACH;
    s.in[1] = X0 == 1 ? 0 : rest % T1;
    if (X0 != 1) rest /= T1;
    s.in[2] = X0 == 2 ? 0 : rest % T2;
    s.in[3] = X0 == 3 ? 0 : X0 == 2 ? rest : rest / T2;
    s.in[X0] = q % ALONG * EACH;
    return s;
}

/* The aligned words that `count` parts lie in, of a word at the most. */
struct two_words {
    uint32_t low, high, bits; /* of the lower one that lie before the parts */
};

DEVICE struct two_words load_two_words(const struct arrange_parameters *p, const part *from, int32_t count, int at_ends)
{
    struct two_words words = {0, 0, 0};
    int32_t ahead = X_WORDS ? 0 : (int32_t)((uintptr_t)from % WORD) / SIZE;
    words.bits = (uint32_t)ahead * 8 * SIZE;
    if (count > EACH) count = EACH;
    if (count > 0) words.low = load_word(p, from - ahead, at_ends && !X_WORDS);
    if (count > 0 && ahead + count > EACH) words.high = load_word(p, from - ahead + EACH, at_ends);
    return words;
}

/* A turned square's words go where those of out lie. */
DEVICE void put_square(struct steps s, const uint32_t *words, part *room)
{
#pragma unroll
    for (int32_t i = 0; i < EACH; i++, s.in[X0]++) {
        if (X_STEPS % EACH != 0 && s.in[X0] >= X_STEPS) continue;
        part *to = room + place_of_part(&s);
        if (STORES_WORDS) *(uint32_t *)to = words[i];
#pragma unroll
        for (int32_t k = 0; k < EACH && !STORES_WORDS; k++) {
            if (s.in[0] + k < T0) to[k] = part_of(words[i], k);
        }
    }
}

/* Whether all words that a whole tile reads are the operand's. */
DEVICE int reads_inside(const struct arrange_parameters *p, const struct tile *t)
{
    const part *first, *last;
    find_reach(p, t, &first, &last);
    return X_WORDS || (first - EACH >= (const part *)p->low && last + EACH <= (const part *)p->high);
}

/* What a thread reads of AT_ONCE squares is under way at once. */
DEVICE void load_tile(const struct arrange_parameters *p, const struct tile *t, part *room, int is_whole)
{
#pragma unroll 1
    for (int32_t first = (int32_t)threadIdx.x; first < SQUARES_OF_TILE; first += AT_ONCE * THREADS) {
        struct two_words words[AT_ONCE][EACH];
#pragma unroll
        for (int32_t k = 0; k < AT_ONCE; k++) {
            struct steps s = steps_of_square(first + k * THREADS);
            const part *from = t->x + offset_of_x(p, &s);
            int is_there = SQUARES_OF_TILE % (AT_ONCE * THREADS) == 0 || first + k * THREADS < SQUARES_OF_TILE;
            int32_t rows = (is_whole ? T0 : t->here[0]) - s.in[0];
            int32_t count = (is_whole ? X_STEPS : t->here[X0]) - s.in[X0];
            if (!is_there || !(is_whole || are_here(t, &s))) count = 0;
#pragma unroll
            for (int32_t i = 0; i < EACH; i++, from += p->loops[0].x)
                words[k][i] = load_two_words(p, from, i < rows ? count : 0, !is_whole);
        }
#pragma unroll
        for (int32_t k = 0; k < AT_ONCE; k++) {
            struct steps s = steps_of_square(first + k * THREADS);
            uint32_t square[EACH];
            if (SQUARES_OF_TILE % (AT_ONCE * THREADS) != 0 && first + k * THREADS >= SQUARES_OF_TILE) continue;
#pragma unroll
            for (int32_t i = 0; i < EACH; i++)
                square[i] = __funnelshift_r(words[k][i].low, words[k][i].high, words[k][i].bits);
            turn(square);
            put_square(s, square, room);
        }
    }
}

/* The parts from a place in shared memory on that a word has. */
DEVICE uint32_t word_at(const part *room, int32_t place)
{
    const uint32_t *words = (const uint32_t *)room + place / EACH;
    return OUT_WORDS ? words[0] : __funnelshift_r(words[0], words[1], (uint32_t)(place % EACH) * 8 * SIZE);
}

/* Words of runs of out, and parts of those that they have not all of. */
DEVICE void store_tile(const struct arrange_parameters *p, const struct tile *t, const part *room, int is_whole)
{
    const int32_t here = is_whole ? OUT_RUN : t->out_run;
#pragma unroll 4
    for (int32_t unit = (int32_t)threadIdx.x; unit < RUNS * OUT_UNITS; unit += THREADS) {
        int32_t run = RUNS == 1 ? 0 : unit / OUT_UNITS;
        struct steps s = steps_of_run(run);
        part *begin = t->out + offset_of_out(p, &s);
        int32_t first = (unit - run * OUT_UNITS) * EACH;
        if (!OUT_WORDS) first -= (int32_t)((uintptr_t)begin % WORD) / SIZE;
        if (!(is_whole || are_here(t, &s)) || first >= here) continue;
        int is_word = OUT_WORDS || (first >= 0 && first + EACH <= here);
        uint32_t word = is_word ? word_at(room, place_of_run(run) + first) : 0;
#if MASK_WORDS
        s = steps_along_out(run * OUT_RUN + first);
        word = masked_word(p, t, &s, word);
#endif
#pragma unroll
        for (int32_t i = 0; i < EACH; i++) {
            if ((is_word && (!MASK || MASK_WORDS)) || first + i < 0 || first + i >= here) continue;
            if (!is_word) word = with_part(word, i, room[place_of_run(run) + first + i]);
#if MASK
            if (OUT_WORDS && i > 0) s.in[0]++; /* words lie along the first loop */
            else s = steps_along_out(run * OUT_RUN + first + i);
            if (!is_present(p, t, &s)) word = with_part(word, i, (part)p->fill);
#endif
            if (!is_word) begin[first + i] = part_of(word, i);
        }
        if (is_word) *(uint32_t *)(begin + first) = word;
    }
}
