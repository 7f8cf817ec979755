/* SPDX-License-Identifier: MIT
 *
 * invariance.c - the same values give the same bits: for every thread count and instruction set, for permutations,
 * however the view walks over memory, with absent elements under a mask or gone, and for scans in chunks of any length.
 * Each case has one truth, a contiguous copy on one engine, and everything else is held against it. */
#define _POSIX_C_SOURCE 200809L
#include "views.h"

#define LONGEST 300000
#define CONTEXTS 7

static tally_context *contexts[CONTEXTS];
static _Alignas(64) unsigned char room[LONGEST * 32 + 64], room_y[LONGEST * 32 + 64], copy_x[LONGEST * 16],
    copy_y[LONGEST * 16];
static _Alignas(64) unsigned char want[LONGEST * 16], got[LONGEST * 16 + 64], mask[LONGEST], copy_mask[LONGEST];
static char where_text[200];

static void open_contexts(void)
{
    static const char *const devices[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:7", "cpu:1", "cpu:3", "reference"};
    static const char *const isas[] = {"avx512", "avx2", "base", "avx512", "base", "avx2", "base"};
    for (int c = 0; c < CONTEXTS; c++) {
        setenv("TALLY_CPU_ISA", isas[c], 1);
        CHECK(tally_open(devices[c], &contexts[c]) == TALLY_OK);
    }
    unsetenv("TALLY_CPU_ISA");
}

/* ---- views ---- */

static void check_view(tally_op op, tally_type type, uint32_t flags, int64_t most)
{
    int64_t shape[8];
    int32_t axes[8], rank = random_shape(shape, most);
    tally_options options = TALLY_OPTIONS_INIT, plain;
    tally_array x = random_view(type, rank, shape, room, LONGEST), y = random_view(type, rank, shape, room_y, LONGEST);
    tally_array m = random_view(TALLY_BOOL, rank, shape, mask, LONGEST), like;
    options.axes = axes, options.axis_count = random_axes(rank, axes);
    options.flags = flags | (test_random_below(4) == 0 ? TALLY_KEEPDIMS : 0);
    plain = options;
    tally_array flat = gathered(&x, copy_x), flat_y = gathered(&y, copy_y), flat_m = gathered(&m, copy_mask);
    if (op == TALLY_DOT) options.second = &y, plain.second = &flat_y;
    if (test_random_below(3) == 0) options.where = &m, plain.where = &flat_m;
    if (tally_result_like(TALLY_REDUCE, op, &flat, &plain, &like) != TALLY_OK) return;
    int truth = (int)test_random_below(CONTEXTS);
    like.data = want;
    tally_status status = tally_reduce(contexts[truth], op, &flat, &like, &plain);
    for (int k = 0; k < 3; k++) {
        int c = (int)test_random_below(CONTEXTS);
        tally_array out = random_view(like.type, like.rank, like.shape, got, LONGEST);
        for (int32_t d = 0; d < out.rank; d++) {
            if (out.strides[d] == 0) out = tally_shaped(got, like.type, like.rank, like.shape);
        }
        snprintf(where_text, sizeof where_text,
                 "%s of %s, shape %lld %lld %lld %lld (%d), axes %d, flags 0x%x, contexts %d %d", tally_op_name(op),
                 tally_type_name(type), (long long)shape[0], (long long)(rank > 1 ? shape[1] : 0),
                 (long long)(rank > 2 ? shape[2] : 0), (long long)(rank > 3 ? shape[3] : 0), (int)rank,
                 (int)options.axis_count, (unsigned)options.flags, truth, c);
        test.section = where_text;
        CHECK_EQUAL_I64(tally_reduce(contexts[c], op, &x, &out, &options), status);
        if (status != TALLY_OK) continue;
        gathered(&out, copy_x + LONGEST * 8);
        CHECK(memcmp(copy_x + LONGEST * 8, want, bytes_of(&like)) == 0);
    }
}

/* ---- permutations, masks and special shapes ---- */

static void shuffle(unsigned char *data, size_t size, int64_t n)
{
    unsigned char swap[16];
    for (int64_t i = n - 1; i > 0; i--) {
        size_t j = (size_t)test_random_below((uint64_t)i + 1) * size, k = (size_t)i * size;
        memcpy(swap, data + j, size), memcpy(data + j, data + k, size), memcpy(data + k, swap, size);
    }
}

/* Total of n elements on a context; the bytes of the result. */
static size_t total(int context, tally_op op, tally_array x, const tally_options *options, unsigned char *out)
{
    tally_array like;
    memset(out, 0, 32);
    if (tally_result_like(TALLY_REDUCE, op, &x, options, &like) != TALLY_OK) return 0;
    like.data = out;
    if (tally_reduce(contexts[context], op, &x, &like, options) != TALLY_OK) return 1;
    return bytes_of(&like);
}

static int order_shows(tally_op op, tally_type type, uint32_t flags)
{
    if (op == TALLY_ARGMIN || op == TALLY_ARGMAX || op == TALLY_FIRST || op == TALLY_LAST || op == TALLY_DOT) return 1;
    return op == TALLY_LOGSUMEXP || (type >= TALLY_F16 && (op == TALLY_PROD || (flags & TALLY_PLAIN)));
}

static void check_permutation(tally_op op, tally_type type, uint32_t flags, int64_t n)
{
    tally_options options = TALLY_OPTIONS_INIT;
    options.flags = flags;
    if (order_shows(op, type, flags)) return;
    size_t size = tally_type_size(type);
    memcpy(copy_x, room, (size_t)n * size);
    unsigned char truth[32], other[32];
    size_t bytes = total(0, op, tally_vector(copy_x, type, n), &options, truth);
    snprintf(where_text, sizeof where_text, "%s of %s permuted, n %lld", tally_op_name(op), tally_type_name(type),
             (long long)n);
    test.section = where_text;
    for (int k = 0; k < 3; k++) {
        shuffle(copy_x, size, n);
        CHECK(total((int)test_random_below(CONTEXTS), op, tally_vector(copy_x, type, n), &options, other) == bytes);
        CHECK(memcmp(truth, other, bytes) == 0);
    }
}

/* Elements under false are the same as none; NaNs under TALLY_SKIP_NAN, too. Indices and trees see the places. */
static void check_absent(tally_op op, tally_type type, int64_t n)
{
    tally_options masked = TALLY_OPTIONS_INIT;
    tally_array view = tally_vector(mask, TALLY_BOOL, n), y = tally_vector(room_y, type, n);
    size_t size = tally_type_size(type);
    int64_t kept = 0;
    if (op == TALLY_ARGMIN || op == TALLY_ARGMAX || op == TALLY_LOGSUMEXP || (op == TALLY_PROD && type >= TALLY_F16))
        return;
    for (int64_t i = 0; i < n; i++) {
        if (!mask[i]) continue;
        memcpy(copy_x + (size_t)kept * size, room + (size_t)i * size, size);
        memcpy(copy_y + (size_t)kept++ * size, room_y + (size_t)i * size, size);
    }
    tally_options without = TALLY_OPTIONS_INIT;
    tally_array short_y = tally_vector(copy_y, type, kept);
    masked.where = &view;
    if (op == TALLY_DOT) masked.second = &y, without.second = &short_y;
    unsigned char truth[32], other[32];
    snprintf(where_text, sizeof where_text, "%s of %s under a mask, n %lld", tally_op_name(op), tally_type_name(type),
             (long long)n);
    test.section = where_text;
    size_t bytes = total((int)test_random_below(CONTEXTS), op, tally_vector(copy_x, type, kept), &without, truth);
    size_t found = total((int)test_random_below(CONTEXTS), op, tally_vector(room, type, n), &masked, other);
    CHECK(kept == 0 || found == bytes);
    CHECK(kept == 0 || memcmp(truth, other, bytes) == 0);
}

/* One element seen 300 million times. */
static void equal_values(void)
{
    const int64_t n = 300000001;
    double tenth = 0.1, sum = 0, mean = 0;
    int32_t minus = -2000000000;
    int64_t integer = 0;
    tally_array x = tally_vector(&tenth, TALLY_F64, n), i = tally_vector(&minus, TALLY_I32, n);
    tally_array out = tally_shaped(&sum, TALLY_F64, 0, NULL), average = tally_shaped(&mean, TALLY_F64, 0, NULL);
    tally_array whole = tally_shaped(&integer, TALLY_I64, 0, NULL);
    x.strides[0] = i.strides[0] = 0;
    /* 0x1999999999999a * 300000001 / 2^56, by 128 bits and one conversion that rounds to nearest */
    __extension__ typedef unsigned __int128 wide;
    wide exact = (wide)0x1999999999999a * (wide)n;
    double expected = ldexp((double)exact, -56);
    CHECK(tally_reduce(contexts[1], TALLY_SUM, &x, &out, NULL) == TALLY_OK && sum == expected);
    CHECK(tally_reduce(contexts[1], TALLY_MEAN, &x, &average, NULL) == TALLY_OK && mean == 0.1);
    CHECK(tally_reduce(contexts[1], TALLY_SUM, &i, &whole, NULL) == TALLY_OK && integer == minus * n);
    CHECK(tally_reduce(contexts[1], TALLY_MEAN, &i, &average, NULL) == TALLY_OK && mean == -2e9);
    CHECK(tally_reduce(contexts[1], TALLY_VAR, &i, &average, NULL) == TALLY_OK && mean == 0);
}

int main(void)
{
    static const uint32_t flags[] = {0, TALLY_SKIP_NAN, TALLY_PLAIN, 0};
    open_contexts();
    for (int64_t i = 0; i < LONGEST; i++) mask[i] = test_random_below(5) != 0;
    for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
        for (int kind = 0; kind < DATA_KINDS; kind++) {
            data_fill(type, (enum data_kind)kind, room, LONGEST);
            data_fill(type, (enum data_kind)kind, room_y, LONGEST);
            for (tally_op op = TALLY_SUM; op <= TALLY_LAST; op++) {
                for (int k = 0; k < 8; k++) check_view(op, type, flags[k % 4], k == 7 ? 40000 : k < 3 ? 200 : 4000);
                check_permutation(op, type, flags[kind % 4], 1 + (int64_t)test_random_below(9000));
                check_absent(op, type, 1 + (int64_t)test_random_below(9000));
            }
        }
    }
    for (int k = 0; k < 60; k++) /* long ones, which are shared out */
        check_view(1 + test_random_below(23), 1 + (tally_type)test_random_below(15), flags[k % 4], LONGEST / 2);
    CASE("equal values") equal_values();
    for (int c = 0; c < CONTEXTS; c++) tally_close(contexts[c]);
    return test_finish("invariance");
}
