/* SPDX-License-Identifier: MIT
 *
 * test.h - the harness of all C tests: checks that count, named cases, and random numbers that can be repeated.
 *
 *     int main(void)
 *     {
 *         CASE("addition")
 *         {
 *             CHECK(1 + 1 == 2);
 *             CHECK_EQUAL_U64(add(2, 3), 5);
 *         }
 *         return test_finish("arithmetic");
 *     }
 *
 * One program per file. A failed check says where and goes on; the program's exit status tells whether all held.
 * Random tests repeat exactly: TALLY_TEST_SEED=NUMBER in the environment chooses another sequence. With TALLY_TEST_STOP
 * set, the first failed check ends the program. With TALLY_TEST_PART=K/N, tests that can be parted do the Kth of N
 * parts. Checks and random numbers are for one thread at a time. */
#ifndef TALLY_TEST_H
#define TALLY_TEST_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More failures than this are counted, not shown. */
#define TEST_SHOWN 20

struct test {
    const char *section;
    long passed, failed;
    uint64_t seed, state;
};
static struct test test = {"", 0, 0, 0, 0};

#define CASE(name) for (int case_runs = (test.section = (name), 1); case_runs; case_runs = 0)

#define CHECK(condition) test_check((condition) != 0, __FILE__, __LINE__, #condition)
#define CHECK_EQUAL_U64(got, want) test_equal_u64(got, want, __FILE__, __LINE__, #got)
#define CHECK_EQUAL_I64(got, want) test_equal_i64(got, want, __FILE__, __LINE__, #got)
#define CHECK_EQUAL_TEXT(got, want) test_equal_text(got, want, __FILE__, __LINE__, #got)

/* Counts a check; returns whether its failure should be described, and then has begun the line. */
static inline int test_count(int holds, const char *file, int line)
{
    if (holds) {
        test.passed++;
        return 0;
    }
    if (++test.failed > TEST_SHOWN) return 0;
    fprintf(stderr, "%s:%d: %s%s", file, line, test.section, *test.section ? ": " : "");
    if (getenv("TALLY_TEST_STOP")) exit(1);
    return 1;
}

static inline int test_check(int holds, const char *file, int line, const char *text)
{
    if (test_count(holds, file, line)) fprintf(stderr, "%s does not hold\n", text);
    return holds;
}

static inline int test_equal_u64(uint64_t got, uint64_t want, const char *file, int line, const char *text)
{
    if (test_count(got == want, file, line)) {
        fprintf(stderr, "%s is %" PRIu64 " (0x%" PRIx64 "), not %" PRIu64 " (0x%" PRIx64 ")\n", text, got, got, want,
                want);
    }
    return got == want;
}

static inline int test_equal_i64(int64_t got, int64_t want, const char *file, int line, const char *text)
{
    if (test_count(got == want, file, line)) {
        fprintf(stderr, "%s is %" PRId64 ", not %" PRId64 "\n", text, got, want);
    }
    return got == want;
}

static inline int test_equal_text(const char *got, const char *want, const char *file, int line, const char *text)
{
    int equal = got && want && strcmp(got, want) == 0;
    if (test_count(equal, file, line)) {
        fprintf(stderr, "%s is \"%s\", not \"%s\"\n", text, got ? got : "(null)", want ? want : "(null)");
    }
    return equal;
}

/* 64 random bits: splitmix64 (Steele, Lea, Flood 2014), which needs no warming up from any seed. */
static inline uint64_t test_random(void)
{
    if (test.seed == 0) {
        const char *text = getenv("TALLY_TEST_SEED");
        test.seed = test.state = text && *text ? strtoull(text, NULL, 0) | 1 : 20240917;
    }
    uint64_t z = test.state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* A random number in [0, n), n > 0; uneven by n / 2^64, which no test minds. */
static inline uint64_t test_random_below(uint64_t n)
{
    return test_random() % n;
}

/* A random double in [0, 1). */
static inline double test_random_uniform(void)
{
    return (double)(test_random() >> 11) / 9007199254740992.0;
}

/* Whether what has this number is of the part of a test that this process does. */
static inline int test_in_part(int64_t number)
{
    int part = 1, parts = 1;
    const char *text = getenv("TALLY_TEST_PART");
    if (text && sscanf(text, "%d/%d", &part, &parts) != 2) parts = 1;
    return parts < 1 || number % parts == part % parts;
}

/* Prints the counts and returns the program's exit status. A program that checked nothing has failed. */
static inline int test_finish(const char *name)
{
    if (test.failed > TEST_SHOWN) fprintf(stderr, "... and %ld failures more\n", test.failed - TEST_SHOWN);
    if (test.failed && test.seed) fprintf(stderr, "repeat with TALLY_TEST_SEED=%" PRIu64 "\n", test.seed);
    printf("%s: %ld passed, %ld failed\n", name, test.passed, test.failed);
    return test.failed > 0 || test.passed == 0;
}

/* For a test that this machine cannot run: says so; CTest counts its exit status as neither passed nor failed. */
static inline int test_left_out(const char *name, const char *why)
{
    printf("%s: LEFT OUT: %s\n", name, why);
    return 77;
}

#endif
