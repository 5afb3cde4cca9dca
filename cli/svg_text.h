/* svg_text.h - text in SVG pictures
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_SVG_TEXT_H
#define LODE_CLI_SVG_TEXT_H

#include <stdio.h>

/* Writes a text at a position, with a class of the picture's style. Bytes that are not UTF-8 become
 * '?'. */
void svg_put_label(FILE *f, double x, double y, const char *class, const char *text);

#endif
