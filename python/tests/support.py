"""What the tests share: small data, brute force, and modules that may be missing.

SPDX-License-Identifier: Apache-2.0
"""
import importlib
import itertools
import os
import random
import unittest

SANITIZED = bool(os.environ.get("LODE_SANITIZED"))
LONG = bool(os.environ.get("LODE_LONG"))


def optional(name):
    """A module, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def needs(*names):
    """Skips a test, with a line, where a module is not installed."""
    missing = [name for name in names if optional(name) is None]
    return unittest.skipIf(missing, f"{', '.join(missing)} is not installed")


def draw(seed, n, n_items, share):
    """Random transactions of numbers."""
    source = random.Random(seed)
    return [[i for i in range(n_items) if source.random() < share] for _ in range(n)]


def brute(transactions, least, weights=None):
    """{items: support} of small data, by counting all sets."""
    items = sorted({item for row in transactions for item in row})
    weights = weights or [1] * len(transactions)
    rows = [set(row) for row in transactions]
    found = {}
    for size in range(1, len(items) + 1):
        for some in itertools.combinations(items, size):
            n = sum(w for row, w in zip(rows, weights) if row.issuperset(some))
            if n >= least:
                found[some] = n
    return found


def as_dict(itemsets):
    """{items: support} of a result; fails if a set is there twice."""
    found = {}
    for one in itemsets:
        key = tuple(sorted(one.items))
        assert key not in found, key
        found[key] = one.support
    return found
