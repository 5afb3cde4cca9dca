"""Whether the claims of paper 001 hold: one function per figure, which uses only its numbers.

The paper counts the memory of candidates and bit rows together, so that figure decides if the
report has it. Bytes are much the same on every device, so a CPU can answer for them. Times and
bandwidths are those of the GPU if there is one.

SPDX-License-Identifier: Apache-2.0
"""
from results import FAILS, HOLDS, IMPOSSIBLE, NEEDS_GPU, OPEN, missing, number
from verdicts import times

PLACES = ("GPU", "CPU")


def place(found, metric):
    """The first of GPU and CPU on which both systems have numbers; None if there is none."""
    return next((where for where in PLACES if found.curve(f"gpapriori, {where}", metric)
                 and found.curve(f"eqclass, {where}", metric)), None)


def ratios(found, metric):
    """[(x, lists / classes, lists, classes)] where both were measured."""
    where = place(found, metric)
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


def both_kinds(found, rows_of):
    """The ratios of candidates alone, and of candidates with rows where the report has them."""
    alone = rows_of(ratios(found, "bytes"))
    whole = rows_of(ratios(found, "with_rows"))
    said = f"lists / classes, candidates alone: {ratio_list(alone) or 'no number'}"
    if whole:
        said += f"; with bit rows: {ratio_list(whole)}"
    return alone, whole, said


def no_numbers(found):
    return missing(found, "gpapriori, CPU", "eqclass, CPU") or (OPEN, "The report has no bytes.")


def figure_5(found):
    rows = ratios(found, "bytes")
    if not rows:
        return no_numbers(found)
    printed = [row for row in rows if row[0] >= 4]
    counts = " and ".join(str(found.count(f"{x:g}")) for x, *_ in printed)
    apart = max((lists - classes for _, _, lists, classes in printed), default=0)
    _, _, lists, classes = rows[-1]
    _, _, said = both_kinds(found, lambda list_of: [row for row in list_of if row[0] < 4])
    word = IMPOSSIBLE if apart < 1e6 else HOLDS if apart > 100e6 else FAILS
    return word, (f"At 5% and 4% there are {counts} frequent sets, and both ways are {bytes_text(apart)} "
                  f"apart at most. {said[0].upper() + said[1:]}; at {x_text(rows[-1][0])} they are "
                  f"{bytes_text(lists - classes)} apart ({bytes_text(lists)} and {bytes_text(classes)}).")


def figure_6(found):
    where = place(found, "counting")
    if not where:
        return no_numbers(found)
    rows = [row for row in ratios(found, "counting") if row[0] < 4]
    said = f"Counting on the {where}, gpapriori / eqclass: {ratio_list(rows)}"
    if where == "CPU":
        return NEEDS_GPU, f"{said}; the claim is about a GPU."
    best = max((ratio for _, ratio, _, _ in rows), default=0)
    return (HOLDS if best >= 2 else FAILS), f"{said}; claimed 2."


def figure_7(found):
    where = place(found, "gigabytes")
    if not where:
        return OPEN, "The report of these runs has no bandwidth of counting."
    rates = {name: found.curve(f"{name}, {where}", "gigabytes") for name in ("eqclass", "gpapriori")}
    best = {name: max(value for _, value in curve) for name, curve in rates.items()}
    said = "; ".join(f"{name} " + ", ".join(f"{value:.3g} GB/s at {x_text(x)}" for x, value in curve)
                     for name, curve in rates.items())
    if where == "CPU":
        return NEEDS_GPU, f"On the CPU: {said}; the claim is about a GPU."
    word = HOLDS if best["eqclass"] > 1 and best["eqclass"] > best["gpapriori"] else FAILS
    return word, f"On the GPU: {said}. Claimed up to 1 against 0.8."


def less(found):
    alone, whole, said = both_kinds(found, lambda rows: rows)
    if not alone:
        return no_numbers(found)
    word = HOLDS if all(ratio > 1 for _, ratio, _, _ in alone + whole) else FAILS
    return word, f"{said[0].upper() + said[1:]}."


def figure_9_t10(found):
    alone, whole, said = both_kinds(found, lambda rows: [row for row in rows if row[0] < 35])
    if not alone and found.count("35") is None:
        return no_numbers(found)
    if found.count("35") == 0:
        return IMPOSSIBLE, f"At 35% no set is frequent. {said[0].upper() + said[1:]}; claimed 2."
    word = HOLDS if all(ratio >= 2 for _, ratio, _, _ in whole or alone) else FAILS
    return word, f"{said[0].upper() + said[1:]}; claimed 2."


def figure_9_t40(found):
    alone, whole, said = both_kinds(found, lambda rows: rows)
    if not alone:
        return no_numbers(found)
    word = HOLDS if all(ratio >= 1.5 for _, ratio, _, _ in whole or alone) else FAILS
    return word, f"{said[0].upper() + said[1:]}; claimed 1.5."


def figure_10(found):
    printed = [x for x in found.xs if x.endswith("60%")]
    alone, whole, said = both_kinds(found, lambda rows: [row for row in rows if row[0] not in printed])
    if not alone:
        return no_numbers(found)
    most = "; ".join(f"{name} up to {1 - 1 / max(ratio for _, ratio, _, _ in rows):.0%} less"
                     for name, rows in (("candidates alone", alone), ("with bit rows", whole)) if rows)
    text = f"{said[0].upper() + said[1:]}. That is, {most}; claimed 50 to 75%."
    counts = [found.count(x) for x in printed]
    if counts and all(count == 0 for count in counts):
        return IMPOSSIBLE, f"At 60% no set is frequent. {text}"
    word = HOLDS if all(1 - 1 / ratio >= 0.5 for _, ratio, _, _ in whole or alone) else FAILS
    return word, text
