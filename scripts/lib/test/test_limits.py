#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of scripts/batch_limits and scripts/kernel_limits with a profiler that prints what Nsight
Compute prints."""
import csv
import os
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from profiler import COUNTERS, DEVICE, METRICS, READ, SECONDS, WAITS, WRITTEN  # noqa: E402


def printed(kernels, without=""):
    """What the profiler prints of so many kernels; counter i of kernel k is 100 k + i."""
    metrics = [metric for metric in METRICS if metric != without]
    units = {SECONDS: "us", READ: "Mbyte", WRITTEN: "Kbyte"}
    lines = ["==PROF== Connected to process 12",
             ",".join(f'"{name}"' for name in ("ID", "Kernel Name", *metrics)),
             ",".join(f'"{name}"' for name in ("", "", *(units.get(m, "") for m in metrics)))]
    for k in range(kernels):
        values = ["A device" if m == DEVICE else f"1,{100 * k + i:03d}"
                  for i, m in enumerate(metrics)]
        lines.append(",".join(f'"{value}"' for value in (str(k), "rows_g8r3_lu", *values)))
    return "\n".join(lines) + "\n"


class Limits(unittest.TestCase):
    def run_script(self, name, arguments, text, status=0):
        """The process, the lines that it wrote, and the commands that it had profiled."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program, output, log = (os.path.join(folder.name, file)
                                for file in ("ncu", "limits.tsv", "log"))
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/usr/bin/env python3\nimport sys\n"
                       f"open({log!r}, 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
                       f"sys.stdout.write({text!r})\nsys.exit({status})\n")
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, "..", "..", name), "--lufact", "lufact",
             "--output", output, "--ncu", program, *arguments],
            capture_output=True, text=True, check=False)
        with open(output, encoding="utf-8") as file:
            lines = list(csv.DictReader(file, delimiter="\t"))
        with open(log, encoding="utf-8") as file:
            return done, lines, file.read().splitlines()

    def expect_counters(self, line, kernel):
        metrics = list(METRICS)
        self.assertEqual(line["device"], "A device")
        self.assertAlmostEqual(float(line["seconds"]),
                               (1000 + 100 * kernel + metrics.index(SECONDS)) * 1e-6)
        self.assertEqual(int(line["bytes_read"]),
                         (1000 + 100 * kernel + metrics.index(READ)) * 1_000_000)
        for name, metric in COUNTERS.items():
            self.assertEqual(float(line[name]), 1000 + 100 * kernel + metrics.index(metric), name)
        for name, metric in WAITS.items():
            self.assertEqual(float(line[f"waits_{name}"]),
                             1000 + 100 * kernel + metrics.index(metric), name)

    def test_a_line_for_each_order_operation_and_precision(self):
        done, lines, commands = self.run_script("batch_limits", ["--orders", "8,16"], printed(2))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(x["operation"], x["precision"], x["order"]) for x in lines],
                         [(operation, precision, order) for operation in ("lu", "inverse")
                          for precision in ("float", "double") for order in ("8", "16")])
        self.expect_counters(lines[1], 1)
        self.assertTrue(all("--cache-control all" in command for command in commands))

    def test_a_line_for_each_kernel_of_each_matrix_and_number_of_systems(self):
        done, lines, commands = self.run_script(
            "kernel_limits", ["--systems", "none,64", "a/one.mtx.xz", "two.mtx"], printed(3))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(x["matrix"], x["systems"], x["number"]) for x in lines],
                         [(matrix, systems, number) for matrix in ("one", "two")
                          for systems in ("none", "64") for number in "012"])
        self.expect_counters(lines[2], 2)
        self.assertEqual(len(commands), 4)
        self.assertIn("--values device", commands[0])
        self.assertNotIn("--systems", commands[0])
        self.assertIn("--cache-control none", commands[1])
        self.assertIn("--matrix a/one.mtx.xz --mode fast", commands[1])
        self.assertIn("--systems 64", commands[1])

    def test_says_what_failed(self):
        for name, arguments in (("batch_limits", ["--orders", "8,16"]),
                                ("kernel_limits", ["two.mtx"])):
            for text, status, message in (
                    ("==ERROR== ERR_NVGPUCTRPERM\n", 1, "ERR_NVGPUCTRPERM"),
                    ("==WARNING== No kernels were profiled.\n", 0, "no kernel"),
                    (printed(2, without=COUNTERS["warps"]), 0, "does not give sm__warps")):
                done, lines, _ = self.run_script(name, arguments, text, status)
                self.assertEqual(done.returncode, 1)
                self.assertIn(message, done.stderr)
                self.assertEqual(lines, [])

    def test_a_kernel_for_each_order_of_a_batch(self):
        done, lines, _ = self.run_script("batch_limits", ["--orders", "8,16"], printed(1))
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 kernels were profiled, and 2 are expected", done.stderr)
        self.assertEqual(lines, [])


if __name__ == "__main__":
    unittest.main()
