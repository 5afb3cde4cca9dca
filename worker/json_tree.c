/* json_tree.c - see json_tree.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "json_tree.h"

#include <stdlib.h>
#include <string.h>

typedef struct json_reader {
    json_tree *tree;
    const char *at, *end;
    char *to; /* where the next string goes */
    const char *message;
} json_reader;

static bool json_fail(json_reader *r, const char *message) {
    r->message = message;
    return false;
}

static void json_skip_blanks(json_reader *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at)) r->at++;
}

/* ---- strings -------------------------------------------------------------------------------- */

/* Four hexadecimal digits; UINT32_MAX: there are fewer. */
static uint32_t json_code_digits(json_reader *r) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    uint32_t code = 0;
    if (r->end - r->at < 4) return UINT32_MAX;
    for (int i = 0; i < 4; i++) {
        const char *digit = memchr(digits, *r->at++, sizeof digits - 1);
        if (!digit) return UINT32_MAX;
        code = code << 4 | ((uint32_t)(digit - digits) & 15);
    }
    return code;
}

/* What follows \u: one character, of which some take two of them. */
static bool json_read_code(json_reader *r) {
    uint32_t code = json_code_digits(r), low;
    if (code >= 0xd800 && code < 0xdc00 && r->end - r->at >= 6 && memcmp(r->at, "\\u", 2) == 0) {
        r->at += 2;
        low = json_code_digits(r);
        if (low < 0xdc00 || low > 0xdfff) return json_fail(r, "half a character in a string");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code == UINT32_MAX) return json_fail(r, "expected four digits after \\u");
    if (code == 0) return json_fail(r, "a zero character in a string");
    if (code >= 0xd800 && code < 0xe000) return json_fail(r, "half a character in a string");
    unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    *r->to++ = (char)(first[more] | code >> 6 * more);
    while (more-- > 0) *r->to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    return true;
}

static bool json_read_escape(json_reader *r) {
    static const char letters[] = "\"\\/bfnrtu", meanings[] = "\"\\/\b\f\n\r\t";
    const char *letter = r->at < r->end ? memchr(letters, *r->at, sizeof letters - 1) : NULL;
    if (!letter) return json_fail(r, "an unknown escape in a string");
    r->at++;
    if (*letter == 'u') return json_read_code(r);
    *r->to++ = meanings[letter - letters];
    return true;
}

static bool json_read_string(json_reader *r, const char **out) {
    *out = r->to;
    for (r->at++; r->at < r->end && *r->at != '"';) {
        if ((unsigned char)*r->at < ' ') return json_fail(r, "a control character in a string");
        if (*r->at != '\\') {
            *r->to++ = *r->at++;
            continue;
        }
        r->at++;
        if (!json_read_escape(r)) return false;
    }
    if (r->at == r->end) return json_fail(r, "a string without an end");
    r->at++;
    *r->to++ = 0;
    return true;
}

/* ---- values --------------------------------------------------------------------------------- */

static size_t json_skip_digits(json_reader *r) {
    size_t n = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; n++) r->at++;
    return n;
}

static bool json_read_number(json_reader *r) {
    if (*r->at == '-') r->at++;
    const char *first = r->at;
    size_t n = json_skip_digits(r);
    bool fine = n > 0 && (n == 1 || *first != '0');
    if (fine && r->at < r->end && *r->at == '.') {
        r->at++;
        fine = json_skip_digits(r) > 0;
    }
    if (fine && r->at < r->end && (*r->at | 0x20) == 'e') {
        r->at++;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-')) r->at++;
        fine = json_skip_digits(r) > 0;
    }
    return fine || json_fail(r, "expected a value");
}

static json_node *json_add(json_reader *r, json_type type, const char *name) {
    json_tree *t = r->tree;
    if (t->n == JSON_MOST) {
        json_fail(r, "too many values");
        return NULL;
    }
    if (t->n == t->room) {
        size_t room = 2 * t->room + 16;
        json_node *nodes = realloc(t->nodes, room * sizeof *nodes);
        if (!nodes) {
            json_fail(r, "out of memory");
            return NULL;
        }
        t->nodes = nodes;
        t->room = room;
    }
    t->nodes[t->n] = (json_node){.type = type, .name = name, .next = t->n + 1};
    return &t->nodes[t->n++];
}

/* A string, number or word. */
static bool json_read_plain(json_reader *r, const char *name) {
    static const char *const words[] = {"null", "false", "true"};
    const char *from = r->at;
    json_node *node = json_add(r, *from == '"' ? JSON_STRING : JSON_NUMBER, name);
    if (!node) return false;
    if (*from == '"') return json_read_string(r, &node->text);
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(r->end - from) < n || memcmp(from, words[i], n) != 0) continue;
        node->type = (json_type)i;
        r->at += n;
    }
    if (r->at == from && !json_read_number(r)) return false;
    node->text = r->to;
    memcpy(r->to, from, (size_t)(r->at - from));
    r->to += r->at - from;
    *r->to++ = 0;
    return true;
}

/* The key of a member and its colon. */
static bool json_read_key(json_reader *r, const char **name) {
    json_skip_blanks(r);
    if (r->at == r->end || *r->at != '"') return json_fail(r, "expected a name in quotes");
    if (!json_read_string(r, name)) return false;
    json_skip_blanks(r);
    if (r->at == r->end || *r->at != ':') return json_fail(r, "expected a colon");
    r->at++;
    return true;
}

/* Closes the lists and objects that end here; *open is how many are open after that. */
static bool json_close(json_reader *r, const size_t *path, size_t *open) {
    json_node *nodes = r->tree->nodes;
    for (json_skip_blanks(r); *open > 0; json_skip_blanks(r)) {
        if (r->at == r->end) return json_fail(r, "the text ends within a value");
        bool list = nodes[path[*open - 1]].type == JSON_LIST;
        if (*r->at == ',') {
            r->at++;
            return true;
        }
        if (*r->at != (list ? ']' : '}')) return json_fail(r, "expected a comma, ] or }");
        r->at++;
        nodes[path[--*open]].next = r->tree->n;
    }
    return r->at == r->end || json_fail(r, "text after the value");
}

/* Opens a list or an object; *empty: it is closed again. */
static bool json_open(json_reader *r, const char *name, size_t *path, size_t *open, bool *empty) {
    char last = *r->at == '[' ? ']' : '}';
    if (*open == JSON_DEPTH) return json_fail(r, "too many levels");
    if (!json_add(r, last == ']' ? JSON_LIST : JSON_OBJECT, name)) return false;
    r->at++;
    json_skip_blanks(r);
    *empty = r->at < r->end && *r->at == last;
    if (*empty) {
        r->at++;
    } else {
        path[(*open)++] = r->tree->n - 1;
    }
    return true;
}

static bool json_read_all(json_reader *r) {
    size_t path[JSON_DEPTH], open = 0;
    do {
        const char *name = NULL;
        bool inside = false, empty = true;
        if (open > 0 && r->tree->nodes[path[open - 1]].type == JSON_OBJECT) {
            if (!json_read_key(r, &name)) return false;
        }
        json_skip_blanks(r);
        if (r->at == r->end) return json_fail(r, "the text ends where a value is expected");
        inside = *r->at == '[' || *r->at == '{';
        if (inside ? !json_open(r, name, path, &open, &empty) : !json_read_plain(r, name)) {
            return false;
        }
        if (inside && !empty) continue;
        if (!json_close(r, path, &open)) return false;
    } while (open > 0);
    json_skip_blanks(r);
    return r->at == r->end || json_fail(r, "text after the value");
}

bool json_tree_read(json_tree *t, const char *text, size_t bytes, const char **message) {
    *t = (json_tree){.text = malloc(2 * bytes + 16)};
    json_reader r = {.tree = t, .at = text, .end = text + bytes, .to = t->text};
    bool fine = false;
    if (!t->text) {
        r.message = "out of memory";
    } else if (!lode_text_is_utf8(text, bytes) || memchr(text, 0, bytes)) {
        r.message = "not UTF-8 text without zero bytes";
    } else {
        fine = json_read_all(&r);
    }
    *message = r.message;
    if (!fine) json_tree_free(t);
    return fine;
}

void json_tree_free(json_tree *t) {
    free(t->nodes);
    free(t->text);
    *t = (json_tree){0};
}

/* ---- looking -------------------------------------------------------------------------------- */

size_t json_first(const json_tree *t, size_t in) {
    return t->nodes[in].next > in + 1 ? in + 1 : 0;
}

size_t json_after(const json_tree *t, size_t in, size_t i) {
    return t->nodes[i].next < t->nodes[in].next ? t->nodes[i].next : 0;
}

size_t json_find(const json_tree *t, size_t in, const char *name) {
    if (t->nodes[in].type != JSON_OBJECT) return 0;
    for (size_t i = json_first(t, in); i; i = json_after(t, in, i)) {
        if (strcmp(t->nodes[i].name, name) == 0) return i;
    }
    return 0;
}

const char *json_string_of(const json_tree *t, size_t in, const char *name) {
    size_t i = json_find(t, in, name);
    return i && t->nodes[i].type == JSON_STRING ? t->nodes[i].text : NULL;
}
