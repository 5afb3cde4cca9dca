"""Subgraphs by columns, as returned by Graphs.subgraphs().

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from typing import (TYPE_CHECKING, Any, ClassVar, Dict, Hashable, List, NamedTuple, Optional, Self,
                    Tuple)

import numpy as np

from . import _columns, _draw, _lode, _show
from ._columns import Array
from ._errors import InvalidError, UnsupportedError
from ._names import GraphNames
from ._results import Supported

if TYPE_CHECKING:
    from ._graphs import Graphs

_PICTURES = 12  # in a notebook


class Subgraph(NamedTuple):
    """One subgraph: vertex labels, edges (from, to, label), and support."""

    vertices: List[Hashable]
    edges: List[Tuple[int, int, Hashable]]
    support: int
    directed: bool

    @classmethod
    def of(cls, names: GraphNames, columns: List[List[int]], support: int) -> "Subgraph":
        """A Subgraph from columns: vertex labels, from, to, edge labels."""
        labels, starts, ends, kinds = columns
        return cls([names.vertices.get(label, label) for label in labels],
                   [(a, b, names.edges.get(kind, kind))
                    for a, b, kind in zip(starts, ends, kinds)], support, names.directed)

    def __hash__(self) -> int:
        return hash((tuple(self.vertices), tuple(self.edges), self.support, self.directed))

    def svg(self) -> str:
        """A drawing."""
        edges = [(a, b, str(label)) for a, b, label in self.edges]
        title = f"{len(self.vertices)} vertices, {len(edges)} edges, support {self.support}"
        return _draw.svg([str(label) for label in self.vertices], edges, title, self.directed)

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_networkx(self) -> Any:
        """Convert to a networkx graph whose nodes and edges have the attribute "label"."""
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


class Subgraphs(Supported[Subgraph]):
    """Subgraphs stored by columns, which are views of lode's memory.

    Subgraph i has the vertices `vertex_labels[vertex_offsets[i]:vertex_offsets[i + 1]]`, numbered
    0, 1, 2, …, and the edges `from_`, `to`, `edge_labels` (by `edge_offsets`). It occurs in
    `supports[i]` of `n` graphs; these are in `supporters` (by `supporter_offsets`), if requested.
    Subgraphs are ordered by support, the highest first.
    """

    _source: GraphNames
    _words = ("subgraphs", "graphs")
    _lists: ClassVar[Dict[str, Tuple[str, ...]]] = {
        "vertex_offsets": ("vertex_labels",), "edge_offsets": ("from", "to", "edge_labels"),
        "supporter_offsets": ("supporters",), "embedding_offsets": ("embedded_in",),
        "place_offsets": ("embeddings",)}

    @classmethod
    def _of(cls, data: "Graphs", result: Any, complete: bool,
            supporters: bool = False) -> "Subgraphs":
        lent = result.columns()
        columns: Dict[str, Array] = {"supports": _columns.view(lent["supports"], np.int64)}
        for offsets, values in cls._lists.items():
            there = lent[offsets] is not None and lent[values[0]] is not None
            columns[offsets] = _columns.offsets_view(lent[offsets]) if there else None
            columns.update({name: _columns.view(lent[name], np.uint32) if there else None
                            for name in values})
        if supporters and columns["supporters"] is None:  # nothing was found
            columns["supporter_offsets"] = np.zeros(1, np.int64)
            columns["supporters"] = np.empty(0, np.uint32)
        return cls(data._names, columns, complete, data, result)._compared(lent, ())

    @property
    def from_(self) -> Array:
        """The vertex at which each edge begins (by `edge_offsets`)."""
        return self._columns["from"]

    def __getattr__(self, name: str) -> Any:
        columns = self.__dict__.get("_columns", {})
        return columns[name] if name in columns else super().__getattr__(name)

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self._columns} - {"from"})

    @property
    def sizes(self) -> Array:
        """The number of edges of each subgraph."""
        return np.diff(self.edge_offsets)

    def _figures(self) -> Tuple[str, ...]:
        return ("vertices", "edges", "count", "support", *self.class_columns)

    def _figure(self, name: str) -> Array:
        if name in self.class_columns:
            return self._class_column(name)
        return {"vertices": np.diff(self.vertex_offsets), "edges": self.sizes,
                "count": self.supports, "support": self.shares}[name]

    # ---- Rows and selections --------------------------------------------------------------------

    def _one(self, i: int) -> Subgraph:
        a, b = self.edge_offsets[i:i + 2]
        columns = [self.vertex_labels[self.vertex_offsets[i]:self.vertex_offsets[i + 1]],
                   self.from_[a:b], self.to[a:b], self.edge_labels[a:b]]
        return Subgraph.of(self._source, [column.tolist() for column in columns],
                           int(self.supports[i]))

    def containing(self, part: Any) -> Self:
        """Select subgraphs that contain a graph: a Subgraph, a networkx graph, an RDKit molecule or
        SMILES, with vertices in any order."""
        return self._take(np.flatnonzero(self._with_part(_graph_of(part))))

    def index(self, graph: Any) -> int:
        """The row of a subgraph, given as for containing(); ValueError if there is none."""
        at = np.flatnonzero(self._is(_graph_of(graph)))
        if len(at) == 0:
            raise InvalidError(f"{graph} is not among these {len(self):,} subgraphs")
        return int(at[0])

    def __contains__(self, graph: Any) -> bool:
        return bool(self._is(_graph_of(graph)).any())

    def _is(self, graph: Subgraph) -> Array:
        return (self._with_part(graph) & (self["vertices"] == len(graph.vertices)) &
                (self["edges"] == len(graph.edges)))

    def _with_part(self, part: Subgraph) -> Array:
        """A mask of the subgraphs that contain a graph."""
        codes = [{name: code for code, name in names.items()}
                 for names in (self._source.vertices, self._source.edges)]
        known = all(label in codes[0] for label in part.vertices) and all(
            label in codes[1] for _, _, label in part.edges)
        if not known or part.directed != self._source.directed or not len(self):
            return np.zeros(len(self), bool)
        edges = np.array([(a, b, codes[1][label]) for a, b, label in part.edges], np.int32)
        vertices = np.array([codes[0][label] for label in part.vertices], np.int32)
        pattern = (np.array([0, len(vertices)], np.int64), vertices,
                   np.array([0, len(edges)], np.int64),
                   *(np.ascontiguousarray(column) for column in edges.reshape(-1, 3).T))
        names = ("vertex_offsets", "vertex_labels", "edge_offsets", "from", "to", "edge_labels")
        graphs = tuple(np.ascontiguousarray(self._columns[name]).astype(
            np.int64 if name.endswith("offsets") else np.int32, copy=False) for name in names)
        starts, _ = _lode.match_graphs(pattern, graphs, part.directed)
        return np.diff(np.frombuffer(starts, np.int64)) > 0

    # ---- Export ---------------------------------------------------------------------------------

    def save(self, path: Any) -> None:
        """Always raises: only itemsets and rules can be saved and loaded."""
        raise UnsupportedError(f"{path}: cannot save subgraphs as an Arrow file; use pickle or "
                               "joblib, or run `lode graphs … -w arrow`")

    def matrix(self) -> Any:
        """Convert to a scipy sparse matrix: entry (g, i) is 1 if graph g contains subgraph i."""
        from scipy.sparse import csc_matrix
        if self.supporters is None:
            raise InvalidError("the graphs that contain each subgraph are not known; expected "
                               "subgraphs(…, supporters=True)")
        ones = np.ones(len(self.supporters), np.uint8)
        return csc_matrix((ones, self.supporters.astype(np.int64), self.supporter_offsets),
                          shape=(self.n, len(self))).tocsr()

    def _table(self) -> Dict[str, Any]:
        from .pandas_array import SubgraphArray
        return {"subgraph": SubgraphArray(self),
                **{name: self[name] for name in self._figures()}}

    def _arrow(self) -> Dict[str, Any]:
        from ._arrow import List as ListColumn
        from ._arrow import Numbers
        columns: Dict[str, Any] = {
            "vertex_labels": ListColumn(self.vertex_offsets, self.vertex_labels, None)}
        for name in ("from", "to", "edge_labels"):
            columns[name] = ListColumn(self.edge_offsets, self._columns[name], None)
        columns["count"] = Numbers(self.supports)
        columns.update({name: Numbers(self[name]) for name in self.class_columns})
        return columns

    # ---- Display --------------------------------------------------------------------------------

    def _rows(self, most: int) -> _show.Table:
        first = self[:most]
        rows = [[_show.shortened(str(one)), f"{one.support:,}",
                 _show.percent(one.support, self.n), *cells]
                for one, cells in zip(first, first._class_cells())]
        return _show.Table(["subgraph", "count", "support", *self._class_heads()], rows, first.shares.tolist(), len(self),
                           "subgraphs", self.complete)

    def _repr_html_(self) -> str:
        pictures = [(one.svg(), f"{one.support:,} ({_show.percent(one.support, self.n)})")
                    for one in self[:_PICTURES]]
        return _draw.gallery(pictures, _show.rest(len(self) - len(pictures), "subgraphs",
                                                  self.complete))


def _graph_of(given: Any) -> Subgraph:
    """Converts one graph in any form that lode.graphs() accepts."""
    if isinstance(given, Subgraph):
        return given
    from ._graphs import graphs
    return graphs([given])[0]
