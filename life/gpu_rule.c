/* SPDX-License-Identifier: MIT
 *
 * gpu_rule.c - see gpu_rule.h. A cell's neighbours are odd + below_odd + 2 twos + 4 fours (word.cuh), five words with
 * the cell itself, so a rule is a table of 32 bits. It is looked for as f(p, q, g(r, s, t)), where f, g and h are any
 * tables of three bits, and p to t are of the five and of h(three of the five). All h are tried; g and f follow. */
#include "gpu_rule.h"

#include <stdio.h>

#define WORDS 5
#define TABLES 128 /* of h and g: the other 128 are those turned round, which f makes up for */

static const char *const names[WORDS] = {"x", "odd", "below.odd", "twos", "fours"};

/* One of the words: bit i is what it is in line i of the table. */
static uint32_t word_of(int number)
{
    static const uint32_t words[WORDS] = {0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u, 0xffff0000u};
    return words[number];
}

static uint32_t lines_of(struct life_rule rule)
{
    uint32_t lines = 0;
    for (int i = 0; i < 32; i++) {
        const int neighbours = (i >> 1 & 1) + (i >> 2 & 1) + 2 * (i >> 3 & 1) + 4 * (i >> 4 & 1);
        lines |= (uint32_t)((i & 1 ? rule.survives : rule.born) >> neighbours & 1) << i;
    }
    return lines;
}

/* Numbered as in word.cuh: 4 a + 2 b + c. */
static uint32_t lop3(int table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t out = 0;
    for (int i = 0; i < 8; i++)
        if (table >> i & 1) out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return out;
}

/* For one pair of values of p and q, what g's table must be, or that turned round, where it matters; nothing where the
 * rule does not change there. */
struct demand {
    int known, table;
    bool turned, value;
};

/* False: r, s and t do not tell what is to be told apart. */
static bool demand_of(uint32_t wanted, uint32_t where, const uint32_t cells[8], struct demand *demand)
{
    *demand = (struct demand){.value = (wanted & where) != 0};
    const bool same = (wanted & where) == 0 || (wanted & where) == where;
    for (int i = 0; i < 8 && !same; i++) {
        const uint32_t lines = cells[i] & where, ones = lines & wanted;
        if (ones != 0 && ones != lines) return false;
        if (lines != 0) demand->known |= 1 << i;
        if (ones != 0) demand->table |= 1 << i;
    }
    return true;
}

/* Turns demands round so that one table meets them all. */
static bool meet(struct demand demands[4], int *table)
{
    int known = 0;
    *table = 0;
    for (int i = 0; i < 4; i++) {
        struct demand *d = &demands[i];
        const int both = known & d->known, differ = (*table ^ d->table) & both;
        if (differ != 0 && differ != both) return false;
        d->turned = differ != 0;
        *table |= (d->turned ? ~d->table : d->table) & d->known;
        known |= d->known;
    }
    return true;
}

static int table_of_f(const struct demand demands[4])
{
    int table = 0;
    for (int i = 0; i < 8; i++) {
        const struct demand *d = &demands[i / 2];
        if (d->known != 0 ? (i & 1) != d->turned : d->value) table |= 1 << i;
    }
    return table;
}

struct found {
    int f, g, p, q, r, s, t; /* WORDS: what h makes */
};

static bool find_g(uint32_t wanted, const uint32_t words[WORDS + 1], struct found *found)
{
    uint32_t cells[8];
    struct demand demands[4];
    for (int i = 0; i < 8; i++) cells[i] = lop3(1 << i, words[found->r], words[found->s], words[found->t]);
    for (found->p = 0; found->p < WORDS; found->p++) {
        for (found->q = found->p + 1; found->q <= WORDS; found->q++) {
            bool done = true;
            for (int i = 0; i < 4 && done; i++) {
                const uint32_t p = words[found->p], q = words[found->q];
                done = demand_of(wanted, (i & 2 ? p : ~p) & (i & 1 ? q : ~q), cells, &demands[i]);
            }
            if (!done || !meet(demands, &found->g)) continue;
            found->f = table_of_f(demands);
            return true;
        }
    }
    return false;
}

static bool find_rest(uint32_t wanted, uint32_t h, struct found *found)
{
    uint32_t words[WORDS + 1];
    for (int i = 0; i < WORDS; i++) words[i] = word_of(i);
    words[WORDS] = h;
    for (found->r = 0; found->r < WORDS; found->r++)
        for (found->s = found->r + 1; found->s < WORDS; found->s++)
            for (found->t = found->s + 1; found->t <= WORDS; found->t++)
                if (find_g(wanted, words, found)) return true;
    return false;
}

bool gpu_rule_find(struct life_rule rule, char text[GPU_RULE_ROOM])
{
    const uint32_t wanted = lines_of(rule);
    for (int a = 0; a < WORDS; a++) {
        for (int b = a + 1; b < WORDS; b++) {
            for (int c = b + 1; c < WORDS; c++) {
                for (int table = 0; table < TABLES; table++) {
                    struct found w = {0};
                    if (!find_rest(wanted, lop3(table, word_of(a), word_of(b), word_of(c)), &w)) continue;
                    char h[48];
                    snprintf(h, sizeof h, "lop3<%d>(%s, %s, %s)", table, names[a], names[b], names[c]);
                    const char *const word[] = {names[0], names[1], names[2], names[3], names[4], h};
                    snprintf(text, GPU_RULE_ROOM, "lop3<%d>(%s, %s, lop3<%d>(%s, %s, %s))", w.f, word[w.p], word[w.q],
                             w.g, word[w.r], word[w.s], word[w.t]);
                    return true;
                }
            }
        }
    }
    return false;
}
