/* SPDX-License-Identifier: MIT
 *
 * map.c - tally map: an expression of the elements of up to four files, whose shapes broadcast. */
#include "io/error.h"
#include "user_op.h"
#include "write.h"

#include <string.h>

enum { MOST_INPUTS = 4 };

typedef struct mapping {
    const cli_arguments *arguments;
    tally_context *context;
    io_source *files[MOST_INPUTS];
    tally_array inputs[MOST_INPUTS];
    int count;
    tally_op op;
    io_sink *sink;
} mapping;

static bool load_inputs(mapping *m)
{
    const cli_arguments *arguments = m->arguments;
    for (m->count = 0; m->count < arguments->count - 1; m->count++) {
        io_source **file = &m->files[m->count];
        if (!io_source_open(arguments->words[m->count + 1], &arguments->options.request, file) ||
            !io_source_load(*file, &m->inputs[m->count])) {
            return false;
        }
    }
    return true;
}

/* Axes are aligned at the end; a length of 1 stretches. */
static bool broadcast_shape(const mapping *m, int32_t *rank, int64_t *shape)
{
    *rank = 0;
    for (int c = 0; c < m->count; c++) {
        if (m->inputs[c].rank > *rank) *rank = m->inputs[c].rank;
    }
    for (int32_t d = 0; d < *rank; d++) {
        shape[d] = 1;
        for (int c = 0; c < m->count; c++) {
            int32_t axis = d - (*rank - m->inputs[c].rank);
            int64_t length = axis < 0 ? 1 : m->inputs[c].shape[axis];
            if (length == 1 || length == shape[d]) continue;
            if (shape[d] != 1) {
                return io_fail("%s: has length %lld along axis %d, where another file has %lld",
                               io_source_name(m->files[c]), (long long)length, (int)axis, (long long)shape[d]);
            }
            shape[d] = length;
        }
    }
    return true;
}

static bool compile(mapping *m, tally_type *type)
{
    const cli_options *options = &m->arguments->options;
    tally_op_source source = TALLY_OP_SOURCE_INIT;
    source.name = "expression";
    source.input_count = m->count;
    for (int c = 0; c < m->count; c++) source.inputs[c] = m->inputs[c].type;
    source.result = options->dtype;
    source.lift = m->arguments->words[0];
    source.helpers = options->helpers;
    return (tally_map_compile(m->context, &source, &m->op) == TALLY_OK && tally_map_result(m->op, type) == TALLY_OK) ||
           cli_fail_compile("map");
}

static bool map(mapping *m)
{
    io_result result = {.op = "map", .lines = true};
    tally_array output;
    if (!load_inputs(m) || !broadcast_shape(m, &result.rank, result.shape) || !compile(m, &result.type)) return false;
    if (!cli_open_sink(&m->arguments->options, &result, &m->sink) || !io_sink_view(m->sink, &output)) return false;
    bool good = tally_map(m->context, m->op, m->inputs, m->count, &output) == TALLY_OK || cli_fail_call("map");
    for (int c = 0; good && c < m->count; c++) good = io_source_check(m->files[c]);
    return good && io_sink_commit(m->sink);
}

int cli_map(const cli_arguments *arguments)
{
    mapping m = {.arguments = arguments};
    if (!cli_check_output(&arguments->options) || !cli_open_context(&arguments->options, &m.context)) {
        return cli_bad_usage();
    }
    bool good = map(&m);
    io_sink_close(m.sink);
    for (int c = 0; c < MOST_INPUTS; c++) io_source_close(m.files[c]);
    if (m.op != 0) tally_op_free(m.op);
    tally_close(m.context);
    return good ? CLI_OK : cli_bad_input();
}
