# SPDX-License-Identifier: BSD-3-Clause
"""Runs of `lufact batch` by order, and the pages that BATCH's figures have in common."""
from collections import namedtuple

from comparison import Comparison, sides
from drawing import lines, logarithmic
from page import Page, published_rows, table, times
from results import (ResultError, geometric_mean, mean_text, range_text, ratio_between,
                     spread, three_digits)

PRECISIONS = ("float", "double")
HARDWARE = "a P100 and CUDA 8"
# The strong lines on a CPU: the fastest of them at an order is what a statement is made against.
CPU_LINES = ("cpu", "mkl-omp", "mkl-batch", "mkl-compact", "lapack-omp")

# What the paper says of a precision; orders is a range.
Published = namedtuple("Published", "precision what published least most orders")


def name_of(run):
    """The variant or the foreign library."""
    return run.stage("peer") or run.stage("numeric")


def order_of(run):
    """The one order of a batch, or None for one of several."""
    sizes = run.get("batch", "sizes") or []
    return sizes[0]["n"] if len(sizes) == 1 else None


def seconds(run):
    """Of the kernels by repetition: of the device's clock where every sample has one, since waiting
    for a device takes as long as a small batch."""
    worked = {sample["repetition"]: [phase for phase in sample["phases"]
                                     if phase["name"] in ("numeric", "solve")]
              for sample in run.record["samples"]}
    if not worked or not all(worked.values()):
        raise ResultError(f"{run.where()}: no sample has the phase numeric or solve")
    on_device = all(phase.get("gpu_s") is not None for phases in worked.values()
                    for phase in phases)
    key = "gpu_s" if on_device else "wall_s"
    return {repetition: sum(phase[key] for phase in phases)
            for repetition, phases in worked.items()}


def all_seconds(run):
    """With the copies that the run counts."""
    return run.samples("total_s")


def gigaflops(run, timed=seconds):
    return run.get("batch", "flops") / spread(timed(run).values()).median / 1e9


def bytes_per_second(run, timed=seconds):
    return run.get("batch", "useful_bytes") / spread(timed(run).values()).median


def select(results, name=None, precision=None, keep=None, **facts):
    """The ok runs of a variant; facts are entries of the section `batch`."""
    return [run for run in results.select()
            if run.get("batch") is not None and (name is None or name_of(run) == name) and
            (precision is None or run.stage("precision") == precision) and
            (keep is None or keep(run)) and
            all(run.get("batch", key) == value for key, value in facts.items())]


def by_key(runs, key):
    """{key(run): run} in ascending order; refuses two runs that answer the same question."""
    found = {}
    for run in runs:
        if key(run) in found:
            raise ResultError(f"{run.where()} and {found[key(run)].where()} answer the same "
                              "question; give one file of each sweep and machine")
        found[key(run)] = run
    return dict(sorted(found.items()))


def by_order(results, name, precision, keep=None, **facts):
    """{order: run} of batches of one order"""
    return by_key((run for run in select(results, name, precision, keep, **facts)
                   if order_of(run) is not None), order_of)


def fastest_by_order(results, names, precision, **facts):
    """{order: the fastest run of these variants}"""
    return fastest_of({name: by_order(results, name, precision, **facts) for name in names}, names)


def speedups(base, other, timed=seconds):
    """{order: Ratio} above 1 where `other` is the faster one. Batches of different counts are
    compared by their seconds a matrix."""
    def a_matrix(run):
        return {k: s / run.get("batch", "count") for k, s in timed(run).items()}
    return {order: ratio_between(base[order], run, a_matrix)
            for order, run in other.items() if order in base}


def ranges(experiment):
    """What the paper says, by precision."""
    def number(text):
        return None if text == "-" else float(text)
    rows, _ = published_rows("batch-ranges")
    return [Published(row["precision"], row["what"], row["published"], number(row["least"]),
                      number(row["most"]), range(*order_bounds(row["orders"])))
            for row in rows if row["id"] == experiment]


def order_bounds(text):
    first, last = text.split("..")
    return int(first), int(last) + 1


def order_list(orders):
    """1-4, 7, 9-10"""
    runs = []
    for order in sorted(orders):
        if runs and order == runs[-1][1] + 1:
            runs[-1][1] = order
        else:
            runs.append([order, order])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


# Measured twice, medians differ by as much.
NOISE = 0.05


def outside(published, found):
    """Orders whose speedup is below and above what the paper says, by more than noise."""
    inside = {order: ratio.value for order, ratio in found.items() if order in published.orders}
    below = [order for order, value in inside.items()
             if published.least is not None and value < published.least * (1 - NOISE)]
    above = [order for order, value in inside.items()
             if published.most is not None and value > published.most * (1 + NOISE)]
    return below, above


def verdict(published, found):
    """One sentence, or None where no order of the range was measured."""
    inside = {order: ratio for order, ratio in found.items() if order in published.orders}
    if not inside:
        return None
    below, above = outside(published, inside)
    text = (f"{published.precision}, orders {order_list(inside)}: {published.what} is "
            f"{mean_text(geometric_mean(r.value for r in inside.values()))}; the paper has "
            f"{published.published}")
    if not below and not above:
        return text + "."
    parts = []
    if below:
        parts.append(f"below that at {order_list(below)}")
    if above:
        parts.append(f"above that at {order_list(above)}")
    return text + ", which this contradicts: " + " and ".join(parts) + "."


def compare_ranges(page, published, found):
    """A line of the report: ranges beside ranges, numbers beside geometric means."""
    inside = {order: ratio for order, ratio in found.items() if order in published.orders}
    if not inside:
        return
    values = [ratio.value for ratio in inside.values()]
    one_number = published.least is not None and published.least == published.most
    ours = geometric_mean(values).value if one_number else range_text(values)
    paper = published.least if one_number else published.published
    why = f"the same experiment, orders {order_list(inside)}; the paper has {HARDWARE}"
    page.compare(Comparison(f"{published.precision}: {published.what}", paper, ours, "partly", why,
                            None))


def draw_rates(axes, series):
    """series: {name: {order: Gflop/s}}"""
    lines(axes, {name: list(rates.items()) for name, rates in series.items() if rates})
    logarithmic(axes, "y")
    axes.set_xlabel("order")
    axes.set_ylabel("Gflop/s")


def add_rate_panels(page, name, title, series):
    """series: {precision: {name: {order: Gflop/s}}}; a panel a precision."""
    page.add_panels(name, title, {precision: lambda axes, s=found: draw_rates(axes, s)
                                  for precision, found in series.items()})


def rates_of(found, timed=seconds):
    return {order: gigaflops(run, timed) for order, run in found.items()}


def rate_rows(series, ratios):
    """A row an order: Gflop/s of each series, then the ratios; dashes where there is none."""
    orders = sorted({order for rates in series.values() for order in rates})
    return [[order, *(three_digits(rates[order]) if order in rates else "-"
                      for rates in series.values()),
             *(times(ratio.get(order)) for ratio in ratios.values())] for order in orders]


def rate_table(series, ratios):
    """ratios: {title: {order: Ratio}}"""
    return table(["order", *(f"{name} Gflop/s" for name in series), *ratios],
                 rate_rows(series, ratios))


def require(found, results, what):
    if found:
        return found
    failed = results.not_ok()
    reason = (failed[0].get("error", "message") or "").splitlines() if failed else []
    raise ResultError(f"no verified batch of {what} in {', '.join(results.files)}"
                      + (f" ({failed[0].label()}: {reason[0]})" if reason else ""))


def unchecked(runs):
    """Those of which not every matrix was verified."""
    return [run for run in runs
            if run.get("verification", "matrices_checked") != run.get("batch", "count")]


def checked_text(runs):
    left = unchecked(runs)
    return ("every matrix verified" if not left else
            f"not every matrix verified of {', '.join(run.label() for run in left)}")


def counts_text(runs):
    counts = sorted({run.get("batch", "count") for run in runs})
    return " and ".join(f"{count:,}" for count in counts)


def step_page(results, experiment, title, base, better, reason):
    """Two steps of the paper's design beside each other: one speedup by order and precision."""
    page = Page(title, results)
    found = {precision: (by_order(results, base, precision, operation="lu"),
                         by_order(results, better, precision, operation="lu"))
             for precision in PRECISIONS}
    ratios = {precision: speedups(*pair) for precision, pair in found.items()}
    require(any(ratios.values()), results, f"{base} and {better} of the same order")
    said = ranges(experiment)
    verdicts = [verdict(row, ratios[row.precision]) for row in said]
    surprised = any(any(outside(row, ratios[row.precision])) for row in said)
    page.conclude(("\n".join(f"- {text}" for text in verdicts if text)
                   or "No order of which the paper says something was measured.")
                  + (f"\n\n{reason}" if surprised else ""))
    runs = [run for pair in found.values() for side in pair for run in side.values()]
    page.add(f"LU of {counts_text(runs)} matrices, `{better}` over `{base}`.")
    series = {precision: {base: rates_of(pair[0]), better: rates_of(pair[1])}
              for precision, pair in found.items()}
    add_rate_panels(page, experiment, f"LU: {better} and {base}", series)
    for precision in PRECISIONS:
        if ratios[precision]:
            page.add(f"## {precision.capitalize()}",
                     rate_table(series[precision], {"speedup": ratios[precision]}))
    for row in said:
        compare_ranges(page, row, ratios[row.precision])
    return page


def library_page(results, experiment, title, operation, paper_step, names, reason):
    """Kernels of the paper and ours against the vendor's, and against the fastest line of the CPU.

    paper_step is the paper's final kernel; names are all others of the device; the reason is told
    where what the paper says of its kernel is not found here.
    """
    page = Page(title, results)
    devices = {precision: {name: by_order(results, name, precision, operation=operation,
                                          data="device")
                           for name in (paper_step, *names)} for precision in PRECISIONS}
    cpu = {precision: fastest_by_order(results, CPU_LINES, precision, operation=operation)
           for precision in PRECISIONS}
    require(any(runs for found in devices.values() for runs in found.values())
            or any(cpu.values()), results, operation)
    said = ranges(experiment)
    sentences, sections, surprised = [], [], False
    for precision in PRECISIONS:
        found = devices[precision]
        rivals = {"cuBLAS": fastest_of(found, ("cublas", "cublas-matinv")),
                  "MKL": by_order(results, "mkl-omp", precision, operation=operation),
                  "the CPU": cpu[precision]}
        of_paper = [(row, speedups(rival_of(row, rivals), found[paper_step]))
                    for row in said if row.precision == precision]
        sentences += against_paper(page, of_paper)
        surprised = surprised or any(any(outside(*pair)) for pair in of_paper)
        sentences += against_all(precision, found, {**rivals, f"`{paper_step}`": found[paper_step]},
                                 (paper_step, "fast"))
        sections += [library_section(results, precision, operation, found, rivals)]
    page.conclude(("\n".join(f"- {text}" for text in sentences)
                   or "No kernel of a device was measured beside a library.")
                  + (f"\n\n{reason}" if surprised else ""))
    series = {precision: {**{name: rates_of(runs) for name, runs in found.items()},
                          "fastest on the CPU": rates_of(cpu[precision])}
              for precision, found in devices.items()}
    add_rate_panels(page, experiment, title, series)
    for section in sections:
        page.add(*section)
    return page


def fastest_of(found, names):
    """{order: the fastest of these variants}, of {name: {order: run}}."""
    best = {}
    for name in names:
        for order, run in found.get(name, {}).items():
            if order not in best or gigaflops(run) > gigaflops(best[order]):
                best[order] = run
    return dict(sorted(best.items()))


def rival_of(row, rivals):
    return rivals["MKL" if "MKL" in row.what else "cuBLAS"]


def against_paper(page, of_paper):
    """The paper's kernel on this card, beside what the paper says of it: pairs of that and of
    speedups."""
    for row, found in of_paper:
        compare_ranges(page, row, found)
    return [text for pair in of_paper if (text := verdict(*pair))]


def against_all(precision, found, rivals, names):
    sentences = []
    for name in names:
        for title, rival in rivals.items():
            ratios = speedups(rival, found.get(name, {})) if title != f"`{name}`" else {}
            if ratios:
                mean = geometric_mean(ratio.value for ratio in ratios.values())
                slower = sides(ratios).below
                text = f"{precision}: `{name}` over {title}: {mean_text(mean)}"
                sentences.append(text + (f"; slower at {order_list(slower)}." if slower else "."))
    return sentences


def copied_rates(results, precision, operation):
    """{title: {order: Gflop/s}} of the runs whose matrices begin and end on the host."""
    runs = {name: by_order(results, name, precision, operation=operation, data="pinned")
            for name in ("registers-lazy", "inverse-fused", "fast", "cublas")}
    return {f"{name} with copies": rates_of(found, all_seconds)
            for name, found in runs.items() if found}


def library_section(results, precision, operation, found, rivals):
    """Paragraphs: every rate by order, and which line of the CPU is the fastest where."""
    series = {name: rates_of(runs) for name, runs in found.items() if runs}
    series.update(copied_rates(results, precision, operation))
    cpu = rivals["the CPU"]
    if cpu:
        series["fastest CPU"] = rates_of(cpu)
    if not series:
        return []
    ratios = {f"fast / {title}": speedups(rival, found.get("fast", {}))
              for title, rival in rivals.items() if rival and found.get("fast")}
    parts = [f"## {precision.capitalize()}", rate_table(series, ratios)]
    counted = [(counts_text(side), where) for side, where in
               (([run for runs in found.values() for run in runs.values()], "on the device"),
                (cpu.values(), "on the CPU")) if side]
    if counted:
        parts.append("Matrices: " + ", ".join(f"{count} {where}" for count, where in counted)
                     + ". Kernels are timed by the device's clock, runs with copies by the wall.")
    if cpu:
        winners = {}
        for order, run in cpu.items():
            winners.setdefault(name_of(run), []).append(order)
        parts.append("Fastest on the CPU: " + "; ".join(
            f"{name} at {order_list(orders)}" for name, orders in winners.items()) + ".")
    return parts
