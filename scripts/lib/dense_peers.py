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
# On all cores of the host: oneMKL, or OpenBLAS where it is missing.
HOST_LIBRARIES = (("mkl", "mkl-nopivot"), ("lapack",))
# Of a profile: panels, exchanges with rows of U, products, one after the other.
PARTS = ("diagonal", "triangular", "product")


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
