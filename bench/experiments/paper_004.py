"""004, a parallel Apriori with a folded grid: T40I10D100K, cut to 1,000, 5,000 and 10,000 transactions.

The paper's system is `gpu-apriori`; all variants count bits by shifts there (--popcount shift). It gives
no support: 2% here.

SPDX-License-Identifier: Apache-2.0
"""
import claims_004 as claims
from model import Figure, Panel, Paper, Point, System, real

T40 = "itemsets/T40I10D100K-regen.dat.zst"
MEASURES = {
    "counting": {"report": "times.counting"},
    "candidate": {"report": "times.candidate"},
    "grid": {"report": "grid.seconds"},
    "unique": {"report": "grid.unique_seconds"},
    "blocks": {"report": "grid.blocks"},
    "idle": {"report": "grid.idle_blocks"},
}
IN_MS = {f"{name}_ms": lambda run, name=name: 1000 * run[name] for name in ("counting", "grid", "unique")}


def variant(name, options, device="{gpu}", algorithm="gpu-apriori", more=None):
    return System(name, f"{{lode}} itemsets {{plain}} -s {{support}} --count --algorithm {algorithm} {options} "
                  f"--device {device}", measures=MEASURES | (more or {}),
                  estimate=lambda p: 0.5 if "{gpu}" in device else 0.1 + p.x / 5000)


def cuts(percent, *sizes):
    return [Point(n, real(T40, n if n < 100000 else 0), percent) for n in sizes]


POINTS = {"tiny": cuts(6, 500, 1000), "small": cuts(3, 1000, 5000, 10000),
          "paper": cuts(2, 1000, 5000, 10000, 100000)}

FIGURE_7 = Figure(
    id="7", title="counting",
    varied="Milliseconds of counting, all levels: on one core, on a GPU with trees padded to a power of two, "
           "and with trees of any length; bits counted by shifts.",
    x="transactions", log_x=True, derived=IN_MS, points=POINTS,
    systems=[variant(claims.PADDED, "--reduce pow2 --popcount shift"),
             variant(claims.ANY, "--reduce any --popcount shift"),
             variant(claims.CPU, "--reduce any --popcount shift --threads 1", "cpu"),
             variant(claims.CPU_PADDED, "--reduce pow2 --popcount shift --threads 1", "cpu")],
    panels=[Panel("counting_ms", "ms of counting")],
    claim="Trees of any length are slower at 1,000 transactions, 20.1% faster at 5,000 and 16.1% at 10,000.",
    verdict=claims.figure_7)

FIGURE_8 = Figure(
    id="8", title="candidates",
    varied="Milliseconds of the grid over all pairs, all levels: on one core, on a GPU with a square grid "
           "of blocks, and with a folded one. A block unites two sets, and intersects their rows of bits where the "
           "union has the right size (`--grid-rows`): the grid then has a block for each place, with or without a pair. "
           "Next to it, the union alone, a thread for each place and 256 places in a block. On the GPU it is the time "
           "of that kernel alone; dropping what was found twice is apart, since the host does it and it is "
           "the same for both.",
    x="transactions", log_x=True, derived=IN_MS, points=POINTS,
    systems=[variant(claims.SQUARE, "--grid square --grid-rows --popcount shift"),
             variant(claims.FOLDED, "--grid folded --grid-rows --popcount shift"),
             variant(claims.SQUARE_OR, "--grid square --popcount shift"),
             variant(claims.FOLDED_OR, "--grid folded --popcount shift"),
             variant(claims.CPU_GRID, "--grid folded --grid-rows --popcount shift --threads 1", "cpu")],
    panels=[Panel("grid_ms", "ms of the grid"), Panel("unique_ms", "ms of dropping what was found twice"),
            Panel("blocks", "blocks started (on a CPU: places of pairs)"), Panel("idle", "places of the grid without a pair")],
    claim="The folded grid is 38.0%, 32% and 25.3% faster at 1,000, 5,000 and 10,000 transactions.",
    verdict=claims.figure_8)

TEXT = Figure(
    id="closing words", title="GPU against CPU",
    varied="Counting and the grid, on the GPU against one core with the same code in loops, which is what "
           "the paper compares.",
    x="transactions", log_x=True, derived=IN_MS, points=POINTS,
    systems=[FIGURE_7.systems[1], FIGURE_7.systems[2], FIGURE_8.systems[1], FIGURE_8.systems[-1]],
    panels=[Panel("counting_ms", "ms of counting", systems=(claims.ANY, claims.CPU)),
            Panel("grid_ms", "ms of the grid", systems=(claims.FOLDED, claims.CPU_GRID))],
    claim="At 100,000 transactions counting is 27 times and making candidates 22 times as fast on the GPU; "
          "the closing words have 32 and 30.",
    verdict=claims.gpu_against_cpu)

GROWTH = Figure(
    id="growth", title="from 1,000 to 5,000 transactions",
    varied="Counting, on the GPU and on one core, as in figure 7.",
    x="transactions", log_x=True, derived=IN_MS, points=POINTS,
    systems=[FIGURE_7.systems[1], FIGURE_7.systems[2]], panels=FIGURE_7.panels,
    claim="From 1,000 to 5,000 transactions the time grows by 50% on the GPU and doubles on the CPU.",
    verdict=claims.growth)

POPCOUNT = Figure(
    id="§4", title="counting the bits of a word",
    varied="Counting by shifts, by a table of 65,536 bytes and by the instruction of the processor: the "
           "paper shifts, and compares with nothing.",
    x="transactions", log_x=True, derived=IN_MS, points=POINTS,
    systems=[variant(f"{how}, {where}", f"--popcount {how}{threads}", device)
             for where, device, threads in (("GPU", "{gpu}", ""), ("CPU", "cpu", " --threads 1"))
             for how in ("shift", "table16", "native")],
    panels=[Panel("counting_ms", "ms of counting")],
    claim="None; here is what the choice costs.", verdict=claims.popcount)

PAPER = Paper("004", "Parallel Apriori with a folded grid", [FIGURE_7, GROWTH, FIGURE_8, TEXT, POPCOUNT],
              minutes={"small": 4, "paper": 20})
