/* SPDX-License-Identifier: MIT
 *
 * scan_plan_wave.c - which scans a wave of chunks goes through (kernels/scan_waves/scan_wave.cu), and in chunks of what
 * size. */
#include "scan_plan_chunks.h"
#include "whole.h"

#define STAGES 4
#define MOST_VECTORS 9
#define MOST_VECTORS_OF_HALVES 7  /* exact sums take runs of 64 at most (kernels/scan_waves/wave_run_floats.cuh) */
#define MOST_VECTORS_OF_DOUBLES 7 /* and of doubles of 16 (kernels/scan_waves/wave_run_doubles.cuh) */
#define EXCHANGING 64             /* threads of a block that have no elements */
#define FEW_WAVES 4

/* Shared memory of a block: the stages, and results where they are wider than elements. */
static int64_t bytes_of_block(int64_t threads, int64_t vectors, int64_t ratio)
{
    int64_t results = ratio > 1 ? (vectors * ratio) | 1 : 0;
    return (threads - EXCHANGING) * VECTOR_BYTES * (STAGES * vectors + results);
}

static int64_t room_of_block(const struct device_limits *limits, const struct calculation *calculation)
{
    return device_room_of_block(limits, 1) -
           (scan_is_wide(calculation) ? SCAN_WAVE_STATIC_BYTES_WIDE : SCAN_WAVE_STATIC_BYTES);
}

struct shape {
    int64_t threads, vectors;
};

/* The largest chunks that fit. Results eight times as wide as elements leave room for one vector of each of many
 * threads: three of fewer would be longer in leaving them. */
static struct shape choose_shape(const struct device_limits *limits, const struct calculation *calculation)
{
    struct shape best = {0, 0};
    int64_t size = type_row(calculation->type)->size, ratio = type_row(calculation->result)->size / size;
    int64_t most = MOST_VECTORS;
    if (calculation->method == METHOD_EXACT && size == 2) most = MOST_VECTORS_OF_HALVES;
    if (calculation->method == METHOD_EXACT && size == 8) most = MOST_VECTORS_OF_DOUBLES;
    int64_t room = room_of_block(limits, calculation);
    if (ratio == 8 && bytes_of_block(768, 1, ratio) <= room) return (struct shape){768, 1};
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

/* Whether each row has a head of its own, of 1 to so many elements as a vector has, and all as many chunks. */
static int has_own_heads(const struct scan *scan, int64_t chunk, uint64_t *fill)
{
    int64_t most = VECTOR_BYTES / type_row(scan->calculation.type)->size, length = scan->axis.extent;
    return scan_rows_are_ragged(scan) && length > most &&
           scan_count_chunks(length, 1, chunk) == scan_count_chunks(length, most, chunk) &&
           scan_find_fill(&scan->calculation, fill);
}

/* An array of few chunks: smaller ones, that every block has as many of. */
static struct shape even_out(const struct device_limits *limits, const struct scan *scan, int64_t head,
                             struct shape shape)
{
    int64_t size = type_row(scan->calculation.type)->size, length = scan->axis.extent;
    int64_t waves = divide_up(scan_count_chunks(length, head, chunk_of(&shape, size)), limits->processors);
    if (scan->cells > 1 || waves > FEW_WAVES) return shape;
    while (shape.vectors > 1) {
        struct shape smaller = shape;
        smaller.vectors -= 2;
        if (scan_count_chunks(length, head, chunk_of(&smaller, size)) > waves * limits->processors) break;
        shape = smaller;
    }
    return shape;
}

/* Whether there are gaps between elements. */
static int lies_apart(const struct scan *scan)
{
    int64_t step = scan->axis.stride[OPERAND_X], result = scan->axis.stride[OPERAND_OUT];
    return step != result && step != -result;
}

/* Whether there are enough chunks: of several cells, fewer than processors leave some idle, and so do those that are
 * nearly empty. */
static int choose_chunks(const struct device_limits *limits, const struct scan *scan, struct shape shape,
                         struct scan_chunks *chunks)
{
    int64_t length = scan->axis.extent;
    chunks->fill = 0;
    chunks->head = lies_apart(scan) ? 0 : scan_head(scan, &chunks->fill);
    chunks->elements = chunk_of(&shape, type_row(scan->calculation.type)->size);
    if (!lies_apart(scan) && has_own_heads(scan, chunks->elements, &chunks->fill)) chunks->head = SCAN_OWN_HEADS;
    chunks->splits = scan_count_chunks(length, chunks->head == SCAN_OWN_HEADS ? 1 : chunks->head, chunks->elements);
    if (scan->cells == 1) return 1;
    return chunks->splits * scan->cells >= limits->processors && length >= chunks->splits * chunks->elements / 2;
}

/* Beside what goes by chunks: results that lie in memory in the other order than elements; masked scans, if absent
 * elements can give way to one that changes no total; and elements that lie apart and are copied one by one, if they
 * share sectors with their neighbours. */
static int is_suitable(const struct device_limits *limits, const struct scan *scan)
{
    struct scan bare;
    uint64_t fill;
    if (!scan_make_bare(scan, &bare) || !scan_goes_by_chunks(limits, &bare)) return 0;
    return (!scan->where && !lies_apart(scan)) || scan_find_fill(&scan->calculation, &fill);
}

int scan_plan_wave(const struct device_limits *limits, const struct scan *scan, size_t state_bytes,
                   struct scan_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters.reduce;
    struct scan_chunks chunks;
    if (!is_suitable(limits, scan)) return 0;
    int64_t size = type_row(scan->calculation.type)->size, ratio = type_row(scan->calculation.result)->size / size;
    struct shape shape = choose_shape(limits, &scan->calculation);
    if (shape.vectors == 0) return 0;
    uint64_t fill = 0;
    shape = even_out(limits, scan, lies_apart(scan) ? 0 : scan_head(scan, &fill), shape);
    int fits = choose_chunks(limits, scan, shape, &chunks);
    if (!fits && scan->calculation.method == METHOD_EXACT && size == 2 && shape.vectors > 2) {
        shape.vectors -= 2;
        fits = choose_chunks(limits, scan, shape, &chunks);
    }
    if (!fits) return 0;
    plan->file = "scan_wave.cu";
    plan->blocks = least(chunks.splits * p->cells, limits->processors);
    plan->threads = (uint32_t)shape.threads;
    plan->shared_bytes = (uint32_t)bytes_of_block(shape.threads, shape.vectors, ratio);
    definitions_add_number(&plan->definitions, "THREADS", shape.threads);
    definitions_add_number(&plan->definitions, "BLOCKS_AT_ONCE", 1);
    definitions_add_number(&plan->definitions, "VECTORS", shape.vectors);
    definitions_add_number(&plan->definitions, "STAGES", STAGES);
    definitions_add_number(&plan->definitions, "LOADS_APART", lies_apart(scan));
    if (scan->where || lies_apart(scan)) scan_find_fill(&scan->calculation, &chunks.fill);
    scan_fill_chunks(scan, &chunks, state_bytes, plan);
    plan->puts_together = lies_apart(scan) && size == 1;
    return 1;
}
