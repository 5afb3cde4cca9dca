"""What a person in front of a terminal sees: tables that fit it; and that pipes and files stay as they are.

SPDX-License-Identifier: Apache-2.0
"""
import fcntl
import hashlib
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unicodedata
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
WIDE = "牛乳,パン,\"a,b\"\n牛乳,パン\n牛乳,émile,e\u0301x,\"line\nend\"\n牛乳,パン,\"\x1b[31mred\"\n"
# The output of these commands to a pipe, by its hash: it must not change with what a terminal shows.
PIPED = {
    "itemsets quest.csv -s 2%": "8b8f6711303b2500",
    "itemsets quest.csv -s 2% -w csv --min-size 2": "6e281b005bd49dc3",
    "itemsets quest.csv -s 2% -w jsonl --sort": "5ecc714ada76e23e",
    "itemsets quest.csv -s 2% --count --hash": "49155c0c93c804a3",
    "itemsets quest.csv --target top:30": "52748305c3613b5f",
    "itemsets quest.csv -s 3% -t closed -w spmf": "9a658cc45e6d408b",
    "rules quest.csv -s 1% -c 50%": "b163f4fe6df010f2",
    "rules quest.csv -s 1% -c 50% --sort-by lift --top 10": "740b9e0290bf3d59",
    "rules quest.csv -s 1% -c 50% -w csv --measure +phi": "e4a9f65dcd70220f",
    "rules quest.csv -s 1% -c 50% -w jsonl --interval 0.95": "67f4e8e19225a681",
    "rules quest.csv -s 1% --count": "83ccedb7d7b92eae",
    "query rules.arrow": "7de3575646b862e4",
    "query rules.arrow --sort-by lift --rows 5 --measure phi": "1d23a6af610e4677",
    "query rules.arrow --min lift=2 -w csv": "4ccc85563e4146b5",
    "query sets.arrow --min-size 2 --rows 7 --page 2": "f6b0ddba5980d2f5",
    "query rules.arrow --histogram lift:10": "c38465ccc174c3a3",
    "stats quest.csv": "f7ee8bbf2519a542",
}


def columns_of(line):
    """How many columns of a terminal a line takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class Terminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lode-terminal-")
        cls.path = Path(cls.folder.name)
        (cls.path / "wide.csv").write_text(WIDE)
        shared = ",".join(f"i{k}" for k in range(80))
        (cls.path / "many.csv").write_text(f"{shared}\n{shared}\n" + "x,i1\n" * 300)  # 2^80 itemsets at -s 2
        cls.lode("generate", "quest", "--names", "--items", "120", "-n", "5000", "-o", "quest.csv")
        cls.lode("rules", "quest.csv", "-s", "1%", "-w", "arrow", "-o", "rules.arrow", "-q")
        cls.lode("itemsets", "quest.csv", "-s", "1%", "-w", "arrow", "-o", "sets.arrow", "-q")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def lode(cls, *words, code=0):
        done = subprocess.run([LODE, *words], cwd=cls.path, capture_output=True, timeout=120)
        assert done.returncode == code, (words, done)
        return done

    def shown(self, *words, columns=100, environment=None, code=0, errors_too=False):
        """The lines that a terminal of this width gets."""
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        got = []

        def take():
            try:
                while piece := os.read(main, 65536):
                    got.append(piece)
            except OSError:  # the other side is closed
                pass
        reader = threading.Thread(target=take)
        reader.start()
        try:
            done = subprocess.run([LODE, *words], cwd=self.path, stdin=subprocess.DEVNULL, stdout=side,
                                  stderr=side if errors_too else subprocess.DEVNULL, timeout=120,
                                  env={**os.environ, "TERM": "xterm", "NO_COLOR": "1", **(environment or {})})
        finally:
            os.close(side)
            reader.join()
            os.close(main)
        self.assertEqual(done.returncode, code, words)
        return b"".join(got).decode().replace("\r\n", "\n").splitlines()

    # ---- tables ------------------------------------------------------------------------------------

    def test_all_rows(self):
        (self.path / "long.dat").write_text(" ".join(map(str, range(17))) + "\n")
        lines = self.shown("itemsets", "long.dat", "-s", "1", "--rows", "all")
        self.assertEqual(lines[-1], "100,000 of 131,071 itemsets; -o FILE writes all to a file")

    def test_rules(self):
        lines = self.shown("rules", "quest.csv", "-s", "1%", "-c", "30%")
        self.assertRegex(lines[0], r"^if +then +count +support +confidence +lift$")
        rules = [json.loads(line) for line in
                 self.lode("rules", "quest.csv", "-s", "1%", "-c", "30%", "-w", "jsonl").stdout.splitlines()]
        self.assertGreater(len(rules), 20)
        self.assertEqual(lines[21], f"20 of {len(rules):,} rules; --rows all shows all, -o FILE writes all to a file")
        for line, rule in zip(lines[1:21], rules):
            at = lines[0].index("then")
            self.assertEqual(line[:at].strip(), ", ".join(rule["body"]))
            name, count, support, confidence, lift = re.split(r" {2,}", line[at:])
            self.assertEqual([name, int(count)], [", ".join(rule["head"]), rule["count"]])
            self.assertAlmostEqual(float(support[:-1]), 100 * rule["support"], delta=0.06)
            self.assertAlmostEqual(float(confidence[:-1]), 100 * rule["confidence"], delta=0.06)
            self.assertAlmostEqual(float(lift), rule["lift"], delta=0.001 * rule["lift"])

    def test_rows(self):
        every = self.shown("rules", "quest.csv", "-s", "1%", "-c", "30%", "--rows", "all")
        some = self.shown("rules", "quest.csv", "-s", "1%", "-c", "30%", "--rows", "3")
        self.assertGreater(len(every), 25)
        self.assertNotIn("--rows", every[-1])
        self.assertEqual(len(some), 5)
        self.assertEqual([re.sub(" +", " ", line) for line in some[1:4]],
                         [re.sub(" +", " ", line) for line in every[1:4]])
        # In a pipe only if it is asked for, without an end of the line.
        piped = self.lode("rules", "quest.csv", "-s", "1%", "-c", "30%", "--rows", "3").stdout.decode()
        self.assertEqual(piped.splitlines(), some)
        for words in (["-w", "csv"], ["-o", "x"], ["--count"]):
            done = self.lode("rules", "quest.csv", "-s", "1%", "--rows", "3", *words, code=2)
            self.assertIn(b"--rows shows a table", done.stderr)
        for wrong in ("0", "x", "100001"):
            self.lode("itemsets", "quest.csv", "-s", "1%", "--rows", wrong, code=2)

    def test_order_and_measures(self):
        lines = self.shown("rules", "quest.csv", "-s", "1%", "--sort-by", "leverage", "--top", "5")
        self.assertRegex(lines[0], "lift +leverage$")
        values = [float(line.split()[-1]) for line in lines[1:6]]
        self.assertEqual(values, sorted(values, reverse=True))
        lines = self.shown("rules", "quest.csv", "-s", "1%", "--measure", "phi,improvement", "--rows", "2")
        self.assertRegex(lines[0], "^if +then +count +phi +improvement$")
        lines = self.shown("rules", "quest.csv", "-s", "1%", "--measure", "+lift,phi", "--rows", "2")
        self.assertRegex(lines[0], "^if +then +count +support +confidence +lift +phi$")

    def test_best_of_many(self):
        """More patterns than the library sorts: the same table with any number of threads."""
        words = ["itemsets", "quest.csv", "-s", "4", "--min-size", "2"]
        tables = {tuple(self.shown(*words, "-j", threads)) for threads in ("1", "4")}
        self.assertEqual(len(tables), 1)
        lines = tables.pop()
        total = int(lines[-1].split()[2].replace(",", ""))
        self.assertGreater(total, 20000)
        counts = sorted((json.loads(line)["count"] for line in
                         self.lode(*words, "-w", "jsonl").stdout.splitlines()), reverse=True)
        self.assertEqual(len(counts), total)
        self.assertEqual([int(re.split(" {2,}", line)[1].replace(",", "")) for line in lines[1:21]], counts[:20])

    def test_other_output_on_a_terminal(self):
        for words in (["-w", "fimi"], ["--unsorted"], ["-o", "-"]):
            lines = self.shown("itemsets", "quest.csv", "-s", "5%", *words)
            self.assertRegex(lines[0], r"^[^ ]+( [^ ]+)* \(\d+\)$", words)  # any set: threads share the search
        self.assertRegex(self.shown("itemsets", "quest.csv", "-s", "5%", "--count")[-1], "^total")
        self.shown("itemsets", "quest.csv", "-s", "5%", "-o", "out.txt")
        self.assertIn(b"(", (self.path / "out.txt").read_bytes())

    def test_no_results(self):
        self.assertEqual(self.shown("rules", "quest.csv", "-s", "90%"), [])
        self.assertEqual(self.shown("itemsets", "quest.csv", "-s", "2%", "--limit-patterns", "3", code=5)[0].split(),
                         ["items", "count", "support"])

    def test_query(self):
        lines = self.shown("query", "rules.arrow", "--sort-by", "lift", "--rows", "4", "--measure", "phi", columns=75)
        self.assertRegex(lines[0], "^if +then +count +support +confidence +lift +phi")
        self.assertRegex(lines[-2], "^not shown in 75 columns: .*body_count, head_count$")
        self.assertRegex(lines[-1], r"^4 of [\d,]+ rows; --page 2 for more, --rows all for all$")
        self.assertTrue(all(columns_of(line) <= 75 for line in lines))
        wide = self.shown("query", "rules.arrow", "--rows", "4", columns=200)
        self.assertRegex(wide[0], "body_count +head_count$")
        text = self.shown("query", "rules.arrow", "--rows", "4", "-w", "text")
        self.assertRegex(text[0], "rule$")
        self.assertRegex(self.shown("query", "sets.arrow")[0], "^items +count +support")

    # ---- widths and colours ------------------------------------------------------------------------

    def test_widths(self):
        for columns in (20, 30, 47, 60, 80, 132):
            for words in (["rules", "quest.csv", "-s", "1%"], ["itemsets", "quest.csv", "-s", "1%", "--min-size", "3"],
                          ["rules", "wide.csv", "-s", "1"], ["itemsets", "wide.csv", "-s", "1"]):
                lines = self.shown(*words, columns=columns)
                table = [line for line in lines if "--rows all" not in line and "not shown in" not in line]
                self.assertTrue(all(columns_of(line) <= columns for line in table), (words, columns, table))
                self.assertFalse([line for line in lines if line != line.rstrip()])
        # Nothing is cut off: a rule that is too long takes several lines.
        words = ["rules", "quest.csv", "-s", "1%", "-c", "60%", "--rows", "all"]
        whole, narrow = (self.shown(*words, columns=columns) for columns in (200, 50))
        self.assertGreater(len(narrow), len(whole))
        at = [lines[0].index("then") for lines in (whole, narrow)]
        bodies = ["".join(line[:end] for line in lines[1:] if "not shown" not in line).replace(" ", "")
                  for lines, end in zip((whole, narrow), at)]
        self.assertEqual(bodies[0].replace(",", ""), bodies[1].replace(",", ""))

    def test_wide_characters(self):
        lines = self.shown("itemsets", "wide.csv", "-s", "1", "--max-size", "1")
        ends = {columns_of(line) for line in lines}
        self.assertEqual(len(ends), 1, lines)  # numbers end in the same column
        text = "\n".join(lines)
        for name in ("牛乳", "\"a,b\"", "e\u0301x", "line?end", "?[31mred"):
            self.assertIn(name, text)
        self.assertNotIn("\x1b", text)

    def test_colours(self):
        words = ["rules", "wide.csv", "-s", "2"]
        self.assertIn("\x1b[1m", self.shown(*words, environment={"NO_COLOR": ""})[0])
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb", "NO_COLOR": ""}, {"TERM": "", "NO_COLOR": ""}):
            self.assertNotIn("\x1b", "".join(self.shown(*words, environment=environment)), environment)
        self.assertNotIn(b"\x1b", self.lode(*words, "--rows", "9").stdout)

    # ---- long searches -----------------------------------------------------------------------------

    def noted(self, *words, code=5):
        """What a command says on standard error, and what it prints. With the exit code 5, a limit ends it."""
        limit = ["--limit-time", "3"] if code == 5 else []
        done = subprocess.run([LODE, *words, *limit], cwd=self.path, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        return [line for line in done.stderr.splitlines() if line.startswith("note: -s")], done.stdout

    def test_explosions_are_announced(self):
        """Baskets that share 80 items: 2^80 itemsets. The result and the exit code stay as they are."""
        # On a busy machine, the search may find its first millions before the estimate is ready.
        note = (r"note: -s 2 means 2 of 302 transactions \(0\.662%%\); "
                r"(at least 10\^24 itemsets %s|[0-9,]+ patterns found so far); for 2 percent, write -s 2%%")
        for kind, what in (("itemsets", "expected"), ("rules", "to search")):
            notes, output = self.noted(kind, "many.csv", "-s", "2", "-o", "/dev/null")
            self.assertEqual((len(notes), output), (1, ""))
            self.assertRegex(notes[0], f"^{note % what}$")
        self.assertEqual(self.noted("itemsets", "many.csv", "-s", "2", "-o", "/dev/null", "-q")[0], [])

    def test_explosions_with_constraints(self):
        """No estimate knows them: the note says how many there are, or are to be expected."""
        run = subprocess.Popen([LODE, "itemsets", "many.csv", "-s", "0.5%", "-o", "/dev/null", "--limit-time", "60",
                                "--include", "i1"], cwd=self.path, stderr=subprocess.PIPE, text=True)
        note = run.stderr.readline()
        run.terminate()
        run.communicate()
        self.assertRegex(note, r"^note: -s 0\.5% means 2 of 302 transactions \(0\.662%\); .*\d patterns "
                               r"(expected|found so far)$")

    def test_other_searches_are_not(self):
        for words in (["itemsets", "quest.csv", "-s", "2"], ["itemsets", "many.csv", "-s", "50"],
                      ["rules", "quest.csv", "-s", "5", "-c", "50%"], ["itemsets", "quest.csv", "-s", "5", "-t", "closed"]):
            self.assertEqual(self.noted(*words, "-o", "/dev/null", code=0)[0], [], words)

    def test_progress_of_long_searches(self):
        """Where standard error is a file: a line each ten seconds, unless --quiet is given."""
        runs = [subprocess.Popen([LODE, "itemsets", "-", "-s", "1", *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE) for more in ([], ["-q"])]
        time.sleep(10.8)
        said = [run.communicate(b"a b\n")[1].decode().splitlines() for run in runs]
        self.assertRegex(said[0][0], r"^read\b.*$")
        self.assertEqual(said[1], [])

    # ---- programs ----------------------------------------------------------------------------------

    def test_data_from_a_terminal(self):
        main, side = pty.openpty()
        os.write(main, b"a b\na\n\x04")
        done = subprocess.run([LODE, "itemsets", "-", "-s", "2", "--count"], stdin=side, capture_output=True, timeout=20)
        os.close(side)
        os.close(main)
        self.assertTrue(done.stderr.startswith(b"note: reading what you type; Ctrl-D ends it\n"), done.stderr)
        self.assertIn(b"1", done.stdout)

    def test_pipes_and_files(self):
        for command, wanted in PIPED.items():
            with self.subTest(command=command):
                words = command.split()
                text = self.lode(*words).stdout
                if words[0] == "stats":
                    text = re.sub(rb"\d+\.\d+ s\b", b"", text)
                self.assertEqual(hashlib.sha256(text).hexdigest()[:16], wanted)
                if words[0] == "query" or words[0] == "stats" or "--count" in words:
                    continue
                self.lode(*words, "-o", "out.txt")
                self.assertEqual((self.path / "out.txt").read_bytes(), text)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    unittest.main(verbosity=0)
