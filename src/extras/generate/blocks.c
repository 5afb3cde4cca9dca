/* blocks.c - see blocks.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/generate/blocks.h"

#include "base/outfile.h"
#include "runtime/parallel.h"

#define BLOCKS_ITEMS            ((double)(1 << 18))
#define BLOCKS_MAX_TRANSACTIONS 4096

typedef struct block_slot {
    vec_char text;
    bool ready;
} block_slot;

typedef struct block_ring {
    lode_job *job;
    outfile file; /* used by the thread that has set `writing` */
    block_fn make;
    void *user;
    uint64_t n_blocks;

    pthread_mutex_t lock; /* guards the fields below, but not the text of slots that are made */
    pthread_cond_t moved; /* `written` or `status` has changed */
    uint64_t taken, written;
    bool writing;
    lode_status status; /* of the first failure */
    block_slot *slots;
    unsigned n_slots;
} block_ring;

uint64_t blocks_transactions(double mean_length) {
    double n = BLOCKS_ITEMS / (mean_length > 1.0 ? mean_length : 1.0);
    if (n > BLOCKS_MAX_TRANSACTIONS) return BLOCKS_MAX_TRANSACTIONS;
    return n < 1.0 ? 1 : (uint64_t)n;
}

static void ring_fail(block_ring *r, lode_status status) {
    if (r->status == LODE_OK) r->status = status;
    pthread_cond_broadcast(&r->moved);
}

/* Takes the next block and waits for its slot; false if there is nothing left to do. */
static bool ring_take(block_ring *r, uint64_t *block) {
    if (r->taken == r->n_blocks || r->status != LODE_OK) return false;
    *block = r->taken++;
    while (*block - r->written >= r->n_slots && r->status == LODE_OK) {
        pthread_cond_wait(&r->moved, &r->lock);
    }
    return r->status == LODE_OK;
}

/* Writes the blocks that are next, unless another thread does. Releases the lock while writing. */
static void ring_write(block_ring *r) {
    if (r->writing) return;
    r->writing = true;
    while (r->status == LODE_OK && r->slots[r->written % r->n_slots].ready) {
        block_slot *slot = &r->slots[r->written % r->n_slots];
        pthread_mutex_unlock(&r->lock);
        lode_status status = outfile_write(&r->file, slot->text.data, slot->text.n);
        pthread_mutex_lock(&r->lock);
        slot->text.n = 0;
        slot->ready = false;
        r->written++;
        if (status != LODE_OK) ring_fail(r, status);
        pthread_cond_broadcast(&r->moved);
    }
    r->writing = false;
}

static lode_status ring_look_up(block_ring *r, unsigned worker, uint64_t done) {
    if (worker == 0) return job_tick(r->job, done, r->n_blocks);
    return job_is_cancelled(r->job) ? LODE_CANCELLED : LODE_OK;
}

static lode_status ring_work(void *arg, unsigned worker) {
    block_ring *r = arg;
    uint64_t block;
    pthread_mutex_lock(&r->lock);
    while (!lease_gives(r->job) && ring_take(r, &block)) {
        block_slot *slot = &r->slots[block % r->n_slots];
        uint64_t done = r->written;
        pthread_mutex_unlock(&r->lock);
        lode_status status = ring_look_up(r, worker, done);
        if (status == LODE_OK) status = r->make(r->user, block, &slot->text);
        pthread_mutex_lock(&r->lock);
        if (status != LODE_OK) {
            ring_fail(r, status);
        } else {
            slot->ready = true;
            ring_write(r);
        }
    }
    lode_status status = r->status;
    pthread_mutex_unlock(&r->lock);
    return status;
}

static lode_status ring_fill(block_ring *r, unsigned threads) {
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->moved, NULL);
    lode_status status = parallel_run(r->job, threads, false, ring_work, r);
    pthread_cond_destroy(&r->moved);
    pthread_mutex_destroy(&r->lock);
    return status;
}

static lode_status blocks_explain(block_ring *r, const char *path, lode_status status) {
    if (status != LODE_IO) return job_explain(r->job, status, "generating");
    const char *reason = strerror(r->file.error);
    if (strcmp(path, "-") == 0) {
        return job_fail(r->job, status, "cannot write to standard output: %s", reason);
    }
    return job_fail(r->job, status, "cannot write '%s': %s%s", path, reason,
                    outfile_remedy(r->file.error));
}

lode_status blocks_write(lode_job *job, const char *path, uint64_t n_blocks, block_fn make,
                         void *user) {
    lode_status status = LODE_OK;
    block_ring r = {
        .job = job, .file = OUTFILE_INIT, .make = make, .user = user, .n_blocks = n_blocks};
    unsigned threads = job->threads < n_blocks ? job->threads : (unsigned)n_blocks;
    unsigned n_slots = threads > 1 ? 2 * threads : 1;
    size_t bytes = n_slots * sizeof *r.slots;

    LODE_TRY(mem_zalloc(&job->mem, (void **)&r.slots, bytes));
    r.n_slots = n_slots;
    LODE_TRY(outfile_open(&r.file, &job->mem, path, OUTFILE_FOLLOW));
    job_begin_phase(job, "generate");
    if (n_blocks > 0) LODE_TRY(ring_fill(&r, threads));
    LODE_TRY(outfile_commit(&r.file, NULL));
done:
    outfile_discard(&r.file);
    for (unsigned i = 0; i < r.n_slots; i++) vec_char_free(&job->mem, &r.slots[i].text);
    mem_free(&job->mem, r.slots, bytes);
    return blocks_explain(&r, path, status);
}
