/* SPDX-License-Identifier: MIT
 *
 * simt_machine.h - what simt can tell beside the contract of all machines. */
#ifndef TALLY_GPU_SIMT_MACHINE_H
#define TALLY_GPU_SIMT_MACHINE_H

#include "simt_module.h"

/* False in builds with sanitizers: counting needs the same instrumentation. Then branches, conflicts and transactions
 * stay 0. */
int simt_can_count(void);

/* What the machine's last launch did. */
void simt_counts_of(struct machine *machine, struct simt_counts *counts);

/* Device allocations of all machines that were not released; a closed machine's stay in the count. */
int64_t simt_outstanding(void);

#endif
