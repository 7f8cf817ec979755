/* SPDX-License-Identifier: MIT
 *
 * gpu_graph.c - plans captured into a CUDA graph: a thousand replays over changing data give the bits of the direct
 * calls. Opens the driver itself, as a user's program would link it. Says so when there is no GPU. */
#define _POSIX_C_SOURCE 200809L
#include "data.h"

#include <dlfcn.h>
#include <tally.h>

#define N 300001
#define ROWS 500
#define COLUMNS 600
#define REPLAYS 1000
#define BETWEEN 50 /* replays between two looks at the results */

typedef struct CUstream_st *stream_handle;
typedef void *graph_handle;

static struct {
    int (*cuInit)(unsigned);
    int (*cuDeviceGet)(int *, int);
    int (*cuDevicePrimaryCtxRetain)(void **, int);
    int (*cuDevicePrimaryCtxRelease_v2)(int);
    int (*cuCtxSetCurrent)(void *);
    int (*cuStreamCreate)(stream_handle *, unsigned);
    int (*cuStreamSynchronize)(stream_handle);
    int (*cuStreamDestroy_v2)(stream_handle);
    int (*cuStreamBeginCapture_v2)(stream_handle, int);
    int (*cuStreamEndCapture)(stream_handle, graph_handle *);
    int (*cuGraphInstantiateWithFlags)(graph_handle *, graph_handle, unsigned long long);
    int (*cuGraphLaunch)(graph_handle, stream_handle);
    int (*cuGraphExecDestroy)(graph_handle);
    int (*cuGraphDestroy)(graph_handle);
} cu;

struct planned {
    tally_verb verb;
    tally_op op;
    tally_type type;
    uint32_t flags;
    int32_t axis; /* of a matrix; -1: a vector, all of it */
    tally_array input, output, direct;
    tally_plan *plan;
    size_t bytes;
};

static struct planned calls[] = {
    {.verb = TALLY_REDUCE, .op = TALLY_SUM, .type = TALLY_F32, .axis = -1},
    {.verb = TALLY_REDUCE, .op = TALLY_SUM, .type = TALLY_F64, .axis = -1},
    {.verb = TALLY_REDUCE, .op = TALLY_VAR, .type = TALLY_F32, .axis = 1},
    {.verb = TALLY_REDUCE, .op = TALLY_SUM, .type = TALLY_F32, .axis = 0},
    {.verb = TALLY_REDUCE, .op = TALLY_ARGMAX, .type = TALLY_I32, .axis = -1},
    {.verb = TALLY_REDUCE, .op = TALLY_MINMAX, .type = TALLY_I16, .axis = 1},
    {.verb = TALLY_REDUCE, .op = TALLY_LOGSUMEXP, .type = TALLY_F32, .axis = -1},
    {.verb = TALLY_REDUCE, .op = TALLY_SUM, .type = TALLY_F32, .flags = TALLY_PLAIN, .axis = -1},
    {.verb = TALLY_SCAN, .op = TALLY_SUM, .type = TALLY_I32, .axis = -1},
    {.verb = TALLY_SCAN, .op = TALLY_SUM, .type = TALLY_F32, .axis = -1},
    {.verb = TALLY_SCAN, .op = TALLY_MAX, .type = TALLY_F32, .axis = 0},
    {.verb = TALLY_SCAN, .op = TALLY_SUM, .type = TALLY_F64, .flags = TALLY_PLAIN, .axis = -1},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static tally_context *context;
static unsigned char near[N * 8], got[N * 8], want[N * 8];

static int load_driver(void)
{
    const char *name = getenv("TALLY_CUDA_DRIVER");
    void *library = dlopen(name ? name : "libcuda.so.1", RTLD_NOW);
    if (!library) return 0;
#define LOAD(function)                                \
    do {                                              \
        void *symbol = dlsym(library, #function);     \
        if (!CHECK(symbol != NULL)) return 0;         \
        memcpy(&cu.function, &symbol, sizeof symbol); \
    } while (0)
    LOAD(cuInit);
    LOAD(cuDeviceGet);
    LOAD(cuDevicePrimaryCtxRetain);
    LOAD(cuDevicePrimaryCtxRelease_v2);
    LOAD(cuCtxSetCurrent);
    LOAD(cuStreamCreate);
    LOAD(cuStreamSynchronize);
    LOAD(cuStreamDestroy_v2);
    LOAD(cuStreamBeginCapture_v2);
    LOAD(cuStreamEndCapture);
    LOAD(cuGraphInstantiateWithFlags);
    LOAD(cuGraphLaunch);
    LOAD(cuGraphExecDestroy);
    LOAD(cuGraphDestroy);
    return 1;
}

static void fill(struct planned *call)
{
    data_fill(call->type, (enum data_kind)test_random_below(DATA_KINDS), near, N);
    CHECK(tally_copy(context, call->input.data, near, N * tally_type_size(call->type)) == TALLY_OK);
}

static tally_options options_of(const struct planned *call)
{
    tally_options options = TALLY_OPTIONS_INIT;
    options.flags = call->flags;
    if (call->axis >= 0) options.axes = &call->axis, options.axis_count = 1;
    return options;
}

static int prepare(struct planned *call)
{
    tally_options options = options_of(call);
    void *memory[3];
    call->input = call->axis < 0 ? tally_vector(near, call->type, N) : tally_matrix(near, call->type, ROWS, COLUMNS);
    test.section = tally_op_name(call->op);
    if (!CHECK(tally_result_like(call->verb, call->op, &call->input, &options, &call->output) == TALLY_OK)) return 0;
    call->bytes = tally_type_size(call->output.type);
    for (int32_t d = 0; d < call->output.rank; d++) call->bytes *= (size_t)call->output.shape[d];
    call->direct = call->output;
    if (!CHECK(tally_alloc(context, N * 8, &memory[0]) == TALLY_OK)) return 0;
    if (!CHECK(tally_alloc(context, call->bytes, &memory[1]) == TALLY_OK)) return 0;
    if (!CHECK(tally_alloc(context, call->bytes, &memory[2]) == TALLY_OK)) return 0;
    call->input.data = memory[0];
    call->output.data = memory[1];
    call->direct.data = memory[2];
    tally_status status = call->verb == TALLY_REDUCE
                              ? tally_plan_reduce(context, call->op, &call->input, &call->output, &options, &call->plan)
                              : tally_plan_scan(context, call->op, &call->input, &call->output, &options, &call->plan);
    if (CHECK_EQUAL_I64(status, TALLY_OK)) return 1;
    fprintf(stderr, "    %s\n", tally_last_error());
    return 0;
}

static void compare(const struct planned *call)
{
    tally_options options = options_of(call);
    test.section = tally_op_name(call->op);
    CHECK((call->verb == TALLY_REDUCE
               ? tally_reduce(context, call->op, &call->input, &call->direct, &options)
               : tally_scan(context, call->op, &call->input, &call->direct, &options)) == TALLY_OK);
    CHECK(tally_copy(context, want, call->direct.data, call->bytes) == TALLY_OK);
    CHECK(tally_copy(context, got, call->output.data, call->bytes) == TALLY_OK);
    CHECK(memcmp(got, want, call->bytes) == 0);
    memset(got, 0xab, call->bytes);
    CHECK(tally_copy(context, call->output.data, got, call->bytes) == TALLY_OK);
}

static void replay(stream_handle stream)
{
    graph_handle graph = NULL, ready = NULL;
    int captured = 1;
    test.section = "capture";
    CHECK_EQUAL_I64(cu.cuStreamBeginCapture_v2(stream, 0), 0); /* global mode: anything that waits or allocates fails */
    for (int i = 0; i < CALLS; i++) captured &= CHECK_EQUAL_I64(tally_plan_run(calls[i].plan), TALLY_OK);
    captured &= CHECK_EQUAL_I64(cu.cuStreamEndCapture(stream, &graph), 0);
    if (!captured || !CHECK_EQUAL_I64(cu.cuGraphInstantiateWithFlags(&ready, graph, 0), 0)) return;
    for (int round = 0; round < REPLAYS / BETWEEN; round++) {
        for (int i = 0; i < CALLS; i++) fill(&calls[i]);
        for (int i = 0; i < BETWEEN; i++) CHECK_EQUAL_I64(cu.cuGraphLaunch(ready, stream), 0);
        CHECK_EQUAL_I64(cu.cuStreamSynchronize(stream), 0);
        for (int i = 0; i < CALLS; i++) compare(&calls[i]);
    }
    test.section = "end";
    CHECK_EQUAL_I64(cu.cuGraphExecDestroy(ready), 0);
    CHECK_EQUAL_I64(cu.cuGraphDestroy(graph), 0);
}

static void on_stream(stream_handle stream)
{
    int ready = 1;
    if (!CHECK(tally_open_on_stream("cuda:0", stream, &context) == TALLY_OK)) {
        fprintf(stderr, "    %s\n", tally_last_error());
        return;
    }
    for (int i = 0; i < CALLS; i++) ready &= prepare(&calls[i]);
    if (ready) replay(stream);
    for (int i = 0; i < CALLS; i++) {
        CHECK(tally_plan_free(calls[i].plan) == TALLY_OK);
        CHECK(tally_free(context, calls[i].input.data, N * 8) == TALLY_OK);
        CHECK(tally_free(context, calls[i].output.data, calls[i].bytes) == TALLY_OK);
        CHECK(tally_free(context, calls[i].direct.data, calls[i].bytes) == TALLY_OK);
    }
    CHECK(tally_close(context) == TALLY_OK);
}

int main(void)
{
    tally_cuda cuda = {.size = sizeof cuda};
    int device;
    void *primary;
    stream_handle stream;
    CHECK(tally_cuda_info(&cuda) == TALLY_OK);
    if (cuda.devices == 0 || cuda.compiler_problem[0] || !load_driver()) {
        printf("LEFT OUT: no GPU: %s%s\n", cuda.driver_problem, cuda.compiler_problem);
        return test_finish("gpu_graph");
    }
    CHECK_EQUAL_I64(cu.cuInit(0), 0);
    CHECK_EQUAL_I64(cu.cuDeviceGet(&device, 0), 0);
    CHECK_EQUAL_I64(cu.cuDevicePrimaryCtxRetain(&primary, device), 0);
    CHECK_EQUAL_I64(cu.cuCtxSetCurrent(primary), 0);
    if (CHECK_EQUAL_I64(cu.cuStreamCreate(&stream, 1), 0)) {
        on_stream(stream);
        CHECK_EQUAL_I64(cu.cuStreamDestroy_v2(stream), 0);
    }
    CHECK_EQUAL_I64(cu.cuDevicePrimaryCtxRelease_v2(device), 0);
    return test_finish("gpu_graph");
}
