/* SPDX-License-Identifier: MIT
 *
 * recall.c - the keys of requests, and a short list of what was kept for them. */
#include "recall.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 32 /* plans ask of an address how far it lies behind a border of so many bytes */

struct recalled {
    size_t key_bytes;                   /* a multiple of 8 */
    _Alignas(16) unsigned char bytes[]; /* the key, and behind it the value */
};

/* What a plan depends on beside loops. No gaps between members: keys are compared as bytes. */
struct facts {
    const struct op_row *op;
    uint64_t modulus[3];
    double correction;
    int64_t cells, length, step;
    uint64_t is_scan, shift;
    uint32_t method, combine, ordered, type, result, flags, values;
    uint32_t kept_count, reduced_count;
    uint32_t x, y, out, where, in_place; /* where: its alignment and one, or zero */
};

_Static_assert(sizeof(struct facts) == 136 && sizeof(struct loop) % 8 == 0, "no gaps, and values aligned behind keys");

static uint32_t alignment(const void *address)
{
    return (uint32_t)((uintptr_t)address % ALIGNMENT);
}

static struct facts facts_of(const struct calculation *calculation)
{
    return (struct facts){
        .op = calculation->op,
        .modulus = {calculation->modulus.p, calculation->modulus.quotient, calculation->modulus.inverse},
        .shift = (uint64_t)calculation->modulus.shift,
        .correction = calculation->correction,
        .method = (uint32_t)calculation->method,
        .combine = (uint32_t)calculation->combine,
        .ordered = (uint32_t)calculation->ordered,
        .type = (uint32_t)calculation->type,
        .result = (uint32_t)calculation->result,
        .flags = calculation->flags,
        .values = (uint32_t)calculation->values,
    };
}

static void add(struct recall_key *key, const void *bytes, size_t size)
{
    memcpy(key->bytes + key->length, bytes, size);
    key->length += size;
}

static int make_key(const struct facts *facts, const struct loop *kept, const struct loop *reduced,
                    struct recall_key *key)
{
    size_t loops = (size_t)facts->kept_count + facts->reduced_count;
    key->length = 0;
    if (facts->cells <= 0 || facts->length <= 0) return 0;
    if (sizeof *facts + loops * sizeof *kept > sizeof key->bytes) return 0;
    add(key, facts, sizeof *facts);
    add(key, kept, facts->kept_count * sizeof *kept);
    add(key, reduced, facts->reduced_count * sizeof *reduced);
    return 1;
}

int recall_key_of_reduction(const struct reduction *reduction, struct recall_key *key)
{
    const struct calculation *calculation = &reduction->calculation;
    if (calculation->user || calculation->initial) return 0;
    struct facts facts = facts_of(calculation);
    facts.cells = reduction->cells;
    facts.length = reduction->length;
    facts.step = reduction->step;
    facts.kept_count = (uint32_t)reduction->kept_count;
    facts.reduced_count = (uint32_t)reduction->reduced_count;
    facts.x = alignment(reduction->x);
    facts.y = alignment(reduction->y);
    facts.out = alignment(reduction->out);
    facts.where = reduction->where ? 1 + alignment(reduction->where) : 0;
    return make_key(&facts, reduction->kept, reduction->reduced, key);
}

int recall_key_of_scan(const struct scan *scan, struct recall_key *key)
{
    const struct calculation *calculation = &scan->calculation;
    if (calculation->user || calculation->initial || scan->states) return 0;
    struct facts facts = facts_of(calculation);
    facts.is_scan = 1;
    facts.cells = scan->cells;
    facts.length = scan->axis.extent;
    facts.step = scan->step;
    facts.kept_count = (uint32_t)scan->kept_count;
    facts.reduced_count = 1;
    facts.x = alignment(scan->x);
    facts.y = alignment(scan->y);
    facts.out = alignment(scan->out);
    facts.where = scan->where ? 1 + alignment(scan->where) : 0;
    facts.in_place = scan->x == scan->out;
    return make_key(&facts, scan->kept, &scan->axis, key);
}

const void *recall_find(struct recall *recall, const struct recall_key *key)
{
    for (int i = 0; i < RECALL_ENTRIES && recall->entries[i]; i++) {
        struct recalled *entry = recall->entries[i];
        if (entry->key_bytes != key->length || memcmp(entry->bytes, key->bytes, key->length) != 0) continue;
        memmove(&recall->entries[1], &recall->entries[0], (size_t)i * sizeof entry);
        recall->entries[0] = entry;
        return entry->bytes + entry->key_bytes;
    }
    return NULL;
}

void recall_keep(struct recall *recall, const struct recall_key *key, const void *value, size_t bytes)
{
    struct recalled *entry = malloc(sizeof *entry + key->length + bytes);
    if (!entry) return;
    entry->key_bytes = key->length;
    memcpy(entry->bytes, key->bytes, key->length);
    memcpy(entry->bytes + key->length, value, bytes);
    free(recall->entries[RECALL_ENTRIES - 1]);
    memmove(&recall->entries[1], &recall->entries[0], (RECALL_ENTRIES - 1) * sizeof entry);
    recall->entries[0] = entry;
}

void recall_forget(struct recall *recall)
{
    for (int i = 0; i < RECALL_ENTRIES; i++) {
        free(recall->entries[i]);
        recall->entries[i] = NULL;
    }
}
