/* SPDX-License-Identifier: MIT
 *
 * field_columns.c - the sums of a matrix's columns in the field KoalaBear, as a batch of polynomials is summed up in a
 * proof: field_columns [DEVICE [ROWS [COLUMNS]]], by default on the CPU, of 2^20 rows and 256 columns. */
#include <stdio.h>
#include <stdlib.h>
#include <tally.h>

enum { REPEATS = 5 };

/* Residues that look like random ones: a multiplicative generator, whose every state is one. */
static void fill(uint32_t *x, int64_t n)
{
    uint64_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 16807 % TALLY_KOALABEAR;
        x[i] = (uint32_t)state;
    }
}

/* The same sums by a loop, which adds without reducing: 2^32 residues of 31 bits fit a word. */
static int is_right(const uint32_t *x, int64_t rows, int64_t columns, const uint32_t *sums)
{
    for (int64_t c = 0; c < columns; c++) {
        uint64_t sum = 0;
        for (int64_t r = 0; r < rows; r++) sum += x[r * columns + c];
        if (sums[c] != sum % TALLY_KOALABEAR) return 0;
    }
    return 1;
}

/* Sums up columns that lie on the device, several times; gives the best time. */
static tally_status add_columns(tally_context *context, const tally_array *input, const tally_array *output,
                                double *milliseconds)
{
    const int32_t rows_axis = 0;
    tally_options options = TALLY_OPTIONS_INIT;
    options.axes = &rows_axis;
    options.axis_count = 1;
    options.modulus = TALLY_KOALABEAR;
    for (int i = 0; i <= REPEATS; i++) {
        double time = 0;
        tally_status status = tally_mark(context, 0);
        if (status == TALLY_OK) status = tally_reduce(context, TALLY_SUM, input, output, &options);
        if (status == TALLY_OK) status = tally_mark(context, 1);
        if (status == TALLY_OK) status = tally_elapsed(context, 0, 1, &time);
        if (status != TALLY_OK) return status;
        if (i <= 1 || time < *milliseconds) *milliseconds = time; /* the first compiles the kernel */
    }
    return TALLY_OK;
}

static tally_status run(tally_context *context, const uint32_t *x, int64_t rows, int64_t columns, uint32_t *sums,
                        double *milliseconds)
{
    size_t bytes = (size_t)(rows * columns) * sizeof *x, sum_bytes = (size_t)columns * sizeof *sums;
    void *matrix = NULL, *totals = NULL;
    tally_status status = tally_alloc(context, bytes, &matrix);
    if (status == TALLY_OK) status = tally_alloc(context, sum_bytes, &totals);
    if (status == TALLY_OK) status = tally_copy(context, matrix, x, bytes);
    tally_array input = tally_matrix(matrix, TALLY_U32, rows, columns);
    tally_array output = tally_vector(totals, TALLY_U32, columns);
    if (status == TALLY_OK) status = add_columns(context, &input, &output, milliseconds);
    if (status == TALLY_OK) status = tally_copy(context, sums, totals, sum_bytes);
    tally_free(context, totals, sum_bytes);
    tally_free(context, matrix, bytes);
    return status;
}

int main(int argc, char **argv)
{
    long long rows = argc > 2 ? atoll(argv[2]) : 1 << 20, columns = argc > 3 ? atoll(argv[3]) : 256;
    if (rows < 1 || columns < 1 || rows > (1ll << 31) || columns > (1ll << 31) / rows) {
        fprintf(stderr, "usage: %s [DEVICE [ROWS [COLUMNS]]], at most 2^31 elements\n", argv[0]);
        return 2;
    }
    uint32_t *x = malloc((size_t)(rows * columns) * sizeof *x), *sums = malloc((size_t)columns * sizeof *sums);
    if (!x || !sums) {
        fprintf(stderr, "no memory for %lld x %lld elements\n", rows, columns);
        return 1;
    }
    fill(x, rows * columns);
    double milliseconds = 0;
    tally_context *context = NULL;
    tally_status status = tally_open(argc > 1 ? argv[1] : "cpu", &context);
    if (status == TALLY_OK) status = run(context, x, rows, columns, sums, &milliseconds);
    int right = status == TALLY_OK && is_right(x, rows, columns, sums);
    if (status != TALLY_OK) fprintf(stderr, "%s\n", tally_last_error());
    else if (!right) fprintf(stderr, "the sums are wrong\n");
    else
        printf("%lld x %lld elements of KoalaBear: %lld sums, verified; %.3f ms, %.1f GB/s\n", rows, columns, columns,
               milliseconds, (double)(rows * columns * 4) / 1e6 / milliseconds);
    tally_close(context);
    free(sums);
    free(x);
    return right ? 0 : 1;
}
