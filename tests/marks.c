/* SPDX-License-Identifier: MIT
 *
 * marks.c - marks come in order and time what lies between them; wrong slots are refused. On cpu and simt. */
#include "test.h"

#include <tally.h>

static void on(const char *name)
{
    tally_context *context;
    double whole = -1, part = -1, same = -1;
    static float x[200000];
    float sum;
    tally_array input = tally_vector(x, TALLY_F32, 200000), output = tally_shaped(&sum, TALLY_F32, 0, NULL);
    test.section = name;
    if (tally_open(name, &context) != TALLY_OK) {
        printf("LEFT OUT: no device %s: %s\n", name, tally_last_error());
        return;
    }
    CHECK_EQUAL_I64(tally_mark(context, -1), TALLY_INVALID_ARGUMENT);
    CHECK_EQUAL_I64(tally_mark(context, TALLY_MARKS), TALLY_INVALID_ARGUMENT);
    CHECK_EQUAL_I64(tally_mark(NULL, 0), TALLY_INVALID_ARGUMENT);
    CHECK_EQUAL_I64(tally_mark(context, 0), TALLY_OK);
    CHECK_EQUAL_I64(tally_elapsed(context, 0, TALLY_MARKS - 1, &part), TALLY_INVALID_ARGUMENT);
    CHECK(strstr(tally_last_error(), "never set") && part == -1);
    CHECK_EQUAL_I64(tally_elapsed(context, 0, 0, NULL), TALLY_INVALID_ARGUMENT);
    CHECK(tally_reduce(context, TALLY_SUM, &input, &output, NULL) == TALLY_OK);
    CHECK_EQUAL_I64(tally_mark(context, 1), TALLY_OK);
    CHECK(tally_reduce(context, TALLY_SUM, &input, &output, NULL) == TALLY_OK);
    CHECK_EQUAL_I64(tally_mark(context, TALLY_MARKS - 1), TALLY_OK);
    CHECK_EQUAL_I64(tally_elapsed(context, 0, 0, &same), TALLY_OK);
    CHECK_EQUAL_I64(tally_elapsed(context, 0, 1, &part), TALLY_OK);
    CHECK_EQUAL_I64(tally_elapsed(context, 0, TALLY_MARKS - 1, &whole), TALLY_OK);
    CHECK(same == 0 && part > 0 && whole > part);
    CHECK(tally_close(context) == TALLY_OK);
}

int main(void)
{
    on("cpu:1");
    on("simt");
    return test_finish("marks");
}
