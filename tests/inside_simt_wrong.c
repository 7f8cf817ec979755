/* SPDX-License-Identifier: MIT
 *
 * inside_simt_wrong.c - kernels with mistakes (tests/simt/wrong.cu): each ends in an error that names the place, and
 * the machine goes on. Under AddressSanitizer accesses beyond an array end a child process. */
#define _GNU_SOURCE
#include "gpu/simt_machine.h"
#include "test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif

struct wrong_parameters {
    unsigned *memory;
    unsigned n;
};

static struct machine *machine;

static tally_status run(const char *file, const char *entry, uint32_t blocks, uint32_t threads, unsigned n)
{
    const struct kernel_request request = {file, entry, "UNUSED=1\n", NULL};
    const struct kernel *kernel;
    void *memory;
    tally_status status = simt_machine.kernel(machine, &request, &kernel);
    if (status != TALLY_OK) return status;
    CHECK(simt_machine.allocate(machine, 4096, &memory) == TALLY_OK);
    CHECK(simt_machine.clear(machine, LANE_MAIN, memory, 4096) == TALLY_OK);
    const struct wrong_parameters p = {memory, n};
    const struct launch launch = {kernel, blocks, threads, 128, &p, sizeof p};
    status = simt_machine.launch(machine, &launch);
    simt_machine.release(machine, memory, 4096);
    return status;
}

/* The error must have all of the words. */
static void check_error(const char *entry, uint32_t blocks, uint32_t threads, unsigned n, const char *first,
                        const char *second)
{
    CHECK(run("wrong.cu", entry, blocks, threads, n) == TALLY_DEVICE_ERROR);
    const char *text = tally_last_error();
    if (!CHECK(strstr(text, entry) && strstr(text, first) && strstr(text, second))) {
        fprintf(stderr, "the error is: %s\n", text);
    }
    if (getenv("SHOW")) fprintf(stderr, "%s\n", text);
    CHECK(run("wrong.cu", "deep", 3, 64, 0) == TALLY_OK); /* the machine is as good as before */
}

static void check_cluster(const char *entry, uint32_t blocks, const char *words)
{
    CHECK(run("cluster.cu", entry, blocks, 32, 1) == TALLY_DEVICE_ERROR);
    if (!CHECK(strstr(tally_last_error(), entry) && strstr(tally_last_error(), words)))
        fprintf(stderr, "the error is: %s\n", tally_last_error());
}

#ifdef HAVE_ASAN
static void check_caught(const char *entry, unsigned n)
{
    CHECK(run("wrong.cu", entry, 1, 8, 0) == TALLY_OK);
    pid_t child = fork();
    if (child == 0) {
        if (!getenv("SHOW")) fclose(stderr);
        run("wrong.cu", entry, 1, 8, n);
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    if (!CHECK(!WIFEXITED(status) || WEXITSTATUS(status) != 0)) fprintf(stderr, "%s was not caught\n", entry);
}
#endif

int main(void)
{
    setenv("TALLY_KERNEL_DIR", TEST_KERNELS, 1);
    if (!CHECK(simt_machine.open(NULL, NULL, 0, &machine) == TALLY_OK)) {
        fprintf(stderr, "%s\n", tally_last_error());
        return test_finish("inside_simt_wrong");
    }
    CASE("barriers")
    {
        check_error("barrier_in_branch", 2, 64, 0, "__syncthreads at wrong.cu:13", "returned");
        check_error("two_barriers", 2, 64, 0, "diverges", "wrong.cu:2");
        check_error("barrier_after_return", 2, 64, 40, "returned", "__syncthreads at wrong.cu:32");
    }
    CASE("warp operations")
    {
        check_error("lane_missing", 2, 32, 0, "__shfl_sync", "wrong.cu:37");
        check_error("halves_differ", 2, 32, 0, "deadlock", "lanes 0xffff0000 wait in __ballot_sync");
        check_error("masks_differ", 2, 32, 0, "deadlock", "mask 0xfffffffe");
        check_error("not_in_mask", 2, 32, 0, "__ballot_sync", "mask 0x0000000f");
        check_error("not_in_mask", 2, 3, 0, "__ballot_sync", "not there");
    }
    CASE("waiting for nothing")
    {
        check_error("waits_for_later", 200, 32, 0, "no progress", "block");
        check_error("spins", 1, 32, 0, "no progress", "block");
    }
    CASE("clusters")
    {
        check_cluster("arrives_twice", 5, "a second time");
        check_cluster("never_arrives", 5, "before it came to it");
        check_cluster("reaches_too_soon", 5, "block 3, which has not begun or has ended");
        check_cluster("reaches_too_late", 5, "block 3, which has not begun or has ended");
        check_cluster("hands_on", 4, "4 blocks in clusters of 5");
        CHECK(run("cluster.cu", "hands_on", 5, 32, 0) == TALLY_OK);
    }
    CASE("what cannot be compiled")
    {
        CHECK(run("refused.cu", "refused", 1, 1, 0) == TALLY_DEVICE_ERROR);
        CHECK(strstr(tally_last_error(), "refused.cu:3") != NULL);
        CHECK(run("absent.cu", "absent", 1, 1, 0) == TALLY_DEVICE_ERROR);
        CHECK(strstr(tally_last_error(), "absent.cu") != NULL);
        CHECK(run("wrong.cu", "absent", 1, 1, 0) == TALLY_DEVICE_ERROR);
        CHECK(strstr(tally_last_error(), "no kernel \"absent\"") != NULL);
        setenv("TALLY_CXX", "/nowhere/c++", 1);
        CHECK(run("wrong.cu", "spins", 1, 1, 0) == TALLY_NO_DEVICE);
        CHECK(strstr(tally_last_error(), "TALLY_CXX") != NULL);
        unsetenv("TALLY_CXX");
        char *path = strdup(getenv("PATH"));
        struct machine *other;
        setenv("PATH", "/nowhere", 1);
        CHECK(simt_machine.open(NULL, NULL, 0, &other) == TALLY_NO_DEVICE);
        CHECK(strstr(tally_last_error(), "apt install g++") != NULL);
        setenv("PATH", path, 1);
        free(path);
    }
#ifndef HAVE_ASAN
    CASE("more shared variables than compilers for GPUs take")
    {
        CHECK(run("shares.cu", "shares", 1, 1, 0) == TALLY_DEVICE_ERROR);
        CHECK(strstr(tally_last_error(), "shares.cu has 491") != NULL);
        CHECK(strstr(tally_last_error(), "49152 at most") != NULL);
    }
#endif
#ifdef HAVE_ASAN
    CASE("accesses beyond an array")
    {
        check_caught("beyond_shared", 1);
        check_caught("beyond_dynamic", 25);
        check_caught("beyond_memory", 1017);
    }
#endif
    simt_machine.close(machine);
    CHECK_EQUAL_I64(simt_outstanding(), 0);
    return test_finish("inside_simt_wrong");
}
