/* join_shares.c - lode merge PART...: joins the shares of one search
 *
 * Parts are joined as text, record by record. A record is a line or, for graphs in gSpan format, a
 * t line and the lines after it. Records are not kept in memory; for top:K, one number per record
 * is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "join_shares.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "byte_hash.h"
#include "cli_file.h"
#include "share_manifest.h"

static const cli_option merge_options[] = {
    {"output", 'o', "FILE", "standard output",
     "where to write; the file appears when it is complete"},
    {"quiet", 'q', NULL, "also print a report on standard error",
     "print only results, warnings and errors"},
    {0},
};

typedef struct merge_run {
    const cli_args *args;
    share_manifest *parts; /* as the files were given */
    int n;
    const char **paths;        /* by share … */
    const share_manifest **of; /* … and their manifests */
    uint64_t least;            /* records of less support are left out */
    uint64_t n_written;
    bool bad_input; /* a part is not what its manifest says */
    cli_file file;
    FILE *out;     /* its stream */
    bool partial;  /* the result is not complete */
    char *written; /* its name */
} merge_run;

static bool merge_no_memory(void) {
    cli_error("%s", lode_status_text(LODE_NOMEM));
    return false;
}

/* ---- whether they belong together ------------------------------------------------------------ */

static bool merge_differs(const merge_run *r, int i, const char *a, const char *b,
                          const char *what) {
    if (strcmp(a, b) == 0) return false;
    cli_error("cannot merge %s and %s: %s ('%s' and '%s')", r->args->files[0], r->args->files[i],
              what, a, b);
    return true;
}

static bool merge_fits(const merge_run *r, int i) {
    const share_manifest *a = &r->parts[0], *b = &r->parts[i];
    if (merge_differs(r, i, a->kind, b->kind, "the kinds of patterns differ")) return false;
    if (merge_differs(r, i, a->data, b->data, "the data differ")) return false;
    if (merge_differs(r, i, a->options, b->options, "the options differ")) return false;
    if (merge_differs(r, i, a->write, b->write, "the formats differ")) return false;
    if (a->of != b->of) {
        cli_error("cannot merge %s and %s: the first is one of %llu shares, the second one of %llu",
                  r->args->files[0], r->args->files[i], (unsigned long long)a->of,
                  (unsigned long long)b->of);
        return false;
    }
    return !merge_differs(r, i, a->cut, b->cut,
                          "the search was divided differently: by another version of lode, on "
                          "another kind of processor, or with --spill");
}

static bool merge_is_whole(const merge_run *r, int i) {
    const char *path = r->args->files[i];
    const share_manifest *m = &r->parts[i];
    struct stat file;
    if (!m->complete) {
        cli_error("%s is not complete: a limit stopped its search", path);
        return false;
    }
    if (strcmp(m->write, "count") == 0) return true;
    if (stat(path, &file) != 0) {
        cli_error("cannot open '%s': %s", path, strerror(errno));
        return false;
    }
    if ((uint64_t)file.st_size == m->bytes) return true;
    cli_error("%s has changed: it has %llu bytes, but its manifest says %llu", path,
              (unsigned long long)file.st_size, (unsigned long long)m->bytes);
    return false;
}

/* Puts the paths in the order of the shares; each must be there, once. */
static bool merge_order(merge_run *r) {
    uint64_t of = r->parts[0].of;
    for (int i = 0; i < r->n; i++) {
        uint64_t share = r->parts[i].share;
        if (share == 0 || share > of) {
            cli_error("%s: invalid share %llu of %llu", r->args->files[i],
                      (unsigned long long)share, (unsigned long long)of);
            return false;
        }
        if (r->paths[share - 1]) {
            cli_error("share %llu of %llu was given twice: %s and %s", (unsigned long long)share,
                      (unsigned long long)of, r->paths[share - 1], r->args->files[i]);
            return false;
        }
        r->paths[share - 1] = r->args->files[i];
        r->of[share - 1] = &r->parts[i];
    }
    for (uint64_t k = 0; k < of; k++) {
        if (r->paths[k]) continue;
        cli_error("share %llu of %llu is missing", (unsigned long long)k + 1,
                  (unsigned long long)of);
        return false;
    }
    return true;
}

static bool merge_check(merge_run *r) {
    for (int i = 0; i < r->n; i++) {
        if (!share_read(r->args->files[i], &r->parts[i])) return false;
    }
    for (int i = 0; i < r->n; i++) {
        if (!merge_fits(r, i) || !merge_is_whole(r, i)) return false;
    }
    uint64_t of = r->parts[0].of;
    r->paths = of > 0 && of <= 1024 ? calloc((size_t)of, sizeof *r->paths) : NULL;
    r->of = r->paths ? calloc((size_t)of, sizeof *r->of) : NULL;
    if (!r->of) {
        cli_error("%s is one of %llu shares; expected 1 to 1024", r->args->files[0],
                  (unsigned long long)of);
        return false;
    }
    return merge_order(r);
}

/* ---- records --------------------------------------------------------------------------------- */

/* A file of records, one line after the other. */
typedef struct merge_reader {
    FILE *file;
    char *line;
    size_t cap, n;
    const char *format;
    char comma;      /* of csv: the separator, and … */
    unsigned before; /* … how many cells a line has before the count, both from the title */
    bool first;      /* the next line is the first */
    bool failed;     /* there is no memory for a line */
    byte_hash hash;  /* of the text read so far */
} merge_reader;

/* Whether the line ends within a cell in quotes. */
static bool merge_is_open(const merge_reader *in) {
    bool open = false;
    if (strcmp(in->format, "csv") != 0) return false;
    for (size_t i = 0; i < in->n; i++) open ^= in->line[i] == '"';
    return open;
}

/* Reads a line into a buffer; -1 at the end, and where there is no memory for it. */
static ssize_t merge_read_line(merge_reader *in, char **line, size_t *cap) {
    ssize_t got = getline(line, cap, in->file);
    /* Some C libraries set the error of the file where memory is short, and some do not. */
    in->failed = got < 0 && !feof(in->file) && (errno == ENOMEM || !ferror(in->file));
    return got;
}

/* Reads a line, or a record of csv that has several. False at the end, or see `failed`. */
static bool merge_read(merge_reader *in) {
    char *more = NULL;
    size_t cap = 0;
    ssize_t got = merge_read_line(in, &in->line, &in->cap);
    if (got < 0) return false;
    in->n = (size_t)got;
    while (merge_is_open(in) && (got = merge_read_line(in, &more, &cap)) > 0) {
        char *grown = realloc(in->line, in->n + (size_t)got + 1);
        in->failed = !grown;
        if (!grown) break;
        memcpy(grown + in->n, more, (size_t)got + 1);
        in->line = grown;
        in->cap = in->n + (size_t)got + 1;
        in->n += (size_t)got;
    }
    byte_hash_add(&in->hash, in->line, in->n);
    free(more);
    return !in->failed;
}

/* The number after the last `mark` of a line; UINT64_MAX: there is none. */
static uint64_t merge_number_after(const char *line, const char *mark) {
    const char *at = NULL;
    for (const char *p = line; (p = strstr(p, mark)); p++) at = p + strlen(mark);
    return at && *at >= '0' && *at <= '9' ? strtoull(at, NULL, 10) : UINT64_MAX;
}

/* Reads from the title of csv which cell has the count: measures may follow it, and the separator
 * may be any. */
static void merge_read_title(merge_reader *in) {
    const char *count = strstr(in->line, "count");
    in->comma = 0;
    in->before = 0;
    if (!count || count == in->line) return;
    in->comma = count[-1];
    for (const char *p = in->line; p < count; p++) in->before += *p == in->comma;
}

/* The count of a line of csv. Separators within quotes do not count. */
static uint64_t merge_csv_support(const merge_reader *in) {
    const char *p = in->line;
    bool open = false;
    if (!in->comma) return UINT64_MAX;
    for (unsigned cells = 0; *p && cells < in->before; p++) {
        open ^= *p == '"';
        cells += !open && *p == in->comma;
    }
    return *p >= '0' && *p <= '9' ? strtoull(p, NULL, 10) : UINT64_MAX;
}

/* The support of the record that begins with the line. */
static uint64_t merge_support(const merge_reader *in) {
    if (strcmp(in->format, "csv") == 0) return merge_csv_support(in);
    if (strcmp(in->format, "jsonl") == 0) return merge_number_after(in->line, "\"count\":");
    if (strcmp(in->format, "gspan") == 0) return merge_number_after(in->line, " * ");
    if (strcmp(in->format, "spmf") == 0) return merge_number_after(in->line, "#SUP: ");
    return merge_number_after(in->line, "(");
}

static bool merge_begins(const merge_reader *in) {
    return strcmp(in->format, "gspan") != 0 || in->line[0] == 't';
}

typedef bool (*merge_record_fn)(merge_run *r, merge_reader *in, uint64_t support, void *user);

/* Whether the bytes that were read are those that were written. */
static bool merge_is_unchanged(merge_run *r, const merge_reader *in, uint64_t k) {
    char content[SHARE_SMALL];
    snprintf(content, sizeof content, "%016llx", (unsigned long long)byte_hash_value(&in->hash));
    if (strcmp(content, r->of[k]->content) == 0) return true;
    r->bad_input = true;
    cli_error(
        "%s has changed since it was written: its checksum differs from the one in its manifest",
        r->paths[k]);
    return false;
}

/* Calls a function for every line of one part; `support` is that of the line's record, or 0 for a
 * title. */
static bool merge_each_line(merge_run *r, merge_reader *in, uint64_t k, merge_record_fn each,
                            void *user) {
    uint64_t support = 0;
    bool fine = true;
    while (fine && merge_read(in)) {
        bool title = in->first && strcmp(in->format, "csv") == 0;
        in->first = false;
        if (title) merge_read_title(in);
        if (title && k > 0) continue;
        if (title) {
            support = 0;
        } else if (merge_begins(in)) {
            support = merge_support(in);
        }
        if (support == UINT64_MAX) {
            cli_error("%s has changed since it was written: the line '%.60s' has no support",
                      r->paths[k], in->line);
            r->bad_input = true;
            fine = false;
        }
        fine = fine && each(r, in, support, user);
    }
    if (in->failed) return merge_no_memory();
    if (fine && ferror(in->file)) {
        cli_error("cannot read '%s': %s", r->paths[k], strerror(errno));
        return false;
    }
    return fine && merge_is_unchanged(r, in, k);
}

static bool merge_each(merge_run *r, merge_record_fn each, void *user) {
    bool fine = true;
    for (uint64_t k = 0; k < r->parts[0].of && fine; k++) {
        merge_reader in = {.format = r->parts[0].write, .first = true};
        in.file = fopen(r->paths[k], "r");
        if (!in.file) {
            cli_error("cannot open '%s': %s", r->paths[k], strerror(errno));
            return false;
        }
        fine = merge_each_line(r, &in, k, each, user);
        free(in.line);
        fclose(in.file);
    }
    return fine;
}

/* ---- the best K ------------------------------------------------------------------------------ */

typedef struct merge_supports {
    uint64_t *list;
    size_t n, cap;
} merge_supports;

static bool merge_note_support(merge_run *r, merge_reader *in, uint64_t support, void *user) {
    merge_supports *s = user;
    (void)r;
    if (support == 0 || !merge_begins(in)) return true;
    if (s->n == s->cap) {
        s->cap = 2 * s->cap + 1024;
        uint64_t *grown = realloc(s->list, s->cap * sizeof *grown);
        if (!grown) return merge_no_memory();
        s->list = grown;
    }
    s->list[s->n++] = support;
    return true;
}

static int merge_higher(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Each share has its own best patterns; the K-th of all of them decides. */
static bool merge_find_least(merge_run *r) {
    merge_supports s = {0};
    uint64_t k = r->parts[0].top;
    if (k == 0) return true;
    bool fine = merge_each(r, merge_note_support, &s);
    if (s.n > 0) qsort(s.list, s.n, sizeof *s.list, merge_higher);
    if (k <= s.n) r->least = s.list[k - 1];
    free(s.list);
    return fine;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool merge_put(merge_run *r, merge_reader *in, uint64_t support, void *user) {
    (void)user;
    bool title = support == 0;
    if (!title && support < r->least) return true;
    if (!title && merge_begins(in)) r->n_written++;
    if (strcmp(in->format, "gspan") == 0 && merge_begins(in)) { /* they are numbered again */
        const char *rest = strchr(in->line, '*');
        fprintf(r->out, "t # %llu ", (unsigned long long)r->n_written - 1);
        cli_write_stream(r->out, rest ? rest : "\n", rest ? strlen(rest) : 1);
    } else {
        cli_write_stream(r->out, in->line, in->n);
    }
    return !ferror(r->out); /* cli_file_close() will say why */
}

/* How many patterns there are of which size, of one part after the other. */
typedef struct merge_sizes {
    struct merge_size {
        uint64_t size, n;
    } * list;
    size_t n, cap;
} merge_sizes;

static bool merge_add_size(merge_sizes *s, uint64_t size, uint64_t n) {
    if (s->n == s->cap) {
        s->cap = 2 * s->cap + 64;
        struct merge_size *grown = realloc(s->list, s->cap * sizeof *grown);
        if (!grown) return merge_no_memory();
        s->list = grown;
    }
    s->list[s->n++] = (struct merge_size){size, n};
    return true;
}

/* Reads "1:24,2:108". */
static bool merge_add_part(merge_run *r, const share_manifest *m, merge_sizes *to) {
    uint64_t sum = 0;
    const char *p = m->sizes;
    while (*p >= '0' && *p <= '9') {
        char *end = NULL;
        uint64_t size = strtoull(p, &end, 10), n = *end == ':' ? strtoull(end + 1, &end, 10) : 0;
        if (n == 0 || (*end != ',' && *end != 0)) break;
        if (!merge_add_size(to, size, n)) return false;
        sum += n;
        p = end + (*end == ',');
    }
    if (*p == 0 && sum == m->patterns) return true;
    r->bad_input = true;
    cli_error("'%s.share.json' has changed since it was written: the sizes '%.60s' do not add up "
              "to %llu patterns; mine this share again",
              r->args->files[m - r->parts], m->sizes, (unsigned long long)m->patterns);
    return false;
}

static int merge_by_size(const void *a, const void *b) {
    const struct merge_size *x = a, *y = b;
    return x->size < y->size ? -1 : x->size > y->size;
}

/* Prints the counts as --count does. */
static void merge_put_sizes(merge_run *r, merge_sizes *s) {
    uint64_t total = 0, n = 0;
    if (s->n > 0) qsort(s->list, s->n, sizeof *s->list, merge_by_size);
    for (size_t i = 0; i < s->n; i++) {
        n += s->list[i].n;
        if (i + 1 < s->n && s->list[i + 1].size == s->list[i].size) continue;
        fprintf(r->out, "%llu %llu\n", (unsigned long long)s->list[i].size, (unsigned long long)n);
        total += n;
        n = 0;
    }
    fprintf(r->out, "total %llu\n", (unsigned long long)total);
}

/* Counts by size of all parts. */
static bool merge_counts(merge_run *r) {
    lode_pattern_kind kind = strcmp(r->parts[0].kind, "graphs") == 0 ? LODE_GRAPHS : LODE_ITEMSETS;
    merge_sizes sizes = {0};
    uint64_t hash = lode_hash_join(kind, NULL, 0);
    bool hashed = true, fine = true;
    for (int i = 0; i < r->n && fine; i++) {
        const share_manifest *m = &r->parts[i];
        fine = merge_add_part(r, m, &sizes);
        hashed &= m->hash[0] != 0;
        hash = lode_hash_join(kind, (uint64_t[]){hash, strtoull(m->hash, NULL, 16)}, 2);
    }
    if (fine) merge_put_sizes(r, &sizes);
    if (fine && hashed) fprintf(r->out, "hash %016llx\n", (unsigned long long)hash);
    free(sizes.list);
    return fine;
}

static bool merge_write(merge_run *r) {
    if (strcmp(r->parts[0].write, "count") != 0) {
        return merge_find_least(r) && merge_each(r, merge_put, NULL);
    }
    if (r->parts[0].top > 0) {
        cli_error("counts of top:K cannot be merged; mine the shares without --count");
        return false;
    }
    return merge_counts(r);
}

/* Nothing is left of a result that is not complete. */
static void merge_on_signal(int number) {
    (void)number;
    lode_outputs_discard();
    _exit(CLI_INTERRUPTED);
}

static const int merge_signals[] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction merge_before[sizeof merge_signals / sizeof *merge_signals];

static void merge_catch_signals(void) {
    struct sigaction action = {.sa_handler = merge_on_signal};
    for (size_t i = 0; i < sizeof merge_signals / sizeof *merge_signals; i++) {
        sigaction(merge_signals[i], &action, &merge_before[i]);
    }
}

static void merge_leave_signals(void) {
    for (size_t i = 0; i < sizeof merge_signals / sizeof *merge_signals; i++) {
        sigaction(merge_signals[i], &merge_before[i], NULL);
    }
}

static bool merge_pass_over(merge_run *r, merge_reader *in, uint64_t support, void *user) {
    (void)r, (void)in, (void)support, (void)user;
    return true;
}

/* Output that is written in place cannot be undone, so all parts are checked before. */
static bool merge_may_begin(merge_run *r, const char *path) {
    bool in_place = !r->file.file || strcmp(lode_file_path(r->file.file), path) == 0;
    bool counts = strcmp(r->parts[0].write, "count") == 0;
    return !in_place || counts || merge_each(r, merge_pass_over, NULL);
}

static int merge_to_file(merge_run *r, const char *path) {
    if (!cli_file_open(&r->file, path, true)) return CLI_FAILED;
    merge_catch_signals();
    r->out = r->file.stream;
    r->file.partial = r->partial;
    bool fine = merge_may_begin(r, path) && merge_write(r);
    if (fine || ferror(r->out)) fine = cli_file_commit(&r->file);
    if (r->file.file) snprintf(r->written, MERGE_PATH, "%s", lode_file_path(r->file.file));
    cli_file_drop(&r->file);
    merge_leave_signals();
    return fine ? CLI_DONE : r->bad_input ? CLI_BAD_INPUT : CLI_FAILED;
}

/* Whether the output would replace the manifest of a part. The parts themselves are checked with
 * all other inputs. */
static bool merge_is_manifest(const merge_run *r, const char *path) {
    struct stat out, manifest;
    char name[4096];
    if (stat(path, &out) != 0) return false;
    for (int i = 0; i < r->n; i++) {
        snprintf(name, sizeof name, "%s.share.json", r->args->files[i]);
        if (stat(name, &manifest) != 0) continue;
        if (manifest.st_dev != out.st_dev || manifest.st_ino != out.st_ino) continue;
        cli_error("--output '%s' would overwrite the manifest of a part; give another name", path);
        return true;
    }
    return false;
}

static int merge_run_all(merge_run *r) {
    const char *path = cli_given(r->args, "output");
    if (!merge_check(r)) return CLI_BAD_INPUT;
    if (path && merge_is_manifest(r, path)) return CLI_USAGE;
    return merge_to_file(r, path ? path : "-");
}

int merge_shares(const cli_args *args, bool partial, char written[MERGE_PATH]) {
    merge_run r = {.args = args, .n = args->n_files, .partial = partial, .written = written};
    written[0] = 0;
    r.parts = calloc((size_t)r.n, sizeof *r.parts);
    if (!r.parts) {
        merge_no_memory();
        return CLI_FAILED;
    }
    int code = merge_run_all(&r);
    bool counted = code == CLI_DONE && strcmp(r.parts[0].write, "count") != 0;
    if (counted && !cli_given(args, "quiet")) {
        fprintf(stderr, "joined %d shares: %s patterns\n", r.n, cli_count(r.n_written));
    }
    free(r.paths);
    free(r.of);
    free(r.parts);
    return code;
}

static int run_merge(cli_args *args) {
    char written[MERGE_PATH];
    if (args->n_files > 0) return merge_shares(args, false, written);
    cli_error("no parts; expected: lode merge PART... [-o FILE]");
    return CLI_USAGE;
}

const cli_command cli_merge = {
    .name = "merge",
    .arguments = "PART... [-o FILE]",
    .summary = "join parts that were written with --share K/N into one result",
    .examples = "  for k in 1 2 3 4; do lode itemsets data.dat -s 1% --share $k/4 -o part$k; done\n"
                "  lode merge part1 part2 part3 part4 -o all.txt\n"
                "  parallel lode graphs m.lg -s 5% -t closed --share {}/8 -o part{} ::: {1..8}\n",
    .options = merge_options,
    .n_files = CLI_MANY_FILES,
    .run = run_merge,
};
