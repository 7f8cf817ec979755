/* SPDX-License-Identifier: MIT
 *
 * macrocell.c - Golly's [M2] files: squares of 8 x 8 cells, each written once, and squares of four smaller ones, by
 * their numbers. The last is the pattern. Golly counts its rows upwards from 0 inside, so that cell 0,0 is the first of
 * the right half, but in the last row of the upper one: the square begins at -half, 1 - half. */
#include "reader.h"
#include "writer.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF_LEVEL = 3, MOST_LEVEL = 60 }; /* a square of level n has sides of 2^n */

struct square {
    int level;
    uint64_t cells;                   /* of a leaf: cell x of row y is bit 8 * y + x */
    int32_t part[4];                  /* else, row by row: 0 is empty */
    int64_t left, top, right, bottom; /* of the live cells; right is 0 when there is none */
};

struct squares {
    struct square *list; /* number 1 and on */
    int64_t count, room;
};

static struct square *add_square(struct life_reader *reader, struct squares *squares, int level)
{
    if (squares->count + 1 >= squares->room) {
        const int64_t room = squares->room == 0 ? 64 : squares->room * 2;
        struct square *list = realloc(squares->list, (size_t)room * sizeof *list);
        if (list == NULL || room > INT32_MAX) {
            if (list != NULL) squares->list = list;
            life_fail(reader->why, "a macrocell file with %" PRId64 " squares: out of memory", squares->count);
            return NULL;
        }
        squares->list = list;
        squares->room = room;
    }
    struct square *square = &squares->list[++squares->count];
    *square = (struct square){.level = level, .left = INT64_MAX, .top = INT64_MAX};
    return square;
}

static void widen(struct square *square, int64_t left, int64_t top, int64_t right, int64_t bottom)
{
    if (left < square->left) square->left = left;
    if (top < square->top) square->top = top;
    if (right > square->right) square->right = right;
    if (bottom > square->bottom) square->bottom = bottom;
}

/* ".*$..*$***$" */
static bool read_leaf(struct life_reader *reader, struct squares *squares)
{
    struct square *square = add_square(reader, squares, LEAF_LEVEL);
    const size_t end = life_reader_line_end(reader, reader->at);
    int x = 0, y = 0;
    if (square == NULL) return false;
    for (; reader->at < end; reader->at++) {
        const int met = life_reader_peek(reader);
        if (met != '.' && met != '*' && met != '$') return life_reader_expected(reader, "'.', '*' or '$'");
        if (met == '$' ? y >= 8 : x >= 8 || y >= 8)
            return life_reader_fail(reader, reader->at, "a square of more than 8 x 8 cells");
        if (met == '$') {
            x = 0;
            y++;
            continue;
        }
        if (met == '*') {
            square->cells |= (uint64_t)1 << (8 * y + x);
            widen(square, x, y, x + 1, y + 1);
        }
        x++;
    }
    return true;
}

/* "4 1 2 0 3": a level, and the four parts. */
static bool read_square(struct life_reader *reader, struct squares *squares)
{
    const size_t begin = reader->at;
    int64_t level = 0;
    if (!life_reader_number(reader, LIFE_FARTHEST, &level)) return false;
    if (level <= LEAF_LEVEL)
        return life_reader_fail(reader, begin,
                                "a square of level %" PRId64 ", which files of more than two states have; "
                                "expected 4 or more",
                                level);
    if (level > MOST_LEVEL)
        return life_reader_fail(reader, begin, "a square of level %" PRId64 ", expected at most %d", level, MOST_LEVEL);
    struct square *square = add_square(reader, squares, (int)level);
    if (square == NULL) return false;
    for (int i = 0; i < 4; i++) {
        int64_t number = 0;
        life_reader_skip_blanks(reader);
        const size_t at = reader->at;
        if (!life_reader_number(reader, LIFE_FARTHEST, &number)) return false;
        if (number < 0 || number >= squares->count)
            return life_reader_fail(reader, at, "square %" PRId64 " has not been there yet", number);
        square->part[i] = (int32_t)number;
        if (number == 0) continue;
        const struct square *part = &squares->list[number];
        if (part->level != level - 1)
            return life_reader_fail(reader, at, "square %" PRId64 " has level %d, expected %" PRId64, number,
                                    part->level, level - 1);
        const int64_t half = (int64_t)1 << (level - 1), x = i % 2 * half, y = i / 2 * half;
        if (part->right > 0) widen(square, part->left + x, part->top + y, part->right + x, part->bottom + y);
    }
    life_reader_skip_blanks(reader);
    return life_reader_peek(reader) < 0 || life_reader_peek(reader) == '\n' ||
           life_reader_expected(reader, "the end of the line");
}

/* "#R B3/S23", "#G 100", "#C text" */
static bool read_hash(struct life_reader *reader)
{
    const size_t begin = reader->at, end = life_reader_line_end(reader, begin);
    const int letter = begin + 1 < end ? reader->bytes[begin + 1] : 0;
    if (letter == 'R') return life_reader_rule(reader, begin + 2, end);
    if (letter == 'C' || letter == 'N' || letter == 'O') return life_reader_comment(reader, (char)letter, begin + 2);
    if (letter != 'G') return true;
    reader->at += 2;
    life_reader_skip_blanks(reader);
    return life_reader_number(reader, LIFE_LAST_GENERATION, &reader->pattern->generation) &&
           (reader->pattern->generation >= 0 || life_reader_fail(reader, reader->at, "a generation below 0"));
}

static bool read_squares(struct life_reader *reader, struct squares *squares)
{
    life_reader_next_line(reader);
    while (reader->at < reader->size) {
        const int met = life_reader_peek(reader);
        bool sound = true;
        if (met == '#') sound = read_hash(reader);
        else if (met == '.' || met == '*' || met == '$') sound = read_leaf(reader, squares);
        else if (isdigit(met)) sound = read_square(reader, squares);
        else if (met != '\n' && met != '\r') sound = life_reader_expected(reader, "a square or a line with '#'");
        if (!sound) return false;
        life_reader_next_line(reader);
    }
    return true;
}

static bool set_leaf(struct life_reader *reader, const struct square *square, int64_t x, int64_t y)
{
    for (int v = 0; v < 8; v++) {
        for (unsigned row = square->cells >> (8 * v) & 0xff; row != 0;) {
            const int from = __builtin_ctz(row), count = __builtin_ctz(~(row >> from));
            if (!life_reader_cells(reader, x + from, y + v, count)) return false;
            row &= ~0u << (from + count);
        }
    }
    return true;
}

/* Goes down to the leaves that have live cells, so the cells bound the work. */
static bool set_square(struct life_reader *reader, const struct squares *squares, int32_t number, int64_t x, int64_t y)
{
    const struct square *square = &squares->list[number];
    if (number == 0 || square->right == 0) return true;
    if (square->level == LEAF_LEVEL) return set_leaf(reader, square, x, y);
    const int64_t half = (int64_t)1 << (square->level - 1);
    for (int i = 0; i < 4; i++)
        if (!set_square(reader, squares, square->part[i], x + i % 2 * half, y + i / 2 * half)) return false;
    return true;
}

static bool give_cells(struct life_reader *reader, const struct squares *squares)
{
    if (squares->count == 0) return true;
    const struct square *whole = &squares->list[squares->count];
    const int64_t x = -((int64_t)1 << (whole->level - 1)), y = x + 1;
    if (reader->setting) return set_square(reader, squares, (int32_t)squares->count, x, y);
    if (whole->right == 0) return true;
    const int64_t left = x + whole->left, top = y + whole->top, width = whole->right - whole->left;
    return life_reader_cells(reader, left, top, width) && life_reader_cells(reader, left, y + whole->bottom - 1, width);
}

bool life_read_macrocell(struct life_reader *reader)
{
    struct squares squares = {NULL, 0, 0};
    reader->pattern->placed = true;
    const bool sound = read_squares(reader, &squares) && give_cells(reader, &squares);
    free(squares.list);
    return sound;
}

/* ---- Writing ---- */

/* A square that was written: a leaf's cells and LEAF, or the numbers of its four parts. */
struct written {
    uint64_t upper, lower;
    int32_t number; /* 0: a free place */
};

#define LEAF UINT64_MAX

struct maker {
    const struct life_pattern *pattern;
    struct life_writer *writer;
    struct written *table;
    uint64_t room; /* a power of two */
    int32_t count;
};

static struct written *find_place(const struct maker *maker, uint64_t upper, uint64_t lower)
{
    uint64_t at = (upper ^ (lower << 23 | lower >> 41)) * 0x9e3779b97f4a7c15ull;
    for (at ^= at >> 32;; at++) {
        struct written *place = &maker->table[at & (maker->room - 1)];
        if (place->number == 0 || (place->upper == upper && place->lower == lower)) return place;
    }
}

static bool grow(struct maker *maker)
{
    struct maker larger = *maker;
    if (maker->table != NULL && (uint64_t)maker->count * 2 < maker->room) return true;
    larger.room = maker->room == 0 ? 1024 : maker->room * 2;
    larger.table = maker->count < INT32_MAX / 2 ? calloc(larger.room, sizeof *larger.table) : NULL;
    if (larger.table == NULL) {
        maker->writer->failed = !life_fail(maker->writer->why, "macrocell: out of memory");
        return false;
    }
    for (uint64_t i = 0; i < maker->room; i++)
        if (maker->table[i].number != 0)
            *find_place(&larger, maker->table[i].upper, maker->table[i].lower) = maker->table[i];
    free(maker->table);
    *maker = larger;
    return true;
}

static void write_leaf(struct life_writer *writer, uint64_t cells)
{
    for (; cells != 0; cells >>= 8) {
        for (unsigned row = cells & 0xff; row != 0; row >>= 1) life_writer_bytes(writer, row & 1 ? "*" : ".", 1);
        life_writer_bytes(writer, "$", 1);
    }
    life_writer_bytes(writer, "\n", 1);
}

/* The number of a square, which is written when it is new. */
static int32_t number_of(struct maker *maker, int level, uint64_t upper, uint64_t lower)
{
    if (maker->writer->failed || !grow(maker)) return 0;
    struct written *place = find_place(maker, upper, lower);
    if (place->number != 0) return place->number;
    *place = (struct written){upper, lower, ++maker->count};
    if (lower == LEAF) write_leaf(maker->writer, upper);
    else
        life_writer_print(maker->writer, "%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", level, upper >> 32,
                          upper & UINT32_MAX, lower >> 32, lower & UINT32_MAX);
    return maker->count;
}

/* The square whose upper left cell is x,y of the pattern's picture; 0 when it is empty. */
static int32_t make_square(struct maker *maker, int level, int64_t x, int64_t y)
{
    const struct life_grid *grid = &maker->pattern->cells;
    const int64_t side = (int64_t)1 << level, half = side / 2;
    if (x >= grid->width || y >= grid->height || x + side <= 0 || y + side <= 0) return 0;
    if (level == LEAF_LEVEL) {
        uint64_t cells = 0;
        for (int v = 0; v < 8; v++) cells |= (life_cells_at(grid, x, y + v) & 0xff) << (8 * v);
        return cells == 0 ? 0 : number_of(maker, level, cells, LEAF);
    }
    uint64_t part[4];
    for (int i = 0; i < 4; i++)
        part[i] = (uint64_t)(uint32_t)make_square(maker, level - 1, x + i % 2 * half, y + i / 2 * half);
    if ((part[0] | part[1] | part[2] | part[3]) == 0) return 0;
    return number_of(maker, level, part[0] << 32 | part[1], part[2] << 32 | part[3]);
}

void life_write_macrocell(const struct life_pattern *pattern, struct life_writer *writer)
{
    struct maker maker = {.pattern = pattern, .writer = writer};
    const struct life_grid *grid = &pattern->cells;
    const int64_t x = pattern->placed ? pattern->x : -(grid->width / 2);
    const int64_t y = pattern->placed ? pattern->y : -(grid->height / 2);
    char rule[LIFE_RULE_ROOM];
    int level = LEAF_LEVEL + 1;
    int64_t half = (int64_t)1 << (level - 1);
    for (; x < -half || y < 1 - half || x + grid->width > half || y + grid->height > half + 1; half *= 2) level++;
    life_writer_text(writer, "[M2] (tally)\n");
    life_writer_comments(writer, pattern, "#");
    if (pattern->has_rule) life_writer_print(writer, "#R %s\n", life_rule_format(&pattern->rule, rule));
    if (pattern->generation > 0) life_writer_print(writer, "#G %" PRId64 "\n", pattern->generation);
    if (make_square(&maker, level, -half - x, 1 - half - y) == 0) life_writer_print(writer, "%d 0 0 0 0\n", level);
    free(maker.table);
}
