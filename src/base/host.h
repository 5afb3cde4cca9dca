/* host.h - how much memory and how many processors this process may use
 *
 * Each result is the smallest of three limits: those of the machine, of the container (cgroups v1
 * or v2), and of ulimit. `root` is the folder that contains /proc and /sys. "" means the real
 * folders; tests create their own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_HOST_H
#define LODE_BASE_HOST_H

#include <stdint.h>

typedef enum host_bound { HOST_ITSELF, HOST_CONTAINER, HOST_ULIMIT } host_bound;

typedef struct host_memory {
    uint64_t total;     /* total bytes; UINT64_MAX = unknown */
    uint64_t available; /* bytes that can still be allocated; UINT64_MAX = unknown */
    host_bound bound;   /* the limit that determines `available` */
} host_memory;

/* Returns the memory that this process may use. */
host_memory host_read_memory(const char *root);

/* Returns how many bytes of address space ulimit -v leaves; UINT64_MAX = no limit. */
uint64_t host_address_space(void);

/* Returns how many processors the container may use on average, rounded up; 0 = no limit. */
unsigned host_read_quota(const char *root);
/* Returns how many processors this process may use according to its affinity mask and quota. */
unsigned host_count_cpus(void);

#endif
