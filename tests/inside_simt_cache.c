/* SPDX-License-Identifier: MIT
 *
 * inside_simt_cache.c - kernels that simt compiled, on disk: found by the next process, made anew when damaged, done
 * without when the folder cannot be written. Each step is a process of its own, since kernels stay in memory. */
#define _GNU_SOURCE
#include "gpu/simt_machine.h"
#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a child: runs a kernel under the settings at hand; 0 when it did what it should. */
static int child_runs(void)
{
    pid_t child = fork();
    if (child == 0) {
        const struct kernel_request request = {"counted.cu", "neighbours", "UNUSED=1\nOTHER=two\n", NULL};
        struct machine *machine = NULL;
        const struct kernel *kernel;
        void *memory;
        unsigned sum = 0;
        if (simt_machine.open(NULL, NULL, 0, &machine) != TALLY_OK) _exit(2);
        if (simt_machine.allocate(machine, 256, &memory) != TALLY_OK) _exit(3);
        if (simt_machine.kernel(machine, &request, &kernel) != TALLY_OK) {
            fprintf(stderr, "%s\n", tally_last_error());
            _exit(4);
        }
        const struct {
            unsigned *memory;
            unsigned n;
        } p = {memory, 0};
        const struct launch launch = {kernel, 1, 64, 0, &p, sizeof p};
        if (simt_machine.launch(machine, &launch) != TALLY_OK) _exit(5);
        for (unsigned i = 0; i < 64; i++) sum += p.memory[i];
        _exit(sum == 64 * 63 / 2 ? 0 : 6);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

/* The only entry of the folder, and how many there are. */
static int find_entry(const char *folder, char *path, size_t size, struct stat *info)
{
    int count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, size, "%s/%s", folder, entry->d_name);
        count++;
    }
    if (directory) closedir(directory);
    if (count == 1) CHECK(stat(path, info) == 0);
    return count;
}

static void damage(const char *path, long at, int cut)
{
    FILE *file = fopen(path, "r+b");
    if (!CHECK(file != NULL)) return;
    if (cut) {
        CHECK(ftruncate(fileno(file), at) == 0);
    } else {
        fseek(file, at, SEEK_SET);
        const int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 1, file);
    }
    fclose(file);
}

static void check_folder(const char *folder)
{
    char path[1024];
    struct stat first, second;
    setenv("TALLY_CACHE_DIR", folder, 1);
    CHECK_EQUAL_I64(child_runs(), 0);
    if (!CHECK(find_entry(folder, path, sizeof path, &first) == 1)) return;
    CHECK_EQUAL_I64(child_runs(), 0);
    CHECK(find_entry(folder, path, sizeof path, &second) == 1 && second.st_ino == first.st_ino);
    const long places[] = {0, 5000, (long)first.st_size - 1, 100};
    for (int i = 0; i < 4; i++) {
        damage(path, places[i], i == 3);
        CHECK_EQUAL_I64(child_runs(), 0);
        CHECK(find_entry(folder, path, sizeof path, &second) == 1 && second.st_ino != first.st_ino);
        CHECK_EQUAL_I64(second.st_size, first.st_size);
        first = second;
    }
    unlink(path);
}

int main(void)
{
    char folder[] = "/tmp/tally-test-XXXXXX";
    setenv("TALLY_KERNEL_DIR", TEST_KERNELS, 1);
    if (!CHECK(mkdtemp(folder) != NULL)) return test_finish("inside_simt_cache");
    CASE("a folder of one's own") check_folder(folder);
    rmdir(folder);
    CASE("no folder to write to")
    {
        setenv("TALLY_CACHE_DIR", "/proc/nowhere", 1);
        CHECK_EQUAL_I64(child_runs(), 0);
    }
    return test_finish("inside_simt_cache");
}
