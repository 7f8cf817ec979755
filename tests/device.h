/* SPDX-License-Identifier: MIT
 *
 * device.h - what the tests of a device share: that device, the engine whose bits it must give, and memory of it.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     on simt as much as on a GPU, for tests that have less for it
 *   TALLY_TEST_PART     K/N: operators on types of the Kth of N parts: processes side by side compile other kernels */
#ifndef TALLY_TEST_DEVICE_H
#define TALLY_TEST_DEVICE_H

#include "test.h"
#include <tally.h>

/* For TALLY_SIMT_SHARED: as an H100 has, so that chunks are as long, and stages as many, as there. */
#define DEVICE_H100_SHARED "232448"

static tally_context *device, *judge;

static inline const char *device_name(void)
{
    const char *name = getenv("TALLY_TEST_DEVICE");
    return name ? name : "simt";
}

static inline int device_simulated(void)
{
    return strncmp(device_name(), "simt", 4) == 0;
}

static inline int device_full(void)
{
    return !device_simulated() || getenv("TALLY_TEST_FULL") != NULL;
}

static inline int device_parted(tally_op op, tally_type type)
{
    return test_in_part(13 * (int)op + (int)type);
}

/* ---- opening and closing ---- */

enum { DEVICE_ROOMS = 8 };
static struct device_room {
    void *memory;
    size_t bytes;
} device_rooms[DEVICE_ROOMS];
static int device_room_count;

/* Memory of the device, until that stops. */
static inline unsigned char *device_room(size_t bytes)
{
    if (device_room_count == DEVICE_ROOMS) abort();
    struct device_room *room = &device_rooms[device_room_count++];
    *room = (struct device_room){NULL, bytes};
    CHECK(tally_alloc(device, bytes, &room->memory) == TALLY_OK);
    return room->memory;
}

/* The device alone. */
static inline int device_start(void)
{
    return tally_open(device_name(), &device) == TALLY_OK;
}

static inline void device_stop(void)
{
    while (device_room_count > 0) {
        const struct device_room *room = &device_rooms[--device_room_count];
        CHECK(tally_free(device, room->memory, room->bytes) == TALLY_OK);
    }
    CHECK(tally_close(device) == TALLY_OK);
}

/* The judge, then the device. */
static inline int device_open(const char *name_of_judge)
{
    CHECK(tally_open(name_of_judge, &judge) == TALLY_OK);
    return device_start();
}

static inline void device_close(void)
{
    device_stop();
    CHECK(tally_close(judge) == TALLY_OK);
}

/* ---- results ---- */

/* The same bytes, or the first element that differs is named. */
static inline void device_same(const unsigned char *got, const unsigned char *want, size_t bytes, size_t each)
{
    const int shown = test.failed < TEST_SHOWN;
    if (CHECK(memcmp(got, want, bytes) == 0) || !shown) return;
    size_t i = 0;
    while (got[i] == want[i]) i++;
    fprintf(stderr, "    element %zu\n", i / each);
}

#endif
