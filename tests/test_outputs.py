#!/usr/bin/env python3
"""Files that lode writes beside those of others: nothing that lode did not make is overwritten,
followed, renamed or removed.

Each writer of the command line meets the same obstacles at the names that it makes up: files of the
user, and symbolic links to a file, to a folder and to nothing. After each run the folder is what it
was, plus the result; or there is an error that names the file, and the folder is what it was.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from patience import size_of

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
FOR_THREADS = b"__tsan_init" in Path(LODE).read_bytes()
SANITIZED = FOR_THREADS or b"__asan_init" in Path(LODE).read_bytes()
GRAPH = "v 0 a\nv 1 b\nv 2 c\ne 0 1 x\ne 1 2 y\n"
INPUTS = {"baskets.dat": "1 2 3\n1 2 3 4\n2 3 4\n1 3\n1 2\n2 3 5\n",
          "data.lg": "".join(f"t # {i}\n{GRAPH}" for i in range(3))}
MINE = "a file of the user\n"
# Where nobody waits for a disk.
FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None

# Commands that write OUT; in `made`, what else a command writes.
WRITERS = {
    "itemsets": "itemsets baskets.dat -s 2 -q -o OUT",
    "journal": "itemsets baskets.dat -s 2 -q --journal -o OUT",
    "share": "itemsets baskets.dat -s 2 -q --share 1/2 -o OUT",
    "top": "itemsets baskets.dat -s 1 -t top:3 -q --share 1/2 -o OUT",
    "merge": "merge part1 part2 -q -o OUT",
    "suggest": "suggest baskets.dat -w csv --svg OUT",
    "compare": "compare baskets.dat -s 2 --algorithms adaptive --plot OUT",
    "report": "itemsets baskets.dat -s 2 -c --report json=OUT",
    "clean report": "clean baskets.dat -f basket --dry-run --report json=OUT",
    "map": "clean baskets.dat -f basket --dry-run -q --suggest-map OUT",
    "clean": "clean baskets.dat -f fimi -w fimi -q -o OUT",
    "generate": "generate quest -n 20 --items 20 -o OUT",
    "graphs": "graphs data.lg -s 2 -q -o OUT",
}
if SANITIZED:  # the others have no code of their own
    WRITERS = {name: WRITERS[name] for name in ("itemsets", "journal", "share", "top", "merge", "report")}
BESIDE = ("", ".share.json")
MADE = {"share": BESIDE, "top": BESIDE}
RESUMABLE = ("journal", "share")


def look(folder):
    """What a folder has: the text of files, where links lead to. Process numbers are PID."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = re.sub(r"\.tmp\.\d+$", ".tmp.PID", str(path.relative_to(folder)))
        if path.is_symlink():
            found[name] = "-> " + os.readlink(path)
        else:
            found[name] = path.read_bytes() if path.is_file() else "a folder"
    return found


def limit_files(n_bytes):
    """For a child: no file of it may get longer, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lode-outputs-", dir=FOLDER)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in INPUTS.items():
            self.write(name, text)

    def write(self, name, text=MINE):
        path = self.folder / name
        path.write_text(text)
        return path

    def shell(self, text, **more):
        """A line of bash, in which PID is the number of the process that `exec` turns into lode."""
        return subprocess.run(["bash", "-c", text.replace("PID", "$$")], cwd=self.folder, timeout=120,
                              env={**os.environ, "lode": LODE}, capture_output=True, text=True, **more)

    def lode(self, words, ok=0, **more):
        done = self.shell(f'exec "$lode" {words}', **more)
        if ok is not None:
            self.assertEqual(done.returncode, ok, f"{words}\n{done.stderr}")
        return done

    def make_parts(self):
        for k in (1, 2):
            self.lode(f"itemsets baskets.dat -s 2 -q --share {k}/2 -o part{k}")

    def check_refused(self, done, before, *words):
        """An error that says these words; nothing has changed."""
        self.assertIn(done.returncode, (1, 2, 3), f"{done.args[-1]}\n{done.stderr}")
        for word in words:
            self.assertIn(word, done.stderr, done.args[-1])
        self.assertEqual(look(self.folder), before, done.args[-1])

    def names(self, start):
        return sorted(path.name for path in self.folder.glob(start + "*"))


class Beside(Folder):
    """Names that a run makes up."""

    LEADS = {"file": "there/file", "folder": "there", "nothing": "there/nothing"}

    def check(self, writer, suffixes, kind, refused=False):
        """One run among obstacles: it succeeds, unless it needs the name of one."""
        leads = self.LEADS.get(kind)
        plant = f"ln -s {leads}" if leads else "cp there/file"
        (self.folder / "there").mkdir()
        self.write("there/file")
        expected = look(self.folder)
        expected.update({f"out{suffix}": f"-> {leads}" if leads else MINE.encode() for suffix in suffixes})
        plants = "".join(f"{plant} out{suffix}; " for suffix in suffixes)
        done = self.shell(f'{plants} exec "$lode" {WRITERS[writer].replace("OUT", "out")}')
        place = f"{writer} {suffixes} {kind}: {done.stderr}"
        if refused:
            self.assertIn(done.returncode, (1, 3), place)
            self.assertIn("out" + suffixes[0], done.stderr)
        else:
            self.assertEqual(done.returncode, 0, place)
            self.assertFalse((self.folder / "out").is_symlink(), place)
            self.assertGreater((self.folder / "out").stat().st_size, 0, place)
            for made in MADE.get(writer, BESIDE[:1]):
                (self.folder / f"out{made}").unlink()
        self.assertEqual(look(self.folder), expected, place)
        for path in [path for path in self.folder.iterdir() if path.name.startswith("out")]:
            path.unlink()
        shutil.rmtree(self.folder / "there")

    def test_names_of_others(self):
        """What a writer has no use for it does not touch, whatever it is."""
        self.make_parts()
        suffixes = (".tmp", ".tmp.PID", ".part", ".share.json.part", ".svg.tmp", ".unfinished")
        for writer in WRITERS:
            self.check(writer, suffixes, "own")
            self.check(writer, suffixes, "file")
        for kind in ("folder", "nothing"):
            self.check("merge", suffixes, kind)

    def test_names_that_are_needed(self):
        """Where a name is needed, the run is refused."""
        needed = {".partial": RESUMABLE, ".journal": RESUMABLE, ".share.json": ("share", "top")}
        for suffix, needing in needed.items():
            for writer in ("itemsets", "journal", "share", "top"):
                for kind in ("own", "file", "folder", "nothing") if writer in needing else ("own",):
                    self.check(writer, (suffix,), kind, writer in needing)


class Ends(Folder):
    """Runs that are interrupted, killed, or have no room."""

    def setUp(self):
        super().setUp()
        self.lode("generate quest -n 2000 --items 60 -l 14 --seed 4 -o long.dat")

    def end(self, words, by, is_time):
        """Ends a run as soon as it is time, for which it gets the number of its process."""
        process = subprocess.Popen([LODE, *words.split()], cwd=self.folder, stderr=subprocess.PIPE,
                                   env={**os.environ, "LODE_JOURNAL_SECONDS": "0.002"}, text=True)
        self.addCleanup(process.kill)  # its output has no end
        while not is_time(process.pid):
            self.assertIsNone(process.poll(), "it was done before it could be ended")
            time.sleep(0.001)
        process.send_signal(by)
        said = process.communicate()[1]
        self.assertIn(process.returncode, (130, -by), said)
        return said

    def has_text(self, name):
        return size_of(self.folder / name) > 0

    def interrupt(self, more=""):
        return self.end(f"itemsets long.dat -s 1 {more} -o out", signal.SIGINT,
                        lambda pid: self.has_text(f"out.tmp.{pid}"))

    def kill_with_journal(self):
        """Leaves a journal that has a record, and the unfinished output."""
        sizes = []

        def has_record(_):
            if self.has_text("out.journal"):
                sizes.append(size_of(self.folder / "out.journal"))
            return sizes and sizes[-1] > sizes[0] and self.has_text("out.partial")
        self.end("itemsets long.dat -s 1 -j 1 --journal -o out", signal.SIGKILL, has_record)

    def test_partial_results_are_not_replaced(self):
        """Ctrl-C keeps what was found, beside what a user or an earlier run has there."""
        self.write("out.partial")
        os.symlink("nowhere", self.folder / "out.partial.2")
        self.assertIn("in out.partial.3", self.interrupt())
        self.assertEqual((self.folder / "out.partial").read_text(), MINE)
        self.assertTrue(self.has_text("out.partial.3"))
        self.assertIn("'out.partial.4'", self.interrupt("--share 1/1 --limit-patterns 999999999"))
        self.assertTrue(self.has_text("out.partial.4"))
        self.assertEqual(self.names("out"), [f"out.partial{n}" for n in ("", ".2", ".3", ".4")])

    def test_beside_a_journal(self):
        """A run without a journal leaves what the journal of another speaks of."""
        self.kill_with_journal()
        kept = (self.folder / "out.partial").read_bytes()
        self.assertIn("in out.partial.2", self.interrupt())
        self.assertEqual((self.folder / "out.partial").read_bytes(), kept)

    def test_start_anew(self):
        """Without --resume a run begins anew, if the unfinished file is that of the journal."""
        words = "itemsets long.dat -s 500 -q --journal -o out"
        self.kill_with_journal()
        self.assertIn("discarded 'out.journal' of an earlier run", self.lode(words).stderr)
        self.assertEqual(self.names("out"), ["out"])
        (self.folder / "out").unlink()
        self.kill_with_journal()
        resumed = "itemsets long.dat -s 1 -j 1 --journal -o out --resume"
        kept = (self.folder / "out.partial").read_bytes()
        for make in (lambda path: path.write_text(MINE), lambda path: path.write_bytes(b"x" + kept[1:]),
                     lambda path: path.symlink_to("baskets.dat"), lambda path: path.symlink_to("none")):
            (self.folder / "out.partial").unlink()
            make(self.folder / "out.partial")
            before = look(self.folder)
            self.check_refused(self.lode(words, ok=None), before, "out.partial")
            self.check_refused(self.lode(resumed, ok=None), before, "out.partial")

    def test_other_result(self):
        """A run that was killed after its end finds its output under its name; another file of that
        name, of the same length, is none."""
        self.kill_with_journal()
        kept = self.folder / "out.partial"
        n = kept.stat().st_size
        kept.unlink()
        for size in (n, n // 2):
            self.write("out", "x" * size)
            before = look(self.folder)
            self.check_refused(self.lode("itemsets long.dat -s 1 -j 1 --resume -o out", ok=None), before,
                               "out.partial")

    def test_two_at_once(self):
        """Two runs with one output: the result is that of one of them; with a journal, one may be
        refused."""
        whole = sorted(self.lode("itemsets long.dat -s 60 -q").stdout.splitlines())
        for more, codes in (("", {0}), ("--journal", {0, 1, 3})):
            words = f"itemsets long.dat -s 60 -q {more} -o out"
            runs = [subprocess.Popen([LODE, *words.split()], cwd=self.folder, text=True,
                                     stderr=subprocess.PIPE) for _ in range(3)]
            said = [run.communicate()[1] for run in runs]
            ended = {run.returncode for run in runs}
            self.assertTrue(0 in ended and ended <= codes, said)
            self.assertEqual(sorted((self.folder / "out").read_text().splitlines()), whole)
            self.assertEqual(self.names("out"), ["out"])

    @unittest.skipIf(FOR_THREADS, "ThreadSanitizer itself maps larger files")
    def test_no_room(self):
        """A disk, or a limit, that takes no more: an error that names the file. Nothing is left but
        what --resume needs."""
        self.lode("itemsets long.dat -s 60 -q --share 1/1 -o large")
        self.write("large.lg", "".join(f"t # {i}\n" + "v 0 a\nv 1 b\ne 0 1 x\n" for i in range(9)))
        cases = {"itemsets long.dat -s 60 -q -o out": [], "merge large -q -o out": [],
                 "suggest baskets.dat -w csv --svg out": [], "graphs large.lg -s 1 -q --svg out": ["out"],
                 "itemsets long.dat -s 60 -c --report json=out": [],
                 "compare baskets.dat -s 2 --algorithms adaptive --plot out": [],
                 "itemsets long.dat -s 60 -q -t top:900 --share 1/1 -o out": [],
                 "itemsets long.dat -s 60 -q --journal -o out": ["out.journal", "out.partial"]}
        for words, left in cases.items():
            done = self.lode(words, ok=1, preexec_fn=limit_files(512))
            self.assertRegex(done.stderr, "cannot write '[^']*out[^']*': File too large", words)
            self.assertEqual([path.name for path in sorted(self.folder.rglob("*out*"))], left, words)
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            for path in self.folder.glob("out*"):
                path.unlink()


    @unittest.skipIf(SANITIZED, "sanitizers need far more memory")
    def test_no_memory(self):
        """A record that has no room in memory: an error, and nothing is left."""
        self.write("wide.csv", "x" * (8 << 20) + ",b\n")
        self.lode("itemsets wide.csv -f basket -s 1 --max-size 1 -w csv -q --share 1/1 -o wide")

        def limit(mebibytes):
            return lambda: resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20,) * 2)
        starts = next(n for n in range(4, 4000, 4)
                      if self.lode("version", ok=None, preexec_fn=limit(n)).returncode == 0)
        done = self.lode("merge wide -o out", ok=1, preexec_fn=limit(starts + 4))
        self.assertIn("out of memory", done.stderr)
        self.assertEqual(self.names("out"), [])
        self.write("sets.txt", "1,2\n" + "x" * (64 << 20) + "\n1\n")
        self.lode("itemsets baskets.dat -s 1 -q -w arrow -o stored.arrow")
        done = self.lode("support stored.arrow --sets sets.txt", ok=1, preexec_fn=limit(starts + 40))
        self.assertIn("cannot read 'sets.txt': Cannot allocate memory", done.stderr)


class Places(Folder):
    """Where an output cannot be, which is said before anything is read; links; long names."""

    def test_early(self):
        """What cannot be written is refused before the input is read."""
        (self.folder / "dir").mkdir()
        os.symlink("loop", self.folder / "loop")
        self.make_parts()
        self.write("bad.dat", "this is refused when it is read\0")
        before = look(self.folder)
        for writer, words in WRITERS.items():
            for out, why in (("dir", "Is a directory"), ("none/out", "the folder must exist"),
                             ("baskets.dat/out", "Not a directory"), ("loop", "symbolic links")):
                words = WRITERS[writer].replace("baskets.dat", "bad.dat").replace("OUT", out)
                self.check_refused(self.lode(words, ok=None), before, f"'{out}'", why)
        for report in ("./out", f"{self.folder}/out", "out.partial", "./out.share.json", "out.journal"):
            done = self.lode(f"itemsets baskets.dat -s 2 -o out --report json={report}", ok=2)
            self.check_refused(done, before, "give another name")
        for out in ("baskets.dat", "baskets.dat/out"):
            done = self.lode(f"graphs data.lg -s 2 -q --svg {out} -o out", ok=None)
            self.check_refused(done, before, f"'{out}'", "Not a directory")

    def test_folders_that_are_not_writable(self):
        if os.geteuid() == 0:
            self.skipTest("everything is writable for root")
        self.make_parts()
        (self.folder / "dir").mkdir(mode=0o555)
        for words in (*WRITERS.values(), "graphs data.lg -s 2 -q -o out --svg dir"):
            done = self.lode(words.replace("OUT", "dir/out"), ok=None)
            self.check_refused(done, look(self.folder), "dir", "the folder must be writable")

    def test_drawings(self):
        """A folder of drawings: files of others in it are not replaced."""
        drawings = self.folder / "drawings"
        words = "graphs data.lg -s 2 -q --svg drawings -o out"
        victim = self.write("victim.svg")
        for name in ("index.html", "001.svg"):
            for plant in (lambda path: path.write_text(MINE), lambda path: path.symlink_to(victim)):
                drawings.mkdir()
                plant(drawings / name)
                self.check_refused(self.lode(words, ok=None), look(self.folder), f"drawings/{name}")
                shutil.rmtree(drawings)
        drawings.mkdir()
        (drawings / "003.svg").symlink_to(victim)  # nobody knows before that there will be three
        self.assertIn("drawings/003.svg", self.lode(words, ok=1).stderr)
        self.assertEqual(victim.read_text(), MINE)
        (drawings / "003.svg").unlink()
        for _ in range(2):  # its own are replaced
            self.lode(words)
        self.assertEqual([path.name for path in sorted(drawings.iterdir())],
                         ["001.svg", "002.svg", "003.svg", "index.html"])

    def test_manual_pages(self):
        """Links in a folder of manual pages are replaced, not followed."""
        (self.folder / "man").mkdir()
        victim = self.write("victim")
        (self.folder / "man/lode.1").symlink_to(victim)
        self.lode("man --all man")
        self.assertEqual(victim.read_text(), MINE)
        self.assertFalse((self.folder / "man/lode.1").is_symlink())

    def test_links(self):
        """A name that the user gives may be a link: it stays, and what it leads to is written."""
        self.make_parts()
        (self.folder / "dir").mkdir()
        target = self.folder / "dir/target"
        (self.folder / "link").symlink_to("dir/target")
        (self.folder / "out").symlink_to("link")
        for writer, words in WRITERS.items():
            for _ in range(2):  # it leads to nothing, then to a file
                self.lode(words.replace("OUT", "out"))
                self.assertGreater(target.stat().st_size, 0, writer)
                self.assertEqual(list(target.parent.iterdir()), [target], writer)
                self.assertTrue((self.folder / "link").is_symlink(), writer)
                self.assertTrue((self.folder / "out").is_symlink(), writer)
            target.unlink()

    def test_permissions(self):
        """What replaces a private file is private, from its beginning on."""
        for writer in ("itemsets", "journal", "report"):
            self.write("out").chmod(0o600)
            self.lode(WRITERS[writer].replace("OUT", "out"))
            self.assertEqual((self.folder / "out").stat().st_mode & 0o777, 0o600, writer)

    def test_descriptors(self):
        """/dev/stdout is standard output, not the file that it leads to."""
        self.shell('{ echo first; "$lode" itemsets baskets.dat -s 4 -q -o /dev/stdout; '
                   '"$lode" itemsets baskets.dat -s 5 -q -o /dev/fd/3 3>&1; echo last; } > out')
        lines = (self.folder / "out").read_text().splitlines()
        self.assertEqual(lines, ["first", "2 (5)", "3 (5)", "1 (4)", "2 3 (4)", "2 (5)", "3 (5)", "last"])

    def test_long_names(self):
        """Names up to the limit of the file system."""
        self.make_parts()
        most = os.pathconf(self.folder, "PC_NAME_MAX")
        longest = "é" * (most // 2 - 1) + "x" * (most % 2) + "yz"
        self.assertEqual(len(longest.encode()), most)
        for out in (longest[:-5], longest):
            for writer, words in WRITERS.items():
                if writer not in (*RESUMABLE, "top"):
                    self.lode(words.replace("OUT", out))
                    (self.folder / out).unlink()
        before = look(self.folder)
        for writer, out in (("journal", longest), ("share", longest), ("itemsets", longest + "x")):
            done = self.lode(WRITERS[writer].replace("OUT", out), ok=None)
            self.check_refused(done, before, "File name too long")


if __name__ == "__main__":
    unittest.main()
