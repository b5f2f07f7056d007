# SPDX-License-Identifier: BSD-3-Clause
"""What the pages of GSoFa's figures share: its published values, and speedups of runs."""
import statistics

from comparison import of_many, of_one_matrix, original, required
from drawing import draw_ratios, grouped_bars
from page import milliseconds, published_rows, table, times
from results import Ratio, geometric_mean, mean_text, range_text, ratio, three_digits

HARDWARE = "a V100 of 16 GB, six to a node"
LARGE = ("audikw_1", "dielFilterV2real", "Hamrle3", "pre2", "stomach", "twotone")


def said_of(experiment):
    """What the paper says over all matrices of an experiment."""
    rows, _ = published_rows("gsofa-ranges")
    return next(row["published"] for row in rows if row["id"] == experiment)


def said_of_matrices(experiment, what):
    """{matrix: published value} of the values that the text states."""
    rows, _ = published_rows("gsofa-values")
    return {row["matrix"]: float(row["published"]) for row in rows
            if row["id"] == experiment and row["what"] == what}


def published_matrices():
    """{matrix: (n, nnz)} of Table 1."""
    rows, _ = published_rows("gsofa-table1")
    return {row["matrix"]: (int(row["n"]), int(row["nnz"])) for row in rows}


def variants(results, *names):
    """{name: {matrix: run}} over the matrices that all of them have."""
    return required(results, **{name.replace("-", "_"): {"variant": name, "until": "symbolic"}
                                for name in names})


def known(results, name):
    """{matrix: run} of one variant, empty where there is none."""
    return results.by_matrix(variant=name, until="symbolic")


def speedups(base, other):
    """{matrix: time of base / time of other} of the symbolic step."""
    return {matrix: ratio(run, other[matrix], "symbolic") for matrix, run in base.items()
            if matrix in other}


def symbolic_ms(run):
    return milliseconds(run.seconds("symbolic").median)


def mean_of(values):
    return mean_text(geometric_mean(value.value for value in values))


def speedup_table(first, second, names):
    """Times of two variants and their ratio, for each matrix."""
    ratios = speedups(first, second)
    return table(["matrix", "n", f"{names[0]} ms", f"{names[1]} ms", "speedup"],
                 [[matrix, f"{run.get('matrix', 'n'):,}", symbolic_ms(run),
                   symbolic_ms(second[matrix]), times(ratios[matrix])]
                  for matrix, run in first.items()])


def bars(axes, series, label, log=False):
    groups = list(dict.fromkeys(matrix for values in series.values() for matrix in values))
    if log:
        draw_ratios(axes, groups, series, label)
    else:
        grouped_bars(axes, groups, series)
        axes.set_ylabel(label)


def exactly(value):
    return Ratio(value, value, value)


def compare_matrices(page, experiment, what, ours):
    """Rows for the matrices of which the text states a value; ours: {matrix: (value, run)}."""
    said = said_of_matrices(experiment, what)
    for value, run in ours.values():
        if original(run) in said:
            page.compare(of_one_matrix(what, said[original(run)], value, run, HARDWARE))


def compare_all(page, experiment, what, values, runs):
    """The range of all matrices, and where the paper has one behind it their arithmetic mean."""
    said, ours = said_of(experiment), range_text(values)
    if ", mean " in said:
        ours += f", mean {three_digits(statistics.fmean(values))}x"
    page.compare(of_many(what, said, ours, runs, HARDWARE))
