"""Whether the claims of paper 002 hold: one function per figure, which uses only its numbers.

Verdicts about the paper's system need a GPU. They use the time of its steps: the search without
reading, without the start of CUDA, and without what the host prepares once. The number of patterns
needs no GPU, and neither does whether gSpan on a CPU behaves likewise; both are always reported.

SPDX-License-Identifier: Apache-2.0
"""
from model import slope
from results import FAILS, HOLDS, NO_GPU, OPEN, POINTS, Verdict, missing
from verdicts import EXCEEDED, REACHED, is_linear, times

GPU, CPU = "gspan, GPU", "gspan, 1 core"
LAYOUTS = {"vectors, read-only": ("vectors", "readonly"), "vectors, plain": ("vectors", "plain"),
           "arrays, read-only": ("columns", "readonly"), "arrays, plain": ("columns", "plain")}
BUSY = 0.5  # of the steps: with a smaller part in kernels, they are mostly the host's


def patterns_text(found):
    counts = [(x, found.count(x)) for x in found.xs if found.count(x) is not None]
    return "Patterns: " + ", ".join(f"{count:,} at {x}" for x, count in counts) + "."


def labels_matter(found):
    counts = [found.count(x) for x in found.xs if found.count(x) is not None]
    falls = all(a >= b for a, b in zip(counts, counts[1:])) and len(counts) > 1 and counts[0] > counts[-1]
    return f"{patterns_text(found)} Their number {'falls' if falls else 'does not fall'} with labels."


def metric_of(system):
    """On a GPU, the search without what the host prepares before it."""
    return "steps" if system == GPU else "search"


def kernel_part(found):
    """The largest part of the steps on the GPU that its kernels take, or None."""
    parts = [found.value(GPU, x, "device") / found.value(GPU, x, "steps") for x in found.xs
             if found.value(GPU, x, "device") and found.value(GPU, x, "steps")]
    return max(parts, default=None)


def too_small(found):
    """Whether the GPU waits for the host rather than computes, at every point; and a sentence."""
    part = kernel_part(found)
    if part is None or part >= BUSY:
        return False, ""
    return True, f" Kernels take {part:.0%} of the steps at most."


def judged(found, holds, numbers, causes):
    """The verdict for whether the GPU behaves as claimed. holds: None if that cannot be told."""
    small, said = too_small(found)
    if not found.curve(GPU, "steps"):
        gap = missing(found, GPU) or Verdict(OPEN, NO_GPU)
        return Verdict(OPEN, gap.cause, numbers)
    if holds is None:
        return Verdict(OPEN, causes[OPEN], numbers + said)
    if not holds and small:
        return Verdict(OPEN, "The problem is too small for an H200, which is hardly at work. Most of the time is the "
                       "host's, which makes the columns of single edges, sends them and starts kernels.",
                       numbers + said)
    return Verdict(HOLDS if holds else FAILS, causes[HOLDS if holds else FAILS], numbers + said)


def exponents(found, pairs_of):
    """({system: exponent} for GPU and CPU, a sentence)."""
    known = {}
    for system in (GPU, CPU):
        pairs = pairs_of(system)
        if len({x for x, _ in pairs}) >= POINTS:
            known[system] = slope(pairs)
    return known, "; ".join(f"{system} {exponent:.2f}" for system, exponent in known.items())


def figure_6(found):
    known, said = exponents(found, lambda system: found.curve(system, metric_of(system)))
    holds = is_linear(known[GPU]) if GPU in known else None
    return judged(found, holds, f"Exponents of time over graphs: {said or 'none'}. {patterns_text(found)}", {
        HOLDS: "Each graph adds its occurrences to every pattern, for the kernels as for the host.",
        FAILS: "Time grows slower than the number of graphs: a part of it is the same for every number.",
        OPEN: "Fewer than three points were measured."})


def over_patterns(found, system):
    return [(found.count(x), found.value(system, x, metric_of(system))) for x in found.xs
            if found.count(x) and found.value(system, x, metric_of(system))]


def proportional(found, more):
    known, said = exponents(found, lambda system: over_patterns(found, system))
    holds = is_linear(known[GPU]) if GPU in known else None
    return judged(found, holds, f"Exponents of time over patterns: {said or 'none'}. {more}", {
        HOLDS: "A pattern costs about the same, whatever its labels.",
        FAILS: "Patterns do not cost the same: those that are added at more labels, or at lower support, have fewer "
               "occurrences.",
        OPEN: "The number of patterns is nearly the same at all points."})


def by_patterns(found):
    return proportional(found, labels_matter(found))


def figure_9(found):
    each = {}
    for system in (GPU, CPU):
        pairs = [(x, found.value(system, x, metric_of(system)) / found.count(x)) for x in found.xs
                 if found.value(system, x, metric_of(system)) and found.count(x)]
        if len(pairs) >= POINTS or len(pairs) == len(found.xs) > 1:
            each[system] = pairs
    said = "; ".join(f"{system}: {1000 * pairs[0][1]:.3g} ms a pattern with {pairs[0][0]} labels, "
                     f"{1000 * pairs[-1][1]:.3g} ms with {pairs[-1][0]}" for system, pairs in each.items())
    pairs = each.get(GPU)
    holds = pairs[-1][1] < pairs[0][1] if pairs else None
    return judged(found, holds, f"{said or 'No number'}. {labels_matter(found)}", {
        HOLDS: "With more labels, a pattern has fewer occurrences.",
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
