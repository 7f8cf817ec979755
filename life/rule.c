/* SPDX-License-Identifier: MIT
 *
 * rule.c - rules from text and back. */
#define _GNU_SOURCE
#include "rule.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name; /* in small letters, without what is no letter or digit */
    struct life_rule rule;
} names[] = {
    {"life", {0x008, 0x00c}},
    {"conway", {0x008, 0x00c}},
    {"conwayslife", {0x008, 0x00c}},
    {"highlife", {0x048, 0x00c}},
    {"seeds", {0x004, 0x000}},
    {"dayandnight", {0x1c8, 0x1d8}},
    {"daynight", {0x1c8, 0x1d8}},
    {"replicator", {0x0aa, 0x0aa}},
    {"maze", {0x008, 0x03e}},
    {"2x2", {0x048, 0x026}},
    {"diamoeba", {0x1e8, 0x1e0}},
    {"morley", {0x148, 0x034}},
    {"move", {0x148, 0x034}},
    {"anneal", {0x1d0, 0x1e8}},
    {"34life", {0x018, 0x018}},
    {"livefreeordie", {0x004, 0x001}},
    {"lifewithoutdeath", {0x008, 0x1ff}},
};

struct parser {
    const char *text;
    size_t length, at;
    struct life_why *why;
};

/* Fails at the character that is next. */
static bool refuse(const struct parser *parser, const char *problem)
{
    return life_fail(parser->why, "rule '%.*s': character %zu: %s", (int)(parser->length < 80 ? parser->length : 80),
                     parser->text, parser->at + 1, problem);
}

static int peek(const struct parser *parser)
{
    return parser->at < parser->length ? toupper((unsigned char)parser->text[parser->at]) : -1;
}

static bool find_name(const struct parser *parser, struct life_rule *rule)
{
    char plain[32];
    size_t size = 0, end = 0;
    for (; end < parser->length && parser->text[end] != ':'; end++) {
        const int c = tolower((unsigned char)parser->text[end]);
        if (size == sizeof plain - 1) return false;
        if (isalnum(c)) plain[size++] = (char)c;
    }
    plain[size] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i].name, plain) != 0) continue;
        *rule = names[i].rule;
        return true;
    }
    return false;
}

/* Fails where a digit, a slash or the end was expected. What a letter means is known only behind digits: before, it may
 * belong to any name. */
static bool refuse_letter(const struct parser *parser)
{
    const int met = peek(parser);
    bool counted = isdigit(met);
    for (size_t i = 0; i < parser->at; i++) counted = counted || isdigit((unsigned char)parser->text[i]);
    if (!counted)
        return life_fail(parser->why, "unknown rule '%.*s'; expected B3/S23 or a name (docs/life.md lists them)",
                         (int)(parser->length < 80 ? parser->length : 80), parser->text);
    if (met == '9') return refuse(parser, "a cell has eight neighbours, so 0 to 8 are expected");
    if (met == 'V' || met == 'L')
        return refuse(parser, "only the neighbourhood of eight is supported, not von Neumann's");
    if (met == 'H') return refuse(parser, "only the neighbourhood of eight is supported, not the hexagonal one");
    if (met == '/')
        return refuse(parser, "a third part makes a Generations rule; only rules of two states are supported");
    if (met > 0 && strchr("CEIKANYQJRTWZ-", met) != NULL)
        return refuse(parser, "only rules that count neighbours are supported, not those that look where they are");
    return refuse(parser, "expected B and S with the digits 0 to 8, as in B3/S23");
}

static bool parse_counts(struct parser *parser, uint16_t *counts)
{
    for (int c = peek(parser); c >= '0' && c <= '8'; c = peek(parser)) {
        *counts = (uint16_t)(*counts | 1u << (c - '0'));
        parser->at++;
    }
    return peek(parser) != '9' || refuse_letter(parser);
}

/* "23/3": what survives, then what is born. */
static bool parse_numbers(struct parser *parser, struct life_rule *rule)
{
    if (!parse_counts(parser, &rule->survives)) return false;
    if (peek(parser) == -1 || peek(parser) == ':')
        return refuse(parser, "expected / and the digits of births: B3/S23 can be written as 23/3");
    if (peek(parser) != '/') return refuse_letter(parser);
    parser->at++;
    return parse_counts(parser, &rule->born);
}

/* "B3/S23", "S23/B3", "b3s23", "B3": a part that is left out is empty. */
static bool parse_letters(struct parser *parser, struct life_rule *rule)
{
    bool seen[2] = {false, false};
    for (;;) {
        const int letter = peek(parser);
        if (letter != 'B' && letter != 'S') return refuse_letter(parser);
        if (seen[letter == 'S']) return refuse(parser, "a part that was there already");
        seen[letter == 'S'] = true;
        parser->at++;
        if (!parse_counts(parser, letter == 'B' ? &rule->born : &rule->survives)) return false;
        if (seen[0] && seen[1]) return true;
        if (peek(parser) == '/') parser->at++;
        if (peek(parser) == -1 || peek(parser) == ':') return true;
    }
}

static bool parse_size(struct parser *parser, int64_t *size)
{
    const size_t begin = parser->at;
    for (*size = 0; peek(parser) >= '0' && peek(parser) <= '9'; parser->at++) {
        *size = *size * 10 + (peek(parser) - '0');
        if (*size > LIFE_MOST_CELLS) return refuse(parser, "a world of more than 2^40 cells");
    }
    if (peek(parser) == '+' || peek(parser) == '-' || peek(parser) == '*')
        return refuse(parser, "worlds whose edges are joined with a shift or a twist are not supported");
    if (parser->at == begin) return refuse(parser, "expected a size, as in :T30,20");
    if (*size > 0) return true;
    parser->at = begin;
    return refuse(parser, "worlds that are endless in one direction are not supported; expected a size of 1 or more");
}

static bool parse_bounds(struct parser *parser, struct life_rule_text *rule)
{
    if (parser->at == parser->length) return true;
    if (peek(parser) != ':') return refuse_letter(parser);
    parser->at++;
    const int shape = peek(parser);
    if (shape == 'K' || shape == 'C' || shape == 'S')
        return refuse(parser, shape == 'K'   ? "Klein bottles are not supported; T is a torus, P a plane"
                              : shape == 'C' ? "cross-surfaces are not supported; T is a torus, P a plane"
                                             : "spheres are not supported; T is a torus, P a plane");
    if (shape != 'T' && shape != 'P') return refuse(parser, "expected T (a torus) or P (a plane) and its size");
    rule->bounded = true;
    rule->edges = shape == 'T' ? LIFE_TORUS : LIFE_DEAD;
    parser->at++;
    if (!parse_size(parser, &rule->width)) return false;
    rule->height = rule->width;
    if (peek(parser) == ',') {
        parser->at++;
        if (!parse_size(parser, &rule->height)) return false;
    }
    if (parser->at < parser->length) return refuse(parser, "expected the end");
    return rule->height <= LIFE_MOST_CELLS / rule->width || refuse(parser, "a world of more than 2^40 cells");
}

bool life_rule_parse(const char *text, size_t length, struct life_rule_text *rule, struct life_why *why)
{
    struct parser parser = {text, length, 0, why};
    *rule = (struct life_rule_text){.rule = {0, 0}};
    if (length == 0) return refuse(&parser, "expected a rule such as B3/S23");
    if (find_name(&parser, &rule->rule)) {
        while (parser.at < length && text[parser.at] != ':') parser.at++;
        return parse_bounds(&parser, rule);
    }
    if (length >= 3 && strncasecmp(text, "MAP", 3) == 0)
        return refuse(&parser, "MAP rules are not supported, only those that count neighbours");
    const bool numbers = isdigit(peek(&parser)) || peek(&parser) == '/';
    return (numbers ? parse_numbers(&parser, &rule->rule) : parse_letters(&parser, &rule->rule)) &&
           parse_bounds(&parser, rule);
}

const char *life_rule_format(const struct life_rule_text *rule, char text[LIFE_RULE_ROOM])
{
    size_t at = 0;
    text[at++] = 'B';
    for (int n = 0; n <= 8; n++)
        if (rule->rule.born >> n & 1) text[at++] = (char)('0' + n);
    text[at++] = '/';
    text[at++] = 'S';
    for (int n = 0; n <= 8; n++)
        if (rule->rule.survives >> n & 1) text[at++] = (char)('0' + n);
    text[at] = '\0';
    if (rule->bounded)
        snprintf(text + at, LIFE_RULE_ROOM - at, ":%c%" PRId64 ",%" PRId64, rule->edges == LIFE_TORUS ? 'T' : 'P',
                 rule->width, rule->height);
    return text;
}
