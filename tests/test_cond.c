/* test_cond.c - waits with a timeout: they end at the timeout, or earlier at a signal
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"

#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static bool is_done;

static void *signal_done(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    is_done = true;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void test_signal(void) {
    pthread_t other;
    double start = os_seconds();
    pthread_mutex_lock(&lock);
    if (!CHECK(pthread_create(&other, NULL, signal_done, NULL) == 0)) return;
    while (!is_done) cond_wait_for(&cond, &lock, 1000);
    pthread_mutex_unlock(&lock);
    pthread_join(other, NULL);
    CHECK(os_seconds() - start < 500);
}

/* Parts of a second add up, and none is lost. */
static void test_end(void) {
    const double waits[] = {0, 0.001, 0.0207};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        double start = os_seconds();
        pthread_mutex_lock(&lock);
        while (os_seconds() - start < waits[i]) cond_wait_for(&cond, &lock, waits[i]);
        pthread_mutex_unlock(&lock);
        CHECK(os_seconds() - start < 60);
    }
}

int main(void) {
    cond_init(&cond);
    CHECK_RUN(test_signal);
    CHECK_RUN(test_end);
    pthread_cond_destroy(&cond);
    return check_result();
}
