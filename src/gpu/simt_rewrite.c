/* SPDX-License-Identifier: MIT
 *
 * simt_rewrite.c - the two things in CUDA C that no macro can turn into the host's C++: a kernel needs an entry behind
 * its body, and `extern __shared__ type name[]` is memory that each block has of its own. */
#include "simt_source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_A_KERNEL, BEFORE_NAME, IN_PARAMETERS, IN_BODY };

struct rewriter {
    const char *at;
    char *out;
    size_t used, room;
    int failed;
    int braces, parentheses;
    int templated;   /* the declaration at hand is a template's: it is no kernel by itself */
    int kernel;      /* where in a kernel */
    int body_braces; /* that were open before its body */
    char name[256];
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
    put_text(r, "static simt_dynamic_shared<");
    put(r, type, (size_t)(name - type));
    put_text(r, "> ");
    put(r, name, (size_t)(name_end - name));
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
    if (is_word(at, length, "template")) r->templated = 1;
    if (is_word(at, length, "__global__") && r->kernel == NOT_A_KERNEL && !r->templated) {
        r->kernel = BEFORE_NAME;
        r->name[0] = '\0';
    } else if (r->kernel == BEFORE_NAME && r->parentheses == 0 && length < sizeof r->name &&
               *skip_blank(at + length) == '(' && strncmp(at, "__", 2) != 0) {
        memcpy(r->name, at, length);
        r->name[length] = '\0';
        r->kernel = IN_PARAMETERS;
    }
}

static void take_mark(struct rewriter *r, char c)
{
    if (c == '(') r->parentheses++;
    if (c == ')') r->parentheses--;
    if (c == '{' && r->kernel == IN_PARAMETERS && r->parentheses == 0) {
        r->kernel = IN_BODY;
        r->body_braces = r->braces;
    }
    if (c == '{') r->braces++;
    if (c == '}') r->braces--;
    if ((c == '{' || c == '}' || c == ';') && r->parentheses == 0) r->templated = 0;
    if (c == ';' && r->kernel != IN_BODY && r->parentheses == 0) r->kernel = NOT_A_KERNEL; /* only declared */
}

static void end_body(struct rewriter *r)
{
    if (r->kernel != IN_BODY || r->braces != r->body_braces) return;
    put_text(r, " SIMT_ENTRY(");
    put_text(r, r->name);
    put_text(r, ")");
    r->kernel = NOT_A_KERNEL;
}

char *simt_rewrite(const char *text)
{
    struct rewriter r = {.at = text, .room = strlen(text) + 1024};
    r.out = malloc(r.room);
    if (!r.out) return NULL;
    r.out[0] = '\0';
    while (*r.at && !r.failed) {
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
