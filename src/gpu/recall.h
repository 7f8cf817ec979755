/* SPDX-License-Identifier: MIT
 *
 * recall.h - what was planned for a context's last requests, for those that come again: most of what a call on a small
 * array takes on the host is planning. A key has all that a plan depends on, and of addresses only what it does. */
#ifndef TALLY_GPU_RECALL_H
#define TALLY_GPU_RECALL_H

#include "engine.h"

#define RECALL_ENTRIES 16 /* the last ones asked for */
#define RECALL_KEY_BYTES 1024

struct recall_key {
    size_t length;
    unsigned char bytes[RECALL_KEY_BYTES];
};

struct recalled; /* a key and its value */

struct recall {
    struct recalled *entries[RECALL_ENTRIES]; /* the last one asked for first; NULL behind them */
};

/* Makes a key; returns 0 of requests that are not remembered: users' operators, initial values, empty shapes. */
int recall_key_of_reduction(const struct reduction *reduction, struct recall_key *key);
int recall_key_of_scan(const struct scan *scan, struct recall_key *key);

/* The value that was kept, until others push it out; NULL: none. */
const void *recall_find(struct recall *recall, const struct recall_key *key);

/* Keeps a copy of the value, if there is memory for it. */
void recall_keep(struct recall *recall, const struct recall_key *key, const void *value, size_t bytes);

void recall_forget(struct recall *recall);

#endif
