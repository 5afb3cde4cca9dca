/* json_look.c - see json_look.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/json_look.h"

#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "read/column_names.h"
#include "read/foreign.h"
#include "read/json_scan.h"
#include "read/line_ends.h"

#define LOOK_RECORDS 200
#define LOOK_FIELDS  64

/* A field of the records, and what its values are. */
typedef struct look_field {
    char name[JSON_NAME];
    bool lists, texts; /* lists; texts and numbers */
} look_field;

typedef struct look {
    const sniff_text *s;
    vec_char scratch;
    look_field fields[LOOK_FIELDS];
    size_t n_fields;
    look_field inner[LOOK_FIELDS]; /* fields of objects within lists */
    size_t n_inner;
    size_t n_objects, n_lists; /* records */
} look;

static json_cursor look_cursor(look *l, const char *text, size_t n) {
    return (json_cursor){
        .at = text, .end = text + n, .mem = &l->s->job->mem, .scratch = &l->scratch};
}

/* ---- Is it JSON? ---- */

/* Whether the line at *text is one list of texts and numbers; moves past it. */
static bool look_is_list(json_cursor *c, const char **text, const char *end) {
    json_value v;
    const char *line_end = line_find(*text, end);
    *c = (json_cursor){.at = *text, .end = line_end, .mem = c->mem, .scratch = c->scratch};
    *text = line_end < end ? line_end + line_end_bytes(line_end, end) : end;
    if (!json_skip_blanks(c) || *c->at != '[' || json_read(c, &v) != LODE_OK) return false;
    return json_pass(c, &v) == LODE_OK && !json_skip_blanks(c);
}

/* Returns the character after the blanks and line ends from `text` on; 0 if there is none. */
static char look_behind_blanks(const char **text, const char *end) {
    while (*text < end && strchr(" \t\r\n", **text)) (*text)++;
    return *text < end ? **text : 0;
}

/* Whether it begins with a list of lists or objects, or with an empty list. */
static bool look_nests(const char *text, const char *end) {
    if (look_behind_blanks(&text, end) != '[') return false;
    text++;
    char next = look_behind_blanks(&text, end);
    if (next == '[' || next == '{') return true;
    if (next != ']') return false;
    text++;
    while (text < end && (*text == ' ' || *text == '\t')) text++;
    return text == end || *text == '\n' || *text == '\r';
}

bool json_recognise(lode_job *job, const char *text, size_t n) {
    vec_char scratch = {0};
    const char *end = text + n;
    if (look_nests(text, end)) return true;
    size_t head = n < FOREIGN_HEAD ? n : FOREIGN_HEAD;
    if (foreign_is_json((foreign_head){text, text + head})) return true;
    json_cursor c = {.mem = &job->mem, .scratch = &scratch};
    bool lists = look_is_list(&c, &text, end) && text < end && look_is_list(&c, &text, end);
    vec_char_free(&job->mem, &scratch);
    return lists;
}

/* ---- Lines, or one list ---- */

/* Moves to the next record. Returns false if there is none, or if it cannot be found. */
static bool look_next(json_cursor *c, bool document, bool first) {
    if (!json_skip_blanks(c)) return false;
    if (!document) return true;
    if (first && *c->at == '[') {
        c->at++;
        return json_skip_blanks(c) && *c->at != ']';
    }
    if (*c->at != ',') return false;
    c->at++;
    return json_skip_blanks(c);
}

/* Whether the line ends with the bracket that closes an object. */
static bool look_closes(const char *line, const char *end) {
    while (end > line && strchr(" \t\r", end[-1]) && end[-1]) end--;
    return end > line && end[-1] == '}';
}

/* Whether the line at `p` is one object, and what follows it, if anything does, is one more. */
static bool look_is_object(look *l, const char *p, const char *end) {
    const char *line_end = line_find(p, end);
    json_cursor c = look_cursor(l, p, (size_t)(line_end - p));
    json_value v;
    if (p == end || *p != '{' || json_read(&c, &v) != LODE_OK) return false;
    if (json_pass(&c, &v) != LODE_OK || json_skip_blanks(&c)) return false;
    char next = look_behind_blanks(&line_end, end);
    return next == '{' || next == 0;
}

/* Whether there is one record a line. Records may be lists of texts; objects, if the first one ends
 * in its line or, failing that, the next one does; or lists of objects that end in their line and
 * are followed by others. */
static lode_status look_lines(look *l, bool *lines) {
    const char *end = l->s->text + l->s->n;
    json_cursor c = look_cursor(l, l->s->text, l->s->n);
    json_value v;
    *lines = false;
    if (!json_skip_blanks(&c)) return LODE_OK;
    const char *start = c.at, *line_end = line_find(start, end);
    json_cursor inside = c;
    inside.at++;
    bool scalars = json_skip_blanks(&inside) && !strchr("[{]", *inside.at);
    c.end = line_end;
    lode_status status = json_read(&c, &v);
    if (status == LODE_OK) status = json_pass(&c, &v);
    bool whole = status == LODE_OK && !json_skip_blanks(&c);
    c.at = line_end;
    c.end = end;
    bool follows = json_skip_blanks(&c);
    if (*start == '{') {
        *lines = line_end == end || look_closes(start, line_end) ||
                 (follows && look_is_object(l, c.at, end));
    } else {
        *lines = scalars || (whole && follows);
    }
    return status == LODE_PARSE ? LODE_OK : status;
}

/* ---- Fields ---- */

static void look_note(look_field *fields, size_t *n, const json_value *key, json_kind kind) {
    size_t i = 0;
    if (key->n == 0 || key->n >= JSON_NAME) return;
    while (i < *n && !json_is(key, fields[i].name)) i++;
    if (i == LOOK_FIELDS) return;
    if (i == *n) {
        fields[i] = (look_field){.lists = false};
        memcpy(fields[i].name, key->text, key->n);
        ++*n;
    }
    fields[i].lists |= kind == JSON_LIST;
    fields[i].texts |= kind == JSON_STRING || kind == JSON_NUMBER;
}

/* A key that is needed after its value was read. */
typedef struct look_key {
    json_value value;
    char text[JSON_NAME];
} look_key;

/* Reads a field; long keys are read as "". */
static lode_status look_field_at(json_cursor *c, bool first, look_key *key, json_value *v,
                                 bool *more) {
    lode_status status = json_key(c, first, &key->value, more);
    if (status != LODE_OK || !*more) return status;
    if (key->value.n >= JSON_NAME) key->value.n = 0;
    memcpy(key->text, key->value.text, key->value.n);
    key->value.text = key->text;
    return json_read(c, v);
}

/* Notes the fields of an object within a list, whose bracket was read. */
static lode_status look_inner(look *l, json_cursor *c) {
    lode_status status = LODE_OK;
    look_key key;
    json_value v;
    bool more = true;
    for (bool first = true; more; first = false) {
        LODE_TRY(look_field_at(c, first, &key, &v, &more));
        if (!more) break;
        look_note(l->inner, &l->n_inner, &key.value, v.kind);
        LODE_TRY(json_pass(c, &v));
    }
done:
    return status;
}

static lode_status look_list(look *l, json_cursor *c) {
    lode_status status = LODE_OK;
    json_value v;
    bool more = true;
    for (bool first = true; more; first = false) {
        LODE_TRY(json_element(c, first, &v, &more));
        if (!more) break;
        LODE_TRY(v.kind == JSON_OBJECT ? look_inner(l, c) : json_pass(c, &v));
    }
done:
    return status;
}

static lode_status look_object(look *l, json_cursor *c) {
    lode_status status = LODE_OK;
    look_key key;
    json_value v;
    bool more = true;
    for (bool first = true; more; first = false) {
        LODE_TRY(look_field_at(c, first, &key, &v, &more));
        if (!more) break;
        look_note(l->fields, &l->n_fields, &key.value, v.kind);
        LODE_TRY(v.kind == JSON_LIST ? look_list(l, c) : json_pass(c, &v));
    }
done:
    return status;
}

static lode_status look_record(look *l, json_cursor *c) {
    json_value v;
    lode_status status = json_read(c, &v);
    if (status != LODE_OK) return status;
    l->n_objects += v.kind == JSON_OBJECT;
    l->n_lists += v.kind == JSON_LIST;
    if (v.kind == JSON_OBJECT) return look_object(l, c);
    return v.kind == JSON_LIST ? look_list(l, c) : json_pass(c, &v);
}

/* Collects the fields of the first records. The reader will report malformed text; here a malformed
 * line is skipped, and a list ends at a malformed element or at the end of the text. */
static lode_status look_records(look *l, bool document) {
    lode_status status = LODE_OK;
    json_cursor c = look_cursor(l, l->s->text, l->s->n);
    for (size_t i = 0; i < LOOK_RECORDS && look_next(&c, document, i == 0); i++) {
        const char *start = c.at;
        status = look_record(l, &c);
        if (status == LODE_PARSE && !document) {
            c.at = line_find(start, c.end);
        } else if (status != LODE_OK) {
            break;
        }
    }
    return status == LODE_PARSE ? LODE_OK : status;
}

/* ---- What the options mean ---- */

static look_field *look_find(look_field *fields, size_t n, const char *name, size_t n_name) {
    char word[JSON_NAME];
    if (n_name >= JSON_NAME) return NULL;
    memcpy(word, name, n_name);
    word[n_name] = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(fields[i].name, word) == 0) return &fields[i];
    }
    for (size_t i = 0; i < n; i++) {
        if (columns_alike(fields[i].name, strlen(fields[i].name), word)) return &fields[i];
    }
    return NULL;
}

/* The fields, for a message. */
static const char *look_names(const look *l, char out[256]) {
    out[0] = 0;
    for (size_t i = 0; i < l->n_fields && strlen(out) < 200; i++) {
        append_text(out, 256, "%s%.40s", i ? ", " : "", l->fields[i].name);
    }
    return out;
}

static lode_status look_missing(const look *l, const char *option, const char *what) {
    char names[256];
    if (l->n_objects == 0) {
        return job_fail(l->s->job, LODE_INVALID,
                        "%s: its records are lists, which have no field '%s'", l->s->name, option);
    }
    if (option) {
        return job_fail(l->s->job, LODE_INVALID, "%s has no field '%s'; its fields are: %s",
                        l->s->name, option, look_names(l, names));
    }
    return job_fail(
        l->s->job, LODE_PARSE,
        "%s: this is JSON, but lode cannot tell which field holds %s; its fields are: %s; use "
        "--item FIELD, and also --tid FIELD if each record is one item of a transaction",
        l->s->name, what, look_names(l, names));
}

static unsigned look_item_rank(const char *name) {
    static const char *const more[] = {"basket", "cart", "products", "itemset",   "transaction",
                                       "lines",  "skus", "articles", "line_items"};
    unsigned rank = columns_item_rank(name, strlen(name));
    for (size_t i = 0; rank == 0 && i < sizeof more / sizeof *more; i++) {
        if (columns_alike(name, strlen(name), more[i])) rank = 9;
    }
    return rank;
}

/* Returns the field whose name suits items best, among lists or among texts; NULL if there is none,
 * or if several suit equally. A single list may have any name. */
static look_field *look_best_item(look_field *fields, size_t n, bool lists) {
    look_field *best = NULL, *only = NULL;
    unsigned best_rank = 0, n_candidates = 0;
    bool tie = false;
    for (size_t i = 0; i < n; i++) {
        if (lists ? !fields[i].lists : !fields[i].texts) continue;
        only = &fields[i];
        n_candidates++;
        unsigned rank = look_item_rank(fields[i].name);
        if (rank == 0 || (best && rank > best_rank)) continue;
        tie = best && rank == best_rank;
        best = &fields[i];
        best_rank = rank;
    }
    if (!best && n_candidates == 1 && lists) return only;
    return tie ? NULL : best;
}

static look_field *look_best_tid(look *l) {
    look_field *best = NULL;
    unsigned best_rank = 0;
    for (size_t i = 0; i < l->n_fields; i++) {
        const char *name = l->fields[i].name;
        unsigned rank = columns_transaction_rank(name, strlen(name));
        if (!l->fields[i].texts || rank == 0 || (best && rank >= best_rank)) continue;
        best = &l->fields[i];
        best_rank = rank;
    }
    return best;
}

/* "items.sku": the field of the list, and that of its objects. */
static lode_status look_dotted(look *l, const char *option, json_shape *out) {
    const char *dot = strrchr(option, '.');
    look_field *list =
        dot ? look_find(l->fields, l->n_fields, option, (size_t)(dot - option)) : NULL;
    look_field *inner = list ? look_find(l->inner, l->n_inner, dot + 1, strlen(dot + 1)) : NULL;
    if (!inner || !list->lists) return look_missing(l, option, "items");
    memcpy(out->item, list->name, JSON_NAME);
    memcpy(out->inner, inner->name, JSON_NAME);
    return LODE_OK;
}

/* Finds the field of items, or of the item of a pair. */
static lode_status look_item(look *l, const lode_read_options *o, json_shape *out) {
    const char *option = o->item_column;
    look_field *found = NULL;
    if (option) {
        found = look_find(l->fields, l->n_fields, option, strlen(option));
        if (!found) return look_dotted(l, option, out);
    } else {
        bool any = false;
        for (size_t i = 0; i < l->n_fields; i++) any |= l->fields[i].lists;
        found = look_best_item(l->fields, l->n_fields, any);
    }
    if (!found) return look_missing(l, NULL, "the items");
    memcpy(out->item, found->name, JSON_NAME);
    out->pairs = !found->lists;
    if (out->pairs || l->n_inner == 0) return LODE_OK;
    const look_field *inner = look_best_item(l->inner, l->n_inner, false);
    if (inner) memcpy(out->inner, inner->name, JSON_NAME);
    return LODE_OK;
}

static lode_status look_tid(look *l, const lode_read_options *o, json_shape *out) {
    const char *option = o->tid_column;
    const look_field *found =
        option ? look_find(l->fields, l->n_fields, option, strlen(option)) : look_best_tid(l);
    if (found && strcmp(found->name, out->item) != 0) {
        memcpy(out->tid, found->name, JSON_NAME);
        return LODE_OK;
    }
    if (option || out->pairs) return look_missing(l, option, "the transaction");
    return LODE_OK;
}

/* Whether these are itemsets as `lode itemsets --write jsonl` writes them. */
static bool look_is_result(look *l) {
    look_field *items = look_find(l->fields, l->n_fields, "items", 5);
    look_field *count = look_find(l->fields, l->n_fields, "count", 5);
    look_field *support = look_find(l->fields, l->n_fields, "support", 7);
    return items && items->lists && count && count->texts && support && support->texts;
}

static lode_status look_settle(look *l, const lode_read_options *o, json_shape *out) {
    lode_status status = LODE_OK;
    bool asked = o->item_column || o->tid_column || o->weight_column || o->drop_rows;
    out->fields = l->n_objects > 0;
    if (!out->fields) {
        if (asked && l->n_lists > 0) {
            const char *first = o->item_column     ? o->item_column
                                : o->tid_column    ? o->tid_column
                                : o->weight_column ? o->weight_column
                                                   : o->drop_rows;
            return look_missing(l, first, "");
        }
        const look_field *inner = look_best_item(l->inner, l->n_inner, false);
        if (inner) memcpy(out->inner, inner->name, JSON_NAME);
        return LODE_OK;
    }
    if (!o->item_column && look_is_result(l)) {
        return job_fail(l->s->job, LODE_PARSE,
                        "%s: these are itemsets (items, count and support) that lode wrote, not "
                        "transactions; use --item items to read them as transactions",
                        l->s->name);
    }
    LODE_TRY(look_item(l, o, out));
    LODE_TRY(look_tid(l, o, out));
    if (o->weight_column) {
        const look_field *w =
            look_find(l->fields, l->n_fields, o->weight_column, strlen(o->weight_column));
        if (!w) LODE_LEAVE(look_missing(l, o->weight_column, ""));
        memcpy(out->weight, w->name, JSON_NAME);
    }
done:
    return status;
}

static lode_status look_shape(look *l, json_shape *out) {
    bool lines;
    lode_status status = look_lines(l, &lines);
    if (status != LODE_OK) return status;
    const char *p = l->s->text, *end = p + l->s->n;
    while (p < end && strchr(" \t\r\n", *p) && *p) p++;
    out->document = !lines && p < end && *p == '[';
    if (lines || out->document || p == end || *p != '{') return LODE_OK;
    return job_fail(l->s->job, LODE_PARSE,
                    "%s: this is one JSON object over several lines; expected one record per line, "
                    "or one list of records; use `jq -c . FILE` or `jq -c '.FIELD[]' FILE`",
                    l->s->name);
}

lode_status json_look(const sniff_text *s, const lode_read_options *options, json_shape *out) {
    lode_status status = LODE_OK;
    mem *m = &s->job->mem;
    look *l = NULL;
    *out = (json_shape){.document = false};
    LODE_TRY(mem_zalloc(m, (void **)&l, sizeof *l));
    l->s = s;
    LODE_TRY(look_shape(l, out));
    LODE_TRY(look_records(l, out->document));
    LODE_TRY(look_settle(l, options, out));
done:
    if (l) vec_char_free(m, &l->scratch);
    mem_free(m, l, l ? sizeof *l : 0);
    return status;
}

/* Looks at the first records again, for fields that options name. */
static lode_status look_again(const sniff_text *s, const json_shape *shape, look **out) {
    lode_status status = mem_zalloc(&s->job->mem, (void **)out, sizeof **out);
    if (status != LODE_OK) return status;
    (*out)->s = s;
    return look_records(*out, shape->document);
}

static void look_free(const sniff_text *s, look *l) {
    if (!l) return;
    vec_char_free(&s->job->mem, &l->scratch);
    mem_free(&s->job->mem, l, sizeof *l);
}

lode_status json_look_for(const sniff_text *s, const json_shape *shape, const char *option,
                          char out[JSON_NAME], bool *found) {
    look *l = NULL;
    const look_field *field = NULL;
    lode_status status = look_again(s, shape, &l);
    if (status == LODE_OK) field = look_find(l->fields, l->n_fields, option, strlen(option));
    *found = field != NULL;
    if (field) memcpy(out, field->name, JSON_NAME);
    look_free(s, l);
    return status;
}

lode_status json_look_within(const sniff_text *s, const json_shape *shape, const char *option,
                             char out[JSON_NAME], bool *found) {
    look *l = NULL;
    const look_field *list = NULL, *field = NULL;
    const char *dot = strrchr(option, '.');
    *found = false;
    if (!dot || !shape->inner[0]) return LODE_OK;
    lode_status status = look_again(s, shape, &l);
    if (status == LODE_OK) {
        list = look_find(l->fields, l->n_fields, option, (size_t)(dot - option));
    }
    if (list && strcmp(list->name, shape->item) == 0) {
        field = look_find(l->inner, l->n_inner, dot + 1, strlen(dot + 1));
    }
    *found = field != NULL;
    if (field) memcpy(out, field->name, JSON_NAME);
    look_free(s, l);
    return status;
}
