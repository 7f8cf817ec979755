/* SPDX-License-Identifier: MIT
 *
 * device_wave.c - scans of long contiguous axes, whose chunks a wave of blocks goes through; and plain sums. See
 * scans.h. TALLY_TEST_DEVICE   the device (simt) TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "scans.h"

/* So many blocks of semantics.md that their totals are chained in rounds, of which the last one is not full; an element
 * off, as others go another way. */
static void plain_sums(void)
{
    enum { N = 4096 * (1024 + 37) + 5 };
    size_t bytes = N * sizeof(double);
    double *x = calloc(N, sizeof(double)), *want_all = malloc(bytes), *got_all = malloc(bytes);
    void *far_all;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array a = tally_vector(x, TALLY_F64, N), out = tally_vector(want_all, TALLY_F64, N);
    options.flags = TALLY_PLAIN | TALLY_EXCLUSIVE;
    test.section = "plain running sum";
    CHECK(x && want_all && got_all && tally_alloc(device, bytes + sizeof(double), &far_all) == TALLY_OK);
    for (int64_t i = 0; i < N; i++) x[i] = test_random_uniform() * 2 - 1;
    CHECK(tally_scan(judge, TALLY_SUM, &a, &out, &options) == TALLY_OK);
    a.data = out.data = (double *)far_all + 1;
    CHECK(tally_copy(device, a.data, x, bytes) == TALLY_OK);
    CHECK(tally_scan(device, TALLY_SUM, &a, &out, &options) == TALLY_OK);
    CHECK(tally_copy(device, got_all, out.data, bytes) == TALLY_OK);
    CHECK(memcmp(got_all, want_all, bytes) == 0);
    tally_free(device, far_all, bytes + sizeof(double));
    free(x), free(want_all), free(got_all);
}

int main(void)
{
    int simulated = device_simulated(), full = device_full();
    if (simulated) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (!device_open("cpu")) return test_left_out("device_wave", tally_last_error());
    far_x = device_room(ROOM), far_out = device_room(ROOM);
    exact_sums(simulated && full, simulated ? 83000 : 0);
    far_initials(simulated ? 20000 : MOST);
    folds(full, simulated ? 120000 : 0);
    heads(simulated ? 70003 : MOST - 1);
    plain_sums();
    device_close();
    return test_finish("device_wave");
}
