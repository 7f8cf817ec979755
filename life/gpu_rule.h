/* SPDX-License-Identifier: MIT
 *
 * gpu_rule.h - rules in few operations of three words. */
#ifndef LIFE_GPU_RULE_H
#define LIFE_GPU_RULE_H

#include "life.h"

#define GPU_RULE_ROOM 160

/* Writes a rule as an expression of three operations for word.cuh, if there is one: of Conway's rule and of most that
 * have a name, but of few that are chosen at random. */
bool gpu_rule_find(struct life_rule rule, char text[GPU_RULE_ROOM]);

#endif
