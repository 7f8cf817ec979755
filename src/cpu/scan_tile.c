/* SPDX-License-Identifier: MIT
 *
 * scan_tile.c - runs the cells of a tile, directly or turned: then blocks are copied so that a cell's elements are
 * next to each other, and every cache line is read and written once. */
#include "scan.h"
#include "../user/operator.h"

#include <string.h>

static struct scan_state *state_of(struct scan_state *states, size_t state_step, int64_t cell)
{
    return (struct scan_state *)(void *)((char *)states + state_step * (size_t)cell);
}

void scan_turn_copy(char *to, int64_t to_row, int64_t to_column, const char *from, int64_t from_row,
                    int64_t from_column, int64_t rows, int64_t columns, int size)
{
    for (int64_t r = 0; r < rows; r++) {
        char *t = to + r * to_row;
        const char *f = from + r * from_row;
        switch (size) {
        case 1:
            for (int64_t c = 0; c < columns; c++, t += to_column, f += from_column) *t = *f;
            break;
        case 2:
            for (int64_t c = 0; c < columns; c++, t += to_column, f += from_column) memcpy(t, f, 2);
            break;
        case 4:
            for (int64_t c = 0; c < columns; c++, t += to_column, f += from_column) memcpy(t, f, 4);
            break;
        case 8:
            for (int64_t c = 0; c < columns; c++, t += to_column, f += from_column) memcpy(t, f, 8);
            break;
        default:
            for (int64_t c = 0; c < columns; c++, t += to_column, f += from_column) memcpy(t, f, 16);
            break;
        }
    }
}

size_t scan_turn_bytes(const struct scan *scan, int64_t cells)
{
    size_t each = (size_t)type_row(scan->calculation.type)->size + (size_t)type_row(scan->calculation.result)->size + 1;
    return SCAN_TURN_PITCH * (size_t)cells * each;
}

/* The other inputs of a user's operator, and where its results' elements lie. */
static void add_inputs(const struct scan *scan, const int64_t at[OPERAND_COUNT], struct scan_line *line)
{
    const struct user_op *user = scan->calculation.user;
    if (!user) return;
    if (scan->y) line->y = (const char *)scan->y + at[OPERAND_Y] * type_row(user->inputs[1])->size;
    if (scan->z) line->z = (const char *)scan->z + at[OPERAND_Z] * type_row(user->inputs[2])->size;
    line->y_stride = scan->axis.stride[OPERAND_Y];
    line->z_stride = scan->axis.stride[OPERAND_Z];
    line->step = scan->step;
}

static int run_cells(const struct scan *scan, const struct cpu_isa *isa, const struct scan_tile *tile, int64_t first,
                     int64_t count, struct scan_state *states, size_t state_step, int results)
{
    const int64_t *axis = scan->axis.stride;
    int size = type_row(scan->calculation.type)->size, result_size = type_row(scan->calculation.result)->size;
    int fits = 1;
    for (int64_t c = 0; c < tile->cells && fits; c++) {
        int64_t at[OPERAND_COUNT];
        for (int o = 0; o < OPERAND_COUNT; o++) at[o] = tile->offset[o] + c * tile->step[o] + first * axis[o];
        struct scan_line line = {
            .x = (const char *)scan->x + at[OPERAND_X] * size,
            .where = scan->where ? scan->where + at[OPERAND_WHERE] : NULL,
            .out = results ? (char *)scan->out + at[OPERAND_OUT] * result_size : NULL,
            .x_stride = axis[OPERAND_X],
            .where_stride = axis[OPERAND_WHERE],
            .out_stride = axis[OPERAND_OUT],
            .n = count,
        };
        add_inputs(scan, at, &line);
        fits = scan_line_run(&scan->calculation, isa, &line, state_of(states, state_step, c));
    }
    return fits;
}

/* At most SCAN_TURN elements of every cell. */
static int run_turned(const struct scan *scan, const struct cpu_isa *isa, const struct scan_tile *tile, int64_t first,
                      int64_t count, struct scan_state *states, size_t state_step, char *turn, int results)
{
    const int64_t *axis = scan->axis.stride;
    int size = type_row(scan->calculation.type)->size, result_size = type_row(scan->calculation.result)->size;
    char *x = turn, *out = x + SCAN_TURN_PITCH * tile->cells * size;
    char *where = out + SCAN_TURN_PITCH * tile->cells * result_size;
    int64_t at[OPERAND_COUNT];
    int fits = 1;
    for (int o = 0; o < OPERAND_COUNT; o++) at[o] = tile->offset[o] + first * axis[o];
    scan_turn_copy(x, size, SCAN_TURN_PITCH * size, (const char *)scan->x + at[OPERAND_X] * size,
                   axis[OPERAND_X] * size, tile->step[OPERAND_X] * size, count, tile->cells, size);
    if (scan->where)
        scan_turn_copy(where, 1, SCAN_TURN_PITCH, (const char *)scan->where + at[OPERAND_WHERE], axis[OPERAND_WHERE],
                       tile->step[OPERAND_WHERE], count, tile->cells, 1);
    for (int64_t c = 0; c < tile->cells && fits; c++) {
        struct scan_line line = {
            .x = x + c * SCAN_TURN_PITCH * size,
            .where = scan->where ? (unsigned char *)where + c * SCAN_TURN_PITCH : NULL,
            .out = results ? out + c * SCAN_TURN_PITCH * result_size : NULL,
            .x_stride = 1,
            .where_stride = 1,
            .out_stride = 1,
            .n = count,
        };
        fits = scan_line_run(&scan->calculation, isa, &line, state_of(states, state_step, c));
    }
    if (results)
        scan_turn_copy((char *)scan->out + at[OPERAND_OUT] * result_size, axis[OPERAND_OUT] * result_size,
                       tile->step[OPERAND_OUT] * result_size, out, result_size, SCAN_TURN_PITCH * result_size, count,
                       tile->cells, result_size);
    return fits;
}

int scan_tile_run(const struct scan *scan, const struct cpu_isa *isa, const struct scan_tile *tile, int64_t first,
                  int64_t count, struct scan_state *states, size_t state_step, char *turn, int results)
{
    int fits = 1;
    if (!turn) return run_cells(scan, isa, tile, first, count, states, state_step, results);
    for (int64_t i = 0; i < count && fits; i += SCAN_TURN) {
        int64_t n = count - i < SCAN_TURN ? count - i : SCAN_TURN;
        fits = run_turned(scan, isa, tile, first + i, n, states, state_step, turn, results);
    }
    return fits;
}
