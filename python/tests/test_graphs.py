"""Graphs: files, networkx, molecules; what is frequent is what networkx itself counts.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import pickle
import random
import tempfile
import unittest
import xml.dom.minidom

import numpy as np

import lode
from support import needs, optional

networkx = optional("networkx")
GSPAN = """t # 0
v 0 C
v 1 O
v 2 C
e 0 1 single
e 1 2 double
t # 1
v 0 C
v 1 O
e 0 1 single
t # 2
v 0 N
"""


def some_graphs(n, directed=False):
    source = random.Random(3)
    graphs = []
    for _ in range(n):
        graph = networkx.DiGraph() if directed else networkx.Graph()
        size = source.randrange(2, 7)
        for v in range(size):
            graph.add_node(f"v{v}", label=source.choice("ab"))
        for _ in range(size + 1):
            a, b = source.sample(range(size), 2)
            graph.add_edge(f"v{a}", f"v{b}", label=source.choice([1, 2]))
        graphs.append(graph)
    return graphs


def holds(graph, pattern):
    """Whether networkx finds the pattern in the graph."""
    iso = networkx.algorithms.isomorphism
    matcher = iso.DiGraphMatcher if graph.is_directed() else iso.GraphMatcher
    same = lambda a, b: a["label"] == b["label"]
    return matcher(graph, pattern, node_match=same,
                   edge_match=same).subgraph_is_monomorphic()


class Files(unittest.TestCase):
    def test_gspan(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "in.gspan")
            path.write_text(GSPAN)
            graphs = lode.graphs(path)
            self.assertEqual((graphs.n, len(graphs), graphs.directed), (3, 3, False))
            found = graphs.subgraphs(2)
            self.assertEqual(len(found), 1)
            self.assertEqual(sorted(found[0].vertices), ["C", "O"])
            self.assertEqual((found[0].edges[0][2], found[0].support), ("single", 2))
            self.assertEqual(graphs.count(2, vertices=True).by_size, {0: 2, 1: 1})
            self.assertEqual(graphs[0].vertices, ["C", "O", "C"])
            path.write_text("t # 0\nv 0 6\nv 1 8\ne 0 1 2\n")
            named = lode.graphs(path, labels=["atomic", "e 2 ="])
            self.assertEqual((named[0].vertices, named[0].edges[0][2]), (["C", "O"], "="))
            self.assertEqual(lode.graphs(path, labels="atomic")[0].edges[0][2], "double")
            path.write_text("t # 0\nv 0 C\ne 0 5 x\n")
            with self.assertRaises(lode.ParseError) as caught:
                lode.graphs(path)
            self.assertEqual((caught.exception.file, caught.exception.line), (str(path), 3))

    def test_missing(self):
        with self.assertRaises(FileNotFoundError):
            lode.graphs("/nowhere")


@needs("networkx")
class Networkx(unittest.TestCase):
    def test_supports(self):
        for directed in (False, True):
            graphs = some_graphs(25, directed)
            data = lode.graphs(graphs)
            self.assertEqual(data.directed, directed)
            found = data.subgraphs(5, supporters=True, max_edges=3)
            self.assertGreater(len(found), 5)
            for i, one in enumerate(found):
                pattern = one.to_networkx()
                where = [g for g, graph in enumerate(graphs) if holds(graph, pattern)]
                self.assertEqual(len(where), one.support)
                listed = found.supporters[found.supporter_offsets[i]:found.supporter_offsets[i + 1]]
                self.assertEqual(listed.tolist(), where)

    @needs("scipy")
    def test_matrix(self):
        data = lode.graphs(some_graphs(25))
        found = data.subgraphs(0.2, supporters=True)
        matrix = found.matrix()
        self.assertEqual(matrix.shape, (25, len(found)))
        self.assertEqual(np.asarray(matrix.sum(axis=0)).ravel().tolist(), found.supports.tolist())
        part = found[found.sizes == 2]
        self.assertEqual(np.asarray(part.matrix().sum(axis=0)).ravel().tolist(),
                         part.supports.tolist())
        with self.assertRaisesRegex(lode.InvalidError, "supporters=True"):
            data.subgraphs(5).matrix()

    def test_selection(self):
        found = lode.graphs(some_graphs(25)).subgraphs(4, embeddings=True)
        everything = list(found)
        self.assertEqual(list(found[2:9]), everything[2:9])
        self.assertEqual(list(found[found.sizes > 1]), [g for g in everything if len(g.edges) > 1])
        self.assertEqual(found.supports.tolist(), sorted(found.supports.tolist(), reverse=True))
        self.assertEqual(len(found.embedded_in), found.embedding_offsets[-1])
        self.assertEqual(found[:3].place_offsets[0], 0)

    def test_parts(self):
        """containing(), index() and `in`, against networkx; vertices in any order."""
        for directed in (False, True):
            found = lode.graphs(some_graphs(25, directed)).subgraphs(4, max_edges=3)
            for part in list(found)[:12]:
                graph = part.to_networkx()
                turned = networkx.relabel_nodes(graph, {v: -v for v in graph})
                expected = [one for one in found if holds(one.to_networkx(), graph)]
                self.assertEqual(list(found.containing(part)), expected)
                self.assertEqual(list(found.containing(turned)), expected)
                self.assertEqual(found[found.index(turned)], part)
                self.assertIn(part, found)
                self.assertNotIn(part, found[found["edges"] > 9])
        other = networkx.Graph()
        other.add_node(0, label="no such label")
        self.assertNotIn(other, lode.graphs(some_graphs(25)).subgraphs(4))
        with self.assertRaisesRegex(ValueError, "not among"):
            found.index(found[0]._replace(vertices=["zz", "zz"]))

    def test_pictures(self):
        found = lode.graphs(some_graphs(25)).subgraphs(4)
        xml.dom.minidom.parseString(found[-1].svg())
        xml.dom.minidom.parseString(f"<div>{found._repr_html_()}</div>")
        directed = lode.graphs(some_graphs(9, True)).subgraphs(2)
        xml.dom.minidom.parseString(directed[-1].svg())
        self.assertIn("->", str(directed[0]))
        self.assertIn("subgraphs of 25 graphs", repr(found))

    def test_wrong_input(self):
        loop = networkx.Graph([("a", "a")])
        multi = networkx.MultiGraph([(1, 2), (1, 2)])
        mixed = [networkx.Graph([(1, 2)]), networkx.DiGraph([(1, 2)])]
        odd = networkx.Graph()
        odd.add_node(1, label=[1])
        none = networkx.Graph()
        none.add_node(1, label=float("nan"))
        for wrong, pattern in (([loop], "a loop at node 'a'"), ([multi], "parallel edges"),
                               (mixed, "graph 1: some graphs are directed"),
                               ([odd], "not hashable"), ([none], "the label nan"),
                               ([1, 2], "graphs of int; expected a path"),
                               (5, "expected a path"),
                               ([loop, "CC"], "all of one kind")):
            with self.assertRaisesRegex(lode.InvalidError, pattern):
                lode.graphs(wrong)

    def test_nothing(self):
        self.assertEqual(len(lode.graphs([]).subgraphs(1)), 0)
        alone = networkx.Graph()
        alone.add_node(1)
        data = lode.graphs([alone])
        self.assertEqual((len(data.subgraphs(1)), data.count(1, vertices=True)), (0, 1))


@needs("rdkit")
class Molecules(unittest.TestCase):
    def test_smiles(self):
        graphs = lode.graphs(["CCO", "CCN", "c1ccccc1O", "CC(=O)O"])
        found = graphs.subgraphs(2, supporters=True)
        self.assertEqual([one.support for one in found], [3, 3, 2])
        self.assertEqual(sorted(found[2].vertices), ["C", "C", "O"])
        self.assertEqual(graphs.edge_names, {0: "-", 1: ":", 2: "="})

    def test_molecules(self):
        from rdkit import Chem
        texts = ["CCO", "CCN"]
        molecules = lode.graphs([Chem.MolFromSmiles(text) for text in texts])
        self.assertEqual(molecules.profile, lode.graphs(texts).profile)

    def test_wrong(self):
        from rdkit import RDLogger
        RDLogger.DisableLog("rdApp.*")
        with self.assertRaisesRegex(lode.InvalidError, "molecule 1: RDKit cannot read 'no'"):
            lode.graphs(["CC", "no"])
        with self.assertWarnsRegex(lode.LodeWarning, "^1 of 3 molecules .* molecule 1, 'no'") as seen:
            graphs = lode.graphs(["CC", "no", "CCO"], skip_bad_graphs=True)
        self.assertEqual(seen.filename, __file__)
        self.assertEqual((graphs.n, graphs.subgraphs(2, supporters=True)[0].support), (2, 2))


class Pickles(unittest.TestCase):
    def same(self, graphs):
        again = pickle.loads(pickle.dumps(graphs))
        self.assertEqual((again.n, again.directed, again.profile, again.vertex_names,
                          again.edge_names), (graphs.n, graphs.directed, graphs.profile,
                                              graphs.vertex_names, graphs.edge_names))
        self.assertEqual([again[i] for i in range(again.n)], [graphs[i] for i in range(graphs.n)])
        if graphs.n:
            self.assertEqual(list(again.subgraphs(1)), list(graphs.subgraphs(1)))
        self.assertIn("<svg" if graphs.n else "<table>", again._repr_html_())

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "graphs.txt"
            path.write_text(GSPAN)
            self.same(lode.graphs(path))
        self.same(lode.graphs([]))

    @needs("networkx")
    def test_networkx(self):
        for directed in (False, True):
            self.same(lode.graphs(some_graphs(12, directed)))


if __name__ == "__main__":
    unittest.main()
