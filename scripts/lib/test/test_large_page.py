#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of large fronts: what it prints of small results."""
import os
import unittest

from fixtures import Folder, file_of, run_of


def large(matrix, variant, seconds, flops=None, outcome="ok"):
    """A run whose numeric step takes so long in each of three refactorizations."""
    run = run_of(matrix, variant, until="solve")
    run["factors"]["flops"], run["outcome"] = flops, outcome
    run["refactor_samples"] = [{"repetition": k, "total_s": 2 * seconds,
                                "phases": [{"name": "numeric", "wall_s": seconds}]}
                               for k in range(3)]
    return run


class LargePage(Folder):
    def make(self, *runs, options=("--no-figures",)):
        page = self.page("large_page", self.write(file_of(*runs)), "--output", self.path("out"),
                         *options)
        self.assertEqual(page.returncode, 0, page.stderr)
        return page.stdout

    def test_rates_and_ratios_have_their_bars(self):
        text = self.make(large("grid3d-100", "fast", 0.2, 10e12), large("grid3d-100", "cudss", 0.8),
                         large("flow-200k", "fast", 0.05, 1.6e12), large("flow-200k", "cudss", 0.1),
                         large("plane", "fast", 0.01, 50e9), large("plane", "cudss", 0.01))
        self.assertIn("grid3d-100 50.00, flow-200k 32.00; bar: at least 42: missed.", text)
        self.assertIn("takes cuDSS geometric mean 2.83 (n = 2", text)
        self.assertIn("bar: at least 3.5 on each: missed; below it: flow-200k (2.00).", text)
        self.assertIn("| grid3d-100 | 1,000 | 10,000.0 | 12 | 200 | 50.00 | 800 | 4.00 |", text)

    def test_bars_hold_where_they_do(self):
        text = self.make(large("grid3d-100", "fast", 0.2, 10e12), large("grid3d-100", "cudss", 0.8))
        self.assertIn("grid3d-100 50.00; bar: at least 42: held.", text)
        self.assertIn("bar: at least 3.5 on each: held; below it: none.", text)

    def test_stands_without_a_peer_or_its_right_answer(self):
        text = self.make(large("plane", "fast", 0.01, 50e9),
                         large("plane", "cudss", 0.5, outcome="inaccurate"))
        self.assertIn("None of grid3d-100 and flow-200k", text)
        self.assertIn("No matrix of more than 100 Gflop beside cuDSS.", text)
        self.assertIn("| plane | 1,000 | 50.0 | 12 | 10 | 5.00 | - | - |", text)

    def test_without_refactorizations_it_is_of_no_use(self):
        run = run_of("a", "fast")
        run["refactor_samples"] = []
        page = self.page("large_page", self.write(file_of(run)))
        self.assertEqual(page.returncode, 1)
        self.assertIn("configs/large.json", page.stderr)

    def test_draws_the_ratios(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        self.make(large("a", "fast", 0.2, 10e12), large("a", "cudss", 0.8), options=())
        self.assertTrue(os.path.exists(self.path(os.path.join("out", "large.svg"))))


if __name__ == "__main__":
    unittest.main()
