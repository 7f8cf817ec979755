/* SPDX-License-Identifier: MIT
 *
 * bench_check.c - is what the device gives the CPU's result, bit by bit?
 * Always the whole of it where the CPU is quick. Otherwise bands of cells: the first, the middle and the last ones; of
 * one long scan the first elements (of a reverse scan the last ones). A band is checked in full length along the axis,
 * and a cell does not depend on the cells beside it, so what escapes is a mistake in the place of cells in between;
 * shapes with fewer elements, which are checked as a whole, have the same tiles at their edges. */
#include "bench.h"
#include "io/error.h"

#include <math.h>
#include <string.h>

#define ALWAYS_WHOLE ((int64_t)1 << 24) /* elements */
#define BAND ((int64_t)1 << 20)         /* elements, or one slice of the array */
#define LONG_BAND ((int64_t)1 << 24)    /* of one long scan */
#define CPU_TIME 100e3                  /* microseconds for the whole of a case */
#define MOST_COPIED ((size_t)2 << 30)   /* bytes of results of one long scan */

/* Cells `from` to `from + count` of one dimension. */
typedef struct band {
    int32_t dimension;
    int64_t from, count;
} band;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int fail_with(tally_status status)
{
    cli_fail_call("bench");
    return status == TALLY_UNSUPPORTED || status == TALLY_OUT_OF_MEMORY ? BENCH_LEFT_OUT : BENCH_FAILED;
}

/* Does the device's result, in state->got, have these bits? */
static bool band_is_equal(const bench_state *state, const bench_case *wanted, const bench_call *call, const band *part)
{
    const tally_array *output = &call->output;
    int32_t at = part->dimension;
    for (int32_t d = 0; wanted->verb == TALLY_REDUCE && d < part->dimension; d++) at -= bench_is_along(wanted, d);
    size_t outer = 1, inner = tally_type_size(output->type);
    for (int32_t d = 0; d < at; d++) outer *= (size_t)output->shape[d];
    for (int32_t d = at + 1; d < output->rank; d++) inner *= (size_t)output->shape[d];
    const size_t length = (size_t)output->shape[at], count = (size_t)part->count;
    for (size_t o = 0; o < outer; o++) {
        const unsigned char *got = state->got.bytes + (o * length + (size_t)part->from) * inner;
        if (memcmp(state->want.bytes + o * count * inner, got, count * inner) != 0) return false;
    }
    return true;
}

static int check_band(bench_state *state, const bench_case *wanted, const bench_call *call, const band *part)
{
    bench_call cpu = *call;
    const int32_t d = part->dimension;
    bench_place(state, wanted, 0, state->near.bytes, NULL, &cpu);
    cpu.input.data =
        (unsigned char *)cpu.input.data + (size_t)(part->from * cpu.input.strides[d]) * tally_type_size(wanted->type);
    cpu.input.shape[d] = part->count;
    tally_status status = tally_result_like(wanted->verb, wanted->op, &cpu.input, &cpu.options, &cpu.output);
    if (status != TALLY_OK) return fail_with(status);
    size_t bytes = tally_type_size(cpu.output.type);
    for (int32_t i = 0; i < cpu.output.rank; i++) bytes *= (size_t)cpu.output.shape[i];
    if (!bench_buffer_reserve(&state->want, bytes)) return BENCH_FAILED;
    cpu.output.data = state->want.bytes;
    status = bench_make(state->cpu, wanted, &cpu);
    if (status != TALLY_OK) return fail_with(status);
    return band_is_equal(state, wanted, call, part) ? BENCH_DONE : BENCH_WRONG;
}

static int check_whole(bench_state *state, const bench_case *wanted, const bench_call *call)
{
    bench_call cpu = *call;
    if (!bench_buffer_reserve(&state->want, call->output_bytes + 1)) return BENCH_FAILED;
    bench_place(state, wanted, 0, state->near.bytes, NULL, &cpu);
    cpu.output.data = state->want.bytes;
    const tally_status status = bench_make(state->cpu, wanted, &cpu);
    if (status != TALLY_OK) return fail_with(status);
    return memcmp(state->want.bytes, state->got.bytes, call->output_bytes) == 0 ? BENCH_DONE : BENCH_WRONG;
}

/* Up to three bands; 0 when they would be the whole. */
static int choose_bands(const bench_case *wanted, band *bands)
{
    const int64_t elements = bench_elements(wanted);
    int32_t d = -1;
    if (wanted->view != BENCH_AS_IT_IS) return 0;
    if (wanted->axis_count == 0) {
        if (wanted->verb == TALLY_REDUCE || elements <= LONG_BAND) return 0;
        bands[0] = (band){0, wanted->flags & TALLY_REVERSE ? elements - LONG_BAND : 0, LONG_BAND};
        return 1;
    }
    for (int32_t i = 0; i < wanted->rank; i++) {
        if (!bench_is_along(wanted, i) && (d < 0 || wanted->shape[i] > wanted->shape[d])) d = i;
    }
    if (d < 0) return 0;
    const int64_t length = wanted->shape[d], slice = elements / length, count = slice < BAND ? BAND / slice : 1;
    if (4 * count >= length) return 0;
    bands[0] = (band){d, 0, count};
    bands[1] = (band){d, length / 2, least(count, length - length / 2)};
    bands[2] = (band){d, length - count, count};
    return 3;
}

/* Its results would take longer to bring here than the scan takes. */
static bool is_huge_scan(const bench_state *state, const bench_case *wanted, const bench_call *call)
{
    return state->gpu && wanted->axis_count == 0 && wanted->verb == TALLY_SCAN && call->output_bytes > MOST_COPIED;
}

static int compare(bench_state *state, const bench_case *wanted, const bench_call *call, bool *all)
{
    band bands[3];
    const int64_t elements = bench_elements(wanted);
    const int count = state->gpu && elements > ALWAYS_WHOLE ? choose_bands(wanted, bands) : 0;
    const double begin = bench_now();
    int64_t checked = 0;
    int verdict = BENCH_DONE;
    for (int i = 0; i < count && verdict == BENCH_DONE; i++) {
        verdict = check_band(state, wanted, call, &bands[i]);
        checked += bands[i].count * (elements / wanted->shape[bands[i].dimension]);
    }
    *all = count == 0 || (!is_huge_scan(state, wanted, call) &&
                          (bench_now() - begin) * (double)elements < CPU_TIME * (double)checked);
    return *all && verdict == BENCH_DONE ? check_whole(state, wanted, call) : verdict;
}

/* A result as a double. */
static double number(bench_state *state, const bench_call *call, size_t at)
{
    const size_t size = tally_type_size(call->output.type);
    double value = NAN;
    tally_array one = tally_vector(state->got.bytes + at * size, call->output.type, 1), like = one;
    tally_options options = TALLY_OPTIONS_INIT;
    options.type = TALLY_F64;
    if (tally_result_like(TALLY_REDUCE, TALLY_SUM, &one, &options, &like) != TALLY_OK) return NAN;
    like.data = &value;
    if (like.type != TALLY_F64 || tally_reduce(state->cpu, TALLY_SUM, &one, &like, &options) != TALLY_OK) return NAN;
    return value;
}

/* Brings the results here: all, or those of a huge scan that are looked at. */
static tally_status copy_results(bench_state *state, const bench_case *wanted, const bench_call *call)
{
    const size_t size = tally_type_size(call->output.type), last = call->output_bytes - size;
    const unsigned char *far = call->output.data;
    band part;
    if (!is_huge_scan(state, wanted, call) || choose_bands(wanted, &part) != 1) {
        return tally_copy(state->device, state->got.bytes, far, call->output_bytes);
    }
    const size_t from = (size_t)part.from * size;
    tally_status status = tally_copy(state->device, state->got.bytes + from, far + from, (size_t)part.count * size);
    if (status == TALLY_OK) status = tally_copy(state->device, state->got.bytes, far, size);
    if (status == TALLY_OK) status = tally_copy(state->device, state->got.bytes + last, far + last, size);
    return status;
}

/* An earlier call may have left the very results that are to be checked. */
static tally_status spoil_results(bench_state *state, const bench_call *call)
{
    memset(state->got.bytes, 0xa5, call->output_bytes);
    return tally_copy(state->device, call->output.data, state->got.bytes, call->output_bytes);
}

int bench_check_begin(bench_state *state, const bench_case *wanted, const bench_call *placed)
{
    if (!bench_near_fill(state, bench_pool_bytes(wanted)) ||
        !bench_buffer_reserve(&state->got, placed->output_bytes + 1)) {
        return BENCH_FAILED;
    }
    const tally_status status = spoil_results(state, placed);
    return status == TALLY_OK ? BENCH_DONE : fail_with(status);
}

int bench_check_end(bench_state *state, const bench_case *wanted, const bench_call *placed, bench_result *result)
{
    const tally_status status = copy_results(state, wanted, placed);
    if (status != TALLY_OK) return fail_with(status);
    const int verdict = compare(state, wanted, placed, &result->checked_all);
    if (verdict == BENCH_DONE && placed->output_bytes > 0) {
        result->first = number(state, placed, 0);
        result->last = number(state, placed, placed->output_bytes / tally_type_size(placed->output.type) - 1);
    }
    return verdict;
}

int bench_check(bench_state *state, const bench_case *wanted, const bench_call *call, bench_result *result)
{
    bench_call placed = *call;
    bench_place(state, wanted, 0, state->pool.far, state->outputs, &placed);
    int verdict = bench_check_begin(state, wanted, &placed);
    if (verdict != BENCH_DONE) return verdict;
    const tally_status status = bench_make(state->device, wanted, &placed);
    return status == TALLY_OK ? bench_check_end(state, wanted, &placed, result) : fail_with(status);
}
