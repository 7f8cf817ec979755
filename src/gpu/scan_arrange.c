/* SPDX-License-Identifier: MIT
 *
 * scan_arrange.c - which elements are arranged before they are scanned (kernels/arrange/arrange.cu), and in which
 * tiles. */
#include "scan_arrange.h"
#include "scan_plan_chunks.h"
#include "whole.h"

#define THREADS 256
#define BLOCKS 4           /* of a processor: so many registers there are */
#define LEAST_BYTES 262144 /* of elements: a launch more should be no great part of the call */
#define MOST_OF_MEMORY 8   /* the copy takes so many-th of a device's, at most */
#define TILE_BYTES 8192    /* under way for a block, at least */
#define SIDE_BYTES 64      /* side by side in both memories: more than that need not be arranged */
#define WORD 4
/* Lines of 2-byte elements that are scanned as they lie. */
#define FEWEST 100
#define MOST 8192
#define MOST_PADDING 2 /* squares have so many times the parts of a tile, at most */

/* Parts that lie side by side in either memory, in a tile, if there are so many: 128 or 256 bytes. */
static int64_t side_of_tile(int64_t size)
{
    return size == 1 ? 128 : size == 8 ? 32 : 64;
}

static int64_t distance(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* What the kernel moves: an element, or of a complex one a half, which is aligned to no more. */
static int64_t part_bytes(const struct type_row *type)
{
    return type->kind == KIND_COMPLEX ? type->size / 2 : type->size;
}

/* ---- where elements go ---- */

/* The axis and the kept loops in the order of results, those that lie closest to each other first. */
static int32_t sort_by_results(struct scan *scan, struct loop *sorted[TALLY_MAX_RANK + 1])
{
    int32_t count = 0;
    for (int32_t d = -1; d < scan->kept_count; d++) {
        struct loop *loop = d < 0 ? &scan->axis : &scan->kept[d];
        int32_t at = count++;
        for (; at > 0 && distance(sorted[at - 1]->stride[OPERAND_OUT]) > distance(loop->stride[OPERAND_OUT]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = loop;
    }
    return count;
}

/* Elements without gaps, in the order of results and in their directions. Returns where the first one is. */
static int64_t lay_out(struct scan *arranged)
{
    struct loop *sorted[TALLY_MAX_RANK + 1];
    int32_t count = sort_by_results(arranged, sorted);
    int64_t stride = 1, first = 0;
    for (int32_t d = 0; d < count; d++) {
        int backward = sorted[d]->stride[OPERAND_OUT] < 0;
        sorted[d]->stride[OPERAND_X] = backward ? -stride : stride;
        sorted[d]->stride[OPERAND_WHERE] = 0;
        if (backward) first += (sorted[d]->extent - 1) * stride;
        stride *= sorted[d]->extent;
    }
    return first;
}

/* The kept loops, whose order is nobody's without states, in that of memory. */
static void sort_kept(struct scan *arranged)
{
    int64_t base[OPERAND_COUNT] = {0};
    struct loop *kept = arranged->kept;
    for (int32_t i = 1; i < arranged->kept_count; i++) {
        struct loop loop = kept[i];
        int32_t at = i;
        for (; at > 0 && distance(kept[at - 1].stride[OPERAND_X]) < distance(loop.stride[OPERAND_X]); at--)
            kept[at] = kept[at - 1];
        kept[at] = loop;
    }
    arranged->kept_count = loops_collapse(kept, arranged->kept_count, 0, base);
}

static int lie_arranged(const struct scan *scan, const struct scan *arranged)
{
    if (scan->where || scan->axis.stride[OPERAND_X] != arranged->axis.stride[OPERAND_X]) return 0;
    for (int32_t d = 0; d < scan->kept_count; d++)
        if (scan->kept[d].stride[OPERAND_X] != arranged->kept[d].stride[OPERAND_X]) return 0;
    return 1;
}

/* ---- how they get there ---- */

/* Turns a loop round: the kernel's first element is then what was its last one. */
static void turn(struct arrangement *a, struct arrange_loop *loop)
{
    int64_t last = loop->extent - 1;
    a->x += last * loop->x, loop->x = -loop->x;
    a->where += last * loop->where, loop->where = -loop->where;
    a->out += last * loop->out, loop->out = -loop->out;
}

static int can_join(const struct arrange_loop *inner, const struct arrange_loop *outer)
{
    return outer->x == inner->x * inner->extent && outer->where == inner->where * inner->extent &&
           outer->out == inner->out * inner->extent;
}

/* The loops of the copy, closest results first, forward there, as few as will do; 0 if they are too many. */
static int find_loops(const struct scan *scan, const struct scan *arranged, int64_t parts, struct arrangement *a)
{
    struct scan both = *scan;
    struct loop *sorted[TALLY_MAX_RANK + 1];
    struct arrange_loop *loops = a->parameters.loops;
    int32_t count = 0;
    both.axis.stride[OPERAND_OUT] = arranged->axis.stride[OPERAND_X];
    for (int32_t d = 0; d < scan->kept_count; d++)
        both.kept[d].stride[OPERAND_OUT] = arranged->kept[d].stride[OPERAND_X];
    int32_t all = sort_by_results(&both, sorted);
    if (parts > 1) loops[count++] = (struct arrange_loop){.extent = parts, .x = 1, .out = 1};
    for (int32_t d = 0; d < all; d++) {
        const int64_t *stride = sorted[d]->stride;
        struct arrange_loop loop = {sorted[d]->extent, stride[OPERAND_X] * parts, stride[OPERAND_WHERE],
                                    stride[OPERAND_OUT] * parts, 0};
        if (loop.extent == 1) continue;
        if (loop.out < 0) turn(a, &loop);
        if (count > 0 && can_join(&loops[count - 1], &loop)) {
            loops[count - 1].extent *= loop.extent;
        } else {
            if (count == ARRANGE_LOOPS) return 0;
            loops[count++] = loop;
        }
    }
    a->parameters.count = count;
    return count > 0;
}

/* Where the elements' parts lie, seen from the first one. */
static void find_bounds(struct arrangement *a)
{
    a->low = a->x, a->high = a->x + 1;
    for (int32_t d = 0; d < a->parameters.count; d++) {
        int64_t reach = (a->parameters.loops[d].extent - 1) * a->parameters.loops[d].x;
        if (reach < 0) a->low += reach;
        else a->high += reach;
    }
}

/* Loops in the order of x, those that lie closest first, and broadcast ones last. */
static void sort_by_elements(const struct arrangement *a, int32_t *order)
{
    const struct arrange_loop *loops = a->parameters.loops;
    for (int32_t d = 0; d < a->parameters.count; d++) {
        int32_t at = d;
        uint64_t here = (uint64_t)distance(loops[d].x) - 1; /* of 0: the largest */
        for (; at > 0 && (uint64_t)distance(loops[order[at - 1]].x) - 1 > here; at--) order[at] = order[at - 1];
        order[at] = d;
    }
}

/* A tile's steps in each loop, how many loops have more than one, and parts of a word. */
struct tile {
    int64_t steps[ARRANGE_LOOPS];
    int32_t tiled;
    int64_t each;
};

/* Lengthens a tile in one loop, by whole words of narrow parts if there are several; returns 0 if too many loops were
 * tiled. */
static int lengthen(struct tile *tile, const struct arrange_loop *loops, int32_t d, int64_t steps)
{
    if (steps > tile->each) steps -= steps % tile->each;
    steps = least(steps, loops[d].extent);
    if (steps <= tile->steps[d]) return 1;
    if (tile->steps[d] == 1 && tile->tiled == ARRANGE_TILED) return 0;
    tile->tiled += tile->steps[d] == 1;
    tile->steps[d] = steps;
    return 1;
}

/* Until so many parts of a tile lie side by side, or more than half of them, in an order of loops. */
static void lengthen_run(struct tile *tile, const struct arrangement *a, const int32_t *order, int64_t wanted)
{
    const struct arrange_loop *loops = a->parameters.loops;
    int64_t run = 1;
    for (int32_t i = 0; i < a->parameters.count && 2 * run <= wanted; i++) {
        int32_t d = order[i];
        if (!lengthen(tile, loops, d, wanted / run)) return;
        if (tile->steps[d] < loops[d].extent) return;
        run *= tile->steps[d];
    }
}

/* Until there is enough under way. */
static void lengthen_all(struct tile *tile, const struct arrangement *a, const int32_t *order, int64_t wanted)
{
    int64_t all = 1;
    for (int32_t d = 0; d < a->parameters.count; d++) all *= tile->steps[d];
    for (int32_t i = 0; i < a->parameters.count && all < wanted; i++) {
        int32_t d = order[i];
        int64_t before = tile->steps[d];
        if (!lengthen(tile, a->parameters.loops, d, wanted / (all / before))) return;
        all = all / before * tile->steps[d];
    }
}

/* Puts the loops that are tiled before the others, but in the order of results among each other. */
static void put_tiled_first(struct arrangement *a, struct tile *tile, int32_t *order)
{
    struct arrange_loop *loops = a->parameters.loops, old[ARRANGE_LOOPS];
    int64_t steps[ARRANGE_LOOPS];
    int32_t place[ARRANGE_LOOPS], count = a->parameters.count, next = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t d = 0; d < count; d++)
            if ((tile->steps[d] == 1) == pass) place[d] = next++;
    memcpy(old, loops, sizeof old);
    memcpy(steps, tile->steps, sizeof steps);
    for (int32_t d = 0; d < count; d++) {
        loops[place[d]] = old[d];
        tile->steps[place[d]] = steps[d];
    }
    for (int32_t i = 0; i < count; i++) order[i] = place[order[i]];
}

/* Whether all words of out have parts of one run of it, and none but these. */
static int has_words_of_out(const struct arrangement *a, const struct tile *tile, int64_t each)
{
    const struct arrange_loop *loops = a->parameters.loops;
    int64_t edges = loops[0].extent | tile->steps[0];
    for (int32_t d = 1; d < a->parameters.count; d++) edges |= loops[d].out;
    return loops[0].out == 1 && edges % each == 0;
}

/* Whether the same holds of x, along the loop that lies closest there. */
static int has_words_of_x(const struct scan *scan, const struct arrangement *a, const struct tile *tile, int32_t along,
                          int64_t each)
{
    int64_t edges = a->parameters.loops[along].extent | tile->steps[along];
    for (int32_t d = 0; d < a->parameters.count; d++)
        if (d != along) edges |= a->parameters.loops[d].x;
    uintptr_t first = (uintptr_t)scan->x + (uintptr_t)(a->x * (WORD / each));
    return edges % each == 0 && first % WORD == 0;
}

/* Whether the mask's elements for each word of out, all of whose words are of one run, are a word of the mask's, too.
 */
static int has_words_of_mask(const struct scan *scan, const struct arrangement *a, int64_t each)
{
    const struct arrange_loop *loops = a->parameters.loops;
    int64_t edges = 0;
    if (!scan->where || loops[0].where != 1) return 0;
    for (int32_t d = 1; d < a->parameters.count; d++) edges |= loops[d].where;
    return edges % each == 0 && (uintptr_t)(scan->where + a->where) % (uintptr_t)each == 0;
}

/* Whether parts lie side by side in x and in out, along different loops, of which a tile has enough steps. */
static int has_squares(const struct scan *scan, const struct arrangement *a, const struct tile *tile,
                       const int32_t *order, int64_t each)
{
    const struct arrange_loop *loops = a->parameters.loops;
    int32_t along = order[0];
    if (each == 1 || along == 0 || along >= tile->tiled || loops[0].out != 1 || loops[along].x != 1) return 0;
    /* Masks are looked at where out is written. */
    if (scan->where && distance(loops[along].where) < distance(loops[0].where)) return 0;
    int64_t padded = divide_up(tile->steps[0], each) * divide_up(tile->steps[along], each) * each * each;
    return padded <= MOST_PADDING * tile->steps[0] * tile->steps[along];
}

/* How far apart parts lie that are put together from words of x, or 0. */
static int64_t step_of(const struct arrangement *a, const struct tile *tile, const int32_t *order)
{
    const struct arrange_loop *loop = &a->parameters.loops[0];
    if (tile->each == 1 || order[0] != 0 || tile->steps[0] == 1 || loop->out != 1) return 0;
    return loop->x == -1 || distance(loop->x) == 2 ? loop->x : 0;
}

/* Where absent elements are found: while x is read, if that is the mask's order. */
static int mask_way(const struct scan *scan, const struct arrangement *a, const int32_t *order, int squares)
{
    const struct arrange_loop *loops = a->parameters.loops;
    if (!scan->where) return 0;
    return !squares && distance(loops[order[0]].where) < distance(loops[0].where) ? 1 : 2;
}

/* Parts of a tile that lie side by side in one memory, going through the loops in its order. */
static int64_t run_of_tile(const struct arrangement *a, const struct tile *tile, const int32_t *order, int of_out)
{
    const struct arrange_loop *loops = a->parameters.loops;
    int64_t run = 1;
    for (int32_t i = 0; i < a->parameters.count && order[i] < tile->tiled; i++) {
        const struct arrange_loop *loop = &loops[order[i]];
        if ((of_out ? loop->out : loop->x) != run) break;
        run *= tile->steps[order[i]];
        if (tile->steps[order[i]] < loop->extent) break;
    }
    return run;
}

/* Whether a tile's offsets need more than 31 bits. */
static int reaches_far(const struct arrangement *a, const struct tile *tile)
{
    int64_t x = 0, where = 0, out = 0;
    for (int32_t d = 0; d < a->parameters.count; d++) {
        const struct arrange_loop *loop = &a->parameters.loops[d];
        x += tile->steps[d] * distance(loop->x);
        where += tile->steps[d] * distance(loop->where);
        out += tile->steps[d] * distance(loop->out);
    }
    return x > INT32_MAX || where > INT32_MAX || out > INT32_MAX;
}

static void define(const struct scan *scan, struct arrangement *a, const struct tile *tile, const int32_t *order,
                   int64_t size)
{
    static const char *const steps[] = {"T0", "T1", "T2", "T3"}, *const along_x[] = {"X0", "X1", "X2", "X3"};
    int64_t each = size < WORD ? WORD / size : 1;
    const int32_t by_out[] = {0, 1, 2, 3, 4, 5, 6, 7};
    int32_t next = 0;
    int squares = has_squares(scan, a, tile, order, each);
    int64_t step = step_of(a, tile, order);
    a->by_words = squares || step;
    int64_t out_run = run_of_tile(a, tile, by_out, 1);
    if (step || (squares && tile->steps[0] % each == 0)) out_run = tile->steps[0]; /* squares: this keeps banks apart */
    definitions_add_number(&a->definitions, "THREADS", THREADS);
    definitions_add_number(&a->definitions, "SIZE", size);
    for (int32_t d = 0; d < ARRANGE_TILED; d++)
        definitions_add_number(&a->definitions, steps[d], d < a->parameters.count ? tile->steps[d] : 1);
    for (int32_t i = 0; i < a->parameters.count; i++)
        if (order[i] < tile->tiled) definitions_add_number(&a->definitions, along_x[next++], order[i]);
    for (; next < ARRANGE_TILED; next++) definitions_add_number(&a->definitions, along_x[next], next);
    definitions_add_number(&a->definitions, "SQUARES", squares);
    definitions_add_number(&a->definitions, "STEP", step);
    int x_words = squares && has_words_of_x(scan, a, tile, order[0], each);
    int out_words = a->by_words && has_words_of_out(a, tile, each);
    a->whole_words = x_words && out_words;
    if (squares) definitions_add_number(&a->definitions, "X_WORDS", x_words);
    if (a->by_words) definitions_add_number(&a->definitions, "OUT_WORDS", out_words);
    definitions_add_number(&a->definitions, "X_RUN", run_of_tile(a, tile, order, 0));
    definitions_add_number(&a->definitions, "OUT_RUN", out_run);
    definitions_add_number(&a->definitions, "FAR", reaches_far(a, tile));
    definitions_add_number(&a->definitions, "BLOCKS_AT_ONCE", BLOCKS);
    definitions_add_number(&a->definitions, "MASK", mask_way(scan, a, order, squares));
    if (a->by_words)
        definitions_add_number(&a->definitions, "MASK_WORDS", out_words && has_words_of_mask(scan, a, each));
}

static int deal_out(const struct scan *scan, int64_t size, struct arrangement *a)
{
    struct tile tile = {{1, 1, 1, 1, 1, 1, 1, 1}, 0, size < WORD ? WORD / size : 1};
    int32_t by_x[ARRANGE_LOOPS] = {0}, by_out[ARRANGE_LOOPS] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct arrange_loop *loops = a->parameters.loops;
    sort_by_elements(a, by_x);
    if (by_x[0] != 0 && loops[by_x[0]].x < 0) turn(a, &loops[by_x[0]]);
    lengthen_run(&tile, a, by_out, side_of_tile(size));
    lengthen_run(&tile, a, by_x, side_of_tile(size));
    lengthen_all(&tile, a, by_x, TILE_BYTES / size);
    put_tiled_first(a, &tile, by_x);
    a->blocks = 1;
    for (int32_t d = 0; d < a->parameters.count; d++) {
        loops[d].tiles = divide_up(loops[d].extent, tile.steps[d]);
        if (loops[d].tiles > INT32_MAX / a->blocks) return 0;
        a->blocks *= loops[d].tiles;
    }
    a->threads = THREADS;
    define(scan, a, &tile, by_x, size);
    return 1;
}

int scan_arrange(const struct device_limits *limits, const struct scan *scan, struct scan *arranged,
                 struct arrangement *arrangement)
{
    const struct type_row *type = type_row(scan->calculation.type);
    int64_t size = part_bytes(type);
    memset(arrangement, 0, sizeof *arrangement);
    if (scan->states || scan->cells < 1 || scan->axis.extent < 1 || size > 8) return 0;
    int64_t elements = scan->cells * scan->axis.extent;
    arrangement->bytes = (size_t)(elements * type->size);
    if (arrangement->bytes < LEAST_BYTES || arrangement->bytes > limits->memory / MOST_OF_MEMORY) return 0;
    if (scan->where && !scan_find_fill(&scan->calculation, &arrangement->parameters.fill)) return 0;
    if (scan->where && scan->calculation.ordered) return 0;
    *arranged = *scan;
    arranged->where = NULL;
    arrangement->first = lay_out(arranged) * type->size;
    if (lie_arranged(scan, arranged)) return 0;
    if (!find_loops(scan, arranged, type->size / size, arrangement)) return 0;
    find_bounds(arrangement);
    if (!deal_out(scan, size, arrangement)) return 0;
    sort_kept(arranged);
    return 1;
}

int scan_orders_differ(const struct scan *scan)
{
    struct scan sorted_scan = *scan;
    struct loop *sorted[TALLY_MAX_RANK + 1];
    int32_t count = sort_by_results(&sorted_scan, sorted);
    int64_t before = 0;
    for (int32_t d = 0; d < count; d++) {
        int64_t here = distance(sorted[d]->stride[OPERAND_X]);
        if (sorted[d]->extent == 1) continue;
        if (here < before) return 1;
        before = here;
    }
    return 0;
}

int scan_is_scattered(const struct scan *scan)
{
    int64_t most = 1;
    if (!scan_orders_differ(scan)) return 0;
    for (int32_t d = -1; d < scan->kept_count; d++) {
        const struct loop *loop = d < 0 ? &scan->axis : &scan->kept[d];
        if (distance(loop->stride[OPERAND_X]) == 1 && distance(loop->stride[OPERAND_OUT]) == 1) most = loop->extent;
    }
    return most * type_row(scan->calculation.type)->size < SIDE_BYTES;
}

/* Measured on an H200, of matrices that are turned: halves that are put together from two words each take as long to
 * arrange as two scans of what is arranged. */
int scan_lies_well(const struct scan *scan, const struct arrangement *a)
{
    const struct calculation *calculation = &scan->calculation;
    const struct arrange_loop *loops = a->parameters.loops;
    if (type_row(calculation->type)->size != 2 || a->whole_words || a->parameters.count != 2 || scan->where) return 0;
    if (loops[0].out != 1 || loops[1].x != 1) return 0;
    if (calculation->ordered || calculation->method != METHOD_FOLD) return 0;
    return scan->axis.extent >= FEWEST && scan->axis.extent <= MOST;
}
