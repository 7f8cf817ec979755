/* SPDX-License-Identifier: MIT
 *
 * scan_user.c - scans by a user's operator: a line in pieces, gathered where they are not contiguous, through the
 * operator's own kernel. */
#include "../user/tree.h"
#include "kernels.h"
#include "scan.h"

#include <string.h>

/* Elements of a piece: two groups of the block scheme, fewer when results are wide. */
#define PIECE 1024
#define RESULT_ROOM (PIECE * 64)

struct user_buffer {
    _Alignas(64) unsigned char inputs[USER_INPUTS_MOST][PIECE * 16], results[RESULT_ROOM];
    unsigned char present[PIECE];
};

/* Input number c of the piece that begins at `first`. */
static const void *read_input(const struct user_op *op, const struct scan_line *line, int c, int64_t first, size_t n,
                              struct user_buffer *buffer)
{
    const char *const memory[] = {line->x, line->y, line->z};
    const int64_t strides[] = {line->x_stride, line->y_stride, line->z_stride};
    int size = type_row(op->inputs[c])->size;
    const char *from = memory[c] + first * strides[c] * size;
    if (strides[c] == 1) return from;
    scan_copy_strided((char *)buffer->inputs[c], 1, from, strides[c], n, size);
    return buffer->inputs[c];
}

static const unsigned char *read_present(const struct calculation *calculation, const struct cpu_isa *isa,
                                         const struct scan_line *line, int64_t first, const struct user_run *run,
                                         unsigned char *present)
{
    const struct user_op *op = calculation->user;
    size_t n = (size_t)run->n;
    int skips = (calculation->flags & TALLY_SKIP_NAN) != 0;
    if (!line->where && !skips) return NULL;
    if (line->where)
        scan_copy_strided((char *)present, 1, (const char *)line->where + first * line->where_stride,
                          line->where_stride, n, 1);
    else memset(present, 1, n);
    for (int c = 0; skips && c < op->input_count; c++) {
        if (type_row(op->inputs[c])->kind & KIND_FLOAT)
            isa->kernels->mask_nan[op->inputs[c]](run->inputs[c], n, present);
    }
    return present;
}

static void write_results(const struct calculation *calculation, const struct scan_line *line, int64_t first, size_t n,
                          const unsigned char *results)
{
    int size = type_row(calculation->result)->size;
    char *to = line->out + first * line->out_stride * size;
    if (calculation->values == 1) {
        scan_copy_strided(to, line->out_stride, (const char *)results, 1, n, size);
        return;
    }
    for (int32_t v = 0; v < calculation->values; v++)
        scan_copy_strided(to + v * line->step * size, line->out_stride, (const char *)results + v * size,
                          calculation->values, n, size);
}

int scan_user_run(const struct calculation *calculation, const struct cpu_isa *isa, const struct scan_line *line,
                  struct scan_state *state)
{
    const struct user_op *op = calculation->user;
    struct user_buffer buffer;
    int64_t result_bytes = (int64_t)type_row(calculation->result)->size * calculation->values;
    int64_t most = RESULT_ROOM / result_bytes < PIECE ? RESULT_ROOM / result_bytes : PIECE;
    int direct = line->out && line->out_stride == 1 && calculation->values == 1 && line->out != line->x;
    for (int64_t i = 0; i < line->n; i += most) {
        struct user_run run = {.n = line->n - i < most ? line->n - i : most, .index = user_line_elements(state)};
        for (int c = 0; c < op->input_count; c++) run.inputs[c] = read_input(op, line, c, i, (size_t)run.n, &buffer);
        run.present = read_present(calculation, isa, line, i, &run, buffer.present);
        void *results = direct ? (void *)(line->out + i * result_bytes) : line->out ? buffer.results : NULL;
        user_line_run(calculation, state, &run, results);
        if (results && !direct) write_results(calculation, line, i, (size_t)run.n, buffer.results);
    }
    return 1;
}
