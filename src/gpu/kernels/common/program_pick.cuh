/* SPDX-License-Identifier: MIT
 *
 * program_pick.cuh - FOLD_TEMPLATE of program.cuh: the steps of a program that the host picked. No include guard. */
#if PICKED(LIFT, COMBINE)

enum { PROGRAM_NAME(parts) = PARTS, PROGRAM_NAME(is_real) = INDEX_EXPAND(FIELD_IS_, FIELD) };

struct PROGRAM_NAME(lane) {
    LANE part[PARTS];
};

struct PROGRAM_NAME(wide) {
    WIDE part[PARTS];
};

DEVICE struct PROGRAM_NAME(lane) PROGRAM_NAME(lane_identity)(void)
{
    struct PROGRAM_NAME(lane) s;
    IDENTITY(s);
    return s;
}

DEVICE struct PROGRAM_NAME(lane) PROGRAM_NAME(lift)(struct TYPE_NAME(element) x, struct TYPE_NAME(element) y)
{
    struct PROGRAM_NAME(lane) s;
    LIFTED(s, x, y);
    return s;
}

DEVICE void PROGRAM_NAME(lane_combine)(struct PROGRAM_NAME(lane) * a, struct PROGRAM_NAME(lane) b)
{
    struct PROGRAM_NAME(lane) s = *a;
    COMBINED(s, b);
    *a = s;
}

DEVICE struct PROGRAM_NAME(wide) PROGRAM_NAME(wide_identity)(void)
{
    struct PROGRAM_NAME(wide) s;
    IDENTITY(s);
    return s;
}

DEVICE void PROGRAM_NAME(wide_combine)(struct PROGRAM_NAME(wide) * a, struct PROGRAM_NAME(wide) b)
{
    struct PROGRAM_NAME(wide) s = *a;
    COMBINED(s, b);
    *a = s;
}

DEVICE struct PROGRAM_NAME(wide) PROGRAM_NAME(widen)(struct PROGRAM_NAME(lane) lane)
{
    struct PROGRAM_NAME(wide) s;
    for (int p = 0; p < PARTS; p++) s.part[p] = lane.part[p];
    return s;
}

#endif
