/* SPDX-License-Identifier: MIT
 *
 * seen_powers.cuh - the largest element of those whose powers are added, and how far apart their powers of two lie: in
 * bits of these, added to POWER_INTEGER. SEEN_SIDE: elements are not rows of a warp, but so many neighbouring cells'.
 * No include guard. */

#if !defined(SEEN_SIDE)
#define SEEN_IN_PAIRS (ELEMENT_BYTES == 2 && HAS_PAIRS_OF_FLOATS)
#else
#define SEEN_IN_PAIRS (ELEMENT_BYTES == 2 && HAS_PAIRS_OF_FLOATS && SEEN_SIDE % 2 == 0)
#endif

#if SEEN_IN_PAIRS
struct seen {
    uint32_t largest, smallest; /* pairs of elements; NaN if one is */
};

DEVICE void seen_join(struct seen *a, struct seen b)
{
    a->largest = LARGER_PAIR(a->largest, b.largest);
    a->smallest = SMALLER_PAIR(a->smallest, b.smallest);
}

#if !defined(SEEN_SIDE)
DEVICE struct seen seen_row(struct stored_row row, const float *shifted)
{
    struct seen seen, other;
    (void)shifted;
    memcpy(&seen.largest, row.stored, 4);
    memcpy(&other.largest, row.stored + 2, 4);
    seen.smallest = seen.largest, other.smallest = other.largest;
    seen_join(&seen, other);
    return seen;
}
#endif

DEVICE float of_pair(uint32_t pair, int half)
{
    storage stored = (storage)(pair >> 16 * half);
    return OF_ELEMENT(load)(&stored, 0).v;
}

/* What is too far for these exponents lies too far from any guess. */
DEVICE int lies_in_window(float largest, float smallest, float guess)
{
    float above = power_near_exponent_float(largest), below = power_near_exponent_float(smallest);
    return above - guess <= MOST && below - guess >= LEAST;
}

#if !defined(SEEN_SIDE)
DEVICE float seen_largest(struct seen seen)
{
    float a = of_pair(seen.largest, 0), b = of_pair(seen.largest, 1);
    return b > a || b != b ? b : a;
}

DEVICE float seen_smallest(struct seen seen)
{
    float a = of_pair(seen.smallest, 0), b = of_pair(seen.smallest, 1);
    return b < a || b != b ? b : a;
}

DEVICE int seen_fits(struct seen seen, float guess)
{
    return lies_in_window(seen_largest(seen), seen_smallest(seen), guess);
}
#else
DEVICE int pair_fits(struct seen seen, int half, float guess)
{
    return lies_in_window(of_pair(seen.largest, half), of_pair(seen.smallest, half), guess);
}
#endif
#else
struct seen {
    power_real largest;
    int32_t least, most; /* low words */
#if !POWERS_ARE_FLOATS
    uint32_t far;        /* 0: each high word is the one next to its low word, whose sign it follows */
#endif
};

DEVICE void seen_join(struct seen *a, struct seen b)
{
    a->least = b.least < a->least ? b.least : a->least;
    a->most = b.most > a->most ? b.most : a->most;
#if POWERS_ARE_FLOATS
    a->largest = max(a->largest, b.largest);
#else
    a->largest = b.largest > a->largest ? b.largest : a->largest;
    a->far |= b.far;
#endif
}

DEVICE struct seen seen_one(power_real v, power_real shifted)
{
    struct seen seen;
    seen.largest = v;
#if POWERS_ARE_FLOATS
    seen.least = seen.most = (int32_t)float_bits(shifted);
#else
    uint32_t low = (uint32_t)double_bits(shifted), high = (uint32_t)(double_bits(shifted) >> 32);
    seen.least = seen.most = (int32_t)low;
    seen.far = (high + (low >> 31)) ^ (uint32_t)(double_bits(POWER_INTEGER) >> 32);
#endif
    return seen;
}

#if !defined(SEEN_SIDE)
DEVICE struct seen seen_row(struct stored_row row, const power_real *shifted)
{
    struct seen seen = seen_one(of_row(row, 0).v, shifted[0]);
#pragma unroll
    for (int q = 1; q < LANES; q++) seen_join(&seen, seen_one(of_row(row, q).v, shifted[q]));
    return seen;
}
#endif

DEVICE power_real seen_largest(struct seen seen)
{
    return seen.largest;
}

/* NaN, infinities and what lies far away have other bits than the numbers next to POWER_INTEGER. */
DEVICE int seen_fits(struct seen seen, power_real guess)
{
    struct seen least = seen_one(0, POWER_INTEGER + LEAST), most = seen_one(0, POWER_INTEGER + MOST);
    int fits = seen.least >= least.least && seen.most <= most.most;
    (void)guess;
#if !POWERS_ARE_FLOATS
    fits &= seen.far == 0;
#endif
    return fits;
}
#endif
