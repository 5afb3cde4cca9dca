"""The boundary of Python under fire: random sources, arguments, streams and buffers.

Nothing may crash, and what is raised must be meant for the caller. What small data say is held against
brute force. LODE_FUZZ_SECONDS (of CPU time) makes it longer, LODE_FUZZ_SEED gives it other seeds; under
ASan it finds what is read or written out of bounds. Each round has a seed of its own, which is shown
when it fails.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import math
import os
import pickle
import random
import time
import unittest
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np

import lode
from lode import _lode
from support import as_dict, brute, optional

pandas, sparse, networkx = optional("pandas"), optional("scipy.sparse"), optional("networkx")
SECONDS = float(os.environ.get("LODE_FUZZ_SECONDS", "1"))
SEED = int(os.environ.get("LODE_FUZZ_SEED", "1"))
MEANT = (ValueError, TypeError, MemoryError, NotImplementedError, OverflowError, IndexError, KeyError,
         lode.Error)
ODD = [None, True, -1, 0, 1, 2**31, 2**32, 2**64, 0.5, 1.0, 1e-300, math.nan, math.inf, "", "a", "1%", "[",
       "\x00", "a\nb", "\ud800", b"x", [], ["a"], [["a"]], {}, Decimal("NaN"), Fraction(1, 3), 1j, ...]


class Fuzz(unittest.TestCase):
    def rounds(self, one):
        """Calls one(source of chance) again and again, each time with a seed of its own."""
        end, seed, done = time.process_time() + SECONDS, SEED << 32, 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            while time.process_time() < end or done < 20:
                try:
                    one(random.Random(seed))
                except MEANT as error:
                    self.assertNotIsInstance(error, (lode.InternalError, SystemError))
                except BaseException as error:
                    error.add_note(f"seed {seed}")
                    raise
                seed, done = seed + 1, done + 1
        print(f"{self.id().rsplit('.', 1)[-1]}: {done:,} rounds")

    # ---- Sources and arguments ------------------------------------------------------------------

    def rows(self, chance):
        n_items = chance.randint(1, 7)
        share = chance.random()
        return [[i for i in range(n_items) if chance.random() < share]
                for _ in range(chance.randint(0, 20))]

    def source(self, chance, rows):
        """The same rows in some form, and keywords for it."""
        cells = np.array([[i in row for i in range(7)] for row in rows], bool).reshape(-1, 7)
        forms = [(rows, {}), ([set(row) for row in rows], {}), (dict(enumerate(rows)), {}),
                 ((tuple(row) for row in rows), {}), (cells, {}), (np.asfortranarray(cells), {}),
                 (cells[::-1, ::-1][::-1, ::-1], {}), (cells.astype(chance.choice("bBhHiIlLfd")), {}),
                 (cells.astype(object), {})]
        if sparse is not None:
            kind = chance.choice([sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix])
            forms.append((kind(cells), {}))
        if pandas is not None:
            frame = pandas.DataFrame(cells, columns=range(7))
            forms += [(frame, {}), (frame.astype(pandas.SparseDtype(bool, False)), {}),
                      (frame.astype(chance.choice(["boolean", "Int64", "float32", object])), {})]
        return chance.choice(forms)

    def arguments(self, chance, names):
        """Keywords for a search, sensible and not."""
        group = lambda: chance.choice([chance.choice(names), names[:2], [names[:2], names[1]], "*", "n?",
                                       chance.choice(ODD)])
        some = {"min_support": lambda: chance.choice([1, 2, 0.3, chance.random(), "10%", Fraction(1, 3)]),
                "target": lambda: chance.choice(["all", "closed", "maximal", "generators", "top:3"]),
                "min_size": lambda: chance.randint(0, 3), "max_size": lambda: chance.randint(1, 4),
                "include": group, "exclude": group, "max_support": lambda: chance.choice([3, 0.5]),
                "limit_patterns": lambda: chance.randint(1, 9), "threads": lambda: chance.randint(0, 3),
                "memory": lambda: chance.choice(["64M", "1G", 10**6]),
                "algorithm": lambda: chance.choice(["adaptive", "frontier", "brute", "eqclass"])}
        more = {name: some[name]() for name in chance.sample(list(some), chance.randint(0, 5))}
        if chance.random() < 0.2:
            more[chance.choice(list(some))] = chance.choice(ODD)
        return {"min_support": 1, **more}

    def test_data(self):
        def one(chance):
            rows = self.rows(chance)
            source, how = self.source(chance, rows)
            weights = [chance.randint(1, 3) for _ in rows] if chance.random() < 0.3 else None
            if weights and pandas is not None and chance.random() < 0.3:
                how = {**how, "weights": pandas.Series(weights)}
            elif weights:
                how = {**how, "weights": weights}
            if chance.random() < 0.1:
                how[chance.choice(["tid", "item", "names", "weights", "memory"])] = chance.choice(ODD)
                return lode.Data(source, **how)
            data = lode.Data(source, **how)
            self.assertEqual(data.n, len(rows))
            if chance.random() < 0.3:
                data = pickle.loads(pickle.dumps(data))
            least = chance.randint(1, 4)
            self.assertEqual(as_dict(data.itemsets(least)), brute(rows, least, weights))
            return None
        self.rounds(one)

    def test_searches(self):
        def one(chance):
            rows = [[f"n{i}" for i in row] for row in self.rows(chance)]
            data = lode.Data(rows)
            how = self.arguments(chance, data.names or ["n1"])
            if chance.random() < 0.5:
                found = data.itemsets(**how)
                self.assertEqual(data.count(**how), len(found))
            else:
                how = {name: value for name, value in how.items()
                       if name not in ("target", "max_support", "algorithm")}
                for name in chance.sample(["lhs", "rhs", "must_lhs", "exclude_rhs"], chance.randint(0, 2)):
                    how[name] = chance.choice(data.names or ["n1"])
                more = {"min_confidence": chance.random(), "max_rhs": chance.choice([None, 1, 2]),
                        "minima": {chance.choice(["lift", "fisher", "leverage"]): chance.random()},
                        "measures": ["lift", "improvement"], "holdout": 0.4, "adjust": "holm"}
                how.update((name, more[name]) for name in chance.sample(list(more), chance.randint(0, 4)))
                found = data.rules(**how)
            self.use(chance, found)
        self.rounds(one)

    def use(self, chance, found):
        """Everything that can be asked of a result."""
        n = len(found)
        part = chance.choice([found, found[::2], found[:3], found.head(2), found.tail(2),
                              found[np.arange(n) % 2 == 0], pickle.loads(pickle.dumps(found))])
        list(part)
        repr(part)
        part._repr_html_()
        if n and chance.random() < 0.5:
            part.sort_by(chance.choice(["support", "count", "lift", "nothing"]))
        part.filter({chance.choice(["support", "size", "lift"]): chance.random()})
        if pandas is not None:
            part.to_pandas()

    # ---- Streams and buffers, which may lie -----------------------------------------------------

    def test_arrow(self):
        from arrow_maker import make

        def column(chance, n):
            format = chance.choice(["i", "l", "g", "b", "u", "vu", "+l", "d", "tdD", "tsm:", "tts", "vz"])
            words = lambda k: ["".join(chance.choices("abé", k=chance.randint(0, 15))) for _ in range(k)]
            if format in ("u", "vu"):
                return format, words(n)
            if format == "+l":
                return format, [words(chance.randint(0, 3)) for _ in range(n)]
            if format == "d":
                entries = words(chance.randint(1, 4))
                wild = chance.random() < 0.1
                return format, ([chance.randint(-2, 9) if wild else chance.randrange(len(entries))
                                 for _ in range(n)], entries)
            return format, [chance.choice([0, 1, 2, 5]) for _ in range(n)]

        def one(chance):
            n = chance.randint(0, 6)
            batch = [(chance.choice("tiab"), column(chance, n)) for _ in range(chance.randint(1, 3))]
            table = make([batch])
            if chance.random() < 0.5:
                self.break_arrays(chance, table)
            how = chance.choice([{}, {"tid": "t", "item": "i"}, {"item": "a"},
                                 {"tid": "t", "item": "i", "weights": "a"}, {"weights": "b"}])
            lode.Data(table, **how).itemsets(1, max_size=2)
        self.rounds(one)

    def break_arrays(self, chance, table):
        """Makes lengths, offsets and buffers of the arrays lie. What no reader can check is left: a
        buffer that is shorter than its array says."""
        column = table.column

        def broken(format, values):
            made = column(format, values)
            where = chance.choice(["length", "offset", "n_buffers", "n_children", "null_count", "offsets",
                                   "buffer"])
            if where == "offsets" and format in ("u", "+l"):
                numbers = [chance.randint(-9, 9) for _ in range(made.length + 1)]
                numbers[-1] = min(numbers[-1], len(values))
                made.buffers[1] = ctypes.addressof(table.keep(
                    (ctypes.c_int32 * len(numbers))(*numbers)))
            elif where == "buffer":
                made.buffers[1] = None
            elif where in ("n_buffers", "n_children"):
                setattr(made, where, chance.choice([-1, 0, 1]))
            elif where in ("length", "offset"):
                setattr(made, where, chance.choice([-1, -2**63]))
            return made
        table.column = broken

    def numbers(self, chance, kinds="uint32 uint64 int32 int64 float64 uint8"):
        kind = chance.choice(kinds.split())
        low = 0 if kind.startswith("u") else -2
        values = [chance.choice([low, 0, 1, 2, 3, 7]) for _ in range(chance.randint(0, 6))]
        if chance.random() < 0.6:
            values.sort()
        if chance.random() < 0.5:
            values[:1] = [0] * bool(values)
        return np.array(values, kind)

    def test_functions(self):
        """The functions of the module, with buffers of the right types and any content."""
        def offsets(chance):
            return self.numbers(chance, "uint64 int64")

        def items(chance):
            return self.numbers(chance, "uint32 int32")

        def any_of(chance):
            return chance.choice([self.numbers(chance), chance.choice(ODD)])

        def one(chance):
            objects = np.empty(chance.randint(0, 4), object)
            index = _lode.SetIndex(np.generic)
            sets = [chance.sample(range(9), chance.randint(0, 4)) for _ in range(3)]
            calls = [
                lambda: _lode.from_arrays(offsets(chance), items(chance), chance.choice([None, items(
                    chance)]), [], None, 0),
                lambda: _lode.from_bits(offsets(chance), chance.choice([0, 1, 3, 2**58, 2**63]),
                                        chance.choice([0, 1, 64, 65, 2**32 - 1]), None, [], None, 0),
                lambda: _lode.group(offsets(chance), items(chance), chance.randint(0, 9)),
                lambda: _lode.onehot(np.ones((chance.randint(0, 70), chance.randint(0, 70)), np.uint8)),
                lambda: _lode.encode(chance.choice([sets, [any_of(chance)], any_of(chance)]), False),
                lambda: _lode.sort_rows(offsets(chance), items(chance), offsets(chance)),
                lambda: _lode.match_sets(offsets(chance), items(chance), offsets(chance), offsets(chance),
                                         items(chance), chance.choice([-1, 0, 7, 2**31 - 1])),
                lambda: _lode.match_graphs(tuple(self.numbers(chance, "int64" if i in (0, 2) else "int32")
                                                 for i in range(6)),
                                           tuple(self.numbers(chance, "int64" if i in (0, 2) else "int32")
                                                 for i in range(6)), chance.random() < 0.5),
                lambda: _lode.fill_frozensets(objects, offsets(chance), items(chance), offsets(chance),
                                              ["a", [], 1][:chance.randint(0, 3)]),
                lambda: _lode.measure(chance.choice(["lift", "fisher", "chi2", "x"]), {
                    name: np.array([chance.choice([0, 1, 2, 9, 2**63])] * 2, np.uint64)
                    for name in ("both", "body", "head")}, chance.choice([0, 1, 9, 2**64 - 1])),
                lambda: _lode.graphs_from_arrays({
                    "vertex_offsets": offsets(chance), "vertex_labels": items(chance),
                    "edge_offsets": offsets(chance), "from": items(chance), "to": items(chance),
                    "edge_labels": items(chance)}, chance.random() < 0.5, [], None),
                lambda: (index.extend(sets, np.empty(3, np.int32)), index.rules(
                    chance.randint(-1, 3), chance.randint(-1, 4), items(chance), items(chance),
                    items(chance)), index.complete(chance.randint(-1, 4)), index.needed(
                        chance.randint(-1, 4))),
                lambda: _lode.arrow_stream([("a", chance.choice(["l", "g", "I", "+L", "x"]), any_of(chance),
                                             any_of(chance), None)]),
            ]
            chance.choice(calls)()
        self.rounds(one)

    # ---- The other interfaces -------------------------------------------------------------------

    @unittest.skipIf(pandas is None or sparse is None, "pandas and scipy are not installed")
    def test_mlxtend(self):
        import lode.mlxtend as ours

        def one(chance):
            rows = self.rows(chance)
            frame = pandas.DataFrame([[i in row for i in range(5)] for row in rows], columns=list("abcde"))
            kind = chance.choice([bool, int, float, "Int64", object, pandas.SparseDtype(bool, False)])
            frame = frame.astype(kind)
            null = chance.random() < 0.2
            if null and kind is float and len(frame):
                frame.iloc[0, 0] = np.nan
            mine = chance.choice([ours.apriori, ours.fpgrowth, ours.fpmax, ours.hmine])
            more = {"null_values": True} if null and mine in (ours.fpgrowth, ours.fpmax) else {}
            sets = mine(frame, chance.choice([0.1, 0.5, chance.random(), *ODD[:8]]),
                        use_colnames=chance.random() < 0.5, max_len=chance.choice([None, 1, 3, -1]), **more)
            if chance.random() < 0.3:
                sets = sets.sample(frac=0.7, random_state=1)
            ours.association_rules(sets, len(frame), frame if more else None, bool(more),
                                   chance.choice(["confidence", "lift", "certainty", "x"]),
                                   chance.choice([0.0, 0.3, 1.0]), chance.random() < 0.2)
        self.rounds(one)

    @unittest.skipIf(networkx is None, "networkx is not installed")
    def test_graphs(self):
        def one(chance):
            graphs = []
            for _ in range(chance.randint(0, 4)):
                graph = chance.choice([networkx.Graph, networkx.DiGraph])()
                for v in range(chance.randint(0, 5)):
                    graph.add_node(v, label=chance.choice(["a", "b", 1]))
                for _ in range(chance.randint(0, 6)):
                    graph.add_edge(chance.randint(0, 4), chance.randint(0, 4), label=chance.choice("xy"))
                graphs.append(graph)
            found = lode.graphs(graphs).subgraphs(
                chance.choice([1, 2, 0.5]), chance.choice(["all", "closed", "maximal"]), max_edges=3,
                supporters=chance.random() < 0.5, embeddings=chance.random() < 0.2)
            self.use(chance, found)
        self.rounds(one)


if __name__ == "__main__":
    unittest.main()
