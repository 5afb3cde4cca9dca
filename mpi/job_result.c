/* job_result.c - see job_result.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "job_result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_file.h"
#include "join_shares.h"
#include "share_manifest.h"
#include "tuning.h"

#define RANK_TEXT_BYTES (1 << 20) /* of a message with text */

/* ---- where ----------------------------------------------------------------------------------- */

int result_place(rank_run *r, job_result *j) {
    const char *output = cli_given(r->args, "output"), *folder = getenv("TMPDIR");
    bool to_stdout = !output || strcmp(output, "-") == 0;
    int n = 0;
    if (cli_given(r->args, "count")) return CLI_DONE;
    if (r->rank == 0 && !to_stdout) {
        n = snprintf(j->base, sizeof j->base, "%s", output);
        snprintf(j->output, sizeof j->output, "%s", output);
    } else if (r->rank == 0) { /* parts need a place until they are joined */
        n = snprintf(j->base, sizeof j->base, "%s/lode-mpi.%ld", folder ? folder : "/tmp",
                     (long)getpid());
    }
    j->parts = cli_given(r->args, "parts") != NULL;
    j->output_named = !to_stdout;
    r->out.nameless = to_stdout;
    rank_tell_all(r, 0, j->base, sizeof j->base);
    r->number = (uint64_t)(cli_seconds() * 1e9) ^ (uint64_t)getpid() << 40;
    rank_tell_all(r, 0, &r->number, sizeof r->number);
    bool fits = n >= 0 && (size_t)n + 32 < sizeof j->base;
    int code = rank_agree(r, fits ? LODE_OK : LODE_INVALID, "the name of the output is too long");
    if (code != CLI_DONE) return code;
    snprintf(r->out.part, sizeof r->out.part, "%.*s.%d", RANK_PATH - 32, j->base, r->rank + 1);
    bool fine = !j->parts || share_may_replace(r->out.part);
    return rank_agree(r, fine ? LODE_OK : LODE_PARSE,
                      "the manifest of a part would overwrite another file");
}

/* ---- numbers --------------------------------------------------------------------------------- */

static lode_status result_add_up(rank_run *r, job_result *j) {
    uint64_t n = r->out.n_sizes, most, *mine, *hashes;
    MPI_Allreduce(&n, &most, 1, MPI_UINT64_T, MPI_MAX, r->comm);
    mine = calloc(most + 1, sizeof *mine);
    j->sizes = calloc(most + 1, sizeof *j->sizes);
    hashes = calloc((size_t)r->n_ranks, sizeof *hashes);
    j->ranks = calloc((size_t)r->n_ranks, sizeof *j->ranks);
    if (!mine || !j->sizes || !hashes || !j->ranks) MPI_Abort(r->comm, CLI_FAILED);
    if (n > 0) memcpy(mine, r->out.sizes, n * sizeof *mine);
    MPI_Allreduce(mine, j->sizes, (int)most + 1, MPI_UINT64_T, MPI_SUM, r->comm);
    MPI_Allreduce(&r->out.patterns, &j->patterns, 1, MPI_UINT64_T, MPI_SUM, r->comm);
    MPI_Allgather(&r->out.hash, 1, MPI_UINT64_T, hashes, 1, MPI_UINT64_T, r->comm);
    r->figures.patterns = r->out.patterns;
    MPI_Gather(&r->figures, sizeof r->figures, MPI_BYTE, j->ranks, sizeof r->figures, MPI_BYTE, 0,
               r->comm);
    j->n_sizes = (size_t)most;
    j->hash = lode_hash_join(r->kind->patterns, hashes, (size_t)r->n_ranks);
    free(mine);
    free(hashes);
    return LODE_OK;
}

static lode_status result_print(const rank_run *r, const job_result *j) {
    if (r->rank != 0 || !cli_given(r->args, "count")) return LODE_OK;
    for (size_t i = 0; i < j->n_sizes; i++) {
        if (j->sizes[i] > 0) printf("%zu %llu\n", i, (unsigned long long)j->sizes[i]);
    }
    printf("total %llu\n", (unsigned long long)j->patterns);
    if (cli_given(r->args, "hash")) printf("hash %016llx\n", (unsigned long long)j->hash);
    return fflush(stdout) == 0 ? LODE_OK : LODE_IO;
}

/* ---- the manifest of a part, in the form that `lode merge` reads ----------------------------- */

static void part_hash(char text[SHARE_SMALL], uint64_t hash) {
    snprintf(text, SHARE_SMALL, "%016llx", (unsigned long long)hash);
}

/* Writes PART.share.json for part number `part` of `n`. Returns false and sets errno on failure. */
static bool part_write_manifest(const rank_run *r, int part, int n, bool complete) {
    static share_manifest m;
    char count[64];
    m = (share_manifest){.share = (uint64_t)part,
                         .of = (uint64_t)n,
                         .top = 0, /* parts of top:K have nothing but the best */
                         .complete = complete,
                         .patterns = r->out.patterns,
                         .bytes = r->out.bytes};
    snprintf(m.kind, sizeof m.kind, "%s", r->args->command->name);
    snprintf(m.write, sizeof m.write, "%s", share_format(r->args));
    snprintf(count, sizeof count, "mpi count=%llu",
             (unsigned long long)r->asked.min_support.numerator);
    part_hash(m.cut, lode_tasks_hash(r->tasks) + r->number); /* steals differ between jobs */
    part_hash(m.data, r->fingerprint);
    errno = E2BIG; /* if the options are too long */
    return share_options(r->args, count, m.options) &&
           share_sizes(r->out.sizes, r->out.n_sizes, m.sizes) &&
           share_hash_file(outcome_path(&r->out), m.content) &&
           share_save(outcome_path(&r->out), &m);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* With --limit, ranks together may have found more patterns than requested: the last ranks drop the
 * surplus. */
static lode_status result_cut(rank_run *r) {
    uint64_t before = 0, limit = r->asked.limit_patterns;
    if (limit == 0 || r->out.mode != OUTPUT_TEXT) return LODE_OK;
    MPI_Exscan(&r->out.patterns, &before, 1, MPI_UINT64_T, MPI_SUM, r->comm);
    if (r->rank == 0) before = 0;
    return outcome_cut(&r->out, before < limit ? limit - before : 0);
}

/* Rank 0 gets the names of all parts, RANK_PATH bytes each, which are to be freed; others NULL. */
static char *result_gather_names(const rank_run *r) {
    char own[RANK_PATH] = "", *names = NULL;
    snprintf(own, sizeof own, "%s", outcome_path(&r->out));
    if (r->rank == 0) names = calloc((size_t)r->n_ranks, RANK_PATH);
    if (r->rank == 0 && !names) MPI_Abort(r->comm, CLI_FAILED);
    MPI_Gather(own, RANK_PATH, MPI_BYTE, names, RANK_PATH, MPI_BYTE, 0, r->comm);
    return names;
}

/* Joins the parts, all of which are there, as `lode merge` does. */
static int result_join(const rank_run *r, job_result *j, const char *names, bool partial) {
    char written[MERGE_PATH];
    size_t n = (size_t)r->n_ranks;
    const char **files = calloc(n, sizeof *files);
    cli_args args = {.command = &cli_merge, .n_files = r->n_ranks};
    if (!files) MPI_Abort(r->comm, CLI_FAILED);
    for (size_t i = 0; i < n; i++) files[i] = names + i * RANK_PATH;
    args.files = files;
    args.file = files[0];
    args.given[0] = j->output; /* the options of merge: output, quiet */
    args.given[1] = "";
    int code = merge_shares(&args, partial, written);
    if (code == CLI_DONE && partial) snprintf(j->output, sizeof j->output, "%s", written);
    free(files);
    return code;
}

/* Whether the parts of an interrupted job are not joined: launchers kill ranks soon after a signal,
 * and joining takes time. */
static bool result_stays(const rank_run *r) {
    uint64_t all;
    MPI_Allreduce(&r->out.bytes, &all, 1, MPI_UINT64_T, MPI_SUM, r->comm);
    return all > RANK_JOIN_BYTES;
}

/* Gives the part of this rank its final name if the parts are the result; a part that will be
 * joined keeps its temporary name. Writes the manifest of the part, unless the result is
 * partial. */
static lode_status result_name_part(rank_run *r, const job_result *j, bool partial) {
    lode_status status = j->parts ? outcome_finish(&r->out, partial) : outcome_flush(&r->out);
    if (status != LODE_OK || (partial && j->parts)) return status;
    bool complete = r->ended == SCHED_GOES_ON || !j->parts;
    if (part_write_manifest(r, r->rank + 1, r->n_ranks, complete)) return LODE_OK;
    r->out.failed = true;
    r->out.reason = errno;
    return LODE_IO;
}

/* The names of all parts, as a shell expands them: one word, if no name was taken. */
static void result_put_names(const rank_run *r, const job_result *j, const char *names) {
    char plain[RANK_PATH];
    bool all = true;
    for (int i = 0; i < r->n_ranks && all; i++) {
        snprintf(plain, sizeof plain, "%.*s.%d.partial", RANK_PATH - 32, j->base, i + 1);
        all = strcmp(plain, names + (size_t)i * RANK_PATH) == 0;
    }
    if (all) fprintf(stderr, " '%s'.{1..%d}.partial", j->base, r->n_ranks);
    for (int i = 0; i < r->n_ranks && !all; i++) {
        fprintf(stderr, " '%s'", names + (size_t)i * RANK_PATH);
    }
}

/* The parts of an interrupted job stay: rank 0 says how to join them. */
static void result_say_stays(const rank_run *r, const job_result *j, const char *names) {
    bool csv = strcmp(share_format(r->args), "csv") == 0; /* whose title is needed once */
    fputs(
        "lode: the parts of an interrupted job are too large to be joined now. To join them, run: ",
        stderr);
    if (csv) fprintf(stderr, "(head -n 1 '%s'; tail -q -n +2", names);
    if (!csv) fputs("cat", stderr);
    result_put_names(r, j, names);
    fprintf(stderr, "%s > '%s'.partial\n", csv ? ")" : "", j->output);
}

/* ---- standard output ------------------------------------------------------------------------- */

enum { TAG_TEXT = 77 };

/* Graphs of -w gspan are numbered by each rank for itself, and here through. */
typedef struct numbering {
    bool wanted;
    size_t at; /* how much of GRAPH_LINE has come in this line; LINE_OTHER: it is no such line */
    uint64_t next; /* number */
} numbering;

#define GRAPH_LINE "t # "
#define LINE_OTHER (sizeof GRAPH_LINE)

static void numbering_put(numbering *s, char c) {
    const size_t whole = sizeof GRAPH_LINE - 1;
    if (s->at == whole && c >= '0' && c <= '9') return; /* the number that it had */
    bool goes_on = s->at < whole && c == GRAPH_LINE[s->at];
    s->at = c == '\n' ? 0 : goes_on ? s->at + 1 : LINE_OTHER;
    putc(c, stdout);
    if (s->at == whole) printf("%llu", (unsigned long long)s->next++);
}

static bool numbering_write(numbering *s, const char *text, size_t n) {
    if (!s->wanted) return cli_write_stream(stdout, text, n) == 0;
    for (size_t i = 0; i < n; i++) numbering_put(s, text[i]);
    return !ferror(stdout);
}

/* Sends the text of this rank to rank 0, followed by an empty message; the title is written only
 * once. Returns false if the text could not be read to its end. */
static bool result_send(rank_run *r) {
    char *text = malloc(RANK_TEXT_BYTES);
    size_t n = 1;
    uint64_t at = r->out.title_bytes;
    if (!text) MPI_Abort(r->comm, CLI_FAILED);
    for (; n > 0; at += n) {
        n = outcome_read(&r->out, at, text, RANK_TEXT_BYTES);
        MPI_Send(text, (int)n, MPI_BYTE, 0, TAG_TEXT, r->comm);
    }
    free(text);
    return at >= r->out.bytes;
}

/* Writes the text of one rank; returns false if it cannot be written, although all of it was
 * received. */
static bool result_take(rank_run *r, int from, char *text, numbering *numbers) {
    bool fine = true;
    uint64_t at = 0;
    for (int n = 1; n > 0; at += (uint64_t)n) {
        MPI_Status state;
        if (from == 0) {
            n = (int)outcome_read(&r->out, at, text, RANK_TEXT_BYTES);
        } else {
            MPI_Recv(text, RANK_TEXT_BYTES, MPI_BYTE, from, TAG_TEXT, r->comm, &state);
            MPI_Get_count(&state, MPI_BYTE, &n);
        }
        if (fine && n > 0) fine = numbering_write(numbers, text, (size_t)n);
    }
    return fine && (from > 0 || at >= r->out.bytes);
}

/* Rank 0 writes the text of all ranks, one after the other. */
static int result_print_text(rank_run *r) {
    int code = rank_agree(r, outcome_flush(&r->out), NULL);
    bool fine = true;
    if (code != CLI_DONE) return code;
    if (r->rank != 0) {
        fine = result_send(r);
    } else {
        char *text = malloc(RANK_TEXT_BYTES);
        if (!text) MPI_Abort(r->comm, CLI_FAILED);
        numbering numbers = {.wanted = strcmp(share_format(r->args), "gspan") == 0};
        for (int from = 0; from < r->n_ranks; from++) fine &= result_take(r, from, text, &numbers);
        fine &= fflush(stdout) == 0;
        free(text);
    }
    return rank_agree(r, fine ? LODE_OK : LODE_IO, "cannot copy the result to standard output");
}

static int result_files(rank_run *r, job_result *j) {
    bool partial = r->ended == SCHED_INTERRUPT;
    if (!j->output_named) return result_print_text(r);
    bool stays = partial && !j->parts && result_stays(r);
    j->parts |= stays;
    int code = rank_agree(r, result_name_part(r, j, partial), NULL);
    if (code != CLI_DONE) {
        if (!j->parts) share_forget(outcome_path(&r->out));
        return code;
    }
    char *names = result_gather_names(r);
    if (r->rank == 0 && stays) result_say_stays(r, j, names);
    rank_say_joining(!j->parts);
    if (r->rank == 0 && !j->parts) code = result_join(r, j, names, partial);
    free(names);
    rank_tell_all(r, 0, &code, sizeof code);
    rank_say_joining(false);
    if (!j->parts) share_forget(outcome_path(&r->out));
    return code;
}

int result_collect(rank_run *r, job_result *j) {
    int code = rank_agree(r, result_cut(r), NULL);
    if (code == CLI_DONE && r->out.mode == OUTPUT_TEXT) code = result_files(r, j);
    if (code != CLI_DONE) return code;
    result_add_up(r, j);
    lode_status printed = result_print(r, j);
    code = rank_agree(r, printed, "cannot write to standard output");
    if (code != CLI_DONE) return code;
    return r->ended == SCHED_INTERRUPT ? CLI_INTERRUPTED
           : r->ended == SCHED_LIMIT   ? CLI_LIMIT
                                       : CLI_DONE;
}

/* ---- the report ------------------------------------------------------------------------------ */

static double result_busiest(const rank_run *r, const job_result *j, double *sum) {
    double most = 0;
    *sum = 0;
    for (int i = 0; i < r->n_ranks; i++) {
        *sum += j->ranks[i].search_cpu;
        if (j->ranks[i].search_cpu > most) most = j->ranks[i].search_cpu;
    }
    return most;
}

static void result_rank_json(FILE *file, int rank, const rank_figures *f) {
    fprintf(file,
            "%s{\"rank\":%d,\"patterns\":%llu,\"searches\":%llu,\"search_seconds\":%.6f,"
            "\"idle_seconds\":%.6f,\"read_seconds\":%.6f",
            rank > 0 ? "," : "", rank, (unsigned long long)f->patterns,
            (unsigned long long)f->sched.searches, f->search_seconds, f->idle_seconds,
            f->read_seconds);
    fprintf(file, ",\"read_cpu\":%.6f,\"prepare_cpu\":%.6f,\"search_cpu\":%.6f,\"talk_cpu\":%.6f",
            f->read_cpu, f->prepare_cpu, f->search_cpu, f->talk_cpu);
    fprintf(file,
            ",\"messages\":%llu,\"bytes\":%llu,\"steals\":%llu,\"granted\":%llu,\"tasks_in\":%llu,"
            "\"tasks_out\":%llu}",
            (unsigned long long)f->sched.messages, (unsigned long long)f->message_bytes,
            (unsigned long long)f->sched.steals, (unsigned long long)f->sched.granted,
            (unsigned long long)f->sched.tasks_in, (unsigned long long)f->sched.tasks_out);
}

static void result_json(FILE *file, const rank_run *r, const job_result *j, int code) {
    double sum, most = result_busiest(r, j, &sum);
    fprintf(file, "{\"exit\":%d,\"patterns\":%llu,\"threshold\":%llu,\"ranks\":%d", code,
            (unsigned long long)j->patterns, (unsigned long long)r->present.min_support.numerator,
            r->n_ranks);
    if (r->out.mode == OUTPUT_HASH) {
        fprintf(file, ",\"hash\":\"%016llx\"", (unsigned long long)j->hash);
    }
    fprintf(file, ",\"seconds\":%.6f,\"tasks\":%zu,\"search_cpu\":%.6f,\"busiest_cpu\":%.6f",
            j->seconds, lode_tasks_count(r->tasks), sum, most);
    fprintf(file, ",\"waves\":%llu,\"by_size\":{", (unsigned long long)j->ranks[0].sched.waves);
    const char *between = "";
    for (size_t i = 0; i < j->n_sizes; i++) {
        if (j->sizes[i] == 0) continue;
        fprintf(file, "%s\"%zu\":%llu", between, i, (unsigned long long)j->sizes[i]);
        between = ",";
    }
    fputs("},\"by_rank\":[", file);
    for (int i = 0; i < r->n_ranks; i++) result_rank_json(file, i, &j->ranks[i]);
    fputs("]}\n", file);
}

static void result_say(uint64_t n, const char *one, const char *more) {
    if (n > 0) fprintf(stderr, "%s %s\n", cli_count(n), n == 1 ? one : more);
}

/* What the user may not expect of the data. */
static void result_oddities(const rank_run *r) {
    lode_graph_profile g = LODE_INIT(lode_graph_profile);
    lode_profile p = LODE_INIT(lode_profile);
    if (r->kind->patterns == LODE_GRAPHS) {
        lode_graphs_profile(r->data, &g);
    } else {
        lode_dataset_profile(r->data, &p);
    }
    result_say(g.n_skipped, "malformed graph was left out", "malformed graphs were left out");
    result_say(p.n_empty, "transaction has no items, but counts towards percentages",
               "transactions have no items, but count towards percentages");
    result_say(p.n_skipped, "malformed line was left out", "malformed lines were left out");
    result_say(p.n_repeated, "item was repeated in its transaction and counted once",
               "items were repeated in their transaction and counted once");
}

static void result_text(const rank_run *r, const job_result *j) {
    const char *what = r->kind->patterns == LODE_GRAPHS ? "subgraphs" : "itemsets";
    double sum, most = result_busiest(r, j, &sum), idle = 0;
    uint64_t messages = 0, steals = 0, granted = 0;
    for (int i = 0; i < r->n_ranks; i++) {
        messages += j->ranks[i].sched.messages;
        steals += j->ranks[i].sched.steals;
        granted += j->ranks[i].sched.granted;
        idle += j->ranks[i].idle_seconds;
    }
    if (r->ended == SCHED_LIMIT) fputs("stopped by a limit; the result is partial\n", stderr);
    if (r->ended == SCHED_INTERRUPT) fputs("interrupted; the result is partial\n", stderr);
    fprintf(stderr, "%s %s in at least %s of %s; %d rank%s, %.2f s\n", cli_count(j->patterns), what,
            cli_count(r->present.min_support.numerator), cli_count(r->total), r->n_ranks,
            r->n_ranks == 1 ? "" : "s", j->seconds);
    result_oddities(r);
    fprintf(stderr,
            "search: %.2f s of CPU time on all ranks together, %.2f s on the busiest one; %.2f s "
            "idle; %s messages; %s of %s requests for work granted\n",
            sum, most, idle, cli_count(messages), cli_count(granted), cli_count(steals));
    if (!j->output[0]) return;
    cli_print(stderr, "written to %s%s\n", j->parts ? r->out.part : j->output,
              j->parts ? " …" : "");
}

int result_report(const rank_run *r, const job_result *j, const cli_report_form *form, int code) {
    bool has_result = code == CLI_DONE || code == CLI_LIMIT || code == CLI_INTERRUPTED;
    if (r->rank != 0 || !has_result || !j->ranks) return code;
    if (!form->machine) {
        if (!cli_given(r->args, "quiet")) result_text(r, j);
        return code;
    }
    cli_file file;
    if (!cli_file_open(&file, form->path, true)) return CLI_FAILED;
    result_json(file.stream, r, j, code);
    return cli_file_close(&file) ? code : CLI_FAILED;
}

void result_free(job_result *j) {
    free(j->sizes);
    free(j->ranks);
}
