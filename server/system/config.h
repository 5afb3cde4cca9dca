/* config.h - what the command line of lode-server says
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_CONFIG_H
#define LODE_SERVER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_MAX_HOSTS  16
#define FOLDER_PATH_BYTES 4352 /* of a file in the data folder */

/* As of the command `lode`. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef struct config {
    const char *bind;       /* an address; NULL: no TCP at all, a Unix socket alone */
    uint16_t port;          /* 0: any that is free */
    const char *socket;     /* path of a Unix socket, or NULL */
    char *data;             /* the data folder, absolute once it was prepared */
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
    uint64_t max_rate;  /* requests a second of one address */
    unsigned max_wait;  /* seconds for a short question, and for a client to read something */
    double expire_days; /* what nobody used for so long is deleted; 0: never */
    const char
        *hosts[CONFIG_MAX_HOSTS]; /* names that the Host header may have besides loopback's */
    size_t n_hosts;
    char *token;        /* NULL: none is needed */
    bool token_made;    /* by us: it has to be told */
    bool open;          /* open a browser */
    bool recover;       /* take files that the database does not know back in */
    bool quiet;         /* say nothing but where it listens and what goes wrong */
    char program[4096]; /* the program `lode`, which is started as `lode worker` */
} config;

/* Reads the command line. Returns -1 to go on; else the exit status, after a message or the
 * help. */
int config_read(config *c, int n, char **words);
/* Whether it can be reached from this machine alone. */
bool config_is_loopback(const config *c);
void config_free(config *c);

/* ---- values of options (config.c); false: not such a value ---- */

bool config_parse_count(const char *word, uint64_t least, uint64_t most, uint64_t *out);
bool config_parse_bytes(const char *word, uint64_t *out); /* 500M, 4G; a bare number is bytes */
bool config_parse_days(const char *word, double *out);

/* The data folder, and the folders in it. Takes `data`, which was allocated. False: no memory. */
bool config_set_folders(config *c, char *data);

#endif
