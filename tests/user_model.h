/* SPDX-License-Identifier: MIT
 *
 * user_model.h - the tree and the block scheme of users' operators, written down a second time for tests, as
 * docs/semantics.md has them: on contiguous elements, by the operator's C functions. */
#ifndef TALLY_TEST_USER_MODEL_H
#define TALLY_TEST_USER_MODEL_H

#include "user_operators.h"

/* A state that may be missing; missing operands are left out. */
struct model_value {
    int there;
    _Alignas(64) unsigned char state[TALLY_OP_MOST_STATE];
};

static inline void model_join(const struct user_case *c, struct model_value *a, const struct model_value *b)
{
    if (!b->there) return;
    if (a->there) {
        c->c_combine(NULL, a->state, b->state);
        return;
    }
    memcpy(a->state, b->state, c->state_bytes);
    a->there = 1;
}

struct model_input {
    const unsigned char *of[3];
    const unsigned char *present; /* NULL: all are */
    int64_t n, index;             /* index: of the first element */
};

static inline void model_lift(const struct user_case *c, const struct model_input *in, int64_t k, struct model_value *v)
{
    const void *at[3] = {NULL, NULL, NULL};
    v->there = !in->present || in->present[k];
    for (int32_t i = 0; i < c->input_count; i++) at[i] = in->of[i] + (size_t)k * tally_type_size(c->inputs[i]);
    if (v->there) c->c_lift(NULL, v->state, at, in->index + k);
}

static inline void model_leaf(const struct user_case *c, const struct model_input *in, int64_t first, int64_t end,
                              struct model_value *total)
{
    static _Thread_local struct model_value lane[128];
    for (int l = 0; l < 128; l++) lane[l].there = 0;
    for (int64_t i = first; i < end; i++) {
        struct model_value v;
        model_lift(c, in, i, &v);
        model_join(c, &lane[c->flags & TALLY_OP_COMMUTATIVE ? (i - first) % 128 : (i - first) / 32], &v);
    }
    for (int w = 64; w >= 1 && c->flags & TALLY_OP_COMMUTATIVE; w /= 2) {
        for (int l = 0; l < w; l++) model_join(c, &lane[l], &lane[l + w]);
    }
    for (int d = 1; d < 128 && !(c->flags & TALLY_OP_COMMUTATIVE); d *= 2) {
        for (int l = 0; l < 128; l += 2 * d) model_join(c, &lane[l], &lane[l + d]);
    }
    *total = lane[0];
}

/* The result of a state, or of none; 0 when there is no such thing. */
static inline int model_finish(const struct user_case *c, struct model_value *v, int64_t count, void *result)
{
    _Alignas(16) unsigned char aligned[TALLY_OP_MOST_RESULTS * 16];
    if (!v->there && !c->c_identity) return 0;
    if (!v->there) c->c_identity(NULL, v->state);
    c->c_finish(NULL, v->state, count, aligned);
    memcpy(result, aligned, tally_type_size(c->result) * (size_t)c->result_count);
    return 1;
}

/* in->index is a multiple of 4096. */
static inline int model_reduce(const struct user_case *c, const struct model_input *in, const void *initial,
                               void *result)
{
    int64_t leaves = (in->n + 4095) / 4096, leaf = in->index / 4096, count = 0;
    struct model_value *level = aligned_alloc(64, sizeof *level * (size_t)(leaves ? leaves : 1)), total = {0, {0}};
    if (!level) abort();
    for (int64_t k = 0; k < in->n; k++) count += !in->present || in->present[k];
    for (int64_t b = 0; b < leaves; b++)
        model_leaf(c, in, b * 4096, b * 4096 + 4096 < in->n ? b * 4096 + 4096 : in->n, &level[b]);
    /* level[k] is node leaf + k of its level. */
    for (; leaves > 1; leaf /= 2) {
        int64_t kept = 0;
        for (int64_t k = 0; k < leaves; k++, kept++) {
            level[kept] = level[k];
            if ((leaf + k) % 2 == 0 && k + 1 < leaves) model_join(c, &level[kept], &level[++k]);
        }
        leaves = kept;
    }
    if (initial) {
        total.there = 1;
        memcpy(total.state, initial, c->state_bytes);
    }
    if (leaves) model_join(c, &total, &level[0]);
    free(level);
    return model_finish(c, &total, count, result);
}

/* Kogge and Stone's steps, all runs of a step at once. */
static inline void model_runs(const struct user_case *c, struct model_value run[32])
{
    static _Thread_local struct model_value before[32];
    for (int d = 1; d < 32; d *= 2) {
        memcpy(before, run, sizeof before);
        for (int r = d; r < 32; r++) {
            run[r] = before[r - d];
            model_join(c, &run[r], &before[r]);
        }
    }
}

/* 2^k neighbours to the first: halves are combined. */
static inline void model_tree(const struct user_case *c, struct model_value *value, int64_t n)
{
    if (n < 2) return;
    model_tree(c, value, n / 2);
    model_tree(c, value + n / 2, n / 2);
    model_join(c, &value[0], &value[n / 2]);
}

/* Results of all elements, in the order in which they are scanned; 0 when one has no value. */
static inline int model_scan(const struct user_case *c, const struct model_input *in, const void *initial,
                             int exclusive, unsigned char *results)
{
    static _Thread_local struct model_value local[512], run[32];
    struct model_value carry = {initial != NULL, {0}};
    static _Thread_local struct model_value section[32], node[32];
    size_t size = tally_type_size(c->result) * (size_t)c->result_count;
    int64_t count = 0;
    int good = 1;
    if (initial) memcpy(carry.state, initial, c->state_bytes);
    for (int64_t b = 0; b < in->n; b += 4096) {
        struct model_value groups = {0, {0}}, before = carry;
        int64_t at = b / 4096 % 32, begin = 0;
        for (int64_t bit = 16; bit >= 1; bit /= 2) { /* the blocks before, as powers of two */
            if (!(at & bit)) continue;
            memcpy(node, section, sizeof node);
            model_tree(c, node + begin, bit);
            model_join(c, &before, &node[begin]);
            begin += bit;
        }
        for (int64_t g = b; g < in->n && g < b + 4096; g += 512) {
            int64_t n = in->n - g < 512 ? in->n - g : 512;
            for (int64_t i = 0; i < 512; i++) {
                struct model_value v = {0, {0}};
                local[i].there = 0;
                if (i % 16 != 0) local[i] = local[i - 1];
                if (i < n) model_lift(c, in, g + i, &v);
                model_join(c, &local[i], &v);
            }
            for (int r = 0; r < 32; r++) run[r] = local[16 * r + 15];
            model_runs(c, run);
            for (int64_t i = 0; i < n; i++) {
                struct model_value v = before;
                int present = !in->present || in->present[g + i];
                model_join(c, &v, &groups);
                if (i >= 16) model_join(c, &v, &run[i / 16 - 1]);
                if (!exclusive) model_join(c, &v, &local[i]);
                else if (i % 16 != 0) model_join(c, &v, &local[i - 1]);
                good &= model_finish(c, &v, count + (!exclusive && present), results + (size_t)(g + i) * size);
                count += present;
            }
            model_join(c, &groups, &run[31]);
        }
        section[at] = groups;
        if (at < 31) continue;
        model_tree(c, section, 32);
        model_join(c, &carry, &section[0]);
    }
    return good;
}

/* ---- data ---- */

/* A quiet NaN of the type, in either part of a complex number. */
static inline void model_put_nan(tally_type type, void *element)
{
    uint16_t half = type == TALLY_F16 ? 0x7e00 : 0x7fc0;
    float single = NAN;
    double wide = NAN;
    size_t part = test_random_below(2);
    switch (type) {
    case TALLY_F16:
    case TALLY_BF16: memcpy(element, &half, 2); break;
    case TALLY_F32: memcpy(element, &single, 4); break;
    case TALLY_F64: memcpy(element, &wide, 8); break;
    case TALLY_C64: memcpy((char *)element + 4 * part, &single, 4); break;
    case TALLY_C128: memcpy((char *)element + 8 * part, &wide, 8); break;
    default: break;
    }
}

static inline int model_is_nan(tally_type type, const void *element)
{
    double wide[2] = {0, 0};
    float single[2] = {0, 0};
    uint16_t half;
    switch (type) {
    case TALLY_F16: return memcpy(&half, element, 2), (half & 0x7fff) > 0x7c00;
    case TALLY_BF16: return memcpy(&half, element, 2), (half & 0x7fff) > 0x7f80;
    case TALLY_F32:
    case TALLY_C64: memcpy(single, element, tally_type_size(type)); break;
    case TALLY_F64:
    case TALLY_C128: memcpy(wide, element, tally_type_size(type)); break;
    default: break;
    }
    return isnan(wide[0]) || isnan(wide[1]) || isnan(single[0]) || isnan(single[1]);
}

/* Elements of an input; the second input of "difference" is mostly what the first one is. */
static inline void model_fill(const struct user_case *c, int32_t input, unsigned char *to, int64_t n, int nans)
{
    tally_type type = c->inputs[input];
    size_t size = tally_type_size(type);
    for (int64_t k = 0; k < n; k++) {
        unsigned char *at = to + (size_t)k * size;
        data_element(type, input == 0 && test_random_below(4) == 0 ? DATA_TIES : DATA_ORDINARY, at);
        if (strcmp(c->name, "difference") == 0 && test_random_below(200)) memset(at, 0, size);
        if (strcmp(c->name, "nonzero") == 0 && test_random_below(9)) memset(at, 0, size);
        if (nans && test_random_below(6) == 0) model_put_nan(type, at);
    }
}

/* Masks of several densities, with long stretches of nothing. */
static inline void model_mask(unsigned char *mask, int64_t n)
{
    int density = (int)test_random_below(4);
    for (int64_t k = 0; k < n;) {
        int64_t stretch = 1 + (int64_t)test_random_below(test_random_below(3) ? 40 : 6000);
        int on = density == 0 ? 0 : density == 3 ? 1 : test_random_below(2) == 0;
        for (; stretch > 0 && k < n; stretch--, k++)
            mask[k] = (unsigned char)(test_random_below(20) ? (on ? 1 + test_random_below(255) : 0)
                                                            : (density ? test_random_below(2) : 0));
    }
}

/* Takes out what is NaN in any input: `present` must hold a mask. */
static inline void model_skip_nans(const struct user_case *c, const struct model_input *in, unsigned char *present)
{
    for (int64_t k = 0; k < in->n; k++) {
        for (int32_t i = 0; i < c->input_count; i++) {
            if (model_is_nan(c->inputs[i], in->of[i] + (size_t)k * tally_type_size(c->inputs[i]))) present[k] = 0;
        }
    }
}

/* A state as options.initial: the lifted first element of some. */
static inline void model_initial(const struct user_case *c, unsigned char state[TALLY_OP_MOST_STATE])
{
    _Alignas(16) unsigned char element[3][16];
    struct model_input in = {{element[0], element[1], element[2]}, NULL, 1, 12345};
    struct model_value v = {0, {0}};
    for (int32_t i = 0; i < c->input_count; i++) model_fill(c, i, element[i], 1, 0);
    model_lift(c, &in, 0, &v);
    memcpy(state, v.state, TALLY_OP_MOST_STATE);
}

/* ---- engines ---- */

#define MODEL_DEVICES 3
static const char *const model_devices[MODEL_DEVICES] = {"cpu:1", "cpu:3", "reference"};
static tally_context *model_context[MODEL_DEVICES];

static inline void model_open(void)
{
    for (int d = 0; d < MODEL_DEVICES; d++) CHECK(tally_open(model_devices[d], &model_context[d]) == TALLY_OK);
}

static inline void model_close(void)
{
    for (int d = 0; d < MODEL_DEVICES; d++) CHECK(tally_close(model_context[d]) == TALLY_OK);
}

#endif
