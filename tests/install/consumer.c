/* SPDX-License-Identifier: MIT
 *
 * A user's program: built against the installed header and library by run.sh. */
#include <stdio.h>
#include <tally.h>

int main(void)
{
    const double x[3] = {1e100, 1.0, -1e100};
    double total = 0.0;
    tally_array input = tally_vector(x, TALLY_F64, 3);
    tally_array output = tally_shaped(&total, TALLY_F64, 0, NULL);
    tally_context *context = NULL;
    tally_status status = tally_open("cpu", &context);
    if (!status) status = tally_reduce(context, TALLY_SUM, &input, &output, NULL);
    if (status) fprintf(stderr, "%s: %s\n", tally_status_name(status), tally_last_error());
    else printf("%s %g\n", tally_version(), total);
    tally_close(context);
    return status != TALLY_OK;
}
