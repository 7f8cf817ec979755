/* SPDX-License-Identifier: MIT
 *
 * stats.c - tally stats: everything about an array's values in one pass, from four partials that share each chunk.
 * NaNs are counted and left out of the rest. */
#include "feed.h"
#include "io/error.h"
#include "io/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOMENTS, NONZERO, LOWEST, HIGHEST, PARTIALS, PARTIALS_UNORDERED = LOWEST };

static const tally_op partial_ops[PARTIALS] = {TALLY_STD, TALLY_COUNT_NONZERO, TALLY_ARGMIN, TALLY_ARGMAX};

/* One value with its type, ready to print; type 0 when there is none. */
typedef struct value {
    tally_type type;
    _Alignas(16) unsigned char bytes[16];
} value;

typedef struct statistics {
    const io_source *source;
    tally_type type;
    int32_t rank;
    int64_t shape[TALLY_MAX_RANK];
    int64_t count; /* without NaNs */
    int64_t nans;
    int64_t zeros;
    value sum, mean, std, min, max;
    int64_t min_index, max_index; /* flat */
} statistics;

/* Finishes a partial as one of the operators that it answers. */
static bool finish(const tally_partial *partial, const statistics *s, tally_op op, value *result)
{
    tally_array input = tally_vector(result->bytes, s->type, 1);
    tally_array output;
    tally_options options = TALLY_OPTIONS_INIT;
    if (tally_result_like(TALLY_REDUCE, op, &input, &options, &output) != TALLY_OK) {
        return cli_fail_call(io_source_name(s->source));
    }
    output.data = result->bytes;
    tally_status status = tally_partial_finish_as(partial, op, &output);
    result->type = status == TALLY_OK ? output.type : TALLY_DEFAULT_TYPE;
    return status == TALLY_OK || status == TALLY_EMPTY || cli_fail_call(io_source_name(s->source));
}

static bool finish_index(const tally_partial *partial, const statistics *s, tally_op op, int64_t *index)
{
    value result = {.type = TALLY_DEFAULT_TYPE};
    *index = -1;
    if (!finish(partial, s, op, &result)) return false;
    if (result.type != TALLY_DEFAULT_TYPE) memcpy(index, result.bytes, sizeof *index);
    return true;
}

static bool finish_all(tally_partial *const *partials, int32_t count, statistics *s)
{
    int64_t added = 0;
    int64_t absent = 0;
    int64_t nonzero = 0;
    bool good = finish(partials[MOMENTS], s, TALLY_SUM, &s->sum) &&
                finish(partials[MOMENTS], s, TALLY_MEAN, &s->mean) &&
                finish(partials[MOMENTS], s, TALLY_STD, &s->std) &&
                finish_index(partials[NONZERO], s, TALLY_COUNT_NONZERO, &nonzero);
    if (good && count == PARTIALS) {
        good = finish(partials[LOWEST], s, TALLY_MIN, &s->min) && finish(partials[HIGHEST], s, TALLY_MAX, &s->max) &&
               finish_index(partials[LOWEST], s, TALLY_ARGMIN, &s->min_index) &&
               finish_index(partials[HIGHEST], s, TALLY_ARGMAX, &s->max_index);
    }
    if (good && tally_partial_count(partials[MOMENTS], &added, &absent) != TALLY_OK) {
        good = cli_fail_call(io_source_name(s->source));
    }
    s->count = added - absent;
    s->nans = absent;
    s->zeros = s->count - nonzero;
    return good;
}

static bool compute(tally_context *context, const cli_options *given, io_source *source, statistics *s)
{
    tally_partial *partials[PARTIALS] = {NULL};
    tally_options options;
    int32_t count = io_type_is_complex(s->type) ? PARTIALS_UNORDERED : PARTIALS;
    cli_progress progress;
    double done = 0;
    cli_library_options(given, &options);
    options.flags |= TALLY_SKIP_NAN;
    bool good = true;
    for (int32_t i = 0; good && i < count; i++) {
        options.correction = i == MOMENTS ? given->correction : 0.0;
        good = tally_partial_new(context, partial_ops[i], s->type, 0, NULL, &options, &partials[i]) == TALLY_OK ||
               cli_fail_call(io_source_name(source));
    }
    cli_progress_begin(&progress, given, cli_elements(source));
    good = good && cli_feed(partials, count, source, &progress, &done);
    cli_progress_end(&progress);
    good = good && finish_all(partials, count, s);
    for (int32_t i = 0; i < count; i++) {
        tally_partial_free(partials[i]);
    }
    if (!io_source_shape(source, &s->rank, s->shape)) s->shape[0] = (int64_t)done;
    return good;
}

/* A flat index as the array's own: [3, 4]; just the number for a vector. */
static void print_index(const statistics *s, int64_t flat)
{
    int64_t index[TALLY_MAX_RANK];
    if (s->rank < 2) {
        printf("%" PRId64, flat);
        return;
    }
    for (int32_t i = s->rank - 1; i >= 0; i--) {
        index[i] = flat % s->shape[i];
        flat /= s->shape[i];
    }
    for (int32_t i = 0; i < s->rank; i++) {
        printf("%s%" PRId64, i == 0 ? "[" : ", ", index[i]);
    }
    printf("]");
}

static void print_line(const char *name, const value *result)
{
    char text[IO_NUMBER_ROOM] = "none";
    if (result->type != TALLY_DEFAULT_TYPE) io_number_print(result->type, result->bytes, text);
    printf("%-6s %s", name, text);
}

static void print_extreme(const statistics *s, const char *name, const value *result, int64_t index)
{
    print_line(name, result);
    if (index >= 0) {
        printf(" at ");
        print_index(s, index);
    }
    printf("\n");
}

static void print_text(const statistics *s)
{
    printf("%-6s %s\n%-6s %s", "file", io_source_name(s->source), "type", tally_type_name(s->type));
    for (int32_t i = 0; i < s->rank; i++) {
        printf("%s%" PRId64, i == 0 ? ", " : " x ", s->shape[i]);
    }
    printf("\n%-6s %" PRId64 "\n", "count", s->count);
    print_line("sum", &s->sum);
    printf("\n");
    print_line("mean", &s->mean);
    printf("\n");
    print_line("std", &s->std);
    printf("\n");
    if (!io_type_is_complex(s->type)) {
        print_extreme(s, "min", &s->min, s->min_index);
        print_extreme(s, "max", &s->max, s->max_index);
    }
    printf("%-6s %" PRId64 "\n%-6s %" PRId64 "\n", "nan", s->nans, "zeros", s->zeros);
}

static void print_json_value(const char *name, const value *result)
{
    char text[IO_NUMBER_ROOM] = "null";
    if (result->type != TALLY_DEFAULT_TYPE) io_number_print_json(result->type, result->bytes, text);
    printf(", \"%s\": %s", name, text);
}

static void print_json_extreme(const statistics *s, const char *name, const value *result, int64_t index)
{
    print_json_value(name, result);
    printf(", \"arg%s\": ", name);
    if (index < 0) {
        printf("null");
    } else {
        print_index(s, index);
    }
}

static void print_json(const statistics *s)
{
    printf("{\"file\": ");
    cli_print_json_string(io_source_name(s->source));
    printf(", \"type\": \"%s\", \"shape\": [", tally_type_name(s->type));
    for (int32_t i = 0; i < s->rank; i++) {
        printf("%s%" PRId64, i == 0 ? "" : ", ", s->shape[i]);
    }
    printf("], \"count\": %" PRId64, s->count);
    print_json_value("sum", &s->sum);
    print_json_value("mean", &s->mean);
    print_json_value("std", &s->std);
    if (!io_type_is_complex(s->type)) {
        print_json_extreme(s, "min", &s->min, s->min_index);
        print_json_extreme(s, "max", &s->max, s->max_index);
    }
    printf(", \"nan\": %" PRId64 ", \"zeros\": %" PRId64 "}\n", s->nans, s->zeros);
}

static bool report(tally_context *context, const cli_options *options, const char *path, bool first)
{
    io_source *source = NULL;
    if (!io_source_open(path, &options->request, &source)) return false;
    statistics s = {.source = source, .type = io_source_type(source), .min_index = -1, .max_index = -1};
    bool good = compute(context, options, source, &s);
    if (good && options->json) {
        print_json(&s);
    } else if (good) {
        printf("%s", first ? "" : "\n");
        print_text(&s);
    }
    io_source_close(source);
    return good;
}

int cli_stats(const cli_arguments *arguments)
{
    tally_context *context = NULL;
    if (!cli_open_context(&arguments->options, &context)) return cli_bad_usage();
    bool good = true;
    for (int i = 0; good && i < arguments->count; i++) {
        good = report(context, &arguments->options, arguments->words[i], i == 0);
    }
    tally_close(context);
    return good ? CLI_OK : cli_bad_input();
}
