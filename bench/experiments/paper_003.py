"""003, PBI and TBI: two Aprioris with bitmaps on a GPU.

The paper's systems are `pbi`, `tbi` on a GPU and on a CPU, and `goethals`; `adaptive` and `tensor` are
ours, for comparison. As in the paper, the time is that of transfers, candidates and counting,
without input, output and conversion, and programs for several cores get four threads. The paper's
axes are only in its pictures: the supports are ours, down to those that its text names.

SPDX-License-Identifier: Apache-2.0
"""
import claims_003 as claims
from model import Figure, Panel, Paper, Point, System, real

T40, CHESS, RETAIL = (f"itemsets/{name}.dat.zst" for name in ("T40I10D100K-regen", "chess", "retail"))
MEASURES = {
    "transfer": {"report": "times.transfer"},
    "candidate": {"report": "times.candidate"},
    "counting": {"report": "times.counting"},
    "inner": {"report": "times.transfer+times.candidate+times.counting"},
}
# Without --lists, tbi on a CPU counts short rows from those of the items, which the paper does not.
PAPERS_WAY = "--threads 4 --lists 4000000000"
SHARES = {f"share_{part}": lambda run, part=part: run[part] / run["inner"]
          for part in ("transfer", "candidate", "counting")}


def lode(name, algorithm, device, estimate, options=""):
    command = f"{{lode}} itemsets {{plain}} -s {{support}} --count --algorithm {algorithm} {options}"
    return System(name, f"{command.strip()} --device {device}".strip(), measures=MEASURES, estimate=estimate,
                  cores=1 if "gpu" in device else 4)


def systems(heavy):
    """The five of the figures, and two of ours. heavy: seconds of goethals at a point."""
    return [lode(claims.PBI, "pbi", "{gpu}", lambda p: 0.45),
            lode(claims.TBI, "tbi", "{gpu}", lambda p: 0.45 + heavy(p) / 500),
            lode(claims.PBI_TABLE, "pbi", "{gpu}", lambda p: 0.45, "--popcount constant16"),
            lode(claims.TBI_TABLE, "tbi", "{gpu}", lambda p: 0.45 + heavy(p) / 500, "--popcount constant16"),
            lode("tensor, GPU", "tensor", "{gpu}", lambda p: 0.4),
            lode(claims.TBI_CPU, "tbi", "cpu", lambda p: 0.1 + heavy(p) / 10, PAPERS_WAY),
            System(claims.GOETHALS, "{lode} itemsets {plain} -s {support} --count --algorithm goethals "
                   "--threads 4", measures=MEASURES, estimate=heavy, cores=4),
            System(claims.BORGELT, "{peers}/apriori -S-99999999 -s-{minsup} {plain}",
                   measures={"inner": {"match": r"^checking subsets .* done \[([0-9.]+)s\]"}},
                   estimate=lambda p: heavy(p) / 3),
            lode("adaptive, 4 threads", "adaptive", "cpu", lambda p: 0.1, "--threads 4")]


INNER = Panel("inner", "seconds: transfer, candidates, counting")
PARTS = [Panel(f"share_{part}", f"share of {part}", log=False, kind="bars",
               systems=(claims.PBI, claims.TBI, claims.TBI_CPU, claims.GOETHALS))
         for part in ("transfer", "candidate", "counting")]


OURS = ("tensor, GPU", "adaptive, 4 threads")


def supports(file, percents, head=0):
    """Our own systems run only at the ends of the axis."""
    own = tuple(system.name for system in systems(float) if system.name not in OURS)
    return [Point(percent, real(file, head), percent, work=1 / percent,
                  only=() if percent in (percents[0], percents[-1]) else own) for percent in percents]


def figure(number, name, points, heavy, verdict, claim):
    return Figure(
        id=f"{number}a, {number}b", title=name, x="minimum support, %", systems=systems(heavy),
        varied=f"The minimum support on {name}: the time of the five Aprioris (a), and of the four that tell "
               "it, how the time divides into transfer, candidates and counting (b). Bits are counted by an "
               "instruction and, as in the paper, by a table in constant memory. Borgelt's program tells the time of "
               "its search in hundredths of a second.",
        points=points, panels=[INNER, *PARTS], derived=SHARES, claim=claim, verdict=verdict)


SPARSE = " On sparse data `tbi` is better than `pbi`."
GENERAL = ("`pbi` and `tbi` on a GPU take 1/2.7 to 1/130 of the time of `goethals` on four cores, and "
           "1/1.2 to 1/24 of that of Borgelt's Apriori; counting dominates `goethals`.")
FIGURE_6 = figure(
    6, "T40I10D100K",
    {"tiny": supports(T40, (5, 4), 1000), "small": supports(T40, (5, 4, 3, 2, 1.5), 20000),
     "paper": supports(T40, (5, 4, 3, 2, 1))},
    lambda p: 2 * (p.data.head or 100000) / 1e5 * (5 / p.percent) ** 2, claims.on_generated, GENERAL)
FIGURE_7 = figure(
    7, "chess",
    {"tiny": supports(CHESS, (90, 85)), "small": supports(CHESS, (90, 85, 80, 75, 70)),
     "paper": supports(CHESS, (90, 85, 80, 75, 70, 65, 60))},
    lambda p: 0.05 * (90 / p.percent) ** 16, claims.on_dense,
    GENERAL + " The gain is larger on dense data; bit rows of itemsets make candidates faster there, so "
    "`pbi` wins.")
FIGURE_8 = figure(
    8, "retail",
    {"tiny": supports(RETAIL, (2, 1), 2000), "small": supports(RETAIL, (1, 0.5, 0.2, 0.1, 0.05)),
     "paper": supports(RETAIL, (1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01))},
    lambda p: 0.3 * (1 / p.percent), claims.on_sparse,
    GENERAL + " On this sparse data `tbi` on a GPU is 7.8 times as fast as on a CPU, and `tbi` on a CPU "
    "1.28 times as fast as `goethals`." + SPARSE)

GROWTH_SYSTEMS = [
    lode(claims.PBI, "pbi", "{gpu}", lambda p: 0.5),
    lode(claims.TBI, "tbi", "{gpu}", lambda p: 1.0),
    lode("tensor, GPU", "tensor", "{gpu}", lambda p: 0.4),
    System(claims.GROWTH, "env OMP_NUM_THREADS=4 {peers}/freqmine {plain} {minsup}",
           measures={"inner": {"match": r"the FPgrowth cost ([0-9.]+) seconds"}},
           count=r"^(\d+)$", count_by="sum", estimate=lambda p: 1.0, cores=4),
    lode(claims.TBI_CPU, "tbi", "cpu", lambda p: 1.0, PAPERS_WAY),
    lode("adaptive, 4 threads", "adaptive", "cpu", lambda p: 0.1, "--threads 4")]


def three(t40, chess, retail, heads=(0, 0, 0)):
    return [Point(name, real(file, head), percent)
            for name, file, percent, head in zip(("T40I10D100K", "chess", "retail"), (T40, CHESS, RETAIL),
                                                 (t40, chess, retail), heads)]


FIGURE_9 = Figure(
    id="9", title="against FP-growth",
    varied="T40I10D100K at 1%, chess at 60%, retail at 0.01% (`small`: 2%, 70%, 0.1%): `pbi` and `tbi` "
           "against FP-growth for several cores (freqmine of PARSEC, OpenMP, four threads).",
    x="data", systems=GROWTH_SYSTEMS, panels=[Panel(INNER.metric, INNER.label, kind="bars")],
    points={"tiny": three(5, 85, 2, (1000, 0, 2000)), "small": three(2, 70, 0.1), "paper": three(1, 60, 0.01)},
    claim="FP-growth is 4 to 16 times as fast as both.", verdict=claims.against_growth)

PAPER = Paper("003", "PBI and TBI", [FIGURE_6, FIGURE_7, FIGURE_8, FIGURE_9],
              minutes={"small": 8, "paper": 20})
