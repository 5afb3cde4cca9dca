"""Plots of figures as SVG, by matplotlib where it is installed.

One file serves print and dark pages: the background is transparent, lines have colours that stand out
on both, and all text and axes use one grey that a style sheet in the file turns light on dark pages.
Text stays text. The same numbers give the same bytes: no date, fixed identifiers.

SPDX-License-Identifier: Apache-2.0
"""
import io
import re

from plot import COLOURS, MARKS
from problem import note
from results import MEASURED, number

INK = "#444444"


def draw(figure, found, path, stamp):
    """Writes the plot of a figure."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    with pyplot.rc_context({"svg.fonttype": "none", "svg.hashsalt": "lode", "font.size": 9,
                            "font.family": "sans-serif", "text.color": INK, "axes.labelcolor": INK,
                            "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
                            "axes.spines.top": False, "axes.spines.right": False,
                            "figure.facecolor": "none", "axes.facecolor": "none",
                            "legend.frameon": False, "legend.labelcolor": INK}):
        image = arrange(pyplot, figure, found)
        text = io.StringIO()
        image.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        pyplot.close(image)
    path.write_text(finished(text.getvalue(), stamp), encoding="utf-8")
    if path.stat().st_size > 60000:
        note(f"{path.name}: {path.stat().st_size:,} bytes")


def arrange(pyplot, figure, found):
    """The panels side by side, one legend for all above them, gaps by name below."""
    n = len(figure.panels)
    wide = 4.4 * n
    gaps = [f"{name}: {gap_of(found, name)}" for name in found.systems
            if not found.curve(name) and not predictions(found, name)]
    columns = max(1, int(wide / 1.75))
    legend = 0.2 * -(-len(found.systems) // columns) + 0.12
    below = 0.48 + (0.35 if slanted(found) else 0) + 0.14 * len(gaps)
    high = legend + 2.6 + below
    image, axes = pyplot.subplots(1, n, figsize=(wide, high), squeeze=False)
    image.subplots_adjust(left=0.62 / wide, right=1 - 0.1 / wide, top=1 - legend / high, bottom=below / high,
                          wspace=0.24)
    drawn = {}
    for axis, panel in zip(axes[0], figure.panels):
        draw_panel(axis, panel, figure, found)
        for handle, label in zip(*axis.get_legend_handles_labels()):
            drawn.setdefault(label, handle)
    image.legend(list(drawn.values()), list(drawn), loc="upper left", ncol=columns, fontsize=8,
                 borderaxespad=0.2, columnspacing=1.2)
    image.text(0.1 / wide, 0.04 / high, "\n".join(gaps), fontsize=7, va="bottom")
    return image


def slanted(found):
    """Whether labels of the x axis are too long to fit side by side."""
    return any(isinstance(number(x), str) for x in found.xs) and (
        len(found.xs) > 5 or max(map(len, found.xs)) > 8)


def draw_panel(axis, panel, figure, found):
    systems = [name for name in panel.systems or found.systems if name in found.systems]
    shown = [name for name in systems if found.curve(name, panel.metric)
             or panel.metric == "wall" and predictions(found, name)]
    numeric = panel.kind == "line" and all(not isinstance(number(x), str) for x in found.xs)
    for name in shown:
        draw_curve(axis, (panel, found.systems.index(name), name, shown, numeric), found)
    if not numeric:
        axis.set_xticks(range(len(found.xs)), [tick(x) for x in found.xs],
                        rotation=25 if slanted(found) else 0, ha="right" if slanted(found) else "center")
    elif figure.log_x and min(number(x) for x in found.xs) > 0:
        axis.set_xscale("log")
        plain(axis.xaxis)
    positive = all(value > 0 for name in shown for _, value in found.curve(name, panel.metric))
    if panel.log and shown and positive:
        axis.set_yscale("log")
        plain(axis.yaxis)
    elif shown:
        axis.set_ylim(bottom=0)
    axis.set_xlabel(figure.x)
    axis.set_ylabel(panel.label)
    axis.grid(alpha=0.25, linewidth=0.5)


def plain(axis):
    """Labels of a logarithmic axis as plain numbers, at powers of ten, or closer where it is short."""
    from matplotlib import ticker
    low, high = axis.get_view_interval()
    axis.set_major_locator(ticker.LogLocator(subs=(1.0,) if high / low > 100 else (1.0, 2.0, 5.0)))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_locator(ticker.NullLocator())


def predictions(found, name):
    """{x: seconds} of runs that were not started because they would have been too long."""
    pairs = {x: found.predicted(name, x) for x in found.xs}
    return {x: seconds for x, seconds in pairs.items() if seconds is not None}


def draw_curve(axis, what, found):
    """Draws one curve with error bars, or one group of bars. Predicted values are hollow."""
    panel, i, name, shown, numeric = what
    xs = [x for x in found.xs if found.value(name, x, panel.metric) is not None]
    values = [found.value(name, x, panel.metric) for x in xs]
    errors = [min(found.value(name, x, panel.metric, "sd"), 0.99 * abs(value))
              for x, value in zip(xs, values)]
    errors = errors if any(errors) else None  # one run each
    predicted = predictions(found, name) if panel.metric == "wall" else {}
    colour = COLOURS[i % len(COLOURS)]
    label = name if xs else f"{name} (predicted)"
    if panel.kind == "bars":
        width = 0.8 / len(shown)
        shift = (shown.index(name) + 0.5) * width - 0.4
        axis.bar([found.xs.index(x) + shift for x in xs], values, width, yerr=errors,
                 label=label if xs else None, color=colour, error_kw={"ecolor": INK, "elinewidth": 0.8})
        axis.bar([found.xs.index(x) + shift for x in predicted], list(predicted.values()), width,
                 label=None if xs else label, facecolor="none", edgecolor=colour, linestyle="--")
        return

    def places(some):
        return [number(x) for x in some] if numeric else [found.xs.index(x) for x in some]
    mark = MARKS[i % len(MARKS)]
    if xs:
        axis.errorbar(places(xs), values, yerr=errors, label=label, color=colour, linewidth=1.3, marker=mark,
                      markersize=4, capsize=2)
    if predicted:
        axis.plot(places(predicted), list(predicted.values()), label=None if xs else label, color=colour,
                  linestyle="none", marker=mark, markersize=5, fillstyle="none")


def tick(x):
    value = number(x)
    return x if isinstance(value, str) else f"{value:,.10g}"


def gap_of(found, name):
    """Why a system has no number at all, in a few words."""
    why = [found.status(name, x) for x in found.xs if found.status(name, x)]
    first = next((text for text in why if text != MEASURED), "not measured")
    return first if len(first) < 50 else first[:47] + "…"


def finished(text, stamp):
    """The file with the style for dark pages, without text that changes with matplotlib's version.
    """
    text = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", text, flags=re.S)
    text = re.sub(r">\s+<", ">\n<", text)
    text = re.sub(r"\b(?:d|x|y|transform)=\"[^\"]*\"",
                  lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), text)
    text = re.sub(r"<g id=\"[^\"]*\">", "<g>", text)
    style = ("<style>@media (prefers-color-scheme: dark) { [style*=\"fill: #444\"] { fill: #c9c9c9 !important } "
             "[style*=\"stroke: #444\"] { stroke: #c9c9c9 !important } }</style>")
    head, rest = text.split("<defs>", 1)
    return f"{head}{style}\n<!-- data: {stamp} -->\n<defs>{rest}"
