/* SPDX-License-Identifier: MIT
 *
 * inside_cuda_module.c - users' kernels on a fake driver and compiler: found by the names that C++ gives them, checked,
 * launched and freed, and clear errors where the driver or the compiler fails. */
#define _GNU_SOURCE
#include "fake_driver.h"

/* Users' kernels: kept on disk, found by their mangled name, launched with checked arguments; nothing stays. */
static void modules(void)
{
    static const char source[] = "a kernel .text._ZN1a12_GLOBAL__N_15twiceEPfi";
    static const char two[] = ".text._Z5twicePf and .text._Z5twicePd";
    tally_context *context = NULL;
    tally_module *module = NULL, *again = NULL, *ambiguous = NULL;
    tally_function *twice = NULL, *other = NULL;
    void *memory = NULL;
    tally_grid grid = {{3, 2, 1}, {32, 4, 1}, 100, 0};
    tally_function_facts facts = {.size = sizeof facts};
    CHECK_EQUAL_I64(tally_open("cuda", &context) | tally_alloc(context, 100, &memory), TALLY_OK);
    CHECK_EQUAL_I64(tally_module_compile(context, source, NULL, &module), TALLY_OK);
    CHECK_EQUAL_I64(tally_module_compile(context, source, NULL, &again), TALLY_OK);
    CHECK_EQUAL_I64(counted("fake_cuda_compilations"), 1);
    CHECK_EQUAL_I64(tally_module_function(module, "twice", &twice), TALLY_OK);
    CHECK_EQUAL_I64(tally_module_function(module, "plain", &other), TALLY_OK);
    CHECK(other != twice);
    CHECK_REFUSED(tally_module_function(module, "missing", &other), TALLY_INVALID_ARGUMENT, "module.cu|\"missing\"");
    CHECK_EQUAL_I64(tally_module_compile(context, two, NULL, &ambiguous), TALLY_OK);
    CHECK_REFUSED(tally_module_function(ambiguous, "twice", &other), TALLY_INVALID_ARGUMENT, "no kernel");
    tally_argument arguments[] = {tally_pass_memory(memory), tally_pass_i32(4), tally_pass_i32(5)};
    CHECK_EQUAL_I64(tally_launch(twice, &grid, arguments, 2), TALLY_OK);
    CHECK_EQUAL_I64(counted("fake_cuda_launches"), 1);
    CHECK_REFUSED(tally_launch(twice, &grid, arguments, 3), TALLY_INVALID_ARGUMENT, "argument_count is 3|takes 2");
    arguments[1] = tally_pass_i64(4);
    CHECK_REFUSED(tally_launch(twice, &grid, arguments, 2), TALLY_INVALID_ARGUMENT, "arguments[1]|8 bytes|has 4");
    arguments[1] = tally_pass_i32(4);
    setenv("FAKE_CUDA_FAIL", "cuLaunchKernel:1", 1);
    CHECK_REFUSED(tally_launch(twice, &grid, arguments, 2), TALLY_DEVICE_ERROR, "3 x 2 x 1 blocks|100 bytes");
    unsetenv("FAKE_CUDA_FAIL");
    CHECK_EQUAL_I64(tally_function_info(twice, &grid, &facts), TALLY_OK);
    CHECK(facts.blocks_at_once == 16 && facts.threads_at_once == 2048 && facts.registers == 1024);
    CHECK_EQUAL_I64(tally_module_free(module) | tally_module_free(again) | tally_module_free(ambiguous), TALLY_OK);
    static const char *const calls[] = {"cuModuleLoadData", "nvrtcCompileProgram"};
    for (size_t i = 0; i < 2; i++) {
        char fail[64], text[32];
        snprintf(fail, sizeof fail, "%s:3", calls[i]);
        snprintf(text, sizeof text, "source %zu", i);
        setenv("FAKE_CUDA_FAIL", fail, 1);
        CHECK(tally_module_compile(context, text, NULL, &module) != TALLY_OK);
        unsetenv("FAKE_CUDA_FAIL");
    }
    CHECK_REFUSED(tally_module_compile(context, "#error on purpose", NULL, &module), TALLY_DEVICE_ERROR,
                  "module.cu|on purpose");
    CHECK_EQUAL_I64(tally_free(context, memory, 100) | tally_close(context), TALLY_OK);
    nothing_left();
}

/* A kernel that has failed meanwhile is not taken for a wrong argument, nor memory of the device for the host's. */
static void failed_meanwhile(void)
{
    tally_context *context = NULL;
    tally_module *module = NULL;
    tally_function *twice = NULL;
    void *memory = NULL;
    char bytes[16] = "";
    const tally_grid grid = {{1, 1, 1}, {1, 1, 1}, 0, 0};
    CHECK_EQUAL_I64(tally_open("cuda", &context) | tally_alloc(context, 100, &memory), TALLY_OK);
    CHECK_EQUAL_I64(tally_module_compile(context, ".text._Z5twicePfi", NULL, &module), TALLY_OK);
    CHECK_EQUAL_I64(tally_module_function(module, "twice", &twice), TALLY_OK);
    const tally_argument arguments[] = {tally_pass_memory(memory), tally_pass_i32(4)};
    setenv("FAKE_CUDA_FAIL", "cuPointerGetAttributes:700", 1);
    CHECK_REFUSED(tally_launch(twice, &grid, arguments, 2), TALLY_DEVICE_ERROR, "ILLEGAL_ADDRESS|started earlier");
    unsetenv("FAKE_CUDA_FAIL");
    CHECK_REFUSED(tally_copy(context, bytes, memory, sizeof bytes), TALLY_DEVICE_ERROR, "ILLEGAL_ADDRESS");
    tally_module_free(module);
    tally_free(context, memory, 100);
    tally_close(context);
    CHECK_EQUAL_I64(counted("fake_cuda_depth"), 0);
}

int main(void)
{
    if (!open_folder()) return 1;
    in_child("modules", modules);
    in_child("failed meanwhile", failed_meanwhile);
    remove_folder();
    return test_finish("inside_cuda_module");
}
