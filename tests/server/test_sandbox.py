#!/usr/bin/env python3
"""What a worker could do if a file took it over: a program in its place tries, and says what the kernel allowed.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from serving import PATIENCE, SANITIZED, Server, run_tests, within

# Answers `open` by what it could do: a word for each line of its argument file, "kind path".
INTRUDER = r"""
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
static char report[65536];
static void try_all(const char *list) {
    char line[4600], kind[16], path[4500];
    FILE *file = fopen(list, "r");
    int n = snprintf(report, sizeof report, "{\"profile\":{\"weight\":1},\"list\":%s", file ? "true" : "false");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "%15s %4499s", kind, path) == 2) {
        int got = -1;
        if (!strcmp(kind, "read")) got = open(path, O_RDONLY);
        if (!strcmp(kind, "write")) got = open(path, O_WRONLY | O_CREAT, 0600);
        if (!strcmp(kind, "remove")) got = unlink(path);
        if (!strcmp(kind, "socket")) got = socket(AF_INET, SOCK_STREAM, 0);
        n += snprintf(report + n, sizeof report - (size_t)n, ",\"%s %s\":%s", kind, path, got < 0 ? "false" : "true");
    }
    struct rlimit space;
    getrlimit(RLIMIT_AS, &space);
    const char *tmp = getenv("TMPDIR");
    snprintf(report + n, sizeof report - (size_t)n, ",\"limited\":%s,\"tmp\":\"%s\"}",
             space.rlim_cur == RLIM_INFINITY ? "false" : "true", tmp ? tmp : "");
}
static void say(long id, const char *json) {
    char frame[66000];
    unsigned n = (unsigned)snprintf(frame + 4, sizeof frame - 4, "%ld done\n%s", id, json);
    memcpy(frame, &n, 4);
    if (write(1, frame, n + 4) < 0) exit(1);
}
int main(void) {
    unsigned n;
    static char request[1 << 20];
    while (read(0, &n, 4) == 4 && n < sizeof request && read(0, request, n) == (ssize_t)n) {
        request[n] = 0;
        char *path = strstr(request, "\npath=");
        if (path) {
            path += 6;
            path[strcspn(path, "\n")] = 0;
            try_all(path); /* the data set is the list */
        }
        say(strtol(request, NULL, 10), report[0] ? report : "{}");
    }
    return 0;
}
"""


class Sandbox(unittest.TestCase):
    def build(self, folder):
        source, program = Path(folder, "intruder.c"), Path(folder, "lode")
        source.write_text(INTRUDER)
        try:
            subprocess.run([os.environ.get("CC", "cc"), "-o", str(program), str(source)], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("there is no compiler")
        return str(program)

    def test_files_of_others(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
            Path(home, "diary").write_text("mine")
            with Server(environment={"LODE_BIN": self.build(folder)}) as server:
                about = server.get("about").json["sandbox"]
                if not about["files"]:
                    self.skipTest("this kernel has no Landlock")
                other = server.upload(b"1 2\n", "other.dat")
                data = server.data
                (data / "results" / "7.arrow").write_text("result")
                expected = {f"read {data}/datasets/{other}.data": False, f"read {data}/lode.sqlite": False,
                            f"read {home}/diary": False, f"write {home}/diary": False, f"remove {home}/diary": False,
                            f"write {data}/new": False, f"write {data}/datasets/9.data": False,
                            f"read {data}/datasets": False, f"write {data}/results/1.arrow.tmp.1": True,
                            f"write {data}/tmp/scratch": True, f"remove {data}/tmp/scratch": True,
                            "read /etc/passwd": True, "read /usr/include": True, "socket x": False}
                own = server.upload("".join(f"{line}\n" for line in expected).encode(), "list.dat")
                said = server.get(f"datasets/{own}/pairs").json
                self.assertTrue(said.pop("list"), "its own file")
                self.assertEqual(said.pop("tmp"), str(data / "tmp"))
                if not SANITIZED and not Path("/dev/nvidiactl").exists():  # CUDA reserves terabytes of addresses
                    self.assertTrue(said.pop("limited"))
                self.assertEqual({name: said[name] for name in expected}, expected)

    def test_a_worker_starts_no_programs(self):
        with Server() as server:
            if not server.get("about").json["sandbox"]["calls"]:
                self.skipTest("filters are off")
            number = server.upload(b"1 2\n1 3\n")
            self.assertEqual(server.get(f"datasets/{number}/pairs").status, 200)
            pid = within(PATIENCE, lambda: [pid for pid, words in server.processes() if " worker" in words], "no worker")[0]
            said = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
                        if ":\t" in line)
            self.assertEqual((said["Seccomp"], said["NoNewPrivs"]), ("2", "1"))
            if "Seccomp_filters" in said:  # the server's, and the worker's own
                self.assertEqual(said["Seccomp_filters"].strip(), "2")


if __name__ == "__main__":
    run_tests()
