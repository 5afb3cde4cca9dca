#!/usr/bin/env python3
"""Loads lode-server as many visitors do, and says whether they notice each other.

usage: serve_load.py [options]

Writes a result of --patterns itemsets with the lode command, starts a server on it, and measures the
answers of one client while nothing else happens. Then --clients clients turn a page each --every
seconds over connections that stay open, while --jobs jobs mine and --idle and --slow connections
stand by (slow: a request that comes byte by byte). Pages are a mix of
  plain     a place in the order of the file
  sorted    a place in one of four orders of all patterns
  filtered  a place in one of twelve views with a filter, some of them sorted
  fresh     a filter of three columns that nobody has asked for before (--fresh of them a second)
The verdict is on the first three together: no error, and a p99 of at most --most times that of the
one client, or below --floor milliseconds; and on one client's fresh filters, whose median may be
--filter-most times that of a plain pass over the same columns by one thread (bench-column-pass, built
beside lode; the two take turns), or below --floor. Exit status 1 if it fails.

With --only KIND all clients ask for pages of one kind, one after the other without a pause, and nothing
else happens: how many answers a second there are, and what an answer costs the server. `item` is a filter
by an item and a count that nobody has asked for before, at any place.

    build/lode-server has to be there, or LODE_SERVER and LODE_BIN name the programs.
    serve_load.py --seconds 60                                        the load that lode promises
    serve_load.py --seconds 3 --clients 20 --patterns 100000 --jobs 1 a quick look
    serve_load.py --only item --clients 100 --patterns 1009360 --seconds 10

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import asyncio
import contextlib
import itertools
import json
import random
import resource
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "server"))
from serving import LODE, Server  # noqa: E402

ROWS = 100  # of a page
SORTED = [("count", 0), ("count", 1), ("size", 0), ("size", 1)]
KINDS = ("plain", "sorted", "filtered", "fresh")
ONLY = (*KINDS, "item")


# ---- data ----

def blocks_of(patterns):
    """Sizes of blocks of items, all of whose subsets are frequent: 2^size - 1 itemsets each."""
    return [bit for bit in range(patterns.bit_length() - 1, 0, -1) if patterns >> bit & 1]


def write_baskets(path, patterns):
    """Baskets of one block each; two of them have all items of it, so that every subset occurs twice."""
    draw = random.Random(19)
    with open(path, "w", encoding="ascii") as out:
        for block, size in enumerate(blocks_of(patterns)):
            items = [f"{block}-{item}" for item in range(size)]
            for basket in [items, items] + [[item for i, item in enumerate(items) if draw.random() < 0.98 - i / 40]
                                            for _ in range(300)]:
                out.write(",".join(basket or items[:1]) + "\n")


def make_result(server, patterns):
    """A result of the server, as if it had mined it. Returns how many rows it has."""
    baskets = server.data / "baskets.csv"
    write_baskets(baskets, patterns)
    done = subprocess.run([LODE, "itemsets", str(baskets), "-s", "2", "-w", "arrow", "-q", "-o",
                           str(server.data / "results" / "1.arrow")], capture_output=True, check=False)
    baskets.unlink()
    if done.returncode != 0:
        raise SystemExit(f"the result could not be written: {done.stderr.decode(errors='replace')}")
    database = sqlite3.connect(server.data / "lode.sqlite", timeout=10)
    with database:
        database.execute("INSERT INTO jobs (id, dataset, dataset_name, kind, options, state, created) "
                         "VALUES (1, 0, 'baskets.csv', 'itemsets', '{}', 'done', ?)", (time.time(),))
    database.close()
    return sum(2**size - 1 for size in blocks_of(patterns))


# ---- pages ----

class Pages:
    """Draws what clients ask for."""

    def __init__(self, total, seed=5):
        self.total, self.draw, self.fresh = total, random.Random(seed), 0
        self.items = blocks_of(total + 1)[0]
        self.filters = [f"has=0-{i}" for i in range(4)] + [f"min=count%3D{3 + i}" for i in range(4)] + [
            f"lacks=0-{i}&sort=size" for i in range(2)] + [f"has=0-{i}&sort=count&reverse=1" for i in range(2)]
        self.found = {}

    def path(self, kind):
        if kind == "fresh":
            self.fresh += 1
            return (f"min=count%3D{2 + self.fresh % 50}&min=size%3D{1 + self.fresh % 3}"
                    f"&max=support%3D{0.5 - self.fresh / 1e5}&rows={ROWS}")
        if kind == "item":
            self.fresh += 1
            return (f"has=0-{self.fresh % self.items}&min=count%3D{2 + self.fresh // self.items}"
                    f"&skip={self.draw.randrange(self.total // 4)}&rows={ROWS}")
        view, total = "", self.total
        if kind == "sorted":
            name, reverse = self.draw.choice(SORTED)
            view = f"sort={name}&reverse={reverse}&"
        elif kind == "filtered":
            one = self.draw.choice(self.filters)
            view, total = one + "&", self.found.get(one, 1)
        return f"{view}skip={self.draw.randrange(max(1, total - ROWS))}&rows={ROWS}"

    def kind(self):
        return self.draw.choices(KINDS[:3], (4, 4, 2))[0]


class Client:
    """One connection that stays open."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 22)

    async def close(self):
        if self.writer:
            self.writer.close()
            with contextlib.suppress(OSError):
                await self.writer.wait_closed()
        self.reader = self.writer = None

    async def get(self, path):
        """(status, body)"""
        if not self.writer:
            await self.open()
        self.writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        body = await self.reader.readexactly(int(fields[b"content-length"]))
        if fields.get(b"connection") == b"close":
            await self.close()
        return int(head.split()[1]), body

    async def timed(self, path, patience=30):
        """(seconds, None or what went wrong)"""
        start = time.perf_counter()
        try:
            status, body = await asyncio.wait_for(self.get(path), patience)
            wrong = None if status == 200 else f"{status} {body[:200].decode(errors='replace')}"
        except (OSError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError) as error:
            wrong = repr(error)
            await self.close()
        return time.perf_counter() - start, wrong


class Times:
    """Seconds by kind of page, and errors."""

    def __init__(self, kinds=KINDS):
        self.seconds, self.errors = {kind: [] for kind in kinds}, []

    def add(self, kind, seconds, wrong):
        if wrong:
            self.errors.append(f"{kind}: {wrong}")
        else:
            self.seconds[kind].append(seconds)

    def of(self, *kinds):
        return sorted(second for kind in kinds for second in self.seconds[kind])


def quantile(values, share):
    return values[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


# ---- phases ----

async def warm(port, pages):
    """Asks each view until its pages are ready; notes how many rows filters find."""
    client = Client(port)
    for one in pages.filters:
        status, body = await client.get(f"/api/v1/jobs/1/patterns?{one}&rows=1")
        if status != 200:
            raise SystemExit(f"{one}: {status} {body[:300].decode(errors='replace')}")
        pages.found[one] = json.loads(body)["found"]
    views = [(f"sort={name}&reverse={reverse}", pages.total) for name, reverse in SORTED]
    for view, total in views + list(pages.found.items()):
        for skip in [0, 5000, *(range(0, total, 1 << 20) if "sort" in view else ())]:
            await client.timed(f"/api/v1/jobs/1/patterns?{view}&skip={skip}&rows=1")
    await client.close()


async def turn_pages(port, pages, times, end, every, kind=None):
    """One client until the end."""
    client, due = Client(port), time.perf_counter() + pages.draw.random() * every
    while due < end:
        await asyncio.sleep(max(0, due - time.perf_counter()))
        one = kind or pages.kind()
        times.add(one, *await client.timed("/api/v1/jobs/1/patterns?" + pages.path(one)))
        due = max(due + every, time.perf_counter())
    await client.close()


async def stand_by(port, slow, delay):
    """A connection that says nothing, or one byte a second, until it is cancelled; when the server has
    enough of it, it comes again."""
    await asyncio.sleep(delay)
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        closed = asyncio.ensure_future(reader.read(1))
        try:
            for byte in "GET /api/v1/about HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + "x" * 10000:
                if slow:
                    writer.write(byte.encode())
                if (await asyncio.wait({closed}, timeout=1))[0]:
                    break
        finally:
            closed.cancel()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await closed
            writer.close()


async def measure(port, pages, options, alone):
    others = [] if alone else [asyncio.create_task(stand_by(port, i < options.slow, pages.draw.random()))
                               for i in range(options.slow + options.idle)]
    await asyncio.sleep(2 if others else 0)  # their connecting is not what is measured
    times, end = Times(), time.perf_counter() + options.seconds
    work = [turn_pages(port, pages, times, end, options.every / (20 if alone else 1))
            for _ in range(1 if alone else options.clients)]
    work.append(turn_pages(port, pages, times, end, 1 / options.fresh, "fresh"))
    await asyncio.gather(*work)
    for other in others:
        other.cancel()
    ended = await asyncio.gather(*others, return_exceptions=True)
    times.errors += [f"standing by: {error!r}" for error in ended if isinstance(error, OSError)]
    return times


async def measure_only(server, pages, options):
    """Answers a second of one kind of page, and what they cost."""
    times, start, before = Times(ONLY), time.perf_counter(), server.seconds()[1]
    await asyncio.gather(*[turn_pages(server.port, pages, times, start + options.seconds, 0, options.only)
                           for _ in range(options.clients)])
    seconds, cost, values = time.perf_counter() - start, server.seconds()[1] - before, times.of(options.only)
    print(f"{options.only}: {len(values) / seconds:.0f} answers a second; CPU of the server {1000 * cost / max(1, len(values)):.2f} ms "
          f"an answer; milliseconds: median {1000 * quantile(values, 0.5):.1f}, p99 {1000 * quantile(values, 0.99):.1f}, "
          f"most {1000 * quantile(values, 1):.1f}; {len(times.errors)} errors {times.errors[:1]}")
    return not times.errors


# ---- a filter beside a plain pass ----

PASS = Path(LODE).parent / "bench-column-pass"
TURNS = 15


def filter_times(server):
    """Median seconds of a filter of three columns that was never requested before, and of a plain
    pass over these columns, in alternation; None if the program for the pass is not built."""
    if not PASS.exists():
        return None
    asked, passed = [], []
    with subprocess.Popen([str(PASS), str(server.data / "results" / "1.arrow")], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as plain:
        for turn in range(TURNS):
            bounds = (2 + turn, 1 + turn % 3, 0.9 - turn / 1e4)
            plain.stdin.write("%d %d %.6f\n" % bounds)
            plain.stdin.flush()
            seconds, found = plain.stdout.readline().split()
            start = time.perf_counter()
            answer = server.get("jobs/1/patterns", {"min": [f"count={bounds[0]}", f"size={bounds[1]}"],
                                                    "max": f"support={bounds[2]:.6f}", "rows": ROWS})
            asked.append(time.perf_counter() - start)
            passed.append(float(seconds))
            if answer.status != 200 or answer.json["found"] != int(found):
                raise SystemExit(f"filter {bounds}: the plain pass finds {found}, the server says {answer}")
        plain.stdin.close()
    return quantile(sorted(asked), 0.5), quantile(sorted(passed), 0.5)


# ---- jobs ----

def upload_noise(server, count):
    """Uploads data sets whose mining takes minutes and finds nothing of the requested size."""
    datasets = []
    for seed in range(count):
        draw = random.Random(seed)
        lines = (" ".join(str(item) for item in range(60) if draw.random() < 0.6) for _ in range(900))
        datasets.append(server.upload("\n".join(lines).encode() + b"\n", f"noise-{seed}.dat"))
    return datasets


def keep_mining(server, dataset, stop):
    """Runs one job after another on a data set until the end. Returns how many."""
    options = {"min-support": "3%", "target": "closed", "min-size": "14"}
    for n in itertools.count(1):
        made = server.post("jobs", {"dataset": dataset, "kind": "itemsets", "options": options})
        if made.status != 201:
            raise RuntimeError(f"no job could be started: {made}")
        number, state = made.json["id"], "queued"
        while state in ("queued", "running"):
            time.sleep(0.5)
            if stop.is_set():
                server.post(f"jobs/{number}/cancel")
            state = server.get(f"jobs/{number}").json["state"]
        if stop.is_set():
            return n


async def under_load(server, pages, options):
    """The phase of many clients, with jobs beside it."""
    stop = asyncio.Event()
    datasets = upload_noise(server, options.jobs)
    mining = [asyncio.create_task(asyncio.to_thread(keep_mining, server, dataset, stop)) for dataset in datasets]
    await asyncio.sleep(1 if mining else 0)
    times = await measure(server.port, pages, options, alone=False)
    stop.set()
    return times, sum(await asyncio.gather(*mining))


# ---- the report ----

def show(title, times):
    for kind in (*KINDS, "pages"):
        values = times.of(*KINDS[:3]) if kind == "pages" else times.of(kind)
        if not values:
            continue
        cells = (quantile(values, 0.5), quantile(values, 0.9), quantile(values, 0.99), values[-1])
        print(f"{title:<12} {kind:<9} {len(values):>7}" + "".join(f" {1000 * cell:>9.2f}" for cell in cells))
    for error in times.errors[:5]:
        print(f"{title:<12} ERROR     {error}")


def filter_verdict(times, options):
    if times is None:
        print(f"filter: not measured: {PASS} is not built")
        return True
    asked, passed = times
    good = asked <= options.filter_most * passed or asked * 1000 <= options.floor
    print(f"filter: {'good' if good else 'BAD'}: {1000 * asked:.2f} ms, {asked / passed:.1f} times the {1000 * passed:.2f} ms of a "
          f"plain pass (at most {options.filter_most:g} times, or {options.floor:g} ms)")
    return good


def verdict(alone, crowd, options):
    base, most = (quantile(times.of(*KINDS[:3]), 0.99) for times in (alone, crowd))
    errors = len(alone.errors) + len(crowd.errors)
    good = errors == 0 and (most <= options.most * base or most * 1000 <= options.floor)
    print(f"verdict: {'good' if good else 'BAD'}: {errors} errors; p99 {1000 * most:.2f} ms, "
          f"{most / base:.1f} times the {1000 * base:.2f} ms of one client (at most {options.most:g} times, or "
          f"{options.floor:g} ms)")
    return good


def read_options():
    reader = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, kind, fallback, words in (
            ("seconds", float, 60, "of each of the two phases"), ("clients", int, 200, "that turn pages"),
            ("every", float, 1, "seconds between two pages of a client"),
            ("patterns", int, 10_000_000, "rows of the result, about"), ("jobs", int, 4, "that mine meanwhile"),
            ("idle", int, 0, "connections that say nothing"), ("slow", int, 0, "connections that send a byte a second"),
            ("fresh", float, 0.5, "filters a second that nobody has asked for before"),
            ("most", float, 5, "times the p99 of one client"), ("filter-most", float, 3, "times a plain pass"), ("floor", float, 5, "milliseconds that are always good")):
        reader.add_argument(f"--{name}", type=kind, default=fallback, help=f"{words} [{fallback}]")
    reader.add_argument("--only", choices=ONLY, help="pages of one kind, without a pause")
    return reader.parse_args()


def main():
    options = read_options()
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(files, 65536) if files > 0 else 65536, files))
    with Server("--max-rate", "100000", "--max-connections", "8192") as server:
        pages = Pages(make_result(server, options.patterns))
        asyncio.run(warm(server.port, pages))
        if options.only:
            return 0 if asyncio.run(measure_only(server, pages, options)) else 1
        print(f"{pages.total} patterns, {options.clients} clients, {options.jobs} jobs, {options.idle} idle and "
              f"{options.slow} slow connections; milliseconds")
        print(f"{'':<12} {'':<9} {'answers':>7} {'median':>9} {'p90':>9} {'p99':>9} {'most':>9}")
        filtered = filter_times(server)
        alone = asyncio.run(measure(server.port, pages, options, alone=True))
        show("one client", alone)
        crowd, mined = asyncio.run(under_load(server, pages, options))
        show("all", crowd)
        print(f"jobs that ran meanwhile: {mined}; memory of the server {server.resident() >> 20} MiB, with what is mapped")
        good = filter_verdict(filtered, options)
        return 0 if verdict(alone, crowd, options) and good else 1


if __name__ == "__main__":
    sys.exit(main())
