/* SPDX-License-Identifier: MIT
 *
 * scan_plan_tiles.c - which scans of many matrices of few columns, or of few elements, go by tiles of whole rows, a
 * warp for each (kernels/scan_columns/columns_tiles.cuh): threads that walk down a column each would read a few bytes
 * of many sectors at once. */
#include "scan_plan_columns.h"
#include "whole.h"

#define WARP 32
#define WARPS 4
#define STAGES 3
#define FEW_STAGES 2         /* where more blocks hide more than a further tile under way */
#define DEPTH 8              /* rows of a thread at once */
#define MOST_ROWS 72         /* of a run, */
#define MOST_BYTES 144       /* and of what a thread has of it */
#define TILE_BYTES 4096      /* of several matrices, each a thread's down to the last row */
#define MOST_SIDE_RESULTS 8  /* bytes of a row that a thread makes, if it has several columns */
#define MOST_ROW 256         /* bytes of a matrix's row; of wide elements, threads that walk do well from */
#define MOST_WIDE_ROW 64     /* on */
#define MOST_MATRIX 8192     /* bytes of a matrix that is a tile, or part of one, however long its rows are; */
#define MOST_DOUBLES 4       /* of exact sums of doubles so many rows, too, as those who walk down wait for them */
#define WARPS_OF_PROCESSOR 8 /* that have something to do, at least */
#define SPAN_BYTES 131072    /* that a warp moves, where its matrices are shorter */
#define SPANS_OF_WARP 8      /* of each that runs at once */
#define STATIC_BYTES 1024    /* of shared memory, of a block */
#define BANKS 32
#define ROW_COST 2   /* of a row of a run, beside its accesses to shared memory, in units of such accesses; */
#define STEP_COST 6  /* of a step from run to run, */
#define TILE_COST 66 /* and of a tile */

/* How a warp goes through matrices. */
struct tiling {
    int64_t side, sides, passes; /* columns of a thread, threads of a row in a pass */
    int64_t together;            /* matrices of a tile, */
    int64_t team, run;           /* runs of each, and rows of a run */
};

static int64_t wider(const struct scan *scan)
{
    int64_t size = type_row(scan->calculation.type)->size, result = type_row(scan->calculation.result)->size;
    return size > result ? size : result;
}

/* Whether a matrix is one piece of memory, */
static int is_piece(const struct scan *scan, enum operand operand)
{
    int64_t stride = scan->axis.stride[operand], inner = scan->kept[scan->kept_count - 1].extent;
    return stride == inner || stride == -inner;
}

/* and all of them are. */
static int are_behind_each_other(const struct scan *scan, enum operand operand)
{
    int64_t stride = scan->axis.extent * scan->kept[scan->kept_count - 1].extent;
    for (int32_t d = scan->kept_count - 2; d >= 0; d--) {
        if (scan->kept[d].stride[operand] != stride) return 0;
        stride *= scan->kept[d].extent;
    }
    return 1;
}

static int64_t bytes_of_row(const struct scan *scan)
{
    return scan->kept[scan->kept_count - 1].extent * type_row(scan->calculation.type)->size;
}

static int has_few_columns(const struct scan *scan)
{
    int64_t row = bytes_of_row(scan);
    return row <= MOST_ROW && (type_row(scan->calculation.type)->size < 8 || row < MOST_WIDE_ROW);
}

static int has_few_elements(const struct scan *scan)
{
    if (bytes_of_row(scan) * scan->axis.extent > MOST_MATRIX) return 0;
    if (type_row(scan->calculation.type)->size < 8) return 1;
    return scan->calculation.method == METHOD_EXACT && scan->axis.extent <= MOST_DOUBLES;
}

static int is_suitable(const struct scan *scan)
{
    const struct calculation *calculation = &scan->calculation;
    int64_t size = type_row(calculation->type)->size, result = type_row(calculation->result)->size;
    if (scan->where || scan->states || calculation->ordered || scan->kept_count < 2) return 0;
    if (!scan_columns_lie_beside(scan) || !is_piece(scan, OPERAND_X) || !is_piece(scan, OPERAND_OUT)) return 0;
    if (scan->axis.stride[OPERAND_X] != scan->axis.stride[OPERAND_OUT] || scan->axis.extent < 2) return 0;
    if (scan_columns_alignment(scan, OPERAND_X) % size || scan_columns_alignment(scan, OPERAND_OUT) % result) return 0;
    if (bytes_of_row(scan) % SCAN_SECTOR == 0 && scan_columns_have_whole_sectors(scan)) return 0;
    return has_few_columns(scan) || has_few_elements(scan);
}

static int64_t choose_side(const struct scan *scan)
{
    int64_t size = type_row(scan->calculation.type)->size, result = type_row(scan->calculation.result)->size;
    int64_t inner = scan->kept[scan->kept_count - 1].extent, side = size < SCAN_WORD ? SCAN_WORD / size : 1;
    int64_t in = scan_columns_alignment(scan, OPERAND_X), out = scan_columns_alignment(scan, OPERAND_OUT);
    while (side > 1 &&
           (inner % side || in % (side * size) || out % (side * result) || side * result > MOST_SIDE_RESULTS))
        side /= 2;
    return side;
}

/* How many accesses one of all lanes becomes, as some meet in banks of shared memory. */
static int64_t conflicts(const struct scan *scan, const struct tiling *t)
{
    int64_t size = type_row(scan->calculation.type)->size, inner = scan->kept[scan->kept_count - 1].extent;
    int64_t each = t->side * size > SCAN_WORD ? 2 : 1, sum = 0; /* words of an access */
    for (int64_t part = 0; part < each; part++) {
        int64_t word[WARP], seen = 0;
        int8_t in_bank[BANKS] = {0}, most = 0;
        for (int64_t lane = part * WARP / each; lane < (part + 1) * WARP / each; lane++) {
            int64_t group = t->team > 1 ? lane / t->sides : 0, matrix = group / t->team, is_new = 1;
            int64_t row = matrix * scan->axis.extent + group % t->team * t->run;
            int64_t side = t->team > 1 ? lane % t->sides : lane % (inner / t->side);
            if (t->team == 1) row = lane / (inner / t->side) * scan->axis.extent;
            if (t->team > 1 && matrix >= t->together) continue;
            int64_t at = (row * inner + side * t->side) * size / SCAN_WORD;
            for (int64_t i = 0; i < seen; i++) is_new &= word[i] != at;
            if (!is_new) continue;
            word[seen++] = at;
            if (++in_bank[at % BANKS] > most) most = in_bank[at % BANKS];
        }
        sum += most;
    }
    return sum;
}

/* Rows of a batch of a run's: absent ones take as long as others. */
static int64_t depth_of(int64_t run)
{
    int64_t best = DEPTH;
    if (run <= DEPTH) return run < 2 ? 2 : run;
    for (int64_t depth = DEPTH; depth > DEPTH / 2; depth--) {
        if (divide_up(run, depth) * depth < divide_up(run, best) * best) best = depth;
    }
    return best;
}

/* What a tile takes, for each million of its elements. */
static int64_t cost_of(const struct scan *scan, const struct tiling *t)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent, rows = scan->axis.extent, steps = 0;
    int64_t parts = divide_up(rows, t->team * t->run), passes = t->passes;
    while (1 << steps < t->team) steps++;
    if (t->team == 1) passes = divide_up(t->together * (inner / t->side), WARP);
    int64_t run = rows < t->run ? rows : t->run;
    run = divide_up(run, depth_of(run)) * depth_of(run);
    return (((ROW_COST + conflicts(scan, t)) * run + steps * STEP_COST) * passes + TILE_COST) * parts * 1000000 /
           (t->together * rows * inner);
}

/* Rows of a run, at most. */
static int64_t most_rows(const struct scan *scan, const struct tiling *t)
{
    return least(MOST_ROWS, MOST_BYTES / (t->side * wider(scan)));
}

/* Runs of a matrix, all in one tile or as many as lanes are, which leave few of these without one and few of their
 * accesses in each other's way. */
static struct tiling choose_tiling(const struct scan *scan)
{
    int64_t inner = scan->kept[scan->kept_count - 1].extent, rows = scan->axis.extent, best_cost = INT64_MAX;
    int dense = are_behind_each_other(scan, OPERAND_X) && are_behind_each_other(scan, OPERAND_OUT);
    struct tiling t = {.side = choose_side(scan)}, best = t;
    int64_t all = inner / t.side, most = most_rows(scan, &t);
    t.passes = divide_up(all, WARP);
    t.sides = divide_up(all, t.passes);
    for (t.team = 1; t.team <= WARP / t.sides; t.team++) {
        int64_t parts = divide_up(rows, t.team * most), fewest = divide_up(rows, t.team * parts);
        if (parts > 1 && t.team < WARP / t.sides) continue;
        t.together = t.team > 1 ? WARP / (t.sides * t.team) : TILE_BYTES / (rows * inner * wider(scan));
        if (parts > 1 || !dense || t.together < 1) t.together = 1;
        for (t.run = fewest; t.run <= most && t.run < fewest + 4; t.run++) {
            int64_t cost = cost_of(scan, &t);
            if (cost < best_cost) best_cost = cost, best = t;
        }
    }
    return best;
}

/* Whether each result lies in its vector as its element does, and is as wide. */
static int lie_alike(const struct scan *scan)
{
    int64_t size = type_row(scan->calculation.type)->size;
    uintptr_t apart = (uintptr_t)scan->x - (uintptr_t)scan->out;
    if (size != type_row(scan->calculation.result)->size) return 0;
    for (int32_t d = 0; d + 1 < scan->kept_count; d++)
        apart |= (uintptr_t)((scan->kept[d].stride[OPERAND_X] - scan->kept[d].stride[OPERAND_OUT]) * size);
    return apart % VECTOR_BYTES == 0;
}

/* Whether each column of a tile is a lane's down to the last row, and nothing stands above it. */
static int is_whole(const struct scan *scan, const struct tiling *t)
{
    return t->team == 1 && scan->axis.extent <= t->run && !scan->calculation.initial;
}

/* Of a room for rows of a tile. */
static int64_t room_bytes(const struct tiling *t, int64_t row)
{
    return (t->together * t->team * t->run * row + 2 * VECTOR_BYTES - 2) / VECTOR_BYTES * VECTOR_BYTES;
}

/* Matrices of a warp: whole tiles. */
static int64_t matrices_of_warp(const struct scan *scan, const struct tiling *t, int64_t warps)
{
    int64_t size = type_row(scan->calculation.type)->size, result = type_row(scan->calculation.result)->size;
    int64_t all = scan->cells * scan->axis.extent, each = all / (scan->cells / scan->kept[scan->kept_count - 1].extent);
    int64_t elements = least(SPAN_BYTES / (size + result), divide_up(all, warps * SPANS_OF_WARP));
    return divide_up(divide_up(elements, each), t->together) * t->together;
}

/* Narrow elements whose columns are a lane's each: it is instructions that they wait for. */
static int has_light_lanes(const struct scan *scan, const struct tiling *t)
{
    return is_whole(scan, t) && lie_alike(scan) && type_row(scan->calculation.type)->size <= 2;
}

static int64_t stages_of(const struct scan *scan, const struct tiling *t)
{
    return has_light_lanes(scan, t) ? FEW_STAGES : STAGES;
}

static void define_tiling(const struct device_limits *limits, const struct scan *scan, const struct tiling *t,
                          struct definitions *definitions)
{
    definitions_add_number(definitions, "WALK", 0);
    definitions_add_number(definitions, "TILES", 1);
    definitions_add_number(definitions, "THREADS", WARPS * WARP);
    /* Other exact sums have so many registers in use that those of four blocks cost more than a fourth block hides. */
    definitions_add_number(definitions, "BLOCKS_AT_ONCE",
                           scan->calculation.method == METHOD_EXACT && !has_light_lanes(scan, t) ? 3 : 4);
    definitions_add_number(definitions, "STAGES", stages_of(scan, t));
    definitions_add_number(definitions, "WHOLE", is_whole(scan, t));
    definitions_add_number(definitions, "WIDTH", scan->kept[scan->kept_count - 1].extent);
    definitions_add_number(definitions, "SIDE", t->side);
    definitions_add_number(definitions, "PACK", scan_columns_pack(limits, &scan->calculation, t->side));
    definitions_add_number(definitions, "RUN", most_rows(scan, t));
    definitions_add_number(definitions, "DEPTH", depth_of(least(scan->axis.extent, t->run)));
    definitions_add_number(definitions, "BACKWARD", scan->axis.stride[OPERAND_X] < 0);
    definitions_add_number(definitions, "APART", !lie_alike(scan));
}

int scan_plan_tiles(const struct device_limits *limits, const struct scan *scan, struct scan_plan *plan)
{
    struct reduce_parameters *p = &plan->parameters.reduce;
    int64_t size = type_row(scan->calculation.type)->size, result = type_row(scan->calculation.result)->size;
    if (!is_suitable(scan)) return 0;
    struct tiling t = choose_tiling(scan);
    if (!has_few_columns(scan) && !is_whole(scan, &t)) return 0;
    int64_t inner = scan->kept[scan->kept_count - 1].extent, matrices = scan->cells / inner;
    if (divide_up(matrices, t.together) < limits->processors * WARPS_OF_PROCESSOR) return 0;
    int64_t bytes = stages_of(scan, &t) * room_bytes(&t, inner * size);
    if (!lie_alike(scan)) bytes += room_bytes(&t, inner * result);
    if (WARPS * bytes > device_room_of_block(limits, 1) - STATIC_BYTES) return 0;
    int64_t blocks = 4;
    while (blocks > 1 && WARPS * bytes > device_room_of_block(limits, blocks) - STATIC_BYTES) blocks--;
    p->split_units = matrices_of_warp(scan, &t, limits->processors * blocks * WARPS);
    p->width = t.together;
    p->team = (int32_t)t.team;
    p->run_units = t.run;
    plan->threads = WARPS * WARP;
    plan->blocks = divide_up(divide_up(matrices, p->split_units), WARPS);
    plan->shared_bytes = (uint32_t)(WARPS * bytes);
    define_tiling(limits, scan, &t, &plan->definitions);
    return 1;
}
