"""Whether the claims of paper 000 hold: one function per figure, which uses only its numbers.

SPDX-License-Identifier: Apache-2.0
"""
from model import slope
from results import BETTER, FAILS, HOLDS, NO_CLAIM, OPEN, POINTS, Verdict, missing, number
from verdicts import (BUSY, DIFFERENT, REACHED, is_linear, judge_factors, missing_gpu, name_of, predicted_text,
                      shares_text, speedups, times)

GPU, GPU4, CPU = "frontier, GPU", "frontier, 4 virtual GPUs", "frontier, 1 CPU"
TIDS, BITS, GROWTH = "eclat (tid sets)", "eclat-bits (bit sets)", "fpgrowth"
OTHERS = (GROWTH, TIDS, BITS, CPU)
TUNED = ("Borgelt's eclat", "Borgelt's fpgrowth")
BANDWIDTH = ("Counting reads rows of bits, and the H200 reads memory at 4.3 TB/s: far more, relative to a "
             "core of a CPU, than the cards of 2012.")
FEW_POINTS = "Fewer than three points could be measured within the limit of a run."


def linear_in_size(found):
    gap = missing(found, TIDS, GROWTH)
    if gap:
        return gap
    parts, exponents = [], {}
    for system in (TIDS, GROWTH, *TUNED):
        for metric, word in (("search", "time"), ("peak", "memory")):
            exponent = found.slope(system, metric)
            if exponent is None and system in (TIDS, GROWTH):
                return Verdict(OPEN, FEW_POINTS)
            if exponent is not None:
                exponents.setdefault(word, []).append(exponent)
                parts.append(f"{system}, {word} {exponent:.2f}")
    linear = all(map(is_linear, exponents["time"] + exponents["memory"]))
    cause = ("Both read each occurrence of a frequent item a few times, and the number of patterns does not change "
             "with the number of transactions." if linear else
             "Memory grows linearly in all programs, and so does the time of Eclat. The time of FP-growth grows faster than "
             "the data, in ours and in Borgelt's program alike. Its number of instructions grows linearly, and its "
             "cache misses faster (the head of page 000 has the counts): more of the steps along the tree wait for memory."
             if all(map(is_linear, exponents["memory"])) else
             "More transactions share more beginnings, so the tree of FP-growth grows less than the data.")
    return Verdict(HOLDS if linear else FAILS, cause, f"Exponents of growth: {'; '.join(parts)}.")


def not_linear_in_density(found):
    gap = missing(found, TIDS, GROWTH)
    if gap:
        return gap
    parts, more = [], []
    for system in (TIDS, GROWTH, *TUNED):
        curve, exponent = found.curve(system, "search"), found.slope(system, "search")
        if exponent is None:
            if system in (TIDS, GROWTH):
                return Verdict(OPEN, FEW_POINTS)
            continue
        (x0, y0), (x1, y1) = curve[-2:]
        more.append(not is_linear(exponent) or y1 / y0 > DIFFERENT * x1 / x0 * 1.25)
        parts.append(f"{system} {exponent:.2f}, and {times(y1 / y0)} for the last doubling")
    cause = ("With fewer items, transactions share more of them, and the number of patterns grows much faster than "
             "the density." if all(more) else
             "At these densities most of the time goes into reading the data once, which does not depend on density.")
    return Verdict(HOLDS if all(more) else FAILS, cause, f"Exponents of growth: {'; '.join(parts)}.")


def figure_11(found):
    return speedups(found, GPU, {GROWTH: 10, TIDS: 10, BITS: 3, CPU: 30}, {
        HOLDS: BANDWIDTH, BETTER: BANDWIDTH, OPEN: FEW_POINTS,
        FAILS: "The CPU has 512-bit instructions that count bits, and keeps the rows of this data in its caches; "
               "the GPU is ahead by less than the cards and CPUs of 2012 were."})


def gains(found, base, system, metric="search"):
    """[(x, factor)]: how many times as long a system takes as base, where both were measured."""
    return found.ratios(system, base, metric)


def gains_text(pairs):
    return ", ".join(f"{times(ratio)} at {name_of(x)}" for x, ratio in pairs)


def counting_shares(found, system):
    """The parts of counting in counting and candidates, at every point."""
    return [found.value(system, x, "counting") / found.value(system, x, "work") for x in found.xs
            if found.value(system, x, "counting") is not None and found.value(system, x, "work")]


def too_small(found, system):
    """A sentence if the GPU counts for less than half of counting and candidates at all points, else ""."""
    shares = counting_shares(found, system)
    if not shares or max(shares) >= BUSY:
        return ""
    return (f"The problem is too small to fill the GPU: it counts for {shares_text(shares)} of counting and candidates, and the "
            "rest is the host's work on candidates, which grows with the number of patterns as the time of the others does.")


def figure_12(found):
    gap = missing_gpu(found, GPU)
    if gap:
        return gap
    parts, exponents = [], []
    for system in OTHERS:
        pairs = gains(found, GPU, system)
        if len(pairs) < POINTS:
            continue
        exponents.append(slope([(1 / x, ratio) for x, ratio in pairs]))
        parts.append(f"over {system} {times(pairs[0][1])} to {times(pairs[-1][1])} from "
                     f"{name_of(pairs[0][0])} to {name_of(pairs[-1][0])} items, exponent {exponents[-1]:.2f}")
    if not exponents:
        return Verdict(OPEN, FEW_POINTS)
    quadratic = all(1.5 <= exponent <= 2.5 for exponent in exponents)
    small = "" if quadratic else too_small(found, GPU)
    cause = ("Denser data have more patterns, which the GPU counts in longer batches, while the time of the others "
             "grows with the patterns." if quadratic else
             f"{small} With the paper's 3,000 K transactions, programs for CPUs would take too long to be run here." if small else
             "The time of the others grows with the number of patterns just as that of the GPU does.")
    return Verdict(HOLDS if quadratic else OPEN if small else FAILS, cause,
                   f"Gain of the GPU over density (quadratic is an exponent of 2): {'; '.join(parts)}."
                   + predicted_text(found, GPU, OTHERS))


def each_pattern(found, systems, low, high):
    """What a pattern costs systems at low and at high, in microseconds."""
    def cost(system, x):
        return 1e6 * dict(found.curve(system, "search"))[x] / found.count(f"{x:g}")
    return "; ".join(f"{system} {cost(system, low):.3g} and {cost(system, high):.3g}" for system in systems)


def rising(found, base, low, high, what, causes):
    """Judges `the gain over the others is larger at high than at low`, both values of x. The cause for FAILS is
    followed by the systems over which the gain does not rise."""
    gap = missing_gpu(found, base)
    if gap:
        return gap
    parts, rises = [], {}
    for system in OTHERS:
        pairs = dict(gains(found, base, system))
        if low in pairs and high in pairs and len(pairs) >= POINTS:
            rises[system] = pairs[high] > DIFFERENT * pairs[low]
            parts.append(f"{system} {times(pairs[low])}, then {times(pairs[high])} ({times(pairs[high] / pairs[low])})")
    if not rises:
        return Verdict(OPEN, FEW_POINTS)
    word = HOLDS if all(rises.values()) else FAILS
    flat = [system for system, rise in rises.items() if not rise]
    cause = causes[word].format(", ".join(flat))
    where = what.format(name_of(low), name_of(high))
    return Verdict(word, cause, f"How many times as long the others take, {where}: {'; '.join(parts)}. Microseconds a pattern, "
                   f"{where}: {each_pattern(found, [*rises, base], low, high)}." + predicted_text(found, base, OTHERS))


MORE_WORK = ("With more patterns, batches are longer, and the start of a search and its short first levels weigh "
             "less.")
NOT_ALL = ("The gain rises over all others but {}: there, the cost of a pattern falls by as much as on the GPU, so the factor "
           "stays.")


def figure_13(found):
    xs = [number(x) for x in found.xs]
    return rising(found, GPU, min(xs), max(xs), "at T{} and at T{}", {HOLDS: MORE_WORK, FAILS: NOT_ALL})


def figure_14(found):
    xs = [number(x) for x in found.xs]
    return rising(found, GPU4, max(xs), min(xs), "at {}% and at {}%", {HOLDS: MORE_WORK, FAILS: NOT_ALL})


def full_size(found):
    gap = missing_gpu(found, found.systems[0])
    if gap:
        return gap
    said = "; ".join(f"{name_of(number(x))} {found.value(found.systems[0], x, 'search'):.3g} s"
                     for x in found.xs if found.value(found.systems[0], x, "search"))
    more = "".join(f" In terms of it, {system} takes {gains_text(gains(found, GPU, system))}."
                   for system in (CPU, BITS) if gains(found, GPU, system))
    half, whole = (found.value(found.systems[0], x, "search") for x in ("T100 5M", "T100 10M"))
    if half and whole:
        more += f" With twice as many transactions, T100 takes {times(whole / half)} as long: here the GPU's time is linear."
    return Verdict(NO_CLAIM, "", f"The search of {found.systems[0]} takes: {said}.{more}")


def figure_15(found):
    gap = missing_gpu(found, GPU)
    if gap:
        return gap
    parts, pairs = [], []
    for system, claimed in ((GROWTH, 3), (TIDS, 30), (BITS, 30), (CPU, 30)):
        ratios = [(x, ratio) for x, ratio in gains(found, GPU, system) if x < 30]
        if ratios:
            x, ratio = max(ratios, key=lambda pair: pair[1])
            pairs.append((ratio, claimed))
            parts.append(f"{system} {times(ratio)} at {name_of(x)}% (claimed {claimed})")
    if not pairs:
        return Verdict(OPEN, "Nothing to compare with was measured below 30%.")
    word = judge_factors(pairs)
    cause = {HOLDS: BANDWIDTH, BETTER: BANDWIDTH,
             FAILS: "A core with 512-bit instructions that count bits is faster, relative to a GPU, than the cores of "
                    "2012; what remains of the search on the GPU is the host's work on candidates."}[word]
    return Verdict(word, cause, f"Below 30%, the others take, in terms of {GPU}: {'; '.join(parts)}."
                   + predicted_text(found, GPU, OTHERS))


def slower_than_growth(found):
    gap = missing_gpu(found, GPU)
    if gap:
        return gap
    pairs = gains(found, GPU, GROWTH)
    if not pairs:
        return Verdict(OPEN, f"{GROWTH} has no number.")
    slower = sum(ratio < 1 for _, ratio in pairs)
    word = HOLDS if slower == len(pairs) else BETTER if slower == 0 else FAILS
    cause = {HOLDS: "The paths of dense transactions fall together in the tree of FP-growth.",
             BETTER: "Frontier Expansion on the GPU is faster than FP-growth here, not slower. " + BANDWIDTH,
             FAILS: "Which one is faster depends on the support."}[word]
    tuned = gains(found, GPU, TUNED[1])
    return Verdict(word, cause, f"FP-growth takes, in terms of {GPU}: {gains_text(pairs)}"
                   + (f"; Borgelt's, which is tuned: {gains_text(tuned)}" if tuned else "") + "."
                   + predicted_text(found, GPU, [GROWTH, TUNED[1]]))


def figure_18(found):
    system = found.first_measured(GPU, CPU)
    if not system:
        return missing(found, CPU)
    rows = [(x, found.value(system, x, "counting"), found.value(system, x, "search"),
             found.value(system, x, "list_mib"), found.value(system, x, "batches")) for x in found.xs]
    rows = [row for row in rows if None not in row]
    if len(rows) < POINTS:
        return Verdict(OPEN, FEW_POINTS)
    said = "; ".join(f"{name_of(number(x))}: counting {counting:.3g} s, search {search:.3g} s, {mib:,.0f} MiB, "
                     f"{batches:,.0f} batches" for x, counting, search, mib, batches in rows)
    if system != GPU:
        return Verdict(OPEN, "The claim is about a GPU, and the machine has none.", f"{system}, by ε: {said}.")
    best = min(range(len(rows)), key=lambda i: rows[i][1])  # where it saturates
    falling = rows[:best + 1]
    inverse = len(falling) >= POINTS and all(a[1] > b[1] and a[3] < b[3] for a, b in zip(falling, falling[1:]))
    saturates = all(row[1] <= 1.25 * rows[best][1] for row in rows[best:])
    grows = all(a[3] <= b[3] * 1.001 for a, b in zip(rows, rows[1:]))
    word = HOLDS if inverse and saturates and grows else FAILS
    cause = ("Larger batches fill the GPU, until it is full; the paper says so itself (section 5.2). Beyond that, "
             "memory grows and counting stays as it is." if word == HOLDS else
             "Counting does not fall steadily while memory grows.")
    return Verdict(word, cause, f"{system}, by ε: {said}.")


def figure_19(found):
    gap = missing(found, CPU)
    if gap:
        return gap
    rows = sorted((found.value(CPU, x, "mine"), found.value(CPU, x, "share")) for x in found.xs
                  if found.value(CPU, x, "share") is not None)
    if len(rows) < POINTS:
        return Verdict(OPEN, FEW_POINTS)
    shares = "Share of counting by seconds of mining: " + ", ".join(
        f"{share:.0%} of {seconds:.3g} s" for seconds, share in rows) + "."
    rises, nearly_all = rows[-1][1] > rows[0][1], max(share for _, share in rows) >= 0.8
    if rises and nearly_all:
        return Verdict(HOLDS, "Longer runs have more and longer rows to count for each candidate.", shares)
    return Verdict(FAILS, "The share rises at first and then stays: a core counts 512 bits at a time, so the work on "
                   "candidates, which no longer rows make longer, keeps its part." if rises else
                   "A core counts 512 bits at a time, so the work on candidates, whose number grows with the length "
                   "of the run, keeps its part.", shares)


def figure_20(found):
    gpus, cpus = "frontier, virtual GPUs", "frontier, CPUs"
    parts = []
    for system in (gpus, cpus):
        one, four = found.value(system, 1, "work"), found.value(system, 4, "work")
        whole = found.value(system, 1), found.value(system, 4)
        if one and four and all(whole):
            parts.append(f"{system}: four consumers are {times(one / four)} as fast as one in counting and "
                         f"candidates, {times(whole[0] / whole[1])} in whole runs")
    if not parts:
        return missing(found, gpus, cpus) or Verdict(OPEN, "Nothing was measured.")
    return Verdict(OPEN, "There is one GPU here. Four virtual ones share its memory, so the numbers say what "
                   "dividing the work costs, not what four GPUs would gain.", f"{'; '.join(parts)}.")


CLAIMED_RATES = {"T40I10": 0.99, "accidents": 0.86, "chess": 0.81, "connect": 0.91}


def table_3(found):
    system = next((name for name in ("frontier, 4 virtual GPUs", "frontier, 4 CPUs")
                   if found.curve(name, "utilisation")), None)
    if not system:
        return missing(found, "frontier, 4 CPUs") or Verdict(OPEN, "The report has no utilisation.")
    rates = {x: rate for x, rate in found.curve(system, "utilisation") if x in CLAIMED_RATES}
    numbers = f"{system}: " + ", ".join(
        f"{x} {rate:.2f} (paper {CLAIMED_RATES[x]})" for x, rate in rates.items()) + "."
    if all(rate >= REACHED * CLAIMED_RATES[x] for x, rate in rates.items()):
        return Verdict(HOLDS, "Consumers that have no work get classes from those that have some.", numbers)
    return Verdict(OPEN, "There is one GPU here, and four consumers share it; the runs whose rate is lower take a "
                   "tenth of a second or less, of which the first batches, that cannot be divided, are a part.",
                   numbers)


CLAIMED_RATIOS = {"T100 5M": 6.28, "T100 10M": 6.20, "T100 15M": 6.32, "T80 10M": 2.21, "T90 10M": 3.84,
                  "T110 10M": 17.0, "T120 10M": 31.4}


SIZES = {"T100 5M": 5, "T100 10M": 10, "T100 15M": 15}


def size_text(found, gpus, cpus):
    """How both sides grow with the number of transactions, and what of the change of the ratio is whose."""
    curves = [[(n, found.value(system, x, "search")) for x, n in SIZES.items()] for system in (gpus, cpus)]
    if any(value is None for curve in curves for _, value in curve):
        return ""
    (gpu0, gpu1), (cpu0, cpu1) = ((curve[0][1], curve[-1][1]) for curve in curves)
    return (f" From 5M to 15M, time grows with exponent {slope(curves[0]):.2f} on the GPU and {slope(curves[1]):.2f} on four CPUs. "
            f"The ratio changes by {times(cpu1 / cpu0 / (gpu1 / gpu0))}; growth of the GPU below proportional is "
            f"{times(3 * gpu0 / gpu1)} of it, and growth of the CPUs above proportional {times(cpu1 / cpu0 / 3)}.")


def tables_4_5(found):
    gpus, cpus = "frontier, 4 virtual GPUs", "frontier, 4 CPUs"
    gap = missing_gpu(found, gpus)
    if gap:
        return gap
    ratios = dict(gains(found, gpus, cpus))
    if len(ratios) < POINTS:
        return Verdict(OPEN, FEW_POINTS)
    size = [ratios[x] for x in ("T100 5M", "T100 10M", "T100 15M") if x in ratios]
    length = [ratios[x] for x in ("T80 10M", "T90 10M", "T100 10M", "T110 10M", "T120 10M") if x in ratios]
    stable = max(size) < 1.5 * min(size) if len(size) >= POINTS else None
    grows = length[-1] > DIFFERENT * length[0] if len(length) >= POINTS else None
    word = judge_factors([(ratio, CLAIMED_RATIOS[x]) for x, ratio in ratios.items()])
    shape = "; ".join(text for text, known in (
        (f"over size the ratio is {'stable' if stable else 'not stable'}", stable is not None),
        (f"with length it {'grows' if grows else 'does not grow'}", grows is not None)) if known)
    if word != FAILS and not (stable is not False and grows is not False):
        word = FAILS
    causes = {
        HOLDS: BANDWIDTH, BETTER: BANDWIDTH,
        FAILS: "Both sides intersect the same rows for the same patterns, so the factor does not grow with length."}
    small = too_small(found, gpus) if word == FAILS else ""
    if small:
        word = OPEN
        causes[OPEN] = small + (" On the whole data, in the next figure, the GPU's time is linear, but four CPUs would take hours "
                                "for it.")
    numbers = "; ".join(f"{x} {times(ratio)}, paper {CLAIMED_RATIOS[x]}" for x, ratio in ratios.items())
    return Verdict(word, causes[word], f"{numbers}; {shape}." + size_text(found, gpus, cpus) + predicted_text(found, gpus, [cpus]))
