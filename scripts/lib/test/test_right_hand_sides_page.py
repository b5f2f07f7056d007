#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of several right-hand sides: what it prints of small results."""
import json
import os
import subprocess
import sys
import unittest

from fixtures import SCRIPTS, Folder, file_of, run_of


def solved(matrix, name, count, seconds, n=20_000, outcome="ok", copies=1e-3):
    """Five refactorizations whose solve of `count` right-hand sides takes so many seconds."""
    peer = None if name.startswith("fast") else name
    run = run_of(matrix, f"{name}-{count}", until="solve", options={"rhs": str(count)}, peer=peer)
    run["mode"] = "peer" if peer else name
    run["matrix"]["n"], run["outcome"] = n, outcome
    run["error"] = None if outcome == "ok" else {"message": "an error over the threshold"}
    phases = [{"name": phase, "wall_s": wall} for phase, wall in
              (("transfer", copies), ("numeric", 7e-3), ("solve", seconds))]
    run["refactor_samples"] = [{"repetition": k, "total_s": copies + 7e-3 + seconds,
                                "phases": phases} for k in range(5)]
    return run


BOTH = (solved("a", "fast", 1, 1e-3), solved("a", "cudss", 1, 4e-3),
        solved("a", "fast", 64, 2e-3), solved("a", "cudss", 64, 4e-3),
        solved("b", "fast", 1, 1e-3), solved("b", "cudss", 1, 1e-3),
        solved("b", "fast", 64, 2e-3), solved("b", "cudss", 64, 16e-3))


class RightHandSidesPage(Folder):
    def make(self, *runs, options=("--no-figures",)):
        page = self.page("right_hand_sides_page", self.write(file_of(*runs)), "--output",
                         self.path("out"), *options)
        self.assertEqual(page.returncode, 0, page.stderr)
        return page.stdout

    def test_ratios_are_those_of_the_solve_by_number(self):
        text = self.make(*BOTH)
        self.assertIn("| a | 20,000 | 4.00 [4.00, 4.00] | 2.00 [2.00, 2.00] | held |", text)
        self.assertIn("| b | 20,000 | 1.00 [1.00, 1.00] | 8.00 [8.00, 8.00] | held |", text)
        self.assertIn("| a | cudss | 4 | 4 |", text)
        self.assertIn("takes geometric mean 4.00 (n = 2, from 2.00 to 8.00) times", text)
        # With 1 ms of copies: 5 / 2 and 2 / 2 ms with one, 5 / 3 and 17 / 3 ms with 64.
        self.assertIn("| 1 | 2 | 2.00 | 1.00 | 4.00 | 1.58 |", text)
        self.assertIn("| 64 | 2 | 4.00 | 2.00 | 8.00 | 3.07 |", text)

    def test_the_bar_is_for_each_matrix_of_many_rows(self):
        small = (solved("small", "fast", 64, 2e-3, n=9_999),
                 solved("small", "cudss", 64, 1e-3, n=9_999))
        text = self.make(*BOTH, *small)
        self.assertIn("at least 1.5 on each, by the medians: held; below it: none.", text)
        self.assertIn("| small | 9,999 | - | 0.50 [0.50, 0.50] | - |", text)
        text = self.make(*BOTH, solved("c", "fast", 64, 2e-3),
                         solved("c", "cudss", 64, 2.9e-3))
        self.assertIn("by the medians: missed; below it: c (1.45).", text)
        self.assertIn("1.45 [1.45, 1.45] | missed |", text)

    def test_what_one_side_does_not_solve_is_named(self):
        text = self.make(*BOTH, solved("c", "fast", 64, 2e-3),
                         solved("c", "cudss", 64, 1e-3, outcome="inaccurate"))
        self.assertIn("by the medians: held; below it: none.", text)
        self.assertIn("alone: none; by `fast` alone, so that there is nothing to judge: c.", text)
        self.assertIn("| c | 20,000 | - | - | - |", text)
        self.assertIn("- inaccurate (an error over the threshold): c cudss-64", text)
        text = self.make(*BOTH, solved("c", "fast", 64, 2e-3, outcome="timeout"),
                         solved("c", "cudss", 64, 9e-3))
        self.assertIn("by the medians: missed; below it: none.", text)
        self.assertIn("- Solved with 64 by `cudss` alone: c; by `fast` alone", text)

    def test_solvers_on_the_host_stand_beside_as_many(self):
        text = self.make(*BOTH, solved("a", "fast-cpu", 64, 20e-3),
                         solved("a", "pardiso", 64, 30e-3))
        self.assertIn("- 64 right-hand sides take `fast-cpu` geometric mean 10.0 (n = 1", text)
        self.assertIn("- 64 right-hand sides take `pardiso` geometric mean 15.0 (n = 1", text)
        self.assertIn("| a | pardiso | - | 30 |", text)

    def test_the_figure_has_the_bar_and_can_be_read(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        self.make(*BOTH, options=())
        path = self.path(os.path.join("out", "right-hand-sides.svg"))
        with open(path, encoding="utf-8") as figure:
            self.assertIn("1.5: bar with 64", figure.read())
        checked = subprocess.run([sys.executable, os.path.join(SCRIPTS, "check_figures"), path],
                                 capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout)

    def test_without_a_device_the_times_of_the_host_are_left(self):
        text = self.make(solved("a", "fast-cpu", 64, 20e-3), options=())
        self.assertIn("No matrix of 10,000 rows or more was solved by both", text)
        self.assertIn("| a | fast-cpu | 20 |", text)
        self.assertNotIn("](right-hand-sides.svg)", text)

    def test_what_cannot_be_a_page_is_refused(self):
        for runs, words in (((solved("a", "fast", 1, 1e-3),), "no run with several right-hand"),
                            ((run_of("a", "cpu"),), "no run with several right-hand"),
                            ((*BOTH, BOTH[2]), "answer the same question")):
            page = self.page("right_hand_sides_page", self.write(file_of(*runs)))
            self.assertEqual(page.returncode, 1)
            self.assertIn(words, page.stderr)


class Configurations(unittest.TestCase):
    def test_matrices_are_those_of_fast_with_many_rows(self):
        """By the rows that stand-ins and generators say; grids by their sides."""
        def rows(entry):
            made = entry.get("generate") or entry["stand_in"]
            return made.get("n") or (made["nx"] * made["ny"] * made.get("nz", 1)
                                     * made.get("unknowns", 1))
        configs = {}
        for name in ("fast", "right-hand-sides"):
            with open(os.path.join(SCRIPTS, "..", "configs", name + ".json"),
                      encoding="utf-8") as file:
                configs[name] = json.load(file)["matrices"]
        self.assertEqual(configs["right-hand-sides"],
                         [entry for entry in configs["fast"] if rows(entry) >= 10_000])


if __name__ == "__main__":
    unittest.main()
