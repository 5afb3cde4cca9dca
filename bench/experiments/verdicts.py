"""Parts of verdict functions that several figures share.

SPDX-License-Identifier: Apache-2.0
"""
from results import FAILS, HOLDS, NEEDS_GPU, OPEN, missing, number


def times(ratio):
    """A factor as text."""
    return f"{ratio:.3g} x" if ratio < 100 else f"{ratio:,.0f} x"


def name_of(x):
    return x if isinstance(x, str) else f"{x:,.10g}"


def missing_gpu(found, base):
    """Like `missing`, for a claim about a GPU. Without a GPU, also says what the others took."""
    gap = missing(found, base)
    if not gap or gap[0] != NEEDS_GPU:
        return gap
    for x in reversed(found.xs):
        walls = [f"{system} {found.value(system, x):.3g} s" for system in found.systems
                 if found.value(system, x) is not None]
        if walls:
            return NEEDS_GPU, (f"The claim is about a GPU, and there was none. Without one, at "
                               f"{name_of(number(x))}: {', '.join(walls)}.")
    return gap


def predicted_note(found, systems):
    """A sentence about runs that were not started but whose predicted times a verdict uses."""
    names = [system for system in systems if any(found.predicted(system, x) for x in found.xs)]
    return f" Predicted, at least at one point: {', '.join(names)}." if names else ""


def best_ratio(found, system, base, metric="wall"):
    """(factor, x, whether it is predicted): where `system` took longest relative to `base`. A run
    of `system` that was not started counts with its predicted time."""
    pairs = [(ratio, x, False) for x, ratio in found.ratios(system, base, metric)]
    if metric == "wall":
        for x in found.xs:
            predicted, below = found.predicted(system, x), found.value(base, x, metric)
            if predicted and below:
                pairs.append((predicted / below, x, True))
    return max(pairs, key=lambda pair: pair[0], default=None)


def speedups(found, base, claims, metric="wall"):
    """Judges `base is up to F times as fast as S` for every S: F of `claims`. Holds if it holds for
    all S that were measured, and for at least one."""
    gap = missing_gpu(found, base)
    if gap:
        return gap
    said, good, bad = [], 0, 0
    for system, factor in claims.items():
        best = best_ratio(found, system, base, metric)
        if not best:
            said.append(f"{system}: no number")
            continue
        ratio, x, predicted = best
        good, bad = good + (ratio >= factor), bad + (ratio < factor)
        said.append(f"{system} takes up to {times(ratio)} as long (at {name_of(x)}"
                    f"{', predicted' if predicted else ''}; claimed {factor:g})")
    word = OPEN if not good + bad else FAILS if bad else HOLDS
    return word, f"Against {base}: " + "; ".join(said) + "."
