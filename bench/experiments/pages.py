"""One page per paper, docs/papers/NNN.md, or several if it is long (NNN-2.md): the text of page_NNN.md here, then every figure with our
numbers, the claim, and whether it holds.

All of it is made from committed tables by the same functions that judge a run, so that no sentence
about a result can differ from the numbers. The page shows the largest scale there is a table of.

SPDX-License-Identifier: Apache-2.0
"""
import hashlib
import json
import re
from pathlib import Path

import plots
import provenance
import results
from plot import can_draw
from problem import Problem, note
from model import PROGRAMS
from results import NO_CLAIM, OPEN, WORDS

HERE = Path(__file__).resolve().parent
ORDER = ("paper", "small", "tiny")
LONGEST_PAGE = 400  # lines; further figures go on the next page


def verdict_of(figure, found):
    """The verdict of a figure, which must have a cause."""
    verdict = figure.verdict(found)
    if verdict.word not in WORDS or not (verdict.cause or verdict.word == NO_CLAIM and verdict.numbers):
        raise Problem(f"figure {figure.id}: no verdict: {verdict!r}")
    return verdict


def tables_of(paper, folder):
    """{scale: (figures, heads, paths)} of the newest tables."""
    found = {}
    for scale in ORDER:
        paths = results.newest(paper.number, scale, folder)
        if paths and (scale != "tiny" or not found):
            found[scale] = (*results.joined(paths), paths)
    return found


def shown(value):
    """Formats a number with three significant digits and commas."""
    if value == 0 or value is None:
        return "" if value is None else "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def shown_x(x):
    number = results.number(x)
    return x if isinstance(number, str) else f"{number:,.10g}"


def cell_text(found, system, x, metric):
    """A number, or a short word for why there is none."""
    value = found.value(system, x, metric)
    if value is not None:
        return shown(value)
    status = found.status(system, x)
    predicted = found.predicted(system, x)
    if predicted is not None:
        least = "more than " if "more than" in status else ""
        return f"(predicted {least}{shown(predicted)})" if metric == "wall" else "–"
    return "–" if status in ("", results.MEASURED) else status.split(":")[0].replace(", stopped", "")


def table_of(panel, figure, found):
    """The table of a panel: a line for every x, a column for every system that has a number."""
    systems = [name for name in panel.systems or found.systems if name in found.systems
               and (found.curve(name, panel.metric)
                    or any(found.predicted(name, x) is not None for x in found.xs))]
    if not systems:
        return ["", f"*{panel.label}: nothing was measured.*"]
    lines = ["", f"{panel.label}:", "",
             f"| {figure.x} | patterns | " + " | ".join(marked(found, system) for system in systems) + " |",
             "|---" * (len(systems) + 2) + "|"]
    for x in found.xs:
        cells = [cell_text(found, system, x, panel.metric) for system in systems]
        if any(cells):
            count = found.count(x)
            lines.append(f"| {shown_x(x)} | {'' if count is None else f'{count:,}'} | "
                         + " | ".join(cells) + " |")
    return lines


def marked(found, system):
    """A system's name, with a star if its numbers are from another machine than the first."""
    return system + (r" \*" if elsewhere(found, [system]) else "")


def elsewhere(found, systems):
    """The other machines on which systems were measured."""
    return list(dict.fromkeys(line["elsewhere"] for line in found.lines
                              if line["system"] in systems and line.get("elsewhere")))


def gaps_of(found):
    """One line for every system without any number: its name and the reason."""
    lines = []
    for system in found.systems:
        if not found.curve(system):
            why = "; ".join(dict.fromkeys(results.reason(found.status(system, x)) for x in found.xs
                                          if found.status(system, x)))
            if "predicted" not in why:
                lines.append(f"{system}: {why}")
    single = any(found.curve(line["system"]) and line["status"] == "not run" for line in found.lines)
    more = ["", "*Not run* in a table means that the time for measuring was used up."] if single else []
    return (["", "Gaps: " + ". ".join(lines) + "."] if lines else []) + more


def scales_of(figure, tables):
    """The scales of a figure: first those at which it is answered, then the others, in the usual
    order."""
    found = [scale for scale in ORDER if scale in tables and figure.id in tables[scale][0]]
    return sorted(found, key=lambda scale: verdict_of(figure, tables[scale][0][figure.id]).word == OPEN)


def figure_text(paper, figure, tables):
    """The section of a figure."""
    scales = scales_of(figure, tables)
    lines = ["", f"## {heading(figure)}", "", figure.varied]
    if not scales:
        return [*lines, "", f"**Claim.** {figure.claim}", "", "Not measured yet."]
    found = tables[scales[0]][0][figure.id]
    lines += ["", f"![{heading(figure)}]({plot_name(paper, figure)})", "", f"At `{scales[0]}`."]
    for panel in figure.panels:
        lines += table_of(panel, figure, found)
    others = elsewhere(found, found.systems)
    lines += ["", rf"\* measured without a GPU, on: {'; '.join(others)}."] if others else []
    lines += gaps_of(found)
    lines += ["", f"**Claim.** {figure.claim}"]
    lines += ["", f"Repeat it: `./dev experiment {paper.number} --figure '{figure.id}' --scale {scales[0]}`."]
    for i, scale in enumerate(scales):
        where = "" if i == 0 else f"At `{scale}`: "
        lines += ["", where + verdict_of(figure, tables[scale][0][figure.id]).text()]
    return lines


def made_text(paper, tables):
    """How the numbers of the largest scale came about: commands, programs and data."""
    _, heads, _ = next(iter(tables.values()))
    known = {}
    for head in reversed(heads):
        known.update(head)
    rows = [("program", "command", "command of "), ("data", "made by, or read from", "data ")]
    lines = ["", "## Commands and data", "", "`{gpu}` is the device, `{plain}` the data, `{support}`, `{percent}` and "
             "`{minsup}` the threshold as a share, in percent and as a count."]
    for first, second, start in rows:
        entries = {name[len(start):]: text for name, text in known.items() if name.startswith(start)}
        if entries:
            lines += ["", f"| {first} | {second} |", "|---|---|"]
            lines += [f"| {name} | `{text.replace('|', chr(92) + '|')}` |" for name, text in entries.items()]
        if start == "command of ":
            lines += others_text(paper, known)
    return lines


def others_text(paper, known):
    """The programs that are not lode's: source, version and flags."""
    used = dict.fromkeys(system.peer for figure in paper.figures for system in figure.systems if system.peer)
    lines = []
    for name in used:
        version = known.get(f"version of {name}", "")
        lines.append(f"| `{name}` | {PROGRAMS.get(name, 'unknown')} | "
                     f"{f'the program says {version}' if version else 'the program does not say it'} |")
    return ["", "| other program | source and options | version |", "|---|---|---|", *lines] if lines else []


def heading(figure):
    name = figure.id if figure.id[0].isalpha() or figure.id[0] == "§" else f"Figure {figure.id}"
    return f"{name[0].upper()}{name[1:]}: {figure.title}"


def plot_name(paper, figure):
    return f"{paper.number}-{figure.slug}.svg"


def summary_text(paper, tables):
    """The table of all verdicts."""
    lines = ["", "## In short", "", "| figure | varied | answer |", "|---|---|---|"]
    for figure in paper.figures:
        scale = next(iter(scales_of(figure, tables)), None)
        word = verdict_of(figure, tables[scale][0][figure.id]).word if scale else "not measured yet"
        word += f" (at `{scale}`)" if scale and scale != next(iter(tables)) else ""
        lines.append(f"| {figure.id} | {figure.title} | {word} |")
    return lines


def changed_text(head):
    """Says which engines have changed since a table was measured."""
    measured = dict(word.split("=") for word in head.get("engines", "").split())
    changed = [f"`{folder}`" for folder, code in provenance.engines().items() if measured.get(folder) != code]
    return ["", f"**The code has changed since**, in {', '.join(changed)}."] if changed else []


def limit_text(head):
    """What the head of a table says about the limit and the number of runs."""
    return f"; limit {head['limit']}" if "limit" in head else ""


def pages_of(paper, tables, folder=HERE):
    """The pages of a paper: {name of the file: text}."""
    written = folder / f"page_{paper.number}.md"
    opening = written.read_text(encoding="utf-8").rstrip("\n") if written.exists() \
        else f"# {paper.number}: {paper.title}"
    lines = [*opening.split("\n"), *summary_text(paper, tables)]
    if paper.remarks and tables:
        lines += [line for text in paper.remarks(next(iter(tables.values()))[0]) for line in ("", text)]
    for scale, (_, heads, paths) in tables.items():
        for head, path in zip(heads, paths):
            lines += ["", f"Numbers at `{scale}`: [{path.name}](../../bench/results/{path.name}); "
                      f"{head.get('gpu', 'no GPU')}; {head.get('cpu', '')}; commit {head.get('commit', '')}, "
                      f"{head.get('date', '')}{limit_text(head)}."]
        lines += changed_text(heads[0])
    lines += ["", "The numbers are means over all runs of a point; error bars in the plots are standard deviations. A "
              "number in parentheses is a prediction for a run that was not started, because the run or the whole "
              "experiment would have taken too long. `patterns` is the number of patterns; all systems found exactly "
              f"this number. `./dev experiment {paper.number}` writes this page. To measure the numbers anew, add "
              "`--scale small` or, on a GPU, `--scale paper`."]
    pages = [lines]
    texts = [figure_text(paper, figure, tables) for figure in paper.figures]
    for text in [*texts, *([made_text(paper, tables)] if tables else [])]:
        if len(pages[-1]) + len(text) > LONGEST_PAGE - 2:  # two lines for the link
            name = f"{paper.number}-{len(pages) + 1}.md"
            pages[-1] += ["", f"Further figures are on [{name}]({name})."]
            pages.append([f"# {paper.number}: {paper.title}, continued", "",
                          f"The summary and the first figures are on [{paper.number}.md]({paper.number}.md)."])
        pages[-1] += text
    return {f"{paper.number}{f'-{i}' if i > 1 else ''}.md": "\n".join(page) + "\n"
            for i, page in enumerate(pages, 1)}


# --- writing and checking -------------------------------------------------------------------------


def stamp_of(figure, found):
    """A hash of what a plot shows, by which --check knows whether it is current."""
    about = [figure.id, figure.title, figure.x, figure.log_x,
             [(panel.metric, panel.label, panel.log, panel.kind, panel.systems)
              for panel in figure.panels], found.lines]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]


def drawn(paper, tables):
    """(figure, Results) of every figure that has a plot."""
    for figure in paper.figures:
        for scale in scales_of(figure, tables)[:1]:
            yield figure, tables[scale][0][figure.id]


def all_texts(papers, tables):
    """{name of the file: text} of every page. tables: {number of a paper: its tables}."""
    import verdict_table  # which uses this module
    texts = {name: text for paper in papers for name, text in pages_of(paper, tables[paper.number]).items()}
    if verdict_table.is_whole(papers):
        texts[verdict_table.NAME] = verdict_table.page_of(papers, tables)
    return texts


def write_all(papers, folder, docs):
    """Writes pages, and plots where that is possible."""
    docs.mkdir(parents=True, exist_ok=True)
    if not can_draw():
        note("no plots: matplotlib is not installed (python3-matplotlib)")
    tables = {paper.number: tables_of(paper, folder) for paper in papers}
    for name, text in all_texts(papers, tables).items():
        (docs / name).write_text(text, encoding="utf-8")
    for paper in papers if can_draw() else ():
        for figure, found in drawn(paper, tables[paper.number]):
            stamp, path = stamp_of(figure, found), docs / plot_name(paper, figure)
            if not path.exists() or stamp not in path.read_text(encoding="utf-8"):
                plots.draw(figure, found, path, stamp)


def check_all(papers, folder, docs):
    """Reports what is out of date; returns the exit status."""
    tables = {paper.number: tables_of(paper, folder) for paper in papers}
    old = [docs / name for name, text in all_texts(papers, tables).items()
           if not (docs / name).exists() or (docs / name).read_text(encoding="utf-8") != text]
    for paper in papers:
        for figure, found in drawn(paper, tables[paper.number]):
            path = docs / plot_name(paper, figure)
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            if not re.search(stamp_of(figure, found), text):
                old.append(path)
    for path in old:
        note(f"{path} is not current; ./dev experiment all --pages writes it")
    return 1 if old else 0
