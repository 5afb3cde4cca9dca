#!/usr/bin/env python3
"""Every measure against exact fractions (tests/measure_oracle.py), by the public functions.

All tables of two rows and two columns with up to 8 transactions, so that every cell and every margin is
zero somewhere, and random larger ones; p-values against exact sums, and against sums of 60 digits where
there are 10^9 transactions and more.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes as c
import math
import os
import random
import unittest
from decimal import Decimal
from fractions import Fraction as F

import library
import measure_oracle as oracle
from binding import Sized
from measure_oracle import EXACT, NEAR, P, Table

SMALL = 8
LARGEST = 1 << 62


class Counts(c.Structure):
    _fields_ = [("both", c.c_uint64), ("body", c.c_uint64), ("head", c.c_uint64), ("total", c.c_uint64)]


class Rule(Sized):
    _fields_ = [("size", c.c_size_t), ("body", c.c_void_p), ("head", c.c_void_p), ("n_body", c.c_uint32),
                ("n_head", c.c_uint32), ("counts", Counts), ("held_out", Counts), ("best_confidence", c.c_double),
                ("best_lift", c.c_double), ("adjusted_p", c.c_double)]


class Measure(Sized):
    _fields_ = [("size", c.c_size_t), ("name", c.c_char_p), ("aliases", c.c_char_p), ("formula", c.c_char_p),
                ("help", c.c_char_p), ("singular", c.c_char_p), ("least", c.c_double), ("most", c.c_double),
                ("neutral", c.c_double), ("better", c.c_int), ("needs", c.c_int)]


lode = c.CDLL(str(library.find(os.environ.get("LODE_BIN"))))
lode.lode_measure_at.argtypes = [c.c_size_t, c.POINTER(Measure)]
lode.lode_measure_at.restype = c.c_bool
lode.lode_measure_find.argtypes = [c.c_char_p, c.POINTER(c.c_size_t)]
lode.lode_measure_find.restype = c.c_bool
lode.lode_measure_value.argtypes = [c.c_size_t, c.POINTER(Rule)]
lode.lode_measure_value.restype = c.c_double
lode.lode_measure_interval.argtypes = [c.c_int, c.POINTER(Counts), c.c_double, c.POINTER(c.c_double),
                                       c.POINTER(c.c_double)]
lode.lode_measure_interval.restype = c.c_bool


def measures():
    """All rows, in their order."""
    rows = []
    while True:
        row = Measure()
        if not lode.lode_measure_at(len(rows), c.byref(row)):
            return rows
        rows.append(row)


ROWS = measures()
NUMBER = {row.name.decode(): i for i, row in enumerate(ROWS)}
NEEDS_COUNTS = 0


def value(name, table):
    """What the library says."""
    rule = Rule(counts=Counts(table.n11, table.n1x, table.nx1, table.n))
    return lode.lode_measure_value(NUMBER[name], c.byref(rule))


def small_tables(largest):
    for n in range(1, largest + 1):
        for n1x in range(n + 1):
            for nx1 in range(n + 1):
                for n11 in range(max(0, n1x + nx1 - n), min(n1x, nx1) + 1):
                    yield Table(n11, n1x, nx1, n)


def random_table(rng, largest):
    """Of any size up to the largest, often with small or equal counts."""
    n = rng.randint(2, int(math.exp(rng.uniform(1, math.log(largest)))) + 2)
    near = rng.choice((0, 1, 3, 20, n))
    n1x = min(n, rng.randint(1, min(n, 1 + near)) if rng.random() < 0.4 else rng.randint(1, n))
    nx1 = min(n, n1x + rng.randint(0, min(n - n1x, near))) if rng.random() < 0.4 else rng.randint(1, n)
    low, high = max(0, n1x + nx1 - n), min(n1x, nx1)
    expected = n1x * nx1 // n
    n11 = rng.choice((low, high, rng.randint(low, high), expected, max(low, min(high, expected + rng.randint(-3, 30)))))
    return Table(max(low, min(high, n11)), n1x, nx1, n)


def off(got, want):
    """The relative error; 0 where both are the same, also where they are infinite or no numbers."""
    if isinstance(want, float):
        same = got == want or (math.isnan(got) and math.isnan(want))
        return 0 if same else math.inf
    if math.isnan(got) or math.isinf(got):
        return math.inf
    want = oracle.dec(want if isinstance(want, (F, Decimal)) else F(want))
    return abs(Decimal(got) - want) / abs(want) if want else (0 if abs(got) < 1e-15 else math.inf)


class Values(unittest.TestCase):
    def compare(self, name, table, want, most):
        got = value(name, table)
        wrong = off(got, want)
        where = f"{name} of {table.n11, table.n1x, table.nx1, table.n}: {got!r}, not {want}"
        if most == 0 and not isinstance(want, float):
            want = float(F(want))
            self.assertTrue(got == want, where)
        elif wrong > most:
            small = not isinstance(want, float) and abs(oracle.dec(F(want))) < Decimal(10) ** -45
            self.assertTrue(small and abs(got) < 1e-14, where)
        row = ROWS[NUMBER[name]]
        if not math.isnan(got):
            self.assertGreaterEqual(got, row.least - 1e-15, where)
            self.assertLessEqual(got, row.most + 1e-15, where)

    def check(self, table, p_values=True):
        for name, of in EXACT.items():
            if name != "hyperLift" or p_values:
                self.compare(name, table, of(table), 0)
        for name, of in NEAR.items():
            self.compare(name, table, of(table), 1e-13)
        for name, of in P.items() if p_values else ():
            self.compare(name, table, of(table), 1e-11)

    def test_all_are_known(self):
        counted = [row.name.decode() for row in ROWS if row.needs == NEEDS_COUNTS]
        self.assertEqual(sorted(counted), sorted([*EXACT, *NEAR, *P]))

    def test_small_tables(self):
        for table in small_tables(SMALL):
            self.check(table)

    def test_no_transactions(self):
        for name in [*EXACT, *NEAR, *P]:
            got = value(name, Table(0, 0, 0, 0))
            self.assertTrue(got == 0 if name in ("count", "n10", "n01", "n00") else math.isnan(got), name)

    def test_random_tables(self):
        rng = random.Random(1)
        for _ in range(120):
            self.check(random_table(rng, 60))
        for largest in (10 ** 4, 10 ** 6, 10 ** 9, 10 ** 13, LARGEST):
            for _ in range(60):
                self.check(random_table(rng, largest), p_values=False)

    def test_no_table(self):
        for counts in ((2, 1, 2, 4), (2, 2, 1, 4), (0, 3, 3, 5), (1, 6, 1, 5), (1, 1, 6, 5), (1, 1, 1, LARGEST + 1)):
            rule = Rule(counts=Counts(*counts))
            self.assertTrue(all(math.isnan(lode.lode_measure_value(i, c.byref(rule))) for i in range(len(ROWS))))

    def test_neutral(self):
        for row in ROWS:
            if row.needs == NEEDS_COUNTS and not math.isnan(row.neutral):
                for table in (Table(2, 4, 10, 20), Table(30, 50, 60, 100), Table(1, 10, 10, 100)):
                    self.assertAlmostEqual(value(row.name.decode(), table), row.neutral, 12, row.name)


class Exact(unittest.TestCase):
    """p-values where the sums are long."""

    def assert_p(self, table, names=("fisher", "hyperConfidence", "minusLog10P", "fisherTwoSided")):
        for name in names:
            want = P[name](table)
            if want and oracle.dec(F(want)) < Decimal("1e-300"):
                continue        # too small for all digits of a number, or for any
            got = value(name, table)
            self.assertLess(off(got, want), 1e-11, f"{name} of {table.n11, table.n1x, table.nx1, table.n}: {got!r}")

    def test_sums(self):
        rng = random.Random(2)
        for largest, times in ((100, 150), (400, 60), (1500, 15)):
            for _ in range(times):
                self.assert_p(random_table(rng, largest))

    def test_tails(self):
        """Every count that margins allow."""
        for n, n1x, nx1 in ((60, 20, 30), (101, 50, 51), (40, 39, 3), (500, 20, 400)):
            for n11 in range(max(0, n1x + nx1 - n), min(n1x, nx1) + 1):
                self.assert_p(Table(n11, n1x, nx1, n))


def log_factorial(x):
    """Decimal, by Stirling's series; what is small is brought up first."""
    x, less = Decimal(x), Decimal(1)
    while x < 60:
        x += 1
        less *= x
    series = ((1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156), (-3617, 122400),
              (43867, 244188), (-174611, 125400))
    rest = sum(Decimal(a) / b / x ** (2 * k + 1) for k, (a, b) in enumerate(series))
    two_pi = Decimal("6.2831853071795864769252867665590057683943387987502116419498891846")
    return x * x.ln() - x + (two_pi * x).ln() / 2 + rest - less.ln()


def long_tail(table):
    """log P(N11 >= n11) by a sum of 60 digits, for counts above the mean."""
    t = table
    log_first = (sum(map(log_factorial, (t.n1x, t.n0x, t.nx1, t.nx0))) -
                 sum(map(log_factorial, (t.n, t.n11, t.n10, t.n01, t.n00))))
    scale = 10 ** 40
    a, b, more, rest = t.n10, t.n01, t.n11 + 1, t.n00 + 1
    term = total = scale
    while term > 0 and a > 0 and b > 0:      # integers, with 40 digits behind the point
        term = term * (a * b) // (more * rest)
        total += term
        a, b, more, rest = a - 1, b - 1, more + 1, rest + 1
        if term * 10 ** 22 < total:
            break
    return log_first + (Decimal(total) / scale).ln()


class Large(unittest.TestCase):
    def assert_log_p(self, table):
        want = long_tail(table)
        where = f"{table.n11, table.n1x, table.nx1, table.n}"
        got = value("minusLog10P", table)
        self.assertLess(off(got, -want / Decimal(10).ln()), 1e-12, where)
        if want > -700:
            self.assertLess(off(value("fisher", table), want.exp()), 1e-10, where)

    def above(self, n, n1x, nx1, deviations):
        spread = math.sqrt(n1x * nx1 / n * ((n - n1x) / n) * ((n - nx1) / n))
        return Table(min(n1x, nx1, n1x * nx1 // n + 1 + int(deviations * spread)), n1x, nx1, n)

    def test_large_totals(self):
        for n, n1x, nx1 in ((10 ** 9, 10 ** 4, 10 ** 8), (10 ** 9, 3 * 10 ** 5, 10 ** 9 // 3),
                            (3 * 10 ** 9 + 7, 10 ** 6 + 1, 10 ** 9), (10 ** 12, 10 ** 7, 10 ** 8),
                            (10 ** 15, 10 ** 9, 10 ** 9), (10 ** 7, 5 * 10 ** 6, 5 * 10 ** 6)):
            for deviations in (0, 3, 30, 300):
                self.assert_log_p(self.above(n, n1x, nx1, deviations))

    def test_where_the_integral_begins(self):
        """The same sum, by terms and as an integral, on either side of where one takes over."""
        for spread in (400, 455, 460, 600, 2000):
            n = 4 * spread * spread * 4
            for deviations in (0, 0.5, 2, 6, 10):
                self.assert_log_p(self.above(n, n // 2, n // 2, deviations))

    def test_all_of_it(self):
        """The largest totals there are: what lies on both sides is all there is."""
        n = LARGEST
        for n1x, nx1 in ((n // 2, n // 2), (n // 3, n // 7), (10 ** 6, n // 2), (n // 2 + 12345, 10 ** 12)):
            table = self.above(n, n1x, nx1, 1)
            p = value("fisher", table)
            self.assertAlmostEqual(p + value("hyperConfidence", table), 1, 11)
            self.assertAlmostEqual(p, 0.5 * math.erfc(1 / math.sqrt(2)), 3 if min(n1x, nx1) < 10 ** 7 else 6)
            mirrored = Table(table.n10 + 1, n1x, n - nx1, n)
            self.assertAlmostEqual(value("fisher", mirrored), 1 - p, 11)

    def test_below_the_least_double(self):
        table = Table(10 ** 5, 10 ** 5, 10 ** 5, 10 ** 6)
        self.assertEqual(value("fisher", table), 0)
        self.assertLess(off(value("minusLog10P", table), -long_tail(table) / Decimal(10).ln()), 1e-13)


class Rules(unittest.TestCase):
    """What needs more than the counts."""

    def of(self, name, **fields):
        rule = Rule(counts=Counts(3, 4, 5, 10), best_confidence=math.nan, best_lift=math.nan, adjusted_p=math.nan)
        for field, given in fields.items():
            setattr(rule, field, given)
        return lode.lode_measure_value(NUMBER[name], c.byref(rule))

    def test_general(self):
        self.assertEqual(self.of("improvement", best_confidence=0.5), 0.25)
        self.assertEqual(self.of("boost", best_confidence=0.5), 1.5)
        self.assertEqual(self.of("LIC", best_lift=1.0), 1.5)
        self.assertEqual(self.of("LIC", best_lift=0.0), math.inf)
        self.assertEqual(self.of("adjustedP", adjusted_p=0.25), 0.25)

    def test_held_out(self):
        part = Counts(1, 2, 2, 8)
        table = Table(1, 2, 2, 8)
        for name, want in (("heldOutCount", 1), ("heldOutSupport", 1 / 8), ("heldOutConfidence", 1 / 2),
                           ("heldOutLift", 2), ("heldOutP", value("fisher", table))):
            self.assertEqual(self.of(name, held_out=part), want)

    def test_not_there(self):
        for row in ROWS:
            if row.needs != NEEDS_COUNTS:
                self.assertTrue(math.isnan(self.of(row.name.decode())), row.name)


class Names(unittest.TestCase):
    ARULES = """support confidence lift count addedValue boost casualConfidence casualSupport centeredConfidence
        certainty chiSquared collectiveStrength confirmedConfidence conviction cosine counterexample coverage doc
        fishersExactTest gini hyperConfidence hyperLift imbalance implicationIndex importance improvement jaccard
        jMeasure kappa kulczynski lambda laplace leastContradiction lerman leverage LIC maxconfidence
        mutualInformation oddsRatio phi ralambondrainy relativeRisk rhsSupport RLD rulePowerFactor sebag stdLift
        table.n11 table.n01 table.n10 table.n00 varyingLiaison yuleQ yuleY""".split()
    MLXTEND = ["antecedent support", "consequent support", "support", "confidence", "lift", "representativity",
               "leverage", "conviction", "zhangs_metric", "jaccard", "certainty", "kulczynski"]
    BORGELT = ["-e" + letter for letter in "ocdlaqverkjznpytigfhm"]

    def number(self, name):
        i = c.c_size_t()
        self.assertTrue(lode.lode_measure_find(name.encode(), c.byref(i)), name)
        return i.value

    def test_other_programs(self):
        self.assertEqual(len(self.ARULES) - 3, 51)      # the table is one name there
        for name in [*self.ARULES, *self.MLXTEND, *self.BORGELT, "strength"]:
            self.number(name)

    def test_names_are_unique(self):
        seen = {}
        for i, row in enumerate(ROWS):
            for name in [row.name.decode(), *row.aliases.decode().split()]:
                key = "".join(x for x in name.lower() if x not in "_-. ")
                self.assertNotIn(key, seen, name)
                seen[key] = i
                for form in (name, name.upper(), " " + name + "-", "_".join(name)):
                    self.assertEqual(self.number(form), i)

    def test_no_name(self):
        for name in ("", "-", "lif", "liftt", "lift x", "tables", "n 1"):
            i = c.c_size_t(77)
            self.assertFalse(lode.lode_measure_find(name.encode(), c.byref(i)), name)
            self.assertEqual(i.value, 77)

    def test_rows_are_complete(self):
        for row in ROWS:
            self.assertTrue(row.formula and row.help and row.singular, row.name)
            self.assertLessEqual(row.least, row.most)
            self.assertIn(row.better, (-1, 0, 1))


if __name__ == "__main__":
    unittest.main()
