/* SPDX-License-Identifier: MIT
 *
 * bench_data.c - the arrays of tally bench: numbers without end or sense, but the same at every run. */
#include "bench.h"
#include "io/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD 1000003 /* a prime, so that no two windows begin alike */

static uint64_t random_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state ^ *state >> 29;
}

/* Floats of both signs below 1 and eight binades; integers of all sizes. */
static void element(tally_type type, uint64_t bits, uint64_t more, unsigned char *to)
{
    const uint64_t back = bits >> 40 & 7, sign = bits >> 60 & 1;
    const uint16_t f16 = (uint16_t)(sign << 15 | (14 - back) << 10 | (bits & 0x3ff));
    const uint16_t bf16 = (uint16_t)(sign << 15 | (126 - back) << 7 | (bits & 0x7f));
    const uint32_t f32[2] = {(uint32_t)(sign << 31 | (126 - back) << 23 | (bits & 0x7fffff)),
                             (uint32_t)(126U << 23 | (more & 0x7fffff))};
    const uint64_t f64[2] = {sign << 63 | (1022 - back) << 52 | (more & 0xfffffffffffffU),
                             UINT64_C(1022) << 52 | (bits & 0xfffffffffffffU)};
    const unsigned char truth = bits & 1;
    switch (type) {
    case TALLY_BOOL: *to = truth; return;
    case TALLY_F16: memcpy(to, &f16, 2); return;
    case TALLY_BF16: memcpy(to, &bf16, 2); return;
    case TALLY_F32: memcpy(to, f32, 4); return;
    case TALLY_C64: memcpy(to, f32, 8); return;
    case TALLY_F64: memcpy(to, f64, 8); return;
    case TALLY_C128: memcpy(to, f64, 16); return;
    default: memcpy(to, &bits, tally_type_size(type)); return;
    }
}

static void fill(tally_type type, unsigned char *bytes, size_t count)
{
    const size_t size = tally_type_size(type), period = PERIOD * size;
    uint64_t state = 1;
    for (size_t i = 0; i < PERIOD && i * size < count; i++) {
        const uint64_t bits = random_bits(&state);
        element(type, bits, random_bits(&state), bytes + i * size);
    }
    for (size_t done = period; done < count; done += period) {
        memcpy(bytes + done, bytes, count - done < period ? count - done : period);
    }
}

static void free_pool(bench_state *state)
{
    tally_free(state->device, state->pool.far, state->pool.bytes);
    free(state->pool.near);
    state->pool = (bench_pool){.type = TALLY_DEFAULT_TYPE};
}

bool bench_pool_fill(bench_state *state, tally_type type, int64_t elements)
{
    bench_pool *pool = &state->pool;
    size_t bytes = 2 * (size_t)elements * tally_type_size(type); /* dot takes two windows at once */
    if (bytes < state->cold) bytes = state->cold;
    if (pool->type == type && pool->bytes >= bytes) return true;
    free_pool(state);
    pool->near = malloc(bytes);
    if (pool->near == NULL) return io_fail("bench: no memory left for %zu bytes", bytes);
    if (tally_alloc(state->device, bytes, &pool->far) != TALLY_OK) {
        cli_fail_call("bench");
        free_pool(state);
        return false;
    }
    pool->bytes = bytes;
    fill(type, pool->near, bytes);
    if (tally_copy(state->device, pool->far, pool->near, bytes) != TALLY_OK) {
        cli_fail_call("bench");
        free_pool(state);
        return false;
    }
    pool->type = type;
    return true;
}

bool bench_outputs_reserve(bench_state *state, size_t bytes)
{
    if (bytes < state->cold) bytes = state->cold;
    if (state->output_bytes >= bytes) return true;
    tally_free(state->device, state->outputs, state->output_bytes);
    state->outputs = NULL;
    state->output_bytes = 0;
    if (tally_alloc(state->device, bytes, &state->outputs) != TALLY_OK) return cli_fail_call("bench");
    state->output_bytes = bytes;
    return true;
}

void bench_free(bench_state *state)
{
    if (state->device != NULL) {
        free_pool(state);
        tally_free(state->device, state->outputs, state->output_bytes);
        tally_close(state->device);
    }
    tally_close(state->cpu);
}
