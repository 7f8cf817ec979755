/* SPDX-License-Identifier: MIT
 *
 * modules.c - kernels of users: compiled from text, launched with every kind of argument and grid, and everything that
 * can be asked for wrongly. On simt, or TALLY_TEST_DEVICE. */
#include "device.h"

static int simulated;

static tally_module *compile(const char *source, const tally_module_options *options)
{
    tally_module *module = NULL;
    if (!CHECK(tally_module_compile(device, source, options, &module) == TALLY_OK))
        fprintf(stderr, "    %s\n", tally_last_error());
    return module;
}

static tally_function *kernel(tally_module *module, const char *name)
{
    tally_function *function = NULL;
    if (!CHECK(tally_module_function(module, name, &function) == TALLY_OK))
        fprintf(stderr, "    %s\n", tally_last_error());
    return function;
}

static tally_grid line(uint32_t blocks, uint32_t threads)
{
    return (tally_grid){{blocks, 1, 1}, {threads, 1, 1}, 0, 0};
}

static void launch(tally_function *function, tally_grid grid, const tally_argument *arguments, int32_t count)
{
    if (!CHECK(tally_launch(function, &grid, arguments, count) == TALLY_OK))
        fprintf(stderr, "    %s\n", tally_last_error());
}

static void *on_device(const void *from, size_t bytes)
{
    void *memory = NULL;
    CHECK(tally_alloc(device, bytes, &memory) == TALLY_OK);
    if (from) CHECK(tally_copy(device, memory, from, bytes) == TALLY_OK);
    return memory;
}

/* Copies the device's memory to the host and frees it. */
static void take_back(void *to, void *memory, size_t bytes)
{
    CHECK(tally_copy(device, to, memory, bytes) == TALLY_OK);
    CHECK(tally_free(device, memory, bytes) == TALLY_OK);
}

/* ---- what works ---- */

static const char scaling[] = "__global__ void scale(float *x, float factor, int n)\n"
                              "{\n"
                              "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "    if (i < n) x[i] *= factor;\n"
                              "}\n";

static void scales(void)
{
    enum { N = 10000 };
    static float x[N], got[N];
    tally_module *module = compile(scaling, NULL);
    tally_function *scale = kernel(module, "scale");
    CHECK(kernel(module, "scale") == scale);
    for (int i = 0; i < N; i++) x[i] = (float)(i - 77);
    for (int n = 0; n <= N; n += n < 600 ? 149 : 3133) {
        void *memory = on_device(x, sizeof x);
        const tally_argument arguments[] = {tally_pass_memory(memory), tally_pass_f32(-2.5f), tally_pass_i32(n)};
        launch(scale, line(100, 100), arguments, 3);
        take_back(got, memory, sizeof x);
        int wrong = 0;
        for (int i = 0; i < N; i++) wrong += got[i] != (i < n ? -2.5f * x[i] : x[i]);
        CHECK_EQUAL_I64(wrong, 0);
    }
    tally_function_facts facts = {.size = sizeof facts};
    tally_grid grid = line(1, 256);
    CHECK(tally_function_info(scale, &grid, &facts) == TALLY_OK);
    CHECK_EQUAL_I64(facts.most_threads, 1024);
    if (!simulated) CHECK(facts.registers > 0 && facts.blocks_at_once > 0 && facts.threads_at_once >= 1024);
    CHECK(tally_module_free(module) == TALLY_OK);
}

static const char every_argument[] =
    "#include \"pair.cuh\"\n"
    "struct box { pair inner; unsigned char tail[3]; };\n"
    "namespace hidden {\n"
    "__global__ void\n"
    "__launch_bounds__(64) take(double *out, int a, unsigned b, long long c, unsigned long long d, float e, double f,\n"
    "                          const box g, const void *nothing)\n"
    "{\n"
    "    const char *text = \"} { \\\" __global__ void no(\"; /* } */\n"
    "    if (text[0] != '}') return;\n"
    "    out[0] = a; out[1] = b; out[2] = (double)c; out[3] = (double)d; out[4] = e; out[5] = f;\n"
    "    out[6] = g.inner.x + g.inner.y; out[7] = g.tail[2]; out[8] = nothing == 0; out[9] = FACTOR; out[10] = "
    "sizeof(box);\n"
    "}\n"
    "}\n";

static void passes_everything(void)
{
    static const tally_header headers[] = {{"pair.cuh", "struct pair { short x; double y; };\n"}, {NULL, NULL}};
    static const char *const definitions[] = {"FACTOR=12", "UNUSED", NULL};
    struct {
        struct {
            short x;
            double y;
        } inner;
        unsigned char tail[3];
    } box = {{-3, 0.5}, {1, 2, 250}};
    tally_module_options options = TALLY_MODULE_OPTIONS_INIT;
    options.headers = headers, options.definitions = definitions, options.name = "every.cu";
    tally_module *module = compile(every_argument, &options);
    double got[11];
    void *out = on_device(NULL, sizeof got);
    tally_function *take = kernel(module, "take");
    const tally_argument arguments[] = {
        tally_pass_memory(out),       tally_pass_i32(-2147483647),        tally_pass_u32(4000000000u),
        tally_pass_i64(-(1ll << 40)), tally_pass_u64(1ull << 52),         tally_pass_f32(0.25f),
        tally_pass_f64(1e300),        tally_pass_bytes(&box, sizeof box), tally_pass_memory(NULL)};
    static const double want[] = {-2147483647, 4e9, -1099511627776.0, 4503599627370496.0, 0.25, 1e300, -2.5, 250, 1,
                                  12,          24};
    launch(take, line(1, 1), arguments, 9);
    take_back(got, out, sizeof got);
    for (int i = 0; i < 11; i++) CHECK(got[i] == want[i]);
    CHECK(tally_module_free(module) == TALLY_OK);
}

/* Three dimensions, shared memory of both kinds, barriers and atomics; extern "C" and not; kernels that the
 * preprocessor leaves out, that are only declared, and templates. */
static const char blocks[] = "template <typename T> __global__ void of_any(T *x) { x[0] = 1; }\n"
                             "extern \"C\" {\n"
                             "__global__ void later(int *);\n"
                             "#ifdef NEVER\n"
                             "__global__ void never(int *x) { *x = 1; }\n"
                             "#endif\n"
                             "extern __shared__ __align__(16)\n"
                             "    int whole[];\n"
                             "__device__ int first() { return ((unsigned char *)whole)[0] + *(int *)whole; }\n"
                             "__global__ void\n"
                             "places(int *out, unsigned *count)\n"
                             "{\n"
                             "    extern __shared__ int room[];\n"
                             "    __shared__ int base;\n"
                             "    int threads = blockDim.x * blockDim.y * blockDim.z;\n"
                             "    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
                             "    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
                             "    if (thread == 0) base = block * threads;\n"
                             "    room[thread] = thread;\n"
                             "    __syncthreads();\n"
                             "    out[base + thread] = base + whole[threads - 1 - thread];\n"
                             "    atomicAdd(count, 1u);\n"
                             "}\n"
                             "}\n"
                             "__global__ void line_number(int *out) { *out = __LINE__; }\n";

static void grids(void)
{
    static const tally_grid shapes[] = {{{1, 1, 1}, {1, 1, 1}, 4, 0},
                                        {{3, 2, 5}, {4, 8, 2}, 64 * 4, 0},
                                        {{1, 7, 1}, {1, 1, 64}, 64 * 4, 0},
                                        {{2, 1, 3}, {1024, 1, 1}, 1024 * 4, 0},
                                        {{1, 1, 2}, {5, 7, 3}, 4096, 0}};
    static int got[6 * 1024];
    tally_module *module = compile(blocks, NULL);
    tally_function *places = kernel(module, "places");
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const tally_grid *g = &shapes[s];
        int threads = (int)(g->threads[0] * g->threads[1] * g->threads[2]);
        int total = threads * (int)(g->blocks[0] * g->blocks[1] * g->blocks[2]), wrong = 0;
        unsigned count = 0;
        void *out = on_device(NULL, sizeof got), *counter = on_device(&count, sizeof count);
        const tally_argument arguments[] = {tally_pass_memory(out), tally_pass_memory(counter)};
        launch(places, *g, arguments, 2);
        take_back(got, out, sizeof got);
        take_back(&count, counter, sizeof count);
        CHECK_EQUAL_I64(count, total);
        for (int i = 0; i < total; i++) wrong += got[i] != i / threads * threads + threads - 1 - i % threads;
        CHECK_EQUAL_I64(wrong, 0);
    }
    int number = 0;
    void *out = on_device(&number, sizeof number);
    const tally_argument argument = tally_pass_memory(out);
    launch(kernel(module, "line_number"), line(1, 1), &argument, 1);
    take_back(&number, out, sizeof number);
    CHECK_EQUAL_I64(number, 25);
    CHECK(tally_module_free(module) == TALLY_OK);
}

static void counts(void)
{
    tally_module_options options = TALLY_MODULE_OPTIONS_INIT;
    tally_counts got = {.size = sizeof got};
    float x[256] = {0};
    options.flags = TALLY_COUNT;
    tally_module *module = compile(scaling, &options);
    void *memory = on_device(x, sizeof x);
    const tally_argument arguments[] = {tally_pass_memory(memory), tally_pass_f32(2), tally_pass_i32(200)};
    if (simulated) CHECK(tally_launch_counts(device, &got) == TALLY_OK);
    launch(kernel(module, "scale"), line(2, 128), arguments, 3);
    launch(kernel(module, "scale"), line(2, 128), arguments, 3);
    if (simulated) {
        CHECK(tally_launch_counts(device, &got) == TALLY_OK);
        CHECK(got.launches == 2 && got.threads == 512 && got.barriers == 0 && got.bank_conflicts == 0);
        if (got.transactions) { /* builds with sanitizers do not count these */
            CHECK_EQUAL_U64(got.divergent_branches, 2);
            CHECK_EQUAL_U64(got.transactions, 2 * 2 * (200 / 8));
        }
        CHECK(tally_launch_counts(device, &got) == TALLY_OK && got.launches == 0 && got.transactions == 0);
    } else {
        CHECK_EQUAL_I64(tally_launch_counts(device, &got), TALLY_UNSUPPORTED);
    }
    take_back(x, memory, sizeof x);
    CHECK(tally_module_free(module) == TALLY_OK);
}

/* ---- what does not ---- */

static void refused(tally_status got, tally_status want, const char *text)
{
    if (CHECK_EQUAL_I64(got, want) && CHECK(strstr(tally_last_error(), text) != NULL)) return;
    fprintf(stderr, "    \"%s\" lacks \"%s\"\n", tally_last_error(), text);
}

static void bad_sources(void)
{
    static const char wrong[] = "__global__ void fine(int *x) { *x = 1; }\n\n"
                                "extern __shared__\nint room[];\n"
                                "__global__ void broken(int *x) { *x = undefined_name; }\n";
    static const char *const bad[][2] = {{"A\nB", NULL}, {"", NULL}, {"=3", NULL}};
    tally_module_options options = TALLY_MODULE_OPTIONS_INIT;
    tally_module *module = (tally_module *)&options;
    refused(tally_module_compile(device, wrong, NULL, &module), TALLY_DEVICE_ERROR, "undefined_name");
    CHECK(strstr(tally_last_error(), simulated ? "module.cu:5:" : "module.cu(5)") != NULL);
    options.name = "mine.cu";
    refused(tally_module_compile(device, wrong, &options, &module), TALLY_DEVICE_ERROR,
            simulated ? "mine.cu:5:" : "mine.cu(5)");
    CHECK(module == (tally_module *)&options);
    refused(tally_module_compile(NULL, wrong, NULL, &module), TALLY_INVALID_ARGUMENT, "context is NULL");
    refused(tally_module_compile(device, NULL, NULL, &module), TALLY_INVALID_ARGUMENT, "source is NULL");
    refused(tally_module_compile(device, wrong, NULL, NULL), TALLY_INVALID_ARGUMENT, "module is NULL");
    options.name = "a/b.cu";
    refused(tally_module_compile(device, wrong, &options, &module), TALLY_INVALID_ARGUMENT, "a/b.cu");
    options.name = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        options.definitions = bad[i];
        refused(tally_module_compile(device, wrong, &options, &module), TALLY_INVALID_ARGUMENT, "options.definitions");
    }
    options.definitions = NULL;
    options.flags = 6;
    refused(tally_module_compile(device, wrong, &options, &module), TALLY_INVALID_ARGUMENT, "options.flags is 0x6");
    options.flags = 0;
    options.size--;
    refused(tally_module_compile(device, wrong, &options, &module), TALLY_INVALID_ARGUMENT, "options.size");
    const tally_header same[] = {{"module.cu", ""}, {NULL, NULL}}, without[] = {{"a.h", NULL}, {NULL, NULL}};
    options = (tally_module_options)TALLY_MODULE_OPTIONS_INIT;
    options.headers = same;
    refused(tally_module_compile(device, wrong, &options, &module), TALLY_INVALID_ARGUMENT, "the name of the source");
    options.headers = without;
    refused(tally_module_compile(device, wrong, &options, &module), TALLY_INVALID_ARGUMENT, "without a text");
    tally_context *cpu;
    CHECK(tally_open("cpu:1", &cpu) == TALLY_OK);
    refused(tally_module_compile(cpu, scaling, NULL, &module), TALLY_UNSUPPORTED, "runs no kernels");
    tally_counts got = {.size = sizeof got};
    refused(tally_launch_counts(cpu, &got), TALLY_UNSUPPORTED, "does not count");
    CHECK(tally_close(cpu) == TALLY_OK);
}

static void bad_launches(void)
{
    tally_module *module = compile(scaling, NULL);
    tally_function *scale = kernel(module, "scale"), *none = NULL;
    float x[64] = {1};
    void *memory = on_device(x, sizeof x);
    tally_argument good[] = {tally_pass_memory(memory), tally_pass_f32(2), tally_pass_i32(64)}, bad[3];
    static const struct {
        tally_grid grid;
        const char *text;
    } wrong[] = {
        {{{0, 1, 1}, {1, 1, 1}, 0, 0}, "grid.blocks[0]"},     {{{1, 70000, 1}, {1, 1, 1}, 0, 0}, "70000"},
        {{{1, 1, 1}, {1, 1, 0}, 0, 0}, "grid.threads[2]"},    {{{1, 1, 1}, {2048, 1, 1}, 0, 0}, "2048"},
        {{{1, 1, 1}, {64, 64, 1}, 0, 0}, "64 x 64 x 1"},      {{{1, 1, 1}, {1, 1, 65}, 0, 0}, "65"},
        {{{1, 1, 1}, {32, 1, 1}, 0, 5}, "grid.flags is 0x5"}, {{{1u << 31, 1, 1}, {1, 1, 1}, 0, 0}, "2147483648"}};
    refused(tally_module_function(module, "scales", &none), TALLY_INVALID_ARGUMENT,
            "module.cu has no kernel \"scales\"");
    refused(tally_module_function(module, NULL, &none), TALLY_INVALID_ARGUMENT, "name is NULL");
    CHECK(none == NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        refused(tally_launch(scale, &wrong[i].grid, good, 3), TALLY_INVALID_ARGUMENT, wrong[i].text);
    tally_grid grid = line(1, 64);
    grid.shared_bytes = 1u << 30;
    CHECK(tally_launch(scale, &grid, good, 3) != TALLY_OK);
    grid.shared_bytes = 0;
    refused(tally_launch(NULL, &grid, good, 3), TALLY_INVALID_ARGUMENT, "function is NULL");
    refused(tally_launch(scale, NULL, good, 3), TALLY_INVALID_ARGUMENT, "grid is NULL");
    refused(tally_launch(scale, &grid, NULL, 3), TALLY_INVALID_ARGUMENT, "arguments is NULL");
    refused(tally_launch(scale, &grid, good, 2), TALLY_INVALID_ARGUMENT, "scale takes 3");
    memcpy(bad, good, sizeof bad);
    bad[1] = tally_pass_f64(2);
    refused(tally_launch(scale, &grid, bad, 3), TALLY_INVALID_ARGUMENT, "arguments[1] has 8 bytes");
    bad[1] = good[1], bad[0] = tally_pass_memory(x);
    refused(tally_launch(scale, &grid, bad, 3), TALLY_INVALID_ARGUMENT, "expected memory of the context's device");
    bad[0] = good[0], bad[2].kind = 9;
    refused(tally_launch(scale, &grid, bad, 3), TALLY_INVALID_ARGUMENT, "arguments[2] has kind 9");
    bad[2] = tally_pass_bytes(NULL, 4);
    refused(tally_launch(scale, &grid, bad, 3), TALLY_INVALID_ARGUMENT, "NULL in place of its 4 bytes");
    tally_function_facts facts = {.size = 1};
    refused(tally_function_info(scale, &grid, &facts), TALLY_INVALID_ARGUMENT, "facts.size is 1");
    take_back(x, memory, sizeof x);
    CHECK(x[0] == 1);
    CHECK(tally_module_free(module) == TALLY_OK && tally_module_free(NULL) == TALLY_OK);
}

int main(void)
{
    simulated = device_simulated();
    if (tally_open(device_name(), &device) != TALLY_OK) return test_left_out("modules", tally_last_error());
    CASE("scaling") scales();
    CASE("arguments of every kind") passes_everything();
    CASE("grids") grids();
    CASE("counts") counts();
    CASE("sources that are wrong") bad_sources();
    CASE("launches that are wrong") bad_launches();
    CHECK(tally_close(device) == TALLY_OK);
    return test_finish("modules");
}
