/* SPDX-License-Identifier: MIT
 *
 * text_add.h - a text that grows. */
#ifndef TALLY_USER_TEXT_ADD_H
#define TALLY_USER_TEXT_ADD_H

#include <stddef.h>

struct text {
    char *bytes; /* ends in '\0'; to be freed */
    size_t size;
    int failed; /* no memory was left, and the text is not whole */
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void text_add(struct text *text, const char *format, ...);

#endif
