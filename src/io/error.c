/* SPDX-License-Identifier: MIT
 *
 * error.c - the thread's last failure as one line of text, and checked size arithmetic. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[1024];

bool io_fail(const char *format, ...)
{
    /* The arguments may point into last_error itself, when a caller adds to an earlier message. */
    char text[sizeof last_error];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t i = 0;
    for (; text[i] != '\0'; i++) {
        unsigned char byte = (unsigned char)text[i];
        last_error[i] = byte < 0x20 || byte == 0x7f ? '?' : text[i];
    }
    last_error[i] = '\0';
    return false;
}

const char *io_error(void)
{
    return last_error;
}

bool io_multiply(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}
