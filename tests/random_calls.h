/* SPDX-License-Identifier: MIT
 *
 * random_calls.h - calls of the interface drawn at random: an operator, types, options, a shape, axes, and how every
 * array lies in its room of memory; and elements for them, from ordinary ones to the few that spoil a sum. */
#ifndef TALLY_TEST_RANDOM_CALLS_H
#define TALLY_TEST_RANDOM_CALLS_H

#include "data.h"

#define MOST ((int64_t)1 << 17)               /* elements of a call */
#define ROOM ((size_t)(4 * MOST * 16 + 4096)) /* bytes of an array's room */

/* Where arrays lie; results in place lie in x. */
struct rooms {
    unsigned char *x, *y, *z, *mask, *out;
};

/* The arrays' data are offsets into their rooms until random_call_in. */
struct random_call {
    tally_verb verb;
    tally_op op;
    tally_array x, y, z, mask, out;
    tally_options options;
    int32_t axes[TALLY_MAX_RANK];
    int reduced[TALLY_MAX_RANK], in_place, has_mask;
    _Alignas(16) unsigned char initial[TALLY_OP_MOST_STATE];
    char text[300];
};

static inline int one_in(uint64_t n)
{
    return test_random_below(n) == 0;
}

/* From 1 to most, of every size alike. */
static inline int64_t random_size(int64_t most)
{
    int64_t size = (int64_t)exp(test_random_uniform() * log((double)most + 0.5));
    return size < 1 ? 1 : size > most ? most : size;
}

/* Some lengths, one axis taking what is left. */
static inline int32_t random_lengths(int64_t *shape)
{
    static const int64_t lengths[] = {1,  1,  2,  2,   3,   4,   5,   7,   8,   10,   15,   16,   17,   24,   32,
                                      33, 64, 65, 100, 127, 128, 129, 255, 256, 1000, 1023, 1024, 4096, 4097, 30000};
    const int32_t rank = 1 + (int32_t)test_random_below(one_in(3) ? 5 : 3);
    int64_t left = random_size(one_in(3) ? MOST : MOST / 16);
    for (int32_t d = 0; d + 1 < rank; d++) {
        int64_t length = one_in(3) ? random_size(left) : lengths[test_random_below(sizeof lengths / sizeof *lengths)];
        shape[d] = length < left ? length : 1;
        left /= shape[d];
    }
    shape[rank - 1] = left;
    const int32_t place = (int32_t)test_random_below((uint64_t)rank);
    shape[rank - 1] = shape[place];
    shape[place] = left;
    if (one_in(60)) shape[test_random_below((uint64_t)rank)] = 0;
    return one_in(80) ? 0 : rank;
}

/* An array of a shape that lies in its room in C order or another, close together or apart, backwards, begun anywhere;
 * with_repeats: also with all elements of an axis at one place. */
static inline tally_array random_layout(tally_type type, int32_t rank, const int64_t *shape, int with_repeats)
{
    const int64_t size = (int64_t)tally_type_size(type), room = (int64_t)ROOM / size - 64;
    tally_array array = tally_shaped(NULL, type, rank, shape);
    int64_t start = one_in(2) ? 0 : (int64_t)test_random_below(20), stride = one_in(6) ? 2 + (int64_t)one_in(2) : 1;
    int32_t order[TALLY_MAX_RANK];
    for (int32_t d = 0; d < rank; d++) order[d] = d;
    for (int32_t d = rank - 1; d > 0 && one_in(2); d--) {
        const int32_t other = (int32_t)test_random_below((uint64_t)d + 1), kept = order[d];
        order[d] = order[other], order[other] = kept;
    }
    for (int32_t i = rank - 1; i >= 0; i--) {
        const int32_t d = order[i];
        const int64_t length = shape[d] ? shape[d] : 1;
        array.strides[d] = with_repeats && one_in(16) ? 0 : stride;
        if (array.strides[d] && one_in(8)) array.strides[d] = -stride, start += stride * (length - 1);
        if (array.strides[d]) stride *= length;
        if (i > 0 && one_in(5)) stride += one_in(2) ? 1 + (int64_t)test_random_below(9) : 16 - stride % 16;
    }
    if (stride + 20 > room) {
        array = tally_shaped(NULL, type, rank, shape);
        start = 0;
    }
    array.data = (void *)(uintptr_t)(64 + start * size);
    return array;
}

/* ---- drawing ---- */

static inline void random_options(struct random_call *call)
{
    tally_options *o = &call->options;
    const tally_type type = call->x.type;
    const int is_float = type >= TALLY_F16, is_integer = type >= TALLY_I8 && type <= TALLY_U64;
    if (one_in(5)) o->flags |= is_float ? TALLY_SKIP_NAN : TALLY_CHECK_OVERFLOW;
    if (one_in(5) && is_float) o->flags |= TALLY_PLAIN;
    if (one_in(4)) o->initial = call->initial;
    if (one_in(4)) o->type = 1 + (tally_type)test_random_below(15);
    if (call->verb == TALLY_REDUCE && one_in(8)) o->flags |= TALLY_KEEPDIMS;
    if (call->verb == TALLY_SCAN) o->flags |= (one_in(3) ? TALLY_EXCLUSIVE : 0) | (one_in(3) ? TALLY_REVERSE : 0);
    if (call->op == TALLY_VAR || call->op == TALLY_STD) o->correction = (double)test_random_below(3) / 2;
    if (is_integer && (call->op == TALLY_SUM || call->op == TALLY_PROD || call->op == TALLY_DOT) && one_in(6))
        o->modulus = one_in(2) ? TALLY_KOALABEAR : 2 + test_random() % (one_in(2) ? 1000 : UINT64_MAX - 2);
}

static inline void random_axes_of(struct random_call *call)
{
    const int32_t rank = call->x.rank;
    int32_t count = 0;
    if (call->verb == TALLY_SCAN && rank > 0) call->axes[count++] = (int32_t)test_random_below((uint64_t)rank);
    for (int32_t d = 0; d < rank && call->verb == TALLY_REDUCE; d++) {
        if (one_in(2) || (d == rank - 1 && count == 0 && !one_in(10))) call->axes[count++] = d;
    }
    for (int32_t i = 0; i < count; i++) call->reduced[call->axes[i]] = 1;
    call->options.axes = call->axes, call->options.axis_count = count;
}

static inline void random_call_say(struct random_call *call)
{
    const tally_array *const arrays[] = {&call->x, &call->out, &call->mask};
    int used =
        snprintf(call->text, sizeof call->text, "%s %s of %s to %s,%s%s%s flags 0x%x, axes",
                 call->verb == TALLY_SCAN ? "scan" : "reduce", call->op < 65536 ? tally_op_name(call->op) : "user",
                 tally_type_name(call->x.type), tally_type_name(call->out.type), call->in_place ? " in place," : "",
                 call->options.initial ? " initial," : "", call->options.modulus ? " modulus," : "",
                 (unsigned)call->options.flags);
    for (int32_t i = 0; i < call->options.axis_count; i++)
        used += snprintf(call->text + used, sizeof call->text - (size_t)used, " %d", (int)call->axes[i]);
    for (int k = 0; k < (call->has_mask ? 3 : 2); k++) {
        used += snprintf(call->text + used, sizeof call->text - (size_t)used, "; %c", "xom"[k]);
        for (int32_t d = 0; d < arrays[k]->rank && used < 260; d++)
            used += snprintf(call->text + used, sizeof call->text - (size_t)used, " %lld:%lld",
                             (long long)arrays[k]->shape[d], (long long)arrays[k]->strides[d]);
    }
}

/* A call of an operator of the user's (inputs: types of its arrays) or, where that is 0, of one of tally's. Returns 0
 * where there is none like that. */
static inline int random_call_draw(struct random_call *call, tally_op user, const tally_type *inputs)
{
    static const tally_op scans[] = {TALLY_SUM, TALLY_SUM,     TALLY_PROD,   TALLY_MIN,     TALLY_MAX,      TALLY_ANY,
                                     TALLY_ALL, TALLY_BIT_AND, TALLY_BIT_OR, TALLY_BIT_XOR, TALLY_LOGSUMEXP};
    int64_t shape[TALLY_MAX_RANK];
    tally_array like;
    *call = (struct random_call){.options = TALLY_OPTIONS_INIT};
    const tally_type type = inputs ? inputs[0] : 1 + (tally_type)test_random_below(15);
    const int32_t rank = random_lengths(shape);
    call->verb = one_in(2) ? TALLY_SCAN : TALLY_REDUCE;
    call->op = call->verb == TALLY_SCAN ? scans[test_random_below(11)] : 1 + test_random_below(TALLY_LAST);
    if (user) call->op = user;
    call->x = random_layout(type, rank, shape, 1);
    if (!user) random_options(call);
    random_axes_of(call);
    if (call->op == TALLY_DOT || (inputs && inputs[1])) {
        call->y = random_layout(inputs ? inputs[1] : type, rank, shape, 1);
        call->options.second = &call->y;
    }
    if (inputs && inputs[2]) {
        call->z = random_layout(inputs[2], rank, shape, 1);
        call->options.third = &call->z;
    }
    if (one_in(5)) {
        call->mask = random_layout(TALLY_BOOL, rank, shape, 1);
        call->options.where = &call->mask;
        call->has_mask = 1;
    }
    if (tally_result_like(call->verb, call->op, &call->x, &call->options, &like) != TALLY_OK) return 0;
    for (int32_t d = like.rank - 1; d >= 0; d--) {
        if (like.shape[d] * like.strides[d] * (int64_t)tally_type_size(like.type) > (int64_t)ROOM / 2) return 0;
    }
    call->out = random_layout(like.type, like.rank, like.shape, 0);
    if (call->verb == TALLY_SCAN && like.type == type && like.rank == rank && one_in(5)) {
        call->in_place = 1;
        for (int32_t d = 0; d < rank; d++) call->in_place &= call->x.strides[d] != 0;
        if (call->in_place) call->out = call->x;
    }
    random_call_say(call);
    return 1;
}

/* ---- elements and places ---- */

/* Exponents of a call's floats: a few around 1, or at either end of their range; and what is added to all. */
struct powers {
    int spread, middle;
    double offset;
};

static inline struct powers random_powers(tally_type type)
{
    const int end = type == TALLY_F64 ? 1020 : type == TALLY_F16 ? 13 : 124;
    struct powers powers = {1 + (int)test_random_below(24), 0, one_in(4) ? 1000 * test_random_uniform() : 0};
    if (one_in(4)) powers.middle = one_in(2) ? end : -end - 20;
    return powers;
}

/* Floats of a few binades, or of any; in every third call, a few that no sum gets over. */
static inline void random_elements(tally_type type, unsigned char *room)
{
    const size_t size = tally_type_size(type), n = ROOM / size;
    const int is_real = type >= TALLY_F16 && type <= TALLY_F64;
    const struct powers powers = random_powers(type);
    const enum data_kind kind = (enum data_kind)test_random_below(is_real ? DATA_KINDS + 3 : DATA_KINDS);
    const size_t period = 8192;
    for (size_t i = 0; i < period; i++) {
        const double u = (test_random_uniform() * 2 - 1) * (i % 16 || kind % 2 ? 1 : 0.001);
        const int power = powers.middle + (int)test_random_below((uint64_t)powers.spread) - powers.spread / 2;
        if (kind < DATA_KINDS) data_element(type, kind, room + i * size);
        else data_put_real(type, room, (int64_t)i, ldexp(u, power) + powers.offset);
    }
    for (size_t i = period; i < n; i++) memcpy(room + i * size, room + (i * 7 + i / 8192 * 11) % period * size, size);
    for (uint64_t k = is_real && one_in(3) ? 1 + test_random_below(12) : 0; k > 0; k--) {
        const double specials[] = {NAN, INFINITY, -INFINITY, -0.0, NAN};
        data_put_real(type, room, random_size((int64_t)n) - 1, specials[test_random_below(5)]);
    }
}

static inline void random_call_fill(struct random_call *call, struct rooms *rooms)
{
    random_elements(call->x.type, rooms->x);
    if (call->options.second) random_elements(call->y.type, rooms->y);
    if (call->options.third) random_elements(call->z.type, rooms->z);
    const uint64_t rare = 2 + test_random_below(9);
    const int mostly = one_in(2);
    for (size_t i = 0; i < ROOM && call->has_mask; i++)
        rooms->mask[i] = (unsigned char)(mostly ? !one_in(rare) : one_in(rare));
    data_element(call->out.type, DATA_TIES, call->initial);
}

/* The arrays of a call, in these rooms. */
static inline void random_call_in(struct random_call *call, const struct rooms *rooms)
{
    call->x.data = rooms->x + (uintptr_t)call->x.data;
    call->out.data = (call->in_place ? rooms->x : rooms->out) + (uintptr_t)call->out.data;
    call->y.data = rooms->y + (uintptr_t)call->y.data;
    call->z.data = rooms->z + (uintptr_t)call->z.data;
    call->mask.data = rooms->mask + (uintptr_t)call->mask.data;
    tally_options *o = &call->options;
    o->axes = call->axes;
    if (o->initial) o->initial = call->initial;
    if (o->second) o->second = &call->y;
    if (o->third) o->third = &call->z;
    if (o->where) o->where = &call->mask;
}

static inline void *moved_by(void *data, tally_type type)
{
    const size_t step = one_in(2) ? 16 : tally_type_size(type);
    return (char *)data + test_random_below(4) * step;
}

/* Places a few elements or vectors on, all else as it was. */
static inline void random_call_move(struct random_call *call)
{
    call->x.data = moved_by(call->x.data, call->x.type);
    call->y.data = moved_by(call->y.data, call->y.type);
    call->z.data = moved_by(call->z.data, call->z.type);
    call->mask.data = moved_by(call->mask.data, TALLY_BOOL);
    call->out.data = call->in_place ? call->x.data : moved_by(call->out.data, call->out.type);
}

#endif
