/* rank_together.c - what all ranks do at the same point of a job: see rank_run.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "rank_run.h"
#include "tuning.h"

/* The MPI library leaks a little memory when it starts, in modules that it then unloads, so a
 * suppression list cannot name them. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#define LEAKS_OF_OTHERS_BEGIN() __lsan_disable()
#define LEAKS_OF_OTHERS_END()   __lsan_enable()
#define LEAKS_CHECK()           __lsan_do_leak_check()
#else
#define LEAKS_OF_OTHERS_BEGIN() ((void)0)
#define LEAKS_OF_OTHERS_END()   ((void)0)
#define LEAKS_CHECK()           ((void)0)
#endif

bool rank_init(int *argc, char ***argv) {
    int provided;
    LEAKS_OF_OTHERS_BEGIN();
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    LEAKS_OF_OTHERS_END();
    return provided >= MPI_THREAD_FUNNELED;
}

void rank_finalize(void) {
    LEAKS_CHECK(); /* while all parts of the MPI library are loaded */
    MPI_Finalize();
}

void rank_sleep(double seconds) {
    struct timespec some = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&some, NULL);
}

void rank_wait(MPI_Request request) {
    double pause = RANK_PAUSE_LEAST;
    for (int done = 0;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        rank_sleep(pause);
        if (pause < RANK_PAUSE_MOST) pause *= 2;
    }
}

void rank_tell_all(const rank_run *r, int from, void *what, int bytes) {
    MPI_Request request;
    MPI_Ibcast(what, bytes, MPI_BYTE, from, r->comm, &request);
    rank_wait(request);
}

int rank_highest(const rank_run *r, int number) {
    MPI_Request request;
    int highest;
    MPI_Iallreduce(&number, &highest, 1, MPI_INT, MPI_MAX, r->comm, &request);
    rank_wait(request);
    return highest;
}

void rank_explain(const rank_run *r, lode_status status, const char *message, char *text) {
    if (status == LODE_OK) {
        text[0] = 0;
    } else if (!message && r->out.failed) {
        const rank_output *o = &r->out;
        bool taken = o->kept[0] && o->reason == EEXIST;
        snprintf(text, RANK_MESSAGE, "cannot write '%.800s%s': %s%s",
                 o->kept[0] ? o->kept : o->part, o->kept[0] ? ".text" : "", strerror(o->reason),
                 taken ? "; it has no journal; move it or give another --journal" : "");
    } else {
        const char *said = message ? message : r->job ? lode_job_error(r->job) : "";
        snprintf(text, RANK_MESSAGE, "%s", said[0] ? said : lode_status_text(status));
    }
}

int rank_agree(rank_run *r, lode_status status, const char *message) {
    struct {
        int fine, rank;
    } mine = {status == LODE_OK, r->rank}, first;
    int code = lode_exit_code(status);
    char text[RANK_MESSAGE];
    MPI_Request request;
    rank_explain(r, status, message, text);
    MPI_Iallreduce(&mine, &first, 1, MPI_2INT, MPI_MINLOC, r->comm, &request);
    rank_wait(request);
    if (first.fine) return CLI_DONE;
    int some_fine = rank_highest(r, mine.fine);
    rank_tell_all(r, first.rank, text, sizeof text);
    rank_tell_all(r, first.rank, &code, sizeof code);
    if (r->rank == 0 && !some_fine) cli_error("%s", text);
    if (r->rank == 0 && some_fine) cli_error("rank %d: %s", first.rank, text);
    return code;
}
