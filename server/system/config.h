/* config.h - the configuration of lode-server, from its command line
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_CONFIG_H
#define LODE_SERVER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_MAX_HOSTS  16
#define FOLDER_PATH_BYTES 4352 /* longest path of a file in the data folder */

/* Exit statuses, as of the command `lode`. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef struct config {
    const char *bind;       /* an address; NULL: no TCP, only a Unix socket */
    uint16_t port;          /* 0: a free one */
    const char *socket;     /* path of a Unix socket, or NULL */
    char *data;             /* the data folder; an absolute path after folder_open() */
    char *datasets_dir;     /* data/datasets */
    char *results_dir;      /* data/results */
    char *tmp_dir;          /* data/tmp */
    char *disk_file;        /* data/lode.disk (disk.h) */
    unsigned workers;       /* worker processes at the same time */
    unsigned threads;       /* for all workers together */
    uint64_t memory;        /* bytes for all workers together */
    uint64_t device_memory; /* bytes of each GPU for all workers together; 0: not limited */
    uint64_t max_upload;    /* bytes of one data set */
    uint64_t max_disk;      /* bytes of the data folder */
    uint64_t max_connections;
    uint64_t max_rate; /* requests per second from one address */
    unsigned
        max_wait; /* seconds that a short request may take; a client that reads nothing of an answer
                   * for as long is disconnected */
    double expire_days; /* days after which unused data sets are deleted; 0: never */
    const char *hosts[CONFIG_MAX_HOSTS]; /* allowed names in the Host header, besides loopback */
    size_t n_hosts;
    char *token;        /* NULL: none is required */
    bool token_made;    /* it was generated, so it must be printed */
    bool open;          /* open a browser */
    bool recover;       /* restore files that the database does not list */
    bool quiet;         /* print only addresses and errors */
    char program[4096]; /* the program `lode`, which is started as `lode worker` */
} config;

/* Reads the command line. Returns -1 to continue; otherwise the exit status, after a message or the
 * help. */
int config_read(config *c, int n, char **words);
/* Frees the memory of the configuration. */
void config_free(config *c);

/* ---- values of options (config.c); false: not such a value ---- */

bool config_parse_bytes(const char *word, uint64_t *out); /* 500M, 4G; a bare number is bytes */

/* Sets the data folder and its subfolders. Takes ownership of `data`. False: out of memory. */
bool config_set_folders(config *c, char *data);

#endif
