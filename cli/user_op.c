/* SPDX-License-Identifier: MIT
 *
 * user_op.c - an operator that the user gave as text. An operator's file has lines "FIELD: TEXT"; lines that begin with
 * a blank go on with the field before, and those that begin with # are comments. */
#include "user_op.h"
#include "io/error.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the file ---- */

/* Texts first, in the order of tally_op_source's members; NUMBERS and FLAGS are parsed. */
static const char *const field_names[] = {"state", "helpers", "lift",   "combine", "identity", "finish",
                                          "name",  "result",  "inputs", "results", "flags"};
enum { STATE, HELPERS, LIFT, COMBINE, IDENTITY, FINISH, NAME, RESULT, INPUTS, RESULTS, FLAGS, FIELDS };

typedef struct op_file {
    const char *path;
    char *field[FIELDS]; /* NULL: not given */
} op_file;

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, room = 0;
    while (file != NULL) {
        if (size + 1 >= room) {
            room = room ? 2 * room : 4096;
            char *larger = realloc(text, room);
            if (larger == NULL) break;
            text = larger;
        }
        size_t read = fread(text + size, 1, room - size - 1, file);
        size += read;
        if (read == 0) break;
    }
    bool good = file != NULL && !ferror(file) && text != NULL;
    if (file != NULL) fclose(file);
    if (good) text[size] = '\0';
    if (good && strlen(text) == size) return text;
    free(text);
    return NULL;
}

static bool fail_field(const op_file *file, int line, const char *name, size_t length)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
    cli_nearest nearest = {.wanted = wanted};
    for (int f = 0; f < FIELDS; f++) cli_nearest_try(&nearest, field_names[f]);
    return io_fail("%s:%d: unknown field '%s'%s%s; known are name, state, helpers, lift, combine, identity, finish, "
                   "result, inputs, results and flags",
                   file->path, line, wanted, nearest.name ? "; did you mean " : "", nearest.name ? nearest.name : "");
}

/* One line that begins a field; its text begins behind the colon. */
static bool take_field(op_file *file, int line, char *text, int *field)
{
    size_t length = strcspn(text, ":\n");
    if (text[length] != ':') return io_fail("%s:%d: expected FIELD: TEXT", file->path, line);
    for (*field = 0; *field < FIELDS; ++*field) {
        if (strlen(field_names[*field]) == length && memcmp(field_names[*field], text, length) == 0) break;
    }
    if (*field == FIELDS) return fail_field(file, line, text, length);
    if (file->field[*field] != NULL)
        return io_fail("%s:%d: field '%s' comes twice", file->path, line, field_names[*field]);
    file->field[*field] = text + length + 1;
    return true;
}

/* Fields point into the text; where the next one begins, the line end before it ends the last. */
static bool parse_file(op_file *file, char *text)
{
    int line = 1, field = -1;
    for (char *at = text; *at != '\0'; line++) {
        char *end = strchr(at, '\n');
        bool goes_on = *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n';
        if (*at == '#' && end != NULL) memset(at, ' ', (size_t)(end - at));
        else if (*at == '#') *at = '\0';
        else if (goes_on && field < 0 && strspn(at, " \t\r\n") < strcspn(at, "\n"))
            return io_fail("%s:%d: expected FIELD: TEXT", file->path, line);
        else if (!goes_on) {
            if (at > text) at[-1] = '\0';
            if (!take_field(file, line, at, &field)) return false;
        }
        if (end == NULL) break;
        at = end + 1;
    }
    return true;
}

/* A field of one word, without the blanks around it. */
static char *word_of(char *text)
{
    while (isspace((unsigned char)*text)) text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = '\0';
    return text;
}

static bool parse_count(const op_file *file, int field, int32_t *count)
{
    if (file->field[field] == NULL) return true;
    char *word = word_of(file->field[field]), *end;
    long value = strtol(word, &end, 10);
    if (*word == '\0' || *end != '\0' || value < 1 || value > TALLY_OP_MOST_RESULTS)
        return io_fail("%s: %s '%.40s' is not a number from 1 to %d", file->path, field_names[field], word,
                       TALLY_OP_MOST_RESULTS);
    *count = (int32_t)value;
    return true;
}

static bool parse_flags(const op_file *file, uint32_t *flags)
{
    if (file->field[FLAGS] == NULL) return true;
    for (char *word = strtok(word_of(file->field[FLAGS]), ", \t"); word != NULL; word = strtok(NULL, ", \t")) {
        if (strcmp(word, "commutative") == 0) *flags |= TALLY_OP_COMMUTATIVE;
        else if (strcmp(word, "idempotent") == 0) *flags |= TALLY_OP_IDEMPOTENT;
        else return io_fail("%s: flag '%.40s' is unknown; known are commutative and idempotent", file->path, word);
    }
    return true;
}

static bool take_file(const char *path, char *text, tally_op_source *source)
{
    op_file file = {.path = path};
    if (!parse_file(&file, text)) return false;
    source->state = file.field[STATE];
    source->helpers = file.field[HELPERS];
    source->lift = file.field[LIFT];
    source->combine = file.field[COMBINE];
    source->identity = file.field[IDENTITY];
    source->finish = file.field[FINISH];
    if (file.field[NAME] != NULL) source->name = word_of(file.field[NAME]);
    if (source->combine == NULL) return io_fail("%s: there is no field 'combine'", path);
    if (file.field[RESULT] != NULL && tally_type_parse(word_of(file.field[RESULT]), &source->result) != TALLY_OK)
        return io_fail("%s: %s", path, tally_last_error());
    return parse_count(&file, INPUTS, &source->input_count) && parse_count(&file, RESULTS, &source->result_count) &&
           parse_flags(&file, &source->flags);
}

/* ---- both forms ---- */

/* An option replaces what the file says. */
static void take_options(const cli_options *options, tally_op_source *source)
{
    if (options->state != NULL) source->state = options->state;
    if (options->helpers != NULL) source->helpers = options->helpers;
    if (options->lift != NULL) source->lift = options->lift;
    if (options->combine != NULL) source->combine = options->combine;
    if (options->identity != NULL) source->identity = options->identity;
    if (options->finish != NULL) source->finish = options->finish;
    if (options->dtype != TALLY_DEFAULT_TYPE) source->result = options->dtype;
    if (options->op_inputs > 0) source->input_count = options->op_inputs < 99 ? (int32_t)options->op_inputs : 99;
    if (options->op_results > 0) source->result_count = options->op_results < 999 ? (int32_t)options->op_results : 999;
    source->flags |= (options->commutative ? (uint32_t)TALLY_OP_COMMUTATIVE : 0U) |
                     (options->check_op ? (uint32_t)TALLY_OP_CHECK : 0U);
}

bool cli_user_op_open(const cli_options *options, cli_user_op *user)
{
    *user = (cli_user_op){.source = TALLY_OP_SOURCE_INIT};
    user->source.name = "op";
    if (options->op_file != NULL) {
        user->text = read_text(options->op_file);
        if (user->text == NULL) return io_fail("--op-file %s: cannot be read as text", options->op_file);
        if (!take_file(options->op_file, user->text, &user->source)) return false;
    }
    take_options(options, &user->source);
    if (user->source.input_count > 3)
        return io_fail("--inputs %d: an operator takes 1 to 3 arrays side by side", (int)user->source.input_count);
    return true;
}

bool cli_fail_compile(const char *name)
{
    const char *text = tally_last_error();
    const char *lines = strchr(text, '\n');
    if (lines == NULL) return cli_fail_call(name);
    fprintf(stderr, "%s%s", lines + 1, text[strlen(text) - 1] == '\n' ? "" : "\n");
    return io_fail("%s: %.*s", name, (int)(lines - text) - (lines > text && lines[-1] == ':'), text);
}

/* What sums of a type need: the widest of its kind. */
static const char *state_for(tally_type type)
{
    if (type >= TALLY_C64) return "c128";
    if (type >= TALLY_F16) return "f64";
    return type >= TALLY_U8 ? "u64" : "i64";
}

bool cli_user_op_compile(const cli_options *options, tally_context *context, const tally_type *types, cli_user_op *user)
{
    tally_op_source source = user->source;
    for (int32_t i = 0; i < source.input_count; i++) source.inputs[i] = types[i];
    if (source.state == NULL) source.state = user->source.state = state_for(types[0]);
    return tally_op_compile(context, &source, &user->op) == TALLY_OK ||
           cli_fail_compile(options->op_file != NULL ? options->op_file : "--combine");
}

bool cli_user_op_initial(const cli_options *options, const cli_user_op *user, void *initial)
{
    char name[16];
    tally_type type;
    snprintf(name, sizeof name, "%.15s", user->source.state);
    if (tally_type_parse(word_of(name), &type) != TALLY_OK || type == TALLY_F16 || type == TALLY_BF16)
        return io_fail("--initial: the operator's state is not a number; give the operator an identity instead");
    return cli_parse_initial(options, type, initial);
}

void cli_user_op_close(cli_user_op *user)
{
    if (user->op != 0) tally_op_free(user->op);
    free(user->text);
}
