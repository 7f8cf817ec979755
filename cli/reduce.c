/* SPDX-License-Identifier: MIT
 *
 * reduce.c - tally reduce, and every operator as a command. A reduction of everything streams through a partial in
 * constant memory; one along some axes, of a pair, or under a mask works on whole views. */
#include "feed.h"
#include "io/error.h"
#include "user_op.h"
#include "write.h"

#include <stdlib.h>
#include <string.h>

typedef struct reduction {
    const cli_arguments *arguments;
    tally_context *context;
    tally_options options;
    _Alignas(16) unsigned char initial[TALLY_OP_MOST_STATE];
    io_source **inputs;
    int input_count;
    io_source *mask;
    tally_array result; /* owns result.data */
    cli_user_op user;
    tally_op op; /* the arguments', or the user's */
} reduction;

static io_source *first_input(const reduction *r)
{
    return r->inputs[0];
}

/* The files are read side by side, not one after another. */
static bool is_zipped(const reduction *r)
{
    return r->user.source.input_count > 1;
}

static bool open_user_op(reduction *r)
{
    tally_type types[3] = {0};
    if (!cli_user_op_given(&r->arguments->options)) return true;
    if (is_zipped(r) && r->input_count != r->user.source.input_count)
        return io_fail("the operator reads %d files side by side; given are %d", (int)r->user.source.input_count,
                       r->input_count);
    for (int i = 0; i < r->user.source.input_count; i++) types[i] = io_source_type(r->inputs[i]);
    r->options.type = TALLY_DEFAULT_TYPE; /* --dtype is part of the operator */
    bool good = cli_user_op_compile(&r->arguments->options, r->context, types, &r->user);
    r->op = r->user.op;
    return good;
}

static bool open_inputs(reduction *r)
{
    const cli_arguments *arguments = r->arguments;
    const cli_options *options = &arguments->options;
    io_request mask_request = {.text_type = TALLY_BOOL};
    r->inputs = calloc((size_t)arguments->count, sizeof *r->inputs);
    if (r->inputs == NULL) return io_fail("out of memory");
    for (int i = 0; i < arguments->count; i++) {
        if (!io_source_open(arguments->words[i], &options->request, &r->inputs[i])) return false;
        r->input_count++;
        tally_type type = io_source_type(r->inputs[i]);
        if (!is_zipped(r) && type != io_source_type(first_input(r))) {
            return io_fail("%s: is %s, but %s is %s; convert one of them", io_source_name(r->inputs[i]),
                           tally_type_name(type), io_source_name(first_input(r)),
                           tally_type_name(io_source_type(first_input(r))));
        }
    }
    return options->where == NULL || io_source_open(options->where, &mask_request, &r->mask);
}

/* Several files are one vector; a pair, a mask or an axis needs shapes. */
static bool streams(const reduction *r)
{
    return r->options.axes == NULL && r->mask == NULL && r->op != TALLY_DOT && !is_zipped(r);
}

static bool parse_initial(reduction *r)
{
    const cli_options *options = &r->arguments->options;
    return r->user.op != 0 ? cli_user_op_initial(options, &r->user, r->initial)
                           : cli_parse_initial(options, r->result.type, r->initial);
}

/* The result's type does not depend on the value of initial, so zeros stand for it until it can be parsed. */
static bool make_result(reduction *r, const tally_array *input)
{
    const cli_options *options = &r->arguments->options;
    r->options.initial = options->initial != NULL ? r->initial : NULL;
    if (tally_result_like(TALLY_REDUCE, r->op, input, &r->options, &r->result) != TALLY_OK) {
        return cli_fail_call(io_source_name(first_input(r)));
    }
    if (options->initial != NULL && !parse_initial(r)) return false;
    int64_t elements = 1;
    for (int32_t i = 0; i < r->result.rank; i++) {
        elements *= r->result.shape[i];
    }
    size_t bytes = (size_t)elements * tally_type_size(r->result.type);
    r->result.data = malloc(bytes > 0 ? bytes : 1);
    return r->result.data != NULL || io_fail("out of memory for a result of %zu bytes", bytes);
}

/* What stands for the inputs in the question for the result's type and shape: one element with as many axes, which is
 * neither empty nor of unknown length. */
static tally_array stand_in(const reduction *r)
{
    int32_t rank = 1;
    int64_t shape[TALLY_MAX_RANK];
    io_source_shape(first_input(r), &rank, shape);
    for (int32_t i = 0; i < rank; i++) {
        shape[i] = 1;
    }
    static const _Alignas(16) unsigned char element[16];
    return tally_shaped(element, io_source_type(first_input(r)), r->input_count > 1 ? 1 : rank, shape);
}

static bool reduce_streams(reduction *r)
{
    int64_t values[] = {r->user.op != 0 ? r->user.source.result_count : r->op == TALLY_MINMAX ? 2 : 1};
    tally_array input = stand_in(r);
    tally_partial *partial = NULL;
    if (!make_result(r, &input)) return false;
    bool good = tally_partial_new(r->context, r->op, input.type, 0, NULL, &r->options, &partial) == TALLY_OK ||
                cli_fail_call(io_source_name(first_input(r)));
    /* Partials leave reduced axes out; keepdims only adds axes of length 1 to the same elements. */
    tally_array cell = tally_shaped(r->result.data, r->result.type, values[0] > 1, values);
    double total = 0;
    double done = 0;
    for (int i = 0; i < r->input_count; i++) {
        total += cli_elements(r->inputs[i]);
    }
    cli_progress progress;
    cli_progress_begin(&progress, &r->arguments->options, total);
    for (int i = 0; good && i < r->input_count; i++) {
        good = cli_feed(&partial, 1, r->inputs[i], &progress, &done);
    }
    cli_progress_end(&progress);
    good = good && (tally_partial_finish(partial, &cell) == TALLY_OK || cli_fail_call(io_source_name(first_input(r))));
    tally_partial_free(partial);
    return good;
}

static bool reduce_views(reduction *r)
{
    tally_array input;
    tally_array second;
    tally_array third;
    tally_array mask;
    bool pair = r->op == TALLY_DOT || is_zipped(r), triple = pair && r->input_count > 2;
    if (!pair && r->input_count > 1) {
        return io_fail("%s: several files are reduced as one vector; --axis and --where take one file",
                       io_source_name(r->inputs[1]));
    }
    if (!io_source_load(first_input(r), &input) || (pair && !io_source_load(r->inputs[1], &second)) ||
        (triple && !io_source_load(r->inputs[2], &third)) || (r->mask != NULL && !io_source_load(r->mask, &mask))) {
        return false;
    }
    r->options.second = pair ? &second : NULL;
    r->options.third = triple ? &third : NULL;
    r->options.where = r->mask != NULL ? &mask : NULL;
    bool good =
        make_result(r, &input) && (tally_reduce(r->context, r->op, &input, &r->result, &r->options) == TALLY_OK ||
                                   cli_fail_call(io_source_name(first_input(r))));
    for (int i = 0; good && i < r->input_count; i++) {
        good = io_source_check(r->inputs[i]);
    }
    return good && (r->mask == NULL || io_source_check(r->mask));
}

static bool write_result(const reduction *r)
{
    const tally_array *array = &r->result;
    io_result result = {
        .op = r->user.op != 0 ? r->user.source.name : cli_op_name(r->op), .type = array->type, .rank = array->rank};
    int64_t elements = 1;
    for (int32_t i = 0; i < array->rank; i++) {
        result.shape[i] = array->shape[i];
        elements *= array->shape[i];
    }
    io_sink *sink = NULL;
    bool good = cli_open_sink(&r->arguments->options, &result, &sink) && io_sink_write(sink, array->data, elements) &&
                io_sink_commit(sink);
    io_sink_close(sink);
    return good;
}

int cli_reduce(const cli_arguments *arguments)
{
    reduction r = {.arguments = arguments, .op = arguments->op};
    cli_library_options(&arguments->options, &r.options);
    if (!cli_check_output(&arguments->options) || !cli_open_context(&arguments->options, &r.context)) {
        return cli_bad_usage();
    }
    bool good = (!cli_user_op_given(&arguments->options) || cli_user_op_open(&arguments->options, &r.user)) &&
                open_inputs(&r) && open_user_op(&r) && (streams(&r) ? reduce_streams(&r) : reduce_views(&r)) &&
                write_result(&r);
    free(r.result.data);
    for (int i = 0; i < r.input_count; i++) {
        io_source_close(r.inputs[i]);
    }
    free(r.inputs);
    io_source_close(r.mask);
    cli_user_op_close(&r.user);
    tally_close(r.context);
    return good ? CLI_OK : cli_bad_input();
}
