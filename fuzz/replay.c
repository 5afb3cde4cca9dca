/* replay.c - a main() for the fuzzers: feeds them files and folders, or random bytes
 *
 *     lode-replay NAME FILE|FOLDER...             what is in them
 *     lode-replay NAME --random SECONDS [SEED]    random bytes for SECONDS
 *
 * NAME is that of fuzz_NAME.c; fuzzers.def is generated: a line FUZZER(NAME) for each file.
 * The second needs no compiler that knows fuzzing. Most fuzzers take their bytes for a file, and
 * random bytes are no file; it is for those that decode any bytes into data and options. An input
 * is found again by its seed and its number, and lies in a file when it breaks something.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"

#define REPLAY_MOST 512 /* random bytes of an input */

typedef int fuzz_one(const uint8_t *bytes, size_t n);

#define FUZZER(name) fuzz_one fuzz_##name##_one;
#include <fuzzers.def>
#undef FUZZER

static const struct {
    const char *name;
    fuzz_one *run;
} fuzzers[] = {
#define FUZZER(name) {#name, fuzz_##name##_one},
#include <fuzzers.def>
};

static fuzz_one *fuzzer; /* the one that runs */

/* What a sanitizer does before it ends the program; no such thing without one. */
void __sanitizer_set_death_callback(void (*function)(void)) __attribute__((weak));

static unsigned long replay_count;

/* The input in work, for the case that it breaks something. */
static struct {
    uint8_t bytes[REPLAY_MOST];
    size_t n;
    uint64_t seed;
    char path[64];
} present;

/* Runs an input as a block of exactly its size, so that sanitizers see a read past its end. */
static void replay_bytes(const uint8_t *bytes, size_t n) {
    uint8_t *copy = malloc(n > 0 ? n : 1);
    if (!copy) exit(1);
    memcpy(copy, bytes, n);
    fuzzer(copy, n);
    free(copy);
    replay_count++;
}

static void replay_file(const char *path) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    replay_bytes(bytes, n);
}

static void replay(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) {
        replay_file(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char inner[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        replay_file(inner);
    }
    closedir(folder);
}

/* ---- random bytes --------------------------------------------------------------------------- */

static void save_present(void) {
    FILE *file = fopen(present.path, "wb");
    fprintf(stderr, "seed %llu, input %lu: %s\n", (unsigned long long)present.seed, replay_count,
            present.path);
    if (!file) return;
    fwrite(present.bytes, 1, present.n, file);
    fclose(file);
}

static void on_signal(int number) {
    save_present();
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_for_failure(void) {
    static const int deadly[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(save_present);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) signal(deadly[i], on_signal);
}

/* Short inputs as often as long ones; some of few different bytes, so that values repeat. */
static void make_present(uint64_t seed, uint64_t number) {
    rng r = rng_make(seed, number);
    uint64_t most = (uint64_t)8 << rng_below(&r, 7);
    uint8_t mask = rng_below(&r, 4) == 0 ? (uint8_t)rng_u64(&r) : 0xff;
    present.n = (size_t)(1 + rng_below(&r, most < REPLAY_MOST ? most : REPLAY_MOST));
    for (size_t i = 0; i < present.n; i++) present.bytes[i] = (uint8_t)rng_u64(&r) & mask;
}

#define REPLAY_SLOW 60 /* seconds that one input may take */

static void replay_random(double seconds, uint64_t seed) {
    struct timespec begin, now;
    present.seed = seed;
    snprintf(present.path, sizeof present.path, "broken-%llu-%ld", (unsigned long long)seed,
             (long)getpid());
    watch_for_failure();
    timespec_get(&begin, TIME_UTC);
    do {
        make_present(seed, replay_count);
        alarm(REPLAY_SLOW);
        replay_bytes(present.bytes, present.n);
        timespec_get(&now, TIME_UTC);
    } while ((double)(now.tv_sec - begin.tv_sec) < seconds);
    alarm(0);
}

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof fuzzers / sizeof *fuzzers; i++) {
        if (strcmp(fuzzers[i].name, argv[1]) == 0) fuzzer = fuzzers[i].run;
    }
    if (!fuzzer) {
        fprintf(stderr, "usage: lode-replay NAME FILE|FOLDER... | NAME --random SECONDS [SEED]\n");
        return 2;
    }
    if (argc >= 4 && strcmp(argv[2], "--random") == 0) {
        uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 10) : (uint64_t)time(NULL);
        printf("seed %llu\n", (unsigned long long)seed);
        fflush(stdout);
        replay_random(strtod(argv[3], NULL), seed);
    } else {
        for (int i = 2; i < argc; i++) replay(argv[i]);
    }
    printf("%lu inputs\n", replay_count);
    return replay_count > 0 ? 0 : 1;
}
