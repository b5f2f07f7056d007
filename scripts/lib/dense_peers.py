# SPDX-License-Identifier: BSD-3-Clause
"""Runs of ours on one large dense matrix beside those of libraries, by its shape."""
from batch import name_of
from dense import gigaflops, require, seconds, select
from page import milliseconds, table
from results import rows_beside, three_digits

OURS = ("fast", "hybrid-tuned", "task-graph")
# A bar counts against the fastest of the vendor's functions.
VENDOR = ("cusolver", "cusolver-legacy", "cusolver-nopivot", "cusolver-legacy-nopivot")
PRECISIONS = ("double", "float")
# On all cores of the host: oneMKL, or OpenBLAS where it is missing.
HOST_LIBRARIES = (("mkl", "mkl-nopivot"), ("lapack",))
# Of a profile: panels, exchanges with rows of U, products, one after the other.
PARTS = ("diagonal", "triangular", "product")
TILE = 64  # rows of a tile of task-graph


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


def host_verdict(key, shapes, least=1000):
    """A sentence on the rate of `cpu` over that of a library on the same cores, from an order on;
    None where nothing can be compared."""
    pivoting, precision = key
    for names in HOST_LIBRARIES:
        rates = {shape: seconds(library) / seconds(runs["cpu"]) for shape, runs in shapes.items()
                 if shape[1] >= least and "cpu" in runs and (library := fastest(runs, names))}
        if rates:
            return (f"{precision}, pivoting {pivoting}: `cpu` has "
                    f"{three_digits(min(rates.values()))} to {three_digits(max(rates.values()))} "
                    f"of the rate of `{names[0]}` from order {least:,} on.")
    return None


def chain_verdict(key, shapes):
    """A sentence on the time of task-graph for each tile on the diagonal, which follow each other,
    at the orders at which ours is behind; None where it is not."""
    pivoting, precision = key
    each = {shape: 1e6 * seconds(runs["task-graph"]) / -(-shape[1] // TILE)
            for shape, runs in shapes.items() if "task-graph" in runs
            and (pair := against_vendor(runs)) and pair[2] > 1}
    if not each:
        return None
    return (f"{precision}, pivoting {pivoting}, where ours is behind: `task-graph` takes "
            + ", ".join(f"{three_digits(us)} us at {shape_text(shape)}"
                        for shape, us in each.items())
            + f" for each tile of {TILE} rows on the diagonal. These follow each other: where the "
              "time is that of one tile after the other, whatever the order, that chain bounds it.")


def product_verdict(results):
    """A sentence on the rate of our products beside that of cuBLAS's, where it was measured."""
    rows = rows_beside(results, "product-rates.tsv")
    if not rows:
        return None
    ours, vendor = ([float(row[f"{side}_tflops"]) for row in rows] for side in ("own", "cublas"))
    deepest = max(range(len(rows)), key=lambda k: ours[k])
    return (f"double: our products, alone, go at {three_digits(min(ours))} to "
            f"{three_digits(max(ours))} Tflop/s by their depth, cuBLAS's at "
            f"{three_digits(vendor[ours.index(min(ours))])} to {three_digits(vendor[deepest])}: "
            "what bounds ours where products are most of the work.")


def parts_table(shapes):
    """What the parts of ours take one after the other, of runs with a profile; None without."""
    rows = []
    for shape, runs in shapes.items():
        for name, run in runs.items():
            profile = run.get("dense", "profile") or {}
            parts = [profile.get(f"numeric/{part}") for part in PARTS]
            if name in OURS and all(part is not None for part in parts):
                rows.append([shape_text(shape), name, *map(milliseconds, parts),
                             three_digits(1e6 * parts[0] / min(shape))])
    return rows and table(["matrix", "variant", "panels ms", "exchanges and rows of U ms",
                           "products ms", "us a pivot in panels"], rows)
