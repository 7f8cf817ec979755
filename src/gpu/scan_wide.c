/* SPDX-License-Identifier: MIT
 *
 * scan_wide.c - launches what goes over failed running sums again. It nearly always ends at once, and even that takes
 * time: one kernel of few blocks. */
#include "scan_wide.h"
#include "whole.h"

/* Segments of all cells, at most: enough threads for a GPU, whose totals are small beside large inputs; elements of an
 * axis that is cut into two, or into so many more; blocks of a processor. */
#define WIDE_SEGMENTS 32768
#define WIDE_LEAST_SEGMENT 256
#define WIDE_BLOCKS 4

/* Threads do without totals where a cell has so many segments, at most, as cells have where there are so many. */
#define WIDE_ALONE 4
#define WIDE_ALONE_CELLS 4097

tally_status scan_wide_prepare(struct tally_context *context, const struct calculation *calculation,
                               struct scan_plan *plan, struct scan_wide *wide)
{
    struct machine *machine = gpu_device(context)->machine;
    struct kernel_request request = {"scan_wide.cu", "scan_wide", plan->definitions.text, NULL};
    const struct reduce_parameters *p = &plan->parameters.reduce;
    size_t total = (size_t)program_parts(calculation) * (2 * SCAN_WIDE_DIGITS * 8) + 8;
    int64_t segments = least(divide_up(p->length, WIDE_LEAST_SEGMENT), WIDE_SEGMENTS / p->cells);
    int alone = segments <= WIDE_ALONE || p->cells >= WIDE_ALONE_CELLS;
    if (alone) segments = segments < 1 ? 1 : least(segments, WIDE_ALONE);
    plan->parameters.wide_segment = divide_up(p->length, segments);
    wide->segments = divide_up(p->length, plan->parameters.wide_segment) * p->cells;
    TRY(machine->table->kernel(machine, &request, &wide->kernel));
    if (alone) return TALLY_OK;
    wide->bytes = (size_t)wide->segments * total;
    return gpu_allocate(context, wide->bytes, &wide->room);
}

tally_status scan_wide_launch(struct tally_context *context, const struct calculation *calculation,
                              struct scan_plan *plan, const struct scan_wide *wide, const struct scratch *scratch)
{
    struct machine *machine = gpu_device(context)->machine;
    size_t digits = (size_t)program_parts(calculation) * SCAN_WIDE_DIGITS * SCAN_WIDE_THREADS * 8;
    int64_t blocks = least(divide_up(wide->segments, SCAN_WIDE_THREADS), machine->limits.processors * WIDE_BLOCKS);
    plan->parameters.totals = wide->room;
    plan->parameters.reduce.tickets = scratch->wide_tickets;
    struct launch launch = {wide->kernel,     (uint32_t)blocks,  SCAN_WIDE_THREADS,
                            (uint32_t)digits, &plan->parameters, sizeof plan->parameters};
    tally_status status = machine->table->launch(machine, &launch);
    if (status != TALLY_OK)
        (void)machine->table->clear(machine, LANE_MAIN, scratch->wide_count, sizeof *scratch->wide_count);
    return status;
}

void scan_wide_release(struct tally_context *context, const struct scan_wide *wide)
{
    gpu_release(context, wide->room, wide->bytes);
}
