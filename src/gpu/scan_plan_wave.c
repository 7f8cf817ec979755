/* SPDX-License-Identifier: MIT
 *
 * scan_plan_wave.c - which scans a wave of chunks goes through (kernels/scan_wave.cu), and in chunks of what size. */
#include "scan_plan.h"
#include "whole.h"

#define STAGES 4
#define MOST_VECTORS 9
#define MOST_VECTORS_OF_HALVES 5  /* exact sums keep a run in registers, as floats */
#define MOST_VECTORS_OF_DOUBLES 7 /* exact sums take runs of 16 at most (kernels/exact_tile.cuh) */
#define EXCHANGING 64             /* threads of a block that have no elements */
#define STATIC_BYTES 9216         /* of shared memory, beside the stages */
#define STATIC_BYTES_WIDE 26624   /* the same with digits of doubles (kernels/wave_far.cuh) */
#define FEW_WAVES 4

/* The bits of an element that changes no total, of those operators that have one. */
static int find_fill(const struct calculation *calculation, uint64_t *fill)
{
    int kind = type_row(calculation->type)->kind, bits = 8 * (int)type_row(calculation->type)->size;
    int is_float = (kind & KIND_FLOAT) != 0;
    *fill = 0;
    if (kind & KIND_COMPLEX) return 0;
    uint64_t top = (uint64_t)1 << (bits - 1), infinity = 0;
    if (calculation->type == TALLY_F16) infinity = 0x7c00;
    else if (calculation->type == TALLY_BF16) infinity = 0x7f80;
    else if (calculation->type == TALLY_F32) infinity = 0x7f800000;
    else if (calculation->type == TALLY_F64) infinity = (uint64_t)0x7ff << 52;
    if (calculation->method == METHOD_EXACT || calculation->combine == COMBINE_ADD) {
        if (is_float) *fill = top; /* -0 */
        return calculation->method == METHOD_EXACT || !is_float;
    }
    if (calculation->op->lift != LIFT_VALUE || kind == KIND_BOOLEAN) return 0;
    switch (calculation->combine) {
    case COMBINE_MAXIMUM: *fill = is_float ? infinity | top : kind == KIND_SIGNED ? top : 0; return 1;
    case COMBINE_MINIMUM: *fill = is_float ? infinity : kind == KIND_SIGNED ? top - 1 : top - 1 + top; return 1;
    case COMBINE_MULTIPLY: *fill = 1; return !is_float;
    case COMBINE_AND: *fill = UINT64_MAX; return !is_float;
    case COMBINE_OR:
    case COMBINE_XOR: return !is_float;
    default: return 0;
    }
}

/* Whether rows begin at different places of vectors. */
static int rows_are_ragged(const struct scan *scan)
{
    int64_t size = type_row(scan->calculation.type)->size;
    for (int32_t d = 0; d < scan->kept_count; d++) {
        if (scan->kept[d].stride[OPERAND_X] * size % VECTOR_BYTES) return 1;
    }
    return 0;
}

/* Elements before a vector's border, in the scan's direction, if they are the same number in all rows; 0 where there
 * are none, or nothing can fill the rest of their chunk. */
static int64_t head_of(const struct scan *scan, uint64_t *fill)
{
    int64_t size = type_row(scan->calculation.type)->size;
    int backward = scan->axis.stride[OPERAND_X] < 0;
    uintptr_t address = (uintptr_t)scan->x + (uintptr_t)(backward ? size : 0);
    int64_t beyond = (int64_t)(address % VECTOR_BYTES);
    if (rows_are_ragged(scan) || beyond == 0 || beyond % size || !find_fill(&scan->calculation, fill)) return 0;
    return least((backward ? beyond : VECTOR_BYTES - beyond) / size, scan->axis.extent);
}

/* Chunks that are no whole aligned vectors go element by element, which takes longer. */
static int is_suitable(const struct device_limits *limits, const struct scan *scan)
{
    int64_t size = type_row(scan->calculation.type)->size, result = type_row(scan->calculation.result)->size;
    return scan_goes_by_runs(limits, scan) && (uintptr_t)scan->x % (uintptr_t)size == 0 &&
           (uintptr_t)scan->out % (uintptr_t)result == 0;
}

/* Shared memory of a block: the stages, and results where they are wider than elements. */
static int64_t bytes_of_block(int64_t threads, int64_t vectors, int64_t ratio)
{
    int64_t results = ratio > 1 ? (vectors * ratio) | 1 : 0;
    return (threads - EXCHANGING) * VECTOR_BYTES * (STAGES * vectors + results);
}

/* Exact sums of doubles keep digits of whatever lies far apart. */
static int is_wide(const struct calculation *calculation)
{
    return calculation->method == METHOD_EXACT && type_row(calculation->type)->size == 8;
}

/* What a chunk may publish beside its place. */
static size_t total_bytes(const struct calculation *calculation, size_t state_bytes)
{
    if (calculation->method != METHOD_EXACT) return 2 * state_bytes;
    return is_wide(calculation) ? SCAN_FAR_BYTES : SCAN_FAR_BYTES_NARROW;
}

static int64_t room_of_block(const struct device_limits *limits, const struct calculation *calculation, int64_t blocks)
{
    return scan_room_of_block(limits, blocks) - (is_wide(calculation) ? STATIC_BYTES_WIDE : STATIC_BYTES);
}

struct shape {
    int64_t threads, vectors, blocks; /* of a processor */
};

/* The largest chunks that fit. Results eight times as wide as elements leave so little room that more, smaller blocks
 * do better. */
static struct shape choose_shape(const struct device_limits *limits, const struct calculation *calculation)
{
    struct shape best = {0, 0, 1};
    int64_t size = type_row(calculation->type)->size, ratio = type_row(calculation->result)->size / size;
    int64_t most = MOST_VECTORS;
    if (calculation->method == METHOD_EXACT && size == 2) most = MOST_VECTORS_OF_HALVES;
    if (calculation->method == METHOD_EXACT && size == 8) most = MOST_VECTORS_OF_DOUBLES;
    if (ratio == 8 && bytes_of_block(256, 1, ratio) <= room_of_block(limits, calculation, 4))
        return (struct shape){256, 1, 4};
    int64_t room = room_of_block(limits, calculation, 1);
    for (int64_t threads = 128; threads <= 512; threads *= 2) {
        int64_t vectors = most;
        while (vectors > 0 && bytes_of_block(threads, vectors, ratio) > room) vectors -= 2;
        if (threads * vectors > best.threads * best.vectors) best.threads = threads, best.vectors = vectors;
    }
    return best;
}

static int64_t chunk_of(const struct shape *shape, int64_t size)
{
    return (shape->threads - EXCHANGING) * shape->vectors * VECTOR_BYTES / size;
}

static int64_t chunks_of(int64_t length, int64_t head, int64_t chunk)
{
    return divide_up(length - head, chunk) + (head > 0);
}

/* Whether each row has a head of its own, of 1 to so many elements as a vector has, and all as many chunks. */
static int has_own_heads(const struct scan *scan, int64_t chunk, uint64_t *fill)
{
    int64_t most = VECTOR_BYTES / type_row(scan->calculation.type)->size, length = scan->axis.extent;
    return rows_are_ragged(scan) && length > most && chunks_of(length, 1, chunk) == chunks_of(length, most, chunk) &&
           find_fill(&scan->calculation, fill);
}

/* An array of few chunks: smaller ones, that every block has as many of. */
static struct shape even_out(const struct device_limits *limits, const struct scan *scan, int64_t head,
                             struct shape shape)
{
    int64_t size = type_row(scan->calculation.type)->size, length = scan->axis.extent;
    int64_t at_once = limits->processors * shape.blocks;
    int64_t waves = divide_up(chunks_of(length, head, chunk_of(&shape, size)), at_once);
    if (scan->cells > 1 || waves > FEW_WAVES) return shape;
    while (shape.vectors > 1) {
        struct shape smaller = shape;
        smaller.vectors -= 2;
        if (chunks_of(length, head, chunk_of(&smaller, size)) > waves * at_once) break;
        shape = smaller;
    }
    return shape;
}

static void fill_plan(const struct device_limits *limits, const struct scan *scan, const struct shape *shape,
                      size_t state_bytes, struct scan_plan *plan)
{
    const struct calculation *calculation = &scan->calculation;
    struct reduce_parameters *p = &plan->parameters.reduce;
    int64_t size = type_row(calculation->type)->size, ratio = type_row(calculation->result)->size / size;
    int64_t chunks = p->cells * p->splits, most = limits->processors * shape->blocks;
    plan->file = "scan_wave.cu";
    plan->blocks = least(chunks, most);
    plan->threads = (uint32_t)shape->threads;
    plan->shared_bytes = (uint32_t)bytes_of_block(shape->threads, shape->vectors, ratio);
    plan->flag_bytes = (size_t)chunks * (calculation->method == METHOD_EXACT ? 32 : 16) + 256;
    plan->leaves_zeros = 1;
    plan->total_bytes = (size_t)chunks * total_bytes(calculation, state_bytes);
    if (is_wide(calculation)) plan->wide = 0; /* whatever the numbers are */
    definitions_add_number(&plan->definitions, "THREADS", shape->threads);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", shape->blocks);
    definitions_add_number(&plan->definitions, "VECTORS", shape->vectors);
    definitions_add_number(&plan->definitions, "STAGES", STAGES);
    scan_define_runs(scan, plan);
}

int scan_plan_wave(const struct device_limits *limits, const struct scan *scan, size_t state_bytes,
                   struct scan_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters.reduce;
    if (!is_suitable(limits, scan)) return 0;
    int64_t size = type_row(scan->calculation.type)->size;
    struct shape shape = choose_shape(limits, &scan->calculation);
    if (shape.vectors == 0) return 0;
    uint64_t fill = 0;
    int64_t head = head_of(scan, &fill);
    shape = even_out(limits, scan, head, shape);
    int64_t chunk = chunk_of(&shape, size);
    if (has_own_heads(scan, chunk, &fill)) head = SCAN_OWN_HEADS;
    int64_t splits = chunks_of(p->length, head == SCAN_OWN_HEADS ? 1 : head, chunk);
    /* Of several cells, fewer chunks than processors leave some idle, and so do chunks that are nearly empty. */
    if (p->cells > 1 && (splits * p->cells < limits->processors || p->length < splits * chunk / 2)) return 0;
    p->splits = splits;
    p->split_units = chunk;
    plan->parameters.head = head;
    plan->parameters.fill = fill;
    fill_plan(limits, scan, &shape, state_bytes, plan);
    return 1;
}
