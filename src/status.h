/* SPDX-License-Identifier: MIT
 *
 * status.h - how every failure is reported: a status to return, and a text for the calling thread. */
#ifndef TALLY_STATUS_H
#define TALLY_STATUS_H

#include <tally.h>

/* Records the text and returns the status. Messages name the argument, its value and what was expected. */
tally_status status_fail(tally_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define FAIL(status, ...) return status_fail((status), __VA_ARGS__)

#define TRY(call)                                      \
    do {                                               \
        tally_status try_status = (call);              \
        if (try_status != TALLY_OK) return try_status; \
    } while (0)

/* For functions that hold something: on failure goes to `done`, with `status` set. */
#define TRY_GOTO(call)                     \
    do {                                   \
        status = (call);                   \
        if (status != TALLY_OK) goto done; \
    } while (0)

#endif
