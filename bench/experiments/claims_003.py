"""Whether the claims of paper 003 hold: one function per figure, which uses only its numbers.

SPDX-License-Identifier: Apache-2.0
"""
from results import BETTER, FAILS, HOLDS, OPEN, Verdict, missing
from verdicts import DIFFERENT, REACHED, judge_factors, name_of, times

PBI, TBI, TBI_CPU = "pbi, GPU", "tbi, GPU", "tbi, 4 threads"
PBI_TABLE, TBI_TABLE = "pbi, table in constant memory", "tbi, table in constant memory"
GOETHALS, BORGELT, GROWTH = "goethals, 4 threads", "Borgelt's Apriori", "FP-growth, 4 threads"
METRIC = "inner"


def span(found, system, base):
    """How many times as long as base a system takes: (most, text), or None."""
    ratios = [ratio for _, ratio in found.ratios(system, base, METRIC)]
    if not ratios:
        return None
    ends = list(dict.fromkeys(times(ratio) for ratio in (min(ratios), max(ratios))))
    return max(ratios), f"{system} takes {' to '.join(ends)} as long as {base}"


def left_out(found, system, base):
    """The points where `base` was measured, and `system` was not."""
    return [x for x in found.xs if found.value(base, x, METRIC) is not None
            and found.value(system, x, METRIC) is None]


def factors(found):
    """([(most, claimed)], texts) of the claim common to the three figures: how much faster the GPU is than
    both programs for CPUs, at most."""
    pairs, texts = [], []
    for system, claimed in ((GOETHALS, 2.7), (BORGELT, 1.2)):
        for base in (PBI, TBI):
            known = span(found, system, base)
            if known:
                pairs.append((known[0], claimed))
                left = left_out(found, system, base)
                more = f"; not run at {', '.join(f'{x}%' for x in left)}" if left else ""
                texts.append(f"{known[1]} (claimed from {claimed} on{more})")
    return pairs, texts


def counting_share(found):
    """(holds, text): whether counting is more than half of goethals at the lowest support measured."""
    curve = found.curve(GOETHALS, "share_counting")
    if not curve:
        return None, ""
    x, share = min(curve)
    return share > 0.5, f"counting is {share:.0%} of `goethals` at {name_of(x)}%"


def table_text(found):
    """What the table in constant memory costs."""
    said = [known[1] for known in (span(found, PBI_TABLE, PBI), span(found, TBI_TABLE, TBI)) if known]
    return f" With the paper's way to count bits: {'; '.join(said)}." if said else ""


def judge(found, more=()):
    """Joins the general claim and those of one figure; more: [(holds, text, cause if not)]."""
    pairs, texts = factors(found)
    dominates, share = counting_share(found)
    texts += [text for text in (share, *(text for _, text, _ in more)) if text]
    numbers = f"{'; '.join(texts)}." if texts else ""
    gap = missing(found, PBI) or missing(found, TBI)
    if gap or not pairs:
        return Verdict(OPEN, (gap or Verdict(OPEN, "Neither baseline was measured.")).cause, numbers)
    failed = [cause for holds, _, cause in more if holds is False]
    word = judge_factors(pairs)
    if word == FAILS or dominates is False or failed:
        cause = failed[0] if failed else \
            "Goethals' Apriori spends its time on candidates, not on counting, on this data." if word != FAILS else \
            "A search of this size is too short for the GPU to be ahead of four cores."
        return Verdict(FAILS, cause, numbers + table_text(found))
    return Verdict(word, "Rows of bits are counted 128 bits at a time by thousands of threads, while both programs for "
                   "CPUs walk down a tree for every transaction.", numbers + table_text(found))


def on_generated(found):
    return judge(found)


def on_dense(found):
    pairs = found.ratios(TBI, PBI, "candidate")
    if not pairs:
        return judge(found)
    _, ratio = min(pairs)
    return judge(found, [(ratio > DIFFERENT, f"candidates take `tbi` {times(ratio)} as long as `pbi` at the lowest "
                          "support", "Candidates are not made faster as rows of bits here.")])


def on_sparse(found):
    more = []
    for slow, fast, claimed, cause in (
            (TBI_CPU, TBI, 7.8, "`tbi` on a CPU counts 512 bits at a time, which the CPU of 2009 could not."),
            (GOETHALS, TBI_CPU, 1.28, "")):
        known = span(found, slow, fast)
        if known:
            more.append((known[0] >= REACHED * claimed, f"{known[1]} (claimed {claimed})", cause))
    ratios = found.ratios(PBI, TBI, METRIC)
    if ratios:
        x, ratio = min(ratios)
        more.append((ratio > DIFFERENT, f"`pbi` takes {times(ratio)} as long as `tbi` at {name_of(x)}% (claimed: longer)",
                     "`tbi` joins and prunes on the host, and `pbi` on the GPU, which has become faster by more than "
                     "the host has: candidates take `tbi` longer at every support."))
    return judge(found, more)


def against_growth(found):
    gap = missing(found, GROWTH) or missing(found, PBI)
    if gap:
        return gap
    parts, ratios = [], []
    for system in (PBI, TBI):
        for x, ratio in found.ratios(system, GROWTH, METRIC):
            ratios.append(ratio)
            parts.append(f"{system} takes {times(ratio)} as long as FP-growth on {x}")
    numbers = f"{'; '.join(parts)} (claimed: 4 to 16)."
    if not ratios:
        return Verdict(OPEN, "Nothing was measured at the same point.")
    if all(ratio >= 4 * REACHED for ratio in ratios):
        return Verdict(HOLDS, "FP-growth has no candidates.", numbers)
    if all(ratio < 1 for ratio in ratios):
        return Verdict(BETTER, "The paper's own systems are ahead of FP-growth here: a GPU of today counts candidates "
                       "faster than four cores build trees.", numbers)
    shares = [f"{found.value(TBI, x, 'candidate') / found.value(TBI, x, METRIC):.0%} on {x}"
              for x in found.xs if found.value(TBI, x, METRIC) and found.value(TBI, x, "candidate")]
    return Verdict(FAILS, "A GPU of today counts candidates faster than four cores build trees. `pbi` makes its candidates "
                   f"there, too; `tbi` makes them on the host, which takes most of its time: {', '.join(shares)}.",
                   numbers)
