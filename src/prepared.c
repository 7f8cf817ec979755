/* SPDX-License-Identifier: MIT
 *
 * prepared.c - plans: the checked request of a call, and what its engine prepared for it. */
#include "call.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

struct tally_plan {
    tally_context *context;
    tally_verb verb;
    int nothing; /* there is no cell */
    struct reduction reduction;
    struct scan scan;
    struct prepared *prepared; /* NULL: the engine does the request itself each time */
    _Alignas(16) unsigned char initial[TALLY_OP_MOST_STATE];
};

/* What only the data tell would come too late. */
static tally_status check_late(const struct calculation *calculation, int masked)
{
    if (calculation->flags & TALLY_CHECK_OVERFLOW)
        FAIL(TALLY_UNSUPPORTED,
             "options.flags has TALLY_CHECK_OVERFLOW, which a plan cannot report: make the call itself");
    if (calculation->op->empty == EMPTY_ERROR && !calculation->initial &&
        (masked || calculation->flags & TALLY_SKIP_NAN))
        FAIL(TALLY_UNSUPPORTED,
             "%s has no value where %s leaves nothing, which a plan cannot report: give options.initial, or make the "
             "call itself",
             calculation->op->name, masked ? "options.where" : "TALLY_SKIP_NAN");
    return TALLY_OK;
}

static tally_status plan_new(tally_context *context, tally_verb verb, const struct call *call, tally_plan **plan)
{
    tally_plan *made = calloc(1, sizeof *made);
    if (!made) FAIL(TALLY_OUT_OF_MEMORY, "no memory left for a plan");
    made->context = context;
    made->verb = verb;
    struct calculation *calculation = &made->scan.calculation;
    if (verb == TALLY_REDUCE) {
        made->reduction = call->reduction;
        made->nothing = call->reduction.cells == 0;
        calculation = &made->reduction.calculation;
    } else {
        made->scan = call->scan;
        made->nothing = call->scan.cells == 0 || call->scan.axis.extent == 0;
    }
    if (calculation->initial) {
        memcpy(made->initial, calculation->initial, state_initial_size(calculation));
        calculation->initial = made->initial;
    }
    tally_status status = TALLY_OK;
    const struct engine *engine = context->engine;
    if (made->nothing) status = TALLY_OK;
    else if (verb == TALLY_REDUCE && engine->prepare_reduce)
        status = engine->prepare_reduce(context, &made->reduction, &made->prepared);
    else if (verb == TALLY_SCAN && engine->prepare_scan)
        status = engine->prepare_scan(context, &made->scan, &made->prepared);
    if (status == TALLY_OK) *plan = made;
    else free(made);
    return status;
}

tally_status tally_plan_reduce(tally_context *context, tally_op op, const tally_array *input, const tally_array *output,
                               const tally_options *options, tally_plan **plan)
{
    struct call call;
    if (!plan) FAIL(TALLY_INVALID_ARGUMENT, "plan is NULL");
    TRY(call_reduce(context, op, input, output, options, &call));
    TRY(check_late(&call.calculation, call.options.where != NULL));
    return plan_new(context, TALLY_REDUCE, &call, plan);
}

tally_status tally_plan_scan(tally_context *context, tally_op op, const tally_array *input, const tally_array *output,
                             const tally_options *options, tally_plan **plan)
{
    struct call call;
    if (!plan) FAIL(TALLY_INVALID_ARGUMENT, "plan is NULL");
    TRY(call_scan(context, op, input, output, options, &call));
    if (call.calculation.flags & TALLY_CHECK_OVERFLOW) TRY(check_late(&call.calculation, 0));
    return plan_new(context, TALLY_SCAN, &call, plan);
}

tally_status tally_plan_run(const tally_plan *plan)
{
    if (!plan) FAIL(TALLY_INVALID_ARGUMENT, "plan is NULL");
    const struct engine *engine = plan->context->engine;
    if (plan->nothing) return TALLY_OK;
    if (plan->prepared) return engine->run(plan->context, plan->prepared);
    return plan->verb == TALLY_REDUCE ? engine->reduce(plan->context, &plan->reduction)
                                      : engine->scan(plan->context, &plan->scan);
}

tally_status tally_plan_free(tally_plan *plan)
{
    if (!plan) return TALLY_OK;
    if (plan->prepared) plan->context->engine->forget(plan->context, plan->prepared);
    free(plan);
    return TALLY_OK;
}
