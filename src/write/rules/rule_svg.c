/* rule_svg.c - rules as a picture: support against confidence, coloured by lift
 *
 * Each rule is a point, which shows the rule when the pointer rests on it; rules with equal counts
 * share a point. More than a few thousand points would hide each other and be slow to display, so
 * then the area is divided into cells. A point or cell is larger if it has more rules. Its colour
 * shows the highest lift of these rules, and it names the rule with this lift. Coordinates are
 * written in tenths, without printf's %f.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_svg.h"

#include <stdio.h>

#include "base/decimal.h"
#include "base/figures.h"
#include "base/fmath.h"
#include "base/utf8.h"
#include "write/rules/rule_text.h"

#define POINTS_MOST     5000
#define WIDTH           960
#define HEIGHT          600
#define LEFT            84 /* of the area that has the points */
#define RIGHT           (WIDTH - 132)
#define TOP             76
#define BOTTOM          (HEIGHT - 70)
#define CELL            12.0 /* the side of a cell */
#define CELLS_X         (int)((RIGHT - LEFT) / CELL)
#define CELLS_Y         (int)((BOTTOM - TOP) / CELL)
#define RADIUS          4.5
#define RADIUS_MOST     16.0
#define NAMES_MOST      8     /* items of a side that a point names */
#define SPOTS_ASK_EVERY 65536 /* rules that are placed between checks for a cancel */

#define TENTHS    "%d.%d" /* of a coordinate, by AT() */
#define AT(place) (int)(place), (int)((place)*10) % 10

/* A rule as a point, or several in a cell. */
typedef struct spot {
    double x, y;
    double lift; /* the highest */
    uint64_t best;
    uint64_t n;
} spot;

typedef struct scatter {
    rule_paper *paper;
    axis supports, confidences; /* in percent */
    rule_scale lifts;
    bool has_cells;
    spot *spots;
    size_t n_spots;
    size_t spots_bytes;
    uint64_t fullest; /* rules of the fullest cell */
} scatter;

/* ---- an axis of a drawing: from values to places, and round numbers to mark ------------------ */

#define AXIS_LOG_FROM 12   /* times the least value is the most: by logarithm */
#define AXIS_STEPS    7    /* wished between ticks */
#define AXIS_ROOM     0.04 /* of the axis, at each end */

/* 10^n, which decimal_put() gives back in one digit. */
static double axis_power(int n) {
    double power = 1;
    for (; n > 0; n--) power *= 10;
    for (; n < 0; n++) power /= 10;
    return power;
}

/* digits * 10^exponent, rounded once. */
static double axis_number(long digits, int exponent) {
    double value = (double)digits;
    return exponent < 0 ? value / axis_power(-exponent) : value * axis_power(exponent);
}

static void axis_add(axis *a, double value) {
    double slack = (a->most - a->least) * 1e-9;
    if (value < a->least - slack || value > a->most + slack) return;
    if (a->n_ticks == AXIS_TICKS_MOST) return;
    axis_tick *tick = &a->ticks[a->n_ticks++];
    tick->value = value;
    *decimal_put(tick->text, value) = 0;
}

static int axis_exponent(double value) {
    int exponent = 0;
    for (; value >= 10; value /= 10) exponent++;
    for (; value < 1; value *= 10) exponent--;
    return exponent;
}

/* Multiples of 1, 2 or 5 times a power of ten. */
static void axis_add_steps(axis *a) {
    double wished = (a->most - a->least) / AXIS_STEPS;
    int exponent = axis_exponent(wished);
    double digit = wished / axis_power(exponent);
    long step = digit <= 1.5 ? 1 : digit <= 3.5 ? 2 : digit <= 7 ? 5 : 10;
    double width = axis_number(step, exponent);
    long first = (long)(a->least / width), last = (long)(a->most / width) + 1;
    for (long i = first; i <= last; i++) axis_add(a, axis_number(i * step, exponent));
}

/* 1, 2 and 5 times the powers of ten; if those are many, the powers. */
static void axis_add_powers(axis *a) {
    int first = axis_exponent(a->least), last = axis_exponent(a->most);
    bool few = last - first <= 4;
    for (int e = first; e <= last; e++) {
        axis_add(a, axis_number(1, e));
        if (few) axis_add(a, axis_number(2, e));
        if (few) axis_add(a, axis_number(5, e));
    }
}

/* An axis for values from `least` to `most`, with a small margin; logarithmic if the values are
 * above zero and differ much. `bound` is not exceeded. */
static axis axis_make(double least, double most, double bound, bool may_log) {
    axis a = {.by_log = may_log && least > 0 && most > AXIS_LOG_FROM * least};
    if (!(most > least)) {
        least *= 0.9;
        most *= 1.1;
    }
    if (a.by_log) {
        double room = 1 + fmath_log(most / least) * AXIS_ROOM;
        a.least = least / room;
        a.most = most * room;
    } else {
        double room = (most - least) * AXIS_ROOM;
        a.least = least > room ? least - room : 0;
        a.most = most + room;
    }
    if (a.most > bound) a.most = bound;
    if (a.by_log) {
        axis_add_powers(&a);
    } else {
        axis_add_steps(&a);
    }
    return a;
}

/* The position of a value, from 0 to 1. */
static double axis_place(const axis *a, double value) {
    double place = a->by_log ? fmath_log(value / a->least) / fmath_log(a->most / a->least)
                             : (value - a->least) / (a->most - a->least);
    return place < 0 ? 0 : place > 1 ? 1 : place;
}

/* ---- where the points are ------------------------------------------------------------------- */

static double percent_support(const lode_rule *rule) {
    return 100 * (double)rule->counts.both / (double)rule->counts.total;
}

static double percent_confidence(const lode_rule *rule) {
    return 100 * (double)rule->counts.both / (double)rule->counts.lhs;
}

static void scatter_measure(scatter *s) {
    const rule_columns *rules = s->paper->rules;
    uint64_t n = rule_columns_count(rules);
    double least[2] = {n ? 100 : 0, n ? 100 : 0}, most[2] = {n ? 0 : 100, n ? 0 : 100};
    for (uint64_t i = 0; i < n; i++) {
        lode_rule rule = rule_columns_at(rules, i);
        double values[] = {percent_support(&rule), percent_confidence(&rule)};
        for (int k = 0; k < 2; k++) {
            if (values[k] < least[k]) least[k] = values[k];
            if (values[k] > most[k]) most[k] = values[k];
        }
    }
    s->supports = axis_make(least[0], most[0], 100, true);
    s->confidences = axis_make(least[1], most[1], 100, false);
    s->lifts = rule_scale_of_lifts(rules);
}

static spot scatter_spot(const scatter *s, uint64_t i) {
    lode_rule rule = rule_columns_at(s->paper->rules, i);
    double x = axis_place(&s->supports, percent_support(&rule));
    double y = axis_place(&s->confidences, percent_confidence(&rule));
    return (spot){.x = LEFT + x * (RIGHT - LEFT),
                  .y = BOTTOM - y * (BOTTOM - TOP),
                  .lift = rule_lift(&rule),
                  .best = i,
                  .n = 1};
}

static void scatter_into_cell(scatter *s, const spot *point) {
    int column = (int)((point->x - LEFT) / CELL), row = (int)((point->y - TOP) / CELL);
    if (column >= CELLS_X) column = CELLS_X - 1;
    if (row >= CELLS_Y) row = CELLS_Y - 1;
    spot *cell = &s->spots[row * CELLS_X + column];
    if (cell->n == 0 || point->lift > cell->lift) {
        *cell = (spot){LEFT + CELL * (column + 0.5), TOP + CELL * (row + 0.5), point->lift,
                       point->best, cell->n};
    }
    cell->n++;
    if (cell->n > s->fullest) s->fullest = cell->n;
}

static bool spots_lower_first(const spot *a, const spot *b) {
    return a->lift != b->lift ? a->lift < b->lift : a->best < b->best;
}

#define SORT_NAME   spots_sort
#define SORT_TYPE   spot
#define SORT_BEFORE spots_lower_first
#include "base/sort_body.h"

static bool spots_nearer_first(const spot *a, const spot *b) {
    if (a->x != b->x) return a->x < b->x;
    if (a->y != b->y) return a->y < b->y;
    return spots_lower_first(b, a);
}

#define SORT_NAME   spots_sort_by_place
#define SORT_TYPE   spot
#define SORT_BEFORE spots_nearer_first
#include "base/sort_body.h"

/* Rules of the same counts become one point, which names that of the highest lift. */
static void scatter_merge(scatter *s) {
    size_t n = 0;
    spots_sort_by_place(s->spots, s->n_spots, NULL);
    for (size_t i = 0; i < s->n_spots; i++) {
        const spot *point = &s->spots[i], *last = n > 0 ? &s->spots[n - 1] : NULL;
        if (last && last->x == point->x && last->y == point->y) {
            s->spots[n - 1].n++;
        } else {
            s->spots[n++] = *point;
        }
    }
    s->n_spots = n;
}

/* The highest lift comes last, so that nothing hides it. */
static lode_status scatter_fill(scatter *s) {
    lode_status status = LODE_OK;
    uint64_t n = rule_columns_count(s->paper->rules);
    s->has_cells = n > POINTS_MOST;
    s->n_spots = s->has_cells ? (size_t)CELLS_X * (size_t)CELLS_Y : (size_t)n;
    s->spots_bytes = s->n_spots * sizeof *s->spots;
    LODE_TRY(mem_zalloc(s->paper->lines->mem, (void **)&s->spots, s->spots_bytes));
    for (uint64_t i = 0; i < n; i++) {
        if (i % SPOTS_ASK_EVERY == 0) LODE_TRY(paper_flow(s->paper));
        spot point = scatter_spot(s, i);
        if (s->has_cells) {
            scatter_into_cell(s, &point);
        } else {
            s->spots[i] = point;
        }
    }
    if (!s->has_cells) scatter_merge(s);
    spots_sort(s->spots, s->n_spots, NULL);
done:
    return status;
}

/* ---- words ---------------------------------------------------------------------------------- */

static lode_status scatter_put_item(rule_paper *p, uint32_t id) {
    lode_status status = LODE_OK;
    mem *m = p->lines->mem;
    vec_char name = {0};
    size_t n = dataset_id_name(p->lines->data, id, NULL, 0);
    LODE_TRY(vec_char_reserve(m, &name, n + 1));
    n = dataset_id_name(p->lines->data, id, name.data, name.cap);
    status = utf8_put_xml(m, &p->block, name.data, n);
done:
    vec_char_free(m, &name);
    return status;
}

static lode_status scatter_put_side(rule_paper *p, const uint32_t *ids, uint32_t n) {
    lode_status status = LODE_OK;
    LODE_TRY(paper_print(p, "{"));
    for (uint32_t i = 0; i < n && i < NAMES_MOST; i++) {
        if (i > 0) LODE_TRY(paper_print(p, ", "));
        LODE_TRY(scatter_put_item(p, ids[i]));
    }
    if (n > NAMES_MOST) LODE_TRY(paper_print(p, ", and %u more", n - NAMES_MOST));
    LODE_TRY(paper_print(p, "}"));
done:
    return status;
}

/* What a point says: the rule, and its numbers. */
static lode_status scatter_put_hint(const scatter *s, const spot *at) {
    lode_status status = LODE_OK;
    rule_paper *p = s->paper;
    lode_rule rule = rule_columns_at(p->rules, at->best);
    char count[FIGURE_BYTES], lhs[FIGURE_BYTES], n[FIGURE_BYTES];
    char lift[DECIMAL_BYTES + 1], share[DECIMAL_BYTES + 1];
    *rule_put_rounded(lift, rule_lift(&rule)) = 0;
    *rule_put_rounded(share, percent_support(&rule)) = 0;
    LODE_TRY(paper_print(p, "<title>"));
    if (at->n > 1)
        LODE_TRY(paper_print(p, "%s rules; the highest lift:\n", figure_count(at->n, n)));
    LODE_TRY(scatter_put_side(p, rule.lhs, rule.n_lhs));
    LODE_TRY(paper_print(p, " \xe2\x86\x92 ")); /* an arrow */
    LODE_TRY(scatter_put_side(p, rule.rhs, rule.n_rhs));
    LODE_TRY(paper_print(p, "\nsupport %s%% (%s), confidence ", share,
                         figure_count(rule.counts.both, count)));
    *rule_put_percent(share, rule.counts.both, rule.counts.lhs) = 0;
    LODE_TRY(paper_print(p, "%s%% (of %s), lift %s</title>", share,
                         figure_count(rule.counts.lhs, lhs), lift));
done:
    return status;
}

/* ---- the colours of drawings: the higher the lift, the darker -------------------------------- */

double rule_lift(const lode_rule *rule) {
    const lode_counts *c = &rule->counts;
    return (double)c->both * (double)c->total / ((double)c->lhs * (double)c->rhs);
}

rule_scale rule_scale_of_lifts(const rule_columns *rules) {
    rule_scale scale = {0};
    for (uint64_t i = 0; i < rule_columns_count(rules); i++) {
        lode_rule rule = rule_columns_at(rules, i);
        double lift = rule_lift(&rule);
        if (lift > scale.most) scale.most = lift;
        if (lift <= 1) scale.some_against = true;
        if (lift > 1 && (scale.least == 0 || lift < scale.least)) scale.least = lift;
    }
    if (scale.least == 0) scale.least = scale.most = 1;
    return scale;
}

double rule_scale_place(const rule_scale *scale, double lift) {
    if (!(scale->most > scale->least)) return 1;
    double place = fmath_log(lift / scale->least) / fmath_log(scale->most / scale->least);
    return place < 0 ? 0 : place > 1 ? 1 : place;
}

/* The colour at a position of the scale, from 0 to 1. */
static const char *rule_colour_at(double place, char text[8]) {
    static const int stops[][3] = {
        {246, 209, 98}, {243, 155, 72}, {219, 89, 96}, {146, 53, 130}, {52, 36, 112}};
    int last = (int)(sizeof stops / sizeof *stops) - 1;
    int from = (int)(place * last);
    if (from >= last) from = last - 1;
    double share = place * last - from;
    int mixed[3];
    for (int i = 0; i < 3; i++) {
        mixed[i] = (int)(stops[from][i] + share * (stops[from + 1][i] - stops[from][i]) + 0.5);
    }
    snprintf(text, 8, "#%02x%02x%02x", (unsigned)mixed[0] & 255, (unsigned)mixed[1] & 255,
             (unsigned)mixed[2] & 255);
    return text;
}

const char *rule_colour(const rule_scale *scale, double lift, char text[8]) {
    if (lift > 1) return rule_colour_at(rule_scale_place(scale, lift), text);
    snprintf(text, 8, "%s", COLOUR_AGAINST);
    return text;
}

char *rule_put_rounded(char *to, double x) {
    double scaled = x < 0 ? -x : x, parts = 1;
    if (!(scaled < 1e15) || scaled < 1e-12) return decimal_put(to, x);
    for (; scaled < 100; scaled *= 10) parts *= 10;
    double rounded = (double)(uint64_t)(scaled + 0.5) / parts;
    if (parts == 1) rounded = (double)(uint64_t)(scaled + 0.5);
    return decimal_put(to, x < 0 ? -rounded : rounded);
}

/* ---- the picture ---------------------------------------------------------------------------- */

static const char svg_style[] =
    "<style>text{font:13px system-ui,'Helvetica Neue',Arial,sans-serif;fill:#374151}"
    ".t{font-size:19px;font-weight:600;fill:#111827}.s{fill:#6b7280}.m{text-anchor:middle}"
    ".e{text-anchor:end}.g{stroke:#e5e7eb}.a{stroke:#9ca3af}.p{stroke:#fff;stroke-width:.7;"
    "fill-opacity:.88}.p:hover{stroke:#111827;stroke-width:1.6;fill-opacity:1}</style>\n";

static lode_status scatter_put_head(const scatter *s) {
    lode_status status = LODE_OK;
    rule_paper *p = s->paper;
    char rules[FIGURE_BYTES], total[FIGURE_BYTES];
    uint64_t n = rule_columns_count(p->rules);
    figure_count(n, rules);
    figure_count(n ? p->rules->total : p->lines->data->total_weight, total);
    LODE_TRY(paper_print(p,
                         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                         "viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"title desc\">\n",
                         WIDTH, HEIGHT, WIDTH, HEIGHT));
    LODE_TRY(paper_print(p, "<title id=\"title\">%s rule%s</title>\n", rules, figure_s(n)));
    LODE_TRY(paper_print(
        p,
        "<desc id=\"desc\">A scatter plot of %s association rule%s found in %s transactions. The x "
        "axis is the support in percent, the y axis the confidence in percent; a "
        "darker colour means a higher lift.</desc>\n",
        rules, figure_s(n), total));
    LODE_TRY(paper_print(p, "%s", svg_style));
    LODE_TRY(paper_print(p, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, HEIGHT));
    LODE_TRY(paper_print(p, "<text class=\"t\" x=\"%d\" y=\"34\">%s rule%s</text>\n", LEFT, rules,
                         figure_s(n)));
    LODE_TRY(paper_print(
        p, "<text class=\"s\" x=\"%d\" y=\"56\">%s transactions; %s</text>\n", LEFT, total,
        s->has_cells ? "a larger square stands for more rules; its colour shows their highest lift"
                     : "each point is a rule, or several if it is larger; its colour shows the "
                       "(highest) lift"));
done:
    return status;
}

static lode_status scatter_put_x_axis(const scatter *s) {
    lode_status status = LODE_OK;
    rule_paper *p = s->paper;
    for (int i = 0; i < s->supports.n_ticks; i++) {
        const axis_tick *tick = &s->supports.ticks[i];
        double x = LEFT + axis_place(&s->supports, tick->value) * (RIGHT - LEFT);
        LODE_TRY(paper_print(
            p, "<line class=\"g\" x1=\"" TENTHS "\" y1=\"%d\" x2=\"" TENTHS "\" y2=\"%d\"/>", AT(x),
            TOP, AT(x), BOTTOM));
        LODE_TRY(paper_print(p, "<text class=\"m\" x=\"" TENTHS "\" y=\"%d\">%s</text>\n", AT(x),
                             BOTTOM + 21, tick->text));
    }
    LODE_TRY(paper_print(p,
                         "<text class=\"m s\" x=\"%d\" y=\"%d\">support, %% of transactions%s"
                         "</text>\n",
                         (LEFT + RIGHT) / 2, BOTTOM + 48,
                         s->supports.by_log ? " (logarithmic)" : ""));
done:
    return status;
}

static lode_status scatter_put_y_axis(const scatter *s) {
    lode_status status = LODE_OK;
    rule_paper *p = s->paper;
    int middle = (TOP + BOTTOM) / 2;
    for (int i = 0; i < s->confidences.n_ticks; i++) {
        const axis_tick *tick = &s->confidences.ticks[i];
        double y = BOTTOM - axis_place(&s->confidences, tick->value) * (BOTTOM - TOP);
        LODE_TRY(paper_print(
            p, "<line class=\"g\" x1=\"%d\" y1=\"" TENTHS "\" x2=\"%d\" y2=\"" TENTHS "\"/>", LEFT,
            AT(y), RIGHT, AT(y)));
        LODE_TRY(paper_print(p, "<text class=\"e\" x=\"%d\" y=\"" TENTHS "\">%s</text>\n",
                             LEFT - 10, AT(y + 4.5), tick->text));
    }
    LODE_TRY(paper_print(p, "<path class=\"a\" fill=\"none\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP,
                         BOTTOM, RIGHT));
    LODE_TRY(paper_print(p,
                         "<text class=\"m s\" x=\"28\" y=\"%d\" transform=\"rotate(-90 28 %d)\">"
                         "confidence, %%</text>\n",
                         middle, middle));
done:
    return status;
}

/* A bar of the colours of the lift, the highest on top. */
static lode_status scatter_put_legend(const scatter *s) {
    lode_status status = LODE_OK;
    rule_paper *p = s->paper;
    char colour[8], text[DECIMAL_BYTES + 1];
    int x = RIGHT + 36, top = TOP + 26, height = 200, steps = 40;
    LODE_TRY(paper_print(p, "<text x=\"%d\" y=\"%d\">lift</text>\n", x, TOP + 10));
    for (int i = 0; i < steps; i++) {
        double place = 1 - (i + 0.5) / steps;
        LODE_TRY(paper_print(p, "<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"%d\" fill=\"%s\"/>",
                             x, top + i * height / steps, height / steps + (i + 1 < steps),
                             rule_colour_at(place, colour)));
    }
    for (int i = 0; i < 3; i++) {
        double ratio = s->lifts.most / s->lifts.least;
        double lift = i == 0   ? s->lifts.most
                      : i == 2 ? s->lifts.least
                               : s->lifts.least * __builtin_sqrt(ratio);
        *rule_put_rounded(text, lift) = 0;
        LODE_TRY(paper_print(p, "<text x=\"%d\" y=\"%d\">%s</text>\n", x + 24,
                             top + 5 + i * height / 2, text));
    }
    if (s->lifts.some_against) {
        int y = top + height + 18;
        LODE_TRY(paper_print(p,
                             "<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"16\" fill=\"%s\"/>"
                             "<text x=\"%d\" y=\"%d\">1 or less</text>\n",
                             x, y, COLOUR_AGAINST, x + 24, y + 13));
    }
done:
    return status;
}

/* Its area grows with the logarithm of the number of rules. */
static double scatter_radius(uint64_t n) {
    double area = 1 + 1.6 * fmath_log((double)n), radius = RADIUS * __builtin_sqrt(area);
    return radius < RADIUS_MOST ? radius : RADIUS_MOST;
}

static lode_status scatter_put_spot(const scatter *s, const spot *at) {
    lode_status status = LODE_OK;
    rule_paper *p = s->paper;
    char colour[8];
    rule_colour(&s->lifts, at->lift, colour);
    if (s->has_cells) {
        double full = fmath_log(1 + (double)s->fullest);
        double side = CELL * (0.35 + 0.65 * fmath_log(1 + (double)at->n) / full) - 0.6;
        LODE_TRY(paper_print(p,
                             "<rect class=\"p\" x=\"" TENTHS "\" y=\"" TENTHS "\" width=\"" TENTHS
                             "\" height=\"" TENTHS "\" fill=\"%s\">",
                             AT(at->x - side / 2), AT(at->y - side / 2), AT(side), AT(side),
                             colour));
    } else {
        LODE_TRY(paper_print(p,
                             "<circle class=\"p\" cx=\"" TENTHS "\" cy=\"" TENTHS "\" r=\"" TENTHS
                             "\" fill=\"%s\">",
                             AT(at->x), AT(at->y), AT(scatter_radius(at->n)), colour));
    }
    LODE_TRY(scatter_put_hint(s, at));
    LODE_TRY(paper_print(p, s->has_cells ? "</rect>\n" : "</circle>\n"));
    LODE_TRY(paper_flow(p));
done:
    return status;
}

static lode_status svg_draw(rule_paper *paper) {
    lode_status status = LODE_OK;
    scatter s = {.paper = paper};
    scatter_measure(&s);
    LODE_TRY(scatter_fill(&s));
    LODE_TRY(scatter_put_head(&s));
    LODE_TRY(scatter_put_x_axis(&s));
    LODE_TRY(scatter_put_y_axis(&s));
    for (size_t i = 0; i < s.n_spots; i++) {
        if (s.spots[i].n > 0) LODE_TRY(scatter_put_spot(&s, &s.spots[i]));
    }
    if (rule_columns_count(paper->rules) > 0) LODE_TRY(scatter_put_legend(&s));
    LODE_TRY(paper_print(paper, "</svg>\n"));
done:
    mem_free(paper->lines->mem, s.spots, s.spots ? s.spots_bytes : 0);
    return status;
}

const rule_format rule_format_svg = {
    .style = {' ', ""},
    .title = "",
    .draw = svg_draw,
};
