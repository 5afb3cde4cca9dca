/* device_report.c - see device_report.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/common/device_report.h"

void device_report_add(engine_report *report, const device_use *uses, unsigned n) {
    double sum = 0, longest = 0;
    for (unsigned i = 0; i < n; i++) {
        const device_use *u = &uses[i];
        report->batches += u->batches;
        report->bytes_up += u->bytes_up;
        report->bytes_down += u->bytes_down;
        if (u->memory_peak > report->device_memory_peak) {
            report->device_memory_peak = u->memory_peak;
        }
        report->times.transfer += u->transfer / n;
        report->times.candidate += u->candidate / n;
        report->times.counting += u->counting / n;
        report->times.output += u->output / n;
        sum += u->busy;
        if (u->busy > longest) longest = u->busy;
    }
    report->utilisation = longest > 0 ? sum / (n * longest) : 1;
    report->n_devices = n;
}

void device_report_bytes(engine_report *report, double bytes) {
    double seconds = report->times.counting;
    report->counting_bytes = (uint64_t)bytes;
    report->counting_bandwidth =
        seconds > 0 ? (uint64_t)((double)report->counting_bytes / seconds) : 0;
}
