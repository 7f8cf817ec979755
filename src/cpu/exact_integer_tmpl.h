/* SPDX-License-Identifier: MIT
 *
 * exact_integer_tmpl.h - exact sums of one integer type's lifted elements. Included by type_tmpl.h. No include guard.
 *
 * Terms are split into 32-bit pieces whose sums over a leaf fit 64 bits. */

#if defined(KIND_BOOLEAN_TYPE)
#define INTEGER_OF(v) ((v) != 0)
#else
#define INTEGER_OF(v) (v)
#endif

/* The term as 128 bits: products of 64-bit integers need them. */
#if defined(KIND_SIGNED_TYPE)
typedef int128 TYPE_NAME(term);
#else
typedef uint128 TYPE_NAME(term);
#endif

/* Terms that fit 64 bits, as they do for types of up to 32 bits and for values. */
ALWAYS_INLINE void TYPE_NAME(exact_words)(struct exact *sum, const WIDEST *term, size_t n)
{
    uint64_t low = 0;
    WIDEST high = 0;
    for (size_t i = 0; i < n; i++) {
        low += (uint64_t)term[i] & 0xffffffff;
        high += term[i] >> 32;
    }
    exact_add_integer(sum, (int64_t)low, 0);
    exact_add_integer(sum, (int64_t)high, 32);
}

static void TYPE_NAME(exact_value)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                   size_t n)
{
    const STORAGE *element = x;
    WIDEST term[TREE_LEAF];
    (void)windows;
    (void)y;
    for (size_t i = 0; i < n; i++) term[i] = INTEGER_OF(element[i]);
    TYPE_NAME(exact_words)(sums, term, n);
}

static void TYPE_NAME(exact_magnitude)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                       size_t n)
{
    const STORAGE *element = x;
    uint64_t low = 0, high = 0;
    (void)windows;
    (void)y;
    for (size_t i = 0; i < n; i++) {
#if defined(KIND_SIGNED_TYPE)
        uint64_t size = element[i] < 0 ? 0 - (uint64_t)element[i] : (uint64_t)element[i];
#else
        uint64_t size = INTEGER_OF(element[i]);
#endif
        low += size & 0xffffffff;
        high += size >> 32;
    }
    exact_add_integer(sums, (int64_t)low, 0);
    exact_add_integer(sums, (int64_t)high, 32);
}

static void TYPE_NAME(exact_product)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                     size_t n)
{
    const STORAGE *a = x, *b = y;
    (void)windows;
    if (sizeof(STORAGE) <= 4) {
        WIDEST term[TREE_LEAF];
        for (size_t i = 0; i < n; i++) term[i] = (WIDEST)INTEGER_OF(a[i]) * (WIDEST)INTEGER_OF(b[i]);
        TYPE_NAME(exact_words)(sums, term, n);
        return;
    }
    uint64_t piece[3] = {0};
    TYPE_NAME(term) top = 0;
    for (size_t i = 0; i < n; i++) {
        TYPE_NAME(term) term = (TYPE_NAME(term))INTEGER_OF(a[i]) * (TYPE_NAME(term))INTEGER_OF(b[i]);
        for (int k = 0; k < 3; k++) piece[k] += (uint64_t)(term >> 32 * k) & 0xffffffff;
        top += term >> 96;
    }
    for (int k = 0; k < 3; k++) exact_add_integer(sums, (int64_t)piece[k], 32 * k);
    exact_add_integer(sums, (int64_t)top, 96);
}

static void TYPE_NAME(exact_square)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                    size_t n)
{
    (void)y;
    TYPE_NAME(exact_product)(sums, windows, x, x, n);
}

static void TYPE_NAME(exact_moments)(struct exact *sums, struct exact_window *windows, const void *x, const void *y,
                                     size_t n)
{
    TYPE_NAME(exact_value)(sums, windows, x, y, n);
    TYPE_NAME(exact_square)(sums + 1, windows, x, y, n);
}

#undef INTEGER_OF
