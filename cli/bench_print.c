/* SPDX-License-Identifier: MIT
 *
 * bench_print.c - the rows that tally bench prints, and its lines of JSON. */
#include "bench.h"
#include "io/error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static double limit_of(const bench_report *report, const bench_case *wanted)
{
    return wanted->verb == TALLY_REDUCE ? report->state.read_gbps : report->state.copy_gbps;
}

static const char *name_of(const bench_case *wanted)
{
    return wanted->name != NULL ? wanted->name : tally_op_name(wanted->op);
}

static void add_word(char *text, size_t size, const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used > 0 ? "+" : "", word);
}

/* What else is special about a case: "" for an ordinary reduction. */
static void variant_text(const bench_case *wanted, char *text, size_t size)
{
    static const char *const spreads[BENCH_SPREADS] = {"",       "40_binades", "all_exponents", "normal",
                                                       "prices", "sparse",     "holes"};
    static const char *const views[] = {"", "shifted", "every_other", "backwards", "turned", "masked"};
    char result[32];
    text[0] = '\0';
    if (wanted->modulus > 0) {
        snprintf(result, sizeof result, "mod_%" PRIu64, wanted->modulus);
        add_word(text, size, result);
    }
    if (wanted->verb == TALLY_SCAN) add_word(text, size, wanted->flags & TALLY_EXCLUSIVE ? "exclusive" : "inclusive");
    if (wanted->flags & TALLY_REVERSE) add_word(text, size, "reverse");
    if (wanted->flags & TALLY_PLAIN) add_word(text, size, "plain");
    if (wanted->flags & TALLY_SKIP_NAN) add_word(text, size, "skip_nan");
    if (wanted->result != TALLY_DEFAULT_TYPE) {
        snprintf(result, sizeof result, "to_%s", tally_type_name(wanted->result));
        add_word(text, size, result);
    }
    if (wanted->spread != BENCH_8_BINADES) add_word(text, size, spreads[wanted->spread]);
    if (wanted->offset > 0) add_word(text, size, "misaligned");
    if (wanted->gap > 0) add_word(text, size, "gap");
    if (wanted->view != BENCH_AS_IT_IS) add_word(text, size, views[wanted->view]);
}

static void shape_text(const bench_case *wanted, const char *between, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int32_t d = 0; d < wanted->rank && used < size; d++) {
        used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, d > 0 ? between : "", wanted->shape[d]);
    }
}

/* null where there is no such number. */
static void write_number(FILE *to, const char *name, double value, int digits)
{
    if (isfinite(value)) fprintf(to, ", \"%s\": %.*g", name, digits, value);
    else fprintf(to, ", \"%s\": null", name);
}

static void write_time(FILE *to, const char *name, double us)
{
    if (us > 0) fprintf(to, ", \"%s\": %.3f", name, us);
    else fprintf(to, ", \"%s\": null", name);
}

/* null, 1 or [0, 2]. */
static void write_axes(FILE *to, const bench_case *wanted)
{
    fprintf(to, "\"axis\": %s", wanted->axis_count == 0 ? "null" : wanted->axis_count > 1 ? "[" : "");
    for (int32_t i = 0; i < wanted->axis_count; i++) fprintf(to, "%s%" PRId32, i > 0 ? ", " : "", wanted->axes[i]);
    if (wanted->axis_count > 1) fprintf(to, "]");
}

void bench_write_case(const bench_report *report, const bench_case *wanted)
{
    FILE *to = report->json;
    char variant[96], shape[96];
    variant_text(wanted, variant, sizeof variant);
    shape_text(wanted, ", ", shape, sizeof shape);
    fprintf(to, "{\"verb\": \"%s\", \"op\": \"%s\", \"type\": \"%s\", \"shape\": [%s], ",
            wanted->verb == TALLY_REDUCE ? "reduce" : "scan", name_of(wanted), tally_type_name(wanted->type), shape);
    write_axes(to, wanted);
    fprintf(to, ", \"n\": %" PRId64 ", \"variant\": \"%s\"", bench_elements(wanted), variant);
    if (report->part != NULL) fprintf(to, ", \"part\": \"%s\"", report->part);
    if (wanted->offset > 0) fprintf(to, ", \"offset\": %" PRId32, wanted->offset);
    if (wanted->gap > 0) fprintf(to, ", \"gap\": %" PRId32, wanted->gap);
}

void bench_write_end(const bench_report *report, const bench_result *result)
{
    write_number(report->json, "first", result->first, 17);
    write_number(report->json, "last", result->last, 17);
    fprintf(report->json, ", \"checked\": \"%s\", \"peers\": {}, \"device\": \"%s\", \"commit\": \"%s\"}\n",
            result->checked_all ? "all" : "sample", report->state.about.name, report->commit);
    fflush(report->json);
}

static void write_times(const bench_report *report, const bench_case *wanted, const bench_result *result)
{
    FILE *to = report->json;
    const double gbps = 1e-3 * result->bytes / result->us, limit = limit_of(report, wanted);
    write_time(to, "us", result->us);
    write_time(to, "hot_us", result->hot_us);
    write_time(to, "call_us", result->call_us);
    fprintf(to, ", \"limit_us\": %.3f, \"gbps\": %.1f, \"percent\": %.1f, \"of\": \"%s\", \"runs\": %d",
            1e-3 * result->bytes / limit, gbps, 100 * gbps / limit, wanted->verb == TALLY_REDUCE ? "read" : "copy",
            result->runs);
}

void bench_print_failure(int verdict)
{
    printf("%s\n", verdict == BENCH_WRONG      ? "WRONG: the result is not the CPU's"
                   : verdict == BENCH_LEFT_OUT ? io_error()
                                               : "FAILED");
    fflush(stdout);
}

void bench_print_what(const bench_case *wanted)
{
    char name[48], shape[96], variant[96], axes[48] = "", where[256];
    snprintf(name, sizeof name, "%s %s", wanted->verb == TALLY_REDUCE ? "reduce" : "scan", name_of(wanted));
    shape_text(wanted, " x ", shape, sizeof shape);
    variant_text(wanted, variant, sizeof variant);
    for (int32_t i = 0; i < wanted->axis_count; i++) {
        const char *before = i > 0 ? "," : wanted->axis_count > 1 ? ", axes " : ", axis ";
        snprintf(axes + strlen(axes), sizeof axes - strlen(axes), "%s%" PRId32, before, wanted->axes[i]);
    }
    const bool said = variant[0] != '\0' && strcmp(variant, "inclusive") != 0;
    snprintf(where, sizeof where, "%s%s%s%s", shape, axes, said ? " " : "", said ? variant : "");
    printf("%-20s %-5s %-30s ", name, tally_type_name(wanted->type), where);
}

void bench_print_case(const bench_report *report, const bench_case *wanted, const bench_result *result, int verdict)
{
    bench_print_what(wanted);
    if (verdict != BENCH_DONE) {
        bench_print_failure(verdict);
        return;
    }
    const double gbps = 1e-3 * result->bytes / result->us;
    printf("%11.2f us %9.2f GB/s %6.1f %%", result->us, gbps, 100 * gbps / limit_of(report, wanted));
    if (report->part != NULL && result->hot_us > 0) printf("  hot %.2f us", result->hot_us);
    if (report->part != NULL && result->call_us > 0) printf("  call %.2f us", result->call_us);
    printf("\n");
    fflush(stdout);
    if (report->json == NULL) return;
    bench_write_case(report, wanted);
    write_times(report, wanted, result);
    bench_write_end(report, result);
}

void bench_print_head(const bench_report *report)
{
    const bench_state *state = &report->state;
    printf("%s: %s\nread limit %.1f GB/s (%s), copy limit %.1f GB/s (read and written)\n", state->about.name,
           state->about.description, state->read_gbps, state->read_by, state->copy_gbps);
    if (state->empty_us > 0) {
        printf("an empty kernel %.2f us, waited for %.2f us\n", state->empty_us, state->empty_call_us);
    }
    printf("\n");
    fflush(stdout);
    if (report->json == NULL) return;
    fprintf(report->json, "{\"version\": \"%s\", \"device\": \"%s\", \"description\": \"%s\", \"commit\": \"%s\", ",
            tally_version(), state->about.name, state->about.description, report->commit);
    fprintf(report->json, "\"read_gbps\": %.1f, \"read_by\": \"%s\", \"copy_gbps\": %.1f", state->read_gbps,
            state->read_by, state->copy_gbps);
    write_time(report->json, "empty_launch_us", state->empty_us);
    write_time(report->json, "empty_call_us", state->empty_call_us);
    fprintf(report->json, "}\n");
    fflush(report->json);
}
