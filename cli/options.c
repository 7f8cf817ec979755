/* SPDX-License-Identifier: MIT
 *
 * options.c - the one table of options: parsing and the help texts are both made from it. */
#include "cli.h"
#include "io/error.h"
#include "io/number.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef enum option_kind { FLAG, TEXT, TYPE, AXES, SHAPE, NUMBER, COUNT, THREADS, MODULUS } option_kind;

typedef struct option {
    const char *name;
    char letter; /* or 0 */
    option_kind kind;
    int groups;
    size_t offset; /* in cli_options */
    const char *argument;
    const char *help;
} option;

#define AT(member) offsetof(cli_options, member)

static const option table[] = {
    {"axis", 0, AXES, FOR_REDUCE | FOR_SCAN, AT(axes), "A,B",
     "axes to reduce, or the one to scan; negative from the end (default: all; scan: the only one)"},
    {"keepdims", 0, FLAG, FOR_REDUCE, AT(keepdims), NULL, "keep reduced axes with length 1"},
    {"exclusive", 0, FLAG, FOR_SCAN, AT(exclusive), NULL, "element i is the total of the elements before i"},
    {"reverse", 0, FLAG, FOR_SCAN, AT(reverse), NULL, "from the last element to the first"},
    {"skip-nan", 0, FLAG, FOR_REDUCE | FOR_SCAN | FOR_STATS, AT(skip_nan), NULL,
     "treat NaNs as absent (stats always does)"},
    {"where", 0, TEXT, FOR_REDUCE | FOR_SCAN, AT(where), "MASK", "use only the elements where this bool array is true"},
    {"dtype", 0, TYPE, FOR_REDUCE | FOR_SCAN | FOR_MAP, AT(dtype), "T", "type of the result"},
    {"initial", 0, TEXT, FOR_REDUCE | FOR_SCAN, AT(initial), "V", "start from this value"},
    {"correction", 0, NUMBER, FOR_REDUCE | FOR_STATS, AT(correction), "C", "var, std: divide by n - C (default 0)"},
    {"output", 'o', TEXT, FOR_REDUCE | FOR_SCAN | FOR_MAP, AT(output), "OUT",
     "write to OUT: .npy, .raw, .txt or .json by its name, - is standard output (default)"},
    {"plain", 0, FLAG, FOR_REDUCE | FOR_SCAN | FOR_STATS, AT(plain), NULL,
     "ordinary float arithmetic instead of exact sums"},
    {"check-overflow", 0, FLAG, FOR_REDUCE | FOR_SCAN, AT(check_overflow), NULL,
     "fail when an integer result overflows, instead of wrapping"},
    {"combine", 0, TEXT, FOR_REDUCE | FOR_SCAN, AT(combine), "C",
     "an operator of your own: C expression that joins the states a and b (b's elements follow)"},
    {"lift", 0, TEXT, FOR_REDUCE | FOR_SCAN, AT(lift), "C", "its state of an element: of x (y, z) and i (default x)"},
    {"identity", 0, TEXT, FOR_REDUCE | FOR_SCAN, AT(identity), "C", "its state of no elements"},
    {"finish", 0, TEXT, FOR_REDUCE | FOR_SCAN, AT(finish), "C",
     "its result: of the state s and the number n of elements (default s)"},
    {"state", 0, TEXT, FOR_REDUCE | FOR_SCAN, AT(state), "T",
     "its state: a type, or members such as 'f64 sum; i64 n;' (default f64, i64 or u64)"},
    {"helpers", 0, TEXT, FOR_REDUCE | FOR_SCAN | FOR_MAP, AT(helpers), "C", "C functions that the others may call"},
    {"results", 0, COUNT, FOR_REDUCE | FOR_SCAN, AT(op_results), "N", "its results are N elements, out[0] and on"},
    {"inputs", 0, COUNT, FOR_REDUCE | FOR_SCAN, AT(op_inputs), "N", "it reads N files side by side (up to 3)"},
    {"commutative", 0, FLAG, FOR_REDUCE | FOR_SCAN, AT(commutative), NULL,
     "it may join elements out of order, which is faster"},
    {"check-op", 0, FLAG, FOR_REDUCE | FOR_SCAN, AT(check_op), NULL, "try its laws on random elements first"},
    {"op-file", 0, TEXT, FOR_REDUCE | FOR_SCAN, AT(op_file), "FILE", "read the operator from a file of such fields"},
    {"mod", 0, MODULUS, FOR_REDUCE | FOR_SCAN, AT(modulus), "P",
     "sum, prod, dot modulo P >= 2 or koalabear, babybear, mersenne31, goldilocks"},
    {"raw", 0, TYPE, FOR_INPUT, AT(request.raw_type), "T", "the input is raw elements of this type"},
    {"shape", 0, SHAPE, FOR_INPUT, AT(request.raw_shape), "N,M", "shape of raw input (default: a vector)"},
    {"type", 0, TYPE, FOR_INPUT, AT(request.text_type), "T", "type of numbers in text (default f64; with --mod i64)"},
    {"column", 0, TEXT, FOR_INPUT, AT(request.column), "N", "of text: column N (from 1) or the column of that name"},
    {"json", 0, FLAG, FOR_INPUT | FOR_INFO | FOR_CACHE, AT(json), NULL, "print JSON"},
    {"quiet", 'q', FLAG, FOR_INPUT, AT(quiet), NULL, "no progress bar"},
    {"device", 0, TEXT, FOR_INPUT | FOR_INFO, AT(device), "D",
     "cpu (default), cpu:N, cuda, cuda:N, simt, reference or auto"},
    {"device", 0, TEXT, FOR_CACHE, AT(device), "D", "warm: the GPU to compile for (default cuda)"},
    {"device", 0, TEXT, FOR_BENCH, AT(device), "D", "what to time: cuda, cpu, simt, ... (default auto)"},
    {"op", 0, TEXT, FOR_BENCH, AT(bench_op), "OP", "only this operator"},
    {"type", 0, TYPE, FOR_BENCH, AT(bench_type), "T", "only this type"},
    {"size", 0, COUNT, FOR_BENCH, AT(size), "N", "only arrays of N elements"},
    {"shape", 0, SHAPE, FOR_BENCH, AT(request.raw_shape), "N,M",
     "only arrays of that shape: sums and maxima of f32, or what --op and --type say"},
    {"axis", 0, AXES, FOR_BENCH, AT(axes), "A,B", "of --shape: the axes to reduce, or the one to scan (default: all)"},
    {"verb", 0, TEXT, FOR_BENCH, AT(bench_verb), "reduce|scan", "of --shape: only reductions, or only scans"},
    {"plain", 0, FLAG, FOR_BENCH, AT(plain), NULL, "of --shape: ordinary float arithmetic instead of exact sums"},
    {"quick", 0, FLAG, FOR_BENCH, AT(quick), NULL, "fewer sizes, types, shapes and repeats"},
    {"grid", 0, TEXT, FOR_BENCH, AT(grid), "full|quick", "the whole grid of cases, or a small one"},
    {"part", 0, TEXT, FOR_BENCH, AT(grid_parts), "P,Q",
     "of the grid only: reduce, scan, jit, scratch, exact, rows, columns, axes, user, field, misaligned, small, views, "
     "numbers"},
    {"seconds", 0, COUNT, FOR_BENCH, AT(seconds), "N",
     "end the grid after N seconds, of which each part has its share"},
    {"json", 0, TEXT, FOR_BENCH, AT(json_file), "FILE", "append a line of JSON per result to a file"},
    {"commit", 0, TEXT, FOR_BENCH, AT(commit), "TEXT", "what the JSON says of the version (default $TALLY_COMMIT)"},
    {"compile", 0, TEXT, FOR_BENCH, AT(compile_shard), "N/M",
     "only compile the kernels of every Mth case, from the Nth on, and keep them"},
    {"first-call", 0, COUNT, FOR_BENCH, AT(first_call), "N",
     "only make the first two calls of case N of the part jit, with the kernels that the cache has"},
    {"data", 0, TEXT, FOR_BENCH, AT(data_file), "FILE", "only write one period of --type's elements, raw, to a file"},
    {"spread", 0, TEXT, FOR_BENCH, AT(spread), "S",
     "of --data and --shape: binades that floats lie in, 8 (default), 40 or all; or normal, prices, sparse, holes"},
    {"device", 0, TEXT, FOR_LADDER, AT(device), "D", "cuda, cuda:N or simt (default: cuda, else simt)"},
    {"type", 0, TEXT, FOR_LADDER, AT(ladder_type), "T",
     "f32 (default), f64, i32, i64 or field (modulo 2^31 - 2^24 + 1)"},
    {"op", 0, TEXT, FOR_LADDER, AT(ladder_op), "OP", "sum (default), min, max or product"},
    {"size", 0, TEXT, FOR_LADDER, AT(ladder_size), "N", "elements of a vector"},
    {"rows", 0, TEXT, FOR_LADDER, AT(ladder_rows), "R", "rows of a matrix"},
    {"columns", 0, TEXT, FOR_LADDER, AT(ladder_columns), "C", "columns of a matrix"},
    {"width", 0, TEXT, FOR_LADDER, AT(width), "W", "life: columns of the world"},
    {"height", 0, TEXT, FOR_LADDER, AT(height), "H", "life: rows of the world"},
    {"generations", 0, TEXT, FOR_LADDER, AT(generations), "G", "life: how many each rung makes"},
    {"exclusive", 0, FLAG, FOR_LADDER, AT(exclusive), NULL, "scan: element i is the total of the elements before i"},
    {"rung", 0, TEXT, FOR_LADDER, AT(rung), "R", "only this rung"},
    {"source", 0, FLAG, FOR_LADDER, AT(source), NULL, "print the kernels of --rung"},
    {"inject-bug", 0, FLAG, FOR_LADDER, AT(inject_bug), NULL,
     "make the known mistakes, and show that the check catches each"},
    {"counters", 0, FLAG, FOR_LADDER, AT(counters), NULL,
     "measure divergence, conflicts, memory and issue with Nsight Compute (GPU)"},
    {"once", 0, FLAG, FOR_LADDER, AT(once), NULL, "run each rung once and time nothing: to look on with a profiler"},
    {"json", 0, FLAG, FOR_LADDER, AT(json), NULL, "print JSON"},
    {"csv", 0, FLAG, FOR_LADDER, AT(csv), NULL, "print CSV"},
    {"html", 0, TEXT, FOR_LADDER, AT(html_file), "FILE", "write a page with table, plots and sources as well"},
    {"generations", 'm', TEXT, FOR_LIFE, AT(generations), "N",
     "make N more generations (default 0; --live: without end)"},
    {"step", 'i', TEXT, FOR_LIFE, AT(life_step), "N",
     "report, and write OUT-GENERATION, every N generations (default: the last; GIFs: 1)"},
    {"rule", 'r', TEXT, FOR_LIFE, AT(rule), "R",
     "B3/S23, 23/3, HighLife, B3/S23:T30,20 ... (default: the file's, B3/S23)"},
    {"torus", 0, TEXT, FOR_LIFE, AT(torus), "W,H", "a world of W x H cells whose edges meet"},
    {"dead", 0, TEXT, FOR_LIFE, AT(dead_edges), "W,H", "a world of W x H cells with nothing alive beyond them"},
    {"soup", 0, TEXT, FOR_LIFE, AT(soup), "D",
     "random cells, alive with probability D, in place of a file (default 0.25)"},
    {"seed", 0, TEXT, FOR_LIFE, AT(seed), "S", "of the soup: 0 to 2^64 - 1 (default 1)"},
    {"output", 'o', TEXT, FOR_LIFE, AT(output), "OUT",
     "write .rle, .cells, .lif or .mc, each also .gz, .png or .gif by its name; - is standard output, as RLE"},
    {"stats", 0, FLAG, FOR_LIFE, AT(life_stats), NULL, "say the rule, the world, the engine and the device, too"},
    {"period", 0, TEXT, FOR_LIFE, AT(period), "N", "then look for a period, up to N generations"},
    {"live", 0, FLAG, FOR_LIFE, AT(live), NULL, "show the world as it lives, in the terminal"},
    {"cells", 0, TEXT, FOR_LIFE, AT(characters), "half|braille|ascii", "what --live draws with (default half)"},
    {"rate", 0, TEXT, FOR_LIFE, AT(rate), "N",
     "frames a second of --live and GIFs, 1 to 60, in GIFs at most 50 (default 10)"},
    {"scale", 0, TEXT, FOR_LIFE, AT(scale), "K|1/K",
     "pixels a side of a cell, or cells a side of a pixel (default: as large as 1024 pixels allow, at most 1)"},
    {"colours", 0, TEXT, FOR_LIFE, AT(colours), "DEAD,ALIVE", "of pictures (default 000000,ffffff)"},
    {"engine", 0, TEXT, FOR_LIFE, AT(engine), "E", "naive, cpu, gpu or auto (default)"},
    {"benchmark", 'b', FLAG, FOR_LIFE, AT(benchmark), NULL, "say how long the generations took"},
    {"json", 0, FLAG, FOR_LIFE, AT(json), NULL, "print JSON"},
    {"quiet", 'q', FLAG, FOR_LIFE, AT(quiet), NULL, "print nothing"},
    {"device", 0, TEXT, FOR_LIFE, AT(device), "D", "cpu (default), cpu:N, cuda, cuda:N, simt or auto"},
    {"threads", 0, THREADS, FOR_LIFE | FOR_INPUT | FOR_INFO | FOR_BENCH, AT(threads), "N",
     "use N threads: short for --device cpu:N"},
    {"help", 'h', FLAG, FOR_ALL, AT(help), NULL, "show this text"},
};

enum { OPTIONS = sizeof table / sizeof table[0] };

/* The next number of a list like "0,-1"; *at moves behind it and its comma. */
static bool next_integer(const char **at, int64_t *value)
{
    size_t length = strcspn(*at, ",");
    if (io_number_parse(*at, length, TALLY_I64, value) != IO_NUMBER_OK) return false;
    *at += length;
    if (**at == ',') {
        ++*at;
        return **at != '\0';
    }
    return true;
}

static bool parse_axes(const char *text, cli_options *options)
{
    const char *at = text;
    options->axis_count = 0;
    while (*at != '\0' || at == text) {
        int64_t axis = 0;
        if (!next_integer(&at, &axis) || axis < INT32_MIN || axis > INT32_MAX) {
            return io_fail("--axis '%.80s' is not a list of axes such as 0,-1", text);
        }
        if (options->axis_count == TALLY_MAX_RANK) {
            return io_fail("--axis '%.80s' lists more than %d axes", text, TALLY_MAX_RANK);
        }
        options->axes[options->axis_count++] = (int32_t)axis;
    }
    return true;
}

static bool parse_shape(const char *text, cli_options *options)
{
    const char *at = text;
    io_request *request = &options->request;
    request->raw_rank = 0;
    while (*at != '\0' || at == text) {
        int64_t length = 0;
        if (!next_integer(&at, &length) || length < 0) {
            return io_fail("--shape '%.80s' is not a list of lengths such as 3,4", text);
        }
        if (request->raw_rank == TALLY_MAX_RANK) {
            return io_fail("--shape '%.80s' lists more than %d axes", text, TALLY_MAX_RANK);
        }
        request->raw_shape[request->raw_rank++] = length;
    }
    return true;
}

static bool parse_type(const option *known, const char *text, tally_type *type)
{
    if (tally_type_parse(text, type) == TALLY_OK) return true;
    cli_nearest nearest = {.wanted = text};
    char problem[64];
    snprintf(problem, sizeof problem, "--%s: unknown type", known->name);
    for (tally_type i = TALLY_BOOL; i <= TALLY_C128; i++) {
        cli_nearest_try(&nearest, tally_type_name(i));
    }
    return cli_fail_unknown(problem, &nearest,
                            "known are bool, i8 to i64, u8 to u64, f16, bf16, f32, f64, c64 and c128");
}

static bool set_option(const option *known, const char *text, cli_options *options)
{
    void *member = (char *)options + known->offset;
    switch (known->kind) {
    case FLAG: *(bool *)member = true; return true;
    case TEXT: *(const char **)member = text; return true;
    case TYPE: return parse_type(known, text, member);
    case AXES: return parse_axes(text, options);
    case SHAPE: return parse_shape(text, options);
    case NUMBER:
        return io_number_parse(text, strlen(text), TALLY_F64, member) == IO_NUMBER_OK ||
               io_fail("--%s '%.80s' is not a number", known->name, text);
    case COUNT:
        return (io_number_parse(text, strlen(text), TALLY_I64, member) == IO_NUMBER_OK && *(int64_t *)member >= 1 &&
                *(int64_t *)member <= (int64_t)1 << 40) ||
               io_fail("--%s '%.80s' is not a number from 1 to 2^40", known->name, text);
    case THREADS:
        return (io_number_parse(text, strlen(text), TALLY_I64, member) == IO_NUMBER_OK && options->threads >= 1 &&
                options->threads <= 1024) ||
               io_fail("--%s '%.80s' is not a number from 1 to 1024", known->name, text);
    case MODULUS: return cli_modulus_parse(text, member);
    }
    return false;
}

/* What the user typed in the command's place. */
static const char *typed_name(const cli_command *command, const cli_arguments *arguments)
{
    return arguments->op != 0 && !command->takes_op ? cli_op_name(arguments->op) : command->name;
}

static bool fail_unknown_option(const cli_command *command, const cli_arguments *arguments, const char *name,
                                bool is_long)
{
    const char *typed = typed_name(command, arguments);
    const char *dashes = is_long ? "--" : "-";
    cli_nearest nearest = {.wanted = name};
    for (int i = 0; is_long && i < OPTIONS; i++) {
        if (table[i].groups & command->group) cli_nearest_try(&nearest, table[i].name);
    }
    if (nearest.name != NULL) {
        return io_fail("%s: unknown option '%s%.80s'; did you mean '--%s'?", typed, dashes, name, nearest.name);
    }
    return io_fail("%s: unknown option '%s%.80s'; tally %s --help lists them", typed, dashes, name, typed);
}

/* Parses the option at argv[*at]; *at moves to its last word. */
static bool parse_option(const cli_command *command, int argc, char **argv, int *at, cli_arguments *arguments)
{
    const char *word = argv[*at];
    cli_options *options = &arguments->options;
    bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1);
    size_t length = is_long ? strcspn(name, "=") : 1;
    for (int i = 0; i < OPTIONS; i++) {
        const option *known = &table[i];
        bool named =
            is_long ? strlen(known->name) == length && memcmp(known->name, name, length) == 0 : known->letter == *name;
        if (!named || !(known->groups & command->group)) continue;
        const char *value = is_long ? (name[length] == '=' ? name + length + 1 : NULL) : name[1] ? name + 1 : NULL;
        if (known->kind == FLAG) {
            return value == NULL ? set_option(known, NULL, options) : io_fail("--%s takes no value", known->name);
        }
        if (value == NULL && *at + 1 < argc) value = argv[++*at];
        if (value == NULL) return io_fail("--%s needs a value: --%s %s", known->name, known->name, known->argument);
        return set_option(known, value, options);
    }
    return fail_unknown_option(command, arguments, name, is_long);
}

bool cli_user_op_given(const cli_options *options)
{
    return options->combine != NULL || options->op_file != NULL;
}

static bool take_op(const cli_command *command, cli_arguments *arguments)
{
    if (cli_user_op_given(&arguments->options)) return true;
    if (arguments->count == 0) {
        return io_fail("%s: which operator? tally %s OPERATOR FILE; tally help lists them", command->name,
                       command->name);
    }
    const char *name = arguments->words[0];
    if (!cli_op_find(name, &arguments->op)) {
        cli_nearest nearest = {.wanted = name};
        for (int i = 0; cli_op_name_at(i) != NULL; i++) {
            cli_nearest_try(&nearest, cli_op_name_at(i));
        }
        return cli_fail_unknown("unknown operator", &nearest, "tally help lists them");
    }
    arguments->words++;
    arguments->count--;
    return true;
}

static bool check_words(const cli_command *command, const cli_arguments *arguments)
{
    bool two = arguments->op == TALLY_DOT && command->group == FOR_REDUCE;
    int least = two ? 2 : command->least_words;
    int most = two ? 2 : command->most_words;
    if (cli_user_op_given(&arguments->options) && most == 1) most = 3; /* as many as it has inputs */
    const char *name = two ? "dot" : typed_name(command, arguments);
    if (arguments->count < least) {
        return io_fail("%s: %s; - is standard input, tally %s --help says more", name,
                       two ? "needs two files" : "needs a file", name);
    }
    if (most >= 0 && arguments->count > most) {
        return io_fail("%s: '%.80s' is one word too many; tally %s --help says more", name, arguments->words[most],
                       name);
    }
    return true;
}

static bool check_together(const cli_command *command, const cli_options *options)
{
    if (command->group & FOR_INPUT && options->request.raw_rank > 0 &&
        options->request.raw_type == TALLY_DEFAULT_TYPE) {
        return io_fail("--shape is for raw input; say --raw TYPE, too");
    }
    if (options->threads > 0 && options->device != NULL && strcmp(options->device, "cpu") != 0) {
        return io_fail("--threads is for the device cpu, not for '%.80s'", options->device);
    }
    if (command->group == FOR_SCAN && options->axis_count > 1) return io_fail("scan: --axis takes one axis");
    if (command->group != FOR_MAP && !cli_user_op_given(options) &&
        (options->lift || options->identity || options->finish || options->state || options->helpers ||
         options->op_inputs || options->op_results))
        return io_fail("--lift, --identity, --finish, --state, --helpers, --inputs and --results belong to --combine");
    return true;
}

bool cli_parse(const cli_command *command, int argc, char **argv, cli_arguments *arguments)
{
    tally_op op = arguments->op;
    bool options_end = false;
    *arguments = (cli_arguments){.op = op, .words = argv};
    for (int i = 0; i < argc; i++) {
        char *word = argv[i];
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
        } else if (!options_end && word[0] == '-' && word[1] != '\0') {
            if (!parse_option(command, argc, argv, &i, arguments)) return false;
        } else {
            /* Words gather at the front of argv, whose options there are used up by now. */
            arguments->words[arguments->count++] = word;
        }
    }
    if (arguments->options.help) return true;
    io_request *request = &arguments->options.request;
    if (arguments->options.modulus != 0 && request->text_type == TALLY_DEFAULT_TYPE) request->text_type = TALLY_I64;
    return check_together(command, &arguments->options) && (!command->takes_op || take_op(command, arguments)) &&
           check_words(command, arguments);
}

void cli_print_options(int group)
{
    for (int i = 0; i < OPTIONS; i++) {
        if (!(table[i].groups & group)) continue;
        char left[40];
        char letter[8] = "    ";
        if (table[i].letter) snprintf(letter, sizeof letter, "-%c, ", table[i].letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, table[i].name, table[i].argument ? " " : "",
                 table[i].argument ? table[i].argument : "");
        printf("  %-24s %s\n", left, table[i].help);
    }
}
