/* date.h - dates in cells: 2011-12-09, 2011/12/09 8:26, 2011-12-09T08:26:00Z, 9.12.2011
 *
 * Only orders that cannot be misread are recognised: the year first, or day.month.year with dots.
 * 1/2/2011 is no date, because it is January in some countries and February in others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_DATE_H
#define LODE_READ_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DATE_DAY_SECONDS 86400
#define DATE_BYTES       24 /* 2011-12-09 with a terminating zero; years have at most four digits */

/* Reads a date, with or without a time of day. *seconds is comparable with other dates: the seconds
 * since the year 0, as if every month had 31 days. */
bool date_parse(const char *text, size_t n, int64_t *seconds);
/* Writes the day as 2011-12-09. */
void date_write(int64_t seconds, char out[DATE_BYTES]);

#endif
