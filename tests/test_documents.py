#!/usr/bin/env python3
"""Manual pages and shell completions hold what the tables of commands and options hold.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
# completed line -> some of what must be offered, and what must not
CASES = (
    ("lode ", {"itemsets", "generate", "help", "--version"}, {"quest", "--help-me"}),
    ("lode gr", {"graphs"}, {"generate"}),
    ("lode clean -w ", {"basket", "jsonl"}, {"text", "csv"}),
    ("lode generate graphs --model ", {"patterns", "random"}, {"ggen"}),
    ("lode generate quest --like ", {"lode", "ibm"}, {"quest"}),
    ("lode generate ", {"quest", "mutate", "graphs"}, {"itemsets"}),
    ("lode help generate q", {"quest"}, {"mutate"}),
    ("lode man i", {"itemsets"}, {"quest"}),
    ("lode completion ", {"bash", "zsh", "fish"}, {"itemsets"}),
    ("lode itemsets data --min-s", {"--min-support", "--min-size"}, {"--min-edges"}),
    ("lode generate graphs --edge", {"--edges", "--edge-labels"}, {"--embeddings"}),
    ("lode itemsets --format ", {"fimi", "onehot"}, {"csv"}),
    ("lode itemsets -w ", {"fimi", "csv"}, {"onehot", "dot"}),
    ("lode graphs -q --write d", {"dot"}, {"csv"}),
    ("lode rules -w s", {"spmf", "svg"}, {"csv"}),
    ("lode itemsets --target t", {"top:"}, {"all"}),
    ("lode itemsets --device c", {"cpu"}, {"auto"}),
    ("lode graphs -a g", {"graft", "gspan"}, {"adaptive"}),
    ("lode compare x --algorithms adaptive,br", {"adaptive,brute"}, {"brute"}),
    ("lode compare x --write ", {"table", "csv"}, {"fimi"}),
    ("lode itemsets --report ", {"json", "tsv"}, set()),
)


def lode(*words):
    return subprocess.run([LODE, *words], capture_output=True, text=True, check=True).stdout


def commands():
    """From the overview: two words where the first has several."""
    names = re.findall(r"^  lode (.*?)  ", lode("help").split("Start here")[0], re.M)
    return [name for name in names if name not in ("FILE...", "help COMMAND", "--version")]


def options(command):
    """(letter or "", name, argument or "") as the help shows them."""
    pattern = r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?(?:  | [a-z])"
    return re.findall(pattern, lode("help", *command.split()), re.M)


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for shell in ("bash", "zsh", "fish"):
            (cls.folder / shell).write_text(lode("completion", shell))
        lode("man", "--all", str(cls.folder))

    def need(self, *programs):
        missing = [program for program in programs if not shutil.which(program)]
        if missing:
            print(f"skip: {' and '.join(missing)} not installed")
            self.skipTest(missing[0])

    def check(self, *command):
        """A command that must succeed and complain of nothing."""
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout

    # ---- manual pages --------------------------------------------------------------------------

    def test_there_is_a_page_for_each_command(self):
        names = {"lode.1"} | {f"lode-{name.replace(' ', '-')}.1" for name in commands()}
        self.assertEqual({path.name for path in self.folder.glob("*.1")}, names)
        self.assertGreater(len(names), 10)
        overview = lode("man")
        self.assertEqual(overview, (self.folder / "lode.1").read_text())
        for name in commands():
            self.assertIn("\n\\fBlode " + name.replace("-", "\\-") + "\\fR\n", overview)

    def test_every_option_is_in_its_page(self):
        for command in commands():
            page = lode("man", *command.split()).replace("\\-", "-")
            found = options(command)
            self.assertTrue(found or command in ("algorithms", "devices", "measures", "man",
                                                 "completion", "worker"))
            for letter, name, argument in found:
                short = f"\\fB-{letter}\\fR, " if letter else ""
                entry = f".TP\n{short}\\fB--{name}\\fR"
                self.assertIn(entry + (f" \\fI{argument}\\fR\n" if argument else "\n"), page)
        self.assertIn("\\fBonehot\\fR", lode("man", "itemsets"))

    def test_options_of_papers_come_last(self):
        wanted = {"itemsets": ["popcount", "reduce", "grid", "grid-rows"], "graphs": ["records", "loads"],
                  "compare": ["popcount", "reduce", "grid", "grid-rows"], "stats": []}
        for command, names in wanted.items():
            page = lode("man", command).replace("\\-", "-").replace("\\(aq", "'")
            for text in (lode("help", command), page):
                before, *after = text.split("Options for comparing reimplementations of published algorithms (docs/papers.md)\n")
                self.assertEqual(len(after), 1 if names else 0)
                self.assertFalse([name for name in names if f"--{name}" in before])
                found = re.findall(r"--([\w-]+)", after[0].split(".SH")[0]) if after else []
                self.assertEqual(found, names)

    def test_man_shows_what_was_written(self):
        """Hyphens, quotes and backslashes of examples can be copied."""
        self.need("man")
        environment = {**os.environ, "MANWIDTH": "200", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(["man", "-l", self.folder / "lode-itemsets.1"], env=environment,
                              capture_output=True, text=True)
        if done.returncode != 0 or "minimized" in done.stdout:  # a system without documents
            print("skip: man does not work here")
            self.skipTest("man")
        shown = re.sub(r".\b|\x1b\[\d*m", "", done.stdout) if "\b" in done.stdout else done.stdout
        example = "lode itemsets sales.csv -s 1% --format table --tid InvoiceNo --item StockCode"
        self.assertIn(example, shown)
        self.assertRegex(shown, r"-s, --min-support SUPPORT\n")

    def test_pages_are_clean(self):
        checks = [name for name in ("groff", "mandoc") if shutil.which(name)]
        if not checks:
            self.need("groff", "mandoc")
        for page in sorted(self.folder.glob("*.1")):
            if "groff" in checks:
                self.check("groff", "-man", "-ww", "-k", "-Tutf8", page)
            if "mandoc" in checks:  # there is no date: the same sources give the same page
                done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page],
                                      capture_output=True, text=True)
                lines = [line for line in done.stdout.splitlines() if "missing date" not in line]
                self.assertEqual(lines, [])

    # ---- completions ---------------------------------------------------------------------------

    def test_every_option_is_in_the_completions(self):
        zsh, fish = ((self.folder / shell).read_text() for shell in ("zsh", "fish"))
        for command in commands():
            offered = self.complete_bash(f"lode {command} --")
            function = re.search(rf"^_lode_{command.replace(' ', '_')}\(\) {{(.*?)^}}", zsh,
                                 re.M | re.S)[1]
            for letter, name, argument in options(command):
                self.assertIn(f"--{name}", offered)
                self.assertIn(f"--{name}{'=' if argument else ''}", function)
                line = rf"'__lode_at {command}; .*' -l {name}{f' -s {letter}' * bool(letter)} "
                self.assertRegex(fish, line)

    def complete_bash(self, line):
        """Calls the function as readline does, which takes words apart at = and :"""
        words = re.findall(r"[=:]|[^\s=:]+", line)
        if line.endswith(" "):
            words.append("")
        script = (f"source {self.folder}/bash\nCOMP_WORDS=({' '.join(map(repr, words))})\n"
                  f"COMP_CWORD={len(words) - 1}\n_lode\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n")
        return set(self.check("bash", "-u", "-c", script).split())

    def check_cases(self, complete):
        for line, offered, others in CASES:
            with self.subTest(line=line):
                found = complete(line)
                self.assertLessEqual(offered, found)
                self.assertFalse(others & found)

    def test_bash(self):
        self.check("bash", "-n", self.folder / "bash")
        self.check_cases(self.complete_bash)
        self.assertEqual(self.complete_bash("lode itemsets --format=t"), {"table"})
        self.assertEqual(self.complete_bash("lode itemsets --write="),
                         {"fimi", "spmf", "csv", "jsonl", "arrow", "xlsx", "parquet"})
        for line in ("lode itemsets da", "lode itemsets -o ", "lode itemsets --report json=o",
                     "lode itemsets -t top:"):
            self.assertEqual(self.complete_bash(line), set(), line)  # bash looks for files

    def complete_names(self, *words, folder=None):
        """What bash offers for the last of the words, as typed, and what it makes of each offer."""
        script = (f"source {self.folder}/bash\nCOMP_WORDS=(lode {' '.join(map(shlex.quote, words))})\n"
                  "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_lode\nprintf '%s\\0' \"${COMPREPLY[@]}\"\n")
        path = {**os.environ, "PATH": f"{Path(LODE).parent}:{os.environ['PATH']}"}
        out = subprocess.run(["bash", "-u", "-c", script], capture_output=True, text=True, env=path, cwd=folder or self.folder)
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        return [offer for offer in out.stdout.split("\0") if offer]

    def test_names_of_the_file(self):
        names = ["whole milk", "a$(touch owned)b", "it's", '"q"', "back\\slash", "`x`", "*", "~", "käse", "new\nline", "x\x1b[0m"]
        quoted = ['"' + name.replace('"', '""') + '"' for name in names]
        for file in ("b.csv", "it's $(x).csv"):
            (self.folder / file).write_text(",".join(quoted) + "\n" + '"whole milk"\n')
        shown = set(names[:-2])
        for typed in ("b.csv", "it\\'s\\ \\$\\(x\\).csv", "\"it's \\$(x).csv\"", "'it'\\''s $(x).csv'"):
            offers = self.complete_names("rules", typed, "--rhs", "")
            self.assertEqual(offers[0], r"whole\ milk")  # the most frequent
            back = [subprocess.run(["bash", "-c", f"printf %s {o}"], capture_output=True, text=True).stdout for o in offers]
            self.assertEqual(set(back), shown, typed)
        self.assertFalse((self.folder / "owned").exists())
        for typed, offers in ((r"whole\ m", [r"whole\ milk"]), ('"wh', ["whole milk"]), ("'it", []), ('"a$', [r"a\$(touch owned)b"]),
                              ("beer", []), ("@", [])):
            self.assertEqual(self.complete_names("itemsets", "b.csv", "--include", typed), offers, typed)
        self.assertEqual(self.complete_names("itemsets", "nothing.csv", "--include", ""), [])

    def test_names_of_columns_and_measures(self):
        (self.folder / "t.csv").write_text("InvoiceNo,Stock Code,$(touch owned)\n1,a,2\n1,b,3\n2,a,4\n")
        for option in ("--tid", "--item", "--drop-rows"):
            self.assertEqual(self.complete_names("rules", "t.csv", option, ""), ["InvoiceNo", r"Stock\ Code", r"\$\(touch\ owned\)"])
        self.assertEqual(self.complete_names("rules", "t.csv", "--tid", "St"), [r"Stock\ Code"])
        self.assertIn("lift", self.complete_names("rules", "t.csv", "--sort-by", "li"))
        self.assertFalse((self.folder / "owned").exists())

    def test_names_of_large_files(self):
        """The shell does not hang: of a large file, a part is read."""
        with open(self.folder / "large.dat", "w") as file:
            for part in range(12):
                file.write("".join(f"{(k * 7919 + part) % 50021} {k % 97} common\n" for k in range(100000)))
        start = time.monotonic()
        offers = self.complete_names("itemsets", "large.dat", "--include", "com")
        self.assertLess(time.monotonic() - start, 5)
        self.assertEqual(offers, ["common"])

    def test_fish(self):
        self.need("fish")
        self.check("fish", "-n", self.folder / "fish")
        home = {**os.environ, "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}
        script = f"source {self.folder}/fish\n" + "".join(
            f"echo '== {line}'\ncomplete -C '{line}'\n" for line, _, _ in CASES)
        out = subprocess.run(["fish", "-c", script], capture_output=True, text=True, env=home)
        self.assertEqual(out.returncode, 0, out.stderr)
        parts = re.split(r"^== (.*)\n", out.stdout, flags=re.M)[1:]
        offers = {line: {row.split("\t")[0] for row in text.splitlines()}
                  for line, text in zip(parts[::2], parts[1::2])}
        dashed = {"lode "}  # fish offers words with a dash when one is typed
        self.check_cases(lambda line: offers[line] | ({"--version"} if line in dashed else set()))

    def test_zsh(self):
        self.need("zsh")
        self.check("zsh", "-n", self.folder / "zsh")

    def test_a_shell_that_is_not_there(self):
        done = subprocess.run([LODE, "completion", "bahs"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'bash'? expected: lode completion bash|zsh|fish", done.stderr)
        done = subprocess.run([LODE, "man", "itemset"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean `lode itemsets`?", done.stderr)
        done = subprocess.run([LODE, "man", "--all", "/dev/null/pages"], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot create the folder '/dev/null/pages'", done.stderr)


if __name__ == "__main__":
    unittest.main()
