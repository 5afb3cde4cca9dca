# %% [markdown]
# # From mlxtend to lode
# A notebook that uses mlxtend needs one changed line. This one shows that line, what it gives, and
# the two further steps that make it faster and smaller: no one-hot frame, and no frozensets. Cells
# begin with `# %%`; `python3 from_mlxtend.py` runs everything.
# SPDX-License-Identifier: Apache-2.0

# %%
import random
import time

import numpy as np
import pandas as pd

import lode

# %% [markdown]
# ## Step 0: the data, as everybody makes them one-hot
# 20,000 baskets. Only the import has changed: it was `from mlxtend.frequent_patterns import ...` and
# `from mlxtend.preprocessing import TransactionEncoder`.

# %%
from lode.mlxtend import TransactionEncoder, apriori, association_rules, fpgrowth, fpmax

source = random.Random(22)
GOODS = [f"product {i}" for i in range(60)]
BUNDLES = [source.sample(GOODS, 4) for _ in range(12)]


def basket():
    items = set(source.sample(GOODS, source.randrange(1, 9)))
    if source.random() < 0.5:
        items.update(source.choice(BUNDLES))
    return sorted(items)


baskets = [basket() for _ in range(20_000)]
encoder = TransactionEncoder()
frame = pd.DataFrame(encoder.fit_transform(baskets), columns=encoder.columns_)
print(frame.shape)

# %% [markdown]
# ## Step 1: the same calls
# Frames, columns and errors are mlxtend's, and so is the meaning of every argument; `docs/mlxtend.md`
# lists what is different.

# %%
begun = time.perf_counter()
sets = fpgrowth(frame, min_support=0.002, use_colnames=True)
print(f"{len(sets):,} itemsets in {time.perf_counter() - begun:.2f} s")
print(sets.sort_values("support", ascending=False).head())
assert sets["itemsets"].map(type).eq(frozenset).all()

rules = association_rules(sets, len(frame), metric="lift", min_threshold=2)
print(f"{len(rules):,} rules")
print(rules.sort_values("lift", ascending=False)[["antecedents", "consequents", "lift"]].head())

# %% [markdown]
# A count as the threshold is safe: with `count / len(frame)` the sets of so many baskets are in,
# whatever the division rounds to.

# %%
count = int((frame["product 0"] & frame["product 1"]).sum())
exact = apriori(frame, min_support=count / len(frame), max_len=2, use_colnames=True)
assert frozenset(["product 0", "product 1"]) in set(exact["itemsets"])
print(f"both in {count} baskets; {len(exact):,} sets of at most two in as many")

# %% [markdown]
# Rules of maximal sets, or of a frame from which rows were dropped, end in a KeyError with mlxtend.
# With the original frame as `df_orig` the missing supports are counted in it.

# %%
largest = fpmax(frame, min_support=0.01, use_colnames=True)
try:
    association_rules(largest, len(frame))
except KeyError as error:
    print("without df_orig:", str(error)[:60], "...")
print(len(association_rules(largest, len(frame), df_orig=frame, min_threshold=0.2)),
      "rules with df_orig")

# %% [markdown]
# ## Step 2: no one-hot frame
# `lode.Data` takes the baskets as they are, or a table with a row for each basket and item. The
# frame above has a cell for every product that is *not* in a basket; with 10,000 products most of the
# memory would go there.

# %%
table = pd.DataFrame([(number, item) for number, items in enumerate(baskets) for item in items],
                     columns=["basket", "product"])
data = lode.Data(table, tid="basket", item="product")
found = data.itemsets(0.002)
assert len(found) == len(sets)
print(data, found)

# %% [markdown]
# ## Step 3: no frozensets
# The result is columns. Filters work on all rows at once, and names appear when they are looked at.

# %%
pairs = found[(found.sizes == 2) & (found.supports >= 200)]
print(pairs.by_support()[:3].to_lists())
print(found.to_pandas().head())
by_set = dict(zip(sets["itemsets"], sets["support"]))
for itemset in found[:: max(1, len(found) // 100)]:
    assert by_set[frozenset(itemset.items)] == itemset.support / data.n

# %% [markdown]
# Rules come without the step over itemsets, and with exact thresholds.

# %%
strong = data.rules(0.002, 0.5, sort_by="lift", top=5)
strong.show()
assert len(strong) >= 5  # those that are as good as the fifth are there, too
assert np.all(strong.to_pandas()["confidence"] >= 0.5)
