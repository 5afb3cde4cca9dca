/* list_commands.c - lode algorithms, lode devices
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "cli.h"

static int run_algorithms(cli_args *args) {
    (void)args;
    lode_algorithm a = LODE_INIT(lode_algorithm);
    printf("%-12s %s\n", "auto", "Chooses one of the following for the data and the options.");
    for (size_t i = 0; lode_algorithm_at(LODE_ITEMSETS, i, &a); i++) {
        printf("%-12s %s%s\n", a.name, a.summary, a.weights ? " Accepts weights." : "");
    }
    printf("\nfor graphs\n");
    for (size_t i = 0; lode_algorithm_at(LODE_GRAPHS, i, &a); i++)
        printf("%-12s %s\n", a.name, a.summary);
    return CLI_DONE;
}

static int run_devices(cli_args *args) {
    (void)args;
    lode_device d = LODE_INIT(lode_device);
    for (size_t i = 0; lode_device_at(i, &d); i++) {
        printf("%-12s %s: %s\n", d.name, d.usable ? "usable" : "not usable", d.detail);
    }
    return CLI_DONE;
}

const cli_command cli_algorithms = {
    .name = "algorithms",
    .arguments = "",
    .summary = "list the search algorithms",
    .examples = "  lode algorithms\n"
                "  lode itemsets data.dat -s 1% --algorithm frontier\n",
    .run = run_algorithms,
};

const cli_command cli_devices = {
    .name = "devices",
    .arguments = "",
    .summary = "list the CPUs and GPUs that lode can use",
    .examples = "  lode devices\n"
                "  lode itemsets data.dat -s 1% --device cpu      one virtual device per thread\n"
                "  lode itemsets data.dat -s 1% --device cpu*3    three virtual devices\n"
                "  LODE_CPU=avx2 lode itemsets data.dat -s 1%     kernels: scalar, neon, avx2 or "
                "avx512\n",
    .run = run_devices,
};

/* ---- lode measures [NAME] ------------------------------------------------------------------- */

#define MEASURES_MOST 256

static void print_bound(double value) {
    if (isinf(value)) {
        fputs(value < 0 ? "-infinity" : "infinity", stdout);
    } else {
        printf("%g", value);
    }
}

static void print_range(const lode_measure *m, const char *what) {
    printf("from       ");
    print_bound(m->least);
    printf(" to ");
    print_bound(m->most);
    printf("\nbetter     %s\n", m->better > 0 ? "high" : m->better < 0 ? "low" : "neither");
    if (!isnan(m->neutral)) printf("neutral    %g: %s are independent\n", m->neutral, what);
}

static void print_itemset_measure(const lode_measure *m) {
    printf("%s of itemsets\n  %s\n\n", m->name, m->help);
    printf("formula    %s\n", m->formula);
    print_range(m, "the items");
    if (m->aliases[0]) printf("also       %s\n", m->aliases);
    printf("\n"
           "c: transactions with all k items of the set; c1, c2, …: with each of the items;\n"
           "n: all transactions. See docs/measures.md\n");
}

static void print_measure(const lode_measure *m) {
    static const char *const needs[] = {
        [LODE_NEEDS_COUNTS] = "only the counts of the rule",
        [LODE_NEEDS_GENERAL] =
            "the counts of all more general rules (same consequent, part of the antecedent)",
        [LODE_NEEDS_ADJUSTED] = "the number of tests (--adjust)",
        [LODE_NEEDS_HELD_OUT] = "held-out transactions (--holdout)",
    };
    printf("%s\n  %s\n\n", m->name, m->help);
    printf("formula    %s\n", m->formula);
    printf("undefined  %s\n", m->singular);
    print_range(m, "antecedent and consequent");
    printf("needs      %s\n", needs[m->needs]);
    if (m->aliases[0]) printf("also       %s\n", m->aliases);
    printf("\n"
           "n11: transactions with antecedent and consequent; n10: with only the antecedent;\n"
           "n01: with only the consequent; n00: with neither; n: all transactions.\n"
           "x stands for both digits, added up: n1x = n11 + n10. See docs/measures.md\n");
}

static int complain_measure(const char *name) {
    const char *names[MEASURES_MOST];
    lode_measure m = LODE_INIT(lode_measure);
    size_t n = 0;
    for (; n < MEASURES_MOST && lode_measure_at(n, &m); n++) names[n] = m.name;
    for (size_t i = 0; n < MEASURES_MOST && lode_itemset_measure_at(i, &m); i++) {
        names[n++] = m.name;
    }
    const char *near = lode_nearest(name, names, n);
    cli_error("there is no measure '%s'; %s%s%s`lode measures` lists them", name,
              near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
    return CLI_USAGE;
}

static void list_measures(void) {
    lode_measure m = LODE_INIT(lode_measure);
    for (size_t i = 0; lode_measure_at(i, &m); i++) printf("%-22s %s\n", m.name, m.help);
    printf("\nof itemsets\n");
    for (size_t i = 0; lode_itemset_measure_at(i, &m); i++) printf("%-22s %s\n", m.name, m.help);
}

static int run_measures(int n, char **words) {
    lode_measure m = LODE_INIT(lode_measure);
    size_t i = 0;
    if (n > 1) {
        cli_error("unexpected argument '%s'; expected: lode measures [NAME]", words[1]);
        return CLI_USAGE;
    }
    if (n == 0) {
        list_measures();
        return CLI_DONE;
    }
    bool of_rules = lode_measure_find(words[0], &i) && lode_measure_at(i, &m);
    if (of_rules) print_measure(&m);
    bool of_sets = lode_itemset_measure_find(words[0], &i) && lode_itemset_measure_at(i, &m);
    if (!of_rules && !of_sets) return complain_measure(words[0]);
    if (of_rules && of_sets) printf("\n");
    if (of_sets) print_itemset_measure(&m);
    return CLI_DONE;
}

const cli_command cli_measures = {
    .name = "measures",
    .arguments = "[NAME]",
    .summary = "list the measures of rules and itemsets, or explain one",
    .examples = "  lode measures\n"
                "  lode measures lift                            its formula and range\n"
                "  lode rules baskets.csv -s 10 -c 0.5 --measure lift,phi --min phi=0.2\n",
    .run_words = run_measures,
};
