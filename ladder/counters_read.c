/* SPDX-License-Identifier: MIT
 *
 * counters_read.c - reads what Nsight Compute prints: CSV behind lines of its own ("==PROF== ...") and of the program.
 */
#define _GNU_SOURCE
#include "counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIVERGENT, CONFLICTS, LOADED, STORED, REDUCED, EXCHANGED, DRAM, ISSUE, TIME, METRICS };

/* Not each metric is in every release; these are in all that know GPUs of compute capability 7.0 to 10.0. */
static const char *const metrics[METRICS] = {
    [DIVERGENT] = "smsp__sass_branch_targets_threads_divergent.sum",
    [CONFLICTS] = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    [LOADED] = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    [STORED] = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    [REDUCED] = "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    [EXCHANGED] = "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    [DRAM] = "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    [ISSUE] = "smsp__issue_active.avg.pct_of_peak_sustained_active",
    [TIME] = "gpu__time_duration.sum",
};

const char *ladder_counter_metrics(void)
{
    static char list[METRICS * 80];
    if (*list == '\0') {
        for (size_t i = 0, used = 0; i < METRICS; i++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? "," : "", metrics[i]);
    }
    return list;
}

#define MOST_FIELDS 64

enum { ID, NAME, VALUE, COLUMNS };

struct reading {
    int columns[COLUMNS];   /* which fields they are */
    int fields;             /* of a line; 0: before the columns' names */
    char launch[32];        /* the ID of the launch at hand */
    uint64_t launches;      /* with this one */
    double values[METRICS]; /* of this one; NAN: not said yet */
    double sums[METRICS];   /* of those before; percentages times time */
};

/* Cuts a line of CSV into its fields, in place; how many, or 0 where it is none. */
static int split(char *line, char *fields[MOST_FIELDS])
{
    int count = 0;
    for (char *from = line, *to = line; count < MOST_FIELDS; from++) {
        fields[count++] = to = from;
        if (*from == '"') {
            for (from++; *from != '\0' && (*from != '"' || from[1] == '"'); from++) {
                from += *from == '"';
                *to++ = *from;
            }
            if (*from++ != '"') return 0;
        } else {
            from += strcspn(from, ",");
            to = from;
        }
        const char end = *from;
        *to = '\0';
        if (end != ',') return end == '\0' ? count : 0;
    }
    return 0;
}

/* "1,234.5"; what the device does not have is NAN. */
static bool parse_value(const char *text, double *value)
{
    char digits[64], *end = digits;
    size_t used = 0;
    *value = NAN;
    if (strcmp(text, "n/a") == 0 || strcmp(text, "nan") == 0) return true;
    const size_t whole = strcspn(text, ".");
    for (size_t i = 0; text[i] != '\0' && used + 1 < sizeof digits; i++) {
        if (text[i] == ',' && i > 0 && i < whole) { /* between groups of three digits */
            if (strspn(text + i + 1, "0123456789") != 3) return false;
            continue;
        }
        if (strchr("0123456789.+-eE", text[i]) == NULL) return false;
        digits[used++] = text[i];
    }
    digits[used] = '\0';
    *value = strtod(digits, &end);
    return used > 0 && *end == '\0' && isfinite(*value) && *value >= 0;
}

static void end_launch(struct reading *reading)
{
    for (int i = 0; reading->launches > 0 && i < METRICS; i++) {
        const double weight = i == DRAM || i == ISSUE ? reading->values[TIME] : 1;
        reading->sums[i] += weight * reading->values[i];
    }
    for (int i = 0; i < METRICS; i++) reading->values[i] = NAN;
}

/* The line of the columns' names says where things are. */
static bool read_names(struct reading *reading, char *fields[MOST_FIELDS], int count)
{
    static const char *const names[COLUMNS] = {"ID", "Metric Name", "Metric Value"};
    int found = 0;
    for (int column = 0; column < COLUMNS; column++) {
        for (int i = 0; i < count; i++) {
            if (strcmp(fields[i], names[column]) != 0) continue;
            reading->columns[column] = i;
            found++;
            break;
        }
    }
    reading->fields = count;
    return found == COLUMNS;
}

static bool read_row(struct reading *reading, char *fields[MOST_FIELDS], int count)
{
    if (count != reading->fields) return false;
    const char *launch = fields[reading->columns[ID]];
    if (*launch == '\0' || strlen(launch) >= sizeof reading->launch) return false;
    if (reading->launches == 0 || strcmp(launch, reading->launch) != 0) {
        end_launch(reading);
        strcpy(reading->launch, launch);
        reading->launches++;
    }
    for (int i = 0; i < METRICS; i++) {
        if (strcmp(fields[reading->columns[NAME]], metrics[i]) == 0)
            return parse_value(fields[reading->columns[VALUE]], &reading->values[i]);
    }
    return true;
}

/* Of what was printed in place of numbers: the program's own complaint, else the first error, else the last words. */
static void keep_reason(const char *line, int *rank, char why[COUNTERS_WHY])
{
    static const char error[] = "==ERROR== ";
    const bool is_error = strncmp(line, error, strlen(error)) == 0;
    const int this_rank = strncmp(line, "tally: ", 7) == 0 ? 3 : is_error ? 2 : 1;
    if (*line == '\0' || this_rank < *rank || (this_rank > 1 && this_rank == *rank)) return;
    *rank = this_rank;
    snprintf(why, COUNTERS_WHY, "%s", is_error ? line + strlen(error) : line);
}

static void add_up(struct reading *reading, struct ladder_counters *counters)
{
    const double *sums = reading->sums;
    end_launch(reading);
    *counters = (struct ladder_counters){.launches = reading->launches,
                                         .divergent_branches = sums[DIVERGENT],
                                         .bank_conflicts = sums[CONFLICTS],
                                         .transactions = sums[LOADED] + sums[STORED] + sums[REDUCED] + sums[EXCHANGED],
                                         .dram_percent = sums[DRAM] / sums[TIME],
                                         .issue_percent = sums[ISSUE] / sums[TIME]};
}

bool ladder_read_counters(FILE *printed, struct ladder_counters *counters, char why[COUNTERS_WHY])
{
    struct reading reading = {.fields = 0};
    char *line = NULL, *fields[MOST_FIELDS];
    size_t size = 0;
    int number = 0, rank = 0;
    bool sound = true;
    snprintf(why, COUNTERS_WHY, "it printed nothing");
    while (sound && getline(&line, &size, printed) >= 0) {
        number++;
        line[strcspn(line, "\r\n")] = '\0';
        const bool names = reading.fields == 0 && strncmp(line, "\"ID\",", 5) == 0;
        if (reading.fields == 0 && !names) keep_reason(line, &rank, why);
        else if (*line != '\0' && strncmp(line, "==", 2) != 0) {
            const int count = split(line, fields);
            sound = names ? read_names(&reading, fields, count) : read_row(&reading, fields, count);
        }
    }
    free(line);
    if (!sound) snprintf(why, COUNTERS_WHY, "line %d of what it printed is not the table that was asked for", number);
    else if (reading.launches > 0) add_up(&reading, counters);
    else if (reading.fields > 0) snprintf(why, COUNTERS_WHY, "it measured no launch");
    return sound && reading.launches > 0;
}
