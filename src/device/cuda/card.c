/* card.c - see card.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/card.h"

#include "device/cuda/call.h"

#define LEAST_MAJOR 8 /* the lowest compute capability that the code is compiled for */
#define SPARE_BYTES                                                                                \
    ((size_t)1 << 30) /* left to other programs, which need half of that to start at all */

/* The cards in use, of all jobs of the process. */
static pthread_mutex_t cards_lock = PTHREAD_MUTEX_INITIALIZER;
static cuda_card *cards;

lode_status cuda_fail(lode_job *job, unsigned index, const char *call, cudaError_t error) {
    return job_fail(job, LODE_DEVICE, "[%s][cuda:%u] %s", call, index, cudaGetErrorString(error));
}

static cuda_card *find_card(const lode_job *job, unsigned index) {
    for (cuda_card *card = cards; card; card = card->next) {
        if (card->job == job && card->index == index) return card;
    }
    return NULL;
}

/* Reads the properties of the device. Creates its CUDA context, which is most of the start-up
 * time. */
static lode_status inspect(cuda_card *card) {
    int major = 0, n_sm = 0;
    cudaError_t error = cudaSetDevice((int)card->index);
    if (error != cudaSuccess) return cuda_fail(card->job, card->index, "cudaSetDevice", error);
    error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, (int)card->index);
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&n_sm, cudaDevAttrMultiProcessorCount, (int)card->index);
    }
    if (error == cudaSuccess && major < LEAST_MAJOR) {
        return job_fail(card->job, LODE_DEVICE,
                        "cuda:%u has compute capability %d.x; lode needs %d.0", card->index, major,
                        LEAST_MAJOR);
    }
    if (error != cudaSuccess) {
        return cuda_fail(card->job, card->index, "cudaDeviceGetAttribute", error);
    }
    card->n_sm = (unsigned)n_sm;
    return LODE_OK;
}

static lode_status make_card(lode_job *job, unsigned index, cuda_card **out) {
    cuda_card *card = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&card, sizeof *card);
    if (status != LODE_OK) return status;
    card->job = job;
    card->index = index;
    card->budget = job->device_memory ? (size_t)job->device_memory : SIZE_MAX;
    status = inspect(card);
    if (status != LODE_OK) {
        mem_free(&job->mem, card, sizeof *card);
        return status;
    }
    pthread_mutex_init(&card->lock, NULL);
    ledger_join(&card->account, job, "cuda", index);
    card->next = cards;
    cards = card;
    *out = card;
    return LODE_OK;
}

lode_status cuda_card_open(lode_job *job, unsigned index, cuda_card **out) {
    pthread_mutex_lock(&cards_lock);
    lode_status status = LODE_OK;
    cuda_card *card = find_card(job, index);
    if (!card) status = make_card(job, index, &card);
    if (status == LODE_OK) {
        card->users++;
        *out = card;
    }
    pthread_mutex_unlock(&cards_lock);
    return status;
}

void cuda_card_close(cuda_card *card) {
    pthread_mutex_lock(&cards_lock);
    if (--card->users == 0) {
        cuda_card **link = &cards;
        while (*link != card) link = &(*link)->next;
        *link = card->next;
        ledger_leave(&card->account);
        pthread_mutex_destroy(&card->lock);
        mem_free(&card->job->mem, card, sizeof *card);
    }
    pthread_mutex_unlock(&cards_lock);
}

/* ---- memory -------------------------------------------------------------------------------- */

static lode_status alloc_locked(cuda_card *card, size_t bytes, void **out) {
    if (bytes > card->budget - card->used) return LODE_BUDGET;
    lode_status status = ledger_charge(&card->account, bytes);
    if (status != LODE_OK) return status;
    if (cudaMalloc(out, bytes) != cudaSuccess) {
        (void)cudaGetLastError(); /* clears it: being out of memory is no lasting error */
        ledger_discharge(&card->account, bytes);
        return LODE_NOMEM;
    }
    card->used += bytes;
    if (card->used > card->peak) card->peak = card->used;
    return LODE_OK;
}

/* Waits for other jobs to leave if they hold the memory. */
static lode_status need_locked(cuda_card *card, size_t bytes, void **out) {
    lode_status status, waited;
    do {
        uint64_t departures = ledger_departures(&card->account);
        status = alloc_locked(card, bytes, out);
        bool fits = bytes <= card->budget - card->used;
        if (status == LODE_OK || !fits) return status;
        waited = ledger_wait(&card->account, departures);
    } while (waited == LODE_OK);
    return waited == LODE_BUDGET ? status : waited;
}

lode_status cuda_card_alloc(cuda_card *card, size_t bytes, void **out) {
    *out = NULL;
    if (bytes == 0) return LODE_OK;
    pthread_mutex_lock(&card->lock);
    lode_status status = alloc_locked(card, bytes, out);
    pthread_mutex_unlock(&card->lock);
    return status;
}

static void free_locked(cuda_card *card, void *pointer, size_t bytes) {
    if (!pointer) return;
    (void)cudaFree(pointer); /* fails only if something has failed before */
    ledger_discharge(&card->account, bytes);
    card->used -= bytes;
}

void cuda_card_free(cuda_card *card, void *pointer, size_t bytes) {
    pthread_mutex_lock(&card->lock);
    free_locked(card, pointer, bytes);
    pthread_mutex_unlock(&card->lock);
}

/* The message for memory that was needed. */
static lode_status card_explain(cuda_card *card, lode_status status, size_t bytes,
                                const char *what) {
    size_t others = ledger_held_by_others(&card->account);
    if (status == LODE_CANCELLED || status == LODE_STOPPED) return status;
    if (others > 0) {
        return job_fail(
            card->job, status,
            "cuda:%u does not have %.1f MiB free (for %s); other jobs hold %.1f MiB there",
            card->index, job_mib_up(bytes), what, job_mib_up(others));
    }
    if (status == LODE_BUDGET) {
        return job_fail(card->job, status,
                        "the device memory budget of %.1f MiB is too small: %s need %.1f MiB",
                        job_mib(card->budget), what, job_mib_up(card->used + bytes));
    }
    return job_fail(card->job, status, "cuda:%u does not have %.1f MiB free (for %s)", card->index,
                    job_mib_up(bytes), what);
}

lode_status cuda_card_need(cuda_card *card, size_t bytes, const char *what, void **out) {
    *out = NULL;
    if (bytes == 0) return LODE_OK;
    pthread_mutex_lock(&card->lock);
    lode_status status = need_locked(card, bytes, out);
    pthread_mutex_unlock(&card->lock);
    return status == LODE_OK ? status : card_explain(card, status, bytes, what);
}

size_t cuda_card_left(cuda_card *card) {
    size_t free_bytes = 0, total = 0;
    if (cudaMemGetInfo(&free_bytes, &total) != cudaSuccess) free_bytes = 0;
    free_bytes = free_bytes > SPARE_BYTES ? free_bytes - SPARE_BYTES : 0;
    pthread_mutex_lock(&card->lock);
    size_t left = card->budget - card->used, together = ledger_left(&card->account);
    pthread_mutex_unlock(&card->lock);
    if (together < left) left = together;
    return left < free_bytes ? left : free_bytes;
}

/* ---- the item rows ------------------------------------------------------------------------- */

/* Under the lock, so that no thread uses rows that are not copied yet. */
static lode_status copy_rows(cuda_card *card, const uint64_t *host, size_t bytes) {
    void *rows = NULL;
    lode_status status = bytes ? need_locked(card, bytes, &rows) : LODE_OK;
    if (status != LODE_OK) return card_explain(card, status, bytes, "the rows of the items");
    cudaError_t error = bytes ? cudaMemcpy(rows, host, bytes, cudaMemcpyHostToDevice) : cudaSuccess;
    /* A short copy may still be on its way, and the streams of the ring do not wait for it. */
    if (error == cudaSuccess) error = cudaStreamSynchronize(cudaStreamLegacy);
    card->rows = rows;
    card->rows_bytes = bytes;
    card->host_rows = host;
    card->rows_users = 1; /* also if the copy failed: so that it is freed */
    return error == cudaSuccess ? LODE_OK : cuda_fail(card->job, card->index, "cudaMemcpy", error);
}

lode_status cuda_card_share_rows(cuda_card *card, const uint64_t *host, size_t bytes) {
    lode_status status = LODE_OK;
    pthread_mutex_lock(&card->lock);
    if (card->rows_users == 0) {
        status = copy_rows(card, host, bytes);
    } else if (card->host_rows == host && card->rows_bytes == bytes) {
        card->rows_users++;
    } else {
        status = job_fail(card->job, LODE_INVALID,
                          "the consumers on cuda:%u do not use the same rows", card->index);
    }
    pthread_mutex_unlock(&card->lock);
    return status;
}

/* The last user frees them under the lock: another consumer may share rows of its own just then. */
void cuda_card_drop_rows(cuda_card *card) {
    pthread_mutex_lock(&card->lock);
    if (card->rows_users > 0 && --card->rows_users == 0) {
        free_locked(card, card->rows, card->rows_bytes);
        card->rows = NULL;
        card->rows_bytes = 0;
        card->host_rows = NULL;
    }
    pthread_mutex_unlock(&card->lock);
}
