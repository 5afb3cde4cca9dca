/* main.c - lode-mpi: mines itemsets and graphs with several processes that share the work by MPI
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli_file.h"
#include "job_result.h"
#include "rank_journal.h"
#include "top_threshold.h"
#include "tuning.h"

#define MPI_OPTIONS                                                                                \
    {"output", 'o', "FILE", "standard output",                                                     \
     "write to FILE; the file appears only when it is complete"},                                  \
        {"parts", 0, NULL, "one file",                                                             \
         "leave the parts FILE.1 … FILE.N; `lode merge` joins them"},                              \
        {"count", 'c', NULL, "write the patterns",                                                 \
         "write only the number of patterns of each size"},                                        \
        {"hash", 0, NULL, "no hash",                                                               \
         "with --count: also write a hash of the result, to compare runs"},                        \
        {"report", 0, "json[=FILE]", "text", "write a JSON report of the job and of each rank"},   \
        {"journal", 0, "BASE", "none", "record progress in BASE.1 … BASE.N, for --resume"},        \
        {"resume", 0, NULL, "start from the beginning",                                            \
         "continue the interrupted job whose journals --journal names"},                           \
        {"silence", 0, "SECONDS", "600", "end the job if a rank sends no message for SECONDS"}, {  \
        "quiet", 'q', NULL, "report on standard error", "print only results, warnings and errors"  \
    }

static const cli_option mpi_options[] = {MPI_OPTIONS, {0}};

static const cli_command mpi_itemsets = {
    .name = "itemsets",
    .program = "lode-mpi",
    .arguments = "FILE... -s SUPPORT [options]",
    .summary = "find itemsets that occur in at least SUPPORT transactions",
    .groups = LODE_OPTION_JOB | LODE_OPTION_DEVICE | LODE_OPTION_READ | LODE_OPTION_MINE |
              LODE_OPTION_CONSTRAINT | LODE_OPTION_WRITE,
    .options = mpi_options,
    .n_files = CLI_MANY_FILES,
};

static const cli_command mpi_graphs = {
    .name = "graphs",
    .program = "lode-mpi",
    .arguments = "FILE -s SUPPORT [options]",
    .summary = "find connected subgraphs that occur in at least SUPPORT graphs",
    .groups = LODE_OPTION_JOB | LODE_OPTION_DEVICE | LODE_OPTION_GRAPH_READ | LODE_OPTION_GRAPH |
              LODE_OPTION_GRAPH_WRITE,
    .options = mpi_options,
    .n_files = 1,
};

/* ---- the command line ------------------------------------------------------------------------ */

static void print_row(char letter, const char *name, const char *argument, const char *help) {
    char left[64], short_form[8] = "    ";
    if (letter) snprintf(short_form, sizeof short_form, "-%c, ", letter);
    snprintf(left, sizeof left, "%s--%s%s%s", short_form, name, argument ? " " : "",
             argument ? argument : "");
    printf("  %-28s %s\n", left, help);
}

static void print_help(const cli_command *command) {
    printf("lode-mpi %s %s\n  %s\n\nOptions\n", command->name, command->arguments,
           command->summary);
    for (size_t i = 0; lode_option_at(i); i++) {
        const lode_option *o = lode_option_at(i);
        if (o->group & command->groups) print_row(o->letter, o->name, o->argument, o->help);
    }
    for (const cli_option *o = command->options; o->name; o++) {
        print_row(o->letter, o->name, o->argument, o->help);
    }
    printf("\nlode-mpi does not support these options of lode: -w arrow, top:K without -s%s\n",
           command == &mpi_graphs ? ", -w dot" : ", --sort, --sort-by, --csv-items columns");
}

static void print_usage(FILE *file) {
    fprintf(file,
            "lode-mpi %s - frequent patterns, with several processes\n\n"
            "  mpirun -n 4 lode-mpi itemsets FILE... -s SUPPORT [options]\n"
            "  mpirun -n 4 lode-mpi graphs FILE -s SUPPORT [options]\n"
            "  lode-mpi itemsets --help                 show the options\n",
            lode_version());
}

/* Whether the options fit into journals and manifests, after some words of their own. */
static bool check_length(const cli_args *args) {
    static char text[SHARE_TEXT];
    if (share_options(args, "", text) && strlen(text) + 128 < sizeof text) return true;
    cli_error("the options are too long; journals and manifests store at most %d characters",
              SHARE_TEXT - 128);
    return false;
}

/* Whether the output is a regular file: parts are made beside it and then renamed, unlike for
 * devices and pipes. */
static bool is_plain(const char *path) {
    struct stat file;
    return stat(path, &file) != 0 || S_ISREG(file.st_mode);
}

/* Only one rank has a standard input, so that the others would read nothing; ranks that read one
 * pipe would each get a part of it. */
static bool check_input(const cli_args *args) {
    int n_ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    for (int i = 0; n_ranks > 1 && i < args->n_files; i++) {
        const char *file = args->files[i];
        if (cli_can_repeat(file) && strcmp(file, "/dev/stdin") != 0) continue;
        cli_error("lode-mpi cannot read standard input or a pipe with more than one rank; give a "
                  "file that all ranks can read");
        return false;
    }
    return true;
}

/* Whether parts and journals would have the same names: these begin with the two paths. */
static bool is_same_base(const char *output, const char *journal) {
    return output && journal && strcmp(output, journal) == 0;
}

static bool check_args(const cli_args *args) {
    const char *output = cli_given(args, "output");
    bool named = output && strcmp(output, "-") != 0;
    if (!args->min_support) {
        cli_error(
            "no minimum support; give one, such as -s 1%% or -s 250 (lode-mpi requires it even "
            "with top:K)");
    } else if (cli_given(args, "count") && (output || cli_given(args, "parts"))) {
        cli_error("--count writes to standard output; it cannot be combined with --%s",
                  output ? "output" : "parts");
    } else if (cli_given(args, "hash") && !cli_given(args, "count")) {
        cli_error("--hash requires --count");
    } else if (cli_given(args, "parts") && !named) {
        cli_error("--parts requires --output FILE; it writes FILE.1, FILE.2 and so on");
    } else if (cli_given(args, "resume") && !cli_given(args, "journal")) {
        cli_error("--resume requires --journal BASE of the interrupted job");
    } else if (cli_given(args, "journal") && cli_word(args, "limit-patterns")) {
        cli_error("--journal cannot be combined with --limit-patterns");
    } else if (is_same_base(output, cli_given(args, "journal"))) {
        cli_error("--journal and --output are both '%s'; give different names", output);
    } else if (named && !is_plain(output)) {
        cli_error("--output '%s' is not a regular file; use - for standard output", output);
    } else {
        return check_input(args) && check_length(args) && share_check_form(args, "lode-mpi");
    }
    return false;
}

/* Rank 0 parses first, so that an error is printed once. */
static int parse_words(cli_args *args, const cli_command *command, int n, char **words) {
    cli_report_form form;
    int code = cli_parse(args, command, n, words);
    bool graphs = command->groups & LODE_OPTION_GRAPH;
    if (code == CLI_DONE && !cli_write_by_name(args, NULL)) code = CLI_USAGE;
    if (code == CLI_DONE && !check_args(args)) code = CLI_USAGE;
    if (code == CLI_DONE && graphs && !cli_may_list(args)) code = CLI_USAGE;
    if (code == CLI_DONE && !cli_parse_report(args, &form)) code = CLI_USAGE;
    if (code == CLI_DONE && form.tsv) {
        cli_error("--report tsv: lode-mpi writes json");
        code = CLI_USAGE;
    }
    return code;
}

/* Whether the files that rank 0 writes can be written. */
static bool check_outputs(const cli_args *args) {
    cli_report_form form;
    return cli_file_check(cli_given(args, "output")) && cli_parse_report(args, &form) &&
           cli_file_check(form.path);
}

static int parse_everywhere(cli_args *args, const cli_command *command, int n, char **words) {
    int rank, code = CLI_DONE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) code = parse_words(args, command, n, words);
    if (rank == 0 && code == CLI_DONE && !check_outputs(args)) code = CLI_FAILED;
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank != 0 && code == CLI_DONE) code = parse_words(args, command, n, words);
    return code;
}

/* ---- the end --------------------------------------------------------------------------------- */

static unsigned end_seconds = 600; /* --silence */
static volatile sig_atomic_t end_code;

static void end_at_once(int number) {
    static const char text[] = "lode: the MPI library does not shut down; this rank has finished "
                               "its work and exits without waiting for it\n";
    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(CLI_FAILED);
    _exit(end_code);
}

/* Ends MPI. A library has been seen that did not come back from that, when everything was done. */
static int end_ranks(int code) {
    end_code = code;
    signal(SIGALRM, end_at_once);
    alarm(end_seconds);
    rank_finalize();
    return code;
}

/* ---- the job --------------------------------------------------------------------------------- */

/* Only rank 0 speaks. */
static void tell(void *user, lode_log_level level, const char *message) {
    const rank_run *r = user;
    if (r->rank != 0) return;
    if (level == LODE_LOG_WARNING) cli_error("%s", message);
    if (level == LODE_LOG_INFO && !cli_given(r->args, "quiet")) {
        fprintf(stderr, "note: %s\n", message);
    }
}

/* The resources that the ranks of a node share. */
typedef struct node_share {
    int local, n; /* which of how many ranks this one is */
    char device[32], memory_origin[128];
} node_share;

/* Every rank calls it. */
static void share_node(const rank_run *r, node_share *s) {
    MPI_Comm node;
    MPI_Comm_split_type(r->comm, MPI_COMM_TYPE_SHARED, r->rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &s->local);
    MPI_Comm_size(node, &s->n);
    MPI_Comm_free(&node);
}

/* With --device cuda, each rank uses the GPU with its number on the node. If there are more ranks
 * than GPUs, numbering starts again from the first GPU. */
static void share_gpus(node_share *s, lode_job_options *o) {
    if (s->n < 2 || !o->device || strcmp(o->device, "cuda") != 0) return;
    snprintf(s->device, sizeof s->device, "cuda:%d%%", s->local);
    o->device = s->device;
}

/* Without --memory, each rank has an equal part of the default of the node. */
static void share_memory(const cli_args *args, node_share *s, lode_job_options *o) {
    if (s->n < 2 || o->memory_bytes == 0 || cli_word(args, "memory")) return;
    snprintf(s->memory_origin, sizeof s->memory_origin, "%s, divided among %d ranks",
             o->memory_origin, s->n);
    o->memory_bytes /= (unsigned)s->n;
    o->memory_origin = s->memory_origin;
}

static int open_job(rank_run *r) {
    uint64_t silence = 600;
    node_share share = {0};
    lode_options_set_log(r->args->options, tell, r);
    bool fine = cli_number(r->args, "silence", UINT32_MAX, &silence);
    r->silence = (double)silence;
    if (!fine) return CLI_USAGE;
    end_seconds = (unsigned)silence;
    share_node(r, &share);
    lode_status status = cli_set_memory(r->args);
    lode_job_options o = *lode_options_job(r->args->options);
    share_gpus(&share, &o);
    share_memory(r->args, &share, &o);
    if (status == LODE_OK) status = lode_job_create(&r->job, NULL, &o);
    int code = rank_agree(r, status, NULL);
    if (code == CLI_DONE) rank_handle_signals(r);
    return code;
}

/* The request, with the threshold as a number of transactions. */
static void open_request(rank_run *r) {
    r->asked = r->kind->request(r->args, &r->options);
    r->asked.min_support =
        (lode_threshold){lode_threshold_count(r->asked.min_support, r->total), 0};
    r->present = r->asked;
    r->present.limit_seconds = 0; /* the job has a clock of its own */
    r->began = cli_seconds();
}

static int open_output(rank_run *r) {
    return r->journal ? journal_begin(r) : rank_agree(r, outcome_open(&r->out, r->job, NULL), NULL);
}

/* A job with journals has ended early: nothing is written but these. */
static int say_kept(const rank_run *r) {
    if (r->rank == 0) {
        cli_error("%s: the journals are kept; use --resume to continue",
                  r->ended == SCHED_LIMIT ? "stopped by a limit" : "interrupted");
    }
    return r->ended == SCHED_LIMIT ? CLI_LIMIT : CLI_INTERRUPTED;
}

/* Divides, searches and collects. */
static int run_search(rank_run *r, job_result *j) {
    int code = rank_divide(r);
    if (code == CLI_DONE) code = open_output(r);
    if (code == CLI_DONE) code = rank_search(r);
    j->seconds = cli_seconds() - r->began;
    if (code != CLI_DONE) return code;
    if (r->journal && r->ended != SCHED_GOES_ON) return say_kept(r);
    if (r->journal) code = journal_collect(r);
    return code == CLI_DONE ? result_collect(r, j) : code;
}

static int run_all(rank_run *r, job_result *j) {
    bool counts = cli_given(r->args, "count");
    int code = rank_read(r);
    if (code != CLI_DONE) return code;
    open_request(r);
    if (r->asked.target == LODE_TARGET_TOP) code = top_find_threshold(r);
    if (code != CLI_DONE) return code;
    r->out = (rank_output){.args = r->args, .kind = r->kind, .data = r->data};
    r->out.mode = !counts ? OUTPUT_TEXT : cli_given(r->args, "hash") ? OUTPUT_HASH : OUTPUT_COUNT;
    code = result_place(r, j);
    return code == CLI_DONE ? run_search(r, j) : code;
}

static int run_job(const cli_args *args, const rank_kind *kind) {
    const char *base = cli_given(args, "journal");
    rank_journal journal = {.resumes = cli_given(args, "resume")};
    rank_run run = {.args = args, .kind = kind, .comm = MPI_COMM_WORLD};
    job_result result = {0};
    cli_report_form form;
    MPI_Comm_rank(run.comm, &run.rank);
    MPI_Comm_size(run.comm, &run.n_ranks);
    if (!cli_parse_report(args, &form)) return CLI_USAGE;
    if (base && strlen(base) >= sizeof journal.base) return CLI_USAGE;
    if (base) snprintf(journal.base, sizeof journal.base, "%s", base);
    if (base) run.journal = &journal;
    int code = open_job(&run);
    if (code == CLI_DONE) code = run_all(&run, &result);
    code = result_report(&run, &result, &form, code);
    rank_tell_all(&run, 0, &code, sizeof code);
    outcome_close(&run.out);
    if (base) journal_close(&run, code == CLI_DONE);
    rank_close(&run);
    result_free(&result);
    return code;
}

static int run_command(int n, char **words) {
    cli_args args = {0};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool graphs = n > 0 && strcmp(words[0], "graphs") == 0;
    const cli_command *command = graphs ? &mpi_graphs : &mpi_itemsets;
    bool help = n == 0 || strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0;
    if (help || (!graphs && strcmp(words[0], "itemsets") != 0)) {
        if (rank == 0 && !help) cli_error("expected itemsets or graphs, not '%s'", words[0]);
        if (rank == 0) print_usage(help ? stdout : stderr);
        return help ? CLI_DONE : CLI_USAGE;
    }
    for (int i = 1; i < n; i++) {
        if (strcmp(words[i], "--help") != 0 && strcmp(words[i], "-h") != 0) continue;
        if (rank == 0) print_help(command);
        return CLI_DONE;
    }
    int code = parse_everywhere(&args, command, n - 1, words + 1);
    if (code == CLI_DONE) code = run_job(&args, graphs ? &rank_graphs : &rank_itemsets);
    lode_options_free(args.options);
    return code;
}

int main(int argc, char **argv) {
    if (!rank_init(&argc, &argv)) {
        cli_error("this MPI library does not support threads");
        MPI_Abort(MPI_COMM_WORLD, CLI_FAILED);
    }
    return end_ranks(run_command(argc - 1, argv + 1));
}
