/* generate.c - lode generate quest, lode generate mutate, lode generate graphs
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli.h"

static const char *output_of(const cli_args *args) {
    const char *path = cli_given(args, "output");
    return path ? path : "-";
}

/* A zero on the command line means zero, for which the library takes a negative number. */
static bool own_fraction(const cli_args *args, const char *name, double *value) {
    if (!cli_fraction(args, name, 1, value)) return false;
    if (cli_given(args, name) && *value == 0) *value = -1;
    return true;
}

/* A mean length: from 1 on, as the library would take zero for the default. */
static bool own_length(const cli_args *args, const char *name, double *value) {
    if (!cli_given(args, name)) return true;
    if (!cli_fraction(args, name, 1e6, value)) return false;
    if (*value >= 1) return true;
    cli_error("--%s '%s': expected a number, at least 1", name, cli_given(args, name));
    return false;
}

static bool own_number32(const cli_args *args, const char *name, uint32_t *value) {
    uint64_t number = *value;
    if (!cli_number(args, name, UINT32_MAX, &number)) return false;
    *value = (uint32_t)number;
    return true;
}

const char *const cli_graph_models[] = {"patterns", "random", "molecules", NULL};
const char *const cli_label_weights[] = {"zipf", "even", NULL};
const char *const cli_quest_likes[] = {"lode", "ibm", NULL};

/* Finds the index of the given word in a list; 0 if the option is not given. Returns false, after a
 * message, for any other word. */
static bool own_word(const cli_args *args, const char *name, const char *const *words,
                     unsigned *which) {
    const char *text = cli_given(args, name);
    unsigned n = 0;
    *which = 0;
    if (!text) return true;
    for (; words[n]; n++) {
        if (strcmp(words[n], text) == 0) *which = n;
    }
    if (strcmp(words[*which], text) == 0) return true;
    const char *near = lode_nearest(text, words, n);
    cli_error("--%s '%s': %s%s%sexpected %s%s%s or %s", name, text, near ? "did you mean '" : "",
              near ? near : "", near ? "'? " : "", words[0], n > 2 ? ", " : "",
              n > 2 ? words[1] : "", words[n - 1]);
    return false;
}

static const cli_option quest_options[] = {
    {"like", 0, "WHOSE", "lode",
     "whose defaults to use: lode, or ibm (those of IBM's program: --transactions 1000000 --items "
     "100000 --patterns 10000 --correlation 0.25 --corruption 0.25, with a standard deviation of "
     "0.1); other options override them"},
    {"transactions", 'n', "N", "10000", "number of transactions"},
    {"length", 'l', "L", "10", "mean number of items per transaction"},
    {"pattern-length", 'i', "L", "4", "mean number of items per pattern"},
    {"items", 0, "N", "1000", "number of distinct items"},
    {"patterns", 0, "N", "2000", "number of patterns to choose from"},
    {"correlation", 0, "F", "0.5",
     "mean share of a pattern's items taken from the previous pattern"},
    {"corruption", 0, "F", "0.5",
     "mean corruption level of the patterns: the higher the level of a pattern, the more of its "
     "items are left out when it is used"},
    {"seed", 0, "N", "1", "random seed"},
    {"names", 0, NULL, "item numbers",
     "write product names instead of item numbers, separated by commas"},
    {"output", 'o', "FILE", "standard output",
     "where to write; the file appears when it is complete"},
    {0},
};

static int run_quest(cli_args *args) {
    lode_quest_options q = {.size = sizeof q};
    lode_job *job = NULL;
    unsigned like;
    if (!own_word(args, "like", cli_quest_likes, &like) ||
        !cli_number(args, "transactions", UINT32_MAX, &q.n_transactions) ||
        !own_length(args, "length", &q.mean_length) ||
        !own_length(args, "pattern-length", &q.mean_pattern) ||
        !own_number32(args, "items", &q.n_items) ||
        !own_number32(args, "patterns", &q.n_patterns) ||
        !own_fraction(args, "correlation", &q.correlation) ||
        !own_fraction(args, "corruption", &q.corruption) ||
        !cli_number(args, "seed", UINT64_MAX, &q.seed)) {
        return CLI_USAGE;
    }
    q.like = (lode_quest_like)like;
    q.names = cli_given(args, "names") != NULL;
    lode_status status = cli_job_create(&job, args);
    if (status == LODE_OK) status = lode_generate_quest(job, output_of(args), &q);
    int code = status == LODE_OK ? CLI_DONE : cli_fail(job, status);
    cli_progress_end();
    cli_job_free(job);
    return code;
}

static const cli_option mutate_options[] = {
    {"times", 'k', "K", "10", "number of copies of every transaction"},
    {"rate", 'p', "P", "0.05", "share of items to replace by random ones"},
    {"seed", 0, "N", "1", "random seed"},
    {"output", 'o', "FILE", "standard output",
     "where to write; the file appears when it is complete"},
    {0},
};

static int run_mutate(cli_args *args) {
    lode_mutate_options o = {.size = sizeof o};
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    if (!cli_number(args, "times", UINT32_MAX, &o.times) || !own_fraction(args, "rate", &o.rate) ||
        !cli_number(args, "seed", UINT64_MAX, &o.seed)) {
        return CLI_USAGE;
    }
    lode_status status = cli_job_create(&job, args);
    if (status == LODE_OK) status = cli_open_data(job, &data, args);
    if (status == LODE_OK) status = lode_generate_mutate(job, data, output_of(args), &o);
    int code = status == LODE_OK ? CLI_DONE : cli_fail(job, status);
    cli_progress_end();
    lode_dataset_free(data);
    cli_job_free(job);
    return code;
}

static const cli_option graph_options[] = {
    {"model", 0, "MODEL", "patterns",
     "patterns = graphs assembled from seed patterns, as by ggen; random = graphs with a given "
     "density and number of labels, as by GraphGen; molecules = rings and functional groups of C, "
     "N, O, S and halogens, joined as valences allow"},
    {"graphs", 'n', "N", "1000", "number of graphs"},
    {"edges", 'l', "N", "30; random 20; molecules 27", "mean number of edges per graph"},
    {"vertex-labels", 0, "N", "5; random 20", "patterns, random: number of vertex labels"},
    {"edge-labels", 0, "N", "5; random 20", "patterns, random: number of edge labels"},
    {"pattern-edges", 'i', "N", "4", "patterns: mean number of edges per seed pattern"},
    {"patterns", 0, "N", "50", "patterns: number of seed patterns"},
    {"density", 0, "D", "0.3",
     "random: mean share of vertex pairs that have an edge, above 0 and at most 1"},
    {"label-weights", 0, "HOW", "zipf",
     "random: draw the k-th label with weight 1/k (zipf), or all with equal weight (even)"},
    {"edge-kinds", 0, "N", "any",
     "random: number of (vertex label, edge label, vertex label) triples that may occur"},
    {"kind-share", 0, "F", "0.2",
     "random, with --edge-kinds: number of different triples in a graph, as a share of its edges"},
    {"seed", 0, "N", "1", "random seed"},
    {"output", 'o', "FILE", "standard output",
     "where to write; the file appears when it is complete"},
    {0},
};

/* Options of one model mean nothing to the others. */
static bool check_model(const cli_args *args, unsigned model) {
    static const struct {
        const char *option;
        lode_graph_model only;
    } rows[] = {
        {"pattern-edges", LODE_GRAPHS_OF_PATTERNS},
        {"patterns", LODE_GRAPHS_OF_PATTERNS},
        {"density", LODE_GRAPHS_RANDOM},
        {"label-weights", LODE_GRAPHS_RANDOM},
        {"edge-kinds", LODE_GRAPHS_RANDOM},
        {"kind-share", LODE_GRAPHS_RANDOM},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].only == model || !cli_given(args, rows[i].option)) continue;
        cli_error("--%s requires --model %s", rows[i].option, cli_graph_models[rows[i].only]);
        return false;
    }
    const char *labels = cli_given(args, "vertex-labels") ? "vertex-labels" : "edge-labels";
    if (model == LODE_GRAPHS_MOLECULES && cli_given(args, labels)) {
        cli_error("--%s cannot be combined with --model molecules", labels);
        return false;
    }
    if (!cli_given(args, "kind-share") || cli_given(args, "edge-kinds")) return true;
    cli_error("--kind-share requires --edge-kinds");
    return false;
}

/* A share: above zero, as the library would take zero for the default. */
static bool own_share(const cli_args *args, const char *name, double *value) {
    if (!cli_fraction(args, name, 1, value)) return false;
    if (!cli_given(args, name) || *value > 0) return true;
    cli_error("--%s '%s': expected a number above 0 and at most 1", name, cli_given(args, name));
    return false;
}

static bool take_random(const cli_args *args, lode_graphgen_options *o) {
    unsigned model, weights;
    if (!own_word(args, "model", cli_graph_models, &model) || !check_model(args, model) ||
        !own_word(args, "label-weights", cli_label_weights, &weights)) {
        return false;
    }
    o->model = (lode_graph_model)model;
    o->label_weights = (lode_label_weights)weights;
    return own_share(args, "density", &o->density) &&
           own_share(args, "kind-share", &o->kind_share) &&
           own_number32(args, "edge-kinds", &o->n_edge_kinds);
}

static int run_generate_graphs(cli_args *args) {
    lode_graphgen_options o = {.size = sizeof o};
    lode_job *job = NULL;
    if (!take_random(args, &o) || !cli_number(args, "graphs", UINT32_MAX, &o.n_graphs) ||
        !own_length(args, "edges", &o.mean_edges) ||
        !own_length(args, "pattern-edges", &o.mean_pattern) ||
        !own_number32(args, "patterns", &o.n_patterns) ||
        !own_number32(args, "vertex-labels", &o.n_vertex_labels) ||
        !own_number32(args, "edge-labels", &o.n_edge_labels) ||
        !cli_number(args, "seed", UINT64_MAX, &o.seed)) {
        return CLI_USAGE;
    }
    lode_status status = cli_job_create(&job, args);
    if (status == LODE_OK) status = lode_generate_graphs(job, output_of(args), &o);
    int code = status == LODE_OK ? CLI_DONE : cli_fail(job, status);
    cli_progress_end();
    cli_job_free(job);
    return code;
}

const cli_command cli_generate_graphs = {
    .name = "generate graphs",
    .arguments = "[options] -o FILE",
    .summary = "generate labelled graphs: from seed patterns, at random, or like molecules",
    .examples = "  lode generate graphs -n 10000 --patterns 50 --vertex-labels 20 -o T10k.lg\n"
                "  lode generate graphs --model random -n 10000 --density 0.3 -o G10k.lg\n"
                "  lode generate graphs --model molecules -n 600 -o molecules.lg\n",
    .groups = LODE_OPTION_JOB,
    .options = graph_options,
    .run = run_generate_graphs,
};

const cli_command cli_generate_quest = {
    .name = "generate quest",
    .arguments = "[options] -o FILE",
    .summary = "generate baskets like those of IBM Quest, such as T10I4D100K",
    .examples = "  lode generate quest -n 100000 -l 40 -i 10 -o T40I10D100K.dat\n"
                "  lode generate quest --like ibm -n 100000 --items 1000 -o T10I4D100K.dat\n"
                "  lode generate quest --names --items 120 -n 20000 -o baskets.csv\n",
    .groups = LODE_OPTION_JOB,
    .options = quest_options,
    .run = run_quest,
};

const cli_command cli_generate_mutate = {
    .name = "generate mutate",
    .arguments = "FILE... [options] -o OUT",
    .summary = "generate a larger data set from a real one by adding copies with random changes",
    .examples = "  lode generate mutate chess.dat --times 500 --rate 0.05 -o chess500.dat\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_READ,
    .options = mutate_options,
    .n_files = CLI_MANY_FILES,
    .run = run_mutate,
};
