/* SPDX-License-Identifier: MIT
 *
 * counting.h - an allocator that counts, checks what comes back, and fails when told to. */
#ifndef TALLY_TEST_COUNTING_H
#define TALLY_TEST_COUNTING_H

#include "test.h"
#include <stdatomic.h>
#include <tally.h>

struct counting {
    atomic_llong bytes;  /* out at the moment */
    atomic_llong blocks; /* out at the moment */
    atomic_llong calls;
    atomic_llong wrong;   /* released with another size than asked for, or released twice */
    atomic_llong fail_at; /* this call and all after it fail; -1: none */
};

struct counting_head {
    uint64_t magic;
    size_t bytes;
    char to_64[48];
};

static inline void *counting_allocate(void *user, size_t bytes)
{
    struct counting *counting = user;
    long long fail_at = atomic_load(&counting->fail_at);
    if (atomic_fetch_add(&counting->calls, 1) >= fail_at && fail_at >= 0) return NULL;
    struct counting_head *head = aligned_alloc(64, sizeof *head + (bytes + 63) / 64 * 64);
    if (!head) return NULL;
    head->magic = 0x7461c0de7461c0deull;
    head->bytes = bytes;
    memset(head + 1, 0xcd, bytes); /* nobody may expect zeros */
    atomic_fetch_add(&counting->bytes, (long long)bytes);
    atomic_fetch_add(&counting->blocks, 1);
    return head + 1;
}

static inline void counting_release(void *user, void *memory, size_t bytes)
{
    struct counting *counting = user;
    struct counting_head *head = (struct counting_head *)memory - 1;
    if (head->magic != 0x7461c0de7461c0deull || head->bytes != bytes) {
        atomic_fetch_add(&counting->wrong, 1);
        return;
    }
    head->magic = 0;
    atomic_fetch_sub(&counting->bytes, (long long)bytes);
    atomic_fetch_sub(&counting->blocks, 1);
    free(head);
}

static inline tally_context *counting_open(const char *device, struct counting *counting)
{
    tally_context *context = NULL;
    tally_allocator allocator = {sizeof allocator, 0, counting, counting_allocate, counting_release};
    memset(counting, 0, sizeof *counting);
    atomic_store(&counting->fail_at, -1);
    CHECK_EQUAL_I64(tally_open(device, &context), TALLY_OK);
    CHECK_EQUAL_I64(tally_set_allocator(context, &allocator), TALLY_OK);
    return context;
}

/* Closes the context and checks that everything came back. */
static inline void counting_close(tally_context *context, struct counting *counting)
{
    CHECK_EQUAL_I64(tally_close(context), TALLY_OK);
    CHECK_EQUAL_I64(atomic_load(&counting->bytes), 0);
    CHECK_EQUAL_I64(atomic_load(&counting->blocks), 0);
    CHECK_EQUAL_I64(atomic_load(&counting->wrong), 0);
}

#endif
