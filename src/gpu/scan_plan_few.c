/* SPDX-License-Identifier: MIT
 *
 * scan_plan_few.c - which scans are of so few elements that each block has one chunk (kernels/scan_waves/scan_few.cu).
 */
#include "scan_plan_chunks.h"
#include "whole.h"

#define WARPS 15                  /* of a block that have elements; one more exchanges totals */
#define WARPS_OF_DOUBLES 19       /* at most: exact sums of doubles go in shorter runs */
#define MOST_VECTORS 9            /* of a thread */
#define MOST_VECTORS_OF_HALVES 5  /* exact sums keep a run in registers, as floats */
#define MOST_VECTORS_OF_DOUBLES 7 /* and take runs of 16 at most */
#define MOST_OF_CLUSTER 5         /* where results are as wide as elements, */
#define MOST_DOUBLES_OF_CLUSTER 3 /* but for exact sums of doubles; where they are twice as wide, too, otherwise 1 */
#define BLOCKS 2                  /* of a processor, where results are eight times as wide as elements; otherwise one */

#define PLACE_BYTES 32   /* what a cluster's block keeps of each */
#define MAILBOX_BYTES 16 /* and before these (cluster.cuh) */

struct shape {
    int64_t warps, vectors, blocks; /* of a processor */
    int64_t cluster;                /* blocks, which are all there are; 1: none */
};

static int64_t bytes_of_mail(int64_t blocks)
{
    return MAILBOX_BYTES + blocks * PLACE_BYTES;
}

/* Shared memory of a block: elements, results where they are wider, and totals of a cluster's blocks. */
static int64_t bytes_of_block(const struct shape *shape, int64_t ratio)
{
    int64_t results = ratio > 1 ? (shape->vectors * ratio) | 1 : 0;
    return shape->warps * 32 * VECTOR_BYTES * (shape->vectors + results) +
           (shape->cluster > 1 ? bytes_of_mail(shape->cluster) : 0);
}

/* Chunks of a shape, if a GPU can have all at once. */
static int are_enough(const struct device_limits *limits, const struct scan *scan, const struct shape *shape,
                      struct scan_chunks *chunks)
{
    int64_t size = type_row(scan->calculation.type)->size, ratio = type_row(scan->calculation.result)->size / size;
    int64_t room = device_room_of_block(limits, 1) - SCAN_FEW_STATIC_BYTES, bytes = bytes_of_block(shape, ratio);
    int64_t blocks = shape->blocks;
    while (blocks > 1 && bytes > device_room_of_block(limits, blocks) - SCAN_FEW_STATIC_BYTES) blocks--;
    chunks->elements = shape->warps * 32 * VECTOR_BYTES / size * shape->vectors;
    chunks->splits = scan_count_chunks(scan->axis.extent, chunks->head, chunks->elements);
    if (shape->cluster > 1 && chunks->splits > shape->cluster) return 0;
    return bytes <= room && chunks->splits <= limits->processors * blocks / scan->cells;
}

/* Whether a total takes no more than a packed place has (board.cuh). */
static int total_is_packed(const struct calculation *calculation)
{
    if (calculation->method == METHOD_EXACT) return 1;
    return program_parts(calculation) == 1 && calculation->combine != COMBINE_ADD_POWERS;
}

/* Blocks of a cluster, which tell each other their totals sooner than others do, where one has room for everything. */
static int fit_cluster(const struct device_limits *limits, const struct scan *scan, struct shape *shape,
                       struct scan_chunks *chunks)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t ratio = type_row(calculation->result)->size / type_row(calculation->type)->size;
    int64_t most = ratio > 2 ? 1 : ratio == 2 || scan_is_wide(calculation) ? MOST_DOUBLES_OF_CLUSTER : MOST_OF_CLUSTER;
    if (limits->cluster_blocks < 2 || scan->cells != 1 || !total_is_packed(calculation)) return 0;
    *shape = (struct shape){WARPS, 1, 1, limits->cluster_blocks};
    for (; shape->vectors <= most; shape->vectors += 2) {
        if (are_enough(limits, scan, shape, chunks)) return chunks->splits > 1;
    }
    return 0;
}

/* The shortest runs that will do, or three vectors where one block then needs nobody else. */
static int choose_shape(const struct device_limits *limits, const struct scan *scan, struct shape *shape,
                        struct scan_chunks *chunks)
{
    int64_t ratio = type_row(scan->calculation.result)->size / type_row(scan->calculation.type)->size;
    const struct calculation *calculation = &scan->calculation;
    int is_exact = calculation->method == METHOD_EXACT;
    int64_t most = MOST_VECTORS;
    if (is_exact && type_row(calculation->type)->size == 2) most = MOST_VECTORS_OF_HALVES;
    if (scan_is_wide(calculation)) most = MOST_VECTORS_OF_DOUBLES;
    chunks->head = scan_head(scan, &chunks->fill);
    *shape = (struct shape){WARPS, 3, 1, 1};
    if (ratio <= 2 && are_enough(limits, scan, shape, chunks) && chunks->splits == 1 &&
        chunks->elements < 3 * scan->axis.extent)
        return 1;
    if (fit_cluster(limits, scan, shape, chunks)) return 1;
    *shape = (struct shape){WARPS, 1, ratio == 8 ? BLOCKS : 1, 1};
    for (; shape->vectors <= most; shape->vectors += 2) {
        if (are_enough(limits, scan, shape, chunks)) return 1;
    }
    *shape = (struct shape){WARPS_OF_DOUBLES, most, 1, 1};
    return scan_is_wide(calculation) && are_enough(limits, scan, shape, chunks);
}

int scan_plan_few(const struct device_limits *limits, const struct scan *scan, int last_resort, size_t state_bytes,
                  struct scan_plan *plan)
{
    struct scan_chunks chunks = {0, 0, 0, 0};
    struct shape shape;
    if ((scan->cells != 1 && !last_resort) || !scan_goes_by_chunks(limits, scan) ||
        !choose_shape(limits, scan, &shape, &chunks))
        return 0;
    int64_t size = type_row(scan->calculation.type)->size, ratio = type_row(scan->calculation.result)->size / size;
    plan->file = "scan_few.cu";
    plan->blocks = shape.cluster > 1 ? shape.cluster : chunks.splits * scan->cells;
    plan->threads = (uint32_t)(shape.warps + 1) * 32;
    plan->shared_bytes = (uint32_t)bytes_of_block(&shape, ratio);
    definitions_add_number(&plan->definitions, "THREADS", plan->threads);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", shape.blocks);
    definitions_add_number(&plan->definitions, "VECTORS", shape.vectors);
    definitions_add_number(&plan->definitions, "ONE_ROW", scan->cells == 1);
    if (shape.cluster > 1) {
        definitions_add_number(&plan->definitions, "BLOCKS_TOGETHER", shape.cluster);
        definitions_add_number(&plan->definitions, "CLUSTER_ROOM", bytes_of_mail(shape.cluster));
    }
    scan_fill_chunks(scan, &chunks, state_bytes, plan);
    return 1;
}
