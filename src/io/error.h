/* SPDX-License-Identifier: MIT
 *
 * error.h - the one-line text of the calling thread's last failure in src/io.
 * Functions of src/io return false on failure, and their caller shows io_error(). */
#ifndef TALLY_IO_ERROR_H
#define TALLY_IO_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/* Records a failure and returns false. Control characters become '?', so that a message is always one line. */
bool io_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "" when nothing has failed yet. Borrowed, valid until the thread's next failure. */
const char *io_error(void);

/* Overflow-checked size arithmetic: false when the product does not fit. */
bool io_multiply(int64_t a, int64_t b, int64_t *product);

#endif
