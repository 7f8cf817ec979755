/* SPDX-License-Identifier: MIT
 *
 * word.cuh - 32 cells at once. A word holds a cell in each bit, and one operation of three words (LOP3) takes any table
 * of three bits; the tables' bits are numbered as the instruction has them, 4 a + 2 b + c.
 *
 * The rule is defined when this is compiled: RULE_BORN and RULE_SURVIVES, bit n for n neighbours. For Conway's rule
 * there are eight operations for a word, found by a search and proved by trying all 512 neighbourhoods. Many others
 * take nine: four for the neighbours, and three that gpu_rule.c finds and defines as RULE_NEXT. The rest count in
 * binary, in twelve. Half a count is shared: `odd` and `two` of a row serve three rows. */
#define DEVICE static __device__ __forceinline__

typedef unsigned word;

#define ALL_LANES 0xffffffffu

template <int TABLE> DEVICE word lop3(word a, word b, word c)
{
    word out;
#if defined(TALLY_SIMT)
    out = 0;
    for (int i = 0; i < 8; i++) {
        if (TABLE >> i & 1) out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    }
#else
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(out) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
#endif
    return out;
}

#define ODD 0x96  /* one or three of three */
#define MOST 0xe8 /* two or three of three */
#define PICK 0xca /* a ? b : c */

/* How many of a cell and its two neighbours in the row are alive: odd + 2 two. */
struct sum {
    word odd, two;
};

DEVICE sum sum_of(word left, word x, word right)
{
    sum s;
    s.odd = lop3<ODD>(left, x, right);
    s.two = lop3<MOST>(left, x, right);
    return s;
}

/* The next generation of x, which has left and right beside it, from the sums above and below. Its neighbours are
 * odd + below.odd + 2 twos + 4 fours. */
DEVICE word next_of(sum above, word left, word x, word right, sum below)
{
    const word odd = lop3<ODD>(above.odd, left, right), two = lop3<MOST>(above.odd, left, right);
#if RULE_BORN == 8 && RULE_SURVIVES == 12
    return lop3<0xc2>(lop3<0x5e>(odd, x, below.odd), lop3<0x16>(two, above.two, below.two),
                      lop3<0x04>(above.two, x, below.two));
#else
    const word twos = lop3<ODD>(two, above.two, below.two), fours = lop3<MOST>(two, above.two, below.two);
#if defined(RULE_NEXT)
    return RULE_NEXT;
#else
    const word count1 = odd ^ below.odd, count2 = lop3<0x78>(twos, odd, below.odd); /* twos ^ (odd & below.odd) */
    const word count4 = lop3<0xb4>(fours, twos, count2);                            /* fours ^ (twos & ~count2) */
    const word born = lop3<(RULE_BORN & 255)>(count4, count2, count1);
    const word survives = lop3<(RULE_SURVIVES & 255)>(count4, count2, count1);
    word next = lop3<PICK>(x, survives, born);
#if (RULE_BORN >> 8 ^ RULE_BORN) & 1 || (RULE_SURVIVES >> 8 ^ RULE_SURVIVES) & 1
    /* Eight neighbours look like none in the three bits above. */
    const word eight = lop3<0x40>(fours, twos, count2);
    next = lop3<PICK>(eight, (RULE_SURVIVES >> 8 & 1 ? x : 0) | (RULE_BORN >> 8 & 1 ? ~x : 0), next);
#endif
    return next;
#endif
#endif
}
