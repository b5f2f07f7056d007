# SPDX-License-Identifier: BSD-3-Clause
"""Runs of `lufact dense` by blocks and by order, and what the pages of DENSE's figures share."""
import math

from batch import by_key, name_of
from comparison import Comparison, what_there_is
from drawing import lines, logarithmic
from page import milliseconds, published_rows, table
from results import ResultError, three_digits

WHY = "the same experiment; the paper names no card, no precision and few sizes"


def order_of(run):
    return run.get("dense", "n")


def blocks_of(run):
    return run.get("dense", "blocks", "used")


def select(results, variant=None, precision="double", keep=None):
    """The ok runs of a scheme or of a foreign library."""
    return [run for run in results.select()
            if run.get("dense") is not None and (variant is None or name_of(run) == variant)
            and run.stage("precision") == precision and (keep is None or keep(run))]


def seconds(run):
    """Median by the wall: what the host has to do is part of these schemes."""
    return run.seconds("numeric").median


def gigaflops(run):
    return run.get("dense", "flops") / seconds(run) / 1e9


def by_blocks(results, variant):
    """{order: {blocks: run}} of the runs whose number of blocks the sweep set."""
    found = {}
    for run in select(results, variant, keep=lambda run: run.option("blocks") is not None):
        found.setdefault(order_of(run), []).append(run)
    return {order: by_key(runs, lambda run: int(run.option("blocks")))
            for order, runs in sorted(found.items())}


def by_order(results, variant, precision="double"):
    """{order: run} of the runs that go through the orders, with n/2 blocks."""
    return by_key(select(results, variant, precision,
                         lambda run: run.matrix.startswith("sizes")), order_of)


def require(found, results, what):
    if not found:
        raise ResultError(f"no verified runs of {what} in {', '.join(results.files)}: "
                          f"{what_there_is(results)}")


def published(experiment):
    """{what: what the paper says}"""
    rows, _ = published_rows("dense-ranges")
    return {row["what"]: row["published"] for row in rows if row["id"] == experiment}


def compared(what, paper, ours, run=None):
    return Comparison(what, paper, ours, "partly", WHY, run)


def growth(rates):
    """The power of n with which a rate grows between its smallest and largest order."""
    first, last = min(rates), max(rates)
    if first == last:
        return None
    return math.log(rates[last] / rates[first]) / math.log(last / first)


def draw_times(axes, series):
    """series: {scheme: {blocks: run}}"""
    lines(axes, {name: [(blocks, 1e3 * seconds(run)) for blocks, run in runs.items()]
                 for name, runs in series.items()})
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    axes.set_xlabel("thread blocks asked for")
    axes.set_ylabel("ms")


def draw_rates(axes, series):
    """series: {scheme: {order: run}}"""
    lines(axes, {name: [(order, gigaflops(run)) for order, run in runs.items()]
                 for name, runs in series.items()})
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    axes.set_xlabel("order of the matrix")
    axes.set_ylabel("Gflop/s")


def times_table(head, series):
    """A row for each key of any series: {scheme: {key: run}}."""
    keys = sorted({key for runs in series.values() for key in runs})
    return table([head, *(f"{name} ms" for name in series)],
                 [[f"{key:,}", *(milliseconds(seconds(runs[key])) if key in runs else "-"
                                 for runs in series.values())] for key in keys])


def rates_table(series):
    keys = sorted({key for runs in series.values() for key in runs})
    return table(["n", *(f"{name} Gflop/s" for name in series)],
                 [[f"{key:,}", *(three_digits(gigaflops(runs[key])) if key in runs else "-"
                                 for runs in series.values())] for key in keys])


def fastest(runs):
    """The key of the run that takes the least time."""
    return min(runs, key=lambda key: seconds(runs[key]))
