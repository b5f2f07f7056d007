# SPDX-License-Identifier: BSD-3-Clause
"""Searches on several devices, measured or simulated, for the pages of GSoFa's scaling figures. A
simulated time is made from slices that ran one after the other on one device: it is called so
wherever it is printed."""
from collections import namedtuple

from drawing import lines, logarithmic
from gsofa_runs import exactly, known, mean_of
from page import table, times
from results import Ratio, ResultError, ratio_between

SIMULATED = ("Times of machines with several devices are *simulated* unless called measured: their "
             "slices ran one after the other on one device, each timed alone, and the exchange is "
             "its bytes at the rate at which rows came back through the host.")
DEVICES_SWEEP = "gsofa-devices"  # whose record has the measured points of scaling figures
MOVES = ("symbolic/replicate", "symbolic/exchange")


class Machine(namedtuple("Machine", "kind count")):
    """So many devices that were there: of one process (`devices`), or one to a rank (`ranks`; `mpi`
    where rows are told to go through the hosts)."""

    @property
    def variant(self):
        return f"{self.kind}-{self.count}"

    @property
    def simulation(self):
        """The variant that simulates it."""
        return f"1x{self.count}" if self.kind == "devices" else f"{self.count}x1"

    def __str__(self):
        return f"{self.count} " + {"mpi": "ranks through their hosts"}.get(self.kind, self.kind)


KINDS = {"devices": "one process", "ranks": "a rank for each device",
         "mpi": "a rank for each device, rows through the hosts"}
MACHINES = tuple(Machine(kind, count) for kind in KINDS for count in (2, 4, 8))


def measured(results, variant):
    """{matrix: run} of a variant whose devices were there, empty where there is none."""
    runs = known(results, variant)
    for run in runs.values():
        if run.get("distribution", "simulated_s") is not None:
            raise ResultError(f"{run.where()}: simulated, where a measured run is asked for")
    return runs


def measured_machines(results):
    """{machine: {matrix: run}} of those that ran, with the matrices of variant gsofa."""
    one = known(results, "gsofa")
    found = {machine: {matrix: run for matrix, run in measured(results, machine.variant).items()
                       if matrix in one} for machine in MACHINES}
    return {machine: runs for machine, runs in found.items() if runs}


def simulated_seconds(run):
    """Of the symbolic step on the machine whose slices a run has tried."""
    seconds = run.get("distribution", "simulated_s")
    if seconds is None:
        raise ResultError(f"{run.where()}: no machine is simulated in it; give the record of a "
                          "sweep with gsofa-virtual")
    return seconds


def simulated_searching(run):
    """The same without the exchange: the slowest slice, its supernodes included."""
    return max(part["search_s"] + part["supernodes_s"]
               for part in run.get("distribution", "slices"))


def simulated_speedups(base, other):
    """{matrix: simulated time of base / that of other}."""
    return {matrix: exactly(simulated_seconds(run) / simulated_seconds(other[matrix]))
            for matrix, run in base.items() if matrix in other}


def whole(run):
    """Seconds of the symbolic step by repetition."""
    return run.samples("symbolic")


def searching(run):
    """The same without what brings matrix and rows from device to device: search, supernodes and
    the wait for the slowest."""
    moved = run.known_sums(MOVES) or {}
    return {k: seconds - moved.get(k, 0) for k, seconds in whole(run).items()}


def measured_speedups(one, runs, timed=whole):
    """{matrix: Ratio} of one device over a machine, with intervals where there are repetitions."""
    return {matrix: ratio_between(one[matrix], run, timed) for matrix, run in runs.items()}


def devices_of(run):
    return run.get("distribution", "nodes") * run.get("distribution", "devices_per_node")


def equals_from(target, points):
    """The fewest of [(devices, seconds)] whose time is at most `target`, or the text "none"."""
    enough = [devices for devices, seconds in points if seconds <= target]
    return str(min(enough)) if enough else "none"


def measured_points(results, kind, seconds):
    """{matrix: [(devices, seconds(run))]} of one device and the machines of a kind, where one
    ran."""
    found = {}
    for machine, runs in measured_machines(results).items():
        for matrix, run in runs.items() if machine.kind == kind else ():
            one = known(results, "gsofa")[matrix]
            found.setdefault(matrix, [(1, seconds(one))]).append((machine.count, seconds(run)))
    return found


def measured_table(results):
    """A line for each matrix: speedups that were measured, beside those that were simulated on the
    same card."""
    one, machines = known(results, "gsofa"), measured_machines(results)
    speedups = {machine: measured_speedups(one, runs) for machine, runs in machines.items()}
    said = {machine: known(results, machine.simulation) for machine in machines}
    return table(
        ["matrix", "n", *(f"{machine}, {how}" for machine in machines
                          for how in ("measured", "simulated"))],
        [[matrix, f"{run.get('matrix', 'n'):,}",
          *(cell for machine in machines for cell in (
              times(speedups[machine].get(matrix)),
              times(simulated_speedup(run, said[machine].get(matrix)))))]
         for matrix, run in one.items() if any(matrix in runs for runs in machines.values())])


def simulated_speedup(one, run):
    """Of one device, measured, over a machine that was simulated, or None without one."""
    return run and Ratio(one.seconds("symbolic").median / simulated_seconds(run))


def measured_means(results):
    """A phrase for each machine that was measured, or nothing."""
    one = known(results, "gsofa")
    return "; ".join(f"{machine} over one device {mean_of(measured_speedups(one, runs).values())}"
                     for machine, runs in measured_machines(results).items())


def draw_scaling(axes, series, label, level):
    """Lines over numbers of devices, and the level that stands for one device."""
    lines(axes, series)
    axes.axhline(1, color="black", linewidth=0.8)
    logarithmic(axes, "x")
    logarithmic(axes, "y")
    counts = sorted({devices for points in series.values() for devices, _ in points})
    if counts[-1] <= MACHINES[-1].count:
        axes.set_xticks(counts, [str(count) for count in counts])
    axes.set_xlabel(f"devices; the line at 1: {level}")
    axes.set_ylabel(label)


def scaling_panel(points, base, label, level):
    """draw(axes) of base over the seconds of each point; points: {matrix: [(devices, seconds)]},
    base: {matrix: seconds}."""
    series = {matrix: [(devices, base[matrix] / seconds) for devices, seconds in found]
              for matrix, found in points.items()}
    return lambda axes: draw_scaling(axes, series, label, level)
