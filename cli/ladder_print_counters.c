/* SPDX-License-Identifier: MIT
 *
 * ladder_print_counters.c - what a GPU's counters said, beside what the closed forms say: as a table, as JSON, as CSV.
 */
#include "ladder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { PAIRS = LADDER_PAIRS };

const char *const ladder_pair_names[PAIRS] = {"launches", "divergent_branches", "bank_conflicts", "transactions"};

void ladder_measured_pairs(const struct ladder_result *result, double measured[PAIRS])
{
    const struct ladder_counters *c = &result->counters;
    measured[0] = (double)c->launches;
    measured[1] = c->divergent_branches;
    measured[2] = c->bank_conflicts;
    measured[3] = c->transactions;
}

void ladder_predicted_pairs(const struct ladder_result *result, double predicted[PAIRS])
{
    const struct ladder_counts *p = &result->predicted;
    const uint64_t counts[PAIRS] = {p->launches, p->divergent_branches, p->bank_conflicts, p->transactions};
    for (int i = 0; i < PAIRS; i++) predicted[i] = ladder_is_predicted(result, counts[i]) ? (double)counts[i] : NAN;
}

bool ladder_has_counters(const struct ladder_climb *climb)
{
    for (int i = 0; i < climb->result_count; i++) {
        if (climb->results[i].has_counters) return true;
    }
    return false;
}

static void print_number(const char *before, double number, int digits, const char *missing, int width)
{
    if (isnan(number)) printf("%s%*s", before, width, missing);
    else printf("%s%*.*f", before, width, digits, number);
}

/* ---- the table ---- */

void ladder_print_counters(const struct ladder_climb *climb)
{
    static const int widths[PAIRS] = {4, 11, 11, 11};
    printf("\n%-21s %9s %23s %23s %23s %6s %7s\n%-21s %4s %4s", "measured | predicted", "launches",
           "divergent branches", "bank conflicts", "sectors", "DRAM %", "issue %", "", "meas", "pred");
    for (int i = 1; i < PAIRS; i++) printf(" %11s %11s", "measured", "predicted");
    printf("\n");
    for (int i = 0; i < climb->result_count; i++) {
        const struct ladder_result *r = &climb->results[i];
        double measured[PAIRS], predicted[PAIRS];
        if (!r->has_counters) continue;
        ladder_measured_pairs(r, measured);
        ladder_predicted_pairs(r, predicted);
        printf("%-21s", r->rung->name);
        for (int pair = 0; pair < PAIRS; pair++) {
            print_number(" ", measured[pair], 0, "-", widths[pair]);
            print_number(" ", predicted[pair], 0, "-", widths[pair]);
        }
        print_number(" ", r->counters.dram_percent, 1, "-", 6);
        print_number(" ", r->counters.issue_percent, 1, "-", 7);
        printf("\n");
    }
    printf("\nMeasured by Nsight Compute in one run with empty caches, all launches together. DRAM: of the bytes that "
           "memory\n"
           "can move at most; issue: of the cycles in which an instruction can be issued. Predicted: the closed forms, "
           "which\n"
           "know the source and not what the compiler and the hardware make of it.\n");
}

/* ---- JSON ---- */

static void print_json_pairs(const char *name, const double values[PAIRS])
{
    printf("\"%s\": {", name);
    for (int i = 0; i < PAIRS; i++) {
        printf("%s\"%s\": ", i > 0 ? ", " : "", ladder_pair_names[i]);
        print_number("", values[i], 0, "null", 0);
    }
}

void ladder_print_json_counters(const struct ladder_result *result)
{
    double measured[PAIRS], predicted[PAIRS];
    ladder_measured_pairs(result, measured);
    ladder_predicted_pairs(result, predicted);
    printf(", \"counters\": {");
    print_json_pairs("measured", measured);
    print_number(", \"dram_percent\": ", result->counters.dram_percent, 2, "null", 0);
    print_number(", \"issue_percent\": ", result->counters.issue_percent, 2, "null", 0);
    printf("}, ");
    print_json_pairs("predicted", predicted);
    printf("}}");
}

/* ---- CSV ---- */

void ladder_print_csv_counter_names(void)
{
    for (int i = 0; i < PAIRS; i++) printf(",measured_%s", ladder_pair_names[i]);
    printf(",dram_percent,issue_percent");
    for (int i = 0; i < PAIRS; i++) printf(",predicted_%s", ladder_pair_names[i]);
}

void ladder_print_csv_counters(const struct ladder_result *result)
{
    double measured[PAIRS], predicted[PAIRS];
    if (!result->has_counters) {
        printf(",,,,,,,,,,");
        return;
    }
    ladder_measured_pairs(result, measured);
    ladder_predicted_pairs(result, predicted);
    for (int i = 0; i < PAIRS; i++) print_number(",", measured[i], 0, "", 0);
    print_number(",", result->counters.dram_percent, 2, "", 0);
    print_number(",", result->counters.issue_percent, 2, "", 0);
    for (int i = 0; i < PAIRS; i++) print_number(",", predicted[i], 0, "", 0);
}
