/* resources.c - what this process may use; see lode/job.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "base/host.h"
#include "base/os.h"
#include "runtime/valid.h"

/* The rest is for the program itself, for stacks of threads, and for what others take meanwhile. */
#define BUDGET_PERCENT 80
#define BUDGET_LEAST   ((uint64_t)16 << 20) /* what little data take, wherever that comes from */
#define READ_SECONDS   0.05

static const char *const resources_origins[] = {
    [HOST_ITSELF] = "the default, 80% of the memory available on this machine",
    [HOST_CONTAINER] = "the default, 80% of the memory left in the container",
    [HOST_ULIMIT] = "the default, 80% of the memory that ulimit allows",
};

/* In whole MiB, so that messages show all of it. */
static uint64_t resources_budget(uint64_t available) {
    uint64_t budget = available / 100 * BUDGET_PERCENT >> 20 << 20;
    return budget < BUDGET_LEAST ? BUDGET_LEAST : budget;
}

static lode_resources resources_read(void) {
    host_memory m = host_read_memory("");
    lode_resources r = {.size = sizeof r, .threads = host_count_cpus(), .memory_origin = ""};
    if (m.total != UINT64_MAX) r.memory_total = m.total;
    if (m.available != UINT64_MAX) {
        r.memory_available = m.available;
        r.memory_budget = resources_budget(m.available);
        r.memory_origin = resources_origins[m.bound];
    }
    return r;
}

/* Reading a dozen files takes 0.1 ms, as long as a whole job on little data. So the answer may be a
 * moment old if a program asks before each of many jobs. Never waits for the lock: after a fork, a
 * thread that no longer exists may hold it. */
bool lode_resources_get(lode_resources *out) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static lode_resources last;
    static double last_read;
    bool mine = pthread_mutex_trylock(&lock) == 0, fresh = false;
    if (mine) fresh = last.size > 0 && os_seconds() - last_read < READ_SECONDS;
    lode_resources r = fresh ? last : resources_read();
    if (mine && !fresh) {
        last = r;
        last_read = os_seconds();
    }
    if (mine) pthread_mutex_unlock(&lock);
    return valid_fill(out, &r);
}
