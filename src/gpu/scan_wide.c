/* SPDX-License-Identifier: MIT
 *
 * scan_wide.c - launches what goes over failed running sums again. */
#include "scan_wide.h"
#include "whole.h"

/* Segments of all cells, at most: enough threads for a GPU, whose totals are small beside large inputs; elements of an
 * axis that is cut into two, or into so many more; blocks of a processor, few since they nearly always end at once.
 * Even that takes time, so that one kernel does it alone where segments are few, or can be. */
#define WIDE_SEGMENTS 32768
#define WIDE_LEAST_SEGMENT 256
#define WIDE_BLOCKS 4
#define WIDE_ALONE 4          /* segments of a cell */
#define WIDE_ALONE_CELLS 4097 /* so many, or more */

static tally_status find_kernel(struct machine *machine, const struct scan_plan *plan, const char *entry,
                                const struct kernel **kernel)
{
    struct kernel_request request = {"scan_wide.cu", entry, plan->definitions.text, NULL};
    return machine->table->kernel(machine, &request, kernel);
}

static size_t segment_bytes(const struct calculation *calculation)
{
    return (size_t)program_parts(calculation) * (2 * SCAN_WIDE_DIGITS * 8) + 8;
}

tally_status scan_wide_prepare(struct tally_context *context, const struct calculation *calculation,
                               struct scan_plan *plan, struct scan_wide *wide)
{
    struct machine *machine = gpu_device(context)->machine;
    const struct reduce_parameters *p = &plan->parameters.reduce;
    int64_t segments = least(divide_up(p->length, WIDE_LEAST_SEGMENT), WIDE_SEGMENTS / p->cells);
    int alone = segments <= WIDE_ALONE || p->cells >= WIDE_ALONE_CELLS;
    if (alone) segments = segments < 1 ? 1 : least(segments, WIDE_ALONE);
    plan->parameters.wide_segment = divide_up(p->length, segments);
    wide->segments = divide_up(p->length, plan->parameters.wide_segment) * p->cells;
    if (alone) return find_kernel(machine, plan, "scan_wide_alone", &wide->scan);
    TRY(find_kernel(machine, plan, "scan_wide_totals", &wide->totals));
    TRY(find_kernel(machine, plan, "scan_wide_chain", &wide->chain));
    TRY(find_kernel(machine, plan, "scan_wide", &wide->scan));
    wide->bytes = (size_t)wide->segments * segment_bytes(calculation);
    return gpu_allocate(context, wide->bytes, &wide->room);
}

static tally_status launch(struct machine *machine, const struct kernel *kernel, const struct scan_plan *plan,
                           int64_t threads, size_t shared_bytes)
{
    int64_t blocks = least(divide_up(threads, SCAN_WIDE_THREADS), machine->limits.processors * WIDE_BLOCKS);
    struct launch launch = {kernel,
                            (uint32_t)blocks,
                            SCAN_WIDE_THREADS,
                            (uint32_t)shared_bytes,
                            &plan->parameters,
                            sizeof plan->parameters};
    return machine->table->launch(machine, &launch);
}

tally_status scan_wide_launch(struct tally_context *context, const struct calculation *calculation,
                              struct scan_plan *plan, const struct scan_wide *wide, uint32_t *count)
{
    struct machine *machine = gpu_device(context)->machine;
    size_t digits = (size_t)program_parts(calculation) * SCAN_WIDE_DIGITS * SCAN_WIDE_THREADS * 8;
    int64_t cells = plan->parameters.reduce.cells;
    int64_t chains = program_parts(calculation) * (2 * SCAN_WIDE_DIGITS + 1);
    tally_status status = TALLY_OK;
    if (wide->room) {
        plan->parameters.totals = wide->room;
        status = launch(machine, wide->totals, plan, wide->segments, digits);
        if (status == TALLY_OK) status = launch(machine, wide->chain, plan, cells * chains, 0);
    }
    if (status == TALLY_OK) status = launch(machine, wide->scan, plan, wide->room ? wide->segments : cells, digits);
    tally_status cleared = machine->table->clear(machine, LANE_MAIN, count, sizeof *count);
    return status == TALLY_OK ? cleared : status;
}

void scan_wide_release(struct tally_context *context, const struct scan_wide *wide)
{
    gpu_release(context, wide->room, wide->bytes);
}
