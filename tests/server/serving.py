"""A running lode-server for tests: on a free port, with a temporary folder, and nothing left of it.

    with Server() as server:
        answer = server.get("/api/v1/about")
        assert answer.status == 200 and answer.json["version"]

The end of the `with` asks the server to end, and fails if it does not end well: with its sanitizers
silent, without a process and without a temporary file. Everything here is for tests on one machine.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import uuid
from pathlib import Path
from urllib.parse import quote, urlencode

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("LODE_SERVER", str(ROOT / "build" / "lode-server"))
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
_bytes = Path(PROGRAM).read_bytes() if Path(PROGRAM).exists() else b""
SANITIZED = b"__asan_init" in _bytes or b"__tsan_init" in _bytes
PATIENCE = 120  # seconds until a start, an end or an answer counts as missing, also on a busy machine
API = "/api/v1"


class Answer:
    """Status, headers (names in lower case) and body of a response."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The code of an error, as "notfound"."""
        return self.json["error"]["code"]

    @property
    def message(self):
        return self.json["error"]["message"]

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class Server:
    """lode-server as a process. `data`: keep using this folder, which then stays."""

    def __init__(self, *words, data=None, environment=None, wait=True):
        self.words, self.own = [str(word) for word in words], data is None
        self.data = Path(data or tempfile.mkdtemp(prefix="lode-server-"))
        self.mark = uuid.uuid4().hex
        self.environment = {**os.environ, "LODE_BIN": LODE, "LODE_TEST_MARK": self.mark,
                            **(environment or {})}
        self.wait, self.process, self.port, self.url, self.lines = wait, None, None, None, []

    # ---- start and end ----

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, trace):
        try:
            if kind is None:
                self.stop()
        finally:
            self.abandon()

    def start(self):
        """Starts it and waits for the line that says where it listens."""
        self.log = tempfile.TemporaryFile()
        place = [] if any(word == "--port" or word == "--socket" for word in self.words) else ["--port", "0"]
        self.process = subprocess.Popen(
            [PROGRAM, *place, "--data", str(self.data), *self.words], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.log, env=self.environment, start_new_session=True)
        if self.wait:
            self.await_line()
        return self

    def await_line(self):
        # One line for each thing that it listens on; the port's is the last one.
        last = "http://" if "--socket" not in self.words or "--port" in self.words else "unix:"
        for line in self.process.stdout:
            self.lines.append(line.decode().rstrip("\n"))
            if f"listening on {last}" in self.lines[-1]:
                break
        else:
            raise AssertionError(f"it did not start: {self.lines} {self.messages()}")
        found = re.search(r"http://(\S+?):(\d+)/", self.lines[-1])
        if found:
            self.url, self.port = found[0], int(found[2])

    def messages(self):
        """What it said on standard error so far."""
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def stop(self, number=signal.SIGTERM):
        """Ends it as a user does, and looks at what it leaves."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"it did not end {PATIENCE} s after a signal: {self.messages()}")
        said = self.messages()
        assert status == 0, f"exit {status}: {said}"
        self.look_for_remains(said)

    def look_for_remains(self, said=""):
        assert "Sanitizer" not in said and "runtime error" not in said, said
        within(PATIENCE, lambda: not self.processes(), "processes are left", self.processes)
        temporary = [str(path) for path in (self.data / "tmp").glob("*")]
        assert not temporary, f"temporary files are left: {temporary}"

    def kill(self):
        """kill -9, of the server alone."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def restart(self):
        """Starts it again on the same folder, after stop() or kill()."""
        self.close_files()
        self.lines = []
        return self.start()

    def close_files(self):
        self.process.stdout.close()
        self.log.close()

    def abandon(self):
        """Whatever happened: nothing of it stays on this machine."""
        if self.process:
            self.kill()
            for pid, _ in self.processes():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.close_files()
        if self.own:
            shutil.rmtree(self.data, ignore_errors=True)

    def processes(self):
        """(pid, command) of every other process that this server started, directly or not."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if int(folder.name) == self.process.pid or b"Z" == (folder / "stat").read_bytes().rsplit(
                        b")", 1)[1].split()[0]:
                    continue
                if self.mark.encode() in (folder / "environ").read_bytes() or int(
                        (folder / "stat").read_bytes().rsplit(b")", 1)[1].split()[3]) == self.process.pid:
                    words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    found.append((int(folder.name), words.strip()))
        return found

    def resident(self):
        """Bytes of memory that it has at the moment."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def seconds(self):
        """CPU seconds of its loop, and of all its threads, so far."""
        pid = self.process.pid
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9,
                (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))

    def descriptors(self):
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    # ---- requests ----

    def connection(self, timeout=PATIENCE):
        """An http.client connection, for several requests one after the other."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def request(self, method, path, body=None, headers=None, timeout=PATIENCE):
        """`body`: bytes as they are, or anything else as JSON. Paths without / are below the API."""
        headers = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        connection = self.connection(timeout)
        try:
            connection.request(method, path if path.startswith("/") else f"{API}/{path}", body, headers)
            response = connection.getresponse()
            return Answer(response.status, {name.lower(): value for name, value in response.getheaders()},
                          response.read())
        finally:
            connection.close()

    def get(self, path, parameters=None, **more):
        """`parameters`: a mapping, whose values may be lists, or pairs."""
        if parameters:
            path += "?" + urlencode(parameters, doseq=True, quote_via=quote)
        return self.request("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.request("POST", path, {} if body is None else body, **more)

    def put(self, path, body, **more):
        return self.request("PUT", path, body, {"Content-Type": "application/octet-stream"}, **more)

    def patch(self, path, body, **more):
        return self.request("PATCH", path, body, **more)

    def delete(self, path, **more):
        return self.request("DELETE", path, **more)

    def socket(self, timeout=PATIENCE, address=None):
        """A plain connection. `address`: of the client."""
        return socket.create_connection(("127.0.0.1", self.port), timeout, address and (address, 0))

    @contextlib.contextmanager
    def stopped(self):
        """What is sent meanwhile arrives at once."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def raw(self, data, until=None, close=False):
        """Sends bytes as they are and returns all that comes until the server closes, or until(what came).
        `close`: half-close after sending."""
        got = b""
        with self.socket() as plain:
            with contextlib.suppress(ConnectionError):
                plain.sendall(data)
                if close:
                    plain.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError):
                while not (until and until(got)) and (piece := plain.recv(65536)):
                    got += piece
        return got

    def events(self, path, timeout=PATIENCE):
        """Yields (event, data) of server-sent events until the stream ends."""
        connection = self.connection(timeout)
        try:
            connection.request("GET", path if path.startswith("/") else f"{API}/{path}")
            response = connection.getresponse()
            assert response.status == 200, response.read()
            event, data = None, []
            for line in response:
                line = line.decode().rstrip("\n")
                if line.startswith("event: "):
                    event = line[7:]
                elif line.startswith("data: "):
                    data.append(line[6:])
                elif line == "" and data:
                    yield event, json.loads("\n".join(data))
                    event, data = None, []
        finally:
            connection.close()

    # ---- what many tests do ----

    def upload(self, content, name="data.csv"):
        """Uploads bytes as a data set; returns its id."""
        made = self.post("datasets", {"name": name, "bytes": len(content)})
        assert made.status == 201, made
        number, slice_bytes = made.json["id"], 8 << 20
        for offset in range(0, len(content), slice_bytes):
            sent = self.put(f"datasets/{number}/content?offset={offset}",
                            content[offset:offset + slice_bytes])
            assert sent.status == 200, sent
        return number

    def mine(self, dataset, kind="itemsets", **options):
        """Starts a job and waits for its end; returns the job. min_support="1%" is min-support."""
        made = self.post("jobs", {"dataset": dataset, "kind": kind,
                                  "options": {name.replace("_", "-"): value for name, value in options.items()}})
        assert made.status == 201, made
        return self.await_job(made.json["id"])

    def await_job(self, number):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            job = self.get(f"jobs/{number}").json
            if job["state"] not in ("queued", "running"):
                return job
            time.sleep(0.02)
        raise AssertionError(f"job {number} does not end: {job}")


def dense(rows=400, items=40):
    """Baskets whose frequent sets nobody lives to see enumerated."""
    return "".join(" ".join(str(i) for i in range(items) if i != row % items) + "\n"
                   for row in range(rows)).encode()


def within(seconds, what, message, state=None):
    """Waits until what() is true, and returns it. Otherwise it says the message, and what state() is."""
    end = time.monotonic() + seconds
    while not (value := what()):
        if time.monotonic() > end:
            raise AssertionError(f"{message}: {state()}" if state else message)
        time.sleep(0.02)
    return value


class ServerTest(unittest.TestCase):
    """Tests that share one server, started with WORDS; it must end well after all of them."""

    WORDS = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.WORDS).start()
        cls.addClassCleanup(cls.server.abandon)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()


def run_tests():
    """The unittest of the program that calls it, where there is a server."""
    if not os.path.exists(PROGRAM):
        print("skip: lode-server is not built")
        raise SystemExit(77)
    unittest.main()
