"""What the tests of lode-mpi share: how ranks are launched, with each MPI that is there.

SPDX-License-Identifier: Apache-2.0
"""
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from patience import size_of, wait_until  # noqa: E402, F401 # for the tests
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
BUILD = Path(LODE).parent
DATA = Path(os.environ.get("LODE_DATA", ROOT / ".." / "shared" / "data"))
LONG = bool(os.environ.get("LODE_LONG"))
SANITIZED = os.environ.get("LODE_SANITIZED", "")
TIMEOUT = 600  # seconds, also on a busy machine

# Root may, more ranks than processors may, and nothing but memory is used between them.
OPEN_MPI = ["mpirun.openmpi", "--quiet", "--oversubscribe", "--mca", "btl", "self,vader"]


# Open MPI puts files of a launch into a folder that other launches, when they end, may remove.
SESSIONS = tempfile.TemporaryDirectory(prefix="lode-mpi-")


class Launcher:
    """One MPI library: how it starts ranks, and the programs that were built with it."""

    def __init__(self, name, words, suffix):
        self.name, self.words, self.suffix = name, words, suffix

    def program(self, name):
        return BUILD / f"{name}{self.suffix}"

    def command(self, ranks, name, *arguments):
        return [*self.words, "-n", str(ranks), str(self.program(name)), *map(str, arguments)]


def launchers():
    """The libraries for which lode-mpi was built; the first is the one that CMake has found."""
    first = shutil.which("mpirun.openmpi")
    words = OPEN_MPI if first else ["mpirun"]
    found = [Launcher("Open MPI" if first else "MPI", words, "")]
    if SANITIZED != "thread":  # under which MPICH's own start ends with a segmentation fault
        found.append(Launcher("MPICH", ["mpirun.mpich"], "-mpich"))
    return [one for one in found if shutil.which(one.words[0])
            and one.program("lode-mpi").exists() and starts(one.words[0], *one.words[1:])]


@functools.cache
def starts(*words):
    """Whether a launcher can start processes at all: in some containers it cannot."""
    done = run([*words, "-n", "2", "true"])
    if done.returncode != 0:
        print(f"{words[0]} cannot start two processes here: {done.stderr.strip()[:300]}")
    return done.returncode == 0


def environment():
    """Ranks run as root in containers, and MPI libraries leak a little and race with themselves."""
    folder = ROOT / "tests" / "mpi"
    session = tempfile.mkdtemp(dir=SESSIONS.name)
    return {**os.environ, "OMPI_MCA_orte_tmpdir_base": session, "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "LSAN_OPTIONS": f"suppressions={folder}/leaks.supp:print_suppressions=0",
            "TSAN_OPTIONS": f"suppressions={folder}/races.supp:ignore_noninstrumented_modules=1:"
                            "atexit_sleep_ms=20"}


def run(command, timeout=TIMEOUT, **more):
    """Runs a command; nothing may hang."""
    return subprocess.run(command, capture_output=True, text=True, env=environment(),
                          timeout=timeout, check=False, **more)


def parents():
    """The parent of every process that runs here, with its name."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            before, after = path.read_text().rsplit(")", 1)
        except OSError:
            continue
        if after.split()[0] not in "ZX":
            found[int(path.parent.name)] = (int(after.split()[1]), before.split("(", 1)[1])
    return found


def ranks_of(job):
    """The processes of lode-mpi below a launcher, which may have others in between."""
    tree, found = parents(), []
    for pid, (above, name) in tree.items():
        while above in tree and above != job.pid:
            above = tree[above][0]
        if above == job.pid and name.startswith("lode-mpi"):
            found.append(pid)
    return found


def lode(*arguments):
    """Output of lode itself."""
    return run([LODE, *map(str, arguments)])


def main():
    """Runs the tests of a script, or says why they cannot run here."""
    if not launchers():
        print("skip: no MPI launcher that works, and for which lode-mpi was built")
        sys.exit(77)
    unittest.main()


class MpiTest(unittest.TestCase):
    """A test with a folder of its own, in which nothing may be left that the test does not expect."""

    def setUp(self):
        self.launchers = launchers()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def mine(self, ranks, *arguments, launcher=None, expect=0):
        """Runs lode-mpi; returns what it has printed. The exit code must be as expected."""
        one = launcher or self.launchers[0]
        done = run(one.command(ranks, "lode-mpi", *arguments), cwd=self.folder)
        self.assertEqual(done.returncode, expect, f"{one.name}: {done.args}\n{done.stderr}")
        return done

    def report(self):
        return json.loads((self.folder / "report.json").read_text())

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def baskets(self, name="data.dat", rows=1500, items=40, seed=5):
        """Dense random transactions."""
        path = self.folder / name
        done = lode("generate", "quest", "--transactions", rows, "--items", items, "--length", 12,
                    "--pattern-length", 6, "--seed", seed, "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path
