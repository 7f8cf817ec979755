/* SPDX-License-Identifier: MIT
 *
 * threads_count.c - how many CPUs there are to use: the affinity mask and the quotas of control groups. */
#define _GNU_SOURCE
#include "threads.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
static int affinity_count(void)
{
    for (size_t cpus = 1024; cpus <= 1 << 20;
         cpus *= 4) { /* the call fails while the set is smaller than the kernel's */
        cpu_set_t *set = CPU_ALLOC(cpus);
        size_t bytes = CPU_ALLOC_SIZE(cpus);
        if (!set) return 1;
        int failed = sched_getaffinity(0, bytes, set);
        int count = failed ? 0 : CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
        if (!failed) return count;
    }
    return 1;
}

/* The first two numbers of a small file; how many there were. "max" counts as none. */
static int read_numbers(const char *path, long long numbers[2])
{
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    int count = fscanf(file, "%lld %lld", &numbers[0], &numbers[1]);
    fclose(file);
    return count < 0 ? 0 : count;
}

/* Threads that a quota at one level of the hierarchy pays for, rounded up; `limit` when there is none. */
static long long quota_at(const char *mount, const char *group, long long limit)
{
    char path[PATH_MAX + 64];
    long long quota[2], period[2];
    snprintf(path, sizeof path, "%s%s/cpu.max", mount, group);
    int found = read_numbers(path, quota) == 2;
    if (found) period[0] = quota[1];
    if (!found) {
        snprintf(path, sizeof path, "%s%s/cpu.cfs_quota_us", mount, group);
        found = read_numbers(path, quota) >= 1;
        snprintf(path, sizeof path, "%s%s/cpu.cfs_period_us", mount, group);
        found = found && read_numbers(path, period) >= 1;
    }
    if (!found || quota[0] <= 0 || period[0] <= 0) return limit;
    long long threads = (quota[0] - 1) / period[0] + 1;
    return threads < limit ? threads : limit;
}

/* A group's own quota and those of the groups around it. Inside a container the path may be the host's: then only the
 * mount's root is there. */
static long long quota_above(const char *mount, char *group, long long limit)
{
    limit = quota_at(mount, "", limit);
    for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
        *end = 0;
        if (*group) limit = quota_at(mount, group, limit);
    }
    return limit;
}

/* /proc/self/cgroup has a line "number:controllers:path" for each hierarchy; version 2 is number 0 without any. */
static int quota_count(int limit)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[PATH_MAX];
    long long threads = limit;
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(++controllers, ':') : NULL;
        if (!group) continue;
        *group++ = 0;
        if (*controllers == 0) threads = quota_above("/sys/fs/cgroup", group, threads);
        if (strstr(controllers, "cpu") == controllers && strcmp(controllers, "cpuset") != 0)
            threads = quota_above("/sys/fs/cgroup/cpu", group, threads);
    }
    if (file) fclose(file);
    return (int)threads;
}
#else
static int affinity_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > CPU_MAX_THREADS ? CPU_MAX_THREADS : (int)count;
}

static int quota_count(int limit)
{
    return limit;
}
#endif

int cpu_default_threads(void)
{
    int count = quota_count(affinity_count());
    return count < 1 ? 1 : count > CPU_MAX_THREADS ? CPU_MAX_THREADS : count;
}
