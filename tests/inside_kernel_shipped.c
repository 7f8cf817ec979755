/* SPDX-License-Identifier: MIT
 *
 * inside_kernel_shipped.c - kernels that come with the library: compiled without a GPU, found by a process that has
 * nothing in its cache, and left aside where they are not sound, not of this version, or not wanted. On a fake driver
 * and compiler (fake/fake_cuda.c). */
#define _GNU_SOURCE
#include "fake_driver.h"

#include <dirent.h>

static char shipped[300];

/* How often a new process compiles for a reduction of this many numbers. */
static int compilations_of(tally_op op, int64_t n)
{
    tally_context *context = NULL;
    tally_array x, result;
    int64_t zero = 0;
    void *memory = NULL;
    if (!CHECK_EQUAL_I64(tally_open("cuda", &context), TALLY_OK)) return -1;
    CHECK_EQUAL_I64(tally_alloc(context, (size_t)n * 4, &memory), TALLY_OK);
    x = tally_vector(memory, TALLY_I32, n);
    CHECK_EQUAL_I64(tally_result_like(TALLY_REDUCE, op, &x, NULL, &result), TALLY_OK);
    result.data = &zero;
    CHECK_EQUAL_I64(tally_reduce(context, op, &x, &result, NULL), TALLY_OK);
    tally_free(context, memory, (size_t)n * 4);
    tally_close(context);
    return counted("fake_cuda_compilations");
}

/* All of them, once; then nothing is left to do. */
static void compiling(void)
{
    int64_t count = 0, again = 0;
    CHECK_EQUAL_I64(tally_cache_compile("sm_90", shipped, &count), TALLY_OK);
    CHECK(count > 1000);
    CHECK_EQUAL_I64(counted("fake_cuda_compilations"), count);
    CHECK_EQUAL_I64(tally_cache_compile("sm_90", shipped, &again), TALLY_OK);
    CHECK_EQUAL_I64(again, count);
    CHECK_EQUAL_I64(counted("fake_cuda_compilations"), count);
    CHECK_EQUAL_I64(tally_cache_list(NULL, &again), TALLY_OK);
    CHECK_EQUAL_I64(again, 0); /* nothing came into the user's cache */
    nothing_left();
}

static void refusals(void)
{
    int64_t count = 17;
    char path[400];
    CHECK_REFUSED(tally_cache_compile(NULL, shipped, &count), TALLY_INVALID_ARGUMENT, "architecture is NULL");
    CHECK_REFUSED(tally_cache_compile("sm_90", NULL, &count), TALLY_INVALID_ARGUMENT, "folder is NULL");
    CHECK_REFUSED(tally_cache_compile("sm_90", "", &count), TALLY_INVALID_ARGUMENT, "folder is ''");
    CHECK_REFUSED(tally_cache_compile("sm_90", shipped, NULL), TALLY_INVALID_ARGUMENT, "count is NULL");
    CHECK_REFUSED(tally_cache_compile("sm_91", shipped, &count), TALLY_INVALID_ARGUMENT, "sm_91|sm_75, sm_80|sm_120");
    CHECK_REFUSED(tally_cache_compile("", shipped, &count), TALLY_INVALID_ARGUMENT, "architecture is ''");
    snprintf(path, sizeof path, "%s/file", folder);
    fclose(fopen(path, "w"));
    CHECK_REFUSED(tally_cache_compile("sm_90", path, &count), TALLY_INVALID_ARGUMENT, "folder is|file|cannot make");
    setenv("FAKE_CUDA_FAIL", "nvrtcCompileProgram:6", 1);
    snprintf(path, sizeof path, "%s/other", folder);
    CHECK_REFUSED(tally_cache_compile("sm_90", path, &count), TALLY_DEVICE_ERROR, "refuses|sm_90");
    CHECK_EQUAL_I64(count, 17);
    nothing_left();
}

static void no_compiler(void)
{
    int64_t count = 17;
    setenv("TALLY_NVRTC", "/nonexistent/libnvrtc.so", 1);
    CHECK_REFUSED(tally_cache_compile("sm_90", shipped, &count), TALLY_NO_DEVICE, "/nonexistent/libnvrtc.so");
    CHECK_EQUAL_I64(count, 17);
}

static void found(void)
{
    char text[300] = "";
    size_t size = sizeof text;
    CHECK_EQUAL_I64(tally_cache_shipped(text, &size), TALLY_OK);
    CHECK(strcmp(text, shipped) == 0 && size == strlen(shipped) + 1);
    size = 3;
    CHECK_REFUSED(tally_cache_shipped(text, &size), TALLY_INVALID_ARGUMENT, "size is 3");
    CHECK_REFUSED(tally_cache_shipped(text, NULL), TALLY_INVALID_ARGUMENT, "size is NULL");
    CHECK_EQUAL_I64(compilations_of(TALLY_SUM, 1 << 16), 0);
    CHECK_EQUAL_I64(compilations_of(TALLY_MAX, 1000), 0);
}

/* Code of a generation's first GPUs runs on its later ones. */
static void later_of_generation(void)
{
    setenv("FAKE_CUDA_MINOR", "3", 1);
    CHECK_EQUAL_I64(compilations_of(TALLY_SUM, 1 << 16), 0);
}

static void not_shipped(void)
{
    CHECK_EQUAL_I64(compilations_of(TALLY_BIT_XOR, 1 << 16), 1);
}

static void not_wanted(void)
{
    size_t size = 0;
    setenv("TALLY_KERNELS", "", 1);
    CHECK_EQUAL_I64(tally_cache_shipped(NULL, &size), TALLY_OK);
    CHECK_EQUAL_I64(size, 1);
    CHECK_EQUAL_I64(compilations_of(TALLY_SUM, 1 << 16), 1);
}

static void of_other_sources(void)
{
    char path[400];
    snprintf(path, sizeof path, "%s/another.cuh", sources);
    fclose(fopen(path, "w"));
    CHECK_EQUAL_I64(compilations_of(TALLY_SUM, 1 << 16), 1);
    unlink(path);
}

static void not_loading(void)
{
    setenv("FAKE_CUDA_FAIL", "cuModuleLoadData:209", 1); /* the driver knows no such code */
    tally_context *context = NULL;
    float x[4] = {0}, sum = 0;
    tally_array in = tally_vector(x, TALLY_F32, 4), out;
    CHECK_EQUAL_I64(tally_open("cuda", &context), TALLY_OK);
    CHECK_EQUAL_I64(tally_result_like(TALLY_REDUCE, TALLY_SUM, &in, NULL, &out), TALLY_OK);
    out.data = &sum;
    CHECK_REFUSED(tally_reduce(context, TALLY_SUM, &in, &out, NULL), TALLY_DEVICE_ERROR, "loading a kernel");
    CHECK_EQUAL_I64(counted("fake_cuda_compilations"), 1); /* it was tried */
    tally_close(context);
    nothing_left();
}

static int shipped_files(void)
{
    char path[400];
    struct dirent **names = NULL;
    snprintf(path, sizeof path, "%s/sm_90", shipped);
    int count = scandir(path, &names, NULL, NULL);
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
    return count;
}

/* A damaged file is not used, and stays for whoever looks into it. */
static void damaged(void)
{
    char command[700];
    int before = shipped_files();
    snprintf(command, sizeof command, "for f in '%s'/sm_90/*; do printf x >>$f; done", shipped);
    CHECK(system(command) == 0);
    CHECK_EQUAL_I64(compilations_of(TALLY_SUM, 1 << 16), 1);
    CHECK(before > 1000);
    CHECK_EQUAL_I64(shipped_files(), before);
}

static void writable_by_all(void)
{
    char path[400];
    snprintf(path, sizeof path, "%s/sm_90", shipped);
    CHECK(chmod(path, 0777) == 0);
    CHECK_EQUAL_I64(compilations_of(TALLY_SUM, 1 << 16), 1);
    CHECK(chmod(path, 0755) == 0);
}

/* Of a user who is neither this one nor the owner of the library; only root can make that. */
static void of_another_user(void)
{
    char path[400];
    for (int below = 0; below < 2 && geteuid() == 0; below++) {
        snprintf(path, sizeof path, "%s%s", shipped, below ? "/sm_90" : "");
        CHECK(chown(path, 12345, 12345) == 0);
        int before = counted("fake_cuda_compilations");
        CHECK_EQUAL_I64(compilations_of(TALLY_SUM, 1 << 16), before + 1);
        CHECK(chown(path, 0, 0) == 0);
    }
}

/* Beside the program, that the library is linked into. */
static void beside(void)
{
    char command[2000];
    snprintf(command, sizeof command,
             "cp /proc/%ld/exe '%s/program' && mv '%s' '%s/tally-kernels' && cd / && "
             "env -u TALLY_KERNELS PATH='%s':$PATH program beside; result=$?; mv '%s/tally-kernels' '%s'; exit $result",
             (long)getpid(), folder, shipped, folder, folder, folder, shipped);
    CHECK(system(command) == 0);
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "beside") == 0)
        return compilations_of(TALLY_SUM, 1 << 16) == 0 && test.failed == 0 ? 0 : 1;
    if (!open_folder()) return 1;
    snprintf(shipped, sizeof shipped, "%s/shipped", folder);
    setenv("TALLY_KERNELS", shipped, 1);
    setenv("TALLY_CACHE_LIMIT", "0", 1);
    in_child("compiling", compiling);
    in_child("refusals", refusals);
    in_child("no compiler", no_compiler);
    in_child("found", found);
    in_child("a later one of the generation", later_of_generation);
    in_child("not shipped", not_shipped);
    in_child("not wanted", not_wanted);
    in_child("of other sources", of_other_sources);
    in_child("not loading", not_loading);
    in_child("beside the program", beside);
    in_child("of another user", of_another_user);
    in_child("writable by all", writable_by_all);
    in_child("damaged", damaged);
    remove_folder();
    return test_finish("inside_kernel_shipped");
}
