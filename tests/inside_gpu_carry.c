/* SPDX-License-Identifier: MIT
 *
 * inside_gpu_carry.c - exact sums as the few words of a kernel, and back: every value that fits comes back the same,
 * and what does not fit is said. Needs no GPU. */
#include "test.h"

#include "gpu/exact_words.h"

#include <math.h>

static int same(struct exact *a, struct exact *b)
{
    unsigned char x[EXACT_PACK_BYTES], y[EXACT_PACK_BYTES];
    size_t n = exact_pack(a, x);
    return n == exact_pack(b, y) && memcmp(x, y, n) == 0;
}

static void add_double(struct exact *sum, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    exact_add_double_bits(sum, bits);
}

/* There and back; returns whether it fitted. */
static int round_trip(struct exact *sum, int count, int fixed, int32_t low)
{
    uint64_t words[8];
    struct exact back;
    int32_t at = low;
    memset(words, 0x5c, sizeof words);
    if (!exact_to_words(sum, words, count, fixed, &at)) {
        for (int i = 0; i < 8; i++) CHECK_EQUAL_U64(words[i], 0x5c5c5c5c5c5c5c5cu);
        return 0;
    }
    CHECK(!fixed || at == low);
    exact_clear(&back);
    exact_add_words(&back, words, count, at);
    CHECK(same(sum, &back));
    return 1;
}

/* Whether +-2^exponent fits, by its place. */
static int power_fits(int exponent, int count, int fixed, int32_t low)
{
    int begin = fixed ? 64 * low : (int)floor(exponent / 64.0) * 64;
    return exponent >= begin && exponent < begin + 64 * count - 42;
}

int main(void)
{
    CASE("powers of two, of both signs")
    {
        for (int exponent = -1074; exponent < 1024; exponent++) {
            for (int way = 0; way < 4; way++) {
                static const int32_t counts[] = {5, 6, 3, 4}, lows[] = {0, -3, -1, 0};
                struct exact sum;
                exact_clear(&sum);
                add_double(&sum, ldexp(1, exponent));
                CHECK_EQUAL_I64(round_trip(&sum, counts[way], way > 0, lows[way]),
                                power_fits(exponent, counts[way], way > 0, lows[way]));
                exact_clear(&sum);
                add_double(&sum, -ldexp(1.5, exponent));
                int here = exponent > -1074 ? exponent - 1 : exponent;
                if (round_trip(&sum, counts[way], way > 0, lows[way]))
                    CHECK(way == 0 || (here >= 64 * lows[way] && exponent < 64 * (lows[way] + counts[way]) - 42));
            }
        }
    }
    CASE("random sums")
    {
        for (int i = 0; i < 20000; i++) {
            struct exact sum;
            int n = (int)test_random_below(20), range = 1 + (int)test_random_below(300), base = -600 + i % 1200;
            exact_clear(&sum);
            for (int k = 0; k < n; k++)
                add_double(&sum, ldexp(test_random_uniform() * 2 - 1, base + (int)test_random_below((uint64_t)range)));
            int fits = round_trip(&sum, 5, 0, 0);
            if (range < 90) CHECK(fits); /* 90 and 1074 - 1021 bits, from any place of a word */
        }
    }
    CASE("nothing, and numbers that cancel")
    {
        struct exact sum;
        exact_clear(&sum);
        CHECK(round_trip(&sum, 5, 0, 0) && round_trip(&sum, 3, 1, -1));
        add_double(&sum, 1e300), add_double(&sum, 1e-300), add_double(&sum, -1e300);
        CHECK(round_trip(&sum, 5, 0, 0) && !round_trip(&sum, 6, 1, -3));
        add_double(&sum, -1e-300);
        CHECK(round_trip(&sum, 6, 1, -3));
        add_double(&sum, 1e300), add_double(&sum, 1e-300);
        CHECK(!round_trip(&sum, 5, 0, 0));
    }
    return test_finish("inside_gpu_carry");
}
