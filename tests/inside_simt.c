/* SPDX-License-Identifier: MIT
 *
 * inside_simt.c - the machine that runs GPU kernels on the host: right kernels (tests/simt/right.cu, cluster.cu) under
 * many orders of blocks, against obvious loops. */
#define _GNU_SOURCE
#include "gpu/simt_machine.h"
#include "test.h"

#include <stdlib.h>

static struct machine *machine;

static struct machine *open_seeded(uint64_t seed)
{
    char text[32];
    struct machine *opened = NULL;
    snprintf(text, sizeof text, "%" PRIu64, seed);
    setenv("TALLY_SIMT_SEED", text, 1);
    if (!CHECK(simt_machine.open(NULL, NULL, 0, &opened) == TALLY_OK)) {
        fprintf(stderr, "%s\n", tally_last_error());
        exit(test_finish("inside_simt"));
    }
    return opened;
}

static void *device_array(size_t bytes)
{
    void *memory = NULL;
    CHECK(simt_machine.allocate(machine, bytes, &memory) == TALLY_OK);
    CHECK(simt_machine.clear(machine, LANE_MAIN, memory, bytes) == TALLY_OK);
    return memory;
}

static int run_of(const char *file, const char *entry, uint32_t blocks, uint32_t threads, uint32_t shared,
                  const void *parameters, size_t bytes)
{
    const struct kernel_request request = {file, entry, "", NULL};
    const struct kernel *kernel;
    tally_status status = simt_machine.kernel(machine, &request, &kernel);
    if (status == TALLY_OK) {
        const struct launch launch = {kernel, blocks, threads, shared, parameters, bytes};
        status = simt_machine.launch(machine, &launch);
    }
    if (!CHECK(status == TALLY_OK)) fprintf(stderr, "%s: %s\n", entry, tally_last_error());
    return status == TALLY_OK;
}

static int run(const char *entry, uint32_t blocks, uint32_t threads, uint32_t shared, const void *parameters,
               size_t bytes)
{
    return run_of("right.cu", entry, blocks, threads, shared, parameters, bytes);
}

struct reduce_parameters {
    const unsigned *x;
    unsigned *partial, *counter, *out;
    unsigned n;
};

static void check_reduce(unsigned n, uint32_t blocks, uint32_t threads)
{
    unsigned *x = device_array(n * sizeof *x), *rest = device_array((blocks + 2) * sizeof *rest), sum = 0;
    for (unsigned i = 0; i < n; i++) sum += x[i] = (unsigned)test_random();
    const struct reduce_parameters p = {x, rest + 2, rest, rest + 1, n};
    for (int again = 0; again < 2; again++) { /* the counter resets itself */
        rest[1] = ~sum;
        run("reduce", blocks, threads, 0, &p, sizeof p);
        CHECK_EQUAL_U64(rest[1], sum);
        CHECK_EQUAL_U64(rest[0], 0);
    }
    simt_machine.release(machine, x, n * sizeof *x);
    simt_machine.release(machine, rest, (blocks + 2) * sizeof *rest);
}

struct scan_parameters {
    const unsigned *x;
    unsigned *out, *flags, *sums, *totals, *ticket;
    unsigned n;
};

static void check_scan(unsigned n, uint32_t threads)
{
    const uint32_t tiles = (n + threads - 1) / threads;
    unsigned *x = device_array(n * sizeof *x), *out = device_array(n * sizeof *out);
    unsigned *rest = device_array((3 * tiles + 1) * sizeof *rest), sum = 0, wrong = 0;
    for (unsigned i = 0; i < n; i++) x[i] = (unsigned)test_random();
    const struct scan_parameters p = {x, out, rest, rest + tiles, rest + 2 * tiles, rest + 3 * tiles, n};
    run("scan", tiles, threads, 0, &p, sizeof p);
    for (unsigned i = 0; i < n; i++) wrong += out[i] != (sum += x[i]);
    CHECK_EQUAL_U64(wrong, 0);
    simt_machine.release(machine, x, n * sizeof *x);
    simt_machine.release(machine, out, n * sizeof *out);
    simt_machine.release(machine, rest, (3 * tiles + 1) * sizeof *rest);
}

struct out_parameters {
    unsigned long long *out;
    unsigned count;
};

static unsigned value_at(unsigned lane)
{
    return lane * 3 - 7;
}

static unsigned exchanged(int row, unsigned lane, unsigned width)
{
    const unsigned first = lane / width * width;
    if (row == 0) return value_at(first + (lane * 5 + 1) % width);
    if (row == 1) return value_at(lane - first >= 3 ? lane - 3 : lane);
    if (row == 2) return value_at(lane + 3 < first + width ? lane + 3 : lane);
    return value_at((lane ^ 5) < first + width ? lane ^ 5 : lane);
}

static void check_exchange(void)
{
    unsigned long long *out = device_array(64 * 32 * 8), *row = out;
    const struct out_parameters p = {out, 32};
    run("exchange", 1, 32, 0, &p, sizeof p);
    for (unsigned width = 2; width <= 32; width *= 2) {
        for (int kind = 0; kind < 4; kind++, row += 32) {
            for (unsigned lane = 0; lane < 32; lane++) CHECK_EQUAL_U64(row[lane], exchanged(kind, lane, width));
        }
    }
    for (unsigned lane = 0; lane < 32; lane++) {
        const unsigned long long *at = row + lane;
        unsigned same = 0;
        for (unsigned i = lane % 5; i < 32; i += 5) same |= 1u << i;
        CHECK_EQUAL_U64(at[0], 0x123456789abcdefull * (31 - lane));
        CHECK_EQUAL_U64(at[32], (lane ^ 1) / 2);
        CHECK_EQUAL_U64(at[64], (lane ^ 2) * 2);
        CHECK_EQUAL_U64(at[96], (unsigned long long)(lane ? lane - 1 : 0) << 40);
        CHECK_EQUAL_U64(at[128], 0x49249249u);
        CHECK_EQUAL_U64(at[160], 1);
        CHECK_EQUAL_U64(at[192], 1);
        CHECK_EQUAL_U64(at[224], same);
        CHECK_EQUAL_U64(at[256], 496);
        CHECK_EQUAL_U64(at[288], 0xfffffff9u);
        CHECK_EQUAL_U64(at[320], 86);
        CHECK_EQUAL_U64(at[352], 0xffffffffu);
        CHECK_EQUAL_U64(at[384], 0xffffu);
        CHECK_EQUAL_U64(at[416], lane < 16 ? 0xaaaa : 0xaaaa0000u);
        CHECK_EQUAL_U64(at[448], lane < 16 ? 120 : 20);
    }
    simt_machine.release(machine, out, 64 * 32 * 8);
}

static void check_atomics(void)
{
    unsigned long long *out = device_array(64 * 8), xored = 0;
    int *signed_cells = (int *)(out + 32);
    unsigned *cells = (unsigned *)(out + 48);
    const struct out_parameters p = {out, 0};
    out[1] = out[4] = ~0ull;
    run("atomics", 10, 100, 0, &p, sizeof p);
    for (unsigned i = 0; i < 1000; i++) xored ^= i;
    CHECK_EQUAL_U64(out[0], 499500ull << 20);
    CHECK_EQUAL_U64(out[1], 1);
    CHECK_EQUAL_U64(out[2], 999ull << 33);
    CHECK_EQUAL_U64(out[3], ~0ull);
    CHECK_EQUAL_U64(out[4], ~0xffull);
    CHECK_EQUAL_U64(out[5], xored);
    CHECK_EQUAL_I64((int64_t)out[6], -500);
    CHECK_EQUAL_I64((int64_t)out[7], 499);
    CHECK_EQUAL_I64(signed_cells[0], -499500);
    CHECK_EQUAL_I64(signed_cells[1], -500);
    CHECK_EQUAL_I64(signed_cells[2], 499);
    CHECK_EQUAL_U64(cells[0], 1000);
    CHECK_EQUAL_U64(cells[1], 0);
    CHECK_EQUAL_U64(cells[2], 999);
    CHECK_EQUAL_U64(cells[4], 1);
    CHECK_EQUAL_U64(cells[6], 1000);
    simt_machine.release(machine, out, 64 * 8);
}

static void check_shared(void)
{
    const unsigned n = 96, blocks = 23;
    unsigned long long *out = device_array(n * blocks * 8);
    const struct out_parameters p = {out, n};
    run("shared", blocks, n, n * 4, &p, sizeof p);
    for (unsigned b = 0; b < blocks; b++) {
        for (unsigned i = 0; i < n; i++) {
            CHECK_EQUAL_U64(out[b * n + i], (uint64_t)(b * 1000 + n - 1 - i) << 32 | b << 16 | 32 << 2 | 2 | 1);
        }
    }
    simt_machine.release(machine, out, n * blocks * 8);
}

static void check_bits(void)
{
    static const uint64_t want[] = {
        32 + 100 * 11,
        64 + 100 * 23,
        0 + 100 * 4 + 10000 * 41,
        8 + 100 * 64,
        0x80000000u + 0x1e6a2c48u,
        2 + 4 + 2,
        3 + 10 * 3,
        0x3ff0000000000001ull,
        0x3f800001u + 5,
        0x7fffffffffffffffull - 2,
        1,
        0,
        16 + 100 * 16 + 10000 * 16 + 1000000 * 8,
    };
    unsigned long long *out = device_array(64 * 8);
    const struct out_parameters p = {out, 0};
    run("bits", 1, 64, 0, &p, sizeof p);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) CHECK_EQUAL_U64(out[i], want[i]);
    simt_machine.release(machine, out, 64 * 8);
}

static void check_memory(void)
{
    char *memory, other;
    void *huge;
    CHECK(simt_machine.allocate(machine, 100, (void **)&memory) == TALLY_OK);
    CHECK((uintptr_t)memory % 256 == 0);
    CHECK(memory[0] == (char)0xc3 && memory[99] == (char)0xc3);
    CHECK(simt_machine.place(machine, memory + 99) == PLACE_DEVICE);
    CHECK(simt_machine.place(machine, &other) == PLACE_HOST);
    CHECK_EQUAL_U64(simt_machine.free_memory(machine), machine->limits.memory - 100);
    CHECK(simt_machine.allocate(machine, machine->limits.memory, &huge) == TALLY_OUT_OF_MEMORY);
    simt_machine.release(machine, memory, 100);
    CHECK(simt_machine.place(machine, memory) == PLACE_HOST);
}

struct cluster_parameters {
    unsigned *out, wrong;
};

static void check_cluster(uint32_t threads)
{
    enum { BLOCKS = 5 };
    unsigned *out = device_array(BLOCKS * threads * sizeof *out);
    const struct cluster_parameters p = {out, 0};
    run_of("cluster.cu", "hands_on", BLOCKS, threads, threads * sizeof *out, &p, sizeof p);
    for (unsigned b = 0; b < BLOCKS; b++) {
        for (unsigned i = 0; i < threads; i++)
            CHECK_EQUAL_U64(out[b * threads + i], 1000 * ((b + BLOCKS - 1) % BLOCKS) + i + 1);
    }
    run_of("cluster.cu", "returns_early", BLOCKS, threads, threads * sizeof *out, &p, sizeof p);
    for (unsigned i = 0; i < threads; i += 3) CHECK_EQUAL_U64(out[i], 1);
    simt_machine.release(machine, out, BLOCKS * threads * sizeof *out);
}

int main(void)
{
    setenv("TALLY_KERNEL_DIR", TEST_KERNELS, 1);
    machine = open_seeded(1);
    CASE("memory") check_memory();
    CASE("warp operations") check_exchange();
    CASE("atomics") check_atomics();
    CASE("shared memory") check_shared();
    CASE("intrinsics") check_bits();
    CASE("reductions")
    {
        check_reduce(1, 1, 32);
        check_reduce(1000, 3, 64);
        check_reduce(100000, 40, 256);
        check_reduce(5000, 5, 1024);
    }
    simt_machine.close(machine);
    CASE("look-back and clusters under many orders")
    {
        for (uint64_t seed = 1; seed <= 200; seed++) {
            machine = open_seeded(seed);
            if (seed % 8 == 0) check_cluster(32 + (uint32_t)test_random_below(100));
            check_scan(64 + (unsigned)test_random_below(2000), 32u << test_random_below(3));
            simt_machine.close(machine);
        }
    }
    CHECK_EQUAL_I64(simt_outstanding(), 0);
    return test_finish("inside_simt");
}
