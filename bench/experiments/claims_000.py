"""Whether the claims of paper 000 hold: one function per figure, which uses only its numbers.

SPDX-License-Identifier: Apache-2.0
"""
from model import slope
from results import FAILS, HOLDS, NEEDS_GPU, OPEN, missing, number
from verdicts import missing_gpu, name_of, predicted_note, speedups, times

GPU, GPU4, CPU = "frontier, GPU", "frontier, 4 virtual GPUs", "frontier, 1 CPU"
TIDS, BITS, GROWTH = "eclat, tid sets", "eclat, bit sets", "FP-growth"
OTHERS = (GROWTH, TIDS, BITS, CPU)


def linear_in_size(found):
    gap = missing(found, "eclat", GROWTH)
    if gap:
        return gap
    parts, linear = [], True
    for system in ("eclat", GROWTH):
        for metric, word in (("wall", "time"), ("peak", "memory")):
            exponent = found.slope(system, metric)
            if exponent is None:
                return OPEN, f"{system}: one point only."
            linear = linear and 0.75 <= exponent <= 1.25
            parts.append(f"{system}, {word}: {exponent:.2f}")
    return (HOLDS if linear else FAILS), ("Exponents of growth with transactions (1 is linear; we take "
                                          f"0.75 to 1.25 for it): {'; '.join(parts)}.")


def not_linear_in_density(found):
    gap = missing(found, "eclat", GROWTH)
    if gap:
        return gap
    parts, more = [], []
    for system in ("eclat", GROWTH):
        curve = found.curve(system)
        if len(curve) < 2:
            return OPEN, f"{system}: one point only."
        (x0, y0), (x1, y1) = curve[-2:]
        more.append(y1 / y0 > 1.25 * x1 / x0)
        parts.append(f"{system} takes {times(y1 / y0)} as long when density goes from {x0:g} to {x1:g} "
                     f"({times(x1 / x0)}), exponent over all {found.slope(system):.2f}")
    return (HOLDS if all(more) else FAILS), "; ".join(parts) + "; linear would be 1."


def figure_11(found):
    word, why = speedups(found, GPU, {GROWTH: 10, TIDS: 10, BITS: 3, CPU: 30})
    alone = found.ratios(CPU, GPU, "work")
    if alone:
        x, ratio = max(alone, key=lambda pair: pair[1])
        why += f" In counting and candidates alone {CPU} takes {times(ratio)} as long at {name_of(x)}."
    return word, why


def gains(found, base, system):
    """[(x, factor)]: how many times as long a system takes as base; predictions count."""
    pairs = []
    for x in found.xs:
        below = found.value(base, x)
        above = found.value(system, x) or found.predicted(system, x)
        if below and above:
            pairs.append((number(x), above / below))
    return pairs


def gains_text(pairs):
    return ", ".join(f"{times(ratio)} at {name_of(x)}" for x, ratio in pairs)


def figure_12(found):
    gap = missing_gpu(found, GPU)
    if gap:
        return gap
    parts, exponents = [], []
    for system in OTHERS:
        pairs = gains(found, GPU, system)
        exponent = slope([(1 / x, ratio) for x, ratio in pairs])
        if exponent is not None:
            exponents.append(exponent)
            parts.append(f"over {system} {times(pairs[0][1])} to {times(pairs[-1][1])} from "
                         f"{name_of(pairs[0][0])} to {name_of(pairs[-1][0])} items, exponent {exponent:.2f}")
    if not exponents:
        return OPEN, "Nothing to compare with was measured."
    word = HOLDS if all(1.5 <= exponent <= 2.5 for exponent in exponents) else FAILS
    return word, (f"Gain of the GPU over density (quadratic would be an exponent of 2): {'; '.join(parts)}."
                  + predicted_note(found, OTHERS))


def rising(found, base, low, high, what):
    """Judges `the gain over the others is larger at high than at low`, both values of x."""
    gap = missing_gpu(found, base)
    if gap:
        return gap
    parts, rises = [], []
    for system in OTHERS:
        pairs = dict(gains(found, base, system))
        if low in pairs and high in pairs:
            rises.append(pairs[high] > pairs[low])
            parts.append(f"{system} {times(pairs[low])}, then {times(pairs[high])}")
    if not rises:
        return OPEN, "Nothing to compare with was measured at both ends."
    word = HOLDS if all(rises) else FAILS
    return word, (f"How many times as long the others take, {what.format(name_of(low), name_of(high))}: "
                  f"{'; '.join(parts)}." + predicted_note(found, OTHERS))


def figure_13(found):
    xs = [number(x) for x in found.xs]
    return rising(found, GPU, min(xs), max(xs), "at T{} and at T{}")


def figure_14(found):
    xs = [number(x) for x in found.xs]
    return rising(found, GPU4, max(xs), min(xs), "at {}% and at {}%")


def figure_15(found):
    gap = missing_gpu(found, GPU)
    if gap:
        return gap
    below = [x for x in map(number, found.xs) if x < 30]
    parts, good, bad = [], 0, 0
    for system, claimed in ((GROWTH, 3), (TIDS, 30), (BITS, 30), (CPU, 30)):
        pairs = [(x, ratio) for x, ratio in gains(found, GPU, system) if x in below]
        if pairs:
            x, ratio = max(pairs, key=lambda pair: pair[1])
            good, bad = good + (ratio >= claimed), bad + (ratio < claimed)
            parts.append(f"{system} {times(ratio)} at {name_of(x)}% (claimed {claimed})")
    if not good + bad:
        return OPEN, "Nothing to compare with was measured below 30%."
    return (FAILS if bad else HOLDS), (f"Below 30%, times as long as {GPU}: {'; '.join(parts)}."
                                       + predicted_note(found, OTHERS))


def slower_than_growth(found):
    gap = missing_gpu(found, GPU)
    if gap:
        return gap
    pairs = gains(found, GPU, GROWTH)
    if not pairs:
        return OPEN, f"{GROWTH}: no number."
    slower = sum(ratio < 1 for _, ratio in pairs)
    word = HOLDS if slower == len(pairs) else FAILS
    return word, (f"FP-growth takes, in terms of {GPU}: {gains_text(pairs)}."
                  + predicted_note(found, [GROWTH]))


def figure_18(found):
    system = found.first_measured(GPU, CPU)
    if not system:
        return missing(found, CPU)
    rows = [(x, found.value(system, x), found.value(system, x, "list_mib"), found.value(system, x, "batches"))
            for x in found.xs if found.value(system, x)]
    rows = [row for row in rows if None not in row]
    if len(rows) < 2:
        return OPEN, f"{system}: fewer than two values of ε have numbers."
    falls, rises = inverse_pairs([(mib, wall) for _, wall, mib, _ in rows])
    batches_fall = all(a[3] >= b[3] for a, b in zip(rows, rows[1:]))
    memory_grows = all(a[2] <= b[2] * 1.001 for a, b in zip(rows, rows[1:]))
    word = HOLDS if falls > 0 and rises == 0 and batches_fall and memory_grows else FAILS
    word = word if system == GPU else NEEDS_GPU
    said = "; ".join(f"{name_of(number(x))}: {wall:.3g} s, {mib:,.0f} MiB, {batches:,.0f} batches"
                     for x, wall, mib, batches in rows)
    best = min(rows, key=lambda row: row[1])
    return word, (f"{system}, by ε: {said}. Of the pairs of values with different memory, the one with more "
                  f"is faster in {falls} and slower in {rises} (by 5% or more); fastest at "
                  f"{name_of(number(best[0]))}. Batches {'never rise' if batches_fall else 'rise somewhere'}, "
                  f"memory {'never falls' if memory_grows else 'falls somewhere'}.")


def inverse_pairs(rows):
    """Counts pairs of (memory, time) that differ by 5% or more in both. Returns how often more
    memory goes with less time, and how often with more."""
    falls = rises = 0
    for i, (memory, wall) in enumerate(rows):
        for other_memory, other_wall in rows[i + 1:]:
            (_, less), (_, more) = sorted([(memory, wall), (other_memory, other_wall)])
            if max(memory, other_memory) > 1.05 * min(memory, other_memory):
                falls += less > 1.05 * more
                rises += more > 1.05 * less
    return falls, rises


def figure_19(found):
    gap = missing(found, CPU)
    if gap:
        return gap
    rows = sorted((found.value(CPU, x, "mine"), found.value(CPU, x, "share")) for x in found.xs
                  if found.value(CPU, x, "share") is not None)
    if len(rows) < 2:
        return OPEN, "Fewer than two runs."
    word = HOLDS if rows[-1][1] > rows[0][1] else FAILS
    return word, "Share of counting by seconds of mining: " + ", ".join(
        f"{share:.0%} of {seconds:.3g} s" for seconds, share in rows) + "."


def figure_20(found):
    gpus, cpus = "frontier, virtual GPUs", "frontier, CPUs"
    parts, best = [], 0.0
    for system in (gpus, cpus):
        one, four = found.value(system, 1, "work"), found.value(system, 4, "work")
        whole = found.value(system, 1), found.value(system, 4)
        if one and four and all(whole):
            parts.append(f"{system}: four consumers are {times(one / four)} as fast as one in counting and "
                         f"candidates, {times(whole[0] / whole[1])} in whole runs")
            best = max(best, one / four if system == gpus else 0.0)
    if not parts:
        return missing(found, gpus, cpus) or (OPEN, "No number.")
    if best >= 3:
        return HOLDS, "; ".join(parts) + "."
    return OPEN, ("; ".join(parts) + ". Four virtual GPUs share the bandwidth of one, so this says what the "
                  "division of work costs, not what four GPUs would gain.")


CLAIMED_RATES = {"T40I10": 0.99, "accidents": 0.86, "chess": 0.81, "connect": 0.91}


def table_3(found):
    system = next((name for name in ("frontier, 4 virtual GPUs", "frontier, 4 CPUs")
                   if found.curve(name, "utilisation")), None)
    if not system:
        return missing(found, "frontier, 4 CPUs") or (OPEN, "The report has no utilisation.")
    rates = {x: rate for x, rate in found.curve(system, "utilisation") if x in CLAIMED_RATES}
    word = HOLDS if all(rate >= CLAIMED_RATES[x] - 0.05 for x, rate in rates.items()) else FAILS
    return word, f"{system}: " + ", ".join(
        f"{x} {rate:.2f} (paper {CLAIMED_RATES[x]})" for x, rate in rates.items()) + \
        ". We take it to hold where ours is at most 0.05 lower."


CLAIMED_RATIOS = {"T100 5M": 6.28, "T100 10M": 6.20, "T100 15M": 6.32, "T80 10M": 2.21, "T90 10M": 3.84,
                  "T110 10M": 17.0, "T120 10M": 31.4}


def tables_4_5(found):
    gpus, cpus = "frontier, 4 virtual GPUs", "frontier, 4 CPUs"
    gap = missing_gpu(found, gpus)
    if gap:
        return gap
    ratios, parts = dict(gains(found, gpus, cpus)), []
    for x, ratio in ratios.items():
        predicted = found.value(cpus, x) is None
        parts.append(f"{x} {times(ratio)}{' (predicted)' if predicted else ''}, paper {CLAIMED_RATIOS[x]}")
    unfinished = [x for x in found.xs if found.value(gpus, x) is None]
    if unfinished:
        parts.append(f"not finished on the GPU: {', '.join(unfinished)}")
    if not ratios:
        return OPEN, "No ratio: " + "; ".join(parts) + "."
    size = [ratios[x] for x in ("T100 5M", "T100 10M", "T100 15M") if x in ratios]
    length = [ratios[x] for x in ("T80 10M", "T90 10M", "T100 10M", "T110 10M", "T120 10M") if x in ratios]
    stable = max(size) < 1.5 * min(size) if size else False
    grows = len(length) > 1 and length[-1] > length[0]
    word = HOLDS if all(ratio >= CLAIMED_RATIOS[x] for x, ratio in ratios.items()) and stable and grows \
        else FAILS
    return word, ("; ".join(parts) + f". Over size the ratio is {'stable' if stable else 'not stable'}, with "
                  f"length it {'grows' if grows else 'does not grow'}.")
