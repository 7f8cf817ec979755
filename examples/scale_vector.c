/* SPDX-License-Identifier: MIT
 *
 * scale_vector.c - a kernel of your own, compiled at run time: y = a x, first in one block of 512 threads, then 10,000
 * elements over 100 blocks of 100 threads, then any number of elements.
 * Usage: scale_vector [DEVICE]    DEVICE: cuda (default), or simt, which needs no GPU */
#include <stdio.h>
#include <stdlib.h>
#include <tally.h>

static const char source[] = "__global__ void scale(float *y, const float *x, float a, long long n)\n"
                             "{\n"
                             "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) y[i] = a * x[i]; /* the last block may reach beyond the end */\n"
                             "}\n";

static void check(tally_status status)
{
    if (status == TALLY_OK) return;
    fprintf(stderr, "scale_vector: %s\n", tally_last_error());
    exit(1);
}

/* The whole way of n numbers: to the device, through the kernel, and back. */
static void scale_vector(tally_context *context, tally_function *scale, uint32_t blocks, uint32_t threads, int64_t n)
{
    size_t bytes = (size_t)n * sizeof(float);
    float *x = malloc(bytes);
    void *device_x, *device_y;
    if (!x) exit(1);
    for (int64_t i = 0; i < n; i++) x[i] = (float)i;
    check(tally_alloc(context, bytes, &device_x));
    check(tally_alloc(context, bytes, &device_y));
    check(tally_copy(context, device_x, x, bytes));

    tally_grid grid = {{blocks, 1, 1}, {threads, 1, 1}, 0, 0};
    tally_argument arguments[] = {tally_pass_memory(device_y), tally_pass_memory(device_x), tally_pass_f32(0.5f),
                                  tally_pass_i64(n)};
    check(tally_launch(scale, &grid, arguments, 4));

    check(tally_copy(context, x, device_y, bytes)); /* waits for the kernel */
    printf("%lld elements in %u blocks of %u threads: y[%lld] = %g\n", (long long)n, (unsigned)blocks,
           (unsigned)threads, (long long)(n - 1), (double)x[n - 1]);
    check(tally_free(context, device_x, bytes));
    check(tally_free(context, device_y, bytes));
    free(x);
}

int main(int count, char **words)
{
    tally_context *context;
    tally_module *module;
    tally_function *scale;
    check(tally_open(count > 1 ? words[1] : "cuda", &context));
    check(tally_module_compile(context, source, NULL, &module));
    check(tally_module_function(module, "scale", &scale));
    scale_vector(context, scale, 1, 512, 512);
    scale_vector(context, scale, 100, 100, 10000);
    scale_vector(context, scale, (123457 + 255) / 256, 256, 123457);
    check(tally_module_free(module));
    check(tally_close(context));
    return 0;
}
