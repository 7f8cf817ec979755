/* SPDX-License-Identifier: MIT
 *
 * gpu_band.c - see gpu_band.h. */
#include "gpu_band.h"

#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 128 /* of a group */
#define GROUP_BYTES 16
#define GROUP_WORDS 4
#define LANES 32
#define QUARTERS 4     /* of a multiprocessor, each with a quarter of the warps and registers */
#define MOST_GROUPS 64 /* two for a lane */
#define MOST_ROWS 10   /* of a thread */
#define MOST_HALO 32
#define MOST_OWN (16 * 32 * MOST_ROWS)

struct band {
    tally_context *context;
    struct band_plan plan;
    uint32_t height, round;
    size_t halo_bytes;
    void *halos;
    tally_module *module;
    tally_function *run;
};

/* ---- plans ---- */

/* Warps of a block that have the registers for so many words of cells in a thread: four at a time share a quarter. */
static int most_warps(int words)
{
    return words <= 32 ? 16 : words <= 64 ? 12 : words <= 80 ? 8 : 0;
}

/* Warps that one quarter of a multiprocessor goes through in a generation, on average: in each fewer of the halos'
 * matter (band.cu). */
static double warps_of_quarter(const struct band_plan *plan, int own)
{
    const int rows = LANES / (plan->groups / plan->wide) * plan->rows;
    int all = 0;
    for (int left = 0; left < plan->halo; left++) {
        int most = 0, of_quarter[QUARTERS] = {0};
        for (int warp = 0; warp < plan->warps; warp++) {
            const int first = warp * rows - plan->halo;
            if (first + rows > -left && first < own + left) of_quarter[warp % QUARTERS]++;
        }
        for (int i = 0; i < QUARTERS; i++) most = of_quarter[i] > most ? of_quarter[i] : most;
        all += most;
    }
    return (double)all / plan->halo;
}

/* Nanoseconds of a generation, fitted to 51 plans on an H200 (6 percent off, at most 22): a barrier and what waits for
 * it, all warps' part in that, their work one after the other, and a share of the exchange between blocks. */
static double time_of(const struct band_plan *plan, int own)
{
    const double work = 38.6 * plan->rows * plan->wide - 16.5;
    return 84 + 5.7 * plan->warps * plan->wide + warps_of_quarter(plan, own) * work + 854.0 / plan->halo;
}

/* The warps that hold a block's rows and two halos exactly; 0: there is no such number. */
static int warps_for(const struct band_plan *plan, int own)
{
    const int lanes = plan->groups / plan->wide, rows_of_warp = 32 / lanes * plan->rows, rows = own + 2 * plan->halo;
    const int warps = rows / rows_of_warp;
    return rows % rows_of_warp == 0 && warps <= most_warps(GROUP_WORDS * plan->rows * plan->wide) ? warps : 0;
}

/* The best for so many blocks. */
static void try_blocks(struct band_plan plan, int own, double *least, struct band_plan *best)
{
    for (plan.rows = 1; plan.rows <= MOST_ROWS; plan.rows++) {
        for (plan.halo = 2; plan.halo <= MOST_HALO && plan.halo <= own; plan.halo += 2) {
            plan.warps = warps_for(&plan, own);
            const double time = time_of(&plan, own);
            if (plan.warps == 0 || (*least > 0 && time > *least)) continue;
            *least = time;
            *best = plan;
        }
    }
}

bool band_plan_find(const struct life_problem *problem, int processors, struct band_plan *plan)
{
    const int64_t groups = problem->width / COLUMNS, height = problem->height;
    double least = 0;
    if (problem->edges != LIFE_TORUS || problem->width % COLUMNS != 0 || groups > MOST_GROUPS ||
        (groups & (groups - 1)) != 0)
        return false;
    for (int blocks = 1; blocks <= processors; blocks++) {
        const int64_t own = height / blocks;
        if (height % blocks != 0 || own > MOST_OWN) continue;
        const int wide = groups > LANES ? 2 : 1;
        try_blocks((struct band_plan){.blocks = blocks, .groups = (int)groups, .wide = wide}, (int)own, &least, plan);
    }
    return least > 0;
}

/* ---- running ---- */

static bool compile(struct band *band, const struct life_problem *problem, struct life_why *why)
{
    const struct band_plan *plan = &band->plan;
    char text[5][32];
    const char *const definitions[] = {text[0], text[1], text[2], text[3], text[4], NULL};
    snprintf(text[0], sizeof text[0], "LANES=%d", plan->groups / plan->wide);
    snprintf(text[1], sizeof text[1], "WIDE=%d", plan->wide);
    snprintf(text[2], sizeof text[2], "ROWS=%d", plan->rows);
    snprintf(text[3], sizeof text[3], "WARPS=%d", plan->warps);
    snprintf(text[4], sizeof text[4], "HALO=%d", plan->halo);
    return gpu_compile(band->context, problem, "band.cu", definitions, &band->module, why) &&
           gpu_find(band->module, "life_band", &band->run, why);
}

/* Each word of a block's outermost rows with its round, for two rounds. */
static bool take_memory(struct band *band, struct life_why *why)
{
    const struct band_plan *plan = &band->plan;
    band->halo_bytes = (size_t)plan->blocks * 2 * 2 * (size_t)(plan->halo * plan->groups) * 2 * GROUP_BYTES;
    void *zeros = calloc(band->halo_bytes, 1); /* rounds begin at 1 */
    if (zeros == NULL) return life_fail(why, "out of memory");
    const bool done = gpu_take(band->context, band->halo_bytes, &band->halos, why) &&
                      gpu_copy(band->context, band->halos, zeros, band->halo_bytes, why);
    free(zeros);
    return done;
}

bool band_open(tally_context *context, const struct life_problem *problem, int processors, struct band **band,
               struct life_why *why)
{
    struct band_plan plan;
    if (!band_plan_find(problem, processors, &plan)) return true;
    struct band *made = calloc(1, sizeof *made);
    if (made == NULL) return life_fail(why, "out of memory");
    *made = (struct band){.context = context, .plan = plan, .height = (uint32_t)problem->height, .round = 1};
    if (!take_memory(made, why) || !compile(made, problem, why)) {
        band_close(made);
        return false;
    }
    *band = made;
    return true;
}

int band_halo(const struct band *band)
{
    return band != NULL ? band->plan.halo : 0;
}

bool band_step(struct band *band, const void *from, void *to, uint32_t stride, int rounds, struct life_why *why)
{
    const uint32_t threads = 32 * (uint32_t)band->plan.warps;
    const tally_argument arguments[] = {tally_pass_memory(from),        tally_pass_memory(to),
                                        tally_pass_u32(band->height),   tally_pass_u32(stride),
                                        tally_pass_memory(band->halos), tally_pass_u32(band->round),
                                        tally_pass_i32(rounds)};
    const uint32_t shared_bytes = 8 * GROUP_BYTES * threads * (uint32_t)band->plan.wide;
    band->round += (uint32_t)rounds;
    return gpu_launch(band->run, (uint32_t)band->plan.blocks, threads, shared_bytes, arguments, 7, why);
}

void band_close(struct band *band)
{
    if (band == NULL) return;
    tally_module_free(band->module);
    tally_free(band->context, band->halos, band->halo_bytes);
    free(band);
}
