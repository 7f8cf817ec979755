/* SPDX-License-Identifier: MIT
 *
 * histogram.c - counts the bytes of a file on the GPU: every block counts in its own shared memory, then adds what it
 * has to the total. Shows static shared memory, atomics, barriers and a constant given at compile time.
 * Usage: histogram [DEVICE [FILE]]    DEVICE: cuda (default) or simt; FILE: this program by default */
#include <stdio.h>
#include <stdlib.h>
#include <tally.h>

#define BINS 256

static const char source[] =
    "__global__ void count_bytes(const unsigned char *x, long long n, unsigned long long *bins)\n"
    "{\n"
    "    __shared__ unsigned own[BINS];\n"
    "    for (int i = threadIdx.x; i < BINS; i += blockDim.x) own[i] = 0;\n"
    "    __syncthreads();\n"
    "    long long step = (long long)gridDim.x * blockDim.x;\n"
    "    long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    for (long long i = first; i < n; i += step) atomicAdd(&own[x[i]], 1u);\n"
    "    __syncthreads();\n"
    "    for (int i = threadIdx.x; i < BINS; i += blockDim.x)\n"
    "        atomicAdd(&bins[i], (unsigned long long)own[i]);\n"
    "}\n";

static void check(tally_status status)
{
    if (status == TALLY_OK) return;
    fprintf(stderr, "histogram: %s\n", tally_last_error());
    exit(1);
}

/* The first million bytes at most. */
static size_t read_some(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(bytes, 1, room, file) : 0;
    if (file) fclose(file);
    if (n > 0) return n;
    fprintf(stderr, "histogram: cannot read %s, or it is empty\n", path);
    exit(1);
}

int main(int count, char **words)
{
    static unsigned char bytes[1000000];
    static uint64_t bins[BINS];
    const char *const definitions[] = {"BINS=256", NULL};
    tally_module_options options = TALLY_MODULE_OPTIONS_INIT;
    size_t n = read_some(count > 2 ? words[2] : words[0], bytes, sizeof bytes);
    void *device_bytes, *device_bins;
    tally_context *context;
    tally_module *module;
    tally_function *count_bytes;
    options.name = "histogram.cu";
    options.definitions = definitions;
    check(tally_open(count > 1 ? words[1] : "cuda", &context));
    check(tally_module_compile(context, source, &options, &module));
    check(tally_module_function(module, "count_bytes", &count_bytes));
    check(tally_alloc(context, n, &device_bytes));
    check(tally_alloc(context, sizeof bins, &device_bins));
    check(tally_copy(context, device_bytes, bytes, n));
    check(tally_copy(context, device_bins, bins, sizeof bins));

    tally_grid grid = {{64, 1, 1}, {256, 1, 1}, 0, 0};
    tally_argument arguments[] = {tally_pass_memory(device_bytes), tally_pass_i64((int64_t)n),
                                  tally_pass_memory(device_bins)};
    check(tally_launch(count_bytes, &grid, arguments, 3));
    check(tally_copy(context, bins, device_bins, sizeof bins));

    uint64_t total = 0;
    int most = 0;
    for (int i = 0; i < BINS; i++) {
        total += bins[i];
        if (bins[i] > bins[most]) most = i;
    }
    printf("%llu of %zu bytes counted; the most frequent one is 0x%02x, %llu times\n", (unsigned long long)total, n,
           (unsigned)most, (unsigned long long)bins[most]);
    check(tally_free(context, device_bytes, n));
    check(tally_free(context, device_bins, sizeof bins));
    check(tally_module_free(module));
    check(tally_close(context));
    return total != n;
}
