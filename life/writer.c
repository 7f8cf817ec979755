/* SPDX-License-Identifier: MIT
 *
 * writer.c - writing patterns, and worlds as patterns. */
#include "writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void life_writer_flush(struct life_writer *writer)
{
    if (!writer->failed && writer->used > 0)
        writer->failed = !writer->out->put(writer->out->to, writer->buffer, writer->used, writer->why);
    writer->used = 0;
}

void life_writer_bytes(struct life_writer *writer, const char *bytes, size_t size)
{
    while (size > 0 && !writer->failed) {
        const size_t room = sizeof writer->buffer - writer->used, now = size < room ? size : room;
        memcpy(writer->buffer + writer->used, bytes, now);
        writer->used += now;
        bytes += now;
        size -= now;
        if (writer->used == sizeof writer->buffer) life_writer_flush(writer);
    }
}

void life_writer_text(struct life_writer *writer, const char *text)
{
    life_writer_bytes(writer, text, strlen(text));
}

void life_writer_print(struct life_writer *writer, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    life_writer_text(writer, text);
}

void life_writer_comments(struct life_writer *writer, const struct life_pattern *pattern, const char *mark)
{
    const char *line = pattern->comments;
    while (line != NULL && *line != '\0') {
        const size_t length = strcspn(line, "\n");
        life_writer_text(writer, mark);
        if (*mark == '!') life_writer_text(writer, *line == 'N' ? "Name: " : *line == 'O' ? "Author: " : "");
        else life_writer_print(writer, "%c ", *line);
        life_writer_bytes(writer, line + 1, length - 1);
        life_writer_text(writer, "\n");
        line += length + (line[length] == '\n');
    }
}

bool life_pattern_write(const struct life_pattern *pattern, enum life_format format, const struct life_out *out,
                        struct life_why *why)
{
    struct life_writer *writer = malloc(sizeof *writer);
    if (writer == NULL) return life_fail(why, "out of memory");
    writer->out = out;
    writer->why = why;
    writer->failed = false;
    writer->used = 0;
    switch (format) {
    case LIFE_RLE: life_write_rle(pattern, writer); break;
    case LIFE_CELLS: life_write_cells(pattern, writer); break;
    case LIFE_106: life_write_106(pattern, writer); break;
    case LIFE_MACROCELL: life_write_macrocell(pattern, writer); break;
    case LIFE_105: writer->failed = !life_fail(why, "Life 1.05 is read, but not written; Life 1.06 is"); break;
    }
    life_writer_flush(writer);
    const bool sound = !writer->failed;
    free(writer);
    return sound;
}

bool life_pattern_of(const struct life_grid *world, const struct life_problem *problem, int64_t generation,
                     struct life_pattern *pattern, struct life_why *why)
{
    const struct life_box box = life_bounding_box(world);
    *pattern = (struct life_pattern){.placed = true, .x = box.x - world->width / 2, .y = box.y - world->height / 2};
    pattern->generation = generation;
    pattern->has_rule = true;
    pattern->rule = (struct life_rule_text){problem->rule, true, problem->edges, problem->width, problem->height};
    return life_cut(world, &box, LIFE_DEAD, &pattern->cells, why);
}

bool life_pattern_place(const struct life_pattern *pattern, struct life_grid *world, struct life_why *why)
{
    const struct life_grid *cells = &pattern->cells;
    int64_t x = world->width / 2 - cells->width / 2, y = world->height / 2 - cells->height / 2;
    if (cells->width == 0) return true;
    if (cells->width > world->width || cells->height > world->height)
        return life_fail(
            why, "the pattern is %" PRId64 " x %" PRId64 " cells, the world %" PRId64 " x %" PRId64 ": it does not fit",
            cells->width, cells->height, world->width, world->height);
    if (pattern->placed) {
        x = world->width / 2 + pattern->x;
        y = world->height / 2 + pattern->y;
    }
    if (x < 0 || y < 0 || x + cells->width > world->width || y + cells->height > world->height)
        return life_fail(why,
                         "the pattern's %" PRId64 " x %" PRId64 " cells begin at %" PRId64 ",%" PRId64
                         " from the centre of the world: they do not fit into %" PRId64 " x %" PRId64,
                         cells->width, cells->height, pattern->x, pattern->y, world->width, world->height);
    life_put(world, x, y, cells);
    return true;
}
