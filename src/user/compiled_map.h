/* SPDX-License-Identifier: MIT
 *
 * compiled_map.h - the end of a map as compiled text: its loop, and the table that holds it. */

#if !defined(__cplusplus) /* kernels in CUDA C follow the text by themselves */

static void user_kernel_map(const struct user_op *op, const struct user_run *run, void *results)
{
    for (long long k = 0; k < run->n; k++) user_map_element(run, k, results);
}

__attribute__((visibility("default"))) const struct user_kernels tally_user_kernels = {
    .map = user_kernel_map,
    .result = user_map_result,
};

#endif
