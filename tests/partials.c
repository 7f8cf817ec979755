/* SPDX-License-Identifier: MIT
 *
 * partials.c - a reduction cut at random places into partials, which are packed, unpacked and merged, has the bits of
 * the whole: in any order where order does not matter, in order at multiples of 4096 for trees. Also finish_as, counts,
 * and several partials in one pass. */
#include "data.h"

#define LONGEST 60000

static tally_context *engines[3];
static _Alignas(64) unsigned char room_x[LONGEST * 16], room_y[LONGEST * 16], room_mask[LONGEST];
static _Alignas(16) unsigned char want[4096], got[4096];

struct setting {
    tally_op op;
    tally_type type;
    uint32_t flags;
    int64_t cells; /* 0: one total */
    int64_t n;     /* elements of a cell */
    int masked, ordered;
};

/* Elements [from, to) of every cell: rows of a matrix whose columns are the cells. */
static tally_array slice(const struct setting *s, tally_type type, unsigned char *room, int64_t from, int64_t to)
{
    int64_t width = s->cells ? s->cells : 1;
    unsigned char *at = room + (size_t)(from * width) * tally_type_size(type);
    return s->cells ? tally_matrix(at, type, to - from, width) : tally_vector(at, type, to - from);
}

static tally_options options_of(const struct setting *s)
{
    static const int32_t zero = 0;
    tally_options options = TALLY_OPTIONS_INIT;
    options.flags = s->flags;
    options.axes = &zero, options.axis_count = 1;
    if (s->op == TALLY_VAR || s->op == TALLY_STD) options.correction = 1;
    return options;
}

static tally_status whole(tally_context *context, const struct setting *s, tally_array *like)
{
    tally_options options = options_of(s);
    tally_array x = slice(s, s->type, room_x, 0, s->n), y = slice(s, s->type, room_y, 0, s->n);
    tally_array mask = slice(s, TALLY_BOOL, room_mask, 0, s->n);
    if (s->masked) options.where = &mask;
    if (s->op == TALLY_DOT) options.second = &y;
    tally_status status = tally_result_like(TALLY_REDUCE, s->op, &x, &options, like);
    if (status != TALLY_OK) return status;
    like->data = want;
    return tally_reduce(context, s->op, &x, like, &options);
}

/* The partial of [from, to), added in pieces. */
static tally_partial *piece(tally_context *context, const struct setting *s, int64_t from, int64_t to)
{
    tally_options options = options_of(s);
    tally_partial *partial = NULL;
    options.position = from;
    CHECK_EQUAL_I64(tally_partial_new(context, s->op, s->type, s->cells ? 1 : 0, &s->cells, &options, &partial),
                    TALLY_OK);
    while (from < to) {
        int64_t end = from + (int64_t)test_random_below((uint64_t)(to - from) + 1);
        if (test_random_below(2)) end = to;
        tally_array x = slice(s, s->type, room_x, from, end), y = slice(s, s->type, room_y, from, end);
        tally_array mask = slice(s, TALLY_BOOL, room_mask, from, end);
        CHECK_EQUAL_I64(tally_partial_add(partial, &x, s->op == TALLY_DOT ? &y : NULL, s->masked ? &mask : NULL),
                        TALLY_OK);
        from = end;
    }
    return partial;
}

/* Through bytes, sometimes onto another engine. */
static tally_partial *sent(tally_partial *partial)
{
    size_t size = 0;
    tally_partial *other = NULL;
    CHECK(tally_partial_pack(partial, NULL, &size) == TALLY_OK);
    unsigned char *bytes = malloc(size + 1);
    bytes[size] = 0x3c;
    CHECK(tally_partial_pack(partial, bytes, &size) == TALLY_OK && bytes[size] == 0x3c);
    CHECK_EQUAL_I64(tally_partial_unpack(engines[test_random_below(3)], bytes, size, &other), TALLY_OK);
    unsigned char *again = malloc(size);
    CHECK(tally_partial_pack(other, again, &size) == TALLY_OK && memcmp(bytes, again, size) == 0);
    free(bytes), free(again);
    tally_partial_free(partial);
    return other;
}

#define MOST_PIECES 8

static int cuts_of(const struct setting *s, int64_t *cuts)
{
    int pieces = 1 + (int)test_random_below(MOST_PIECES);
    cuts[0] = 0, cuts[pieces] = s->n;
    for (int i = 1; i < pieces; i++) {
        int64_t cut = (int64_t)test_random_below((uint64_t)s->n + 1);
        if (s->ordered) cut = cut / 4096 * 4096;
        int j = i;
        for (; j > 1 && cuts[j - 1] > cut; j--) cuts[j] = cuts[j - 1];
        cuts[j] = cut;
    }
    return pieces;
}

static void check_split(tally_context *context, const struct setting *s)
{
    tally_array like;
    tally_status status = whole(context, s, &like);
    if (status == TALLY_UNSUPPORTED || (status == TALLY_EMPTY && s->n == 0)) return;
    int64_t cuts[MOST_PIECES + 1];
    tally_partial *parts[MOST_PIECES];
    int pieces = cuts_of(s, cuts);
    for (int i = 0; i < pieces; i++) parts[i] = piece(context, s, cuts[i], cuts[i + 1]);
    for (int left = pieces; left > 1; left--) {
        int a = s->ordered ? (int)test_random_below((uint64_t)left - 1) : (int)test_random_below((uint64_t)left);
        int b = s->ordered ? a + 1 : (a + 1 + (int)test_random_below((uint64_t)left - 1)) % left;
        if (test_random_below(3) == 0) parts[a] = sent(parts[a]);
        if (test_random_below(3) == 0) parts[b] = sent(parts[b]);
        CHECK_EQUAL_I64(tally_partial_merge(parts[a], parts[b]), TALLY_OK);
        tally_partial_free(parts[b]);
        memmove(parts + b, parts + b + 1, sizeof parts[0] * (size_t)(left - 1 - b));
    }
    int64_t added, absent, present = 0, cells = s->cells ? s->cells : 1;
    CHECK(tally_partial_count(parts[0], &added, &absent) == TALLY_OK);
    for (int64_t i = 0; i < s->n * cells; i++) present += !s->masked || room_mask[i];
    CHECK_EQUAL_I64(added, s->n * cells);
    if (!(s->flags & TALLY_SKIP_NAN)) CHECK_EQUAL_I64(added - absent, present);
    like.data = got;
    size_t bytes = tally_type_size(like.type);
    for (int32_t d = 0; d < like.rank; d++) bytes *= (size_t)like.shape[d];
    CHECK_EQUAL_I64(tally_partial_finish(parts[0], &like), status);
    if (status == TALLY_OK) CHECK(memcmp(got, want, bytes) == 0);
    CHECK_EQUAL_I64(tally_partial_finish(parts[0], &like), status); /* finishing changes nothing */
    if (status == TALLY_OK) CHECK(memcmp(got, want, bytes) == 0);
    tally_partial_free(parts[0]);
}

static int is_ordered(tally_op op, tally_type type, uint32_t flags)
{
    if (op == TALLY_LOGSUMEXP) return 1;
    if (type < TALLY_F16) return 0;
    if (op == TALLY_PROD) return 1;
    return (flags & TALLY_PLAIN) && ((op >= TALLY_MEAN && op <= TALLY_NORM2) || op == TALLY_DOT || op == TALLY_SUM);
}

static void every_split(tally_type type, enum data_kind kind)
{
    static char text[128];
    static const int64_t lengths[] = {0, 1, 100, 5000, 33000};
    static const uint32_t flags[] = {0, TALLY_SKIP_NAN, TALLY_PLAIN, TALLY_CHECK_OVERFLOW};
    for (tally_op op = TALLY_SUM; op <= TALLY_LAST; op++) {
        for (int i = 0; i < 12; i++) {
            struct setting s = {op,
                                type,
                                flags[i % 4],
                                test_random_below(2) ? (int64_t)test_random_below(5) : 0,
                                lengths[i % 5],
                                i % 3 == 2,
                                0};
            if (s.cells) s.n /= s.cells;
            s.ordered = is_ordered(op, type, s.flags);
            snprintf(text, sizeof text, "%s of %s, data %d, n %lld x %lld, flags 0x%x, mask %d", tally_op_name(op),
                     tally_type_name(type), (int)kind, (long long)s.n, (long long)s.cells, (unsigned)s.flags, s.masked);
            test.section = text;
            check_split(engines[i % 2], &s);
        }
    }
}

/* ---- one state, several answers ---- */

static void check_as(tally_op made, tally_op op, tally_type type, int64_t n, double correction)
{
    static char text[128];
    tally_options options = TALLY_OPTIONS_INIT, direct = TALLY_OPTIONS_INIT;
    tally_partial *partial = NULL;
    tally_array x = tally_vector(room_x, type, n), like;
    options.correction = made == TALLY_VAR || made == TALLY_STD ? correction : 0;
    direct.correction = op == TALLY_VAR || op == TALLY_STD ? correction : 0;
    snprintf(text, sizeof text, "%s as %s of %s, n %lld", tally_op_name(made), tally_op_name(op), tally_type_name(type),
             (long long)n);
    test.section = text;
    if (tally_result_like(TALLY_REDUCE, op, &x, &direct, &like) != TALLY_OK) return;
    like.data = want;
    CHECK(tally_reduce(engines[0], op, &x, &like, &direct) == TALLY_OK);
    CHECK(tally_partial_new(engines[1], made, type, 0, NULL, &options, &partial) == TALLY_OK);
    CHECK(tally_partial_add(partial, &x, NULL, NULL) == TALLY_OK);
    like.data = got;
    CHECK_EQUAL_I64(tally_partial_finish_as(partial, op, &like), TALLY_OK);
    CHECK(memcmp(got, want, tally_type_size(like.type)) == 0);
    tally_partial_free(partial);
}

static void every_as(tally_type type)
{
    static const tally_op moments[] = {TALLY_SUM, TALLY_MEAN, TALLY_VAR, TALLY_STD, TALLY_NORM2};
    static const int64_t lengths[] = {0, 1, 2, 77, 9000};
    for (int k = 0; k < 4; k++) {
        data_fill(type, (enum data_kind)k, room_x, 9000);
        for (int l = 0; l < 5; l++) {
            for (int i = 0; i < 5; i++) {
                check_as(TALLY_VAR, moments[i], type, lengths[l], 1);
                check_as(TALLY_STD, moments[i], type, lengths[l], 0);
            }
            check_as(TALLY_MEAN, TALLY_SUM, type, lengths[l], 0);
            if (type >= TALLY_F16) check_as(TALLY_SUM, TALLY_MEAN, type, lengths[l], 0);
            if (lengths[l] == 0 || type >= TALLY_C64) continue;
            check_as(TALLY_ARGMIN, TALLY_MIN, type, lengths[l], 0);
            check_as(TALLY_ARGMAX, TALLY_MAX, type, lengths[l], 0);
        }
    }
}

/* Several partials in one pass have the bits of each alone. */
static void together(tally_type type)
{
    static const tally_op ops[] = {TALLY_SUM,  TALLY_VAR,   TALLY_ARGMIN,        TALLY_MIN,       TALLY_MINMAX,
                                   TALLY_PROD, TALLY_NORM1, TALLY_COUNT_NONZERO, TALLY_LOGSUMEXP, TALLY_LAST};
    for (int round = 0; round < 6; round++) {
        tally_partial *all[10], *alone;
        int64_t cells = 1 + (int64_t)test_random_below(4), n = (int64_t)test_random_below(14000);
        struct setting s = {TALLY_SUM, type, 0, cells, n, round % 2, 0};
        int32_t count = 0;
        int used[10];
        data_fill(type, (enum data_kind)(round % 4), room_x, n * cells);
        for (int i = 0; i < 10; i++) {
            s.op = ops[i];
            tally_options options = options_of(&s);
            if (tally_partial_new(engines[round % 3], ops[i], type, 1, &cells, &options, &all[count]) == TALLY_OK)
                used[count++] = i;
        }
        int64_t half = n / 3;
        for (int part = 0; part < 2; part++) {
            tally_array x = slice(&s, type, room_x, part ? half : 0, part ? n : half);
            tally_array mask = slice(&s, TALLY_BOOL, room_mask, part ? half : 0, part ? n : half);
            CHECK_EQUAL_I64(tally_partial_add_all(all, count, &x, NULL, s.masked ? &mask : NULL), TALLY_OK);
        }
        for (int32_t i = 0; i < count; i++) {
            size_t a = sizeof got, b = sizeof want;
            static char big_a[300000], big_b[300000];
            a = sizeof big_a, b = sizeof big_b;
            s.op = ops[used[i]];
            alone = piece(engines[0], &s, 0, n);
            CHECK(tally_partial_pack(all[i], big_a, &a) == TALLY_OK &&
                  tally_partial_pack(alone, big_b, &b) == TALLY_OK);
            static char text[64];
            snprintf(text, sizeof text, "%s of %s together, data %d", tally_op_name(s.op), tally_type_name(type),
                     round % 4);
            test.section = text;
            /* the sign of a NaN on its way is the processor's business; results have one NaN */
            CHECK(a == b && (round % 4 == DATA_SPECIAL || memcmp(big_a, big_b, a) == 0));
            tally_partial_free(alone), tally_partial_free(all[i]);
        }
    }
}

/* Empty partials anywhere change nothing, and leave later indices right. */
static void empties(void)
{
    static const int64_t at[] = {0, 4096, 8192};
    double x[3] = {5, 6, 1};
    for (int order = 0; order < 6; order++) {
        tally_options options = TALLY_OPTIONS_INIT;
        tally_partial *p[3];
        tally_array v = tally_vector(x, TALLY_F64, 3), out;
        int64_t index = -1, first = order % 3, second = (first + 1 + order / 3) % 3;
        for (int i = 0; i < 3; i++) {
            options.position = at[i];
            CHECK(tally_partial_new(engines[0], TALLY_ARGMIN, TALLY_F64, 0, NULL, &options, &p[i]) == TALLY_OK);
        }
        CHECK(tally_partial_merge(p[first], p[second]) == TALLY_OK); /* both empty */
        CHECK(tally_partial_add(p[first], &v, NULL, NULL) == TALLY_OK);
        CHECK(tally_partial_merge(p[first], p[second]) == TALLY_OK);
        CHECK(tally_partial_merge(p[second], p[first]) == TALLY_OK);
        x[2] = 0;
        CHECK(tally_partial_add(p[second], &v, NULL, NULL) == TALLY_OK);
        x[2] = 1;
        out = tally_shaped(&index, TALLY_I64, 0, NULL);
        CHECK(tally_partial_finish(p[second], &out) == TALLY_OK);
        CHECK_EQUAL_I64(index, at[first] + 5);
        for (int i = 0; i < 3; i++) tally_partial_free(p[i]);
    }
}

int main(void)
{
    static const char *const devices[] = {"cpu:1", "cpu:3", "reference"};
    for (int e = 0; e < 3; e++) CHECK(tally_open(devices[e], &engines[e]) == TALLY_OK);
    for (int64_t i = 0; i < LONGEST; i++) room_mask[i] = test_random_below(4) != 0;
    for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
        for (int kind = 0; kind < DATA_KINDS; kind++) {
            data_fill(type, (enum data_kind)kind, room_x, LONGEST);
            data_fill(type, (enum data_kind)kind, room_y, LONGEST);
            every_split(type, (enum data_kind)kind);
        }
        every_as(type);
        together(type);
    }
    CASE("empty partials") empties();
    for (int e = 0; e < 3; e++) tally_close(engines[e]);
    return test_finish("partials");
}
