/* hints.c - see hints.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "hints.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- words of other programs ----------------------------------------------------------------- */

/* The words that mean a name of lode, separated by blanks. Case, - and _ are ignored. The name of
 * an option may be followed by its value. A command may lack an option; then a later row with the
 * same word counts. */
typedef struct hint_row {
    const char *name, *words;
} hint_row;

static const hint_row hint_options[] = {
    {"min-support", "support minsup minsupp minsupport supp sup smin threshold minimumsupport"},
    {"min-confidence", "confidence minconf conf minconfidence minimumconfidence"},
    {"max-size", "maxlen maxlength maxitems maxdepth"},
    {"min-size", "minlen minlength minitems"},
    {"max-edges", "maxsize maxlen maxlength"},
    {"min-edges", "minsize minlen minlength"},
    {"want", "count number patterns"},
    {"target closed", "closed closedonly"},
    {"target maximal", "maximal maximalonly"},
    {"target generators", "generators free"},
    {"target", "type kind what"},
    {"target top:K", "topk top k best"},
    {"top", "topk best limit head n k"},
    {"rows", "top head limit n topk k"},
    {"limit", "top head rows n"},
    {"limit-patterns", "limit maxpatterns"},
    {"limit-time", "timeout maxtime time"},
    {"sort-by", "orderby rank rankby by"},
    {"rhs", "consequent consequents conclusion head then"},
    {"lhs", "antecedent antecedents premise body if"},
    {"max-rhs", "maxconsequent"},
    {"max-lhs", "maxantecedent"},
    {"include", "contains containing with must has items appearance"},
    {"exclude", "without not ignore except lacks"},
    {"item", "product items itemcolumn productcolumn column"},
    {"tid", "transaction order invoice basket id groupby group idcolumn transactioncolumn"},
    {"separator", "sep delimiter delim fieldseparator"},
    {"header", "header names"},
    {"format", "inputformat type filetype"},
    {"write csv", "csv tocsv excel"},
    {"write jsonl", "json jsonl ndjson"},
    {"write arrow", "arrow feather parquet"},
    {"write", "outputformat outformat form as"},
    {"output", "out outfile outputfile save to file"},
    {"threads", "jobs cores njobs nproc workers parallel processes cpus"},
    {"memory", "mem ram maxmemory"},
    {"device cuda", "gpu cuda usegpu"},
    {"device cpu", "cpu"},
    {"algorithm", "algo method engine miner"},
    {"drop-rows", "skiprows droprow"},
    {"min", "filter where"},
    {"measure", "measures metrics column columns fields show"},
    {"rare", "maxsupport maxsup smax"},
    {"productive", "redundant nonredundant noredundant isredundant"},
    {"significant", "pvalue significance alpha"},
    {"adjust", "correction bonferroni"},
    {"quiet", "silent noprogress"},
    {"verbose", "debug"},
    {"report", "log stats"},
    {"fold-case", "lower lowercase ignorecase"},
    {"embeddings", "occurrences matches"},
    {"graphs", "gids tids"},
    {"labels", "labelmap labelnames names atomnames elements atomic map"},
};

#define HINT_NO_OPTION "; files need no option: write only the name of the file"

/* Words for which the name of an option would say too little. */
static const struct {
    hint_row row;
    const char *advice;
} hint_advice[] = {
    {{"drop-rows", "filter where keeprows keep"},
     "; drop the other rows: to keep those with, for example, Quantity>0, use --drop-rows "
     "'Quantity<=0'"},
    {{"header", "noheader"},
     "; the first line of a basket file holds items unless --header is given; for a table, give "
     "columns by number, such as --tid 1 --item 2, and no --header"},
    {{"min-confidence", "minthreshold"},
     "; use --min-confidence 50%, or --min lift=1.2 for another measure"},
    {{"directed", "undirected"}, "; graphs are undirected unless --directed is given"},
    {{"format", "input infile inputfile file filename data dataset i"}, HINT_NO_OPTION},
    {{"directed", "input infile inputfile file filename data dataset i f"}, HINT_NO_OPTION},
    {{"min-confidence", "parameter parameters"},
     "; write -s for the support and -c for the confidence, such as -s 0.01 -c 0.5"},
    {{"min-support", "parameter parameters"}, "; write -s for the support, such as -s 0.01"},
    {{"sort-by", "metric"},
     "; use --min lift=VALUE for a bound on a measure such as lift, and --sort-by lift to sort"},
};

static const hint_row hint_commands[] = {
    {"itemsets",
     "mine apriori fpgrowth fpg fptree eclat declat fpmax fpclose charm charmmfi lcm genmax hmine "
     "fim fi frequent frequentitemsets itemsets sets patterns closed maximal fpm topk pyfim "
     "borgelt spmf tensor frontier adaptive goethals"},
    {"rules",
     "arules associationrules association associations ruleinduction assoc ar weka basketanalysis "
     "marketbasket mba lift confidence"},
    {"graphs", "gspan subgraphs subgraph fsg gaston moss cgspan closegraph gbolt graft molecules"},
    {"query", "view show filter sort top inspect select sql head print list open find"},
    {"stats", "info describe summary profile file sniff columns schema check"},
    {"suggest", "threshold thresholds estimate minsup tune guess curve"},
    {"apply", "predict recommend score recommendations"},
    {"clean", "convert prepare preprocess normalize normalise import transform"},
    {"baskets", "transactions grep search where contains"},
    {"support", "count counts"},
    {"measures", "metrics measure interest"},
    {"serve", "server web ui gui page browser http start"},
    {"compare", "benchmark bench diff"},
    {"merge", "join combine"},
    {"generate", "random simulate quest synthetic"},
    {"man", "manual docs"},
};

/* Algorithms of other programs, and the option that finds what they find. */
static const hint_row hint_algorithms[] = {
    {"", "apriori lcm declat aprioritid dic hmine relim sam carpenter ista prepost prepost+ fin "
         "dfin linear negfin gaston fsg moss ffsm"},
    {"target closed", "charm dcharm fpclose closet aclose lcmclosed closegraph cgspan"},
    {"target maximal", "fpmax genmax mafia charmmfi maxminer lcmmax spin margin"},
};

#define HINT_NAMES 512
#define HINT_WORD  24
#define HINT_SHORT 6 /* shorter words of other programs are near too many others */

static const cli_command *const *all_commands;
static size_t n_all_commands;

void hint_set_commands(const cli_command *const *commands, size_t n) {
    all_commands = commands;
    n_all_commands = n;
}

#define N_OF(list) (sizeof(list) / sizeof *(list))

/* Copies the letters that count. */
static void hint_letters(char *out, size_t bytes, const char *word, size_t n) {
    size_t k = 0;
    for (size_t i = 0; i < n && word[i] && k + 1 < bytes; i++) {
        char c = word[i];
        if (c != '-' && c != '_') out[k++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    out[k] = 0;
}

/* Whether `word` is one of the words of a row. */
static bool hint_is_listed(const hint_row *row, const char *word) {
    char plain[40];
    hint_letters(plain, sizeof plain, word, strlen(word));
    size_t n = strlen(plain);
    for (const char *at = row->words; *at;) {
        size_t length = strcspn(at, " ");
        if (length == n && memcmp(at, plain, n) == 0) return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

const char *hint_command(const char *word) {
    for (size_t i = 0; i < N_OF(hint_commands); i++) {
        if (hint_is_listed(&hint_commands[i], word)) return hint_commands[i].name;
    }
    return NULL;
}

bool hint_is_ambiguous(const char *word) {
    static const hint_row row = {NULL, "apriori"};
    return hint_is_listed(&row, word);
}

/* ---- options --------------------------------------------------------------------------------- */

bool hint_has_option(const cli_command *command, const char *name, bool *takes_value) {
    for (int i = 0; command->options && command->options[i].name; i++) {
        if (strcmp(command->options[i].name, name) != 0) continue;
        if (takes_value) *takes_value = command->options[i].argument != NULL;
        return true;
    }
    const lode_option *o = lode_option_find(command->groups, name);
    if (o && takes_value) *takes_value = o->argument != NULL;
    return o != NULL;
}

/* The name of the option with a letter; NULL if the command has none. */
static const char *hint_name_of(const cli_command *command, char letter, bool *takes_value) {
    for (int i = 0; command->options && command->options[i].name; i++) {
        const cli_option *o = &command->options[i];
        if (o->letter != letter) continue;
        *takes_value = o->argument != NULL;
        return o->name;
    }
    for (size_t i = 0; lode_option_at(i); i++) {
        const lode_option *o = lode_option_at(i);
        if (o->letter != letter || !(o->group & command->groups)) continue;
        *takes_value = o->argument != NULL;
        return o->name;
    }
    return NULL;
}

/* Whether the command has the option of a row. */
static bool hint_applies(const hint_row *row, const cli_command *command) {
    char name[HINT_WORD];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(row->name, " "), row->name);
    return hint_has_option(command, name, NULL);
}

/* The option of this command that a word of another program means; NULL if there is none. */
static const char *hint_synonym(const cli_command *command, const char *word) {
    for (size_t i = 0; i < N_OF(hint_options); i++) {
        const hint_row *row = &hint_options[i];
        if (hint_is_listed(row, word) && hint_applies(row, command)) return row->name;
    }
    return NULL;
}

/* The option whose name, or whose name in another program, is nearest to a word. */
static const char *hint_near_option(const cli_command *command, const char *word) {
    const char *names[HINT_NAMES], *means[HINT_NAMES];
    static char words[HINT_NAMES][HINT_WORD];
    size_t n = 0;
    for (int i = 0; command->options && command->options[i].name; i++) {
        names[n] = means[n] = command->options[i].name;
        n++;
    }
    for (size_t i = 0; lode_option_at(i) && n < HINT_NAMES; i++) {
        const lode_option *o = lode_option_at(i);
        if (!(o->group & command->groups)) continue;
        names[n] = means[n] = o->name;
        n++;
    }
    for (size_t i = 0; i < N_OF(hint_options); i++) {
        if (!hint_applies(&hint_options[i], command)) continue;
        for (const char *at = hint_options[i].words; *at && n < HINT_NAMES;) {
            size_t length = strcspn(at, " ");
            if (length >= HINT_SHORT && length < HINT_WORD) {
                snprintf(words[n], HINT_WORD, "%.*s", (int)length, at);
                names[n] = words[n];
                means[n++] = hint_options[i].name;
            }
            at += length + (at[length] == ' ');
        }
    }
    const char *near = lode_nearest(word, names, n);
    for (size_t i = 0; near && i < n; i++) {
        if (names[i] == near) return means[i];
    }
    return NULL;
}

/* Adds "`lode itemsets`, `lode rules` and 2 others". `letter` is 0 for a name. */
static size_t hint_owners(char *text, size_t bytes, const cli_command *command, const char *name,
                          char letter, const char **meaning) {
    enum { SHOWN = 3 };
    const cli_command *owners[64];
    size_t n = 0, at = 0;
    bool takes_value;
    for (size_t i = 0; i < n_all_commands && n < N_OF(owners); i++) {
        const cli_command *c = all_commands[i];
        const char *long_name = letter ? hint_name_of(c, letter, &takes_value) : NULL;
        bool has = letter ? long_name != NULL : hint_has_option(c, name, NULL);
        if (c == command || !has) continue;
        /* Where commands give a letter different meanings, only those of the first one count. */
        if (letter && *meaning && strcmp(*meaning, long_name) != 0) continue;
        if (letter) *meaning = long_name;
        owners[n++] = c;
    }
    size_t shown = n > SHOWN + 1 ? SHOWN : n;
    for (size_t i = 0; i < shown && at < bytes; i++) {
        const char *joint = i == 0 ? "" : i + 1 == n ? " and " : ", ";
        at += (size_t)snprintf(text + at, bytes - at, "%s`%s %s`", joint,
                               owners[i]->program ? owners[i]->program : "lode", owners[i]->name);
    }
    if (shown < n && at < bytes) {
        snprintf(text + at, bytes - at, " and %zu other commands", n - shown);
    }
    return n;
}

bool hint_is_measure(const cli_command *command, const char *word) {
    const unsigned of_rules = LODE_OPTION_RULE | LODE_OPTION_QUERY | LODE_OPTION_APPLY;
    if (command->groups & of_rules && lode_measure_find(word, NULL)) return true;
    const unsigned of_sets = LODE_OPTION_CONSTRAINT | LODE_OPTION_QUERY;
    return command->groups & of_sets && lode_itemset_measure_find(word, NULL);
}

void hint_option(char hint[HINT_TEXT], const cli_command *command, const char *word, char letter) {
    char owners[HINT_TEXT / 2] = "";
    const char typed[] = {letter, 0};
    const char *meaning = NULL, *name = hint_synonym(command, letter ? typed : word);
    hint[0] = 0;
    for (size_t i = 0; i < N_OF(hint_advice); i++) {
        const hint_row *row = &hint_advice[i].row;
        if (!hint_is_listed(row, letter ? typed : word) || !hint_applies(row, command)) continue;
        snprintf(hint, HINT_TEXT, "%s", hint_advice[i].advice);
        return;
    }
    if (name) {
        snprintf(hint, HINT_TEXT, "; did you mean --%s?", name);
        return;
    }
    bool bounds =
        hint_has_option(command, "min", NULL) && hint_has_option(command, "sort-by", NULL);
    if (bounds && !letter && hint_is_measure(command, word)) {
        snprintf(hint, HINT_TEXT, "; use --min %s=VALUE for a bound, and --sort-by %s to sort",
                 word, word);
        return;
    }
    size_t n = hint_owners(owners, sizeof owners, command, word, letter, &meaning);
    if (n > 0) {
        snprintf(hint, HINT_TEXT, "; %s%s%s%s an option of %s", letter ? "it is" : "that is",
                 meaning ? " --" : "", meaning ? meaning : "", meaning ? "," : "", owners);
        return;
    }
    name = letter ? NULL : hint_near_option(command, word);
    if (name) snprintf(hint, HINT_TEXT, "; did you mean --%s?", name);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool hint_is_number(const char *word) {
    size_t n = strspn(word, "0123456789.,");
    return n > 0 && (word[n] == 0 || strcmp(word + n, "%") == 0);
}

/* The other command that has the letter for an option with a value. */
static const cli_command *hint_letter_elsewhere(const cli_command *command, char letter,
                                                const char **name) {
    bool takes_value = false;
    for (size_t i = 0; i < n_all_commands; i++) {
        const cli_command *c = all_commands[i];
        const char *of = c == command ? NULL : hint_name_of(c, letter, &takes_value);
        if (!of || !takes_value) continue;
        *name = of;
        return c;
    }
    return NULL;
}

void hint_value(char hint[HINT_TEXT], const cli_command *command, const char *name, char letter,
                const char *word) {
    const char *meant = NULL;
    const cli_command *other = letter ? hint_letter_elsewhere(command, letter, &meant) : NULL;
    hint[0] = 0;
    if (other && hint_is_number(word)) {
        snprintf(
            hint, HINT_TEXT,
            "-%c is --%s in `lode %s`, which takes no value; -%c %.20s (--%s) is for `lode %s`",
            letter, name, command->name, letter, word, meant, other->name);
    } else if (strcmp(name, "sort") == 0 && hint_is_measure(command, word) &&
               hint_has_option(command, "sort-by", NULL)) {
        snprintf(hint, HINT_TEXT, "--sort takes no value; did you mean --sort-by %.40s?", word);
    }
}

void hint_algorithm(char hint[HINT_TEXT], const cli_command *command, const char *word) {
    hint[0] = 0;
    for (size_t i = 0; i < N_OF(hint_algorithms); i++) {
        const hint_row *row = &hint_algorithms[i];
        if (!hint_is_listed(row, word)) continue;
        bool option = row->name[0] && hint_applies(row, command);
        snprintf(
            hint, HINT_TEXT,
            "lode has no algorithm of that name; all its algorithms find the same patterns, so "
            "leave -a out%s%s%s",
            option ? ", and use --" : "", option ? row->name : "",
            option ? " for what that algorithm finds" : "");
        return;
    }
}

/* ---- words that are no files ----------------------------------------------------------------- */

/* The bytes of a dash or a minus sign other than '-' at `at`: 0 if there is none. */
static size_t hint_odd_dash(const char *at) {
    static const char *const dashes[] = {"\u2010", "\u2011", "\u2012", "\u2013", "\u2014",
                                         "\u2015", "\u2212", "\ufe58", "\ufe63", "\uff0d"};
    for (size_t i = 0; i < N_OF(dashes); i++) {
        if (strncmp(at, dashes[i], strlen(dashes[i])) == 0) return strlen(dashes[i]);
    }
    return 0;
}

void hint_dash(char hint[HINT_TEXT], const cli_command *command, const char *word) {
    const char *at = word, *odd = NULL;
    char name[40];
    size_t n;
    hint[0] = 0;
    while (*at == '-' || hint_odd_dash(at) > 0) {
        n = hint_odd_dash(at);
        if (n > 0) odd = at;
        at += n ? n : 1;
    }
    if (!odd || !*at) return;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "="), at);
    bool is_long = hint_has_option(command, name, NULL) || hint_synonym(command, name);
    snprintf(hint, HINT_TEXT,
             "'%.60s' begins with a dash '%.*s', which is not the hyphen '-'; write %s%.60s", word,
             (int)hint_odd_dash(odd), odd, is_long && name[1] ? "--" : "-", at);
}

void hint_assignment(char hint[HINT_TEXT], const cli_command *command, const char *word) {
    char name[40];
    size_t n = strcspn(word, "=");
    hint[0] = 0;
    if (!word[n] || n >= sizeof name) return;
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    bool takes_value = false;
    const char *meant = hint_has_option(command, name, NULL) ? name : hint_synonym(command, name);
    if (!meant || !hint_has_option(command, meant, &takes_value) || !takes_value) return;
    snprintf(hint, HINT_TEXT, "'%.60s' is not a file; options begin with --: write --%s=%.60s",
             word, meant, word + n + 1);
}

/* Writes a word as one argument for the shell. Returns false if it does not fit: a part of a name
 * would be another name. */
static bool hint_quote(char *out, size_t bytes, const char *word) {
    char *quoted = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&quoted, &n);
    if (!to) return false;
    cli_put_word(to, word);
    bool fits = fclose(to) == 0 && n < bytes;
    if (fits) memcpy(out, quoted, n + 1);
    free(quoted);
    return fits;
}

/* Writes a number as a value of -s (a share or a count) or of -c (a share, also typed as 60 for
 * 60%). Returns false if the option would refuse it. */
static bool hint_threshold(char *out, size_t bytes, const char *word, bool is_count_possible) {
    char *end;
    double value = strtod(word, &end);
    bool percent = strcmp(end, "%") == 0, whole = !strpbrk(word, ".,%");
    if (!hint_is_number(word) || (*end && !percent) || !(value > 0)) return false;
    bool share = percent ? value <= 100 : value < 1 || (value == 1 && !is_count_possible);
    bool typed = !is_count_possible && !percent && value > 1 && value <= 100;
    if (!share && !typed && !(is_count_possible && whole)) return false;
    return (size_t)snprintf(out, bytes, "%s%s", word, typed ? "%" : "") < bytes;
}

void hint_word(char hint[HINT_TEXT], const cli_command *command, const char *given,
               const char *word, const char *next) {
    bool confident = hint_has_option(command, "min-confidence", NULL);
    bool whole = word[strspn(word, "0123456789")] == 0 && strtod(word, NULL) > 0;
    char value[24], more[24], item[80];
    hint[0] = 0;
    if (hint_is_number(word) && hint_has_option(command, "want", NULL)) {
        if (whole)
            snprintf(hint, HINT_TEXT, "; for about %.20s patterns, write --want %.20s", word, word);
    } else if (hint_is_number(word) && hint_has_option(command, "min-support", NULL) && !given) {
        bool both = confident && next && hint_threshold(more, sizeof more, next, false);
        if (!hint_threshold(value, sizeof value, word, true)) return;
        snprintf(hint, HINT_TEXT, "; if it is the minimum support, write -s %s%s%s", value,
                 both ? " -c " : "", both ? more : "");
    } else if (hint_is_number(word)) {
        if (!confident || !given || !hint_threshold(value, sizeof value, word, false)) return;
        snprintf(hint, HINT_TEXT, "; if it is the minimum confidence, write -c %s", value);
    } else if (word[0] && !strpbrk(word, "./\\") && hint_has_option(command, "include", NULL)) {
        if (!hint_quote(item, sizeof item, word)) return;
        snprintf(hint, HINT_TEXT, "; if it is an item, write --include %s", item);
    }
}

void hint_hyphen(char hint[HINT_TEXT], const cli_command *command, const char *word,
                 const char *value) {
    enum { LEAST = 3 }; /* letters: fewer may be several short options */
    char name[40], letter[16] = "", quoted[64] = "";
    bool takes_value = false;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 1, "="), word + 1);
    hint[0] = 0;
    if (strlen(name) < LEAST || strlen(name) + 1 == sizeof name) return;
    bool help = strcmp(name, "help") == 0;
    const char *meant =
        help || hint_has_option(command, name, &takes_value) ? name : hint_synonym(command, name);
    bool bound = !meant && hint_is_measure(command, name) && hint_has_option(command, "min", NULL);
    if (bound) {
        const char *at = strchr(word, '=');
        if (at) value = at + 1;
        bool is_number = value && hint_is_number(value);
        snprintf(hint, HINT_TEXT, "'-%s' is not an option; write --min %s=%.40s", name, name,
                 is_number ? value : "VALUE");
    }
    if (!meant) return;
    hint_has_option(command, meant, &takes_value);
    const lode_option *o = lode_option_find(command->groups, meant);
    const char *glued = strchr(word, '=');
    if (glued) value = glued + 1;
    bool usable = value && value[0] != '-' && hint_quote(quoted, sizeof quoted, value);
    if (!usable) snprintf(quoted, sizeof quoted, "VALUE");
    if (!takes_value) quoted[0] = 0;
    const char *blank = quoted[0] ? " " : "";
    if (o && o->letter) snprintf(letter, sizeof letter, " or -%c%s", o->letter, blank);
    snprintf(hint, HINT_TEXT, "'-%s' is not an option; write --%s%s%s%s%s", name,
             o ? o->name : meant, blank, quoted, letter, letter[0] ? quoted : "");
}

/* Copies text without the quotes of word processors. Returns whether there were any, or false if it
 * does not fit. */
static bool hint_unquote(char *out, size_t bytes, const char *text) {
    static const char *const quotes[] = {"\u201c", "\u201d", "\u201e", "\u2018",
                                         "\u2019", "\u201a", "\u00ab", "\u00bb"};
    size_t k = 0;
    bool found = false;
    while (*text && k + 1 < bytes) {
        size_t n = 0;
        for (size_t i = 0; n == 0 && i < N_OF(quotes); i++) {
            if (strncmp(text, quotes[i], strlen(quotes[i])) == 0) n = strlen(quotes[i]);
        }
        found |= n > 0;
        if (n == 0) out[k++] = *text;
        text += n ? n : 1;
    }
    out[k] = 0;
    return found && !*text;
}

void hint_name(char hint[HINT_TEXT], int n, char **words) {
    char name[160] = "", quoted[180];
    const char *scheme = strstr(words[0], "://");
    hint[0] = 0;
    if (scheme && strncmp(words[0], "file://", 7) == 0) {
        if (hint_quote(quoted, sizeof quoted, words[0] + 7))
            snprintf(hint, HINT_TEXT, "; write the name of the file: %s", quoted);
    } else if (scheme) {
        snprintf(hint, HINT_TEXT,
                 "; lode reads files, not addresses: download it first, or write curl -L ADDRESS | "
                 "lode ... -");
    }
    size_t length = 0;
    for (int i = 0; i < n && !hint[0]; i++) {
        int more = snprintf(name + length, sizeof name - length, "%s%s", i ? " " : "", words[i]);
        if (more < 0 || (length += (size_t)more) >= sizeof name) return;
        if (i == 0 || access(name, F_OK) != 0) continue;
        if (!hint_quote(quoted, sizeof quoted, name)) return;
        snprintf(hint, HINT_TEXT, "; if these words are one name, use quotes: %s", quoted);
    }
}

void hint_rest(char hint[HINT_TEXT], const cli_command *command, const char *option,
               const char *value, const char *word) {
    static const hint_row named = {
        NULL, "include includelhs includerhs exclude excludelhs excluderhs lhs "
              "rhs item tid weight droprows"};
    char letter = option[1] == '-' ? 0 : option[strlen(option) - 1];
    const char *name = option + 2;
    bool takes_value = false, number = hint_is_number(word), percent = strcmp(word, "%") == 0;
    hint[0] = 0;
    if (letter) name = hint_name_of(command, letter, &takes_value);
    if (!name || (!letter && !hint_has_option(command, name, &takes_value)) || !takes_value) return;
    bool bound = strcmp(name, "min") == 0 || strcmp(name, "max") == 0;
    if (percent || (bound && number && !strchr(value, '='))) {
        snprintf(hint, HINT_TEXT, "; if it belongs to %s, write %s %.40s%s%.40s", option, option,
                 value, percent ? "" : "=", word);
    } else if (hint_is_listed(&named, name)) {
        char both[160], plain[160], quoted[164];
        size_t n = (size_t)snprintf(both, sizeof both, "%s %s", value, word);
        bool curly = n < sizeof both && hint_unquote(plain, sizeof plain, both);
        if (n >= sizeof both || !hint_quote(quoted, sizeof quoted, curly ? plain : both)) return;
        snprintf(hint, HINT_TEXT, "; if it belongs to %s, use %squotes: %s %s", option,
                 curly ? "straight " : "", option, quoted);
    }
}
