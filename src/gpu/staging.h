/* SPDX-License-Identifier: MIT
 *
 * staging.h - operands in host memory: device copies of them for the length of a call. */
#ifndef TALLY_GPU_STAGING_H
#define TALLY_GPU_STAGING_H

#include "gpu.h"

struct staging {
    void *memory[OPERAND_COUNT];
    size_t bytes[OPERAND_COUNT];
    int host_output;
    int waits; /* something came from the host or goes there: the call returns when done */
};

/* Which operands lie in host memory, and the device memory that copies of them and of the results would take. */
size_t staging_host_operands(struct tally_context *context, const struct reduction *reduction, int host[OPERAND_COUNT]);
/* Of an element of an operand. */
int64_t staging_element_bytes(const struct calculation *calculation, int operand);

size_t staging_bytes(const struct reduction *reduction, const int host[OPERAND_COUNT]);

/* Whether memory (NULL: none) is the host's, or the device's own; memory of another device is refused by this name. */
tally_status staging_check_place(struct tally_context *context, const void *memory, const char *name, int *host);

/* Replaces the inputs that lie in host memory by copies on the device. staging_end follows in every case. */
tally_status staging_upload_reduction(struct tally_context *context, struct reduction *reduction,
                                      struct staging *staging);
tally_status staging_upload_scan(struct tally_context *context, struct scan *scan, struct staging *staging);
size_t staging_map_bytes(struct tally_context *context, const struct map *map); /* as staging_bytes */
tally_status staging_upload_map(struct tally_context *context, struct map *map, struct staging *staging);

/* From the device to host memory; returns when done. */
tally_status staging_download(struct tally_context *context, void *to, const void *from, size_t bytes);

/* Releases the copies, and waits when the call must. */
tally_status staging_end(struct tally_context *context, struct staging *staging);

#endif
