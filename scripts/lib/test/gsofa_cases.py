# SPDX-License-Identifier: BSD-3-Clause
"""Small results of GSoFa for the tests of its scripts, and what they must print."""
from fixtures import file_of, run_of


def searched(matrix, variant, factor=1.0, edges=240_000_000, most=100, shares=(0.25, 0.5), **more):
    """A run of gpu-gsofa whose search takes all of the symbolic step, re-initialisation 1 ms."""
    run = run_of(matrix, variant, factor, **more)
    for sample in run["samples"]:
        sample["phases"] += [
            {"name": "symbolic/search", "wall_s": sample["phases"][0]["wall_s"]},
            {"name": "symbolic/reinitialise", "wall_s": 0.001}]
    run["factors"]["pattern_sha256"] = "of the pattern"
    run["supernodes"] = {"count": 700, "sha256": "of the supernodes"}
    run["gsofa"] = {
        "edges_checked": edges, "batches": 10, "reinitialisations": 0,
        "concurrency": {"requested": "auto", "least": most // 2, "most": most, "bound": "memory"},
        "queue": {"mean_share": shares[0], "peak_share": shares[1], "spilled_entries": 7},
        "bytes": {"max_id": 200_000, "fill": 400_000, "queues": 800_000, "trackers": 800_000,
                  "by_table2": 24 * 1000 * most}}
    return run


def budgeted(run, name):
    """With a 32nd of the budget that it is called by."""
    run["gsofa"]["budget_bytes"] = int(name[:-2]) * 10**9 // 32
    return run


def anew(run, times):
    run["gsofa"]["reinitialisations"] = times
    return run


def profiled(run):
    run["profile"] = {"sources": {"first_row": [0, 250, 500, 750], "rows": [250] * 4,
                                  "mean_frontier": [0.5, 1.0, 2.0, 40.0],
                                  "iterations": [1, 2, 3, 4], "edges": [1, 5, 20, 80]}}
    return run


def distributed(run, nodes, devices, simulated_s=None, imbalance=1.25):
    """The search of a machine that is there, or that is not, whose slices take four fifths of a
    simulated time."""
    part = {"search_s": 0.7 * (simulated_s or 0), "supernodes_s": 0.1 * (simulated_s or 0)}
    run["distribution"] = {"nodes": nodes, "devices_per_node": devices,
                           "transport": "mpi" if nodes > 1 else "peer",
                           "simulated_s": simulated_s, "imbalance": imbalance,
                           "exchange_bytes": 4e6, "slices": [part] * (nodes * devices)}
    run["supernodes"]["count"] = 700 - nodes
    return run


def on_devices(matrix, variant, factor, exchange=0.0, **more):
    """A measured run of variant devices-N or ranks-N, or of one with a setting behind that, whose
    exchange takes so long."""
    kind, count = variant.split("-")[:2]
    nodes, devices = (1, int(count)) if kind == "devices" else (int(count), 1)
    return exchanged(distributed(searched(matrix, variant, factor, **more), nodes, devices),
                     exchange)


def simulated(matrix, variant, seconds, **more):
    machine = next(part for part in variant.split("-") if part[0].isdigit() and "x" in part)
    nodes, devices = (int(number) for number in machine.split("x"))
    return distributed(searched(matrix, variant, 3.0, **more), nodes, devices, seconds)


def exchanged(run, seconds):
    """The same with rows that come from another device for so long in each repetition."""
    for sample in run["samples"]:
        sample["phases"] += [{"name": "symbolic/exchange", "wall_s": seconds}]
    return run


FRONTIERS = file_of(profiled(searched("bcsstk18", "gsofa")))
TIMES = file_of(
    searched("bbmat", "gsofa"), searched("bbmat", "gsofa-merged", 0.5),
    anew(searched("bbmat", "gsofa-no-windows", 1.25), 9),
    searched("bbmat", "gsofa-fill-first", 0.8),
    searched("bbmat", "gsofa-before", 1.5), searched("bbmat", "gsofa-after", 1.25, most=50),
    run_of("bbmat", "gpu-fill2-plain", 13.0), run_of("bbmat", "gpu-ooc-naive", 0.75),
    run_of("bbmat", "gpu-fill2", 0.1), run_of("bbmat", "cpu-fill2", 33.0),
    run_of("bbmat", "cpu-gp-pruned", 2.0))
SPACE = file_of(*(budgeted(searched("pre2", f"{layout}-{budget}", factor), budget)
                  for layout, factors in (("paper", (1.0, 1.5, 2.0)), ("merged", (0.5, 0.5, 0.6)))
                  for budget, factor in zip(("16GB", "5GB", "1GB"), factors)),
                budgeted(searched("pre2", "paper-1GB-fixed", 3.0), "1GB"))
SEQUENTIAL = file_of(searched("bbmat", "gsofa"), run_of("bbmat", "cpu-glu3", 50.0),
                     run_of("bbmat", "cpu-gp-pruned", 4.0))

MEASURED_ON_TWO = (
    on_devices("pre2", "devices-2", 0.5), on_devices("pre2", "devices-2-chunks", 0.75),
    on_devices("pre2", "devices-2-64", 0.4), on_devices("pre2", "devices-2-256", 0.6),
    on_devices("pre2", "ranks-2", 0.5), on_devices("pre2", "ranks-2-blocks", 1.25))
MANY = file_of(
    *MEASURED_ON_TWO,
    simulated("pre2", "6x6-blocks", 0.008), simulated("pre2", "6x6-chunks", 0.004),
    simulated("pre2", "6x6", 0.002), simulated("pre2", "6x6-64", 0.0016),
    simulated("pre2", "6x6-256", 0.0032))
BUDGETS = file_of(
    simulated("pre2", "paper-16GB-44x6", 0.004), simulated("pre2", "paper-1GB-44x6", 0.01),
    simulated("pre2", "merged-16GB-44x6", 0.002), simulated("pre2", "merged-1GB-44x6", 0.003))
SCALING = file_of(
    searched("pre2", "gsofa"), run_of("pre2", "gpu-panels", 0.125),
    on_devices("pre2", "devices-2", 0.625), on_devices("pre2", "ranks-4", 0.5),
    simulated("pre2", "1x2", 0.006), simulated("pre2", "1x6", 0.0025),
    simulated("pre2", "1x8", 0.002), simulated("pre2", "2x6", 0.0015),
    simulated("pre2", "44x6", 0.0005))
BESIDE_RANKS = file_of(
    searched("pre2", "gsofa"), run_of("pre2", "gpu-panels", 0.125),
    on_devices("pre2", "devices-2", 0.625), simulated("pre2", "1x6", 0.006),
    simulated("pre2", "44x6", 0.0006), run_of("pre2", "superlu-dist-seq", 2.0),
    run_of("pre2", "superlu-dist-par-1", 1.5), run_of("pre2", "superlu-dist-par-4", 0.5))


def faulting(variant, groups, factor):
    return {**searched("lhr71c", variant, factor),
            "unified_memory": {"gpu_page_fault_groups": groups, "unavailable_reason": None}}


FAULTS = file_of(faulting("um", 4000, 4.0), faulting("um-advise", 1000, 2.0),
                 faulting("um-separate", 400, 1.0), faulting("bits", None, 0.5))
LONG = 100.0  # times the usual 12 ms: what bars are for
DEVICES = file_of(
    searched("pre2", "gsofa", LONG), run_of("pre2", "gpu-panels", 0.125),
    on_devices("pre2", "devices-2", 0.55 * LONG, 0.06),
    on_devices("pre2", "devices-4", 0.3 * LONG, 0.06),
    on_devices("pre2", "ranks-2", 0.6 * LONG, 0.12),
    on_devices("pre2", "ranks-4", 0.4 * LONG, 0.12),
    simulated("pre2", "1x2", 0.65), simulated("pre2", "2x1", 0.9), simulated("pre2", "1x4", 0.36),
    simulated("pre2", "1x8", 0.16),
    searched("epb2", "gsofa"), run_of("epb2", "gpu-panels", 0.125),
    on_devices("epb2", "devices-2", 1.25))

GSOFA_CASES = {
    "gsofa-fig4": (FRONTIERS, ["| bcsstk18 | 1,000 | 4 | 40.0 | 80.0 | 1.00 (n = 4, "
                               "p = 0.083), too weak to tell |",
                               "grows with the row on 0 of 1",
                               "| bcsstk18: largest over smallest source | 1,265 | 80.0 |"]),
    "gsofa-fig5": (TIMES, ["| bbmat | 1,000 | 100 | 85.7 | 78.6 | 35.7 | 2.40 |",
                           "| mark3jac140sc: arrays over matrix, before | 3,121 | 3,122 | 1.00 | "
                           "yes: arithmetic",
                           "| audikw_1: arrays over matrix, before | 36.0 | 36.4 |"]),
    "gsofa-table3": (SPACE, ["| pre2 | 1,000 | 100 | 25.0 | 50.0 | 7 |",
                             "| pre2: peak use of the queues, % | 25.0 | 50.0 | 2.00 | partly"]),
    "gsofa-fig10": (TIMES, ["| bbmat | 1,000 | 12 | 156 | 396 | 6 | 9 | 1.2 | 24 |",
                            "over gpu-fill2-plain: geometric mean 13.0 (n = 1",
                            "a block for each source: `gpu-gsofa` is faster on 0 of 1",
                            "| 11.32x to 97.11x, mean 33.06x | 33.0x to 33.0x, mean 33.0x |"]),
    "gsofa-fig11": (SEQUENTIAL, ["| bbmat | 1,000 | 600 | 12 | 50.00 [50.00, 50.00] |",
                                 "| bbmat | 1,000 | 48 | 12 | 4.00 [4.00, 4.00] |",
                                 "| bbmat: speedup over GLU3.0 on one core | 171 | 50.0 |"]),
    "gsofa-fig12": (BESIDE_RANKS, [
        "| pre2 | 1,000 | 24 | 6 on 4 | 10,000 | 10,000 | 12 | 0.500 | 7.5 | 0.800 | 0.6 | 10.0 | "
        "1.5 | 264 |", "; of two, measured: geometric mean 0.800 (n = 1",
        "| pre2 | 18 | - | 6 | - | - |", "are *simulated* unless called measured",
        "| pre2: time over parallel SuperLU_DIST on one node | 6.70 | 1.00 |"]),
    "gsofa-fig13": (TIMES, ["| bbmat | 1,000 | 240,000,000 | 20.0 | 40.0 | 160 | - | - |",
                            "of the peak | 160 to 160 GB/s, mean 160 GB/s |"]),
    "gsofa-fig14": (TIMES, ["| bbmat | 1,000 | 12 | 15 | 1.25 [1.25, 1.25] | 0 | 0 | 9 | 6.7 |",
                            "| bbmat: speedup of windows | 1.02 | 1.25 |"]),
    "gsofa-fig15": (SPACE, ["| pre2 | 1,000 | 24 | 36 | 1.50 [1.50, 1.50] | 50 to 100 | "
                            "50 to 100 |", "`dynamic` is faster on 1 of 1 matrices.",
                            "| pre2: speedup of dynamic space with 1 GB | 1.20 | 1.50 |"]),
    "gsofa-fig16": (SPACE, ["| pre2 | 1,000 | paper-1GB | 50 | 10 | 24 | 24 | 0 | 0 | 0 |",
                            "smaller by a factor of 32, 500 MB for 16GB, 156 MB for 5GB, ",
                            "in layout merged geometric mean 1.20",
                            "| pre2: time with 1 GB over time with 16 GB | 2.70 | 2.00 |"]),
    "gsofa-fig16-many": (BUDGETS, [
        "| pre2 | paper | 4 | 10 | 2.50 | 50 |", "| pre2 | merged | 2 | 3 | 1.50 | 50 |",
        "are *simulated* unless called measured",
        "| pre2: time with 1 GB over time with 16 GB | 2.70 | 2.50 |"]),
    "gsofa-fig17": (MANY, ["| pre2 | 1,000 | 8 | 4 | 2 | 2.00 | 2.00 | 1.25 | 1.25 |",
                           "are *simulated* unless called measured",
                           "| pre2: speedup of intra-node dealing | 4.90 | 2.00 |",
                           "| mean 1.6x, up to 4.3x | 2.00x to 2.00x |"]),
    "gsofa-fig18": (FAULTS, [
        "| lhr71c | 1,000 | 4,000 | 1,000 | 400 | - | 4.00 | 2.50 | 48 | 24 | 12 | 6 | 0.50",
        "| lhr71c: page faults that separate arrays save, % | 85.0 | 60.0 |",
        "| mean 2.2x, up to 10.3x | 4.00x to 4.00x |"]),
    "gsofa-fig19": (SCALING, ["| pre2 | 1,000 | 12 | 1.5 | 0.5 | 24.0 | 24.0 on 264 | 12 |",
                              "are *simulated* unless called measured",
                              "one node of eight over one device: geometric mean 6.00 (n = 1",
                              "from so many devices on: pre2 12.",
                              "| pre2: speedup of 44 nodes over one | 21.5 | 5.00 |"]),
    "gsofa-fig21": (MANY, ["| pre2 | 1,000 | 1.6 | 2 | 3.2 | 1.25 | 2.00 | 694 | 694 | 694 |",
                           "are *simulated* unless called measured",
                           "mean 1.04x and 1.13x, up to 1.6x | 2.00x to 2.00x |"]),
    "gsofa-fig20": (TIMES, ["| bbmat | 1,000 | 12 | 9.6 | 25.0 |",
                            "| bbmat: gain of line 9.5, % | 5.50 | 25.0 |"]),
}

PAGE = file_of(
    searched("bcsstk18", "gsofa"), searched("bcsstk18", "gsofa-merged", 0.5),
    run_of("bcsstk18", "gpu-ooc", 2.0), run_of("bcsstk18", "gpu-panels", 0.01),
    searched("bcsstk18", "gsofa-supernodes", 1.5),
    run_of("bcsstk18", "gpu-panels-supernodes", 0.02),
    run_of("bcsstk18", "cpu-gp-pruned", 1.0))
