"""lode: fast mining of frequent itemsets, association rules and subgraphs.

    import lode

    data = lode.Data(frame, tid="InvoiceNo", item="Description")
    data.itemsets(0.01).show()
    data.rules(0.01, 0.5, sort_by="lift").to_pandas()

`lode.Data` accepts files, lists, DataFrames and matrices; its methods find itemsets and rules, and
suggest thresholds. `lode.graphs` does the same for graphs and molecules. The guide is
docs/python.md.

SPDX-License-Identifier: Apache-2.0
"""
import sys as _sys

if _sys.version_info < (3, 11):
    raise ImportError("lode needs Python 3.11 or newer; this is Python "
                      f"{_sys.version_info[0]}.{_sys.version_info[1]}")

from ._data import Data, Point, Suggestion
from ._errors import (BudgetError, DeviceError, Error, FileError, InternalError, InvalidError,
                      LodeWarning, NotFoundError, OutOfMemoryError, ParseError, UnsupportedError)
from ._files import load
from ._graphs import Graphs, graphs
from ._itemsets import Count, Itemset, Itemsets
from ._lode import build as build_info
from ._progress import Progress
from ._rules import Rule, Rules, measures
from ._subgraphs import Subgraph, Subgraphs

__version__: str = build_info()["version"]

__all__ = ["BudgetError", "Count", "Data", "DeviceError", "Error", "FileError", "Graphs",
           "InternalError", "InvalidError", "Itemset", "Itemsets", "LodeWarning", "NotFoundError",
           "OutOfMemoryError", "ParseError", "Point", "Progress", "Rule", "Rules", "Subgraph",
           "Subgraphs", "Suggestion", "UnsupportedError", "build_info", "graphs", "load", "measures"]

for _name in __all__:  # messages and pickles show the public names
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "lode"
del _name
