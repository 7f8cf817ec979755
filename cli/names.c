/* SPDX-License-Identifier: MIT
 *
 * names.c - operators and moduli by name, and the nearest known name to a misspelt one. The list of operators is the
 * library's. */
#include "cli.h"
#include "io/error.h"
#include "io/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include <string.h>

/* Operators are numbered from 1; the numbers above are left for compiled ones. */
enum { OPERATORS_END = 256, LONGEST_NAME = 32 };

const char *cli_op_name(tally_op op)
{
    return op == TALLY_COUNT_NONZERO ? "count" : tally_op_name(op);
}

const char *cli_op_name_at(int index)
{
    for (tally_op op = 1; op < OPERATORS_END; op++) {
        const char *name = cli_op_name(op);
        if (name != NULL && index-- == 0) return name;
    }
    return NULL;
}

bool cli_op_find(const char *name, tally_op *op)
{
    if (strcmp(name, "count") == 0) {
        *op = TALLY_COUNT_NONZERO;
        return true;
    }
    return tally_op_parse(name, op) == TALLY_OK;
}

/* Edits between two words: insertions, deletions, substitutions, with one row of the usual table. */
static int distance_between(const char *a, const char *b)
{
    int row[LONGEST_NAME + 1];
    int columns = (int)strlen(b);
    for (int j = 0; j <= columns; j++) {
        row[j] = j;
    }
    for (int i = 1; a[i - 1] != '\0'; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= columns; j++) {
            int substituted = diagonal + (a[i - 1] != b[j - 1]);
            int inserted = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = substituted < inserted ? substituted : inserted;
        }
    }
    return row[columns];
}

void cli_nearest_try(cli_nearest *nearest, const char *name)
{
    if (strlen(nearest->wanted) > LONGEST_NAME || strlen(name) > LONGEST_NAME) return;
    int distance = distance_between(nearest->wanted, name);
    int allowed = (int)strlen(name) / 3 + 1;
    if (distance <= allowed && (nearest->name == NULL || distance < nearest->distance)) {
        nearest->name = name;
        nearest->distance = distance;
    }
}

bool cli_fail_unknown(const char *problem, const cli_nearest *nearest, const char *advice)
{
    if (nearest->name != NULL) {
        return io_fail("%s '%.80s'; did you mean '%s'?", problem, nearest->wanted, nearest->name);
    }
    return io_fail("%s '%.80s'; %s", problem, nearest->wanted, advice);
}

static bool hexadecimal(const char *text, uint64_t *value)
{
    char *end = NULL;
    if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || !isxdigit((unsigned char)text[2])) return false;
    errno = 0;
    *value = strtoull(text, &end, 16);
    return errno == 0 && *end == '\0';
}

bool cli_modulus_parse(const char *text, uint64_t *modulus)
{
    static const struct {
        const char *name;
        uint64_t modulus;
    } fields[] = {
        {"koalabear", TALLY_KOALABEAR},
        {"babybear", TALLY_BABYBEAR},
        {"mersenne31", TALLY_MERSENNE31},
        {"goldilocks", TALLY_GOLDILOCKS},
    };
    cli_nearest nearest = {.wanted = text};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        *modulus = fields[i].modulus;
        if (strcmp(text, fields[i].name) == 0) return true;
        cli_nearest_try(&nearest, fields[i].name);
    }
    bool is_number =
        hexadecimal(text, modulus) || io_number_parse(text, strlen(text), TALLY_U64, modulus) == IO_NUMBER_OK;
    if (is_number && *modulus >= 2) return true;
    return cli_fail_unknown("--mod: unknown modulus", &nearest,
                            "expected 2 to 2^64 - 1, koalabear, babybear, mersenne31 or goldilocks");
}
