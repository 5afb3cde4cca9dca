"""Says where numbers come from: the machine, the commit, the date. Every results file starts with this.

SPDX-License-Identifier: Apache-2.0
"""
import datetime
import hashlib
import os
import platform
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"


def cpu_model():
    """The processor's name, as the system gives it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    return match[1].strip() if match else f"{platform.machine()} processor"


def cpu_count():
    """Processors this process may run on."""
    return len(os.sched_getaffinity(0))


def machine_slug():
    """A short name for file names, such as intel-xeon-8481c-2."""
    words = re.sub(r"\(.*?\)|@.*|\bCPU\b|\bProcessor\b", " ", cpu_model(), flags=re.I)
    return f"{slug(words)}-{cpu_count()}"


def slug(text):
    """Lower-case letters and digits, joined by dashes."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))


def commit():
    """The commit that is checked out, marked -dirty if files differ from it. In a copy without git,
    LODE_COMMIT gives it; otherwise it is "unknown"."""
    if "LODE_COMMIT" in os.environ:
        return os.environ["LODE_COMMIT"]
    if not (ROOT / ".git").exists():  # an archive, perhaps within a repository of something else
        return "unknown"
    try:
        done = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=10"], cwd=ROOT,
                              capture_output=True, text=True)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"


ENGINES = ("src/device", "src/graphs", "src/itemsets", "src/papers")  # what experiments measure
SOURCES = (".c", ".h", ".cu", ".cuh", ".def")


def engines():
    """{folder: a hash of its code} of the engines. Comments, texts and white space do not count."""
    found = {}
    for folder in ENGINES:
        digest = hashlib.sha256()
        for path in sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in SOURCES):
            code = re.sub(r"/\*.*?\*/|\\\n", "", path.read_text(encoding="utf-8"), flags=re.S)
            code = re.sub(r'("(?:\\.|[^"\\\n])*"\s*)+', '""', code)
            digest.update(f"{path.relative_to(ROOT)}:{''.join(code.split())}\n".encode())
        found[folder] = digest.hexdigest()[:10]
    return found


def gpu():
    """The GPU's name and driver; "" if there is none."""
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                              capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout else ""


def today():
    """The date in UTC, as 2026-11-20."""
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


def results_path(name, machine, folder=RESULTS):
    """Where the results of `name` belong, such as bench/results/counting-h200-2026-11-20.csv."""
    return Path(folder) / f"{slug(name)}-{slug(machine)}-{today()}.csv"


def header(machine):
    """The comment lines at the head of a results file."""
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    return [f"# machine: {machine}",
            f"# cpu: {cpu_model()}, {cpu_count()} processors",
            *([f"# gpu: {gpu()}"] if gpu() else []),
            f"# system: {platform.system()} {platform.release()} {platform.machine()}",
            f"# commit: {commit()}",
            f"# date: {today()}",
            f"# load average: {load}"]
