"""What the cells of an experiment are made of: commands, data, and how long they will take.

SPDX-License-Identifier: Apache-2.0
"""
import dataclasses
import hashlib
import json
import math
import re
import shutil
import subprocess
from pathlib import Path
from typing import Optional

import rows
from model import power_law
from problem import Problem
from results import MEASURED

AGAIN_BELOW = 2.0  # seconds: a cell whose first run is shorter is run several times
REPEATS = {"tiny": 1, "small": 5, "paper": 5}
ESTIMATE = {"tiny": 0.05, "small": 0.5, "paper": 1.0}  # of cells of which nothing is known
TELLING = 0.3  # seconds: shorter runs say nothing about longer ones
PROBE_PART = 6  # a probe may take this part of the limit, and a cell that will is not probed
CUDA_START = 0.45  # seconds of a short run on a GPU
ITEMS_A_SECOND = 2e7  # that one core generates and writes


@dataclasses.dataclass
class Settings:
    """Settings that all cells of a run share."""
    places: dict
    scale: str
    gpu: str  # the device for {gpu}, or "" where there is none
    limit: float
    cores: int
    repeats: int = 0  # runs of a cell whose first is short; 0: as many as the scale has
    minutes: Optional[float] = None  # for the cells of a paper that need no GPU; None: as it says

    def cpu_minutes(self, paper):
        return paper.minutes.get(self.scale, math.inf) if self.minutes is None else self.minutes

    def __post_init__(self):
        self.repeats = self.repeats or REPEATS[self.scale]


# --- what is run ----------------------------------------------------------------------------------


def file_hash(path):
    found = shutil.which(path)
    return hashlib.sha256(Path(found).read_bytes()).hexdigest()[:16] if found else ""


def version_of(path):
    """What a program that is not ours says of its version when it is started without arguments."""
    try:
        done = subprocess.run([path], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return "not known"
    found = re.search(r"version ([\w.]+(?: \([\d.]+\))?)", done.stdout + done.stderr)
    return found[1] if found else "not known"


def program_of(cell, settings):
    """The path of the program that a cell runs, after env and NAME=VALUE."""
    if cell.system.peer:
        return f"{settings.places['peers']}/{cell.system.peer}"
    return settings.places["lode"]


def gap_of(cell, settings):
    """Why a cell cannot be run here, or ""."""
    if cell.system.needs_gpu and not settings.gpu:
        return "no GPU here"
    if settings.scale == "paper" and settings.cores < cell.system.cores:
        return f"needs {cell.system.cores} processors"
    if cell.system.peer:
        if not settings.places["peers"]:
            return f"no {cell.system.peer}: LODE_PEERS is not set"
        if not shutil.which(program_of(cell, settings)):
            return f"no {cell.system.peer} in LODE_PEERS"
    source = source_of(cell.point.data, settings)
    return f"no {source.name} in LODE_DATA" if source and not source.exists() else ""


def source_of(data, settings):
    """The real data set that a data file is made of, or None."""
    name = data.file or next((word[7:] for word in data.make.split() if word.startswith("{data}/")), "")
    return Path(settings.places["data"]) / name if name else None


def command_of(cell, settings):
    """The command of a cell as written to the CSV: placeholders of the cell filled in, paths not.
    """
    point = cell.point
    own = {"support": f"{point.percent:g}%", "percent": f"{point.percent:g}",
           "gpu": settings.gpu or "cuda:0", **{key: str(value) for key, value in point.values.items()}}
    kept = {name: "{%s}" % name for name in ("lode", "peers", "plain", "minsup", "data")}
    return " ".join(rows.fill(word, {**kept, **own}) for word in cell.system.command.split())


def key_of(cell, settings, hashes, data=None):
    """The key of a run in the journal."""
    program = program_of(cell, settings)
    if program not in hashes:
        hashes[program] = file_hash(program)
    parts = [hashes[program], command_of(cell, settings), (data or cell.point.data).text(),
             cell.point.percent, sorted(cell.system.measures.items()), settings.scale]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]


def device_of(cell, settings):
    """The device in the command, for the CSV."""
    words = command_of(cell, settings).split()
    return next((words[i + 1] for i, word in enumerate(words[:-1]) if word in ("--device", "-d")), "cpu")


# --- data -----------------------------------------------------------------------------------------


def data_path(data, settings):
    """The plain file of a point; makes it if it does not exist."""
    if data.file:
        source = source_of(data, settings)
        return rows.plain_file(source, 1, data.head, False)
    return rows.made_file(data.make, settings.places)


def make_seconds(data, settings):
    """What making a file will take, roughly."""
    return 0.05 + data.size / ITEMS_A_SECOND / min(settings.cores, 16)


def count_transactions(path):
    """Lines of a file of baskets, or graphs of a file of graphs."""
    if path.name.endswith(".lg"):
        with open(path, "rb") as file:
            return sum(line.startswith(b"t") for line in file)
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def values_of(cell, path, settings, data=None):
    """The placeholders of a cell."""
    point = cell.point
    n = (data or point.data).transactions or count_transactions(path)
    # A hair less, so that 3% of 100 is 3 and not 4 because of how numbers are stored.
    minsup = max(1, math.ceil(n * point.percent / 100 - 1e-9 * n))
    return {**settings.places, "plain": str(path), "support": f"{point.percent:g}%",
            "percent": f"{point.percent:g}", "minsup": str(minsup), "gpu": settings.gpu,
            **{key: str(value) for key, value in point.values.items()}}


# --- prediction -----------------------------------------------------------------------------------


def predict(cell, done, settings, probed=None):
    """Predicts the seconds of a run of a cell: from measurements, or else by its estimate."""
    return predict_by_runs(cell, done, settings, probed) or estimate(cell, settings)


def predict_by_runs(cell, done, settings, probed=None):
    """Predicts the seconds from finished cells of the curve, or else from its probe; None without
    either."""
    finished = [(other.point.cost(), record["runs"][0]["wall"]) for other, record in done
                if record["status"] == MEASURED and other.figure is cell.figure
                and other.system is cell.system and other.point.series == cell.point.series]
    law = power_law(finished)
    # One point, or points that are nearly all start and end of a program, tell little of growth.
    told = len(finished) > 1 and max(wall for _, wall in finished) > TELLING or not cell.system.estimate
    if law and told:
        return law[1](cell.point.cost())
    if probed and not probed["status"].startswith("failed"):
        return probed_seconds(cell, probed, settings)
    return None


def probed_seconds(cell, probed, settings):
    """Extrapolates from a run on smaller data if time grows with the data: not on a GPU."""
    seconds = probed["runs"][0]["wall"] if probed["runs"] else settings.limit / PROBE_PART
    return seconds * cell.point.probe[1]


def estimate(cell, settings):
    if cell.system.estimate:
        return float(cell.system.estimate(cell.point))
    return CUDA_START if cell.system.needs_gpu else ESTIMATE[settings.scale]


def plain(seconds):
    """Seconds in three digits or more, never as a power of ten."""
    return f"{seconds:.0f}" if seconds >= 100 else f"{seconds:.3g}"


def cell_seconds(seconds, settings, limit):
    """Total seconds of a cell: a short run is repeated; a cell that is not started costs nothing.
    """
    if seconds > limit:
        return 0.0
    return seconds * (settings.repeats if seconds < AGAIN_BELOW else 1)


def has_gpu(lode):
    """Whether lode can use a GPU here."""
    try:
        done = subprocess.run([lode, "devices"], capture_output=True, text=True)
    except OSError as error:
        raise Problem(f"{lode}: {error.strerror}; ./dev build makes it") from None
    return any(line.startswith("cuda") and "not usable" not in line for line in done.stdout.splitlines())


