"""Code that the static checks share: which files they check, and how they are run.

SPDX-License-Identifier: Apache-2.0
"""
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
C_FOLDERS = ("include", "src", "cli", "worker", "server", "mpi", "molecules",
             "python", "tests", "fuzz", "bench", "examples")


def c_files(root=ROOT):
    """All C, C++ and CUDA sources and headers of the project, as sorted paths."""
    return sorted(path for folder in C_FOLDERS for ending in ("*.c", "*.h", "*.cu", "*.cuh", "*.cpp", "*.hpp")
                  for path in (root / folder).rglob(ending))


def scripts(root=ROOT):
    """All scripts: ./dev, .ci/run and whatever is Python or shell."""
    named = [path for path in (root / "dev", root / ".ci" / "run") if path.exists()]
    found = [path for folder in ("tools", *C_FOLDERS) for ending in ("*.py", "*.sh")
             for path in (root / folder).rglob(ending)]
    return sorted(named + found)


def problems_of(files, check):
    """The violations that `check` finds in a tree of {name: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(Path(folder))


def test_check(check, good, bad, also):
    """Tests a check: the tree `good` must pass; with `bad`, {name: (text, expected)}, and the files
    `also`, which violate nothing by themselves, each violation must be found. Returns failures."""
    failures = [f"good tree: {line}" for line in problems_of(good, check)]
    found = problems_of({**good, **also, **{name: text for name, (text, _) in bad.items()}}, check)
    for name, (_, expected) in bad.items():
        if not any(expected in line and Path(name).name in line for line in found):
            failures.append(f"not found: {name}: {expected}")
    if len(found) != len(bad):
        failures.append(f"{len(bad)} violations made, {len(found)} reported: {found}")
    return failures


def run_check(name, usage, check, self_test=None):
    """Runs a check as its command line says; returns the exit status."""
    arguments = sys.argv[1:]
    if arguments in (["-h"], ["--help"]):
        print(usage)
        return 0
    if self_test and arguments == ["--self-test"]:
        problems = self_test()
    else:
        problems = check(Path(arguments[0]).resolve() if arguments else ROOT)
    print("\n".join(problems) if problems else f"{name}: fine")
    return 1 if problems else 0
