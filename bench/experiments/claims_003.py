"""Whether the claims of paper 003 hold: one function per figure, which uses only its numbers.

SPDX-License-Identifier: Apache-2.0
"""
from results import BETTER, FAILS, HOLDS, OPEN, Verdict, missing
from verdicts import DIFFERENT, REACHED, judge_factors, name_of, times

PBI, TBI, TBI_CPU = "pbi, GPU", "tbi, GPU", "tbi, 4 threads"
PBI_TABLE, TBI_TABLE = "pbi, table in constant memory", "tbi, table in constant memory"
GOETHALS, BORGELT, GROWTH = "goethals, 4 threads", "Borgelt's Apriori", "FP-growth, 4 threads"
METRIC = "inner"
DENSE, SPARSE = "7a, 7b", "8a, 8b"


def ends_text(ratios):
    """The least and the largest of [(x, ratio)], and where they are."""
    ends = dict.fromkeys((min(ratios, key=lambda pair: pair[1]), max(ratios, key=lambda pair: pair[1])))
    return " to ".join(f"{times(ratio)} (at {name_of(x)}%)" for x, ratio in ends)


def span(found, system, base):
    """How many times as long as base a system takes: (least, most, text), or None."""
    ratios = found.ratios(system, base, METRIC)
    if not ratios:
        return None
    values = [ratio for _, ratio in ratios]
    return min(values), max(values), f"{system} takes {ends_text(ratios)} as long as {base}"


def left_out(found, system, base):
    """The points where `base` was measured, and `system` was not."""
    return [x for x in found.xs if found.value(base, x, METRIC) is not None
            and found.value(system, x, METRIC) is None]


def factors(found):
    """([(least, claimed)], texts, failures) of the claim common to the three figures: how much faster the GPU is than
    both programs for CPUs. The paper has one range for all three data sets, so its lower end must be
    reached at every point, and its upper end at none in particular."""
    pairs, texts, failures = [], [], []
    for system, claimed in ((GOETHALS, 2.7), (BORGELT, 1.2)):
        for base in (PBI, TBI):
            known = span(found, system, base)
            if known:
                pairs.append((known[0], claimed))
                less = [x for x, ratio in found.ratios(system, base, METRIC) if ratio < REACHED * claimed]
                if less:
                    failures.append(f"{base} is ahead of {system} by less than the least that is claimed at "
                                    f"{', '.join(f'{name_of(x)}%' for x in less)}{host_share(found) if base == TBI else ''}.")
                left = left_out(found, system, base)
                more = f"; not run at {', '.join(f'{x}%' for x in left)}" if left else ""
                texts.append(f"{known[2]} (claimed: at least {claimed}{more})")
    return pairs, texts, failures


def counting_share(found):
    """(holds, text): whether counting is more than half of goethals at the lowest support measured."""
    curve = found.curve(GOETHALS, "share_counting")
    if not curve:
        return None, ""
    x, share = min(curve)
    return share > 0.5, f"counting is {share:.0%} of `goethals` at {name_of(x)}%"


def table_text(found):
    """What the table in constant memory costs."""
    said = [known[2] for known in (span(found, PBI_TABLE, PBI), span(found, TBI_TABLE, TBI)) if known]
    return f" With the paper's way to count bits: {'; '.join(said)}." if said else ""


def judge(found, more=()):
    """Joins the general claim and those of one figure; more: [(holds, text, cause if not)]. The causes of
    all parts that do not hold are named."""
    pairs, texts, failures = factors(found)
    dominates, share = counting_share(found)
    texts += [text for text in (share, *(text for _, text, _ in more)) if text]
    numbers = f"{'; '.join(texts)}." if texts else ""
    gap = missing(found, PBI) or missing(found, TBI)
    if gap or not pairs:
        return Verdict(OPEN, (gap or Verdict(OPEN, "Neither baseline was measured.")).cause, numbers)
    failed = [cause for holds, _, cause in more if holds is False]
    word = judge_factors(pairs)
    failed += failures
    if dominates is False:
        failed.append("Goethals' Apriori spends its time on candidates, not on counting, on this data.")
    if failed:
        return Verdict(FAILS, " ".join(failed), numbers + table_text(found))
    return Verdict(word, "Rows of bits are counted 128 bits at a time by thousands of threads, while both programs for "
                   "CPUs walk down a tree for every transaction.", numbers + table_text(found))


def on_generated(found):
    return judge(found)


def larger_on_dense(found):
    """(holds, text, cause) for `the gain is larger on dense than on sparse data`: by the largest factor of
    each system, which is what the paper compares."""
    sparse, said, smaller = found.other(SPARSE), [], []
    for base in (PBI, TBI):
        for system in (GOETHALS, BORGELT):
            here, there = span(found, system, base), span(sparse, system, base)
            if here and there:
                said.append(f"over {system} `{base.split(',')[0]}` gains up to {times(here[1])}, and {times(there[1])} on "
                            "retail")
                if here[1] <= DIFFERENT * there[1] and base not in smaller:
                    smaller.append(base)
    if not said:
        return None, "", ""
    names = " and ".join(f"`{base.split(',')[0]}`" for base in smaller)
    return not smaller, f"{'; '.join(said)} (claimed: more here)", \
        f"{names} does not gain more on dense data than on sparse data{host_share(found) if TBI in smaller else ''}."


def host_share(found):
    """Why tbi gains little: the part of its time that its candidates take, at the lowest support."""
    curve = found.curve(TBI, "share_candidate")
    return f": its candidates, which the host makes, take {min(curve)[1]:.0%} of its time at {name_of(min(curve)[0])}%" \
        if curve else ""


def on_dense(found):
    more, pairs, whole = [], found.ratios(TBI, PBI, "candidate"), found.ratios(PBI, TBI, METRIC)
    if pairs:
        _, ratio = min(pairs)
        more.append((ratio > DIFFERENT, f"candidates take `tbi` {times(ratio)} as long as `pbi` at the lowest support",
                     "Candidates are not made faster as rows of bits here."))
    if whole:
        more.append((min(whole)[1] * DIFFERENT < 1, f"in all, `pbi` takes {ends_text(whole)} as long as `tbi` (claimed: less)",
                     "`pbi` is not faster than `tbi` at the lowest support."))
    more.append(larger_on_dense(found))
    return judge(found, more)


def pbi_against_tbi(found):
    """(holds, text, cause) for `tbi is better than pbi on sparse data`, by all points."""
    ratios = found.ratios(PBI, TBI, METRIC)
    if not ratios:
        return None, "", ""
    slower = [x for x, ratio in ratios if ratio > DIFFERENT]
    candidates = found.ratios(TBI, PBI, "candidate")
    longer, shorter = ([x for x, ratio in candidates if test(ratio)] for test in (lambda r: r > 1, lambda r: r <= 1))
    cause = ("`tbi` joins and prunes on the host, and `pbi` on the GPU, which has become faster by more than the host has: "
             f"candidates take `tbi` longer from {name_of(max(longer))}% down" if longer else
             "Both take about as long for candidates")
    cause += f", and less long only at {', '.join(f'{name_of(x)}%' for x in shorter)}." if shorter and longer else "."
    said = f"`pbi` takes {ends_text(ratios)} as long as `tbi` (claimed: longer; that is so at " \
        + (", ".join(f"{name_of(x)}%" for x in slower) or "no support") + f", of {len(ratios)} measured)"
    both = [f"at {name_of(x)}% `pbi` {ms(found, PBI, x, 'candidate')} and `tbi` {ms(found, TBI, x, 'candidate')} for "
            f"candidates, {ms(found, PBI, x, METRIC)} and {ms(found, TBI, x, METRIC)} in all" for x in (shorter[:1] if longer else [])]
    return len(slower) == len(ratios), "; ".join([said, *both]), cause


def ms(found, system, x, metric):
    """Milliseconds of a system; x as in a curve."""
    return f"{1000 * dict(found.curve(system, metric))[x]:.3g} ms"


def pbi_against_borgelt(found):
    """A sentence about `pbi is 20% slower than Borgelt's Apriori at 0.01%`: to be faster is no failure."""
    ratios = dict(found.ratios(PBI, BORGELT, METRIC))
    if 0.01 not in ratios:
        return None, "", ""
    ratio = ratios[0.01]
    word = "slower" if ratio >= DIFFERENT else "faster" if ratio * DIFFERENT <= 1 else "as fast"
    return None, f"at 0.01% `pbi` takes {times(ratio)} as long as Borgelt's Apriori (claimed: 1.2 x; here it is {word})", ""


def on_sparse(found):
    more = [pbi_against_tbi(found), pbi_against_borgelt(found)]
    for slow, fast, claimed, cause in (
            (TBI_CPU, TBI, 7.8, "`tbi` on a CPU counts 512 bits at a time, which the CPU of 2009 could not."),
            (GOETHALS, TBI_CPU, 1.28, "")):
        known = span(found, slow, fast)
        if known:
            more.append((known[1] >= REACHED * claimed, f"{known[2]} (claimed {claimed}, for one support)", cause))
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
