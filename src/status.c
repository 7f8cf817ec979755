/* SPDX-License-Identifier: MIT
 *
 * status.c - the thread-local record of the last failure, and the names of the statuses. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[4096]; /* compilers say much */

tally_status status_fail(tally_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return status;
}

const char *tally_last_error(void)
{
    return last_error;
}

const char *tally_status_name(tally_status status)
{
    static const char *const names[] = {
        [TALLY_OK] = "TALLY_OK",
        [TALLY_INVALID_ARGUMENT] = "TALLY_INVALID_ARGUMENT",
        [TALLY_UNSUPPORTED] = "TALLY_UNSUPPORTED",
        [TALLY_EMPTY] = "TALLY_EMPTY",
        [TALLY_OVERLAP] = "TALLY_OVERLAP",
        [TALLY_OVERFLOW] = "TALLY_OVERFLOW",
        [TALLY_OUT_OF_MEMORY] = "TALLY_OUT_OF_MEMORY",
        [TALLY_NO_DEVICE] = "TALLY_NO_DEVICE",
        [TALLY_DEVICE_ERROR] = "TALLY_DEVICE_ERROR",
        [TALLY_CORRUPT] = "TALLY_CORRUPT",
    };
    if (status < 0 || status >= (tally_status)(sizeof names / sizeof names[0])) return "unknown status";
    return names[status];
}
