# SPDX-License-Identifier: BSD-3-Clause
"""Counters of kernels by Nsight Compute, which must be allowed to read them.

The profiler prints a table of its own behind what the program prints: names, units, a line for
each kernel.
"""
import csv
import os
import re
import subprocess

STALLS = ("wait", "long_scoreboard", "short_scoreboard", "no_instruction", "barrier",
          "branch_resolving", "dispatch_stall", "lg_throttle", "math_pipe_throttle",
          "mio_throttle", "not_selected")
WAITS = {name: f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio"
         for name in STALLS}
# What the profiler prints in per cent, in registers, in warps, in cycles.
COUNTERS = {
    "issue_percent": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "shared_percent": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "fp64_percent": "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active",
    "fma_percent": "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
    "alu_percent": "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active",
    "warps": "sm__warps_active.avg.per_cycle_active",
    "block_threads": "launch__block_size",
    "registers": "launch__registers_per_thread",
    "blocks_by_registers": "launch__occupancy_limit_registers",
    "blocks_by_shared": "launch__occupancy_limit_shared_mem",
    "cycles_per_instruction": "smsp__average_warp_latency_per_inst_issued.ratio",
}
SECONDS = "gpu__time_duration.sum"
READ, WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
DEVICE = "device__attribute_display_name"
METRICS = (DEVICE, SECONDS, READ, WRITTEN, *COUNTERS.values(), *WAITS.values())
COLUMNS = ("device", "kernel", "seconds", "bytes_read", "bytes_written", *COUNTERS,
           *(f"waits_{name}" for name in WAITS))  # of counters_of()

UNITS = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12,
         "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "nsecond": 1e-9, "usecond": 1e-6,
         "msecond": 1e-3, "second": 1}


def name_of(matrix):
    """The name that a record has for a file."""
    return re.sub(r"\.mtx(\.(gz|xz))?$|\.tar\.gz$", "", os.path.basename(matrix))


class Failed(Exception):
    """Why something was not profiled."""


def profile(ncu, kernel, metrics, command, *, cold=True):
    """The text that the profiler printed of kernels whose name has `kernel` in it. Clocks stay as
    they are; caches are emptied before each kernel, if `cold`."""
    options = [ncu, "--csv", "--page", "raw", "--clock-control", "none",
               "--cache-control", "all" if cold else "none", "--target-processes", "all",
               "--kernel-name", f"regex:{kernel}", "--metrics", ",".join(metrics)]
    try:
        done = subprocess.run([*options, *command], capture_output=True, text=True, check=False)
    except OSError as error:
        raise Failed(f"{ncu}: {error.strerror}; install Nsight Compute, or name it "
                     "with --ncu") from error
    if done.returncode != 0:
        raise Failed(f"exit status {done.returncode}: {(done.stdout + done.stderr)[-1000:]}")
    return done.stdout


def rows_of(text, kernel):
    """(units by column, a row for each kernel), at least one."""
    lines = text.splitlines()
    heads = [at for at, line in enumerate(lines) if line.startswith('"ID"')]
    if not heads:
        raise Failed(f"no kernel {kernel} in what the profiler printed: {text[-1000:]}")
    units, *rows = csv.DictReader(lines[heads[0]:])
    if not rows:
        raise Failed(f"no kernel {kernel} was profiled")
    return units, rows


def number(row, column):
    """A counter as the profiler prints it, in its own unit."""
    if column not in row:
        raise Failed(f"the profiler does not give {column}")
    return float(row[column].replace(",", ""))


def total(units, rows, column):
    """The sum over the kernels, in bytes or seconds."""
    return sum(number(row, column) for row in rows) * UNITS[units[column]]


def counters_of(units, row):
    """What bounds a kernel that was profiled with METRICS: seconds, bytes from and to the card's
    memory, how busy the pipes are, how many warps a multiprocessor holds and what allows no more,
    and for how many cycles a warp waits for what between two of its instructions."""
    return {"device": row.get(DEVICE, ""), "kernel": row["Kernel Name"],
            "seconds": f"{total(units, [row], SECONDS):.9f}",
            "bytes_read": f"{total(units, [row], READ):.0f}",
            "bytes_written": f"{total(units, [row], WRITTEN):.0f}",
            **{name: f"{number(row, metric):g}" for name, metric in COUNTERS.items()},
            **{f"waits_{name}": f"{number(row, metric):g}" for name, metric in WAITS.items()}}
