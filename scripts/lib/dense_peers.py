# SPDX-License-Identifier: BSD-3-Clause
"""Runs of ours on one large dense matrix beside those of libraries, by its shape."""
from batch import name_of
from dense import gigaflops, require, seconds, select
from page import milliseconds, table
from results import three_digits

OURS = ("fast", "hybrid-tuned", "task-graph")
# A bar counts against the fastest of the vendor's functions.
VENDOR = ("cusolver", "cusolver-legacy", "cusolver-nopivot", "cusolver-legacy-nopivot")
PRECISIONS = ("double", "float")


def groups(results):
    """{(pivoting, precision): {shape: {variant: run}}}, shapes as (m, n) in ascending order."""
    found = {}
    for precision in PRECISIONS:
        for run in select(results, precision=precision):
            shape = (run.get("dense", "m"), run.get("dense", "n"))
            key = (run.get("dense", "pivoting"), precision)
            found.setdefault(key, {}).setdefault(shape, {})[name_of(run)] = run
    require(found, results, "lufact dense")
    return {key: dict(sorted(shapes.items())) for key, shapes in sorted(found.items())}


def fastest(runs, names):
    """The fastest of these variants, or None."""
    return min((runs[name] for name in names if name in runs), key=seconds, default=None)


def against_vendor(runs, names=OURS):
    """(ours, vendor's, time of ours over the vendor's), or None."""
    ours, vendor = fastest(runs, names), fastest(runs, VENDOR)
    return ours and vendor and (ours, vendor, seconds(ours) / seconds(vendor))


def shape_text(shape):
    return f"{shape[0]:,}" if shape[0] == shape[1] else f"{shape[0]:,} x {shape[1]:,}"


def times_table(shapes, names=OURS):
    """A row for each shape: times of all variants, the rate of the fastest of ours, the ratio."""
    variants = list(dict.fromkeys(name for runs in shapes.values() for name in runs))
    rows = []
    for shape, runs in shapes.items():
        ours, pair = fastest(runs, names), against_vendor(runs, names)
        rows.append([shape_text(shape),
                     *(milliseconds(seconds(runs[name])) if name in runs else "-"
                       for name in variants),
                     three_digits(gigaflops(ours)) if ours else "-",
                     three_digits(pair[2]) if pair else "-"])
    return table(["matrix", *(f"{name} ms" for name in variants), "ours Gflop/s",
                  "ours / cuSOLVER"], rows)


def verdict(key, shapes, names=OURS):
    """One sentence on the times of ours over the vendor's; None where nothing can be compared."""
    ratios = {shape: pair[2] for shape, runs in shapes.items()
              if (pair := against_vendor(runs, names))}
    if not ratios:
        return None
    pivoting, precision = key
    behind = [f"{shape_text(shape)} ({three_digits(ratio)})" for shape, ratio in ratios.items()
              if ratio > 1]
    text = (f"{precision}, pivoting {pivoting}: time of ours over the fastest of cuSOLVER "
            f"{three_digits(min(ratios.values()))} to {three_digits(max(ratios.values()))}")
    return text + (f"; behind at {', '.join(behind)}." if behind else "; nowhere behind.")
