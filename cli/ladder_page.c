/* SPDX-License-Identifier: MIT
 *
 * ladder_page.c - tally ladder --html: one page without a network, for light and dark, for desks and phones: the table,
 * the plots, and of each rung its idea, what this device says about it, and its source. */
#include "ladder.h"
#include "io/error.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char style[] =
    ":root{--ground:#fcfcfa;--ink:#1c1e21;--soft:#5d646d;--line:#d9dce1;--bar:#2f6fb0;--code:#f1f2f4}\n"
    "@media(prefers-color-scheme:dark){:root{--ground:#15171a;--ink:#e6e8eb;--soft:#9aa2ad;--line:#33383f;--bar:#"
    "6aa7e6;"
    "--code:#1e2125}}\n"
    "body{margin:0 auto;max-width:70rem;padding:1rem;background:var(--ground);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.6rem;margin:.5rem 0}h2{font-size:1.2rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.2rem 0 "
    ".2rem}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}\n"
    "th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}\n"
    "th:first-child,td:first-child{text-align:left}th{color:var(--soft);font-weight:600}\n"
    "svg{width:100%;min-width:36rem;max-width:48rem;height:auto;display:block}svg text{fill:var(--ink);font:13px "
    "system-ui,sans-serif}\n"
    "svg .soft{fill:var(--soft)}svg .axis{stroke:var(--line)}\n"
    ".bars{display:grid;grid-template-columns:max-content 1fr max-content;gap:.3rem .7rem;align-items:center;"
    "max-width:45rem;font-size:.9rem}.bars i{display:block;height:1.1rem;background:var(--bar)}\n"
    "pre{background:var(--code);padding:.7rem;overflow-x:auto;font:13px/1.45 ui-monospace,monospace}\n"
    "p,summary{max-width:45rem}.soft{color:var(--soft)}summary{cursor:pointer}\n";

static const char *const colours[] = {"#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f", "#b6992d",
                                      "#b07aa1", "#ff9da7", "#9c755f", "#79706e", "#d37295", "#499894"};

enum { COLOURS = sizeof colours / sizeof colours[0] };

static void put_text(FILE *page, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<': fputs("&lt;", page); break;
        case '>': fputs("&gt;", page); break;
        case '&': fputs("&amp;", page); break;
        case '"': fputs("&quot;", page); break;
        default: fputc(*text, page);
        }
    }
}

static bool is_shown(const struct ladder_result *result)
{
    return !result->left_out && !result->wrong;
}

/* ---- the table ---- */

static void put_unusual(FILE *page, const struct ladder_result *result, int columns)
{
    fprintf(page, "<tr><td>%s</td><td colspan=%d style=\"text-align:left\">%s: ", result->rung->name, columns,
            result->wrong ? "<b>wrong</b>" : "left out");
    put_text(page, result->why);
    fprintf(page, "</td></tr>\n");
}

static void put_gain(FILE *page, double gain)
{
    if (gain > 0) fprintf(page, "<td>%.2f&times;</td>", gain);
    else fprintf(page, "<td class=soft>-</td>");
}

static void put_times(FILE *page, const struct ladder_climb *climb)
{
    const struct ladder_result *first = NULL, *before = NULL;
    double page_before = 0, page_first = 0;
    fprintf(
        page,
        "<div class=wide><table><tr><th>rung<th>time, &micro;s<th>spread<th>with call, &micro;s<th>GB/s<th>of "
        "limit<th>step<th>total<th>published step<th>published total<th>registers<th>shared, B<th>occupancy</tr>\n");
    for (int i = 0; i < climb->result_count; i++) {
        const struct ladder_result *r = &climb->results[i];
        const double published = r->rung->published;
        if (!is_shown(r)) {
            put_unusual(page, r, 12);
            continue;
        }
        if (!r->has_times) continue;
        fprintf(page, "<tr><td>%s</td><td>%.1f</td><td>%.1f %%</td><td>%.1f</td><td>%.0f</td><td>%.1f %%</td>",
                r->rung->name, r->median, 100 * (r->high - r->low) / r->median, r->call, r->gbps, r->percent);
        put_gain(page, before ? before->median / r->median : 0);
        put_gain(page, first ? first->median / r->median : 0);
        put_gain(page, page_before > 0 ? published / page_before : 0);
        put_gain(page, page_first > 0 ? published / page_first : 0);
        if (ladder_has_facts(r))
            fprintf(page, "<td>%" PRId32 "</td><td>%" PRId32 "</td><td>%.0f %%</td></tr>\n", r->facts.registers,
                    r->facts.shared_bytes, 100 * r->occupancy);
        else fprintf(page, "<td class=soft>-</td><td class=soft>-</td><td class=soft>-</td></tr>\n");
        before = r;
        if (!first) first = r;
        if (published > 0) page_before = published;
        if (page_first <= 0) page_first = published;
    }
    fprintf(page, "</table></div>\n<p class=soft>Time: the device's own clock, whole job, median; spread: between its "
                  "quartiles. Step and total: times faster than the rung before, and than the first; published: the "
                  "same in the table that was once published for 2<sup>27</sup> floats.</p>\n");
}

static void put_count(FILE *page, uint64_t counted, uint64_t predicted, const struct ladder_result *result)
{
    const bool differs = ladder_is_predicted(result, predicted) && counted != predicted;
    fprintf(page, "<td>%" PRIu64 "%s</td>", counted, differs ? " (!)" : "");
}

static void put_counts(FILE *page, const struct ladder_climb *climb)
{
    fprintf(page, "<div class=wide><table><tr><th>rung<th>launches<th>barriers<th>divergent branches<th>bank "
                  "conflicts<th>sectors<th>work<th>span</tr>\n");
    for (int i = 0; i < climb->result_count; i++) {
        const struct ladder_result *r = &climb->results[i];
        const struct ladder_counts *c = &r->counted, *p = &r->predicted;
        if (!is_shown(r)) {
            put_unusual(page, r, 7);
            continue;
        }
        if (!r->has_counts) continue;
        fprintf(page, "<tr><td>%s</td>", r->rung->name);
        put_count(page, c->launches, p->launches, r);
        put_count(page, c->barriers, p->barriers, r);
        put_count(page, c->divergent_branches, p->divergent_branches, r);
        put_count(page, c->bank_conflicts, p->bank_conflicts, r);
        put_count(page, c->transactions, p->transactions, r);
        put_count(page, c->work, p->work, r);
        put_count(page, c->span, p->span, r);
        fprintf(page, "</tr>\n");
    }
    fprintf(page, "</table></div>\n<p class=soft>Counted as the simulated GPU ran; where a closed form says something "
                  "else there is a (!). Sectors are 32 bytes of global memory; work is how often the operator was "
                  "applied, span how many of these depend on each other.</p>\n");
}

static void put_number(FILE *page, double number, int digits, const char *unit)
{
    if (isnan(number)) fprintf(page, "<td class=soft>-</td>");
    else fprintf(page, "<td>%.*f%s</td>", digits, number, unit);
}

static void put_counters(FILE *page, const struct ladder_climb *climb)
{
    fprintf(page, "<h2>Measured by the GPU's counters, and predicted</h2>\n<div class=wide><table><tr><th>rung"
                  "<th>launches<th>predicted<th>divergent branches<th>predicted<th>bank conflicts<th>predicted"
                  "<th>sectors<th>predicted<th>DRAM<th>issue</tr>\n");
    for (int i = 0; i < climb->result_count; i++) {
        const struct ladder_result *r = &climb->results[i];
        double measured[LADDER_PAIRS], predicted[LADDER_PAIRS];
        if (!r->has_counters) continue;
        ladder_measured_pairs(r, measured);
        ladder_predicted_pairs(r, predicted);
        fprintf(page, "<tr><td>%s</td>", r->rung->name);
        for (int pair = 0; pair < LADDER_PAIRS; pair++) {
            put_number(page, measured[pair], 0, "");
            put_number(page, predicted[pair], 0, "");
        }
        put_number(page, r->counters.dram_percent, 1, " %");
        put_number(page, r->counters.issue_percent, 1, " %");
        fprintf(page, "</tr>\n");
    }
    fprintf(page,
            "</table></div>\n<p class=soft>By Nsight Compute, in one run with empty caches, all launches together. "
            "DRAM: of the bytes that memory can move at most; issue: of the cycles in which an instruction can be "
            "issued. Predicted: the closed forms, which know the source and not what the compiler and the hardware "
            "make of it.</p>\n");
}

/* ---- plots ---- */

static void put_bars(FILE *page, const struct ladder_climb *climb, double (*value)(const struct ladder_result *),
                     const char *unit)
{
    double most = 0;
    for (int i = 0; i < climb->result_count; i++) most = fmax(most, value(&climb->results[i]));
    fprintf(page, "<div class=bars>\n");
    for (int i = 0; i < climb->result_count; i++) {
        const double v = value(&climb->results[i]);
        if (v <= 0) continue;
        fprintf(page, "<span>%s</span><span><i style=\"width:%.1f%%\"></i></span><span class=soft>%.*f %s</span>\n",
                climb->results[i].rung->name, 100 * v / most, v < 100 && *unit ? 1 : 0, v, unit);
    }
    fprintf(page, "</div>\n");
}

static double time_of(const struct ladder_result *result)
{
    return result->median;
}

static double sectors_of(const struct ladder_result *result)
{
    return (double)result->counted.transactions;
}

/* GB/s against length, both logarithmic. */
static void put_sweep(FILE *page, const struct ladder_climb *climb, const struct ladder_sweep *sweep, bool cold)
{
    const double left = 60, right = 610, top = 10, bottom = 300;
    const double first = log2((double)sweep->lengths[0]);
    const double last = log2((double)sweep->lengths[sweep->length_count - 1]);
    const double most = log10(fmax(climb->limits.read, 10)) + 0.15, least = -1;
    fprintf(page, "<div class=wide><svg viewBox=\"0 0 640 %d\" role=img>\n",
            330 + 18 * ((climb->result_count + 2) / 3));
    for (int power = -1; power < most; power++) {
        const double y = bottom - (bottom - top) * (power - least) / (most - least);
        fprintf(page,
                "<line class=axis x1=%.0f x2=%.0f y1=%.1f y2=%.1f /><text class=soft x=%.0f y=%.1f "
                "text-anchor=end>%g</text>\n",
                left, right, y, y, left - 6, y + 4, pow(10, power));
    }
    for (int at = 0; at < sweep->length_count; at++)
        fprintf(page, "<text class=soft x=%.1f y=%.0f text-anchor=middle>2^%.0f</text>\n",
                left + (right - left) * (log2((double)sweep->lengths[at]) - first) / (last - first), bottom + 18,
                log2((double)sweep->lengths[at]));
    for (int i = 0; i < climb->result_count; i++) {
        struct ladder_problem problem = climb->problem;
        fprintf(page, "<polyline fill=none stroke=\"%s\" stroke-width=2 points=\"", colours[i % COLOURS]);
        for (int at = 0; at < sweep->length_count; at++) {
            const double time = cold ? sweep->cold[i][at] : sweep->warm[i][at];
            problem.columns = sweep->lengths[at];
            if (time <= 0) continue;
            const double gbps = 1e-3 * ladder_least_bytes(&problem, climb->ladder->shape) / time;
            const double y = bottom - (bottom - top) * (log10(fmax(gbps, 0.1)) - least) / (most - least);
            fprintf(page, "%.1f,%.1f ",
                    left + (right - left) * (log2((double)problem.columns) - first) / (last - first), y);
        }
        const int column = i % 3, row = i / 3;
        fprintf(page, "\" /><rect x=%d y=%d width=14 height=4 fill=\"%s\" /><text x=%d y=%d>%s</text>\n",
                60 + 190 * column, 332 + 18 * row, colours[i % COLOURS], 80 + 190 * column, 338 + 18 * row,
                climb->results[i].rung->name);
    }
    fprintf(page, "</svg></div>\n");
}

static void put_plots(FILE *page, const struct ladder_climb *climb, const struct ladder_sweep *sweep)
{
    if (climb->simulated) {
        fprintf(page, "<h2>Sectors of global memory</h2>\n");
        put_bars(page, climb, sectors_of, "");
        return;
    }
    fprintf(page, "<h2>Time of the whole job</h2>\n");
    put_bars(page, climb, time_of, "&micro;s");
    if (sweep == NULL || sweep->length_count < 2) return;
    fprintf(page, "<h2>GB/s by length, input not in the cache</h2>\n");
    put_sweep(page, climb, sweep, true);
    fprintf(page, "<h2>GB/s by length, the same input again and again</h2>\n");
    put_sweep(page, climb, sweep, false);
}

/* ---- rungs ---- */

/* What counts more or less than in the rung before. */
static void put_changes(FILE *page, const struct ladder_counts *now, const struct ladder_counts *before)
{
    const struct {
        const char *name;
        uint64_t now, before;
    } counts[] = {
        {"barriers", now->barriers, before->barriers},
        {"divergent branches", now->divergent_branches, before->divergent_branches},
        {"bank conflicts", now->bank_conflicts, before->bank_conflicts},
        {"sectors", now->transactions, before->transactions},
    };
    const char *separator = " ";
    fprintf(page, "<p>Here, beside the rung before:");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (counts[i].now == counts[i].before) continue;
        fprintf(page, "%s%+" PRId64 " %s", separator, (int64_t)(counts[i].now - counts[i].before), counts[i].name);
        separator = ", ";
    }
    fprintf(page, "%s.</p>\n", *separator == ' ' ? " the same counts" : "");
}

static void put_verdict(FILE *page, const struct ladder_climb *climb, const struct ladder_result *r,
                        const struct ladder_result *before)
{
    if (!is_shown(r)) return;
    if (r->has_times) {
        fprintf(page, "<p>Here: %.0f GB/s, %.0f %% of what this device can %s", r->gbps, r->percent,
                climb->ladder->shape == LADDER_ALL ? "copy" : "read");
        if (before) {
            const double gain = before->median / r->median;
            if (gain > 1.02) fprintf(page, "; %.2f times as fast as the rung before", gain);
            else if (gain < 0.98) fprintf(page, "; it takes %.2f times as long as the rung before", 1 / gain);
            else fprintf(page, "; as fast as the rung before: that limit does not count on this device");
        }
        fprintf(page, ".</p>\n");
    }
    if (r->has_counts && before && before->has_counts) put_changes(page, &r->counted, &before->counted);
}

static void put_rung(FILE *page, const struct ladder_climb *climb, const struct ladder_result *result,
                     const struct ladder_result *before)
{
    const struct ladder_rung *rung = result->rung;
    const struct ladder_file *file = ladder_files;
    fprintf(page, "<h3>%s</h3>\n<p>", rung->name);
    put_text(page, rung->idea);
    fprintf(page, " <span class=soft>Removes: ");
    put_text(page, rung->removes);
    fprintf(page, ". Next limit: ");
    put_text(page, rung->next);
    fprintf(page, ".</span></p>\n");
    put_verdict(page, climb, result, before);
    while (file->name != NULL && (rung->file == NULL || strcmp(file->name, rung->file) != 0)) file++;
    if (file->name == NULL) return;
    fprintf(page, "<details><summary>%s</summary><pre>", file->name);
    put_text(page, file->text);
    fprintf(page, "</pre></details>\n");
}

static void put_page(FILE *page, const struct ladder_climb *climb, const struct ladder_sweep *sweep)
{
    const struct ladder_problem *problem = &climb->problem;
    fprintf(page,
            "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n<meta name=viewport "
            "content=\"width=device-width,initial-scale=1\">\n<link rel=icon href=\"data:,\">\n"
            "<title>tally ladder %s</title>\n<style>\n%s</style></head><body>\n<h1>tally ladder %s</h1>\n<p>",
            climb->ladder->name, style, climb->ladder->name);
    put_text(page, climb->device.description);
    fprintf(page, "; %s of %s, ", ladder_op_name(problem->op), ladder_type_name(problem->type));
    if (problem->rows > 1) fprintf(page, "%" PRId64 " x ", problem->rows);
    fprintf(page, "%" PRId64 " elements%s.", problem->columns, problem->exclusive ? ", exclusive" : "");
    if (!climb->simulated)
        fprintf(page, " This device reads %.0f GB/s and copies %.0f GB/s at most, measured in the same run.",
                climb->limits.read, climb->limits.copy);
    fprintf(page, " Every result was compared with the exact one first.</p>\n");
    if (climb->simulated) put_counts(page, climb);
    else put_times(page, climb);
    if (ladder_has_counters(climb)) put_counters(page, climb);
    put_plots(page, climb, sweep);
    fprintf(page, "<h2>The rungs</h2>\n");
    const struct ladder_result *before = NULL;
    for (int i = 0; i < climb->result_count; i++) {
        put_rung(page, climb, &climb->results[i], before);
        if (is_shown(&climb->results[i])) before = &climb->results[i];
    }
    fprintf(page, "<p class=soft>tally %s</p>\n</body></html>\n", tally_version());
}

bool ladder_write_page(const struct ladder_climb *climb, const struct ladder_sweep *sweep, const char *file)
{
    FILE *page = fopen(file, "w");
    if (page == NULL) return io_fail("--html: cannot open '%.200s' for writing: %s", file, strerror(errno));
    put_page(page, climb, sweep);
    const bool written = !ferror(page);
    if (fclose(page) != 0 || !written) return io_fail("--html: cannot write '%.200s': %s", file, strerror(errno));
    return true;
}
