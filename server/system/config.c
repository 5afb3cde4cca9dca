/* config.c - the command line of lode-server
 *
 * One table lists all options; the help is generated from it. Values are checked here, so that the
 * rest of the server can rely on them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "system/config.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http/token.h"
#include "lode.h"

#define LEAST_MEMORY ((uint64_t)64 << 20) /* workers with less cannot even read small files */
#define LEAST_DISK   ((uint64_t)1 << 20)  /* the empty database alone takes about 100 KB */

/* The options as given, before defaults are filled in. */
typedef struct config_words {
    config *config;
    const char *data, *token, *token_file;
    bool said_tcp; /* --port or --bind */
    bool help;
    uint32_t given; /* a bit for each given option */
} config_words;

typedef struct config_option {
    const char *name, *argument; /* argument is NULL for a switch */
    const char *fallback, *help;
    const char *range; /* further requirement of a value, for messages; NULL: none */
    bool (*read)(config_words *w, const char *value); /* false: invalid value */
} config_option;

/* ---- values of options ----------------------------------------------------------------------- */

static bool config_parse_count(const char *word, uint64_t least, uint64_t most, uint64_t *out) {
    size_t n = strspn(word, "0123456789");
    if (n == 0 || n > 18 || word[n]) return false;
    *out = strtoull(word, NULL, 10);
    return *out >= least && *out <= most;
}

bool config_parse_bytes(const char *word, uint64_t *out) {
    static const char units[] = "KMGT";
    char digits[20];
    size_t n = strspn(word, "0123456789");
    if (n == 0 || n >= sizeof digits) return false;
    memcpy(digits, word, n);
    digits[n] = '\0';
    if (!config_parse_count(digits, 1, UINT64_MAX, out)) return false;
    if (!word[n]) return true;
    const char *unit = strchr(units, word[n] & ~0x20);
    if (!unit || word[n + 1]) return false;
    unsigned shift = 10 * (unsigned)(unit - units + 1);
    if (*out > UINT64_MAX >> shift) return false;
    *out <<= shift;
    return true;
}

static bool config_parse_days(const char *word, double *out) {
    char *end;
    if (*word < '0' || *word > '9') return false;
    errno = 0;
    *out = strtod(word, &end);
    return !*end && errno == 0 && isfinite(*out) && *out > 0 && *out <= 36500;
}

static bool read_port(config_words *w, const char *value) {
    uint64_t n;
    if (!config_parse_count(value, 0, 65535, &n)) return false;
    w->config->port = (uint16_t)n;
    w->said_tcp = true;
    return true;
}

static bool read_bind(config_words *w, const char *value) {
    unsigned char address[16];
    w->config->bind = value;
    w->said_tcp = true;
    return inet_pton(AF_INET, value, address) == 1 || inet_pton(AF_INET6, value, address) == 1;
}

static bool read_socket(config_words *w, const char *value) {
    w->config->socket = value;
    return *value != '\0';
}

/* A host name: letters, digits, dots and dashes, without a port. 0.0.0.0 is no name in a request:
 * who writes it means --bind. */
static bool read_host(config_words *w, const char *value) {
    config *c = w->config;
    if (!*value || c->n_hosts == CONFIG_MAX_HOSTS || strcmp(value, "0.0.0.0") == 0) return false;
    for (const char *s = value; *s; s++) {
        if (!isalnum((unsigned char)*s) && !strchr(".-", *s)) return false;
    }
    c->hosts[c->n_hosts++] = value;
    return true;
}

static bool read_data(config_words *w, const char *value) {
    w->data = value;
    return *value != '\0';
}

static bool read_workers(config_words *w, const char *value) {
    uint64_t n;
    if (!config_parse_count(value, 1, 64, &n)) return false;
    w->config->workers = (unsigned)n;
    return true;
}

static bool read_threads(config_words *w, const char *value) {
    uint64_t n;
    if (!config_parse_count(value, 1, 1024, &n)) return false;
    w->config->threads = (unsigned)n;
    return true;
}

static bool read_memory(config_words *w, const char *value) {
    return config_parse_bytes(value, &w->config->memory) && w->config->memory >= LEAST_MEMORY;
}

static bool read_device_memory(config_words *w, const char *value) {
    return config_parse_bytes(value, &w->config->device_memory);
}

static bool read_max_upload(config_words *w, const char *value) {
    return config_parse_bytes(value, &w->config->max_upload);
}

static bool read_max_disk(config_words *w, const char *value) {
    return config_parse_bytes(value, &w->config->max_disk) && w->config->max_disk >= LEAST_DISK;
}

static bool read_max_connections(config_words *w, const char *value) {
    return config_parse_count(value, 8, 100000, &w->config->max_connections);
}

static bool read_max_rate(config_words *w, const char *value) {
    return config_parse_count(value, 1, 1000000, &w->config->max_rate);
}

static bool read_max_wait(config_words *w, const char *value) {
    uint64_t n;
    if (!config_parse_count(value, 1, 3600, &n)) return false;
    w->config->max_wait = (unsigned)n;
    return true;
}

static bool read_expire(config_words *w, const char *value) {
    return config_parse_days(value, &w->config->expire_days);
}

static bool read_token(config_words *w, const char *value) {
    w->token = value;
    return token_is_good(value);
}

static bool read_token_file(config_words *w, const char *value) {
    w->token_file = value;
    return *value != '\0';
}

static bool read_open(config_words *w, const char *value) {
    (void)value;
    return w->config->open = true;
}

static bool read_recover(config_words *w, const char *value) {
    (void)value;
    return w->config->recover = true;
}

static bool read_quiet(config_words *w, const char *value) {
    (void)value;
    return w->config->quiet = true;
}

static bool read_help(config_words *w, const char *value) {
    (void)value;
    return w->help = true;
}

static const config_option options[] = {
    {"port", "N", "8080", "port to listen on; 0 picks a free one", "from 0 to 65535", read_port},
    {"bind", "ADDRESS", "127.0.0.1",
     "address to listen on; requires a token unless it is a loopback address", NULL, read_bind},
    {"open", NULL, NULL, "open the page in a browser", NULL, read_open},
    {"data", "DIR", "~/.local/share/lode", "folder for data sets and results", NULL, read_data},
    {"recover", NULL, NULL,
     "restore uploads and results that the database does not list, then serve", NULL, read_recover},
    {"workers", "N", "4",
     "number of worker processes; each keeps one data set in memory; one extra process previews "
     "files",
     "from 1 to 64", read_workers},
    {"threads", "N", "all cores", "threads for all workers together", "from 1 to 1024",
     read_threads},
    {"memory", "SIZE", "half of the machine's memory",
     "memory that all workers together may use, such as 4G", "64M or more", read_memory},
    {"device-memory", "SIZE", "all free memory of the GPU",
     "memory that all workers together may use on each GPU", NULL, read_device_memory},
    {"max-upload", "SIZE", "16G", "maximum size of an uploaded data set", NULL, read_max_upload},
    {"max-disk", "SIZE", "64G", "maximum size of the data folder", "1M or more", read_max_disk},
    {"max-connections", "N", "2048",
     "maximum number of connections; one address may use half of them", "from 8 to 100000",
     read_max_connections},
    {"max-rate", "N", "1000", "maximum number of requests per second from one address",
     "from 1 to 1000000", read_max_rate},
    {"max-wait", "N", "30",
     "how many seconds to wait for a worker or a client that does not respond", "from 1 to 3600",
     read_max_wait},
    {"expire", "DAYS", "never", "delete data sets that nobody has used for DAYS",
     "more than 0, at most 36500", read_expire},
    {"token", "TEXT", "random, if required", "token that clients must send, at least 16 characters",
     NULL, read_token},
    {"token-file", "FILE", NULL, "read the token from the first line of FILE", NULL,
     read_token_file},
    {"socket", "PATH", NULL, "listen on a Unix socket, for a reverse proxy; requires a token", NULL,
     read_socket},
    {"host", "NAME", NULL, "accept requests for this host name (may be repeated)",
     "the name in addresses, such as mine.example.org; to listen on an address, use --bind ADDRESS",
     read_host},
    {"quiet", NULL, NULL, "print only addresses and errors", NULL, read_quiet},
    {"help", NULL, NULL, "print this help", NULL, read_help},
};

#define N_OPTIONS (sizeof options / sizeof *options)

static void config_help(void) {
    printf(
        "lode serve\n  Start a web server to load, explore, mine and compare data in the "
        "browser\n\n"
        "Examples\n"
        "  lode serve --open\n"
        "  lode serve --port 9000 --data ./mining --memory 8G\n"
        "  lode serve --bind 0.0.0.0 --host mine.example.org --token-file token.txt\n"
        "  lode serve --socket /run/lode/http --host mine.example.org      behind nginx, for TLS\n"
        "\nOptions [default]\n");
    for (size_t i = 0; i < N_OPTIONS; i++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", options[i].name, options[i].argument ? " " : "",
                 options[i].argument ? options[i].argument : "");
        printf("  %-24s %s", left, options[i].help);
        if (options[i].fallback) printf(" [%s]", options[i].fallback);
        putchar('\n');
    }
    printf("\nSIZE is a number of bytes, or a number followed by K, M, G or T. Ctrl-C stops the "
           "server.\n"
           "Exit status: 0 success, 1 failure, 2 usage error\n");
}

static int config_complain(const char *word) {
    const char *names[N_OPTIONS];
    for (size_t i = 0; i < N_OPTIONS; i++) names[i] = options[i].name;
    const char *near =
        strncmp(word, "--", 2) == 0 ? lode_nearest(word + 2, names, N_OPTIONS) : NULL;
    fprintf(stderr, "lode: serve has no option '%s'", word);
    if (near) fprintf(stderr, "; did you mean --%s?", near);
    fprintf(stderr, "\nlode: `lode serve --help` lists all options\n");
    return EXIT_USAGE;
}

static const config_option *config_find(const char *word, size_t length) {
    for (size_t k = 0; k < N_OPTIONS; k++) {
        const config_option *o = &options[k];
        if (strncmp(word, "--", 2) == 0 && strlen(o->name) == length - 2 &&
            memcmp(word + 2, o->name, length - 2) == 0)
            return o;
    }
    return NULL;
}

/* A token is a secret, even if it is invalid, so it is not printed. */
static int config_refuse_value(const config_option *o, const char *value) {
    fprintf(stderr, "lode: --%s: invalid value", o->name);
    if (o->read != read_token) fprintf(stderr, " '%s'", value);
    fprintf(stderr, "; expected %s%s%s: %s\n", o->argument, o->range ? ", " : "",
            o->range ? o->range : "", o->help);
    return EXIT_USAGE;
}

/* Whether an option is given twice; one of the two would have no effect. */
static bool config_is_second(config_words *w, const config_option *o) {
    uint32_t bit = UINT32_C(1) << (o - options);
    bool second = (w->given & bit) != 0 && o->read != read_host;
    w->given |= bit;
    return second;
}

/* Reads the option at words[*i], as "--name value" or "--name=value"; -1: continue. */
static int config_read_one(config_words *w, int n, char **words, int *i) {
    const char *word = words[*i], *value = NULL;
    size_t length = strcspn(word, "=");
    const config_option *o = config_find(word, length);
    if (!o) return config_complain(word);
    if (config_is_second(w, o)) {
        fprintf(stderr, "lode: --%s is given twice; expected once\n", o->name);
        return EXIT_USAGE;
    }
    if (o->argument) {
        value = word[length] ? word + length + 1 : *i + 1 < n ? words[++*i] : NULL;
        if (!value) {
            fprintf(stderr, "lode: --%s needs a value: %s\n", o->name, o->argument);
            return EXIT_USAGE;
        }
    } else if (word[length]) {
        fprintf(stderr, "lode: --%s takes no value\n", o->name);
        return EXIT_USAGE;
    }
    return o->read(w, value) ? -1 : config_refuse_value(o, value);
}

/* ---- defaults ---- */

static char *config_join(const char *folder, const char *name) {
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = malloc(n);
    if (path) snprintf(path, n, "%s/%s", folder, name);
    return path;
}

static char *config_default_folder(void) {
    const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (xdg && *xdg == '/') return config_join(xdg, "lode");
    return home && *home ? config_join(home, ".local/share/lode") : NULL;
}

bool config_set_folders(config *c, char *data) {
    free(c->data);
    free(c->datasets_dir);
    free(c->results_dir);
    free(c->tmp_dir);
    free(c->disk_file);
    c->data = data;
    c->datasets_dir = config_join(c->data, "datasets");
    c->results_dir = config_join(c->data, "results");
    c->tmp_dir = config_join(c->data, "tmp");
    c->disk_file = config_join(c->data, "lode.disk");
    return c->datasets_dir && c->results_dir && c->tmp_dir && c->disk_file;
}

static bool config_folders(config *c, const char *said) {
    char *data = said ? strdup(said) : config_default_folder();
    if (data) return config_set_folders(c, data);
    fprintf(stderr, "lode: there is no home folder; choose a data folder with --data DIR\n");
    return false;
}

/* `lode` is next to this program, or in bin if this program is in libexec/lode; $LODE_BIN names
 * another path. */
static bool config_find_program(config *c) {
    static const char *const places[] = {"lode", "../../bin/lode"};
    const char *said = getenv("LODE_BIN");
    char self[2048];
    if (said && *said) {
        snprintf(c->program, sizeof c->program, "%s", said);
        if (access(c->program, X_OK) == 0) return true;
        fprintf(stderr, "lode: LODE_BIN is %s, which is not a program\n", said);
        return false;
    }
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(c->program, sizeof c->program, "%s/%s", self, places[i]);
        if (access(c->program, X_OK) == 0) return true;
    }
    fprintf(stderr, "lode: the program `lode` was not found next to %s/lode-server\n", self);
    return false;
}

/* Whether only this machine can reach the server. */
static bool config_is_loopback(const config *c) {
    return !c->socket && (strncmp(c->bind, "127.", 4) == 0 || strcmp(c->bind, "::1") == 0);
}

static int config_set_token(config *c, const config_words *w) {
    char why[512];
    if (w->token && w->token_file) {
        fprintf(stderr, "lode: --token cannot be combined with --token-file\n");
        return EXIT_USAGE;
    }
    if (w->token) c->token = strdup(w->token);
    if (w->token_file) {
        c->token = token_from_file(w->token_file, why, sizeof why);
        if (!c->token) {
            fprintf(stderr, "lode: %s\n", why);
            return EXIT_FAILED;
        }
    }
    if (!c->token && !config_is_loopback(c)) {
        c->token = token_make();
        c->token_made = true;
    }
    bool there = c->token || (!w->token && config_is_loopback(c));
    if (!there) fprintf(stderr, "lode: cannot create a token: out of memory or random numbers\n");
    return there ? -1 : EXIT_FAILED;
}

int config_read(config *c, int n, char **words) {
    *c = (config){.bind = "127.0.0.1", .port = 8080, .workers = 4};
    lode_resources machine = LODE_INIT(lode_resources);
    lode_resources_get(&machine);
    c->threads = machine.threads;
    c->memory = machine.memory_total / 2;
    c->max_upload = UINT64_C(16) << 30;
    c->max_disk = UINT64_C(64) << 30;
    c->max_connections = 2048;
    c->max_rate = 1000;
    c->max_wait = 30;
    config_words w = {.config = c};
    for (int i = 1; i < n; i++) {
        int status = config_read_one(&w, n, words, &i);
        if (status >= 0) return status;
    }
    if (w.help) {
        config_help();
        return EXIT_DONE;
    }
    if (c->socket && !w.said_tcp) c->bind = NULL;
    if (!c->bind && c->open) {
        fprintf(stderr, "lode: --open requires a port; a browser cannot open a Unix socket\n");
        return EXIT_USAGE;
    }
    int status = config_set_token(c, &w);
    if (status >= 0) return status;
    return config_folders(c, w.data) && config_find_program(c) ? -1 : EXIT_FAILED;
}

void config_free(config *c) {
    free(c->data);
    free(c->datasets_dir);
    free(c->results_dir);
    free(c->tmp_dir);
    free(c->disk_file);
    free(c->token);
}
