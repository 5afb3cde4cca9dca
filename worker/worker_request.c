/* worker_request.c - see worker_request.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "worker_request.h"

#include <stdlib.h>
#include <string.h>

#include "worker_text.h"

void worker_request_free(worker_request *r) {
    free(r->values);
    free(r->text);
    *r = (worker_request){0};
}

/* Digits up to `end`; false: there are none, or too many. */
static bool request_read_number(const char *text, const char *end, uint64_t *out) {
    uint64_t value = 0;
    for (const char *p = text; p < end; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (digit > 9 || value > (UINT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out = value;
    return text < end;
}

/* Takes the escapes out of a value; false: one is unknown. */
static bool request_unescape(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        from++;
        if (*from != '\\' && *from != 'n' && *from != 'r') return false;
        *to++ = *from == 'n' ? '\n' : *from == 'r' ? '\r' : '\\';
    }
    *to = 0;
    return true;
}

/* The first line; ends it with zeros. */
static bool request_parse_head(worker_request *r, char *line) {
    char *space = strchr(line, ' ');
    uint64_t id;
    if (!request_read_number(line, space ? space : line + strlen(line), &id)) return false;
    r->id = id;
    if (id == 0 || !space || !space[1]) return false;
    r->verb = space + 1;
    return true;
}

/* Room for one value more than there are lines. */
static bool request_take_room(worker_request *r, size_t bytes) {
    size_t lines = 1;
    for (size_t i = 0; i < bytes; i++) lines += r->text[i] == '\n';
    if (lines > WORKER_VALUES_MOST) return false;
    r->values = calloc(lines, sizeof *r->values);
    return r->values != NULL;
}

static bool request_parse_line(worker_request *r, char *line, char *message, size_t message_bytes) {
    char *equals = strchr(line, '=');
    if (!equals || equals == line) {
        snprintf(message, message_bytes, "'%.60s': expected a line of the form name=value", line);
        return false;
    }
    *equals = 0;
    if (!request_unescape(equals + 1)) {
        snprintf(message, message_bytes, "%.60s: expected n, r or a backslash after a backslash",
                 line);
        return false;
    }
    r->values[r->n_values++] = (worker_value){line, equals + 1};
    return true;
}

bool worker_request_parse(worker_request *r, char *text, size_t bytes, char *message,
                          size_t message_bytes) {
    *r = (worker_request){.text = text, .verb = ""};
    text[bytes] = 0;
    bool is_text = lode_text_is_utf8(text, bytes) && (bytes == 0 || !memchr(text, 0, bytes));
    bool has_room = request_take_room(r, bytes);
    char *rest = memchr(text, '\n', bytes);
    if (rest) *rest++ = 0;
    if (!request_parse_head(r, text)) {
        snprintf(
            message, message_bytes,
            "the first line of a request must be an ID (a number above 0), a space and a verb");
        return false;
    }
    if (!is_text || !has_room) {
        if (!is_text)
            snprintf(message, message_bytes, "a request must be UTF-8 without zero bytes");
        if (is_text) {
            snprintf(message, message_bytes, "a request can have at most %d lines",
                     WORKER_VALUES_MOST);
        }
        return false;
    }
    while (rest && *rest) {
        char *line = rest;
        rest = strchr(line, '\n');
        if (rest) *rest++ = 0;
        if (!request_parse_line(r, line, message, message_bytes)) return false;
    }
    return true;
}

/* How a name may be used: 0 not at all, 1 once, 2 any number of times. */
static int request_uses(const char *names, const char *name) {
    for (const char *at = names; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " "), bare = n;
        char last = at[n - 1];
        if (last == '+') bare--;
        bool same = strncmp(at, name, bare) == 0;
        if (same && last == '.' && name[bare]) return 2;
        if (same && last != '.' && !name[bare]) return last == '+' ? 2 : 1;
        at += n;
    }
    return 0;
}

bool worker_request_check(const worker_request *r, const char *names, char *message,
                          size_t message_bytes) {
    for (size_t i = 0; i < r->n_values; i++) {
        const char *name = r->values[i].name;
        int uses = request_uses(names, name);
        if (uses == 0) {
            snprintf(message, message_bytes, "%s has no field '%.60s'; expected: %s", r->verb, name,
                     names[0] ? names : "nothing");
            return false;
        }
        bool again = false;
        for (size_t k = 0; uses == 1 && k < i; k++) again |= strcmp(r->values[k].name, name) == 0;
        if (again) {
            snprintf(message, message_bytes, "%s is given twice; expected once", name);
            return false;
        }
    }
    return true;
}

const char *worker_request_get(const worker_request *r, const char *name) {
    for (size_t i = 0; i < r->n_values; i++) {
        if (strcmp(r->values[i].name, name) == 0) return r->values[i].text;
    }
    return NULL;
}

bool worker_request_number(const worker_request *r, worker_range range, uint64_t *value,
                           char *message, size_t message_bytes) {
    const char *text = worker_request_get(r, range.name);
    uint64_t number;
    if (!text) return true;
    if (request_read_number(text, text + strlen(text), &number) && number >= range.least &&
        number <= range.most) {
        *value = number;
        return true;
    }
    snprintf(message, message_bytes, "%s '%.60s': expected a whole number from %llu to %llu",
             range.name, text, (unsigned long long)range.least, (unsigned long long)range.most);
    return false;
}

bool worker_request_truth(const worker_request *r, const char *name, bool *value, char *message,
                          size_t message_bytes) {
    const char *text = worker_request_get(r, name);
    if (!text) return true;
    *value = strcmp(text, "true") == 0;
    if (*value || strcmp(text, "false") == 0) return true;
    snprintf(message, message_bytes, "%s '%.60s': expected true or false", name, text);
    return false;
}
