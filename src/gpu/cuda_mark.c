/* SPDX-License-Identifier: MIT
 *
 * cuda_mark.c - marks of machine.h: one event per slot. */
#include "cuda_machine.h"

tally_status cuda_mark(struct machine *machine, enum lane lane, int32_t slot)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    cu_event *event = &cuda->mark[slot];
    tally_status status = TALLY_OK;
    TRY(cuda_enter(cuda));
    if (!*event) status = CUDA_CALL(cuda, "making an event", cuEventCreate, event, CU_EVENT_DEFAULT);
    if (status == TALLY_OK)
        status = CUDA_CALL(cuda, "marking a point in a stream", cuEventRecord, *event, cuda->stream[lane]);
    cuda_leave(cuda);
    return status;
}

tally_status cuda_wait(struct machine *machine, int32_t slot)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    if (!cuda->mark[slot]) return TALLY_OK;
    TRY(cuda_enter(cuda));
    tally_status status =
        CUDA_CALL(cuda, "waiting for the GPU (what failed was started earlier)", cuEventSynchronize, cuda->mark[slot]);
    cuda_leave(cuda);
    return status;
}

tally_status cuda_elapsed(struct machine *machine, int32_t from, int32_t to, double *milliseconds)
{
    struct cuda_machine *cuda = (struct cuda_machine *)machine;
    float between = 0;
    TRY(cuda_wait(machine, from));
    TRY(cuda_wait(machine, to));
    TRY(cuda_enter(cuda));
    tally_status status = CUDA_CALL(cuda, "asking for the time between two marks", cuEventElapsedTime, &between,
                                    cuda->mark[from], cuda->mark[to]);
    cuda_leave(cuda);
    if (status == TALLY_OK) *milliseconds = between;
    return status;
}

void cuda_close_marks(struct cuda_machine *cuda)
{
    for (int slot = 0; slot < MARKS; slot++) {
        if (cuda->mark[slot]) cuda->driver->cuEventDestroy(cuda->mark[slot]);
        cuda->mark[slot] = NULL;
    }
}
