# SPDX-License-Identifier: BSD-3-Clause
"""Published numbers beside ours: paper | ours | ratio | comparable? why, with the raw record."""
import os
from collections import namedtuple

from results import ResultError, three_digits

# paper and ours are numbers or texts; run is the one that `ours` is from, or None for several.
Comparison = namedtuple("Comparison", "what paper ours comparable why run")

HEADER = ["what", "paper", "ours", "ours / paper", "comparable?", "raw record"]
STAND_IN = "a stand-in of the same class, with another structure and fill"


def original(run):
    """The name of the published matrix that a run stands for, without its group."""
    return (run.stand_in_for or run.matrix).split("/")[-1]


def of_one_matrix(what, paper, ours, run, hardware=None):
    """A comparison on one matrix, for which a stand-in is not good enough. hardware: what the
    paper measured on, None for a count, which no machine changes."""
    if run.stand_in_for or run.generated:
        comparable, why = "no", STAND_IN
    elif hardware is None:
        comparable, why = "yes", "the same matrix, and a count"
    else:
        comparable, why = "partly", f"the same matrix; the paper has {hardware}"
    return Comparison(f"{original(run)}: {what}", paper, ours, comparable, why, run)


def of_many(what, paper, ours, runs, hardware):
    """A comparison of a range or a mean over all matrices."""
    real = sum(1 for run in runs if not run.generated)
    why = (f"direction and size only; other matrices ({real} real, {len(runs) - real} generated) "
           f"and another machine; the paper has {hardware}")
    return Comparison(what, paper, ours, "partly", why, None)


def number_text(value):
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else three_digits(value)


def ratio_text(comparison):
    paper, ours = comparison.paper, comparison.ours
    if isinstance(paper, str) or isinstance(ours, str) or not paper or ours is None:
        return "-"
    return three_digits(ours / paper)


def record_link(comparison, results, folder):
    """To the file, with the place of the run in it."""
    run = comparison.run
    paths = [run.path] if run else list(results.files)
    place = f" runs[{run.index}]" if run else ""
    return ", ".join(f"[{os.path.basename(path)}]"
                     f"({os.path.relpath(path, folder).replace(os.sep, '/')}){place}"
                     for path in paths)


def comparison_row(comparison, results, folder):
    return [comparison.what, number_text(comparison.paper), number_text(comparison.ours),
            ratio_text(comparison), f"{comparison.comparable}: {comparison.why}",
            record_link(comparison, results, folder)]


def required(results, **selections):
    """{name: {matrix: run}} of several selections, which must have matrices in common.

    Each selection is a dictionary for Results.by_matrix. Only matrices that all of them have are
    kept. Raises ResultError saying what there is instead.
    """
    found = {name: results.by_matrix(**wanted) for name, wanted in selections.items()}
    common = [matrix for matrix in next(iter(found.values()))
              if all(matrix in runs for runs in found.values())]
    if not common:
        raise ResultError(f"no matrix has verified runs of {' and '.join(found)} in "
                          f"{', '.join(results.files)}: {what_there_is(results)}")
    return {name: {matrix: runs[matrix] for matrix in common} for name, runs in found.items()}


def what_there_is(results):
    """In one line: how the runs ended, and the first reason why one is not ok."""
    outcomes = {}
    for run in results.runs:
        outcomes[run.record["outcome"]] = outcomes.get(run.record["outcome"], 0) + 1
    counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()) or "no run"
    failed = results.not_ok()
    reason = (failed[0].get("error", "message") or "").splitlines() if failed else []
    return counts + (f" ({failed[0].label()}: {reason[0]})" if reason else "")


def ranks(values):
    """Ranks from 0, ties averaged."""
    order = sorted(range(len(values)), key=lambda k: values[k])
    result = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for k in order[first:last + 1]:
            result[k] = (first + last) / 2
        first = last + 1
    return result


def rank_correlation(first, second):
    """Spearman's, or None where one of the lists does not vary."""
    a, b = ranks(first), ranks(second)
    mean = (len(a) - 1) / 2
    spread_a = sum((x - mean) ** 2 for x in a)
    spread_b = sum((y - mean) ** 2 for y in b)
    if spread_a == 0 or spread_b == 0:
        return None
    return sum((x - mean) * (y - mean) for x, y in zip(a, b)) / (spread_a * spread_b) ** 0.5
