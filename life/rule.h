/* SPDX-License-Identifier: MIT
 *
 * rule.h - rules as text: B3/S23, 23/3 (survivals first), names such as HighLife, and worlds with edges, :T30,20 (a
 * torus) and :P30,20 (dead beyond the edges), all as Golly understands them. */
#ifndef TALLY_LIFE_RULE_H
#define TALLY_LIFE_RULE_H

#include "life.h"

struct life_rule_text {
    struct life_rule rule;
    bool bounded; /* the size of the world is part of the text */
    enum life_edges edges;
    int64_t width, height;
};

enum { LIFE_RULE_ROOM = 96 };

/* What is refused says where: "rule 'B3/S9': character 5: ...". */
bool life_rule_parse(const char *text, size_t length, struct life_rule_text *rule, struct life_why *why);

/* B3/S23 or B3/S23:T30,20. Returns text. */
const char *life_rule_format(const struct life_rule_text *rule, char text[LIFE_RULE_ROOM]);

#endif
