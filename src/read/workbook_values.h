/* workbook_values.h - numbers and dates of spreadsheets as text
 *
 * A spreadsheet stores all numbers, and all dates, as binary floating-point numbers; the format of
 * the cell says which of them are dates. Numbers become the shortest text that is read as the same
 * number, so 0.1 is not 0.10000000000000001.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_WORKBOOK_VALUES_H
#define LODE_READ_WORKBOOK_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#define VALUE_BYTES 64 /* longest text of a number or date, with a terminating zero */

/* What the format of a cell shows. */
typedef enum value_kind { VALUE_NUMBER, VALUE_DAY, VALUE_TIME, VALUE_BOTH, VALUE_HOURS } value_kind;

/* Returns what a format shows that is built into Excel, by its number. */
value_kind value_of_builtin(unsigned number);
/* Returns what a format code such as "dd/mm/yyyy hh:mm" shows. */
value_kind value_of_code(const char *code);

/* Writes the number that `text` holds: as the shortest number, or as YYYY-MM-DD, HH:MM:SS or
 * YYYY-MM-DDTHH:MM:SS. `from_1904` says from which year days are counted; otherwise from 1900.
 * Returns the length; 0 if the text is not a number. */
size_t value_write(char to[VALUE_BYTES], const char *text, size_t n, value_kind kind,
                   bool from_1904);

#endif
