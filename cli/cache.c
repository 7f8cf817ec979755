/* SPDX-License-Identifier: MIT
 *
 * cache.c - tally cache: the compiled GPU kernels that are kept on disk, and those to be shipped. */
#include "cli.h"
#include "io/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The folder and the entries, to be freed; other processes may add some meanwhile, which are then left out. */
typedef struct cache_view {
    char folder[1024], shipped[1024];
    tally_cache_entry *entries;
    int64_t count, bytes;
} cache_view;

static bool look(cache_view *view)
{
    size_t size = sizeof view->folder, shipped = sizeof view->shipped;
    if (tally_cache_folder(view->folder, &size) != TALLY_OK ||
        tally_cache_shipped(view->shipped, &shipped) != TALLY_OK || tally_cache_list(NULL, &view->count) != TALLY_OK)
        return cli_fail_call("cache");
    view->entries = calloc((size_t)view->count + 1, sizeof *view->entries);
    if (view->entries == NULL) return io_fail("cache: no memory left for %" PRId64 " entries", view->count);
    if (tally_cache_list(view->entries, &view->count) != TALLY_OK) {
        free(view->entries);
        return cli_fail_call("cache");
    }
    for (int64_t i = 0; i < view->count; i++) view->bytes += view->entries[i].bytes;
    return true;
}

static void print_text(const cache_view *view)
{
    if (view->shipped[0] != '\0') printf("kernels that came with the library: %s\n", view->shipped);
    if (view->folder[0] == '\0') {
        printf("no cache folder: HOME is not set, or others may write to the folder\n");
        return;
    }
    printf("%s: %" PRId64 " kernel%s, %.1f KiB\n", view->folder, view->count, view->count == 1 ? "" : "s",
           (double)view->bytes / 1024);
    for (int64_t i = 0; i < view->count; i++) {
        const tally_cache_entry *entry = &view->entries[i];
        char used[32] = "";
        time_t seconds = (time_t)entry->last_used;
        struct tm *utc = gmtime(&seconds);
        if (utc != NULL) strftime(used, sizeof used, "%Y-%m-%d %H:%M", utc);
        printf("%9.1f KiB  %s  %s\n", (double)entry->bytes / 1024, used,
               entry->description[0] != '\0' ? entry->description : entry->name);
    }
}

static void print_json(const cache_view *view)
{
    printf("{\"folder\": ");
    cli_print_json_string(view->folder);
    printf(", \"shipped\": ");
    cli_print_json_string(view->shipped);
    printf(", \"bytes\": %" PRId64 ", \"kernels\": [", view->bytes);
    for (int64_t i = 0; i < view->count; i++) {
        const tally_cache_entry *entry = &view->entries[i];
        printf("%s{\"name\": ", i > 0 ? ", " : "");
        cli_print_json_string(entry->name);
        printf(", \"bytes\": %" PRId64 ", \"last_used\": %" PRId64 ", \"description\": ", entry->bytes,
               entry->last_used);
        cli_print_json_string(entry->description);
        printf("}");
    }
    printf("]}\n");
}

static int list(const cli_options *options)
{
    cache_view view = {.count = 0};
    if (!look(&view)) return cli_bad_input();
    if (options->json) {
        print_json(&view);
    } else {
        print_text(&view);
    }
    free(view.entries);
    return CLI_OK;
}

static int clear(void)
{
    cache_view view = {.count = 0};
    if (!look(&view)) return cli_bad_input();
    free(view.entries);
    if (tally_cache_clear() != TALLY_OK) {
        cli_fail_call("cache clear");
        return cli_bad_input();
    }
    printf("deleted %" PRId64 " kernel%s, %.1f KiB\n", view.count, view.count == 1 ? "" : "s",
           (double)view.bytes / 1024);
    return CLI_OK;
}

static int warm(const cli_options *options)
{
    cli_options with_device = *options;
    tally_context *context = NULL;
    cache_view view = {.count = 0};
    if (with_device.device == NULL) with_device.device = "cuda";
    if (!cli_open_context(&with_device, &context)) return cli_bad_usage();
    tally_status status = tally_cache_warm(context);
    tally_close(context);
    if (status != TALLY_OK) {
        cli_fail_call("cache warm");
        return cli_bad_input();
    }
    if (!look(&view)) return cli_bad_input();
    free(view.entries);
    printf("the cache holds %" PRId64 " kernel%s, %.1f KiB\n", view.count, view.count == 1 ? "" : "s",
           (double)view.bytes / 1024);
    return CLI_OK;
}

static int compile(const cli_arguments *arguments)
{
    int64_t count;
    if (arguments->count != 3) {
        io_fail("cache compile: expected an architecture and a folder, as in: tally cache compile sm_90 tally-kernels");
        return cli_bad_usage();
    }
    const char *architecture = arguments->words[1], *folder = arguments->words[2];
    tally_status status = tally_cache_compile(architecture, folder, &count);
    if (status != TALLY_OK) {
        cli_fail_call("cache compile");
        return status == TALLY_INVALID_ARGUMENT ? cli_bad_usage() : cli_bad_input();
    }
    printf("%s/%s: %" PRId64 " kernels\n", folder, architecture, count);
    return CLI_OK;
}

int cli_cache(const cli_arguments *arguments)
{
    const char *word = arguments->count > 0 ? arguments->words[0] : "list";
    if (strcmp(word, "compile") == 0) return compile(arguments);
    if (arguments->count > 1) {
        io_fail("cache: '%s' is one word too many; tally cache --help says more", arguments->words[1]);
        return cli_bad_usage();
    }
    if (strcmp(word, "list") == 0) return list(&arguments->options);
    if (strcmp(word, "clear") == 0) return clear();
    if (strcmp(word, "warm") == 0) return warm(&arguments->options);
    cli_nearest nearest = {.wanted = word};
    cli_nearest_try(&nearest, "list");
    cli_nearest_try(&nearest, "clear");
    cli_nearest_try(&nearest, "warm");
    cli_nearest_try(&nearest, "compile");
    cli_fail_unknown("cache: unknown word", &nearest, "say list, clear, warm or compile");
    return cli_bad_usage();
}
