"""Whether the claims of paper 004 hold: one function per figure, which uses only its numbers.

SPDX-License-Identifier: Apache-2.0
"""
from results import FAILS, HOLDS, NO_CLAIM, OPEN, missing
from verdicts import name_of, times

PADDED, ANY, CPU, CPU_PADDED = "padded trees, GPU", "trees of any length, GPU", "CPU", "padded trees, CPU"
SQUARE, FOLDED, CPU_GRID = "square grid, GPU", "folded grid, GPU", "grid, CPU"
SQUARE_OR, FOLDED_OR = "square grid, unions alone, GPU", "folded grid, unions alone, GPU"

NEARLY = 0.02  # of the time: what a claim may miss


def savings(found, slow, fast, metric):
    """[(x, share of the time that fast saves)]"""
    return [(x, 1 - ratio) for x, ratio in found.ratios(fast, slow, metric)]


def savings_text(pairs):
    return ", ".join(f"{share:.1%} at {name_of(x)}" for x, share in pairs)


def on_cpu(found):
    """A sentence about the two variants on the CPU, or ""."""
    pairs = savings(found, CPU_PADDED, CPU, "counting_ms")
    return f" On one core trees of any length save {savings_text(pairs)}." if pairs else ""


def figure_7(found):
    gap = missing(found, PADDED, ANY)
    if gap:
        return gap[0], gap[1] + on_cpu(found)
    pairs = dict(savings(found, PADDED, ANY, "counting_ms"))
    claimed = [(1000, None), (5000, 0.201), (10000, 0.161)]
    holds = all(pairs[x] < 0 if share is None else pairs[x] >= share for x, share in claimed if x in pairs)
    return (HOLDS if holds else FAILS), ("Trees of any length save, of the time of padded ones: "
                                         f"{savings_text(pairs.items())} (claimed: none at 1,000, 20.1% at "
                                         f"5,000, 16.1% at 10,000).{on_cpu(found)}")


def figure_8(found):
    gap = missing(found, SQUARE, FOLDED)
    if gap:
        return gap
    pairs = dict(savings(found, SQUARE, FOLDED, "grid_ms"))
    if not pairs:
        return FAILS, "The report has no time of the grid alone."
    holds = all(pairs[x] >= share - NEARLY for x, share in ((1000, 0.38), (5000, 0.32), (10000, 0.253))
                if x in pairs)
    kernels = "; ".join(f"{name_of(x)}: {square:.3g} and {dict(found.curve(FOLDED, 'grid_ms'))[x]:.3g} ms"
                        for x, square in found.curve(SQUARE, "grid_ms"))
    unions = savings(found, SQUARE_OR, FOLDED_OR, "grid_ms")
    more = f" Where blocks only unite sets, it saves {savings_text(unions)}." if unions else ""
    return (HOLDS if holds else FAILS), (f"The folded grid saves {savings_text(pairs.items())} (claimed 38.0%, "
                                         f"32% and 25.3%; two points less still hold). Kernels, square and folded: {kernels}.{more}")


def gpu_against_cpu(found):
    gap = missing(found, ANY)
    if gap:
        return gap
    counting = dict(found.ratios(CPU, ANY, "counting_ms"))
    grid = dict(found.ratios(CPU_GRID, FOLDED, "grid_ms"))
    parts = [f"to count {times(ratio)} as long at {name_of(x)}" for x, ratio in counting.items()]
    parts += [f"for the grid {times(ratio)} as long at {name_of(x)}" for x, ratio in grid.items()]
    told = [(counting.get(100000), 27), (grid.get(100000), 22)]
    word = OPEN if any(ratio is None for ratio, _ in told) else \
        HOLDS if all(ratio >= claimed for ratio, claimed in told) else FAILS
    return word, f"One core takes {'; '.join(parts)} (claimed at 100,000: 27 and 22)."


def popcount(found):
    parts = []
    for where in ("GPU", "CPU"):
        for how in ("shift", "table16"):
            pairs = found.ratios(f"{how}, {where}", f"native, {where}", "counting_ms")
            if pairs:
                x, ratio = pairs[-1]
                parts.append(f"{how} takes {times(ratio)} as long as the instruction on the {where}, at "
                             f"{name_of(x)} transactions")
    if not parts:
        return missing(found, "native, CPU")
    said = "; ".join(parts)
    return NO_CLAIM, f"{said[0].upper()}{said[1:]}."
