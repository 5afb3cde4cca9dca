"""Draws small graphs as SVG, with labels of vertices and edges.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from html import escape
from typing import List, Sequence, Tuple

import numpy as np

from . import _show
from ._columns import Array

_STEPS = 120  # of the layout; its stress hardly decreases after a few dozen
_EDGE = 42.0  # length of an edge in pixels
_RADIUS = 11.0
_COLOURS = {"C": "#555555", "N": "#2a55c8", "O": "#c82a2a", "S": "#a8820a", "P": "#c86a00",
            "F": "#2a8a2a", "Cl": "#1f7a1f", "Br": "#7a2a1f", "I": "#6a1f7a"}
_PALETTE = ("#2a78b5", "#c86a00", "#2a8a2a", "#c82a2a", "#7a4fb5", "#7a5230", "#b54f95", "#5f5f5f")
_LINES = {"=": 2, "#": 3, "DOUBLE": 2, "TRIPLE": 3}


def _distances(n: int, edges: Sequence[Tuple[int, int]]) -> Array:
    """Distances between all pairs of vertices; different components get a large distance."""
    far = np.full((n, n), float(n))
    np.fill_diagonal(far, 0)
    for a, b in edges:
        far[a, b] = far[b, a] = 1
    for k in range(n):
        far = np.minimum(far, far[:, k:k + 1] + far[k:k + 1, :])
    return far


def layout(n: int, edges: Sequence[Tuple[int, int]]) -> Array:
    """Positions of the vertices whose distances approximate those in the graph. Deterministic.

    Each step moves every vertex half-way to the mean of the positions that the others prefer for
    it, which never raises the weighted stress (majorisation).
    """
    angle = 2 * np.pi * np.arange(n) / max(1, n)
    places = np.stack([np.cos(angle), np.sin(angle)], axis=1) * max(1.0, n / 5)
    wanted = _distances(n, edges)
    weight = np.divide(1.0, wanted**2, out=np.zeros_like(wanted), where=wanted > 0)
    for _ in range(_STEPS if n > 1 else 0):
        apart = places[:, None, :] - places[None, :, :]
        length = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1e-9)
        target = places[None, :, :] + apart * (wanted / length)[:, :, None]
        mean = (weight[:, :, None] * target).sum(axis=1) / weight.sum(axis=1)[:, None]
        places = (places + mean) / 2
    return places


def colour(label: str) -> str:
    return _COLOURS.get(label) or _PALETTE[sum(label.encode()) % len(_PALETTE)]


def _line(a: Array, b: Array, label: str, arrow: bool) -> str:
    along = (b - a) / max(1e-9, float(np.hypot(*(b - a))))
    aside = np.array([-along[1], along[0]])
    n = _LINES.get(label, 1)
    out = []
    for k in range(n):
        shift = aside * 4 * (k - (n - 1) / 2)
        p, q = a + shift + along * _RADIUS, b + shift - along * (_RADIUS + (5 if arrow else 0))
        dashed = ' stroke-dasharray="4 2"' if label in (":", "AROMATIC") else ""
        out.append(f'<line x1="{p[0]:.1f}" y1="{p[1]:.1f}" x2="{q[0]:.1f}" y2="{q[1]:.1f}"'
                   f' stroke="#888" stroke-width="1.5"{dashed}/>')
    if arrow:
        tip, base = b - along * _RADIUS, b - along * (_RADIUS + 7)
        left, right = base + aside * 3.5, base - aside * 3.5
        out.append(f'<path d="M{tip[0]:.1f} {tip[1]:.1f}L{left[0]:.1f} {left[1]:.1f}'
                   f'L{right[0]:.1f} {right[1]:.1f}Z" fill="#888"/>')
    if label and label not in _LINES and label not in ("-", ":", "SINGLE", "AROMATIC"):
        middle = (a + b) / 2 + aside * 7
        out.append(_text(middle, label, "#777", 9))
    return "".join(out)


def _text(at: Array, text: str, fill: str, size: int) -> str:
    return (f'<text x="{at[0]:.1f}" y="{at[1] + size * 0.35:.1f}" font-size="{size}" fill="{fill}"'
            f' text-anchor="middle" font-family="sans-serif">{escape(_show.shortened(text))}</text>')


def svg(labels: List[str], edges: List[Tuple[int, int, str]], title: str, directed: bool) -> str:
    """A graph as SVG; the title is for screen readers and tooltips."""
    places = layout(len(labels), [(a, b) for a, b, _ in edges]) * _EDGE
    margin = _RADIUS + 6
    places = places - (places.min(axis=0) if len(labels) else 0) + margin
    width, height = (places.max(axis=0) + margin).tolist() if len(labels) else (40, 40)
    parts: List[str] = [_line(places[a], places[b], label, directed) for a, b, label in edges]
    for place, label in zip(places, labels):
        parts.append(f'<circle cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="{_RADIUS}"'
                     f' fill="{colour(label)}"/>')
        parts.append(_text(place, label[:4], "#fff", 11 if len(label) < 3 else 8))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
            f' viewBox="0 0 {width:.0f} {height:.0f}" role="img"><title>{escape(title)}</title>'
            + "".join(parts) + "</svg>")


def gallery(pictures: List[Tuple[str, str]], rest: str) -> str:
    """Pictures side by side, each with a caption."""
    cells = "".join(
        '<figure style="display:inline-block;margin:6px;text-align:center;vertical-align:top">'
        f"{picture}<figcaption>{escape(caption)}</figcaption></figure>"
        for picture, caption in pictures)
    return f"<div>{cells}</div>" + _show.paragraph(rest)
