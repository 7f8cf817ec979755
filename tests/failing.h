/* SPDX-License-Identifier: MIT
 *
 * failing.h - checks of refused calls: their status, the words of their text, and outputs that nobody touched. */
#ifndef TALLY_TEST_FAILING_H
#define TALLY_TEST_FAILING_H

#include "test.h"
#include <math.h>
#include <tally.h>

/* `words` are parts of the text, divided by '|'; all must be there. */
#define CHECK_REFUSED(call, status, words) refused((call), (status), (words), __FILE__, __LINE__, #call)

static inline void refused(tally_status got, tally_status want, const char *words, const char *file, int line,
                           const char *text)
{
    char word[96];
    const char *error = tally_last_error();
    if (test_count(got == want, file, line)) {
        fprintf(stderr, "%s gives %s, not %s, for \"%s\" (%s)\n", text, tally_status_name(got), tally_status_name(want),
                words, error);
    }
    if (got != want) return;
    for (const char *w = words; *w;) {
        size_t n = strcspn(w, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, w);
        if (test_count(strstr(error, word) != NULL, file, line))
            fprintf(stderr, "%s: \"%s\" is not in \"%s\"\n", text, word, error);
        w += n + (w[n] == '|');
    }
}

/* Whether memory still has the pattern 0xa5. */
static inline int untouched(const void *memory, size_t bytes)
{
    const unsigned char *byte = memory;
    for (size_t i = 0; i < bytes; i++) {
        if (byte[i] != 0xa5) return 0;
    }
    return 1;
}

#endif
