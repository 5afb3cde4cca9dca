"""Graphs, and the subgraphs that are frequent in them.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import json
import os
from typing import (Any, Dict, Hashable, Iterable, Iterator, List, NamedTuple, Optional, Tuple,
                    Union, overload)

import numpy as np

from . import _columns, _draw, _graph_sources, _lode, _options, _show
from ._columns import Array, Selection
from ._errors import InvalidError, settle
from ._itemsets import Count
from ._options import Options, Support
from ._progress import Wanted, shown

_PICTURES = 12  # in a notebook
_PREVIEW = 4  # of the graphs themselves
_LISTS = {"vertex_offsets": ("vertex_labels",), "edge_offsets": ("from", "to", "edge_labels"),
          "supporter_offsets": ("supporters",), "embedding_offsets": ("embedded_in",),
          "place_offsets": ("embeddings",)}


def graphs(source: Any, *, directed: bool = False, node_label: str = "label",
           edge_label: str = "label", threads: int = 0, progress: Wanted = None,
           skip_bad_graphs: bool = False) -> "Graphs":
    """Graphs to look for frequent subgraphs in.

    `source` is a path (gSpan text: t, v and e lines), or a list of networkx graphs (their labels
    are the attributes `node_label` and `edge_label`), of RDKit molecules, or of SMILES.
    `skip_bad_graphs` leaves out what is malformed in a file, or no molecule, with a warning.

    >>> import lode
    >>> found = lode.graphs(lode._graphs._examples()).subgraphs(2)
    >>> found.supports.tolist(), len(found)
    ([2, 2], 2)
    """
    how = _options.add([], threads=threads)
    with shown(progress) as show:
        if isinstance(source, (str, os.PathLike)):
            _options.add(how, directed=directed, skip_bad_graphs=skip_bad_graphs)
            outcome = _lode.graphs_open(os.fsencode(source), how, show)
            return settle(outcome, lambda made, complete: Graphs(made, None))
        arrays = _arrays(source, node_label, edge_label, skip_bad_graphs)
        outcome = _lode.graphs_from_arrays(arrays.arrays(), arrays.directed or directed, how, show)
    return settle(outcome, lambda made, complete: Graphs(made, arrays))


def _arrays(source: Any, node_label: str, edge_label: str,
            skip_bad: bool) -> _graph_sources.GraphArrays:
    try:
        listed = list(source)
    except TypeError:
        raise InvalidError(f"graphs of {source!r}; expected a path, or a list of networkx graphs, "
                           "RDKit molecules or SMILES") from None
    for kind, read in (("is_directed", None), ("GetAtoms", _graph_sources.from_molecules)):
        if listed and all(hasattr(one, kind) for one in listed):
            return read(listed) if read else _graph_sources.from_networkx(listed, node_label,
                                                                          edge_label)
    if listed and all(isinstance(one, str) for one in listed):
        return _graph_sources.from_smiles(listed, skip_bad)
    if listed:
        kinds = sorted({type(one).__name__ for one in listed})
        raise InvalidError(f"graphs of {', '.join(kinds)}; expected a path, or a list of networkx "
                           "graphs, RDKit molecules or SMILES, all of one kind")
    return _graph_sources.GraphArrays()


def _ends(lengths: List[int]) -> Array:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)


def _unpickled(arrays: Dict[str, Array], directed: bool) -> "Graphs":
    outcome = _lode.graphs_from_arrays(arrays, directed, [], None)
    return settle(outcome, lambda made, complete: Graphs(made, None))


class Graphs:
    """Graphs with labelled vertices and edges: what lode.graphs() returns."""

    def __init__(self, handle: Any, arrays: Optional[_graph_sources.GraphArrays]) -> None:
        self._handle = handle
        self._profile: Dict[str, Any] = handle.profile()
        vertices, edges = handle.labels()
        self.vertex_names: Dict[int, Hashable] = dict(vertices)
        """The names of the labels of vertices."""
        self.edge_names: Dict[int, Hashable] = dict(edges)
        """The names of the labels of edges."""
        if arrays is not None:
            self.vertex_names = {code: name for name, code in arrays.vertex_codes.items()}
            self.edge_names = {code: name for name, code in arrays.edge_codes.items()}

    @property
    def n(self) -> int:
        """How many graphs there are."""
        return int(self._profile["graphs"])

    @property
    def directed(self) -> bool:
        """Whether edges are arrows."""
        return bool(self._profile["directed"])

    @property
    def profile(self) -> Dict[str, Any]:
        """Figures: graphs, vertices, edges, labels, …"""
        return dict(self._profile)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> "Subgraph":
        """A graph, to draw or to look at; its support is 1."""
        i = range(self.n)[i]
        columns = [_columns.view(column, np.uint32).tolist() for column in self._handle.at(i)]
        return Subgraph.of(self, columns, 1)

    def __reduce__(self) -> Tuple[Any, ...]:
        """For pickle and copy, and so for processes of multiprocessing and joblib."""
        graphs = [[_columns.view(column, np.uint32) for column in self._handle.at(i)]
                  for i in range(self.n)]
        labels, starts, ends, kinds = (
            np.concatenate([graph[k] for graph in graphs] or [np.zeros(0, np.uint32)])
            for k in range(4))
        arrays = {"vertex_offsets": _ends([len(graph[0]) for graph in graphs]),
                  "vertex_labels": labels, "from": starts, "to": ends, "edge_labels": kinds,
                  "edge_offsets": _ends([len(graph[1]) for graph in graphs])}
        return _unpickled, (arrays, self.directed), (self.vertex_names, self.edge_names,
                                                     self._profile)

    def __setstate__(self, state: Tuple[Any, Any, Any]) -> None:
        self.vertex_names, self.edge_names, self._profile = state

    def _repr_html_(self) -> str:
        """The figures, and drawings of the first graphs."""
        pictures = "".join(self[i].svg() for i in range(min(self.n, _PREVIEW)))
        figures = [("graphs", self.n), *((name, self._profile[name]) for name in (
            "vertices", "edges", "vertex_labels", "edge_labels"))]
        return _show.figures("Graphs", figures) + f"<div>{pictures}</div>"

    def __repr__(self) -> str:
        return (f"<Graphs: {self.n:,} graphs, {self._profile['vertices']:,} vertices, "
                f"{self._profile['edges']:,} edges>")

    def subgraphs(self, min_support: Optional[Support] = None, target: str = "all", *,
                  min_edges: int = 0, max_edges: Optional[int] = None, min_vertices: int = 0,
                  max_vertices: Optional[int] = None, vertices: bool = False,
                  induced: bool = False, supporters: bool = False, embeddings: bool = False,
                  device: str = "auto", threads: int = 0, algorithm: Optional[str] = None,
                  memory: Union[None, int, str] = None,
                  limit_time: Union[None, float, str] = None, limit_patterns: Optional[int] = None,
                  progress: Wanted = None) -> "Subgraphs":
        """Connected subgraphs that occur in at least `min_support` graphs.

        `target`: "all", "closed", "maximal" or "top:K". `vertices`: single vertices, too.
        `supporters`: also which graphs contain each, `embeddings`: also where. Other arguments are
        those of Data.itemsets().
        """
        how = self._options(locals())
        with shown(progress) as show:
            outcome = _lode.subgraphs(self._handle, how, show, False)
        return settle(outcome, lambda made, complete: Subgraphs._of(self, made, complete,
                                                                    supporters))

    def count(self, min_support: Optional[Support] = None, target: str = "all", *,
              min_edges: int = 0, max_edges: Optional[int] = None, min_vertices: int = 0,
              max_vertices: Optional[int] = None, vertices: bool = False, induced: bool = False,
              device: str = "auto", threads: int = 0, algorithm: Optional[str] = None,
              memory: Union[None, int, str] = None, limit_time: Union[None, float, str] = None,
              limit_patterns: Optional[int] = None, progress: Wanted = None) -> Count:
        """How many there are, without keeping them: an int, with `by_size` (edges)."""
        how = self._options({**locals(), "supporters": False, "embeddings": False})
        with shown(progress) as show:
            outcome = _lode.subgraphs(self._handle, how, show, True)
        return settle(outcome, lambda made, complete: Count(made.head()[0], made.sizes(), complete))

    def _options(self, given: Dict[str, Any]) -> Options:
        how: Options = []
        if given["min_support"] is not None:
            how.append(("min-support", _options.threshold("min_support", given["min_support"],
                                                          self.n)))
        names = ("target", "min_edges", "max_edges", "min_vertices", "max_vertices", "vertices",
                 "induced", "embeddings", "device", "threads", "algorithm", "limit_time",
                 "limit_patterns")
        _options.add(how, graphs=given["supporters"], **{name: given[name] for name in names})
        if given["memory"] is not None:
            how.append(("memory", str(_options.byte_count(given["memory"]))))
        return how


class Subgraph(NamedTuple):
    """One subgraph: labels of its vertices, its edges (from, to, label), and its support."""

    vertices: List[Hashable]
    edges: List[Tuple[int, int, Hashable]]
    support: int
    directed: bool

    @classmethod
    def of(cls, data: Graphs, columns: List[List[int]], support: int) -> "Subgraph":
        """A graph of `data` from its columns: vertex labels, from, to, edge labels."""
        labels, starts, ends, kinds = columns
        return cls([data.vertex_names.get(label, label) for label in labels],
                   [(a, b, data.edge_names.get(kind, kind))
                    for a, b, kind in zip(starts, ends, kinds)], support, data.directed)

    def svg(self) -> str:
        """A drawing."""
        edges = [(a, b, str(label)) for a, b, label in self.edges]
        title = f"{len(self.vertices)} vertices, {len(edges)} edges, support {self.support}"
        return _draw.svg([str(label) for label in self.vertices], edges, title, self.directed)

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_networkx(self) -> Any:
        """A graph of networkx, with the attribute "label" of nodes and edges."""
        import networkx
        graph = networkx.DiGraph() if self.directed else networkx.Graph()
        graph.add_nodes_from((i, {"label": label}) for i, label in enumerate(self.vertices))
        graph.add_edges_from((a, b, {"label": label}) for a, b, label in self.edges)
        return graph

    def __str__(self) -> str:
        named = [f"{label}{i}" for i, label in enumerate(self.vertices)]
        return ", ".join(f"{named[a]} {self._mark(label)} {named[b]}"
                         for a, b, label in self.edges) or ", ".join(named)

    def _mark(self, label: Hashable) -> str:
        text = str(label) or "-"
        return f"-{text}->" if self.directed else text if text in "-=#:" else f"-{text}-"


class Subgraphs:
    """Subgraphs in columns, which belong to lode and are not copied.

    Subgraph i has the vertices `vertex_labels[vertex_offsets[i]:vertex_offsets[i + 1]]`, which its
    edges `from_`, `to`, `edge_labels` (by `edge_offsets`) call 0, 1, 2, …, and occurs in
    `supports[i]` of `n` graphs; `supporters` (by `supporter_offsets`) are these, if asked for.
    They are ordered by support, the highest first.
    """

    def __init__(self, data: Graphs, columns: Dict[str, Array], complete: bool = True,
                 result: Any = None) -> None:
        self.data = data
        self.complete = complete
        self.supports: Array = columns["supports"]
        self.vertex_offsets: Array = columns["vertex_offsets"]
        self.vertex_labels: Array = columns["vertex_labels"]
        self.edge_offsets: Array = columns["edge_offsets"]
        self.from_: Array = columns["from"]
        self.to: Array = columns["to"]
        self.edge_labels: Array = columns["edge_labels"]
        self.supporter_offsets: Array = columns["supporter_offsets"]
        self.supporters: Array = columns["supporters"]
        self.embedding_offsets: Array = columns["embedding_offsets"]
        self.embedded_in: Array = columns["embedded_in"]
        self.place_offsets: Array = columns["place_offsets"]
        self.embeddings: Array = columns["embeddings"]
        self._columns = columns
        self._result = result

    @classmethod
    def _of(cls, data: Graphs, result: Any, complete: bool,
            supporters: bool = False) -> "Subgraphs":
        lent = result.columns()
        columns: Dict[str, Array] = {"supports": _columns.view(lent["supports"], np.int64)}
        for offsets, values in _LISTS.items():
            there = lent[offsets] is not None and lent[values[0]] is not None
            columns[offsets] = _columns.offsets_view(lent[offsets]) if there else None
            columns.update({name: _columns.view(lent[name], np.uint32) if there else None
                            for name in values})
        if supporters and columns["supporters"] is None:  # nothing was found, so nobody has it
            columns["supporter_offsets"] = np.zeros(1, np.int64)
            columns["supporters"] = np.empty(0, np.uint32)
        return cls(data, columns, complete, result)

    def __len__(self) -> int:
        return len(self.supports)

    @property
    def n(self) -> int:
        """How many graphs there are: 100%."""
        return self.data.n

    @property
    def sizes(self) -> Array:
        """How many edges each has."""
        return np.diff(self.edge_offsets)

    @property
    def shares(self) -> Array:
        """Supports as shares of all graphs, from 0 to 1."""
        return self.supports / self.n if self.n else np.zeros(len(self))

    @property
    def report(self) -> Dict[str, Any]:
        """What the search did. Empty for a selection."""
        return json.loads(self._result.report(True)) if self._result else {}

    @overload
    def __getitem__(self, key: int) -> Subgraph: ...

    @overload
    def __getitem__(self, key: Selection) -> "Subgraphs": ...

    def __getitem__(self, key: Any) -> Union[Subgraph, "Subgraphs"]:
        if isinstance(key, (int, np.integer)):
            return self._one(range(len(self))[key])
        if isinstance(key, slice):
            key = np.arange(*key.indices(len(self)))
        return self._take(_columns.index_of(key, len(self)))

    def _one(self, i: int) -> Subgraph:
        a, b = self.edge_offsets[i:i + 2]
        columns = [self.vertex_labels[self.vertex_offsets[i]:self.vertex_offsets[i + 1]],
                   self.from_[a:b], self.to[a:b], self.edge_labels[a:b]]
        return Subgraph.of(self.data, [column.tolist() for column in columns],
                           int(self.supports[i]))

    def _take(self, index: Array) -> "Subgraphs":
        columns: Dict[str, Array] = {"supports": self.supports[index]}
        for offsets, values in _LISTS.items():
            columns[offsets] = None
            for name in values:
                columns[name] = None
                if self._columns[offsets] is not None:
                    columns[offsets], columns[name] = _columns.gather(
                        self._columns[offsets], self._columns[name], index)
        return Subgraphs(self.data, columns, self.complete)

    def __iter__(self) -> Iterator[Subgraph]:
        """One by one, made when they are asked for."""
        for i in range(len(self)):
            yield self._one(i)

    def matrix(self) -> Any:
        """A sparse matrix of scipy: row g, column i is 1 if graph g contains subgraph i."""
        from scipy.sparse import csc_matrix
        if self.supporters is None:
            raise InvalidError("the graphs that contain each are not known; expected "
                               "subgraphs(…, supporters=True)")
        ones = np.ones(len(self.supporters), np.uint8)
        return csc_matrix((ones, self.supporters.astype(np.int64), self.supporter_offsets),
                          shape=(self.n, len(self))).tocsr()

    def to_pandas(self) -> Any:
        """A frame with the columns vertices, edges, count and support; subgraphs stay here."""
        import pandas
        return pandas.DataFrame({"vertices": np.diff(self.vertex_offsets), "edges": self.sizes,
                                 "count": self.supports, "support": self.shares}, copy=False)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """For pyarrow, polars and others: labels and edges as lists of numbers, and count."""
        from ._arrow import List as ListColumn
        from ._arrow import Numbers, stream
        columns: Dict[str, Any] = {
            "vertex_labels": ListColumn(self.vertex_offsets, self.vertex_labels, None)}
        for name in ("from", "to", "edge_labels"):
            columns[name] = ListColumn(self.edge_offsets, self._columns[name], None)
        columns["count"] = Numbers(self.supports)
        return stream(columns)

    def _rows(self, most: int) -> _show.Table:
        first = self[:most]
        rows = [[str(one), f"{one.support:,}", _show.percent(one.support, self.n)] for one in first]
        return _show.Table(["subgraph", "count", "support"], rows, first.shares.tolist(), len(self),
                           "subgraphs", self.complete)

    def show(self, most: int = 20) -> None:
        """Prints the first ones; in a notebook, an expression shows drawings."""
        print(_show.text(self._rows(most)))

    def __repr__(self) -> str:
        return f"<{len(self):,} subgraphs of {self.n:,} graphs" + (
            ">" if self.complete else ", incomplete>")

    def _repr_html_(self) -> str:
        pictures = [(one.svg(), f"{one.support:,} ({_show.percent(one.support, self.n)})")
                    for one in self[:_PICTURES]]
        more = len(self) - len(pictures)
        return _draw.gallery(pictures, f"... and {more:,} more subgraphs" if more > 0 else "")


def _examples() -> Iterable[Any]:
    """Two paths of three vertices that share an edge and more, for the examples above."""
    import networkx
    both = []
    for last in ("c", "d"):
        graph = networkx.Graph()
        graph.add_nodes_from([(0, {"label": "a"}), (1, {"label": "b"}), (2, {"label": "a"}),
                              (3, {"label": last})])
        graph.add_edges_from([(0, 1), (1, 2), (2, 3)])
        both.append(graph)
    return both
