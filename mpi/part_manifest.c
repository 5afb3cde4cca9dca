/* part_manifest.c - see part_manifest.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "part_manifest.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const char *part_format(const cli_args *args, char text[32]) {
    lode_options_get_in(args->options, args->command->groups, "write", text, 32);
    return text;
}

void part_manifest_path(const char *part, char path[RANK_PATH + 32]) {
    snprintf(path, RANK_PATH + 32, "%s.share.json", part);
}

static void part_put_text(FILE *file, const char *name, const char *text) {
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

static void part_put_number(FILE *file, const char *name, uint64_t number) {
    fprintf(file, ",\"%s\":%llu", name, (unsigned long long)number);
}

/* Words that decide about the result, as they were written. */
static void part_put_options(FILE *file, const rank_run *r) {
    static const char *const deciding[] = {"target",    "min-size",     "max-size",     "min-edges",
                                           "max-edges", "min-vertices", "max-vertices", "vertices",
                                           "induced",   "directed",     "limit"};
    char text[2048];
    size_t at = (size_t)snprintf(text, sizeof text, "mpi count=%llu",
                                 (unsigned long long)r->asked.min_support.numerator);
    for (unsigned i = 0; i < r->args->n_words; i++) {
        const char *name = r->args->words[i].name, *value = r->args->words[i].value;
        for (size_t k = 0; k < sizeof deciding / sizeof *deciding && at < sizeof text; k++) {
            if (strcmp(name, deciding[k]) != 0) continue;
            at += (size_t)snprintf(text + at, sizeof text - at, " %s=%s", name, value ? value : "");
        }
    }
    part_put_text(file, "options", text);
}

static void part_put_sizes(FILE *file, const rank_output *o) {
    const char *between = "";
    fputs(",\"sizes\":\"", file);
    for (size_t i = 0; i < o->n_sizes; i++) {
        if (o->sizes[i] == 0) continue;
        fprintf(file, "%s%zu:%llu", between, i, (unsigned long long)o->sizes[i]);
        between = ",";
    }
    fputc('"', file);
}

static void part_put_hash(FILE *file, const char *name, uint64_t hash) {
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    part_put_text(file, name, text);
}

static bool part_put(const rank_run *r, int part, int n, bool complete, FILE *file) {
    char format[32];
    fprintf(file, "{\"lode\":\"%s\"", lode_version());
    part_put_text(file, "kind", r->args->command->name);
    part_put_number(file, "share", (uint64_t)part);
    part_put_number(file, "of", (uint64_t)n);
    part_put_hash(file, "cut", lode_tasks_hash(r->tasks));
    part_put_hash(file, "data", r->fingerprint);
    part_put_options(file, r);
    part_put_text(file, "write", part_format(r->args, format));
    part_put_number(file, "top", 0); /* parts of top:K have nothing but the best */
    part_put_number(file, "complete", complete);
    part_put_number(file, "patterns", r->out.patterns);
    part_put_number(file, "bytes", r->out.bytes);
    part_put_text(file, "hash", "");
    part_put_sizes(file, &r->out);
    fputs("}\n", file);
    return !ferror(file);
}

bool part_write_manifest(const rank_run *r, int part, int n, bool complete) {
    char path[RANK_PATH + 32], beside[RANK_PATH + 48];
    part_manifest_path(r->out.part, path);
    snprintf(beside, sizeof beside, "%s.unfinished", path);
    FILE *file = fopen(beside, "w");
    if (!file) return false;
    bool fine = part_put(r, part, n, complete, file);
    fine &= fclose(file) == 0;
    if (fine && rename(beside, path) == 0) return true;
    int reason = errno;
    unlink(beside);
    errno = reason;
    return false;
}
