/* SPDX-License-Identifier: MIT
 *
 * bench_data.c - the arrays of tally bench: numbers without end or sense, but the same at every run. */
#include "bench.h"
#include "io/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD 1000003 /* a prime, so that no two windows begin alike */

static uint64_t random_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state ^ *state >> 29;
}

/* A biased exponent from eight or forty binades below 1, or any up to 32 binades below the largest: a sum of 2^32 such
 * elements is finite. bias: of the type's exponents. */
static uint64_t exponent(bench_spread spread, uint64_t bits, uint64_t bias)
{
    const uint64_t any = bits >> 40 & 0xffff, top = bias - 1;
    const uint64_t most = 2 * bias > 64 ? 2 * bias - 32 : top; /* f16 ends at 2^15: it stays below 1 */
    if (spread == BENCH_8_BINADES) return top - (bits >> 40 & 7);
    if (spread == BENCH_40_BINADES && top >= 40) return top - any % 40;
    return any % (most + 1);
}

/* What is measured, earned or learned: no bits drawn evenly, but numbers, rounded to their type. */
static double number(bench_spread spread, uint64_t bits, uint64_t more)
{
    const double uniform = ((double)(bits >> 12) + 0.5) * 0x1p-52, angle = 6.283185307179586 * (double)(more >> 11);
    if (spread == BENCH_PRICES) return (double)(1 + bits % 1000000) / 100;
    if (spread == BENCH_SPARSE && more % 10 != 0) return 0;
    if (spread == BENCH_HOLES && more % 100 == 0) return NAN;
    return sqrt(-2 * log(uniform)) * cos(angle * 0x1p-53);
}

/* The 16 bits of a float with so many bits of mantissa. */
static uint16_t half(double value, int bias, int bits)
{
    int above;
    if (isnan(value)) return (uint16_t)(0x7fff - (1 << (bits - 1)) + 1);
    frexp(value, &above);
    const int power = value != 0 && above - 1 > 1 - bias ? above - 1 : 1 - bias;
    const long digits = lrint(ldexp(fabs(value), bits - power)); /* those of a normal one with the leading 1 */
    return (uint16_t)((signbit(value) ? 0x8000 : 0) + ((power + bias - 1) << bits) + digits);
}

static void put_number(tally_type type, double value, unsigned char *to)
{
    const uint16_t f16 = half(value, 15, 10), bf16 = half(value, 127, 7);
    const float f32[2] = {(float)value, 1};
    const double f64[2] = {value, 1};
    switch (type) {
    case TALLY_F16: memcpy(to, &f16, 2); return;
    case TALLY_BF16: memcpy(to, &bf16, 2); return;
    case TALLY_F32:
    case TALLY_C64: memcpy(to, f32, tally_type_size(type)); return;
    default: memcpy(to, f64, tally_type_size(type)); return;
    }
}

/* Floats of both signs; integers of all sizes. */
static void element(tally_type type, bench_spread spread, uint64_t bits, uint64_t more, unsigned char *to)
{
    const uint64_t sign = bits >> 60 & 1;
    const uint16_t f16 = (uint16_t)(sign << 15 | exponent(spread, bits, 15) << 10 | (bits & 0x3ff));
    const uint16_t bf16 = (uint16_t)(sign << 15 | exponent(spread, bits, 127) << 7 | (bits & 0x7f));
    const uint32_t f32[2] = {(uint32_t)(sign << 31 | exponent(spread, bits, 127) << 23 | (bits & 0x7fffff)),
                             (uint32_t)(126U << 23 | (more & 0x7fffff))};
    const uint64_t f64[2] = {sign << 63 | exponent(spread, bits, 1023) << 52 | (more & 0xfffffffffffffU),
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

static bool is_float(tally_type type)
{
    return type >= TALLY_F16 && type <= TALLY_C128;
}

static void fill_period(tally_type type, bench_spread spread, unsigned char *bytes)
{
    const size_t size = tally_type_size(type);
    uint64_t state = 1;
    for (size_t i = 0; i < PERIOD; i++) {
        const uint64_t bits = random_bits(&state), more = random_bits(&state);
        if (spread >= BENCH_NORMAL && is_float(type)) put_number(type, number(spread, bits, more), bytes + i * size);
        else element(type, spread, bits, more, bytes + i * size);
    }
}

bool bench_pool_write(const char *file, tally_type type, bench_spread spread)
{
    const size_t size = tally_type_size(type);
    unsigned char *bytes = malloc(PERIOD * size);
    FILE *out = bytes != NULL ? fopen(file, "wb") : NULL;
    bool good = out != NULL;
    if (good) {
        fill_period(type, spread, bytes);
        good = fwrite(bytes, size, PERIOD, out) == PERIOD;
        good = fclose(out) == 0 && good;
    }
    free(bytes);
    return good || io_fail("--data: cannot write '%.200s'", file);
}

static void free_pool(bench_state *state)
{
    tally_free(state->device, state->pool.far, state->pool.bytes);
    free(state->pool.period);
    state->pool = (bench_pool){.type = TALLY_DEFAULT_TYPE};
    state->near_filled = 0;
}

/* The device copies for itself: what is there, behind what is there, until all is full. */
static tally_status fill_far(bench_state *state)
{
    bench_pool *pool = &state->pool;
    size_t done = pool->period_bytes < pool->bytes ? pool->period_bytes : pool->bytes;
    tally_status status = tally_copy(state->device, pool->far, pool->period, done);
    while (status == TALLY_OK && done < pool->bytes) {
        const size_t more = pool->bytes - done < done ? pool->bytes - done : done;
        status = tally_copy(state->device, (unsigned char *)pool->far + done, pool->far, more);
        done += more;
    }
    return status;
}

bool bench_pool_fill(bench_state *state, tally_type type, bench_spread spread, size_t bytes)
{
    bench_pool *pool = &state->pool;
    if (bytes < state->cold) bytes = state->cold;
    if (pool->type == type && pool->spread == spread && pool->bytes >= bytes) return true;
    free_pool(state);
    pool->period_bytes = PERIOD * tally_type_size(type);
    pool->period = malloc(pool->period_bytes);
    if (pool->period == NULL) return io_fail("bench: no memory left for %zu bytes", pool->period_bytes);
    if (!state->compile_only) fill_period(type, spread, pool->period);
    bool good = tally_alloc(state->device, bytes, &pool->far) == TALLY_OK;
    if (good) {
        pool->bytes = bytes;
        good = state->compile_only || fill_far(state) == TALLY_OK;
    }
    if (!good) {
        cli_fail_call("bench");
        free_pool(state);
        return false;
    }
    pool->type = type;
    pool->spread = spread;
    return true;
}

bool bench_buffer_reserve(bench_buffer *buffer, size_t bytes)
{
    if (buffer->room >= bytes) return true;
    free(buffer->bytes);
    *buffer = (bench_buffer){.bytes = malloc(bytes), .room = bytes};
    if (buffer->bytes != NULL) return true;
    buffer->room = 0;
    return io_fail("bench: no memory left for %zu bytes", bytes);
}

bool bench_near_fill(bench_state *state, size_t bytes)
{
    const bench_pool *pool = &state->pool;
    if (state->near.room < bytes) state->near_filled = 0;
    if (!bench_buffer_reserve(&state->near, bytes)) return false;
    while (state->near_filled < bytes) {
        const size_t within = state->near_filled % pool->period_bytes, left = pool->period_bytes - within;
        const size_t more = bytes - state->near_filled < left ? bytes - state->near_filled : left;
        memcpy(state->near.bytes + state->near_filled, pool->period + within, more);
        state->near_filled += more;
    }
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
        tally_module_free(state->module);
        tally_close(state->device);
    }
    tally_close(state->cpu);
    free(state->near.bytes);
    free(state->want.bytes);
    free(state->got.bytes);
}
