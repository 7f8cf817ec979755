/* SPDX-License-Identifier: MIT
 *
 * life_live.c - tally life --live: the world in the terminal, which gets its state back however the program ends. Where
 * standard output is no terminal, the frames are plain text. life/view.c draws them and knows the keys. */
#define _GNU_SOURCE
#include "life_run.h"
#include "io/error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define ENTER "\033[?1049h\033[?25l\033[2J"
#define LEAVE "\033[0m\033[?25h\033[?1049l"

static int keyboard = STDIN_FILENO; /* or the terminal, where a pattern comes from standard input */

/* What a signal needs to know; set before the handlers are. */
static struct termios before;
static volatile sig_atomic_t resized;

/* Ends the program by the signal, with the terminal as it was. */
static void leave_by_signal(int number)
{
    const int kept = errno;
    if (write(STDOUT_FILENO, LEAVE, sizeof LEAVE - 1) < 0) errno = kept;
    tcsetattr(keyboard, TCSANOW, &before);
    signal(number, SIG_DFL);
    raise(number);
}

static void note_size(int number)
{
    (void)number;
    resized = 1;
}

static const int ending[] = {SIGINT, SIGTERM, SIGHUP,  SIGQUIT, SIGSEGV, SIGABRT,
                             SIGBUS, SIGFPE,  SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2};

static void set_handlers(void (*handler)(int))
{
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) signal(ending[i], handler);
    signal(SIGWINCH, handler == SIG_DFL ? SIG_DFL : note_size);
}

/* Keys come one by one and unseen; Ctrl-C still works, and Ctrl-Z does nothing. */
static bool enter_terminal(void)
{
    struct termios keys;
    if (tcgetattr(keyboard, &before) != 0) return io_fail("--live: cannot read keys: %s", strerror(errno));
    set_handlers(leave_by_signal);
    keys = before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys.c_cc[VSUSP] = _POSIX_VDISABLE;
    keys.c_cc[VMIN] = 0;
    keys.c_cc[VTIME] = 0;
    tcsetattr(keyboard, TCSANOW, &keys);
    fputs(ENTER, stdout);
    fflush(stdout);
    return true;
}

static void leave_terminal(void)
{
    fputs(LEAVE, stdout);
    fflush(stdout);
    tcsetattr(keyboard, TCSANOW, &before);
    set_handlers(SIG_DFL);
}

static bool has_colours(void)
{
    const char *terminal = getenv("TERM"), *more = getenv("COLORTERM"), *none = getenv("NO_COLOR");
    if (none != NULL && *none != '\0') return false;
    return (more != NULL && *more != '\0') || (terminal != NULL && strstr(terminal, "256") != NULL);
}

/* All lines but the last are for cells. */
static void take_size(struct life_view *view)
{
    struct winsize size;
    resized = 0;
    view->columns = 80;
    view->rows = 23;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 1 || size.ws_row < 2) return;
    view->columns = size.ws_col;
    view->rows = size.ws_row - 1;
}

static bool write_all(const struct life_text *text)
{
    for (size_t at = 0; at < text->size;) {
        const ssize_t put = write(STDOUT_FILENO, text->bytes + at, text->size - at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return io_fail("standard output: cannot write: %s", strerror(errno));
        at += (size_t)put;
    }
    return true;
}

static bool draw(const cli_life_run *run, const struct life_view *view, struct life_text *text)
{
    char line[256];
    text->size = 0;
    life_text_add(text, "\033[H", 3);
    life_view_draw(view, &run->grid, "\r\n", text);
    const int length =
        snprintf(line, sizeof line, "generation %" PRId64 "  population %" PRId64 "  %d/s%s  space s + - arrows z Z q",
                 run->generation, life_population(&run->grid), view->rate, view->paused ? "  paused" : "");
    const int shown = length < view->columns ? length : view->columns - 1;
    life_text_add(text, line, (size_t)(shown > 0 ? shown : 0));
    life_text_add(text, "\033[K", 3);
    return text->failed ? io_fail("--live: out of memory") : write_all(text);
}

/* Arrows are ESC [ A to D. False when there is no more key. */
static bool next_key(const char *keys, ssize_t count, ssize_t *at, int *key)
{
    static const int arrows[] = {LIFE_UP, LIFE_DOWN, LIFE_RIGHT, LIFE_LEFT};
    if (*at >= count) return false;
    *key = (unsigned char)keys[(*at)++];
    if (*key == '\033' && *at + 1 < count && (keys[*at] == '[' || keys[*at] == 'O') && keys[*at + 1] >= 'A' &&
        keys[*at + 1] <= 'D') {
        *key = arrows[keys[*at + 1] - 'A'];
        *at += 2;
    }
    return true;
}

/* Waits for keys, at most that long (-1: until one comes). True when there were some. */
static bool take_keys(struct life_view *view, const struct life_grid *grid, int milliseconds)
{
    struct pollfd input = {.fd = keyboard, .events = POLLIN};
    char keys[64];
    int key = 0;
    if (poll(&input, 1, milliseconds) <= 0) return false;
    const ssize_t count = read(keyboard, keys, sizeof keys);
    if (count <= 0) view->quit = true; /* the terminal is gone */
    for (ssize_t at = 0; next_key(keys, count, &at, &key);) life_view_key(view, grid, key);
    return true;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Until the next frame is due, or a key changes what is shown. */
static bool wait_for_frame(const cli_life_run *run, struct life_view *view, struct life_text *text, double due)
{
    while (!view->quit && view->steps == 0) {
        const double left = due - now();
        if (!view->paused && left <= 0) return true;
        const bool keys = take_keys(view, &run->grid, view->paused ? -1 : (int)(left * 1000) + 1);
        if (resized) take_size(view), life_view_keep(view, &run->grid);
        else if (!keys) continue;
        if (!draw(run, view, text)) return false;
    }
    return true;
}

static bool animate(cli_life_run *run, struct life_view *view, struct life_text *text)
{
    while (!view->quit && (run->last < 0 || run->generation < run->last)) {
        const double due = now() + 1.0 / view->rate;
        if (!draw(run, view, text) || !wait_for_frame(run, view, text, due)) return false;
        if (view->quit) break;
        const int64_t left = run->last < 0 ? INT64_MAX : run->last - run->generation;
        const int64_t stride = view->steps > 0 ? 1 : view->stride;
        view->steps -= view->steps > 0;
        if (!cli_life_advance(run, stride < left ? stride : left)) return false;
    }
    return view->quit || draw(run, view, text);
}

/* Every frame in full, one below the other. */
static bool print_frames(cli_life_run *run, struct life_view *view, struct life_text *text)
{
    const int64_t across = life_view_across(view->style), down = life_view_down(view->style);
    view->columns = (int)(run->grid.width < 4096 ? (run->grid.width + across - 1) / across : 4096);
    view->rows = (int)(run->grid.height < 4096 ? (run->grid.height + down - 1) / down : 4096);
    for (;;) {
        char line[64];
        text->size = 0;
        life_text_add(text, line, (size_t)snprintf(line, sizeof line, "generation %" PRId64 "\n", run->generation));
        life_view_draw(view, &run->grid, "\n", text);
        if (text->failed) return io_fail("--live: out of memory");
        if (!write_all(text)) return false;
        if (run->generation >= run->last) return true;
        const int64_t left = run->last - run->generation;
        if (!cli_life_advance(run, view->stride < left ? view->stride : left)) return false;
    }
}

bool cli_life_live_ready(const cli_life_run *run)
{
    if (!isatty(STDOUT_FILENO))
        return run->last >= 0 || io_fail("--live: standard output is no terminal, so say how many generations: -m N");
    if (!isatty(STDIN_FILENO)) keyboard = open("/dev/tty", O_RDONLY | O_CLOEXEC);
    return keyboard >= 0 || io_fail("--live: standard input is no terminal, and there is none to take keys from");
}

/* What has become of the world, where the pictures are gone, and what else was asked. */
static void report(cli_life_run *run, bool gone)
{
    const struct life_period none = {0, 0, 0};
    if (run->options->quiet) return;
    if (gone) cli_life_report(run);
    cli_life_print_end(run, &none);
}

bool cli_life_live(cli_life_run *run)
{
    struct life_text text = {NULL, 0, 0, false};
    struct life_view view = {
        .style = run->style, .side = 1, .rate = (int)run->rate, .stride = run->step > 0 ? run->step : 1};
    bool sound = false;
    if (!isatty(STDOUT_FILENO)) {
        sound = print_frames(run, &view, &text);
    } else if (enter_terminal()) {
        view.colour = has_colours();
        take_size(&view);
        life_view_centre(&view, &run->grid);
        sound = animate(run, &view, &text);
        leave_terminal();
    }
    free(text.bytes);
    if (sound) report(run, isatty(STDOUT_FILENO));
    return sound;
}
