#!/usr/bin/env python3
"""Hostile requests to lode-server: a fuzzer over HTTP, over the API and over data files.

    fuzz_http.py [--seconds N] [--seed S] [--server PATH] [--only KIND.NUMBER] [--seen]

Batches come in three kinds: `raw` (requests that are no HTTP, or two requests to two readers, slow and
half-open connections), `api` (every operation of server/openapi.json with valid requests that were
changed, by several clients at the same time) and `data` (files that are broken or bombs, and all
questions to them). A batch has a random generator of its own, made from the seed and its name: --only
repeats one. After every batch the server must answer as before; what it must never do is in `Oracle`.

The server gets folders of its own for everything: a file that it makes elsewhere is seen. With
LODE_LONG it runs for an hour.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import contextlib
import json
import os
import random
import re
import resource
import selectors
import shutil
import socket
import sqlite3
import sys
import tempfile
import threading
import time
import traceback
import uuid
from pathlib import Path


def options_of_the_command_line():
    parser = argparse.ArgumentParser(description="Hostile requests to lode-server.")
    parser.add_argument("--seconds", type=float, default=3600 if os.environ.get("LODE_LONG") else 5)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--server", help="the program; `lode` lies beside it")
    parser.add_argument("--only", help="one batch, such as api.12")
    parser.add_argument("--seen", action="store_true", help="say how often each operation had which status")
    said = parser.parse_args()
    if said.server:
        os.environ["LODE_SERVER"] = os.path.abspath(said.server)
        os.environ["LODE_BIN"] = str(Path(said.server).resolve().parent / "lode")
    return said


SAID = options_of_the_command_line()
# After the options: serving.py asks the environment which program it starts.
import fuzz_values  # noqa: E402
from serving import API, PATIENCE, PROGRAM, ROOT, Server  # noqa: E402

CODES = {"invalid", "unauthorized", "forbidden", "notfound", "method", "conflict", "length", "toolarge", "type",
         "toomany", "unavailable"}
FILES = re.compile(r"lode\.folder|lode\.disk|lode\.sqlite(-wal|-shm|-journal|-spare)?|lock|datasets|results|tmp|datasets/\d+\.(data|part)|"
                   r"results/\d+\.arrow(\.tmp\.\d+)?|tmp/[0-9a-z.-]+")
MOST_FINDINGS = 20
CLIENTS = 4


class Oracle:
    """What must never happen, whatever is asked."""

    def __init__(self, server, place, secret):
        self.server, self.place, self.secret = server, place, secret.encode()
        self.findings, self.lock, self.batch, self.requests = {}, threading.Lock(), "start", 0
        self.seen = collections.Counter()  # (operation, status): a fuzzer that is always refused tests nothing

    def finding(self, kind, detail):
        """Each kind once: the first example is enough."""
        with self.lock:
            if kind in self.findings or len(self.findings) >= MOST_FINDINGS:
                return
            self.findings[kind] = detail
        print(f"FINDING {kind}\n  batch {self.batch} of seed {SAID.seed}\n  {detail[:3000]}", flush=True)

    def look(self, status, headers, body, asked, sure_form=True):
        """One answer. `sure_form`: it comes from the API, so that failures have the form of failures."""
        with self.lock:
            self.requests += 1
            self.seen[re.sub("[0-9]+", "N", asked.split("?")[0].split(" b'")[0]) if sure_form else "raw", status] += 1
        kind = headers.get("content-type", "")
        if status >= 500 and status not in (503, 507):
            self.finding(f"status {status} {asked.split('?')[0][:40]}", f"{asked} → {body[:600]!r}")
        if self.secret in body:
            self.finding("a file outside was read", f"{asked} → {body[:600]!r}")
        if not body or not (kind.startswith("application/json") or (sure_form and status >= 400)):
            return
        if status == 413 and kind == "text/html":  # libevent's own, before a body that is far too long
            return
        try:
            value = json.loads(body)
        except ValueError as error:
            self.finding("JSON that cannot be read", f"{asked} → {status} {error}: {body[:600]!r}")
            return
        error = value.get("error") if isinstance(value, dict) and status >= 400 else None
        if status >= 400 and not (isinstance(error, dict) and error.get("code") in CODES
                                  and isinstance(error.get("message"), str) and set(error) <= {"code", "message", "hint"}):
            self.finding("a failure without its form", f"{asked} → {status} {body[:600]!r}")

    def after_batch(self, batch):
        """False: the server is of no more use."""
        said = self.server.messages()
        if "Sanitizer" in said or "runtime error" in said:
            at = min(i for i in (said.find("Sanitizer"), said.find("runtime error")) if i >= 0)
            self.finding("a sanitizer's report", said[max(0, at - 200):at + 5000])
        try:
            about = self.server.get("about")
            if about.status not in (200, 429):
                self.finding("no about", repr(about))
            jobs = self.server.get("jobs?limit=1000").json.get("jobs", [])
            for job in jobs:
                if job["state"] == "lost":
                    self.finding("a worker was lost", json.dumps(job))
        except (OSError, ValueError, KeyError) as error:
            self.finding("it does not answer", f"after {batch}: {error!r}; exit {self.server.process.poll()}; {said[-3000:]}")
            return False
        self.look_at_files()
        self.look_at_descriptors()
        return True

    def look_at_files(self):
        data = self.server.data
        for path in list(data.rglob("*")):
            name = str(path.relative_to(data))
            if not FILES.fullmatch(name):
                self.finding("a name in the data folder", name)
        outside = sorted(str(path.relative_to(self.place.parent)) for path in self.place.parent.rglob("*")
                         if data not in path.parents and path != data)
        if outside != [self.place.name, f"{self.place.name}/secret", "home", "temporary", "work"]:
            self.finding("a file outside of the data folder", repr(outside))
        for folder in ("/", "/tmp", "/var/tmp", str(ROOT), str(Path.home()), "/dev/shm"):
            with contextlib.suppress(OSError):
                for name in os.listdir(folder):
                    if self.place.name in name and name != self.place.parent.name:
                        self.finding("a file outside of the data folder", f"{folder}/{name}")

    def look_at_descriptors(self):
        """No process of it has a file open for writing that lies elsewhere."""
        for pid in [self.server.process.pid, *(pid for pid, _ in self.server.processes())]:
            with contextlib.suppress(OSError):
                for link in Path(f"/proc/{pid}/fd").iterdir():
                    with contextlib.suppress(OSError):
                        self.look_at_descriptor(pid, link)

    def look_at_descriptor(self, pid, link):
        target = os.readlink(link)
        flags = int(re.search(r"flags:\s*(\d+)", Path(f"/proc/{pid}/fdinfo/{link.name}").read_text())[1], 8)
        usual = target.startswith((str(self.server.data), "/dev/", "/proc/", "pipe:", "socket:", "anon_inode:", "/memfd:"))
        if flags & (os.O_WRONLY | os.O_RDWR) and not usual and int(link.name) > 2 and not target.endswith("(deleted)"):
            self.finding("a descriptor of a file elsewhere", target)

    def at_the_end(self):
        """After the server has ended."""
        data = self.server.data
        database = sqlite3.connect(f"file:{data}/lode.sqlite?mode=ro", uri=True)
        checked = database.execute("PRAGMA integrity_check").fetchone()[0]
        if checked != "ok":
            self.finding("the database is broken", checked)
        for folder, sql in (("datasets", "SELECT id FROM datasets"), ("results", "SELECT id FROM jobs")):
            known = {str(row[0]) for row in database.execute(sql)}
            for path in (data / folder).iterdir():
                if path.name.split(".")[0] not in known or ".tmp." in path.name:
                    self.finding(f"a file of nobody in {folder}", path.name)
        database.close()


# ---- raw ------------------------------------------------------------------------------------------


def answers_of(data):
    """(status, headers, body) of every answer in what came back; one that is not whole yet is left out."""
    while data.startswith(b"HTTP/1.1 "):
        head, _, rest = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        length = int(headers.get("content-length", len(rest) if "transfer-encoding" in headers else 0))
        if len(rest) < length:
            return
        yield int(lines[0].split()[1]), headers, rest[:length]
        data = rest[length:]


class Raw:
    """Many connections at once. Some stay, and send a byte now and then."""

    def __init__(self, server, oracle, place):
        self.server, self.oracle, self.place, self.slow = server, oracle, place, []

    def run(self, rng):
        values = fuzz_values.Values(rng, self.place)
        chooser, waiting = selectors.DefaultSelector(), {}
        for _ in range(30):
            sent, most = fuzz_values.raw_request(values, self.place)
            with contextlib.suppress(OSError):
                plain = self.server.socket(5)
                self.send(rng, plain, sent)
                waiting[plain] = [sent, most, b""]
                chooser.register(plain, selectors.EVENT_READ)
        end = time.monotonic() + 1
        while waiting and time.monotonic() < end:
            for key, _ in chooser.select(0.05):
                self.receive(chooser, key.fileobj, waiting)
        for plain, (sent, most, got) in waiting.items():
            self.judge(sent, most, got)
            plain.close()
        chooser.close()
        self.hold(rng, values)

    @staticmethod
    def send(rng, plain, sent):
        pieces = [sent] if rng.random() < 0.7 else [sent[i:i + 7] for i in range(0, min(len(sent), 200), 7)]
        for piece in pieces:
            plain.sendall(piece)
        if rng.random() < 0.2:
            plain.shutdown(socket.SHUT_WR)

    def receive(self, chooser, plain, waiting):
        entry = waiting[plain]
        try:
            piece = plain.recv(1 << 18)
        except OSError:
            piece = b""
        entry[2] += piece
        if piece:
            return
        chooser.unregister(plain)
        plain.close()
        self.judge(*waiting.pop(plain))

    def judge(self, sent, most, got):
        n = 0
        for status, headers, body in answers_of(got):
            n += status != 100
            self.oracle.look(status, headers, body, f"raw {sent[:300]!r}", sure_form=False)
        if n > most:
            self.oracle.finding("more answers than requests", f"{n} of {most}: {sent[:600]!r} → {got[:600]!r}")

    def hold(self, rng, values):
        """Slow connections: 40 at most, each with a little of a request."""
        for plain in self.slow:
            with contextlib.suppress(OSError):
                plain.sendall(rng.choice((b"a", b"X: y\r\n", b"\r\n", b"0")))
        with contextlib.suppress(OSError):
            plain = self.server.socket(5)
            sent, _ = fuzz_values.raw_request(values, self.place)
            plain.sendall(sent[:rng.randrange(1, 80)])
            self.slow.append(plain)
        while len(self.slow) > 40 or (self.slow and rng.random() < 0.3):
            self.slow.pop(rng.randrange(len(self.slow))).close()

    def end(self):
        for plain in self.slow:
            plain.close()


# ---- api ------------------------------------------------------------------------------------------


class Api:
    """What the operations of openapi.json take, and which ids there are."""

    def __init__(self, server, oracle, place):
        self.server, self.oracle, self.place = server, oracle, place
        described = json.loads((ROOT / "server" / "openapi.json").read_text())
        self.schemas = described["components"]["schemas"]
        self.operations = [(method.upper(), path, operation) for path, methods in described["paths"].items()
                           for method, operation in methods.items()]
        self.options = server.get("options").json["options"]
        self.measures = [measure["name"] for measure in server.get("measures").json["measures"]]
        self.words = [*self.measures, "count", "support", "items", "size", "milk", "bread", "C", "all", "closed", "cpu", "gpu",
                      "frontier", "eqclass", "csv", "jsonl", "arrow", *(word for option in self.options for word in option["words"])]
        self.datasets, self.jobs = [], []

    def prepare(self):
        """Something of each kind to ask for."""
        rng = random.Random(f"{SAID.seed}.prepare")
        for content, kind in ((fuzz_values.table(rng), "itemsets"), (fuzz_values.hostile_names(rng), "rules"),
                              (fuzz_values.graphs(rng), "graphs")):
            number = self.server.upload(content, f"{kind}.txt")
            self.datasets.append(number)
            self.jobs.append(self.server.mine(number, kind, min_support="5%")["id"])

    def ask(self, method, path, body=None, kind="application/json", stays=False):
        """One request, and a look at its answer: (status, bytes), or None where it was cut."""
        asked = f"{method} {path[:1500]} {(body or b'')[:1500]!r}"
        connection = self.server.connection()
        try:
            connection.putrequest(method, API + path, skip_accept_encoding=True)
            if body is not None:
                connection.putheader("Content-Type", kind)
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            got = answer.read(2000) if stays else answer.read()
            self.oracle.look(answer.status, {name.lower(): value for name, value in answer.getheaders()}, got, asked)
            return answer.status, got
        except TimeoutError:
            self.oracle.finding(f"no answer in {PATIENCE} s: {method} {re.sub('[0-9]+', 'N', path.split('?')[0])[:40]}", asked)
        except (OSError, ValueError) as error:  # closed while it was read: a limit; the batch's end sees whether it lives
            if self.server.process.poll() is not None:
                self.oracle.finding("it ended", f"{asked} → {error!r}")
        except Exception as error:  # http.client's own: an answer that is none
            self.oracle.finding(f"no HTTP: {type(error).__name__}", f"{asked} → {error!r}")
        finally:
            connection.close()
        return None

    # ---- making requests ----

    def number(self, rng, which):
        if rng.random() < 0.1:
            return rng.choice(("0", "999999", "18446744073709551615", "99999999999999999999", "-1", "1e3", "01", "%31", "x"))
        return str(rng.choice(which)) if which else "1"

    def path_of(self, values, path, operation):
        rng, which = values.rng, self.datasets if path.startswith("/datasets") else self.jobs
        path = path.replace("{id}", self.number(rng, which))
        path = re.sub(r"\{\w+\}", lambda _: self.number(rng, [0, 1, 2, 7]), path)
        names = [parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "query"]
        return path + values.query(names)

    def options_for(self, values, count, groups=None):
        """Options of every name, with likely and unlikely values."""
        rng, made = values.rng, {}
        for option in rng.sample(self.options, count):
            name = option["name"] if rng.random() < 0.95 else values.text()
            value = rng.choice(option["words"]) if option["words"] and rng.random() < 0.6 else values.text()
            made[name] = value if rng.random() < 0.9 else [value, values.text()]
        return made

    def valid(self, values, schema):
        """What the schema describes; where it is silent, what makes sense."""
        rng = values.rng
        schema = self.schemas[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
        if "oneOf" in schema:
            schema = rng.choice(schema["oneOf"])
        if "enum" in schema:
            return rng.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object" and "properties" not in schema:
            return self.options_for(values, rng.randrange(4))
        if kind == "object":
            made = {}
            for name, inner in schema["properties"].items():
                if name in schema.get("required", []) or rng.random() < 0.6:
                    made[name] = self.usual(values, name) or self.valid(values, inner)
            return made
        if kind == "array":
            return [self.valid(values, schema["items"]) for _ in range(rng.randrange(4))]
        return {"integer": rng.randrange(1, 300), "boolean": True}.get(kind, values.text())

    def usual(self, values, name):
        rng = values.rng
        if name == "options":
            return {"min-support": rng.choice(("1", "5%", "20%")), **self.options_for(values, rng.randrange(3))}
        return {"dataset": rng.choice(self.datasets or [1]), "example": "groceries", "min-support": rng.choice(("2", "10%")),
                "device": "cpu", "text": "#/job/1?tab=table", "bytes": rng.randrange(1, 5000)}.get(name)

    def step(self, rng):
        values = fuzz_values.Values(rng, self.place, self.words)
        method, path, operation = rng.choice(self.operations)
        if method == "DELETE" and rng.random() < 0.6:
            return
        target, body, kind = self.path_of(values, path, operation), None, "application/json"
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" in content:
            body = self.valid(values, content["application/json"]["schema"])
            body = values.body(values.change(body) if rng.random() < 0.7 else body)
        elif content:
            body, kind = rng.randbytes(rng.randrange(3000)), "application/octet-stream"
            if rng.random() < 0.7:
                target = target.split("?")[0] + f"?offset={rng.choice((0, 0, 1, 2 ** 40))}"
        elif method == "POST":
            body = rng.choice((None, b"{}", b"", b"[]"))
        if rng.random() < 0.03:
            kind = rng.choice(("text/plain", "application/json; charset=utf-16", "", "application/octet-stream"))
        self.remember(path, self.ask(method, target, body, kind, stays=path.endswith("events")))

    def remember(self, path, answer):
        if answer and answer[0] == 201 and path in ("/datasets", "/jobs"):
            with contextlib.suppress(ValueError, KeyError):
                (self.datasets if path == "/datasets" else self.jobs).append(json.loads(answer[1])["id"])

    # ---- batches ----

    def run(self, rng):
        """Several clients, each with a random generator of its own."""
        seeds = [rng.random() for _ in range(CLIENTS)]
        clients = [threading.Thread(target=self.client, args=(random.Random(seed),)) for seed in seeds]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        self.tidy(rng)

    def client(self, rng):
        try:
            for _ in range(25):
                self.step(rng)
                if rng.random() < 0.15:
                    self.job(rng)
        except Exception:  # a mistake of the fuzzer is a failure, too
            self.oracle.finding("the fuzzer itself", traceback.format_exc())

    def job(self, rng):
        """A job that is cancelled, kept, raised or deleted at some moment."""
        if not self.datasets:
            return
        kind = rng.choice(("itemsets", "rules", "graphs"))
        body = {"dataset": rng.choice(self.datasets), "kind": kind, "compare": rng.random() < 0.2,
                "options": {"min-support": rng.choice(("1", "2", "10%"))}}
        made = self.ask("POST", "/jobs", json.dumps(body).encode())
        if not made or made[0] != 201:
            return
        number = json.loads(made[1])["id"]
        self.jobs.append(number)
        for _ in range(rng.randrange(4)):
            time.sleep(rng.choice((0, 0, 0.01, 0.1)))
            what = rng.choice(("cancel", "keep", "raise", "events", "compare", "delete", "dataset"))
            if what == "delete":
                self.ask("DELETE", f"/jobs/{number}")
            elif what == "dataset" and rng.random() < 0.3:
                self.ask("DELETE", f"/datasets/{body['dataset']}")
            elif what == "events":
                self.ask("GET", f"/jobs/{number}/events", stays=True)
            elif what != "dataset":
                sent = {"min-support": rng.choice(("3", "50%", "0", "x"))} if what == "raise" else {}
                self.ask("POST", f"/jobs/{number}/{what}", json.dumps(sent).encode())

    def tidy(self, rng):
        """Few things stay, so that a long run does not drown in its own."""
        for kept, path, most in ((self.jobs, "jobs", 12), (self.datasets, "datasets", 8)):
            while len(kept) > most:
                self.ask("DELETE", f"/{path}/{kept.pop(rng.randrange(len(kept)))}")
        for job in self.server.get("jobs?limit=1000").json["jobs"]:
            if job["state"] in ("queued", "running"):
                self.ask("POST", f"/jobs/{job['id']}/cancel", b"{}")
        self.jobs[:] = [job["id"] for job in self.server.get("jobs?limit=1000").json["jobs"]]
        there = {entry["id"] for entry in self.server.get("datasets").json["datasets"]}
        self.datasets[:] = [number for number in self.datasets if number in there]
        for number in sorted(there - set(self.datasets)):
            self.ask("DELETE", f"/datasets/{number}")
        if len(self.datasets) < 2:
            with contextlib.suppress(AssertionError):
                self.datasets.append(self.server.upload(fuzz_values.table(rng)))


# ---- data -----------------------------------------------------------------------------------------


class Data:
    """A file, and all questions to it."""

    def __init__(self, api):
        self.api = api

    def run(self, rng):
        api, values = self.api, fuzz_values.Values(rng, self.api.place, self.api.words)
        content = fuzz_values.hostile_file(values, large=SAID.seconds > 30 or SAID.only)
        number = self.upload(rng, content)
        if number is None:
            return
        for round_number in range(2):
            self.questions(rng, number)
            for kind in ("itemsets", "rules", "graphs"):
                self.mine(rng, number, kind)
            if round_number == 0:
                read = {"format": rng.choice(("table", "basket", "fimi", "onehot", "json", "spmf", "lg", "auto"))}
                api.ask("PATCH", f"/datasets/{number}", json.dumps({"read": read}).encode())
        api.ask("DELETE", f"/datasets/{number}")
        api.tidy(rng)

    def upload(self, rng, content):
        """In slices, which come twice, too early and past the end as well."""
        api = self.api
        made = api.ask("POST", "/datasets", json.dumps({"name": rng.choice(fuzz_values.NAMES[2:]), "bytes": len(content)}).encode())
        if not made or made[0] != 201:
            return None
        number, at = json.loads(made[1])["id"], 0
        api.datasets.append(number)
        while at < len(content):
            size = rng.choice((1, 1000, 8 << 20)) if len(content) < 20000 else 8 << 20
            if rng.random() < 0.2:
                api.ask("PUT", f"/datasets/{number}/content?offset={rng.choice((0, at + 1, len(content)))}", b"x", "application/octet-stream")
            sent = api.ask("PUT", f"/datasets/{number}/content?offset={at}", content[at:at + size], "application/octet-stream")
            if not sent or sent[0] not in (200, 409):
                return number
            at = json.loads(sent[1]).get("received", len(content))
        return number

    def questions(self, rng, number):
        for path in ("preview", "profile", "baskets?limit=20", "baskets?with=1&any=1", "pairs?items=60", "graphs/0", "graphs/7"):
            self.api.ask("GET", f"/datasets/{number}/{path}")
        self.api.ask("POST", f"/datasets/{number}/suggest", b'{"want":100,"limit-time":"1"}')
        self.api.ask("POST", f"/datasets/{number}/clean", json.dumps({"clean": rng.choice(({}, {"min-items": "2"}, {"case": "lower"}))}).encode())

    def mine(self, rng, number, kind):
        api = self.api
        made = api.ask("POST", "/jobs", json.dumps({"dataset": number, "kind": kind, "options": {
            "min-support": rng.choice(("5%", "30%", "2"))}}).encode())
        if not made or made[0] != 201:
            return
        job, state, end = json.loads(made[1])["id"], "queued", time.monotonic() + 3
        while state in ("queued", "running") and time.monotonic() < end:
            answer = api.ask("GET", f"/jobs/{job}")
            state = json.loads(answer[1])["state"] if answer and answer[0] == 200 else "gone"
            time.sleep(0.02)
        if state in ("queued", "running"):
            api.ask("POST", f"/jobs/{job}/{rng.choice(('cancel', 'keep'))}", b"{}")
        rows = "rules" if kind == "rules" else "patterns"
        for path in ("columns", f"{rows}?rows=50&sort=count", f"{rows}?rows=1000&skip=3", "rows/0", "histogram?x=count&y=support",
                     "network?edges=50", "occurrences/0", "export?format=csv"):
            api.ask("GET", f"/jobs/{job}/{path}")
        lines = api.ask("GET", f"/jobs/{job}/export?format=jsonl")
        if lines and lines[0] == 200:
            self.look_at_lines(lines[1])
        api.ask("DELETE", f"/jobs/{job}")

    def look_at_lines(self, text):
        for line in text.split(b"\n"):
            try:
                json.loads(line or b"{}")
            except ValueError as error:
                self.api.oracle.finding("a line of an export that is no JSON", f"{error}: {line[:600]!r}")
                return


# ---- the run --------------------------------------------------------------------------------------


def batches():
    """Names of batches, for ever; the three kinds in turn."""
    if SAID.only:
        yield SAID.only
        return
    number = 0
    while True:
        for kind in ("raw", "api", "data"):
            yield f"{kind}.{number}"
        number += 1


def fuzz(server, oracle, place):
    api = Api(server, oracle, place)
    api.prepare()
    kinds = {"raw": Raw(server, oracle, place), "api": api, "data": Data(api)}
    count, end = 0, time.monotonic() + SAID.seconds
    for name in batches():
        if time.monotonic() > end or len(oracle.findings) >= MOST_FINDINGS:
            break
        oracle.batch, count = name, count + 1
        kinds[name.split(".")[0]].run(random.Random(f"{SAID.seed}.{name}"))
        if not oracle.after_batch(name):
            break
    kinds["raw"].end()
    return count


def main():
    top = Path(tempfile.mkdtemp(prefix="lode-fuzz-"))
    place = top / f"fuzz{uuid.uuid4().hex[:10]}"
    for folder in (place, top / "home", top / "temporary", top / "work", top / "data"):
        folder.mkdir()
    secret = uuid.uuid4().hex
    (place / "secret").write_text(secret)
    os.chdir(top / "work")
    environment = {"HOME": str(top / "home"), "TMPDIR": str(top / "temporary"), "SQLITE_TMPDIR": str(top / "temporary"),
                   "XDG_DATA_HOME": str(top / "home")}
    server = Server("--max-rate", "1000000", "--memory", "1G", "--max-disk", "2G", "--max-upload", "64M", "--threads", "2",
                    data=top / "data", environment=environment)
    oracle, count = Oracle(server, place, secret), 0
    try:
        with server:
            count = fuzz(server, oracle, place)
        oracle.at_the_end()
    except AssertionError as error:
        oracle.finding("the end", str(error))
    finally:
        os.chdir("/")
        shutil.rmtree(top, ignore_errors=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{count} batches, {oracle.requests} answers, {used.ru_utime + used.ru_stime:.0f} s of CPU in {PROGRAM}; "
          f"{len(oracle.findings)} findings")
    if SAID.seen:
        for (operation, status), times in sorted(oracle.seen.items()):
            if times > 1:
                print(f"{times:8} {status} {operation[:80]}")
    return 1 if oracle.findings else 0


if __name__ == "__main__":
    sys.exit(main())
