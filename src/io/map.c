/* SPDX-License-Identifier: MIT
 *
 * map.c - mapped files and the process's SIGBUS handler. The handler runs on whatever thread touched the page, so the
 * table of maps that it reads holds atomics only. */
#define _GNU_SOURCE
#include "map.h"
#include "error.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 64 };

static struct slot {
    atomic_uintptr_t begin; /* 0 while the slot is free */
    atomic_uintptr_t end;
    atomic_bool writable;
    atomic_bool lost;
} slots[SLOTS];

static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t page_bytes;

static void give_zero_page(int signal_number, siginfo_t *information, void *context)
{
    (void)context;
    uintptr_t address = (uintptr_t)information->si_addr;
    for (int i = 0; i < SLOTS; i++) {
        if (address >= atomic_load(&slots[i].begin) && address < atomic_load(&slots[i].end)) {
            int protection = PROT_READ | (atomic_load(&slots[i].writable) ? PROT_WRITE : 0);
            /* The mapping is ours and the offset is inside it, so the page may be replaced. */
            unsigned char *page = (unsigned char *)information->si_addr - address % page_bytes;
            atomic_store(&slots[i].lost, true);
            if (mmap(page, page_bytes, protection, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
                return;
            }
        }
    }
    /* Not ours: the access happens again under the default action. */
    signal(signal_number, SIG_DFL);
}

static void install_handler(void)
{
    page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = give_zero_page;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

static int take_slot(uintptr_t begin, size_t size, bool writable)
{
    int found = -1;
    pthread_mutex_lock(&slots_lock);
    for (int i = 0; i < SLOTS && found < 0; i++) {
        if (atomic_load(&slots[i].begin) == 0) {
            atomic_store(&slots[i].lost, false);
            atomic_store(&slots[i].writable, writable);
            atomic_store(&slots[i].end, begin + size);
            atomic_store(&slots[i].begin, begin);
            found = i;
        }
    }
    pthread_mutex_unlock(&slots_lock);
    return found;
}

bool io_map_open(io_map *map, int file, size_t size, bool writable, const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    *map = (io_map){NULL, size, -1};
    if (size == 0) {
        return true;
    }
    pthread_once(&once, install_handler);
    int protection = PROT_READ | (writable ? PROT_WRITE : 0);
    void *bytes = mmap(NULL, size, protection, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) {
        return io_fail("%s: cannot map %zu bytes: %s", name, size, strerror(errno));
    }
    int slot = take_slot((uintptr_t)bytes, size, writable);
    if (slot < 0) {
        munmap(bytes, size);
        return io_fail("%s: more than %d files are open at once", name, (int)SLOTS);
    }
    *map = (io_map){bytes, size, slot};
    return true;
}

bool io_map_lost(const io_map *map)
{
    return map->slot >= 0 && atomic_load(&slots[map->slot].lost);
}

/* The whole pages inside, or those touched by, a range of bytes. */
static void advise(const io_map *map, size_t from, size_t to, bool inside, int advice)
{
    if (map->slot < 0) {
        return;
    }
    from = (from + (inside ? page_bytes - 1 : 0)) / page_bytes * page_bytes;
    to = inside ? to / page_bytes * page_bytes : to;
    to = to < map->size ? to : map->size;
    if (from < to) {
        madvise(map->bytes + from, to - from, advice);
    }
}

void io_map_forget(const io_map *map, size_t from, size_t to)
{
    advise(map, from, to, true, MADV_DONTNEED);
}

void io_map_prepare(const io_map *map, size_t from, size_t to)
{
    advise(map, from, to, false, MADV_WILLNEED);
}

void io_map_close(io_map *map)
{
    if (map->slot >= 0) {
        atomic_store(&slots[map->slot].begin, 0);
        munmap(map->bytes, map->size);
    }
    *map = (io_map){NULL, 0, -1};
}
