/* SPDX-License-Identifier: MIT
 *
 * tree_shape.c - products and plain sums have the bits of the documented fixed-shape tree, written here anew from its
 * text: element i goes to lane i % 128 of leaf i / 4096, lanes take their elements in increasing order, starting from
 * the identity; lanes l and l + w are joined for w = 64, 32, ..., 1; leaves are joined in pairs by position, level by
 * level, where one without a right neighbour rises as it is. */
#define _POSIX_C_SOURCE 200809L
#include "data.h"

#define LONGEST 1100000
#define LANES 128
#define LEAF 4096
#define CONTEXTS 7

static tally_context *contexts[CONTEXTS];
static float singles[LONGEST];
static double doubles[LONGEST];
static unsigned char mask[LONGEST];
static double level_d[LONGEST / LEAF + 1];
static float level_f[LONGEST / LEAF + 1];

/* One type's tree; `product` chooses multiplication. */
#define TREE(name, real, level)                                                                                     \
    static real name##_join(real a, real b, int product)                                                            \
    {                                                                                                               \
        return product ? a * b : a + b;                                                                             \
    }                                                                                                               \
    static real name##_leaf(const real *x, const unsigned char *where, int64_t n, int product)                      \
    {                                                                                                               \
        real lane[LANES];                                                                                           \
        for (int l = 0; l < LANES; l++) lane[l] = product ? 1 : 0;                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                           \
            if (!where || where[i]) lane[i % LANES] = name##_join(lane[i % LANES], x[i], product);                  \
        }                                                                                                           \
        for (int w = LANES / 2; w >= 1; w /= 2) {                                                                   \
            for (int l = 0; l < w; l++) lane[l] = name##_join(lane[l], lane[l + w], product);                       \
        }                                                                                                           \
        return lane[0];                                                                                             \
    }                                                                                                               \
    static real name##_tree(const real *x, const unsigned char *where, int64_t n, int product)                      \
    {                                                                                                               \
        int64_t count = 0;                                                                                          \
        if (n == 0) return product ? 1 : 0;                                                                         \
        for (int64_t i = 0; i < n; i += LEAF)                                                                       \
            level[count++] = name##_leaf(x + i, where ? where + i : NULL, n - i < LEAF ? n - i : LEAF, product);    \
        for (; count > 1; count = (count + 1) / 2) {                                                                \
            for (int64_t i = 0; 2 * i < count; i++)                                                                 \
                level[i] = 2 * i + 1 < count ? name##_join(level[2 * i], level[2 * i + 1], product) : level[2 * i]; \
        }                                                                                                           \
        return level[0];                                                                                            \
    }
TREE(single, float, level_f)
TREE(real, double, level_d)

static void check(int64_t n, int product, int masked, unsigned which)
{
    static char text[80];
    const unsigned char *where = masked ? mask : NULL;
    float f = single_tree(singles, where, n, product), got_f;
    double d = real_tree(doubles, where, n, product), got_d;
    f += 0.0f, d += 0.0; /* a zero result is +0 */
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array view = tally_vector(mask, TALLY_BOOL, n);
    options.flags = product ? 0 : TALLY_PLAIN;
    options.where = masked ? &view : NULL;
    for (int c = 0; c < CONTEXTS; c++) {
        if (!(which >> c & 1)) continue;
        tally_array xf = tally_vector(singles, TALLY_F32, n), xd = tally_vector(doubles, TALLY_F64, n);
        tally_array of = tally_shaped(&got_f, TALLY_F32, 0, NULL), od = tally_shaped(&got_d, TALLY_F64, 0, NULL);
        snprintf(text, sizeof text, "n %lld, product %d, mask %d, context %d", (long long)n, product, masked, c);
        test.section = text;
        CHECK(tally_reduce(contexts[c], product ? TALLY_PROD : TALLY_SUM, &xf, &of, &options) == TALLY_OK);
        CHECK(tally_reduce(contexts[c], product ? TALLY_PROD : TALLY_SUM, &xd, &od, &options) == TALLY_OK);
        CHECK(memcmp(&f, &got_f, sizeof f) == 0);
        CHECK(memcmp(&d, &got_d, sizeof d) == 0);
    }
}

int main(void)
{
    static const int64_t sizes[] = {0,      1,      2,      127,    128,    129,    4095,   4096,    4097,    8191,
                                    8192,   8193,   12288,  12289,  20481,  28672,  61441,  65536,   65537,   262143,
                                    262144, 262145, 266241, 524288, 528385, 786432, 786433, 1048576, 1048577, 1099999};
    static const char *const isas[] = {"base", "avx2", "avx512"};
    for (int c = 0; c < CONTEXTS; c++) {
        setenv("TALLY_CPU_ISA", isas[c % 3], 1);
        CHECK(tally_open(c == 6 ? "reference" : c < 3 ? "cpu:1" : "cpu:3", &contexts[c]) == TALLY_OK);
    }
    for (int64_t i = 0; i < LONGEST; i++) { /* products that stay near 1, sums that lose bits */
        doubles[i] = exp2((test_random_uniform() - 0.5) * 0.05) * (test_random_below(2) ? 1 : -1);
        singles[i] = (float)doubles[i];
        mask[i] = test_random_below(3) != 0;
    }
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int kind = 0; kind < 4; kind++) check(sizes[s], kind % 2, kind / 2, sizes[s] < 30000 ? 0x7f : 0x3f);
    }
    for (int i = 0; i < 200; i++)
        check((int64_t)test_random_below(test_random_below(4) ? 20000 : LONGEST), i % 2, i / 2 % 2, 1u << i % 6);
    for (int c = 0; c < CONTEXTS; c++) tally_close(contexts[c]);
    return test_finish("tree_shape");
}
