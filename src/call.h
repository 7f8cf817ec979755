/* SPDX-License-Identifier: MIT
 *
 * call.h - a verb's arguments, checked and planned: what direct and prepared calls share. */
#ifndef TALLY_CALL_H
#define TALLY_CALL_H

#include "plan.h"

struct call {
    tally_options options; /* the defaults filled in */
    struct calculation calculation;
    tally_array like; /* the result's type and shape */
    struct reduction reduction;
    struct scan scan;
};

/* `call` may hold pointers into the caller's arrays and options. */
tally_status call_reduce(tally_context *context, tally_op op, const tally_array *input, const tally_array *output,
                         const tally_options *options, struct call *call);
tally_status call_scan(tally_context *context, tally_op op, const tally_array *input, const tally_array *output,
                       const tally_options *options, struct call *call);

#endif
