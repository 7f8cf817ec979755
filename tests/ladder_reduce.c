/* SPDX-License-Identifier: MIT
 *
 * ladder_reduce.c - the rungs of the reductions on device "simt": results are exact, what they cost is what the closed
 * forms say, and the mistakes that were made with them before are seen. */
#include "ladder_data.h"
#include "run.h"

#define ROOM (65537 + 1024)

static const int64_t lengths[] = {1, 2, 3, 31, 32, 33, 64, 65, 255, 256, 257, 512, 1000, 1024, 4096, 5000, 16384};

static struct fixture {
    tally_context *context;
    void *host, *input, *output;
} fixture;

static bool ok(tally_status status, const char *what)
{
    if (!CHECK(status == TALLY_OK)) fprintf(stderr, "%s: %s: %s\n", test.section, what, tally_last_error());
    return status == TALLY_OK;
}

static void check_counts(const struct ladder_rung *rung, const struct ladder_problem *problem)
{
    tally_counts got = {.size = (uint32_t)sizeof got};
    struct ladder_counts want;
    if (!ok(tally_launch_counts(fixture.context, &got), "counts") || !rung->predict) return;
    rung->predict(problem, &want);
    bool equal = CHECK_EQUAL_U64(got.launches, want.launches);
    equal &= CHECK_EQUAL_U64(got.barriers, want.barriers);
    if (got.transactions) { /* builds with sanitizers do not count these */
        equal &= CHECK_EQUAL_U64(got.divergent_branches, want.divergent_branches);
        equal &= CHECK_EQUAL_U64(got.bank_conflicts, want.bank_conflicts);
        equal &= CHECK_EQUAL_U64(got.transactions, want.transactions);
    }
    if (!equal) fprintf(stderr, "with n = %" PRId64 ", %s\n", problem->columns, ladder_type_name(problem->type));
}

/* Runs once on new data; tells whether the result was right. */
static bool run_is_right(struct ladder_kernels *kernels, const struct ladder_problem *problem)
{
    const size_t bytes = ladder_element_bytes(problem->type);
    unsigned char want[8], got[8];
    ladder_store(problem->type, ladder_fill(problem, problem->columns, ROOM, fixture.host), want, 0);
    memset(got, 0xee, sizeof got);
    return tally_copy(fixture.context, fixture.input, fixture.host, ROOM * bytes) == TALLY_OK &&
           tally_copy(fixture.context, fixture.output, got, bytes) == TALLY_OK &&
           ladder_run_once(kernels, problem, fixture.input, fixture.output) == TALLY_OK &&
           tally_synchronize(fixture.context) == TALLY_OK &&
           tally_copy(fixture.context, got, fixture.output, bytes) == TALLY_OK && memcmp(got, want, bytes) == 0;
}

/* Comparing floats is a branch here, which diverges as the data are; on a GPU it is none. */
static bool counts_are_known(const struct ladder_problem *problem)
{
    return !ladder_is_real(problem->type) || problem->op == LADDER_SUM || problem->op == LADDER_PRODUCT;
}

static void check_rung(const struct ladder_rung *rung, enum ladder_type type, enum ladder_op op, int64_t largest)
{
    struct ladder_problem problem = {.type = type, .op = op, .rows = 1, .columns = 1};
    const bool count = counts_are_known(&problem);
    struct ladder_kernels kernels;
    test.section = rung->name;
    if (!ok(ladder_open_rung(fixture.context, rung, &problem, NULL, count, &kernels), "open")) return;
    for (size_t i = 0; i <= sizeof lengths / sizeof lengths[0]; i++) {
        problem.columns = i < sizeof lengths / sizeof lengths[0] ? lengths[i] : largest;
        tally_counts before = {.size = (uint32_t)sizeof before};
        ok(tally_launch_counts(fixture.context, &before), "counts");
        if (!CHECK(run_is_right(&kernels, &problem))) {
            fprintf(stderr, "%s: %s of %s, n = %" PRId64 ": %s\n", rung->name, ladder_op_name(op),
                    ladder_type_name(type), problem.columns, tally_last_error());
        }
        if (count) check_counts(rung, &problem);
    }
    ok(ladder_close_rung(&kernels), "close");
}

/* As in element.cuh. */
struct traced {
    uint64_t *work;
    int32_t span, value;
};

static void check_trace_of(struct ladder_kernels *kernels, const struct ladder_problem *problem, uint64_t *work)
{
    const int64_t n = problem->columns;
    const uint64_t none = 0;
    struct traced *input = fixture.host, result;
    struct ladder_counts want;
    uint64_t got = 0;
    for (int64_t i = 0; i < n; i++) input[i] = (struct traced){work, 0, 1};
    kernels->rung->predict(problem, &want);
    ok(tally_copy(fixture.context, work, &none, sizeof none), "copy");
    ok(tally_copy(fixture.context, fixture.input, input, (size_t)n * sizeof *input), "copy");
    if (!ok(ladder_run_once(kernels, problem, fixture.input, fixture.output), "run")) return;
    ok(tally_copy(fixture.context, &result, fixture.output, sizeof result), "copy");
    ok(tally_copy(fixture.context, &got, work, sizeof got), "copy");
    bool equal = CHECK_EQUAL_I64(result.value, n);
    equal &= CHECK_EQUAL_U64(got, want.work);
    equal &= CHECK_EQUAL_U64((uint64_t)result.span, want.span);
    if (!equal) fprintf(stderr, "with n = %" PRId64 "\n", n);
}

static void check_trace(const struct ladder_rung *rung)
{
    struct ladder_problem problem = {.type = LADDER_TRACE, .op = LADDER_SUM, .rows = 1, .columns = 1};
    struct ladder_kernels kernels;
    void *work = NULL;
    test.section = rung->name;
    if (!rung->predict || !ok(tally_alloc(fixture.context, sizeof(uint64_t), &work), "alloc")) return;
    if (ok(ladder_open_rung(fixture.context, rung, &problem, NULL, false, &kernels), "open for its work")) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            problem.columns = lengths[i];
            check_trace_of(&kernels, &problem, work);
        }
        ok(ladder_close_rung(&kernels), "close");
    }
    ok(tally_free(fixture.context, work, sizeof(uint64_t)), "free");
}

static const struct ladder_rung *find_rung(const struct ladder *ladder, const char *name)
{
    for (int i = 0; i < ladder->rung_count; i++) {
        if (strcmp(ladder->rungs[i].name, name) == 0) return &ladder->rungs[i];
    }
    return NULL;
}

/* Lengths at which the mistakes read no further than the poison. */
static void check_mistake(const struct ladder *ladder, const struct ladder_mistake *mistake)
{
    const struct ladder_rung *rung = find_rung(ladder, mistake->rung);
    struct ladder_problem problem = {.type = LADDER_F32, .op = LADDER_SUM, .rows = 1, .columns = 1};
    struct ladder_kernels kernels;
    int wrong = 0;
    test.section = mistake->name;
    if (!CHECK(rung != NULL)) return;
    if (!ok(ladder_open_rung(fixture.context, rung, &problem, mistake, true, &kernels), "open")) return;
    static const int64_t some[] = {33, 255, 256};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        problem.columns = some[i];
        wrong += !run_is_right(&kernels, &problem);
    }
    CHECK(wrong > 0);
    ok(ladder_close_rung(&kernels), "close");
}

/* Each rung with two types and two operators, in turn; counted sums of f32 are among them. */
static void check_ladder(const struct ladder *ladder)
{
    static const enum ladder_type types[] = {LADDER_F64, LADDER_I32, LADDER_I64};
    for (int i = 0; i < ladder->rung_count; i++) {
        const struct ladder_rung *rung = &ladder->rungs[i];
        check_rung(rung, LADDER_F32, LADDER_SUM, 65537);
        check_rung(rung, types[i % 3], (enum ladder_op)((i + 1) % LADDER_OPS), 65536);
        check_trace(rung);
    }
    for (int i = 0; i < ladder->mistake_count; i++) check_mistake(ladder, &ladder->mistakes[i]);
}

static void check_every_type(const struct ladder_rung *rung)
{
    for (int type = 0; type < LADDER_TRACE; type++) {
        for (int op = 0; op < LADDER_OPS; op++) {
            const struct ladder_problem problem = {.type = (enum ladder_type)type, .op = (enum ladder_op)op};
            if (!rung->refuses(&problem)) check_rung(rung, problem.type, problem.op, 5);
        }
    }
}

int main(void)
{
    const size_t bytes = ROOM * sizeof(struct traced);
    if (tally_open("simt", &fixture.context) != TALLY_OK) return test_left_out("ladder_reduce", tally_last_error());
    fixture.host = malloc(bytes);
    if (CHECK(fixture.host != NULL) && ok(tally_alloc(fixture.context, bytes, &fixture.input), "alloc") &&
        ok(tally_alloc(fixture.context, sizeof(struct traced), &fixture.output), "alloc")) {
        check_ladder(&ladder_reduce);
        check_ladder(&ladder_fan_in);
        check_every_type(find_rung(&ladder_reduce, "atomic-finish"));
    }
    tally_free(fixture.context, fixture.output, sizeof(struct traced));
    tally_free(fixture.context, fixture.input, bytes);
    free(fixture.host);
    CHECK(tally_close(fixture.context) == TALLY_OK);
    return test_finish("ladder_reduce");
}
