"""002, gSpan on a GPU (PGM): time and number of patterns over graphs, labels and support.

The paper's system is `gspan` on a GPU; graph `frontier` on a GPU, and `gspan` on all cores are
ours. Data are random graphs by edges, labels and density, following the manual of GraphGen, which
the paper uses. The paper does not give the size of its graphs: here they have 40 edges and a
density of 0.3. Neither source says how labels are distributed: here by Zipf's law. The pool of edge
kinds that the manual describes has a figure of its own, because it reverses the outcome.

SPDX-License-Identifier: Apache-2.0
"""
import dataclasses

import claims_002 as claims
from model import Figure, Panel, Paper, Point, System, made, short

MEASURES = {"mine": {"report": "times.mine"}, "device": {"report": "times.device"},
            "start": {"report": "device.start_seconds"}, "patterns": {"report": "patterns.total"}}
ON_GPU = {"prepare": {"report": "times.preprocess"}}
# What the paper times: the search, without reading and without the start of CUDA; and the part of it
# after the host has prepared the graphs, which a GPU does.
SEARCH = {"search": lambda run: run["mine"] - run.get("start", 0),
          "steps": lambda run: run["mine"] - run.get("start", 0) - run["prepare"]}
EDGES, DENSITY = 40, 0.3


def graphs(n, vertex_labels=20, edge_labels=20, labels=f"--edges {EDGES} --label-weights zipf"):
    options = (f"graphs --model random --graphs {n} --density {DENSITY} --vertex-labels {vertex_labels} "
               f"--edge-labels {edge_labels} {labels} --seed 1")
    pool = ", pool" if "kinds" in labels else ""
    return made(f"{short(n)} graphs, {vertex_labels} and {edge_labels} labels{pool}", options, n, n * EDGES)


def at(x, data, percent, only=()):
    return Point(x, data, percent, {"ratio": f"{percent / 100:g}"}, only=only,
                 work=1 / percent if x == percent else 0)


def ends(points):
    """Between the ends of an axis, only the paper's system runs, on a GPU and on one core."""
    return [points[0], *(dataclasses.replace(point, only=(claims.GPU, claims.CPU)) for point in points[1:-1]),
            points[-1]]


def lode(name, algorithm, device, estimate, options="", cores=1):
    return System(name, f"{{lode}} graphs {{plain}} -s {{support}} --count --algorithm {algorithm} "
                  f"--device {device} {options}".strip(), measures=MEASURES | (ON_GPU if "gpu" in device else {}),
                  estimate=estimate, cores=cores)


SYSTEMS = [
    lode(claims.GPU, "gspan", "{gpu}", lambda p: 0.6),
    lode("frontier, GPU", "frontier", "{gpu}", lambda p: 0.45),
    lode("gspan, all cores", "gspan", "cpu", lambda p: 0.2, cores=8),
    lode(claims.CPU, "gspan", "cpu", lambda p: 1.0, "--threads 1"),
    System("gSpan (gBolt)", "bash -c 'OMP_NUM_THREADS=1 {peers}/gspan -i {plain} -s {ratio} -o {plain}.gspan && "
           "cat {plain}.gspan.t* && rm {plain}.gspan.t*'", count_by="lines", may_fail=True, estimate=lambda p: 5.0),
    System("Gaston", "{peers}/gaston {minsup} {plain}", count=r"^.*total: (\d+)", estimate=lambda p: 3.0)]
PANELS = [Panel("search", "seconds of mining, without the start of CUDA"), Panel("wall", "seconds, whole run"),
          Panel("steps", "seconds of it after the host has prepared the graphs", systems=(claims.GPU, "frontier, GPU")),
          Panel("device", "seconds of kernels", systems=(claims.GPU, "frontier, GPU")),
          Panel("patterns", "patterns", systems=(claims.GPU, claims.CPU))]


def figure(number, title, varied, x, points, claim, verdict):
    return Figure(id=number, title=title, varied=varied, x=x, systems=SYSTEMS, points=points, warmup=True,
                  derived=SEARCH, panels=PANELS, claim=claim, verdict=verdict)


FIGURE_6 = figure(
    "6", "graphs", "The number of graphs; 20 labels of vertices and of edges, 2%.", "graphs",
    {"tiny": [at(n, graphs(n), 5) for n in (200, 400)],
     "small": [at(n, graphs(n), 2) for n in (2000, 6000, 10000, 14000, 18000)],
     "paper": ends([at(n, graphs(n), 2) for n in (10000, 30000, 50000, 70000, 90000)])},
    "Time is proportional to the number of graphs, whatever the number of patterns.", claims.figure_6)


TEN = (claims.GPU, "frontier, GPU", claims.CPU)
FIGURE_6_TEN = figure(
    "6 ten times", "graphs, ten times as many", "Figure 6 with ten times as many graphs. Kernels stay the smaller part of the time.",
    "graphs", {"tiny": [at(600, graphs(600), 5, TEN)],
               "paper": [at(n, graphs(n), 2, TEN) for n in (100000, 300000, 500000, 900000)]},
    "Time is proportional to the number of graphs, whatever the number of patterns.", claims.figure_6)


def by_labels(n, percent, values, vertices, edges):
    return [at(value, graphs(n, value if vertices else 20, value if edges else 20), percent)
            for value in values]


def labels(number, title, vertices, edges, claim, verdict):
    steps = (20, 40, 60, 80, 100)
    return figure(number, title, f"The number of {title}, 20 of the other kind where only one is varied; 10 K "
                  "graphs (`small`: 5 K), 2%.", title,
                  {"tiny": by_labels(200, 5, (20, 100), vertices, edges),
                   "small": by_labels(5000, 2, steps, vertices, edges),
                   "paper": ends(by_labels(10000, 2, steps, vertices, edges))}, claim, verdict)


FIGURE_7 = labels("7", "vertex labels", True, False, "Time is proportional to the number of patterns.",
                  claims.by_patterns)
FIGURE_8 = labels("8", "edge labels", False, True, "Time is proportional to the number of patterns.",
                  claims.by_patterns)
FIGURE_9 = labels("9", "vertex and edge labels", True, True,
                  "The more labels of both kinds, the less time a pattern takes.", claims.figure_9)

POOL = "--edges 20 --label-weights even --edge-kinds 100 --kind-share 0.2"


def pooled(n, percent, values):
    """GPU and one core only: this figure is not in the paper."""
    return [at(value, graphs(n, value, value, POOL), percent, (claims.GPU, claims.CPU)) for value in values]


FIGURE_9_POOL = figure(
    "9, from a pool", "vertex and edge labels, from a pool of kinds",
    "As figure 9, but edges are of 100 kinds (label of the edge, labels of both ends) that are drawn once for "
    "all graphs, each graph having a few of them, as the manual of GraphGen has it; 20 edges.",
    "vertex and edge labels",
    {"tiny": pooled(200, 5, (20, 100)), "small": pooled(2000, 2, (20, 60, 100)),
     "paper": pooled(10000, 2, (20, 60, 100))},
    "As figure 9.", claims.figure_9)

FIGURE_10 = figure(
    "10", "support", "The minimum support, 50 K graphs (`small`: 5 K). The paper's table says 0.2 to 0.8%, "
    "its text 1 to 5%: both are here.", "minimum support, %",
    {"tiny": [at(percent, graphs(400), percent) for percent in (8, 5)],
     "small": [at(percent, graphs(5000), percent) for percent in (5, 4, 3, 2, 1, 0.8)],
     "paper": ends([at(percent, graphs(50000), percent)
                    for percent in (5, 4, 3, 2, 1, 0.8, 0.65, 0.5, 0.35, 0.2)])},
    "Time is proportional to the number of patterns; both jump from 2% to 1%.", claims.figure_10)


def layout(name, records, loads):
    return System(name, f"{{lode}} graphs {{plain}} -s {{support}} --count --algorithm gspan --device {{gpu}} "
                  f"--records {records} --loads {loads}", estimate=lambda p: 0.6,
                  measures=MEASURES | {"extend": {"report": "search.extend_seconds"}})


FIGURE_10_TEN = figure(
    "10 ten times", "support, ten times as many graphs", "Figure 10 with 500 K graphs. Kernels stay the smaller part of the time.",
    "minimum support, %", {"tiny": [at(5, graphs(600), 5, TEN)],
                          "paper": [at(percent, graphs(500000), percent, TEN)
                                    for percent in (4, 2, 1, 0.5, 0.2)]},
    "Time is proportional to the number of patterns; both jump from 2% to 1%.", claims.figure_10)

RECORDS = Figure(
    id="§4", title="records and loads",
    varied="Extensions as vectors of 16 bytes (from, to, label of the edge, label of the vertex) and "
           "occurrences as pairs, or all of them as arrays of single numbers; each read by loads that go "
           "through the read-only cache, or by plain ones.",
    x="graphs", systems=[layout(name, *words) for name, words in claims.LAYOUTS.items()],
    points={"tiny": [at(200, graphs(200), 5)],
            "small": [at(5000, graphs(5000), 2)],
            "paper": [at(n, graphs(n), 2) for n in (10000, 90000, 900000)]},
    derived=SEARCH, panels=[Panel("extend", "seconds of finding extensions, kernels alone"),
                            Panel("search", "seconds of mining, without the start of CUDA")],
    warmup=True, claim="Vectors through the read-only cache are 1.5 to 2 times as fast as arrays.",
    verdict=claims.records)

PAPER = Paper("002", "gSpan on a GPU", [FIGURE_6, FIGURE_6_TEN, FIGURE_7, FIGURE_8, FIGURE_9, FIGURE_9_POOL,
                                       FIGURE_10, FIGURE_10_TEN, RECORDS],
              minutes={"small": 6, "paper": 20}, remarks=claims.remarks)
