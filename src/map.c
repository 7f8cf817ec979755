/* SPDX-License-Identifier: MIT
 *
 * map.c - element-wise maps: checked, planned as loops over the output, handed to the engine. */
#include "plan.h"
#include "user/operator.h"

#include <string.h>

static tally_status find_map(tally_op op, const struct user_op **map)
{
    *map = user_op_find(op);
    if (*map && (*map)->is_map) return user_op_compile(*map);
    FAIL(*map ? TALLY_UNSUPPORTED : TALLY_INVALID_ARGUMENT, "op is %llu: expected what tally_map_compile gave",
         (unsigned long long)op);
}

static tally_type result_type(const struct user_op *map)
{
    return map->result ? map->result : (tally_type)user_kernels(map)->result();
}

tally_status tally_map_result(tally_op op, tally_type *type)
{
    const struct user_op *map;
    if (!type) FAIL(TALLY_INVALID_ARGUMENT, "type is NULL");
    TRY(find_map(op, &map));
    *type = result_type(map);
    return TALLY_OK;
}

static tally_status check_output(const struct user_op *map, const tally_array *inputs, const tally_array *output)
{
    TRY(array_check("output", output));
    if (output->type != result_type(map))
        FAIL(TALLY_INVALID_ARGUMENT, "output has type %s: map %s gives %s", tally_type_name(output->type), map->name,
             tally_type_name(result_type(map)));
    TRY(array_check_output("output", output));
    for (int32_t c = 0; c < map->input_count; c++) {
        if (!array_may_overlap(&inputs[c], output) || array_same_view(&inputs[c], output)) continue;
        FAIL(TALLY_OVERLAP, "output shares memory with inputs[%d]: expected separate memory, or exactly its view",
             (int)c);
    }
    return TALLY_OK;
}

static tally_status plan_map(const struct user_op *user, const tally_array *inputs, const tally_array *output,
                             struct map *map)
{
    int64_t base[OPERAND_COUNT] = {0};
    memset(map, 0, sizeof *map);
    map->user = user;
    map->out = output->data;
    map->result = output->type;
    map->count = output->rank;
    map->elements = array_elements(output);
    for (int32_t d = 0; d < output->rank; d++) {
        map->loops[d].extent = output->shape[d];
        map->loops[d].stride[OPERAND_OUT] = output->strides[d];
    }
    for (int32_t c = 0; c < user->input_count; c++) {
        int64_t strides[TALLY_MAX_RANK];
        char is[224], expected[224];
        map->inputs[c] = inputs[c].data;
        if (!array_broadcast(&inputs[c], output->rank, output->shape, strides))
            FAIL(TALLY_INVALID_ARGUMENT, "inputs[%d] has shape %s: expected one that broadcasts to the output's %s",
                 (int)c, array_shape_text(inputs[c].rank, inputs[c].shape, is, sizeof is),
                 array_shape_text(output->rank, output->shape, expected, sizeof expected));
        for (int32_t d = 0; d < output->rank; d++) map->loops[d].stride[map_operands[c]] = strides[d];
    }
    if (map->elements > 0) map->count = loops_collapse(map->loops, map->count, 0, base);
    return TALLY_OK;
}

static tally_status check_inputs(const tally_context *context, const struct user_op *map, const tally_array *inputs,
                                 int32_t input_count)
{
    static const char *const names[] = {"inputs[0]", "inputs[1]", "inputs[2]", "inputs[3]"};
    if (input_count != map->input_count)
        FAIL(TALLY_INVALID_ARGUMENT, "input_count is %d: map %s takes %d", (int)input_count, map->name,
             (int)map->input_count);
    for (int32_t c = 0; c < input_count; c++) {
        TRY(array_check(names[c], &inputs[c]));
        if (inputs[c].type != map->inputs[c])
            FAIL(TALLY_INVALID_ARGUMENT, "inputs[%d] has type %s: map %s takes %s", (int)c,
                 tally_type_name(inputs[c].type), map->name, tally_type_name(map->inputs[c]));
        TRY(context_check_memory(context, names[c], inputs[c].data));
    }
    return TALLY_OK;
}

tally_status tally_map(tally_context *context, tally_op op, const tally_array *inputs, int32_t input_count,
                       const tally_array *output)
{
    const struct user_op *user;
    struct map map;
    if (!context || !inputs) FAIL(TALLY_INVALID_ARGUMENT, "%s is NULL", context ? "inputs" : "context");
    TRY(find_map(op, &user));
    TRY(context_check_operator(context, user));
    TRY(check_inputs(context, user, inputs, input_count));
    TRY(check_output(user, inputs, output));
    TRY(context_check_memory(context, "output", output->data));
    TRY(plan_map(user, inputs, output, &map));
    return map.elements == 0 ? TALLY_OK : context->engine->map(context, &map);
}
