/* SPDX-License-Identifier: MIT
 *
 * scan.c - tally scan: a vector is scanned chunk by chunk through a carry, so its length does not matter; an N-d array,
 * a reverse scan or one under a mask goes from view to view, which are mapped files where possible. */
#include "feed.h"
#include "io/error.h"
#include "user_op.h"
#include "write.h"

#include <stdlib.h>
#include <string.h>

typedef struct scanning {
    const cli_arguments *arguments;
    tally_context *context;
    tally_options options;
    _Alignas(16) unsigned char initial[TALLY_OP_MOST_STATE];
    io_source *input;
    io_source *others[2]; /* of a user's operator of several inputs */
    io_source *mask;
    io_sink *sink;
    cli_user_op user;
    tally_op op; /* the arguments', or the user's */
} scanning;

static bool fail_call(const scanning *s)
{
    return cli_fail_call(io_source_name(s->input));
}

static bool parse_initial(scanning *s, tally_type type)
{
    const cli_options *options = &s->arguments->options;
    return s->user.op != 0 ? cli_user_op_initial(options, &s->user, s->initial)
                           : cli_parse_initial(options, type, s->initial);
}

/* Asks the library for the result's type and opens the output. length_known is false for vectors only. */
static bool open_output(scanning *s, const tally_array *input, bool length_known)
{
    const cli_options *options = &s->arguments->options;
    tally_array like;
    s->options.initial = options->initial != NULL ? s->initial : NULL;
    if (tally_result_like(TALLY_SCAN, s->op, input, &s->options, &like) != TALLY_OK) return fail_call(s);
    if (options->initial != NULL && !parse_initial(s, like.type)) return false;
    const char *name = s->user.op != 0 ? s->user.source.name : cli_op_name(s->op);
    io_result result = {.op = name, .type = like.type, .rank = like.rank};
    memcpy(result.shape, like.shape, sizeof result.shape);
    result.length_unknown = !length_known;
    result.lines = true;
    return cli_open_sink(options, &result, &s->sink);
}

static bool scan_chunks(scanning *s, tally_scan_carry *carry, tally_type type, void *output, int64_t limit)
{
    cli_progress progress;
    double done = 0;
    cli_progress_begin(&progress, &s->arguments->options, cli_elements(s->input));
    bool good = true;
    while (good) {
        tally_array chunk;
        good = io_source_next(s->input, limit, &chunk);
        if (!good || chunk.shape[0] == 0) break;
        tally_array to = tally_vector(output, type, chunk.shape[0]);
        good = (tally_scan_continue(carry, &chunk, &to, &s->options) == TALLY_OK || fail_call(s)) &&
               io_sink_write(s->sink, output, chunk.shape[0]);
        done += (double)chunk.shape[0];
        cli_progress_show(&progress, done);
    }
    cli_progress_end(&progress);
    return good && io_source_check(s->input);
}

static bool scan_vector(scanning *s, int64_t length, bool length_known)
{
    static const _Alignas(16) unsigned char element[16];
    tally_array input = tally_vector(element, io_source_type(s->input), length);
    tally_array like;
    tally_scan_carry *carry = NULL;
    if (!open_output(s, &input, length_known)) return false;
    if (tally_result_like(TALLY_SCAN, s->op, &input, &s->options, &like) != TALLY_OK ||
        tally_scan_carry_new(s->context, s->op, input.type, 1, &s->options, &carry) != TALLY_OK) {
        return fail_call(s);
    }
    int64_t limit = cli_chunk_elements(s->input);
    void *output = malloc((size_t)limit * tally_type_size(like.type));
    bool good = output != NULL ? scan_chunks(s, carry, like.type, output, limit) : io_fail("out of memory");
    free(output);
    tally_scan_carry_free(carry);
    return good;
}

static bool scan_views(scanning *s)
{
    tally_array input;
    tally_array others[2];
    tally_array mask;
    tally_array output;
    for (int i = 0; i < 2; i++) {
        if (s->others[i] != NULL && !io_source_load(s->others[i], &others[i])) return false;
    }
    s->options.second = s->others[0] != NULL ? &others[0] : NULL;
    s->options.third = s->others[1] != NULL ? &others[1] : NULL;
    if (!io_source_load(s->input, &input) || (s->mask != NULL && !io_source_load(s->mask, &mask))) return false;
    s->options.where = s->mask != NULL ? &mask : NULL;
    return open_output(s, &input, true) && io_sink_view(s->sink, &output) &&
           (tally_scan(s->context, s->op, &input, &output, &s->options) == TALLY_OK || fail_call(s)) &&
           io_source_check(s->input) && (s->mask == NULL || io_source_check(s->mask));
}

/* The operator's other files, and the operator itself. */
static bool open_user_op(scanning *s)
{
    const cli_arguments *arguments = s->arguments;
    tally_type types[3] = {io_source_type(s->input)};
    if (arguments->count != s->user.source.input_count)
        return io_fail("the operator reads %d files side by side; given are %d", (int)s->user.source.input_count,
                       arguments->count);
    for (int i = 1; i < arguments->count; i++) {
        if (!io_source_open(arguments->words[i], &arguments->options.request, &s->others[i - 1])) return false;
        types[i] = io_source_type(s->others[i - 1]);
    }
    s->options.type = TALLY_DEFAULT_TYPE; /* --dtype is part of the operator */
    bool good = cli_user_op_compile(&arguments->options, s->context, types, &s->user);
    s->op = s->user.op;
    return good;
}

static bool scan(scanning *s)
{
    const cli_options *options = &s->arguments->options;
    io_request mask_request = {.text_type = TALLY_BOOL};
    int32_t rank = 0;
    int64_t shape[TALLY_MAX_RANK];
    bool given = cli_user_op_given(options);
    if ((given && !cli_user_op_open(options, &s->user)) ||
        !io_source_open(s->arguments->words[0], &options->request, &s->input) || (given && !open_user_op(s)) ||
        (options->where != NULL && !io_source_open(options->where, &mask_request, &s->mask))) {
        return false;
    }
    bool length_known = io_source_shape(s->input, &rank, shape);
    bool wide = given && (s->user.source.input_count > 1 || s->user.source.result_count > 1);
    bool chunked = rank == 1 && !options->reverse && s->mask == NULL && !wide;
    return (chunked ? scan_vector(s, length_known ? shape[0] : 0, length_known) : scan_views(s)) &&
           io_sink_commit(s->sink);
}

int cli_scan(const cli_arguments *arguments)
{
    scanning s = {.arguments = arguments, .op = arguments->op};
    cli_library_options(&arguments->options, &s.options);
    if (!cli_check_output(&arguments->options) || !cli_open_context(&arguments->options, &s.context)) {
        return cli_bad_usage();
    }
    bool good = scan(&s);
    io_sink_close(s.sink);
    io_source_close(s.input);
    io_source_close(s.others[0]);
    io_source_close(s.others[1]);
    io_source_close(s.mask);
    cli_user_op_close(&s.user);
    tally_close(s.context);
    return good ? CLI_OK : cli_bad_input();
}
