/* read_advice.c - see read_advice.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/read_advice.h"

#include <inttypes.h>

#include "base/figures.h"
#include "base/utf8.h"

#define ADVICE_NAMES   2000 /* names that are looked at for separators */
#define ADVICE_LEAST   2    /* names with a separator that are worth a warning */
#define ADVICE_SHOWN   40   /* bytes of a name in a message */
#define ADVICE_COLUMNS 300  /* bytes of a list of columns */

/* ---- a wrong separator ----------------------------------------------------------------------- */

static void advice_separator(lode_job *job, const char *source, const lode_dataset *data) {
    static const char *const separators[] = {",", ";", "\t", "|"};
    static const char *const words[] = {"commas", "semicolons", "tabs", "vertical bars"};
    uint32_t counts[4] = {0}, n = dict_count(data->names), best = 0;
    const char *first[4] = {NULL};
    size_t bytes[4] = {0};
    if (n > ADVICE_NAMES) n = ADVICE_NAMES;
    for (uint32_t id = 0; id < n; id++) {
        size_t length;
        const char *name = dict_name(data->names, id, &length);
        for (unsigned s = 0; s < 4; s++) {
            if (!memchr(name, separators[s][0], length)) continue;
            if (counts[s]++ == 0) first[s] = name, bytes[s] = length;
        }
    }
    for (unsigned s = 1; s < 4; s++) {
        if (counts[s] > counts[best]) best = s;
    }
    if (counts[best] < ADVICE_LEAST || counts[best] < n / 2) return;
    bool tab = separators[best][0] == '\t';
    int shown = (int)(bytes[best] < ADVICE_SHOWN ? bytes[best] : ADVICE_SHOWN);
    job_log(job, LODE_LOG_WARNING,
            "%s: each transaction is a single item, and names contain %s, such as '%.*s%s'; if "
            "these are several items, use --separator %s%s%s",
            source, words[best], shown, first[best], bytes[best] > ADVICE_SHOWN ? "…" : "",
            tab ? "" : "'", tab ? "tab" : separators[best], tab ? "" : "'");
}

/* ---- names that are not UTF-8 ---------------------------------------------------------------- */

static bool advice_is_utf8(const char *name, size_t n) {
    for (unsigned taken; n > 0; name += taken, n -= taken) {
        taken = 1;
        if ((unsigned char)*name >= 0x80 && utf8_code(name, n, &taken) >= UTF8_CODES) return false;
    }
    return true;
}

/* Whether a name may be Latin-1 in the form of Windows, where five bytes have no character. Three
 * letters in a row beyond ASCII are rather another alphabet. */
static bool advice_is_latin(const char *name, size_t n) {
    unsigned run = 0;
    for (size_t i = 0; i < n; i++) {
        run = (unsigned char)name[i] >= 0x80 ? run + 1 : 0;
        if (run > 2 || memchr("\x81\x8d\x8f\x90\x9d", name[i], 5)) return false;
    }
    return true;
}

static void advice_encoding(lode_job *job, const char *source, const lode_dataset *data) {
    uint64_t odd = 0;
    bool latin = true;
    char example[ADVICE_SHOWN * 4 + 1] = "";
    for (uint32_t id = 0; id < dict_count(data->names); id++) {
        size_t n, k = 0;
        const char *name = dict_name(data->names, id, &n);
        if (advice_is_utf8(name, n)) continue;
        latin = latin && advice_is_latin(name, n);
        if (odd++ > 0) continue;
        for (; n > 0 && k < ADVICE_SHOWN;) {
            utf8_char c = utf8_next(name, n);
            memcpy(example + k, c.bytes, c.n);
            k += c.n;
            name += c.taken;
            n -= c.taken;
        }
        example[k] = 0;
    }
    if (odd == 0) return;
    job_log(job, LODE_LOG_INFO, "%s: %" PRIu64 " name%s not UTF-8%s, such as '%s'; %s", source, odd,
            odd == 1 ? " is" : "s are", latin ? " but, it seems, Latin-1" : "", example,
            latin ? "`lode clean` writes UTF-8" : "convert the file, for example with iconv");
}

void read_advise(lode_job *job, const char *source, const lode_dataset *data) {
    if (!data->names || data->numeric) return;
    bool baskets = data->profile.format == LODE_FORMAT_BASKET;
    if (baskets && data->profile.longest == 1 && data->profile.n_transactions > 1) {
        advice_separator(job, source, data);
    }
    advice_encoding(job, source, data);
}

/* ---- columns --------------------------------------------------------------------------------- */

lode_status read_no_column(const read_task *task, csv_cursor header, const char *option) {
    char list[ADVICE_COLUMNS] = "";
    csv_field f = {0};
    lode_status status = LODE_OK;
    csv_begin(&header);
    while (status == LODE_OK && !f.last) {
        status = csv_next(&header, &f);
        if (status != LODE_OK) break;
        append_text(list, sizeof list, "%s%.*s", list[0] ? ", " : "",
                    (int)(f.n < ADVICE_SHOWN ? f.n : ADVICE_SHOWN), f.text);
    }
    if (status != LODE_OK) return status;
    if (task->format->format == LODE_FORMAT_BASKET && !task->options.header) {
        return job_fail(task->job, LODE_INVALID,
                        "%s has no column '%s': each of its lines is a basket, and the first one "
                        "is: %s; only JSON, and tables with a header such as "
                        "Invoice,Product,Quantity, have columns with names",
                        task->file->name, option, list);
    }
    return job_fail(task->job, LODE_INVALID, "%s has no column '%s'; its columns are: %s",
                    task->file->name, option, list);
}
