/* SPDX-License-Identifier: MIT
 *
 * accumulate.c - adds one pass of elements to states in host memory: the device reduces each cell to a raw state (or
 * each complete leaf of a tree to a value), the host merges them. Nothing is added before everything is there. Elements
 * of leaves that the pass only begins or ends go to the states one by one, here; so do unmasked first and last ones. */
#include "accumulate.h"
#include "convert.h"
#include "exact_words.h"
#include "gather.h"
#include "staging.h"
#include "user_reduce.h"
#include "user/tree.h"

#include "kernels/parameters/output_state.h"

#include <fenv.h>
#include <string.h>

/* The elements that the host adds itself: in place, or copies side by side. */
struct host_elements {
    struct walk walk;
    int dense;
    const void *data[OPERAND_COUNT];
    void *copy[OPERAND_COUNT];
    size_t bytes[OPERAND_COUNT];
};

struct pass {
    struct tally_context *context;
    const struct reduction *reduction; /* as it was asked for */
    struct reduction device;           /* with all operands on the device */
    int64_t position;                  /* of the cells' element 0 */
    struct host_elements host;
};

/* Whether the element is at one end of the cell without a search. */
static int is_plain_end(const struct pass *pass, const struct calculation *calculation)
{
    int skips = calculation->flags & TALLY_SKIP_NAN && type_row(calculation->type)->kind & KIND_FLOAT;
    return calculation->method == METHOD_END && !pass->reduction->where && !skips;
}

/* ---- elements for the host ---- */

/* Which ones: before the first complete leaf and after the last one, and plain ends. */
static void choose_elements(struct pass *pass, struct share *shares, int32_t count)
{
    const struct reduction *r = pass->reduction;
    struct walk *walk = &pass->host.walk;
    int64_t head = 0, tail = r->length;
    for (int32_t i = 0; i < count; i++) {
        const struct calculation *calculation = shares[i].calculation;
        int64_t before = 0, after = r->length;
        if (calculation->ordered) {
            before = -pass->position & (TREE_LEAF - 1);
            if (before > r->length) before = r->length;
            shares[i].first = before;
            shares[i].leaves = (r->length - before) / TREE_LEAF;
            after = before + shares[i].leaves * TREE_LEAF;
        } else if (is_plain_end(pass, calculation)) {
            before = calculation->combine == COMBINE_FIRST;
            after = r->length - (calculation->combine == COMBINE_LAST);
        }
        if (before > head) head = before;
        if (after < tail) tail = after;
    }
    if (tail < head) tail = head;
    *walk = (struct walk){.kept = r->kept,
                          .reduced = r->reduced,
                          .kept_count = r->kept_count,
                          .reduced_count = r->reduced_count,
                          .cells = r->cells,
                          .length = r->length,
                          .head = head,
                          .tail = tail};
}

static tally_type operand_type(const struct pass *pass, int operand)
{
    const struct calculation *calculation = &pass->reduction->calculation;
    if (operand == OPERAND_WHERE) return TALLY_BOOL;
    return calculation->user && operand != OPERAND_X ? calculation->user->inputs[operand == OPERAND_Y ? 1 : 2]
                                                     : calculation->type;
}

static int operand_size(const struct pass *pass, int operand)
{
    return type_row(operand_type(pass, operand))->size;
}

/* Reads operands where they lie if all are the host's; else fetches those elements of all. */
static tally_status fetch_elements(struct pass *pass)
{
    const struct reduction *given = pass->reduction, *device = &pass->device;
    int second = (given->calculation.op->flags & OP_SECOND) != 0;
    int third = (given->calculation.op->flags & OP_THIRD) != 0;
    const void *from[OPERAND_COUNT] = {given->x, second ? given->y : NULL, given->where, NULL, third ? given->z : NULL};
    const void *there[OPERAND_COUNT] = {device->x, second ? device->y : NULL, device->where, NULL,
                                        third ? device->z : NULL};
    struct host_elements *host = &pass->host;
    int64_t each = walk_each(&host->walk);
    if (each == 0) return TALLY_OK;
    for (int o = 0; o < OPERAND_COUNT; o++) {
        host->data[o] = from[o];
        host->dense |= from[o] != NULL && from[o] == there[o];
    }
    if (!host->dense) return TALLY_OK;
    for (int o = 0; o < OPERAND_COUNT; o++) {
        if (!from[o]) continue;
        host->bytes[o] = (size_t)(given->cells * each) * (size_t)operand_size(pass, o);
        host->copy[o] = context_allocate(pass->context, host->bytes[o]);
        if (!host->copy[o]) return TALLY_OUT_OF_MEMORY;
        host->data[o] = host->copy[o];
        TRY(gather_from_device(pass->context, &host->walk, (enum operand)o, operand_type(pass, o), there[o],
                               host->copy[o]));
    }
    return TALLY_OK;
}

static const void *element_at(const struct pass *pass, enum operand operand, int64_t cell, int64_t i)
{
    const struct host_elements *host = &pass->host;
    const struct walk *walk = &host->walk;
    int64_t at;
    if (!host->data[operand]) return NULL;
    if (host->dense) at = cell * walk_each(walk) + (i < walk->head ? i : walk->head + i - walk->tail);
    else
        at = walk_offset(walk->kept, walk->kept_count, operand, cell) +
             walk_offset(walk->reduced, walk->reduced_count, operand, i);
    return (const char *)host->data[operand] + at * operand_size(pass, operand);
}

static int is_nan(tally_type type, const void *x)
{
    double re = convert_to_real(type, x, 0), im = convert_to_real(type, x, 1);
    return re != re || im != im;
}

/* Elements [begin, end) of a cell to its ordered state. */
static void add_elements(const struct pass *pass, const struct calculation *calculation, struct state *state,
                         int64_t cell, int64_t begin, int64_t end)
{
    const struct fold_steps *steps = fold_steps(calculation->op->lift, calculation->combine, calculation->type);
    int skips = calculation->flags & TALLY_SKIP_NAN && type_row(calculation->type)->kind & KIND_FLOAT;
    for (int64_t i = begin; i < end; i++) {
        struct fold_value value;
        const void *x = element_at(pass, OPERAND_X, cell, i), *y = element_at(pass, OPERAND_Y, cell, i);
        const unsigned char *where = element_at(pass, OPERAND_WHERE, cell, i);
        int present = !where || *where;
        if (present && skips) present = !is_nan(calculation->type, x) && !(y && is_nan(calculation->type, y));
        if (present) steps->lift(&value, x, y ? y : x);
        tree_add(steps, state, present ? &value : NULL);
        state->count++;
        state->absent += !present;
    }
}

/* The same, of a user's operator. */
static void add_user_elements(const struct pass *pass, const struct calculation *calculation, struct state *state,
                              int64_t cell, int64_t begin, int64_t end)
{
    static const enum operand operands[] = {OPERAND_X, OPERAND_Y, OPERAND_Z};
    const struct user_op *op = calculation->user;
    for (int64_t i = begin; i < end; i++) {
        _Alignas(16) unsigned char room[USER_INPUTS_MOST][16];
        const unsigned char *where = element_at(pass, OPERAND_WHERE, cell, i);
        unsigned char present = !where || *where;
        struct user_run run = {.present = &present, .n = 1, .index = pass->position + i};
        for (int32_t c = 0; c < op->input_count; c++) {
            memcpy(room[c], element_at(pass, operands[c], cell, i), (size_t)operand_size(pass, operands[c]));
            run.inputs[c] = room[c];
            if (calculation->flags & TALLY_SKIP_NAN) present &= !is_nan(op->inputs[c], room[c]);
        }
        user_state_add(op, state, &run);
    }
}

/* ---- merging ---- */

static void read_part(struct fold_value *value, int part, uint64_t word)
{
    memcpy(&value->part[part], &word, sizeof word);
}

/* Leaves of a user's operator: how many elements are present, whether there are any, the state. */
static void merge_user(const struct pass *pass, const struct share *share, int64_t cell, struct state *state)
{
    const struct user_op *op = share->calculation->user;
    size_t words = USER_PART_BYTES(user_kernels(op)->state_bytes) / sizeof(uint64_t);
    const uint64_t *leaf = share->words + (size_t)(cell * share->leaves) * words;
    int64_t number = (pass->position + share->first) / USER_LEAF, after = share->first + share->leaves * USER_LEAF;
    add_user_elements(pass, share->calculation, state, cell, 0, share->first);
    for (int64_t i = 0; i < share->leaves; i++, leaf += words) {
        _Alignas(64) unsigned char node[64 + TALLY_OP_MOST_STATE];
        node[0] = leaf[1] != 0;
        memcpy(node + 64, leaf + 2, user_kernels(op)->state_bytes);
        user_node_push(op, state, number + i, 0, node);
        state->count += USER_LEAF;
        state->absent += USER_LEAF - (int64_t)leaf[0];
    }
    add_user_elements(pass, share->calculation, state, cell, after, pass->reduction->length);
}

/* The leaves and what lies around them. */
static void merge_ordered(const struct pass *pass, const struct share *share, int64_t cell, struct state *state)
{
    const struct calculation *calculation = share->calculation;
    if (calculation->user) {
        merge_user(pass, share, cell, state);
        return;
    }
    const struct fold_steps *steps = fold_steps(calculation->op->lift, calculation->combine, calculation->type);
    const uint64_t *words = share->words + cell * share->leaves * (1 + steps->parts);
    int64_t leaf = (pass->position + share->first) / TREE_LEAF, after = share->first + share->leaves * TREE_LEAF;
    add_elements(pass, calculation, state, cell, 0, share->first);
    for (int64_t i = 0; i < share->leaves; i++, words += 1 + steps->parts) {
        struct fold_value value;
        for (int p = 0; p < steps->parts; p++) read_part(&value, p, words[1 + p]);
        tree_push(steps, &state->as.tree, leaf + i, 0, &value);
        state->count += TREE_LEAF;
        state->absent += (int64_t)words[0];
    }
    add_elements(pass, calculation, state, cell, after, pass->reduction->length);
}

static void read_exact(const struct share *share, const uint64_t *words, const struct exact **failed,
                       struct state *state)
{
    int sums = state_exact_count(share->calculation);
    if (share_failed(share->calculation, words)) {
        memcpy(state->as.exact, *failed, (size_t)sums * sizeof(struct exact));
        *failed += sums;
        return;
    }
    words++;
    for (int s = 0; s < sums; s++, words += OUTPUT_SUM) {
        state->as.exact[s].special = (uint32_t)words[0];
        exact_add_words(&state->as.exact[s], words + 1, OUTPUT_SUM - 1, (int32_t)(uint32_t)(words[0] >> 32));
    }
}

/* The state of the pass alone. */
static void read_state(const struct pass *pass, const struct share *share, int64_t cell, const struct exact **failed,
                       struct state *state)
{
    const struct calculation *calculation = share->calculation;
    state_open(calculation, state, pass->position);
    state->count = pass->reduction->length;
    if (is_plain_end(pass, calculation)) {
        int64_t i = calculation->combine == COMBINE_LAST ? state->count - 1 : 0;
        state->as.arg.index = pass->position + i;
        memcpy(state->as.arg.value, element_at(pass, OPERAND_X, cell, i), (size_t)operand_size(pass, OPERAND_X));
        return;
    }
    const uint64_t *words = share->words + cell * share_words(calculation);
    state->absent = (int64_t)words[0];
    switch (calculation->method) {
    case METHOD_USER: break; /* ordered */
    case METHOD_EXACT: read_exact(share, words, failed, state); break;
    case METHOD_MINMAX:
        for (int i = 0; i < 2; i++) read_part(&state->as.pair[i], 0, words[1 + i]);
        break;
    case METHOD_ARG:
    case METHOD_END:
        if ((int64_t)words[1] >= 0) state->as.arg.index = pass->position + (int64_t)words[1];
        memcpy(state->as.arg.value, words + 2, sizeof state->as.arg.value);
        break;
    case METHOD_FOLD:
        for (int p = 0; p + 1 < share_words(calculation); p++) read_part(&state->as.fold, p, words[1 + p]);
        break;
    }
}

static void merge(const struct pass *pass, const struct share *share, struct state *states)
{
    const struct reduction *r = pass->reduction;
    const struct calculation *calculation = share->calculation;
    const struct exact *failed = share->sums;
    for (int64_t cell = 0; cell < r->cells; cell++) {
        int64_t at = r->first_state + walk_offset(r->kept, r->kept_count, OPERAND_OUT, cell);
        struct state *state = state_at(calculation, states, at);
        if (calculation->ordered) {
            merge_ordered(pass, share, cell, state);
        } else {
            struct state alone;
            read_state(pass, share, cell, &failed, &alone);
            state_merge(calculation, state, &alone);
        }
    }
}

/* ---- the verb ---- */

static tally_status open_shares(struct tally_context *context, const struct calculation *calculations, int32_t count,
                                struct share **shares)
{
    size_t bytes = (size_t)count * sizeof **shares;
    *shares = context_allocate(context, bytes);
    if (!*shares) return TALLY_OUT_OF_MEMORY;
    memset(*shares, 0, bytes);
    for (int32_t i = 0; i < count; i++) (*shares)[i].calculation = &calculations[i];
    return TALLY_OK;
}

static tally_status compute(struct pass *pass, struct share *shares, int32_t count)
{
    choose_elements(pass, shares, count);
    for (int32_t i = 0; i < count; i++) {
        if (is_plain_end(pass, shares[i].calculation)) continue;
        if (shares[i].calculation->user)
            TRY(user_share_leaves(pass->context, &pass->device, pass->position, &shares[i]));
        else if (shares[i].calculation->ordered) TRY(share_leaves(pass->context, &pass->device, &shares[i]));
        else TRY(share_cells(pass->context, &pass->device, &shares[i]));
    }
    return fetch_elements(pass);
}

static void merge_all(const struct pass *pass, const struct share *shares, struct state *const *states, int32_t count)
{
    fenv_t environment;
    feholdexcept(&environment);
    fesetenv(FE_DFL_ENV);
    for (int32_t i = 0; i < count; i++) merge(pass, &shares[i], states[i]);
    fesetenv(&environment);
}

static void release(struct pass *pass, struct share *shares, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        context_release(pass->context, shares[i].words, shares[i].bytes);
        context_release(pass->context, shares[i].sums, shares[i].sums_bytes);
    }
    for (int o = 0; o < OPERAND_COUNT; o++) context_release(pass->context, pass->host.copy[o], pass->host.bytes[o]);
    context_release(pass->context, shares, (size_t)count * sizeof *shares);
}

tally_status accumulate_on_device(struct tally_context *context, const struct reduction *reduction,
                                  struct state *states)
{
    struct pass pass = {.context = context, .reduction = reduction, .device = *reduction};
    struct share *share;
    TRY(open_shares(context, &reduction->calculation, 1, &share));
    pass.position = states->start + states->count;
    tally_status status = compute(&pass, share, 1);
    if (status == TALLY_OK) merge_all(&pass, share, &states, 1);
    release(&pass, share, 1);
    return status;
}

tally_status gpu_accumulate(struct tally_context *context, const struct reduction *reduction,
                            const struct calculation *calculations, struct state *const *states, int32_t count)
{
    struct gpu_device *device = gpu_device(context);
    struct pass pass = {.context = context, .reduction = reduction, .device = *reduction};
    struct staging staging;
    struct share *shares;
    TRY(open_shares(context, calculations, count, &shares));
    pass.position = states[0]->start + states[0]->count; /* all states stand there */
    pthread_mutex_lock(&device->mutex);
    tally_status status = staging_upload_reduction(context, &pass.device, &staging);
    if (status == TALLY_OK) status = compute(&pass, shares, count);
    tally_status done = staging_end(context, &staging);
    pthread_mutex_unlock(&device->mutex);
    if (status == TALLY_OK) status = done;
    if (status == TALLY_OK) merge_all(&pass, shares, states, count);
    release(&pass, shares, count);
    return status;
}
