"""000, Frontier Expansion: every figure and table of its sections 1 and 6.

The paper's system is `frontier`; `adaptive` and `tensor` are ours and stand beside it. Several GPUs
are virtual here: cuda:0*4 is one GPU with four consumers, cpu*4 four consumers on a CPU.

SPDX-License-Identifier: Apache-2.0
"""
from model import Figure, Panel, Paper, Point, System, quest
from verdicts import speedups

MEASURES = {
    "work": {"report": "times.counting+times.candidate"},
    "counting": {"report": "times.counting"},
    "candidate": {"report": "times.candidate"},
    "transfer": {"report": "times.transfer"},
    "mine": {"report": "times.mine"},
    "gpu_bytes": {"report": "memory.device_peak"},
    "utilisation": {"report": "device.utilisation"},
    "batches": {"report": "frontier.batches"},
    "lists": {"report": "frontier.lists_peak"},
    "list_bytes": {"report": "frontier.list_bytes"},
}


def lode(name, algorithm, device, estimate=None, options=""):
    command = f"{{lode}} itemsets {{plain}} -s {{support}} --count --algorithm {algorithm} --device {device}"
    return System(name, f"{command} {options}".strip(), measures=MEASURES, estimate=estimate)


def peer(name, words, estimate=None):
    return System(name, f"{{peers}}/{words} -S-99999999 -s-{{minsup}} {{plain}}", estimate=estimate)


def systems(unit):
    """The curves of figures 11 to 17. unit: seconds of `frontier` on one core for a work of 1."""
    return [lode("frontier, GPU", "frontier", "{gpu}", lambda p: 0.5 + unit * p.cost() / 100),
            lode("tensor, GPU", "tensor", "{gpu}", lambda p: 0.5 + unit * p.cost() / 1000),
            lode("frontier, 1 CPU", "frontier", "cpu*1", lambda p: unit * p.cost()),
            lode("adaptive, all cores", "adaptive", "cpu", lambda p: unit * p.cost() / 50),
            peer("eclat, tid sets", "eclat -Ae", lambda p: unit * p.cost() * 4),
            peer("eclat, bit sets", "eclat -Ab", lambda p: unit * p.cost()),
            peer("FP-growth", "fpgrowth", lambda p: unit * p.cost())]


def transactions(counts, percent):
    return [Point(n, quest(n, 40, 10, 300), percent) for n in counts]


TIME = Panel("wall", "seconds, whole run")
WORK = Panel("work", "seconds, counting and candidates")
SHARE = Panel("share", "share of counting in both", log=False)
SHARES = {"share": lambda run: run["counting"] / run["work"]}

FIGURE_11 = Figure(
    id="11", title="transactions",
    varied="The number of transactions, T40I10 with 300 items, 1%, one GPU. Whole runs, with reading "
           "and the start of CUDA (0.3 s); and counting with candidates alone, which is nearer to what "
           "the paper shows, and its split between the GPU (counting) and the CPU (candidates).",
    x="transactions", log_x=True, systems=systems(5.8e-5), derived=SHARES,
    points={"tiny": transactions((500, 1000), 5),
            "small": transactions((5000, 10000, 20000, 40000, 80000), 1),
            "paper": transactions((100000, 500000, 1000000, 1500000, 2000000, 2500000), 1)},
    panels=[TIME, WORK, SHARE],
    claim="On one GPU up to 10 times as fast as FP-growth and as Eclat with tid sets, 3 times as "
          "Eclat with bit sets, more than 30 times as the same search on a CPU.",
    verdict=lambda found: speedups(found, "frontier, GPU", {
        "FP-growth": 10, "eclat, tid sets": 10, "eclat, bit sets": 3, "frontier, 1 CPU": 30}))

PAPER = Paper("000", "Frontier Expansion", [FIGURE_11], minutes={"paper": 6, "small": 9})
