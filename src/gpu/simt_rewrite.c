/* SPDX-License-Identifier: MIT
 *
 * simt_rewrite.c - the two things in CUDA C that no macro can turn into the host's C++: a kernel needs an entry behind
 * its body, and `extern __shared__ type name[]` is memory that each block has of its own. */
#include "simt_source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_A_KERNEL, BEFORE_NAME, IN_PARAMETERS, IN_BODY };

/* Where the reading point is in the program. */
struct position {
    int braces, parentheses;
    int templated;   /* the declaration at hand is a template's: it is no kernel by itself */
    int kernel;      /* where in a kernel */
    int body_braces; /* that were open before its body */
    char name[256];
};

#define MOST_CONDITIONS 32

/* An #if that is not over: only one of its branches counts. */
struct condition {
    struct position before, after; /* after: of the first branch, once there is a second */
    int branches;
};

struct rewriter {
    const char *at;
    char *out;
    size_t used, room;
    int failed;
    struct position now;
    struct condition conditions[MOST_CONDITIONS];
    int depth;
};

static void put(struct rewriter *r, const char *text, size_t bytes)
{
    if (r->used + bytes + 1 > r->room) {
        size_t room = 2 * r->room + bytes + 1;
        char *larger = realloc(r->out, room);
        if (!larger) {
            r->failed = 1;
            return;
        }
        r->out = larger;
        r->room = room;
    }
    memcpy(r->out + r->used, text, bytes);
    r->used += bytes;
    r->out[r->used] = '\0';
}

static void put_text(struct rewriter *r, const char *text)
{
    put(r, text, strlen(text));
}

/* ---- words ---- */

static int is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    if (isdigit((unsigned char)*at)) return 0;
    while (is_letter(at[n])) n++;
    return n;
}

static int is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(at, word, length) == 0;
}

/* Bytes of a comment, of a text in quotes, or of a number, which may hold letters; else 0. */
static size_t opaque_length(const char *at)
{
    size_t n = 0;
    if (at[0] == '/' && at[1] == '/') return strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? (size_t)(end - at) + 2 : strlen(at);
    }
    if (at[0] == 'R' && at[1] == '"') { /* R"tag( anything )tag" */
        char end[20] = ")";
        const size_t tag = strcspn(at + 2, "(\n");
        if (at[2 + tag] != '(' || tag > 16) return 0;
        memcpy(end + 1, at + 2, tag);
        memcpy(end + 1 + tag, "\"", 2);
        const char *close = strstr(at + 3 + tag, end);
        return close ? (size_t)(close - at) + strlen(end) : strlen(at);
    }
    if (at[0] == '"' || at[0] == '\'') {
        for (n = 1; at[n] && at[n] != at[0] && at[n] != '\n'; n++) {
            if (at[n] == '\\' && at[n + 1]) n++;
        }
        return at[n] == at[0] ? n + 1 : n;
    }
    while (n > 0 ? is_letter(at[n]) || at[n] == '\'' : isdigit((unsigned char)at[n])) n++;
    return n;
}

static const char *skip_blank(const char *at)
{
    for (;;) {
        while (isspace((unsigned char)*at)) at++;
        if (at[0] != '/' || (at[1] != '/' && at[1] != '*')) return at;
        at += opaque_length(at);
    }
}

/* ---- dynamic shared memory ---- */

/* The end of "__align__(16)" or the like. */
static const char *skip_alignment(const char *at)
{
    size_t n = word_length(at);
    if (!is_word(at, n, "__align__") && !is_word(at, n, "alignas")) return at;
    const char *open = skip_blank(at + n), *close = strchr(open, ')');
    return *open == '(' && close ? skip_blank(close + 1) : at;
}

/* The text from `at` to `end` on one line. */
static void put_line(struct rewriter *r, const char *at, const char *end)
{
    for (; at < end; at++) put(r, *at == '\n' ? " " : at, 1);
}

/* `extern __shared__ type name[];` at the reading point; false when it is something else. */
static int rewrite_shared(struct rewriter *r)
{
    const char *at = skip_blank(r->at + strlen("extern"));
    size_t n = word_length(at);
    if (!is_word(at, n, "__shared__")) return 0;
    const char *type = skip_alignment(skip_blank(at + n));
    const char *open = strchr(type, '['), *end = strchr(type, ';');
    if (!open || !end || open > end || skip_blank(open + 1)[0] != ']') return 0;
    const char *name_end = open;
    while (name_end > type && isspace((unsigned char)name_end[-1])) name_end--;
    const char *name = name_end;
    while (name > type && is_letter(name[-1])) name--;
    if (name == name_end || name == type) return 0;
    const int inside = r->now.kernel == IN_BODY; /* a plain pointer; elsewhere an object that becomes one */
    if (!inside) put_text(r, "static simt_dynamic_shared<");
    put(r, type, (size_t)(name - type));
    put_text(r, inside ? "*const " : "> ");
    put(r, name, (size_t)(name_end - name));
    if (inside) {
        put_text(r, " = static_cast<");
        put_line(r, type, name);
        put_text(r, "*>(simt_module.self->shared)");
    }
    for (const char *c = r->at; c < type; c++) {
        if (*c == '\n') put_text(r, "\n");
    }
    for (const char *c = name_end; c < end; c++) {
        if (*c == '\n') put_text(r, "\n");
    }
    r->at = end; /* the semicolon comes next */
    return 1;
}

/* ---- kernels ---- */

static void take_word(struct rewriter *r, const char *at, size_t length)
{
    if (is_word(at, length, "template")) r->now.templated = 1;
    if (is_word(at, length, "__global__") && r->now.kernel == NOT_A_KERNEL && !r->now.templated) {
        r->now.kernel = BEFORE_NAME;
        r->now.name[0] = '\0';
    } else if (r->now.kernel == BEFORE_NAME && r->now.parentheses == 0 && length < sizeof r->now.name &&
               *skip_blank(at + length) == '(' && strncmp(at, "__", 2) != 0) {
        memcpy(r->now.name, at, length);
        r->now.name[length] = '\0';
        r->now.kernel = IN_PARAMETERS;
    }
}

static void take_mark(struct rewriter *r, char c)
{
    if (c == '(') r->now.parentheses++;
    if (c == ')') r->now.parentheses--;
    if (c == '{' && r->now.kernel == IN_PARAMETERS && r->now.parentheses == 0) {
        r->now.kernel = IN_BODY;
        r->now.body_braces = r->now.braces;
    }
    if (c == '{') r->now.braces++;
    if (c == '}') r->now.braces--;
    if ((c == '{' || c == '}' || c == ';') && r->now.parentheses == 0) r->now.templated = 0;
    if (c == ';' && r->now.kernel != IN_BODY && r->now.parentheses == 0)
        r->now.kernel = NOT_A_KERNEL; /* only declared */
}

/* Of kernels of one name the first has an entry. */
static void end_body(struct rewriter *r)
{
    char entry[300];
    if (r->now.kernel != IN_BODY || r->now.braces != r->now.body_braces) return;
    r->now.kernel = NOT_A_KERNEL;
    snprintf(entry, sizeof entry, " SIMT_ENTRY(%s)", r->now.name);
    if (!strstr(r->out, entry) || r->depth > 0) put_text(r, entry);
}

/* ---- conditions ---- */

static void begin_condition(struct rewriter *r)
{
    if (r->depth < MOST_CONDITIONS)
        r->conditions[r->depth] = (struct condition){.before = r->now, .after = r->now, .branches = 0};
    r->depth++;
}

static void next_branch(struct rewriter *r)
{
    if (r->depth == 0 || r->depth > MOST_CONDITIONS) return;
    struct condition *condition = &r->conditions[r->depth - 1];
    if (condition->branches++ == 0) condition->after = r->now;
    r->now = condition->before;
}

static void end_condition(struct rewriter *r)
{
    if (r->depth == 0) return;
    if (--r->depth < MOST_CONDITIONS) r->now = r->conditions[r->depth].after;
}

/* A line that begins with #: the branches of a condition all begin at the same place in the program. */
static void take_directive(struct rewriter *r)
{
    const char *word = r->at + 1;
    while (*word == ' ' || *word == '\t') word++;
    const size_t n = word_length(word);
    if (is_word(word, n, "if") || is_word(word, n, "ifdef") || is_word(word, n, "ifndef")) begin_condition(r);
    if (is_word(word, n, "else") || is_word(word, n, "elif")) next_branch(r);
    if (is_word(word, n, "endif")) end_condition(r);
    const char *end = r->at;
    while (*end && *end != '\n') end += end[0] == '\\' && end[1] ? 2 : 1;
    put(r, r->at, (size_t)(end - r->at));
    r->at = end;
}

static int begins_line(const struct rewriter *r, const char *text)
{
    const char *at = r->at;
    while (at > text && (at[-1] == ' ' || at[-1] == '\t')) at--;
    return at == text || at[-1] == '\n';
}

char *simt_rewrite(const char *text)
{
    struct rewriter r = {.at = text, .room = strlen(text) + 1024};
    r.out = malloc(r.room);
    if (!r.out) return NULL;
    r.out[0] = '\0';
    while (*r.at && !r.failed) {
        if (*r.at == '#' && begins_line(&r, text)) {
            take_directive(&r);
            continue;
        }
        size_t length = opaque_length(r.at);
        if (length > 0) {
            put(&r, r.at, length);
            r.at += length;
            continue;
        }
        length = word_length(r.at);
        if (is_word(r.at, length, "extern") && rewrite_shared(&r)) continue;
        if (length > 0) take_word(&r, r.at, length);
        else take_mark(&r, *r.at);
        char mark = length > 0 ? '\0' : *r.at;
        put(&r, r.at, length > 0 ? length : 1);
        r.at += length > 0 ? length : 1;
        if (mark == '}') end_body(&r);
    }
    if (!r.failed) return r.out;
    free(r.out);
    return NULL;
}
