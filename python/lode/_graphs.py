"""Graph data sets, and mining of their frequent subgraphs.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import os
from typing import Any, Dict, Hashable, Iterable, List, Optional, Tuple, Union

import numpy as np

from . import _classes, _columns, _graph_sources, _lode, _options, _show
from ._columns import Array
from ._errors import InvalidError, settle
from ._groups import GroupFiles
from ._itemsets import Count
from ._names import GraphNames
from ._options import Options, Support
from ._progress import Wanted, shown
from ._subgraphs import Subgraph, Subgraphs

_PREVIEW = 4  # number of graphs drawn


def graphs(source: Any, *, directed: bool = False, node_label: str = "label",
           edge_label: str = "label", threads: int = 0, progress: Wanted = None,
           skip_bad_graphs: bool = False,
           labels: Union[None, str, List[str]] = None) -> "Graphs":
    """Make a data set of graphs, to find frequent subgraphs in.

    `source` is a path (gSpan text: t, v and e lines), any object with `__arrow_c_stream__` that is a
    table of edges (columns graph, from, to, label; docs/arrow.md), or a list of networkx graphs
    (labels are the attributes `node_label` and `edge_label`), of RDKit molecules, or of SMILES.
    `skip_bad_graphs` skips malformed graphs of a file and invalid SMILES, with a warning.
    `labels` names the labels of a file: "atomic" (vertices are atomic numbers, edges 1 to 4 are
    bonds), "@FILE" with lines such as "v 6 C" or "e 1 single", or a list of such lines.

    >>> import lode
    >>> found = lode.graphs(lode._graphs._examples()).subgraphs(2)
    >>> found.supports.tolist(), len(found)
    ([2, 2], 2)
    """
    how = _options.add([], threads=threads)
    with shown(progress) as show:
        if isinstance(source, (str, os.PathLike)):
            _options.add(how, directed=directed, skip_bad_graphs=skip_bad_graphs)
            _options.add_list(how, "labels", [labels] if isinstance(labels, str) else labels or [])
            outcome = _lode.graphs_open(os.fsencode(source), how, show)
            return settle(outcome, lambda made, complete: Graphs(made, None))
        if hasattr(source, "__arrow_c_stream__"):
            _options.add(how, directed=directed, skip_bad_graphs=skip_bad_graphs)
            _options.add_list(how, "labels", [labels] if isinstance(labels, str) else labels or [])
            outcome = _lode.graphs_from_arrow(source.__arrow_c_stream__(), how, show)
            return settle(outcome, lambda made, complete: Graphs(made, None))
        arrays = _arrays(source, node_label, edge_label, skip_bad_graphs)
        outcome = _lode.graphs_from_arrays(arrays.arrays(), arrays.directed or directed, how, show)
    return settle(outcome, lambda made, complete: Graphs(made, arrays))


def _arrays(source: Any, node_label: str, edge_label: str,
            skip_bad: bool) -> _graph_sources.GraphArrays:
    try:
        listed = list(source)
    except TypeError:
        raise InvalidError(f"cannot make graphs of {source!r}; expected a path, or a list of networkx "
                           "graphs, RDKit molecules or SMILES") from None
    for kind, read in (("is_directed", None), ("GetAtoms", _graph_sources.from_molecules)):
        if listed and all(hasattr(one, kind) for one in listed):
            return read(listed) if read else _graph_sources.from_networkx(listed, node_label,
                                                                          edge_label)
    if listed and all(isinstance(one, str) for one in listed):
        return _graph_sources.from_smiles(listed, skip_bad)
    if listed:
        kinds = sorted({type(one).__name__ for one in listed})
        raise InvalidError(f"cannot make graphs of {', '.join(kinds)}; expected a path, or a list of "
                           "networkx graphs, RDKit molecules or SMILES, all of one kind")
    return _graph_sources.GraphArrays()


def _ends(lengths: List[int]) -> Array:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)


def _unpickled(arrays: Dict[str, Array], directed: bool) -> "Graphs":
    outcome = _lode.graphs_from_arrays(arrays, directed, [], None)
    return settle(outcome, lambda made, complete: Graphs(made, None))


class Graphs:
    """Graphs with labelled vertices and edges, as returned by lode.graphs()."""

    def __init__(self, handle: Any, arrays: Optional[_graph_sources.GraphArrays]) -> None:
        self._handle = handle
        self._profile: Dict[str, Any] = handle.profile()
        vertices, edges = handle.labels()
        self.vertex_names: Dict[int, Hashable] = dict(vertices)
        """The names of vertex labels, indexed by label number."""
        self.edge_names: Dict[int, Hashable] = dict(edges)
        """The names of edge labels, indexed by label number."""
        if arrays is not None:
            self.vertex_names = {code: name for name, code in arrays.vertex_codes.items()}
            self.edge_names = {code: name for name, code in arrays.edge_codes.items()}
        self._name_labels()

    def _name_labels(self) -> None:
        self._names = GraphNames(self.n, self.directed, self.vertex_names, self.edge_names)

    @property
    def n(self) -> int:
        """The number of graphs."""
        return int(self._profile["graphs"])

    @property
    def directed(self) -> bool:
        """Whether the graphs are directed."""
        return bool(self._profile["directed"])

    @property
    def profile(self) -> Dict[str, Any]:
        """Figures: graphs, vertices, edges, labels, …"""
        return dict(self._profile)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> "Subgraph":
        """One graph, as a Subgraph with support 1."""
        i = range(self.n)[i]
        columns = [_columns.view(column, np.uint32).tolist() for column in self._handle.at(i)]
        return Subgraph.of(self._names, columns, 1)

    def __reduce__(self) -> Tuple[Any, ...]:
        """Supports pickle, copy, multiprocessing and joblib."""
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
        self._name_labels()

    def _repr_html_(self) -> str:
        """HTML for notebooks: figures, and drawings of the first graphs."""
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
                  classes: Any = None, significant: Optional[float] = None,
                  by: Optional[str] = None, permutations: Optional[int] = None, seed: int = 0,
                  strata: Any = None, alternative: Optional[str] = None,
                  progress: Wanted = None) -> "Subgraphs":
        """Find connected subgraphs that occur in at least `min_support` graphs.

        `target`: "all", "closed", "maximal" or "top:K". `vertices`: include single vertices.
        `supporters`: also return the graphs that contain each subgraph; `embeddings`: also where.
        `classes`: one label for each graph, or "*" for the classes that the graphs of a file have.
        Other arguments are as in Data.itemsets(). Patterns in the same graphs are one test.
        """
        given = locals()
        how = self._options(given)
        with shown(progress) as show, GroupFiles() as files:
            _classes.Rows(self.n, "graphs").options(how, given, files)
            outcome = _lode.subgraphs(self._handle, how, show, False)
        return settle(outcome, lambda made, complete: Subgraphs._of(self, made, complete,
                                                                    supporters))

    def count(self, min_support: Optional[Support] = None, target: str = "all", *,
              min_edges: int = 0, max_edges: Optional[int] = None, min_vertices: int = 0,
              max_vertices: Optional[int] = None, vertices: bool = False, induced: bool = False,
              device: str = "auto", threads: int = 0, algorithm: Optional[str] = None,
              memory: Union[None, int, str] = None, limit_time: Union[None, float, str] = None,
              limit_patterns: Optional[int] = None, progress: Wanted = None) -> Count:
        """Count the subgraphs without storing them. Returns an int with `by_size` (edges)."""
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
        return _options.add_memory(how, given["memory"])


def _examples() -> Iterable[Any]:
    """Two paths of three vertices with a common edge, for the examples above."""
    import networkx
    both = []
    for last in ("c", "d"):
        graph = networkx.Graph()
        graph.add_nodes_from([(0, {"label": "a"}), (1, {"label": "b"}), (2, {"label": "a"}),
                              (3, {"label": last})])
        graph.add_edges_from([(0, 1), (1, 2), (2, 3)])
        both.append(graph)
    return both
