"""Patterns that differ between groups, by brute force and in exact fractions: for tests/test_significance.py.

Written from the definitions (docs/groups.md). A set of rows is an integer with a bit for each row. A hypothesis is a
set of rows in which some pattern occurs (its extent), together with a group; patterns with equal extents are one
hypothesis. Two groups have one test, of the first one; of more groups, each is compared with all others.

SPDX-License-Identifier: Apache-2.0
"""
from fractions import Fraction as F
from functools import cache
from math import comb

ALTERNATIVES = ("two-sided", "greater", "less")


@cache
def fisher_row(total, group, support):
    """By the number of rows of the group in the extent: the p-value for each alternative."""
    low, high = max(0, support + group - total), min(support, group)
    weights = [comb(group, a) * comb(total - group, support - a) for a in range(low, high + 1)]
    every = sum(weights)
    return {low + i: {"two-sided": F(sum(v for v in weights if v <= w), every),
                      "greater": F(sum(weights[i:]), every), "less": F(sum(weights[:i + 1]), every)}
            for i, w in enumerate(weights)}


@cache
def least(total, group, support, alternative):
    """The smallest p-value that an extent of this size can have, whatever the labels are."""
    return min(p[alternative] for p in fisher_row(total, group, support).values())


@cache
def testable_from(total, group, p, alternative):
    """The lowest support from which on extents count as testable at p; as in LAMP, all above it do."""
    return next((x for x in range(1, total + 1) if least(total, group, x, alternative) <= p), total + 1)


def extents_of(transactions):
    """Maps each extent of a nonempty itemset to the closed set of its items."""
    items = sorted({i for t in transactions for i in t})
    rows = {i: sum(1 << k for k, t in enumerate(transactions) if i in t) for i in items}
    found = set()
    for i in items:
        found |= {rows[i]} | {e & rows[i] for e in found if e & rows[i]}
    return {e: tuple(i for i in items if rows[i] & e == e) for e in found}


class Groups:
    """Labels of rows, and p-values for them."""

    def __init__(self, labels, alternative="two-sided"):
        names = sorted(set(labels))
        self.total, self.alternative, self.names = len(labels), alternative, names
        self.tested = names[:1] if len(names) == 2 else names
        self.masks = {g: sum(1 << k for k, x in enumerate(labels) if x == g) for g in names}
        self.sizes = {g: m.bit_count() for g, m in self.masks.items()}

    def count(self, extent, group):
        return (extent & self.masks[group]).bit_count()

    def p(self, extent, group):
        row = fisher_row(self.total, self.sizes[group], extent.bit_count())
        return row[self.count(extent, group)][self.alternative]

    def p_of(self, extent):
        return min(self.p(extent, g) for g in self.tested)

    def minimum(self, extents):
        return min((self.p_of(e) for e in extents), default=F(1))


class Tarone:
    """The largest t that some support can reach, and for which the number of testable hypotheses, kappa, has
    kappa t <= alpha. A testable hypothesis is significant if its p-value times kappa is at most alpha; with several
    tests for each extent, the p-value must also be below all that hypotheses left out can reach."""

    def __init__(self, groups, extents, alpha):
        self.groups, self.alpha = groups, alpha
        for t in sorted({least(groups.total, groups.sizes[g], x, groups.alternative)
                         for g in groups.tested for x in range(1, groups.total + 1)}, reverse=True):
            self.first = {g: testable_from(groups.total, groups.sizes[g], t, groups.alternative)
                          for g in groups.tested}
            self.tests = [(e, g) for e in extents for g in groups.tested if e.bit_count() >= self.first[g]]
            self.kappa = len(self.tests)
            if self.kappa * t <= alpha:
                break
        self.below = min((min(least(groups.total, groups.sizes[g], x, groups.alternative) for x in range(self.first[g]))
                          for g in groups.tested if 0 < self.first[g] <= groups.total), default=F(2))

    def adjusted(self):
        """By extent: the adjusted p-value; only of significant ones."""
        found = {}
        for e, g in self.tests:
            p = self.groups.p(e, g)
            if p * self.kappa <= self.alpha and (p < self.below or len(self.groups.tested) == 1):
                found[e] = min(p * self.kappa, found.get(e, F(1)))
        return found

    def adjusted_fdr(self):
        """The same by Benjamini and Yekutieli, over the testable hypotheses."""
        n = self.kappa
        harmonic = sum((F(1, i) for i in range(1, n + 1)), F(0))
        ranked = sorted((self.groups.p(e, g), e) for e, g in self.tests)
        found, smallest = {}, F(1)
        for i in range(n, 0, -1):
            p, e = ranked[i - 1]
            smallest = min(smallest, p * n * harmonic / i)
            if smallest <= self.alpha:
                found[e] = min(smallest, found.get(e, smallest))
        return found


def westfall_young(groups, labelings, extents, alpha):
    """By extent: the adjusted p-value; only of significant ones."""
    minima = [Groups(labels, groups.alternative).minimum(extents) for labels in labelings]
    found = {}
    for e in extents:
        p = groups.p_of(e)
        adjusted = F(1 + sum(m <= p for m in minima), 1 + len(minima))
        if adjusted <= alpha:
            found[e] = adjusted
    return found


# ---- the random labels of lode: src/base/rng.h and src/groups/permutations.c ------------------------------------

WORD = (1 << 64) - 1


def mix(x):
    for _ in range(2):
        x = (x ^ x >> 32) * 0xd6e8feb86659fd93 & WORD
    return x ^ x >> 32


class Random:
    def __init__(self, seed, stream):
        a = mix(seed + 0x243f6a8885a308d3 & WORD)
        self.key = mix(stream * 0x9e3779b97f4a7c15 + a & WORD)
        self.tweak = mix(self.key ^ (a << 32 | a >> 32) & WORD ^ 0x13198a2e03707344)
        self.counter = 0

    def word(self):
        self.counter += 1
        return mix(mix((self.counter - 1) * 0x9e3779b97f4a7c15 + self.key & WORD) ^ self.tweak)

    def below(self, n):
        while True:
            product = self.word() * n
            if product & WORD >= (1 << 64) % n:
                return product >> 64


def random_bits(r, digits):
    """64 bits, each set with the probability digits / 256."""
    word = 0
    if digits:
        for k in range((digits & -digits).bit_length() - 1, 8):
            word = word | r.word() if digits >> k & 1 else word & r.word()
    return word


def choose(r, first, n, wanted):
    """A random set of `wanted` of the n bits from `first` on."""
    bits, at = 0, 0
    digits = min((wanted * 256 + n // 2) // n, 255)
    while at < n:
        room = min(64 - (first + at) % 64, n - at)
        bits |= (random_bits(r, digits) & (1 << room) - 1) << first + at
        at += room
    while bits.bit_count() != wanted:
        bit = 1 << first + r.below(n)
        if bool(bits & bit) == (bits.bit_count() > wanted):
            bits ^= bit
    return bits


def labelings(labels, n, seed, strata=None):
    """The labels of permutations 0 to n - 1."""
    strata = strata or [0] * len(labels)
    order = sorted(range(len(labels)), key=lambda i: strata[i])
    parts = [[i for i in order if strata[i] == s] for s in sorted(set(strata))]
    names = sorted(set(labels))
    for j in range(n):
        r, first, out = Random(seed, j), 0, [None] * len(labels)
        for rows in parts:
            mine = [labels[i] for i in rows]
            if len(names) == 2:
                bits = choose(r, first, len(rows), mine.count(names[0])) >> first
                mine = [names[0 if bits >> i & 1 else 1] for i in range(len(rows))]
            else:
                for k in range(len(rows), 1, -1):
                    other = r.below(k)
                    mine[other], mine[k - 1] = mine[k - 1], mine[other]
            for i, label in zip(rows, mine):
                out[i] = label
            first += len(rows)
        yield out
