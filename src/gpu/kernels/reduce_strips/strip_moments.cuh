/* SPDX-License-Identifier: MIT
 *
 * strip_moments.cuh - variances and norms of integers of up to 16 bits, for reduce_tall.cu and reduce_long.cu. Of
 * bytes, four rows become four columns, whose sums and squares are one instruction each. No include guard. */
#define HAS_WORDS 0

#include "short_total.cuh"

#include "moments.cuh"

struct total {
    struct moments moments;
};

DEVICE struct total total_identity(void)
{
    struct total total = {{0, 0}};
    return total;
}

DEVICE void total_merge(struct total *a, const struct total *b)
{
    moments_merge(&a->moments, &b->moments);
}

DEVICE_CALL void total_finish(const struct reduce_parameters *p, const struct total *total, int64_t cell)
{
    struct state s;
    if (moments_finish(p, &total->moments, p->length, (char *)p->out + out_of_cell(p, cell) * RESULT_SIZE)) return;
    moments_to_state(&total->moments, &s);
    finish_cell(p, &s, cell);
}

#if ELEMENT_BYTES == 1 && !ONE_COLUMN
/* Of a thread's bytes, which are no more than 2^15 in a column. */
#define HAS_LAID 1
struct laid {
    int32_t sum;
    uint32_t squares;
};

DEVICE struct laid laid_of(const struct total *total)
{
    struct laid laid = {(int32_t)total->moments.sum, (uint32_t)total->moments.squares};
    return laid;
}

DEVICE struct total total_of_laid(const struct laid *laid)
{
    struct total total = {{laid->sum, laid->squares}};
    return total;
}

typedef uint32_t squares_word;
#else
typedef uint64_t squares_word;
#endif

#if ELEMENT_BYTES == 2 && ONE_COLUMN
typedef int64_t sum_word;
#else
typedef int32_t sum_word;
#endif

enum { STRIP_TOTALS = ONE_COLUMN ? 1 : IN_VECTOR };

struct strip {
    sum_word sum[STRIP_TOTALS];
    squares_word squares[STRIP_TOTALS];
};

DEVICE void strip_begin(struct strip *strip)
{
    memset(strip, 0, sizeof *strip);
}

DEVICE void strip_add_element(struct strip *strip, int k, element x, int64_t unit)
{
    int32_t v = moments_number(x);
    (void)unit;
    strip->sum[LANE_OF(k)] += v;
    strip->squares[LANE_OF(k)] += (squares_word)((int64_t)v * v);
}

#if ELEMENT_BYTES == 1 && !ONE_COLUMN
/* Byte k of four words, side by side. */
DEVICE void turn_words(const uint32_t *row, uint32_t *column)
{
    uint32_t a = __byte_perm(row[0], row[1], 0x5140), b = __byte_perm(row[2], row[3], 0x5140);
    uint32_t c = __byte_perm(row[0], row[1], 0x7362), d = __byte_perm(row[2], row[3], 0x7362);
    column[0] = __byte_perm(a, b, 0x5410);
    column[1] = __byte_perm(a, b, 0x7632);
    column[2] = __byte_perm(c, d, 0x5410);
    column[3] = __byte_perm(c, d, 0x7632);
}
#endif

DEVICE void strip_add(struct strip *strip, const struct vector16 *v, int64_t unit, int64_t step)
{
    (void)unit, (void)step;
#if ELEMENT_BYTES == 1 && ONE_COLUMN
    int32_t sum = 0, squares = 0;
#pragma unroll
    for (int i = 0; i < 4 * DEPTH; i++) {
        uint32_t word = v[i / 4].word[i % 4];
        if (COUNTS_NONZERO) word = nonzero_bytes(word);
        sum = add_products(sum, word, 0x01010101);
        squares = add_products(squares, word, word);
    }
    strip->sum[0] += sum;
    strip->squares[0] += (uint32_t)squares;
#elif ELEMENT_BYTES == 1
#pragma unroll
    for (int i = 0; i < DEPTH / 4 * IN_WORDS; i++) {
        uint32_t row[4], column[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            row[r] = v[i / IN_WORDS * 4 + r].word[i % IN_WORDS];
            if (COUNTS_NONZERO) row[r] = nonzero_bytes(row[r]);
        }
        turn_words(row, column);
#pragma unroll
        for (int c = 0; c < 4; c++) {
            int k = i % IN_WORDS * 4 + c;
            strip->sum[k] = add_products(strip->sum[k], column[c], 0x01010101);
            strip->squares[k] = (uint32_t)add_products((int32_t)strip->squares[k], column[c], column[c]);
        }
    }
#else
#pragma unroll
    for (int i = 0; i < DEPTH * IN_VECTOR; i++)
        strip_add_element(strip, i % IN_VECTOR, vector_element(&v[i / IN_VECTOR], i % IN_VECTOR), 0);
#endif
}

DEVICE void strip_end(const struct strip *strip, struct total *totals)
{
#pragma unroll
    for (int k = 0; k < STRIP_TOTALS; k++) {
        totals[k].moments.sum = strip->sum[k];
        totals[k].moments.squares = strip->squares[k];
    }
}
