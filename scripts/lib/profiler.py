# SPDX-License-Identifier: BSD-3-Clause
"""Counters of kernels by Nsight Compute, which must be allowed to read them.

The profiler prints a table of its own behind what the program prints: names, units, a line for
each kernel.
"""
import csv
import subprocess

UNITS = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12,
         "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "nsecond": 1e-9, "usecond": 1e-6,
         "msecond": 1e-3, "second": 1}


class Failed(Exception):
    """Why something was not profiled."""


def profile(ncu, kernel, metrics, command):
    """The text that the profiler printed of kernels whose name has `kernel` in it. Clocks stay as
    they are."""
    options = [ncu, "--csv", "--page", "raw", "--clock-control", "none",
               "--target-processes", "all", "--kernel-name", f"regex:{kernel}",
               "--metrics", ",".join(metrics)]
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
