/* SPDX-License-Identifier: MIT
 *
 * wave_far.cuh - exact sums of any floats in scan_wave.cu, which no amount holds: integers as long as the type needs,
 * in signed digits of 20 bits, of which each lane of a warp has four. All functions are for whole warps. What is long
 * is called, so that the loop over chunks keeps its registers. Part of wave_exact.cuh. No include guard. */

#define DIGIT_BITS 20
#define DIGIT_MASK ((1 << DIGIT_BITS) - 1)
#define SHARE_BITS (4 * DIGIT_BITS)

/* Digit 0 weighs 2^FAR_LOWEST, which no amount of the type's numbers has a place below; above the largest number is
 * room for 2^48 of them. A number comes in so many pieces of a digit. */
#if IS_NARROW
#define FAR_LOWEST (-192)
enum { FAR_LANES = 5, FAR_TEAM = 8, FAR_PIECES = (NUMBER_BITS + 2 * DIGIT_BITS - 2) / DIGIT_BITS };
static_assert(sizeof(struct vector16) * (FAR_LANES + 1) == SCAN_FAR_BYTES_NARROW, "what the host makes room for");
#else
#define FAR_LOWEST (-1088)
enum { FAR_LANES = 27, FAR_TEAM = 32, FAR_PIECES = 4 };
static_assert(sizeof(struct vector16) * (FAR_LANES + 1) == SCAN_FAR_BYTES, "what the host makes room for");
#endif

/* All that digits hold is below 2^FAR_TOP, additions included. */
#define FAR_TOP (FAR_LOWEST + SHARE_BITS * FAR_LANES)

/* In shared or global memory: the lanes' digits, then whether they failed to hold what comes first (EXACT_FAILED). */
struct far {
    struct vector16 share[FAR_LANES + 1];
};

/* A lane's digits: small ones, of which a thousand may be added, or, settled, from 0 to DIGIT_MASK below the last one.
 */
struct digits {
    int32_t digit[4];
};

SHUFFLE(digits)

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
    if (lane_of() >= FAR_LANES) return s;
    struct vector16 share = from->share[lane_of()]; /* at once: copied from there it would be so byte by byte */
    memcpy(&s, &share, sizeof s);
    return s;
}

DEVICE uint32_t far_failure(const struct far *from)
{
    return from->share[FAR_LANES].word[0];
}

DEVICE void far_keep(struct far *to, struct digits s, uint32_t failure)
{
    struct vector16 v;
    memcpy(&v, &s, sizeof v);
    if (lane_of() == FAR_LANES) v.word[0] = failure;
    if (lane_of() <= FAR_LANES) to->share[lane_of()] = v;
    __syncwarp();
}

/* value * 2^place, a signed number. */
DEVICE_CALL struct digits digits_of(uint128 value, int32_t place)
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

DEVICE_CALL struct digits digits_settled(struct digits s)
{
    while (__any_sync(FULL_WARP, digits_carry(&s) != 0)) {
    }
    return s;
}

DEVICE void digits_settle(struct digits *s)
{
    *s = digits_settled(*s);
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

struct far_leading {
    struct natural_leading size;
    int negative;
};

/* The leading 128 bits of the sum's size, which is settled here, the first of which is set. All lanes get them. */
DEVICE_CALL struct far_leading digits_leading(struct digits s)
{
    struct far_leading leading = {{0, 0, 0}, 0};
    digits_settle(&s);
    leading.negative = __shfl_sync(FULL_WARP, s.digit[3], FAR_LANES - 1) < 0;
    if (leading.negative) {
        for (int i = 0; i < 4; i++) s.digit[i] = -s.digit[i];
        digits_settle(&s);
    }
    uint128 number = digits_number(&s);
    uint32_t lanes = __ballot_sync(FULL_WARP, number != 0);
    int32_t top = 31 - __clz((int)lanes);
    if (lanes == 0) return leading;
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
    leading.size = {bits, FAR_LOWEST + SHARE_BITS * top - shift, sticky};
    return leading;
}

/* ---- a warp's numbers ---- */

/* A number as an integer of FAR_PIECES digits from one of them on. */
struct deposit {
    uint64_t number;
    int32_t place, negative;
};

#if IS_NARROW
DEVICE struct deposit deposit_of(element x)
{
    uint32_t bits = __float_as_uint(x.v), fraction = bits & 0x7fffff, exponent = bits >> 23 & 0xff;
    int32_t place = (int32_t)(exponent ? exponent : 1) - UNIT_BELOW - FAR_LOWEST, negative = (int32_t)(bits >> 31);
    uint64_t number = (exponent ? fraction | 1u << 23 : fraction) >> (24 - NUMBER_BITS);
    struct deposit d = {number, place, negative};
    return d;
}
#else
DEVICE struct deposit deposit_of(element x)
{
    uint64_t bits = double_bits(x.v), fraction = bits & 0xfffffffffffffull, exponent = bits >> 52 & 0x7ff;
    int32_t place = (int32_t)(exponent ? exponent : 1) - 1075 - FAR_LOWEST, negative = (int32_t)(bits >> 63);
    uint64_t number = exponent ? fraction | 1ull << 52 : fraction;
    struct deposit d = {number, place, negative};
    return d;
}
#endif

DEVICE void far_deposit(struct far *to, element x)
{
    struct deposit d = deposit_of(x);
    uint32_t at = (uint32_t)d.place / DIGIT_BITS, shift = (uint32_t)d.place % DIGIT_BITS;
    int32_t *digit = (int32_t *)to + at;
    uint64_t low = d.number << shift;
    if (d.number == 0) return;
#pragma unroll
    for (int i = 0; i < FAR_PIECES; i++) {
        int32_t piece = (int32_t)(low >> DIGIT_BITS * i) & DIGIT_MASK;
        if (i == 3) piece = (int32_t)(d.number >> (3 * DIGIT_BITS - shift)); /* 72 bits are more than a word has */
        atomicAdd(digit + i, d.negative ? -piece : piece);
    }
}

/* The sum of the runs of those lanes that have one. */
DEVICE_CALL void far_absorb(struct far *to, const struct vector16 *run, int has_one)
{
    far_keep(to, digits_none(), 0);
#pragma unroll 2
    for (int i = 0; i < RUN; i++) {
        element x = load_element(run, i);
        if (has_one && !(SKIP_NAN && element_is_nan(x))) far_deposit(to, x);
    }
    __syncwarp();
    struct digits s = digits_in(to);
    digits_carry(&s);
    far_keep(to, s, 0);
}

/* What warps keep beside a total, and what lefts have beside them: what stands left of the chunk, then the warp's
 * total, which is now what stands left of it in the chunk, and its digits. */
typedef struct far beside_amount;
typedef struct parts {
    const struct far *chunk;
    const struct amount *total;
    struct far *digits;
} beside_left;

/* Results need the run as it is, and come later. */
DEVICE int clear_specials(const struct vector16 *run, const struct starts *starts, const struct position *position)
{
    (void)run, (void)starts, (void)position;
    return 0;
}

DEVICE void enter_specials(struct starts starts, struct amount *total)
{
    (void)starts, (void)total;
}

/* An infinity or NaN is all that matters to whoever stands right of the warp. */
DEVICE void enter_apart(const struct vector16 *run, const struct starts *starts, struct amount *total,
                        struct far *beside, struct position *position)
{
    (void)starts;
    uint32_t special = has_specials(position) ? specials_of_warp(specials_of_run(run)) : 0;
    if (!special) far_absorb(beside, run, 1);
    if (lane_of() != 31) return;
    *total = amount_special(special);
    if (!special) total->by_words = 1;
}

/* ---- amounts and digits ---- */

/* By_words if it is none. */
DEVICE_CALL struct amount leading_amount(struct natural_leading x, int negative, uint32_t failure)
{
    struct amount a = amount_none();
    a.by_words = 1;
    if (failure || x.sticky) return a;
    if (x.bits == 0) return amount_none();
    int32_t zeros =
        (uint64_t)x.bits ? __ffsll((long long)(uint64_t)x.bits) - 1 : 63 + __ffsll((long long)(uint64_t)(x.bits >> 64));
    uint128 size = x.bits >> zeros;
    if (size >> MOST_BITS != 0) return a; /* a size has no sign */
    return amount_of(negative ? 0 - size : size, x.exponent + zeros, x.exponent + zeros);
}

/* What an amount stands for, or lies beside it. */
DEVICE_CALL struct digits digits_of_amount(struct amount a, const struct far *beside)
{
    if (!(a.by_words & 1)) return digits_of(amount_value(&a), a.place == NO_PLACE ? FAR_LOWEST : a.place);
    return digits_in(beside);
}

DEVICE uint32_t failure_of_amount(const struct amount *a, const struct far *beside)
{
    return a->by_words & 1 ? far_failure(beside) : 0;
}

/* What digits do not hold fails: an initial value of a wider type than the elements. */
DEVICE void digits_append(struct digits *s, uint32_t *failure, uint128 value, int32_t place)
{
    int fails = IS_NARROW && value != 0 && (place < FAR_LOWEST || place + bits_of(value) >= FAR_TOP - 8);
    if (fails) *failure = EXACT_FAILED;
    else digits_add(s, digits_of(value, place));
    digits_carry(s);
}

/* What stands left of a cell, if anything does; it is beside, too. */
DEVICE_CALL struct amount amount_that_comes_first(const struct scan_parameters *given, int64_t cell, struct far *beside)
{
    struct digits s = digits_none();
    uint32_t special = 0, failure = 0;
#if WITH_CARRY
    struct carried_sum carried = carried_sum_of(given, cell, 0);
    special = carried.special;
#pragma unroll 1
    for (int64_t k = 0; k < carried.limbs; k++) {
        digits_append(&s, &failure, (uint128)(int128)(int64_t)carried.limb[k],
                      carried.place + (int32_t)k * CARRY_LIMB_BITS);
    }
#else
    (void)cell;
    if (given->reduce.has_initial) {
        double x = initial_real(&given->reduce, 0);
        uint64_t bits = double_bits(x), fraction = bits & 0xfffffffffffffull, exponent = bits >> 52 & 0x7ff;
        int64_t number = (int64_t)(exponent ? fraction | 1ull << 52 : fraction);
        int32_t zeros = number ? __ffsll((long long)number) - 1 : 0;
        number = bits >> 63 ? -(number >> zeros) : number >> zeros;
        special = special_of_double(x);
        if (!special)
            digits_append(&s, &failure, (uint128)(int128)number, (int32_t)(exponent ? exponent : 1) - 1075 + zeros);
    }
#endif
    if (special) return amount_special(special_of(special));
    digits_settle(&s);
    far_keep(beside, s, failure);
    struct far_leading leading = digits_leading(s);
    return leading_amount(leading.size, leading.negative, failure);
}

DEVICE struct amount amount_first(const struct scan_parameters *given, int64_t cell, struct far *beside)
{
#if !WITH_CARRY
    if (!given->reduce.has_initial) return amount_none();
#endif
    return amount_that_comes_first(given, cell, beside);
}
