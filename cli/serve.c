/* serve.c - lode serve: starts lode-server, which serves the page
 *
 * The server is a separate program, because it needs libraries that lode does without. All
 * arguments are passed on unchanged.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* The folder of this program, with a slash at its end; "" if the system does not tell. */
static void serve_own_folder(char folder[CLI_PATH_MOST]) {
    ssize_t n = readlink("/proc/self/exe", folder, CLI_PATH_MOST - 1);
    folder[n > 0 ? n : 0] = 0;
    char *slash = strrchr(folder, '/');
    if (slash) slash[1] = 0;
}

bool cli_find_beside(const char *name, char path[CLI_PATH_MOST]) {
    char folder[CLI_PATH_MOST];
    serve_own_folder(folder);
    int n = snprintf(path, CLI_PATH_MOST, "%s%s", folder, name);
    return folder[0] && n < CLI_PATH_MOST && access(path, X_OK) == 0;
}

bool cli_find_server(char path[CLI_PATH_MOST]) {
    const char *given = getenv("LODE_SERVER");
    if (given && given[0]) {
        int n = snprintf(path, CLI_PATH_MOST, "%s", given);
        return n < CLI_PATH_MOST && access(path, X_OK) == 0;
    }
    return cli_find_beside("lode-server", path) ||
           cli_find_beside("../libexec/lode/lode-server", path);
}

static int serve_complain(void) {
    const char *given = getenv("LODE_SERVER");
    if (given && given[0]) {
        cli_error("serve: LODE_SERVER is '%s', which is not an executable program", given);
    } else if (cli_other_program()) {
        cli_error("serve: the static lode has no server; use the lode in %s", cli_other_program());
    } else {
        cli_error(
            "serve: lode-server is not installed next to lode. Install libevent, jansson, SQLite "
            "and zlib (`./dev setup server`) and build again, or set LODE_SERVER=PATH");
    }
    return CLI_FAILED;
}

static int run_serve(int n, char **words) {
    char path[CLI_PATH_MOST], name[] = "lode-server";
    char **arguments = calloc((size_t)n + 2, sizeof *arguments);
    if (!arguments) {
        cli_error("%s", lode_status_text(LODE_NOMEM));
        return CLI_FAILED;
    }
    arguments[0] = name;
    for (int i = 0; i < n; i++) arguments[i + 1] = words[i];
    bool found = cli_find_server(path);
    if (found) {
        execv(path, arguments);
        cli_error("serve: cannot start '%s': %s", path, strerror(errno));
    }
    free(arguments);
    return found ? CLI_FAILED : serve_complain();
}

/* For help, manual pages and completions; the server reads them. */
static const cli_option serve_options[] = {
    {"port", 0, "N", "8080", "port to listen on; 0 picks a free one"},
    {"bind", 0, "ADDRESS", "127.0.0.1",
     "address to listen on; requires a token unless it is a loopback address"},
    {"open", 0, NULL, "only print the address", "open the page in a browser"},
    {"data", 0, "DIR", "~/.local/share/lode", "folder for data sets and results"},
    {"recover", 0, NULL, "off",
     "restore uploads and results that the database does not list, then serve"},
    {"workers", 0, "N", "4",
     "number of worker processes; each keeps one data set in memory; one extra process previews "
     "files"},
    {"threads", 0, "N", "all cores", "threads for all workers together"},
    {"memory", 0, "SIZE", "half of the machine's memory",
     "memory that all workers together may use, such as 4G"},
    {"device-memory", 0, "SIZE", "all free memory of the GPU",
     "memory that all workers together may use on each GPU"},
    {"max-upload", 0, "SIZE", "16G", "maximum size of an uploaded data set"},
    {"max-disk", 0, "SIZE", "64G", "maximum size of the data folder"},
    {"max-connections", 0, "N", "2048",
     "maximum number of connections; one address may use half of them"},
    {"max-rate", 0, "N", "1000", "maximum number of requests per second from one address"},
    {"max-wait", 0, "N", "30",
     "how many seconds to wait for a worker or a client that does not respond"},
    {"expire", 0, "DAYS", "never", "delete data sets that nobody has used for DAYS"},
    {"token", 0, "TEXT", "random, if required",
     "token that clients must send, at least 16 characters"},
    {"token-file", 0, "FILE", "no file", "read the token from the first line of FILE"},
    {"socket", 0, "PATH", "no socket",
     "listen on a Unix socket, for a reverse proxy; requires a token"},
    {"host", 0, "NAME", "this machine", "accept requests for this host name (may be repeated)"},
    {"quiet", 0, NULL, "off", "print only addresses and errors"},
    {0},
};

const cli_command cli_serve = {
    .name = "serve",
    .arguments = "[options]",
    .summary = "start a web server to load, explore, mine and compare data in the browser",
    .examples = "  lode serve                                    on this machine, port 8080\n"
                "  lode serve --port 9000 --data DIR --open      on port 9000, with data in DIR; "
                "open the page\n",
    .options = serve_options,
    .run_words = run_serve,
};
