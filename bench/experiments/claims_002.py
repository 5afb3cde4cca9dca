"""Whether the claims of paper 002 hold: one function per figure, which uses only its numbers.

Verdicts about the paper's system need a GPU. They use two clocks: the search, without reading and
without the start of CUDA, and its steps, which are the search without what the host prepares once.
A claim holds only if it does by both. The number of patterns needs no GPU, and neither does whether
gSpan on a CPU behaves likewise; both are always reported.

SPDX-License-Identifier: Apache-2.0
"""
from model import slope
from results import FAILS, HOLDS, NO_GPU, OPEN, POINTS, Verdict, missing
from verdicts import BUSY, EXCEEDED, REACHED, is_linear, times

GPU, CPU = "gspan, GPU", "gspan, 1 core"
LAYOUTS = {"vectors, read-only": ("vectors", "readonly"), "vectors, plain": ("vectors", "plain"),
           "arrays, read-only": ("columns", "readonly"), "arrays, plain": ("columns", "plain")}
CLOCKS = {"search": "the search", "steps": "its steps", "device": "kernels alone"}


def patterns_text(found):
    counts = [(x, found.count(x)) for x in found.xs if found.count(x) is not None]
    return "Patterns: " + ", ".join(f"{count:,} at {x}" for x, count in counts) + "."


def labels_matter(found):
    counts = [found.count(x) for x in found.xs if found.count(x) is not None]
    falls = all(a >= b for a, b in zip(counts, counts[1:])) and len(counts) > 1 and counts[0] > counts[-1]
    return f"{patterns_text(found)} Their number {'falls' if falls else 'does not fall'} with labels."


def curves(found):
    """(system, metric, name) of what is fitted: the clocks of the GPU, and the search on a core."""
    return [*((GPU, metric, f"{GPU}, {name}") for metric, name in CLOCKS.items()), (CPU, "search", CPU)]


def host_text(found):
    """A sentence about what of the steps on the GPU are kernels, and what is the host's."""
    rows = [(found.value(GPU, x, "device"), found.value(GPU, x, "steps")) for x in found.xs]
    rows = [(device, steps) for device, steps in rows if device and steps]
    if not rows:
        return ""
    host = [steps - device for device, steps in rows]
    return (f" Kernels take {max(device / steps for device, steps in rows):.0%} of the steps at most, and the host "
            f"{min(host):.3g} to {max(host):.3g} s.")


def mostly_host(found):
    """Whether kernels take less than half of the steps at every point."""
    parts = [found.value(GPU, x, "device") / found.value(GPU, x, "steps") for x in found.xs
             if found.value(GPU, x, "device") and found.value(GPU, x, "steps")]
    return bool(parts) and max(parts) < BUSY


OWN_WORK = ("Most of the steps on the GPU are lode's own work on the host, which makes the columns of single edges, sends them and "
            "starts kernels. This work grows with the number of graphs (figure 6 ten times), so that more graphs do not make the "
            "GPU the larger part.")


def judged(found, holds, numbers, causes):
    """The verdict for whether the GPU behaves as claimed. holds: None if that cannot be told."""
    numbers += host_text(found)
    if not found.curve(GPU, "steps"):
        gap = missing(found, GPU) or Verdict(OPEN, NO_GPU)
        return Verdict(OPEN, gap.cause, numbers)
    if holds is None:
        return Verdict(OPEN, causes[OPEN], numbers)
    if not holds and mostly_host(found):
        return Verdict(OPEN, OWN_WORK, numbers)
    return Verdict(HOLDS if holds else FAILS, causes[HOLDS if holds else FAILS], numbers)


def exponents(found, pairs_of):
    """({name of a clock: exponent}, a sentence). pairs_of(system, metric): [(x, y)]."""
    known = {}
    for system, metric, name in curves(found):
        pairs = pairs_of(system, metric)
        if len({x for x, _ in pairs}) >= POINTS:
            known[name] = slope(pairs)
    return known, "; ".join(f"{name} {exponent:.2f}" for name, exponent in known.items())


def by_both_clocks(known):
    """Whether growth is proportional by the search and by its steps: None if one has too few points."""
    both = [known.get(f"{GPU}, {CLOCKS[metric]}") for metric in ("search", "steps")]
    return None if None in both else all(map(is_linear, both))


def over_graphs(found):
    return exponents(found, found.curve)


def figure_6(found):
    """At the paper's sizes the two clocks may disagree; ten times as many graphs then decide."""
    known, said = over_graphs(found)
    larger, more = over_graphs(found.other("6 ten times"))
    here, there = by_both_clocks(known), by_both_clocks(larger)
    numbers = f"Exponents of time over graphs: {said or 'none'}. {patterns_text(found)}"
    if here is False and there:
        return judged(found, True, numbers, {
            HOLDS: f"The verdict rests on ten times as many graphs, where the exponents are {more}. At the paper's sizes, what does "
                   "not grow with the graphs is a larger part: the search then misses the 0.75 that counts as proportional."})
    return judged(found, here, numbers, {
        HOLDS: "Each graph adds its occurrences to every pattern, for the kernels as for the host.",
        FAILS: "Time grows slower than the number of graphs: a part of it is the same for every number.",
        OPEN: "Fewer than three points were measured."})


def over_patterns(found, system, metric):
    return [(found.count(x), found.value(system, x, metric)) for x in found.xs
            if found.count(x) and found.value(system, x, metric)]


def proportional(found, more):
    known, said = exponents(found, lambda system, metric: over_patterns(found, system, metric))
    return judged(found, by_both_clocks(known), f"Exponents of time over patterns: {said or 'none'}. {more}", {
        HOLDS: "A pattern costs about the same, whatever its labels.",
        FAILS: "Patterns do not cost the same: those that are added at more labels, or at lower support, have fewer "
               "occurrences.",
        OPEN: "The number of patterns is nearly the same at all points."})


def by_patterns(found):
    return proportional(found, labels_matter(found))


def figure_9(found):
    each = {}
    for system, metric, name in curves(found):
        pairs = [(x, found.value(system, x, metric) / found.count(x)) for x in found.xs
                 if found.value(system, x, metric) and found.count(x)]
        if len(pairs) >= POINTS or len(pairs) == len(found.xs) > 1:
            each[name] = pairs
    said = "; ".join(f"{name}: {1000 * pairs[0][1]:.3g} ms a pattern with {pairs[0][0]} labels, "
                     f"{1000 * pairs[-1][1]:.3g} ms with {pairs[-1][0]}" for name, pairs in each.items())
    both = [each.get(f"{GPU}, {CLOCKS[metric]}") for metric in ("search", "steps")]
    holds = None if None in both else all(pairs[-1][1] < pairs[0][1] for pairs in both)
    kernels = each.get(f"{GPU}, {CLOCKS['device']}")
    fewer = bool(kernels) and kernels[-1][1] < kernels[0][1]
    return judged(found, holds, f"{said or 'No number'}. {labels_matter(found)}", {
        HOLDS: "With more labels, a pattern has fewer occurrences." if fewer else
        "More patterns share what a search costs the host in any case; kernels alone do not take less time for a pattern.",
        FAILS: "Fewer patterns have to bear what a search costs in any case.",
        OPEN: "Fewer than three points were measured."})


def figure_10(found):
    counts = {float(x): found.count(x) for x in found.xs if found.count(x) is not None}
    more = patterns_text(found)
    if not all(x in counts for x in (1.0, 2.0, 4.0)):
        return proportional(found, more)
    last, before = counts[1.0] / counts[2.0], counts[2.0] / counts[4.0]
    answer = proportional(found, f"{more} From 2% to 1% there are {times(last)} as many patterns, from 4% to 2% "
                                 f"{times(before)}.")
    if answer.word == HOLDS and last <= before:
        return Verdict(OPEN, "Time is proportional to the number of patterns, but that has no jump: where it jumps "
                       "depends on the sizes of the paper's graphs, which it does not give.", answer.numbers)
    return answer


def line_through(pairs):
    """The slope of y over x by least squares: what one more x costs."""
    mx, my = (sum(values) / len(pairs) for values in zip(*pairs))
    return sum((x - mx) * (y - my) for x, y in pairs) / sum((x - mx) ** 2 for x, _ in pairs)


def remarks(figures):
    """What a pattern costs, from figure 10, for the head of the page."""
    found = figures.get("10")
    pairs = over_patterns(found, GPU, "search") if found else []
    if len(pairs) < POINTS:
        return []
    x, cores = found.xs[-1], "gspan, all cores"
    each = ", ".join(f"{1e6 * found.value(GPU, x, 'search') / found.count(x):.3g} µs at {float(x):g}%"
                     for x in found.xs if float(x) in (2, 1, 0.2) and found.value(GPU, x, "search"))
    beside = ""
    if found.value(cores, x, "search"):
        beside = (f"; `gspan` on all cores of the host takes {found.value(cores, x, 'search'):.3g} s. Whole runs take "
                  f"{found.value(GPU, x):.3g} and {found.value(cores, x):.3g} s, so the GPU is slower there")
    return [f"**What a pattern costs.** In figure 10, at {float(x):g}%, `gspan` on the GPU finds {found.count(x):,} patterns in "
            f"{found.value(GPU, x, 'search'):.3g} s of mining{beside}. An earlier version, measured on the same GPU on 2026-11-16, took 70 s of mining. On average over all patterns of a run, a pattern takes {each}. "
            f"Each further pattern takes {1e6 * line_through(pairs):.2g} µs (least squares over the {len(pairs)} supports)."]


def records(found):
    best, arrays = "vectors, read-only", "arrays, plain"
    gap = missing(found, best, arrays)
    if gap:
        return gap
    said = []
    for system in LAYOUTS:
        pairs = found.ratios(system, best, "extend")
        if system != best and pairs:
            said.append(f"{system} " + ", ".join(f"{times(ratio)} at {x:,.0f}" for x, ratio in pairs))
    numbers = f"Seconds of finding extensions, in terms of {best}: {'; '.join(said)} (claimed for arrays: 1.5 to 2)."
    most = max((ratio for _, ratio in found.ratios(arrays, best, "extend")), default=0)
    if most >= EXCEEDED * REACHED:
        return Verdict(HOLDS, "One load of 16 bytes replaces four.", numbers)
    return Verdict(FAILS, "Since Volta, plain and read-only loads use the same cache, and a warp that reads four arrays "
                   "fills as many sectors as one that reads vectors. The largest size shows the same.", numbers)
