/* main.cpp - lode-molecules: molecules from standard input as labelled graphs on standard output
 *
 * `lode graphs` starts this program for files of SMILES, tables with a column of SMILES and SDF
 * files. It is a program of its own, so that lode needs no RDKit, and so that a file that takes
 * control of RDKit's parsers can do nothing: the program opens no file, starts no program, and has
 * no network.
 *
 * Messages go to standard error, one a line. If the exit status is not 0, the last one says why.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>
#include <iostream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "confine.h"
#include "molecule.hpp"

static const size_t OUT_BYTES = 256 << 10;
static const uint64_t BAD_NAMED = 3;       /* of the molecules that are left out */
static const time_t MOLECULE_SECONDS = 60; /* of CPU time, for one molecule */

struct Options {
    Columns columns;
    std::string name = "<stdin>";
    bool skip = false;
    unsigned long long memory = 0;
    long parent = 0;
};

/* ---- limits ---------------------------------------------------------------------------------- */

/* What the handler of the deadline says of the molecule in work. */
static char late[512];

static void on_deadline(int) {
    ssize_t written = write(STDERR_FILENO, late, strlen(late));
    (void)written;
    _exit(Failure::BAD_INPUT);
}

static void begin_molecule(const std::string &name, uint64_t line) {
    const struct itimerval limit = {{0, 0}, {MOLECULE_SECONDS, 0}};
    snprintf(late, sizeof late,
             "%.300s:%llu: RDKit has not read this molecule within %lld seconds; remove it\n",
             name.c_str(), static_cast<unsigned long long>(line),
             static_cast<long long>(MOLECULE_SECONDS));
    setitimer(ITIMER_PROF, &limit, nullptr);
}

static void set_limit(__rlimit_resource what, rlim_t most) {
    struct rlimit now;
    if (getrlimit(what, &now) == 0 && now.rlim_max < most) most = now.rlim_max;
    const struct rlimit limit = {most, most};
    setrlimit(what, &limit);
}

/* Ends with lode, and gives up all rights that reading molecules does not need. */
static void confine(const Options &options) {
    if (options.parent > 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != options.parent) _exit(Failure::FAILED); /* lode has already ended */
    }
    set_limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which reserve terabytes */
    if (options.memory > 0) set_limit(RLIMIT_DATA, options.memory);
#endif
    signal(SIGPROF, on_deadline);
    molecules_confine();
}

/* ---- all molecules --------------------------------------------------------------------------- */

static void write_all(const std::string &text) {
    for (size_t at = 0; at < text.size();) {
        ssize_t n = write(STDOUT_FILENO, text.data() + at, text.size() - at);
        if (n >= 0) {
            at += static_cast<size_t>(n);
        } else if (errno != EINTR) {
            throw Failure(Failure::FAILED,
                          std::string("cannot write the graphs: ") + strerror(errno));
        }
    }
}

static std::string quoted(const std::string &text) {
    return "'" + (text.size() > 60 ? text.substr(0, 60) + "..." : text) + "'";
}

/* Why a molecule cannot be read. */
static std::string bad_words(const Records &records, const Record &record, const std::string &why) {
    if (!record.bad.empty()) return record.bad;
    std::string what = records.is_sdf() ? "this molecule" : quoted(record.text);
    return "RDKit cannot read " + what + (why.empty() ? "" : ": " + why);
}

/* Notes a molecule that cannot be read, or ends the program because of it. */
static void leave_out(const Options &options, const std::string &words, uint64_t bad) {
    if (!options.skip) {
        throw Failure(Failure::BAD_INPUT, words + "; --skip-bad-graphs leaves out such molecules");
    }
    if (bad < BAD_NAMED) std::cerr << words << "; left out\n";
}

static void run(const Options &options) {
    Source source(options.name);
    Records records(source, options.columns);
    Record record;
    std::string out;
    uint64_t n = 0, bad = 0;
    for (; records.next(record); n++) {
        std::string why = "it is empty";
        bool good = false;
        begin_molecule(options.name, record.line);
        if (record.bad.empty() && !record.text.empty()) {
            why.clear();
            good = molecule_put(out, record, records.is_sdf(), n, why);
        }
        if (!good) {
            leave_out(options, source.place(record.line, bad_words(records, record, why)), bad++);
            molecule_put_bad(out, n);
        }
        if (out.size() < OUT_BYTES) continue;
        write_all(out);
        out.clear();
    }
    write_all(out);
    if (bad > BAD_NAMED) {
        std::cerr << options.name << ": " << bad << " of " << n
                  << " molecules were left out, because RDKit cannot read them\n";
    }
}

/* ---- the command line ------------------------------------------------------------------------ */

static const char help[] =
    "usage: lode-molecules [options] < FILE > GRAPHS.lg\n"
    "\n"
    "Writes molecules as graphs in gSpan text, with element symbols and bonds as labels. `lode\n"
    "graphs` starts this program by itself. FILE is a list of SMILES, a table with a column of\n"
    "SMILES, or an SDF file; it may be packed by gzip or zstd.\n"
    "\n"
    "  --smiles COLUMN      column of SMILES, by name or number [a column called smiles]\n"
    "  --id COLUMN          column or SDF data field with ids [names in the file, or numbers]\n"
    "  --class COLUMN       column or SDF data field with the class of each molecule [none]\n"
    "  --skip-bad-graphs    mark what RDKit cannot read as malformed graphs [fail]\n"
    "  --name NAME          name of the file for messages [<stdin>]\n"
    "  --memory BYTES       memory that this program may use [no limit]\n"
    "  --parent PID         end when this process ends, which must be the parent [no]\n";

static Options parse(int argc, char **argv) {
    static const struct option known[] = {
        {"smiles", 1, nullptr, 's'}, {"id", 1, nullptr, 'i'},
        {"class", 1, nullptr, 'c'},  {"skip-bad-graphs", 0, nullptr, 'b'},
        {"name", 1, nullptr, 'n'},   {"memory", 1, nullptr, 'm'},
        {"parent", 1, nullptr, 'p'}, {"help", 0, nullptr, 'h'},
        {nullptr, 0, nullptr, 0},
    };
    Options o;
    for (int c; (c = getopt_long(argc, argv, "h", known, nullptr)) != -1;) {
        switch (c) {
        case 's': o.columns.smiles = optarg; break;
        case 'i': o.columns.id = optarg; break;
        case 'c': o.columns.group = optarg; break;
        case 'b': o.skip = true; break;
        case 'n': o.name = optarg; break;
        case 'm': o.memory = strtoull(optarg, nullptr, 10); break;
        case 'p': o.parent = strtol(optarg, nullptr, 10); break;
        case 'h': fputs(help, stdout); exit(0);
        default: fputs(help, stderr); exit(Failure::USAGE);
        }
    }
    if (optind < argc) {
        throw Failure(Failure::USAGE, std::string("unexpected '") + argv[optind] +
                                          "'; the molecules come from standard input");
    }
    return o;
}

int main(int argc, char **argv) {
    Options options;
    try {
        options = parse(argc, argv);
        molecule_begin();
        confine(options);
        run(options);
        return 0;
    } catch (const Failure &failure) {
        std::cerr << failure.what() << std::endl;
        return failure.code;
    } catch (const std::bad_alloc &) {
        std::cerr << "reading molecules needs more memory than --memory allows" << std::endl;
        return Failure::BUDGET;
    } catch (const std::exception &error) {
        std::cerr << "reading molecules failed: " << error.what() << std::endl;
        return Failure::FAILED;
    }
}
