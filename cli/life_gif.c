/* SPDX-License-Identifier: MIT
 *
 * life_gif.c - tally life: a world as it lives, as an animated GIF that repeats without end (giflib). */
#include "life_run.h"
#include "io/error.h"
#include "io/output.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_GIF
#include <gif_lib.h>

struct cli_life_gif {
    io_output output;
    GifFileType *file;
    ColorMapObject *map;
    unsigned char *row;
    int width, height;
    int64_t frames;
};

static int put_bytes(GifFileType *file, const GifByteType *bytes, int size)
{
    return io_output_write(file->UserData, bytes, (size_t)size) ? size : 0;
}

static bool fail_gif(const struct cli_life_gif *gif)
{
    const char *text = gif->file != NULL ? GifErrorString(gif->file->Error) : NULL;
    return io_fail("GIF: %s", text != NULL ? text : "out of memory");
}

/* A pixel's shade is its colour's number; where a pixel is a cell there are two. */
static void fill_map(ColorMapObject *map, const cli_life_colours *colours)
{
    for (int i = 0; i < map->ColorCount; i++) {
        uint8_t mixed[3];
        for (int c = 0; c < 3; c++)
            mixed[c] = (uint8_t)(colours->dead[c] + (colours->alive[c] - colours->dead[c]) * i / (map->ColorCount - 1));
        map->Colors[i] = (GifColorType){mixed[0], mixed[1], mixed[2]};
    }
}

static bool put_header(struct cli_life_gif *gif)
{
    static const unsigned char forever[3] = {1, 0, 0};
    EGifSetGifVersion(gif->file, true);
    return (EGifPutScreenDesc(gif->file, gif->width, gif->height, 8, 0, gif->map) == GIF_OK &&
            EGifPutExtensionLeader(gif->file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
            EGifPutExtensionBlock(gif->file, 11, "NETSCAPE2.0") == GIF_OK &&
            EGifPutExtensionBlock(gif->file, 3, forever) == GIF_OK && EGifPutExtensionTrailer(gif->file) == GIF_OK) ||
           fail_gif(gif);
}

bool cli_life_gif_open(cli_life_run *run, const char *path)
{
    const int64_t width = cli_life_pixels(run, run->grid.width), height = cli_life_pixels(run, run->grid.height);
    struct cli_life_gif *gif = calloc(1, sizeof *gif);
    if (gif == NULL) return io_fail("GIF: out of memory");
    if (!io_output_open(&gif->output, path)) {
        io_output_close(&gif->output);
        free(gif);
        return false;
    }
    run->gif = gif;
    gif->width = (int)width;
    gif->height = (int)height;
    gif->file = EGifOpen(&gif->output, put_bytes, NULL);
    gif->map = GifMakeMapObject(run->colours.shrink > 1 ? 256 : 2, NULL);
    gif->row = malloc((size_t)width);
    if (gif->file != NULL && gif->map != NULL && gif->row != NULL) {
        fill_map(gif->map, &run->colours);
        if (put_header(gif)) return true;
    } else {
        io_fail("GIF: out of memory");
    }
    cli_life_gif_close(run, false);
    run->gif = NULL;
    return false;
}

/* When a frame is due, in hundredths of a second. Delays between rounded times add up to the rate; rounded ones do not.
 */
static int64_t due_time(int64_t frame, int64_t rate)
{
    return (200 * frame + rate) / (2 * rate);
}

/* Viewers take delays below 2 for none at all, and then choose a slow one. */
static int next_delay(struct cli_life_gif *gif, int64_t rate)
{
    const int64_t delay = due_time(gif->frames + 1, rate) - due_time(gif->frames, rate);
    gif->frames++;
    return delay < 2 ? 2 : (int)delay;
}

bool cli_life_gif_add(cli_life_run *run)
{
    struct cli_life_gif *gif = run->gif;
    const GraphicsControlBlock control = {DISPOSE_DO_NOT, false, next_delay(gif, run->rate), NO_TRANSPARENT_COLOR};
    GifByteType extension[4];
    EGifGCBToExtension(&control, extension);
    if (EGifPutExtension(gif->file, GRAPHICS_EXT_FUNC_CODE, 4, extension) != GIF_OK ||
        EGifPutImageDesc(gif->file, 0, 0, gif->width, gif->height, false, NULL) != GIF_OK)
        return fail_gif(gif);
    for (int y = 0; y < gif->height; y++) {
        cli_life_row(run, y, gif->row);
        for (int x = 0; run->colours.shrink == 1 && x < gif->width; x++) gif->row[x] = gif->row[x] != 0;
        if (EGifPutLine(gif->file, gif->row, gif->width) != GIF_OK) return fail_gif(gif);
    }
    return true;
}

bool cli_life_gif_close(cli_life_run *run, bool keep)
{
    struct cli_life_gif *gif = run->gif;
    int error = 0;
    bool sound = true;
    if (gif->file != NULL && EGifCloseFile(gif->file, &error) != GIF_OK && keep)
        sound = io_fail("GIF: %s", GifErrorString(error));
    sound = sound && (!keep || io_output_commit(&gif->output));
    io_output_close(&gif->output);
    GifFreeMapObject(gif->map);
    free(gif->row);
    free(gif);
    return sound;
}
#else
bool cli_life_gif_open(cli_life_run *run, const char *path)
{
    (void)run, (void)path;
    return cli_life_can_draw(CLI_LIFE_GIF);
}

bool cli_life_gif_add(cli_life_run *run)
{
    (void)run;
    return false;
}

bool cli_life_gif_close(cli_life_run *run, bool keep)
{
    (void)run, (void)keep;
    return false;
}
#endif
