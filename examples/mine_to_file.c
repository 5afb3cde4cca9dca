/* mine_to_file.c - itemsets as a sorted CSV file, and the report of the run
 *
 *     mine_to_file FILE SUPPORT OUT.csv
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "lode.h"

/* Every option has a name; its value is the text that you would type on the command line. */
static int set_options(lode_options *options, const char *support) {
    const char *const settings[][2] = {
        {"min-support", support}, {"write", "csv"}, {"sort", "true"}, {"memory", "2G"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char message[200];
        const char *name = settings[i][0], *value = settings[i][1];
        if (lode_options_set(options, name, value, message, sizeof message) != LODE_OK) {
            fprintf(stderr, "%s %s\n", name, message);
            return 0;
        }
    }
    return 1;
}

static int write_text(void *file, const char *text, size_t bytes) {
    return fwrite(text, 1, bytes, file) == bytes ? 0 : -1;
}

/* The report as text, its head, and one value by name. */
static void print_report(const lode_report *report) {
    lode_report_head head = {.size = sizeof head};
    lode_counter peak = {.size = sizeof peak};
    if (lode_report_text(report, LODE_REPORT_SHORT, write_text, stdout) != LODE_OK) return;
    if (lode_report_get_head(report, &head)) {
        printf("%s on %s, because: %s\n", head.algorithm, head.device, head.why);
    }
    if (lode_report_find(report, "memory.peak", &peak))
        printf("%.0f bytes %s\n", peak.number, peak.help);
}

int main(int argc, char **argv) {
    lode_options *options = NULL;
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;

    if (argc != 4) {
        fprintf(stderr, "usage: mine_to_file FILE SUPPORT OUT.csv\n");
        return 2;
    }
    if (lode_options_create(&options) != LODE_OK || !set_options(options, argv[2])) return 2;
    if (lode_job_create(&job, NULL, lode_options_job(options)) != LODE_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    lode_status status = lode_dataset_open(job, &data, argv[1], lode_options_read(options));
    if (status == LODE_OK)
        status = lode_sink_file(job, &sink, data, argv[3], lode_options_write(options));
    if (status == LODE_OK) status = lode_mine(job, data, lode_options_mine(options), sink);
    /* The file gets its name here. Without this call, lode_sink_free() removes it. */
    if (status == LODE_OK) status = lode_sink_finish(sink, false);
    if (status == LODE_OK) {
        print_report(lode_job_report(job));
    } else {
        fprintf(stderr, "%s\n", lode_job_error(job));
    }
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    lode_options_free(options);
    return status == LODE_OK ? 0 : 1;
}
