/* workbook_part.c - see workbook_part.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/workbook_part.h"

#ifdef LODE_ZIP_LIBRARY
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define PART_PIECE   (64 << 10)
#define PART_RATIO   500                  /* unpacked bytes per byte of an archive [guess] */
#define PART_FREE    ((uint64_t)64 << 20) /* unpacked bytes that any archive may have */
#define PART_ENTRIES 100000               /* parts of an archive */
/* Bytes that the libraries take for each part of the archive, and for reading one of them. */
#define PART_ENTRY     256
#define PART_LIBRARIES ((size_t)256 << 10)

struct workbook_part {
    workbook_archive *archive;
    const char *path;
    part_handlers handlers;
    zip_file_t *file;
    XML_Parser parser;
    uint64_t fed, bytes; /* bytes given to the parser, and bytes of the part */
    unsigned depth;
    bool paused, ended;
    lode_status status; /* of a handler */
    const char *wrong;  /* what the parser must not meet */
};

/* ---- the archive ----------------------------------------------------------------------------- */

static lode_status archive_fail(const workbook_archive *a, const char *what) {
    return job_fail(a->job, LODE_PARSE,
                    "%s: this is a damaged Excel workbook (%s); " WORKBOOK_ADVICE, a->name, what);
}

static lode_status archive_open_memory(workbook_archive *a, const workbook_source *source) {
    zip_error_t error = {0};
    zip_source_t *from = a->lib->zip_source_buffer_create(source->data, source->bytes, 0, &error);
    if (!from) return LODE_NOMEM;
    a->zip = a->lib->zip_open_from_source(from, ZIP_RDONLY, &error);
    if (!a->zip) a->lib->zip_source_free(from);
    return LODE_OK;
}

static lode_status archive_open_file(workbook_archive *a, const workbook_source *source) {
    int code, fd = dup(source->fd); /* libzip closes it if it can open the archive */
    if (fd < 0) {
        return job_fail(a->job, LODE_IO, "cannot read '%s': %s", a->name, strerror(errno));
    }
    a->zip = a->lib->zip_fdopen(fd, 0, &code);
    if (!a->zip) close(fd);
    return LODE_OK;
}

lode_status archive_open(workbook_archive *a, const workbook_source *source) {
    a->bytes = source->bytes;
    lode_status status =
        source->fd >= 0 ? archive_open_file(a, source) : archive_open_memory(a, source);
    if (status != LODE_OK) return status;
    if (!a->zip && !source->certain) return LODE_OK;
    if (!a->zip) return archive_fail(a, "its zip archive is cut off or has other errors");
    zip_int64_t entries = a->lib->zip_get_num_entries(a->zip, 0);
    if (entries > PART_ENTRIES) return archive_fail(a, "its zip archive has too many files");
    size_t bytes = PART_LIBRARIES + PART_ENTRY * (size_t)entries;
    status = mem_charge(&a->job->mem, bytes);
    if (status == LODE_OK) a->charged = bytes;
    return status;
}

void archive_close(workbook_archive *a) {
    if (a->zip) a->lib->zip_discard(a->zip);
    a->zip = NULL;
    mem_discharge(&a->job->mem, a->charged);
    a->charged = 0;
}

bool archive_has(const workbook_archive *a, const char *path) {
    return a->lib->zip_name_locate(a->zip, path, ZIP_FL_NOCASE) >= 0;
}

lode_status archive_count(workbook_archive *a, uint64_t bytes) {
    a->unpacked += bytes;
    if (a->unpacked < PART_FREE || a->unpacked / PART_RATIO < a->bytes) return LODE_OK;
    return job_fail(
        a->job, LODE_PARSE,
        "%s: this is an Excel workbook that becomes more than %d times as large when it "
        "is unpacked, as only files do that are made to fill memory; if it is not such "
        "a file, " WORKBOOK_ADVICE,
        a->name, PART_RATIO);
}

/* ---- handlers -------------------------------------------------------------------------------- */

static const char *part_local(const char *name) {
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

const char *part_attribute(const char *const *attributes, const char *name) {
    for (; *attributes; attributes += 2) {
        if (strcmp(part_local(attributes[0]), name) == 0) return attributes[1];
    }
    return NULL;
}

static void part_stop(workbook_part *p, lode_status status) {
    if (status == LODE_OK || p->status != LODE_OK) return;
    p->status = status;
    p->archive->lib->XML_StopParser(p->parser, XML_FALSE);
}

static void part_refuse(workbook_part *p, const char *wrong) {
    p->wrong = wrong;
    part_stop(p, LODE_PARSE);
}

static void part_on_start(void *user, const XML_Char *name, const XML_Char **attributes) {
    workbook_part *p = user;
    if (p->status != LODE_OK) return;
    if (++p->depth > PART_DEEPEST) {
        part_refuse(p, "its elements are nested too deep");
        return;
    }
    if (!p->handlers.start) return;
    part_stop(
        p, p->handlers.start(p->handlers.user, part_local(name), (const char *const *)attributes));
}

static void part_on_end(void *user, const XML_Char *name) {
    workbook_part *p = user;
    if (p->status != LODE_OK) return;
    p->depth--;
    if (p->handlers.end) part_stop(p, p->handlers.end(p->handlers.user, part_local(name)));
}

static void part_on_text(void *user, const XML_Char *text, int n) {
    workbook_part *p = user;
    if (p->status != LODE_OK || !p->handlers.text) return;
    part_stop(p, p->handlers.text(p->handlers.user, text, (size_t)n));
}

static void part_on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                            const XML_Char *public, int has_subset) {
    (void)name, (void)system, (void)public, (void)has_subset;
    part_refuse(user, "it has a DTD, which workbooks never have");
}

/* ---- the part -------------------------------------------------------------------------------- */

lode_status part_damaged(const workbook_part *p, const char *what) {
    return job_fail(p->archive->job, LODE_PARSE,
                    "%s: this is a damaged Excel workbook (%s, line %lu: %s); " WORKBOOK_ADVICE,
                    p->archive->name, p->path,
                    (unsigned long)p->archive->lib->XML_GetCurrentLineNumber(p->parser), what);
}

static lode_status part_find(workbook_part *p) {
    workbook_archive *a = p->archive;
    zip_stat_t found;
    zip_int64_t index = a->lib->zip_name_locate(a->zip, p->path, ZIP_FL_NOCASE);
    if (index < 0 || a->lib->zip_stat_index(a->zip, (zip_uint64_t)index, 0, &found) != 0) {
        return job_fail(
            a->job, LODE_PARSE,
            "%s: this is a damaged Excel workbook (there is no %s in it); " WORKBOOK_ADVICE,
            a->name, p->path);
    }
    if ((found.valid & ZIP_STAT_ENCRYPTION_METHOD) && found.encryption_method != ZIP_EM_NONE) {
        return job_fail(a->job, LODE_PARSE,
                        "%s: this is an encrypted Excel workbook; save it without a password",
                        a->name);
    }
    p->bytes = found.valid & ZIP_STAT_SIZE ? found.size : 0;
    p->file = a->lib->zip_fopen_index(a->zip, (zip_uint64_t)index, 0);
    if (p->file) return LODE_OK;
    return job_fail(
        a->job, LODE_PARSE,
        "%s: this is a damaged Excel workbook (%s cannot be unpacked); " WORKBOOK_ADVICE, a->name,
        p->path);
}

static lode_status part_prepare(workbook_part *p) {
    const workbook_library *lib = p->archive->lib;
    p->parser = lib->XML_ParserCreate(NULL);
    if (!p->parser) return LODE_NOMEM;
    lib->XML_SetUserData(p->parser, p);
    lib->XML_SetElementHandler(p->parser, part_on_start, part_on_end);
    lib->XML_SetCharacterDataHandler(p->parser, part_on_text);
    lib->XML_SetStartDoctypeDeclHandler(p->parser, part_on_doctype);
    return part_find(p);
}

lode_status part_open(workbook_archive *a, workbook_part **out, const char *path,
                      const part_handlers *handlers) {
    lode_status status = LODE_OK;
    workbook_part *p = NULL;
    LODE_TRY(mem_zalloc(&a->job->mem, (void **)&p, sizeof *p));
    p->archive = a;
    p->path = path;
    p->handlers = *handlers;
    LODE_TRY(part_prepare(p));
    *out = p;
    p = NULL;
done:
    part_close(p);
    return status;
}

void part_close(workbook_part *p) {
    if (!p) return;
    if (p->parser) p->archive->lib->XML_ParserFree(p->parser);
    if (p->file) p->archive->lib->zip_fclose(p->file);
    mem_free(&p->archive->job->mem, p, sizeof *p);
}

/* Gives the parser the next piece. */
static lode_status part_feed(workbook_part *p, enum XML_Status *result) {
    workbook_archive *a = p->archive;
    if (job_is_cancelled(a->job)) return LODE_CANCELLED;
    void *buffer = a->lib->XML_GetBuffer(p->parser, PART_PIECE);
    if (!buffer) return LODE_NOMEM;
    zip_int64_t n = a->lib->zip_fread(p->file, buffer, PART_PIECE);
    if (n < 0) return part_damaged(p, a->lib->zip_file_strerror(p->file));
    p->fed += (uint64_t)n;
    lode_status status = archive_count(a, (uint64_t)n);
    if (status != LODE_OK) return status;
    p->ended = n == 0;
    *result = a->lib->XML_ParseBuffer(p->parser, (int)n, n == 0);
    uint64_t parsed = (uint64_t)a->lib->XML_GetCurrentByteIndex(p->parser);
    bool endless = *result == XML_STATUS_OK && !p->ended && p->fed > parsed + PART_TAG_MOST;
    return endless ? part_damaged(p, "a tag is too long") : LODE_OK;
}

lode_status part_step(workbook_part *p, bool *more) {
    const workbook_library *lib = p->archive->lib;
    enum XML_Status result = XML_STATUS_OK;
    lode_status status = LODE_OK;
    if (p->paused) {
        p->paused = false;
        result = lib->XML_ResumeParser(p->parser);
    } else {
        status = part_feed(p, &result);
    }
    if (status != LODE_OK) return status;
    if (p->wrong) return part_damaged(p, p->wrong);
    if (p->status != LODE_OK) return p->status;
    if (result == XML_STATUS_ERROR) {
        enum XML_Error error = lib->XML_GetErrorCode(p->parser);
        if (error == XML_ERROR_NO_MEMORY) return LODE_NOMEM;
        return part_damaged(p, lib->XML_ErrorString(error));
    }
    *more = p->paused || !p->ended;
    return LODE_OK;
}

void part_pause(workbook_part *p) {
    if (p->paused) return;
    p->paused = p->archive->lib->XML_StopParser(p->parser, XML_TRUE) == XML_STATUS_OK;
}

double part_progress(const workbook_part *p) {
    return p->fed < p->bytes ? (double)p->fed / (double)p->bytes : 1;
}

lode_status part_read(workbook_archive *a, const char *path, const part_handlers *handlers) {
    workbook_part *p = NULL;
    bool more = true;
    lode_status status = part_open(a, &p, path, handlers);
    while (status == LODE_OK && more) status = part_step(p, &more);
    part_close(p);
    return status;
}

#endif
