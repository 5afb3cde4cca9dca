#!/usr/bin/env python3
"""Which folders the server takes as its own, and that no file is lost in any of them.

A folder is refused, unchanged, unless it is new or carries the server's marker, or its database has
the tables of an older server. Files that the database does not know are moved to lost/, and
`--recover` takes them back in. Folders are made here with SQL, as commit 82c1c97 wrote them.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from serving import LODE, PATIENCE, PROGRAM, Server, run_tests, within

UPLOADS, RESULTS = 60, 40
BASKETS = b"milk bread\nmilk\nbread beer\nmilk beer\n"

# The tables as commit 82c1c97 made them; they must never change.
TABLES = """
CREATE TABLE datasets (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,
 kind TEXT NOT NULL DEFAULT '', bytes INTEGER NOT NULL, received INTEGER NOT NULL DEFAULT 0,
 state TEXT NOT NULL, read TEXT NOT NULL DEFAULT '{}', clean TEXT NOT NULL DEFAULT '{}',
 profile TEXT, message TEXT, created REAL NOT NULL, used REAL NOT NULL);
CREATE TABLE jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, dataset INTEGER NOT NULL,
 dataset_name TEXT NOT NULL, kind TEXT NOT NULL, options TEXT NOT NULL DEFAULT '{}',
 read TEXT NOT NULL DEFAULT '{}', clean TEXT NOT NULL DEFAULT '{}', state TEXT NOT NULL,
 message TEXT, hint TEXT, patterns INTEGER NOT NULL DEFAULT 0, min_count INTEGER NOT NULL DEFAULT 0,
 total INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0, algorithm TEXT, device TEXT,
 times TEXT, report TEXT, created REAL NOT NULL, started REAL, ended REAL);
CREATE INDEX jobs_by_dataset ON jobs (dataset);
CREATE TABLE comparisons (job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
 position INTEGER NOT NULL, row TEXT NOT NULL, PRIMARY KEY (job, position)) WITHOUT ROWID;
CREATE TABLE views (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, created REAL NOT NULL);
PRAGMA user_version = 1;
"""


def arrow_bytes():
    """A result as a worker writes it."""
    with tempfile.TemporaryDirectory() as folder:
        data, result = Path(folder, "in.dat"), Path(folder, "out.arrow")
        data.write_bytes(BASKETS)
        subprocess.run([LODE, "itemsets", str(data), "-s", "2", "-w", "arrow", "-o", str(result), "-q"], check=True)
        return result.read_bytes()


def old_folder(folder, result):
    """A folder as 82c1c97 left it: data sets 1 … UPLOADS, results 1 … RESULTS, long rows."""
    for name in ("datasets", "results", "tmp"):
        (folder / name).mkdir(parents=True)
    (folder / "lock").touch()
    with contextlib.closing(sqlite3.connect(folder / "lode.sqlite")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(TABLES)
        for number in range(1, UPLOADS + 1):
            (folder / "datasets" / f"{number}.data").write_bytes(BASKETS)
            database.execute("INSERT INTO datasets (name, kind, bytes, received, state, profile, created, used)"
                             " VALUES (?, 'baskets', ?, ?, 'ready', ?, 1, ?)",
                             (f"file-{number}.dat", len(BASKETS), len(BASKETS), '{"x":"' + "p" * 400 + '"}', time.time()))
        for number in range(1, RESULTS + 1):
            (folder / "results" / f"{number}.arrow").write_bytes(result)
            database.execute("INSERT INTO jobs (dataset, dataset_name, kind, state, bytes, patterns, min_count, total,"
                             " report, created) VALUES (?, ?, 'itemsets', 'done', ?, 3, 2, 4, ?, 1)",
                             (number, f"file-{number}.dat", len(result), '{"y":"' + "r" * 600 + '"}'))
            for position in range(4):
                database.execute("INSERT INTO comparisons VALUES (?, ?, ?)",
                                 (number, position, '{"state":"done","z":"' + "c" * 300 + '"}'))
            database.execute("INSERT INTO views (text, created) VALUES (?, 1)", ("#/" + "v" * 300,))
        database.commit()
    return folder


def tree(folder):
    """Every file below a folder with its bytes; symbolic links with their targets. Of SQLite's own
    files only the database counts: reading it makes and removes the others."""
    found = {}
    for root, folders, names in os.walk(folder):
        for name in folders + names:
            path = Path(root, name)
            place = str(path.relative_to(folder))
            if place in ("lode.sqlite-shm", "lode.sqlite-wal"):
                continue
            found[place] = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
    return found


def contents(folder):
    """How often each content is there, whatever the files are called."""
    counts = {}
    for root, _, names in os.walk(folder):
        for name in names:
            data = Path(root, name).read_bytes()
            counts[data] = counts.get(data, 0) + 1
    return counts


def start_and_fail(folder, *words, port=0):
    """Starts a server that must refuse; returns its sentence."""
    done = subprocess.run([PROGRAM, "--port", str(port), "--data", str(folder), *words], capture_output=True, text=True,
                          env={**os.environ, "LODE_BIN": LODE}, timeout=PATIENCE)
    assert done.returncode == 1 and done.stdout == "", (done.returncode, done.stdout, done.stderr)
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("lode: "), done.stderr
    return done.stderr


class FolderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = arrow_bytes()

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name, "data")
        self.folder.mkdir()

    def refused(self, *words, port=0):
        before = tree(self.folder)
        message = start_and_fail(self.folder, *words, port=port)
        self.assertEqual(tree(self.folder), before)
        return message

    def counts(self, server):
        datasets = server.get("datasets", {"limit": 1000}).json["datasets"]
        jobs = server.get("jobs", {"limit": 1000}).json["jobs"]
        return sum(d["state"] == "ready" for d in datasets), sum(j["state"] in ("done", "kept") for j in jobs)

    def lost(self):
        return sorted(path.name for path in (self.folder / "lost").iterdir()) if (self.folder / "lost").exists() else []


class Foreign(FolderTest):
    """What is not the server's."""

    def fill(self):
        for place in ("tmp/keep.txt", "results/thesis.csv", "results/7.arrow", "datasets/2019.csv", "datasets/1.data"):
            path = self.folder / place
            path.parent.mkdir(exist_ok=True)
            path.write_text(place)

    def test_files_of_others(self):
        self.fill()
        self.assertIn("--recover", self.refused())  # it looks like a folder whose database is gone
        shutil.rmtree(self.folder / "datasets")
        (self.folder / "results" / "7.arrow").unlink()
        message = self.refused()
        self.assertIn("was not created by lode serve", message)
        self.assertNotIn("--recover", message)

    def test_one_file_is_enough(self):
        (self.folder / "notes.txt").write_text("mine")
        self.refused()
        self.refused("--recover")

    def test_a_database_of_another_program(self):
        self.fill()
        with contextlib.closing(sqlite3.connect(self.folder / "lode.sqlite")) as database:
            database.execute("CREATE TABLE datasets (title TEXT)")
            database.commit()
        self.refused()

    def test_a_port_that_is_taken(self):
        old_folder(self.folder / "own", self.result)
        (self.folder / "own" / "tmp" / "keep.txt").write_text("mine")
        self.folder /= "own"
        with socket.create_server(("127.0.0.1", 0)) as other:
            self.assertIn("cannot listen", self.refused(port=other.getsockname()[1]))

    def test_folders_that_are_links(self):
        for name in ("results", "datasets", "tmp"):
            with self.subTest(name), tempfile.TemporaryDirectory() as other:
                Path(other, "7.arrow").write_text("mine")
                Path(other, "1.data").write_text("mine")
                own = Path(other, "own")
                with Server(data=own):
                    pass
                (own / name).rmdir()
                (own / name).symlink_to(other)
                self.folder = own
                self.assertIn("symbolic link", self.refused())
                self.assertEqual(Path(other, "7.arrow").read_text(), "mine")

    def test_a_marker_that_is_none(self):
        for words in ("", "lode", "format 2\ndatabase x\n", "\0" * 100, "x" * 100000):
            (self.folder / "lode.folder").write_text(words)
            self.refused()
            self.refused("--recover")

    def test_files_beside_our_own_stay(self):
        """Only names that the server makes are its own, also in its own folders."""
        with Server(data=self.folder):
            pass
        for place in ("tmp/keep.txt", "results/thesis.csv", "datasets/2019.csv", "results/7.arrow.bak", "notes"):
            (self.folder / place).write_text(place)
        with Server(data=self.folder) as server:
            server.look_for_remains = lambda said="": None  # tmp/keep.txt
        for place in ("tmp/keep.txt", "results/thesis.csv", "datasets/2019.csv", "results/7.arrow.bak", "notes"):
            self.assertEqual((self.folder / place).read_text(), place)


class Own(FolderTest):
    """What is the server's, whole or in part."""

    def test_a_folder_of_an_older_server(self):
        old_folder(self.folder / "own", self.result)
        self.folder /= "own"
        for name in ("99.arrow", "1.arrow.tmp.123"):
            (self.folder / "results" / name).write_text(name)
        (self.folder / "datasets" / "99.data").write_text("99.data")
        before = contents(self.folder / "datasets")
        with Server(data=self.folder) as server:
            self.assertEqual(self.counts(server), (UPLOADS, RESULTS))
            self.assertIn("lost", server.messages())
            self.assertEqual(server.get("jobs/3/patterns").json["total"], 3)
            job = server.get("jobs/3").json  # its options were kept, but no fingerprint of its data
            self.assertEqual((job["read"], job["clean"], job["fingerprint"]), ({}, {}, None))
            self.assertEqual((job["name"], job["note"], job["family"], job["folded"]), ("", "", 3, 0))
            self.assertEqual(server.patch("jobs/3", {"name": "Bread", "note": "of 2026"}).status, 200)
            self.assertEqual(server.get("jobs/3/pairs").status, 200)
        self.assertEqual(self.lost(), ["99.arrow", "99.data"])
        self.assertTrue((self.folder / "lode.folder").exists())
        self.assertEqual(len(before), 2)
        with Server(data=self.folder) as server:  # and again, now by its marker
            self.assertEqual(self.counts(server), (UPLOADS, RESULTS))
            self.assertEqual(server.get("jobs/3").json["name"], "Bread")

    def test_nothing_but_the_log(self):
        """After kill -9 an older server has everything in lode.sqlite-wal."""
        old_folder(self.folder / "source", self.result)
        shutil.copytree(self.folder / "source", self.folder / "own")
        script = ("import os, sqlite3, sys\n"
                  "d = sqlite3.connect(sys.argv[1]); d.execute('PRAGMA journal_mode = WAL')\n"
                  "d.execute('PRAGMA wal_autocheckpoint = 0'); d.executescript(sys.argv[2])\n"
                  "d.execute(\"ATTACH ? AS old\", (sys.argv[3],))\n"
                  "for t in ('datasets', 'jobs'): d.execute(f'INSERT INTO {t} SELECT * FROM old.{t}')\n"
                  "d.commit(); os.kill(os.getpid(), 9)\n")
        own = self.folder / "own"
        (own / "lode.sqlite").unlink()
        subprocess.run(["python3", "-c", script, str(own / "lode.sqlite"), TABLES, str(self.folder / "source/lode.sqlite")])
        self.assertGreater((own / "lode.sqlite-wal").stat().st_size, 10000)
        shutil.copytree(own, self.folder / "without")
        (self.folder / "without" / "lode.sqlite-wal").unlink()
        with Server(data=own) as server:
            self.assertEqual(self.counts(server), (UPLOADS, RESULTS))
        self.folder /= "without"
        (self.folder / "lode.sqlite-shm").unlink(missing_ok=True)
        self.assertIn("--recover", self.refused())
        with Server("--recover", data=self.folder) as server:
            self.assertEqual(self.counts(server), (UPLOADS, RESULTS))

    def make_own(self):
        old_folder(self.folder / "own", self.result)
        self.folder /= "own"
        with Server(data=self.folder):
            pass

    def test_a_database_that_is_gone(self):
        self.make_own()
        kept = (self.folder / "lode.sqlite").read_bytes()
        for how in ("missing", "empty", "of another folder", "no database"):
            with self.subTest(how):
                database = self.folder / "lode.sqlite"
                if how == "missing":
                    database.unlink()
                elif how == "empty":
                    database.write_bytes(b"")
                elif how == "no database":
                    database.write_bytes(b"not a database at all" * 100)
                else:
                    with tempfile.TemporaryDirectory() as other:
                        with Server(data=Path(other, "x")):
                            pass
                        shutil.copy(Path(other, "x", "lode.sqlite"), database)
                self.assertIn("--recover", self.refused())
                database.write_bytes(kept)
                with Server(data=self.folder) as server:
                    self.assertEqual(self.counts(server), (UPLOADS, RESULTS))
                self.assertEqual(self.lost(), [])
                kept = database.read_bytes()

    def test_recover_without_a_database(self):
        """Uploads and results come back under their numbers; what is no result stays in lost/."""
        self.make_own()
        (self.folder / "lode.sqlite").unlink()
        (self.folder / "results" / "41.arrow").write_text("half a result")
        (self.folder / "datasets" / "61.part").write_text("half an upload")
        os.mkfifo(self.folder / "datasets" / "70.data")
        os.symlink("/etc/passwd", self.folder / "results" / "70.arrow")
        with Server("--recover", data=self.folder) as server:
            self.assertEqual(self.counts(server), (UPLOADS, RESULTS))
            self.assertRegex(server.messages(), r"60 data sets and 40 results")
            self.assertIn("41.arrow", server.messages())
            self.assertEqual(server.get("jobs/7/patterns").json["total"], 3)
            self.assertEqual(server.mine(5, min_support="2")["patterns"], 3)
            self.assertEqual(server.upload(BASKETS, "new.dat") > 61, True)  # no number is used twice
        self.assertEqual(self.lost(), ["41.arrow", "61.part", "70.arrow", "70.data"])
        with Server(data=self.folder) as server:
            self.assertEqual(self.counts(server), (UPLOADS + 1, RESULTS + 1))

    def test_recover_beside_a_database_of_another_folder(self):
        """Its rows speak of other files: none is taken."""
        self.make_own()
        with tempfile.TemporaryDirectory() as other:
            with Server(data=Path(other, "x")) as server:
                server.upload(BASKETS, "salaries.dat")
            shutil.copy(Path(other, "x", "lode.sqlite"), self.folder / "lode.sqlite")
        with Server("--recover", data=self.folder) as server:
            self.assertEqual(self.counts(server), (UPLOADS, RESULTS))
            self.assertNotIn("salaries.dat", server.get("datasets").body.decode())
            self.assertIn("of another folder", server.messages())

    def test_recover_beside_a_locked_database(self):
        """It is sound, and stays where it is."""
        self.make_own()
        with contextlib.closing(sqlite3.connect(self.folder / "lode.sqlite", timeout=PATIENCE)) as other:
            other.execute("PRAGMA locking_mode = EXCLUSIVE")
            other.execute("BEGIN EXCLUSIVE")
            self.assertIn("locked", start_and_fail(self.folder, "--recover"))
        with Server(data=self.folder) as server:
            self.assertEqual(self.counts(server), (UPLOADS, RESULTS))
        self.assertEqual(self.lost(), [])

    def test_a_row_of_a_comparison_that_is_no_json(self):
        self.make_own()
        with contextlib.closing(sqlite3.connect(self.folder / "lode.sqlite")) as database:
            database.execute("INSERT INTO comparisons (job, position, row) VALUES (1, 99, '{\"state\": \"do')")
            database.commit()
        with Server(data=self.folder) as server:
            self.assertEqual(self.counts(server), (UPLOADS, RESULTS))

    def test_rows_that_are_missing(self):
        """As of a database that was copied without its log: the files are set aside, then taken back."""
        self.make_own()
        with contextlib.closing(sqlite3.connect(self.folder / "lode.sqlite")) as database:
            database.execute("DELETE FROM datasets WHERE id > 50")
            database.execute("DELETE FROM jobs WHERE id > 30")
            database.execute("UPDATE jobs SET name = 'Bread', note = 'of 2026', family = 2 WHERE id = 3")
            database.commit()
        before = contents(self.folder)
        with Server(data=self.folder) as server:
            self.assertEqual(self.counts(server), (50, 30))
            self.assertIn("--recover", server.messages())
        self.assertEqual(len(self.lost()), 20)
        self.assertEqual(before[BASKETS], contents(self.folder)[BASKETS])
        with Server("--recover", data=self.folder) as server:
            self.assertEqual(self.counts(server), (UPLOADS, RESULTS))
            job = server.get("jobs/3").json
            self.assertEqual((job["name"], job["note"], job["family"]), ("Bread", "of 2026", 2))
        self.assertEqual(self.lost(), [])

    def test_a_lock_that_is_removed(self):
        with Server(data=self.folder):
            (self.folder / "lock").unlink()
            self.assertIn("another lode server", start_and_fail(self.folder))

    def test_a_finished_result_that_was_not_noted(self):
        """The server was killed between the end of a search and its row: the result counts."""
        self.make_own()
        with contextlib.closing(sqlite3.connect(self.folder / "lode.sqlite")) as database:
            database.execute("UPDATE jobs SET state = 'running', patterns = 0 WHERE id IN (3, 4)")
            database.commit()
        (self.folder / "results" / "4.arrow").rename(self.folder / "results" / "4.arrow.tmp.99")
        with Server(data=self.folder) as server:
            job = server.get("jobs/3").json
            self.assertEqual((job["state"], job["patterns"], job["total"]), ("done", 3, 4))
            self.assertEqual(server.get("jobs/4").json["state"], "lost")
        self.assertEqual(self.lost(), [])
        self.assertFalse((self.folder / "results" / "4.arrow.tmp.99").exists())

    def test_deleted_is_deleted(self):
        """A kill in the middle of a deletion: the next start ends it, and nothing goes to lost/."""
        self.make_own()
        with contextlib.closing(sqlite3.connect(self.folder / "lode.sqlite")) as database:
            database.execute("INSERT INTO trash VALUES ('dataset', 5), ('job', 6)")
            database.execute("DELETE FROM datasets WHERE id = 5")
            database.execute("DELETE FROM jobs WHERE id = 6")
            database.commit()
        with Server(data=self.folder) as server:
            self.assertEqual(self.counts(server), (UPLOADS - 1, RESULTS - 1))
        self.assertEqual(self.lost(), [])
        self.assertFalse((self.folder / "datasets" / "5.data").exists())
        self.assertFalse((self.folder / "results" / "6.arrow").exists())


# ---- pages of the database that are damaged -------------------------------------------------------


def page_children(data, size, page):
    """The pages below an interior page of a b-tree; none: it is a leaf."""
    start = (page - 1) * size + (100 if page == 1 else 0)
    if data[start] not in (2, 5):
        return []
    cells = int.from_bytes(data[start + 3:start + 5], "big")
    found = [int.from_bytes(data[start + 8:start + 12], "big")]
    for i in range(cells):
        at = int.from_bytes(data[start + 12 + 2 * i:start + 14 + 2 * i], "big") + (page - 1) * size
        found.append(int.from_bytes(data[at:at + 4], "big"))
    return found


def pages_of(path):
    """[(what, page)]: root and two leaves of each table and index."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = database.execute("PRAGMA page_size").fetchone()[0]
        roots = database.execute("SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0").fetchall()
    data = path.read_bytes()
    found = []
    for name, root in roots:
        found.append((f"{name} root", root))
        leaf = root
        while page_children(data, size, leaf):
            leaf = page_children(data, size, leaf)[0]
        last = root
        while page_children(data, size, last):
            last = page_children(data, size, last)[-2]
        found += [(f"{name} leaf", page) for page in {leaf, last} - {root}]
    return size, found


def damage(data, size, page, how):
    data = bytearray(data)
    start = (page - 1) * size
    if how == "zeroes":
        data[start:start + size] = bytes(size)
    elif how == "junk":
        data[start:start + size] = bytes((i * 37 + 11) % 256 for i in range(size))
    else:
        data[start] ^= 0xFF
    return bytes(data)


class Damaged(FolderTest):
    def test_every_kind_of_page(self):
        old_folder(self.folder / "own", self.result)
        self.folder /= "own"
        with Server(data=self.folder):
            pass
        path = self.folder / "lode.sqlite"
        whole, files = path.read_bytes(), contents(self.folder)
        size, pages = pages_of(path)
        self.assertGreaterEqual({name.split()[0] for name, _ in pages},
                                {"datasets", "jobs", "jobs_by_dataset", "comparisons", "views"})
        self.assertTrue(any(name == "datasets leaf" for name, _ in pages), pages)
        for number, (what, page) in enumerate(pages):
            for how in ("zeroes", "junk", "type"):
                with self.subTest(page=what, how=how):
                    path.write_bytes(damage(whole, size, page, how))
                    message = self.refused()
                    self.assertTrue("damaged" in message or "malformed" in message, message)
            if number % 3 == 0:  # and what can be saved is: all files, and most names
                recovered = self.folder.parent / f"copy-{number}"
                shutil.copytree(self.folder, recovered)
                with Server("--recover", data=recovered) as server:
                    self.assertEqual(self.counts(server), (UPLOADS, RESULTS), what)
                    names = [d["name"] for d in server.get("datasets", {"limit": 1000}).json["datasets"]]
                    if not what.startswith("datasets root"):
                        self.assertGreater(sum(name.startswith("file-") for name in names), UPLOADS / 2, what)
                after = contents(recovered)
                for data, n in files.items():
                    if data != whole and b"lode serve" not in data:  # the database and its marker
                        self.assertGreaterEqual(after.get(data, 0), n, what)
                shutil.rmtree(recovered)
        path.write_bytes(whole)
        with Server(data=self.folder) as server:
            self.assertEqual(self.counts(server), (UPLOADS, RESULTS))


if __name__ == "__main__":
    run_tests()
