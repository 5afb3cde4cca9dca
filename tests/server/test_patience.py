#!/usr/bin/env python3
"""Those who do not answer: a worker that hangs, a question that takes too long, clients that read little,
regular expressions that would take all time and memory.

SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import contextlib
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from serving import API, LODE, PATIENCE, SANITIZED, Server, dense, run_tests, within

# Seconds of --max-wait. A worker has to start and to read its data in that time, with low priority.
WAIT = 8 if SANITIZED else 3

# A worker that opens anything, and answers `hello`, but "baskets" only when that is cancelled.
SLOW_WORKER = """#!{python}
import struct, sys
asked = None
def say(number, kind, text):
    frame = f"{{number}} {{kind}}\\n{{text}}".encode()
    sys.stdout.buffer.write(struct.pack("<I", len(frame)) + frame)
    sys.stdout.buffer.flush()
while head := sys.stdin.buffer.read(4):
    number, verb = sys.stdin.buffer.read(*struct.unpack("<I", head)).decode().split("\\n")[0].split()
    if verb == "baskets":
        asked = number
    elif verb == "open":
        say(number, "done", '{{"profile": {{"weight": 1}}}}')
    else:
        say(number, "done", "{{}}")
    if verb == "cancel":
        say(asked, "failed", '{{"status": "cancelled", "exit": 1, "message": "it was cancelled"}}')
"""


def worker_of(server, dataset):
    """The process of a data set; 0: it has none."""
    return next((row["pid"] for row in server.get("status").json["workers"] if row["dataset"] == dataset), 0)


def stand_in(folder, text):
    path = Path(folder, "lode")
    path.write_text(text)
    path.chmod(0o755)
    return {"LODE_BIN": str(path), "LODE_FILTER": "off"}  # its interpreter may be anywhere


class Hanging(unittest.TestCase):
    def check_lost(self, answer):
        self.assertEqual((answer.status, answer.code), (503, "unavailable"), answer)
        self.assertIn(f"did not answer for {WAIT} seconds", answer.message)
        self.assertIn("new worker process", answer.json["error"]["hint"])

    def stopped_worker(self, server, endless):
        """Stops a worker in the middle of a job; returns its process and the job."""
        job = server.post("jobs", {"dataset": endless, "kind": "itemsets", "options": {"min-support": "1"}})
        self.assertEqual(job.status, 201, job)
        within(PATIENCE, lambda: server.get(f"jobs/{job.json['id']}").json["progress"], "no progress")
        pid = worker_of(server, endless)
        os.kill(pid, signal.SIGSTOP)
        return pid, job

    def test_others_go_on(self):
        with Server("--max-wait", 10 * PATIENCE) as server, concurrent.futures.ThreadPoolExecutor(1) as pool:
            endless, other = server.upload(dense(), "dense.dat"), server.upload(b"a b\na\n", "other.dat")
            pid, _ = self.stopped_worker(server, endless)
            asked = pool.submit(server.get, f"datasets/{endless}/pairs")
            self.assertEqual(server.get(f"datasets/{other}/pairs").status, 200)
            self.assertFalse(asked.done())
            os.kill(pid, signal.SIGCONT)
            self.assertEqual(asked.result().status, 200)

    def test_a_worker_that_is_stopped(self):
        """Its questions and its job are lost and say so, and the next question is answered."""
        with Server("--max-wait", WAIT) as server:
            endless = server.upload(dense(), "dense.dat")
            pid, job = self.stopped_worker(server, endless)
            self.check_lost(server.get(f"datasets/{endless}/pairs"))
            ended = server.await_job(job.json["id"])
            self.assertEqual(ended["state"], "lost")
            self.assertIn("did not answer", ended["message"])
            self.assertEqual(server.get(f"datasets/{endless}/pairs").status, 200)
            self.assertNotIn(worker_of(server, endless), (0, pid))

    def test_a_worker_that_hangs_while_it_opens(self):
        with tempfile.TemporaryDirectory() as folder:
            hangs = stand_in(folder, f"#!/bin/sh\n[ $1 = worker ] && exec sleep 1000\nexec {LODE} $*\n")
            with Server("--max-wait", WAIT, environment=hangs) as server:
                self.check_lost(server.get(f"datasets/{server.upload(b'a b')}/profile"))

    def test_a_question_that_takes_too_long(self):
        """It is cancelled, the worker stays, and what it does beside is not lost."""
        with tempfile.TemporaryDirectory() as folder:
            slow = stand_in(folder, SLOW_WORKER.format(python=sys.executable))
            with Server("--max-wait", WAIT, environment=slow) as server:
                number = server.upload(b"a b\n")
                self.assertEqual(server.get(f"datasets/{number}/pairs").status, 200)
                pid = worker_of(server, number)
                late = server.get(f"datasets/{number}/baskets")
                self.assertEqual((late.status, late.code), (503, "unavailable"), late)
                self.assertIn(f"longer than {WAIT} seconds", late.message)
                self.assertIn("--max-wait", late.json["error"]["hint"])
                self.assertEqual(server.get(f"datasets/{number}/pairs").status, 200)
                self.assertEqual(worker_of(server, number), pid)


class Expressions(unittest.TestCase):
    """Names of 60,000 letters, which a search by trial would never finish."""
    HOSTILE = ("(a{60})*{60}*{60}", "(a{60})*{60}*{60}*{60}", ".*a.{400}z", "(a|b)*a(a|b){50}z")
    ENDLESS = "(a|b)*a(a|b){1000}z"
    MOST = 64 << 20  # bytes that all of them may take together

    def stored_names(self, server):
        draw = random.Random(7)
        names = [f"{draw.getrandbits(60000):060000b}".translate({48: "a", 49: "b"}) for _ in range(100)]
        number = server.upload("".join(f"{name},x\n" for name in names).encode(), "names.csv")
        job = server.mine(number, min_support="1", max_size="1")
        self.assertEqual(job["state"], "done", job)
        return f"jobs/{job['id']}/patterns"

    def test_hostile(self):
        """They are answered, with little memory; so is what others ask meanwhile, and the server ends."""
        with Server() as server:
            path = self.stored_names(server)
            before, answers = server.resident(), {}

            def ask(expression):
                answers[expression] = server.get(path, {"match": expression})

            askers = [threading.Thread(target=ask, args=(text,), daemon=True) for text in self.HOSTILE]
            for asker in askers:
                asker.start()
            time.sleep(0.1)
            other = server.get(path, {"match": "^x$"})
            self.assertEqual((other.status, other.json["found"]), (200, 1), other)
            most = server.resident()
            for asker in askers:
                asker.join(PATIENCE)
            self.assertEqual(set(answers), set(self.HOSTILE))
            for text in self.HOSTILE[:2]:
                self.assertEqual((answers[text].status, answers[text].code), (422, "invalid"), answers[text])
                self.assertIn("too many repetitions", answers[text].message)
            for text in self.HOSTILE[2:]:  # as fast as the machine is
                if answers[text].status == 200:
                    self.assertEqual(answers[text].json["found"], 0)
                else:
                    self.check_late(answers[text])
            if not SANITIZED:
                self.assertLess(max(most, server.resident()) - before, self.MOST)

    def check_late(self, answer):
        self.assertEqual((answer.status, answer.code), (503, "unavailable"), answer)
        self.assertIn("takes longer than 1 second", answer.message)
        self.assertIn("simpler regular expression", answer.message)

    def test_late(self):
        """Two of them hold both slots for a second each, together with all conditions they have."""
        with Server() as server:
            path, answers = self.stored_names(server), []

            def ask(expression):
                answers.append(server.get(path, {"match": ["^x", "^[ab]+$", expression]}))

            askers = [threading.Thread(target=ask, args=(self.ENDLESS[i:],), daemon=True) for i in (0, 6)]
            for asker in askers:
                asker.start()
            time.sleep(0.1)
            self.assertEqual(server.get(path, {"match": "^x$"}).status, 200)
            for asker in askers:
                asker.join(PATIENCE)
            self.assertEqual(len(answers), 2)
            for answer in answers:
                self.check_late(answer)


class SlowReaders(unittest.TestCase):
    READERS = 20

    def reader(self, server, path):
        """A client whose side takes next to nothing that it has not read."""
        plain = socket.socket()
        self.addCleanup(plain.close)
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.settimeout(PATIENCE)
        plain.connect(("127.0.0.1", server.port))
        plain.sendall(f"GET {API}/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        return plain

    def trickle(self, plain):
        """Reads 4 KiB a second until the server has enough of it; how many bytes that were."""
        end, n = time.monotonic() + PATIENCE, 0
        with contextlib.suppress(ConnectionError):
            while got := plain.recv(1024):
                n += len(got)
                self.assertLess(time.monotonic(), end, "it may read for ever")
                time.sleep(0.25)
        return n

    def test_exports(self):
        """A trickle holds no thread, little memory, and a descriptor only for a while."""
        with Server("--max-wait", 10 * PATIENCE) as server:
            number = server.upload(dense(36, 18), "dense.dat")
            job = server.mine(number, min_support="1")
            self.assertEqual(job["state"], "done", job)
            path = f"jobs/{job['id']}/export?format="
            whole = server.get(path + "csv").body
            self.assertGreater(len(whole), 8 << 20)
            before = server.resident()
            readers = [self.reader(server, path + "arrow") for _ in range(self.READERS)]
            readers[0].recv(1, socket.MSG_PEEK)
            self.assertEqual(server.get(path + "csv").body, whole)  # others are served meanwhile
            if not SANITIZED:  # which keeps what was freed
                self.assertLess(server.resident() - before, (self.READERS + 4) << 20)
            for plain in readers:
                plain.close()
            server.stop()
            server.words = ["--max-wait", "2"]
            server.restart()
            self.assertEqual(server.get(path + "csv").body, whole)
            open_before = server.descriptors()
            readers = [self.reader(server, path + "arrow") for _ in range(self.READERS)]
            self.assertLess(self.trickle(self.reader(server, path + "csv")), len(whole))
            within(PATIENCE, lambda: server.descriptors() <= open_before, "descriptors are held")
            self.assertEqual(len(readers), self.READERS)


if __name__ == "__main__":
    run_tests()
