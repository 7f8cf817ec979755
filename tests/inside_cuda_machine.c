/* SPDX-License-Identifier: MIT
 *
 * inside_cuda_machine.c - the CUDA machine on a fake driver and compiler (fake/fake_cuda.c): each way in which opening,
 * memory, kernels and work may fail gives a clear error, and whatever happens, nothing is left behind. */
#define _GNU_SOURCE
#include "fake_driver.h"
#include "gpu/machine.h"

static void refuses(const char *device, tally_status status, const char *words)
{
    tally_context *context = NULL;
    CHECK_REFUSED(tally_open(device, &context), status, words);
    CHECK(context == NULL);
}

static void no_driver(void)
{
    tally_context *context = NULL;
    tally_cuda cuda = {.size = sizeof cuda};
    tally_device device = {.size = sizeof device};
    setenv("TALLY_CUDA_DRIVER", "/nonexistent/libcuda.so", 1);
    refuses("cuda", TALLY_NO_DEVICE, "no GPU driver|TALLY_CUDA_DRIVER|/nonexistent/libcuda.so");
    refuses("cuda:1", TALLY_NO_DEVICE, "no GPU driver");
    CHECK_REFUSED(tally_open("warp", &context), TALLY_INVALID_ARGUMENT, "warp|cuda, cuda:N, simt");
    CHECK_EQUAL_I64(tally_open("auto", &context), TALLY_OK);
    CHECK(strstr(tally_last_error(), "warp") != NULL); /* what went wrong on the way says nobody */
    CHECK_EQUAL_I64(tally_device_info(context, &device), TALLY_OK);
    CHECK(strncmp(device.name, "cpu:", 4) == 0);
    CHECK_REFUSED(tally_cache_warm(context), TALLY_UNSUPPORTED, "cpu");
    tally_close(context);
    CHECK_EQUAL_I64(tally_cuda_info(&cuda), TALLY_OK);
    CHECK(strstr(tally_last_error(), "cpu") != NULL && cuda.devices == 0 && cuda.driver_version == 0);
    CHECK(strstr(cuda.driver_problem, "no GPU driver") && cuda.compiler_version == 13000 && !*cuda.compiler_problem);
    CHECK_REFUSED(tally_cuda_device(0, &device), TALLY_NO_DEVICE, "no GPU driver");
    cuda.size = 3;
    CHECK_REFUSED(tally_cuda_info(&cuda), TALLY_INVALID_ARGUMENT, "cuda.size is 3");
}

static void default_driver(void)
{
    tally_cuda cuda = {.size = sizeof cuda};
    unsetenv("TALLY_CUDA_DRIVER");
    CHECK_EQUAL_I64(tally_cuda_info(&cuda), TALLY_OK);
    CHECK((cuda.devices > 0) == (cuda.driver_problem[0] == '\0'));
}

static void not_a_driver(void)
{
    setenv("TALLY_CUDA_DRIVER", "libm.so.6", 1);
    refuses("cuda", TALLY_NO_DEVICE, "no cuDriverGetVersion");
}

static void old_driver(void)
{
    tally_cuda cuda = {.size = sizeof cuda};
    setenv("FAKE_CUDA_VERSION", "11080", 1);
    refuses("cuda", TALLY_NO_DEVICE, "CUDA 11.8|needs 12.0 or newer|525");
    CHECK_EQUAL_I64(tally_cuda_info(&cuda), TALLY_OK);
    CHECK(cuda.driver_version == 11080 && strstr(cuda.driver_problem, "11.8"));
}

static void no_device(void)
{
    setenv("FAKE_CUDA_DEVICES", "0", 1);
    refuses("cuda", TALLY_NO_DEVICE, "no GPU|nvidia-smi|CUDA_VISIBLE_DEVICES");
}

static void no_start(void)
{
    setenv("FAKE_CUDA_FAIL", "cuInit:803", 1);
    refuses("cuda", TALLY_NO_DEVICE, "does not start|803|CUDA_ERROR_FAKE");
    unsetenv("FAKE_CUDA_FAIL");
    refuses("cuda", TALLY_NO_DEVICE, "does not start"); /* asked once */
}

static void no_compiler(void)
{
    tally_cuda cuda = {.size = sizeof cuda};
    setenv("TALLY_NVRTC", "/nonexistent/libnvrtc.so", 1);
    refuses("cuda", TALLY_NO_DEVICE, "TALLY_NVRTC|/nonexistent/libnvrtc.so");
    CHECK_EQUAL_I64(tally_cuda_info(&cuda), TALLY_OK);
    CHECK(cuda.devices == 2 && !*cuda.driver_problem && strstr(cuda.compiler_problem, "TALLY_NVRTC"));
    nothing_left();
}

static void wrong_index(void)
{
    tally_context *context = NULL;
    tally_device device = {.size = sizeof device};
    refuses("cuda:7", TALLY_NO_DEVICE, "cuda:7|2 GPUs|cuda:0 to cuda:1");
    refuses("cuda:x", TALLY_INVALID_ARGUMENT, "cuda:x");
    refuses("cuda:", TALLY_INVALID_ARGUMENT, "no index");
    CHECK_REFUSED(tally_cuda_device(2, &device), TALLY_NO_DEVICE, "cuda:2");
    CHECK_EQUAL_I64(tally_cuda_device(1, &device), TALLY_OK);
    CHECK_EQUAL_TEXT(device.name, "cuda:1");
    CHECK_EQUAL_TEXT(device.description, "Fake GPU 1");
    CHECK_EQUAL_TEXT(device.instruction_set, "sm_90");
    CHECK(device.threads == 4 && device.memory_bytes == 1 << 20);
    CHECK_REFUSED(tally_open_on_stream("cpu", NULL, &context), TALLY_INVALID_ARGUMENT, "cpu|no streams");
    CHECK_REFUSED(tally_open_on_stream("auto", NULL, &context), TALLY_INVALID_ARGUMENT, "auto");
    setenv("FAKE_CUDA_DEVICES", "1", 1); /* too late */
    CHECK_EQUAL_I64(tally_open("cuda:1", &context), TALLY_OK);
    tally_close(context);
    nothing_left();
}

/* Every driver call of opening fails once. */
static void failing_open(void)
{
    static const char *const calls[] = {
        "cuDeviceGet",          "cuDeviceGetAttribute", "cuDeviceTotalMem_v2", "cuDevicePrimaryCtxRetain",
        "cuCtxPushCurrent_v2",  "cuStreamCreate",       "cuEventCreate",       "cuMemPoolCreate",
        "cuMemPoolSetAttribute"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        for (int result = 1; result <= 2; result++) {
            char fail[64];
            snprintf(fail, sizeof fail, "%s:%d", calls[i], result);
            setenv("FAKE_CUDA_FAIL", fail, 1);
            refuses("cuda", result == 2 ? TALLY_OUT_OF_MEMORY : TALLY_DEVICE_ERROR, "failed while|CUDA_ERROR_");
            nothing_left();
        }
    }
}

static void memory(void)
{
    tally_context *context = NULL;
    void *a = NULL, *b = NULL;
    char there[100], back[100] = "";
    CHECK_EQUAL_I64(tally_open("cuda", &context), TALLY_OK);
    memset(there, 7, sizeof there);
    CHECK_EQUAL_I64(tally_alloc(context, 100, &a), TALLY_OK);
    CHECK_EQUAL_I64(tally_alloc(context, 0, &b), TALLY_OK);
    CHECK_EQUAL_I64(tally_copy(context, a, there, 100), TALLY_OK);
    CHECK_EQUAL_I64(tally_copy(context, back, a, 100), TALLY_OK);
    CHECK(memcmp(there, back, 100) == 0);
    CHECK_EQUAL_I64(tally_copy(context, back + 50, there, 50), TALLY_OK);
    CHECK_EQUAL_I64(tally_synchronize(context), TALLY_OK);
    CHECK_REFUSED(tally_alloc(context, 2 << 20, &b), TALLY_OUT_OF_MEMORY, "2097152 bytes|1048475 bytes|are free");
    setenv("FAKE_CUDA_FAIL", "cuMemcpyAsync:1", 1);
    CHECK_REFUSED(tally_copy(context, back, a, 100), TALLY_DEVICE_ERROR, "cuMemcpyAsync|copying");
    unsetenv("FAKE_CUDA_FAIL");
    CHECK_EQUAL_I64(tally_copy(context, back, a, 100), TALLY_OK); /* not for good */
    CHECK_EQUAL_I64(tally_free(context, a, 100), TALLY_OK);
    CHECK_EQUAL_I64(tally_free(context, b, 0), TALLY_OK);
    CHECK_EQUAL_I64(tally_free(context, NULL, 0), TALLY_OK);
    tally_close(context);
    nothing_left();
}

static void no_pools(void)
{
    setenv("FAKE_CUDA_POOLS", "0", 1);
    memory();
}

static void two_gpus(void)
{
    tally_context *one = NULL, *two = NULL;
    void *a = NULL;
    char host[10];
    CHECK_EQUAL_I64(tally_open("cuda:0", &one) | tally_open("cuda:1", &two), TALLY_OK);
    CHECK_EQUAL_I64(tally_alloc(one, 10, &a), TALLY_OK);
    CHECK_REFUSED(tally_copy(two, host, a, 10), TALLY_INVALID_ARGUMENT, "source|another GPU");
    CHECK_REFUSED(tally_copy(two, a, host, 10), TALLY_INVALID_ARGUMENT, "destination|another GPU");
    tally_free(one, a, 10);
    tally_close(one), tally_close(two);
    nothing_left();
}

static void borrowed_stream(void)
{
    tally_context *context = NULL;
    int of_gpu[2] = {0, 1};
    CHECK_EQUAL_I64(tally_open_on_stream("cuda", &of_gpu[0], &context), TALLY_OK);
    CHECK_EQUAL_I64(tally_synchronize(context), TALLY_OK);
    tally_close(context);
    nothing_left();
    context = NULL;
    CHECK_REFUSED(tally_open_on_stream("cuda", &of_gpu[1], &context), TALLY_INVALID_ARGUMENT, "another GPU|cuda:0");
    CHECK_EQUAL_I64(tally_open_on_stream("cuda", NULL, &context), TALLY_OK);
    tally_close(context);
    nothing_left();
}

/* The first failure that the driver's context does not survive is told ever after. */
static void sticky(void)
{
    tally_context *context = NULL;
    void *a = NULL, *b = NULL;
    CHECK_EQUAL_I64(tally_open("cuda", &context) | tally_alloc(context, 100, &a), TALLY_OK);
    setenv("FAKE_CUDA_FAIL", "cuStreamSynchronize:700", 1);
    CHECK_REFUSED(tally_synchronize(context), TALLY_DEVICE_ERROR, "CUDA_ERROR_ILLEGAL_ADDRESS|cuStreamSynchronize");
    unsetenv("FAKE_CUDA_FAIL");
    CHECK_REFUSED(tally_alloc(context, 1, &b), TALLY_DEVICE_ERROR,
                  "no more work|first failure|cuStreamSynchronize|ILLEGAL_ADDRESS");
    CHECK_REFUSED(tally_synchronize(context), TALLY_DEVICE_ERROR, "no more work|ILLEGAL_ADDRESS");
    tally_free(context, a, 100);
    CHECK_EQUAL_I64(tally_close(context), TALLY_OK);
    nothing_left();
}

static struct machine *open_machine(void)
{
    struct machine *machine = NULL;
    CHECK_EQUAL_I64(cuda_machine.open(NULL, NULL, 0, &machine), TALLY_OK);
    if (!machine) exit(1);
    return machine;
}

static void put_source(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", sources, name);
    FILE *file = fopen(path, "w");
    if (CHECK(file != NULL)) fputs(text, file), fclose(file);
}

static void kernels(void)
{
    struct kernel_request request = {"test.cu", "run", "T=7\nOP=1\n", NULL}, other = {"test.cu", "run", NULL, NULL};
    const struct kernel *a = NULL, *b = NULL, *c = NULL;
    int parameters = 0;
    int64_t count = 0;
    tally_cache_entry entry;
    struct machine *machine = open_machine();
    put_source("test.cu", "a kernel");
    CHECK_EQUAL_I64(cuda_machine.kernel(machine, &request, &a), TALLY_OK);
    CHECK_EQUAL_I64(cuda_machine.kernel(machine, &other, &b), TALLY_OK);
    CHECK_EQUAL_I64(cuda_machine.kernel(machine, &request, &c), TALLY_OK);
    CHECK(a == c && a != b);
    CHECK_EQUAL_I64(counted("fake_cuda_compilations"), 2);
    struct launch launch = {a, 10, 256, 1000, &parameters, sizeof parameters};
    CHECK_EQUAL_I64(cuda_machine.launch(machine, &launch), TALLY_OK);
    CHECK_EQUAL_I64(cuda_machine.follow(machine, LANE_OUT, LANE_MAIN), TALLY_OK);
    CHECK_EQUAL_I64(cuda_machine.synchronize(machine, LANE_OUT), TALLY_OK);
    CHECK_EQUAL_I64(counted("fake_cuda_launches"), 1);
    launch.blocks = 0;
    CHECK_REFUSED(cuda_machine.launch(machine, &launch), TALLY_DEVICE_ERROR, "launching run|0 blocks of 256 threads");
    cuda_machine.close(machine);
    nothing_left();

    CHECK_EQUAL_I64(tally_cache_list(NULL, &count), TALLY_OK);
    CHECK_EQUAL_I64(count, 2);
    count = 1;
    CHECK_EQUAL_I64(tally_cache_list(&entry, &count), TALLY_OK);
    CHECK(count == 1 && strncmp(entry.description, "test.cu run ", 12) == 0);
    machine = open_machine(); /* as another process: from the disk */
    CHECK_EQUAL_I64(cuda_machine.kernel(machine, &request, &a), TALLY_OK);
    CHECK_EQUAL_I64(counted("fake_cuda_compilations"), 2);
    cuda_machine.close(machine);
    put_source("test.cu", "another kernel");
    machine = open_machine();
    CHECK_EQUAL_I64(cuda_machine.kernel(machine, &request, &a), TALLY_OK);
    CHECK_EQUAL_I64(counted("fake_cuda_compilations"), 3);
    cuda_machine.close(machine);
    nothing_left();
}

/* The cache's folder vanishes, or is no folder. */
static void no_cache(void)
{
    struct kernel_request request = {"test.cu", "run", "N=1\n", NULL};
    const struct kernel *kernel = NULL;
    struct machine *machine = open_machine();
    put_source("test.cu", "a kernel");
    setenv("TALLY_CACHE_DIR", "/dev/null/tally", 1);
    CHECK_EQUAL_I64(cuda_machine.kernel(machine, &request, &kernel), TALLY_OK);
    setenv("TALLY_CACHE_DIR", "", 1);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    request.definitions = "N=2\n";
    CHECK_EQUAL_I64(cuda_machine.kernel(machine, &request, &kernel), TALLY_OK);
    CHECK_EQUAL_I64(counted("fake_cuda_compilations"), 2);
    cuda_machine.close(machine);
    nothing_left();
}

static void failing_kernels(void)
{
    static const char *const calls[] = {"cuModuleLoadData",   "cuModuleGetFunction", "cuFuncGetAttribute",
                                        "cuFuncSetAttribute", "nvrtcCreateProgram",  "nvrtcCompileProgram",
                                        "nvrtcGetCUBINSize",  "nvrtcGetCUBIN"};
    struct kernel_request request = {"test.cu", "run", "A=1\n", NULL};
    const struct kernel *kernel = NULL;
    struct machine *machine = open_machine();
    put_source("test.cu", "a kernel");
    put_source("bad.cu", "#error on purpose");
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        char fail[64];
        snprintf(fail, sizeof fail, "%s:9", calls[i]);
        setenv("FAKE_CUDA_FAIL", fail, 1);
        CHECK_REFUSED(cuda_machine.kernel(machine, &request, &kernel), TALLY_DEVICE_ERROR, "");
    }
    unsetenv("FAKE_CUDA_FAIL");
    CHECK(kernel == NULL);
    request.file = "bad.cu";
    CHECK_REFUSED(cuda_machine.kernel(machine, &request, &kernel), TALLY_DEVICE_ERROR, "bad.cu|sm_90|A=1|on purpose");
    request.file = "none.cu";
    CHECK_REFUSED(cuda_machine.kernel(machine, &request, &kernel), TALLY_UNSUPPORTED, "none.cu");
    request = (struct kernel_request){"test.cu", "missing", NULL, NULL};
    CHECK_REFUSED(cuda_machine.kernel(machine, &request, &kernel), TALLY_DEVICE_ERROR, "missing in test.cu");
    request.entry = "run";
    CHECK_EQUAL_I64(cuda_machine.kernel(machine, &request, &kernel), TALLY_OK);
    cuda_machine.close(machine);
    nothing_left();
}

static int borrowed_blocks;

static void *lend(void *user, size_t bytes)
{
    (void)user;
    borrowed_blocks++;
    return bytes > 1000 ? NULL : malloc(bytes);
}

static void take_back(void *user, void *block, size_t bytes)
{
    (void)user, (void)bytes;
    borrowed_blocks--;
    free(block);
}

static void own_allocator(void)
{
    tally_context *context = NULL;
    tally_allocator allocator = {sizeof allocator, 0, NULL, lend, take_back};
    void *a = NULL;
    CHECK_EQUAL_I64(tally_open("cuda", &context) | tally_set_allocator(context, &allocator), TALLY_OK);
    CHECK_EQUAL_I64(tally_alloc(context, 10, &a), TALLY_OK);
    CHECK_EQUAL_I64(borrowed_blocks, 1);
    tally_free(context, a, 10);
    CHECK_EQUAL_I64(borrowed_blocks, 0);
    CHECK_REFUSED(tally_alloc(context, 2000, &a), TALLY_OUT_OF_MEMORY, "2000 bytes|allocator");
    tally_close(context);
    nothing_left();
}

/* A device's memory on a context of the host: refused by name, and not touched. */
static void device_memory_on_the_host(void)
{
    struct machine *machine = open_machine();
    tally_context *host;
    void *device = NULL;
    double sum = 7, x[4] = {1, 2, 3, 4};
    CHECK_EQUAL_I64(cuda_machine.allocate(machine, 64, &device), TALLY_OK);
    CHECK(tally_open("cpu:1", &host) == TALLY_OK);
    tally_array far = tally_vector(device, TALLY_F64, 4), near = tally_vector(x, TALLY_F64, 4);
    tally_array mask = tally_vector(device, TALLY_BOOL, 4), out = tally_shaped(&sum, TALLY_F64, 0, NULL);
    tally_array far_out = tally_shaped(device, TALLY_F64, 0, NULL);
    tally_options options = TALLY_OPTIONS_INIT;
    CHECK_REFUSED(tally_reduce(host, TALLY_SUM, &far, &out, NULL), TALLY_INVALID_ARGUMENT, "input|GPU|cpu");
    CHECK_REFUSED(tally_reduce(host, TALLY_SUM, &near, &far_out, NULL), TALLY_INVALID_ARGUMENT, "output|GPU");
    CHECK_REFUSED(tally_scan(host, TALLY_SUM, &near, &far, NULL), TALLY_INVALID_ARGUMENT, "output|GPU");
    options.where = &mask;
    CHECK_REFUSED(tally_reduce(host, TALLY_SUM, &near, &out, &options), TALLY_INVALID_ARGUMENT, "options.where");
    options.where = NULL;
    options.second = &far;
    CHECK_REFUSED(tally_reduce(host, TALLY_DOT, &near, &out, &options), TALLY_INVALID_ARGUMENT, "options.second");
    CHECK(sum == 7 && tally_reduce(host, TALLY_SUM, &near, &out, NULL) == TALLY_OK && sum == 10);
    tally_close(host);
    cuda_machine.release(machine, device, 64);
    cuda_machine.close(machine);
    nothing_left();
}

static void places(void)
{
    struct machine *machine = open_machine();
    void *device = NULL, *host = NULL;
    int local;
    CHECK_EQUAL_I64(cuda_machine.allocate(machine, 64, &device), TALLY_OK);
    CHECK_EQUAL_I64(cuda_machine.allocate_host(machine, 64, &host), TALLY_OK);
    CHECK(cuda_machine.place(machine, (char *)device + 63) == PLACE_DEVICE);
    CHECK(cuda_machine.place(machine, host) == PLACE_HOST && cuda_machine.place(machine, &local) == PLACE_HOST);
    CHECK(cuda_machine.free_memory(machine) == (1 << 20) - 64);
    CHECK(machine->limits.architecture == 90 && machine->limits.processors == 4);
    memset(host, 1, 64);
    CHECK_EQUAL_I64(cuda_machine.copy(machine, LANE_IN, device, host, 64), TALLY_OK);
    CHECK_EQUAL_I64(cuda_machine.clear(machine, LANE_MAIN, device, 32), TALLY_OK);
    CHECK_EQUAL_I64(cuda_machine.copy(machine, LANE_OUT, host, device, 64), TALLY_OK);
    CHECK(((char *)host)[31] == 0 && ((char *)host)[32] == 1);
    setenv("FAKE_CUDA_FAIL", "cuMemHostAlloc:2", 1);
    void *more = NULL;
    CHECK_REFUSED(cuda_machine.allocate_host(machine, 64, &more), TALLY_OUT_OF_MEMORY, "64 bytes|pinned");
    cuda_machine.release(machine, device, 64);
    cuda_machine.release_host(machine, host, 64);
    cuda_machine.close(machine);
    nothing_left();
}

int main(void)
{
    if (!open_folder()) return 1;
    in_child("no driver", no_driver);
    in_child("this machine's driver", default_driver);
    in_child("not a driver", not_a_driver);
    in_child("driver too old", old_driver);
    in_child("no device", no_device);
    in_child("driver does not start", no_start);
    in_child("no compiler", no_compiler);
    in_child("wrong index", wrong_index);
    in_child("failing open", failing_open);
    in_child("memory", memory);
    in_child("no pools", no_pools);
    in_child("two GPUs", two_gpus);
    in_child("borrowed stream", borrowed_stream);
    in_child("sticky failure", sticky);
    in_child("kernels", kernels);
    in_child("no cache", no_cache);
    in_child("failing kernels", failing_kernels);
    in_child("own allocator", own_allocator);
    in_child("places", places);
    in_child("device memory on the host", device_memory_on_the_host);
    remove_folder();
    return test_finish("inside_cuda_machine");
}
