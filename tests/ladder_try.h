/* SPDX-License-Identifier: MIT
 *
 * ladder_try.h - for tests of the ladders: runs on device "simt", compared with the answers of a loop and with the
 * closed forms. */
#ifndef TALLY_TEST_LADDER_TRY_H
#define TALLY_TEST_LADDER_TRY_H

#include "../ladder/data.h" /* not the one of this folder */
#include "climb.h"
#include "run.h"
#include "test.h"

#define GUARD 4096 /* bytes on both sides of the output */

/* As element.cuh has it. */
struct traced {
    uint64_t *work;
    int32_t span, value;
};

static tally_context *try_context;
static uint64_t try_work; /* what traces count */

static void describe(const struct ladder_rung *rung, const struct ladder_problem *problem)
{
    static char text[160];
    snprintf(text, sizeof text, "%s, %s %s of %" PRId64 " x %" PRId64 "%s", rung->name, ladder_type_name(problem->type),
             ladder_op_name(problem->op), problem->rows, problem->columns, problem->exclusive ? ", exclusive" : "");
    test.section = text;
}

static void *device_memory(size_t bytes)
{
    void *memory = NULL;
    if (CHECK(tally_alloc(try_context, bytes, &memory) == TALLY_OK)) return memory;
    exit(test_finish("ladder"));
}

static void fill_traces(int64_t n, struct traced *input)
{
    for (int64_t i = 0; i < n; i++) input[i] = (struct traced){&try_work, 0, 1};
}

/* Whether all results are right and nothing else was written. Of traces the values are added numbers of ones. */
static bool results_are_right(const struct ladder *ladder, const struct ladder_problem *problem, const void *input,
                              const unsigned char *output, uint64_t *span)
{
    const int64_t count = ladder_result_count(problem, ladder->shape), n = problem->rows * problem->columns;
    const size_t bytes = (size_t)count * ladder_element_bytes(problem->type);
    void *want = device_memory(bytes);
    bool right = true;
    if (problem->type == LADDER_TRACE) {
        for (int64_t i = 0; i < count; i++) {
            struct traced got;
            memcpy(&got, output + GUARD + (size_t)i * sizeof got, sizeof got);
            right &= got.value == (ladder->shape == LADDER_ALL ? i + !problem->exclusive : n / count);
            if (got.span > 0 && (uint64_t)got.span > *span) *span = (uint64_t)got.span;
        }
    } else {
        ladder_answer(problem, ladder->shape, input, want);
        right = memcmp(output + GUARD, want, bytes) == 0;
    }
    for (size_t i = 0; i < GUARD; i++) right &= output[i] == 0xc3 && output[GUARD + bytes + i] == 0xc3;
    CHECK(tally_free(try_context, want, bytes) == TALLY_OK);
    return right;
}

/* Runs once on new data; device "simt" shares the host's memory. */
static bool run_is_right(const struct ladder *ladder, struct ladder_kernels *kernels,
                         const struct ladder_problem *problem, struct ladder_counts *measured)
{
    const size_t bytes = ladder_element_bytes(problem->type);
    const int64_t n = problem->rows * problem->columns;
    const size_t output_bytes = (size_t)ladder_result_count(problem, ladder->shape) * bytes + 2 * GUARD;
    const size_t input_bytes = (size_t)(n + LADDER_POISON) * bytes;
    void *input = device_memory(input_bytes);
    unsigned char *output = device_memory(output_bytes);
    tally_counts counts = {.size = sizeof counts};
    if (problem->type == LADDER_TRACE) fill_traces(n, input);
    else ladder_fill(problem, (uint64_t)n, input);
    memset(output, 0xc3, output_bytes);
    try_work = 0;
    bool right = CHECK(tally_launch_counts(try_context, &counts) == TALLY_OK); /* forgets what was before */
    right &= ladder_run_once(kernels, problem, input, output + GUARD) == TALLY_OK;
    CHECK(tally_synchronize(try_context) == TALLY_OK);
    CHECK(tally_launch_counts(try_context, &counts) == TALLY_OK);
    *measured = (struct ladder_counts){.launches = counts.launches,
                                       .barriers = counts.barriers,
                                       .divergent_branches = counts.divergent_branches,
                                       .bank_conflicts = counts.bank_conflicts,
                                       .transactions = counts.transactions,
                                       .work = try_work};
    right &= results_are_right(ladder, problem, input, output, &measured->span);
    CHECK(tally_free(try_context, input, input_bytes) == TALLY_OK);
    CHECK(tally_free(try_context, output, output_bytes) == TALLY_OK);
    return right;
}

/* Opens a rung, or says why not and ends the test. */
static struct ladder_kernels open_rung(const struct ladder_rung *rung, const struct ladder_problem *problem, bool count)
{
    struct ladder_kernels kernels;
    describe(rung, problem);
    if (!CHECK(ladder_open_rung(try_context, rung, problem, NULL, count, &kernels) == TALLY_OK)) {
        fprintf(stderr, "%s\n", tally_last_error());
        exit(test_finish("ladder"));
    }
    return kernels;
}

#define CHECK_COUNT(name)                                                         \
    do {                                                                          \
        if (!want.timing || want.name) CHECK_EQUAL_U64(measured.name, want.name); \
    } while (0)

/* The results, and what can be counted: launches and barriers always, work and span in traces, the rest where asked. */
static void check_problem(const struct ladder *ladder, struct ladder_kernels *kernels,
                          const struct ladder_problem *problem, bool counted)
{
    struct ladder_counts measured, want;
    describe(kernels->rung, problem);
    CHECK(run_is_right(ladder, kernels, problem, &measured));
    if (!kernels->rung->predict) return;
    kernels->rung->predict(problem, &want);
    CHECK_COUNT(launches);
    CHECK_COUNT(barriers);
    if (problem->type == LADDER_TRACE) {
        CHECK_COUNT(work);
        CHECK_COUNT(span);
    }
    if (counted && measured.transactions) { /* builds with sanitizers do not count these */
        CHECK_COUNT(divergent_branches);
        CHECK_COUNT(bank_conflicts);
        CHECK_COUNT(transactions);
    }
}

/* Each must show. */
static void check_mistakes(const struct ladder *ladder)
{
    struct ladder_climb climb = {.ladder = ladder, .context = try_context, .simulated = true};
    for (int i = 0; i < ladder->mistake_count; i++) {
        char seen[LADDER_WHY] = "";
        bool caught = false;
        test.section = ladder->mistakes[i].name;
        CHECK(ladder_try_mistake(&climb, &ladder->mistakes[i], &caught, seen) == TALLY_OK);
        CHECK(caught);
    }
}

static bool open_simt(void)
{
    if (CHECK(tally_open("simt", &try_context) == TALLY_OK)) return true;
    fprintf(stderr, "%s\n", tally_last_error());
    return false;
}

#endif
