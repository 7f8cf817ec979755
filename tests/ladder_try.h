/* SPDX-License-Identifier: MIT
 *
 * ladder_try.h - for tests of the ladders: problems whose results are exact in any order, obvious loops that solve
 * them, and runs on device "simt" that are compared with these and with the closed forms. */
#ifndef TALLY_TEST_LADDER_TRY_H
#define TALLY_TEST_LADDER_TRY_H

#include "run.h"
#include "test.h"

#define FIELD 0x7f000001u
#define SLACK 4096 /* bytes around arrays: kernels with mistakes may read too much, and no kernel may write there */

/* As element.cuh has it for traces. */
struct trace {
    uint64_t *work;
    int32_t span, value;
};

union element {
    float f32;
    double f64;
    int32_t i32;
    int64_t i64;
    uint32_t field;
    struct trace trace;
};

static tally_context *try_context;
static uint64_t try_work; /* what traces count */

static int64_t hash(int64_t i)
{
    uint64_t z = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    return (int64_t)(z >> 33);
}

/* Element i as a number: sums of small integers of both signs; products of powers of two that come with their inverse;
 * smallest and largest elements that become smaller and larger all the time. */
static double number(enum ladder_op op, int64_t i)
{
    static const double factors[] = {1, 2, 0.5, 1, 0.5, 2};
    if (op == LADDER_SUM) return (double)(hash(i) % 7 + 1) * (i % 2 ? -1 : 1);
    if (op == LADDER_PRODUCT) return factors[hash(i / 2) % 3 + i % 2 * 3] * (hash(i) % 5 ? 1 : -1);
    return (double)(i + 1 + hash(i) % 3) * (hash(i) % 2 ? -1 : 1);
}

static union element element_at(const struct ladder_problem *problem, int64_t i)
{
    const int product = problem->op == LADDER_PRODUCT;
    const double x = number(problem->op, i);
    union element e = {.i64 = 0};
    switch (problem->type) {
    case LADDER_F32: e.f32 = (float)x; break;
    case LADDER_F64: e.f64 = x; break;
    case LADDER_I32: e.i32 = product ? (int32_t)(hash(i) | 1) : (int32_t)x; break;
    case LADDER_I64: e.i64 = product ? hash(i) | 1 : (int64_t)x * 3000000000; break;
    case LADDER_FIELD: e.field = (uint32_t)(hash(i) % (FIELD - 1)) + 1; break;
    default: e.trace = (struct trace){&try_work, 0, (int32_t)x};
    }
    return e;
}

#define COMBINE(a, b, sum, product) \
    (op == LADDER_SUM ? (sum) : op == LADDER_PRODUCT ? (product) : op == LADDER_MIN ? (b < a ? b : a) : (b > a ? b : a))

static union element combine(enum ladder_type type, enum ladder_op op, union element a, union element b)
{
    const uint64_t p = a.field, q = b.field, u = (uint64_t)a.i64, v = (uint64_t)b.i64;
    union element c = {.i64 = 0};
    switch (type) {
    case LADDER_F32: c.f32 = COMBINE(a.f32, b.f32, a.f32 + b.f32, a.f32 * b.f32); break;
    case LADDER_F64: c.f64 = COMBINE(a.f64, b.f64, a.f64 + b.f64, a.f64 * b.f64); break;
    case LADDER_I32: c.i32 = COMBINE(a.i32, b.i32, (int32_t)(uint32_t)(p + q), (int32_t)(uint32_t)(p * q)); break;
    case LADDER_I64: c.i64 = COMBINE(a.i64, b.i64, (int64_t)(u + v), (int64_t)(u * v)); break;
    case LADDER_FIELD: c.field = (uint32_t)((op == LADDER_SUM ? p + q : p * q) % FIELD); break;
    default: c.trace.value = a.trace.value + b.trace.value;
    }
    return c;
}

static union element identity(enum ladder_type type, enum ladder_op op)
{
    const double limit = op == LADDER_MIN ? 1.0 / 0.0 : -1.0 / 0.0;
    const double x = op == LADDER_SUM ? 0 : op == LADDER_PRODUCT ? 1 : limit;
    union element e = {.i64 = 0};
    switch (type) {
    case LADDER_F32: e.f32 = (float)x; break;
    case LADDER_F64: e.f64 = x; break;
    case LADDER_I32: e.i32 = op == LADDER_MIN ? INT32_MAX : op == LADDER_MAX ? INT32_MIN : (int32_t)x; break;
    case LADDER_I64: e.i64 = op == LADDER_MIN ? INT64_MAX : op == LADDER_MAX ? INT64_MIN : (int64_t)x; break;
    case LADDER_FIELD: e.field = (uint32_t)x; break;
    default: break;
    }
    return e;
}

/* One result after the other, as the ladder's shape has them. */
static void solve(const struct ladder *ladder, const struct ladder_problem *problem, union element *results)
{
    const enum ladder_type type = problem->type;
    const enum ladder_op op = problem->op;
    const int64_t n = problem->rows * problem->columns;
    union element running = identity(type, op);
    for (int64_t i = 0; i < n; i++) {
        const union element e = element_at(problem, i);
        const int64_t row = i / problem->columns, column = i % problem->columns;
        switch (ladder->shape) {
        case LADDER_ONE: results[0] = i == 0 ? e : combine(type, op, results[0], e); break;
        case LADDER_PER_ROW: results[row] = column == 0 ? e : combine(type, op, results[row], e); break;
        case LADDER_PER_COLUMN: results[column] = row == 0 ? e : combine(type, op, results[column], e); break;
        default:
            if (problem->exclusive) results[i] = running;
            running = combine(type, op, running, e);
            if (!problem->exclusive) results[i] = running;
        }
    }
}

static int64_t result_count(const struct ladder *ladder, const struct ladder_problem *problem)
{
    switch (ladder->shape) {
    case LADDER_ONE: return 1;
    case LADDER_PER_ROW: return problem->rows;
    case LADDER_PER_COLUMN: return problem->columns;
    default: return problem->rows * problem->columns;
    }
}

/* Whether a place of the output has this result; of traces, the longest chain is kept. */
static int same(enum ladder_type type, const unsigned char *got, const union element *want, uint64_t *span)
{
    union element e = {.i64 = 0};
    memcpy(&e, got, ladder_element_bytes(type));
    if (type != LADDER_TRACE) return memcmp(&e, want, ladder_element_bytes(type)) == 0;
    if (e.trace.span > 0 && (uint64_t)e.trace.span > *span) *span = (uint64_t)e.trace.span;
    return e.trace.value == want->trace.value;
}

/* Memory on the device, filled with a byte. */
static unsigned char *device_memory(size_t bytes, int byte)
{
    void *memory = NULL;
    if (!CHECK(tally_alloc(try_context, bytes, &memory) == TALLY_OK)) exit(test_finish("ladder"));
    memset(memory, byte, bytes); /* device "simt" shares the host's */
    return memory;
}

/* How many results of a run are wrong; -1 when it failed. measured gets the counts, and work and span of traces. */
static int64_t try_once(const struct ladder *ladder, struct ladder_kernels *kernels,
                        const struct ladder_problem *problem, struct ladder_counts *measured)
{
    const size_t bytes = ladder_element_bytes(problem->type);
    const int64_t n = problem->rows * problem->columns, count = result_count(ladder, problem);
    const size_t input_bytes = (size_t)n * bytes + SLACK, output_bytes = (size_t)count * bytes + 2 * SLACK;
    unsigned char *input = device_memory(input_bytes, 0x3c), *output = device_memory(output_bytes, 0xc3);
    union element *want = malloc((size_t)count * sizeof *want);
    tally_counts counts = {.size = sizeof counts};
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) {
        const union element e = element_at(problem, i);
        memcpy(input + (size_t)i * bytes, &e, bytes);
    }
    solve(ladder, problem, want);
    try_work = 0;
    CHECK(tally_launch_counts(try_context, &counts) == TALLY_OK); /* forgets what was before */
    const tally_status status = ladder_run_once(kernels, problem, input, output + SLACK);
    CHECK(tally_synchronize(try_context) == TALLY_OK);
    CHECK(tally_launch_counts(try_context, &counts) == TALLY_OK);
    *measured = (struct ladder_counts){.launches = counts.launches,
                                       .barriers = counts.barriers,
                                       .divergent_branches = counts.divergent_branches,
                                       .bank_conflicts = counts.bank_conflicts,
                                       .transactions = counts.transactions,
                                       .work = try_work};
    for (int64_t i = 0; i < count; i++) {
        wrong += !same(problem->type, output + SLACK + (size_t)i * bytes, &want[i], &measured->span);
    }
    for (size_t i = 0; i < SLACK; i++) {
        wrong += output[i] != 0xc3;
        wrong += output[output_bytes - SLACK + i] != 0xc3;
    }
    CHECK(tally_free(try_context, input, input_bytes) == TALLY_OK);
    CHECK(tally_free(try_context, output, output_bytes) == TALLY_OK);
    free(want);
    return status == TALLY_OK ? wrong : -1;
}

static void describe(const struct ladder_rung *rung, const struct ladder_problem *problem)
{
    static char text[160];
    snprintf(text, sizeof text, "%s, %s %s of %" PRId64 " x %" PRId64 "%s", rung->name, ladder_type_name(problem->type),
             ladder_op_name(problem->op), problem->rows, problem->columns, problem->exclusive ? ", exclusive" : "");
    test.section = text;
}

/* Opens a rung, or says why not and ends the test. */
static struct ladder_kernels open_rung(const struct ladder_rung *rung, const struct ladder_problem *problem,
                                       const struct ladder_mistake *mistake, bool count)
{
    struct ladder_kernels kernels;
    describe(rung, problem);
    if (!CHECK(ladder_open_rung(try_context, rung, problem, mistake, count, &kernels) == TALLY_OK)) {
        fprintf(stderr, "%s\n", tally_last_error());
        exit(test_finish("ladder"));
    }
    return kernels;
}

#define CHECK_COUNT(name)                                                         \
    do {                                                                          \
        if (!want.timing || want.name) CHECK_EQUAL_U64(measured.name, want.name); \
    } while (0)

/* The result, and what can be counted: launches and barriers always, work and span in traces, the rest where asked. */
static void check_problem(const struct ladder *ladder, struct ladder_kernels *kernels,
                          const struct ladder_problem *problem, bool counted)
{
    struct ladder_counts measured, want;
    describe(kernels->rung, problem);
    CHECK_EQUAL_I64(try_once(ladder, kernels, problem, &measured), 0);
    if (!kernels->rung->predict) return;
    kernels->rung->predict(problem, &want);
    CHECK_COUNT(launches);
    CHECK_COUNT(barriers);
    if (problem->type == LADDER_TRACE) {
        CHECK_COUNT(work);
        CHECK_COUNT(span);
    }
    if (counted) {
        CHECK_COUNT(divergent_branches);
        CHECK_COUNT(bank_conflicts);
        CHECK_COUNT(transactions);
    }
}

static const struct ladder_rung *rung_named(const struct ladder *ladder, const char *name)
{
    for (int i = 0; i < ladder->rung_count; i++) {
        if (strcmp(ladder->rungs[i].name, name) == 0) return &ladder->rungs[i];
    }
    return NULL;
}

/* Each mistake must show in some result, or end the run, in one of the problems. */
static void check_mistakes(const struct ladder *ladder, const struct ladder_problem *problems, int count)
{
    for (int i = 0; i < ladder->mistake_count; i++) {
        const struct ladder_mistake *mistake = &ladder->mistakes[i];
        const struct ladder_rung *rung = rung_named(ladder, mistake->rung);
        struct ladder_counts measured;
        int64_t wrong = 0;
        if (!CHECK(rung != NULL)) continue;
        struct ladder_kernels kernels = open_rung(rung, &problems[0], mistake, false);
        for (int p = 0; p < count && wrong == 0; p++) {
            if (rung->refuses && rung->refuses(&problems[p])) continue;
            wrong = try_once(ladder, &kernels, &problems[p], &measured);
        }
        test.section = mistake->name;
        CHECK(wrong != 0);
        CHECK(ladder_close_rung(&kernels) == TALLY_OK);
    }
}

#endif
