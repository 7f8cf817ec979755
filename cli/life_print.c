/* SPDX-License-Identifier: MIT
 *
 * life_print.c - tally life: what is said of generations and worlds, as text or JSON. */
#include "life_run.h"

#include <inttypes.h>
#include <stdio.h>

void cli_life_report(cli_life_run *run)
{
    const struct life_box box = life_bounding_box(&run->grid);
    const int64_t alive = life_population(&run->grid);
    if (run->options->json) {
        printf("%s{\"generation\": %" PRId64 ", \"population\": %" PRId64 ", \"box\": ",
               run->reports++ ? ", " : "{\"reports\": [", run->generation, alive);
        if (alive > 0)
            printf("[%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "]}", box.x, box.y, box.width, box.height);
        else printf("null}");
        return;
    }
    printf("generation %" PRId64 ": population %" PRId64, run->generation, alive);
    if (alive > 0)
        printf(", box %" PRId64 " x %" PRId64 " at %" PRId64 ",%" PRId64, box.width, box.height, box.x, box.y);
    printf("\n");
}

static const char *edges_of(const cli_life_run *run)
{
    return run->problem.edges == LIFE_TORUS ? "torus" : "dead";
}

static double updates_a_second(const cli_life_run *run)
{
    const double cells = (double)run->problem.width * (double)run->problem.height * (double)run->made;
    return run->seconds > 0 ? cells / run->seconds : 0;
}

static void print_json(const cli_life_run *run, const char *rule, const char *device, const struct life_period *period)
{
    printf("%s], \"rule\": ", run->reports > 0 ? "" : "{\"reports\": [");
    cli_print_json_string(rule);
    printf(", \"width\": %" PRId64 ", \"height\": %" PRId64 ", \"edges\": \"%s\", \"engine\": \"%s\", \"device\": ",
           run->problem.width, run->problem.height, edges_of(run), run->engine->name);
    cli_print_json_string(device);
    if (run->period_limit > 0 && period->generations == 0) printf(", \"period\": null");
    if (period->generations > 0)
        printf(", \"period\": %" PRId64 ", \"moved\": [%" PRId64 ", %" PRId64 "]", period->generations, period->x,
               period->y);
    if (run->options->benchmark) printf(", \"seconds\": %.6f", run->seconds);
    printf("}\n");
}

static void print_period(const cli_life_run *run, const struct life_period *period)
{
    printf("period     ");
    if (period->generations == 0) {
        printf("none up to %" PRId64 "\n", run->period_limit);
        return;
    }
    printf("%" PRId64, period->generations);
    if (period->x != 0 || period->y != 0) printf(", moved by %" PRId64 ",%" PRId64, period->x, period->y);
    printf("\n");
}

void cli_life_print_failure(const cli_life_run *run)
{
    if (run->reports > 0) printf("], \"failed\": true}\n");
}

void cli_life_print_end(cli_life_run *run, const struct life_period *period)
{
    const struct life_rule_text rule = {.rule = run->problem.rule};
    char text[LIFE_RULE_ROOM];
    tally_device device = {.size = sizeof device};
    if (tally_device_info(run->context, &device) != TALLY_OK) device.name[0] = '\0';
    life_rule_format(&rule, text);
    if (run->options->json) {
        print_json(run, text, device.name, period);
        return;
    }
    if (run->options->life_stats) {
        printf("rule       %s\n", text);
        printf("world      %" PRId64 " x %" PRId64 ", %s\n", run->problem.width, run->problem.height,
               run->problem.edges == LIFE_TORUS ? "a torus" : "dead beyond its edges");
        printf("engine     %s, %s\n", run->engine->name, run->engine->idea);
        printf("device     %s\n", device.name);
    }
    if (run->period_limit > 0) print_period(run, period);
    if (run->options->benchmark)
        printf("time       %.3f s, %.3g cells a second\n", run->seconds, updates_a_second(run));
}
