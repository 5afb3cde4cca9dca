/* together.c - see together.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/together.h"

#include <string.h>

#include "base/check.h"

/* What a process tells about its part. */
typedef struct together_head {
    uint64_t n_transactions, n_empty, n_occurrences, n_repeated, n_skipped, longest, n_blocks, kind;
} together_head;

#define TOGETHER_NUMBERS (sizeof(together_head) / sizeof(uint64_t))

typedef struct together {
    peers *p;
    lode_job *job;
    lode_dataset *data;
    together_head *heads;    /* of all processes; n_blocks: those that have not come yet */
    size_t *places;          /* where the next block of each process goes */
    size_t next;             /* the next block of this process to be sent */
    unsigned length, id;     /* bytes of a length, and of an id, on their way */
    vec_char mine, received; /* the exchanged data */
    mem_kept kept;           /* heads and places */
} together;

/* ---- Who has what ---- */

/* Format and separator: parts that differ in it are not of one file. */
static uint64_t together_kind(const lode_dataset *data) {
    return (uint64_t)data->profile.format << 8 | (unsigned char)data->profile.separator;
}

static together_head together_describe(const lode_dataset *data) {
    const lode_profile *profile = &data->profile;
    return (together_head){.n_transactions = profile->n_transactions,
                           .n_empty = profile->n_empty,
                           .n_occurrences = profile->n_occurrences,
                           .n_repeated = profile->n_repeated,
                           .n_skipped = profile->n_skipped,
                           .longest = profile->longest,
                           .n_blocks = data->n_blocks,
                           .kind = together_kind(data)};
}

static lode_status together_tables(together *t) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    uint32_t n = t->p->to.n;
    LODE_TRY(mem_keep_zero(m, &t->kept, (void **)&t->heads, n * sizeof *t->heads));
    LODE_TRY(mem_keep_zero(m, &t->kept, (void **)&t->places, n * sizeof *t->places));
done:
    return status;
}

static lode_status together_meet(together *t) {
    lode_status status = LODE_OK;
    together_head own = together_describe(t->data);
    uint64_t n = 0;
    LODE_TRY(peers_agree(t->p, together_tables(t)));
    LODE_TRY(peers_numbers(t->p, (uint64_t *)&own, TOGETHER_NUMBERS, (uint64_t *)t->heads));
    for (uint32_t k = 0; k < t->p->to.n; k++) {
        n += t->heads[k].n_transactions;
        if (t->heads[k].kind != t->heads[0].kind) status = LODE_INVALID;
    }
    if (n > UINT32_MAX) status = LODE_UNSUPPORTED; /* a reader of the whole file will report it */
done:
    return status;
}

/* The profile of the whole; the rest of it is the same in all parts. */
static void together_add_up(together *t) {
    lode_profile *profile = &t->data->profile;
    profile->n_transactions = profile->n_empty = profile->n_occurrences = 0;
    profile->n_repeated = profile->n_skipped = profile->n_items = 0;
    profile->longest = 0;
    for (uint32_t k = 0; k < t->p->to.n; k++) {
        const together_head *head = &t->heads[k];
        profile->n_transactions += head->n_transactions;
        profile->n_empty += head->n_empty;
        profile->n_occurrences += head->n_occurrences;
        profile->n_repeated += head->n_repeated;
        profile->n_skipped += head->n_skipped;
        if (head->longest > profile->longest) profile->longest = (uint32_t)head->longest;
    }
    for (uint32_t i = 0; i < t->data->item_bound; i++) {
        profile->n_items += t->data->item_supports[i] > 0;
    }
    t->data->total_weight = profile->n_transactions;
}

/* ---- Names and supports ---- */

static lode_status together_names(together *t) {
    lode_status status = LODE_OK;
    size_t n = lode_dataset_names_export(t->data, NULL, 0);
    t->mine.n = 0;
    LODE_TRY(peers_agree(t->p, vec_char_reserve(&t->job->mem, &t->mine, n)));
    lode_dataset_names_export(t->data, t->mine.data, n);
    LODE_TRY(peers_gather(t->p, t->mine.data, n, &t->received));
    LODE_TRY(peers_agree(
        t->p, lode_dataset_adopt_names(t->job, t->data, t->received.data, t->received.n)));
done:
    return status;
}

/* An item and the number of transactions of a part that have it. */
typedef struct together_count {
    uint32_t id, count;
} together_count;

static lode_status together_list_supports(together *t) {
    const lode_dataset *data = t->data;
    size_t n = 0;
    for (uint32_t id = 0; id < data->item_bound; id++) n += data->item_supports[id] > 0;
    t->mine.n = 0;
    lode_status status = vec_char_reserve(&t->job->mem, &t->mine, n * sizeof(together_count));
    for (uint32_t id = 0; status == LODE_OK && id < data->item_bound; id++) {
        together_count one = {id, (uint32_t)data->item_supports[id]};
        if (one.count == 0) continue;
        memcpy(t->mine.data + t->mine.n, &one, sizeof one);
        t->mine.n += sizeof one;
    }
    return status;
}

static lode_status together_supports(together *t) {
    lode_status status = LODE_OK;
    lode_dataset *data = t->data;
    LODE_TRY(peers_agree(t->p, together_list_supports(t)));
    LODE_TRY(peers_gather(t->p, t->mine.data, t->mine.n, &t->received));
    if (data->item_bound == 0) goto done;
    memset(data->item_supports, 0, data->item_bound * sizeof *data->item_supports);
    for (size_t at = 0; at < t->received.n; at += sizeof(together_count)) {
        together_count one;
        memcpy(&one, t->received.data + at, sizeof one);
        if (one.id >= data->item_bound) LODE_LEAVE(LODE_INVALID);
        data->item_supports[one.id] += one.count;
    }
done:
    return status;
}

/* ---- Rows ---- */

/* The sizes of a block, which stand before it. */
typedef struct together_block {
    uint32_t n, n_items;
} together_block;

static size_t together_bytes(const together *t, const together_block *head) {
    return sizeof *head + (size_t)head->n * t->length + (size_t)head->n_items * t->id;
}

static together_block together_head_of(const data_block *block) {
    return (together_block){block->n, block->offsets[block->n]};
}

/* Whether the combined data fit into the budget of the job. A data set that was read before no
 * longer counts towards that budget. */
static bool together_fits(const together *t) {
    const lode_profile *profile = &t->data->profile;
    uint64_t numbers = profile->n_transactions + profile->n_occurrences;
    for (uint32_t k = 0; k < t->p->to.n; k++) numbers += t->heads[k].n_blocks;
    return numbers * sizeof(uint32_t) <= mem_left(&t->job->mem);
}

/* Makes room for the blocks of all, and puts those of this process in their place. */
static lode_status together_make_room(together *t) {
    lode_dataset *data = t->data;
    data_block *blocks = NULL;
    size_t n = 0;
    if (!together_fits(t)) return LODE_BUDGET;
    for (uint32_t k = 0; k < t->p->to.n; k++) {
        t->places[k] = n;
        n += (size_t)t->heads[k].n_blocks;
    }
    lode_status status = mem_zalloc(data->mem, (void **)&blocks, n * sizeof *blocks);
    if (status != LODE_OK) return status;
    if (data->n_blocks > 0) {
        memcpy(blocks + t->places[t->p->to.index], data->blocks, data->n_blocks * sizeof *blocks);
    }
    mem_free(data->mem, data->blocks, data->n_blocks * sizeof *blocks);
    data->blocks = blocks;
    data->n_blocks = n;
    return LODE_OK;
}

static void together_put(together *t, const data_block *block) {
    together_block head = together_head_of(block);
    char *to = t->mine.data + t->mine.n;
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (uint32_t i = 0; i < block->n; i++, to += t->length) {
        uint32_t length = block->offsets[i + 1] - block->offsets[i];
        peers_narrow(to, &length, 1, t->length);
    }
    peers_narrow(to, block->items, head.n_items, t->id);
    t->mine.n += together_bytes(t, &head);
}

/* Takes as many blocks of this process as one exchange should have. */
static lode_status together_pack(together *t, size_t end) {
    const data_block *blocks = t->data->blocks;
    size_t first = t->next, bytes = 0, piece = peers_piece(t->p);
    t->mine.n = 0;
    for (; t->next < end && bytes < piece; t->next++) {
        together_block head = together_head_of(&blocks[t->next]);
        bytes += together_bytes(t, &head);
    }
    lode_status status = vec_char_reserve(&t->job->mem, &t->mine, bytes);
    for (size_t i = first; status == LODE_OK && i < t->next; i++) together_put(t, &blocks[i]);
    return status;
}

/* Adds up the memory of the blocks in a text, and counts them; returns false if it is damaged. */
static bool together_measure(const together *t, const char *text, size_t n, size_t *bytes,
                             size_t *n_blocks) {
    *bytes = *n_blocks = 0;
    for (size_t at = 0; at < n;) {
        together_block head;
        if (n - at < sizeof head) return false;
        memcpy(&head, text + at, sizeof head);
        if (n - at < together_bytes(t, &head)) return false;
        at += together_bytes(t, &head);
        *bytes += ((size_t)head.n + 1 + head.n_items) * sizeof(uint32_t);
        (*n_blocks)++;
    }
    return true;
}

/* Copies a block of the text into memory reserved for it; returns false if it is damaged. */
static bool together_take(const together *t, const char *text, uint32_t *room, data_block *out) {
    together_block head;
    memcpy(&head, text, sizeof head);
    text += sizeof head;
    *out = (data_block){.n = head.n, .offsets = room, .items = room + head.n + 1, .in_slab = true};
    uint32_t end = out->offsets[0] = 0;
    peers_widen(out->offsets + 1, text, head.n, t->length);
    for (uint32_t i = 1; i <= head.n; i++) out->offsets[i] = end += out->offsets[i];
    if (end != head.n_items) return false;
    peers_widen(out->items, text + (size_t)head.n * t->length, head.n_items, t->id);
    return true;
}

static lode_status together_slab(lode_dataset *data, size_t bytes, uint32_t **memory) {
    data_slabs *slabs = &data->slabs;
    char *taken = NULL;
    lode_status status =
        vec_grow(data->mem, (void **)&slabs->data, slabs->n, &slabs->cap, 1, sizeof *slabs->data);
    if (status == LODE_OK) status = mem_resize(data->mem, (void **)&taken, 0, bytes);
    if (status != LODE_OK) return status;
    slabs->data[slabs->n++] = (data_slab){taken, bytes};
    *memory = (uint32_t *)(void *)taken;
    return LODE_OK;
}

/* Takes the blocks that process k has sent. */
static lode_status together_unpack(together *t, uint32_t k, const char *text, size_t n) {
    lode_status status = LODE_OK;
    lode_dataset *data = t->data;
    uint32_t *room = NULL;
    size_t bytes, n_blocks;
    if (!together_measure(t, text, n, &bytes, &n_blocks)) LODE_LEAVE(LODE_INVALID);
    if (n_blocks == 0) goto done;
    if (n_blocks > t->heads[k].n_blocks) LODE_LEAVE(LODE_INVALID);
    t->heads[k].n_blocks -= n_blocks;
    LODE_TRY(together_slab(data, bytes, &room));
    for (size_t i = 0; i < n_blocks; i++) {
        data_block *block = &data->blocks[t->places[k]++];
        if (!together_take(t, text, room, block)) LODE_LEAVE(LODE_INVALID);
        together_block head = together_head_of(block);
        text += together_bytes(t, &head);
        room += (size_t)head.n + 1 + head.n_items;
    }
done:
    return status;
}

static lode_status together_unpack_all(together *t) {
    lode_status status = LODE_OK;
    const char *text = t->received.data;
    for (uint32_t k = 0; k < t->p->to.n; k++) {
        size_t n = (size_t)t->p->bytes.data[k];
        if (k != t->p->to.index) LODE_TRY(together_unpack(t, k, text, n));
        text += n;
    }
done:
    return status;
}

static lode_status together_rows(together *t) {
    lode_status status = LODE_OK;
    uint32_t own = t->p->to.index;
    LODE_TRY(peers_agree(t->p, together_make_room(t)));
    t->length = peers_width(t->data->profile.longest);
    t->id = peers_width(t->data->item_bound);
    t->next = t->places[own];
    size_t end = t->next + (size_t)t->heads[own].n_blocks;
    for (lode_status unpacked = LODE_OK;;) {
        lode_status packed = together_pack(t, end);
        if (packed == LODE_OK) packed = job_check(t->job);
        LODE_TRY(peers_agree(t->p, unpacked != LODE_OK ? unpacked : packed));
        LODE_TRY(peers_gather(t->p, t->mine.data, t->mine.n, &t->received));
        if (t->received.n == 0) break;
        unpacked = together_unpack_all(t);
    }
    uint64_t first = 0;
    for (size_t i = 0; i < t->data->n_blocks; i++) {
        t->data->blocks[i].first = first;
        first += t->data->blocks[i].n;
    }
    LODE_REQUIRE(t->job, first == t->data->profile.n_transactions,
                 "blocks of transactions were lost between the processes");
done:
    return status;
}

/* ---- The whole ---- */

/* What mining takes, for the message of LODE_BUDGET: the reader has noted that of the part. */
static void together_note_need(const together *t) {
    const lode_dataset *data = t->data;
    const lode_profile *profile = &data->profile;
    if (mem_left(data->mem) == SIZE_MAX || !t->job->forecast) return;
    lode_threshold threshold = t->job->expected.min_support;
    uint64_t least =
        threshold.numerator > 0 ? lode_threshold_count(threshold, profile->n_transactions) : 1;
    job_sizes s = {.n_transactions = profile->n_transactions,
                   .item_bound = data->item_bound,
                   .longest = profile->longest};
    for (uint32_t id = 0; id < data->item_bound; id++) {
        bool frequent = data->item_supports[id] >= least;
        s.n_items += frequent;
        s.n_occurrences += frequent ? data->item_supports[id] : 0;
    }
    job_note_need(t->job, mem_used(mem_tightest(data->mem)) + t->job->forecast(t->job, &s));
}

lode_status dataset_join_peers(peers *p, lode_dataset *data) {
    lode_status status = LODE_OK;
    together t = {.p = p, .job = p->job, .data = data};
    LODE_TRY(together_meet(&t));
    LODE_TRY(together_names(&t));
    LODE_TRY(together_supports(&t));
    together_add_up(&t);
    LODE_TRY(together_rows(&t));
    const char *broken = "";
    LODE_DEBUG_CHECK(dataset_validate_blocks(data, &broken), "%s", broken);
    together_note_need(&t);
done:
    vec_char_free(&p->job->mem, &t.mine);
    vec_char_free(&p->job->mem, &t.received);
    mem_drop(&p->job->mem, &t.kept);
    return status;
}
