/* share_manifest.c - see share_manifest.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "share_manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHARE_PATH 4096

static bool share_path(const char *part, const char *suffix, char path[SHARE_PATH]) {
    int n = snprintf(path, SHARE_PATH, "%s.share.json%s", part, suffix);
    if (n > 0 && n < SHARE_PATH) return true;
    cli_error("'%.40s…': the name is too long", part);
    return false;
}

static const char *share_word(const cli_args *args, const char *name) {
    for (unsigned i = args->n_words; i-- > 0;) {
        if (strcmp(args->words[i].name, name) == 0) {
            return args->words[i].value ? args->words[i].value : "";
        }
    }
    return NULL;
}

bool share_wanted(const cli_args *args) {
    return share_word(args, "share") != NULL;
}

/* The format of the part. */
static const char *share_format(const cli_args *args) {
    const char *format = share_word(args, "write");
    bool graphs = args->command->groups & LODE_OPTION_GRAPH;
    if (cli_given(args, "count")) return "count";
    return format ? format : graphs ? "gspan" : "fimi";
}

bool share_check(const cli_args *args) {
    static const char *const joined[] = {"count", "fimi", "spmf", "csv", "jsonl", "gspan"};
    const char *output = cli_given(args, "output"), *format = share_format(args);
    const char *items = share_word(args, "csv-items");
    bool known = false;
    if (!share_wanted(args)) return true;
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        known |= strcmp(format, joined[i]) == 0;
    }
    if (!output && cli_given(args, "count")) return true; /* numbers to look at, not to join */
    if (!output || strcmp(output, "-") == 0) {
        cli_error("--share needs -o PART: it writes PART, and PART.share.json for `lode merge`");
    } else if (!known) {
        cli_error("--share does not go with -w %s, which `lode merge` cannot join; expected fimi, "
                  "spmf, csv, jsonl or, of graphs, gspan, csv, jsonl",
                  format);
    } else if (share_word(args, "sort")) {
        cli_error("--share does not go with --sort: sort what `lode merge` writes");
    } else if (items && strcmp(items, "columns") == 0) {
        cli_error("--share does not go with --csv-items columns: shares have headers of different "
                  "lengths");
    } else if (strcmp(args->command->name, "graphs") == 0 && cli_given(args, "svg")) {
        cli_error("--share does not go with --svg: a share does not have the most frequent ones");
    } else {
        return true;
    }
    return false;
}

void share_forget(const cli_args *args) {
    char path[SHARE_PATH];
    const char *part = cli_given(args, "output");
    if (share_wanted(args) && part && share_path(part, "", path)) unlink(path);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Options that decide about where and how fast, and not about the result; and those that the rest
 * of the manifest has. */
static bool share_is_free(const char *name) {
    static const char *const names[] = {
        "share",       "threads", "memory",         "device",    "device-memory", "algorithm",
        "min-support", "format",  "separator",      "header",    "tid",           "item",
        "weight",      "epsilon", "skip-bad-lines", "drop-rows", "lists",         "product"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

static int share_by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The options that decide about the result, sorted, with the exact threshold first. */
static bool share_options(const cli_args *args, uint64_t min_count, char text[SHARE_TEXT]) {
    static char words[CLI_MAX_WORDS][SHARE_TEXT / 4];
    const char *sorted[CLI_MAX_WORDS];
    unsigned n = 0;
    size_t at = (size_t)snprintf(text, SHARE_TEXT, "count=%llu", (unsigned long long)min_count);
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

static bool share_sizes(const lode_sink *sink, char text[SHARE_TEXT]) {
    size_t at = 0;
    text[0] = 0;
    for (uint32_t size = 0; size <= lode_sink_largest(sink) && at < SHARE_TEXT; size++) {
        uint64_t n = lode_sink_patterns_of_size(sink, size);
        if (n == 0) continue;
        at += (size_t)snprintf(text + at, SHARE_TEXT - at, "%s%u:%llu", at > 0 ? "," : "", size,
                               (unsigned long long)n);
    }
    return at < SHARE_TEXT;
}

static void share_put_text(FILE *file, const char *name, const char *text) {
    fprintf(file, ",\"%s\":\"", name);
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\') fputc('\\', file);
        if ((unsigned char)*p < ' ') {
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*p);
        } else {
            fputc(*p, file);
        }
    }
    fputc('"', file);
}

static void share_put_number(FILE *file, const char *name, uint64_t number) {
    fprintf(file, ",\"%s\":%llu", name, (unsigned long long)number);
}

static bool share_put(const share_manifest *m, const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fprintf(file, "{\"lode\":\"%s\"", lode_version());
    share_put_text(file, "kind", m->kind);
    share_put_number(file, "share", m->share);
    share_put_number(file, "of", m->of);
    share_put_text(file, "cut", m->cut);
    share_put_text(file, "data", m->data);
    share_put_text(file, "options", m->options);
    share_put_text(file, "write", m->write);
    share_put_number(file, "top", m->top);
    share_put_number(file, "complete", m->complete);
    share_put_number(file, "patterns", m->patterns);
    share_put_number(file, "bytes", m->bytes);
    share_put_text(file, "hash", m->hash);
    share_put_text(file, "sizes", m->sizes);
    fputs("}\n", file);
    bool fine = !ferror(file);
    return fclose(file) == 0 && fine;
}

static uint64_t share_count_of(const lode_job *job, const char *name) {
    lode_counter c = LODE_INIT(lode_counter);
    return lode_report_find(lode_job_report(job), name, &c) ? c.count : 0;
}

static void share_fill(share_manifest *m, const cli_args *args, const lode_job *job,
                       const lode_sink *sink) {
    lode_counter cut = LODE_INIT(lode_counter);
    bool graphs = args->command->groups & LODE_OPTION_GRAPH;
    lode_target target = graphs ? lode_options_graph(args->options)->target
                                : lode_options_mine(args->options)->target;
    uint64_t k =
        graphs ? lode_options_graph(args->options)->top_k : lode_options_mine(args->options)->top_k;
    snprintf(m->kind, sizeof m->kind, "%s", args->command->name);
    m->share = share_count_of(job, "share.number");
    m->of = share_count_of(job, "share.of");
    if (lode_report_find(lode_job_report(job), "share.cut", &cut)) {
        snprintf(m->cut, sizeof m->cut, "%s", cut.text);
    }
    snprintf(m->write, sizeof m->write, "%s", share_format(args));
    m->top = target == LODE_TARGET_TOP ? k : 0;
    m->patterns = lode_sink_patterns(sink);
    m->bytes = lode_sink_bytes(sink);
    if (cli_given(args, "hash")) {
        snprintf(m->hash, sizeof m->hash, "%016llx",
                 (unsigned long long)lode_sink_hash_value(sink));
    }
}

lode_status share_write(const cli_args *args, lode_job *job, const lode_sink *sink,
                        uint64_t fingerprint, bool complete) {
    static share_manifest m;
    char path[SHARE_PATH], beside[SHARE_PATH], message[SHARE_PATH + 128];
    const char *part = cli_given(args, "output");
    m = (share_manifest){.complete = complete};
    share_fill(&m, args, job, sink);
    snprintf(m.data, sizeof m.data, "%016llx", (unsigned long long)fingerprint);
    bool fine = share_path(part, "", path) && share_path(part, ".part", beside) &&
                share_options(args, share_count_of(job, "threshold.count"), m.options) &&
                share_sizes(sink, m.sizes);
    if (!fine) {
        cli_error("the manifest of %s does not hold such long options", part);
        return LODE_UNSUPPORTED;
    }
    if (share_put(&m, beside) && rename(beside, path) == 0) return LODE_OK;
    snprintf(message, sizeof message, "cannot write '%s': %s", path, strerror(errno));
    unlink(beside);
    lode_report_fail(job, LODE_IO, message);
    cli_error("%s", message);
    return LODE_IO;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Where the value of a key begins; NULL: there is none. A key within a text would have a \ before
 * its quote. */
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
    return share_get_text(json, "kind", m->kind, sizeof m->kind) &&
           share_get_number(json, "share", &m->share) && share_get_number(json, "of", &m->of) &&
           share_get_text(json, "cut", m->cut, sizeof m->cut) &&
           share_get_text(json, "data", m->data, sizeof m->data) &&
           share_get_text(json, "options", m->options, sizeof m->options) &&
           share_get_text(json, "write", m->write, sizeof m->write) &&
           share_get_number(json, "top", &m->top) &&
           share_get_number(json, "complete", &m->complete) &&
           share_get_number(json, "patterns", &m->patterns) &&
           share_get_number(json, "bytes", &m->bytes) &&
           share_get_text(json, "hash", m->hash, sizeof m->hash) &&
           share_get_text(json, "sizes", m->sizes, sizeof m->sizes);
}

bool share_read(const char *part, share_manifest *out) {
    static char json[4 * SHARE_TEXT];
    char path[SHARE_PATH];
    if (!share_path(part, "", path)) return false;
    FILE *file = fopen(path, "r");
    if (!file) {
        cli_error("cannot open '%s': %s; expected the manifest of a share that is complete, which "
                  "--share K/N -o %s writes",
                  path, strerror(errno), part);
        return false;
    }
    size_t n = fread(json, 1, sizeof json - 1, file);
    bool fine = !ferror(file);
    fclose(file);
    json[n] = 0;
    *out = (share_manifest){0};
    if (fine && share_parse(json, out)) return true;
    cli_error("'%s' is no manifest of a share", path);
    return false;
}
