/* SPDX-License-Identifier: MIT
 *
 * texts.h - the files that an operator's text includes, embedded by the build; the last one's name is NULL. */
#ifndef TALLY_USER_TEXTS_H
#define TALLY_USER_TEXTS_H

#include "../host_compiler.h"

extern const struct host_text user_texts[];

#endif
