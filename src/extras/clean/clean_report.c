/* clean_report.c - what cleaning has changed: structs, text for people, JSON; see clean_state.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/figures.h"
#include "base/utf8.h"
#include "extras/clean/clean_state.h"
#include "runtime/output.h"
#include "runtime/valid.h"

#define REPORT_SHOWN 10 /* merges and hints in the report for people */

typedef struct report_words {
    const char *name, *what;
} report_words;

static const report_words report_steps[CLEAN_STEPS] = {
    [CLEAN_ROWS] = {"rows", "rows dropped by drop-rows"},
    [CLEAN_REPEATED] = {"repeated", "items listed more than once in a basket"},
    [CLEAN_ENCODING] = {"encoding", "names converted from Latin-1 or Windows-1252 to UTF-8"},
    [CLEAN_BLANKS] = {"blanks", "names in which spaces were trimmed or collapsed"},
    [CLEAN_ACCENTS] = {"accents", "names with accents removed"},
    [CLEAN_CASE] = {"case", "names converted to lower case"},
    [CLEAN_MAP] = {"map", "names replaced by the mapping"},
    [CLEAN_MERGED] = {"merged", "names that became equal to another name"},
    [CLEAN_DROP] = {"drop", "items dropped by name"},
    [CLEAN_UNIQUE] = {"unique", "baskets dropped as duplicates"},
    [CLEAN_RARE] = {"rare", "items dropped because their support is below min-item-support"},
    [CLEAN_FREQUENT] = {"frequent",
                        "items dropped because their support is above max-item-support"},
    [CLEAN_SHORT] = {"short", "baskets dropped because they have fewer items than min-basket"},
    [CLEAN_LONG] = {"long", "baskets dropped because they have more items than max-basket"},
    [CLEAN_EMPTY] = {"empty", "baskets without items were kept (--min-basket 1 drops them)"},
};

void lode_clean_report_free(lode_clean_report *report) {
    if (!report) return;
    mem *m = report->mem;
    vec_char_free(m, &report->text);
    mem_free(m, report, sizeof *report);
}

bool lode_clean_step_at(const lode_clean_report *report, size_t i, lode_clean_step *out) {
    if (!report || i >= CLEAN_STEPS) return valid_fill(out, NULL);
    lode_clean_step step = report->steps[i];
    step.name = report_steps[i].name;
    step.what = report_steps[i].what;
    return valid_fill(out, &step);
}

bool lode_clean_merge_at(const lode_clean_report *report, size_t i, lode_clean_merge *out) {
    if (!report || i >= report->n_merges_kept) return valid_fill(out, NULL);
    const clean_merge *m = &report->merges[i];
    lode_clean_merge merge = {.to = report->text.data + m->to,
                              .from = report->text.data + m->from,
                              .n_from = m->n_from,
                              .baskets = m->baskets};
    return valid_fill(out, &merge);
}

bool lode_clean_hint_at(const lode_clean_report *report, size_t i, lode_clean_hint *out) {
    if (!report || i >= report->n_hints_kept) return valid_fill(out, NULL);
    const clean_hint *h = &report->hints[i];
    lode_clean_hint hint = {.from = report->text.data + h->from,
                            .to = report->text.data + h->to,
                            .why = h->letter ? "one character" : "case, accents or blanks",
                            .from_baskets = h->from_baskets,
                            .to_baskets = h->to_baskets};
    return valid_fill(out, &hint);
}

/* ---- for people ---- */

/* "a name", "3 names": a count with its word. */
static lode_status report_count(mem *m, vec_char *to, uint64_t n, const char *word,
                                const char **comma) {
    char figure[FIGURE_BYTES];
    if (n == 0) return LODE_OK;
    lode_status status = vec_char_printf(m, to, "%s%s %s%s", *comma, figure_count(n, figure), word,
                                         n == 1 ? "" : "s");
    *comma = ", ";
    return status;
}

/* The baskets that a step has dropped. */
static uint64_t report_dropped(const lode_clean_report *r, size_t i) {
    bool drops = i == CLEAN_ROWS || i == CLEAN_UNIQUE || i == CLEAN_SHORT || i == CLEAN_LONG;
    return drops ? r->steps[i].baskets : 0;
}

static lode_status report_step(const lode_clean_report *r, size_t i, uint64_t left, vec_char *to) {
    lode_status status = LODE_OK;
    char figure[FIGURE_BYTES];
    const lode_clean_step *s = &r->steps[i];
    const char *comma = "  ";
    size_t start = to->n;
    if (!s->asked) return LODE_OK;
    LODE_TRY(vec_char_printf(r->mem, to, "  %-10s", report_steps[i].name));
    start = to->n;
    LODE_TRY(report_count(r->mem, to, s->rows, "row", &comma));
    LODE_TRY(report_count(r->mem, to, s->items, "item", &comma));
    LODE_TRY(report_count(r->mem, to, s->occurrences, "occurrence", &comma));
    LODE_TRY(report_count(r->mem, to, s->baskets, "basket", &comma));
    if (to->n == start) LODE_TRY(vec_char_printf(r->mem, to, "  nothing"));
    LODE_TRY(vec_char_printf(r->mem, to, ": %s", report_steps[i].what));
    if (report_dropped(r, i) > 0) {
        LODE_TRY(vec_char_printf(r->mem, to, "; %s basket%s left", figure_count(left, figure),
                                 left == 1 ? "" : "s"));
    }
    LODE_TRY(vec_char_append(r->mem, to, "\n", 1));
done:
    return status;
}

static lode_status report_total(const lode_clean_report *r, const char *when, const clean_totals *t,
                                vec_char *to) {
    char a[FIGURE_BYTES], b[FIGURE_BYTES], c[FIGURE_BYTES];
    return vec_char_printf(r->mem, to, "%s: %s basket%s, %s item%s, %s occurrence%s\n", when,
                           figure_count(t->baskets, a), t->baskets == 1 ? "" : "s",
                           figure_count(t->items, b), t->items == 1 ? "" : "s",
                           figure_count(t->occurrences, c), t->occurrences == 1 ? "" : "s");
}

/* The state before cleaning. If rows were dropped while the file was read, their items are not
 * known. */
static lode_status report_before(const lode_clean_report *r, vec_char *to) {
    char a[FIGURE_BYTES], b[FIGURE_BYTES];
    lode_status status = LODE_OK;
    if (r->columns[0]) LODE_TRY(vec_char_printf(r->mem, to, "columns: %s\n", r->columns));
    if (r->n_rows == 0) return report_total(r, "before", &r->before, to);
    LODE_TRY(vec_char_printf(r->mem, to, "before: %s row%s, %s basket%s\n",
                             figure_count(r->n_rows, a), r->n_rows == 1 ? "" : "s",
                             figure_count(r->n_baskets_read, b),
                             r->n_baskets_read == 1 ? "" : "s"));
done:
    return status;
}

static lode_status report_all_steps(const lode_clean_report *r, vec_char *to) {
    lode_status status = LODE_OK;
    uint64_t left = r->n_baskets_read;
    for (size_t i = 0; i < CLEAN_STEPS; i++) {
        left -= report_dropped(r, i);
        LODE_TRY(report_step(r, i, left, to));
        if (i == CLEAN_ROWS && r->n_rows > 0) {
            LODE_TRY(report_total(r, "left", &r->before, to));
        }
    }
done:
    return status;
}

static lode_status report_merges(const lode_clean_report *r, vec_char *to) {
    lode_status status = LODE_OK;
    char figure[FIGURE_BYTES];
    const char *text = r->text.data;
    if (r->n_merges > 0) LODE_TRY(vec_char_printf(r->mem, to, "merged spellings\n"));
    for (size_t i = 0; i < r->n_merges_kept && i < REPORT_SHOWN; i++) {
        const clean_merge *m = &r->merges[i];
        LODE_TRY(vec_char_printf(r->mem, to, "  %s → ", text + m->from));
        LODE_TRY(clean_quote(r->mem, to, text + m->to, strlen(text + m->to)));
        LODE_TRY(vec_char_printf(r->mem, to, ": %s basket%s\n", figure_count(m->baskets, figure),
                                 m->baskets == 1 ? "" : "s"));
    }
    if (r->n_merges > REPORT_SHOWN) {
        LODE_TRY(vec_char_printf(r->mem, to, "  and %s more\n",
                                 figure_count(r->n_merges - REPORT_SHOWN, figure)));
    }
done:
    return status;
}

static lode_status report_hints(const lode_clean_report *r, vec_char *to) {
    lode_status status = LODE_OK;
    char figure[FIGURE_BYTES];
    const char *text = r->text.data;
    if (r->n_hints_kept > 0) {
        LODE_TRY(vec_char_printf(
            r->mem, to,
            "names that may mean the same item (--suggest-map FILE writes a mapping to edit)\n"));
    }
    for (size_t i = 0; i < r->n_hints_kept && i < REPORT_SHOWN; i++) {
        const clean_hint *h = &r->hints[i];
        LODE_TRY(vec_char_append(r->mem, to, "  ", 2));
        LODE_TRY(clean_quote(r->mem, to, text + h->from, strlen(text + h->from)));
        LODE_TRY(vec_char_printf(r->mem, to, " (%s), ", figure_count(h->from_baskets, figure)));
        LODE_TRY(clean_quote(r->mem, to, text + h->to, strlen(text + h->to)));
        LODE_TRY(vec_char_printf(
            r->mem, to, " (%s)%s\n", figure_count(h->to_baskets, figure),
            clean_is_open(h) ? ": both are equally frequent; choose the right one in the mapping"
                             : ""));
    }
    if (r->n_hints_kept > REPORT_SHOWN) {
        LODE_TRY(vec_char_printf(r->mem, to, "  and %s more\n",
                                 figure_count(r->n_hints_kept - REPORT_SHOWN, figure)));
    }
done:
    return status;
}

static lode_status report_unused(const lode_clean_report *r, vec_char *to) {
    lode_status status = LODE_OK;
    if (r->n_unused_rules > 0) {
        LODE_TRY(vec_char_printf(r->mem, to, "%" PRIu64 " line%s of the mapping matched no name\n",
                                 r->n_unused_rules, r->n_unused_rules == 1 ? "" : "s"));
    }
    if (r->n_unused_patterns > 0) {
        LODE_TRY(vec_char_printf(r->mem, to,
                                 "%" PRIu64 " pattern%s of --drop matched no name: %s\n",
                                 r->n_unused_patterns, r->n_unused_patterns == 1 ? "" : "s",
                                 r->text.data + r->unused_patterns));
    }
done:
    return status;
}

lode_status lode_clean_report_text(const lode_clean_report *report, lode_write_fn write,
                                   void *user) {
    lode_status status = LODE_OK;
    vec_char text = {0};
    if (!report || !write) return LODE_INVALID;
    LODE_TRY(report_before(report, &text));
    LODE_TRY(report_all_steps(report, &text));
    LODE_TRY(report_total(report, "after", &report->after, &text));
    LODE_TRY(report_merges(report, &text));
    LODE_TRY(report_hints(report, &text));
    LODE_TRY(report_unused(report, &text));
    if (write(user, text.data, text.n) != 0) status = LODE_STOPPED;
done:
    vec_char_free(report->mem, &text);
    return status;
}

/* ---- JSON ---- */

static lode_status report_put_total(const lode_clean_report *r, const char *when,
                                    const clean_totals *t, vec_char *to) {
    return vec_char_printf(r->mem, to,
                           "\"%s\":{\"baskets\":%" PRIu64 ",\"items\":%" PRIu64
                           ",\"occurrences\":%" PRIu64 ",\"empty\":%" PRIu64 "}",
                           when, t->baskets, t->items, t->occurrences, t->empty);
}

static lode_status report_put_steps(const lode_clean_report *r, vec_char *to) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_char_printf(r->mem, to, ",\"steps\":["));
    for (size_t i = 0; i < CLEAN_STEPS; i++) {
        const lode_clean_step *s = &r->steps[i];
        LODE_TRY(vec_char_printf(r->mem, to,
                                 "%s{\"name\":\"%s\",\"rows\":%" PRIu64 ",\"items\":%" PRIu64
                                 ",\"occurrences\":%" PRIu64 ",\"baskets\":%" PRIu64 "}",
                                 i ? "," : "", report_steps[i].name, s->rows, s->items,
                                 s->occurrences, s->baskets));
    }
    LODE_TRY(vec_char_printf(r->mem, to, "]"));
done:
    return status;
}

static lode_status report_put_text(const lode_clean_report *r, const char *key, size_t at,
                                   vec_char *to) {
    const char *text = r->text.data + at;
    lode_status status = vec_char_printf(r->mem, to, "\"%s\":", key);
    return status == LODE_OK ? utf8_put_json(r->mem, to, text, strlen(text)) : status;
}

static lode_status report_put_merges(const lode_clean_report *r, vec_char *to) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_char_printf(r->mem, to, ",\"merged\":%" PRIu64 ",\"merges\":[", r->n_merges));
    for (size_t i = 0; i < r->n_merges_kept; i++) {
        const clean_merge *m = &r->merges[i];
        LODE_TRY(vec_char_append(r->mem, to, i ? ",{" : "{", i ? 2 : 1));
        LODE_TRY(report_put_text(r, "from", m->from, to));
        LODE_TRY(vec_char_append(r->mem, to, ",", 1));
        LODE_TRY(report_put_text(r, "to", m->to, to));
        LODE_TRY(vec_char_printf(r->mem, to, ",\"names\":%" PRIu64 ",\"baskets\":%" PRIu64 "}",
                                 m->n_from, m->baskets));
    }
    LODE_TRY(vec_char_printf(r->mem, to, "]"));
done:
    return status;
}

static lode_status report_put_hints(const lode_clean_report *r, vec_char *to) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_char_printf(r->mem, to, ",\"hints\":["));
    for (size_t i = 0; i < r->n_hints_kept; i++) {
        const clean_hint *h = &r->hints[i];
        LODE_TRY(vec_char_append(r->mem, to, i ? ",{" : "{", i ? 2 : 1));
        LODE_TRY(report_put_text(r, "from", h->from, to));
        LODE_TRY(vec_char_append(r->mem, to, ",", 1));
        LODE_TRY(report_put_text(r, "to", h->to, to));
        LODE_TRY(vec_char_printf(r->mem, to,
                                 ",\"from_baskets\":%" PRIu64 ",\"to_baskets\":%" PRIu64 "}",
                                 h->from_baskets, h->to_baskets));
    }
    LODE_TRY(vec_char_printf(r->mem, to, "]"));
done:
    return status;
}

lode_status lode_clean_report_json(const lode_clean_report *report, lode_write_fn write,
                                   void *user) {
    lode_status status = LODE_OK;
    vec_char text = {0};
    if (!report || !write) return LODE_INVALID;
    LODE_TRY(vec_char_printf(report->mem, &text,
                             "{\"read\":{\"rows\":%" PRIu64 ",\"baskets\":%" PRIu64 "},",
                             report->n_rows, report->n_baskets_read));
    LODE_TRY(report_put_total(report, "before", &report->before, &text));
    LODE_TRY(vec_char_append(report->mem, &text, ",", 1));
    LODE_TRY(report_put_total(report, "after", &report->after, &text));
    LODE_TRY(report_put_steps(report, &text));
    LODE_TRY(report_put_merges(report, &text));
    LODE_TRY(report_put_hints(report, &text));
    LODE_TRY(vec_char_printf(report->mem, &text,
                             ",\"unused_rules\":%" PRIu64 ",\"unused_patterns\":%" PRIu64 "}\n",
                             report->n_unused_rules, report->n_unused_patterns));
    if (write(user, text.data, text.n) != 0) status = LODE_STOPPED;
done:
    vec_char_free(report->mem, &text);
    return status;
}

/* ---- a mapping to edit ---- */

/* Appends a name as a field; names with wildcards take them as they are. */
static lode_status hints_put(const lode_clean_report *r, size_t at, bool left, vec_char *to) {
    lode_status status = LODE_OK;
    const char *name = r->text.data + at;
    LODE_TRY(vec_char_append(r->mem, to, "\"", 1));
    for (; *name; name++) {
        if (left && strchr("*?[\\", *name)) LODE_TRY(vec_char_append(r->mem, to, "\\", 1));
        if (*name == '"') LODE_TRY(vec_char_append(r->mem, to, "\"", 1));
        LODE_TRY(vec_char_append(r->mem, to, name, 1));
    }
    LODE_TRY(vec_char_append(r->mem, to, "\"", 1));
done:
    return status;
}

static lode_status hints_put_line(const lode_clean_report *r, const char *mark, size_t from,
                                  size_t to, vec_char *text) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_char_append(r->mem, text, mark, strlen(mark)));
    LODE_TRY(hints_put(r, from, true, text));
    LODE_TRY(vec_char_append(r->mem, text, ",", 1));
    LODE_TRY(hints_put(r, to, false, text));
    LODE_TRY(vec_char_append(r->mem, text, "\n", 1));
done:
    return status;
}

/* Both directions, as comments: which of the names is right cannot be known. */
static lode_status hints_put_open(const lode_clean_report *r, const clean_hint *h, vec_char *text) {
    lode_status status = LODE_OK;
    LODE_TRY(
        vec_char_printf(r->mem, text, "# equally frequent: remove the \"# \" of the right line\n"));
    LODE_TRY(hints_put_line(r, "# ", h->from, h->to, text));
    LODE_TRY(hints_put_line(r, "# ", h->to, h->from, text));
done:
    return status;
}

lode_status lode_clean_write_map(lode_job *job, const lode_clean_report *report, const char *path) {
    lode_status status = LODE_OK;
    output out = {0};
    vec_char text = {0};
    VALID_CALL(job, VALID_NEEDS(report), VALID_NEEDS(path));
    LODE_TRY(vec_char_append(report->mem, &text, "from,to\n", 8));
    for (size_t i = 0; i < report->n_hints_kept; i++) {
        const clean_hint *h = &report->hints[i];
        LODE_TRY(clean_is_open(h) ? hints_put_open(report, h, &text)
                                  : hints_put_line(report, "", h->from, h->to, &text));
    }
    LODE_TRY(output_open(&out, job, path));
    LODE_TRY(output_write(&out, text.data, text.n));
    LODE_TRY(output_finish(&out, false));
done:
    output_discard(&out);
    vec_char_free(report->mem, &text);
    return job_explain(job, status, "writing the mapping");
}
