/* SPDX-License-Identifier: MIT
 *
 * life_files.c - tally life: patterns from files and to files. What is compressed is told by its first bytes, and by
 * the name's .gz when it is written. */
#define _GNU_SOURCE
#include "life_run.h"
#include "io/error.h"
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#define MOST_BYTES ((size_t)1 << 32) /* of a file, unpacked: a soup of 2^32 cells has 2.3 * 10^9 as RLE */

#define NO_ZLIB "this build has no zlib, which .gz files need (Debian: apt install zlib1g-dev, then build again)"

/* ---- Reading ---- */

struct bytes {
    unsigned char *data;
    size_t size, room;
};

static bool make_room(struct bytes *bytes, const char *name)
{
    if (bytes->size < bytes->room) return true;
    const size_t room = bytes->room == 0 ? 65536 : 2 * bytes->room;
    unsigned char *data = room <= MOST_BYTES ? realloc(bytes->data, room) : NULL;
    if (data == NULL)
        return io_fail("%s: %s", name,
                       room > MOST_BYTES ? "more than 4 GiB, which is the limit of pattern files" : "out of memory");
    bytes->data = data;
    bytes->room = room;
    return true;
}

static bool read_bytes(int file, const char *name, struct bytes *bytes)
{
    for (;;) {
        if (!make_room(bytes, name)) return false;
        const ssize_t got = read(file, bytes->data + bytes->size, bytes->room - bytes->size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return io_fail("%s: cannot read: %s", name, strerror(errno));
        if (got == 0) return true;
        bytes->size += (size_t)got;
    }
}

#ifdef HAVE_ZLIB
/* Tapes and disks fill a file up with zeros. */
static bool is_padding(const z_stream *stream, const struct bytes *packed, size_t given)
{
    for (size_t at = given - stream->avail_in; at < packed->size; at++)
        if (packed->data[at] != 0) return false;
    return true;
}

/* One or several gzip members. */
static bool inflate_all(z_stream *stream, const char *name, const struct bytes *packed, struct bytes *bytes)
{
    int status = Z_OK;
    size_t given = 0;
    while (status == Z_OK || stream->avail_in > 0 || given < packed->size) {
        if (status == Z_STREAM_END && (is_padding(stream, packed, given) || inflateReset(stream) != Z_OK)) break;
        if (stream->avail_in == 0) {
            const size_t now = packed->size - given < (1u << 30) ? packed->size - given : (1u << 30);
            stream->next_in = packed->data + given;
            stream->avail_in = (unsigned)now;
            given += now;
        }
        if (!make_room(bytes, name)) return false;
        const size_t room = bytes->room - bytes->size < (1u << 30) ? bytes->room - bytes->size : (1u << 30);
        stream->next_out = bytes->data + bytes->size;
        stream->avail_out = (unsigned)room;
        status = inflate(stream, Z_NO_FLUSH);
        bytes->size += room - stream->avail_out;
        if (status == Z_BUF_ERROR && stream->avail_in == 0 && given == packed->size)
            return io_fail("%s: the compressed file is truncated", name);
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
            return io_fail("%s: the compressed file is damaged: %s", name, stream->msg ? stream->msg : "unknown data");
        if (status == Z_BUF_ERROR) status = Z_OK;
    }
    return true;
}

static bool decompress(const char *name, struct bytes *bytes)
{
    z_stream stream = {.next_in = NULL};
    struct bytes plain = {NULL, 0, 0};
    if (bytes->size < 2 || bytes->data[0] != 0x1f || bytes->data[1] != 0x8b) return true;
    if (inflateInit2(&stream, 15 + 16) != Z_OK) return io_fail("%s: out of memory", name);
    const bool sound = inflate_all(&stream, name, bytes, &plain);
    inflateEnd(&stream);
    free(bytes->data);
    *bytes = plain;
    return sound;
}
#else
static bool decompress(const char *name, struct bytes *bytes)
{
    if (bytes->size < 2 || bytes->data[0] != 0x1f || bytes->data[1] != 0x8b) return true;
    return io_fail("%s: " NO_ZLIB, name);
}
#endif

const char *cli_life_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

bool cli_life_load(const char *path, int64_t most_cells, struct life_pattern *pattern)
{
    const char *name = cli_life_name(path);
    const bool standard = name != path;
    struct bytes bytes = {NULL, 0, 0};
    struct life_why why = {""};
    const int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return io_fail("%s: cannot open: %s", name, strerror(errno));
    const bool sound =
        read_bytes(file, name, &bytes) && decompress(name, &bytes) &&
        (life_pattern_read(bytes.data, bytes.size, most_cells, pattern, &why) || cli_life_fail(name, &why));
    if (!standard) close(file);
    free(bytes.data);
    return sound;
}

/* ---- Writing ---- */

bool cli_life_kind_of(const char *path, cli_life_kind *kind, enum life_format *format, bool *compressed)
{
    static const struct {
        const char *ending;
        cli_life_kind kind;
        enum life_format format;
    } endings[] = {
        {".rle", CLI_LIFE_PATTERN, LIFE_RLE},      {".cells", CLI_LIFE_PATTERN, LIFE_CELLS},
        {".lif", CLI_LIFE_PATTERN, LIFE_106},      {".life", CLI_LIFE_PATTERN, LIFE_106},
        {".mc", CLI_LIFE_PATTERN, LIFE_MACROCELL}, {".png", CLI_LIFE_PNG, LIFE_RLE},
        {".gif", CLI_LIFE_GIF, LIFE_RLE},
    };
    size_t length = strlen(path);
    *kind = CLI_LIFE_PATTERN;
    *format = LIFE_RLE;
    *compressed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    if (strcmp(path, "-") == 0) return true;
    if (*compressed) length -= 3;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t ending = strlen(endings[i].ending);
        if (length < ending || memcmp(path + length - ending, endings[i].ending, ending) != 0) continue;
        *kind = endings[i].kind;
        *format = endings[i].format;
        if (*compressed && *kind != CLI_LIFE_PATTERN) break;
#ifndef HAVE_ZLIB
        if (*compressed) return io_fail("%s: " NO_ZLIB, path);
#endif
        return true;
    }
    return io_fail(
        "--output '%.200s': expected a name that ends in .rle, .cells, .lif or .mc, or one of them and .gz, in .png "
        "or in .gif",
        path);
}

static bool put_plain(void *to, const char *bytes, size_t size, struct life_why *why)
{
    return io_output_write(to, bytes, size) || life_fail(why, "%s", io_error());
}

#ifdef HAVE_ZLIB
struct packer {
    z_stream stream;
    io_output *output;
};

static bool pack(struct packer *packer, const char *bytes, size_t size, int flush)
{
    unsigned char room[32768];
    packer->stream.next_in = (unsigned char *)(uintptr_t)bytes;
    packer->stream.avail_in = (unsigned)size;
    do {
        packer->stream.next_out = room;
        packer->stream.avail_out = sizeof room;
        deflate(&packer->stream, flush);
        if (!io_output_write(packer->output, room, sizeof room - packer->stream.avail_out)) return false;
    } while (packer->stream.avail_out == 0);
    return true;
}

static bool put_packed(void *to, const char *bytes, size_t size, struct life_why *why)
{
    return pack(to, bytes, size, Z_NO_FLUSH) || life_fail(why, "%s", io_error());
}

static bool write_packed(const struct life_pattern *pattern, enum life_format format, io_output *output,
                         struct life_why *why)
{
    struct packer packer = {.output = output};
    const struct life_out out = {put_packed, &packer};
    if (deflateInit2(&packer.stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return life_fail(why, "out of memory");
    bool sound = life_pattern_write(pattern, format, &out, why);
    if (sound && !pack(&packer, "", 0, Z_FINISH)) sound = life_fail(why, "%s", io_error());
    deflateEnd(&packer.stream);
    return sound;
}
#else
static bool write_packed(const struct life_pattern *pattern, enum life_format format, io_output *output,
                         struct life_why *why)
{
    (void)pattern, (void)format, (void)output;
    return life_fail(why, "%s", NO_ZLIB);
}
#endif

static bool save_pattern(const cli_life_run *run, const char *path, enum life_format format, bool compressed)
{
    io_output output;
    struct life_pattern pattern;
    struct life_why why = {""};
    if (!io_output_open(&output, path)) {
        io_output_close(&output);
        return false;
    }
    const struct life_out out = {put_plain, &output};
    bool sound = life_pattern_of(&run->grid, &run->problem, run->generation, &pattern, &why);
    pattern.comments = run->comments;
    pattern.rule.bounded = !run->size_chosen;
    sound = sound && (compressed ? write_packed(&pattern, format, &output, &why)
                                 : life_pattern_write(&pattern, format, &out, &why));
    life_grid_free(&pattern.cells);
    sound = sound ? io_output_commit(&output) : io_fail("%s", why.text);
    io_output_close(&output);
    return sound;
}

/* Pipes, sockets and devices are left alone: opening them is an event for others. */
bool cli_life_try_output(const char *path)
{
    struct stat status;
    io_output output;
    if (strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        return true;
    const bool sound = io_output_open(&output, path);
    io_output_close(&output);
    return sound;
}

bool cli_life_save(const cli_life_run *run, const char *path)
{
    cli_life_kind kind;
    enum life_format format;
    bool compressed;
    if (!cli_life_kind_of(path, &kind, &format, &compressed)) return false;
    return kind == CLI_LIFE_PNG ? cli_life_png(run, path) : save_pattern(run, path, format, compressed);
}
