/* SPDX-License-Identifier: MIT
 *
 * cpu_rule_tmpl.h - rules in boolean operations on vectors of cells. Sums of three cells come in two bits, low and
 * high, from the rows above and below. */

#if defined(__AVX512F__)
/* Eight operations with the row's own sums. `near` is above's low bit with left and right: 1 and 2 times. The tables
 * of the last four were found by search, and hold for all that can occur together. */
static INLINE vector next_conway(vector above_low, vector above_high, vector left, vector here, vector right,
                                 vector below_low, vector below_high)
{
    const vector near_low = parity(above_low, left, right), near_high = majority(above_low, left, right);
    const vector a = TABLE(near_low, here, below_low, 0x5e);
    const vector b = TABLE(near_high, above_high, below_high, 0x16);
    const vector c = TABLE(above_high, here, below_high, 0x04);
    return TABLE(a, b, c, 0xc2);
}
#else
/* Alive with a count of 3, or of 2 where alive: exactly one of four twos, and an odd count or a live cell. */
static INLINE vector next_conway(vector above_low, vector above_high, vector left, vector here, vector right,
                                 vector below_low, vector below_high)
{
    const vector sides = left ^ right, near_low = above_low ^ sides, near_high = (sides & above_low) | (left & right);
    const vector low = near_low ^ below_low, carry = near_low & below_low;
    const vector one = near_high ^ above_high ^ below_high ^ carry;
    const vector two = (near_high & above_high) | (below_high & carry);
    return one & ~two & (low | here);
}
#endif

/* A count of eight neighbours: low + 2 * middle + 4 * (high[0] + high[1]). */
struct count {
    vector low, middle, high[2];
};

static INLINE struct count count_of(vector above_low, vector above_high, vector left, vector right, vector below_low,
                                    vector below_high)
{
    const vector sides = left ^ right, both = left & right;
    const vector carry = majority(above_low, sides, below_low), twos = parity(above_high, both, below_high);
    return (struct count){
        parity(above_low, sides, below_low), twos ^ carry, {majority(above_high, both, below_high), twos & carry}};
}

/* Bit n of an eight-bit constant, where n is the count without its bit for 8. */
#if defined(__AVX512F__)
#define LOOK_UP(table, count, four) TABLE(four, (count).middle, (count).low, table)
#else
#define LOOK_UP(table, count, four) look_up((table), (count), (four))
static INLINE vector look_up(unsigned table, struct count count, vector four)
{
    vector pair[4];
    for (int i = 0; i < 4; i++) {
        const vector odd = spread(table >> (2 * i + 1) & 1 ? UINT64_MAX : 0);
        const vector even = spread(table >> (2 * i) & 1 ? UINT64_MAX : 0);
        pair[i] = (count.low & odd) | (~count.low & even);
    }
    const vector high = (count.middle & pair[3]) | (~count.middle & pair[2]);
    const vector low = (count.middle & pair[1]) | (~count.middle & pair[0]);
    return (four & high) | (~four & low);
}
#endif

/* A rule that is known when this is compiled: dead and alive are what up to seven neighbours make of such cells. */
static INLINE vector next_fixed(unsigned born, unsigned survives, vector dead, vector alive, struct count count,
                                vector here)
{
    const unsigned born_8 = born >> 8, survives_8 = survives >> 8;
    const vector cells = choice(here, alive, dead), eight = count.high[0] & count.high[1];
    if (born_8 == (born & 1) && survives_8 == (survives & 1)) return cells;
    if (born_8 == survives_8) return born_8 ? cells | eight : cells & ~eight;
    return choice(eight, survives_8 ? here : ~here, cells);
}

/* Any rule: what each count makes of the cell, then a choice by each bit of the count. */
static INLINE vector next_any(const struct cpu_rule *rule, bool with_eight, struct count count, vector here)
{
    vector pair[4];
    for (int i = 0; i < 4; i++) {
        const int even = 2 * i, odd = 2 * i + 1;
        pair[i] = choice(count.low, and_xor(here, spread(rule->change[odd]), spread(rule->born[odd])),
                         and_xor(here, spread(rule->change[even]), spread(rule->born[even])));
    }
    const vector low = choice(count.middle, pair[1], pair[0]), high = choice(count.middle, pair[3], pair[2]);
    if (!with_eight) return choice(count.high[0] ^ count.high[1], high, low);
    const vector eight = and_xor(here, spread(rule->change[8]), spread(rule->born[8]));
    return choice(count.high[0], choice(count.high[1], eight, high), choice(count.high[1], high, low));
}
