/* messages.c - text that people read: errors on standard error, and tables
 *
 * Names of files and items may come from anybody, and a terminal obeys control characters. So all
 * names pass through lode_printable() here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#define SHORT_TEXT 1024

void cli_put(FILE *file, const char *text, size_t n) {
    char shown[SHORT_TEXT], *longer = n > sizeof shown ? malloc(n) : NULL, *to = longer;
    if (!to && n > sizeof shown) n = sizeof shown; /* without memory, its beginning */
    if (!to) to = shown;
    fwrite(to, 1, lode_printable(to, text, n), file);
    free(longer);
}

static void put_formatted(FILE *file, const char *format, va_list args) {
    char text[SHORT_TEXT], *longer = NULL;
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(text, sizeof text, format, args);
    if (n >= (int)sizeof text) longer = malloc((size_t)n + 1);
    if (longer) vsnprintf(longer, (size_t)n + 1, format, again);
    va_end(again);
    cli_put(file, longer ? longer : text, longer ? (size_t)n : strlen(text));
    free(longer);
}

void cli_print(FILE *file, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_formatted(file, format, args);
    va_end(args);
}

int cli_show_stream(void *stream, const char *text, size_t bytes) {
    cli_put(stream, text, bytes);
    return ferror((FILE *)stream) ? -1 : 0;
}

int cli_write_stream(void *stream, const char *text, size_t bytes) {
    static int terminals[] = {-1, -1}; /* standard output and error, once they were asked */
    FILE *file = stream;
    int *terminal = file == stdout ? &terminals[0] : file == stderr ? &terminals[1] : NULL;
    if (terminal && *terminal < 0) *terminal = isatty(fileno(file)) == 1;
    if (!terminal || !*terminal) return fwrite(text, 1, bytes, file) == bytes ? 0 : -1;
    return cli_show_stream(file, text, bytes);
}

void cli_error(const char *format, ...) {
    va_list args;
    cli_progress_hide();
    flockfile(stderr);
    fputs("lode: ", stderr);
    va_start(args, format);
    put_formatted(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    funlockfile(stderr);
}

const char *cli_other_program(void) {
#ifdef LODE_OTHER_PROGRAM
    return LODE_OTHER_PROGRAM;
#else
    return NULL;
#endif
}

/* What else to say after a failure; "". */
static const char *advice_after(lode_status status) {
    lode_build b = LODE_INIT(lode_build);
    if (status != LODE_DEVICE) return "";
    lode_build_info(&b);
    if (!b.chosen) return "; unset LODE_CPU, and lode chooses by itself";
#ifdef LODE_OTHER_PROGRAM
    return "; the static lode uses no GPUs, the lode in " LODE_OTHER_PROGRAM " does";
#else
    return "";
#endif
}

int cli_fail(lode_job *job, lode_status status) {
    const char *message = job ? lode_job_error(job) : "";
    if (status == LODE_PARSE && message[0]) { /* file:line:column: must start the line */
        cli_progress_hide();
        fprintf(stderr, "%s\n", message);
    } else {
        cli_error("%s%s", message[0] ? message : lode_status_text(status), advice_after(status));
    }
    lode_report_fail(job, status, message);
    return lode_exit_code(status);
}

/* ---- numbers and names for people, and the clock --------------------------------------------- */

#define N_BUFFERS 16

static char *next_buffer(size_t *bytes) {
    static char buffers[N_BUFFERS][40];
    static _Atomic unsigned next; /* threads show progress */
    *bytes = sizeof buffers[0];
    return buffers[next++ % N_BUFFERS];
}

const char *cli_count(uint64_t value) {
    size_t bytes;
    char digits[24], *out = next_buffer(&bytes);
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), k = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = 0;
    return out;
}

const char *cli_bytes(uint64_t value) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t bytes, unit = 0;
    char *out = next_buffer(&bytes);
    double scaled = (double)value;
    for (; scaled >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++) scaled /= 1024;
    snprintf(out, bytes, unit ? "%.1f %s" : "%.0f %s", scaled, units[unit]);
    return out;
}

const char *cli_format_name(lode_format format) {
    static const char *const names[] = {"auto",  "fimi",   "spmf", "basket",
                                        "table", "onehot", "json", "attributes"};
    return names[format];
}

double cli_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

size_t cli_character(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    unsigned char low = 0x80, high = 0xbf; /* range of the second byte */
    if (s[0] < 0x80) return s[0] >= 0x20;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    size_t n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (s[0] == 0xe0) low = 0xa0;  /* no encodings longer than needed */
    if (s[0] == 0xed) high = 0x9f; /* no surrogates */
    if (s[0] == 0xf0) low = 0x90;
    if (s[0] == 0xf4) high = 0x8f; /* the end of Unicode */
    if (s[1] < low || s[1] > high) return 0;
    for (size_t i = 2; i < n; i++) {
        if (s[i] < 0x80 || s[i] > 0xbf) return 0;
    }
    return n;
}

/* The bytes of the character at `at`; *shown receives whether a terminal shows it as it is. */
static size_t shown_character(const char *at, bool *shown) {
    char to[8];
    size_t n = cli_character(at);
    *shown = n > 0 && lode_printable(to, at, n) == n && memcmp(to, at, n) == 0;
    return n ? n : 1;
}

void cli_put_value(FILE *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./,:=@%+-";
    bool odd = false, shown;
    if (word[0] && word[strspn(word, plain)] == 0) {
        fputs(word, out);
        return;
    }
    for (const char *at = word; *at;) {
        at += shown_character(at, &shown);
        odd |= !shown;
    }
    fputs(odd ? "$'" : "'", out);
    for (const char *at = word, *end; *at; at = end) {
        end = at + shown_character(at, &shown);
        if (!shown) {
            for (; at < end; at++) fprintf(out, "\\%03o", (unsigned)(unsigned char)*at);
        } else if (*at == '\'') {
            fputs(odd ? "\\'" : "'\\''", out);
        } else {
            if (odd && *at == '\\') fputc('\\', out);
            fwrite(at, 1, (size_t)(end - at), out);
        }
    }
    fputc('\'', out);
}

void cli_put_word(FILE *out, const char *word) {
    if (word[0] == '-') fputs("./", out); /* it is not an option */
    cli_put_value(out, word);
}

/* ---- a line that shows how far a job is ------------------------------------------------------ */

/*     mine  45%  1,234,567 patterns  2.1 M/s  12 s left (8 to 20 s)
 *
 * A separate thread writes it, so it is right whatever the job does. A terminal gets one line,
 * rewritten in place a few times a second; a file or pipe gets a new line every ten seconds.
 * Starting a thread takes as long as mining a small file, so miners of files start it when the
 * job first reports its progress, after a tenth of a second. */

#define LOOK_NS       200000000
#define FILE_SECONDS  10
#define QUIET_SECONDS 0.3 /* shorter phases are not shown */

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards the variables below, and the line */
static pthread_cond_t ended;
static pthread_t watcher;
static lode_job *watched; /* NULL = there is no job to watch */
static bool watching;     /* there is a watcher */
static void (*when_long)(void);
static bool shown;
static bool in_place;          /* standard error is a terminal */
static const char *time_limit; /* of --limit-time, which begins after reading; NULL = none */

/* "40", "12", "3.5": the seconds in the unit that suits `unit_of` seconds, without that unit. */
static void put_time(double seconds, double unit_of) {
    if (unit_of < 90) {
        fprintf(stderr, "%.0f", seconds);
    } else if (unit_of < 5400) {
        fprintf(stderr, "%.0f", seconds / 60);
    } else {
        fprintf(stderr, "%.1f", seconds / 3600);
    }
}

static const char *time_unit(double seconds) {
    return seconds < 90 ? "s" : seconds < 5400 ? "min" : "h";
}

static void put_left(const lode_progress *p) {
    fputs("  about ", stderr);
    put_time(p->left, p->left);
    fprintf(stderr, " %s left (", time_unit(p->left));
    put_time(p->left_least, p->left_most);
    fputs(" to ", stderr);
    put_time(p->left_most, p->left_most);
    fprintf(stderr, " %s)", time_unit(p->left_most));
}

/* Patterns that are counted and not listed can be more than 10^12 in a second. */
static void put_rate(double rate) {
    static const char units[] = "MGTPE";
    size_t unit = 0;
    for (rate /= 1e6; rate >= 10000 && units[unit + 1]; unit++) rate /= 1000;
    fprintf(stderr, "  %.1f %c/s", rate, units[unit]);
}

static void show_line(const lode_progress *p) {
    if (p->seconds < QUIET_SECONDS) return;
    flockfile(stderr); /* messages of other threads do not get into the line */
    fprintf(stderr, "%s%s", in_place ? "\r\033[K" : "", p->phase);
    if (p->share > 0) fprintf(stderr, " %3.0f%%", 100 * p->share);
    if (p->patterns) fprintf(stderr, "  %s patterns", cli_count(p->patterns));
    if (p->rate > 0) put_rate(p->rate);
    if (p->left > 0.5) put_left(p);
    if (time_limit && strcmp(p->phase, "read") == 0) {
        fprintf(stderr, "  (--limit-time %s begins after reading)", time_limit);
    }
    if (!in_place) fputc('\n', stderr);
    fflush(stderr);
    funlockfile(stderr);
    shown = in_place;
}

static void *watch(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (watched) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += in_place ? LOOK_NS : 0;
        until.tv_sec += until.tv_nsec / 1000000000 + (in_place ? 0 : FILE_SECONDS);
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&ended, &lock, &until);
        lode_progress p = {.size = sizeof p};
        if (watched && lode_job_progress(watched, &p)) show_line(&p);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void watch_now(void) {
    if (watched && !watching) watching = pthread_create(&watcher, NULL, watch, NULL) == 0;
}

void cli_progress_start(lode_job *job, bool now, const char *limit) {
    pthread_condattr_t clock;
    if (pthread_condattr_init(&clock) != 0) return;
    in_place = isatty(STDERR_FILENO);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&ended, &clock);
    pthread_condattr_destroy(&clock);
    watched = job;
    time_limit = limit;
    if (now) watch_now();
}

int cli_progress_report(void *unused, const lode_progress *p) {
    (void)unused, (void)p;
    pthread_mutex_lock(&lock);
    void (*begin)(void) = when_long;
    when_long = NULL;
    watch_now();
    pthread_mutex_unlock(&lock);
    if (begin) begin();
    return 0;
}

void cli_progress_when_long(void (*begin)(void)) {
    pthread_mutex_lock(&lock);
    when_long = begin;
    pthread_mutex_unlock(&lock);
}

void cli_progress_hide(void) {
    pthread_mutex_lock(&lock);
    if (shown) fputs("\r\033[K", stderr);
    shown = false;
    pthread_mutex_unlock(&lock);
}

void cli_progress_end(void) {
    pthread_mutex_lock(&lock);
    bool started = watched != NULL, joins = watching;
    watched = NULL;
    watching = false;
    if (joins) pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
    if (joins) pthread_join(watcher, NULL);
    if (started) pthread_cond_destroy(&ended);
    cli_progress_hide();
}
