/* SPDX-License-Identifier: MIT
 *
 * life_picture.c - tally life: the pixels of a world, and PNG files of them (libpng). life_gif.c has the moving ones.
 */
#include "life_run.h"
#include "io/error.h"
#include "io/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_PNG
#include <png.h>
#include <setjmp.h>
#endif

enum { LARGEST = 1024 }; /* pixels a side, where no scale is given */

void cli_life_fit(cli_life_colours *colours, const struct life_grid *grid)
{
    const int64_t side = grid->width > grid->height ? grid->width : grid->height;
    if (colours->enlarge > 0) return;
    colours->enlarge = 1;
    colours->shrink = (side + LARGEST - 1) / LARGEST;
}

int64_t cli_life_pixels(const cli_life_run *run, int64_t cells)
{
    return (cells + run->colours.shrink - 1) / run->colours.shrink * run->colours.enlarge;
}

bool cli_life_pixels_fit(const cli_life_run *run)
{
    const int64_t most = run->kind == CLI_LIFE_GIF ? UINT16_MAX : run->kind == CLI_LIFE_PNG ? INT32_MAX : INT64_MAX;
    const int64_t width = cli_life_pixels(run, run->problem.width), height = cli_life_pixels(run, run->problem.height);
    return (width <= most && height <= most) ||
           io_fail("%s: %" PRId64 " x %" PRId64 " pixels, expected at most %" PRId64 " x %" PRId64
                   "; --scale makes it smaller",
                   run->kind == CLI_LIFE_GIF ? "GIF" : "PNG", width, height, most, most);
}

void cli_life_row(const cli_life_run *run, int64_t row, unsigned char *pixels)
{
    const int64_t width = cli_life_pixels(run, run->grid.width);
    const int64_t enlarge = run->colours.enlarge, shrink = run->colours.shrink;
    for (int64_t i = 0; i < width; i += enlarge) {
        const int shade = shrink == 1 ? 255 * life_get(&run->grid, i / enlarge, row / enlarge)
                                      : life_shade(&run->grid, i * shrink, row * shrink, shrink);
        memset(pixels + i, shade, (size_t)enlarge);
    }
}

bool cli_life_can_draw(cli_life_kind kind)
{
#ifndef HAVE_PNG
    if (kind == CLI_LIFE_PNG)
        return io_fail(
            "--output: this build has no libpng, which .png files need (Debian: apt install libpng-dev, then "
            "build again)");
#endif
#ifndef HAVE_GIF
    if (kind == CLI_LIFE_GIF)
        return io_fail(
            "--output: this build has no giflib, which .gif files need (Debian: apt install libgif-dev, then "
            "build again)");
#endif
    (void)kind;
    return true;
}

#ifdef HAVE_PNG
struct png {
    const cli_life_run *run;
    io_output *output;
    png_structp writer;
    png_infop info;
    unsigned char *row;
};

static void put_bytes(png_structp writer, png_bytep bytes, size_t size)
{
    if (!io_output_write(png_get_io_ptr(writer), bytes, size)) png_longjmp(writer, 1);
}

static void flush_nothing(png_structp writer)
{
    (void)writer;
}

static void say_failure(png_structp writer, png_const_charp text)
{
    io_fail("PNG: %s", text);
    png_longjmp(writer, 1);
}

static void set_palette(struct png *png, int colours)
{
    png_color palette[256];
    for (int i = 0; i < colours; i++) {
        const int part = i * 255 / (colours - 1);
        uint8_t mixed[3];
        for (int c = 0; c < 3; c++) {
            const int dead = png->run->colours.dead[c], alive = png->run->colours.alive[c];
            mixed[c] = (uint8_t)(dead + (alive - dead) * part / 255);
        }
        palette[i] = (png_color){mixed[0], mixed[1], mixed[2]};
    }
    png_set_PLTE(png->writer, png->info, palette, colours);
}

/* Two colours where a pixel is a cell, else shades. */
static void write_rows(struct png *png)
{
    const cli_life_run *run = png->run;
    const bool shades = run->colours.shrink > 1;
    const int64_t width = cli_life_pixels(run, run->grid.width), height = cli_life_pixels(run, run->grid.height);
    png_set_IHDR(png->writer, png->info, (png_uint_32)width, (png_uint_32)height, shades ? 8 : 1,
                 PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    set_palette(png, shades ? 256 : 2);
    png_write_info(png->writer, png->info);
    png_set_packing(png->writer);
    for (int64_t y = 0; y < height; y++) {
        cli_life_row(run, y, png->row);
        for (int64_t x = 0; !shades && x < width; x++) png->row[x] = png->row[x] != 0;
        png_write_row(png->writer, png->row);
    }
    png_write_end(png->writer, NULL);
}

/* libpng leaves a failure by a jump to here, so nothing else lives in this function. */
static bool write_png(struct png *png)
{
    if (setjmp(png_jmpbuf(png->writer))) return false;
    write_rows(png);
    return true;
}

static bool make_png(struct png *png)
{
    const int64_t width = cli_life_pixels(png->run, png->run->grid.width);
    png->writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, say_failure, NULL);
    png->info = png->writer != NULL ? png_create_info_struct(png->writer) : NULL;
    png->row = malloc((size_t)width);
    bool sound = png->info != NULL && png->row != NULL;
    if (sound) {
        png_set_write_fn(png->writer, png->output, put_bytes, flush_nothing);
        png_set_user_limits(png->writer, INT32_MAX, INT32_MAX);
        sound = write_png(png);
    } else {
        io_fail("PNG: out of memory");
    }
    free(png->row);
    if (png->writer != NULL) png_destroy_write_struct(&png->writer, &png->info);
    return sound;
}

bool cli_life_png(const cli_life_run *run, const char *path)
{
    io_output output;
    struct png png = {.run = run, .output = &output};
    const bool sound = io_output_open(&output, path) && make_png(&png) && io_output_commit(&output);
    io_output_close(&output);
    return sound;
}
#else
bool cli_life_png(const cli_life_run *run, const char *path)
{
    (void)run, (void)path;
    return cli_life_can_draw(CLI_LIFE_PNG);
}
#endif
