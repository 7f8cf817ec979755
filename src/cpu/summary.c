/* SPDX-License-Identifier: MIT
 *
 * summary.c - several calculations on a leaf in one pass. */
#include "summary.h"

int summary_applies(const struct cpu_kernels *kernels, const struct calculation *calculations, int32_t count,
                    struct summary *summary)
{
    *summary = (struct summary){-1, -1, -1, -1};
    if (!kernels->summary[calculations[0].type]) return 0;
    for (int32_t i = 0; i < count; i++) {
        const struct calculation *calculation = &calculations[i];
        int32_t *place = NULL;
        if (calculation->method == METHOD_EXACT && calculation->op->lift == LIFT_MOMENTS) place = &summary->moments;
        if (calculation->combine == COMBINE_ARGMIN) place = &summary->lowest;
        if (calculation->combine == COMBINE_ARGMAX) place = &summary->highest;
        if (calculation->op->lift == LIFT_NONZERO && calculation->combine == COMBINE_ADD) place = &summary->nonzero;
        if (!place || *place >= 0) return 0;
        *place = i;
    }
    return count > 1 && summary->moments >= 0;
}

static void append_extreme(const struct cpu_kernels *kernels, const struct calculation *calculation,
                           struct state *state, const struct leaf *leaf, double extreme)
{
    struct fold_value value = {.part = {{.real = extreme}}};
    if (state->as.arg.index >= 0 && !arg_improves(calculation, &value, state->as.arg.value)) return;
    arg_take(calculation, state, leaf->x, kernels->find[calculation->type](leaf->x, leaf->n, &value));
}

int summary_append(const struct cpu_kernels *kernels, const struct calculation *calculations,
                   const struct summary *summary, struct append_scratch *scratch, struct state *const *states,
                   const struct leaf *leaf)
{
    struct leaf_summary found;
    if (leaf->mask) return 0;
    if (!kernels->summary[calculations[0].type](states[summary->moments]->as.exact, scratch->windows, leaf->x, leaf->n,
                                                &found))
        return 0;
    if (summary->lowest >= 0)
        append_extreme(kernels, &calculations[summary->lowest], states[summary->lowest], leaf, found.lowest);
    if (summary->highest >= 0)
        append_extreme(kernels, &calculations[summary->highest], states[summary->highest], leaf, found.highest);
    if (summary->nonzero >= 0) states[summary->nonzero]->as.fold.part[0].integer += found.nonzero;
    int32_t parts[] = {summary->moments, summary->lowest, summary->highest, summary->nonzero};
    for (int i = 0; i < 4; i++) {
        if (parts[i] >= 0) states[parts[i]]->count += (int64_t)leaf->n;
    }
    return 1;
}
