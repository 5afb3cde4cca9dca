"""Whether the claims of paper 003 hold: one function per figure, which uses only its numbers.

SPDX-License-Identifier: Apache-2.0
"""
from results import FAILS, HOLDS, OPEN, missing
from verdicts import name_of, times

PBI, TBI, TBI_CPU = "pbi, GPU", "tbi, GPU", "tbi, 4 threads"
GOETHALS, BORGELT, GROWTH = "goethals, 4 threads", "Borgelt's Apriori", "FP-growth, 4 threads"


def span(found, system, base, metric="inner"):
    """How many times as long as base a system takes, from least to most: (least, most, text)."""
    ratios = [ratio for _, ratio in found.ratios(system, base, metric)]
    if not ratios:
        return None
    least, most = min(ratios), max(ratios)
    text = times(most) if least == most else f"{times(least)} to {times(most)}"
    return least, most, f"{system} takes {text} as long as {base}"


def counting_dominates(found):
    """(holds, text): whether counting is more than half of goethals at the lowest support measured.
    """
    curve = found.curve(GOETHALS, "share_counting")
    if not curve:
        return None
    x, share = min(curve)
    return share > 0.5, f"counting is {share:.0%} of `goethals` at {name_of(x)}%"


def faster(found):
    """[(holds, text)] of the claim common to all three figures: the GPU is faster than both CPU
    programs. If their slowest runs were left out, a ratio that is too small proves nothing:
    None."""
    parts = []
    for system, claimed in ((GOETHALS, 2.7), (BORGELT, 1.2)):
        for base in (PBI, TBI):
            found_span = span(found, system, base)
            if not found_span:
                continue
            left = [x for x in found.xs if found.value(base, x, "inner") is not None
                    and found.value(system, x, "inner") is None]
            holds = found_span[1] >= claimed or (None if left else False)
            more = f"; not run at {', '.join(f'{x}%' for x in left)}" if left else ""
            parts.append((holds, f"{found_span[2]} (claimed from {claimed} on{more})"))
    return parts


def judge(found, more):
    """Joins the general claim and those of one figure; `more` is a list of (holds, text)."""
    parts = [*faster(found), *[part for part in (counting_dominates(found), *more) if part]]
    said = "; ".join(text for _, text in parts)
    gap = missing(found, PBI) or missing(found, TBI)
    if gap:
        word, why = gap
        return word, (f"{why} Without it: {said}." if said else why)
    told = [holds for holds, _ in parts]
    word = FAILS if False in told else OPEN if None in told else HOLDS
    return word, f"{said}."


def on_generated(found):
    return judge(found, [])


def on_dense(found):
    pairs = found.ratios(TBI, PBI, "candidate")
    if not pairs:
        return judge(found, [])
    _, ratio = min(pairs)
    return judge(found, [(ratio > 1, f"candidates take `tbi` {times(ratio)} as long as `pbi` at the lowest "
                                     "support")])


def on_sparse(found):
    more = []
    for slow, fast, claimed in ((TBI_CPU, TBI, 7.8), (GOETHALS, TBI_CPU, 1.28)):
        found_span = span(found, slow, fast)
        if found_span:
            more.append((found_span[1] >= claimed, f"{found_span[2]} (claimed {claimed})"))
    return judge(found, more)


def against_growth(found):
    gap = missing(found, GROWTH) or missing(found, PBI)
    if gap:
        return gap
    parts = []
    for system in (PBI, TBI):
        for x, ratio in found.ratios(system, GROWTH, "inner"):
            parts.append((ratio >= 4, f"{system} takes {times(ratio)} as long as FP-growth on {x}"))
    if not parts:
        return OPEN, "Nothing was measured at the same point."
    word = HOLDS if all(holds for holds, _ in parts) else FAILS
    said = "; ".join(text for _, text in parts)
    return word, f"{said} (claimed: 4 to 16)."
