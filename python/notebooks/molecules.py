# %% [markdown]
# # Molecules with classes
# Which parts of molecules tell two classes apart? Frequent subgraphs become features, one column
# each. Cells begin with `# %%`; `python3 molecules.py` runs everything.
# SPDX-License-Identifier: Apache-2.0

# %%
import numpy as np

import lode

# %% [markdown]
# ## The data
# Some acids and some amines, as SMILES, which RDKit reads. Without RDKit the same molecules come
# from the text below, atom by atom.

# %%
ACIDS = ["CC(=O)O", "CCC(=O)O", "CCCC(=O)O", "OC(=O)c1ccccc1", "OC(=O)CC(=O)O", "CC(C)C(=O)O"]
AMINES = ["CCN", "CCCN", "CC(C)N", "NCc1ccccc1", "NCCN", "CCCCN"]
labels = np.array([1] * len(ACIDS) + [0] * len(AMINES))


def chains():
    """Without RDKit: the acids and amines whose carbons are chains, as gSpan text."""
    lines = []
    for number, (kind, carbons) in enumerate([("acid", 2), ("acid", 3), ("acid", 4), ("amine", 2),
                                              ("amine", 3), ("amine", 4)]):
        lines.append(f"t # {number}")
        lines += [f"v {i} C" for i in range(carbons)]
        ends = [("O", "="), ("O", "-")] if kind == "acid" else [("N", "-")]
        lines += [f"v {carbons + i} {atom}" for i, (atom, _) in enumerate(ends)]
        lines += [f"e {i} {i + 1} -" for i in range(carbons - 1)]
        lines += [f"e {carbons - 1} {carbons + i} {bond}" for i, (_, bond) in enumerate(ends)]
    return "\n".join(lines) + "\n"


try:
    import rdkit
except ImportError:
    import tempfile
    with tempfile.NamedTemporaryFile("w", suffix=".gspan") as file:
        file.write(chains())
        file.flush()
        molecules = lode.graphs(file.name)
    labels = np.array([1, 1, 1, 0, 0, 0])
else:
    print("RDKit", rdkit.__version__)
    molecules = lode.graphs(ACIDS + AMINES)
print(molecules)

# %% [markdown]
# ## Frequent parts
# Connected subgraphs of a quarter of the molecules and more. In a notebook, `found` alone draws them.

# %%
found = molecules.subgraphs(0.25, supporters=True)
found.show(6)
pictures = found._repr_html_()
assert pictures.count("<svg") == min(12, len(found))

# %% [markdown]
# ## Features
# A sparse matrix: a row for each molecule, a column for each part. The parts whose shares in the two
# classes differ most are what chemists would have named: the double bond to oxygen, and nitrogen.

# %%
features = np.zeros((molecules.n, len(found)), bool)
for i in range(len(found)):
    features[found.supporters[found.supporter_offsets[i]:found.supporter_offsets[i + 1]], i] = True
difference = features[labels == 1].mean(axis=0) - features[labels == 0].mean(axis=0)
for i in np.argsort(-np.abs(difference), kind="stable")[:5]:
    print(f"{difference[i]:+.2f}  {found[int(i)]}")
best = found[int(np.abs(difference).argmax())]
assert abs(difference).max() == 1.0
assert {"O", "N"} & set(best.vertices)

# %% [markdown]
# A part and its support, as a drawing that can be saved:

# %%
drawing = best.svg()
assert drawing.startswith("<svg") and drawing.endswith("</svg>")
print(len(drawing), "bytes of SVG")
