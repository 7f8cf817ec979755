/* SPDX-License-Identifier: MIT
 *
 * device_leaves.c - reductions whose order shows in the bits, of cells of many leaves of the fixed-shape tree, have the
 * bits of the CPU engine, however leaves are dealt out: few cells and many, of any number of leaves, on devices of any
 * size; aligned or not, apart or in two loops, masked or with NaN left out.
 *   TALLY_TEST_DEVICE   the device (simt) */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "device.h"

#define MOST ((int64_t)1 << 21)  /* elements */
#define ROOM ((size_t)MOST * 16) /* elements of 8 bytes, every other one */
#define LEAF 4096

static _Alignas(64) unsigned char room[ROOM], mask[MOST];
static unsigned char *far, *far_out, *far_mask;
static char name[200];

static const struct what {
    tally_op op;
    tally_type type;
    uint32_t flags;
    int masked;
} all[] = {{TALLY_LOGSUMEXP, TALLY_F32, 0, 0},     {TALLY_LOGSUMEXP, TALLY_F64, 0, 0},
           {TALLY_LOGSUMEXP, TALLY_F16, 0, 0},     {TALLY_LOGSUMEXP, TALLY_I8, 0, 0},
           {TALLY_PROD, TALLY_F32, 0, 0},          {TALLY_SUM, TALLY_BF16, TALLY_PLAIN, 0},
           {TALLY_DOT, TALLY_F32, TALLY_PLAIN, 0}, {TALLY_MEAN, TALLY_F32, TALLY_PLAIN | TALLY_SKIP_NAN, 0},
           {TALLY_VAR, TALLY_F64, TALLY_PLAIN, 1}, {TALLY_LOGSUMEXP, TALLY_F32, 0, 1},
           {TALLY_VAR, TALLY_F64, TALLY_PLAIN, 0}};
enum { ALL = sizeof all / sizeof *all };

/* How cells lie: rows, with a gap; every other element; two loops, with a gap. */
enum layout { ROWS, APART, NEST, LAYOUTS };

struct shape {
    int64_t cells, length;
    enum layout layout;
    int64_t gap, offset;
};

/* The array and its axes; 0: it has not that many elements. */
static int place(const struct shape *s, tally_type type, unsigned char *memory, tally_array *a, int32_t *axes,
                 int32_t *count)
{
    const int64_t inner = 1000, outer = s->length / inner, pitch = s->length + s->gap;
    if (s->layout == NEST) {
        const int64_t shape[] = {outer, s->cells, inner};
        *a = tally_shaped(NULL, type, 3, shape);
        a->strides[1] = inner + s->gap, a->strides[0] = s->cells * a->strides[1];
        axes[0] = 0, axes[1] = 2, *count = 2;
        if (outer < 2 || (outer + 1) * a->strides[0] + s->offset > MOST) return 0;
    } else {
        const int64_t shape[] = {s->cells, s->length}, each = s->layout == APART ? 2 : 1;
        const int64_t most = memory == mask || each > 1 ? MOST : (int64_t)(ROOM / tally_type_size(type));
        *a = tally_shaped(NULL, type, 2, shape);
        a->strides[0] = pitch * each, a->strides[1] = each;
        axes[0] = 1, *count = 1;
        if ((s->cells + 1) * pitch + s->offset > most) return 0;
    }
    a->data = memory + (size_t)s->offset * tally_type_size(type);
    return 1;
}

static void compare(const struct what *w, const struct shape *s)
{
    unsigned char want[8192], got[8192];
    int32_t axes[2];
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array x, second, where, like;
    struct shape of_mask = *s;
    of_mask.layout = s->layout == APART ? ROWS : s->layout, of_mask.offset = 0;
    if (!place(s, w->type, room, &x, axes, &options.axis_count)) return;
    if (w->masked && !place(&of_mask, TALLY_BOOL, mask, &where, axes, &options.axis_count)) return;
    options.axes = axes;
    options.flags = w->flags;
    second = x;
    if (w->op == TALLY_DOT) options.second = &second;
    if (w->masked) options.where = &where;
    snprintf(name, sizeof name, "%s of %s, flags %u%s, %lld cells of %lld, layout %d, gap %lld, offset %lld",
             tally_op_name(w->op), tally_type_name(w->type), (unsigned)w->flags, w->masked ? ", masked" : "",
             (long long)s->cells, (long long)s->length, (int)s->layout, (long long)s->gap, (long long)s->offset);
    test.section = name;
    CHECK(tally_result_like(TALLY_REDUCE, w->op, &x, &options, &like) == TALLY_OK);
    const size_t size = tally_type_size(like.type), bytes = (size_t)s->cells * size;
    CHECK(bytes + 64 <= sizeof want);
    memset(want, 0xab, sizeof want);
    CHECK(tally_copy(device, far_out, want, sizeof want) == TALLY_OK);
    like.data = want;
    CHECK(tally_reduce(judge, w->op, &x, &like, &options) == TALLY_OK);
    like.data = far_out;
    x.data = second.data = far + ((unsigned char *)x.data - room);
    where.data = far_mask;
    CHECK(tally_reduce(device, w->op, &x, &like, &options) == TALLY_OK);
    CHECK(tally_copy(device, got, far_out, sizeof got) == TALLY_OK);
    device_same(got, want, sizeof got, size);
}

/* Numbers near each other, so that one leaf's sum shows beside another's; in some, one that is far off, or none. */
static void fill(const struct what *w)
{
    const int64_t size = (int64_t)tally_type_size(w->type), n = (int64_t)ROOM / size;
    if (w->type == TALLY_I8) {
        data_fill(w->type, DATA_ORDINARY, room, n);
    } else {
        for (int64_t i = 0; i < n; i++) {
            double v = (w->op == TALLY_PROD ? 1 : 0) + (test_random_uniform() - 0.5) / 8;
            if (w->op == TALLY_VAR && !w->masked) v = 1e200; /* the square of which is infinite */
            else if (test_random_below(60000) == 0) v = w->flags & TALLY_SKIP_NAN ? NAN : v * 300;
            data_put_real(w->type, room, i, v);
        }
    }
    CHECK(tally_copy(device, far, room, ROOM) == TALLY_OK);
}

static struct shape random_shape(void)
{
    static const int64_t cells[] = {1, 1, 2, 3, 5, 8, 9, 17, 40, 90, 300};
    const int64_t count = cells[test_random_below(sizeof cells / sizeof *cells)], most = MOST / LEAF / count;
    int64_t leaves = 1 + (int64_t)(exp(test_random_uniform() * log((double)most)));
    if (leaves > most) leaves = most;
    struct shape s = {count, leaves * LEAF, (enum layout)test_random_below(LAYOUTS), 0, 0};
    s.length += (int64_t)test_random_below(3) * (int64_t)test_random_below(3000) - 1000;
    if (test_random_below(2)) s.length = s.length / 4 * 4;
    if (test_random_below(2)) s.gap = (int64_t)test_random_below(9);
    if (test_random_below(2)) s.offset = (int64_t)test_random_below(9);
    return s;
}

int main(void)
{
    static const char *const processors[] = {"1", "2", "7", "30", "132"};
    const int simulated = device_simulated();
    for (int64_t i = 0; i < MOST; i++) mask[i] = test_random_below(5) != 0;
    for (int k = 0; k < (simulated ? 5 : 1); k++) {
        setenv("TALLY_SIMT_PROCESSORS", processors[k], 1);
        if (!device_open("cpu")) return test_left_out("device_leaves", tally_last_error());
        far = device_room(ROOM), far_out = device_room(8192), far_mask = device_room(MOST);
        CHECK(tally_copy(device, far_mask, mask, MOST) == TALLY_OK);
        for (int i = 0; i < ALL; i++) {
            if (!device_parted(all[i].op, all[i].type)) continue;
            fill(&all[i]);
            for (int n = 0; n < (!simulated ? 60 : all[i].op == TALLY_MEAN ? 24 : 4); n++) {
                const struct shape s = random_shape();
                compare(&all[i], &s);
            }
            /* more leaves than a block keeps at once, where there is one block */
            const int64_t most = (int64_t)(ROOM / tally_type_size(all[i].type)) / 2;
            const struct shape whole = {1, most - (i % 2 ? 4000 : 4096), ROWS, 0, i % 3};
            if (k == 0 && !all[i].masked) compare(&all[i], &whole);
        }
        device_close();
    }
    return test_finish("device_leaves");
}
