"""What lode-server does not answer: foreign hosts and pages, wrong tokens, ambiguous and huge requests,
slow and many clients.

SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import http.client
import json
import os
import re
import select
import socket
import subprocess
import time
import unittest

from serving import API, PATIENCE, PROGRAM, SANITIZED, Server, ServerTest, run_tests, within

LOGIN = f"{API}/login"
HEAD = b"Host: 127.0.0.1\r\n"


def status_of(answer):
    """The status code of a raw answer; 0: it was closed without one."""
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", answer)
    return int(found[1]) if found else 0


def answers_in(raw):
    return len(re.findall(rb"HTTP/1\.1 \d{3} ", raw))


class Guarded(ServerTest):
    """One server for all; every test leaves it in good health."""

    def tearDown(self):
        self.assertEqual(self.server.post("login", {"token": ""}).status, 204)

    def raw(self, text, **more):
        return self.server.raw(text, **more)

    def expect(self, status, text):
        """The answer has this status and is the only one; the connection is closed after it."""
        got = self.raw(text)
        self.assertEqual(status_of(got), status, (text[:200], got[:400]))
        self.assertEqual(answers_in(got), 1, (text[:200], got))

    # ---- how long a body may be ----

    def announce(self, method, path, length, kind=b"application/json"):
        return b"%s %s HTTP/1.1\r\n%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (
            method, path.encode(), HEAD, kind, length)

    def expect_wait(self, head):
        """The server waits for the body, while it answers others."""
        with self.server.socket() as plain:
            plain.sendall(head)
            self.assertEqual(self.server.get("about").status, 200)
            self.assertEqual(select.select([plain], [], [], 0)[0], [], head)

    def test_long_bodies_are_refused_before_they_come(self):
        slack, slice_bytes, kind = 1 << 16, (8 << 20) + 4096, b"application/octet-stream"
        content = f"{API}/datasets/1/content?offset=0"
        for method, path, most in ((b"POST", LOGIN, 4096), (b"POST", f"{API}/jobs", 1 << 20),
                                   (b"PATCH", f"{API}/datasets/1", 1 << 20)):
            self.expect(413, self.announce(method, path, most + slack + 1))
            self.expect_wait(self.announce(method, path, most))
            long = b'{"x": "' + b"x" * most + b'"}'
            answer = self.server.request(method.decode(), path, long, {"Content-Type": "application/json"})
            self.assertEqual((answer.status, answer.code), (413, "toolarge"), path)
            self.assertIn(str(most), answer.message)
        self.expect_wait(self.announce(b"PUT", content, slice_bytes, kind))
        self.expect(413, self.announce(b"PUT", content, slice_bytes + slack + 1, kind))

    def test_each_request_of_a_connection_has_its_own_limit(self):
        """Also one that came together with the request before it."""
        body = b'{"token": "x"}'
        first = b"POST %s HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
            LOGIN.encode(), HEAD, len(body), body)
        second = b"POST %s/jobs HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %%d\r\n\r\n" % (
            API.encode(), HEAD)
        long = b'{"dataset": 1, "kind": "' + b"x" * 100000 + b'", "options": {}}'
        got = self.raw(first + second % len(long) + long, until=lambda got: answers_in(got) == 2)
        self.assertEqual([int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3}) ", got)], [204, 422], got)
        got = self.raw(second % len(long) + long + first.replace(b": %d" % len(body), b": 80000"))
        self.assertEqual([int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3}) ", got)], [422, 413], got)

    def test_a_bomb_of_json_holds_up_nobody(self):
        """A million bytes that mean 350,000 objects are refused before they take memory, and others are answered."""
        bomb, harmless = b'{"dataset":[' + b"{}," * 349000 + b"{}]}", b'{"dataset":"' + b"{}," * 349000 + b'{}"}'
        start = self.server.seconds()[0]
        for _ in range(8):
            self.assertEqual(self.server.request("POST", "jobs", harmless, {"Content-Type": "application/json"}).status, 422)
        before, memory = self.server.seconds()[0], self.server.resident()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            bombs = [pool.submit(self.server.request, "POST", "jobs", bomb, {"Content-Type": "application/json"})
                     for _ in range(8)]
            while not all(one.done() for one in bombs):
                self.assertEqual(self.server.get("about").status, 200)
        for one in bombs:
            self.assertEqual(one.result().status, 400)
            self.assertIn("20000 values", one.result().message)
        self.assertLess(self.server.seconds()[0] - before, 10 * (before - start) + 1)
        self.assertLess(self.server.resident() - memory, 100 << 20)
        drop = json.dumps({"clean": {"drop": ["a"] * 15000}}).encode()
        refused = self.server.request("PATCH", "datasets/1", drop, {"Content-Type": "application/json"})
        self.assertIn(refused.status, (404, 422), refused)

    # ---- whose page ----

    def test_hosts(self):
        for host in ("localhost", "127.0.0.1", "LOCALHOST:80", "127.0.0.1:9", "[::1]", "[::1]:80", "10.1.2.3"):
            self.assertEqual(self.server.get("/", headers={"Host": host}).status,
                             self.server.get("/").status, host)
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:8080",
                     "1", "0x7f.1"):
            answer = self.server.get("/", headers={"Host": host})
            self.assertEqual((answer.status, answer.code), (403, "forbidden"), host)
        for host in ("", "[::1", "a b", "localhost:", "localhost:x", "localhost:80:80", "@localhost", "a" * 300):
            answer = self.server.get("/", headers={"Host": host})
            self.assertIn(answer.status, (400, 403), host)

    def test_a_host_is_needed_once(self):
        self.expect(400, b"GET / HTTP/1.1\r\n\r\n")
        self.expect(400, b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")

    def test_origins(self):
        own = f"127.0.0.1:{self.server.port}"
        for headers, status in (
                ({}, 204), ({"Origin": f"http://{own}"}, 204), ({"Sec-Fetch-Site": "same-origin"}, 204),
                ({"Sec-Fetch-Site": "none"}, 204), ({"Origin": "http://evil.example"}, 403),
                ({"Origin": "null"}, 403), ({"Origin": f"http://{own}.evil.example"}, 403),
                ({"Origin": "http://127.0.0.1:1"}, 403), ({"Origin": f"ftp://{own}"}, 403),
                ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Sec-Fetch-Site": "same-site"}, 403),
                ({"Origin": f"http://{own}", "Sec-Fetch-Site": "cross-site"}, 403)):
            answer = self.server.post("login", {"token": "x"}, headers=headers)
            self.assertEqual(answer.status, status, headers)

    def test_a_foreign_page_reads_nothing(self):
        foreign = {"Sec-Fetch-Site": "cross-site"}
        self.assertEqual(self.server.get("login", headers=foreign).status, 403)
        self.assertNotEqual(self.server.get("/", headers=foreign).status, 403)  # a link to the page

    # ---- what comes with a request ----

    def test_types(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
            answer = self.server.request("POST", LOGIN, b"{}", {"Content-Type": kind})
            self.assertEqual((answer.status, answer.code), (415, "type"), kind)
        answer = self.server.request("POST", LOGIN, b'{"token":""}',
                                     {"Content-Type": "Application/JSON; charset=utf-8"})
        self.assertEqual(answer.status, 204)

    def test_bodies_that_are_no_objects(self):
        for body in (b"[]", b"1", b"{", b"", b"\xff", b'{"a":1,"a":2}', b'{"a":"\\u0000"}', b"null", b"{} {}",
                     b"[" * 100000, b'{"a":' * 3000):
            path = LOGIN if len(body) < 4096 else f"{API}/jobs"
            answer = self.server.request("POST", path, body, {"Content-Type": "application/json"})
            self.assertEqual((answer.status, answer.code), (400, "invalid"), body[:20])

    def test_compressed_bodies_are_refused(self):
        for coding in ("gzip", "deflate", "br", "x"):
            answer = self.server.request("POST", LOGIN, b"{}", {"Content-Type": "application/json",
                                                                "Content-Encoding": coding})
            self.assertEqual((answer.status, answer.code), (415, "type"), coding)

    def test_queries(self):
        for query in ("%", "%4", "%zz", "a=%ff", "a=%00", "a=%c0%80", "&".join("a=1" for _ in range(300))):
            self.assertEqual(self.server.get(f"login?{query}").status, 400, query[:20])
        self.assertEqual(self.server.get("login?a=%F0%9F%8D%8E+b&&c&=d").status, 405)

    # ---- paths ----

    def test_paths_without_tricks(self):
        for path in ("/../etc/passwd", "/..", "/./", "/a//b", "/api/v1/../v1/login", "/%2e%2e/etc/passwd",
                     "/assets/..%2f..%2fetc/passwd", "/.git/config", "/api/v1//login", "/api/v1/login/",
                     "/api", "/api/v1", "/api/v1/", "/api/v2/login", "/index.html/", "/a\\b", "/;a", "/~root",
                     "/api/v1/jobs/-1", "/api/v1/jobs/0x1", "/api/v1/jobs/99999999999999999999"):
            answer = self.server.get(path)
            self.assertEqual((answer.status, answer.code), (404, "notfound"), path)

    def test_targets_that_are_no_paths(self):
        for target in (b"http://evil.example/", b"*", b"//", b"//evil.example/", b"evil", b"/a#b", b"/a\x01b", b"/\xc3\xa9"):
            got = self.raw(b"GET " + target + b" HTTP/1.1\r\n" + HEAD + b"Connection: close\r\n\r\n")
            self.assertIn(status_of(got), (400, 404), target)

    def test_methods(self):
        for method in (b"TRACE", b"OPTIONS", b"FOO", b"get", b"PROPFIND"):
            self.expect(405, method + b" / HTTP/1.1\r\n" + HEAD + b"\r\nGET / HTTP/1.1\r\n" + HEAD + b"\r\n")
        for target in (b"/", b"127.0.0.1:80", b"evil.example:443"):
            self.assertEqual(self.raw(b"CONNECT " + target + b" HTTP/1.1\r\n" + HEAD + b"\r\nGET / HTTP/1.1\r\n"
                                      + HEAD + b"\r\n"), b"")
        answer = self.server.get(LOGIN)
        self.assertEqual((answer.status, answer.headers["allow"], answer.code), (405, "POST", "method"))
        self.assertEqual(self.server.post("/", {}).status, 405)

    # ---- how long a request is ----

    def test_smuggling(self):
        inner = b"GET /api/v1/inner HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        post = b"POST /api/v1/login HTTP/1.1\r\n" + HEAD + b"Content-Type: application/json\r\n"
        for headers, body in (
                (b"Content-Length: 2\r\nContent-Length: 2\r\n", b"{}"),
                (b"Content-Length: 2\r\nContent-Length: 60\r\n", b"{}"),
                (b"Content-Length: 2\r\ncontent-length: 0\r\n", b"{}"),
                (b"Content-Length: +2\r\n", b"{}"), (b"Content-Length: 2 2\r\n", b"{}"),
                (b"Content-Length: 0x2\r\n", b"{}"), (b"Content-Length: -2\r\n", b"{}"),
                (b"Content-Length: 2,2\r\n", b"{}"), (b"Content-Length: \r\n", b""),
                (b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", b"2\r\n{}\r\n0\r\n\r\n"),
                (b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", b"2\r\n{}\r\n0\r\n\r\n"),
                (b"Content-Length: 2\r\nTransfer-Encoding: identity\r\n", b"{}"),
                (b"Content-Length : 2\r\nContent-Length: 2\r\n", b"{}"),
                (b"Content-Length: 1\r\n 2\r\n", b"{}"),
                (b"Content-Length: 2\r\nX: a\r\n b\x01\r\n", b"{}")):
            self.expect(400, post + headers + b"\r\n" + body + inner)
        for headers, body in ((b"Transfer-Encoding: chunked\r\n", b"2\r\n{}\r\n0\r\n\r\n"),
                              (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                               b"2\r\n{}\r\n0\r\n\r\n"),
                              (b"Transfer-Encoding: gzip\r\n", b"")):
            got = self.raw(post + headers + b"\r\n" + body + inner)
            self.assertIn(status_of(got), (400, 411), headers)
            self.assertEqual(answers_in(got), 1, (headers, got))

    def test_a_body_where_none_belongs(self):
        inner = b"GET /api/v1/inner HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        for method in (b"GET", b"HEAD", b"DELETE", b"OPTIONS"):
            for headers in (b"Content-Length: %d\r\n" % len(inner), b"Transfer-Encoding: chunked\r\n"):
                got = self.raw(method + b" / HTTP/1.1\r\n" + HEAD + headers + b"\r\n" + inner)
                self.assertIn(status_of(got), (400, 411, 413), (method, headers, got))
                self.assertEqual(answers_in(got), 1, got)

    def test_expectations(self):
        post = b"POST /api/v1/login HTTP/1.1\r\n" + HEAD + b"Content-Type: application/json\r\nContent-Length: 2\r\n"
        got = self.raw(post + b"Expect: 100-continue\r\n\r\n", until=status_of)
        self.assertEqual(status_of(got), 100)
        got = self.raw(post + b"Expect: wonders\r\n\r\n{}GET / HTTP/1.1\r\n" + HEAD + b"\r\n")
        self.assertEqual((status_of(got), answers_in(got)), (417, 1))

    def test_pipelined_requests_are_answered_in_order(self):
        one = b"GET /api/v1/a HTTP/1.1\r\n" + HEAD + b"\r\n"
        got = self.raw(one * 5 + b"GET / HTTP/1.1\r\nConnection: close\r\n" + HEAD + b"\r\n")
        self.assertEqual(answers_in(got), 6)

    def test_huge_requests(self):
        self.expect(400, b"GET / HTTP/1.1\r\n" + HEAD + b"X: " + b"a" * 20000 + b"\r\n\r\n")
        self.expect(400, b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n" + HEAD + b"\r\n")
        self.expect(431, b"GET / HTTP/1.1\r\n" + HEAD + b"X: a\r\n" * 200 + b"\r\n")
        self.expect(413, b"PUT / HTTP/1.1\r\n" + HEAD + b"Content-Length: 99999999999\r\n\r\n")
        self.expect(413, b"POST /api/v1/login HTTP/1.1\r\n" + HEAD + b"Content-Length: 9000000\r\n\r\n")

    def test_nonsense(self):
        for text in (b"\0" * 100, b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\0\x01\0",
                     b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b": empty\r\n\r\n", b"A" * 100000,
                     b"GET / HTTP/1.1\r\n" + HEAD + b"A\0B: c\r\n\r\n",
                     b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
            got = self.raw(text, close=True)
            self.assertIn(status_of(got), (0, 400), (text[:30], got))


class Tokens(unittest.TestCase):
    TOKEN = "correct-horse-battery"

    def test_a_token_is_needed_everywhere_but_on_the_page(self):
        with Server("--token", self.TOKEN) as server:
            self.assertNotEqual(server.get("/").status, 401)
            answer = server.get("nothing")
            self.assertEqual((answer.status, answer.code), (401, "unauthorized"))
            self.assertIn("Bearer", answer.headers["www-authenticate"])
            good = {"Authorization": f"Bearer {self.TOKEN}"}
            self.assertEqual(server.get("nothing", headers=good).status, 404)
            login = server.post("login", {"token": self.TOKEN})
            self.assertEqual(login.status, 204)
            cookie = login.headers["set-cookie"]
            for word in ("HttpOnly", "SameSite=Strict", "Path=/"):
                self.assertIn(word, cookie)
            self.assertNotIn(self.TOKEN, cookie)
            value = cookie.split(";")[0]
            self.assertEqual(server.get("nothing", headers={"Cookie": f"a=b; {value}; c=d"}).status, 404)
            # A page of a sibling domain may have set another one.
            self.assertEqual(server.get("nothing", headers={"Cookie": f"lode=x; {value}"}).status, 404)
            for wrong in ("lode=", "lode=" + "a" * 500, f"x{value}", value + "x", value[:-1]):
                self.assertEqual(server.get("nothing", headers={"Cookie": wrong}).status, 401, wrong)

    def test_wrong_tokens_are_slowed_down(self):
        with Server("--token", self.TOKEN) as server:
            began = time.monotonic()
            for wrong in (self.TOKEN + "x", ""):
                answer = server.post("login", {"token": wrong})
                self.assertEqual((answer.status, answer.code), (401, "unauthorized"))
            self.assertGreater(time.monotonic() - began, 1.4)  # 0.5 and 1 seconds
            # Many at once do not get around that, and whoever knows the token is not held up.
            # Eight answers wait for 2, 4, 8, … seconds.
            waiting, began = [server.socket() for _ in range(12)], time.monotonic()
            with server.stopped():
                for plain in waiting:
                    plain.sendall(b"GET /api/v1/x HTTP/1.1\r\n" + HEAD + b"Authorization: Bearer no\r\n\r\n")
            self.assertEqual(server.post("login", {"token": self.TOKEN}).status, 204)
            self.assertLess(len(self.answered(waiting)), 12, "the right token came after wrong ones")
            within(PATIENCE, lambda: len(self.answered(waiting)) >= 4, "many at once wait")
            statuses = [status_of(plain.recv(1 << 16)) for plain in self.answered(waiting)]
            self.assertEqual(statuses.count(429), 4, statuses)
            self.assertTrue(statuses.count(401) == len(statuses) - 4 == 0 or time.monotonic() - began > 1.9, statuses)
            for plain in waiting:
                plain.close()

    @staticmethod
    def answered(sockets):
        return select.select(sockets, [], [], 0)[0]

    def test_a_token_is_made_up_where_none_was_given(self):
        with Server("--bind", "0.0.0.0") as server:
            token = re.search(r"token (\S{32})\n", server.messages())[1]
            self.assertEqual(server.get("x").status, 401)
            self.assertEqual(server.get("x", headers={"Authorization": f"bearer {token}"}).status, 404)

    def test_token_files(self):
        with Server() as keeper:  # for a folder
            path = keeper.data / "token"
            path.write_text(self.TOKEN + "\nmore\n")
            with Server("--token-file", path) as server:
                self.assertEqual(server.post("login", {"token": self.TOKEN}).status, 204)
            path.write_text("short\n")
            done = subprocess.run([PROGRAM, "--token-file", path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("is not a token: expected 16 to 200 characters", done.stderr)


class Crowds(unittest.TestCase):
    def ask(self, server, n=20):
        """CPU seconds that the loop spends on n requests, one after the other, each with a new connection."""
        self.assertEqual(server.get("x").status, 404)  # what came before is done
        before = server.seconds()[0]
        for _ in range(n):
            self.assertEqual(server.get("x").status, 404)
        return server.seconds()[0] - before

    def test_idle_and_slow_clients_delay_nobody(self):
        idle_clients, slow_clients = (200, 50) if SANITIZED else (1000, 200)
        with Server() as server:
            alone = self.ask(server)
            crowd = [server.socket() for _ in range(idle_clients + slow_clients)]
            slow = crowd[idle_clients:]
            for i in range(4):
                for plain in slow:
                    plain.sendall(b"POST /api/v1/login HTTP/1.1\r\nX-Slow"[i * 9:i * 9 + 9])
                self.assertLess(self.ask(server), 10 * alone + 0.05)
            for plain in crowd:
                plain.close()

    def test_too_many_connections_push_out_the_idle_ones(self):
        with Server("--max-connections", "40") as server:
            with server.socket() as busy:  # in the middle of a request all the time
                idle = [server.socket() for _ in range(60)]
                self.ask(server)
                self.assertEqual(idle[0].recv(1), b"")  # the oldest has gone
                idle[-1].sendall(b"GET /api/v1/x HTTP/1.1\r\n" + HEAD + b"\r\n")
                self.assertEqual(status_of(idle[-1].recv(1000)), 404)  # the newest is served
                for plain in idle:
                    plain.close()
                self.assertEqual(busy.fileno() > 0, True)

    def test_few_descriptors(self):
        """Where the system gives few descriptors, there are fewer connections, and none fails."""
        script = f"ulimit -n 230; exec {PROGRAM} \"$@\""
        with Server() as keeper:
            process = subprocess.Popen(["bash", "-c", script, "x", "--port", "0", "--data", keeper.data / "few"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                port = int(re.search(r":(\d+)/", process.stdout.readline())[1])
                plain = [socket.create_connection(("127.0.0.1", port)) for _ in range(300)]
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
                connection.request("GET", f"{API}/x")
                self.assertEqual(connection.getresponse().status, 404)
                connection.close()
                for one in plain:
                    one.close()
            finally:
                process.terminate()
                self.assertEqual(process.wait(PATIENCE), 0)
                process.stdout.close()

    def test_what_a_client_sends_while_it_reads_is_bounded(self):
        with Server() as server:
            before = server.resident()
            with server.socket() as plain:
                plain.settimeout(2)
                plain.sendall(b"GET /api/v1/x HTTP/1.1\r\n" + HEAD + b"\r\n")
                try:
                    for _ in range(400):
                        plain.sendall(b"GET /api/v1/x HTTP/1.1\r\n" + HEAD + b"\r\n" + b"\r\n" * 40000)
                except OSError:
                    pass  # closed, or it does not read on: both are fine
            self.assertLess(server.resident() - before, 16 << 20)

    def test_rates(self):
        with Server("--max-rate", "20") as server:
            connection = server.connection()
            seen = []
            while 429 not in seen and len(seen) < 100000:  # also on a slow machine
                connection.request("GET", f"{API}/x")
                response = connection.getresponse()
                body = response.read()
                seen.append(response.status)
                if response.status == 429:
                    self.assertEqual(json.loads(body)["error"]["code"], "toomany")
                    self.assertTrue(response.getheader("Retry-After"))
            connection.close()
            self.assertEqual(seen[:30], [404] * 30)
            self.assertIn(429, seen)
            time.sleep(1.1)
            self.assertEqual(server.get("x").status, 404)

    @unittest.skipUnless(os.environ.get("LODE_LONG"), "waits for a minute")
    def test_slow_clients_are_ended(self):
        with Server() as server:
            began = time.monotonic()
            with server.socket(120) as headers, server.socket(120) as body, server.socket(120) as idle:
                body.sendall(b"POST /api/v1/login HTTP/1.1\r\n" + HEAD +
                             b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
                try:
                    while time.monotonic() - began < 60:
                        headers.sendall(b"X")
                        body.sendall(b" ")
                        time.sleep(0.5)
                except OSError:
                    pass
                self.assertLess(time.monotonic() - began, 30)
                idle.settimeout(90)
                self.assertEqual(idle.recv(1), b"")
                self.assertLess(time.monotonic() - began, 85)


if __name__ == "__main__":
    run_tests()
