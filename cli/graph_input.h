/* graph_input.h - graphs of a file that may contain molecules, which lode-molecules reads
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_GRAPH_INPUT_H
#define LODE_CLI_GRAPH_INPUT_H

#include "cli.h"

/* The options of commands that read molecules; they belong into the table of the command. */
#define CLI_MOLECULES_OPTIONS                                                                      \
    {"smiles", 0, "COLUMN", "a column called smiles",                                              \
     "molecules: column of a table with SMILES, by name or number"},                               \
        {"id", 0, "COLUMN", "names in the file, or numbers from 0",                                \
         "molecules: column, or data field of SDF, with the id of each molecule"},                 \
    {                                                                                              \
        "class", 0, "FILE|COLUMN", "no classes",                                                   \
            "compare groups of graphs: a FILE with one label per line, for each graph; '*' for "   \
            "the "                                                                                 \
            "classes that the graphs have (t # 0 active); or for molecules a COLUMN, or data "     \
            "field "                                                                               \
            "of SDF. Writes count and share in each group, odds ratio and p-value"                 \
    }

/* Sets *graphs to whether the first file contains graphs, or molecules that no option reads as
 * transactions. Sets it to false for standard input. */
lode_status cli_sniff_graphs(lode_job *job, const cli_args *args, bool *graphs);
/* Reads the file, by lode-molecules if the options or the file say that it has molecules. */
lode_status cli_open_graphs(lode_job *job, const cli_args *args, lode_graphs **out);
bool cli_find_molecules(char path[CLI_PATH_MOST]);

#endif
