/* adbc.c - see adbc.h
 *
 * The structs follow the specification of ADBC 1.0.0, with StatementCancel of 1.1.0. Functions that
 * lode does not call are only a place in the struct.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/arrow/adbc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/vec.h"

/* ---- the interface --------------------------------------------------------------------------- */

#if defined(__aarch64__)
#define ADBC_NPM_MACHINE "arm64"
#else
#define ADBC_NPM_MACHINE "x64"
#endif
#define ADBC_SAMPLE "1000" /* rows of a Parquet file that are read to choose the columns */
#define ADBC_1_0    1000000
#define ADBC_1_1    1001000

typedef struct adbc_error {
    char *message;
    int32_t vendor_code;
    char sqlstate[5];
    void (*release)(struct adbc_error *);
    void *of_1_1[2];
} adbc_error;

/* A database, a connection or a statement. */
typedef struct adbc_object {
    void *data, *driver;
} adbc_object;

typedef void (*adbc_unused)(void);
typedef uint8_t (*adbc_act)(adbc_object *, adbc_error *);
typedef uint8_t (*adbc_act_in)(adbc_object *, adbc_object *, adbc_error *);
typedef uint8_t (*adbc_set)(adbc_object *, const char *, const char *, adbc_error *);

typedef struct adbc_driver {
    void *data, *manager;
    uint8_t (*release)(struct adbc_driver *, adbc_error *);
    adbc_act database_init, database_new;
    adbc_set database_set;
    adbc_act database_release;
    adbc_unused connection_commit, connection_info, connection_objects, connection_table,
        connection_types;
    adbc_act_in connection_init;
    adbc_act connection_new;
    adbc_set connection_set;
    adbc_unused connection_partition;
    adbc_act connection_release;
    adbc_unused connection_rollback, statement_bind;
    uint8_t (*statement_bind_stream)(adbc_object *, struct ArrowArrayStream *, adbc_error *);
    uint8_t (*statement_execute)(adbc_object *, struct ArrowArrayStream *, int64_t *, adbc_error *);
    adbc_unused statement_partitions, statement_schema;
    adbc_act_in statement_new;
    adbc_act statement_prepare, statement_release;
    adbc_set statement_set;
    uint8_t (*statement_sql)(adbc_object *, const char *, adbc_error *);
    adbc_unused statement_plan;
    adbc_unused of_1_1[20]; /* errors, databases and connections */
    adbc_act statement_cancel;
    adbc_unused rest_of_1_1[8];
} adbc_driver;

typedef uint8_t (*adbc_init_fn)(int version, void *driver, adbc_error *error);

struct adbc {
    lode_job *job;
    adbc_driver driver;
    adbc_object database, connection, statement;
    bool has_database, has_connection, has_statement;
    bool is_duckdb;
    const char *name;    /* of the file or database, for messages; lent */
    const char *parquet; /* the file to read or to write; NULL = none */
    bool writes;
    size_t charged; /* bytes of the budget that the driver may use */
    struct ArrowArrayStream stream;
    /* the thread that cancels the query */
    pthread_t watcher;
    bool watches;
    pthread_mutex_t lock; /* guards `ends`, and statement_cancel against the end of the statement */
    pthread_cond_t wake;
    bool ends;
};

/* ---- errors ---------------------------------------------------------------------------------- */

/* The first line of a driver's message: the others repeat the query. */
static size_t adbc_line(const char *text) {
    return strcspn(text, "\r\n");
}

static lode_status adbc_fail(adbc *a, adbc_error *error) {
    const char *why = error->message ? error->message : "the driver gives no reason";
    const int n = (int)adbc_line(why);
    lode_status status = a->writes ? LODE_IO : a->parquet ? LODE_PARSE : LODE_INVALID;
    if (job_is_cancelled(a->job)) {
        status = LODE_CANCELLED;
    } else if (a->charged > 0 && strstr(why, "Out of Memory")) {
        status = job_fail(a->job, LODE_BUDGET,
                          "%s: the database driver may use %.0f MiB of the memory budget, which is "
                          "too little: %.*s; set a higher --memory",
                          a->name, job_mib(a->charged), n, why);
    } else {
        status = job_fail(a->job, status, "%s: %.*s", a->name, n, why);
    }
    if (error->release) error->release(error);
    return status;
}

#define ADBC_TRY(a, call)                                                                          \
    do {                                                                                           \
        adbc_error error = {0};                                                                    \
        if ((call) != 0) LODE_LEAVE(adbc_fail(a, &error));                                         \
    } while (0)

/* ---- finding a driver ------------------------------------------------------------------------ */

#ifdef LODE_OTHER_PROGRAM /* the static program, which cannot load libraries */
static lode_status adbc_start_driver(adbc *a, const adbc_request *request) {
    (void)request;
    return job_fail(
        a->job, LODE_UNSUPPORTED,
        "%s: the static lode has no drivers for Parquet files and databases; use the lode in "
        "%s",
        a->name, LODE_OTHER_PROGRAM);
}
#else
/* What a database needs: which library, and the option that takes its URI or path. */
typedef struct adbc_kind {
    const char *scheme; /* that the URI begins with */
    const char *library, *init;
    const char *what; /* to be installed, for the message */
} adbc_kind;

static const adbc_kind adbc_kinds[] = {
    {"postgresql:", "libadbc_driver_postgresql.so", "AdbcDriverPostgresqlInit",
     "the ADBC driver for PostgreSQL"},
    {"postgres:", "libadbc_driver_postgresql.so", "AdbcDriverPostgresqlInit",
     "the ADBC driver for PostgreSQL"},
    {"sqlite:", "libadbc_driver_sqlite.so", "AdbcDriverSqliteInit", "the ADBC driver for SQLite"},
    {"", "libduckdb.so", "duckdb_adbc_init", "DuckDB's library"},
};

static const adbc_kind *adbc_kind_of(const char *database) {
    const adbc_kind *kind = adbc_kinds;
    while (database && strncmp(database, kind->scheme, strlen(kind->scheme)) != 0) kind++;
    return database ? kind : &adbc_kinds[sizeof adbc_kinds / sizeof *adbc_kinds - 1];
}

/* FOLDER/LIBRARY, or what `place` says if it is a file. */
static void *adbc_load_at(const char *place, const char *library) {
    char path[OS_PATH_BYTES];
    struct stat at;
    if (stat(place, &at) != 0) return NULL;
    const char *form = S_ISDIR(at.st_mode) ? "%s/%s" : "%s";
    int n = snprintf(path, sizeof path, form, place, library);
    /* a name without a slash would be looked for among the libraries of the system */
    if (n < 0 || n + 2 >= (int)sizeof path) return NULL;
    if (!strchr(path, '/')) {
        memmove(path + 2, path, (size_t)n + 1);
        memcpy(path, "./", 2);
    }
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* The folder ../lib/lode of the program. */
static void *adbc_load_installed(const char *library) {
    char path[OS_PATH_BYTES];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0) return NULL;
    path[n] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (!slash) return NULL;
        *slash = 0;
    }
    size_t length = strlen(path);
    snprintf(path + length, sizeof path - length, "/lib/lode");
    return adbc_load_at(path, library);
}

static void *adbc_load(const char *driver, const char *library) {
    const char *place = driver ? driver : getenv("LODE_ADBC");
    void *handle = NULL;
    dlerror();
    if (place && place[0]) return adbc_load_at(place, library);
    handle = adbc_load_installed(library);
    return handle ? handle : dlopen(library, RTLD_NOW | RTLD_LOCAL);
}

static lode_status adbc_missing(adbc *a, const char *driver, const adbc_kind *kind) {
    const char *place = driver ? driver : getenv("LODE_ADBC"), *why = dlerror();
    const lode_status status = a->parquet && !a->writes ? LODE_PARSE : LODE_UNSUPPORTED;
    if (place && place[0]) {
        return job_fail(a->job, status, "%s: the driver '%s'%s cannot be loaded: %s", a->name,
                        place,
                        a->writes    ? ", which is to write a Parquet file,"
                        : a->parquet ? ", which is to read this Parquet file,"
                                     : "",
                        why ? why : "there is no such file");
    }
    if (kind->scheme[0] == 0) {
        return job_fail(
            a->job, status,
            "%s: %s %s takes DuckDB's library, which is not installed; to get it: `npm pack "
            "@duckdb/node-bindings-linux-%s` and `tar -xzf duckdb-node-bindings-*.tgz`, then set "
            "LODE_ADBC=$PWD/package",
            a->name, a->writes ? "writing" : "reading", a->parquet ? "Parquet files" : "databases",
            ADBC_NPM_MACHINE);
    }
    return job_fail(a->job, LODE_UNSUPPORTED,
                    "%s: %s (%s) is not installed; install it, or name it with --driver FILE",
                    a->name, kind->what, kind->library);
}

/* Loads the driver and fills a->driver. Libraries are never unloaded: they may have threads. */
static lode_status adbc_start_driver(adbc *a, const adbc_request *request) {
    static const char *const inits[] = {"duckdb_adbc_init", "AdbcDriverInit",
                                        "AdbcDriverPostgresqlInit", "AdbcDriverSqliteInit"};
    lode_status status = LODE_OK;
    const adbc_kind *kind = adbc_kind_of(request->database);
    void *handle = adbc_load(request->driver, kind->library);
    if (!handle) return adbc_missing(a, request->driver, kind);
    adbc_init_fn init = NULL;
    adbc_error refused = {0}; /* by drivers of 1.0.0 */
    for (size_t i = 0; !init && i < sizeof inits / sizeof *inits; i++) {
        *(void **)&init = dlsym(handle, inits[i]);
        a->is_duckdb = init && i == 0;
    }
    if (!init) {
        LODE_LEAVE(job_fail(a->job, LODE_UNSUPPORTED,
                            "the driver '%s' is no ADBC driver: it has no function AdbcDriverInit",
                            request->driver ? request->driver : kind->library));
    }
    if (init(ADBC_1_1, &a->driver, &refused) != 0) {
        if (refused.release) refused.release(&refused);
        memset(&a->driver, 0, sizeof a->driver);
        ADBC_TRY(a, init(ADBC_1_0, &a->driver, &error));
        a->driver.statement_cancel = NULL;
    }
done:
    return status;
}

#endif

/* ---- the database ---------------------------------------------------------------------------- */

static lode_status adbc_set_option(adbc *a, const char *key, const char *value) {
    lode_status status = LODE_OK;
    ADBC_TRY(a, a->driver.database_set(&a->database, key, value, &error));
done:
    return status;
}

/* The driver counts its memory itself, so it gets half of what the budget leaves, and lode counts
 * this half as used. */
static lode_status adbc_limit_memory(adbc *a) {
    lode_status status = LODE_OK;
    char text[32], folder[OS_PATH_BYTES];
    size_t half = mem_left(&a->job->mem) / 2;
    if (mem_left(&a->job->mem) == SIZE_MAX) goto done;
    LODE_TRY(mem_charge(&a->job->mem, half));
    a->charged = half;
    snprintf(text, sizeof text, "%zuKiB", half / 1024);
    LODE_TRY(adbc_set_option(a, "memory_limit", text));
    /* what does not fit goes to files, as with --spill */
    int fd = os_open_scratch(NULL, folder);
    if (fd >= 0) os_close(fd);
    LODE_TRY(adbc_set_option(a, "temp_directory", fd >= 0 ? folder : ""));
done:
    return status;
}

static lode_status adbc_set_duckdb(adbc *a, const char *database) {
    static const char *const off[] = {"autoinstall_known_extensions", "autoload_known_extensions",
                                      "allow_community_extensions"};
    lode_status status = LODE_OK;
    char threads[16];
    if (database) {
        LODE_TRY(adbc_set_option(a, "path", database));
        LODE_TRY(adbc_set_option(a, "access_mode", "READ_ONLY"));
    }
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        LODE_TRY(adbc_set_option(a, off[i], "false"));
    }
    /* where no extension is, so that a query cannot install one either */
    LODE_TRY(adbc_set_option(a, "custom_extension_repository", "/"));
    snprintf(threads, sizeof threads, "%u", a->job->threads > 0 ? a->job->threads : 1);
    LODE_TRY(adbc_set_option(a, "threads", threads));
    LODE_TRY(adbc_limit_memory(a));
done:
    return status;
}

static lode_status adbc_connect(adbc *a, const char *database) {
    lode_status status = LODE_OK;
    ADBC_TRY(a, a->driver.database_new(&a->database, &error));
    a->has_database = true;
    if (a->is_duckdb) {
        LODE_TRY(adbc_set_duckdb(a, database));
    } else if (database) {
        LODE_TRY(adbc_set_option(a, "uri", database));
    }
    ADBC_TRY(a, a->driver.database_init(&a->database, &error));
    ADBC_TRY(a, a->driver.connection_new(&a->connection, &error));
    a->has_connection = true;
    ADBC_TRY(a, a->driver.connection_init(&a->connection, &a->database, &error));
done:
    return status;
}

/* ---- cancelling ------------------------------------------------------------------------------ */

static void *adbc_watch(void *arg) {
    adbc *a = arg;
    pthread_mutex_lock(&a->lock);
    while (!a->ends && !job_is_cancelled(a->job)) {
        cond_wait_for(&a->wake, &a->lock, 0.05);
    }
    if (!a->ends) {
        adbc_error error = {0};
        a->driver.statement_cancel(&a->statement, &error);
        if (error.release) error.release(&error);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

/* Signals are for the program's own threads. */
static void adbc_start_watching(adbc *a) {
    sigset_t all, before;
    bool partial = a->writes && job_is_cancelled(a->job); /* what was found is still written */
    if (!a->driver.statement_cancel || partial) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    a->watches = pthread_create(&a->watcher, NULL, adbc_watch, a) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void adbc_stop_watching(adbc *a) {
    if (!a->watches) return;
    pthread_mutex_lock(&a->lock);
    a->ends = true;
    pthread_cond_signal(&a->wake);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->watcher, NULL);
    a->watches = false;
}

/* ---- queries --------------------------------------------------------------------------------- */

static void adbc_end_statement(adbc *a) {
    adbc_error error = {0};
    adbc_stop_watching(a);
    if (a->stream.release) a->stream.release(&a->stream);
    if (a->has_statement) a->driver.statement_release(&a->statement, &error);
    if (error.release) error.release(&error);
    a->has_statement = false;
    memset(&a->stream, 0, sizeof a->stream);
    memset(&a->statement, 0, sizeof a->statement);
}

static lode_status adbc_run(adbc *a, const char *sql) {
    lode_status status = LODE_OK;
    int64_t rows = 0;
    adbc_end_statement(a);
    ADBC_TRY(a, a->driver.statement_new(&a->connection, &a->statement, &error));
    a->has_statement = true;
    adbc_start_watching(a);
    ADBC_TRY(a, a->driver.statement_sql(&a->statement, sql, &error));
    ADBC_TRY(a, a->driver.statement_execute(&a->statement, &a->stream, &rows, &error));
    if (!a->stream.release) {
        LODE_LEAVE(job_fail(a->job, LODE_INVALID, "%s: the query returns no table", a->name));
    }
done:
    return status;
}

/* Appends a text as a literal of SQL. */
static lode_status adbc_quote(adbc *a, vec_char *sql, const char *text) {
    lode_status status = LODE_OK;
    mem *m = &a->job->mem;
    LODE_TRY(vec_char_append(m, sql, "'", 1));
    for (; *text; text++) {
        if (*text == '\'') LODE_TRY(vec_char_append(m, sql, "'", 1));
        LODE_TRY(vec_char_append(m, sql, text, 1));
    }
    LODE_TRY(vec_char_append(m, sql, "'", 1));
done:
    return status;
}

/* Runs `before` PATH `after`. */
static lode_status adbc_run_with(adbc *a, const char *before, const char *path, const char *after) {
    lode_status status = LODE_OK;
    vec_char sql = {0};
    LODE_TRY(vec_char_append(&a->job->mem, &sql, before, strlen(before)));
    LODE_TRY(adbc_quote(a, &sql, path));
    LODE_TRY(vec_char_append(&a->job->mem, &sql, after, strlen(after) + 1));
    LODE_TRY(adbc_run(a, sql.data));
done:
    vec_char_free(&a->job->mem, &sql);
    return status;
}

static lode_status adbc_check_duckdb(adbc *a) {
    if (a->is_duckdb) return LODE_OK;
    return job_fail(a->job, LODE_UNSUPPORTED,
                    "%s: %s Parquet files takes DuckDB's library, and the driver given is another "
                    "one",
                    a->name, a->writes ? "writing" : "reading");
}

/* From now on, DuckDB opens the Parquet file and no other. */
static lode_status adbc_shut(adbc *a) {
    lode_status status = LODE_OK;
    LODE_TRY(adbc_run_with(a, "SET allowed_paths = [", a->parquet, "]"));
    LODE_TRY(adbc_run(a, "SET enable_external_access = false"));
    LODE_TRY(adbc_run(a, "SET lock_configuration = true"));
done:
    return status;
}

/* Appends a name as an identifier of SQL. */
static lode_status adbc_put_name(adbc *a, vec_char *sql, const char *name) {
    lode_status status = LODE_OK;
    mem *m = &a->job->mem;
    LODE_TRY(vec_char_append(m, sql, "\"", 1));
    for (; *name; name++) {
        if (*name == '"') LODE_TRY(vec_char_append(m, sql, "\"", 1));
        LODE_TRY(vec_char_append(m, sql, name, 1));
    }
    LODE_TRY(vec_char_append(m, sql, "\"", 1));
done:
    return status;
}

lode_status adbc_read_parquet(adbc *a, const char *const *columns, size_t n) {
    lode_status status = LODE_OK;
    mem *m = &a->job->mem;
    vec_char sql = {0};
    LODE_TRY(vec_char_printf(m, &sql, "SELECT %s", n == 0 ? "*" : ""));
    for (size_t i = 0; i < n; i++) {
        if (i > 0) LODE_TRY(vec_char_append(m, &sql, ", ", 2));
        LODE_TRY(adbc_put_name(a, &sql, columns[i]));
    }
    LODE_TRY(vec_char_printf(m, &sql, " FROM read_parquet("));
    LODE_TRY(vec_char_append(m, &sql, "", 1));
    LODE_TRY(adbc_run_with(a, sql.data, a->parquet, ")"));
done:
    vec_char_free(m, &sql);
    return status;
}

/* DuckDB runs the query as a part of another: so it can only read, and never installs anything. */
static lode_status adbc_run_sql(adbc *a, const char *text) {
    lode_status status = LODE_OK;
    vec_char sql = {0};
    size_t n = strlen(text);
    while (n > 0 && strchr("; \t\r\n", text[n - 1])) n--;
    if (!a->is_duckdb) return adbc_run(a, text);
    LODE_TRY(vec_char_printf(&a->job->mem, &sql, "SELECT * FROM (%.*s\n)", (int)n, text));
    LODE_TRY(vec_char_append(&a->job->mem, &sql, "", 1));
    LODE_TRY(adbc_run(a, sql.data));
done:
    vec_char_free(&a->job->mem, &sql);
    return status;
}

lode_status adbc_open(lode_job *job, adbc **out, const adbc_request *request) {
    lode_status status = LODE_OK;
    adbc *a = NULL;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&a, sizeof *a));
    a->job = job;
    a->parquet = request->parquet;
    a->name = request->parquet    ? request->parquet
              : request->database ? request->database
                                  : "the query";
    pthread_mutex_init(&a->lock, NULL);
    cond_init(&a->wake);
    LODE_TRY(adbc_start_driver(a, request));
    if (request->parquet) LODE_TRY(adbc_check_duckdb(a));
    LODE_TRY(adbc_connect(a, request->database));
    if (request->parquet) {
        LODE_TRY(adbc_shut(a));
        LODE_TRY(adbc_run_with(a, "SELECT * FROM read_parquet(", request->parquet,
                               ") LIMIT " ADBC_SAMPLE));
    } else {
        LODE_TRY(adbc_run_sql(a, request->sql));
    }
    *out = a;
    a = NULL;
done:
    adbc_close(a);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* DuckDB copies the table into its memory, or into temporary files if the budget is small. */
static lode_status adbc_take_table(adbc *a, struct ArrowArrayStream *table) {
    static const char *const options[][2] = {{"adbc.ingest.target_table", "lode"},
                                             {"adbc.ingest.mode", "adbc.ingest.mode.create"}};
    lode_status status = LODE_OK;
    int64_t rows = 0;
    adbc_end_statement(a);
    ADBC_TRY(a, a->driver.statement_new(&a->connection, &a->statement, &error));
    a->has_statement = true;
    adbc_start_watching(a);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        ADBC_TRY(a, a->driver.statement_set(&a->statement, options[i][0], options[i][1], &error));
    }
    ADBC_TRY(a, a->driver.statement_bind_stream(&a->statement, table, &error));
    ADBC_TRY(a, a->driver.statement_execute(&a->statement, &a->stream, &rows, &error));
done:
    return status;
}

static lode_status adbc_copy_out(adbc *a, const char *const *pairs) {
    lode_status status = LODE_OK;
    mem *m = &a->job->mem;
    vec_char sql = {0};
    LODE_TRY(vec_char_printf(m, &sql, "COPY lode TO "));
    LODE_TRY(adbc_quote(a, &sql, a->parquet));
    LODE_TRY(vec_char_printf(m, &sql,
                             " (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false, KV_METADATA "
                             "{"));
    for (size_t i = 0; pairs && pairs[i]; i++) {
        if (i > 0) LODE_TRY(vec_char_append(m, &sql, i % 2 ? ": " : ", ", 2));
        LODE_TRY(adbc_quote(a, &sql, pairs[i]));
    }
    LODE_TRY(vec_char_append(m, &sql, "})", 3));
    LODE_TRY(adbc_run(a, sql.data));
done:
    vec_char_free(m, &sql);
    return status;
}

lode_status adbc_write_parquet(lode_job *job, struct ArrowArrayStream *table, const char *path,
                               const char *name, const char *const *pairs) {
    lode_status status = LODE_OK;
    adbc *a = NULL;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&a, sizeof *a));
    *a = (adbc){.job = job, .name = name, .parquet = path, .writes = true};
    pthread_mutex_init(&a->lock, NULL);
    cond_init(&a->wake);
    LODE_TRY(adbc_start_driver(a, &(adbc_request){.parquet = path}));
    LODE_TRY(adbc_check_duckdb(a));
    if (!table) goto done;
    LODE_TRY(adbc_connect(a, NULL));
    LODE_TRY(adbc_shut(a));
    LODE_TRY(adbc_take_table(a, table));
    LODE_TRY(adbc_copy_out(a, pairs));
done:
    adbc_close(a);
    if (table && table->release) table->release(table);
    return status;
}

bool adbc_is_parquet(const char *path) {
    char magic[4];
    bool file = strcmp(path, "-") != 0 && !os_is_special(path);
    int fd = file ? os_open_read(path) : -1;
    bool is = fd >= 0 && os_read_at(fd, magic, sizeof magic, 0) &&
              memcmp(magic, "PAR1", sizeof magic) == 0;
    if (fd >= 0) os_close(fd);
    return is;
}

struct ArrowArrayStream *adbc_stream(adbc *a) {
    return &a->stream;
}

void adbc_close(adbc *a) {
    if (!a) return;
    adbc_error error = {0};
    adbc_end_statement(a);
    if (a->has_connection) a->driver.connection_release(&a->connection, &error);
    if (error.release) error.release(&error);
    error = (adbc_error){0};
    if (a->has_database) a->driver.database_release(&a->database, &error);
    if (error.release) error.release(&error);
    if (a->driver.release) {
        error = (adbc_error){0};
        a->driver.release(&a->driver, &error);
        if (error.release) error.release(&error);
    }
    mem_discharge(&a->job->mem, a->charged);
    pthread_cond_destroy(&a->wake);
    pthread_mutex_destroy(&a->lock);
    mem_free(&a->job->mem, a, sizeof *a);
}
