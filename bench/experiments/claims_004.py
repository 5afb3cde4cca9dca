"""Whether the claims of paper 004 hold: one function per figure, which uses only its numbers.

SPDX-License-Identifier: Apache-2.0
"""
from results import BETTER, FAILS, HOLDS, NO_CLAIM, OPEN, Verdict, missing
from verdicts import EXCEEDED, REACHED, judge_factors, name_of, times

PADDED, ANY, CPU, CPU_PADDED = "padded trees, GPU", "trees of any length, GPU", "CPU", "padded trees, CPU"
SQUARE, FOLDED, CPU_GRID = "square grid, GPU", "folded grid, GPU", "grid, CPU"
SQUARE_OR, FOLDED_OR = "square grid, unions alone, GPU", "folded grid, unions alone, GPU"


def savings(found, slow, fast, metric):
    """[(x, share of the time that fast saves)]"""
    return [(x, 1 - ratio) for x, ratio in found.ratios(fast, slow, metric)]


def savings_text(pairs):
    return ", ".join(f"{share:.1%} at {name_of(x)}" for x, share in pairs)


def on_cpu(found):
    """A sentence about the two variants on the CPU, or ""."""
    pairs = savings(found, CPU_PADDED, CPU, "counting_ms")
    return f" On one core trees of any length save {savings_text(pairs)}." if pairs else ""


def judge_savings(pairs, claimed):
    """The word for savings at some points: claimed is {x: share of the time}; 0 or less: none."""
    told = [(pairs[x], share) for x, share in claimed.items() if x in pairs]
    if not told:
        return OPEN
    if any(saved < REACHED * share if share > 0 else saved >= 0.05 for saved, share in told):
        return FAILS
    return BETTER if all(saved >= EXCEEDED * share for saved, share in told if share > 0) else HOLDS


def figure_7(found):
    gap = missing(found, PADDED, ANY)
    if gap:
        return Verdict(gap.word, gap.cause, on_cpu(found).strip())
    pairs = dict(savings(found, PADDED, ANY, "counting_ms"))
    word = judge_savings(pairs, {1000: 0, 5000: 0.201, 10000: 0.161})
    fewer = ("A tree of any length has fewer words to add than one padded to a power of two: 157 instead of 256 at "
             "5,000 transactions, 313 instead of 512 at 10,000.")
    causes = {HOLDS: fewer, BETTER: fewer + " At 1,000 both are one warp.", OPEN: "",
              FAILS: fewer + " But at 1,000 transactions, 32 words, both are one warp here, and neither is slower; the "
                             "other two points agree with the paper."
              if pairs.get(5000, 0) >= REACHED * 0.201 and pairs.get(10000, 0) >= REACHED * 0.161 else
              "At these sizes a block takes as long to start as to count."}
    return Verdict(word, causes[word], f"Trees of any length save, of the time of padded ones: {savings_text(pairs.items())} "
                   f"(claimed: none at 1,000, 20.1% at 5,000, 16.1% at 10,000).{on_cpu(found)}")


def growth(found):
    gap = missing(found, ANY, CPU)
    if gap:
        return gap
    known = {system: [found.value(system, x, "counting_ms") for x in found.xs if number_is(x, (1000, 5000))]
             for system in (ANY, CPU)}
    if any(len(values) < 2 or None in values for values in known.values()):
        return Verdict(OPEN, "One of the two sizes was not measured.")
    gpu, cpu = (values[1] / values[0] for values in (known[ANY], known[CPU]))
    numbers = f"From 1,000 to 5,000 transactions: GPU {times(gpu)}, CPU {times(cpu)} (claimed 1.5 and 2)."
    return Verdict(OPEN, "Two sizes say nothing of growth, and the paper does not give its support: with ours, there are "
                   "fewer frequent sets at 5,000 transactions than at 1,000.", numbers)


def number_is(x, values):
    return float(x) in values


def figure_8(found):
    gap = missing(found, SQUARE, FOLDED)
    if gap:
        return gap
    pairs = dict(savings(found, SQUARE, FOLDED, "grid_ms"))
    if not pairs:
        return Verdict(OPEN, "The report has no time of the grid alone.")
    word = judge_savings(pairs, {1000: 0.38, 5000: 0.32, 10000: 0.253})
    kernels = "; ".join(f"{name_of(x)}: {square:.3g} and {dict(found.curve(FOLDED, 'grid_ms'))[x]:.3g} ms"
                        for x, square in found.curve(SQUARE, "grid_ms"))
    unions = savings(found, SQUARE_OR, FOLDED_OR, "grid_ms")
    more = f" With a thread instead of a block for each pair, and unions alone, it saves {savings_text(unions)}." if unions else ""
    idle = "More than half of the blocks of a square grid have no pair and end at once; starting them is what is saved."
    causes = {HOLDS: idle, BETTER: idle, OPEN: "", FAILS: idle + " At the larger sizes the blocks that have a pair take longer, and starting "
              "the others weighs less than in the paper."}
    return Verdict(word, causes[word], f"The folded grid saves {savings_text(pairs.items())} (claimed 38.0%, 32% and "
                   f"25.3%). Kernels, square and folded: {kernels}.{more}")


def gpu_against_cpu(found):
    gap = missing(found, ANY)
    if gap:
        return gap
    counting = dict(found.ratios(CPU, ANY, "counting_ms"))
    grid = dict(found.ratios(CPU_GRID, FOLDED, "grid_ms"))
    parts = [f"to count {times(ratio)} as long at {name_of(x)}" for x, ratio in counting.items()]
    parts += [f"for the grid {times(ratio)} as long at {name_of(x)}" for x, ratio in grid.items()]
    numbers = f"One core takes {'; '.join(parts)} (claimed at 100,000: 27 and 22)."
    told = [(found_at.get(100000), claimed) for found_at, claimed in ((counting, 27), (grid, 22))]
    if any(ratio is None for ratio, _ in told):
        return Verdict(OPEN, "100,000 transactions were not measured.", numbers)
    word = judge_factors(told)
    return Verdict(word, "The code on the CPU is the same in loops, one word at a time, as in the paper; the GPU has grown "
                   "faster than a core has." if word != FAILS else
                   "A core has become faster at loops over words by more than the GPU at this problem.", numbers)


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
    return Verdict(NO_CLAIM, "", f"{said[0].upper()}{said[1:]}.")
