/* examples_molecules.c - see examples_molecules.h
 *
 * The generator numbers its labels. Here they get the names of atoms and bonds, which say more in a
 * drawing; chemistry it is not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "datasets/examples_molecules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define N_ATOMS 6
#define N_BONDS 3

/* One line of gSpan's text, with names instead of numbers. False: it has more labels than names. */
static bool molecule_line(const char *line, FILE *out) {
    static const char *const atoms[N_ATOMS] = {"O", "C", "N", "S", "F", "Cl"};
    static const char *const bonds[N_BONDS] = {"single", "aromatic", "double"};
    unsigned a, b, label;
    if (sscanf(line, "v %u %u", &a, &label) == 2) {
        return label < N_ATOMS && fprintf(out, "v %u %s\n", a, atoms[label]) > 0;
    }
    if (sscanf(line, "e %u %u %u", &a, &b, &label) == 3) {
        return label < N_BONDS && fprintf(out, "e %u %u %s\n", a, b, bonds[label]) > 0;
    }
    return fputs(line, out) >= 0;
}

static bool molecules_rename(const char *from, const char *to) {
    char line[256];
    FILE *in = fopen(from, "re"), *out = fopen(to, "we");
    bool fine = in && out;
    while (fine && fgets(line, sizeof line, in)) fine = molecule_line(line, out);
    fine = fine && !ferror(in) && fflush(out) == 0 && fsync(fileno(out)) == 0;
    if (in) fclose(in);
    if (out && fclose(out) != 0) fine = false;
    return fine;
}

lode_status example_molecules(lode_job *job, const char *path) {
    const lode_graphgen_options o = {.size = sizeof o,
                                     .n_graphs = 600,
                                     .mean_edges = 24,
                                     .mean_pattern = 6,
                                     .n_patterns = 30,
                                     .n_vertex_labels = N_ATOMS,
                                     .n_edge_labels = N_BONDS,
                                     .seed = 19};
    char numbered[4400];
    snprintf(numbered, sizeof numbered, "%s.numbers", path);
    lode_status status = lode_generate_graphs(job, numbered, &o);
    if (status == LODE_OK && !molecules_rename(numbered, path)) status = LODE_IO;
    unlink(numbered);
    return status;
}
