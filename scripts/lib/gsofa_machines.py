# SPDX-License-Identifier: BSD-3-Clause
"""Searches on several devices, measured or simulated, for the pages of GSoFa's scaling figures. A
simulated time is made from slices that ran one after the other on one device: it is called so
wherever it is printed."""
from gsofa_runs import exactly
from results import ResultError

SIMULATED = ("Times of machines with several devices are *simulated* unless called measured: their "
             "slices ran one after the other on one device, each timed alone, and the exchange is "
             "its bytes at the rate at which rows came back through the host.")


def simulated_seconds(run):
    """Of the symbolic step on the machine whose slices a run has tried."""
    seconds = run.get("distribution", "simulated_s")
    if seconds is None:
        raise ResultError(f"{run.where()}: no machine is simulated in it; give the record of a "
                          "sweep with gsofa-virtual")
    return seconds


def simulated_speedups(base, other):
    """{matrix: simulated time of base / that of other}."""
    return {matrix: exactly(simulated_seconds(run) / simulated_seconds(other[matrix]))
            for matrix, run in base.items() if matrix in other}


def seconds_without_exchange(run):
    """Median of the symbolic step without what brings matrix and rows from device to device."""
    moves = [phase for phase in ("symbolic/replicate", "symbolic/exchange") if run.has_phase(phase)]
    whole = run.samples("symbolic")
    moved = run.known_sums(moves) or {}
    rest = sorted(seconds - moved.get(k, 0) for k, seconds in whole.items())
    return rest[len(rest) // 2] if len(rest) % 2 else sum(rest[len(rest) // 2 - 1:][:2]) / 2


def devices_of(run):
    return run.get("distribution", "nodes") * run.get("distribution", "devices_per_node")


def equals_from(target, points):
    """The fewest of [(devices, seconds)] whose time is at most `target`, or the text "none"."""
    enough = [devices for devices, seconds in points if seconds <= target]
    return str(min(enough)) if enough else "none"
