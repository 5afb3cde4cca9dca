"""Whether the claims of paper 001 hold: one function per figure, which uses only its numbers.

The paper counts the memory of candidates, of the rows of items and of one row for a prefix; that figure
decides. Bytes are the same on every device, so a CPU can answer for them. Times and bandwidths are
those of the GPU if there is one.

SPDX-License-Identifier: Apache-2.0
"""
from results import BETTER, FAILS, HOLDS, NO_GPU, OPEN, Verdict, missing, number
from verdicts import REACHED, judge_factors, times

PLACES = ("GPU", "CPU")
PREFIX_ONCE = "A class stores its prefix once, and a candidate of a class is one item."
NOTHING = "Nothing, or next to nothing, is frequent at the support that the paper prints; so it cannot be meant."


def place(found, metric):
    """The first of GPU and CPU on which both systems have numbers; None if there is none."""
    return next((where for where in PLACES if found.curve(f"gpapriori, {where}", metric)
                 and found.curve(f"eqclass, {where}", metric)), None)


def ratios(found, metric, where=None):
    """[(x, lists / classes, lists, classes)] where both were measured."""
    where = where or place(found, metric)
    rows = []
    for x in found.xs if where else ():
        lists, classes = (found.value(f"{name}, {where}", x, metric) for name in ("gpapriori", "eqclass"))
        if lists and classes:
            rows.append((number(x), lists / classes, lists, classes))
    return rows


def bytes_text(value):
    return f"{value / 1e6:,.3g} MB" if value >= 1e5 else f"{value:,.0f} bytes"


def x_text(x):
    return x if isinstance(x, str) else f"{x:g}%"


def ratio_list(rows):
    return ", ".join(f"{times(ratio)} at {x_text(x)}" for x, ratio, _, _ in rows)


def memory(found, rows_of=lambda rows: rows):
    """(rows by the paper's count, a sentence with all three counts and the measured peak of the GPU)."""
    paper = rows_of(ratios(found, "paper_bytes"))
    said = []
    for metric, name in (("paper_bytes", "as the paper counts"), ("bytes", "candidates alone"),
                         ("with_rows", "with all rows that lode keeps"),
                         ("gpu_bytes", "measured peak of GPU memory, which has more in it")):
        rows = rows_of(ratios(found, metric, "GPU" if metric == "gpu_bytes" else None))
        if rows:
            said.append(f"{name} {ratio_list(rows)}")
    return paper, f"Lists / classes: {'; '.join(said) or 'no number'}."


def no_numbers(found):
    return missing(found, "gpapriori, CPU", "eqclass, CPU") or Verdict(OPEN, "The report has no bytes.")


def figure_5(found):
    rows = ratios(found, "paper_bytes")
    if not rows:
        return no_numbers(found)
    printed = [row for row in rows if row[0] >= 4]
    counts = " and ".join(str(found.count(f"{x:g}")) for x, *_ in printed)
    apart = max((abs(lists - classes) for _, _, lists, classes in printed), default=0)
    x, _, lists, classes = rows[-1]
    _, said = memory(found, lambda list_of: [row for row in list_of if row[0] < 4])
    numbers = (f"At 5% and 4% there are {counts} frequent sets, and the two are at most {bytes_text(apart)} apart. "
               f"{said} At {x_text(x)} they are {bytes_text(lists - classes)} apart.")
    if apart < 1e6:
        return Verdict(OPEN, NOTHING + " " + PREFIX_ONCE, numbers)
    return Verdict(HOLDS if apart > 100e6 else FAILS, PREFIX_ONCE, numbers)


def counting_verdict(rows, said, causes):
    best = max((ratio for _, ratio, _, _ in rows), default=0)
    word = judge_factors([(best, 2)])
    return Verdict(word, causes[word], f"{said}; claimed 2.")


def figure_6(found):
    where = place(found, "counting")
    if not where:
        return no_numbers(found)
    rows = [row for row in ratios(found, "counting") if row[0] < 4]
    said = f"Counting on the {where}, gpapriori / eqclass: {ratio_list(rows)}"
    if where == "CPU":
        return Verdict(OPEN, NO_GPU, f"{said}.")
    shared = "A class reads the rows of its prefix once, and keeps the result in registers."
    return counting_verdict(rows, said, {
        HOLDS: shared, BETTER: shared,
        FAILS: "Retail spends its time at level 2, where a prefix is one item: both read the same rows."})


def figure_6_data(found):
    where = place(found, "counting")
    if not where:
        return no_numbers(found)
    rows, deep = ratios(found, "counting"), ratios(found, "deep")
    said = f"Counting on the {where}, gpapriori / eqclass: {ratio_list(rows)}; from level 3 on: {ratio_list(deep)}"
    if where == "CPU":
        return Verdict(OPEN, NO_GPU, f"{said}.")
    shared = "A class reads the rows of its prefix once, and keeps the result in registers."
    return counting_verdict(rows, said, {
        HOLDS: shared, BETTER: shared,
        FAILS: shared + " But a candidate of k items reads k rows with lists and at least one with classes, and the "
                        "second-level cache of the GPU holds the rows of these items: reading them again costs less "
                        "than on the cards of 2014."})


def figure_7(found):
    where = place(found, "gigabytes")
    if not where:
        return Verdict(OPEN, "The report of these runs has no bandwidth of counting.")
    said = "; ".join(f"{name} " + ", ".join(f"{value:.3g} GB/s at {x_text(x)}"
                                            for x, value in found.curve(f"{name}, {where}", "gigabytes"))
                     for name in ("eqclass", "gpapriori"))
    return Verdict(OPEN, "The paper's 1 and 0.8 GB/s are measured on a card that reads memory at 192 GB/s, so they "
                   "cannot be the bytes of rows that its kernels read. It does not say what they are.",
                   f"Rows read on the {where}: {said}.")


def less(found):
    rows, said = memory(found)
    if not rows:
        return no_numbers(found)
    if all(ratio > 1 for _, ratio, _, _ in rows):
        return Verdict(HOLDS, PREFIX_ONCE, said)
    return Verdict(FAILS, "Most classes have one member, so a prefix is stored for each candidate.", said)


def by_factor(found, claimed, printed, cause_fails):
    """Judges `lists take `claimed` times as much`, at the supports below `printed`, if nothing is frequent
    there."""
    empty = printed is not None and found.count(f"{printed:g}") == 0
    rows, said = memory(found, lambda rows: [row for row in rows if not empty or row[0] < printed])
    if not rows and not empty:
        return no_numbers(found)
    said = f"{said} Claimed {claimed:g}."
    if empty:
        return Verdict(OPEN, NOTHING + " " + PREFIX_ONCE, said)
    word = judge_factors([(ratio, claimed) for _, ratio, _, _ in rows])
    return Verdict(word, cause_fails if word == FAILS else PREFIX_ONCE, said)


def figure_9_t10(found):
    return by_factor(found, 2, 35, "")


def figure_9_t40(found):
    return by_factor(found, 1.5, None, "The rows of the items are part of the sum, the same for both, and on this data "
                     "larger than the candidates; the candidates alone take half or less.")


def figure_10(found):
    printed = [x for x in found.xs if x.endswith("60%")]
    rows, said = memory(found, lambda rows: [row for row in rows if row[0] not in printed])
    if not rows:
        return no_numbers(found)
    saved = [1 - 1 / ratio for _, ratio, _, _ in rows]
    alone = [1 - 1 / row[1] for row in ratios(found, "bytes") if row[0] not in printed]
    numbers = (f"{said} That is up to {max(saved):.0%} less as the paper counts, and up to {max(alone):.0%} for "
               "candidates alone; claimed 50 to 75%.")
    counts = [found.count(x) for x in printed]
    if counts and all(count == 0 for count in counts):
        return Verdict(OPEN, NOTHING, numbers)
    return Verdict(HOLDS if min(saved) >= REACHED * 0.5 else FAILS, PREFIX_ONCE, numbers)
