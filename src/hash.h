/* SPDX-License-Identifier: MIT
 *
 * hash.h - FNV-1a of 128 bits: names and checksums of cache entries. Not for adversaries: entries keep their whole key,
 * which is compared. */
#ifndef TALLY_HASH_H
#define TALLY_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
    uint64_t high, low;
};

#define HASH_START                               \
    {                                            \
        0x6c62272e07bb0142u, 0x62b821756295c58du \
    }

/* One byte after another; the prime is 2^88 + 315. */
static inline void hash_add(struct hash *hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    uint64_t high = hash->high, low = hash->low;
    for (size_t i = 0; i < size; i++) {
        low ^= byte[i];
        uint64_t carry = ((low >> 32) * 315 + ((low & 0xffffffffu) * 315 >> 32)) >> 32;
        high = high * 315 + carry + (low << 24);
        low *= 315;
    }
    hash->high = high;
    hash->low = low;
}

#endif
