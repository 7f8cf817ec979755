/* SPDX-License-Identifier: MIT
 *
 * scan_carry_states.c - states of unordered and exact scans as words, and back. */
#include "scan_carry_states.h"
#include "exact_words.h"

#include "kernels/output_state.h"

#include <string.h>

/* As kernels/words_of_type.cuh has it for sums of values. */
struct window {
    int words;
    int fixed;
    int32_t low;
};

static struct window window_of(tally_type type)
{
    if (!(type_row(type)->kind & KIND_FLOAT)) return (struct window){4, 1, 0};
    if (type == TALLY_F16) return (struct window){3, 1, -1};
    if (type == TALLY_F64 || type == TALLY_C128) return (struct window){5, 0, 0};
    return (struct window){6, 1, -3};
}

static int fold_parts(const struct calculation *calculation)
{
    return fold_steps(calculation->op->lift, calculation->combine, calculation->type)->parts;
}

int64_t scan_carry_words(const struct calculation *calculation)
{
    if (calculation->method == METHOD_EXACT) return OUTPUT_SUM * state_exact_count(calculation);
    return fold_parts(calculation);
}

static int write_sum(tally_type type, struct exact *sum, uint64_t *words)
{
    struct window window = window_of(type);
    if (!exact_to_words(sum, words + 1, window.words, window.fixed, &window.low)) return 0;
    words[0] = (uint64_t)(uint32_t)window.low << 32 | sum->special;
    for (int i = window.words + 1; i < OUTPUT_SUM; i++) words[i] = (uint64_t)((int64_t)words[i - 1] >> 63);
    return 1;
}

int scan_carry_write(const struct calculation *calculation, struct scan_state *states, int64_t cells, uint64_t *words)
{
    for (int64_t cell = 0; cell < cells; cell++, words += scan_carry_words(calculation)) {
        struct scan_state *state = scan_state_at(calculation, states, cell);
        if (calculation->method != METHOD_EXACT) {
            memcpy(words, state->as.fold.part, (size_t)fold_parts(calculation) * sizeof *words);
            continue;
        }
        for (int s = 0; s < state_exact_count(calculation); s++) {
            if (!write_sum(calculation->type, &state->as.exact[s], words + OUTPUT_SUM * s)) return 0;
        }
    }
    return 1;
}

static int any_failed(const struct calculation *calculation, const uint64_t *words, int64_t cells)
{
    uint64_t special = 0;
    if (calculation->method != METHOD_EXACT) return 0;
    for (int64_t i = 0; i < cells * state_exact_count(calculation); i++) special |= words[OUTPUT_SUM * i];
    return (special & OUTPUT_FAILED) != 0;
}

int scan_carry_read(const struct calculation *calculation, const uint64_t *words, int64_t cells,
                    struct scan_state *states)
{
    if (any_failed(calculation, words, cells)) return 0;
    for (int64_t cell = 0; cell < cells; cell++, words += scan_carry_words(calculation)) {
        struct scan_state *state = scan_state_at(calculation, states, cell);
        if (calculation->method != METHOD_EXACT) {
            memcpy(state->as.fold.part, words, (size_t)fold_parts(calculation) * sizeof *words);
            continue;
        }
        for (int s = 0; s < state_exact_count(calculation); s++) {
            const uint64_t *from = words + OUTPUT_SUM * s;
            exact_clear(&state->as.exact[s]);
            state->as.exact[s].special = (uint32_t)from[0];
            exact_add_words(&state->as.exact[s], from + 1, OUTPUT_SUM - 1, (int32_t)(uint32_t)(from[0] >> 32));
        }
    }
    return 1;
}
