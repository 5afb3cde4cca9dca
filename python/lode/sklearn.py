"""A scikit-learn transformer: frequent patterns as features.

PatternFeatures finds patterns of baskets, one-hot data or graphs, and returns a sparse matrix with
one column per pattern: 1 if the sample contains it. Use it like a vectorizer:

>>> from sklearn.linear_model import LogisticRegression
>>> from sklearn.pipeline import make_pipeline
>>> baskets = [["bread", "milk"], ["bread", "beer"], ["milk"], ["bread", "milk", "beer"]] * 5
>>> again = [0, 1, 0, 1] * 5
>>> model = make_pipeline(PatternFeatures(min_support=0.25), LogisticRegression())
>>> model.fit(baskets, again).predict([["beer", "bread"], ["milk"]]).tolist()
[1, 0]

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import itertools
import warnings
from typing import (Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union)

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

import lode

from . import _lode
from ._columns import Array

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6 it is a method

    def validate_data(estimator: Any, X: Any, **how: Any) -> Any:
        """Validates X: an array or CSR with the columns seen in fit()."""
        return estimator._validate_data(X, **how)

__all__ = ["PatternFeatures"]

KINDS = ("auto", "baskets", "matrix", "graphs")


def _kind_of(X: Any) -> str:
    """Infers the kind of samples."""
    if isinstance(X, lode.Graphs):
        return "graphs"
    if getattr(X, "ndim", 1) == 2:
        return "matrix"
    first = next(iter(X), None)
    if hasattr(first, "is_directed") or hasattr(first, "GetAtoms"):
        return "graphs"
    if isinstance(first, (str, bytes)):
        raise ValueError(
            "samples are texts; expected baskets, each a list of items, or kind='graphs' if these "
            "texts are SMILES"
        )
    return "baskets"


def _rows_of(starts_and_numbers: Tuple[Any, Any], columns: int, dtype: Any) -> Any:
    """A CSR matrix from the row offsets and columns that the C module returns."""
    starts, numbers = starts_and_numbers
    starts = np.frombuffer(starts, dtype=np.int64)
    numbers = np.frombuffer(numbers, dtype=np.int32)
    shape = (len(starts) - 1, columns)
    matrix = sparse.csr_matrix((np.ones(len(numbers), dtype), numbers.copy(), starts), shape=shape)
    matrix.sort_indices()
    return matrix


class _Sets:
    """Itemsets as features. Items are renumbered from 0 in the same order, so that memory depends on
    their number, not on the largest of them."""

    def __init__(self, found: Any, chosen: Array, names: Callable[[int], Any]) -> None:
        found = found[chosen]
        self.offsets = np.array(found.offsets, dtype=np.int64)
        self.numbers, items = np.unique(np.asarray(found.items), return_inverse=True)
        self.items = items.astype(np.int32)
        self.supports = np.array(found.supports)
        self.names = [names(item) for item in self.numbers.tolist()]
        self.order = np.empty(len(self.supports), dtype=np.int64)
        _lode.sort_rows(self.offsets, self.items, self.order)

    def __len__(self) -> int:
        return len(self.supports)

    def ranks(self, items: Array) -> Array:
        """The new numbers of items; -1 for items that no feature has."""
        if not len(self.numbers):
            return np.full(len(items), -1, np.int32)
        rank = np.minimum(np.searchsorted(self.numbers, items), len(self.numbers) - 1)
        return np.where(self.numbers[rank] == items, rank, -1)

    def match(self, offsets: Array, ranks: Array, dtype: Any) -> Any:
        """The features of rows of new numbers, which must be distinct within a row."""
        rows = (np.ascontiguousarray(offsets, np.int64), np.ascontiguousarray(ranks, np.int32))
        highest = max(0, len(self.names) - 1)
        found = _lode.match_sets(self.offsets, self.items, self.order, *rows, highest)
        return _rows_of(found, len(self), dtype)

    def patterns(self) -> List[Tuple[Any, ...]]:
        """The items of each feature, as a tuple."""
        flat = [self.names[item] for item in self.items.tolist()]
        return [tuple(flat[begin:end]) for begin, end in itertools.pairwise(self.offsets.tolist())]


class _Subgraphs:
    """Subgraphs as features, with labels renumbered so that other graphs can be compared."""

    def __init__(self, found: lode.Subgraphs, chosen: Array) -> None:
        subgraphs = [found[int(i)] for i in np.flatnonzero(chosen)]
        self.supports = np.array([one.support for one in subgraphs], dtype=np.int64)
        self.texts = [str(one) for one in subgraphs]
        self.directed = found._source.directed
        self.vertex_codes: Dict[Any, int] = {}
        self.edge_codes: Dict[Any, int] = {}
        for one in subgraphs:
            for label in one.vertices:
                self.vertex_codes.setdefault(label, len(self.vertex_codes))
            for _, _, label in one.edges:
                self.edge_codes.setdefault(label, len(self.edge_codes))
        self.arrays = self.arrays_of(subgraphs)

    def __len__(self) -> int:
        return len(self.supports)

    def arrays_of(self, graphs: List[Any]) -> Tuple[Array, ...]:
        """Graphs in the form for match_graphs(); labels that no pattern has are -1."""
        labels = [self.vertex_codes.get(label, -1) for one in graphs for label in one.vertices]
        edges = [(a, b, self.edge_codes.get(label, -1)) for one in graphs
                 for a, b, label in one.edges]
        ends = np.array(edges, dtype=np.int32).reshape(-1, 3)

        def offsets(counts: Iterable[int]) -> Array:
            return np.concatenate([[0], np.cumsum(list(counts), dtype=np.int64)]).astype(np.int64)

        return (offsets(len(one.vertices) for one in graphs), np.array(labels, dtype=np.int32),
                offsets(len(one.edges) for one in graphs), *(column.copy() for column in ends.T))

    def match(self, graphs: lode.Graphs, dtype: Any) -> Any:
        """The features of a lode.Graphs."""
        if graphs.n and graphs.directed != self.directed:
            kinds = ("undirected", "directed")
            raise ValueError(f"expected {kinds[self.directed]} graphs, as in fit(), not "
                             f"{kinds[graphs.directed]} ones")
        arrays = self.arrays_of([graphs[i] for i in range(graphs.n)])
        found = _lode.match_graphs(self.arrays, arrays, self.directed)
        return _rows_of(found, len(self), dtype)

    def patterns(self) -> List[str]:
        """Each feature as text."""
        return list(self.texts)


class PatternFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encode samples by the frequent patterns that they contain, as a sparse matrix.

    Parameters:

    kind: the kind of samples. "auto" infers it; lists of lists are then baskets, and strings raise,
        since only "graphs" says that they are SMILES.

        - "baskets": a list of lists (or sets) of items;
        - "matrix": a one-hot DataFrame, array or sparse matrix; an item is there if its value is
          above 0;
        - "graphs": a list of networkx graphs, RDKit molecules or SMILES, or a lode.Graphs.
    min_support: as in Data.itemsets(): an int is a count, a float a share of the samples.
    target: "closed" (the default: of patterns that occur in the same samples only the largest),
        "all", "maximal" or "generators" (not for graphs).
    min_size, max_size: limits on the items of a set, or the edges of a graph.
    max_features: the maximum number of patterns, those of highest support; None = all.
    node_label, edge_label: attributes of networkx graphs.
    dtype: of the matrix.
    threads: 0 = all cores.

    Attributes: `patterns_`, a tuple of items (or a text) per column; `supports_`, the number of
    samples that contain each pattern; `kind_`. To select features by a target variable, follow this
    by a selector such as SelectKBest(chi2).

    >>> features = PatternFeatures(min_support=2)
    >>> features.fit_transform([["a", "b"], ["a", "b", "c"], ["a"]]).toarray()
    array([[1., 1.],
           [1., 1.],
           [1., 0.]])
    >>> features.get_feature_names_out().tolist()
    ['a', 'a & b']
    """

    def __init__(self, min_support: Union[int, float, str] = 0.1, *, target: str = "closed",
                 min_size: int = 1, max_size: Optional[int] = None,
                 max_features: Optional[int] = None, kind: str = "auto", node_label: str = "label",
                 edge_label: str = "label", dtype: Any = np.float64, threads: int = 0) -> None:
        self.min_support = min_support
        self.target = target
        self.min_size = min_size
        self.max_size = max_size
        self.max_features = max_features
        self.kind = kind
        self.node_label = node_label
        self.edge_label = edge_label
        self.dtype = dtype
        self.threads = threads

    _found: Any  # the patterns, as _Sets or as _Subgraphs
    patterns_: List[Any]

    # ---- The scikit-learn interface -----------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> PatternFeatures:
        """Find the patterns of X. y is ignored."""
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit to X and transform it, reading the samples only once."""
        return self._fit(X)()

    def transform(self, X: Any) -> Any:
        """Transform X to a CSR matrix: a row per sample, a column per pattern."""
        check_is_fitted(self, "supports_")
        if self.kind_ == "graphs":
            return self._found.match(self._graphs(X), self.dtype)
        if self.kind_ == "matrix":
            matrix = self._matrix(X, first=False)
            return self._match_matrix(matrix)
        return self._match_baskets(self._baskets(X))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns: items joined by " & ", or the subgraph as text. input_features
        is ignored, present for API consistency."""
        check_is_fitted(self, "supports_")
        if self.kind_ == "graphs":
            return np.array(self.patterns_, dtype=object)
        names = [" & ".join(map(str, items)) for items in self.patterns_]
        return np.array(names, dtype=object)

    def _more_tags(self) -> Dict[str, Any]:
        return {"requires_positive_X": True, "X_types": ["2darray", "sparse"],
                "preserves_dtype": []}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    # ---- Fitting ------------------------------------------------------------------------------

    def _fit(self, X: Any) -> Callable[[], Any]:
        """Finds the patterns; returns a function that makes the matrix of X."""
        if self.kind not in KINDS:
            raise ValueError(f"kind={self.kind!r}; expected one of {', '.join(KINDS)}")
        if self.max_features is not None and self.max_features < 1:
            raise ValueError(f"max_features={self.max_features}; expected None, or at least 1")
        if isinstance(X, Iterator):
            X = list(X)  # an iterator can be read only once
        self.kind_ = _kind_of(X) if self.kind == "auto" else self.kind
        make = getattr(self, f"_fit_{self.kind_}")(X)
        self.supports_ = self._found.supports
        self.patterns_ = self._found.patterns()
        if not self.patterns_:
            warnings.warn(f"no pattern reaches min_support={self.min_support}, so there are no features",
                          stacklevel=3)
        return make

    def _fit_baskets(self, X: Any) -> Callable[[], Any]:
        baskets = self._baskets(X)
        data = lode.Data(baskets)
        names = (lambda item: item) if data.names is None else data.names.__getitem__
        self._mine_sets(data, names)
        self._numbers = {name: rank for rank, name in enumerate(self._found.names)}
        return lambda: self._match_baskets(baskets)

    def _fit_matrix(self, X: Any) -> Callable[[], Any]:
        matrix = self._matrix(X, first=True)
        given = getattr(self, "feature_names_in_", None)
        names = (lambda item: f"x{item}") if given is None else given.__getitem__
        self._mine_sets(lode.Data(matrix), names)
        return lambda: self._match_matrix(matrix)

    def _fit_graphs(self, X: Any) -> Callable[[], Any]:
        graphs = self._graphs(X)
        found = graphs.subgraphs(self.min_support, self.target, min_edges=self.min_size,
                                 max_edges=self.max_size, supporters=True, threads=self.threads)
        chosen = self._most_frequent(found.supports)
        self._found = _Subgraphs(found, chosen)
        return lambda: found.matrix()[:, np.flatnonzero(chosen)].astype(self.dtype)

    def _mine_sets(self, data: lode.Data, names: Callable[[int], Any]) -> None:
        found = data.itemsets(self.min_support, self.target, min_size=self.min_size,
                              max_size=self.max_size, threads=self.threads)
        self._found = _Sets(found, self._most_frequent(found.supports), names)

    def _most_frequent(self, supports: Array) -> Array:
        """A mask of the max_features patterns of highest support."""
        chosen = np.ones(len(supports), dtype=bool)
        if self.max_features is not None:
            chosen[np.argsort(-supports, kind="stable")[self.max_features:]] = False
        return chosen

    # ---- Samples ------------------------------------------------------------------------------

    @staticmethod
    def _baskets(X: Any) -> Sequence[Any]:
        baskets = X if isinstance(X, (list, tuple)) else list(X)
        for row, basket in enumerate(baskets):
            if isinstance(basket, (str, bytes)) or not hasattr(basket, "__iter__"):
                raise ValueError(f"basket {row} is {basket!r}; expected a list or set of items")
        return baskets

    def _match_baskets(self, baskets: Sequence[Any]) -> Any:
        known = self._numbers
        rows = [{known[item] for item in basket if item in known} for basket in baskets]
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
        items = np.fromiter(itertools.chain.from_iterable(rows), np.int32, int(offsets[-1]))
        return self._found.match(offsets, items, self.dtype)

    def _match_matrix(self, matrix: Any) -> Any:
        return self._found.match(matrix.indptr, self._found.ranks(matrix.indices), self.dtype)

    def _matrix(self, X: Any, first: bool) -> Any:
        """X as a bool CSR matrix, with the number of columns seen in fit()."""
        X = validate_data(self, X, reset=first, accept_sparse="csr")
        values = X.data if sparse.issparse(X) else X
        if values.dtype.kind in "if" and (values < 0).any():
            raise ValueError("Negative values in data passed to PatternFeatures: expected values "
                             "above 0 where the item is there, else 0")
        matrix = sparse.csr_matrix(X > 0)
        matrix.sum_duplicates()
        return matrix

    def _graphs(self, X: Any) -> lode.Graphs:
        if isinstance(X, lode.Graphs):
            return X
        return lode.graphs(X, node_label=self.node_label, edge_label=self.edge_label,
                           threads=self.threads)
