"""What the papers claim, and what was measured: the tables of docs/papers.md and docs/gpu.md.

Each claim is a method that compares the systems in question on the CPU (`claims-*`) or on a GPU
(`gpu-claims-*`) and says in words what came out, whichever way that is.

SPDX-License-Identifier: Apache-2.0
"""
from measured import table, times, whole

# The names under which a case may have the time of the grid's kernel alone.
KERNEL = ("kernel", "grid_seconds", "grid", "seconds")


def span(values, form="{:.2f}"):
    """From the least to the largest, or one number if they read the same."""
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


def listed(pairs):
    return ", ".join(f"{name} {value}" for name, value in pairs)


class Papers:
    span = staticmethod(span)

    def __init__(self, results):
        self.of = results.newest
        self.has = results.has

    def ratios(self, case, measure, over, under):
        """{row: how many times as much}, where both were measured."""
        found = self.of(case)
        return {row: found.ratio(row, measure, over, under) for row in found.rows()
                if found.has(row, over, measure) and found.has(row, under, measure)
                and found.number(row, under, measure)}

    def bitmaps(self, case):
        """Candidates by bit rows (`pbi`) against the trie (`tbi`)."""
        ratios = self.ratios(case, "candidate", "pbi", "tbi")
        dense, sparse = ratios["chess 60%"], ratios["retail 0.1%"]
        words = {(True, True): "faster on both", (True, False): "as claimed", (False, True): "the other way round",
                 (False, False): "slower on both"}[dense < 1, sparse < 1]
        return f"{words}: `pbi` / `tbi` chess 60% {dense:.2g}, retail 0.1% {sparse:.2g}"

    def class_bytes(self, case):
        ratios = self.ratios(case, "bytes", "gpapriori", "eqclass")
        return "bytes of the lists, `gpapriori` / `eqclass`: " + listed(
            (row, f"{value:.2f}") for row, value in ratios.items())

    def class_counting(self, case):
        """Counting from level 3 on, by class against by list."""
        found = self.of(case)
        ratios = self.ratios(case, "counting_3", "eqclass", "gpapriori")
        faster = [row for row, value in ratios.items() if value < 0.95]
        slower = [row for row, value in ratios.items() if value > 1.05]
        words = ("faster everywhere" if not slower and len(faster) == len(ratios) else
                 "nowhere faster" if not faster else
                 f"faster in {len(faster)} of {len(ratios)}")
        text = f"{words}; levels 3 and above, `eqclass` / `gpapriori`: " + listed(
            (row, times(value)) for row, value in ratios.items())
        tiny = [row for row in slower if found.number(row, "eqclass", "counting_3") < 0.01]
        if tiny:
            spans = [span([1000 * found.number(row, name, "counting_3") for row in tiny], "{:.1f}")
                     for name in ("gpapriori", "eqclass")]
            text += (f". Where it is slower by much, both take next to nothing: {spans[0]} ms against "
                     f"{spans[1]}")
        return text

    def grid(self, case):
        """The folded grid against the square one: what they start, their kernels, and all of making
        candidates."""
        found = self.of(case)
        what = "blocks" if found.has(found.rows()[0], "folded", "blocks") else "work_items"
        started = self.ratios(case, what, "folded", "square")
        parts = [f"{span(started.values())} of the {what.replace('_', ' ')}"]
        kernel = next((name for name in KERNEL
                       if all(found.has(row, "folded", name) for row in found.rows())), None)
        if kernel:
            parts.append("ms of the grid alone, square and folded: " + listed(
                (f"{whole(row.split()[1])} transactions",
                 " and ".join(f"{1000 * found.number(row, name, kernel):.3g}"
                              for name in ("square", "folded")))
                for row in found.rows()))
            ratios = self.ratios(case, kernel, "folded", "square")
            parts.append(f"folded / square {span(ratios.values())}")
        ratios = self.ratios(case, "candidate", "folded", "square")
        parts.append(f"all of making candidates, de-duplication on the host included: {span(ratios.values())}")
        return "; ".join(parts)

    def trees(self, case):
        """Trees over any length against the next power of two."""
        ratios = self.ratios(case, "counting", "any", "pow2")
        found = self.of(case)
        idle = sum(found.number(row, "any", "idle") for row in found.rows())
        return (f"{whole(idle)} idle additions; time of counting, any / power of two, by transactions: "
                + listed((row.split()[1], f"{value:.2f}") for row, value in ratios.items()))

    def popcounts(self, case):
        """A table of 16 bits, shifts, and whatever else there is, against the instruction."""
        found = self.of(case)
        names = [name for name in found.commands() if name != "native"]
        return "; ".join(f"`{name}` " + span(self.ratios(case, "counting", name, "native").values())
                         for name in names) + " of the time of the instruction"

    def grid_rows(self, case):
        """A row for the grid whose kernel intersects rows as well, where that was measured."""
        return [["the same, where the grid intersects rows as well", self.grid(case)]] \
            if self.has(case) else []

    def cpu_claims(self):
        return table(["claim", "measured"], [
            ["2014: classes take 1.5–2x less memory than lists", self.class_bytes("claims-classes")],
            ["2014: and count faster", self.class_counting("claims-classes")],
            ["2009: bit rows of itemsets beat the trie in candidate generation on chess, and lose on "
             "sparse data", self.bitmaps("claims-bitmaps")],
            ["the folded grid starts N(N-1)/2 work items, the square one N²", self.grid("claims-grid")],
            *self.grid_rows("claims-grid-rows"),
            ["trees over any length do no padded work, and are faster", self.trees("claims-reduce")],
            ["counting bits by table or by shifts", self.popcounts("claims-popcount")],
        ], left=2)

    def gpu_claims(self):
        return table(["claim", "measured"], [
            ["`pbi` makes candidates faster than `tbi`'s trie on chess, slower on sparse data",
             self.bitmaps("gpu-claims-bitmaps")],
            ["classes take less memory than lists", self.class_bytes("gpu-claims-classes")],
            ["and count faster", self.class_counting("gpu-claims-classes")],
            ["the folded grid is 25–38% faster than the square one", self.grid("gpu-claims-grid")],
            *self.grid_rows("gpu-claims-grid-rows"),
            ["trees over any length are 16–20% faster at 5,000 to 10,000 transactions, slower at 1,000",
             self.trees("gpu-claims-reduce")],
            ["a table of 16 bits counts bits well (`gpu-apriori`, 1,000 to 10,000 transactions)",
             self.popcounts("gpu-claims-popcount")],
            ["the same in the kernel of `tbi`", self.popcounts("gpu-claims-table")],
        ], left=2)
