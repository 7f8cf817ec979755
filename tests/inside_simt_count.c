/* SPDX-License-Identifier: MIT
 *
 * inside_simt_count.c - what the simulated machine counts (TALLY_SIMT_COUNT) in kernels that are easily counted by hand
 * (tests/simt/counted.cu), each run by two blocks of one warp. */
#define _GNU_SOURCE
#include "gpu/simt_machine.h"
#include "test.h"

#include <stdlib.h>

struct counted_parameters {
    unsigned *memory;
    unsigned n;
};

static const struct row {
    const char *kernel;
    unsigned n;
    uint64_t divergent_branches, bank_conflicts, transactions, barriers;
} rows[] = {
    {"neighbours", 0, 0, 0, 2 * 4, 0},
    {"far_apart", 0, 0, 0, 2 * 32, 0},
    {"banks", 1, 0, 0, 0, 2},
    {"banks", 2, 0, 2 * 1, 0, 2},
    {"banks", 31, 0, 0, 0, 2},
    {"banks", 32, 0, 2 * 31, 0, 2},
    {"diverge", 10, 2 * 10, 0, 2 * 10 * 4, 0},
    {"lengthy", 1000, 0, 0, 2 * (1000 + 1) * 4, 0},
};

static void check_row(struct machine *machine, const struct row *row, unsigned *memory)
{
    const struct kernel_request request = {"counted.cu", row->kernel, "", NULL};
    const struct counted_parameters p = {memory, row->n};
    const struct kernel *kernel = NULL;
    struct simt_counts counts;
    tally_status status = simt_machine.kernel(machine, &request, &kernel);
    if (status == TALLY_OK) {
        const struct launch launch = {kernel, 2, 32, 0, &p, sizeof p};
        status = simt_machine.launch(machine, &launch);
    }
    if (!CHECK(status == TALLY_OK)) fprintf(stderr, "%s: %s\n", row->kernel, tally_last_error());
    simt_counts_of(machine, &counts);
    test.section = row->kernel;
    CHECK_EQUAL_U64(counts.threads, 64);
    CHECK_EQUAL_U64(counts.barriers, row->barriers);
    if (!simt_can_count()) return;
    CHECK_EQUAL_U64(counts.divergent_branches, row->divergent_branches);
    CHECK_EQUAL_U64(counts.bank_conflicts, row->bank_conflicts);
    CHECK_EQUAL_U64(counts.transactions, row->transactions);
}

int main(void)
{
    struct machine *machine;
    void *memory;
    setenv("TALLY_KERNEL_DIR", TEST_KERNELS, 1);
    setenv("TALLY_SIMT_COUNT", "1", 1);
    if (!CHECK(simt_machine.open(NULL, NULL, 0, &machine) == TALLY_OK)) {
        fprintf(stderr, "%s\n", tally_last_error());
        return test_finish("inside_simt_count");
    }
    CHECK(simt_machine.allocate(machine, 4096, &memory) == TALLY_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) check_row(machine, &rows[i], memory);
    simt_machine.release(machine, memory, 4096);
    simt_machine.close(machine);
    return test_finish("inside_simt_count");
}
