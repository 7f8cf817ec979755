/* SPDX-License-Identifier: MIT
 *
 * text.c - the text of a user's operator, which compilers of C and of CUDA C read alike, between the two ends that
 * files of this folder give: a function for each step, with #line marks that make compilers speak of the user's own
 * lines. */
#include "operator.h"
#include "text_add.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static int has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += length) {
        if ((at == text || !is_word(at[-1])) && !is_word(at[length])) return 1;
    }
    return 0;
}

/* The text between blanks. */
static const char *trimmed(const char *text, int *length)
{
    while (isspace((unsigned char)*text)) text++;
    size_t size = strlen(text);
    while (size > 0 && isspace((unsigned char)text[size - 1])) size--;
    *length = (int)size;
    return text;
}

tally_type user_state_type(const char *state)
{
    int length;
    const char *text = trimmed(state, &length);
    for (tally_type type = TALLY_BOOL; type <= TALLY_C128; type++) {
        const char *name = tally_type_name(type);
        if ((size_t)length == strlen(name) && strncmp(text, name, (size_t)length) == 0) return type;
    }
    return TALLY_DEFAULT_TYPE;
}

static int is_number(tally_type type)
{
    return type != TALLY_DEFAULT_TYPE && type != TALLY_C64 && type != TALLY_C128;
}

/* A member of the source on lines of its own, so that columns are the user's, too. */
static void put_text(struct text *out, const struct user_op *op, const char *member, const char *text)
{
    text_add(out, "\n#line 1 \"%s.%s\"\n%s\n#line 1 \"tally\"\n", op->name, member, text);
}

static void put_state(struct text *out, const struct user_op *op, const char *state)
{
    int length;
    const char *text = trimmed(state, &length);
    /* Members may begin with a struct, too, but they end in a semicolon. */
    int is_struct = strncmp(text, "struct", 6) == 0 && !is_word(text[6]) && text[length - 1] == '}';
    int whole = user_state_type(state) != TALLY_DEFAULT_TYPE || is_struct;
    text_add(out, "typedef%s", whole ? "" : " struct {");
    put_text(out, op, "state", state);
    text_add(out, "%s state;\n", whole ? "" : "}");
    text_add(out, "_Static_assert(sizeof(state) <= %d, \"a state has at most %d bytes\");\n", TALLY_OP_MOST_STATE,
             TALLY_OP_MOST_STATE);
}

/* A function whose body is the text, or returns the text's value. */
static void put_step(struct text *out, const struct user_op *op, const char *member, const char *text,
                     const char *heading)
{
    int body = has_word(text, "return") || (strcmp(member, "finish") == 0 && op->values > 1);
    text_add(out, "STEP %s\n{%s", heading, body ? "" : " return (");
    put_text(out, op, member, text);
    text_add(out, "%s}\n", body ? "" : ");");
}

static const char *const input_names[USER_INPUTS_MOST] = {"x", "y", "z", "w"};

/* The heading of a function of the inputs' elements and the index. */
static void lift_heading(const struct user_op *op, const char *gives, char *heading, size_t size)
{
    int used = snprintf(heading, size, "%s user_lift(", gives);
    for (int32_t c = 0; c < op->input_count; c++)
        used +=
            snprintf(heading + used, size - (size_t)used, "%s %s, ", tally_type_name(op->inputs[c]), input_names[c]);
    snprintf(heading + used, size - (size_t)used, "i64 i)");
}

static void put_lift(struct text *out, const struct user_op *op, const char *text)
{
    char heading[256];
    lift_heading(op, "state", heading, sizeof heading);
    put_step(out, op, "lift", text ? text : "x", heading);
    text_add(out, "#define LIFT(s, inputs, k, index) (*(s) = user_lift(");
    for (int32_t c = 0; c < op->input_count; c++)
        text_add(out, "LOAD_%s((inputs)[%d], k), ", tally_type_name(op->inputs[c]), (int)c);
    text_add(out, "index))\n");
}

/* The type of a value before it is stored: narrow ones as f64, which is rounded once then. */
static const char *value_name(tally_type result)
{
    return result == TALLY_F16 || result == TALLY_BF16 ? "f64" : tally_type_name(result);
}

static void put_finish(struct text *out, const struct user_op *op, const char *text)
{
    const char *name = tally_type_name(op->result), *value = value_name(op->result);
    char heading[128];
    if (op->values > 1) snprintf(heading, sizeof heading, "void user_finish(state s, i64 n, %s *out)", value);
    else snprintf(heading, sizeof heading, "%s user_finish(state s, i64 n)", value);
    put_step(out, op, "finish", text ? text : "s", heading);
    if (op->values == 1) {
        text_add(out,
                 "#define FINISH_APART(s, n, results, first, step) STORE_%s(results, first, user_finish(*(s), n))\n",
                 name);
    } else {
        text_add(out,
                 "#define FINISH_APART(s, n, results, first, step) { %s out[%d] = {0}; user_finish(*(s), n, out); "
                 "for (int v = 0; v < %d; v++) STORE_%s(results, (first) + v * (step), out[v]); }\n",
                 value, (int)op->values, (int)op->values, name);
    }
    text_add(out, "#define FINISH(s, n, results, k) FINISH_APART(s, n, results, (k) * %d, 1)\n", (int)op->values);
}

/* ---- maps ---- */

/* The inputs' elements as variables: element k, or zeros whose types alone matter. */
static void put_variables(struct text *out, const struct user_op *op, int zeros)
{
    for (int32_t c = 0; c < op->input_count; c++) {
        const char *type = tally_type_name(op->inputs[c]);
        if (zeros) text_add(out, "%s %s = {0};\n", type, input_names[c]);
        else text_add(out, "%s %s = LOAD_%s(run->inputs[%d], k);\n", type, input_names[c], type, (int)c);
    }
    text_add(out, "i64 i = %s;\n", zeros ? "0" : "run->index + k");
}

#define HOST_ONLY "#if !defined(__cplusplus)\n"

/* An expression whose own type is the result's. */
static void put_typed_map(struct text *out, const struct user_op *op, const char *expression)
{
    text_add(out, "STEP void user_map_element(const struct user_run *run, i64 k, void *results)\n{\n");
    put_variables(out, op, 0);
    text_add(out, "VALUE_TYPE user_value = (");
    put_text(out, op, "lift", expression);
    text_add(out, ");\nSTORE_VALUE(results, k, user_value);\n}\n" HOST_ONLY "static int user_map_result(void)\n{\n");
    put_variables(out, op, 1);
    text_add(out, "return TYPE_OF((");
    put_text(out, op, "lift", expression);
    text_add(out, "));\n}\n#endif\n");
}

static void put_map(struct text *out, const struct user_op *op, const char *text)
{
    char heading[256];
    if (op->result == TALLY_DEFAULT_TYPE) {
        put_typed_map(out, op, text);
        return;
    }
    lift_heading(op, value_name(op->result), heading, sizeof heading);
    put_step(out, op, "lift", text, heading);
    text_add(out, HOST_ONLY "static int user_map_result(void)\n{\nreturn %d;\n}\n#endif\n", (int)op->result);
    text_add(out, "STEP void user_map_element(const struct user_run *run, i64 k, void *results)\n{\n");
    put_variables(out, op, 0);
    text_add(out, "STORE_%s(results, k, user_lift(", tally_type_name(op->result));
    for (int32_t c = 0; c < op->input_count; c++) text_add(out, "%s, ", input_names[c]);
    text_add(out, "i));\n}\n");
}

/* Ends the macros that a text defines: what follows has names of its own. */
static void put_ends_of_macros(struct text *out, const char *text)
{
    for (const char *at = text; (at = strchr(at, '#')) != NULL;) {
        at += 1 + strspn(at + 1, " \t");
        if (strncmp(at, "define", 6) != 0 || is_word(at[6])) continue;
        at += 6 + strspn(at + 6, " \t");
        int length = 0;
        while (is_word(at[length])) length++;
        text_add(out, "#undef %.*s\n", length, at);
    }
}

static void put_all(struct text *out, const struct user_op *op, const struct user_text *text)
{
    text_add(out, "#include \"prelude.h\"\n#include \"narrow.h\"\n#include \"values.h\"\n#include \"kernels.h\"\n");
    if (!op->is_map) put_state(out, op, text->state);
    if (text->helpers) put_text(out, op, "helpers", text->helpers);
    if (op->is_map) {
        put_map(out, op, text->lift);
        if (text->helpers) put_ends_of_macros(out, text->helpers);
        text_add(out, "#include \"compiled_map.h\"\n");
        return;
    }
    put_lift(out, op, text->lift);
    put_step(out, op, "combine", text->combine, "state user_combine(state a, state b)");
    if (text->identity) put_step(out, op, "identity", text->identity, "state user_identity(void)");
    put_finish(out, op, text->finish);
    if (text->helpers) put_ends_of_macros(out, text->helpers);
    text_add(out, "#define IDENTITY(s) %s\n", text->identity ? "(*(s) = user_identity())" : "((void)0)");
    text_add(out,
             "#define HAS_IDENTITY %d\n#define COMMUTATIVE %d\n#define STATE_IS_NUMBER %d\n#include \"compiled.h\"\n",
             text->identity != NULL, (op->flags & TALLY_OP_COMMUTATIVE) != 0, is_number(user_state_type(text->state)));
}

char *user_text_write(const struct user_op *op, const struct user_text *text)
{
    struct text out = {NULL, 0, 0};
    put_all(&out, op, text);
    if (!out.failed) return out.bytes;
    free(out.bytes);
    return NULL;
}
