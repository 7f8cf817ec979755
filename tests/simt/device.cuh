/* SPDX-License-Identifier: MIT
 *
 * device.cuh - in place of the library's own: the simulator is tested without it. */
#ifndef TEST_DEVICE_CUH
#define TEST_DEVICE_CUH

#include "simt.h"

static inline unsigned load_acquire(const unsigned *address)
{
    simt_yield();
    return *(const volatile unsigned *)address;
}

static inline void store_release(unsigned *address, unsigned value)
{
    *(volatile unsigned *)address = value;
    simt_progress();
}

#endif
