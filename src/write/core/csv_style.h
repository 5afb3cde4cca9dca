/* csv_style.h - the separator of csv, and the decimal mark that goes with it
 *
 * Where the decimal mark is a comma, spreadsheets expect semicolons between cells. So a file with
 * semicolons also has decimal commas; otherwise such a spreadsheet would read 1.5 as a date.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_CSV_STYLE_H
#define LODE_WRITE_CORE_CSV_STYLE_H

#include "runtime/job.h"

#define CSV_SEPARATOR_WORDS "--csv-separator: expected a comma, a semicolon or tab"

typedef struct csv_style {
    char comma, point;
} csv_style;

/* The style of an option; 0 = a comma. */
static inline csv_style csv_style_of(char separator) {
    return (csv_style){separator ? separator : ',', separator == ';' ? ',' : '.'};
}

static inline bool csv_can_separate(char separator) {
    return separator == 0 || separator == ',' || separator == ';' || separator == '\t';
}

/* Sets the decimal mark of the number between `from` and its end, which is returned. */
static inline char *csv_set_point(const csv_style *s, char *from, char *end) {
    for (; s->point != '.' && from < end; from++) {
        if (*from == '.') *from = s->point;
    }
    return end;
}

/* Replaces the commas of a title, which has no other ones. */
static inline void csv_separate(const csv_style *s, char *title) {
    for (; *title; title++) {
        if (*title == ',') *title = s->comma;
    }
}

/* Whether these options say that the csv is for a spreadsheet. */
static inline bool csv_is_for_people(bool bom, bool safe, char separator) {
    return bom || safe || separator == ';';
}

/* Warns if a spreadsheet does not show so many rows. */
void csv_warn_rows(lode_job *job, uint64_t rows);

#endif
