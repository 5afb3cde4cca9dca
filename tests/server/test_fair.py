#!/usr/bin/env python3
"""What one visitor can take from others: short links, event streams, announcements, the queue, a worker.

Visitors are told apart by their address: 127.0.0.2 is another one than 127.0.0.1.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import concurrent.futures
import contextlib
import http.client
import json
import signal
import sqlite3
import threading
import time
import unittest

from serving import API, PATIENCE, SANITIZED, Answer, Server, dense, run_tests, within

# Seconds of --max-wait after which questions are refused; a worker needs less to start and to tell of a job.
WAIT = 8 if SANITIZED else 3


class Visitor:
    """Somebody with an address of their own."""

    def __init__(self, server, number):
        self.server, self.address = server, f"127.0.0.{number}"

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE,
                                                source_address=(self.address, 0))
        with contextlib.closing(connection):
            connection.request(method, f"{API}/{path}", None if body is None else json.dumps(body),
                               {} if body is None else {"Content-Type": "application/json"})
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())

    def post(self, path, body):
        return self.request("POST", path, body)

    def events(self, job):
        """An open stream, or the answer that refuses it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE,
                                                source_address=(self.address, 0))
        connection.request("GET", f"{API}/jobs/{job}/events")
        response = connection.getresponse()
        if response.status == 200:
            return connection, None
        answer = Answer(response.status, {}, response.read())
        connection.close()
        return None, answer


class Fair(unittest.TestCase):
    def start(self, *words):
        server = Server(*words).start()
        self.addCleanup(server.abandon)
        self.addCleanup(server.stop)
        return server

    def change(self, server, sql, *values):
        with contextlib.closing(sqlite3.connect(server.data / "lode.sqlite", timeout=PATIENCE)) as database:
            database.execute(sql, values)
            database.commit()

    def count(self, server, sql):
        with contextlib.closing(sqlite3.connect(server.data / "lode.sqlite", timeout=PATIENCE)) as database:
            return database.execute(sql).fetchone()[0]

    # ---- short links ----

    def test_short_links(self):
        server = self.start()
        first, second = Visitor(server, 1), Visitor(server, 2)
        answers = [first.post("views", {"text": f"#/{i}"}).status for i in range(150)]
        self.assertEqual((answers[0], answers[-1]), (201, 429))
        self.assertLess(answers.count(201), 100)
        made = second.post("views", {"text": "#/mine"})
        self.assertEqual(made.status, 201)
        number = made.json["id"]
        self.assertEqual(server.get(f"views/{number}").json["text"], "#/mine")
        self.assertEqual(server.get("views", {"limit": 1}).json["views"][0], {"id": number, "text": "#/mine"})
        self.assertEqual(server.delete(f"views/{number}").status, 204)
        self.assertEqual(server.get(f"views/{number}").status, 404)
        self.assertEqual(server.delete(f"views/{number}").status, 404)

    def test_links_that_nobody_follows_go_and_the_file_shrinks(self):
        server = self.start()
        rows = 11000
        with contextlib.closing(sqlite3.connect(server.data / "lode.sqlite", timeout=PATIENCE)) as database:
            database.executemany("INSERT INTO views (text, created, used) VALUES (?, 1, ?)",
                                 (("#/" + "x" * 2000, 1 + (i == 7)) for i in range(rows)))
            database.commit()
            used = server.get("status").json["disk_used"]
            self.assertEqual(server.get("views/8").status, 200)  # in use: it stays
            within(PATIENCE, lambda: self.count(server, "SELECT used > 1000 FROM views WHERE id = 8"), "not noted")
            self.assertEqual(server.post("views", {"text": "#/new"}).status, 201)
            self.assertEqual(self.count(server, "SELECT COUNT(*) FROM views"), 10000)
            self.assertEqual(server.get("views/8").status, 200)
            self.assertEqual(server.get("views/1").status, 404)
            for _ in range(12):  # pages are given back some at a time
                server.post("views", {"text": "#/new"})
            self.assertEqual(database.execute("PRAGMA auto_vacuum").fetchone(), (2,))
            self.assertLess(database.execute("PRAGMA freelist_count").fetchone()[0], 300)
        self.assertLess(server.get("status").json["disk_used"], used * 0.95)

    # ---- streams ----

    def test_streams(self):
        server = self.start("--max-connections", 40)
        endless = server.upload(dense(), "dense.dat")
        job = server.post("jobs", {"dataset": endless, "kind": "itemsets", "options": {"min-support": "5"}}).json["id"]
        opened, refused = [], []
        for number in (1, 1, 1, 2, 3, 4):
            for _ in range(10):
                connection, answer = Visitor(server, number).events(job)
                (opened if connection else refused).append(connection or (number, answer))
        self.assertTrue(all(answer.status == 429 for _, answer in refused), refused)
        self.assertTrue(any(number == 1 for number, _ in refused))
        self.assertLess(len(opened), 40 // 2 + 1)
        self.assertEqual(Visitor(server, 5).request("GET", "about").status, 200)
        for connection in opened:
            connection.close()
        connection, answer = within(PATIENCE, lambda: (lambda found: found if found[0] else None)(
            Visitor(server, 5).events(job)), "streams that were closed still count")
        self.assertIsNone(answer)
        connection.close()
        server.post(f"jobs/{job}/cancel")

    # ---- announcements ----

    def test_announcements(self):
        server = self.start("--max-disk", "100M")
        first, second = Visitor(server, 1), Visitor(server, 2)
        answers = [first.post("datasets", {"name": "x", "bytes": 1000}).status for _ in range(60)]
        self.assertEqual((answers[0], answers[-1]), (201, 429))
        self.assertEqual(second.post("datasets", {"name": "y", "bytes": 1000}).status, 201)
        self.assertEqual(server.put("datasets/1/content?offset=0", b"1 2\n" * 250).status, 200)
        self.assertEqual(first.post("datasets", {"name": "z", "bytes": 1000}).status, 201)

    def test_reservations_expire(self):
        server = self.start("--max-disk", "100M")
        large = server.post("datasets", {"name": "large", "bytes": 80000000}).json["id"]
        self.assertEqual(server.post("datasets", {"name": "other", "bytes": 50000000}).status, 507)
        self.change(server, "UPDATE datasets SET used = ? WHERE id = ?", time.time() - 3000, large)
        other = server.post("datasets", {"name": "other", "bytes": 50000000})
        self.assertEqual(other.status, 201, other)
        # The first one wants its room again when it goes on, and there is none any more.
        late = server.put(f"datasets/{large}/content?offset=0", b"1 2\n")
        self.assertEqual(late.status, 507, late)
        self.assertEqual(server.delete(f"datasets/{other.json['id']}").status, 204)
        self.assertEqual(server.put(f"datasets/{large}/content?offset=0", b"1 2\n").status, 200)
        self.assertEqual(server.post("datasets", {"name": "third", "bytes": 50000000}).status, 507)

    # ---- jobs ----

    def test_the_queue(self):
        server = self.start("--workers", 1)
        endless, small = server.upload(dense(), "dense.dat"), server.upload(b"1 2\n1 3\n", "small.dat")
        first, second = Visitor(server, 1), Visitor(server, 2)
        wish = {"dataset": endless, "kind": "itemsets", "options": {"min-support": "5"}}
        answers = [first.post("jobs", wish) for _ in range(70)]
        self.assertEqual((answers[0].status, answers[-1].status), (201, 429))
        self.assertLess(sum(answer.status == 201 for answer in answers), 60)
        mine = second.post("jobs", {"dataset": small, "kind": "itemsets", "options": {"min-support": "1"}})
        self.assertEqual((mine.status, mine.json["position"]), (201, 1), mine)
        same = second.post("jobs", {"dataset": endless, "kind": "itemsets", "options": {"min-support": "390"}})
        self.assertEqual(same.status, 201)
        self.assertLess(same.json["position"], 5)
        server.post(f"jobs/{answers[0].json['id']}/cancel")
        self.assertEqual(server.await_job(mine.json["id"])["state"], "done")
        for answer in answers:
            if answer.status == 201:
                self.assertEqual(server.delete(f"jobs/{answer.json['id']}").status, 204)

    def test_a_place_for_every_data_set(self):
        """Questions about some data sets, one after the other, do not keep those about others waiting."""
        server = self.start("--workers", 1, "--max-wait", PATIENCE // 2)
        numbers = [server.upload("".join(f"{i} {i % 7} {n}\n" for i in range(2000)).encode(), f"{n}.dat")
                   for n in range(4)]
        over, busy = threading.Event(), threading.Semaphore(0)

        def ask(visitor, number):
            while not over.is_set():
                Visitor(server, visitor).post(f"datasets/{number}/suggest", {"want": 100000})
                busy.release()
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            floods = [pool.submit(ask, 9, numbers[i % 3]) for i in range(6)]
            try:
                for _ in floods:
                    self.assertTrue(busy.acquire(timeout=PATIENCE), "no question was answered")
                # The others go on until this is answered, or refused after --max-wait.
                self.assertEqual(Visitor(server, 8).request("GET", f"datasets/{numbers[3]}/pairs").status, 200)
            finally:
                over.set()
            for flood in floods:
                flood.result()

    def test_an_end_while_a_data_set_waits(self):
        server = self.start("--workers", 1)
        numbers = [server.upload(dense(), f"{n}.dat") for n in range(3)]
        wish = {"kind": "itemsets", "options": {"min-support": "5"}}
        for number in numbers:
            self.assertEqual(server.post("jobs", {**wish, "dataset": number}).status, 201)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for number in numbers:
                pool.submit(lambda n=number: Visitor(server, 9).post(f"datasets/{n}/suggest", {"want": 100000}))
            within(PATIENCE, lambda: any(w["state"] == "waiting" for w in server.get("status").json["workers"]),
                   "none waits")
            server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(PATIENCE), 0)

    def burst(self, server, address, words, n=100):
        """The statuses of requests that arrive together."""
        sockets = [server.socket(address=address) for _ in range(n)]
        with server.stopped():
            for each in sockets:
                each.sendall(words)
        statuses = [int(each.recv(1 << 16).split()[1]) for each in sockets]
        for each in sockets:
            each.close()
        return collections.Counter(statuses)

    def test_bursts(self):
        """Limits count what is being stored, too."""
        server = self.start("--workers", 1)
        endless = server.upload(dense(), "dense.dat")
        for path, wish in (("jobs", {"dataset": endless, "kind": "itemsets", "options": {"min-support": "5"}}),
                           ("datasets", {"name": "x.dat", "bytes": 5})):
            body = json.dumps(wish)
            head = f"POST {API}/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            found = self.burst(server, "127.0.0.9", f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            self.assertEqual(found[201] + found[429], 100, path)
            self.assertLessEqual(found[201], 51, path)

    def test_exports(self):
        server = self.start()
        rows = "".join(" ".join(str(i) for i in range(16 if SANITIZED else 18)) + "\n" for _ in range(3))
        job = server.mine(server.upload(rows.encode(), "wide.dat"), min_support="1")
        words = f"GET {API}/jobs/{job['id']}/export?format=jsonl&sort=size HTTP/1.1\r\nHost: localhost\r\n\r\n"
        found = self.burst(server, "127.0.0.9", words.encode(), 20)
        self.assertEqual(found[200] + found[429], 20)
        self.assertGreaterEqual(found[429], 10)
        self.assertEqual(Visitor(server, 8).request("GET", f"jobs/{job['id']}/export?format=csv").status, 200)

    def test_addresses_of_ipv4_behind_ipv6(self):
        server = self.start("--bind", "::", "--token", "0123456789abcdef")
        headers = "Host: localhost\r\nAuthorization: Bearer 0123456789abcdef\r\n"
        wish = json.dumps({"name": "x.dat", "bytes": 5})
        words = (f"POST {API}/datasets HTTP/1.1\r\n{headers}Content-Type: application/json\r\n"
                 f"Content-Length: {len(wish)}\r\n\r\n{wish}").encode()
        self.assertGreater(self.burst(server, "127.0.0.9", words)[429], 0)
        self.assertEqual(self.burst(server, "127.0.0.8", words, 1), {201: 1})

    def test_questions_behind_a_job(self):
        """They wait so long and no longer; those of one visitor are limited, and take no memory for nobody."""
        server = self.start("--max-wait", WAIT)
        endless = server.upload(dense(), "dense.dat")
        job = server.post("jobs", {"dataset": endless, "kind": "itemsets", "options": {"min-support": "5"}}).json["id"]
        within(PATIENCE, lambda: server.get(f"jobs/{job}").json["progress"], "no progress")
        head = f"POST {API}/datasets/{endless}/suggest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        burst = (server, "127.0.0.9", f'{head}Content-Length: 13\r\n\r\n{{"want":1000}}'.encode(), 60)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            many = pool.submit(self.burst, *burst)
            answers = list(pool.map(server.post, (f"datasets/{endless}/suggest", f"datasets/{endless}/clean"),
                                    ({"want": 10}, {"clean": {"fold-case": "true"}})))
            found = many.result()
        self.assertEqual(found[429] + found[503], 60)
        self.assertGreaterEqual(found[429], 20)
        for answer in answers:
            self.assertEqual((answer.status, answer.code), (503, "unavailable"), answer)
            self.assertIn("a job of this data set", answer.message)
        self.assertEqual(server.get(f"jobs/{job}").json["state"], "running")
        self.assertEqual(server.get(f"datasets/{endless}/pairs").status, 200)
        server.post(f"jobs/{job}/cancel")


if __name__ == "__main__":
    run_tests()
