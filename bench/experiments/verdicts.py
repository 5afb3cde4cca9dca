"""Rules and parts of verdict functions that several figures share.

Rules. They are the same for all figures, and docs/papers.md lists them:
- A verdict uses the paper's clock: where the paper times the search, so do we.
- Growth needs three measured points. An exponent from 0.75 to 1.25 is proportional.
- A claimed factor counts as reached if the measured factor is at least 0.9 times the claimed one,
  and as exceeded if it is at least 1.5 times the claimed one.
- A claimed range is judged by its lower end, which every measured point must reach.
- A claim about a GPU that fails while the GPU computes for less than half of the time, at every point,
  cannot be answered: a cause says whether the problem is too small, or lode's host too slow.
- Two times are different if one is 5% longer.
- Predicted times are printed, but no verdict uses them.

SPDX-License-Identifier: Apache-2.0
"""
from results import BETTER, FAILS, HOLDS, NO_GPU, OPEN, Verdict, missing, number

LINEAR = (0.75, 1.25)
REACHED = 0.9
EXCEEDED = 1.5
DIFFERENT = 1.05
BUSY = 0.5


def times(ratio):
    """A factor as text."""
    return f"{ratio:.3g} x" if ratio < 100 else f"{ratio:,.0f} x"


def name_of(x):
    return x if isinstance(x, str) else f"{x:,.10g}"


def is_linear(exponent):
    return LINEAR[0] <= exponent <= LINEAR[1]


def shares_text(shares):
    """The least and the largest of some shares, as text."""
    low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
    return low if low == high else f"{low} to {high}"


def judge_factors(pairs):
    """The word for [(factor, claimed)]: whether all are reached, or all are exceeded."""
    if not pairs:
        return OPEN
    if any(factor < REACHED * claimed for factor, claimed in pairs):
        return FAILS
    return BETTER if all(factor >= EXCEEDED * claimed for factor, claimed in pairs) else HOLDS


def missing_gpu(found, base, metric="search"):
    """Like `missing`, for a claim about a GPU. Without a GPU, also says what the others took."""
    gap = missing(found, base)
    if not gap or gap.cause != NO_GPU:
        return gap
    for x in reversed(found.xs):
        seconds = [f"{system} {found.value(system, x, metric):.3g} s" for system in found.systems
                   if found.value(system, x, metric) is not None]
        if seconds:
            return Verdict(OPEN, gap.cause, f"Without one, at {name_of(number(x))}: {', '.join(seconds)}.")
    return gap


def predicted_text(found, base, systems):
    """A sentence about runs that were not started: how many times as long as `base` they are predicted
    to take, whole runs against whole runs."""
    said = []
    for system in systems:
        pairs = [(found.predicted(system, x) / found.value(base, x), x) for x in found.xs
                 if found.predicted(system, x) and found.value(base, x)]
        if pairs:
            ratio, x = max(pairs)
            said.append(f"{system} {times(ratio)} at {name_of(number(x))}")
    return f" Predicted only, whole runs: {', '.join(said)}." if said else ""


def speedups(found, base, claims, causes, metric="search"):
    """Judges `base is up to F times as fast as S` for every S: F of `claims`, by the points where both
    were measured. causes: {word: cause}."""
    gap = missing_gpu(found, base)
    if gap:
        return gap
    said, pairs = [], []
    for system, claimed in claims.items():
        ratios = found.ratios(system, base, metric)
        if not ratios:
            said.append(f"{system}: no number")
            continue
        x, ratio = max(ratios, key=lambda pair: pair[1])
        pairs.append((ratio, claimed))
        said.append(f"{system} takes up to {times(ratio)} as long (at {name_of(x)}; claimed {claimed:g})")
    word = judge_factors(pairs)
    return Verdict(word, causes[word], f"Against {base}: {'; '.join(said)}."
                   + predicted_text(found, base, claims))
