/* SPDX-License-Identifier: MIT
 *
 * gpu_band.c - see gpu_band.h. */
#include "gpu_band.h"

#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 128 /* of a group */
#define GROUP_BYTES 16
#define MOST_WARPS 16 /* with as many registers as four rows take */
#define MOST_HALO 32

struct band {
    tally_context *context;
    struct band_plan plan;
    uint32_t height, round;
    size_t halo_bytes, flag_bytes;
    void *halos, *flags;
    tally_module *module;
    tally_function *run;
};

/* ---- plans ---- */

/* Cycles of a generation, as seen on an H200 within a tenth: a barrier and what waits for it, the warps' work one after
 * the other on the four quarters of a multiprocessor, and a share of the exchange between blocks. */
static double cycles_of(const struct band_plan *plan)
{
    const int warps = plan->warps < 4 ? 4 : plan->warps;
    return 150 + warps * (7 + 14 * plan->rows) + 3200.0 / plan->halo;
}

static bool is_possible(const struct band_plan *plan, int own)
{
    const int in_warp = 32 / plan->groups, bands = (own + 2 * plan->halo) / plan->rows;
    return own % plan->rows == 0 && plan->halo % plan->rows == 0 && plan->halo <= own && bands % in_warp == 0 &&
           bands / in_warp <= MOST_WARPS;
}

/* The best for so many blocks. */
static void try_blocks(struct band_plan plan, int own, double *least, struct band_plan *best)
{
    for (plan.rows = 1; plan.rows <= 4; plan.rows *= 2) {
        for (plan.halo = 2; plan.halo <= MOST_HALO; plan.halo += 2) {
            if (!is_possible(&plan, own)) continue;
            plan.warps = (own + 2 * plan.halo) / plan.rows / (32 / plan.groups);
            const double cycles = cycles_of(&plan);
            if (*least > 0 && cycles > *least) continue;
            *least = cycles;
            *best = plan;
        }
    }
}

bool band_plan_find(const struct life_problem *problem, int processors, struct band_plan *plan)
{
    const int64_t groups = problem->width / COLUMNS, height = problem->height;
    double least = 0;
    if (problem->edges != LIFE_TORUS || problem->width % COLUMNS != 0 || groups > 32 || (groups & (groups - 1)) != 0)
        return false;
    for (int blocks = 1; blocks <= processors; blocks++) {
        const int64_t own = height / blocks;
        if (height % blocks != 0 || own > MOST_WARPS * 32 * 4) continue;
        try_blocks((struct band_plan){.blocks = blocks, .groups = (int)groups}, (int)own, &least, plan);
    }
    return least > 0;
}

/* ---- running ---- */

static bool compile(struct band *band, const struct life_problem *problem, struct life_why *why)
{
    const struct band_plan *plan = &band->plan;
    char text[4][32];
    const char *const definitions[] = {text[0], text[1], text[2], text[3], NULL};
    snprintf(text[0], sizeof text[0], "GROUPS=%d", plan->groups);
    snprintf(text[1], sizeof text[1], "ROWS=%d", plan->rows);
    snprintf(text[2], sizeof text[2], "WARPS=%d", plan->warps);
    snprintf(text[3], sizeof text[3], "HALO=%d", plan->halo);
    return gpu_compile(band->context, problem, "band.cu", definitions, &band->module, why) &&
           gpu_find(band->module, "life_band", &band->run, why);
}

static bool take_memory(struct band *band, struct life_why *why)
{
    const struct band_plan *plan = &band->plan;
    band->halo_bytes = (size_t)plan->blocks * 2 * 2 * (size_t)(plan->halo * plan->groups) * GROUP_BYTES;
    band->flag_bytes = (size_t)plan->blocks * sizeof(uint32_t);
    uint32_t *zeros = calloc((size_t)plan->blocks, sizeof *zeros);
    if (zeros == NULL) return life_fail(why, "out of memory");
    const bool done = gpu_take(band->context, band->halo_bytes, &band->halos, why) &&
                      gpu_take(band->context, band->flag_bytes, &band->flags, why) &&
                      gpu_copy(band->context, band->flags, zeros, band->flag_bytes, why);
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
                                        tally_pass_memory(band->halos), tally_pass_memory(band->flags),
                                        tally_pass_u32(band->round),    tally_pass_i32(rounds)};
    band->round += (uint32_t)rounds;
    return gpu_launch(band->run, (uint32_t)band->plan.blocks, threads, 8 * GROUP_BYTES * threads, arguments, 8, why);
}

void band_close(struct band *band)
{
    if (band == NULL) return;
    tally_module_free(band->module);
    tally_free(band->context, band->halos, band->halo_bytes);
    tally_free(band->context, band->flags, band->flag_bytes);
    free(band);
}
