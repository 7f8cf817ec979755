/* SPDX-License-Identifier: MIT
 *
 * text_add.c - a text that grows. */
#include "text_add.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *larger = length < 0 || text->failed ? NULL : realloc(text->bytes, text->size + (size_t)length + 1);
    if (!larger) {
        text->failed = 1;
        return;
    }
    text->bytes = larger;
    va_start(arguments, format);
    vsnprintf(larger + text->size, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->size += (size_t)length;
}
