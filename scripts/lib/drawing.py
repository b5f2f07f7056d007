# SPDX-License-Identifier: BSD-3-Clause
"""What the figures of all pages are drawn with: bars, dots, lines and points, alike everywhere."""
import math

from compact_svg import make_compact
from results import ResultError

# Okabe and Ito's colours, which colour-blind people can tell apart; hatches and markers tell them
# apart in grey.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
HATCHES = ("", "///", "\\\\\\", "xx", "--", "++", "||", "oo")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

WIDTH = 7.0  # inches: one column of a page; 9 points stay legible there
MAX_BARS = 40  # in a figure of one column
MAX_GROUPS = 16  # of bars beside each other, for names that do not touch
WIDE_RANGE = 20  # from which series need a logarithmic axis
STAND_IN, STAND_IN_NAME = "paler, grey name: a stand-in", "#777777"
PALE = 0.35  # of a stand-in's colour, the rest is white
LEGEND_LETTERS, NARROW_LEGEND = 105, 75  # in a line; above axes beside which names stand
MISSING = "no run that is ok"

# What makes the same figure give the same bytes.
SAVING = {"svg": {"metadata": {"Date": None, "Creator": "lufact"}},
          "png": {"metadata": {"Software": None}, "dpi": 150}}


def pyplot():
    try:
        import matplotlib
    except ImportError as error:
        raise ResultError("matplotlib is missing: install python3-matplotlib, or pass "
                          "--no-figures for the numbers alone") from error
    matplotlib.use("Agg")
    # Letters stay letters: a reader can search them, and a file is a fifth as large.
    matplotlib.rcParams.update({"svg.hashsalt": "lufact", "svg.fonttype": "none", "font.size": 9,
                                "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
                                "axes.grid": True, "axes.axisbelow": True,
                                "grid.color": "#DDDDDD", "axes.spines.top": False,
                                "axes.spines.right": False, "hatch.linewidth": 0.5})
    import matplotlib.pyplot
    return matplotlib.pyplot


def draw_figure(stem, title, draw, pictures, stand_ins=frozenset()):
    """draw(axes), or {title: draw(axes)} of several panels below each other. stand_ins: names of
    matrices that are drawn paler than others."""
    plot = pyplot()
    panels = draw if isinstance(draw, dict) else {None: draw}
    figure, axes = plot.subplots(len(panels), 1, figsize=(WIDTH, 3.8 * len(panels)), squeeze=False,
                                 layout="constrained")
    figure.suptitle(title, fontsize=9)
    for one, (panel, draw_panel) in zip(axes[:, 0], panels.items()):
        one.stand_ins = stand_ins
        draw_panel(one)
        if panel and one.get_legend():
            one.get_legend().set_title(panel, prop={"size": 9})
        elif panel:
            one.set_title(panel, fontsize=9)
    for kind in pictures:
        figure.savefig(f"{stem}.{kind}", **SAVING[kind])
    plot.close(figure)
    if "svg" in pictures:
        make_compact(f"{stem}.svg")


def is_stand_in(axes, group):
    return group in getattr(axes, "stand_ins", ())


def shade(axes, group, colour):
    """The colour, paler for a stand-in."""
    if not is_stand_in(axes, group):
        return colour
    parts = (int(colour[k:k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 - PALE * (255 - part)):02X}" for part in parts)


def parts_of(groups):
    """The groups in as few parts of equal length as have no more than MAX_GROUPS each."""
    count = max(1, math.ceil(len(groups) / MAX_GROUPS))
    length = math.ceil(len(groups) / count)
    return [groups[first:first + length] for first in range(0, len(groups), length)] or [[]]


def add_legend(axes, series, letters=LEGEND_LETTERS):
    """Above the axes, where it hides nothing and takes no width."""
    if any(series.values()):
        if any(is_stand_in(axes, group) for values in series.values() for group in values):
            axes.plot([], [], linestyle="none", marker="s", color="#CCCCCC",
                      markeredgecolor="black", markeredgewidth=0.4, label=STAND_IN)
        named = sorted(zip(*axes.get_legend_handles_labels()),
                       key=lambda pair: pair[1] in (MISSING, STAND_IN))
        widest = max(len(name) for _, name in named)
        columns = max(1, min(len(named), letters // (widest + 6)))
        axes.legend(*zip(*named), fontsize=8, loc="lower left", bbox_to_anchor=(0, 1.01),
                    ncol=columns, borderaxespad=0, frameon=False)


def plain_ticks(axis, low, high):
    """0.5, 1, 2 in place of powers of ten on a logarithmic axis from low to high."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator
    decades = math.log10(high / low)
    steps = (1, 2, 5) if decades < 2 else (1, 3) if decades < 3 else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    places = [step * 10.0**power for power in powers for step in steps]
    shown = [v for v in places if low <= v <= high]
    axis.set_major_locator(FixedLocator(shown if len(shown) > 1 else even_ticks(low, high)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def even_ticks(low, high):
    """0.9, 1, 1.1 between ends so close that hardly a power or its half is between them."""
    sizes = [step * 10.0**power for power in range(-4, 1) for step in (1, 2, 5)]
    size = next((size for size in sizes if (high - low) / size <= 6), sizes[-1])
    return [k * size for k in range(math.ceil(low / size), math.floor(high / size) + 1)]


def logarithmic(axes, which):
    """Makes the axis x or y of what is drawn already logarithmic, with plain ticks."""
    getattr(axes, f"set_{which}scale")("log")
    plain_ticks(getattr(axes, which + "axis"), *getattr(axes, f"get_{which}lim")())


def ends_of(value):
    """The ends of its interval, or itself where it has none."""
    return (value.value, value.value) if value.low is None else (value.low, value.high)


def error_lengths(values):
    """Below and above each value, or None where nothing has an interval."""
    if not values or all(value.low is None for value in values):
        return None
    ends = [ends_of(value) for value in values]
    return [[max(0.0, value.value - low) for value, (low, _) in zip(values, ends)],
            [max(0.0, high - value.value) for value, (_, high) in zip(values, ends)]]


def ratio_limits(series):
    """Of a logarithmic axis that has room for every ratio with its error bar, and for 1."""
    ends = [end for values in series.values() for value in values.values()
            for end in ends_of(value)]
    low, high = min([1.0, *ends]), max([1.0, *ends])
    margin = max(1.05, (high / low) ** 0.05)
    return low / margin, high * margin


def draw_ratios(axes, groups, series, label, above=None, ordered=False):
    """Ratios on a logarithmic axis, each from 1, upwards or downwards: {name: {group: Ratio}}.
    Bars where they fit one column, otherwise dots, a line a group. A group that a series lacks is
    marked. label: what the axis shows; above: who is the better one above 1. ordered: the groups
    are in the order of what a claim is about, otherwise dots are sorted by their first ratio."""
    if above:
        label += f"\nabove 1: {above} is faster"
    if len(groups) * len(series) > MAX_BARS or len(groups) > MAX_GROUPS:
        ratio_dots(axes, groups, series, label, ordered)
    else:
        ratio_bars(axes, groups, series, label)


def ratio_bars(axes, groups, series, label):
    low, high = ratio_limits(series)
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    plain_ticks(axes.yaxis, low, high)
    side_by_side(axes, groups, series, base=1.0)
    mark_one(axes.axhline)
    axes.set_ylabel(label)


def mark_one(draw_line):
    """The ratio of two that take as long; the tick beside it says 1."""
    draw_line(1, color="black", linewidth=1.2)


def ratio_dots(axes, groups, series, label, ordered):
    """From the bottom: the groups as they are, or by their first known ratio."""
    low, high = ratio_limits(series)
    order = groups if ordered else sorted(groups, key=lambda group: next(
        (values[group].value for values in series.values() if group in values), 0.0))
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    plain_ticks(axes.xaxis, low, high)
    for k, (name, values) in enumerate(series.items()):
        present = [(at, group) for at, group in enumerate(order) if group in values]
        dots_of(axes, [pair for pair in present if not is_stand_in(axes, pair[1])], values, k, name)
        dots_of(axes, [pair for pair in present if is_stand_in(axes, pair[1])], values, k, None)
        mark_missing_dots(axes, [at for at, group in enumerate(order) if group not in values], k,
                          len(series))
    mark_one(axes.axvline)
    axes.set_yticks(range(len(order)), order, fontsize=8)
    grey_stand_ins(axes, axes.get_yticklabels())
    axes.set_ylim(-0.7, len(order) - 0.3)
    axes.set_xlabel(label)
    axes.figure.set_figheight(1.4 + 0.16 * len(order))
    axes.figure.set_figwidth(WIDTH)
    add_legend(axes, series, NARROW_LEGEND)


def dots_of(axes, places, values, k, name):
    """Dots of groups that are all stand-ins, or none of them; places: [(height, group)]. The k-th
    series is called `name` in the legend, where it has one."""
    if not places and not name:
        return
    found = [values[group] for _, group in places]
    colour = shade(axes, places[0][1], colour_of(k)) if places else colour_of(k)
    axes.errorbar([value.value for value in found], [at for at, _ in places],
                  xerr=error_lengths(found), label=name, elinewidth=0.8,
                  **{**point_style(k), "color": colour})


def grey_stand_ins(axes, names):
    for name in names:
        if is_stand_in(axes, name.get_text()):
            name.set_color(STAND_IN_NAME)


def colour_of(k):
    return COLOURS[k % len(COLOURS)]


def point_style(k):
    """Of the k-th series where it is drawn as points."""
    return {"linestyle": "none", "marker": MARKERS[k % len(MARKERS)], "markersize": 5,
            "color": COLOURS[k % len(COLOURS)], "markeredgecolor": "black",
            "markeredgewidth": 0.4}


def mark_missing_dots(axes, places, k, count):
    """Hollow markers of the k-th of `count` series to the right of the axes."""
    if k == 0:
        axes.text(1.02, 1.0, "missing", transform=axes.transAxes, fontsize=8, va="bottom",
                  color="#555555")
    if places:
        axes.plot([1.03 + 0.025 * (k % max(1, count))] * len(places), places, linestyle="none",
                  marker=MARKERS[k % len(MARKERS)], markersize=4, markerfacecolor="none",
                  markeredgecolor=COLOURS[k % len(COLOURS)], clip_on=False,
                  transform=axes.get_yaxis_transform())


def grouped_bars(axes, groups, series):
    """A bar for each series in each group, from 0 or the bottom of a logarithmic axis; series:
    {name: {group: Ratio or Spread-like (value, low, high)}}. A group that a series lacks is
    marked. What is around 1 is for draw_ratios()."""
    side_by_side(axes, groups, series, base=0.0)


def side_by_side(axes, groups, series, base):
    width = 0.8 / max(1, len(series))
    missing, empty = [], []
    for k, (name, values) in enumerate(series.items()):
        places = {group: at - 0.4 + (k + 0.5) * width for at, group in enumerate(groups)}
        missing += [places[group] for group in groups if group not in values]
        present = [group for group in groups if group in values]
        empty += [places[group] for group in present if values[group].value == base == 0]
        if not present:
            continue
        found = [values[group] for group in present]
        if is_stand_in(axes, present[0]):  # the legend shows the full colour
            axes.bar([0], [0], bottom=base or None, label=name, **bar_style(k), color=colour_of(k))
            name = None
        axes.bar([places[group] for group in present], [value.value - base for value in found],
                 width, bottom=base, yerr=error_lengths(found), label=name,
                 color=[shade(axes, group, colour_of(k)) for group in present], **bar_style(k),
                 error_kw={"elinewidth": 0.8, "capsize": 2})
    for place in empty:
        axes.annotate("0", (place, 0), xytext=(0, 1), textcoords="offset points", fontsize=8,
                      ha="center")
    if missing:
        axes.plot(missing, [0.02] * len(missing), linestyle="none", marker="x", markersize=4,
                  color="#555555", label=MISSING, transform=axes.get_xaxis_transform())
    name_groups(axes, groups)
    add_legend(axes, series)


def bar_style(k):
    return {"hatch": HATCHES[k % len(HATCHES)], "edgecolor": "black", "linewidth": 0.4}


def name_groups(axes, groups):
    axes.set_xticks(range(len(groups)), groups, rotation=45, ha="right", fontsize=8)
    grey_stand_ins(axes, axes.get_xticklabels())
    axes.grid(visible=False, axis="x")


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
                     color=[shade(axes, group, colour_of(k)) for group in groups],
                     **bar_style(at))
            below = [sum(pair) for pair in zip(below, heights)]
    name_groups(axes, groups)
    add_legend(axes, {bar: dict.fromkeys(groups) for bar in stacks})


def lines(axes, series):
    """series: {name: [(x, y)]}; markers on a few points tell the lines apart in grey."""
    for k, (name, points) in enumerate(series.items()):
        axes.plot([x for x, _ in points], [y for _, y in points], label=name,
                  color=COLOURS[k % len(COLOURS)], marker=MARKERS[k % len(MARKERS)],
                  markevery=max(1, len(points) // 8), markersize=4, linewidth=1,
                  linestyle=("-", "--", "-.", ":")[k % 4])
    add_legend(axes, series)


def steps(axes, series):
    """Values of ranges that follow each other; series: {name: [(first of the range, value)]}, with
    the end of the last range as (end, None)."""
    for k, (name, points) in enumerate(series.items()):
        edges = [first for first, _ in points]
        axes.stairs([value for _, value in points[:-1]], edges, label=name, baseline=None,
                    color=colour_of(k), linewidth=1, linestyle=("-", "--", "-.", ":")[k % 4])
    add_legend(axes, series)


def logarithmic_where_wide(axes, series):
    """Makes the y axis logarithmic where positive values differ by more than a factor of 20."""
    values = [value for points in series.values() for _, value in points if value]
    if values and max(values) > WIDE_RANGE * min(values):
        logarithmic(axes, "y")


def scatter(axes, series):
    """Points with vertical error bars; series: {name: [(x, Ratio)]}, both axes logarithmic."""
    for k, (name, points) in enumerate(series.items()):
        if not points:
            continue
        axes.errorbar([x for x, _ in points], [p.value for _, p in points],
                      yerr=error_lengths([p for _, p in points]),
                      label=name, elinewidth=0.8, **point_style(k))
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    add_legend(axes, series)
