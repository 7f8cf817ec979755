/* SPDX-License-Identifier: MIT
 *
 * scan_line.c - runs along an axis: cuts a line into pieces, gathers what is not contiguous, and folds. */
#include "kernels.h"
#include "scan.h"

#include <string.h>

/* ---- pieces ---- */

void scan_copy_strided(char *to, int64_t to_stride, const char *from, int64_t from_stride, size_t n, int size)
{
    int64_t to_step = to_stride * size, from_step = from_stride * size;
    switch (size) {
    case 1:
        for (size_t i = 0; i < n; i++, to += to_step, from += from_step) *to = *from;
        break;
    case 2:
        for (size_t i = 0; i < n; i++, to += to_step, from += from_step) memcpy(to, from, 2);
        break;
    case 4:
        for (size_t i = 0; i < n; i++, to += to_step, from += from_step) memcpy(to, from, 4);
        break;
    case 8:
        for (size_t i = 0; i < n; i++, to += to_step, from += from_step) memcpy(to, from, 8);
        break;
    default:
        for (size_t i = 0; i < n; i++, to += to_step, from += from_step) memcpy(to, from, 16);
        break;
    }
}

void scan_piece_open(const struct calculation *calculation, const struct cpu_isa *isa, const struct scan_line *line,
                     int64_t first, struct scan_buffer *buffer, struct scan_piece *piece)
{
    const struct type_row *type = type_row(calculation->type);
    int skip = (calculation->flags & TALLY_SKIP_NAN) && (type->kind & KIND_FLOAT);
    const char *x = line->x + first * line->x_stride * type->size;
    piece->n = line->n - first < SCAN_MOST ? (size_t)(line->n - first) : SCAN_MOST;
    piece->x = x;
    piece->present = line->where ? line->where + first * line->where_stride : NULL;
    piece->out = NULL;
    if (line->x_stride != 1) {
        scan_copy_strided((char *)buffer->x, 1, x, line->x_stride, piece->n, type->size);
        piece->x = buffer->x;
    }
    if (piece->present && (line->where_stride != 1 || skip))
        scan_copy_strided((char *)buffer->present, 1, (const char *)piece->present, line->where_stride, piece->n, 1);
    else if (skip) memset(buffer->present, 1, piece->n);
    if (skip) isa->kernels->mask_nan[calculation->type](piece->x, piece->n, buffer->present);
    if (skip || (piece->present && line->where_stride != 1)) piece->present = buffer->present;
    if (!line->out) return;
    piece->out = buffer->out;
    if (line->out_stride == 1) piece->out = line->out + first * type_row(calculation->result)->size;
}

void scan_piece_close(const struct calculation *calculation, const struct scan_line *line, int64_t first,
                      const struct scan_piece *piece)
{
    int size = type_row(calculation->result)->size;
    if (!line->out || line->out_stride == 1) return;
    scan_copy_strided(line->out + first * line->out_stride * size, line->out_stride, piece->out, 1, piece->n, size);
}

/* ---- folds ---- */

struct fold_run {
    const struct calculation *calculation;
    const struct cpu_scan_kernels *kernels;
    const struct scan_fold_kernels *fold; /* NULL: only the scalar steps */
    const struct fold_steps *steps;
    int exclusive;
};

/* Results of real programs, which lie in values, as elements. */
static void store_reals(const struct fold_run *run, union scan_values *values, size_t n, void *out)
{
    const struct calculation *calculation = run->calculation;
    int complex = type_row(calculation->result)->kind == KIND_COMPLEX;
    int positive_zero = calculation->combine != COMBINE_MULTIPLY && calculation->combine != COMBINE_MULTIPLY_REAL;
    int part_size = type_row(calculation->result)->size / (complex ? 2 : 1);
    if (calculation->combine == COMBINE_ADD_POWERS) {
        run->kernels->add_logarithm(values, n, run->steps->lane_size == sizeof(float));
        positive_zero = 0;
    }
    if (complex && type_row(calculation->type)->kind != KIND_COMPLEX) memset(values->real[1], 0, n * sizeof(double));
    for (int p = 0; p <= complex; p++)
        run->kernels->store_real(values->real[p], n, calculation->result, complex ? 2 : 1, positive_zero,
                                 (char *)out + p * part_size);
}

/* The scalar steps, for programs without kernels and for the elements up to a group's start. */
static int run_steps(const struct fold_run *run, const struct scan_piece *piece, size_t first, size_t n,
                     struct scan_state *state)
{
    size_t size = (size_t)type_row(run->calculation->type)->size;
    size_t result_size = (size_t)type_row(run->calculation->result)->size;
    int checked = (run->calculation->flags & TALLY_CHECK_OVERFLOW) != 0, fits = 1;
    for (size_t i = first; i < first + n && fits; i++) {
        unsigned char element[16], result[16];
        void *out = piece->out || checked ? result : NULL;
        const void *x = !piece->present || piece->present[i] ? element : NULL;
        memcpy(element, (const char *)piece->x + i * size, size);
        if (out && run->exclusive) fits = scan_state_before(run->calculation, state, out);
        fits &= scan_state_step(run->calculation, state, x, run->exclusive ? NULL : out);
        if (piece->out) memcpy((char *)piece->out + i * result_size, result, result_size);
    }
    return fits;
}

static void run_words(const struct fold_run *run, const struct scan_piece *piece, struct scan_state *state)
{
    const struct type_row *result = type_row(run->calculation->result);
    int is_signed = type_row(run->calculation->type)->kind == KIND_SIGNED && run->calculation->op->lift == LIFT_VALUE;
    int64_t words[SCAN_MOST];
    int64_t *values = !piece->out ? NULL : words;
    if (piece->out && result->size == 8 && (result->kind & KIND_INTEGER)) values = piece->out;
    run->fold->run(&state->as.fold, piece->x, piece->present, piece->n, run->exclusive, values,
                   run->calculation->modulus);
    if (values == words) run->kernels->store_word(words, piece->n, is_signed, run->calculation->result, piece->out);
}

/* One group, or the part of it that there is. An unordered program has its running value for a base. */
static void run_group(const struct fold_run *run, const struct scan_piece *piece, size_t first, size_t n,
                      struct scan_state *state)
{
    const struct calculation *calculation = run->calculation;
    union scan_values values;
    struct scan_block unused;
    struct fold_value base, total;
    unsigned char only[16]; /* the carry as it is: an initial value may not be one of the kernel's type */
    struct scan_block *block = calculation->ordered ? &state->as.block : &unused;
    const struct fold_value *left = calculation->ordered ? &base : &state->as.fold;
    int alone = calculation->ordered && block->position == 0 && run->exclusive && piece->out;
    if (calculation->ordered && !scan_block_base(run->steps, block, &base)) left = NULL;
    if (alone) scan_state_before(calculation, state, only);
    run->fold->group(block, left, (const char *)piece->x + first * (size_t)type_row(calculation->type)->size,
                     piece->present ? piece->present + first : NULL, n, run->exclusive, piece->out ? &values : NULL,
                     &total);
    size_t result_size = (size_t)type_row(calculation->result)->size;
    char *out = piece->out ? (char *)piece->out + first * result_size : NULL;
    if (out) store_reals(run, &values, n, out);
    if (alone) memcpy(out, only, result_size);
    if (!calculation->ordered) {
        run->steps->combine(&state->as.fold, &total);
        return;
    }
    block->position += (int32_t)n;
    block->based = 0;
    if (n == SCAN_GROUP) scan_block_close_group(run->steps, block, &total);
}

static int run_groups(const struct fold_run *run, const struct scan_piece *piece, struct scan_state *state)
{
    size_t first = 0;
    if (run->calculation->ordered && state->as.block.position % SCAN_GROUP != 0) {
        first = SCAN_GROUP - (size_t)state->as.block.position % SCAN_GROUP;
        if (first > piece->n) first = piece->n;
        run_steps(run, piece, 0, first, state);
    }
    for (; first < piece->n; first += SCAN_GROUP) {
        size_t n = piece->n - first < SCAN_GROUP ? piece->n - first : SCAN_GROUP;
        run_group(run, piece, first, n, state);
    }
    return 1;
}

int scan_line_run(const struct calculation *calculation, const struct cpu_isa *isa, const struct scan_line *line,
                  struct scan_state *state)
{
    if (calculation->method == METHOD_EXACT) return scan_exact_run(calculation, isa, line, state);
    if (calculation->method == METHOD_USER) return scan_user_run(calculation, isa, line, state);
    enum lift lift = calculation->op->lift;
    struct fold_run run = {
        .calculation = calculation,
        .kernels = isa->scan_kernels,
        .fold = isa->scan_kernels->fold[lift][calculation->combine][calculation->type],
        .steps = fold_steps(lift, calculation->combine, calculation->type),
        .exclusive = (calculation->flags & TALLY_EXCLUSIVE) != 0,
    };
    struct scan_buffer buffer;
    int fits = 1;
    for (int64_t i = 0; i < line->n && fits; i += SCAN_MOST) {
        struct scan_piece piece;
        scan_piece_open(calculation, isa, line, i, &buffer, &piece);
        if (!run.fold) fits = run_steps(&run, &piece, 0, piece.n, state);
        else if (run.fold->run) run_words(&run, &piece, state);
        else run_groups(&run, &piece, state);
        scan_piece_close(calculation, line, i, &piece);
    }
    return fits;
}
