"""PatternFeatures: features against their definition, and the manners of scikit-learn.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import io
import pickle
import random
import resource
import unittest
import warnings

import numpy as np

from support import SANITIZED, draw, needs, optional

if optional("sklearn") is None or optional("scipy") is None:
    raise unittest.SkipTest("scikit-learn is not installed")

from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import lode
from lode.sklearn import PatternFeatures

ROWS = draw(5, 80, 9, 0.4) + [[], [3]]
NAMED = [[f"item {i}" for i in row] for row in ROWS]
CELLS = np.array([[i in row for i in range(9)] for row in ROWS])
OTHERS = draw(6, 50, 12, 0.4)


def contained(patterns, rows):
    """The features by their definition."""
    return np.array([[set(one) <= set(row) for one in patterns] for row in rows], dtype=float)


@contextlib.contextmanager
def resource_limit(more):
    """Limits addresses to `more` bytes above those of now; there is no limit under ASan, which takes terabytes."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[0])
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


class Baskets(unittest.TestCase):
    def test_high_numbers(self):
        """Article numbers: what is allocated depends on how many there are, not on how high."""
        import tracemalloc
        for high in (10**8, 2**31 - 2, 2**31, 2**32 - 1, 2**40):
            rows = [[1, high], [1, high, 5], [5, high - 1]]
            tracemalloc.start()
            features = PatternFeatures(2, target="all")
            found = features.fit_transform(rows)
            with resource_limit(2 << 30):
                again = features.transform(rows + [[high - 1]])
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            self.assertEqual(sorted(features.patterns_), [(1,), (1, high), (5,), (high,)])
            self.assertEqual(found.toarray().tolist(), contained(features.patterns_, rows).tolist())
            self.assertEqual(again.toarray()[-1].tolist(), [0] * 4)
            self.assertLess(peak, 1 << 24)

    def test_features_are_what_they_say(self):
        for rows, others in ((ROWS, OTHERS), (NAMED, [[f"item {i}" for i in r] for r in OTHERS])):
            for target in ("all", "closed", "maximal", "generators"):
                for size in ({}, {"min_size": 2}, {"max_size": 4}):
                    features = PatternFeatures(0.05, target=target, **size)
                    found = features.fit_transform(rows)
                    self.assertIsInstance(found, sparse.csr_matrix)
                    self.assertGreater(len(features.patterns_), 5)
                    expected = contained(features.patterns_, rows)
                    np.testing.assert_array_equal(found.toarray(), expected)
                    np.testing.assert_array_equal(features.supports_, expected.sum(axis=0))
                    np.testing.assert_array_equal(features.transform(others).toarray(),
                                                  contained(features.patterns_, others))

    def test_matrices_are_the_same(self):
        expected = PatternFeatures(0.1).fit_transform(ROWS)
        kinds = [CELLS, CELLS.astype(float), sparse.csr_matrix(CELLS), sparse.csc_matrix(CELLS),
                 CELLS.astype(int) * 3]
        if optional("pandas") is not None:
            import pandas as pd
            kinds.append(pd.DataFrame(CELLS, columns=list("abcdefghi")))
        for kind in kinds:
            features = PatternFeatures(0.1)
            np.testing.assert_array_equal(features.fit_transform(kind).toarray(),
                                          expected.toarray())
            np.testing.assert_array_equal(features.transform(kind).toarray(), expected.toarray())
        self.assertEqual(features.get_feature_names_out()[0], features.patterns_[0][0])

    def test_whatever_yields_baskets(self):
        expected = PatternFeatures(0.1).fit_transform(ROWS).toarray()
        kinds = [tuple(ROWS), [set(row) for row in ROWS], (row for row in ROWS)]
        if optional("pandas") is not None:
            import pandas as pd
            kinds.append(pd.Series(ROWS))
        for kind in kinds:
            found = PatternFeatures(0.1).fit_transform(kind)
            np.testing.assert_array_equal(found.toarray(), expected)

    def test_max_features_are_the_most_frequent(self):
        every = PatternFeatures(0.05).fit(ROWS)
        some = PatternFeatures(0.05, max_features=7).fit(ROWS)
        self.assertEqual(sorted(some.supports_), sorted(every.supports_)[-7:])
        np.testing.assert_array_equal(some.transform(ROWS).toarray(),
                                      contained(some.patterns_, ROWS))

    def test_a_float_is_a_share_and_an_int_a_count(self):
        self.assertGreaterEqual(PatternFeatures(20).fit(ROWS).supports_.min(), 20)
        self.assertGreaterEqual(PatternFeatures(0.25).fit(ROWS).supports_.min(), len(ROWS) / 4)

    def test_type_of_the_matrix(self):
        for kind in (np.float32, np.uint8, bool):
            self.assertEqual(PatternFeatures(0.1, dtype=kind).fit_transform(ROWS).dtype, kind)


class Graphs(unittest.TestCase):
    def random_graphs(self, seed, count, directed=False):
        import networkx
        source = random.Random(seed)
        graphs = []
        for _ in range(count):
            graph = networkx.DiGraph() if directed else networkx.Graph()
            n = source.randint(1, 7)
            graph.add_nodes_from((i, {"label": source.choice("CCNO")}) for i in range(n))
            for a in range(n):
                for b in range(n):
                    if a != b and source.random() < 0.25:
                        graph.add_edge(a, b, label=source.choice("-="))
            graphs.append(graph)
        return graphs

    @needs("networkx")
    def test_transform_finds_what_the_miner_found(self):
        for seed in range(6):
            for directed in (False, True):
                graphs = self.random_graphs(seed, 25, directed)
                features = PatternFeatures(3, target="all", max_size=4)
                mined = features.fit_transform(graphs)
                self.assertGreater(mined.shape[1], 5)
                np.testing.assert_array_equal(features.transform(graphs).toarray(),
                                              mined.toarray())
                np.testing.assert_array_equal(features.supports_, mined.toarray().sum(axis=0))

    @needs("networkx")
    def test_other_graphs_by_networkx(self):
        from networkx.algorithms import isomorphism as iso
        import networkx
        graphs = self.random_graphs(50, 30)
        features = PatternFeatures(4, max_size=3).fit(graphs)
        found = lode.graphs(graphs).subgraphs(4, "closed", max_edges=3, min_edges=1)
        self.assertEqual(features.patterns_, [str(one) for one in found])
        others = self.random_graphs(51, 20)
        for graph in others[:3]:
            graph.add_node(99, label="Xe")
        same = {"node_match": iso.categorical_node_match("label", None),
                "edge_match": iso.categorical_edge_match("label", None)}
        expected = [[iso.GraphMatcher(graph, one.to_networkx(), **same).subgraph_is_monomorphic()
                     for one in found] for graph in others]
        np.testing.assert_array_equal(features.transform(others).toarray(),
                                      np.array(expected, dtype=float))
        with self.assertRaisesRegex(ValueError, "directed graphs, as in fit"):
            features.transform([networkx.DiGraph(graph) for graph in others])

    @needs("rdkit")
    @unittest.skipIf(SANITIZED, "RDKit throws C++ exceptions, which a preloaded ASan cannot pass on")
    def test_smiles_in_a_pipeline(self):
        acids = ["CC(=O)O", "CCC(=O)O", "CCCC(=O)O", "OC(=O)C(N)C"] * 3
        others = ["CCO", "CCCO", "CCN", "CCCC"] * 3
        model = make_pipeline(PatternFeatures(0.2, kind="graphs"), LogisticRegression())
        model.fit(acids + others, [1] * 12 + [0] * 12)
        self.assertEqual(model.predict(["CCCCC(=O)O", "CCCCO"]).tolist(), [1, 0])


class Manners(unittest.TestCase):
    def test_checks_of_scikit_learn(self):
        ran = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for estimator, check in check_estimator(PatternFeatures(kind="matrix"),
                                                    generate_only=True):
                with self.subTest(check=str(check)):
                    check(estimator)
                ran += 1
        self.assertGreater(ran, 20)

    def test_clone_and_pickle(self):
        features = PatternFeatures(0.1, max_size=3).fit(NAMED)
        again = pickle.loads(pickle.dumps(features))
        np.testing.assert_array_equal(again.transform(NAMED).toarray(),
                                      features.transform(NAMED).toarray())
        fresh = clone(features)
        self.assertEqual(fresh.get_params(), features.get_params())
        for call in (lambda: fresh.transform(NAMED), fresh.get_feature_names_out):
            with self.assertRaises(NotFittedError):
                call()

    @needs("joblib", "networkx")
    def test_pipelines_are_dumped(self):
        import joblib
        from test_graphs import some_graphs
        for samples in (NAMED, CELLS, some_graphs(30)):
            wanted = [i % 2 for i in range(len(samples))]
            model = make_pipeline(PatternFeatures(0.2), LogisticRegression()).fit(samples, wanted)
            file = io.BytesIO()
            joblib.dump(model, file)
            file.seek(0)
            again = joblib.load(file)
            np.testing.assert_array_equal(again.predict_proba(samples),
                                          model.predict_proba(samples))
            self.assertEqual(again[0].patterns_, model[0].patterns_)
            clone(again).fit(samples, wanted)

    def test_in_a_search_over_thresholds(self):
        wanted = [int({1, 2} <= set(row)) for row in ROWS]
        steps = make_pipeline(PatternFeatures(), SelectKBest(chi2, k=5),
                              LogisticRegression(C=100))
        search = GridSearchCV(steps, {"patternfeatures__min_support": [0.1, 0.3]}, cv=3)
        search.fit(ROWS, wanted)
        self.assertGreater(search.best_score_, 0.95)
        names = search.best_estimator_[:-1].get_feature_names_out()
        self.assertIn("1 & 2", names.tolist())

    def test_wrong_input(self):
        for wrong, text in ((["CCO", "CC"], "kind='graphs'"), ([3, 4], "basket 0 is 3"),
                            ([["a"], "b"], "basket 1 is 'b'"),
                            (np.array([[1.0, -1.0]]), "Negative values"),
                            (np.array([[np.nan, 1.0]]), "NaN")):
            with self.assertRaisesRegex(ValueError, text):
                PatternFeatures().fit(wrong)
        for wrong in (dict(kind="images"), dict(max_features=0)):
            with self.assertRaises(ValueError):
                PatternFeatures(**wrong).fit(ROWS)
        with self.assertRaisesRegex(ValueError, "9 features"):
            PatternFeatures().fit(CELLS).transform(CELLS[:, :4])

    def test_no_pattern_is_said(self):
        with self.assertWarnsRegex(UserWarning, "there are no features"):
            found = PatternFeatures(70).fit_transform(ROWS)
        self.assertEqual(found.shape, (len(ROWS), 0))


if __name__ == "__main__":
    unittest.main()
