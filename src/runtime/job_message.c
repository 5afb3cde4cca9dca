/* job_message.c - messages of a call: the last error, the log; see job.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* The message of the last failed call of this thread that had no job. */
static _Thread_local char message_without_job[JOB_MESSAGE_BYTES];

const char *lode_job_error(const lode_job *job) {
    return job ? job->message : message_without_job;
}

/* A message is one line. Names of files and items in it may contain control characters. */
static void message_put(char *text, size_t bytes, const char *format, va_list args) {
    vsnprintf(text, bytes, format, args);
    text[utf8_copy_printable(text, text, strlen(text), false)] = 0;
}

lode_status job_fail(lode_job *job, lode_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!job) {
        message_put(message_without_job, sizeof message_without_job, format, args);
    } else {
        pthread_mutex_lock(&job->lock);
        if (job->message[0] == 0) message_put(job->message, sizeof job->message, format, args);
        pthread_mutex_unlock(&job->lock);
    }
    va_end(args);
    return status;
}

lode_status lode_job_fail(lode_job *job, lode_status status, const char *message) {
    if (job) job_clear_message(job);
    return job_fail(job, status, "%s", message ? message : "");
}

lode_status job_broken(lode_job *job, const char *file, int line, const char *what) {
    pthread_mutex_lock(&job->lock);
    snprintf(job->message, sizeof job->message,
             "internal error at %s:%d: %s; please report this bug with the command and, if "
             "possible, the data",
             check_file(file), line, what);
    pthread_mutex_unlock(&job->lock);
    return LODE_INTERNAL;
}

void job_clear_message(lode_job *job) {
    pthread_mutex_lock(&job->lock);
    job->message[0] = 0;
    job->needed = 0;
    pthread_mutex_unlock(&job->lock);
}

void job_log(lode_job *job, lode_log_level level, const char *format, ...) {
    if (!job->log) return;
    char text[JOB_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    message_put(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&job->log_lock);
    job->log(job->log_user, level, text);
    pthread_mutex_unlock(&job->log_lock);
}

double job_mib(size_t bytes) {
    return (double)bytes / (1 << 20);
}

double job_mib_up(size_t bytes) {
    return (double)((bytes / 1024 * 10 + 10 + 1023) / 1024) / 10;
}

size_t lode_printable(char *to, const char *text, size_t n) {
    return to && text ? utf8_copy_printable(to, text, n, true) : 0;
}

const char *lode_version(void) {
    return LODE_VERSION_TEXT;
}

const char *lode_status_text(lode_status status) {
    switch (status) {
    case LODE_OK: return "done";
    case LODE_NOMEM: return "out of memory";
    case LODE_BUDGET: return "memory budget";
    case LODE_CANCELLED: return "interrupted";
    case LODE_INVALID: return "invalid argument";
    case LODE_PARSE: return "malformed input";
    case LODE_IO: return "input or output error";
    case LODE_UNSUPPORTED: return "not supported";
    case LODE_DEVICE: return "device error";
    case LODE_NOTFOUND: return "not found";
    case LODE_STOPPED: return "stopped early";
    case LODE_INTERNAL: return "internal error";
    }
    return "unknown status";
}
