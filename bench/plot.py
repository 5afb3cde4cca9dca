"""Plots as SVG, by matplotlib where that is installed; nothing else in bench/ needs it.

A drawing is plain data, so that it can be compared without being drawn:

    {"title": "…", "kind": "lines",                         or "bars"
     "x": {"label": "…", "log": True},                      bars: {"label": "…", "names": ["a", "b"]}
     "y": {"label": "…", "log": True},
     "series": [{"name": "…", "x": [1, 10], "y": [0.1, 1.2],  bars: no "x"; None in "y" is a gap
                 "error": [0.01, 0.1],                        half the height of the bar, or [below, above]
                 "dashed": False}]}

The file holds a digest of the drawing: `is_current()` tells whether it shows these numbers, whatever
version of matplotlib drew it. The background is transparent, and all colours and greys stand out from
white and from black; series differ in their marks as well, for those who print without colours.

SPDX-License-Identifier: Apache-2.0
"""
import hashlib
import io
import json
import re
from pathlib import Path

GREY = "#808890"  # as far from white as from black
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#8c6bb1", "#7f7f7f",
           "#a65628", "#1b9e9e")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "---", "ooo", "+++")


def can_draw():
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def digest(drawing):
    """A fingerprint of what a drawing shows: six digits of every number."""
    def rounded(value):
        if isinstance(value, float):
            return f"{value:.6g}"
        if isinstance(value, dict):
            return {key: rounded(inner) for key, inner in value.items()}
        return [rounded(inner) for inner in value] if isinstance(value, (list, tuple)) else value
    text = json.dumps(rounded(drawing), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_current(path, drawing):
    """Whether the file shows this drawing."""
    path = Path(path)
    return path.exists() and f"<!-- data: {digest(drawing)} -->" in path.read_text(encoding="utf-8")


def error_of(series):
    """Error bars in matplotlib's form: heights, or below and above; None if there are none."""
    error = series.get("error")
    if not error:
        return None
    if isinstance(error[0], (list, tuple)):
        return [[below for below, _ in error], [above for _, above in error]]
    return error


def draw_lines(axes, drawing):
    for i, series in enumerate(drawing["series"]):
        points = [k for k, y in enumerate(series["y"]) if y is not None]
        error = error_of(series) if len(points) == len(series["y"]) else None
        axes.errorbar([series["x"][k] for k in points], [series["y"][k] for k in points], yerr=error,
                      label=series["name"], color=COLOURS[i % len(COLOURS)],
                      marker=None if series.get("dashed") else MARKS[i % len(MARKS)],
                      linestyle="--" if series.get("dashed") else "-", markersize=4.5,
                      linewidth=1 if series.get("dashed") else 1.5, capsize=2.5)


def draw_bars(axes, drawing):
    n, groups = len(drawing["series"]), len(drawing["x"]["names"])
    width = 0.8 / n
    for i, series in enumerate(drawing["series"]):
        places = [group - 0.4 + width * (i + 0.5) for group in range(groups)]
        heights = [0 if y is None else y for y in series["y"]]
        axes.bar(places, heights, width, yerr=error_of(series), label=series["name"], capsize=2,
                 color=COLOURS[i % len(COLOURS)], hatch=HATCHES[i % len(HATCHES)], linewidth=0,
                 ecolor=GREY)
        for place, y in zip(places, series["y"]):
            if y is None:
                axes.annotate("–", (place, 0), xycoords=("data", "axes fraction"), ha="center",
                              va="bottom", color=GREY)
    axes.set_xticks(range(groups))
    axes.set_xticklabels(drawing["x"]["names"])


def settings():
    """The style of all plots: text stays text, no background, grey words and axes."""
    return {"svg.hashsalt": "lode", "svg.fonttype": "none", "font.size": 9, "font.family": "sans-serif",
            "text.color": GREY, "axes.labelcolor": GREY, "axes.edgecolor": GREY, "axes.titlecolor": GREY,
            "axes.titlesize": 10, "xtick.color": GREY, "ytick.color": GREY, "grid.color": GREY,
            "grid.alpha": 0.25, "grid.linewidth": 0.6, "axes.grid": True, "axes.axisbelow": True,
            "axes.facecolor": "none", "figure.facecolor": "none", "legend.frameon": False,
            "legend.labelcolor": GREY, "legend.fontsize": 8}


def dress(axes, drawing):
    """Labels, scales and legend."""
    axes.set_title(drawing["title"])
    for name, setter, scale in (("x", axes.set_xlabel, axes.set_xscale),
                                ("y", axes.set_ylabel, axes.set_yscale)):
        setter(drawing[name]["label"])
        if drawing[name].get("log"):
            scale("log")
        elif name == "y":
            axes.set_ylim(bottom=0)
    if len(drawing["series"]) > 1:
        axes.legend()


def finished(text, shown):
    """The text of a file with the digest of what it shows, without what changes with matplotlib's
    version."""
    text = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", text, flags=re.S)
    text = re.sub(r"<g id=\"[^\"]*\">", "<g>", text)
    text = re.sub(r">\s+<", ">\n<", re.sub(r"[ \t]+$", "", text, flags=re.M))
    head, _, rest = text.partition("<svg ")
    return f"{head}<!-- data: {shown} -->\n<svg {rest}"


def draw(path, drawing):
    """Draws to a file; the same drawing and the same matplotlib make the same file."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    text = io.StringIO()
    with matplotlib.rc_context(settings()):
        figure, axes = pyplot.subplots(figsize=drawing.get("size", (5.6, 3.6)))
        (draw_bars if drawing.get("kind") == "bars" else draw_lines)(axes, drawing)
        dress(axes, drawing)
        figure.tight_layout()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(finished(text.getvalue(), digest(drawing)), encoding="utf-8")
