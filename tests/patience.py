"""Bounds of time that hold on slow and busy machines too: they grow with how slow it is just now.

SPDX-License-Identifier: Apache-2.0
"""
import time

STEPS = 2_000_000
QUICK = 0.2  # seconds for these steps, on a machine of which the bounds hold as they are


def slowness():
    """How many times as long as there a fixed computation takes here and now; at least 1."""
    start, total = time.monotonic(), 0
    for step in range(STEPS):
        total += step & 3
    return max(1.0, (time.monotonic() - start) / QUICK)


def check_soon(test, seconds, bound):
    """Something took so many seconds; that must be below the bound, or below what it is here."""
    if seconds >= bound:
        factor = slowness()
        factor = 2 * factor if factor > 1.5 else 1  # it may have been busier a moment ago
        test.assertLess(seconds, bound * factor, f"{factor:.1f} times the bound of {bound} s")
