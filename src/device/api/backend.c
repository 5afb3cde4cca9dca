/* backend.c - the list of backends; turns a --device text into consumers
 *
 *     auto            the best usable backend (chosen in pipeline/engine/device.c)
 *     cpu             one consumer for each thread of the job
 *     cpu*3           three consumers
 *     NAME:0,1*2      devices 0 and 1 of the backend NAME, two consumers on each
 *     A+B             the consumers of A and those of B
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/api/backend.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/os.h"

#define LODE_BACKEND(symbol) extern const lode_backend symbol;
#include "device/api/backends.def"
#undef LODE_BACKEND

static const lode_backend *const backend_list[] = {
#define LODE_BACKEND(symbol) &symbol,
#include "device/api/backends.def"
#undef LODE_BACKEND
};

#define N_BACKENDS (sizeof backend_list / sizeof *backend_list)

/* Those that some builds have. */
static const char *const optional_names[] = {"cuda"};

#define N_OPTIONAL (sizeof optional_names / sizeof *optional_names)

/* One PART of the device text. */
typedef struct spec_part {
    const lode_backend *backend; /* NULL: a backend that exists, but not in this build */
    const char *name;
    int name_length;
    unsigned indices[BACKEND_MAX_SLOTS];
    unsigned n_indices; /* 0 = all there are */
    unsigned times;     /* 0 = the backend's own choice */
    bool around;        /* numbers beyond the last device begin again with the first */
} spec_part;

/* The buffer for an error message; 0 bytes = none. */
typedef struct spec_error {
    char *text;
    size_t bytes;
} spec_error;

#define spec_fail(error, ...) (snprintf((error).text, (error).bytes, __VA_ARGS__), false)

const lode_backend *backend_at(size_t i) {
    return i < N_BACKENDS ? backend_list[i] : NULL;
}

static const lode_backend *backend_find(const char *name, size_t n) {
    for (size_t i = 0; i < N_BACKENDS; i++) {
        if (strlen(backend_list[i]->name) == n && memcmp(backend_list[i]->name, name, n) == 0) {
            return backend_list[i];
        }
    }
    return NULL;
}

const char *backend_absent_at(size_t i) {
    for (size_t o = 0; o < N_OPTIONAL; o++) {
        if (backend_find(optional_names[o], strlen(optional_names[o]))) continue;
        if (i-- == 0) return optional_names[o];
    }
    return NULL;
}

static bool is_absent(const char *name, size_t n) {
    for (size_t i = 0; backend_absent_at(i); i++) {
        const char *absent = backend_absent_at(i);
        if (strlen(absent) == n && memcmp(absent, name, n) == 0) return true;
    }
    return false;
}

static bool spec_number(const char **at, unsigned limit, unsigned *out) {
    const char *p = *at;
    unsigned value = 0;
    if (*p < '0' || *p > '9') return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (unsigned)(*p - '0');
        if (value > limit) return false;
    }
    *at = p;
    *out = value;
    return true;
}

static bool spec_indices(const char **at, spec_part *part, spec_error error) {
    do {
        ++*at; /* the colon or the comma */
        if (part->n_indices == BACKEND_MAX_SLOTS) return spec_fail(error, "too many devices");
        if (!spec_number(at, 9999, &part->indices[part->n_indices++])) {
            return spec_fail(error, "expected a device number after ':' or ','");
        }
    } while (**at == ',');
    return true;
}

static bool spec_unknown(spec_error error, const char *name, int n) {
    static const char *const names[] = {"auto", "cpu", "cuda"};
    char word[NEAREST_BYTES], hint[NEAREST_BYTES + 32];
    snprintf(word, sizeof word, "%.*s", n, name);
    if (strcmp(word, "gpu") == 0)
        snprintf(word, sizeof word, "cuda"); /* nearer to cpu by letters */
    return spec_fail(error, "unknown device '%.*s'; %sexpected auto, cpu or cuda", n, name,
                     nearest_hint(hint, word, names, 3));
}

static bool spec_parse_part(const char **at, spec_part *part, spec_error error) {
    size_t n = strcspn(*at, ":*+");
    *part = (spec_part){.backend = backend_find(*at, n), .name = *at, .name_length = (int)n};
    if (!part->backend && !is_absent(*at, n)) {
        return spec_unknown(error, *at, (int)n);
    }
    *at += n;
    if (**at == ':' && !spec_indices(at, part, error)) return false;
    if (**at == '%' && part->n_indices > 0) {
        ++*at;
        part->around = true;
    }
    if (**at == '*') {
        ++*at;
        if (!spec_number(at, BACKEND_MAX_SLOTS, &part->times) || part->times == 0) {
            return spec_fail(error, "expected a number from 1 to %d after '*'", BACKEND_MAX_SLOTS);
        }
    }
    if (**at != 0 && **at != '+') return spec_fail(error, "unexpected '%s' in the device", *at);
    return true;
}

bool backend_check_spec(const char *spec, char *message, size_t message_bytes) {
    spec_error error = {message, message ? message_bytes : 0};
    if (strcmp(spec, "auto") == 0) return true;
    for (const char *at = spec;; at++) {
        spec_part part;
        if (!spec_parse_part(&at, &part, error)) return false;
        if (*at == 0) return true;
    }
}

/* The i-th device of a part, given the number of devices; it may not exist. */
static unsigned part_index(const spec_part *part, unsigned i, unsigned there) {
    if (part->n_indices == 0) return i;
    return part->around && there > 0 ? part->indices[i] % there : part->indices[i];
}

static void wake_part(const spec_part *part) {
    if (!part->backend || !part->backend->wake) return;
    unsigned there = part->n_indices && !part->around ? 0 : part->backend->count();
    unsigned n = part->n_indices ? part->n_indices : there;
    for (unsigned i = 0; i < n; i++) part->backend->wake(part_index(part, i, there));
}

/* Whatever a job with `auto` may take. Without a driver there is nothing to look for. */
static void wake_any(void) {
    if (!os_has_gpu_driver()) return;
    for (size_t i = 1; backend_at(i); i++) wake_part(&(spec_part){.backend = backend_at(i)});
}

void backend_wake(const char *spec) {
    char message[LODE_REPORT_TEXT] = "";
    spec_error error = {message, sizeof message};
    if (!spec) return;
    if (strcmp(spec, "auto") == 0) {
        wake_any();
        return;
    }
    for (const char *at = spec;; at++) {
        spec_part part;
        if (!spec_parse_part(&at, &part, error)) return;
        wake_part(&part);
        if (*at == 0) return;
    }
}

static bool plan_add(backend_plan *plan, backend_slot slot, unsigned times) {
    for (unsigned t = 0; t < times; t++) {
        if (plan->n == BACKEND_MAX_SLOTS) return false;
        plan->slots[plan->n++] = slot;
    }
    return true;
}

/* Adds the devices of one part that exist. */
static void plan_add_part(const lode_job *job, backend_plan *plan, const spec_part *part) {
    unsigned there = part->backend->count();
    unsigned wanted = part->n_indices ? part->n_indices : there;
    unsigned times = part->times;
    bool threads = times == 0 && part->n_indices == 0;
    if (times == 0) times = part->n_indices ? 1 : part->backend->consumers(job);
    unsigned missing = 0;
    for (unsigned i = 0; i < wanted; i++) {
        unsigned index = part_index(part, i, there);
        if (index >= there) {
            missing++;
        } else if (!plan_add(plan, (backend_slot){part->backend, index, threads}, times)) {
            snprintf(plan->note, sizeof plan->note,
                     "only %d consumers (host threads that give work to devices) are used",
                     BACKEND_MAX_SLOTS);
        }
    }
    if (missing > 0) {
        snprintf(plan->note, sizeof plan->note,
                 "%u of the %u requested %s devices %s not exist; devices used: %u", missing,
                 wanted, part->backend->name, missing == 1 ? "does" : "do", wanted - missing);
    }
}

static void plan_describe(backend_plan *plan) {
    char detail[LODE_REPORT_TEXT] = "";
    plan->slots[0].backend->probe(detail, sizeof detail);
    size_t at = 0;
    for (unsigned i = 0; i < plan->n;) {
        unsigned same = 1;
        while (i + same < plan->n && plan->slots[i + same].backend == plan->slots[i].backend)
            same++;
        int n = snprintf(plan->text + at, sizeof plan->text - at, "%s%s*%u", at ? "+" : "",
                         plan->slots[i].backend->name, same);
        if (n > 0 && (size_t)n < sizeof plan->text - at) at += (size_t)n;
        i += same;
    }
    snprintf(plan->text + at, sizeof plan->text - at, " (%.100s)", detail);
}

static lode_status plan_check_part(lode_job *job, const spec_part *part) {
    char detail[LODE_REPORT_TEXT] = BACKEND_ABSENT;
    if (part->backend && part->backend->probe(detail, sizeof detail)) return LODE_OK;
    return job_fail(job, LODE_DEVICE, "the device %.*s cannot be used: %s", part->name_length,
                    part->name, detail);
}

/* A consumer is a thread: no more of them than the job can have. */
static void plan_fit(lode_job *job, backend_plan *plan) {
    unsigned held = lease_extend(job, plan->n);
    if (plan->n <= held) return;
    snprintf(plan->note, sizeof plan->note,
             "only %u of %u consumers (host threads that give work to devices) could get a thread",
             held, plan->n);
    plan->n = held;
}

lode_status backend_make_plan(lode_job *job, const char *spec, backend_plan *plan) {
    char message[LODE_REPORT_TEXT] = "";
    spec_error error = {message, sizeof message};
    *plan = (backend_plan){0};
    for (const char *at = spec;; at++) {
        spec_part part;
        if (!spec_parse_part(&at, &part, error)) {
            return job_fail(job, LODE_INVALID, "device '%s': %s", spec, message);
        }
        lode_status status = plan_check_part(job, &part);
        if (status != LODE_OK) return status;
        plan_add_part(job, plan, &part);
        if (*at == 0) break;
    }
    if (plan->n == 0) {
        return job_fail(job, LODE_DEVICE, "none of the devices in '%s' exists", spec);
    }
    plan_fit(job, plan);
    plan_describe(plan);
    return LODE_OK;
}
