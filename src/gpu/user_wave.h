/* SPDX-License-Identifier: MIT
 *
 * user_wave.h - scans by users' operators in waves of chunks. */
#ifndef TALLY_GPU_USER_WAVE_H
#define TALLY_GPU_USER_WAVE_H

#include "scan_launch.h"
#include "user.h"

/* Whether a scan can go that way: contiguous axes, no masks, small states. */
int user_wave_suits(struct machine *machine, const struct scan *scan);

/* Such a scan. */
tally_status user_wave_launch(struct tally_context *context, const struct scan *scan,
                              const struct scan_carries *carries);

/* What every scan tells its kernels. */
void user_fill_scan(const struct scan *scan, struct user_parameters *p);

/* Where one that goes on does so; carries NULL: it does not. */
void user_fill_carries(const struct scan *scan, const struct scan_carries *carries, struct user_parameters *p);

#endif
