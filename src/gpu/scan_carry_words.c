/* SPDX-License-Identifier: MIT
 *
 * scan_carry_words.c - the states of a scan as kernels read them. */
#include "scan_carry_words.h"
#include "program.h"

#include "kernels/parameters/scan_carry.h"

#include <string.h>

_Static_assert(CARRY_LIMB_BITS == EXACT_LIMB_BITS, "limbs go as they are");

/* Takes the zero limbs from both ends, and all where they no longer matter. The sign of a negative sum goes down to its
 * first limb that is more than the sign: kernels have no room for what is far above all numbers. */
static void trim(struct exact *sum)
{
    exact_carry(sum);
    if (sum->special) sum->low = sum->high = 0;
    while (sum->high > sum->low + 1 && sum->limb[sum->high - 1] == -1) {
        sum->limb[--sum->high] = 0;
        sum->limb[sum->high - 1] -= (int64_t)1 << EXACT_LIMB_BITS;
    }
    while (sum->high > sum->low && sum->limb[sum->high - 1] == 0) sum->high--;
    while (sum->low < sum->high && sum->limb[sum->low] == 0) sum->low++;
}

int64_t carry_words(const struct scan *scan)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t limbs = 0;
    if (calculation->method != METHOD_EXACT) return 1 + program_parts(calculation);
    for (int64_t i = 0; i < scan->cells; i++) {
        struct scan_state *state = scan_state_at(calculation, scan->states, i);
        for (int k = 0; k < state_exact_count(calculation); k++) {
            struct exact *sum = &state->as.exact[k];
            trim(sum);
            if (sum->high - sum->low > limbs) limbs = sum->high - sum->low;
        }
    }
    return (1 + limbs) * state_exact_count(calculation);
}

static void write_sum(const struct exact *sum, uint64_t *words, int64_t each)
{
    memset(words, 0, (size_t)each * sizeof *words);
    words[0] = CARRY_SPECIAL(sum->special, EXACT_LOWEST + EXACT_LIMB_BITS * sum->low);
    for (int32_t i = sum->low; i < sum->high; i++) words[1 + i - sum->low] = (uint64_t)sum->limb[i];
}

static void write_fold(const struct fold_value *value, int some, int parts, uint64_t *words)
{
    words[0] = (uint64_t)some;
    for (int p = 0; p < parts; p++) memcpy(&words[1 + p], &value->part[p], sizeof *words);
}

void carry_write(const struct scan *scan, int64_t each, uint64_t *words)
{
    const struct calculation *calculation = &scan->calculation;
    int sums = state_exact_count(calculation), parts = program_parts(calculation);
    for (int64_t i = 0; i < scan->cells; i++, words += each) {
        const struct scan_state *state = scan_state_at(calculation, scan->states, i);
        if (calculation->method == METHOD_EXACT) {
            for (int k = 0; k < sums; k++) write_sum(&state->as.exact[k], words + k * (each / sums), each / sums);
        } else if (calculation->ordered) {
            write_fold(&state->as.block.carry, state->as.block.carried, parts, words);
        } else {
            write_fold(&state->as.fold, 1, parts, words);
        }
    }
}

void carry_read_ordered(const struct scan *scan, int64_t each, const uint64_t *words)
{
    int parts = program_parts(&scan->calculation);
    for (int64_t i = 0; i < scan->cells; i++, words += each) {
        struct scan_block *block = &scan_state_at(&scan->calculation, scan->states, i)->as.block;
        block->carried = words[0] != 0;
        block->based = 0;
        for (int p = 0; p < parts; p++) memcpy(&block->carry.part[p], &words[1 + p], sizeof *words);
    }
}
