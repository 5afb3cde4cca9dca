/* wants.h - which rules to accept: the options, parsed once and tested for every rule
 *
 * What:  sides on which items may be, groups with a required item, sizes, the minimum confidence as
 *        a ratio of integers, bounds of measures.
 * When:  each condition has its own function, since searches can test some of them early: items
 *        decide about sides and groups, counts about confidence and most measures. Conditions on
 *        more general rules, adjusted p-values and the part held out come later.
 * Rules: nothing changes while threads use it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_WANTS_H
#define LODE_RULES_WANTS_H

#include "data/transactions/select.h"
#include "pipeline/engine/item_task.h"
#include "runtime/job.h"

#define WANTS_GROUPS 64 /* maximum groups of one option: a bit each */

/* Groups of items; a rule needs an item of each. */
typedef struct wants_includes {
    uint64_t *masks; /* by id: bit g = the item is in group g; NULL = no groups */
    uint64_t all;    /* the bits of all groups */
} wants_includes;

/* A bound of a measure. */
typedef struct wants_bound {
    size_t measure;
    int direction; /* 1 = at least the value, -1 = at most */
    double value;
    lode_measure_needs needs;
    bool prunes; /* counts of an antecedent can rule out everything below it */
} wants_bound;

typedef struct wants {
    mem *mem;
    mem_kept kept;
    const uint8_t *roles; /* by id: ENGINE_ROLE_… */
    wants_includes include, include_lhs,
        include_rhs;             /* anywhere, in the antecedent, in the consequent */
    lode_threshold confidence;   /* a ratio; numerator 0 = any */
    uint32_t max_rhs, max_lhs;   /* items; UINT32_MAX = no limit */
    uint32_t min_size, max_size; /* of both */
    wants_bound *bounds;
    uint32_t n_bounds;
    bool sorted; /* by the measure `order` */
    size_t order;
    uint64_t top; /* only this many of the best, and ties; 0 = all */
    bool productive;
    lode_adjust adjust;
    double significant; /* 0 = any p-value */
    bool needs_general, needs_p, needs_held_out;
    bool knows_p; /* adjusted_p follows from the counts: no adjustment, and nothing is held out */
    lode_measure_needs order_needs;
} wants;

/* Reads the options, whose ranges are already checked. Names are looked up in `data`. Errors:
 * INVALID, with a message that names the option; those of select_parse(). On failure there is
 * nothing to free. */
LODE_NODISCARD lode_status wants_read(lode_job *job, const lode_dataset *data,
                                      const lode_rule_options *o, wants *out);
void wants_clear(wants *w);

/* ---- conditions on items --------------------------------------------------------------------- */

static inline uint64_t wants_mask(const wants_includes *m, uint32_t id) {
    return m->masks ? m->masks[id] : 0;
}
/* The groups that contain at least one of these items. */
uint64_t wants_masks(const wants_includes *m, const uint32_t *ids, uint32_t n);

static inline bool wants_role(const wants *w, uint32_t id, unsigned role) {
    return (w->roles[id] & role) != 0;
}
/* Whether the options accept a rule with this many items on its sides. */
static inline bool wants_sizes(const wants *w, uint64_t n_lhs, uint64_t n_rhs) {
    return n_lhs > 0 && n_rhs > 0 && n_lhs <= w->max_lhs && n_rhs <= w->max_rhs &&
           n_lhs + n_rhs >= w->min_size && n_lhs + n_rhs <= w->max_size;
}
/* Why the options accept no rule at all, whatever the data are, in words; NULL = they may. */
const char *wants_contradiction(const wants *w, uint32_t item_bound);
/* Whether a rule with these sides has an item of every group. */
bool wants_groups(const wants *w, const lode_rule *rule);

/* ---- conditions on counts -------------------------------------------------------------------- */

static inline bool wants_confidence(const wants *w, uint64_t both, uint64_t lhs) {
    return (unsigned __int128)both * w->confidence.denominator >=
           (unsigned __int128)lhs * w->confidence.numerator;
}
/* Whether the rule meets the bounds of measures that need these figures. */
bool wants_measures(const wants *w, const lode_rule *rule, lode_measure_needs needs);
/* Whether a rule may meet the bounds on counts if it has this consequent and total, and its
 * antecedent contains the one with these counts; least: the threshold. */
bool wants_may_reach(const wants *w, const lode_counts *here, uint64_t least);
/* Whether wants_may_reach() can ever be false. */
bool wants_can_prune(const wants *w);

/* The sort key of a rule in the requested order: higher comes first, undefined last. */
double wants_key(const wants *w, const lode_rule *rule);

/* ---- parsing measures and their bounds: "lift=1.5", "phi=-0.2", "fisher=1e-6" ---------------- */

/* The measure with a name. `option` is for the message, which lists the measures. */
LODE_NODISCARD lode_status wants_text_measure(lode_job *job, const char *option, const char *text,
                                              size_t n, size_t *measure);
/* Parses a name, = and a number, with optional blanks between them. */
LODE_NODISCARD lode_status wants_text_bound(lode_job *job, const char *option, const char *text,
                                            size_t n, size_t *measure, double *value);
/* Parses a decimal number such as -0.5, 1e-6, 60% or inf: all n characters, in any locale. */
bool wants_text_number(const char *text, size_t n, double *value);

#endif
