/* SPDX-License-Identifier: MIT
 *
 * wave_far.cuh - exact sums of any doubles in scan_wave.cu, which no amount holds: integers as long as the type needs,
 * in signed digits of 20 bits, of which each lane of a warp has four. All functions are for whole warps. Part of
 * wave_exact.cuh. No include guard. */

#define DIGIT_BITS 20
#define DIGIT_MASK ((1 << DIGIT_BITS) - 1)
#define SHARE_BITS (4 * DIGIT_BITS)

/* Digit 0 weighs 2^FAR_LOWEST, which no amount's place is below; above the largest number is room for 2^48 of them. */
#define FAR_LOWEST (-1088)

enum { FAR_LANES = 27 };

/* In shared or global memory: the lanes' digits, then the special bits. */
struct far {
    struct vector16 share[FAR_LANES + 1];
};

static_assert(sizeof(struct far) == SCAN_FAR_BYTES, "what the host makes room for");

/* A lane's digits: small ones, of which a thousand may be added, or, settled, from 0 to DIGIT_MASK below the last one.
 */
struct digits {
    int32_t digit[4];
};

DEVICE int32_t lane_of(void)
{
    return (int32_t)threadIdx.x & 31;
}

DEVICE struct digits digits_none(void)
{
    struct digits none = {{0, 0, 0, 0}};
    return none;
}

DEVICE void digits_add(struct digits *a, struct digits b)
{
    for (int i = 0; i < 4; i++) a->digit[i] += b.digit[i];
}

DEVICE struct digits digits_in(const struct far *from)
{
    struct digits s = digits_none();
    if (lane_of() < FAR_LANES) memcpy(&s, &from->share[lane_of()], sizeof s);
    return s;
}

DEVICE uint32_t far_special(const struct far *from)
{
    return from->share[FAR_LANES].word[0];
}

DEVICE void far_keep(struct far *to, struct digits s, uint32_t special)
{
    struct vector16 v;
    memcpy(&v, &s, sizeof v);
    if (lane_of() == FAR_LANES) v.word[0] = special;
    if (lane_of() <= FAR_LANES) to->share[lane_of()] = v;
    __syncwarp();
}

/* value * 2^place, a signed number. */
DEVICE struct digits digits_of(uint128 value, int32_t place)
{
    int32_t shift = SHARE_BITS * lane_of() - (place - FAR_LOWEST);
    int128 part = (int128)value;
    struct digits s = digits_none();
    if (shift >= 0) part >>= shift < 127 ? shift : 127;
    else part = shift > -SHARE_BITS ? (int128)(value << -shift) : 0;
    if (lane_of() >= FAR_LANES) return s;
    for (int i = 0; i < 4; i++) s.digit[i] = (int32_t)(uint32_t)(part >> DIGIT_BITS * i);
    for (int i = 0; i < 3; i++) s.digit[i] &= DIGIT_MASK;
    if (lane_of() < FAR_LANES - 1) s.digit[3] &= DIGIT_MASK;
    return s;
}

/* A finite double. */
DEVICE struct digits digits_of_double(double x)
{
    uint64_t bits = double_bits(x), fraction = bits & 0xfffffffffffffull;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);
    int64_t number = (int64_t)(exponent ? fraction | 1ull << 52 : fraction);
    return digits_of((uint128)(int128)(bits >> 63 ? -number : number), (exponent ? exponent : 1) - 1075);
}

/* Passes carries on by one lane; returns the lane's own. */
DEVICE int32_t digits_carry(struct digits *s)
{
    int32_t lane = lane_of(), carry = 0;
    for (int i = 0; i < 4; i++) {
        s->digit[i] += carry;
        carry = lane == FAR_LANES - 1 && i == 3 ? 0 : s->digit[i] >> DIGIT_BITS;
        s->digit[i] -= carry * (1 << DIGIT_BITS);
    }
    int32_t from_below = __shfl_up_sync(FULL_WARP, carry, 1);
    if (lane > 0 && lane < FAR_LANES) s->digit[0] += from_below;
    return carry;
}

DEVICE void digits_settle(struct digits *s)
{
    while (__any_sync(FULL_WARP, digits_carry(s) != 0)) {
    }
}

/* The lane's digits as an integer; settled, and not negative. */
DEVICE uint128 digits_number(const struct digits *s)
{
    return (uint128)(uint32_t)s->digit[3] << 3 * DIGIT_BITS | (uint64_t)s->digit[2] << 2 * DIGIT_BITS |
           (uint64_t)s->digit[1] << DIGIT_BITS | (uint32_t)s->digit[0];
}

DEVICE uint128 number_from(uint128 number, int32_t lane)
{
    struct whole w = {number};
    w = whole_from(w, (uint32_t)lane & 31);
    return lane < 0 ? 0 : w.value;
}

/* The leading 128 bits of the sum's size, which is settled here, the first of which is set. All lanes get them. */
DEVICE struct natural_leading digits_leading(struct digits s, int *negative)
{
    struct natural_leading none = {0, 0, 0};
    digits_settle(&s);
    *negative = __shfl_sync(FULL_WARP, s.digit[3], FAR_LANES - 1) < 0;
    if (*negative) {
        for (int i = 0; i < 4; i++) s.digit[i] = -s.digit[i];
        digits_settle(&s);
    }
    uint128 number = digits_number(&s);
    uint32_t lanes = __ballot_sync(FULL_WARP, number != 0);
    int32_t top = 31 - __clz((int)lanes);
    if (lanes == 0) return none;
    uint128 first = number_from(number, top), second = number_from(number, top - 1),
            third = number_from(number, top - 2);
    int32_t shift = 128 - bits_of(first), more = shift - SHARE_BITS; /* at least 128 - 91 */
    uint128 bits = first << shift, rest;
    if (more < 0) {
        bits |= second >> -more;
        rest = third | (second & (((uint128)1 << -more) - 1));
    } else {
        bits |= second << more | third >> (SHARE_BITS - more);
        rest = third & (((uint128)1 << (SHARE_BITS - more)) - 1);
    }
    int sticky = rest != 0 || (lanes & ((1u << top) - 1) & ~(3u << top >> 2)) != 0;
    struct natural_leading leading = {bits, FAR_LOWEST + SHARE_BITS * top - shift, sticky};
    return leading;
}

/* ---- a warp's numbers ---- */

DEVICE void far_deposit(struct far *to, element x)
{
    uint64_t bits = double_bits(x.v), fraction = bits & 0xfffffffffffffull, exponent = bits >> 52 & 0x7ff;
    int32_t place = (int32_t)(exponent ? exponent : 1) - 1075 - FAR_LOWEST, negative = (int32_t)(bits >> 63);
    uint64_t number = exponent ? fraction | 1ull << 52 : fraction;
    int special = exponent == 0x7ff;
    int32_t at = place / DIGIT_BITS, shift = place % DIGIT_BITS, *digit = (int32_t *)to + at;
    if (special) {
        atomicOr(&to->share[FAR_LANES].word[0], fraction   ? EXACT_NAN
                                                : negative ? EXACT_MINUS_INFINITY
                                                           : EXACT_PLUS_INFINITY);
        return;
    }
    if (number == 0) return;
    uint64_t low = number << shift;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int32_t piece = (int32_t)(low >> DIGIT_BITS * i) & DIGIT_MASK;
        if (i == 3) piece = (int32_t)(number >> (3 * DIGIT_BITS - shift)); /* 72 bits are more than a word has */
        atomicAdd(digit + i, negative ? -piece : piece);
    }
}

/* The sum of the runs of those lanes that have one. */
DEVICE void far_absorb(struct far *to, const struct vector16 *run, int has_one)
{
    far_keep(to, digits_none(), 0);
#pragma unroll 4
    for (int i = 0; i < RUN; i++) {
        element x = load_element(run, i);
        if (has_one && !(SKIP_NAN && element_is_nan(x))) far_deposit(to, x);
    }
    __syncwarp();
    struct digits s = digits_in(to);
    digits_carry(&s);
    far_keep(to, s, far_special(to));
}

DEVICE_CALL uint32_t enter_far(const struct vector16 *run, struct far *to)
{
    far_absorb(to, run, 1);
    return far_special(to);
}

/* What warps keep beside a total, and what lefts have beside them: what stands left of the chunk, then the warp's
 * total, which is now what stands left of it in the chunk, and its digits. */
typedef struct far beside_amount;
typedef struct parts {
    const struct far *chunk;
    const struct amount *total;
    struct far *digits;
} beside_left;

/* The position's unit gets the special bits. */
DEVICE void enter_apart(const struct vector16 *run, const struct starts *starts, struct amount *total,
                        struct far *beside, struct position *position)
{
    (void)starts;
    position->unit = (int32_t)enter_far(run, beside);
    if (lane_of() == 31) total->by_words = 1;
}

/* ---- amounts and digits ---- */

/* By_words if it is none. */
DEVICE struct amount leading_amount(struct natural_leading x, int negative, uint32_t special)
{
    struct amount a = amount_none();
    a.by_words = 1;
    if (special || x.sticky) return a;
    if (x.bits == 0) return amount_none();
    int32_t zeros =
        (uint64_t)x.bits ? __ffsll((long long)(uint64_t)x.bits) - 1 : 63 + __ffsll((long long)(uint64_t)(x.bits >> 64));
    uint128 size = x.bits >> zeros;
    if (size >> MOST_BITS != 0) return a; /* a size has no sign */
    return amount_of(negative ? 0 - size : size, x.exponent + zeros, x.exponent + zeros);
}

/* What an amount stands for, or lies beside it. */
DEVICE struct digits digits_of_amount(const struct amount *a, const struct far *beside, uint32_t *special)
{
    if (!a->by_words) return digits_of(amount_value(a), a->place == NO_PLACE ? FAR_LOWEST : a->place);
    *special |= far_special(beside);
    return digits_in(beside);
}

/* What stands left of a cell; it is beside, too. */
DEVICE_CALL struct amount amount_first(const struct scan_parameters *given, int64_t cell, struct far *beside)
{
    struct digits s = digits_none();
    uint32_t special = 0;
    int negative;
#if WITH_CARRY
    struct carried_sum carried = carried_sum_of(given, cell, 0);
    special = carried.special;
    for (int64_t k = 0; k < carried.limbs; k++) {
        digits_add(&s,
                   digits_of((uint128)(int128)(int64_t)carried.limb[k], carried.place + (int32_t)k * CARRY_LIMB_BITS));
        digits_carry(&s);
    }
#else
    (void)cell;
    if (given->reduce.has_initial) {
        double x = initial_real(&given->reduce, 0);
        if (x - x == 0) s = digits_of_double(x);
        else special = x != x ? EXACT_NAN : x < 0 ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY;
    }
#endif
    digits_settle(&s);
    far_keep(beside, s, special);
    struct natural_leading leading = digits_leading(s, &negative);
    return leading_amount(leading, negative, special);
}
