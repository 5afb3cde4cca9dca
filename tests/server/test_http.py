"""lode-server as a program: its options and messages, the page, headers, sockets, signals, the folder.

SPDX-License-Identifier: Apache-2.0
"""
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from serving import API, Answer, LODE, PATIENCE, PROGRAM, ROOT, Server, ServerTest, run_tests

sys.path.insert(0, str(ROOT / "tests"))
from patience import let_stand_still  # noqa: E402

DIST = ROOT / "page" / "dist"
MOMENT = 3  # seconds in which the last answers leave when the server ends
STRICT = {
    "content-security-policy": r"default-src 'none'; script-src 'self'; .*frame-ancestors 'none'",
    "x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
}


def run(*words, **more):
    """Runs lode-server to its end."""
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE,
                          env={**os.environ, "LODE_BIN": LODE}, **more)


class Unix(http.client.HTTPConnection):
    """http.client over a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Options(unittest.TestCase):
    def test_help(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("Examples", "--port N", "--bind", "--data", "--workers", "--open", "--token", "--socket",
                     "--max-upload", "--max-disk", "--expire", "127.0.0.1", "8080"):
            self.assertIn(word, done.stdout)

    def test_wrong_words(self):
        for words, message in (
                (["--prot", "1"], "no option '--prot'; did you mean --port?"), (["file.csv"], "no option 'file.csv'"),
                (["--port"], "--port needs a value"), (["--port", "70000"], "invalid value '70000'"),
                (["--port=x"], "invalid value 'x'"), (["--quiet=1"], "--quiet takes no value"),
                (["--bind", "example.org"], "invalid value 'example.org'"), (["--workers", "0"], "value '0'"),
                (["--memory", "1Q"], "value '1Q'"), (["--memory", "0"], "value '0'"),
                (["--max-disk", "99999999999T"], "invalid value"), (["--expire", "-1"], "value '-1'"),
                (["--token", "short"], "--token: invalid value"), (["--port", "1", "--port", "2"], "--port is given twice"),
                (["--port", "70000"], "from 0 to 65535"), (["--memory", "1M"], "64M or more"),
                (["--max-disk", "5"], "1M or more"), (["--max-connections", "1"], "from 8 to 100000"),
                (["--host", "a:80"], "value 'a:80'"),
                (["--host", "0.0.0.0"], "use --bind"),
                (["--socket", "/x", "--open"], "--open requires a port")):
            done = run(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(message, done.stderr)
            self.assertNotIn("'short'", done.stderr)
            self.assertEqual(done.stdout, "")

    def test_two_tokens(self):
        done = run("--token", "x" * 20, "--token-file", "y")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))


class Answers(ServerTest):
    def test_one_line_says_where_it_listens(self):
        self.assertEqual(self.server.lines, [f"lode: listening on http://127.0.0.1:{self.server.port}/"])
        self.assertIn(f"data in {self.server.data}", self.server.messages())

    def test_every_answer_has_the_strict_headers(self):
        for answer in (self.server.get("/"), self.server.get("/nothing"), self.server.get("nothing"),
                       self.server.get("login"), self.server.post("login", {"token": ""}),
                       self.server.request("POST", f"{API}/login", b"{"), self.server.get("/%"),
                       self.server.get("/", headers={"Host": "evil.example"})):
            for name, pattern in STRICT.items():
                self.assertRegex(answer.headers.get(name, ""), pattern, (answer, name))
            self.assertNotIn("server", answer.headers)
            self.assertIn("cache-control", answer.headers)

    def test_errors_are_sentences(self):
        answer = self.server.get("nothing")
        self.assertEqual(answer.headers["content-type"], "application/json")
        self.assertRegex(answer.message, r"^[A-Z].*\.$")

    def test_head_is_get_without_its_body(self):
        for path in ("/", f"{API}/nothing"):
            get, head = self.server.get(path), self.server.request("HEAD", path)
            self.assertEqual((head.status, head.body), (get.status, b""))
            self.assertEqual(head.headers["content-length"], get.headers["content-length"])

    def test_one_connection_for_many_requests(self):
        connection = self.server.connection()
        for _ in range(50):
            connection.request("GET", f"{API}/nothing")
            response = connection.getresponse()
            self.assertEqual(response.status, 404)
            response.read()
        connection.close()

    def test_bodies_of_every_length(self):
        """Up to a slice of an upload and more, on one connection; what is longer is refused."""
        connection = self.server.connection()
        for length in (0, 1, 65536, 200000, 8 << 20, (8 << 20) + 1, 1):
            body = b" " * length
            connection.request("PUT", f"{API}/nothing", body, {"Content-Type": "application/octet-stream"})
            response = connection.getresponse()
            self.assertEqual((length, response.status), (length, 404))
            response.read()
        connection.close()

    def test_http_1_0(self):
        got = self.server.raw(b"GET /api/v1/x HTTP/1.0\r\nHost: localhost\r\n\r\n")
        self.assertRegex(got, rb"^HTTP/1\.[01] 404 ")
        self.assertTrue(got.endswith(b"}"))

    @unittest.skipIf(not (DIST / "index.html").exists(), "there is no page in page/dist")
    def test_the_page(self):
        page = self.server.get("/")
        self.assertEqual((page.status, page.headers["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertEqual(page.body, (DIST / "index.html").read_bytes())
        self.assertEqual(page.headers["cache-control"], "no-cache")
        for path in DIST.rglob("*"):
            if path.is_dir():
                continue
            name = "/" + path.relative_to(DIST).as_posix()
            plain = self.server.get(name)
            packed = self.server.get(name, headers={"Accept-Encoding": "gzip, br"})
            self.assertEqual(plain.body, path.read_bytes(), name)
            if "content-encoding" in packed.headers:
                self.assertEqual(gzip.decompress(packed.body), plain.body)
                self.assertNotEqual(packed.headers["etag"], plain.headers["etag"])
            self.assertEqual(plain.headers["vary"], "Accept-Encoding")
            again = self.server.get(name, headers={"If-None-Match": plain.headers["etag"]})
            self.assertEqual((again.status, again.body), (304, b""))
            if re.search(r"-[\w-]{8}\.\w+$", name):
                self.assertIn("immutable", plain.headers["cache-control"])

    @unittest.skipIf((DIST / "index.html").exists(), "there is a page")
    def test_without_a_page(self):
        answer = self.server.get("/")
        self.assertEqual(answer.status, 404)
        self.assertIn(b"built without its page", answer.body)


class Folders(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="lode-folders-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_a_folder_is_made_for_its_owner_alone(self):
        with Server(data=self.folder / "a" / "b") as server:
            self.assertEqual(server.data.stat().st_mode & 0o777, 0o700)
            self.assertEqual(sorted(path.name for path in server.data.iterdir() if path.is_dir()),
                             ["datasets", "results", "tmp"])
            self.assertEqual((server.data / "lode.sqlite").stat().st_mode & 0o777, 0o600)

    def test_the_usual_folder(self):
        environment = {"XDG_DATA_HOME": str(self.folder)}
        process = subprocess.Popen([PROGRAM, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env={**os.environ, "LODE_BIN": LODE, **environment})
        process.stdout.readline()
        self.assertTrue((self.folder / "lode" / "lode.sqlite").exists())
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 0)
        process.stdout.close()

    def test_one_server_per_folder(self):
        with Server(data=self.folder):
            done = run("--port", 0, "--data", self.folder)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"^lode: another lode server uses the folder \S+; choose another.*--data\n$")

    def test_a_killed_server_leaves_no_lock(self):
        server = Server(data=self.folder).start()
        self.addCleanup(server.abandon)
        (self.folder / "tmp" / "compare-17.fimi").write_text("half done")
        server.kill()
        server.restart()
        self.assertEqual(server.get("nothing").status, 404)
        server.stop()  # nothing is left in tmp

    def test_folders_that_cannot_be_used(self):
        (self.folder / "file").write_text("x")
        done = run("--port", 0, "--data", self.folder / "file")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^lode: \S+file is not a folder\n$")
        done = run("--port", 0, "--data", "/proc/lode")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("/proc/lode cannot be made", done.stderr)

    @unittest.skipIf(os.geteuid() == 0 and not shutil.which("setpriv"), "root may write everywhere")
    def test_a_folder_without_permission(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o500)
        words = [PROGRAM, "--port", "0", "--data", str(closed)]
        if os.geteuid() == 0:
            closed.chmod(0o555)
            self.folder.chmod(0o755)
            words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *words]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, "LODE_BIN": LODE})
        if "Permission denied" in done.stderr and done.returncode in (126, 127):
            self.skipTest("the program itself cannot be reached by others")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertIn("Permission denied", done.stderr)

    def test_a_database_of_a_newer_lode(self):
        with Server(data=self.folder):
            pass
        with sqlite3.connect(self.folder / "lode.sqlite") as database:
            database.execute("PRAGMA user_version = 99")
        database.close()
        done = run("--port", 0, "--data", self.folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("newer lode (version 99", done.stderr)

    def test_a_database_that_is_none(self):
        with Server(data=self.folder):
            pass
        (self.folder / "lode.sqlite").write_bytes(b"not a database at all" * 100)
        done = run("--port", 0, "--data", self.folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("not a database", done.stderr)

    def test_a_taken_port(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            done = run("--port", other.getsockname()[1], "--data", self.folder)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^lode: cannot listen on 127.0.0.1 port \d+: .*with --port\n$")

    def test_the_tables(self):
        with Server(data=self.folder):
            pass
        database = sqlite3.connect(self.folder / "lode.sqlite")
        names = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.assertLessEqual({"datasets", "jobs", "comparisons", "views"}, names)
        self.assertEqual(database.execute("PRAGMA journal_mode").fetchone()[0], "wal")
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone()[0], "ok")
        database.close()


class Ends(unittest.TestCase):
    def test_both_signals_end_it_well(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with Server() as server:
                idle = server.socket()
                began = time.monotonic()
                server.stop(number)
                if os.environ.get("LODE_LONG"):
                    self.assertLess(time.monotonic() - began, MOMENT)
                idle.close()

    @unittest.skipIf(not (DIST / "index.html").exists(), "there is no page in page/dist")
    def test_a_second_signal_ends_it_at_once(self):
        """While answers are on their way it waits a moment, but not when it is asked twice."""
        largest = max((path for path in DIST.rglob("*") if path.is_file()), key=lambda p: p.stat().st_size)
        wanted = (16 << 20) // largest.stat().st_size  # more than the system keeps for it
        asked = f"GET /{largest.relative_to(DIST).as_posix()} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * wanted
        with Server() as server:
            for signals, status in (((signal.SIGTERM,), 0), ((signal.SIGTERM, signal.SIGINT), 1)):
                with server.socket() as deaf:
                    deaf.sendall(asked)
                    deaf.recv(1, socket.MSG_PEEK)
                    let_stand_still(server.process)
                    began = time.monotonic()
                    for number in signals:
                        server.process.send_signal(number)
                    self.assertEqual(server.process.wait(PATIENCE), status)
                    self.assertTrue(status == 1 or time.monotonic() - began > MOMENT - 0.1, "it did not wait")
                server.restart()

    def test_many_starts_leave_nothing(self):
        with Server() as server:
            for _ in range(3):
                server.kill()
                server.restart()
                self.assertEqual(server.get("nothing").status, 404)


class Sockets(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="lode-sockets-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = self.folder / "http"

    def ask(self, path, headers):
        connection = Unix(self.path)
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, body

    def test_a_unix_socket(self):
        with Server("--socket", self.path, "--token", "x" * 20, "--host", "mine.example.org") as server:
            self.assertEqual(server.lines, [f"lode: listening on unix:{self.path}"])
            self.assertEqual(self.path.stat().st_mode & 0o777, 0o660)
            good = {"Host": "mine.example.org", "Authorization": "Bearer " + "x" * 20}
            self.assertEqual(self.ask(f"{API}/nothing", good)[0], 404)
            self.assertEqual(self.ask(f"{API}/nothing", {"Host": "mine.example.org"})[0], 401)
            self.assertEqual(self.ask(f"{API}/nothing", {**good, "Host": "other.example.org"})[0], 403)
            done = run("--socket", self.path, "--data", self.folder / "other")
            self.assertEqual(done.returncode, 1)  # it is in use
        self.assertFalse(self.path.exists())

    def test_a_socket_that_a_killed_server_left(self):
        with Server("--socket", self.path) as server:
            server.kill()
            self.assertTrue(self.path.exists())
            server.restart()
            self.assertEqual(self.ask("/nothing", {"Host": "localhost"})[0], 404)

    def test_a_file_in_the_way_stays(self):
        self.path.write_text("precious")
        done = run("--socket", self.path, "--data", self.folder / "data")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertEqual(self.path.read_text(), "precious")

    def test_both_at_once(self):
        with Server("--socket", self.path, "--port", "0", "--token", "x" * 20) as server:
            self.assertEqual(len(server.lines), 2)
            self.assertEqual(server.get("nothing").status, 401)
            self.assertEqual(self.ask("/nothing", {"Host": "localhost"})[0], 404)


@unittest.skipUnless(shutil.which("nginx") and shutil.which("openssl"), "nginx or openssl is not installed")
class BehindNginx(unittest.TestCase):
    """The example of docs/nginx.md as it stands there, with other paths and a port of its own."""

    NAME, TOKEN = "mine.example.org", "correct-horse-battery"

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="lode-nginx-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                        f"/CN={self.NAME}", "-addext", f"subjectAltName=DNS:{self.NAME}", "-keyout",
                        self.folder / "key", "-out", self.folder / "pem"], check=True, capture_output=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]

    def configuration(self):
        text = (ROOT / "docs" / "nginx.md").read_text()
        block = re.search(r"```nginx\n(.*?)```", text, re.S)[1]
        for old, new in (("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl"),
                         ("/etc/ssl/mine.example.org.pem", str(self.folder / "pem")),
                         ("/etc/ssl/mine.example.org.key", str(self.folder / "key")),
                         ("/run/lode/http", str(self.folder / "http"))):
            self.assertEqual(block.count(old), 1, old)
            block = block.replace(old, new)
        temporary = "".join(f"{name}_temp_path {self.folder};\n" for name in (
            "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;\n" if os.geteuid() == 0 else ""
        return (f"{user}daemon off;\npid {self.folder}/pid;\nerror_log stderr;\nevents {{}}\n"
                f"http {{\naccess_log off;\n{temporary}{block}}}\n")

    def start_nginx(self):
        (self.folder / "conf").write_text(self.configuration())
        process = subprocess.Popen(["nginx", "-p", self.folder, "-c", self.folder / "conf"],
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.02)
        self.fail("nginx does not listen")

    def ask(self, method, path, body=None, headers=None):
        context = ssl.create_default_context(cafile=self.folder / "pem")
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        connection = http.client.HTTPConnection(self.NAME, self.port)
        connection.sock = context.wrap_socket(plain, server_hostname=self.NAME)
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        got = Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        connection.close()
        return got

    def test_the_example(self):
        words = ("--socket", self.folder / "http", "--host", self.NAME, "--token", self.TOKEN)
        with Server(*words):
            self.start_nginx()
            self.assertIn("content-security-policy", self.ask("GET", "/").headers)
            self.assertEqual(self.ask("GET", f"{API}/datasets").status, 401)
            json_body = {"Content-Type": "application/json", "Origin": f"https://{self.NAME}:{self.port}"}
            login = self.ask("POST", f"{API}/login", json.dumps({"token": self.TOKEN}), json_body)
            self.assertEqual(login.status, 204, login)
            self.assertIn("; Secure", login.headers["set-cookie"])
            mine = {"Cookie": login.headers["set-cookie"].split(";")[0], **json_body}
            self.assertEqual(self.ask("GET", f"{API}/datasets", headers=mine).status, 200)
            foreign = {**mine, "Origin": "https://evil.example"}
            self.assertEqual(self.ask("POST", f"{API}/login", "{}", foreign).status, 403)
            content = b"a,b\n" * ((8 << 20) // 4)
            made = self.ask("POST", f"{API}/datasets", json.dumps({"name": "x.csv", "bytes": len(content)}), mine)
            self.assertEqual(made.status, 201, made)
            sent = self.ask("PUT", f"{API}/datasets/{made.json['id']}/content?offset=0", content,
                            {**mine, "Content-Type": "application/octet-stream"})
            self.assertEqual((sent.status, sent.json["received"]), (200, len(content)))


if __name__ == "__main__":
    run_tests()
