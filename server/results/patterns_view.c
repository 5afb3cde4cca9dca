/* patterns_view.c - see patterns_view.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/patterns_view.h"

#include <stdlib.h>
#include <string.h>

#define VIEW_MARKS (1u << 17) /* at most; a power of two */
#define VIEW_STEP  65536      /* rows per step while marks are made */

static lode_status view_no_memory(store_failure *why) {
    *why = (store_failure){LODE_NOMEM, "the server is out of memory"};
    return LODE_NOMEM;
}

static question *view_question(uint64_t job, const query *q, question_fn work) {
    query *copy = query_copy(q);
    return copy ? question_new(job, work, copy, NULL) : NULL;
}

/* ---- how many ------------------------------------------------------------------------------- */

static lode_status view_count(const question *q, store_handle *h, text *out, store_failure *why) {
    uint64_t n = 0;
    (void)why;
    lode_status status = lode_store_count(h->store, &q->query->options, &n);
    if (status == LODE_OK) text_add(out, (const char *)&n, sizeof n);
    return status;
}

question *view_ask_count(uint64_t job, const query *q) {
    question *made = view_question(job, q, view_count);
    if (!made) return NULL;
    made->query->options.sort_by = NULL; /* the number does not depend on the order */
    made->query->options.reverse = false;
    (void)question_key(made, "count\n%s", q->filter);
    return made;
}

/* ---- pieces --------------------------------------------------------------------------------- */

const view_size view_small = {1024, 2048}, view_large = {1u << 20, 1u << 20};

/* The header of a piece. Row numbers take four bytes if that is enough. */
typedef struct view_piece_head {
    uint64_t first; /* rank */
    uint64_t width; /* bytes of a number */
    uint64_t found; /* rows of the view; UINT64_MAX: unknown */
} view_piece_head;

static void view_pack(const view_piece_head *head, const uint64_t *rows, size_t n, text *out) {
    text_add(out, (const char *)head, sizeof *head);
    if (head->width == sizeof *rows) {
        text_add(out, (const char *)rows, n * sizeof *rows);
        return;
    }
    uint32_t block[1024];
    for (size_t at = 0; at < n;) {
        size_t k = n - at < 1024 ? n - at : 1024;
        for (size_t i = 0; i < k; i++) block[i] = (uint32_t)rows[at + i];
        text_add(out, (const char *)block, k * sizeof *block);
        at += k;
    }
}

static lode_status view_piece(const question *q, store_handle *h, text *out, store_failure *why) {
    lode_page page = LODE_INIT(lode_page);
    const lode_query_options *o = &q->query->options;
    uint64_t *rows = malloc(q->room * sizeof *rows);
    lode_status status;
    if (!rows) return view_no_memory(why);
    if (q->counts) {
        status = lode_store_page(h->store, o, q->from, rows, q->room, &page);
    } else {
        status = lode_store_rows(h->store, o, q->from, rows, q->room, &page.n);
        bool ended = page.n < q->room && (page.n > 0 || q->from == 0);
        page.found = ended ? q->from + page.n : UINT64_MAX;
    }
    view_piece_head head = {q->from, h->info.rows > UINT32_MAX ? 8 : 4, page.found};
    if (status == LODE_OK) view_pack(&head, rows, page.n, out);
    free(rows);
    return status;
}

static char *view_piece_key(const query *q, uint64_t first, size_t room) {
    char *key = NULL;
    int n = asprintf(&key, "rows %zu %llu\n%s", room, (unsigned long long)first, q->view);
    return n < 0 ? NULL : key;
}

question *view_ask_piece(uint64_t job, const query *q, uint64_t rank, view_size size, bool counts) {
    question *made = view_question(job, q, view_piece);
    if (!made) return NULL;
    made->from = rank - rank % size.step;
    made->room = size.room;
    made->counts = counts;
    made->key = view_piece_key(q, made->from, size.room);
    return made;
}

fact *view_known_piece(facts *f, uint64_t job, const query *q, uint64_t rank, view_size size) {
    char *key = view_piece_key(q, rank - rank % size.step, size.room);
    fact *known = key ? facts_find(f, job, key) : NULL;
    free(key);
    return known;
}

size_t view_take(const fact *piece, uint64_t rank, size_t want, uint64_t *rows, uint64_t *found) {
    const char *data = piece->data;
    view_piece_head head;
    size_t taken = 0;
    memcpy(&head, data, sizeof head);
    size_t n = (piece->bytes - sizeof head) / head.width;
    data += sizeof head;
    for (uint64_t at = rank - head.first; at < n && taken < want; at++, taken++) {
        uint32_t narrow;
        if (head.width == sizeof narrow) {
            memcpy(&narrow, data + at * head.width, sizeof narrow);
            rows[taken] = narrow;
        } else {
            memcpy(&rows[taken], data + at * head.width, sizeof *rows);
        }
    }
    *found = head.found;
    return taken;
}

/* ---- marks ---------------------------------------------------------------------------------- */

typedef struct view_marks {
    uint64_t found;
    uint64_t every;             /* there is a mark for every this many rows */
    uint64_t marks[VIEW_MARKS]; /* as many as `found` and `every` say */
} view_marks;

static uint64_t view_marks_n(uint64_t found, uint64_t every) {
    return (found + every - 1) / every;
}

/* Adds a matching row; if there is no room for its mark, removes every second mark. */
static void view_mark(view_marks *m, uint64_t row) {
    if (m->found % m->every == 0) {
        if (m->found / m->every == VIEW_MARKS) {
            for (size_t i = 0; i < VIEW_MARKS / 2; i++) m->marks[i] = m->marks[2 * i];
            m->every *= 2;
        }
        m->marks[m->found / m->every] = row;
    }
    m->found++;
}

static lode_status view_mark_all(const question *q, store_handle *h, view_marks *m,
                                 uint64_t *rows) {
    lode_query_options o = q->query->options;
    lode_status status;
    size_t n = 0;
    do {
        status = lode_store_rows(h->store, &o, 0, rows, VIEW_STEP, &n);
        for (size_t i = 0; status == LODE_OK && i < n; i++) view_mark(m, rows[i]);
        if (n > 0) o.from = rows[n - 1] + 1;
    } while (status == LODE_OK && n == VIEW_STEP);
    return status;
}

static lode_status view_make_marks(const question *q, store_handle *h, text *out,
                                   store_failure *why) {
    view_marks *m = malloc(sizeof *m);
    uint64_t *rows = malloc(VIEW_STEP * sizeof *rows);
    if (!m || !rows) {
        free(m);
        free(rows);
        return view_no_memory(why);
    }
    m->found = 0;
    m->every = 1;
    lode_status status = view_mark_all(q, h, m, rows);
    if (status == LODE_OK) {
        size_t n = (size_t)view_marks_n(m->found, m->every);
        text_add(out, (const char *)m, offsetof(view_marks, marks) + n * sizeof *m->marks);
    }
    free(rows);
    free(m);
    return status;
}

question *view_ask_marks(uint64_t job, const query *q) {
    question *made = view_question(job, q, view_make_marks);
    if (made) (void)question_key(made, "marks\n%s", q->filter);
    return made;
}

fact *view_known_marks(facts *f, uint64_t job, const query *q) {
    char *key = NULL;
    if (asprintf(&key, "marks\n%s", q->filter) < 0) return NULL;
    fact *known = facts_find(f, job, key);
    free(key);
    return known;
}

view_place view_place_of(const fact *marks, uint64_t rank) {
    const view_marks *m = marks->data;
    view_place place = {.found = m->found};
    if (rank >= m->found) return place;
    place.from = m->marks[rank / m->every];
    place.skip = rank % m->every;
    return place;
}
