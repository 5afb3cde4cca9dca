/* wants.h - which rules to accept: the options, parsed once and tested for every rule
 *
 * What:  the options are: the sides on which items may be, groups with a required item, sizes, the
 *        minimum confidence as a ratio of integers, and bounds on measures.
 * When:  each condition has its own function, because searches can test some conditions early.
 *        Conditions on sides and groups depend only on items; conditions on confidence and most
 *        measures depend only on counts. Conditions on more general rules, adjusted p-values and
 *        the part held out are tested later.
 * Rules: a `wants` must not change while threads use it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_WANTS_H
#define LODE_RULES_WANTS_H

#include "data/transactions/select.h"
#include "pipeline/engine/item_task.h"
#include "runtime/job.h"

#define WANTS_GROUPS 64 /* maximum groups of one option: a bit each */

/* Groups of items. A rule must have an item of every group. */
typedef struct wants_includes {
    uint64_t *masks; /* by id: bit g = the item is in group g; NULL = no groups */
    uint64_t all;    /* the bits of all groups */
} wants_includes;

/* A bound on a measure. */
typedef struct wants_bound {
    size_t measure;
    int direction; /* 1 = at least the value, -1 = at most */
    double value;
    lode_measure_needs needs;
    bool prunes; /* counts of an antecedent can exclude all antecedents below it */
} wants_bound;

typedef struct wants {
    mem *mem;
    mem_kept kept;
    const uint8_t *roles; /* by id: the sides on which the item may be, as ENGINE_ROLE_… */
    /* groups required anywhere, in the antecedent, and in the consequent */
    wants_includes include, include_lhs, include_rhs;
    /* the minimum confidence, as a ratio; numerator 0 = any confidence */
    lode_threshold confidence;
    uint32_t max_rhs, max_lhs;   /* maximum number of items; UINT32_MAX = no limit */
    uint32_t min_size, max_size; /* number of items on both sides together */
    wants_bound *bounds;
    uint32_t n_bounds;
    bool sorted; /* rules are sorted by the measure `order` */
    size_t order;
    uint64_t top;    /* keep only this many of the best rules, and ties; 0 = all */
    bool productive; /* only productive rules (lode/rules.h) */
    lode_adjust adjust;
    double significant; /* maximum adjusted p-value; 0 = any p-value */
    /* which figures the conditions and the order need: of more general rules, p-values, counts in
     * the part held out */
    bool needs_general, needs_p, needs_held_out;
    /* adjusted_p follows from the counts, because p-values are not adjusted and nothing is held
     * out */
    bool knows_p;
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
/* Returns the groups that contain at least one of these items. */
uint64_t wants_masks(const wants_includes *m, const uint32_t *ids, uint32_t n);

static inline bool wants_role(const wants *w, uint32_t id, unsigned role) {
    return (w->roles[id] & role) != 0;
}
/* Returns whether the options accept a rule with this many items on its sides. */
static inline bool wants_sizes(const wants *w, uint64_t n_lhs, uint64_t n_rhs) {
    return n_lhs > 0 && n_rhs > 0 && n_lhs <= w->max_lhs && n_rhs <= w->max_rhs &&
           n_lhs + n_rhs >= w->min_size && n_lhs + n_rhs <= w->max_size;
}
/* Returns in words why the options accept no rule, whatever the data are; NULL = they may accept
 * rules. */
const char *wants_contradiction(const wants *w, uint32_t item_bound);
/* Returns whether a rule has an item of every group. */
bool wants_groups(const wants *w, const lode_rule *rule);

/* ---- conditions on counts -------------------------------------------------------------------- */

static inline bool wants_confidence(const wants *w, uint64_t both, uint64_t lhs) {
    return (unsigned __int128)both * w->confidence.denominator >=
           (unsigned __int128)lhs * w->confidence.numerator;
}
/* Returns whether the rule meets the bounds on those measures that need these figures. */
bool wants_measures(const wants *w, const lode_rule *rule, lode_measure_needs needs);
/* Takes the counts of a rule. Returns whether the rule, or any rule with the same consequent and a
 * larger antecedent that contains the antecedent of this rule, may meet the bounds. `least` is the
 * threshold. */
bool wants_may_reach(const wants *w, const lode_counts *here, uint64_t least);
/* Returns whether wants_may_reach() can ever be false. */
bool wants_can_prune(const wants *w);

/* Returns the sort key of a rule in the requested order. Rules with a higher key come first, and
 * rules without a defined value come last. */
double wants_key(const wants *w, const lode_rule *rule);

/* ---- parsing measures and their bounds: "lift=1.5", "phi=-0.2", "fisher=1e-6" ---------------- */

/* Finds the measure with a name. If there is none, the message names `option` and lists the
 * measures. */
LODE_NODISCARD lode_status wants_text_measure(lode_job *job, const char *option, const char *text,
                                              size_t n, size_t *measure);
/* Parses a name, = and a number, with optional blanks between them. */
LODE_NODISCARD lode_status wants_text_bound(lode_job *job, const char *option, const char *text,
                                            size_t n, size_t *measure, double *value);
/* Parses a decimal number such as -0.5, 1e-6, 60% or inf: all n characters, in any locale. */
bool wants_text_number(const char *text, size_t n, double *value);

#endif
