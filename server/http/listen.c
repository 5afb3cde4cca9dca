/* listen.c - sockets to listen on
 * SPDX-License-Identifier: Apache-2.0 */
#include "http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG  512
#define KEPT_FDS 192 /* descriptors for files, pipes of workers, and the database */

static int listen_fail(int fd, char *why, size_t room, const char *place) {
    const char *hint = errno == EADDRINUSE ? "; is a server running already? --port takes another"
                       : errno == EACCES   ? "; ports below 1024 are for root"
                                           : "";
    snprintf(why, room, "cannot listen on %s: %s%s", place, strerror(errno), hint);
    if (fd >= 0) close(fd);
    return -1;
}

static socklen_t tcp_address(const config *c, struct sockaddr_storage *out) {
    struct sockaddr_in *four = (struct sockaddr_in *)out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)out;
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, c->bind, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(c->port);
        return sizeof *four;
    }
    inet_pton(AF_INET6, c->bind, &six->sin6_addr);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(c->port);
    return sizeof *six;
}

int listen_tcp(const config *c, char *why, size_t room) {
    struct sockaddr_storage address;
    char place[96];
    socklen_t length = tcp_address(c, &address);
    int on = 1;
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    snprintf(place, sizeof place, "%s port %u", c->bind, c->port);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, BACKLOG) != 0)
        return listen_fail(fd, why, room, place);
    return fd;
}

/* A socket file that nobody listens on any more is in the way of the next server. */
static bool is_left_over(const struct sockaddr_un *address) {
    struct stat st;
    if (lstat(address->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode)) return false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return false;
    bool refused = connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                   errno == ECONNREFUSED;
    close(fd);
    return refused;
}

int listen_unix(const char *path, char *why, size_t room) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        snprintf(why, room, "the path of a Unix socket has at most %zu characters: %s",
                 sizeof address.sun_path - 1, path);
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path));
    if (is_left_over(&address)) unlink(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    /* The group may ask, too: that is how a proxy under another name gets in. */
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        chmod(path, 0660) != 0 || listen(fd, BACKLOG) != 0)
        return listen_fail(fd, why, room, path);
    return fd;
}

void listen_url(int fd, char *url, size_t room) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char name[INET6_ADDRSTRLEN] = "";
    if (getsockname(fd, (struct sockaddr *)&address, &length) != 0)
        memset(&address, 0, sizeof address);
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address;
        inet_ntop(AF_INET6, &six->sin6_addr, name, sizeof name);
        snprintf(url, room, "http://[%s]:%u/", name, ntohs(six->sin6_port));
    } else {
        const struct sockaddr_in *four = (const struct sockaddr_in *)&address;
        inet_ntop(AF_INET, &four->sin_addr, name, sizeof name);
        snprintf(url, room, "http://%s:%u/", name, ntohs(four->sin_port));
    }
}

size_t listen_room(size_t wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
    rlim_t needed = wanted + KEPT_FDS;
    if (limit.rlim_cur < needed) {
        limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur >= needed) return wanted;
    return limit.rlim_cur > KEPT_FDS + 8 ? (size_t)limit.rlim_cur - KEPT_FDS : 8;
}
