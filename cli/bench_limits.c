/* SPDX-License-Identifier: MIT
 *
 * bench_limits.c - what no call can beat: how fast the device reads and copies, and how soon it has done nothing. */
#include "bench.h"
#include "io/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define READ_RUNS 9
#define EMPTY_RUNS 400
#define MARKED_RUNS 40

/* read_N: every thread reads N vectors of 16 bytes at once, far apart, until all is read. */
static const char *const kernels =
    "extern \"C\" __global__ void nothing() {}\n"
    "extern \"C\" __global__ void spin(long long cycles)\n"
    "{\n"
    "    const long long begin = clock64();\n"
    "    while (clock64() - begin < cycles) {}\n"
    "}\n"
    "template <int AT_ONCE> __device__ void read_all(const uint4 *from, long long count, unsigned *to)\n"
    "{\n"
    "    const long long stride = (long long)gridDim.x * blockDim.x;\n"
    "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    unsigned all = 0;\n"
    "    for (; i + (AT_ONCE - 1) * stride < count; i += AT_ONCE * stride) {\n"
    "        uint4 v[AT_ONCE];\n"
    "#pragma unroll\n"
    "        for (int k = 0; k < AT_ONCE; k++) v[k] = __ldcs(from + i + k * stride);\n"
    "#pragma unroll\n"
    "        for (int k = 0; k < AT_ONCE; k++) all ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;\n"
    "    }\n"
    "    if (all == 0x5a5a1234) *to = all; // seldom, but the compiler cannot know that it does not happen\n"
    "}\n"
    "extern \"C\" __global__ void read_4(const uint4 *from, long long count, unsigned *to)\n"
    "{\n"
    "    read_all<4>(from, count, to);\n"
    "}\n"
    "extern \"C\" __global__ void read_8(const uint4 *from, long long count, unsigned *to)\n"
    "{\n"
    "    read_all<8>(from, count, to);\n"
    "}\n";

bool bench_kernels(bench_state *state)
{
    if (!state->gpu) return true;
    return (tally_module_compile(state->device, kernels, NULL, &state->module) == TALLY_OK &&
            tally_module_function(state->module, "spin", &state->spin) == TALLY_OK &&
            tally_module_function(state->module, "nothing", &state->nothing) == TALLY_OK &&
            tally_module_function(state->module, "read_4", &state->reader) == TALLY_OK) ||
           cli_fail_call("bench");
}

/* Waits for its turn, is over at once: between marks, and as a call that is waited for. */
static bool time_nothing(bench_state *state)
{
    const tally_grid one = {{1, 1, 1}, {32, 1, 1}, 0, 0}, single = {{1, 1, 1}, {1, 1, 1}, 0, 0};
    const tally_argument cycles = tally_pass_i64(4000000);
    double times[MARKED_RUNS];
    if (state->nothing == NULL) return true;
    for (int i = 0; i < MARKED_RUNS; i++) {
        const double begin = bench_now();
        if (tally_launch(state->nothing, &one, NULL, 0) != TALLY_OK) return cli_fail_call("bench");
        if (tally_synchronize(state->device) != TALLY_OK) return cli_fail_call("bench");
        times[i] = bench_now() - begin;
    }
    state->empty_call_us = bench_median(times, MARKED_RUNS);
    bool good = tally_launch(state->spin, &single, &cycles, 1) == TALLY_OK && tally_mark(state->device, 0) == TALLY_OK;
    for (int i = 0; good && i < EMPTY_RUNS; i++) good = tally_launch(state->nothing, &one, NULL, 0) == TALLY_OK;
    good = good && tally_mark(state->device, 1) == TALLY_OK &&
           tally_elapsed(state->device, 0, 1, &state->empty_us) == TALLY_OK;
    state->empty_us *= 1e3 / EMPTY_RUNS;
    return good || cli_fail_call("bench");
}

static void keep_faster(bench_state *state, double gbps, const char *by)
{
    if (gbps <= state->read_gbps) return;
    state->read_gbps = gbps;
    state->read_by = by;
}

/* One of the kernels above, with so many blocks of so many threads. */
static bool time_read(bench_state *state, tally_function *function, const char *name, uint32_t blocks, uint32_t threads)
{
    const tally_grid grid = {{blocks, 1, 1}, {threads, 1, 1}, 0, 0};
    const size_t at_once = (size_t)8 * blocks * threads * 16, bytes = state->pool.bytes / at_once * at_once;
    const tally_argument arguments[] = {tally_pass_memory(state->pool.far), tally_pass_i64((int64_t)(bytes / 16)),
                                        tally_pass_memory(state->outputs)};
    double times[READ_RUNS];
    bool good = bytes > 0 && tally_mark(state->device, 0) == TALLY_OK;
    for (int i = 0; good && i < READ_RUNS; i++) {
        good = tally_launch(function, &grid, arguments, 3) == TALLY_OK && tally_mark(state->device, i + 1) == TALLY_OK;
    }
    for (int i = 0; good && i < READ_RUNS; i++) {
        good = tally_elapsed(state->device, i, i + 1, &times[i]) == TALLY_OK;
    }
    if (!good) return cli_fail_call("bench");
    keep_faster(state, 1e-6 * (double)bytes / bench_median(times + 2, READ_RUNS - 2), name);
    return true;
}

static bool time_reads(bench_state *state)
{
    static const char *const names[] = {"read_4", "read_8"};
    if (state->module == NULL) return true;
    for (int k = 0; k < 2; k++) {
        tally_function *function;
        if (tally_module_function(state->module, names[k], &function) != TALLY_OK) return cli_fail_call("bench");
        for (uint32_t threads = 256; threads <= 1024; threads *= 2) {
            for (uint32_t blocks = 1; blocks * threads <= 2048; blocks *= 2) {
                if (!time_read(state, function, names[k], blocks * (uint32_t)state->about.threads, threads)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Copies wait for their end, so a short one's time is taken off a long one's. */
static double time_copy(bench_state *state, size_t bytes)
{
    double times[9];
    const int count = state->quick ? 3 : 9;
    for (int i = 0; i < count; i++) {
        if (tally_mark(state->device, 0) != TALLY_OK ||
            tally_copy(state->device, state->outputs, state->pool.far, bytes) != TALLY_OK ||
            tally_mark(state->device, 1) != TALLY_OK || tally_elapsed(state->device, 0, 1, &times[i]) != TALLY_OK) {
            cli_fail_call("bench");
            return -1;
        }
    }
    return bench_median(times, count);
}

/* 4 GiB where that is a small part of the device's memory. */
static int64_t bytes_to_read(const bench_state *state)
{
    if (!state->gpu) return (int64_t)state->cold;
    return state->about.memory_bytes >= (int64_t)40 << 30 && !state->quick ? (int64_t)4 << 30 : (int64_t)1 << 30;
}

bool bench_limits(bench_state *state)
{
    const int64_t bytes = bytes_to_read(state);
    const tally_type types[] = {TALLY_F32, TALLY_I32};
    for (int i = 0; i < 2; i++) {
        const bench_case read = {
            .verb = TALLY_REDUCE, .op = TALLY_MAX, .type = types[i], .rank = 1, .shape = {bytes / 4}};
        bench_result result;
        if (!bench_pool_fill(state, types[i], BENCH_8_BINADES, (size_t)bytes)) return false;
        const int verdict = bench_run(state, &read, &result);
        if (verdict == BENCH_WRONG) return io_fail("bench: the maximum of %" PRId64 " bytes is not the CPU's", bytes);
        if (verdict != BENCH_DONE) return false;
        keep_faster(state, 1e-3 * result.bytes / result.us, i == 0 ? "max of f32" : "max of i32");
    }
    if (!bench_outputs_reserve(state, (size_t)bytes) || !time_reads(state) || !time_nothing(state)) return false;
    const double all = time_copy(state, (size_t)bytes), least = time_copy(state, 64);
    if (all < 0 || least < 0) return false;
    state->copy_gbps = 2e-6 * (double)bytes / (all > least ? all - least : all);
    return true;
}
