"""001, optimized candidate representation: every figure of its section 5.

The paper's system is `eqclass`, its baseline `gpapriori`; both keep bit rows of the items on the device
and differ in how candidates are written down. Several supports that the paper prints cannot be what it
ran, since nothing, or next to nothing, is frequent there; they are run all the same, beside substitutes
at which there is something to compare.

SPDX-License-Identifier: Apache-2.0
"""
import dataclasses

import claims_001 as claims
from model import Figure, Panel, Paper, Point, System, quest, real

MEASURES = {
    "bytes": {"report": "candidates.bytes"},
    "with_rows": {"report": "candidates.bytes_with_rows"},
    "paper_bytes": {"report": "candidates.bytes_paper"},
    "deep": {"report": "sum(levels>=3.counting)"},
    "counting": {"report": "times.counting"},
    "candidate": {"report": "times.candidate"},
    "bandwidth": {"report": "counting.bandwidth"},
    "read_bytes": {"report": "counting.bytes"},
    "gpu_bytes": {"report": "memory.device_peak"},
}
DERIVED = {"mib": lambda run: run["bytes"] / 2 ** 20,
           "with_rows_mib": lambda run: run["with_rows"] / 2 ** 20,
           "paper_mib": lambda run: run["paper_bytes"] / 2 ** 20,
           "gigabytes": lambda run: run["bandwidth"] / 1e9}


def lode(name, algorithm, device, estimate=None):
    return System(name, f"{{lode}} itemsets {{plain}} -s {{support}} --count --algorithm {algorithm} "
                  f"--device {device}", measures=MEASURES, estimate=estimate)


def pair(seconds):
    """Both systems on a GPU and on all cores. seconds(point): of a run on a CPU."""
    return [lode(f"{name}, {where}", name, device, estimate)
            for where, device, estimate in (("GPU", "{gpu}", lambda p: 0.45 + seconds(p) / 10),
                                            ("CPU", "cpu", seconds))
            for name in ("gpapriori", "eqclass")]


LISTS = Panel("mib", "MiB of candidates")
PAPERS = Panel("paper_mib", "MiB as the paper counts: candidates, rows of items, one row of a prefix")
WITH_ROWS = Panel("with_rows_mib", "MiB of candidates and all rows that lode keeps")
MEASURED = Panel("gpu_bytes", "bytes of GPU memory, measured at the peak", systems=("gpapriori, GPU", "eqclass, GPU"))
MEMORY = [LISTS, PAPERS, WITH_ROWS, MEASURED]
RETAIL = real("itemsets/retail.dat.zst")


def at(data, *percents):
    return [Point(percent, data, percent, work=1 / percent ** 2) for percent in percents]


RETAIL_POINTS = {"tiny": at(real("itemsets/retail.dat.zst", 5000), 5, 4, 1),
                 "small": at(RETAIL, 5, 4, 0.5, 0.2, 0.1),
                 "paper": at(RETAIL, 5, 4, 0.1, 0.03, 0.01)}
SUBSTITUTE = ("The paper prints 5% and 4%, where retail has 16 and 18 frequent sets; so 0.1% to 0.01% stand "
              "beside them (`small`: 0.5% to 0.1%).")
RETAIL_SYSTEMS = pair(lambda p: 0.2 + 0.01 / p.x ** 2)


def retail(number, title, varied, panels, claim, verdict, more=()):
    return Figure(id=number, title=title, varied=f"{varied} {SUBSTITUTE}", x="minimum support, %",
                  log_x=True, systems=[*RETAIL_SYSTEMS, *more], points=RETAIL_POINTS, panels=panels,
                  claim=claim, verdict=verdict, derived=DERIVED)


FIGURE_5 = retail(
    "5", "memory on retail", "Device memory for candidates, without and with the bit rows in use, over "
    "the minimum support.", MEMORY,
    "Classes take over 100 MB less than lists at 5% and at 4%.", claims.figure_5)
FIGURE_6 = retail(
    "6", "counting on retail", "Time of counting. The paper has two GPUs (GTX 480 and 680), we have one; "
    "all cores of the CPU are shown for comparison, and what lode uses itself.",
    [Panel("counting", "seconds of counting")],
    "Counting by classes is twice as fast.", claims.figure_6,
    [lode("adaptive, CPU", "adaptive", "cpu", lambda p: 0.1)])
OTHER_DATA = [Point(f"{name} {percent:g}%", real(f"itemsets/{file}.dat.zst"), percent)
              for name, file, percent in (("chess", "chess", 60), ("mushroom", "mushroom", 10),
                                          ("T40I10", "T40I10D100K-regen", 1), ("T10I4", "T10I4D100K", 0.01),
                                          ("retail", "retail", 0.01))]
FIGURE_6_DATA = Figure(
    id="6 other data", title="counting on other data",
    varied="The same on dense and on generated data, and for level 3 and deeper alone: at level 2, where retail "
           "spends its time, a class has a prefix of one item, and nothing can be shared.",
    x="data", systems=pair(lambda p: 3.0), derived=DERIVED,
    points={"tiny": [Point("chess 85%", real("itemsets/chess.dat.zst", 2000), 85)],
            "small": [Point("chess 70%", real("itemsets/chess.dat.zst"), 70),
                      Point("mushroom 20%", real("itemsets/mushroom.dat.zst"), 20),
                      Point("T40I10 2%", real("itemsets/T40I10D100K-regen.dat.zst"), 2)],
            "paper": OTHER_DATA},
    panels=[Panel("counting", "seconds of counting", kind="bars"),
            Panel("deep", "seconds of counting, from level 3 on", kind="bars")],
    claim="Counting by classes is twice as fast.", verdict=claims.figure_6_data)
FIGURE_7 = retail(
    "7", "bandwidth on retail", "Bytes of rows that counting reads and writes, for each second of it.",
    [Panel("gigabytes", "GB/s")],
    "Up to more than 1 GB/s by classes, up to 0.8 GB/s by lists; less at lower support.", claims.figure_7)


def memory(number, title, data, percents, varied, claim, verdict):
    """A figure of bytes over support. percents: {scale: percents}; tiny has the first lines."""
    points = {scale: at(data[scale == "tiny"], *list_of) for scale, list_of in percents.items()}
    return Figure(id=number, title=title, varied=varied, x="minimum support, %", log_x=True,
                  systems=pair(lambda p: 0.5), points=points, panels=MEMORY,
                  claim=claim, verdict=verdict, derived=DERIVED)


def whole_and_head(name):
    return real(f"itemsets/{name}.dat.zst"), real(f"itemsets/{name}.dat.zst", 2000)


FIGURE_8_CHESS = memory(
    "8 chess", "memory on chess", whole_and_head("chess"),
    {"tiny": (90, 85), "small": (85, 80, 75, 70, 65), "paper": (80, 70, 60)},
    "Device memory for candidates over the minimum support; the supports are ours.",
    "Classes take less than lists.", claims.less)
FIGURE_8_MUSHROOM = memory(
    "8 mushroom", "memory on mushroom", whole_and_head("mushroom"),
    {"tiny": (60, 50), "small": (40, 30, 25, 20), "paper": (30, 20, 10)},
    "Device memory for candidates over the minimum support; the supports are ours.",
    "Classes take less than lists.", claims.less)
FIGURE_9_T10 = memory(
    "9 T10I4", "memory on T10I4D100K", whole_and_head("T10I4D100K"),
    {"tiny": (35, 1), "small": (35, 0.5, 0.2, 0.1), "paper": (35, 0.1, 0.03, 0.01)},
    "Device memory for candidates over the minimum support. The paper speaks of 35%, where no set is "
    "frequent; 0.1% to 0.01% are added (`small`: 0.5% to 0.1%).",
    "From 35% on, half the memory.", claims.figure_9_t10)
FIGURE_9_T40 = memory(
    "9 T40I10", "memory on T40I10D100K", whole_and_head("T40I10D100K-regen"),
    {"tiny": (10, 8), "small": (5, 4, 3, 2), "paper": (5, 2, 1)},
    "Device memory for candidates from 5% on. The data set is a new one from the same generator.",
    "From 5% on, 1.5 times less memory.", claims.figure_9_t40)


def lengths(n, percent):
    """The longest at the support that the paper prints, then all at the substitute."""
    return [Point(f"T{length} at {support}%", quest(n, length, 10, 1000), support)
            for length, support in ((30, 60), (15, percent), (20, percent), (25, percent), (30, percent))]


FIGURE_10 = Figure(
    id="10", title="density",
    varied="Device memory over the mean length of transactions: T15, T20, T25 and T30, all I10D100K, 1,000 "
           "items. The paper prints 60%, where nothing is frequent; 1% stands beside it (`small`: 20 K "
           "transactions).",
    x="data", systems=pair(lambda p: 0.5), derived=DERIVED,
    points={"tiny": lengths(1000, 3), "small": lengths(20000, 1), "paper": lengths(100000, 1)},
    panels=[dataclasses.replace(panel, kind="bars") for panel in MEMORY],
    claim="50 to 75% less memory at higher density.", verdict=claims.figure_10)

PAPER = Paper("001", "optimized candidate representation", [
    FIGURE_5, FIGURE_6, FIGURE_6_DATA, FIGURE_7, FIGURE_8_CHESS, FIGURE_8_MUSHROOM, FIGURE_9_T10, FIGURE_9_T40, FIGURE_10],
    minutes={"paper": 20, "small": 6})
