/* SPDX-License-Identifier: MIT
 *
 * ladder_print.c - what tally ladder found: as a table with bars, as JSON, as CSV. */
#include "ladder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BAR 30 /* columns of the longest one */
#define WIDTH 110

/* ---- the table ---- */

static void print_head(const struct ladder_climb *climb)
{
    const struct ladder_problem *problem = &climb->problem;
    printf("%s: %s\n", climb->device.name, climb->device.description);
    printf("%s, %s of %s, ", climb->ladder->name, ladder_op_name(problem->op), ladder_type_name(problem->type));
    if (problem->rows > 1 || climb->ladder->shape == LADDER_PER_ROW || climb->ladder->shape == LADDER_PER_COLUMN)
        printf("%" PRId64 " x %" PRId64 "\n", problem->rows, problem->columns);
    else printf("n = %" PRId64 "%s\n", problem->columns, problem->exclusive ? ", exclusive" : "");
    if (climb->limits.read > 0)
        printf("read limit %.1f GB/s, copy limit %.1f GB/s (read and written)\n", climb->limits.read,
               climb->limits.copy);
}

static void print_unusual(const struct ladder_result *result)
{
    printf("%-21s %s: %s\n", result->rung->name, result->wrong ? "WRONG" : "left out", result->why);
}

static void print_states(const struct ladder_climb *climb)
{
    printf("\n");
    for (int i = 0; i < climb->result_count; i++) {
        const struct ladder_result *r = &climb->results[i];
        if (r->left_out || r->wrong) print_unusual(r);
        else printf("%-21s right\n", r->rung->name);
    }
}

static void print_bar(double part)
{
    const int length = (int)(part * BAR + 0.5);
    for (int i = 0; i < length && i < BAR; i++) printf("#");
}

static double published_gain(const struct ladder_rung *rung, double before)
{
    return rung->published > 0 && before > 0 ? rung->published / before : 0;
}

static void print_gain(double gain)
{
    if (gain > 0) printf(" %6.2fx", gain);
    else printf("       -");
}

static void print_times(const struct ladder_climb *climb)
{
    const struct ladder_result *first = NULL, *before = NULL;
    double page_first = 0, page_before = 0;
    printf("\n%-21s %10s %6s %10s %9s %6s %7s %7s %7s %7s %4s %6s %5s\n", "", "time", "spread", "call", "GB/s", "limit",
           "step", "total", "publ.", "publ.", "regs", "shared", "busy");
    for (int i = 0; i < climb->result_count; i++) {
        const struct ladder_result *r = &climb->results[i];
        if (r->left_out || r->wrong) {
            print_unusual(r);
            continue;
        }
        if (!r->has_times) {
            printf("%-21s right; there was nothing to launch\n", r->rung->name);
            continue;
        }
        printf("%-21s %7.1f us %5.1f%% %7.1f us %9.1f %5.1f%%", r->rung->name, r->median,
               100 * (r->high - r->low) / r->median, r->call, r->gbps, r->percent);
        print_gain(before ? before->median / r->median : 0);
        print_gain(first ? first->median / r->median : 0);
        print_gain(published_gain(r->rung, page_before));
        print_gain(published_gain(r->rung, page_first));
        if (ladder_has_facts(r))
            printf(" %4" PRId32 " %6" PRId32 " %4.0f%%", r->facts.registers, r->facts.shared_bytes, 100 * r->occupancy);
        printf("\n%-21s ", "");
        print_bar(r->percent / 100);
        printf("\n");
        before = r;
        if (!first) first = r;
        if (r->rung->published > 0) page_before = r->rung->published;
        if (page_first <= 0) page_first = r->rung->published;
    }
    printf(
        "\ntime: the device's own clock, whole job, median; spread: between its quartiles. call: from the call until\n"
        "all is done. step and total: times faster than the rung before, and than the first; publ.: the same in the\n"
        "table that was once published for 2^27 floats. busy: threads that a multiprocessor holds, of those it "
        "could.\n");
}

static void print_count(uint64_t counted, uint64_t predicted, const struct ladder_result *result)
{
    const bool known = ladder_is_predicted(result, predicted);
    printf(" %10" PRIu64 "%c", counted, !known ? ' ' : counted == predicted ? '=' : '!');
}

static void print_counts(const struct ladder_climb *climb)
{
    printf("\n%-21s %10s  %10s  %10s  %10s  %10s  %10s  %10s\n", "", "launches", "barriers", "divergent", "conflicts",
           "sectors", "work", "span");
    for (int i = 0; i < climb->result_count; i++) {
        const struct ladder_result *r = &climb->results[i];
        const struct ladder_counts *c = &r->counted, *p = &r->predicted;
        if (r->left_out || r->wrong) {
            print_unusual(r);
            continue;
        }
        printf("%-21s", r->rung->name);
        if (!r->has_counts) {
            printf(" right; %s\n", r->rung->file == NULL ? "its launches are the library's own and not counted"
                                                         : "there was nothing to launch");
            continue;
        }
        print_count(c->launches, p->launches, r);
        print_count(c->barriers, p->barriers, r);
        print_count(c->divergent_branches, p->divergent_branches, r);
        print_count(c->bank_conflicts, p->bank_conflicts, r);
        print_count(c->transactions, p->transactions, r);
        print_count(c->work, p->work, r);
        print_count(c->span, p->span, r);
        printf("\n");
    }
    printf(
        "\nCounted; = where the closed form says the same, ! where it does not. divergent: branches where lanes of a\n"
        "warp went different ways; conflicts: extra cycles of shared memory; sectors: of 32 bytes, global memory;\n"
        "work: applications of the operator; span: of these, the most that depend on each other.\n");
}

/* Words up to a width, further lines indented. */
static void print_wrapped(const char *begin, const char *text)
{
    size_t column = strlen(begin);
    printf("%s", begin);
    while (*text != '\0') {
        const size_t word = strcspn(text, " ");
        if (column + word >= WIDTH) {
            printf("\n   ");
            column = 3;
        }
        printf(" %.*s", (int)word, text);
        column += 1 + word;
        text += word + (text[word] == ' ');
    }
    printf("\n");
}

void ladder_print_table(const struct ladder_climb *climb)
{
    print_head(climb);
    if (climb->once) print_states(climb);
    else if (climb->simulated) print_counts(climb);
    else print_times(climb);
    if (ladder_has_counters(climb)) ladder_print_counters(climb);
    printf("\n");
    for (int i = 0; i < climb->result_count; i++) {
        const struct ladder_rung *rung = climb->results[i].rung;
        char text[1024];
        snprintf(text, sizeof text, "%s Removes: %s. Next limit: %s.", rung->idea, rung->removes, rung->next);
        char name[64];
        snprintf(name, sizeof name, "%s:", rung->name);
        print_wrapped(name, text);
    }
}

/* ---- JSON ---- */

static void print_json_counts(const char *name, const struct ladder_counts *c)
{
    printf(", \"%s\": {\"launches\": %" PRIu64 ", \"barriers\": %" PRIu64 ", \"divergent_branches\": %" PRIu64
           ", \"bank_conflicts\": %" PRIu64 ", \"transactions\": %" PRIu64 ", \"work\": %" PRIu64 ", \"span\": %" PRIu64
           "}",
           name, c->launches, c->barriers, c->divergent_branches, c->bank_conflicts, c->transactions, c->work, c->span);
}

static void print_json_rung(const struct ladder_result *r)
{
    printf("{\"rung\": ");
    cli_print_json_string(r->rung->name);
    printf(", \"state\": \"%s\"", r->left_out ? "left out" : r->wrong ? "wrong" : "right");
    if (r->why[0] != '\0') {
        printf(", \"why\": ");
        cli_print_json_string(r->why);
    }
    if (r->has_counts) print_json_counts("counted", &r->counted);
    if (r->has_counts && r->has_prediction) {
        print_json_counts("predicted", &r->predicted);
        printf(", \"zero_may_depend_on_timing\": %s", r->predicted.timing ? "true" : "false");
    }
    if (r->has_times) {
        printf(", \"us\": %.3f, \"us_low\": %.3f, \"us_high\": %.3f, \"call_us\": %.3f, \"gbps\": %.2f, \"percent\": "
               "%.2f",
               r->median, r->low, r->high, r->call, r->gbps, r->percent);
    }
    if (ladder_has_facts(r))
        printf(", \"registers\": %" PRId32 ", \"shared_bytes\": %" PRId32 ", \"local_bytes\": %" PRId32
               ", \"occupancy\": %.3f",
               r->facts.registers, r->facts.shared_bytes, r->facts.local_bytes, r->occupancy);
    else if (r->has_times)
        printf(", \"registers\": null, \"shared_bytes\": null, \"local_bytes\": null, \"occupancy\": null");
    if (r->has_counters) ladder_print_json_counters(r);
    if (r->rung->published > 0) printf(", \"published_gbps\": %.2f", r->rung->published);
    printf("}");
}

void ladder_print_json(const struct ladder_climb *climb)
{
    const struct ladder_problem *problem = &climb->problem;
    printf("{\"version\": \"%s\", \"ladder\": \"%s\", \"device\": ", tally_version(), climb->ladder->name);
    cli_print_json_string(climb->device.name);
    printf(", \"description\": ");
    cli_print_json_string(climb->device.description);
    printf(", \"op\": \"%s\", \"type\": \"%s\", \"rows\": %" PRId64 ", \"columns\": %" PRId64 ", \"exclusive\": %s",
           ladder_op_name(problem->op), ladder_type_name(problem->type), problem->rows, problem->columns,
           problem->exclusive ? "true" : "false");
    if (climb->limits.read > 0)
        printf(", \"read_gbps\": %.1f, \"copy_gbps\": %.1f", climb->limits.read, climb->limits.copy);
    if (climb->no_counters[0] != '\0') {
        printf(", \"no_counters\": ");
        cli_print_json_string(climb->no_counters);
    }
    printf(", \"rungs\": [");
    for (int i = 0; i < climb->result_count; i++) {
        printf(i > 0 ? ",\n " : "\n ");
        print_json_rung(&climb->results[i]);
    }
    printf("]}\n");
}

/* ---- CSV ---- */

void ladder_print_csv(const struct ladder_climb *climb)
{
    printf("rung,state,us,us_low,us_high,call_us,gbps,percent,registers,shared_bytes,occupancy,launches,barriers,"
           "divergent_branches,bank_conflicts,transactions,work,span,published_gbps");
    if (climb->with_counters) ladder_print_csv_counter_names();
    printf("\n");
    for (int i = 0; i < climb->result_count; i++) {
        const struct ladder_result *r = &climb->results[i];
        const struct ladder_counts *c = &r->counted;
        printf("%s,%s,", r->rung->name, r->left_out ? "left out" : r->wrong ? "wrong" : "right");
        if (r->has_times)
            printf("%.3f,%.3f,%.3f,%.3f,%.2f,%.2f,", r->median, r->low, r->high, r->call, r->gbps, r->percent);
        else printf(",,,,,,");
        if (ladder_has_facts(r))
            printf("%" PRId32 ",%" PRId32 ",%.3f,", r->facts.registers, r->facts.shared_bytes, r->occupancy);
        else printf(",,,");
        if (r->has_counts)
            printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", c->launches,
                   c->barriers, c->divergent_branches, c->bank_conflicts, c->transactions, c->work, c->span);
        else printf(",,,,,,,");
        if (r->rung->published > 0) printf("%.2f", r->rung->published);
        if (climb->with_counters) ladder_print_csv_counters(r);
        printf("\n");
    }
}
