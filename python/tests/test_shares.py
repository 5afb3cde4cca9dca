"""Shares that were computed, such as 7 / 11: every interface finds what is at the threshold.

A float admits a count c of n exactly when c / n, as Python divides, is at least as large. Texts,
Decimals and Fractions are exact.

SPDX-License-Identifier: Apache-2.0
"""
import decimal
import fractions
import math
import random
import unittest

import lode
import numpy as np
from support import needs, optional

SHARES = [(k, n) for n in (3, 7, 11, 13, 17, 19, 22, 28, 41, 49, 61, 93, 103) for k in range(1, n)]


def steps(n, total=None):
    """Transactions in which item c, for c from 1 to n, is in c of n; more are empty."""
    rows = [list(range(t + 1, n + 1)) for t in range(n)]
    return rows + [[] for _ in range((total or n) - n)]


def pairs(k, n):
    """Transactions with the rule a → b of the confidence k / n, and c → b just below it."""
    return [["a", "b"]] * k + [["a"]] * (n - k) + [["c", "b"]] * (k - 1) + [["c"]] * (n - k + 1)


def bodies(rules):
    return sorted({rule.body[0] for rule in rules if rule.head == ("b",)})


class Supports(unittest.TestCase):
    def test_there_are_enough(self):
        self.assertGreater(len(SHARES), 400)

    def test_minimum(self):
        for k, n in SHARES:
            found = lode.Data(steps(n)).itemsets(k / n, max_size=1)
            self.assertEqual(found.min_count, k, (k, n))
            self.assertEqual(min(found.supports), k, (k, n))

    def test_maximum(self):
        for k, n in SHARES:
            found = lode.Data(steps(n)).itemsets(1, max_size=1, max_support=k / n)
            self.assertEqual(max(found.supports), k, (k, n))

    def test_what_a_result_shows(self):
        for k, n in SHARES:
            data = lode.Data(steps(n))
            found = data.itemsets(1, max_size=1)
            share = found["support"][found.index([k])]
            self.assertEqual(data.itemsets(share, max_size=1).min_count, k, (k, n))

    def test_count_and_weights(self):
        for k, n in SHARES:
            data = lode.Data([[1], [2]], weights=[k, n - k])
            self.assertEqual(data.count(k / n), 1 + (n - k >= k), (k, n))

    def test_against_division(self):
        source = random.Random(5)
        for _ in range(300):
            n = source.randint(1, 300)
            share = source.choice((source.random(), source.randint(1, n) / n,
                                   round(source.random(), 2)))
            share = source.choice((share, math.nextafter(share, 0), math.nextafter(share, 1)))
            if share <= 0:
                continue
            least = next(c for c in range(1, n + 1) if c / n >= share)
            data = lode.Data([[t] for t in range(n)])
            self.assertEqual(data.itemsets(share).min_count, least, (share, n))

    def test_narrow_floats(self):
        for k, n in SHARES:
            data = lode.Data(steps(n))
            for kind in (np.float64, np.float32):
                share = kind(k) / kind(n)
                self.assertEqual(data.itemsets(share, max_size=1).min_count, k, (k, n, kind))

    def test_exact_shares(self):
        for k, n in ((7, 11), (2, 3), (9, 13), (41, 61)):
            data = lode.Data(steps(n))
            exact = fractions.Fraction(k, n)
            above = [exact + fractions.Fraction(1, 10**17), decimal.Decimal(k) / n + decimal.Decimal(
                "1e-17"), str(round(decimal.Decimal(k) / n + decimal.Decimal("1e-15"), 15))]
            self.assertEqual(data.itemsets(exact, max_size=1).min_count, k)
            for share in above:
                self.assertEqual(data.itemsets(share, max_size=1).min_count, k + 1, share)
            found = data.itemsets(1, max_size=1, max_support=exact)
            self.assertEqual(max(found.supports), k)
            found = data.itemsets(1, max_size=1, max_support=exact - fractions.Fraction(1, 10**17))
            self.assertEqual(max(found.supports), k - 1)

    @needs("networkx")
    def test_graphs(self):
        networkx = optional("networkx")
        for k, n in SHARES[::7]:
            graphs = []
            for t in range(n):
                graph = networkx.Graph()
                graph.add_node(0, label="a")
                graph.add_node(1, label="b" if t < k else "c")
                graph.add_edge(0, 1, label="-")
                graphs.append(graph)
            found = lode.graphs(graphs).subgraphs(k / n)
            self.assertEqual(found.min_count, k, (k, n))

    @needs("pandas", "scipy")
    def test_drop_in(self):
        import pandas as pd
        import lode.mlxtend as ours
        for k, n in SHARES:
            frame = pd.DataFrame(np.tri(n, dtype=bool)[::-1][:, ::-1].copy())
            for mine in (ours.apriori, ours.fpgrowth, ours.hmine):
                found = mine(frame, k / n, max_len=1)
                self.assertEqual(round(min(found["support"]) * n), k, (k, n, mine))

    @needs("sklearn")
    def test_features(self):
        from lode.sklearn import PatternFeatures
        for k, n in SHARES[::5]:
            features = PatternFeatures(k / n, max_size=1, target="all").fit(steps(n))
            self.assertEqual(min(features.supports_), k, (k, n))


class Confidences(unittest.TestCase):
    def test_argument(self):
        for k, n in SHARES:
            data = lode.Data(pairs(k, n))
            self.assertEqual(bodies(data.rules(1, k / n)), ["a"], (k, n))
            self.assertEqual(bodies(data.rules(1, np.float32(k) / np.float32(n))), ["a"], (k, n))
            self.assertEqual(bodies(data.rules(1, math.nextafter(k / n, 1))), [], (k, n))

    def test_minima(self):
        for k, n in SHARES:
            data = lode.Data(pairs(k, n))
            for bounds in ({"confidence": k / n}, {"confidence": fractions.Fraction(k, n)}):
                self.assertEqual(bodies(data.rules(1, minima=bounds)), ["a"], (k, n))
            self.assertEqual(bodies(data.rules(1).filter({"confidence": k / n})), ["a"], (k, n))
            for name, share in (("confidence", k / n), ("support", k / (2 * n))):
                above = {name: math.nextafter(share, 1)}
                self.assertEqual(bodies(data.rules(1, minima=above)), [], (k, n, name))
                below = {name: math.nextafter(share, 0)}
                self.assertEqual(bodies(data.rules(1, maxima=below)), ["c"] if k > 1 else [], (k, n))

    def test_support_of_rules(self):
        for k, n in SHARES:
            data = lode.Data(pairs(k, n))
            self.assertEqual(bodies(data.rules(k / (2 * n))), ["a"], (k, n))
            self.assertEqual(bodies(data.rules(1, minima={"support": k / (2 * n)})), ["a"], (k, n))

    def test_held_out(self):
        for k, n in SHARES[::9]:
            data = lode.Data(pairs(k, n) * 9)
            for share in (k / n, k / (4 * n), 0.1):
                rules = data.rules(share, holdout=0.5, seed=3)
                rest = data.n - int(data.rules(1, holdout=0.5, seed=3)._columns["held_out"][0, 3])
                least = next(c for c in range(1, rest + 1) if c / rest >= share)
                self.assertEqual(rules.min_count, least, (k, n, share))

    def test_general_rules(self):
        for k, n in SHARES[::3]:
            data = lode.Data(pairs(k, n))
            found = data.rules(1, k / n, measures=["improvement"], max_rhs=None)
            self.assertEqual(bodies(found), ["a"], (k, n))

    def test_many_transactions(self):
        for n in (10**6 + 3, 10**9 + 7, 4 * 10**9):
            for k in (n // 3, n // 7 * 5, n - 1):
                data = lode.Data([["a", "b"], ["a"]], weights=[k, n - k])
                self.assertEqual(bodies(data.rules(1, k / n)), ["a"], (k, n))
                above = math.nextafter(k / n, 1)
                self.assertEqual(bodies(data.rules(1, above)), [], (k, n))
                self.assertEqual(bodies(data.rules(1, minima={"confidence": k / n})), ["a"], (k, n))
                self.assertEqual(bodies(data.rules(1, minima={"confidence": above})), [], (k, n))
                self.assertEqual(data.itemsets(k / n).min_count, min(
                    c for c in range(k - 2, k + 3) if c / n >= k / n), (k, n))

    def test_suggestion(self):
        for k, n in SHARES[::11]:
            data = lode.Data(pairs(k, n))
            exact = data.suggest(target="rules", min_confidence=fractions.Fraction(k, n))
            self.assertEqual(data.suggest(target="rules", min_confidence=k / n).points,
                             exact.points, (k, n))

    @needs("pandas", "scipy")
    def test_drop_in(self):
        import pandas as pd
        import lode.mlxtend as ours
        for k, n in SHARES:
            rows = [[name in row for name in "abc"] for row in pairs(k, n) + [[]] * 5]
            sets = ours.apriori(pd.DataFrame(rows, columns=list("abc")), 1e-9, use_colnames=True)
            for total in (1, len(rows)):
                rules = ours.association_rules(sets, total, min_threshold=k / n)
                found = {tuple(body)[0] for body, head in zip(
                    rules["antecedents"], rules["consequents"]) if head == {"b"}}
                self.assertEqual(found, {"a"}, (k, n, total))


class Others(unittest.TestCase):
    """Other arguments that are floats, of any digits: levels, parts, times."""

    def setUp(self):
        source = random.Random(1)
        rows = [[i for i in range(8) if source.random() < 0.4] for _ in range(150)]
        rows = [sorted({*row, *(b for a, b in ((1, 2), (3, 4), (5, 6)) if a in row and t % 2)})
                for t, row in enumerate(rows)]
        self.data = lode.Data(rows)

    def test_levels(self):
        found = self.data.rules(9, adjust="bh", max_size=2)
        levels = [p for p in found["adjustedP"].tolist() if 0 < p < 1]
        self.assertGreater(len(levels), 10)
        for level in (*levels, 0.05 / 13, 1e-9, 1e-20):
            kept = self.data.rules(9, significant=level, adjust="bh", max_size=2)
            self.assertEqual(len(kept), (found["adjustedP"] <= level).sum(), level)

    def test_parts(self):
        for share in (1 / 3, 0.5 / 13, 0.05000000000000001):
            self.assertEqual(self.data.rules(9, holdout=share).n, 150)

    def test_times(self):
        for seconds in (1e-5, 1 / 3, 0.05 / 13, 12345.678901234567):
            self.data.itemsets(60, limit_time=seconds)


if __name__ == "__main__":
    unittest.main()
