/* SPDX-License-Identifier: MIT
 *
 * device_few.c - scans of contiguous axes of so few elements that each block has one chunk: of one, of a warp's, of a
 * block's, of many blocks'. See scans.h.
 *   TALLY_TEST_DEVICE   the device (simt)
 *   TALLY_TEST_FULL     all combinations, as on a GPU */
#define _POSIX_C_SOURCE 200809L
#include "scans.h"

int main(void)
{
    static const int64_t lengths[] = {6, 37, 530, 1933, 7001, 23001, MOST};
    int simulated = device_simulated(), full = device_full();
    if (simulated) setenv("TALLY_SIMT_SHARED", DEVICE_H100_SHARED, 0);
    if (simulated) setenv("TALLY_SIMT_PROCESSORS", "14", 0);
    if (!device_open("cpu")) return test_left_out("device_few", tally_last_error());
    far_x = device_room(ROOM), far_out = device_room(ROOM);
    for (int i = 0; i < (simulated ? 6 : 7); i++) {
        exact_sums(full, lengths[i]);
        folds(full, lengths[i]);
    }
    far_initials(simulated ? 20000 : MOST);
    heads(simulated ? 23003 : MOST - 1);
    device_close();
    if (simulated) {
        setenv("TALLY_SIMT_CLUSTER", "0", 1); /* as GPUs before Hopper: blocks that draw their chunks */
        if (!CHECK(device_open("cpu"))) return test_finish("device_few");
        far_x = device_room(ROOM), far_out = device_room(ROOM);
        exact_sums(0, 7001);
        folds(0, 7001);
        device_close();
    }
    return test_finish("device_few");
}
