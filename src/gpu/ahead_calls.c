/* SPDX-License-Identifier: MIT
 *
 * ahead_calls.c - the calls that most programs make. */
#include "ahead.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
#define MOST ((int64_t)1 << 28) /* elements */

/* Of whole arrays all types have their kernels; along an axis, of which a length or a number of columns has one, the
 * first of types and operators. */
static const tally_type types[] = {TALLY_F32, TALLY_F64, TALLY_I32, TALLY_I64, TALLY_F16, TALLY_BF16,
                                   TALLY_I8,  TALLY_U8,  TALLY_I16, TALLY_U32, TALLY_BOOL};
static const tally_op reductions[] = {TALLY_SUM,    TALLY_MEAN,    TALLY_MAX,          TALLY_MIN,       TALLY_ARGMAX,
                                      TALLY_ARGMIN, TALLY_VAR,     TALLY_STD,          TALLY_NORM1,     TALLY_NORM2,
                                      TALLY_DOT,    TALLY_NORMINF, TALLY_PROD,         TALLY_LOGSUMEXP, TALLY_ANY,
                                      TALLY_ALL,    TALLY_MINMAX,  TALLY_COUNT_NONZERO};
static const tally_op scans[] = {TALLY_SUM, TALLY_MAX, TALLY_MIN};
enum { TYPES_ALONG = 6, REDUCTIONS_ALONG = 5, SCANS_ALONG = 1 };

/* Powers of two and of ten, and some between them: whole arrays, and rows or columns of matrices of so many elements.
 */
static const int64_t sizes[] = {1000, 1 << 16, 1 << 20, 1 << 24, MOST};
static const int64_t lengths[] = {2,   3,   4,   8,    10,   16,   32,    50,    64,      100,
                                  128, 256, 512, 1000, 1024, 4096, 10000, 65536, 1000000, 1 << 20};
static const int64_t totals[] = {1 << 20, 1 << 24, MOST};

/* Where the arrays would lie. */
struct arrays {
    tally_context *context;
    void *input, *second, *output;
};

static tally_status reduce(const struct arrays *a, tally_op op, const tally_array *x, int32_t axis)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array out, y = *x;
    y.data = a->second;
    if (op == TALLY_DOT) options.second = &y;
    if (axis >= 0) options.axes = &axis, options.axis_count = 1;
    TRY(tally_result_like(TALLY_REDUCE, op, x, &options, &out));
    out.data = a->output;
    return tally_reduce(a->context, op, x, &out, &options);
}

static tally_status scan(const struct arrays *a, tally_op op, const tally_array *x, int32_t axis)
{
    tally_options options = TALLY_OPTIONS_INIT;
    tally_array out;
    options.axes = &axis, options.axis_count = 1;
    TRY(tally_result_like(TALLY_SCAN, op, x, &options, &out));
    out.data = a->output;
    return tally_scan(a->context, op, x, &out, &options);
}

/* As for files that do not fit the memory. */
static tally_status reduce_chunks(const struct arrays *a, tally_op op, tally_type type)
{
    tally_array x = tally_vector(a->input, type, MOST), y = tally_vector(a->second, type, MOST);
    tally_options options = TALLY_OPTIONS_INIT;
    tally_partial *partial;
    TRY(tally_partial_new(a->context, op, type, 0, NULL, &options, &partial));
    tally_status status = tally_partial_add(partial, &x, op == TALLY_DOT ? &y : NULL, NULL);
    tally_partial_free(partial);
    return status;
}

static tally_status scan_chunks(const struct arrays *a, tally_op op, tally_type type)
{
    tally_array x = tally_vector(a->input, type, MOST), out;
    tally_options options = TALLY_OPTIONS_INIT;
    tally_scan_carry *carry;
    TRY(tally_result_like(TALLY_SCAN, op, &x, &options, &out));
    out.data = a->output;
    TRY(tally_scan_carry_new(a->context, op, type, 1, &options, &carry));
    tally_status status = tally_scan_continue(carry, &x, &out, &options);
    if (status == TALLY_OK) status = tally_scan_continue(carry, &x, &out, &options);
    tally_scan_carry_free(carry);
    return status;
}

static tally_status call_whole(const struct arrays *a, tally_type type)
{
    for (int s = 0; s < COUNT(sizes); s++) {
        tally_array x = tally_vector(a->input, type, sizes[s]);
        for (int o = 0; o < COUNT(reductions); o++) TRY(reduce(a, reductions[o], &x, -1));
        for (int o = 0; o < COUNT(scans); o++) TRY(scan(a, scans[o], &x, 0));
    }
    for (int o = 0; o < COUNT(reductions); o++) TRY(reduce_chunks(a, reductions[o], type));
    for (int o = 0; o < COUNT(scans); o++) TRY(scan_chunks(a, scans[o], type));
    return TALLY_OK;
}

static tally_status call_matrix(const struct arrays *a, const tally_array *x, int32_t axis)
{
    for (int o = 0; o < REDUCTIONS_ALONG; o++) TRY(reduce(a, reductions[o], x, axis));
    for (int o = 0; o < SCANS_ALONG; o++) TRY(scan(a, scans[o], x, axis));
    return TALLY_OK;
}

static tally_status call_axes(const struct arrays *a, tally_type type)
{
    for (int i = 0; i < COUNT(totals) * COUNT(lengths); i++) {
        int64_t length = lengths[i % COUNT(lengths)], cells = totals[i / COUNT(lengths)] / length;
        if (cells < 2) continue;
        tally_array rows = tally_matrix(a->input, type, cells, length),
                    columns = tally_matrix(a->input, type, length, cells);
        TRY(call_matrix(a, &rows, 1));
        TRY(call_matrix(a, &columns, 0));
    }
    return TALLY_OK;
}

tally_status ahead_call(tally_context *context)
{
    struct arrays a = {.context = context};
    TRY(gpu_allocate(context, MOST * 8, &a.input));
    TRY(gpu_allocate(context, MOST * 8, &a.second));
    TRY(gpu_allocate(context, MOST * 8, &a.output));
    for (int t = 0; t < COUNT(types); t++) TRY(call_whole(&a, types[t]));
    for (int t = 0; t < TYPES_ALONG; t++) TRY(call_axes(&a, types[t]));
    return TALLY_OK;
}
