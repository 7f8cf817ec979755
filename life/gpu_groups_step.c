/* SPDX-License-Identifier: MIT
 *
 * gpu_groups_step.c - generations of worlds in groups. Passes of up to eight go from one buffer to the other
 * (stream.cu); what fits the GPU's registers stays there for longer (band.cu); and once most of a world stands still or
 * repeats, passes leave that out (settled.cu), as long as a look now and then finds that it pays. */
#include "gpu_groups.h"

#define LONG_SEGMENT                                                                                 \
    96 /* rows for each generation of a pass: two waves balance better, and read a little more twice \
        */
#define MOST_ROUNDS (1 << 30)
#define MOST_DOUBLINGS 4  /* of the passes between checks of a world that stays busy */
#define SETTLED_PART 0.25 /* a tile takes three times as long as in a pass over all */
#define UNSETTLED_PART 0.33
#define SETTLED_PASSES 64 /* between looks at how much is on the list */

/* ---- passes over all ---- */

static void swap(struct groups_world *world)
{
    void *now = world->next;
    world->next = world->now;
    world->now = now;
}

static struct pass plan_pass(const struct groups_world *world, int which)
{
    struct pass pass = world->strips;
    const int64_t lanes = (pass.strips - 1) * LANES + pass.ring;
    int64_t segments = world->warps_at_once[which] * LANES / lanes;
    if (segments * LONG_SEGMENT * world->generations[which] <= pass.height) segments *= 2;
    pass.from = world->now;
    pass.to = world->next;
    pass.segments = segments < 1 ? 1 : segments > pass.height ? pass.height : (uint32_t)segments;
    return pass;
}

/* Of its strips but the last, and of the last: several segments of it go into a warp. */
static uint32_t warps_of(const struct pass *pass)
{
    return (pass->strips - 1) * pass->segments + (pass->segments * (uint32_t)pass->ring + LANES - 1) / LANES;
}

/* On a torus that is not made of whole groups, the groups to spare become what lies beyond the edges. */
static bool wrap(struct groups_world *world, struct life_why *why)
{
    const tally_argument arguments[] = {tally_pass_memory(world->now),
                                        tally_pass_bytes(&world->shape, sizeof world->shape)};
    if (world->problem.edges != LIFE_TORUS || world->strips.wrapped) return true;
    return gpu_launch_for(world->wrap, (int64_t)world->shape.height * 8, arguments, 2, why);
}

static bool run_pass(struct groups_world *world, int which, struct life_why *why)
{
    if (!wrap(world, why)) return false;
    const struct pass pass = plan_pass(world, which);
    const tally_argument arguments[] = {tally_pass_bytes(&pass, sizeof pass)};
    if (!gpu_launch(world->pass[which], warps_of(&pass), LANES, 0, arguments, 1, why)) return false;
    swap(world);
    world->watch.distance = world->generations[which];
    world->watch.listed = false;
    return true;
}

/* ---- passes that leave out what stands still ---- */

void groups_watch(struct groups_world *world, int64_t passes, bool off)
{
    world->watch = (struct watch){.first = passes, .passes = passes, .left = passes, .off = off};
}

void gpu_groups_check_after(void *world, int64_t passes)
{
    groups_watch(world, passes, false);
}

static bool open_settled(struct groups_world *world, struct life_why *why)
{
    const struct shape *shape = &world->shape;
    const struct settled_shape same = {shape->width, shape->height, shape->stride, (uint32_t)shape->groups,
                                       world->strips.wrapped};
    return world->settled != NULL ||
           settled_open(world->context, &world->problem, &same, world->processors, &world->settled, why);
}

/* Lists what must be gone through, where the two buffers allow it: what repeats after two generations looks still. */
static bool make_list(struct groups_world *world, int64_t *generations, struct life_why *why)
{
    struct watch *watch = &world->watch;
    if (watch->distance < 2 || SETTLED_GENERATIONS % watch->distance != 0) {
        if (world->generations[0] == SETTLED_GENERATIONS || *generations < world->generations[1] + SETTLED_GENERATIONS)
            return true; /* the next pass, or none, makes them so */
        if (!run_pass(world, 1, why)) return false;
        *generations -= world->generations[1];
    }
    watch->listed = open_settled(world, why) && settled_compare(world->settled, world->now, world->next, why);
    return watch->listed;
}

/* Looks at how much is on the list, and decides whether to go by it. */
static bool look(struct groups_world *world, bool *still, struct life_why *why)
{
    struct watch *watch = &world->watch;
    double part = 0;
    if (settled_is_worn(world->settled) && !settled_compare(world->settled, world->now, world->next, why)) return false;
    if (!settled_part(world->settled, &part, why)) return false;
    const bool was = watch->settled;
    watch->settled = part <= (was ? UNSETTLED_PART : SETTLED_PART);
    if (!watch->settled && !was && watch->passes < watch->first << MOST_DOUBLINGS) watch->passes *= 2;
    watch->left = watch->settled ? SETTLED_PASSES : watch->passes;
    *still = part == 0;
    return true;
}

/* While it pays and there are whole passes; takes their generations off. */
static bool run_settled(struct groups_world *world, int64_t *generations, struct life_why *why)
{
    struct watch *watch = &world->watch;
    bool still = false;
    if (watch->off || *generations < SETTLED_GENERATIONS) return true;
    if (!watch->settled && watch->left-- > 0) return true;
    if (!watch->listed) {
        if (!make_list(world, generations, why)) return false;
        if (!watch->listed) return true;
        watch->left = 0;
    }
    for (; *generations >= SETTLED_GENERATIONS; *generations -= SETTLED_GENERATIONS) {
        if (watch->left-- <= 0 && !look(world, &still, why)) return false;
        if (!watch->settled) return true;
        if (still) *generations %= SETTLED_GENERATIONS;
        if (still) return true;
        if (!wrap(world, why) || !settled_pass(world->settled, world->now, world->next, why)) return false;
        swap(world);
    }
    return true;
}

/* ---- worlds in registers ---- */

/* Whole rounds, until the world is to be checked. */
static bool run_rounds(struct groups_world *world, int64_t *generations, struct life_why *why)
{
    struct watch *watch = &world->watch;
    const int64_t halo = band_halo(world->band), all = *generations / halo;
    const int64_t until = watch->off ? all : watch->left * SETTLED_GENERATIONS / halo + 1;
    int64_t rounds = all < until ? all : until;
    if (rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
    if (!band_step(world->band, world->now, world->next, world->shape.stride, (int)rounds, why)) return false;
    swap(world);
    *generations -= rounds * halo;
    watch->left -= rounds * halo / SETTLED_GENERATIONS + 1;
    watch->distance = 0; /* many, and the rounds' number is no power of two */
    watch->listed = false;
    return true;
}

/* As many whole rounds as there are, or passes while they pay; takes them off. */
static bool run_band(struct groups_world *world, int64_t *generations, struct life_why *why)
{
    const struct watch *watch = &world->watch;
    const int halo = band_halo(world->band);
    while (halo > 0 && *generations >= halo) {
        const bool due = !watch->off && (watch->settled || watch->left <= 0);
        if (due && *generations >= 2 * SETTLED_GENERATIONS) {
            if (!watch->listed) {
                if (!run_pass(world, 0, why)) return false;
                *generations -= world->generations[0];
            }
            if (!run_settled(world, generations, why)) return false;
            if (watch->settled) continue;
        }
        if (*generations >= halo && !run_rounds(world, generations, why)) return false;
    }
    return true;
}

bool groups_step(void *state, int64_t generations, struct life_why *why)
{
    struct groups_world *world = state;
    if (!run_band(world, &generations, why)) return false;
    for (int i = 0; i < PASSES; i++) {
        while (generations >= world->generations[i]) {
            if (i == 0 && !run_settled(world, &generations, why)) return false;
            if (generations < world->generations[i]) break;
            if (!run_pass(world, i, why)) return false;
            generations -= world->generations[i];
        }
    }
    return true;
}
