/* workbook.c - see workbook.h
 *
 *     _rels/.rels                   the workbook is xl/workbook.xml
 *     xl/workbook.xml               its sheets, in the order of their tabs, each with an id
 *     xl/_rels/workbook.xml.rels    the parts that these ids name, and their types
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/workbook.h"

#ifdef LODE_ZIP_LIBRARY
#include <stdio.h>
#include <string.h>

#include "read/column_names.h"
#include "read/workbook_cells.h"

#define BOOK_LISTED 1000 /* bytes of a list of sheets in a message */
#define BOOK_SHEETS 4096

/* One sheet. Texts are places in workbook.text. */
typedef struct book_sheet {
    size_t name, id;
    bool hidden;
} book_sheet;

typedef struct book_link {
    size_t id, type, target;
} book_link;

struct workbook {
    lode_job *job;
    workbook_archive archive;
    vec_char text; /* names, ids and paths, each with a terminating zero */
    book_sheet *sheets;
    book_link *links; /* of the part that was read last */
    size_t n_sheets, sheets_cap, n_links, links_cap;
    size_t chosen; /* the sheet */
    bool from_1904;
    vec_char main, sheet, strings, styles; /* paths of parts, with a terminating zero */
    workbook_cells *cells;                 /* NULL before the first text */
};

bool workbook_is_readable(const char **why) {
    const workbook_library *lib = workbook_library_get();
    *why = lib->why;
    return lib->loaded;
}

/* ---- lists in the workbook ------------------------------------------------------------------- */

/* Keeps a text; NULL = "". */
static lode_status book_keep(workbook *b, const char *text, size_t *place) {
    *place = b->text.n;
    return vec_char_append(&b->job->mem, &b->text, text ? text : "", text ? strlen(text) + 1 : 1);
}

static const char *book_text(const workbook *b, size_t place) {
    return b->text.data + place;
}

static lode_status links_start(void *user, const char *name, const char *const *attributes) {
    lode_status status = LODE_OK;
    workbook *b = user;
    book_link link = {0};
    if (strcmp(name, "Relationship") != 0) return LODE_OK;
    LODE_TRY(book_keep(b, part_attribute(attributes, "Id"), &link.id));
    LODE_TRY(book_keep(b, part_attribute(attributes, "Type"), &link.type));
    LODE_TRY(book_keep(b, part_attribute(attributes, "Target"), &link.target));
    if (b->n_links == b->links_cap) {
        LODE_TRY(vec_grow(&b->job->mem, (void **)&b->links, b->n_links, &b->links_cap, 1,
                          sizeof *b->links));
    }
    b->links[b->n_links++] = link;
done:
    return status;
}

static lode_status book_start(void *user, const char *name, const char *const *attributes) {
    lode_status status = LODE_OK;
    workbook *b = user;
    book_sheet sheet = {0};
    const char *from = part_attribute(attributes, "date1904");
    if (strcmp(name, "workbookPr") == 0 && from) b->from_1904 = *from == '1' || *from == 't';
    if (strcmp(name, "sheet") != 0 || b->n_sheets == BOOK_SHEETS) return LODE_OK;
    const char *state = part_attribute(attributes, "state");
    sheet.hidden = state && strcmp(state, "visible") != 0;
    LODE_TRY(book_keep(b, part_attribute(attributes, "name"), &sheet.name));
    LODE_TRY(book_keep(b, part_attribute(attributes, "id"), &sheet.id));
    if (b->n_sheets == b->sheets_cap) {
        LODE_TRY(vec_grow(&b->job->mem, (void **)&b->sheets, b->n_sheets, &b->sheets_cap, 1,
                          sizeof *b->sheets));
    }
    b->sheets[b->n_sheets++] = sheet;
done:
    return status;
}

/* ---- links between parts --------------------------------------------------------------------- */

/* Types are long names that end with what they mean. */
static bool link_is(const workbook *b, const book_link *link, const char *type) {
    const char *slash = strrchr(book_text(b, link->type), '/');
    return slash && strcmp(slash + 1, type) == 0;
}

static const book_link *link_of_type(const workbook *b, const char *type) {
    for (size_t i = 0; i < b->n_links; i++) {
        if (link_is(b, &b->links[i], type)) return &b->links[i];
    }
    return NULL;
}

static const book_link *link_of_id(const workbook *b, const char *id) {
    for (size_t i = 0; i < b->n_links; i++) {
        if (strcmp(book_text(b, b->links[i].id), id) == 0) return &b->links[i];
    }
    return NULL;
}

/* Makes the path of a part: the target is relative to the folder of `base`, or begins with a /. */
static lode_status link_path(workbook *b, const char *base, const book_link *link, vec_char *path) {
    lode_status status = LODE_OK;
    mem *m = &b->job->mem;
    const char *target = link ? book_text(b, link->target) : "", *slash = strrchr(base, '/');
    size_t folder = slash ? (size_t)(slash - base) + 1 : 0;
    while (strncmp(target, "../", 3) == 0) {
        target += 3;
        while (folder > 0 && base[--folder] != '/') continue;
        while (folder > 0 && base[folder - 1] != '/') folder--;
    }
    path->n = 0;
    if (*target && *target != '/') LODE_TRY(vec_char_append(m, path, base, folder));
    target += *target == '/';
    LODE_TRY(vec_char_append(m, path, target, strlen(target) + 1));
done:
    return status;
}

/* ---- which sheet ----------------------------------------------------------------------------- */

/* Appends the names of all sheets but one; SIZE_MAX = of all. */
static void book_list(const workbook *b, size_t except, char list[BOOK_LISTED]) {
    size_t at = 0;
    list[0] = 0;
    for (size_t i = 0; i < b->n_sheets; i++) {
        if (i == except) continue;
        const char *name = book_text(b, b->sheets[i].name);
        if (at + strlen(name) + 32 > BOOK_LISTED) {
            snprintf(list + at, BOOK_LISTED - at, ", …");
            return;
        }
        snprintf(list + at, BOOK_LISTED - at, "%s'%s'%s", at > 0 ? ", " : "", name,
                 b->sheets[i].hidden ? " (hidden)" : "");
        at += strlen(list + at);
    }
}

static bool book_has_cells(const workbook *b, size_t sheet) {
    const book_link *link = link_of_id(b, book_text(b, b->sheets[sheet].id));
    return link && link_is(b, link, "worksheet"); /* not a chart or a macro */
}

/* By its name; by its name in other letters; by its number. */
static size_t book_find(const workbook *b, const char *wanted) {
    size_t number = columns_number(wanted);
    for (size_t i = 0; i < b->n_sheets; i++) {
        if (strcmp(book_text(b, b->sheets[i].name), wanted) == 0) return i;
    }
    for (size_t i = 0; i < b->n_sheets; i++) {
        const char *name = book_text(b, b->sheets[i].name);
        if (columns_same(name, strlen(name), wanted)) return i;
    }
    return number > 0 && number <= b->n_sheets ? number - 1 : SIZE_MAX;
}

static size_t book_first(const workbook *b) {
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < b->n_sheets; i++) {
        if (!book_has_cells(b, i)) continue;
        if (!b->sheets[i].hidden) return i;
        if (first == SIZE_MAX) first = i;
    }
    return first;
}

static lode_status book_choose(workbook *b, const char *wanted) {
    char list[BOOK_LISTED];
    b->chosen = wanted ? book_find(b, wanted) : book_first(b);
    book_list(b, b->chosen, list);
    if (b->chosen == SIZE_MAX) {
        return wanted
                   ? job_fail(b->job, LODE_NOTFOUND,
                              "%s: there is no sheet '%.80s' in this workbook; its sheets are: %s",
                              b->archive.name, wanted, list)
                   : job_fail(b->job, LODE_PARSE,
                              "%s: this is an Excel workbook without a sheet of cells",
                              b->archive.name);
    }
    if (!book_has_cells(b, b->chosen)) {
        return job_fail(b->job, LODE_NOTFOUND, "%s: the sheet '%s' has no cells; other sheets: %s",
                        b->archive.name, workbook_sheet(b), list);
    }
    if (b->n_sheets > 1 && !wanted) {
        job_log(b->job, LODE_LOG_INFO, "%s: the sheet '%s' is read; other sheets (--sheet): %s",
                b->archive.name, workbook_sheet(b), list);
    }
    return LODE_OK;
}

const char *workbook_sheet(const workbook *b) {
    return book_text(b, b->sheets[b->chosen].name);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Reads the links of a part: those of a/b.xml are in a/_rels/b.xml.rels. "" = of the archive. */
static lode_status book_read_links(workbook *b, const char *part) {
    lode_status status = LODE_OK;
    vec_char path = {0};
    const char *slash = strrchr(part, '/'), *file = slash ? slash + 1 : part;
    const part_handlers handlers = {.start = links_start, .user = b};
    b->n_links = 0;
    LODE_TRY(
        vec_char_printf(&b->job->mem, &path, "%.*s_rels/%s.rels", (int)(file - part), part, file));
    LODE_TRY(vec_char_append(&b->job->mem, &path, "", 1));
    LODE_TRY(part_read(&b->archive, path.data, &handlers));
done:
    vec_char_free(&b->job->mem, &path);
    return status;
}

/* Finds the part that is the workbook. *is_book is false if the archive holds something else. */
static lode_status book_find_main(workbook *b, bool *is_book) {
    lode_status status = LODE_OK;
    *is_book = archive_has(&b->archive, "xl/workbook.xml");
    if (archive_has(&b->archive, "xl/workbook.bin")) {
        LODE_LEAVE(job_fail(b->job, LODE_PARSE,
                            "%s: this is a binary Excel workbook (.xlsb); save it as .xlsx",
                            b->archive.name));
    }
    if (*is_book) status = vec_char_append(&b->job->mem, &b->main, "xl/workbook.xml", 16);
    if (*is_book || !archive_has(&b->archive, "_rels/.rels")) goto done;
    LODE_TRY(book_read_links(b, ""));
    LODE_TRY(link_path(b, "", link_of_type(b, "officeDocument"), &b->main));
    *is_book = strncmp(b->main.data, "xl/", 3) == 0 && archive_has(&b->archive, b->main.data);
done:
    return status;
}

static lode_status book_read(workbook *b, const char *sheet) {
    lode_status status = LODE_OK;
    const part_handlers handlers = {.start = book_start, .user = b};
    LODE_TRY(part_read(&b->archive, b->main.data, &handlers));
    LODE_TRY(book_read_links(b, b->main.data));
    LODE_TRY(book_choose(b, sheet));
    const char *id = book_text(b, b->sheets[b->chosen].id);
    LODE_TRY(link_path(b, b->main.data, link_of_id(b, id), &b->sheet));
    LODE_TRY(link_path(b, b->main.data, link_of_type(b, "sharedStrings"), &b->strings));
    LODE_TRY(link_path(b, b->main.data, link_of_type(b, "styles"), &b->styles));
done:
    return status;
}

static lode_status book_refuse(lode_job *job, const char *name, const char *why) {
    return job_fail(job, LODE_PARSE,
                    "%s: this is an Excel workbook, and libzip and expat, which lode needs to read "
                    "it, cannot be loaded (%s); install them, or " WORKBOOK_ADVICE,
                    name, why);
}

lode_status workbook_open(lode_job *job, workbook **out, const workbook_source *source,
                          const char *sheet) {
    lode_status status = LODE_OK;
    workbook *b = NULL;
    bool is_book = false;
    const workbook_library *lib = workbook_library_get();
    *out = NULL;
    if (!lib->loaded) return source->certain ? book_refuse(job, source->name, lib->why) : LODE_OK;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&b, sizeof *b));
    b->job = job;
    b->archive = (workbook_archive){.job = job, .lib = lib, .name = source->name};
    LODE_TRY(archive_open(&b->archive, source));
    if (!b->archive.zip) goto done;
    LODE_TRY(book_find_main(b, &is_book));
    if (!is_book) goto done;
    LODE_TRY(book_read(b, sheet));
    *out = b;
    b = NULL;
done:
    workbook_free(b);
    return status;
}

void workbook_free(workbook *b) {
    if (!b) return;
    mem *m = &b->job->mem;
    cells_close(b->cells);
    archive_close(&b->archive);
    mem_free(m, b->sheets, b->sheets_cap * sizeof *b->sheets);
    mem_free(m, b->links, b->links_cap * sizeof *b->links);
    vec_char_free(m, &b->text);
    vec_char_free(m, &b->main);
    vec_char_free(m, &b->sheet);
    vec_char_free(m, &b->strings);
    vec_char_free(m, &b->styles);
    mem_free(m, b, sizeof *b);
}

/* ---- reading --------------------------------------------------------------------------------- */

lode_status workbook_run(workbook *b, char *out, size_t room, size_t *n) {
    *n = 0;
    if (!b->cells) {
        const cells_parts parts = {.sheet = b->sheet.data,
                                   .strings = b->strings.data,
                                   .styles = b->styles.data,
                                   .from_1904 = b->from_1904};
        lode_status status = cells_open(&b->archive, &b->cells, &parts);
        if (status != LODE_OK) return status;
    }
    return cells_run(b->cells, out, room, n);
}

uint64_t workbook_rows_above(const workbook *b) {
    return b->cells ? cells_rows_above(b->cells) : 0;
}

double workbook_progress(const workbook *b) {
    return b->cells ? cells_progress(b->cells) : 0;
}

#else /* built without libzip or expat: no workbook is ever opened */

#ifdef LODE_OTHER_PROGRAM
#define BOOK_UNREADABLE "the static lode cannot read it, but the lode in " LODE_OTHER_PROGRAM " can"
#else
#define BOOK_UNREADABLE                                                                            \
    "this lode cannot read it, because libzip or expat was missing when it was built"
#endif

bool workbook_is_readable(const char **why) {
    *why = BOOK_UNREADABLE;
    return false;
}

lode_status workbook_open(lode_job *job, workbook **out, const workbook_source *source,
                          const char *sheet) {
    (void)sheet;
    *out = NULL;
    if (!source->certain) return LODE_OK;
    return job_fail(job, LODE_PARSE,
                    "%s: this is an Excel workbook, and " BOOK_UNREADABLE "; " WORKBOOK_ADVICE,
                    source->name);
}

lode_status workbook_run(workbook *b, char *out, size_t room, size_t *n) {
    (void)b, (void)out, (void)room;
    *n = 0;
    return LODE_UNSUPPORTED;
}

void workbook_free(workbook *b) {
    (void)b;
}

const char *workbook_sheet(const workbook *b) {
    (void)b;
    return "";
}

uint64_t workbook_rows_above(const workbook *b) {
    (void)b;
    return 0;
}

double workbook_progress(const workbook *b) {
    (void)b;
    return 0;
}

#endif
