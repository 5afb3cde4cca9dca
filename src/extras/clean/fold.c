/* fold.c - see fold.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/clean/fold.h"

#include "base/utf8.h"

/* ---- characters ---- */

static uint32_t fold_code(const utf8_char *c) {
    const unsigned char *b = (const unsigned char *)c->bytes;
    if (c->n == 1) return b[0];
    if (c->n == 2) return (uint32_t)(b[0] & 0x1f) << 6 | (b[1] & 0x3f);
    if (c->n == 3) {
        return (uint32_t)(b[0] & 0xf) << 12 | (uint32_t)(b[1] & 0x3f) << 6 | (b[2] & 0x3f);
    }
    return (uint32_t)(b[0] & 7) << 18 | (uint32_t)(b[1] & 0x3f) << 12 |
           (uint32_t)(b[2] & 0x3f) << 6 | (b[3] & 0x3f);
}

static size_t fold_put(char to[4], uint32_t code) {
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; code >>= 6) to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(marks[n] | code);
    return n;
}

static bool fold_is_blank(uint32_t code) {
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xa0 ||
           code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
           code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

/* Marks that stand for an accent of the letter before, and characters without a width. */
static bool fold_is_mark(uint32_t code) {
    return (code >= 0x300 && code <= 0x36f) || code == 0xad || (code >= 0x200b && code <= 0x200d) ||
           code == 0x2060 || code == 0xfeff;
}

/* ---- case ---- */

static uint32_t fold_lower(uint32_t code) {
    size_t low = 0, high = fold_n_cases;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fold_cases[middle].last < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == fold_n_cases || code < fold_cases[low].first) return code;
    const fold_case *row = &fold_cases[low];
    if ((code - row->first) % row->step != 0) return code;
    return (uint32_t)((int32_t)code + row->to);
}

/* ---- accents ---- */

/* What a character becomes; *n 0 and NULL: it stays. */
static const char *fold_plain(uint32_t code, size_t *n) {
    size_t low = 0, high = fold_n_accents;
    uint32_t first = code & ~(uint32_t)15;
    *n = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fold_accents[middle].first < first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == fold_n_accents || fold_accents[low].first != first) return NULL;
    const char *word = fold_accents[low].words;
    for (uint32_t i = code & 15; i > 0; i--) {
        word += strcspn(word, " ");
        if (!*word) return NULL;
        word++;
    }
    *n = strcspn(word, " ");
    return *n > 0 ? word : NULL;
}

/* ---- names ---- */

/* Appends a character without its accent. */
static lode_status fold_accent_of(mem *m, const utf8_char *c, const char *raw, vec_char *out) {
    size_t n;
    uint32_t code = fold_code(c);
    if (fold_is_mark(code)) return LODE_OK;
    if (code >= 0xff01 && code <= 0xff5e) { /* full-width ASCII */
        char ascii = (char)(code - 0xff01 + '!');
        return vec_char_append(m, out, &ascii, 1);
    }
    const char *word = code < 0x80 ? NULL : fold_plain(code, &n);
    return word ? vec_char_append(m, out, word, n) : vec_char_append(m, out, raw, c->taken);
}

static lode_status fold_case_of(mem *m, const utf8_char *c, const char *raw, vec_char *out) {
    char bytes[4];
    uint32_t code = fold_code(c), lower = fold_lower(code);
    if (lower == code) return vec_char_append(m, out, raw, c->taken);
    return vec_char_append(m, out, bytes, fold_put(bytes, lower));
}

/* Appends a character; a blank waits until another character follows. */
static lode_status fold_blank_of(mem *m, const utf8_char *c, const char *raw, bool *waits,
                                 vec_char *out) {
    lode_status status = LODE_OK;
    if (fold_is_blank(fold_code(c)) && (c->n == c->taken)) {
        *waits = true;
        return LODE_OK;
    }
    if (*waits && out->n > 0) status = vec_char_append(m, out, " ", 1);
    *waits = false;
    return status == LODE_OK ? vec_char_append(m, out, raw, c->taken) : status;
}

lode_status fold_once(mem *m, fold_how how, const char *name, size_t n, vec_char *out) {
    lode_status status = LODE_OK;
    bool waits = false;
    out->n = 0;
    for (size_t i = 0; i < n && status == LODE_OK;) {
        utf8_char c = utf8_next(name + i, n - i);
        if (how == FOLD_UTF8) {
            status = vec_char_append(m, out, c.bytes, c.n);
        } else if (how == FOLD_BLANKS) {
            status = fold_blank_of(m, &c, name + i, &waits, out);
        } else if (how == FOLD_ACCENTS) {
            status = fold_accent_of(m, &c, name + i, out);
        } else {
            status = fold_case_of(m, &c, name + i, out);
        }
        i += c.taken;
    }
    return status;
}

lode_status fold_name(mem *m, unsigned how, const char *name, size_t n, vec_char *out,
                      vec_char *scratch) {
    static const fold_how order[] = {FOLD_UTF8, FOLD_BLANKS, FOLD_ACCENTS, FOLD_CASE};
    lode_status status = LODE_OK;
    out->n = 0;
    LODE_TRY(vec_char_append(m, out, name, n));
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (!(how & order[i])) continue;
        LODE_TRY(fold_once(m, order[i], out->data, out->n, scratch));
        vec_char swap = *out;
        *out = *scratch;
        *scratch = swap;
    }
done:
    return status;
}
