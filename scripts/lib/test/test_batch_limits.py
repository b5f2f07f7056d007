#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of scripts/batch_limits with a profiler that prints what Nsight Compute prints."""
import csv
import importlib.machinery
import importlib.util
import os
import stat
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "batch_limits")


def load_script():
    loader = importlib.machinery.SourceFileLoader("batch_limits", SCRIPT)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("batch_limits", loader))
    loader.exec_module(module)
    return module


LIMITS = load_script()


def printed(kernels, without=""):
    """What the profiler prints of so many kernels; counter i of kernel k is 100 k + i."""
    metrics = [metric for metric in LIMITS.METRICS if metric != without]
    units = {LIMITS.SECONDS: "us", LIMITS.READ: "Mbyte", LIMITS.WRITTEN: "Kbyte"}
    lines = ["==PROF== Connected to process 12",
             ",".join(f'"{name}"' for name in ("ID", "Kernel Name", *metrics)),
             ",".join(f'"{name}"' for name in ("", "", *(units.get(m, "") for m in metrics)))]
    for k in range(kernels):
        values = ["A device" if m == LIMITS.DEVICE else f"1,{100 * k + i:03d}"
                  for i, m in enumerate(metrics)]
        lines.append(",".join(f'"{value}"' for value in (str(k), "rows_g8r3_lu", *values)))
    return "\n".join(lines) + "\n"


class BatchLimits(unittest.TestCase):
    def run_script(self, text, status=0):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program, output = (os.path.join(folder.name, name) for name in ("ncu", "limits.tsv"))
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/usr/bin/env python3\nimport sys\nsys.stdout.write({text!r})\n"
                       f"sys.exit({status})\n")
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
        done = subprocess.run(
            [sys.executable, SCRIPT, "--lufact", "lufact", "--output", output, "--ncu", program,
             "--orders", "8,16"], capture_output=True, text=True, check=False)
        with open(output, encoding="utf-8") as file:
            return done, list(csv.DictReader(file, delimiter="\t"))

    def test_a_line_for_each_order_operation_and_precision(self):
        done, lines = self.run_script(printed(2))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(x["operation"], x["precision"], x["order"]) for x in lines],
                         [(operation, precision, order) for operation in ("lu", "inverse")
                          for precision in ("float", "double") for order in ("8", "16")])
        metrics, second = list(LIMITS.METRICS), lines[1]
        self.assertEqual(second["device"], "A device")
        self.assertAlmostEqual(float(second["seconds"]),
                               (1100 + metrics.index(LIMITS.SECONDS)) * 1e-6)
        self.assertEqual(int(second["bytes_read"]),
                         (1100 + metrics.index(LIMITS.READ)) * 1_000_000)
        for name, metric in LIMITS.COUNTERS.items():
            self.assertEqual(float(second[name]), 1100 + metrics.index(metric), name)
        for name, metric in LIMITS.WAITS.items():
            self.assertEqual(float(second[f"waits_{name}"]), 1100 + metrics.index(metric), name)

    def test_says_what_failed(self):
        for text, status, message in (
                ("==ERROR== ERR_NVGPUCTRPERM\n", 1, "ERR_NVGPUCTRPERM"),
                (printed(1), 0, "1 kernels were profiled, and 2 are expected"),
                (printed(2, without=LIMITS.COUNTERS["warps"]), 0, "does not give sm__warps")):
            done, lines = self.run_script(text, status)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
            self.assertEqual(lines, [])


if __name__ == "__main__":
    unittest.main()
