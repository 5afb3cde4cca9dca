"""Graphs from networkx, RDKit and SMILES as arrays.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Hashable, Iterable, List, Tuple

import numpy as np

from ._errors import InvalidError, warn

_BONDS = {"SINGLE": "-", "DOUBLE": "=", "TRIPLE": "#", "AROMATIC": ":"}


@dataclass
class GraphArrays:
    """Graphs by columns, like lode_graph_arrays in lode/graphs.h; labels are codes of names."""

    directed: bool = False
    vertex_ends: List[int] = field(default_factory=lambda: [0])
    edge_ends: List[int] = field(default_factory=lambda: [0])
    vertex_labels: List[int] = field(default_factory=list)
    edges: List[Tuple[int, int, int]] = field(default_factory=list)
    vertex_codes: Dict[Hashable, int] = field(default_factory=dict)
    edge_codes: Dict[Hashable, int] = field(default_factory=dict)

    def vertex(self, label: Hashable) -> None:
        self.vertex_labels.append(self.vertex_codes.setdefault(label, len(self.vertex_codes)))

    def edge(self, a: int, b: int, label: Hashable) -> None:
        self.edges.append((a, b, self.edge_codes.setdefault(label, len(self.edge_codes))))

    def end(self) -> None:
        self.vertex_ends.append(len(self.vertex_labels))
        self.edge_ends.append(len(self.edges))

    def arrays(self) -> Dict[str, Any]:
        edges = np.array(self.edges, np.uint32).reshape(-1, 3)
        return {"vertex_offsets": np.array(self.vertex_ends, np.uint64),
                "vertex_labels": np.array(self.vertex_labels, np.uint32),
                "edge_offsets": np.array(self.edge_ends, np.uint64),
                "from": np.ascontiguousarray(edges[:, 0]), "to": np.ascontiguousarray(edges[:, 1]),
                "edge_labels": np.ascontiguousarray(edges[:, 2])}


def _check_labels(graphs: List[Any], node_label: str, edge_label: str) -> None:
    """Raises if a requested attribute does not exist; warns if the default attribute is missing."""
    nodes = [attributes for graph in graphs for _, attributes in graph.nodes(data=True)]
    edges = [attributes for graph in graphs for *_, attributes in graph.edges(data=True)]
    for name, what, all_of in ((node_label, "node", nodes), (edge_label, "edge", edges)):
        n = sum(name in attributes for attributes in all_of)
        others = sorted({str(other) for attributes in all_of[:1000] for other in attributes})
        if n == 0 and all_of and name != "label":
            raise InvalidError(f"{what}_label={name!r}: no {what} has this attribute; the "
                               f"attributes are: {', '.join(others) or 'none'}")
        if n == 0 and others and what == "node":
            warn(f"no node has the attribute 'label', so all nodes have the label ''; use node_label= to "
                 f"name another attribute: {', '.join(others)}")
        if 0 < n < len(all_of):
            warn(f"{len(all_of) - n:,} of {len(all_of):,} {what}s have no attribute {name!r}; their "
                 "label is ''")


def _label(attributes: Dict[Any, Any], name: str, where: str) -> Hashable:
    label = attributes.get(name, "")
    if label is None or label != label:
        raise InvalidError(f"{where}: the label {label!r}; expected a string or a number")
    if not isinstance(label, Hashable):
        raise InvalidError(f"{where}: the label {label!r} is not hashable; expected a string or a "
                           "number")
    return label


def from_networkx(graphs: List[Any], node_label: str, edge_label: str) -> GraphArrays:
    """Graphs from networkx: labels are attributes of nodes and edges, "" if missing."""
    arrays = GraphArrays(directed=graphs[0].is_directed() if graphs else False)
    _check_labels(graphs, node_label, edge_label)
    for i, graph in enumerate(graphs):
        if graph.is_multigraph():
            raise InvalidError(f"graph {i} has parallel edges; expected a Graph or DiGraph")
        if graph.is_directed() != arrays.directed:
            raise InvalidError(f"graph {i}: some graphs are directed and some are not; expected "
                               "all alike")
        number = {node: k for k, node in enumerate(graph.nodes)}
        for node, attributes in graph.nodes(data=True):
            arrays.vertex(_label(attributes, node_label, f"graph {i}, node {node!r}"))
        for a, b, attributes in graph.edges(data=True):
            if a == b:
                raise InvalidError(f"graph {i}: a loop at node {a!r}; expected edges between two "
                                   "nodes")
            arrays.edge(number[a], number[b],
                        _label(attributes, edge_label, f"graph {i}, edge {a!r}-{b!r}"))
        arrays.end()
    return arrays


def from_molecules(molecules: Iterable[Any]) -> GraphArrays:
    """Graphs from RDKit molecules: atoms by symbol, bonds as - = # : or by name."""
    arrays = GraphArrays()
    for molecule in molecules:
        for atom in molecule.GetAtoms():
            arrays.vertex(atom.GetSymbol())
        for bond in molecule.GetBonds():
            kind = str(bond.GetBondType())
            arrays.edge(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), _BONDS.get(kind, kind))
        arrays.end()
    return arrays


def from_smiles(texts: List[str], skip_bad: bool = False) -> GraphArrays:
    """Graphs from SMILES, read by RDKit. `skip_bad`: skip what RDKit cannot read, with a warning;
    graphs are then numbered without the skipped ones."""
    try:
        from rdkit import Chem
    except ImportError:
        raise InvalidError("graphs from SMILES need RDKit, which is not installed; expected a path, "
                           "or graphs of networkx") from None
    read = [Chem.MolFromSmiles(text) for text in texts]
    bad = [i for i, molecule in enumerate(read) if molecule is None]
    if bad and not skip_bad:
        raise InvalidError(f"molecule {bad[0]}: RDKit cannot read {texts[bad[0]]!r}; expected SMILES, "
                           "or skip_bad_graphs=True to skip such molecules")
    if bad:
        warn(f"{len(bad):,} of {len(texts):,} molecules were left out because RDKit cannot read them; "
             f"the first is molecule {bad[0]}, {texts[bad[0]]!r}")
    return from_molecules(molecule for molecule in read if molecule is not None)
