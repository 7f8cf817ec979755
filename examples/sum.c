/* SPDX-License-Identifier: MIT
 *
 * sum.c - the exact sum of three numbers whose float sum is 0. */
#include <stdio.h>
#include <tally.h>

int main(void)
{
    const double x[] = {1e100, 1.0, -1e100};
    double total = 0;

    tally_context *context;
    if (tally_open("cpu", &context) != TALLY_OK) {
        fprintf(stderr, "%s\n", tally_last_error());
        return 1;
    }
    tally_array input = tally_vector(x, TALLY_F64, 3);
    tally_array output = tally_shaped(&total, TALLY_F64, 0, NULL);
    tally_status status = tally_reduce(context, TALLY_SUM, &input, &output, NULL);
    if (status == TALLY_OK) printf("%g\n", total);
    else fprintf(stderr, "%s\n", tally_last_error());
    tally_close(context);
    return status != TALLY_OK;
}
