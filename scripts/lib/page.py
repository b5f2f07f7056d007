# SPDX-License-Identifier: BSD-3-Clause
"""Pages of Markdown with figures, made from result files."""
import argparse
import os
import re
import sys

from comparison import HEADER, comparison_row
from results import ResultError, load, read_reference

REFERENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "results",
                         "reference")

# Okabe and Ito's colours, which colour-blind people can tell apart; hatches and markers tell them
# apart in grey.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
HATCHES = ("", "///", "...", "xx", "\\\\\\", "++", "oo", "--")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

NUMBER = re.compile(r"^(-|[-+]?[\d.,]+(e[-+]?\d+)?[%x]?)$")


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


def times(ratio):
    return "-" if ratio is None else f"{ratio.value:.2f}"


def published_rows(name):
    """The published rows of results/reference/NAME.tsv and their source."""
    return read_reference(os.path.join(REFERENCE, name + ".tsv"))


def published_range(experiment):
    """What a paper says of an experiment of which it gives no numbers by matrix."""
    rows, _ = published_rows("e2e-ranges")
    return next(row["published"] for row in rows if row["id"] == experiment)


class Page:
    """Text and figures under a common title, which names the device and the stand-ins."""

    def __init__(self, title, results):
        self.title, self.results, self.figures, self.comparisons = title, results, {}, []
        self.conclusion = None
        self.parts = [f"# {title}", self.provenance()]

    def provenance(self):
        stand_ins = self.results.stand_ins()
        if not stand_ins:
            return f"Measured on {self.results.devices()}. No stand-ins."
        named = ", ".join(f"{name} for {original}" for name, original in stand_ins)
        return (f"Measured on {self.results.devices()}. Stand-ins (generated matrices of the same "
                f"class, not the published ones): {named}.")

    def figure_title(self, text):
        used = "with stand-ins" if self.results.stand_ins() else "no stand-ins"
        return f"{text}\n{self.results.devices()}, {used}"

    def add(self, *paragraphs):
        self.parts += [text for text in paragraphs if text]

    def add_figure(self, name, title, draw):
        """draw(axes) fills the axes of one figure: NAME.svg, and NAME.png on request."""
        self.figures[name] = (self.figure_title(title), draw)
        self.parts.append(f"![{title}]({name}.svg)")

    def add_panels(self, name, title, panels):
        """The same with several axes side by side; panels: {title of one: draw(axes)}."""
        self.figures[name] = (self.figure_title(title), panels)
        self.parts.append(f"![{title}]({name}.svg)")

    def conclude(self, text):
        """What the page shows, in a few sentences, which the report repeats."""
        self.conclusion = text
        self.parts.append(text)

    def compare(self, *comparisons):
        """Published numbers beside ours, for the end of the page and for the report."""
        self.comparisons += comparisons

    def comparison_table(self, folder):
        return table(HEADER, [comparison_row(comparison, self.results, folder)
                              for comparison in self.comparisons])

    def text(self, folder):
        parts = list(self.parts)
        if self.comparisons:
            parts.append("## Paper and ours\n\n" + self.comparison_table(folder))
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
        text = self.text(folder)
        with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as file:
            file.write(text)
        for figure, (title, draw) in self.figures.items() if pictures else ():
            draw_figure(os.path.join(folder, figure), title, draw, pictures)
        return text


def pyplot():
    try:
        import matplotlib
    except ImportError as error:
        raise ResultError("matplotlib is missing: install python3-matplotlib, or pass "
                          "--no-figures for the numbers alone") from error
    matplotlib.use("Agg")
    # The same input gives the same bytes.
    matplotlib.rcParams.update({"svg.hashsalt": "lufact", "font.size": 9, "axes.grid": True,
                                "axes.axisbelow": True, "grid.color": "#DDDDDD",
                                "axes.spines.top": False, "axes.spines.right": False,
                                "hatch.linewidth": 0.5})
    import matplotlib.pyplot
    return matplotlib.pyplot


# What makes the same figure give the same bytes.
SAVING = {"svg": {"metadata": {"Date": None, "Creator": "lufact"}},
          "png": {"metadata": {"Software": None}, "dpi": 150}}


def add_picture_options(parser):
    parser.add_argument("--no-figures", action="store_true",
                        help="only the text: does without matplotlib")
    parser.add_argument("--png", action="store_true", help="figures as NAME.png too")


def chosen_pictures(arguments):
    """The formats of figures that the options ask for."""
    if arguments.no_figures:
        return ()
    return ("svg", "png") if arguments.png else ("svg",)


def draw_figure(stem, title, draw, pictures):
    """draw(axes), or {title: draw(axes)} of several panels."""
    plot = pyplot()
    panels = draw if isinstance(draw, dict) else {None: draw}
    figure, axes = plot.subplots(1, len(panels), figsize=(7.5 * len(panels), 4), squeeze=False,
                                 layout="constrained")
    if len(panels) == 1:
        axes[0][0].set_title(title, fontsize=9)
    else:
        figure.suptitle(title, fontsize=9)
    for one, (panel, draw_panel) in zip(axes[0], panels.items()):
        if len(panels) > 1:
            one.set_title(panel, fontsize=9)
        draw_panel(one)
    for kind in pictures:
        figure.savefig(f"{stem}.{kind}", **SAVING[kind])
    plot.close(figure)


def grouped_bars(axes, groups, series):
    """A bar for each series in each group; series: {name: {group: Ratio or Spread-like (value, low,
    high)}}. A group that a series lacks has no bar."""
    width = 0.8 / max(1, len(series))
    for k, (name, values) in enumerate(series.items()):
        present = [(at, values[group]) for at, group in enumerate(groups) if group in values]
        if not present:
            continue
        heights = [value.value for _, value in present]
        errors = [[value.value - value.low for _, value in present],
                  [value.high - value.value for _, value in present]]
        places = [at - 0.4 + (k + 0.5) * width for at, _ in present]
        axes.bar(places, heights, width, yerr=errors, label=name, color=COLOURS[k % len(COLOURS)],
                 hatch=HATCHES[k % len(HATCHES)], edgecolor="black", linewidth=0.4,
                 error_kw={"elinewidth": 0.8, "capsize": 2})
    axes.set_xticks(range(len(groups)), groups, rotation=45, ha="right", fontsize=8)
    axes.figure.set_figwidth(max(7.5, 2.5 + 0.1 * len(groups) * (len(series) + 1)))
    add_legend(axes, series)


def add_legend(axes, series):
    """Beside the axes, where it hides nothing."""
    if any(series.values()):
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))


def stacked_bars(axes, groups, stacks):
    """stacks: {bar name: {part name: {group: height}}}. The bars of a group stand side by side;
    colours tell the bars apart, hatches the parts."""
    width = 0.8 / max(1, len(stacks))
    for k, (bar, parts) in enumerate(stacks.items()):
        places = [at - 0.4 + (k + 0.5) * width for at in range(len(groups))]
        below = [0.0] * len(groups)
        for at, (part, values) in enumerate(parts.items()):
            heights = [values.get(group, 0.0) for group in groups]
            axes.bar(places, heights, width, bottom=below, label=f"{bar}: {part}",
                     color=COLOURS[k % len(COLOURS)], hatch=HATCHES[at % len(HATCHES)],
                     edgecolor="black", linewidth=0.4)
            below = [sum(pair) for pair in zip(below, heights)]
    axes.set_xticks(range(len(groups)), groups, rotation=45, ha="right", fontsize=8)
    axes.figure.set_figwidth(max(7.5, 2.5 + 0.1 * len(groups) * (len(stacks) + 1)))
    add_legend(axes, stacks)


def lines(axes, series):
    """series: {name: [(x, y)]}; markers on a few points tell the lines apart in grey."""
    for k, (name, points) in enumerate(series.items()):
        axes.plot([x for x, _ in points], [y for _, y in points], label=name,
                  color=COLOURS[k % len(COLOURS)], marker=MARKERS[k % len(MARKERS)],
                  markevery=max(1, len(points) // 8), markersize=4, linewidth=1,
                  linestyle=("-", "--", "-.", ":")[k % 4])
    add_legend(axes, series)


def scatter(axes, series):
    """Points with vertical error bars; series: {name: [(x, Ratio)]}, both axes logarithmic."""
    for k, (name, points) in enumerate(series.items()):
        if not points:
            continue
        errors = [[p.value - p.low for _, p in points], [p.high - p.value for _, p in points]]
        axes.errorbar([x for x, _ in points], [p.value for _, p in points], yerr=errors,
                      linestyle="none", label=name, marker=MARKERS[k % len(MARKERS)],
                      color=COLOURS[k % len(COLOURS)], markeredgecolor="black",
                      markeredgewidth=0.4, markersize=5, elinewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    add_legend(axes, series)


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
            text = page.text(".")
    except ResultError as error:
        print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)
        return 1
    print(text, end="")
    return 0
