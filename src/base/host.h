/* host.h - what this process may use: memory and processors
 *
 * The result is the smallest of what the machine has, what its container (cgroups v1 or v2) allows,
 * and what ulimit allows. `root` is the folder that contains /proc and /sys: "" for the real ones;
 * tests make their own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_HOST_H
#define LODE_BASE_HOST_H

#include <stdint.h>

typedef enum host_bound { HOST_ITSELF, HOST_CONTAINER, HOST_ULIMIT } host_bound;

typedef struct host_memory {
    uint64_t total;     /* bytes in all; UINT64_MAX = unknown */
    uint64_t available; /* bytes that can still be allocated; UINT64_MAX = unknown */
    host_bound bound;   /* which limit determines `available` */
} host_memory;

host_memory host_read_memory(const char *root);

/* Bytes of address space that ulimit -v leaves; UINT64_MAX = no limit. */
uint64_t host_address_space(void);

/* Processors that the container may use on average, rounded up; 0 = no limit. */
unsigned host_read_quota(const char *root);
/* Processors that this process may use, by its affinity mask and quota. */
unsigned host_count_cpus(void);

#endif
