"""Results: columns without a copy, selections, pandas, Arrow, pictures.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import gc
import pickle
import unittest
import xml.dom.minidom
from fractions import Fraction
from math import prod

import numpy as np

import lode
from lode import _lode
from support import LONG, SANITIZED, as_dict, draw, needs, optional

pandas = optional("pandas")
ROWS = draw(3, 60, 9, 0.4)
NAMED = [[f"n{i}" for i in row] for row in ROWS]


class Columns(unittest.TestCase):
    def test_no_copy(self):
        found = lode.Data(ROWS).itemsets(2)
        lent = found._result.columns()
        for name, array in (("supports", found.supports), ("offsets", found.offsets),
                            ("items", found.items)):
            view = np.frombuffer(lent[name], np.uint8)
            self.assertEqual(view.ctypes.data, array.ctypes.data, name)
            self.assertFalse(array.flags.writeable)
            self.assertFalse(array.flags.owndata)

    def test_they_outlive_everything(self):
        found = lode.Data(ROWS).itemsets(2)
        expected = found.supports.tolist(), found.items.tolist()
        supports, items = found.supports, found.items
        del found
        gc.collect()
        lode.Data(ROWS).itemsets(1)
        self.assertEqual((supports.tolist(), items.tolist()), expected)

    def test_millions(self):
        """20 items that two rows share: a million patterns; with LODE_LONG=1, ten millions."""
        n = 12 if SANITIZED else 23 if LONG else 20
        data = lode.Data([list(range(n))] * 2 + [list(range(2, n + 1))])
        found = data.itemsets(1)
        self.assertEqual(len(found), 2**n - 1 + 2**(n - 2))
        address = np.frombuffer(found._result.columns()["items"], np.uint8).ctypes.data
        self.assertEqual(address, found.items.ctypes.data)
        print(f"{len(found):,} patterns at {address:#x}, in numpy at {found.items.ctypes.data:#x}")
        if pandas is not None:
            frame = found.to_pandas(copy=False)
            self.assertTrue(np.shares_memory(frame["count"].to_numpy(), found.supports))
            self.assertTrue(np.shares_memory(frame["itemset"].array.items, found.items))
            self.assertEqual(frame["itemset"].iloc[-1], found[-1].items)

    def test_shape(self):
        found = lode.Data(ROWS).itemsets(2)
        self.assertEqual(found.offsets[0], 0)
        self.assertEqual(found.offsets[-1], len(found.items))
        self.assertEqual((found.supports.dtype, found.offsets.dtype, found.items.dtype),
                         (np.int64, np.int64, np.uint32))
        self.assertEqual(found.n, 60)
        self.assertTrue(np.array_equal(found.shares, found.supports / 60))


class Selections(unittest.TestCase):
    def setUp(self):
        self.found = lode.Data(NAMED).itemsets(2)
        self.all = list(self.found)

    def test_slices(self):
        for key in (slice(None), slice(3, 9), slice(-4, None), slice(9, 3), slice(2, 20, 3),
                    slice(None, None, -1), slice(10**9, None)):
            part = self.found[key]
            self.assertEqual(list(part), self.all[key], key)
            self.assertEqual(part.offsets[0], 0)
        self.assertTrue(np.shares_memory(self.found[3:9].items, self.found.items))

    def test_masks_and_numbers(self):
        mask = self.found.supports > 8
        self.assertEqual(list(self.found[mask]), [one for one in self.all if one.support > 8])
        self.assertEqual(list(self.found[[4, -1, 4]]), [self.all[4], self.all[-1], self.all[4]])
        self.assertEqual(len(self.found[np.zeros(len(self.found), bool)]), 0)
        self.assertEqual(len(self.found[[]]), 0)
        self.assertEqual(self.found[-2], self.all[-2])
        for wrong, error in ((10**9, IndexError), ([10**9], IndexError), ([True], IndexError),
                             (["a"], TypeError), (1.5, TypeError)):
            with self.assertRaises(error):
                self.found[wrong]

    def test_containing(self):
        self.assertEqual(list(self.found.containing("n1", "n3")), [
            one for one in self.all if {"n1", "n3"} <= set(one.items)])
        with self.assertRaises(lode.InvalidError):
            self.found.containing("no such item")

    def test_lists(self):
        self.assertEqual([tuple(one) for one in self.found.to_lists()],
                         [one.items for one in self.all])
        self.assertEqual(self.found.to_lists(names=False)[0], [0])
        self.assertEqual(self.found.by_support().supports.tolist(),
                         sorted(self.found.supports.tolist(), reverse=True))

    def test_measures(self):
        """Lift, leverage and allConfidence, to the last bit; also of selections and as bounds."""
        data = lode.Data(NAMED)
        found = data.itemsets(2)
        n, alone = found.n, {one.items[0]: one.support for one in found if len(one.items) == 1}
        for part in (found, found[5:20], found[::3], found.sort_by("lift"), found[:0]):
            for i, one in enumerate(part):
                each = [Fraction(alone[item], n) for item in one.items]
                share = Fraction(one.support, n)
                self.assertEqual(part["lift"][i], float(share / prod(each)))
                self.assertEqual(part["leverage"][i], float(share - prod(each)))
                self.assertEqual(part.measure("all_confidence")[i], float(share / max(each)))
        lifts = found.sort_by("lift")["lift"].tolist()
        self.assertEqual(lifts, sorted(found["lift"].tolist(), reverse=True))
        above = found.filter({"lift": 1.1, "size": 2})
        self.assertGreater(len(above), 3)
        self.assertTrue(above.equals(data.itemsets(2, min_size=2, minima={"lift": 1.1})))
        self.assertEqual(len(above), data.count(2, min_size=2, minima={"lift": 1.1}))
        self.assertEqual(len(found) - len(found.filter({"leverage": 0.01})),
                         len(found[found["leverage"] < 0.01]))
        with self.assertRaisesRegex(lode.InvalidError, "expected one of size, count, support, lift"):
            found["beauty"]
        with self.assertRaisesRegex(lode.InvalidError, "minima.*measure of rules"):
            data.itemsets(2, minima={"conviction": 1})
        with self.assertRaisesRegex(lode.InvalidError, "lode query"):
            pickle.loads(pickle.dumps(found))["lift"]
        with self.assertRaises(ValueError):
            _lode.itemset_measure("lift", np.array([0, 2]), np.array([1]), np.array([1]), 1)

    def test_what_notebooks_try(self):
        found = self.found
        self.assertEqual(list(found.head(3)), self.all[:3])
        self.assertEqual(list(found.tail(3)), self.all[-3:])
        self.assertEqual(list(found.tail(10**6)), self.all)
        drawn = list(found.sample(7, seed=1))
        self.assertEqual(drawn, list(found.sample(7, seed=1)))
        self.assertEqual(len(set(drawn) & set(self.all)), 7)
        self.assertEqual(list(found.filter({"count": 8, "size": 2}, {"support": 0.5})),
                         [one for one in self.all if 8 <= one.support <= 30
                          and len(one.items) >= 2])
        self.assertEqual(found["count"].tolist(), found.supports.tolist())
        self.assertEqual(found.sort_by("size").sizes.tolist(),
                         sorted(found.sizes.tolist(), reverse=True))
        self.assertEqual(found.sort_by("count", ascending=True)["count"].tolist(),
                         sorted(found["count"].tolist()))
        for i, one in enumerate(self.all):
            self.assertIn(one, found)
            self.assertEqual(found.index(set(one.items)), i)
        self.assertNotIn(("n1", "no such item"), found)
        self.assertNotIn(("n1",), found[:0])
        self.assertTrue(found and not found[:0])

    def test_sentences(self):
        for wrong, error, said in (
                (lambda: self.found["conviction"], lode.InvalidError, "expected one of size, count"),
                (lambda: self.found[10**9], IndexError, "there are"),
                (lambda: self.found["n1", "n3"], TypeError, "expected a number, a slice"),
                (lambda: "n1" in self.found, TypeError, r"such as \('milk',\)"),
                (lambda: self.found.index(["zz"]), ValueError, "not among these"),
                (lambda: self.found.groupby, AttributeError, "to_pandas"),
                (lambda: self.found.sample(10**9), lode.InvalidError, "expected 0 to"),
                (lambda: self.found.filter(5), lode.InvalidError, "expected a dict"),
                (lambda: self.found.filter({"size": "x"}), lode.InvalidError, "expected a number"),
                (lambda: self.found.filter({"x": 1}), lode.InvalidError, "'x' is not a column")):
            with self.assertRaisesRegex(error, said):
                wrong()


class Rules(unittest.TestCase):
    def setUp(self):
        self.rules = lode.Data(NAMED).rules(3, 0.3, max_rhs=2)
        self.all = list(self.rules)

    def test_measures_are_attributes(self):
        for name in ("support", "confidence", "lift", "conviction", "phi", "jaccard"):
            np.testing.assert_array_equal(getattr(self.rules, name), self.rules[name])
            self.assertEqual([getattr(rule, name) for rule in self.all[:9]],
                             self.rules[name][:9].tolist())
        rule = self.all[0]
        self.assertEqual(rule.confidence, rule.both / rule.body_count)
        self.assertEqual((rule.total, rule.measure("lift")), (60, rule.lift))
        self.assertIn("lift", dir(self.rules))
        self.assertNotIn("adjustedP", dir(self.rules))
        held = lode.Data(NAMED).rules(3, holdout=0.5)
        self.assertEqual(held[0].support, held["support"][0])
        for wrong, error, said in (
                (lambda: rule.lft, AttributeError, "lode.measures"),
                (lambda: self.rules.lft, AttributeError, "to_pandas"),
                (lambda: rule.adjustedP, lode.InvalidError, r"rules\['adjustedP'\]"),
                (lambda: "n1" in self.rules, TypeError, r"\(body, head\)"),
                (lambda: self.rules.containing("n1", side="left"), lode.InvalidError, "'body'"),
                (lambda: self.rules.index((["n1"], ["zz"])), ValueError, "not among")):
            with self.assertRaisesRegex(error, said):
                wrong()

    def test_selections(self):
        def having(side):
            return [rule for rule in self.all if {"n1", "n2"} <= set(
                {"body": rule.body, "head": rule.head}.get(side, rule.body + rule.head))]

        for side in (None, "body", "head"):
            self.assertEqual(list(self.rules.containing("n1", "n2", side=side)), having(side))
        self.assertGreater(len(having("head")), 0)
        self.assertEqual(list(self.rules.filter({"lift": 1.1}, {"confidence": 0.6})),
                         [rule for rule in self.all if rule.lift >= 1.1 and rule.confidence <= 0.6])
        self.assertEqual(list(self.rules.head(3)), self.all[:3])
        self.assertTrue(np.shares_memory(self.rules[3:9].items, self.rules.items))
        for i, rule in enumerate(self.all[::7]):
            self.assertIn(rule, self.rules)
            self.assertEqual(self.rules.index((rule.body[::-1], set(rule.head))), 7 * i)
            self.assertEqual(self.rules.index((rule.head, rule.body))
                             if (rule.head, rule.body) in self.rules else None,
                             next((k for k, other in enumerate(self.all) if
                                   (other.body, other.head) == (rule.head, rule.body)), None))


@needs("pandas")
class Pandas(unittest.TestCase):
    def setUp(self):
        self.found = lode.Data(NAMED).itemsets(3)
        self.frame = self.found.to_pandas()

    def test_columns(self):
        self.assertEqual(list(self.frame), ["itemset", "size", "count", "support"])
        self.assertEqual(str(self.frame["itemset"].dtype), "itemset")
        self.assertEqual(self.frame["itemset"].tolist(), [one.items for one in self.found])

    def test_operations(self):
        frame = self.frame
        best = frame[frame["size"] > 1].sort_values("count", ascending=False)
        self.assertEqual(best["count"].tolist(),
                         sorted(self.found[self.found.sizes > 1].supports.tolist(), reverse=True))
        self.assertEqual(len(pandas.concat([frame, frame])), 2 * len(frame))
        self.assertEqual(len(frame.head(2)), 2)
        self.assertEqual(frame.iloc[::-1]["itemset"].iloc[0], self.found[-1].items)
        one = self.found[-1]
        self.assertEqual(frame[frame["itemset"] == one.items]["count"].tolist(), [one.support])
        self.assertEqual(frame["itemset"].astype(object)[0], self.found[0].items)
        self.assertIn(", ".join(one.items), repr(frame))
        merged = frame.reset_index().merge(frame.reset_index(), on="index")
        self.assertEqual(merged["itemset_x"].tolist(), merged["itemset_y"].tolist())
        self.assertEqual(frame.copy()["itemset"].tolist(), frame["itemset"].tolist())
        self.assertTrue(pandas.isna(frame.reindex([0, 10**6])["itemset"].iloc[1]))
        other = lode.Data([["z"]]).itemsets(1).to_pandas()
        self.assertEqual(pandas.concat([frame, other])["itemset"].iloc[-1], ("z",))

    def test_rules(self):
        rules = lode.Data(NAMED).rules(3, 0.3, measures=["confidence", "phi"])
        frame = rules.to_pandas()
        self.assertEqual(list(frame), ["body", "head", "both", "body_count", "head_count",
                                       "confidence", "phi"])
        self.assertEqual(frame["body"].tolist(), [rule.body for rule in rules])
        self.assertEqual(frame["head"].tolist(), [rule.head for rule in rules])


# ---- Arrow: an independent reader, by ctypes and the specification alone --------------------------

class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
                   ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
                   ("dictionary", ctypes.POINTER(Schema)),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
                   ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
                  ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                  ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                  ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.POINTER(Array)),
                  ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
                  ("private_data", ctypes.c_void_p)]


class Stream(ctypes.Structure):
    _fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p,
                                                ctypes.POINTER(Schema))),
                ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p,
                                              ctypes.POINTER(Array))),
                ("get_last_error", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("private_data", ctypes.c_void_p)]


def pointer_of(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, b"arrow_array_stream")


def values(schema, array, first=0, n=None):
    """The values of an array as Python objects, as the specification says."""
    n = array.length if n is None else n
    first += array.offset
    if schema.dictionary:
        words = values(schema.dictionary.contents, array.dictionary.contents)
        kind = {b"i": ctypes.c_int32, b"I": ctypes.c_uint32}[schema.format]
        index = ctypes.cast(array.buffers[1], ctypes.POINTER(kind))
        return [words[index[first + i]] for i in range(n)]
    if schema.format == b"+L":
        ends = ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_int64))
        child = schema.children[0].contents, array.children[0].contents
        return [values(*child, ends[first + i], ends[first + i + 1] - ends[first + i])
                for i in range(n)]
    if schema.format == b"U":
        ends = ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_int64))
        return [ctypes.string_at(array.buffers[2] + ends[first + i],
                                 ends[first + i + 1] - ends[first + i]).decode() for i in range(n)]
    kind = {b"l": ctypes.c_int64, b"g": ctypes.c_double, b"I": ctypes.c_uint32}[schema.format]
    cells = ctypes.cast(array.buffers[1], ctypes.POINTER(kind))
    return [cells[first + i] for i in range(n)]


def read(source):
    """{column: values} of a stream, and the address of each column's values."""
    capsule = source.__arrow_c_stream__()
    stream = Stream.from_address(pointer_of(capsule))
    schema, again, array, end = Schema(), Schema(), Array(), Array()
    assert stream.get_schema(ctypes.addressof(stream), schema) == 0
    assert stream.get_schema(ctypes.addressof(stream), again) == 0
    again.release(again)
    assert stream.get_next(ctypes.addressof(stream), array) == 0
    assert stream.get_next(ctypes.addressof(stream), end) == 0 and not end.release
    assert schema.format == b"+s" and schema.n_children == array.n_children
    columns, addresses = {}, {}
    for i in range(schema.n_children):
        name = schema.children[i].contents.name.decode()
        child = array.children[i].contents
        assert child.length == array.length
        columns[name] = values(schema.children[i].contents, child)
        addresses[name] = child.buffers[1]
    schema.release(schema)
    array.release(array)
    return columns, addresses


class Lent:
    """Something that has nothing but the stream, like a table of another library."""

    def __init__(self, make):
        self.make = make

    def __arrow_c_stream__(self, requested_schema=None):
        return self.make()


class Arrow(unittest.TestCase):
    def test_itemsets(self):
        found = lode.Data(NAMED).itemsets(3)
        columns, addresses = read(found)
        self.assertEqual(columns["items"], found.to_lists())
        self.assertEqual(columns["count"], found.supports.tolist())
        self.assertEqual(addresses["items"], found.offsets.ctypes.data)
        self.assertEqual(addresses["count"], found.supports.ctypes.data)
        numbers = lode.Data(ROWS).itemsets(3)[2:9]
        self.assertEqual(read(numbers)[0]["items"], numbers.to_lists())
        self.assertEqual(read(lode.Data([]).itemsets(1))[0], {"items": [], "count": []})

    def test_rules(self):
        rules = lode.Data(NAMED).rules(3, 0.3)
        columns, _ = read(rules)
        self.assertEqual([tuple(body) for body in columns["body"]], [r.body for r in rules])
        self.assertEqual([tuple(head) for head in columns["head"]], [r.head for r in rules])
        self.assertEqual(columns["lift"], rules["lift"].tolist())

    def test_released_without_being_read(self):
        found = lode.Data(NAMED).itemsets(3)
        for _ in range(100):
            found.__arrow_c_stream__()

    def test_the_way_back(self):
        """A stream of lists is a data set."""
        data = lode.Data(NAMED).itemsets(3)
        back = lode.Data(Lent(data.__arrow_c_stream__))
        self.assertEqual([list(back[t]) for t in range(back.n)], data.to_lists())
        numbers = lode.Data(ROWS).itemsets(3)
        back = lode.Data(Lent(numbers.__arrow_c_stream__), item="items")
        self.assertEqual([list(back[t]) for t in range(back.n)], numbers.to_lists())
        with self.assertRaisesRegex(lode.InvalidError, "column of lists"):
            lode.Data(Lent(numbers.__arrow_c_stream__), item="count")
        with self.assertRaisesRegex(lode.InvalidError, "no such column"):
            lode.Data(Lent(numbers.__arrow_c_stream__), item="count", tid="nothing")

    def test_tables(self):
        tid = np.array([5, 5, 9, 7, 9, 5], np.int64)
        item = np.array([1, 2, 1, 3, 2, 1], np.uint32)
        columns = [("tid", "l", tid), ("item", "I", item)]
        data = lode.Data(Lent(lambda: _lode.arrow_stream(columns)), tid="tid", item="item")
        self.assertEqual([data[t] for t in range(data.n)], [(1, 2), (1, 2), (3,)])
        self.assertEqual(data.ids, [5, 9, 7])
        cells = [("a", "I", np.array([1, 0, 2], np.uint32)), ("b", "l", np.array([0, 0, 1]))]
        data = lode.Data(Lent(lambda: _lode.arrow_stream(cells)))
        self.assertEqual(([data[t] for t in range(data.n)], data.names),
                         ([("a",), (), ("a", "b")], ["a", "b"]))
        wrong = [("a", "l", np.array([1, -1]))]
        with self.assertRaisesRegex(lode.InvalidError, "row 1, column 'a' is -1"):
            lode.Data(Lent(lambda: _lode.arrow_stream(wrong)))

    def test_streams_of_others(self):
        """Arrays as other libraries make them: nulls, 32-bit offsets, bools, several batches."""
        from arrow_maker import make
        text = ("u", ["milk", "bread", "milk", "eggs"])
        table = make([{"order": ("i", [1, 1, 2, 3]), "product": text},
                      {"order": ("i", [3, 2]), "product": ("u", ["milk", "beer"])}])
        data = lode.Data(table, tid="order", item="product")
        self.assertEqual([data[t] for t in range(data.n)],
                         [("bread", "milk"), ("beer", "milk"), ("eggs", "milk")])
        bools = make([{"a": ("b", [True, False, True]), "b": ("b", [False, False, True])}])
        data = lode.Data(bools)
        self.assertEqual([data[t] for t in range(data.n)], [("a",), (), ("a", "b")])
        lists = make([{"basket": ("+l", [["x", "y"], [], ["y"]])},
                      {"basket": ("+l", [["z", "x"]])}])
        data = lode.Data(lists)
        self.assertEqual([data[t] for t in range(data.n)], [("x", "y"), (), ("y",), ("x", "z")])
        nulls = make([{"order": ("i", [1, None]), "product": ("u", ["a", "b"])}])
        with self.assertRaisesRegex(lode.InvalidError, "row 2: no transaction; expected its name or number$"):
            lode.Data(nulls, tid="order", item="product")
        with self.assertRaisesRegex(lode.InvalidError, "Arrow format 'vz'"):
            lode.Data(make([{"a": ("vz", [1, 2])}]))
        words = ["tea", "a name of more than twelve bytes", "tea", "another name that is long", "",
                 "a name of more than twelve bytes"]
        views = make([{"order": ("i", [1, 1, 2, 2, 3, 3]), "product": ("vu", words)}])
        data = lode.Data(views, tid="order", item="product")
        self.assertEqual([set(data[t]) for t in range(3)],
                         [set(words[i:i + 2]) - {""} for i in (0, 2, 4)])
        latin = make([{"basket": ("+l", [[b"caf\xe9"]])}])
        with self.assertRaisesRegex(lode.InvalidError, "not UTF-8"):
            lode.Data(latin)

    def long(self, tid, item, weights=None, **more):
        """The data of a table of two columns and perhaps more."""
        from arrow_maker import make
        return lode.Data(make([{"t": tid, "i": item, **more}]), tid="t", item="i", weights=weights)

    def refused(self, words, *args, **keywords):
        with self.assertRaisesRegex(lode.InvalidError, words):
            self.long(*args, **keywords)

    def test_dictionaries(self):
        """Entries that no row uses, as a filter leaves them, are no transactions and no items."""
        words = ["w", "x", "y", "z"]
        data = self.long(("d", ([3, 3, 1], words)), ("d", ([2, 0, 2], words)))
        self.assertEqual((data.n, data.ids, data.names), (2, ["z", "x"], ["w", "y"]))
        self.assertEqual([data[0], data[1]], [("w", "y"), ("y",)])
        for wrong in (4, -1):
            self.refused("column 't'.* has an index outside its dictionary", ("d", ([3, wrong], words)), ("u", ["a", "b"]))

    def test_columns_of_one_name(self):
        from arrow_maker import make
        twice = [("a", ("b", [True, False])), ("a", ("b", [False, True]))]
        for how in ({}, {"tid": "a", "item": "a"}):
            with self.assertRaisesRegex(lode.InvalidError, "'a'.* an earlier item already has|several columns"):
                lode.Data(make([twice]), **how)

    def test_dates(self):
        days = ("tdD", [19000, 19000, 19001])
        text = ("u", ["a", "b", "a"])
        self.assertEqual(self.long(days, text).ids, ["2022-01-08", "2022-01-09"])
        self.assertEqual(self.long(text, days).names, ["2022-01-08", "2022-01-09"])
        for format, value, shown in (("tsm:", 1641600000123, "2022-01-08T00:00:00.123"),
                                     ("tss:UTC", -1, "1969-12-31T23:59:59Z"),
                                     ("tsn:", 1, "1970-01-01T00:00:00.000000001"),
                                     ("tdm", 86400000, "1970-01-02")):
            self.assertEqual(self.long((format, [value]), ("u", ["a"])).ids, [shown])
        self.refused("row 1: no transaction", ("tss:", [-2**63]), ("u", ["a"]))
        for format in ("tts", "ttn", "tDs", "tiM", "tiD"):
            self.refused(f"'t' has the Arrow type .*{format}", (format, [1]), ("u", ["a"]))

    def test_numbers(self):
        text = ("u", ["a", "b"])
        self.refused("row 2: no transaction", ("g", [1.5, float("nan")]), text)
        self.assertEqual(self.long(text, ("g", [2.5, 1.5])).names, [1.5, 2.5])

    def test_arrays_that_lie(self):
        """What a stream says of its arrays is checked as far as it can be."""
        from arrow_maker import make

        def refused(words, change):
            table = make([{"t": ("i", [1, 2]), "i": ("u", ["ab", "c"])}])
            column = table.column

            def changed(format, values):
                made = column(format, values)
                if format == "u":
                    change(made, table)
                return made
            table.column = changed
            with self.assertRaisesRegex(lode.InvalidError, words):
                lode.Data(table, tid="t", item="i")

        def offsets(*numbers):
            def change(made, table):
                made.buffers[1] = ctypes.addressof(table.keep((ctypes.c_int32 * 3)(*numbers)))
            return change

        def without_buffer(made, table):
            made.buffers[1] = None

        refused("offsets", offsets(0, 9, 3))
        refused("offsets", offsets(-5, 2, 3))
        refused("offsets", offsets(0, 3, 1))
        refused("an array without the buffers", without_buffer)
        refused("an array whose length", lambda made, table: setattr(made, "length", -1))
        refused("an array whose length", lambda made, table: setattr(made, "offset", -1))
        refused("an array without the buffers", lambda made, table: setattr(made, "n_buffers", 1))

    def test_onehot_arrays_that_lie(self):
        from arrow_maker import make
        for change in ({"length": -1}, {"offset": -1}, {"n_buffers": 1}, {"n_children": 1}):
            table = make([{"a": ("b", [True, False])}])
            column = table.column

            def changed(format, values):
                made = column(format, values)
                for name, value in change.items():
                    setattr(made, name, value)
                return made
            table.column = changed
            with self.assertRaisesRegex(lode.InvalidError, "an array that does not match"):
                lode.Data(table)

    def test_nulls_and_parts_of_seconds(self):
        """They mean in Python what they mean in files."""
        from arrow_maker import make
        data = self.long(("i", [1, 1, 2]), ("i", [7, None, 8]))
        self.assertEqual([data[t] for t in range(data.n)], [(7,), (8,)])
        data = self.long(("tsm:", [250, 250, 1000]), ("u", ["a", "b", "c"]))
        self.assertEqual(data.ids, ["1970-01-01T00:00:00.25", "1970-01-01T00:00:01"])
        data = self.long(("i", [1, 2]), ("l", [-5, 2**40]))
        self.assertEqual(data.names, [-5, 2**40])
        table = make([{"graph": ("i", [1, 1, 2]), "from": ("i", [1, 2, 1]), "to": ("i", [2, 3, 2]),
                       "label": ("u", ["x", "y", "x"])}])
        self.assertEqual(lode.graphs(table).subgraphs(2).supports.tolist(), [2])
        weighed = lode.Data(make([{"b": ("+l", [["x"], ["y"]])}]), weights=[2, 3])
        self.assertEqual((weighed.total, [weighed[t] for t in range(2)]), (5, [("x",), ("y",)]))

    def test_weights(self):
        data = self.long(("i", [7, 7, 8]), ("u", ["a", "b", "a"]), "w", w=("l", [5, 5, 6]))
        self.assertEqual((data.total, as_dict(data.itemsets(1))[("a",)]), (11, 11))
        self.refused("row 2: weight 6 of '7', which had weight 5", ("i", [7, 7]), ("u", ["a", "b"]), "w", w=("l", [5, 6]))
        self.refused("weights='x': there is no such column", ("i", [7]), ("u", ["a"]), "x")


class Pictures(unittest.TestCase):
    def check_html(self, html):
        xml.dom.minidom.parseString("<div>" + html.replace("<br>", "<br/>") + "</div>")

    def test_html(self):
        data = lode.Data([["<b>", "a&b"], ["<b>"], ["a&b", "c"]])
        self.check_html(data.itemsets(1)._repr_html_())
        self.assertIn("&lt;b&gt;", data.itemsets(1)._repr_html_())
        self.check_html(data.rules(1, 0.1)._repr_html_())
        self.check_html(lode.Data([]).itemsets(1)._repr_html_())
        partial = data.itemsets(1, limit_patterns=2)
        self.check_html(partial._repr_html_())
        self.assertIn("ended early", partial._repr_html_())
        self.assertIn("incomplete", repr(partial))

    def test_many(self):
        found = lode.Data(NAMED).itemsets(1)
        self.check_html(found._repr_html_())
        self.assertIn(f"and {len(found) - 20:,} more itemsets", found._repr_html_())

    def test_small_things(self):
        self.assertEqual(repr(lode.Data([[1]]).itemsets(1)), "<1 itemsets of 1 transactions>")
        self.assertEqual(as_dict(lode.Data([[1, 2]]).itemsets(1)), {(1,): 1, (2,): 1, (1, 2): 1})
        error = pickle.loads(pickle.dumps(lode.InvalidError("x")))
        self.assertIsInstance(error, lode.InvalidError)
        self.assertEqual(lode.InvalidError.__module__, "lode")
        self.assertTrue(lode.__version__)
        self.assertIn("confidence", [m["name"] for m in lode.measures()])


if __name__ == "__main__":
    unittest.main()
