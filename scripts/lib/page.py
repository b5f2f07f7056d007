# SPDX-License-Identifier: BSD-3-Clause
"""Pages of Markdown with figures, made from result files."""
import argparse
import os
import re
import sys
from collections import namedtuple

from comparison import HEADER, comparison_row
from conditions import conditions
from drawing import draw_figure, parts_of
from results import ResultError, load, read_reference

REFERENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "results",
                         "reference")

NUMBER = re.compile(r"^(-|[-+]?[\d.,]+(e[-+]?\d+)?[%x]?( \[[\d.,]+, [\d.,]+\])?)$")


def table(header, rows):
    """A Markdown table; columns of numbers are aligned to the right."""
    texts = [[str(cell) for cell in row] for row in rows]
    align = ["---:" if all(NUMBER.match(row[k]) for row in texts) else "---"
             for k in range(len(header))]
    lines = ["| " + " | ".join(row) + " |" for row in [header, align, *texts]]
    return "\n".join(lines)


def milliseconds(seconds):
    """Three digits; a dash for what is not known."""
    if seconds is None:
        return "-"
    return f"{1e3 * seconds:,.0f}" if seconds >= 1 else f"{1e3 * seconds:.3g}"


def percent(share):
    return "-" if share is None else f"{100 * share:.2f}%"


def count(value):
    return "-" if value is None else f"{value:,}"


def times(ratio):
    """With its 95% interval where there is one."""
    def digits(value):
        return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"
    if ratio is None:
        return "-"
    interval = f" [{digits(ratio.low)}, {digits(ratio.high)}]" if ratio.known else ""
    return digits(ratio.value) + interval


def published_rows(name):
    """The published rows of results/reference/NAME.tsv and their source."""
    return read_reference(os.path.join(REFERENCE, name + ".tsv"))


def published_range(experiment):
    """What a paper says of an experiment of which it gives no numbers by matrix."""
    rows, _ = published_rows("e2e-ranges")
    return next(row["published"] for row in rows if row["id"] == experiment)


SMALLEST = 7


def smallest_of_table2():
    """The 7 matrices of E2E Table 2 with the fewest rows, of Figures 5 and 6 and Table 3."""
    rows, _ = published_rows("e2e-table2")
    return [row["matrix"] for row in sorted(rows, key=lambda row: int(row["n"]))[:SMALLEST]]


def counted(number, noun):
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def claim_table(claims):
    rows = [claim.row() for claim in claims]
    for claim, before, row in zip(claims[1:], claims, rows[1:]):
        if claim.why == before.why:
            row[-1] = f"**{claim.verdict}**: as above"
    return table(["claim", "paper", "ours", "verdict"], rows)


def folded(summary, text):
    """Markdown that readers see on a click; html_page.py and other converters know the tags."""
    return f"<details>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"


class FigureLink(namedtuple("FigureLink", "title name")):
    """The place of a figure in a page."""

    def markdown(self, folder=""):
        return f"![{self.title}]({folder}{self.name}.svg)"


class Page:
    """Text and figures under a common title, which names the hardware and the stand-ins."""

    def __init__(self, title, results, runs=None):
        """runs: those that the numbers come from, where not from all that are ok."""
        self.title, self.results, self.figures, self.comparisons = title, results, {}, []
        self.claims = []
        self.hardware = results.hardware(runs)
        self.conclusion = None
        self.caption = conditions(results, results.select() if runs is None else runs)
        self.parts = [f"# {title}", self.provenance(), *filter(None, [self.caption])]

    def provenance(self):
        stand_ins = self.results.stand_ins()
        if not stand_ins:
            return f"Measured on {self.hardware}. No stand-ins."
        named = ", ".join(f"{name} for {original}" for name, original in stand_ins)
        return (f"Measured on {self.hardware}. Stand-ins (generated matrices of the "
                f"same class, not the published ones): {named}.")

    def figure_title(self, text):
        used = "with stand-ins" if self.results.stand_ins() else "no stand-ins"
        return f"{text}\n{self.hardware}, {used}"

    def add(self, *paragraphs):
        self.parts += [text for text in paragraphs if text]

    def add_figure(self, name, title, draw):
        """draw(axes) fills the axes of one figure: NAME.svg, and NAME.png on request."""
        self.figures[name] = (self.figure_title(title), draw)
        self.parts.append(FigureLink(title, name))

    def add_panels(self, name, title, panels):
        """The same with several axes below each other; panels: {title of one: draw(axes)}."""
        self.figures[name] = (self.figure_title(title), panels)
        self.parts.append(FigureLink(title, name))

    def add_split_figure(self, name, title, groups, draw):
        """The same of bars; draw(axes, part of the groups) fills a panel with what fits it."""
        parts = parts_of(groups)
        if len(parts) == 1:
            self.add_figure(name, title, lambda axes: draw(axes, groups))
        else:
            self.add_panels(name, title, {f"{part[0]} to {part[-1]}": lambda axes, part=part:
                                          draw(axes, part) for part in parts})

    def figure_links(self):
        return [part for part in self.parts if isinstance(part, FigureLink)]

    def conclude(self, text):
        """What the page shows, in a few sentences, which the report repeats."""
        self.conclusion = text
        self.parts.append(text)

    def claim(self, *claims):
        """What a paper claims, and whether it holds here, for the page's end and the report."""
        self.claims += claims

    def compare(self, *comparisons):
        """Published numbers beside ours, for the end of the page and for the report."""
        self.comparisons += comparisons

    def comparison_tables(self, folder):
        """What can be compared, and folded away behind it what cannot."""
        rows = {True: [], False: []}
        for comparison in self.comparisons:
            rows[comparison.comparable == "no"].append(
                comparison_row(comparison, self.results, folder))
        parts = [table(HEADER, rows[False])] if rows[False] else []
        if rows[True]:
            parts.append(folded(f"{counted(len(rows[True]), 'number')} that cannot be compared",
                                table(HEADER, rows[True])))
        return "\n\n".join(parts)

    def text(self, folder, with_figures=True):
        """The page as Markdown, with links to its figures where these are drawn."""
        parts = [part.markdown() if isinstance(part, FigureLink) else part for part in self.parts
                 if with_figures or not isinstance(part, FigureLink)]
        if self.claims:
            parts.append("## Claims\n\n" + claim_table(self.claims))
        if self.comparisons:
            parts.append("## Paper and ours\n\n" + self.comparison_tables(folder))
        failed = self.failures()
        if failed:
            parts.append("Runs that are not ok and in no number above:\n\n" + "\n".join(failed))
        parts.append("Raw records:\n\n" + "\n".join(self.results.source_lines(folder)))
        return "\n\n".join(parts) + "\n"

    def failures(self):
        """A line for each way to fail, with the runs that did."""
        runs = {}
        for run in self.results.not_ok():
            why = (run.get("error", "message") or "no message").splitlines()[0]
            runs.setdefault((run.record["outcome"], why), []).append(run.label())
        return [f"- {outcome} ({why}): {', '.join(labels)}"
                for (outcome, why), labels in runs.items()]

    def write(self, folder, name, pictures=("svg",)):
        """FOLDER/NAME.md and its figures in each of the formats; returns the text."""
        os.makedirs(folder, exist_ok=True)
        text = self.text(folder, with_figures=bool(pictures))
        with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as file:
            file.write(text)
        for figure, (title, draw) in self.figures.items() if pictures else ():
            draw_figure(os.path.join(folder, figure), title, draw, pictures,
                        {matrix for matrix, _ in self.results.stand_ins()})
        return text


def add_picture_options(parser):
    parser.add_argument("--no-figures", action="store_true",
                        help="only the text: does without matplotlib")
    parser.add_argument("--png", action="store_true", help="figures as NAME.png too")


def chosen_pictures(arguments):
    """The formats of figures that the options ask for."""
    if arguments.no_figures:
        return ()
    return ("svg", "png") if arguments.png else ("svg",)


def page_main(name, description, make_page):
    """The command line of a page: RESULT.json ... [--output DIR]. make_page(results) gives the
    Page, whose text is printed and written."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("results", nargs="+", metavar="RESULT.json")
    parser.add_argument("--output", metavar="DIR", help=f"folder for {name}.md and its figures; "
                        "without it the text is printed only")
    add_picture_options(parser)
    arguments = parser.parse_args()
    try:
        page = make_page(load(arguments.results))
        if arguments.output:
            text = page.write(arguments.output, name, chosen_pictures(arguments))
        else:
            text = page.text(".", with_figures=False)
    except ResultError as error:
        print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)
        return 1
    print(text, end="")
    return 0
