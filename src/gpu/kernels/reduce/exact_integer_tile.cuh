/* SPDX-License-Identifier: MIT
 *
 * exact_integer_tile.cuh - the tile of method_exact.cuh for integers and bool: its sums, in as few bits as hold them,
 * are added to the words once. Elements that are absent are zeros. No include guard. */
#include "bytes.cuh"

/* A number, or its size where that is what is added. */
DEVICE_UNUSED int64_t number_or_size(element x)
{
#if defined(PICK_MAGNITUDE)
    if (ELEMENT_KIND == KIND_SIGNED && (int64_t)x.v < 0) return (int64_t)(0 - (uint64_t)(int64_t)x.v);
#endif
    return ELEMENT_KIND == KIND_BOOLEAN ? x.v != 0 : (int64_t)x.v;
}

/* The upper half of such a number of 64 bits, and of which a sign is left. */
DEVICE_UNUSED int64_t upper_half(element x)
{
    uint64_t bits = (uint64_t)number_or_size(x);
    int is_signed = ELEMENT_KIND == KIND_SIGNED;
#if defined(PICK_MAGNITUDE)
    is_signed = 0;
#endif
    return is_signed ? (int64_t)bits >> 32 : (int64_t)(bits >> 32);
}

/* A tile's sum of any numbers of up to 129 bits with their signs. */
struct gathered {
    uint64_t w[3];
};

/* Adds low + 2^64 high, which is negative where sign is all ones. */
DEVICE_UNUSED void gathered_add(struct gathered *a, uint64_t low, uint64_t high, uint64_t sign)
{
#if defined(TALLY_SIMT)
    uint64_t carry;
    a->w[0] += low;
    carry = a->w[0] < low;
    a->w[1] += carry;
    carry = a->w[1] < carry;
    a->w[1] += high;
    a->w[2] += sign + carry + (a->w[1] < high);
#else
    asm("add.cc.u64 %0, %0, %3; addc.cc.u64 %1, %1, %4; addc.u64 %2, %2, %5;"
        : "+l"(a->w[0]), "+l"(a->w[1]), "+l"(a->w[2])
        : "l"(low), "l"(high), "l"(sign));
#endif
}

DEVICE void words_add_gathered(struct words *sum, const struct gathered *a)
{
    uint64_t b[WORDS], sign = (uint64_t)((int64_t)a->w[2] >> 63);
#pragma unroll
    for (int i = 0; i < WORDS; i++) b[i] = i < 3 ? a->w[i] : sign;
    words_sum(sum, b);
}

/* Of a number of 64 bits: its sign, where its type has one. */
#define SIGN_OF(v) (ELEMENT_KIND == KIND_SIGNED ? (uint64_t)((int64_t)(v) >> 63) : 0)

DEVICE_UNUSED void words_add_total(struct words *sum, int64_t total)
{
    uint64_t sign = (uint64_t)(total >> 63);
    struct gathered all = {{(uint64_t)total, sign, sign}};
    words_add_gathered(sum, &all);
}

DEVICE_UNUSED void add_wide(struct words *sum, uint64_t low, uint64_t high, int negative)
{
    struct gathered all = {{low, high, 0}};
    if (negative && (low | high)) {
        all.w[0] = 0 - low;
        all.w[1] = ~high + (low == 0);
        all.w[2] = ~0ull;
    }
    words_add_gathered(sum, &all);
}

#if defined(PICK_VALUE) || defined(PICK_MAGNITUDE) || defined(PICK_MOMENTS)
DEVICE void absorb_values(struct words *sum, const element *x)
{
#if ELEMENT_BYTES == 8
    struct gathered total = {{0, 0, 0}};
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        uint64_t v = (uint64_t)x[i].v, sign = SIGN_OF(v);
#if defined(PICK_MAGNITUDE)
        v = (v ^ sign) - sign;
        sign = 0;
#endif
        gathered_add(&total, v, sign, sign);
    }
    words_add_gathered(sum, &total);
#else
    int64_t total = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        total += number_or_size(x[i]);
    }
    words_add_total(sum, total);
#endif
}
#endif

#if defined(PICK_PRODUCT) || defined(PICK_SQUARE) || defined(PICK_MOMENTS)
/* The upper word of a product of signed numbers is that of unsigned ones less the other's where one is negative. */
DEVICE void absorb_products(struct words *sum, const element *x, const element *y)
{
#if ELEMENT_BYTES == 8
    struct gathered total = {{0, 0, 0}};
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        uint64_t a = (uint64_t)x[i].v, b = (uint64_t)y[i].v;
        uint64_t high = __umul64hi(a, b) - (SIGN_OF(a) & b) - (SIGN_OF(b) & a);
        gathered_add(&total, a * b, high, SIGN_OF(high));
    }
    words_add_gathered(sum, &total);
#elif ELEMENT_BYTES == 4
    struct gathered total = {{0, 0, 0}};
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        uint64_t product = (uint64_t)(int64_t)x[i].v * (uint64_t)(int64_t)y[i].v;
        gathered_add(&total, product, SIGN_OF(product), SIGN_OF(product));
    }
    words_add_gathered(sum, &total);
#else
    int64_t total = 0;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        total += ELEMENT_KIND == KIND_BOOLEAN ? x[i].v != 0 && y[i].v != 0 : (int64_t)x[i].v * (int64_t)y[i].v;
    }
    words_add_total(sum, total);
#endif
}
#endif

DEVICE void state_absorb(struct state *s, const element *x, const element *y, const int64_t *place, tile_mask present)
{
    (void)place;
    (void)present;
    (void)y;
#if defined(PICK_VALUE) || defined(PICK_MAGNITUDE) || defined(PICK_MOMENTS)
    absorb_values(&s->sum[0], x);
#endif
#if defined(PICK_PRODUCT)
    absorb_products(&s->sum[0], x, y);
#elif defined(PICK_SQUARE) || defined(PICK_MOMENTS)
    absorb_products(&s->sum[SUMS - 1], x, x);
#endif
}

/* Bytes, four to an instruction. */
#if CONTIGUOUS && ELEMENT_BYTES == 1 && (!WITH_WHERE || IS_FILLED) && !defined(PICK_PRODUCT)
#define ABSORB_VECTORS
DEVICE void state_absorb_vectors(struct state *s, const struct vector16 *v)
{
    int32_t sum = 0, squares = 0;
#pragma unroll
    for (int i = 0; i < 4 * VECTORS; i++) {
        uint32_t word = v[i / 4].word[i % 4];
        sum = add_bytes(sum, word, 0x01010101);
        if (COUNTS_NONZERO) word = nonzero_bytes(word);
        squares = add_products(squares, word, word);
    }
#if !defined(PICK_SQUARE)
    words_add_total(&s->sum[0], sum);
#endif
#if defined(PICK_SQUARE) || defined(PICK_MOMENTS)
    words_add_total(&s->sum[SUMS - 1], squares);
#endif
}
#endif
