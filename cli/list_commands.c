/* list_commands.c - lode algorithms, lode devices
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

static int run_algorithms(cli_args *args) {
    (void)args;
    lode_algorithm a = LODE_INIT(lode_algorithm);
    printf("%-12s %s\n", "auto", "The best of the following for the data at hand.");
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
    .summary = "list the ways to search",
    .examples = "  lode algorithms\n"
                "  lode itemsets data.dat -s 1% --algorithm frontier\n",
    .run = run_algorithms,
};

const cli_command cli_devices = {
    .name = "devices",
    .arguments = "",
    .summary = "list what can compute here",
    .examples = "  lode devices\n"
                "  lode itemsets data.dat -s 1% --device cpu      one virtual device per thread\n"
                "  lode itemsets data.dat -s 1% --device cpu*3    three virtual devices\n"
                "  LODE_CPU=avx2 lode itemsets data.dat -s 1%     kernels: scalar, neon, avx2 or "
                "avx512\n",
    .run = run_devices,
};
