/* SPDX-License-Identifier: MIT
 *
 * kernel_cache.h - compiled kernels on disk, shared by all processes of a user. It needs no GPU and it never fails:
 * what cannot be read is compiled again, what cannot be written is not kept.
 *
 * An entry is one file, named after the hash of its key. The key is text that says everything the bytes depend on; its
 * first line is for people. Files of the same folder that are named HASH.anything (simt's shared objects) are listed,
 * cleared and bounded as well. */
#ifndef TALLY_KERNEL_CACHE_H
#define TALLY_KERNEL_CACHE_H

#include "hash.h"
#include "status.h"

enum { KERNEL_CACHE_NAME = 64, KERNEL_CACHE_PATH = 1024 };

/* The folder: $TALLY_CACHE_DIR, else $XDG_CACHE_HOME/tally, else $HOME/.cache/tally. Returns 0, and "", when there is
 * none or when it is another user's or writable by everyone. It may not exist yet; kernel_cache_make_folder makes it
 * (mode 0700) and returns 0 when it cannot. */
int kernel_cache_folder(char folder[KERNEL_CACHE_PATH]);
int kernel_cache_make_folder(const char *folder);

/* The name of a key's file: 32 hexadecimal digits and the suffix (".cubin"). */
void kernel_cache_name(const char *key, const char *suffix, char name[KERNEL_CACHE_NAME]);

/* Looks a key up. Returns 1 with the bytes (to be freed), and marks them as used; 0 when there is no sound entry. */
int kernel_cache_read(const char *key, void **bytes, size_t *size);

/* The same in another folder, where nothing is changed. */
int kernel_cache_read_in(const char *folder, const char *key, void **bytes, size_t *size);

/* Puts an entry into a folder, which is there: under a temporary name first. Returns 0, with errno, when it cannot be
 * written. `mode` is the file's, as open has it. */
int kernel_cache_write_in(const char *folder, const char *key, const void *bytes, size_t size, unsigned mode);

/* Where kernels that came with the library lie: $TALLY_KERNELS alone, if it is set; else "tally-kernels" beside the
 * library (or, linked statically, the program), else where the build installs them. Returns 0 when there is no such
 * folder, and when others may write to it than this user, root and the library's owner. */
int kernel_cache_shipped(char folder[KERNEL_CACHE_PATH]);

/* Looks a key up in a subfolder of that one, which must be as safe. */
int kernel_cache_read_shipped(const char *folder, const char *below, const char *key, void **bytes, size_t *size);

/* Keeps the bytes, if possible: under a temporary name first, so that other processes see all or nothing. Then deletes
 * the entries unused for longest until the folder holds at most TALLY_CACHE_LIMIT MiB (256). */
void kernel_cache_write(const char *key, const void *bytes, size_t size);

/* Applies the bound; `keep` is a name to spare, or NULL. */
void kernel_cache_bound(const char *keep);

struct kernel_cache_entry {
    char name[KERNEL_CACHE_NAME];
    char description[256]; /* first line of the key, "" for other files */
    int64_t bytes;
    int64_t used, used_ns; /* seconds since 1970 */
};

/* All entries, the last used first, in an array to be freed. No folder: no entries. */
tally_status kernel_cache_list(struct kernel_cache_entry **entries, size_t *count);

/* Deletes all entries. Fails with the name of the first file that cannot be deleted. */
tally_status kernel_cache_clear(void);

/* The first line of an entry's key; "" when the file is none. */
void kernel_cache_describe(const char *path, char *text, size_t size);

#endif
