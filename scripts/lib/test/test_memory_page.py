#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of device memory by the driver's count: what it prints of small results."""
import os
import unittest

from fixtures import Folder, file_of, run_of

HELD = {"values of fronts": 50e6, "contribution blocks": 20e6, "the values of B": 4e6,
        "a block of vectors": 1e6, "the rows of fronts": 5e6}


def counted(matrix, variant, peak, said=None, n=20_000, held=None, reason=None, outcome="ok"):
    run = run_of(matrix, variant, until="solve")
    run["matrix"]["n"], run["outcome"] = n, outcome
    run["memory"] = {"device_peak_bytes": said, "driver": {
        "method": None if reason else "process", "peak_over_baseline_bytes": peak,
        "held_over_baseline_bytes": peak and peak / 2, "held_at_peak": held or {},
        "unavailable_reason": reason}}
    return run


class MemoryPage(Folder):
    def make(self, *runs, options=("--no-figures",)):
        page = self.page("memory_page", self.write(file_of(*runs)), "--output", self.path("out"),
                         *options)
        self.assertEqual(page.returncode, 0, page.stderr)
        return page.stdout

    def test_bars_are_about_matrices_of_many_rows(self):
        text = self.make(counted("a", "fast", 150e6), counted("a", "cudss", 100e6),
                         counted("b", "fast", 60e6), counted("b", "cudss", 100e6),
                         counted("small", "fast", 900e6, n=9_999),
                         counted("small", "cudss", 100e6, n=9_999))
        self.assertIn("`fast` takes geometric mean 0.949 (n = 2", text)
        self.assertIn("bar: at most 1: held.", text)
        self.assertIn("At most 1.25 times on each: missed; above it: a (1.50).", text)
        self.assertIn("| small | 9,999 | 900.0 | - | 450.0 | 100.0 | - | 50.0 | 9.00 |", text)

    def test_says_what_each_side_thinks_and_where_our_bytes_are(self):
        text = self.make(counted("a", "fast", 100e6, said=80e6, held=HELD),
                         counted("a", "cudss", 100e6, said=50e6))
        self.assertIn("The driver counts geometric mean 1.25 (n = 1", text)
        self.assertIn("The driver counts geometric mean 2.00 (n = 1", text)
        self.assertIn("| a | 50.0 | 20.0 | 4.0 | 1.0 | 5.0 | 80.0 | 1.25 |", text)
        self.assertIn("| factors alone | 0.50 | 0.50 | 0.50 |", text)
        self.assertIn("| all arrays but contribution blocks | 0.60 | 0.60 | 0.60 |", text)

    def test_what_blocks_in_parts_save_and_take(self):
        runs = [counted("a", "fast", 100e6), counted("a", "fast-parts", 80e6),
                counted("b", "fast", 100e6)]
        for run, seconds in zip(runs, (2, 5, 2)):
            for sample in run["samples"]:
                sample["phases"] = [{"name": "numeric", "wall_s": seconds}]
        text = self.make(*runs)
        self.assertIn("| a | 100.0 | 80.0 | 0.80 | 2.50 |", text)
        self.assertNotIn("| b | 100.0 | - |", text)
        self.assertNotIn("task-graph-parts", self.make(counted("a", "fast", 100e6)))

    def test_what_was_not_counted_is_in_no_number_and_says_why(self):
        text = self.make(counted("a", "fast", 100e6), counted("a", "cudss", None, reason="hidden"),
                         counted("b", "fast", 100e6),
                         counted("b", "cudss", 900e6, outcome="inaccurate"))
        self.assertIn("No matrix of 10,000 rows or more was counted", text)
        self.assertIn("- a cudss: hidden", text)
        self.assertIn("| b | 20,000 | 100.0 | - | 50.0 | - | - | - | - |", text)

    def test_without_any_count_it_is_of_no_use(self):
        page = self.page("memory_page", self.write(file_of(run_of("a", "fast"))))
        self.assertEqual(page.returncode, 1)
        self.assertIn("configs/memory.json", page.stderr)

    def test_draws_the_ratios(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        self.make(counted("a", "fast", 150e6), counted("a", "cudss", 100e6), options=())
        self.assertTrue(os.path.exists(self.path(os.path.join("out", "memory.svg"))))


if __name__ == "__main__":
    unittest.main()
