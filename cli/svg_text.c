/* svg_text.c - see svg_text.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "svg_text.h"

#include "cli.h"

static void svg_put_text(FILE *f, const char *text) {
    while (*text) {
        size_t n = cli_character(text);
        switch (n ? *text : 0) {
        case 0: fputc('?', f); break;
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        default: fwrite(text, 1, n, f);
        }
        text += n ? n : 1;
    }
}

void svg_put_label(FILE *f, double x, double y, const char *class, const char *text) {
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    svg_put_text(f, text);
    fputs("</text>\n", f);
}
