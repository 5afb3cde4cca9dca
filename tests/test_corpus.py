"""Files as programs really export them: each is read, refused or warned about as expected.txt says.

The form of tests/corpus/expected.txt is described at its top. Each entry is one run of lode, and one
more for each word of its line `also`. `test_corpus.py NAME …` runs the entries of these files only.

SPDX-License-Identifier: Apache-2.0
"""
import gzip
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
CORPUS = ROOT / "tests" / "corpus"
# As if there were no lode-molecules: test_molecules has files for it.
ENVIRONMENT = {**os.environ, "LODE_MOLECULES": "/none", "LODE_ADBC": "/none"}
TRANSACTIONS = re.compile(r"(fimi|spmf|basket|table|onehot|json), (\d+) transactions, (\d+) items"
                          r"(?:, (\d+) empty)?(?:, (\d+) skipped)?")
GRAPHS = re.compile(r"(\d+) graphs, (\d+) vertices, (\d+) edges(?:, (\d+) skipped)?")


class Entry:
    """What expected.txt says about one file and one set of options."""

    def __init__(self, number, line):
        self.line = number
        self.name, *self.options = shlex.split(line)
        self.command = "itemsets"
        self.also = []
        self.bytes = b""
        self.maker = None
        self.reading = None   # what the report says: {key: value}
        self.supports = []    # (support, set of items)
        self.warning = None   # words; None = there must be none
        self.failure = None   # (exit code, words)
        self.others = []      # [("warns", None, words) or ("fails", code, words)]


# ---- Files too large, or too odd, to keep --------------------------------------------------------

def wide_onehot(path):
    """4,000 products: a header of more than 128 KiB, and few of them in a basket."""
    names = [f"product number {i:04} of the catalogue" for i in range(4000)]
    bought = [(17, 42, 3999), (17, 101), ()]
    rows = [["1" if i in basket else "0" for i in range(4000)] for basket in bought]
    path.write_text("".join(",".join(row) + "\n" for row in [names, *rows]), encoding="utf-8")


def long_notes(path):
    """A table whose first order has a note of 70 KiB."""
    note = "please ring twice; " * 3700
    path.write_text(f'order_id,note,product\n1,"{note}",milk\n1,,bread\n2,,milk\n', encoding="utf-8")


MAKERS = {"wide_onehot": wide_onehot, "long_notes": long_notes, "folder": Path.mkdir,
          "nothing": lambda path: None}


# ---- expected.txt ----------------------------------------------------------------------------------

def parse_items(text):
    """The items of a line `has`, as a set; one that begins with a quote is JSON."""
    return frozenset(json.loads(item) if item.startswith('"') else item
                     for item in text.split(" + "))


def parse_reading(line):
    """The numbers that a report must have, or None if the line does not say any."""
    match = TRANSACTIONS.fullmatch(line)
    if match:
        numbers = [int(n or 0) for n in match.groups()[1:]]
        return {"format": match[1], **dict(zip(
            ("transactions", "items", "empty", "skipped_lines"), numbers))}
    match = GRAPHS.fullmatch(line)
    if match:
        numbers = [int(n or 0) for n in match.groups()]
        return dict(zip(("graphs", "vertices", "edges", "skipped_graphs"), numbers))
    return None


def parse_line(entry, line):
    """Adds what a line says to an entry; False if it says nothing that is known."""
    word, _, rest = line.partition(" ")
    if word == "or":
        kind, _, rest = rest.partition(" ")
        code = None
        if kind == "fails":
            code, _, rest = rest.partition(" ")
        entry.others.append((kind, code, rest.split()))
        return kind in ("warns", "fails")
    if word == "hex":
        entry.bytes += bytes.fromhex(rest)
    elif word == "make" and rest in MAKERS:
        entry.maker = MAKERS[rest]
    elif word == "run" and rest in ("graphs", "itemsets"):
        entry.command = rest
    elif word == "also" and set(rest.split()) <= {"gzip", "stdin"}:
        entry.also = rest.split()
    elif word == "has":
        support, _, items = rest.partition(" ")
        entry.supports.append((int(support), parse_items(items)))
    elif word == "warns" and rest:
        entry.warning = rest.split()
    elif line == "may warn":
        entry.warning = []
    elif word == "fails":
        code, *words = rest.split()
        entry.failure = (code, words)
    else:
        entry.reading = entry.reading or parse_reading(line)
        return word == "-" or parse_reading(line) is not None
    return True


def parse_expected(text):
    """All entries; ValueError with the place if a line cannot be understood."""
    entries = []
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("# ") or line == "#":
            continue
        if not line:
            inside = False
        elif not inside:
            entries.append(Entry(number, line))
            inside = True
        elif not parse_line(entries[-1], line):
            raise ValueError(f"expected.txt:{number}: '{line}' says nothing that is known")
    for entry in entries:
        if not entry.reading and not entry.failure:
            raise ValueError(f"expected.txt:{entry.line}: {entry.name} expects nothing")
    return entries


# ---- Running ---------------------------------------------------------------------------------------

class Outcome:
    """What one run has left: exit code, messages, the report and the supports."""

    def __init__(self, entry, path, folder, through):
        report = folder / "report.json"
        report.unlink(missing_ok=True)
        size = max([len(items) for _, items in entry.supports], default=1)
        most = ["--max-edges", "1"] if entry.command == "graphs" else ["--max-size", str(size)]
        data = path.read_bytes() if through else b""
        if through == "gzip":
            path = folder / (path.name + ".gz")
            path.write_bytes(gzip.compress(data))
        command = [LODE, entry.command, "-" if through == "stdin" else path, "-s", "1", *most,
                   "--threads", "1", "--limit-patterns", "10000", "--write", "jsonl",
                   "--report", f"json={report}", *entry.options]
        done = subprocess.run(command, input=data if through == "stdin" else b"",
                              capture_output=True, timeout=120, check=False, env=ENVIRONMENT)
        self.code = done.returncode
        self.name = "<stdin>" if through == "stdin" else str(path)
        self.messages = done.stderr.decode(errors="replace")
        self.input = json.loads(report.read_text()).get("input", {}) if report.exists() else {}
        self.supports = {}
        for line in done.stdout.decode().splitlines():
            row = json.loads(line)
            items = row["items"] if "items" in row else [row["code"]]
            self.supports[frozenset(map(str, items))] = row["count"]


def missing_words(words, out):
    """Words that are not in the messages. FILE stands for the name that was given; other words do
    not count where they are part of that name."""
    text = out.messages.replace(out.name, "FILE").lower()
    return [word for word in words if word.lower() not in text]


def complain_of_reading(entry, out):
    """What differs from the reading that the entry expects."""
    if out.code != 0:
        yield f"exit code {out.code}; expected 0"
        return
    for key, value in entry.reading.items():
        if out.input.get(key) != value:
            yield f"{key} {out.input.get(key)}; expected {value}"
    for support, items in entry.supports:
        found = out.supports.get(items, 0)
        if found != support:
            yield f"support {found} of {sorted(items)}; expected {support}"
    if entry.warning is None and out.messages:
        yield "a message; expected none"
    for word in missing_words(entry.warning or [], out):
        yield f"no '{word}' in the warning"


def complain_of_failure(code, words, out):
    """What differs from the refusal that the entry expects."""
    if str(out.code) != code:
        yield f"exit code {out.code}; expected {code}"
    for word in missing_words(words, out):
        yield f"no '{word}' in the message"


def complain(entry, out):
    """All differences; none if one of the entry's other outcomes is what happened."""
    for kind, code, words in entry.others:
        warned = kind == "warns" and out.code == 0 and out.messages
        if warned and not missing_words(words, out):
            return []
        if kind == "fails" and not list(complain_of_failure(code, words, out)):
            return []
    if entry.failure:
        return list(complain_of_failure(*entry.failure, out))
    return list(complain_of_reading(entry, out))


def file_of(entry, folder):
    """The path of the entry's file, which is made where it is not kept."""
    path = folder / entry.name
    if not entry.bytes and not entry.maker:
        return CORPUS / entry.name
    if entry.bytes:
        path.write_bytes(entry.bytes)
    elif not path.exists():
        entry.maker(path)
    return path


def check_entry(entry, folder):
    """Runs an entry in all its ways; returns how many went wrong."""
    wrong = 0
    path = file_of(entry, folder)
    for through in ["", *entry.also]:
        out = Outcome(entry, path, folder, through)
        complaints = complain(entry, out)
        if not complaints:
            continue
        wrong += 1
        way = f" ({through})" if through else ""
        print(f"expected.txt:{entry.line}: {shlex.join([entry.name, *entry.options])}{way}")
        for complaint in complaints:
            print(f"    {complaint}")
        for line in out.messages.splitlines():
            print(f"    | {line}")
    return wrong


def unlisted(entries):
    """Files of the folder without an entry, and entries without a file."""
    kept = {entry.name for entry in entries if not entry.bytes and not entry.maker}
    there = {path.name for path in CORPUS.iterdir()} - {"expected.txt"}
    return [f"{name} has no entry" for name in sorted(there - kept)] + \
           [f"{name} has an entry and is not there" for name in sorted(kept - there)]


def main(names):
    entries = parse_expected((CORPUS / "expected.txt").read_text(encoding="utf-8"))
    problems = unlisted(entries)
    for problem in problems:
        print(problem)
    wrong = len(problems)
    chosen = [entry for entry in entries if not names or entry.name in names]
    with tempfile.TemporaryDirectory(prefix="lode-corpus-") as folder:
        for entry in chosen:
            wrong += check_entry(entry, Path(folder))
    files = len({entry.name for entry in chosen})
    runs = sum(1 + len(entry.also) for entry in chosen)
    print(f"{files} files, {len(chosen)} entries, {runs} runs: {wrong} wrong")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
