/* SPDX-License-Identifier: MIT
 *
 * wave_amount.cuh - exact sums on their way between lanes, warps and blocks. Part of wave_exact.cuh. No include guard.
 *
 * Nearly always a sum is an integer of less than MOST_BITS bits in units of a power of two. One that is not lies
 * beside, in words or digits: whoever keeps an amount keeps room for these, too. Places are multiples of PLACE_STEP, so
 * that neighbours' are mostly the same, and then adding is all. */

struct amount {
    uint64_t low;
    int64_t high;
    int32_t place;    /* (high : low) * 2^place; NO_PLACE for zero, where it has none */
    int32_t by_words; /* 1: the sum lies beside instead; else the bits of EXACT_... that stand for it, times 2 */
};

SHUFFLE(amount)

/* Above any place that a number may have. */
#define NO_PLACE 100000

DEVICE int32_t lowest_bit(double x)
{
    uint64_t bits = double_bits(x), fraction = bits & 0xfffffffffffffull;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);
    if (x == 0) return NO_PLACE;
    return (exponent ? exponent : 1) - 1076 + __ffsll((long long)(exponent ? fraction | 1ull << 52 : fraction));
}

/* The double's size is below two to that. */
DEVICE int32_t top_of(double x)
{
    return (int32_t)(double_bits(x) >> 52 & 0x7ff) - 1022;
}

/* Sums of 32 amounts have 5 bits more, and there is a sign. */
#define MOST_BITS 120
#define PLACE_STEP 16

DEVICE struct amount amount_none(void)
{
    struct amount none = {0, 0, NO_PLACE, 0};
    return none;
}

/* Of an infinity or NaN: nothing else matters. */
DEVICE struct amount amount_special(uint32_t special)
{
    struct amount a = {0, 0, NO_PLACE, (int32_t)(2 * special)};
    return a;
}

DEVICE uint32_t special_of_amount(const struct amount *a)
{
    return (uint32_t)a->by_words >> 1;
}

DEVICE uint128 amount_value(const struct amount *a)
{
    return (uint128)(uint64_t)a->high << 64 | a->low;
}

/* Bits that a number in two's complement has beside its sign. */
DEVICE int32_t bits_of(uint128 value)
{
    uint64_t sign = (uint64_t)((int64_t)(uint64_t)(value >> 64) >> 63);
    uint64_t high = (uint64_t)(value >> 64) ^ sign, low = (uint64_t)value ^ sign;
    return high ? 128 - __clzll((long long)high) : 64 - __clzll((long long)low);
}

/* Whether a number has more than MOST_BITS. */
DEVICE int is_too_long(int64_t high)
{
    return (uint64_t)(high + (1ll << (MOST_BITS - 64))) >> (MOST_BITS - 63) != 0;
}

/* by_words if it is no amount. */
DEVICE struct amount amount_in(uint128 value, int32_t place)
{
    struct amount a = {(uint64_t)value, (int64_t)(uint64_t)(value >> 64), value ? place : NO_PLACE, 0};
    a.by_words = is_too_long(a.high);
    return a;
}

/* Of a multiple of 2^(unit - place), whose place need be no multiple of the step. */
DEVICE struct amount amount_of(uint128 value, int32_t place, int32_t unit)
{
    int32_t step = unit & -PLACE_STEP, shift = step - place;
    if (value == 0) return amount_none();
    if (shift >= 0) return amount_in((uint128)((int128)value >> shift), step);
    struct amount none = amount_none();
    none.by_words = bits_of(value) - shift > MOST_BITS;
    return none.by_words ? none : amount_in(value << -shift, step);
}

/* The same of a number that has PLACE_STEP bits less than an amount may have. */
DEVICE_UNUSED struct amount amount_of_short(uint128 value, int32_t place)
{
    uint32_t shift = (uint32_t)place % PLACE_STEP, word[4];
    memcpy(word, &value, sizeof word);
    for (int i = 3; i > 0; i--) word[i] = __funnelshift_l(word[i - 1], word[i], shift);
    word[0] <<= shift;
    struct amount a = {(uint64_t)word[1] << 32 | word[0], (int64_t)((uint64_t)word[3] << 32 | word[2]),
                       value ? place - (int32_t)shift : NO_PLACE, 0};
    return a;
}

/* *value gets the amount in units of 2^place, which is not above its own; whether it is no number of MOST_BITS. */
DEVICE int amount_at(const struct amount *a, int32_t place, uint128 *value)
{
    int32_t shift = a->place - place;
    *value = amount_value(a);
    if (*value == 0) return a->by_words;
    int fails = a->by_words | (bits_of(*value) + shift > MOST_BITS);
    if (!fails) *value <<= shift;
    return fails;
}

/* The same of two amounts that differ in their places. */
DEVICE_CALL struct amount amounts_apart(struct amount a, struct amount b)
{
    uint128 x, y;
    int32_t place = a.place < b.place ? a.place : b.place;
    int fails = amount_at(&a, place, &x) | amount_at(&b, place, &y);
    struct amount sum = amount_in(x + y, place);
    sum.by_words |= fails;
    return sum;
}

/* By_words if the sum is no amount. */
DEVICE struct amount amount_sum(const struct amount *a, const struct amount *b)
{
    if (a->place == NO_PLACE && !a->by_words) return *b;
    if (b->place == NO_PLACE && !b->by_words) return *a;
    if (a->place != b->place) return amounts_apart(*a, *b);
    struct amount sum = amount_in(amount_value(a) + amount_value(b), a->place);
    sum.by_words |= a->by_words | b->by_words;
    return sum;
}

/* All lanes' in units of the lowest place of them: *value gets the lane's. Whether one is no number of MOST_BITS. */
DEVICE int align_lanes(const struct amount *mine, int32_t *place, uint128 *value)
{
    int fails = mine->by_words;
    *place = warp_extreme(mine->place, 0);
    *value = amount_value(mine);
    if (__any_sync(FULL_WARP, mine->place != *place && mine->place != NO_PLACE)) fails = amount_at(mine, *place, value);
    return __any_sync(FULL_WARP, fails);
}

/* The sum of all lanes', in each of them; by_words if it is no amount. */
DEVICE struct amount warp_amount(struct amount mine)
{
    struct whole sum;
    int32_t place;
    if (align_lanes(&mine, &place, &sum.value)) {
        mine.by_words = 1;
        return mine;
    }
    for (uint32_t lanes = 16; lanes > 0; lanes /= 2) sum.value += whole_xor(sum, lanes).value;
    return amount_in(sum.value, place);
}
