/* SPDX-License-Identifier: MIT
 *
 * inside_scan_arrange.c - which elements are arranged before a scan, in which tiles, and that these cover all. */
#include "gpu/scan_arrange.h"
#include "test.h"

static const struct device_limits h100 = {
    .processors = 132, .architecture = 90, .memory = (size_t)80 << 30, .shared_bytes = 232448};

/* A running maximum down `rows` rows of results; elements lie in the other order, unless `pitch` is 1. */
static struct scan turned(tally_type type, int64_t rows, int64_t columns, int64_t pitch)
{
    struct scan scan;
    memset(&scan, 0, sizeof scan);
    scan.calculation.type = scan.calculation.result = type;
    scan.calculation.op = op_row(TALLY_MAX);
    scan.calculation.combine = scan.calculation.op->combine;
    scan.calculation.method = METHOD_FOLD;
    scan.x = (const void *)(uintptr_t)4096;
    scan.out = (void *)(uintptr_t)512;
    scan.kept_count = 1;
    scan.kept[0].extent = scan.cells = columns;
    scan.kept[0].stride[OPERAND_X] = pitch;
    scan.kept[0].stride[OPERAND_OUT] = 1;
    scan.axis.extent = rows;
    scan.axis.stride[OPERAND_X] = pitch == 1 ? columns : 1;
    scan.axis.stride[OPERAND_OUT] = columns;
    return scan;
}

static int has(const struct arrangement *a, const char *line)
{
    return strstr(a->definitions.text, line) != NULL;
}

/* Every element in some tile, and no tile that has none. */
static void covers(const struct arrangement *a, int64_t parts)
{
    int64_t all = 1, blocks = 1;
    for (int32_t d = 0; d < a->parameters.count; d++) {
        const struct arrange_loop *loop = &a->parameters.loops[d];
        all *= loop->extent;
        blocks *= loop->tiles;
        CHECK(loop->tiles >= 1 && loop->tiles <= loop->extent);
    }
    CHECK(all == parts && blocks == a->blocks);
}

static void squares(void)
{
    static struct arrangement a;
    struct scan arranged, scan = turned(TALLY_U8, 262144, 1024, 262144);
    CHECK(scan_arrange(&h100, &scan, &arranged, &a));
    covers(&a, (int64_t)1 << 28);
    CHECK(has(&a, "SQUARES=1\n") && has(&a, "T0=128\n") && has(&a, "T1=128\n") && has(&a, "X0=1\n"));
    CHECK(arranged.kept[0].stride[OPERAND_X] == 1 && arranged.axis.stride[OPERAND_X] == 1024 && a.first == 0);
    CHECK(has(&a, "X_WORDS=1\n") && has(&a, "OUT_WORDS=1\n") && has(&a, "OUT_RUN=128\n"));
    CHECK(a.low == 0 && a.high == (int64_t)1 << 28 && a.by_words);
    scan.x = (const void *)(uintptr_t)4097; /* rows begin inside of words */
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && has(&a, "X_WORDS=0\n") && has(&a, "OUT_WORDS=1\n"));
    scan = turned(TALLY_U8, 262144, 1024, 262145);
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && has(&a, "X_WORDS=0\n") && has(&a, "OUT_WORDS=1\n"));
    CHECK(a.high == 1023 * (int64_t)262145 + 262144);
    scan = turned(TALLY_U8, 262144, 1023, 262144);
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && has(&a, "X_WORDS=1\n") && has(&a, "OUT_WORDS=0\n"));
    scan = turned(TALLY_U8, 262144, 2, 262144); /* rows of half a word, but not of a fourth */
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && has(&a, "SQUARES=1\n"));
    scan = turned(TALLY_U8, 262144, 1023, 262144); /* a mask in the order of elements is looked at beside these */
    scan.where = (const unsigned char *)(uintptr_t)256;
    scan.kept[0].stride[OPERAND_WHERE] = 262144, scan.axis.stride[OPERAND_WHERE] = 1;
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && has(&a, "SQUARES=0\n") && has(&a, "MASK=1\n"));
    CHECK(!a.by_words);
    scan = turned(TALLY_F16, 4096, 4096, 4096);
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && has(&a, "SQUARES=1\n") && has(&a, "T0=64\n"));
    scan = turned(TALLY_F32, 4096, 4096, 4096);
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && has(&a, "SQUARES=0\n") && has(&a, "X_RUN=64\n"));
}

/* Few neighbours in either order: tiles go through more loops than these, to have whole sectors, and offsets in them
 * may need 64 bits. */
static void few_neighbours(void)
{
    static struct arrangement a;
    struct scan arranged, scan = turned(TALLY_I8, 5368709, 50, 5368709);
    CHECK(scan_arrange(&h100, &scan, &arranged, &a));
    covers(&a, 5368709LL * 50);
    CHECK(has(&a, "T0=50\n") && has(&a, "OUT_RUN=8000\n") && has(&a, "X_RUN=160\n") && has(&a, "FAR=0\n"));
    scan = turned(TALLY_I8, 53687091, 50, 53687091);
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && has(&a, "FAR=1\n"));
    scan = turned(TALLY_F32, 1 << 20, 64, 1); /* two apart: one run after the other, none has neighbours */
    scan.kept[0].stride[OPERAND_X] = 2;
    scan.axis.stride[OPERAND_X] = 128;
    CHECK(!scan_orders_differ(&scan));
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && has(&a, "X_RUN=1\n") && has(&a, "OUT_RUN=2048\n"));
    covers(&a, (int64_t)64 << 20);
}

/* Nothing to be gained, or no room. */
static void left_alone(void)
{
    static struct arrangement a;
    struct device_limits small = h100;
    struct scan arranged, scan = turned(TALLY_F32, 1 << 20, 64, 1);
    CHECK(!scan_arrange(&h100, &scan, &arranged, &a) && !scan_is_scattered(&scan)); /* as results do */
    scan.where = (const unsigned char *)(uintptr_t)256;
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && arranged.where == NULL && has(&a, "MASK=2\n"));
    scan = turned(TALLY_F32, 100, 100, 100);
    CHECK(!scan_arrange(&h100, &scan, &arranged, &a) && scan_orders_differ(&scan));
    scan = turned(TALLY_F32, 1 << 20, 64, 1 << 20);
    small.memory = (size_t)1 << 31;
    CHECK(scan_arrange(&small, &scan, &arranged, &a) && scan_is_scattered(&scan));
    small.memory--;
    CHECK(!scan_arrange(&small, &scan, &arranged, &a));
    scan.states = (struct scan_state *)(uintptr_t)256;
    CHECK(!scan_arrange(&h100, &scan, &arranged, &a));
}

/* Narrow parts in the order of results, backwards or with gaps. */
static void rows_of_words(void)
{
    static const int64_t steps[] = {-1, 2, -2, 3};
    static struct arrangement a;
    struct scan arranged;
    char line[32];
    for (int i = 0; i < 4; i++) {
        struct scan scan = turned(TALLY_I8, 300000, 127, 1);
        int64_t apart = steps[i] < 0 ? -steps[i] : steps[i];
        scan.kept[0].stride[OPERAND_X] = steps[i], scan.axis.stride[OPERAND_X] = 127 * apart;
        CHECK(scan_arrange(&h100, &scan, &arranged, &a) && has(&a, "SQUARES=0\n"));
        covers(&a, 300000 * (int64_t)127);
        snprintf(line, sizeof line, "STEP=%d\n", apart <= 2 ? (int)steps[i] : 0);
        CHECK(has(&a, line) && a.by_words == (apart <= 2));
        CHECK(a.low == (steps[i] < 0 ? -126 * apart : 0) && a.high == a.low + (300000 * (int64_t)127 - 1) * apart + 1);
    }
    struct scan wide = turned(TALLY_F32, 300000, 127, 1);
    wide.kept[0].stride[OPERAND_X] = -1;
    CHECK(scan_arrange(&h100, &wide, &arranged, &a) && has(&a, "STEP=0\n") && !a.by_words);
}

/* Lines of halves that are as fast where they are. */
static void lies_well(tally_type type, int64_t rows, int64_t columns, int64_t pitch, int well)
{
    struct arrangement a;
    struct scan arranged, scan = turned(type, rows, columns, pitch);
    scan.calculation.method = METHOD_FOLD;
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && scan_lies_well(&scan, &a) == well);
    scan.where = (const unsigned char *)(uintptr_t)256;
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && !scan_lies_well(&scan, &a));
    scan = turned(type, rows, columns, 1); /* in one order, with gaps */
    scan.kept[0].stride[OPERAND_X] = 2, scan.axis.stride[OPERAND_X] = 2 * columns;
    CHECK(scan_arrange(&h100, &scan, &arranged, &a) && !scan_lies_well(&scan, &a));
}

static void as_they_lie(void)
{
    lies_well(TALLY_F16, 1000, 134217, 1000, 1);
    lies_well(TALLY_I16, 2000, 67109, 2000, 1);
    lies_well(TALLY_F16, 1000, 134218, 1000, 0); /* words of several halves in both */
    lies_well(TALLY_F16, 134217, 1000, 134217, 0);
    lies_well(TALLY_F16, 37, 3627507, 37, 0);
    lies_well(TALLY_I8, 2000, 134217, 2000, 0);
    lies_well(TALLY_F32, 1000, 67107, 1000, 0);
}

int main(void)
{
    rows_of_words();
    as_they_lie();
    squares();
    few_neighbours();
    left_alone();
    return test_finish("inside_scan_arrange");
}
