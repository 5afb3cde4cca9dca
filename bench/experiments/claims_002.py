"""Whether the claims of paper 002 hold: one function per figure, which uses only its numbers.

Verdicts about the paper's system need a GPU. They use the time of its kernels, because the seconds
of mining include the start of CUDA. The number of patterns needs no GPU, and neither does whether
gSpan on a CPU behaves likewise; both are always reported.

SPDX-License-Identifier: Apache-2.0
"""
from model import slope
from results import FAILS, HOLDS, OPEN, missing
from verdicts import times

GPU, CPU = "gspan, GPU", "gspan, 1 core"
LAYOUTS = {"vectors, read-only": ("vectors", "readonly"), "vectors, plain": ("vectors", "plain"),
           "arrays, read-only": ("columns", "readonly"), "arrays, plain": ("columns", "plain")}
LINEAR = (0.75, 1.25)


def metric_of(system):
    return "device" if system == GPU else "mine"


def patterns_text(found):
    counts = [(x, found.count(x)) for x in found.xs if found.count(x) is not None]
    return ", ".join(f"{count:,} at {x}" for x, count in counts)


def labels_matter(found):
    counts = [found.count(x) for x in found.xs if found.count(x) is not None]
    falls = all(a >= b for a, b in zip(counts, counts[1:])) and len(counts) > 1 and counts[0] > counts[-1]
    return f"Patterns: {patterns_text(found)}: their number {'falls' if falls else 'does not fall'} with labels."


def judged(found, judge):
    """The verdict by the GPU, and the answer to the same question on one core."""
    parts, word = [], None
    for system in (GPU, CPU):
        if found.curve(system, "mine"):
            holds, text = judge(system)
            word = word or (HOLDS if holds else FAILS) if system == GPU else word
            parts.append(f"{system}: {text}")
    if word:
        return word, " ".join(parts)
    gap = missing(found, GPU)
    return (gap[0] if gap else OPEN), " ".join([gap[1] if gap else "", *parts]).strip()


def figure_6(found):
    def judge(system):
        exponent = found.slope(system, metric_of(system))
        if exponent is None:
            return False, "one point only."
        return LINEAR[0] <= exponent <= LINEAR[1], (f"time grows with an exponent of {exponent:.2f} (1 is "
                                                    "linear; we take 0.75 to 1.25 for it).")
    word, why = judged(found, judge)
    return word, f"{why} Patterns: {patterns_text(found)}."


def over_patterns(found, system):
    """The exponent of time over the number of patterns, or None."""
    return slope([(found.count(x), found.value(system, x, metric_of(system))) for x in found.xs
                  if found.count(x) and found.value(system, x, metric_of(system))])


def proportional(found):
    def judge(system):
        exponent = over_patterns(found, system)
        if exponent is None:
            return False, "the number of patterns is the same everywhere."
        return LINEAR[0] <= exponent <= LINEAR[1], (f"time grows with the number of patterns with an exponent "
                                                    f"of {exponent:.2f}.")
    return judged(found, judge)


def by_patterns(found):
    word, why = proportional(found)
    return word, f"{why} {labels_matter(found)}"


def figure_9(found):
    def judge(system):
        each = [(x, found.value(system, x, metric_of(system)) / found.count(x)) for x in found.xs
                if found.value(system, x, metric_of(system)) and found.count(x)]
        first, last = each[0], each[-1]
        return last[1] < first[1], (f"{1000 * first[1]:.3g} ms a pattern with {first[0]} labels, "
                                    f"{1000 * last[1]:.3g} ms with {last[0]}.")
    word, why = judged(found, judge)
    return word, f"{why} {labels_matter(found)}"


def figure_10(found):
    word, why = proportional(found)
    counts = {float(x): found.count(x) for x in found.xs if found.count(x) is not None}
    if not all(x in counts for x in (1.0, 2.0, 4.0)):
        return word, why
    last, before = counts[1.0] / counts[2.0], counts[2.0] / counts[4.0]
    if word == HOLDS and last <= before:
        word = FAILS
    return word, (f"{why} From 2% to 1% there are {times(last)} as many patterns, from 4% to 2% "
                  f"{times(before)}: {'a' if last > before else 'no'} jump.")


def records(found):
    best, arrays = "vectors, read-only", ("arrays, plain", "arrays, read-only")
    gap = missing(found, best, *arrays)
    if gap:
        return gap
    metric = "extend" if found.curve(best, "extend") else "mine"
    parts, holds = [], True
    for system in (*arrays, "vectors, plain"):
        ratios = [ratio for _, ratio in found.ratios(system, best, metric)]
        holds = holds and (system != "arrays, plain" or max(ratios) >= 1.5)
        parts.append(f"{system} {' to '.join(dict.fromkeys(times(end) for end in (min(ratios), max(ratios))))}")
    return (HOLDS if holds else FAILS), (f"Seconds of {'finding extensions' if metric == 'extend' else 'mining'}, "
                                         f"in terms of {best}: {'; '.join(parts)} (claimed for arrays: 1.5 to 2).")
