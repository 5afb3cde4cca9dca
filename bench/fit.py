"""Power laws through measured points, y = a * x^b, by least squares on logarithms; geometric means.

SPDX-License-Identifier: Apache-2.0
"""
import math


def mean(values):
    """The geometric mean."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs))


def power_law(points):
    """Returns the exponent, the factor, and R², the share of the variance that the law explains;
    None for fewer than three points. Points with a coordinate that is not positive are left out."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len(logs) < 3:
        return None
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs))
    across = sum((x - mean_x) ** 2 for x, _ in logs)
    if across == 0:
        return None
    exponent = sum((x - mean_x) * (y - mean_y) for x, y in logs) / across
    total = sum((y - mean_y) ** 2 for _, y in logs)
    rest = sum((y - mean_y - exponent * (x - mean_x)) ** 2 for x, y in logs)
    fitted = 1 - rest / total if total > 0 else 1.0
    return exponent, math.exp(mean_y - exponent * mean_x), fitted


def crossing(points):
    """The x at which the second of two curves falls below the first; points are (x, first, second),
    by x. Between two points, both curves are taken as straight lines on logarithmic axes. None
    if they do not cross; 0 if the second is below from the start."""
    points = sorted(points)
    if points and points[0][2] < points[0][1]:
        return 0.0
    for (x0, a0, b0), (x1, a1, b1) in zip(points, points[1:]):
        if b0 >= a0 and b1 < a1:
            before, after = math.log(b0 / a0), math.log(b1 / a1)
            share = before / (before - after)
            return math.exp(math.log(x0) + share * (math.log(x1) - math.log(x0)))
    return None
