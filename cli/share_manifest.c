/* share_manifest.c - see share_manifest.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "share_manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "byte_hash.h"

#define SHARE_PATH 4096

static bool share_path(const char *part, char path[SHARE_PATH]) {
    int n = snprintf(path, SHARE_PATH, "%s.share.json", part);
    if (n < 0 || n >= SHARE_PATH) errno = ENAMETOOLONG;
    return n > 0 && n < SHARE_PATH;
}

bool share_wanted(const cli_args *args) {
    return cli_word(args, "share") != NULL;
}

const char *share_format(const cli_args *args) {
    const char *format = cli_word(args, "write");
    bool graphs = args->command->groups & LODE_OPTION_GRAPH;
    if (cli_given(args, "count")) return "count";
    return format ? format : graphs ? "gspan" : "fimi";
}

/* Formats that are made of records, one after the other. */
static bool share_joins(const char *format) {
    static const char *const joined[] = {"count", "fimi", "spmf", "csv", "jsonl", "gspan"};
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        if (strcmp(format, joined[i]) == 0) return true;
    }
    return false;
}

bool share_check_form(const cli_args *args, const char *option) {
    const char *format = share_format(args), *items = cli_word(args, "csv-items");
    if (!share_joins(format)) {
        bool graphs = args->command->groups & LODE_OPTION_GRAPH;
        cli_error("%s cannot be combined with -w %s; use %s, csv or jsonl", option, format,
                  graphs ? "gspan" : "fimi, spmf");
    } else if (cli_word(args, "sort") || cli_word(args, "sort-by")) {
        cli_error("%s cannot be combined with --sort%s; sort the complete result instead", option,
                  cli_word(args, "sort") ? "" : "-by");
    } else if (items && strcmp(items, "columns") == 0) {
        cli_error("%s cannot be combined with --csv-items columns; use --csv-items cell", option);
    } else if (strcmp(args->command->name, "graphs") == 0 && cli_given(args, "svg")) {
        cli_error("%s cannot be combined with --svg", option);
    } else {
        return true;
    }
    return false;
}

bool share_check(const cli_args *args) {
    const char *output = cli_given(args, "output");
    if (!share_wanted(args)) return true;
    if (!args->min_support) {
        cli_error("--share requires -s SUPPORT, even with top:K");
        return false;
    }
    if (!output && cli_given(args, "count")) return true; /* numbers to look at, not to join */
    if (!output || strcmp(output, "-") == 0) {
        cli_error("--share requires -o PART; it writes PART, and PART.share.json for `lode merge`");
        return false;
    }
    if (cli_given(args, "count") && totals_target(args) == LODE_TARGET_TOP) {
        cli_error(
            "--share: counts of top:K cannot be merged; omit --count to write patterns, or omit "
            "-o to print the counts of this share");
        return false;
    }
    return share_check_form(args, "--share");
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Whether an option does not belong in the list: it affects only where and how fast the search
 * runs, not its result, or the manifest has it elsewhere. */
static bool share_is_free(const char *name) {
    static const char *const names[] = {
        "share",      "threads",   "memory",  "device",         "device-memory",  "algorithm",
        "spill",      "format",    "tid",     "separator",      "header",         "item",
        "weight",     "drop-rows", "epsilon", "lists",          "product",        "min-support",
        "limit-time", "unsorted",  "reduce",  "popcount",       "grid",           "grid-rows",
        "records",    "loads",     "write",   "limit-patterns", "skip-bad-lines", "skip-bad-graphs",
        "labels",     "sheet"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

static int share_by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool share_options(const cli_args *args, const char *first, char text[SHARE_TEXT]) {
    static char words[CLI_MAX_WORDS][SHARE_TEXT / 4];
    const char *sorted[CLI_MAX_WORDS];
    unsigned n = 0;
    size_t at = (size_t)snprintf(text, SHARE_TEXT, "%s", first);
    for (unsigned i = 0; i < args->n_words; i++) {
        const char *name = args->words[i].name, *value = args->words[i].value;
        if (share_is_free(name)) continue;
        int length = snprintf(words[n], sizeof words[n], "%s=%s", name, value ? value : "");
        if (length < 0 || (size_t)length >= sizeof words[n]) return false;
        sorted[n] = words[n];
        n++;
    }
    qsort(sorted, n, sizeof *sorted, share_by_name);
    for (unsigned i = 0; i < n && at < SHARE_TEXT; i++) {
        at += (size_t)snprintf(text + at, SHARE_TEXT - at, " %s", sorted[i]);
    }
    return at < SHARE_TEXT;
}

bool share_sizes(const uint64_t *sizes, size_t n, char text[SHARE_SIZES]) {
    size_t at = 0;
    text[0] = 0;
    for (size_t size = 0; size < n && at < SHARE_SIZES; size++) {
        if (sizes[size] == 0) continue;
        at += (size_t)snprintf(text + at, SHARE_SIZES - at, "%s%zu:%llu", at > 0 ? "," : "", size,
                               (unsigned long long)sizes[size]);
    }
    return at < SHARE_SIZES;
}

bool share_hash_file(const char *path, char content[SHARE_SMALL]) {
    static char block[1 << 16];
    byte_hash hash = {0};
    size_t n;
    FILE *file = fopen(path, "r");
    if (!file) return false;
    while ((n = fread(block, 1, sizeof block, file)) > 0) byte_hash_add(&hash, block, n);
    bool fine = !ferror(file);
    fclose(file);
    snprintf(content, SHARE_SMALL, "%016llx", (unsigned long long)byte_hash_value(&hash));
    return fine;
}

/* What a manifest has, in the order in which it is written. */
typedef struct share_field {
    const char *name;
    size_t at;
    size_t room; /* of a text; 0: a number */
} share_field;

#define SHARE_TEXT_AT(name)                                                                        \
    { #name, offsetof(share_manifest, name), sizeof(((share_manifest *)0)->name) }
#define SHARE_NUMBER_AT(name)                                                                      \
    { #name, offsetof(share_manifest, name), 0 }

static const share_field share_fields[] = {
    SHARE_TEXT_AT(kind),       SHARE_NUMBER_AT(share), SHARE_NUMBER_AT(of),
    SHARE_TEXT_AT(cut),        SHARE_TEXT_AT(data),    SHARE_TEXT_AT(options),
    SHARE_TEXT_AT(write),      SHARE_NUMBER_AT(top),   SHARE_NUMBER_AT(complete),
    SHARE_NUMBER_AT(patterns), SHARE_NUMBER_AT(bytes), SHARE_TEXT_AT(content),
    SHARE_TEXT_AT(hash),       SHARE_TEXT_AT(sizes),
};

#define N_SHARE_FIELDS (sizeof share_fields / sizeof *share_fields)

static bool share_put_text(FILE *file, const char *name, const char *text) {
    size_t n = strlen(text);
    char *json = malloc(LODE_JSON_BYTES(n));
    if (!json) return false;
    n = lode_json_string(json, text, n, false);
    fprintf(file, ",\"%s\":%.*s", name, (int)n, json);
    free(json);
    return true;
}

/* The manifest as text, which is to be freed; NULL: no memory. */
static char *share_to_text(const share_manifest *m, size_t *bytes) {
    char *text = NULL;
    bool complete = true;
    FILE *file = open_memstream(&text, bytes);
    if (!file) return NULL;
    fprintf(file, "{\"lode\":\"%s\"", lode_version());
    for (size_t i = 0; i < N_SHARE_FIELDS; i++) {
        const share_field *f = &share_fields[i];
        const char *at = (const char *)m + f->at;
        if (f->room > 0) {
            complete &= share_put_text(file, f->name, at);
        } else {
            fprintf(file, ",\"%s\":%llu", f->name, (unsigned long long)*(const uint64_t *)at);
        }
    }
    fputs("}\n", file);
    if (fclose(file) == 0 && complete) return text;
    free(text);
    return NULL;
}

static uint64_t share_count_of(const lode_job *job, const char *name) {
    lode_counter c = LODE_INIT(lode_counter);
    return lode_report_find(lode_job_report(job), name, &c) ? c.count : 0;
}

static void share_fill(share_manifest *m, const cli_args *args, const lode_job *job,
                       const mine_totals *t) {
    lode_counter cut = LODE_INIT(lode_counter);
    uint64_t k = totals_kind(args) == LODE_GRAPHS ? lode_options_graph(args->options)->top_k
                                                  : lode_options_mine(args->options)->top_k;
    snprintf(m->kind, sizeof m->kind, "%s", args->command->name);
    m->share = share_count_of(job, "share.number");
    m->of = share_count_of(job, "share.of");
    if (lode_report_find(lode_job_report(job), "share.cut", &cut)) {
        snprintf(m->cut, sizeof m->cut, "%s", cut.text);
    }
    snprintf(m->write, sizeof m->write, "%s", share_format(args));
    m->top = totals_target(args) == LODE_TARGET_TOP ? k : 0;
    m->patterns = totals_patterns(t);
    m->bytes = t->bytes;
    snprintf(m->content, sizeof m->content, "%016llx", (unsigned long long)t->bytes_hash);
    if (cli_given(args, "hash")) {
        snprintf(m->hash, sizeof m->hash, "%016llx", (unsigned long long)t->hash);
    }
}

bool share_save(const char *part, const share_manifest *m) {
    char path[SHARE_PATH];
    lode_file *file = NULL;
    size_t bytes = 0;
    char *text = share_to_text(m, &bytes);
    bool fine = text && share_path(part, path) && lode_file_create(&file, path, false) == LODE_OK &&
                lode_file_write(file, text, bytes) == LODE_OK &&
                lode_file_commit(file, false) == LODE_OK;
    int reason = text ? errno : ENOMEM;
    lode_file_free(file);
    free(text);
    errno = reason;
    return fine;
}

lode_status share_write(const cli_args *args, lode_job *job, const mine_totals *totals,
                        uint64_t fingerprint, bool complete) {
    static share_manifest m;
    char message[SHARE_PATH + 128], count[64];
    const char *part = cli_given(args, "output");
    m = (share_manifest){.complete = complete};
    share_fill(&m, args, job, totals);
    snprintf(m.data, sizeof m.data, "%016llx", (unsigned long long)fingerprint);
    snprintf(count, sizeof count, "count=%llu",
             (unsigned long long)share_count_of(job, "threshold.count"));
    if (!share_options(args, count, m.options)) {
        cli_error("the options are too long for the manifest of %s", part);
        return LODE_UNSUPPORTED;
    }
    if (!share_sizes(totals->sizes, totals->n_sizes, m.sizes)) {
        cli_error("too many pattern sizes for the manifest of %s; set --max-size", part);
        return LODE_UNSUPPORTED;
    }
    if (share_save(part, &m)) return LODE_OK;
    snprintf(message, sizeof message, "cannot write '%s.share.json': %s", part, strerror(errno));
    lode_report_fail(job, LODE_IO, message);
    cli_error("%s", message);
    return LODE_IO;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Returns where the value of a key begins, or NULL if there is none. A key inside of a text would
 * have a \ before its quote. */
static const char *share_find(const char *json, const char *name) {
    char key[SHARE_SMALL];
    snprintf(key, sizeof key, ",\"%s\":", name);
    const char *at = strstr(json, key);
    return at ? at + strlen(key) : NULL;
}

static bool share_get_number(const char *json, const char *name, uint64_t *out) {
    const char *at = share_find(json, name);
    char *end;
    if (!at || *at < '0' || *at > '9') return false;
    errno = 0;
    *out = strtoull(at, &end, 10);
    return errno == 0 && (*end == ',' || *end == '}');
}

/* Texts are compared as they are written, escapes and all. */
static bool share_get_text(const char *json, const char *name, char *out, size_t room) {
    const char *at = share_find(json, name);
    size_t n = 0;
    if (!at || *at != '"') return false;
    for (at++; *at && *at != '"' && n + 2 < room; at++) {
        if (*at == '\\' && at[1]) out[n++] = *at++;
        out[n++] = *at;
    }
    out[n] = 0;
    return *at == '"';
}

static bool share_parse(const char *json, share_manifest *m) {
    for (size_t i = 0; i < N_SHARE_FIELDS; i++) {
        const share_field *f = &share_fields[i];
        char *at = (char *)m + f->at;
        bool there = f->room > 0 ? share_get_text(json, f->name, at, f->room)
                                 : share_get_number(json, f->name, (uint64_t *)(void *)at);
        if (!there) return false;
    }
    return true;
}

/* Reads a file. Returns false if it is not a manifest, or cannot be read. */
static bool share_load(FILE *file, share_manifest *out) {
    static char json[SHARE_SIZES + 4 * SHARE_TEXT];
    size_t n = fread(json, 1, sizeof json - 1, file);
    bool fine = !ferror(file);
    json[n] = 0;
    memset(out, 0, offsetof(share_manifest, sizes)); /* sizes are long, and mostly not touched */
    out->sizes[0] = 0;
    return fine && share_parse(json, out);
}

bool share_read(const char *part, share_manifest *out) {
    char path[SHARE_PATH];
    FILE *file = share_path(part, path) ? fopen(path, "r") : NULL;
    if (!file) {
        cli_error("cannot open '%s': %s; expected the manifest that --share K/N -o %s writes when "
                  "the share is complete",
                  path, strerror(errno), part);
        return false;
    }
    bool fine = share_load(file, out);
    fclose(file);
    if (!fine) cli_error("'%s' is not the manifest of a share", path);
    return fine;
}

/* ---- of an earlier run ----------------------------------------------------------------------- */

/* Whether it is a manifest itself, and no link to one. */
static bool share_is_manifest(const char *path) {
    static share_manifest m;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    bool is = file && share_load(file, &m);
    if (file) fclose(file);
    if (!file && fd >= 0) close(fd);
    return is;
}

bool share_may_replace(const char *part) {
    char path[SHARE_PATH];
    struct stat file;
    bool there = share_path(part, path) && lstat(path, &file) == 0;
    if (!there && errno == ENOENT) return true;
    if (!there) {
        cli_error("cannot write '%.60s….share.json': %s", part, strerror(errno));
        return false;
    }
    if (share_is_manifest(path)) return true;
    cli_error("'%s' exists and is not the manifest of a share; move it or give another -o FILE",
              path);
    return false;
}

void share_forget(const char *part) {
    char path[SHARE_PATH];
    if (share_path(part, path) && share_is_manifest(path)) unlink(path);
}
