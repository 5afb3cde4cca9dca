"""What to run: case files, their rows, and the data files that rows name.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import ctypes
import ctypes.util
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from problem import ROOT, Problem, note

CASES = ROOT / "bench" / "cases"
CACHE = Path(os.environ.get("LODE_BENCH_DATA", ROOT / "build" / "bench-data"))


def case_files(names):
    """The case files of these names: paths, files of bench/cases, or all files whose name begins
    with one."""
    for name in names:
        path = Path(name) if name.endswith(".json") else CASES / f"{name}.json"
        group = [] if path.exists() else sorted(CASES.glob(f"{name}-*.json"))
        yield from group or [path]


def load_case(path):
    """Reads a case file."""
    try:
        case = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Problem(f"{path}: {error}") from None
    case.setdefault("name", path.stem)
    for command in case["commands"]:
        command["measures"] = {**case.get("measures", {}), **command.get("measures", {})}
    return case


def ad_hoc_case(options):
    """A case of one row from the command line."""
    commands = []
    for text in options.what:
        name, equals, command = text.partition("=")
        if not equals:
            raise Problem(f"expected NAME=COMMAND, not {text!r}")
        commands.append({"name": name, "command": command, "count": options.count_regex})
    row = {"name": options.name, **({"file": options.file} if options.file else {})}
    return {"name": options.name, "rows": [row], "commands": commands}


def against_case(case):
    """The same rows for two builds of lode. The other build runs twice, at the beginning and the
    end of every turn: the difference between its two runs shows how much of the difference is
    noise."""
    own = next((command for command in case["commands"]
                if not command.get("peer") and command["command"].startswith("{lode} ")), None)
    if not own:
        raise Problem(f"{case['name']}: no command of this case runs {{lode}}")
    before = own["command"].replace("{lode}", "{before}")
    texts = {"before": before, "now": own["command"], "before again": before}
    commands = [{**own, "name": name, "command": text} for name, text in texts.items()]
    rest = {key: value for key, value in case.items() if key not in ("also", "slope", "floor")}
    return {**rest, "name": f"against-{case['name']}", "metric": "cpu", "commands": commands}


def rows_of_counts(source, places):
    """A row for each line of a table of known counts that has a value in the requested column."""
    path = Path(places["data"]) / source["file"]
    try:
        with open(path, encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
    except OSError:
        note(f"skip: there is no {path} (set LODE_DATA)")
        return
    for line in lines:
        if not line[source["column"]]:
            continue
        name = line["file"].split(".")[0]
        yield {"name": f"{name} {line['minsup_percent']}%",
               "file": str(Path(source["file"]).parent / line["file"]),
               "percent": line["minsup_percent"], "minsup": line["minsup_count"],
               "numbers": ".csv" in line["file"], "expect": line[source["column"]]}


def case_rows(case, places, only):
    """The rows of a case whose names match `only`."""
    rows = list(case.get("rows", []))
    if "rows_from" in case:
        rows += rows_of_counts(case["rows_from"], places)
    return [row for row in rows if re.search(only or "", row["name"])]


def fill(word, values):
    """Replaces the placeholders in one word of a command."""
    def value(match):
        if match[1] not in values:
            raise Problem(f"unknown placeholder {match[0]}; there are: {', '.join(values)}")
        return values[match[1]]
    return re.sub(r"\{(\w+)\}", value, word)


def usable_commands(case, places, only):
    """The commands whose program can be found; a note for each of the others."""
    usable = []
    for command in case["commands"]:
        if not re.search(only or "", command["name"]):
            continue
        if "{peers}" in command["command"] and not places["peers"]:
            note(f"skip: {command['name']}: LODE_PEERS is not set")
            continue
        program = fill(shlex.split(command["command"])[0], places)
        if not shutil.which(program):
            note(f"skip: {command['name']}: there is no program {program}")
            continue
        usable.append(command)
    return usable


# --- data files -----------------------------------------------------------------------------------

def cut_lines(path, n):
    """Cuts a file after its first n lines."""
    with open(path, "rb+") as file:
        for _ in range(n):
            if not file.readline():
                raise Problem(f"{path}: fewer than {n} lines")
        file.truncate(file.tell())


def number_items(path):
    """Replaces the comma-separated names in a file by numbers, in the order they first occur."""
    numbers = {}
    with open(path, newline="", encoding="utf-8") as file:
        lines = [" ".join(str(numbers.setdefault(name, len(numbers))) for name in record if name)
                 for record in csv.reader(file)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def decompress(source, out):
    """Writes the uncompressed text of a zstd file: by the program, or else by the library."""
    if shutil.which("zstd"):
        if subprocess.run(["zstd", "-dcq", str(source)], stdout=out).returncode:
            raise Problem(f"cannot decompress {source}")
        return
    name = ctypes.util.find_library("zstd")
    if not name:
        raise Problem(f"there is no zstd to decompress {source}")
    zstd, packed = ctypes.CDLL(name), source.read_bytes()
    zstd.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    size = zstd.ZSTD_getFrameContentSize(packed, ctypes.c_size_t(len(packed)))
    if size >= 1 << 62:
        raise Problem(f"{source} does not say how long it is; please decompress it beside itself")
    text = ctypes.create_string_buffer(size)
    if zstd.ZSTD_decompress(text, ctypes.c_size_t(size), packed, ctypes.c_size_t(len(packed))) != size:
        raise Problem(f"cannot decompress {source}")
    out.write(text.raw)
    out.flush()


def write_copies(source, times, target):
    """Writes the uncompressed text of a file `times` times in a row."""
    with open(target, "wb") as out:
        for _ in range(times):
            if source.suffix == ".zst":
                decompress(source, out)
            else:
                with open(source, "rb") as plain:
                    shutil.copyfileobj(plain, out)


def plain_file(source, times, head, numbers):
    """The path of an uncompressed copy of a data file, written `times` times in a row, then cut to
    its first `head` lines, then with numbers for names. The copy has the time stamp of its source,
    which tells whether it is still a copy of it."""
    name = source.name[:-4] if source.suffix == ".zst" else source.name
    if source.with_name(name).exists():
        source = source.with_name(name)  # for machines without zstd
    name += f".x{times}" if times > 1 else ""
    name += f".head{head}" if head else ""
    target = CACHE / (name + (".numbers" if numbers else ""))
    stamp = source.stat().st_mtime_ns
    if target.exists() and target.stat().st_mtime_ns == stamp:
        return target
    CACHE.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    note(f"making {target.name}")
    write_copies(source, times, partial)
    if head:
        cut_lines(partial, head)
    if numbers:
        number_items(partial)
    os.utime(partial, ns=(stamp, stamp))
    partial.rename(target)
    return target


def made_file(command, values):
    """The path of a file that a command makes at {made}; kept under a name that is the command."""
    words = re.sub(r"[^\w.]+", "-", re.sub(r"\{(lode|made|data|bench)\}", "", command)).strip("-")
    target = CACHE / fill(words, values)
    if target.exists():
        return target
    CACHE.mkdir(parents=True, exist_ok=True)
    note(f"making {target.name}")
    partial = target.with_name(target.name + ".partial")
    words = [fill(word, {**values, "made": str(partial)}) for word in shlex.split(command)]
    if subprocess.run(words, stdout=subprocess.DEVNULL).returncode:
        raise Problem(f"cannot make {target.name}: {shlex.join(words)}")
    partial.rename(target)
    return target


def absent_source(command, values):
    """A file of the data folder that a command reads but that does not exist, or None."""
    files = [fill(word, values) for word in shlex.split(command) if word.startswith("{data}/")]
    return next((name for name in files if not Path(name).exists()), None)


def row_values(row, case, places):
    """The placeholders of a row; None (and a note) if its data are missing here."""
    values = {**places, **{key: str(value) for key, value in row.items()}}
    if "file" in row:
        source = Path(places["data"]) / row["file"]
        if not source.exists():
            note(f"skip: row {row['name']}: there is no {source} (set LODE_DATA)")
            return None
        values["file"] = str(source)
        values["plain"] = str(plain_file(source, row.get("times", 1), row.get("head", 0),
                                         row.get("numbers", False)))
    elif "make" in case or "make" in row:
        make = row.get("make") or case["make"]
        absent = absent_source(make, values)
        if absent:
            note(f"skip: row {row['name']}: there is no {absent} (set LODE_DATA)")
            return None
        values["plain"] = values["file"] = str(made_file(fill_keep(make, values), values))
    return values


def drop_made(row, case, values):
    """Removes data that were made for a row and are too large to keep."""
    if case.get("keep", True) is False and "file" not in row:
        Path(values["plain"]).unlink()


def fill_keep(command, values):
    """Replaces the placeholders that are fields of the row; leaves {lode}, {made} and {data}."""
    return fill(command, {**values, "lode": "{lode}", "made": "{made}", "data": "{data}"})
