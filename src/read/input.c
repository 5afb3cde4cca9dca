/* input.c - see input.h
 *
 *     file or memory --raw window--> decoder --> utf16 --> carry --> the caller's block
 *                    ------------ workbook ------------>
 *
 * The decoder and utf16 are skipped if the file does not need them. A workbook is read through its
 * descriptor instead, or from memory: an archive has its directory at the end, so one that comes
 * through a pipe or is compressed is first read completely. The carry is text that has been read
 * but not returned yet: text that was peeked at, and the incomplete last line of the previous
 * block.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/input.h"

#include <errno.h>
#include <inttypes.h>

#include "base/os.h"
#include "read/decode.h"
#include "read/foreign.h"
#include "read/line_ends.h"
#include "read/workbook.h"

#define INPUT_RAW     ((size_t)64 << 10)
#define INPUT_WHOLE   UINT64_MAX
#define INPUT_WAIT_MS 100

struct input {
    lode_job *job;
    const char *name;
    int fd;    /* -1 = memory */
    bool lent; /* fd stays open */
    uint64_t total;
    bool seekable;
    bool waits; /* a pipe or the like: reading may wait for another program */
    unsigned char *raw_buffer;
    decode_window raw;           /* bytes of the file read but not used */
    const unsigned char *memory; /* start of the text in memory */
    _Atomic uint64_t done;       /* bytes of the file taken into the raw window or beyond it */
    decoder *decoder;            /* NULL = plain */
    utf16 *utf16;                /* NULL = text of single bytes */
    const char *sheet;           /* the sheet to read; NULL = the first */
    bool takes_tables;           /* workbooks and Arrow files are read, not refused */
    bool is_arrow;
    workbook *workbook; /* NULL = the file is no workbook */
    vec_char archive;   /* the workbook, if it is neither a file nor in memory */

    uint64_t limit;  /* the part ends with the line that contains the byte before this position */
    bool past_limit; /* only the rest of that line is still to come */
    bool after_line; /* the last byte handed out was a newline */
    uint64_t part_base, part_start; /* where part 0 begins, and where this part does */
    char mark;                      /* what parts begin with; 0: any line */
    uint64_t lines_taken;           /* by input_take_record() */

    input_cut_fn cut;
    char separator;
    size_t block_bytes;

    pthread_mutex_t lock; /* guards all of this once input_next() is in use */
    vec_char carry;
    size_t carry_start;
    bool at_end;
    bool stopped;
    uint64_t sequence;
};

size_t input_cut_lines(const char *text, size_t n, char separator, cut_what what) {
    (void)separator;
    return what == CUT_ALL ? line_cut(text, n) : line_cut_first(text, n);
}

const char *input_name(const input *in) {
    return in->name;
}

const char *input_sheet(const input *in) {
    return in->workbook ? workbook_sheet(in->workbook) : NULL;
}

uint64_t input_bytes_done(const input *in) {
    return atomic_load_explicit(&in->done, memory_order_relaxed);
}

uint64_t input_bytes_total(const input *in) {
    return in->total;
}

bool input_is_one_block(const input *in, size_t block_bytes) {
    return !in->decoder && !in->workbook && in->total > 0 && in->total <= block_bytes;
}

void input_set_cut(input *in, input_cut_fn cut, char separator) {
    in->cut = cut;
    in->separator = separator;
}

void input_set_block_bytes(input *in, size_t bytes) {
    in->block_bytes = bytes;
}

/* ---- Raw bytes ---- */

static lode_status input_system_error(input *in) {
    return job_fail(in->job, LODE_IO, "cannot read '%s': %s", in->name, strerror(errno));
}

static lode_status input_read_file(input *in, void *buffer, size_t room, size_t *n) {
    *n = 0;
    if (in->fd < 0) return LODE_OK; /* memory is all in the raw window from the start */
    int64_t got;
    do { /* cancelling must end the wait for a silent pipe, on whatever thread it is */
        do {
            if (job_is_cancelled(in->job)) return LODE_CANCELLED;
        } while (in->waits && !os_wait_input(in->fd, INPUT_WAIT_MS));
        got = os_read(in->fd, buffer, room);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return input_system_error(in);
    *n = (size_t)got;
    atomic_fetch_add_explicit(&in->done, (uint64_t)got, memory_order_relaxed);
    return LODE_OK;
}

/* Adds bytes to the raw window; at the end of the file, none. */
static lode_status input_refill(input *in) {
    size_t held = (size_t)(in->raw.end - in->raw.at);
    if (in->fd < 0) return LODE_OK;
    if (held > 0) memmove(in->raw_buffer, in->raw.at, held);
    size_t n;
    lode_status status = input_read_file(in, in->raw_buffer + held, INPUT_RAW - held, &n);
    in->raw = (decode_window){in->raw_buffer, in->raw_buffer + held + n};
    return status;
}

static size_t input_take_raw(input *in, char *out, size_t room) {
    size_t n = (size_t)(in->raw.end - in->raw.at);
    if (n > room) n = room;
    if (n > 0) memcpy(out, in->raw.at, n);
    in->raw.at += n;
    if (in->fd < 0) atomic_store(&in->done, (uint64_t)(in->raw.at - in->memory));
    return n;
}

/* The position in the file of the next byte that input_read_plain() delivers. */
static uint64_t input_position(const input *in) {
    if (in->fd < 0) return (uint64_t)(in->raw.at - in->memory);
    return input_bytes_done(in) - (uint64_t)(in->raw.end - in->raw.at);
}

static lode_status input_read_plain(input *in, char *out, size_t room, size_t *n) {
    uint64_t position = input_position(in);
    if (in->limit != INPUT_WHOLE && position < in->limit && room > in->limit - position) {
        room = (size_t)(in->limit - position);
    }
    *n = input_take_raw(in, out, room);
    return *n > 0 ? LODE_OK : input_read_file(in, out, room, n);
}

/* ---- Parts ---- */

/* Reads the rest of the line that contains the last byte of the part. */
static lode_status input_read_rest_of_line(input *in, char *out, size_t room, size_t *n) {
    *n = 0;
    if (in->after_line) return LODE_OK;
    lode_status status = input_read_plain(in, out, room, n);
    const char *newline = status == LODE_OK && *n > 0 ? memchr(out, '\n', *n) : NULL;
    if (!newline) return status;
    *n = (size_t)(newline - out) + 1;
    in->after_line = true;
    return LODE_OK;
}

static lode_status input_read_part(input *in, char *out, size_t room, size_t *n) {
    if (in->past_limit) return input_read_rest_of_line(in, out, room, n);
    lode_status status = input_read_plain(in, out, room, n);
    if (status != LODE_OK) return status;
    if (*n > 0) in->after_line = out[*n - 1] == '\n';
    if (input_position(in) < in->limit || *n == 0) return LODE_OK;
    in->past_limit = true;
    return LODE_OK;
}

static lode_status input_go_to(input *in, uint64_t position) {
    if (in->fd < 0) {
        in->raw.at = in->memory + position;
    } else {
        if (os_seek(in->fd, position) < 0) return input_system_error(in);
        in->raw.at = in->raw.end = in->raw_buffer;
    }
    atomic_store(&in->done, position);
    return LODE_OK;
}

/* Goes to the first line that begins at `position` or later. */
static lode_status input_go_to_line(input *in, uint64_t position) {
    lode_status status = LODE_OK;
    char buffer[512];
    size_t n = 0;
    const char *newline = NULL;
    LODE_TRY(input_go_to(in, position - 1)); /* if that byte is LF, a line begins at `position` */
    for (uint64_t at = position - 1; !newline; at += n) {
        LODE_TRY(input_read_plain(in, buffer, sizeof buffer, &n));
        if (n == 0) break;
        newline = memchr(buffer, '\n', n);
        if (newline) LODE_TRY(input_go_to(in, at + (uint64_t)(newline - buffer) + 1));
    }
done:
    return status;
}

void input_set_mark(input *in, char mark) {
    in->mark = mark;
}

/* Goes to the first line, from this one on, that begins with the mark and a blank. */
static lode_status input_go_to_mark(input *in) {
    lode_status status = LODE_OK;
    char buffer[4096], before = '\n', last = 0; /* the two bytes before this one */
    size_t n = 1;
    for (uint64_t at = input_position(in); n > 0; at += n) {
        LODE_TRY(input_read_plain(in, buffer, sizeof buffer, &n));
        for (size_t i = 0; i < n; i++) {
            bool blank = buffer[i] == ' ' || buffer[i] == '\t';
            if (blank && last == in->mark && before == '\n') {
                LODE_LEAVE(input_go_to(in, at + i - 1));
            }
            if (last) before = last;
            last = buffer[i];
        }
    }
done:
    return status;
}

/* Goes to where the part begins that has the first line at `position` or later. */
static lode_status input_go_to_part(input *in, uint64_t position) {
    lode_status status = input_go_to_line(in, position);
    return status == LODE_OK && in->mark ? input_go_to_mark(in) : status;
}

lode_status input_set_part(input *in, unsigned part, unsigned n_parts) {
    lode_status status = LODE_OK;
    if (part >= n_parts) {
        return job_fail(in->job, LODE_INVALID, "part %u of %u: parts are numbered from 0", part,
                        n_parts);
    }
    if (in->decoder || in->utf16 || in->workbook || !in->seekable) {
        const char *what = in->decoder    ? "a compressed file"
                           : in->utf16    ? "a UTF-16 file"
                           : in->workbook ? "a workbook"
                                          : "a stream";
        return job_fail(in->job, LODE_UNSUPPORTED,
                        "%s: only an uncompressed UTF-8 file can be read in parts, not %s",
                        in->name, what);
    }
    uint64_t base = input_position(in) - (in->carry.n - in->carry_start);
    uint64_t step = (in->total - base) / n_parts;
    uint64_t rest = (in->total - base) % n_parts;
    uint64_t from = base + step * part + (part < rest ? part : rest);
    uint64_t limit = from + step + (part < rest);
    in->carry.n = in->carry_start = 0;
    in->at_end = false;
    if (in->mark && limit > base && limit < in->total) {
        LODE_TRY(input_go_to_part(in, limit));
        limit = input_position(in);
    }
    LODE_TRY(from == base ? input_go_to(in, base) : input_go_to_part(in, from));
    in->part_base = base;
    in->part_start = input_position(in);
    in->limit = limit;
    in->at_end = in->part_start >= limit;
done:
    return status;
}

uint64_t input_lines_taken(const input *in) {
    return in->lines_taken;
}

lode_status input_lines_before(input *in, uint64_t *lines) {
    lode_status status = LODE_OK;
    char buffer[4096];
    uint64_t count = in->lines_taken;
    if (in->part_start > in->part_base) {
        in->limit = in->part_start;
        LODE_TRY(input_go_to(in, in->part_base));
    }
    for (size_t n = 1; in->part_start > in->part_base && n > 0;) {
        if (input_position(in) >= in->limit) break;
        LODE_TRY(input_read_plain(in, buffer, sizeof buffer, &n));
        for (size_t i = 0; i < n; i++) count += buffer[i] == '\n';
    }
    *lines = count;
done:
    return status;
}

/* ---- Plain text ---- */

static lode_status input_damaged(input *in, const char *expected) {
    uint64_t used = input_bytes_done(in) - (in->fd < 0 ? 0 : (uint64_t)(in->raw.end - in->raw.at));
    return job_fail(in->job, LODE_PARSE, "%s: damaged %s data after %" PRIu64 " bytes; expected %s",
                    in->name, decoder_name(in->decoder), used, expected);
}

static lode_status input_read_packed(input *in, char *out, size_t room, size_t *n) {
    for (;;) {
        if (in->raw.at == in->raw.end) {
            lode_status status = input_refill(in);
            if (status != LODE_OK) return status;
        }
        bool empty = in->raw.at == in->raw.end;
        const char *damage = NULL;
        lode_status status = decoder_run(in->decoder, &in->raw, out, room, n, &damage);
        if (in->fd < 0) atomic_store(&in->done, (uint64_t)(in->raw.at - in->memory));
        if (status == LODE_UNSUPPORTED) return input_damaged(in, "a window of at most 2 GiB");
        if (damage) {
            job_log(in->job, LODE_LOG_DEBUG, "%s: %s", in->name, damage);
            return input_damaged(in, "another member, or the end of the file");
        }
        if (status != LODE_OK || *n > 0) return status;
        if (!empty) continue;
        return decoder_may_end(in->decoder) ? LODE_OK : input_damaged(in, "more data");
    }
}

/* Some bytes of the file, unpacked; *n is 0 only at the end. */
static lode_status input_read_bytes(input *in, char *out, size_t room, size_t *n) {
    if (in->decoder) return input_read_packed(in, out, room, n);
    if (in->limit != INPUT_WHOLE) return input_read_part(in, out, room, n);
    return input_read_plain(in, out, room, n);
}

/* Some UTF-8 made of the file's UTF-16 text. */
static lode_status input_read_utf16(input *in, char *out, size_t room, size_t *n) {
    utf16 *u = in->utf16;
    for (;;) {
        const char *damage = NULL;
        *n = utf16_run(u, out, room, &damage);
        if (damage) {
            return job_fail(in->job, LODE_PARSE,
                            "%s:%" PRIu64 ":%" PRIu64 ": damaged UTF-16 text after %" PRIu64
                            " bytes: %s; expected the other half",
                            in->name, u->line + 1, u->column + 1, u->used, damage);
        }
        if (*n > 0 || u->ended) return LODE_OK;
        size_t held = (size_t)(u->in.end - u->in.at);
        size_t n_read;
        memmove(u->raw, u->in.at, held);
        lode_status status =
            input_read_bytes(in, (char *)u->raw + held, sizeof u->raw - held, &n_read);
        u->in = (decode_window){u->raw, u->raw + held + n_read};
        u->ended = n_read == 0;
        if (status != LODE_OK) return status;
    }
}

/* Some text of a workbook's sheet. Progress is that of the sheet, for all of the file. */
static lode_status input_read_sheet(input *in, char *out, size_t room, size_t *n) {
    lode_status status = workbook_run(in->workbook, out, room, n);
    double done = workbook_progress(in->workbook) * (double)in->total;
    atomic_store_explicit(&in->done, (uint64_t)done, memory_order_relaxed);
    in->lines_taken = in->lines_taken ? in->lines_taken : workbook_rows_above(in->workbook);
    return status;
}

/* Some text; *n is 0 only at the end. */
static lode_status input_read(input *in, char *out, size_t room, size_t *n) {
    *n = 0;
    if (in->at_end) return LODE_OK;
    lode_status status = in->workbook ? input_read_sheet(in, out, room, n)
                         : in->utf16  ? input_read_utf16(in, out, room, n)
                                      : input_read_bytes(in, out, room, n);
    if (status == LODE_OK && *n == 0) in->at_end = true;
    return status;
}

/* Appends text until there are `bytes`, or the input ends. */
static lode_status input_fill(input *in, vec_char *text, size_t bytes) {
    lode_status status = LODE_OK;
    LODE_TRY(
        vec_char_reserve(&in->job->mem, text, (bytes > text->n ? bytes - text->n : 0) + INPUT_PAD));
    while (text->n < bytes && !in->at_end) {
        size_t n;
        LODE_TRY(input_read(in, text->data + text->n, bytes - text->n, &n));
        text->n += n;
    }
done:
    return status;
}

/* ---- Opening ---- */

/* Reads the rest of an archive that is neither a file nor in memory. */
static lode_status input_gather(input *in) {
    lode_status status = LODE_OK;
    for (size_t bytes = INPUT_BLOCK; !in->at_end; bytes *= 2) {
        LODE_TRY(input_fill(in, &in->carry, bytes));
    }
    in->archive = in->carry;
    in->carry = (vec_char){0};
done:
    return status;
}

/* Opens a zip archive if it is a workbook; from then on its sheet is the input. */
static lode_status input_open_workbook(input *in, bool certain) {
    lode_status status = LODE_OK;
    workbook_source source = {
        .name = in->name, .fd = -1, .data = in->memory, .bytes = in->total, .certain = certain};
    if (in->decoder || (in->fd >= 0 && !in->seekable)) {
        LODE_TRY(input_gather(in));
        source.data = in->archive.data;
        source.bytes = in->archive.n;
    } else if (in->fd >= 0) {
        source.fd = in->fd;
    }
    LODE_TRY(workbook_open(in->job, &in->workbook, &source, in->sheet));
    if (!in->workbook) goto done;
    in->carry.n = 0;
    in->at_end = false;
done:
    return status;
}

/* Examines the first bytes: refuses files that are not text, and recognises UTF-16. */
static lode_status input_look(input *in) {
    const unsigned char *head = (const unsigned char *)in->carry.data;
    size_t n = in->carry.n;
    bool is_zip = n >= 4 && memcmp(head, WORKBOOK_MAGIC, 4) == 0;
    bool is_utf8 = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0; /* has a byte order mark */
    if (is_utf8) in->carry_start = 3;
    const foreign *other = foreign_find_binary(head, n);
    if (is_zip && in->takes_tables && foreign_may_be_workbook(other)) {
        lode_status status = input_open_workbook(in, foreign_is_workbook(other));
        if (status != LODE_OK || in->workbook) return status;
    }
    in->is_arrow = in->takes_tables && other && other->arrow;
    if (in->is_arrow) return LODE_OK;
    if (other) return foreign_refuse(in->job, in->name, other);
    utf16_kind kind = is_utf8 ? UTF16_NOT : utf16_recognise(head, n);
    if (kind == UTF16_NOT) return LODE_OK;
    lode_status status = mem_zalloc(&in->job->mem, (void **)&in->utf16, sizeof *in->utf16);
    if (status != LODE_OK) return status;
    utf16_begin(in->utf16, kind, head, n);
    in->utf16->ended = in->at_end;
    in->at_end = false;
    in->carry.n = 0;
    return LODE_OK;
}

static lode_status input_start(input *in) {
    lode_status status = LODE_OK;
    if (in->fd >= 0) {
        LODE_TRY(mem_resize(&in->job->mem, (void **)&in->raw_buffer, 0, INPUT_RAW));
        in->raw = (decode_window){in->raw_buffer, in->raw_buffer};
        for (size_t had = 0; had < 4;) { /* a pipe may deliver byte by byte */
            LODE_TRY(input_refill(in));
            size_t held = (size_t)(in->raw.end - in->raw.at);
            if (held == had) break;
            had = held;
        }
    }
    decode_kind kind = decode_recognise(in->raw.at, (size_t)(in->raw.end - in->raw.at));
    decode_foresee(in->job, &in->raw);
    if (kind != DECODE_PLAIN) LODE_TRY(decoder_create(in->job, &in->decoder, kind));
    LODE_TRY(input_fill(in, &in->carry, FOREIGN_HEAD));
    LODE_TRY(input_look(in));
done:
    return status;
}

static lode_status input_create(lode_job *job, input **out, const char *name) {
    input *in = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&in, sizeof *in);
    if (status != LODE_OK) return status;
    in->job = job;
    in->name = name;
    in->fd = -1;
    in->limit = INPUT_WHOLE;
    in->cut = input_cut_lines;
    in->block_bytes = INPUT_BLOCK;
    pthread_mutex_init(&in->lock, NULL);
    *out = in;
    return LODE_OK;
}

/* Shells pass a pattern on as it is if no file matches. */
static lode_status input_not_there(lode_job *job, const char *path) {
    const char *why = strerror(errno);
    if (errno == ENOENT && strpbrk(path, "*?[")) why = "no file matches";
    return job_fail(job, LODE_NOTFOUND, "cannot open '%s': %s", path, why);
}

static lode_status input_open_descriptor(lode_job *job, const char *path, int *fd) {
    *fd = os_open_read(path);
    if (*fd < 0) return input_not_there(job, path);
    if (!os_is_directory(*fd)) return LODE_OK;
    return job_fail(job, LODE_NOTFOUND, "cannot read '%s': it is a folder; name a file in it",
                    path);
}

lode_status input_check(lode_job *job, const char *path, uint64_t *bytes) {
    int fd = -1;
    *bytes = UINT64_MAX;
    if (strcmp(path, "-") == 0 || os_is_special(path)) return LODE_OK; /* can be opened once */
    lode_status status = input_open_descriptor(job, path, &fd);
    if (status == LODE_OK && !os_file_size(fd, bytes)) *bytes = UINT64_MAX;
    if (fd >= 0) os_close(fd);
    return status;
}

static lode_status input_open_file(input *in, const char *path) {
    lode_status status = input_open_descriptor(in->job, path, &in->fd);
    if (status != LODE_OK) return status;
    /* Standard input may be a file from which another program has read: lode goes on from there. */
    in->waits = !os_file_size(in->fd, &in->total);
    in->seekable = !in->waits && strcmp(path, "-") != 0;
    return LODE_OK;
}

#define INPUT_UNSEEN 16 /* guess: bytes of memory per byte of a file */

/* Not even the buffers fit into the budget: only the length of the file is known. */
static void input_note_need(const input *in) {
    uint64_t refused = mem_refused(mem_tightest(&in->job->mem));
    in->job->unsure = true;
    job_note_need(in->job, refused + INPUT_UNSEEN * in->total);
}

/* Name, reading and sheet of the input are set. Frees it on failure. */
static lode_status input_open_path(input **out, input *in, const char *path) {
    lode_status status = LODE_OK;
    LODE_TRY(input_open_file(in, path));
    LODE_TRY(input_start(in));
    *out = in;
    in = NULL;
done:
    if (status == LODE_BUDGET && in) input_note_need(in);
    input_close(in);
    return status;
}

static lode_status input_open_text(input **out, input *in, const void *text, size_t n) {
    lode_status status = LODE_OK;
    in->memory = n > 0 ? text : (const unsigned char *)"";
    in->raw = (decode_window){in->memory, in->memory + n};
    in->total = n;
    in->seekable = true;
    LODE_TRY(input_start(in));
    *out = in;
    in = NULL;
done:
    input_close(in);
    return status;
}

static lode_status input_create_for(lode_job *job, input **in, const char *path) {
    return input_create(job, in, strcmp(path, "-") == 0 ? "<stdin>" : path);
}

lode_status input_open(lode_job *job, input **out, const char *path) {
    input *in = NULL;
    lode_status status = input_create_for(job, &in, path);
    return status == LODE_OK ? input_open_path(out, in, path) : status;
}

lode_status input_open_memory(lode_job *job, input **out, const void *text, size_t n,
                              const char *name) {
    input *in = NULL;
    lode_status status = input_create(job, &in, name ? name : "<memory>");
    return status == LODE_OK ? input_open_text(out, in, text, n) : status;
}

lode_status input_open_pipe(lode_job *job, input **out, int fd, const char *name) {
    lode_status status = LODE_OK;
    input *in = NULL;
    LODE_TRY(input_create(job, &in, name));
    in->fd = fd;
    in->lent = in->waits = true;
    LODE_TRY(input_start(in));
    *out = in;
    in = NULL;
done:
    input_close(in);
    return status;
}

lode_status input_open_table(lode_job *job, input **out, const input_place *place,
                             const char *sheet) {
    input *in = NULL;
    lode_status status =
        place->text ? input_create(job, &in, place->name) : input_create_for(job, &in, place->name);
    if (status != LODE_OK) return status;
    in->takes_tables = true;
    in->sheet = sheet;
    return place->text ? input_open_text(out, in, place->text, place->bytes)
                       : input_open_path(out, in, place->name);
}

bool input_is_arrow(const input *in) {
    return in->is_arrow;
}

bool input_can_repeat(const char *path) {
    return strcmp(path, "-") != 0 && !os_is_special(path);
}

void input_close(input *in) {
    if (!in) return;
    mem *m = &in->job->mem;
    decoder_free(in->decoder);
    workbook_free(in->workbook);
    vec_char_free(m, &in->archive);
    mem_free(m, in->utf16, sizeof *in->utf16);
    if (in->fd >= 0 && !in->lent) os_close(in->fd);
    mem_free(m, in->raw_buffer, INPUT_RAW);
    vec_char_free(m, &in->carry);
    pthread_mutex_destroy(&in->lock);
    mem_free(m, in, sizeof *in);
}

/* ---- Handing out ---- */

lode_status input_peek(input *in, size_t bytes, const char **text, size_t *n, bool *complete) {
    if (in->carry_start > in->carry.n / 2) {
        memmove(in->carry.data, in->carry.data + in->carry_start, in->carry.n - in->carry_start);
        in->carry.n -= in->carry_start;
        in->carry_start = 0;
    }
    lode_status status = input_fill(in, &in->carry, in->carry_start + bytes);
    if (status != LODE_OK) return status;
    *text = in->carry.data + in->carry_start;
    *n = in->carry.n - in->carry_start;
    *complete = in->at_end;
    return LODE_OK;
}

lode_status input_take_bytes(input *in, vec_char *to, size_t n) {
    size_t carried = in->carry.n - in->carry_start;
    if (carried > n) carried = n;
    lode_status status =
        vec_char_append(&in->job->mem, to, in->carry.data + in->carry_start, carried);
    if (status != LODE_OK) return status;
    in->carry_start += carried;
    return carried == n ? LODE_OK : input_fill(in, to, to->n + n - carried);
}

lode_status input_peek_record(input *in, const char **text, size_t *n) {
    bool complete = false;
    for (size_t bytes = in->block_bytes;; bytes *= 2) {
        lode_status status = input_peek(in, bytes, text, n, &complete);
        if (status != LODE_OK) return status;
        size_t length = in->cut(*text, *n, in->separator, complete ? CUT_FINAL : CUT_FIRST);
        if (length == 0 && !complete) continue;
        if (length > 0) *n = length;
        return LODE_OK;
    }
}

lode_status input_take_record(input *in, const char **text, size_t *n) {
    lode_status status = input_peek_record(in, text, n);
    if (status != LODE_OK) return status;
    in->lines_taken += line_count(*text, *text + *n);
    in->carry_start += *n;
    return LODE_OK;
}

/* Moves the carry into the block, then fills the block up to the end of a record. */
static lode_status input_fill_block(input *in, vec_char *text) {
    lode_status status = LODE_OK;
    mem *m = &in->job->mem;
    size_t carried = in->carry.n - in->carry_start;
    text->n = 0;
    LODE_TRY(vec_char_append(m, text, in->carry.data + in->carry_start, carried));
    in->carry.n = in->carry_start = 0;
    size_t whole = 0;
    for (size_t bytes = in->block_bytes;; bytes *= 2) {
        if (bytes < text->n) continue;
        LODE_TRY(input_fill(in, text, bytes));
        whole = in->cut(text->data, text->n, in->separator, CUT_ALL);
        if (whole > 0 || in->at_end) break;
    }
    if (in->at_end) whole = text->n;
    LODE_TRY(vec_char_append(m, &in->carry, text->data + whole, text->n - whole));
    text->n = whole;
    memset(text->data + whole, '\n', INPUT_PAD);
done:
    return status;
}

lode_status input_next(input *in, input_block *block) {
    lode_status status = LODE_OK;
    block->text.n = 0;
    pthread_mutex_lock(&in->lock);
    if (!in->stopped) status = input_fill_block(in, &block->text);
    block->sequence = in->sequence;
    in->sequence += block->text.n > 0;
    if (status != LODE_OK || block->text.n == 0) in->stopped = true;
    pthread_mutex_unlock(&in->lock);
    return status;
}
