# %% [markdown]
# # From baskets to rules
# What do people buy together? This notebook makes baskets with some habits hidden in them, finds a
# threshold, the itemsets and the rules. Cells begin with `# %%`: Jupyter, VS Code and Spyder open
# it as a notebook, and `python3 baskets.py` runs it.
# SPDX-License-Identifier: Apache-2.0

# %%
import random

import lode

# %% [markdown]
# ## The data
# 3,000 baskets of everyday things. Who buys pasta, often takes sauce; who takes both, often cheese.

# %%
source = random.Random(1)
GOODS = ["bread", "milk", "eggs", "apples", "coffee", "tea", "butter", "rice", "beer", "soap"]


def basket():
    items = set(source.sample(GOODS, source.randrange(1, 5)))
    if source.random() < 0.2:
        items.add("pasta")
        if source.random() < 0.7:
            items.add("sauce")
            if source.random() < 0.6:
                items.add("cheese")
    return items


baskets = [basket() for _ in range(3000)]
data = lode.Data(baskets)
print(data, "longest:", data.profile["longest"])

# %% [markdown]
# A table of pandas with a row for each (order, product) gives the same data set, and so do a one-hot
# frame, a sparse matrix and a file.

# %%
try:
    import pandas
except ImportError:
    print("pandas is not installed: this cell is left out")
else:
    table = pandas.DataFrame([(order, product) for order, items in enumerate(baskets)
                              for product in items], columns=["order", "product"])
    assert lode.Data(table, tid="order", item="product").count(30) == data.count(30)

# %% [markdown]
# ## Which threshold?
# Nobody knows a good minimum support beforehand. Say how many itemsets you would like to look at:

# %%
suggestion = data.suggest(want=50)
print(suggestion)
support = suggestion.answer.min_count

# %% [markdown]
# ## Itemsets
# The result is columns. In a notebook, `found` alone shows a table with bars.

# %%
found = data.itemsets(support)
found.show(8)
print(len(found), "itemsets; the longest has", found.sizes.max(), "items")

# %% [markdown]
# Filters are masks of numpy; names are names.

# %%
with_cheese = found[found.sizes > 1].containing("cheese")
with_cheese.show()
assert all("cheese" in itemset.items for itemset in with_cheese)

# %% [markdown]
# ## Rules
# From pasta to sauce, and from both to cheese: what was hidden comes first, by lift.

# %%
rules = data.rules(support, 0.5, sort_by="lift")
rules.show(6)
assert (("pasta",), ("sauce",)) in {(rule.body, rule.head) for rule in rules}
assert any(rule.head == ("sauce",) or rule.head == ("cheese",) for rule in rules[:3])

# %% [markdown]
# Are they more than chance? Only rules whose p-value, adjusted for all tests, is below 1%:

# %%
sure = data.rules(support, 0.5, adjust="holm", significant=0.01, sort_by="lift",
                  measures=["confidence", "lift", "adjustedP"])
sure.show(6)
assert 0 < len(sure) <= len(rules) and sure["adjustedP"].max() <= 0.01
