/* SPDX-License-Identifier: MIT
 *
 * transpose.c - a matrix transposed by square tiles in shared memory. Shows a grid and blocks of two dimensions,
 * dynamic shared memory, a structure as argument, a device function, and what a compiler error looks like. Usage:
 * transpose [DEVICE]    DEVICE: cuda (default) or simt */
#include <stdio.h>
#include <stdlib.h>
#include <tally.h>

#define TILE 16u

static const char source[] =
    "struct shape { int rows, columns; };\n"
    "\n"
    "__device__ int place(int row, int column, int columns) { return row * columns + column; }\n"
    "\n"
    "__global__ void transpose(const int *from, int *to, shape s)\n"
    "{\n"
    "    extern __shared__ int tile[]; /* a column more than it needs: rows then begin in different banks */\n"
    "    int size = blockDim.x, x = threadIdx.x, y = threadIdx.y;\n"
    "    int row = blockIdx.y * size + y, column = blockIdx.x * size + x;\n"
    "    if (row < s.rows && column < s.columns) tile[y * (size + 1) + x] = from[place(row, column, s.columns)];\n"
    "    __syncthreads();\n"
    "    row = blockIdx.x * size + y, column = blockIdx.y * size + x;\n"
    "    if (row < s.columns && column < s.rows) to[place(row, column, s.rows)] = tile[x * (size + 1) + y];\n"
    "}\n";

static void check(tally_status status)
{
    if (status == TALLY_OK) return;
    fprintf(stderr, "transpose: %s\n", tally_last_error());
    exit(1);
}

int main(int count, char **words)
{
    enum { ROWS = 70, COLUMNS = 45 };
    static int x[ROWS][COLUMNS], y[COLUMNS][ROWS];
    const struct {
        int rows, columns;
    } shape = {ROWS, COLUMNS};
    void *from, *to;
    tally_context *context;
    tally_module *module;
    tally_function *transpose;
    check(tally_open(count > 1 ? words[1] : "cuda", &context));
    if (tally_module_compile(context, "__global__ void f()\n{\n    return 1;\n}\n", NULL, &module) != TALLY_OK)
        printf("as it should be: %.200s...\n", tally_last_error());
    check(tally_module_compile(context, source, NULL, &module));
    check(tally_module_function(module, "transpose", &transpose));
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i / COLUMNS][i % COLUMNS] = i;
    check(tally_alloc(context, sizeof x, &from));
    check(tally_alloc(context, sizeof y, &to));
    check(tally_copy(context, from, x, sizeof x));

    tally_grid grid = {{(COLUMNS + TILE - 1) / TILE, (ROWS + TILE - 1) / TILE, 1},
                       {TILE, TILE, 1},
                       TILE * (TILE + 1) * (uint32_t)sizeof(int),
                       0};
    tally_argument arguments[] = {tally_pass_memory(from), tally_pass_memory(to),
                                  tally_pass_bytes(&shape, sizeof shape)};
    check(tally_launch(transpose, &grid, arguments, 3));
    check(tally_copy(context, y, to, sizeof y));

    int wrong = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++) wrong += y[i % COLUMNS][i / COLUMNS] != i;
    printf("%d x %d transposed, %d elements wrong\n", ROWS, COLUMNS, wrong);
    check(tally_free(context, from, sizeof x));
    check(tally_free(context, to, sizeof y));
    check(tally_module_free(module));
    check(tally_close(context));
    return wrong != 0;
}
