/* name_completion.c - see name_completion.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "name_completion.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json_line.h"
#include "look.h"

#define MOST_NAMES   200
#define MOST_SECONDS 1
#define PART_BYTES   (4 << 20) /* of a large file, the first part of about this size is read */
#define MEMORY       ((uint64_t)256 << 20)

static const char *const kinds[] = {"item", "column", "measure", NULL};

/* What is completed. */
typedef struct asked {
    char quote;         /* the quote that the word begins with, or 0 */
    bool raw;           /* the shell quotes the names */
    growing_text typed; /* the word so far, without quotes */
    unsigned n;         /* names printed */
} asked;

/* ---- shells ---------------------------------------------------------------------------------- */

/* Reads a word as it was typed, with quotes and backslashes. Nothing is expanded: $ stands for
 * itself. Returns false without memory. */
static bool unquote(const char *word, growing_text *out) {
    char quote = 0;
    for (const char *at = word; *at; at++) {
        bool escapes = *at == '\\' && at[1] && quote != '\'';
        if (escapes && (!quote || strchr("\"\\$`", at[1]))) {
            at++;
        } else if (*at == quote) {
            quote = 0;
            continue;
        } else if (!quote && (*at == '"' || *at == '\'')) {
            quote = *at;
            continue;
        }
        if (!growing_append(out, at, 1)) return false;
    }
    return growing_append(out, "", 1);
}

/* Whether a shell can take the name within the quotes that were typed, and a terminal shows it. */
static bool can_offer(const asked *a, const char *name) {
    char shown[256];
    size_t n = strlen(name);
    if (n == 0 || n > sizeof shown || strncmp(name, a->typed.data, strlen(a->typed.data)) != 0) {
        return false;
    }
    if (lode_printable(shown, name, n) != n || memcmp(shown, name, n) != 0) return false;
    if (strpbrk(name, "\n\t\r")) return false;
    if (a->quote == '\'') return !strchr(name, '\'');
    return a->quote != '"' || !strchr(name, '!');
}

/* Prints a name so that the shell reads it back unchanged, if it continues what was typed. */
static void offer(asked *a, const char *name) {
    if (a->n >= MOST_NAMES || !can_offer(a, name)) return;
    for (const char *at = name; *at; at++) {
        const char *special = a->quote == '"' ? "\"\\$`" : " !\"#$&'()*;<>?[\\]^`{|}~,:=";
        if (!a->raw && a->quote != '\'' && strchr(special, *at)) putchar('\\');
        putchar(*at);
    }
    putchar('\n');
    a->n++;
}

/* ---- names ----------------------------------------------------------------------------------- */

static void offer_measures(asked *a) {
    lode_measure m = LODE_INIT(lode_measure);
    for (size_t i = 0; lode_measure_at(i, &m); i++) offer(a, m.name);
}

static int compare_supports(const void *x, const void *y) {
    const uint64_t *a = x, *b = y;
    if (a[0] != b[0]) return a[0] > b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

/* The most frequent items that continue what was typed. */
static void offer_items(asked *a, const lode_dataset *data) {
    uint32_t n = lode_dataset_item_bound(data);
    uint64_t(*items)[2] = calloc((size_t)n + 1, sizeof *items);
    for (uint32_t i = 0; items && i < n; i++) {
        items[i][1] = lode_dataset_item_at(data, i);
        items[i][0] = lode_dataset_item_support(data, (uint32_t)items[i][1]);
    }
    if (items) qsort(items, n, sizeof *items, compare_supports);
    for (uint32_t i = 0; items && i < n; i++) {
        char name[256];
        size_t bytes = lode_dataset_item_name(data, (uint32_t)items[i][1], name, sizeof name - 1);
        if (items[i][0] == 0 || bytes >= sizeof name) continue;
        name[bytes] = 0;
        if (strlen(name) == bytes) offer(a, name);
    }
    free(items);
}

static int keep_text(void *user, const char *text, size_t bytes) {
    return growing_append(user, text, bytes) ? 0 : -1;
}

/* The names in "columns": [{"name": "Product", "empty": 0, …}, …]. */
static void offer_columns(asked *a, const char *json) {
    const char *at = strstr(json, "\"columns\":");
    while (at && (at = strstr(at, "{\"name\":")) != NULL) {
        growing_text name = {0};
        at += strlen("{\"name\":");
        at += strspn(at, " ");
        const char *end = at;
        bool read = json_word(&end, &name) && growing_append(&name, "", 1);
        bool is_column = strncmp(end + strspn(end, ", "), "\"empty\":", 8) == 0; /* not a value */
        if (read && is_column) offer(a, name.data);
        growing_free(&name);
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The time is over: there are no names. */
static void on_alarm(int signal_number) {
    (void)signal_number;
    _exit(0);
}

static void offer_from_file(asked *a, bool columns, const char *path, off_t bytes) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    growing_text json = {0};
    lode_job_options o = {.size = sizeof o, .threads = 1, .memory_bytes = MEMORY};
    lode_read_options part = {.size = sizeof part}, whole = part;
    part.n_parts = (unsigned)(bytes / PART_BYTES) + 1;
    if (part.n_parts == 1) part.n_parts = 0;
    lode_status status = lode_job_create(&job, NULL, &o);
    if (status == LODE_OK && columns) {
        status = lode_columns_json(job, path, &part, keep_text, &json);
        if (status != LODE_OK && part.n_parts) { /* it is compressed */
            json.n = 0;
            status = lode_columns_json(job, path, &whole, keep_text, &json);
        }
        if (status == LODE_OK && growing_append(&json, "", 1)) offer_columns(a, json.data);
    } else if (status == LODE_OK) {
        status = lode_dataset_open(job, &data, path, &part);
        if (status != LODE_OK && part.n_parts) status = lode_dataset_open(job, &data, path, &whole);
        if (status == LODE_OK) offer_items(a, data);
    }
    growing_free(&json);
    lode_dataset_free(data);
    lode_job_free(job);
}

/* The first of the words that is a file. Those before it may be values of options. */
static void offer_from_words(asked *a, bool columns, int n, char **words) {
    for (int i = 0; i < n; i++) {
        growing_text path = {0};
        struct stat file;
        bool plain = a->raw ? growing_append(&path, words[i], strlen(words[i]) + 1)
                            : unquote(words[i], &path);
        if (plain && stat(path.data, &file) == 0 && S_ISREG(file.st_mode)) {
            offer_from_file(a, columns, path.data, file.st_size);
            i = n;
        }
        growing_free(&path);
    }
}

const char *name_completion_kind(const cli_row *row) {
    if (!row->argument) return NULL;
    if (strcmp(row->name, "drop-rows") == 0) return kinds[1];
    if (strcmp(row->argument, "ITEM") == 0) return kinds[0];
    if (strcmp(row->argument, "COLUMN") == 0) return kinds[1];
    bool measure = strcmp(row->argument, "MEASURE") == 0 || strcmp(row->name, "measure") == 0;
    return measure ? kinds[2] : NULL;
}

int name_completion(int n, char **words) {
    asked a = {0};
    if (n > 0 && strcmp(words[0], "raw") == 0) {
        a.raw = true;
        n--;
        words++;
    }
    if (n < 2) return CLI_USAGE;
    if (!a.raw && (words[1][0] == '"' || words[1][0] == '\'')) a.quote = words[1][0];
    signal(SIGALRM, on_alarm);
    alarm(MOST_SECONDS);
    if (unquote(a.raw ? "" : words[1], &a.typed)) {
        if (strcmp(words[0], kinds[2]) == 0) {
            offer_measures(&a);
        } else if (n > 3) { /* the first of the words is the command */
            offer_from_words(&a, strcmp(words[0], kinds[1]) == 0, n - 3, words + 3);
        }
    }
    fflush(stdout);
    alarm(0);
    growing_free(&a.typed);
    return CLI_DONE;
}
