#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of many systems with one pattern: what it prints of small results."""
import os
import unittest

from fixtures import Folder, file_of, run_of


def of_systems(matrix, count, seconds, mode="fast", n=2000, entries=10_000, outcome="ok",
               peer=None):
    """Five refactorizations of `count` systems, which take `seconds` together."""
    run = run_of(matrix, f"{peer or mode}-{count}", until="solve", peer=peer)
    run["mode"] = "peer" if peer else mode
    run["matrix"]["n"], run["outcome"] = n, outcome
    run["factors"] = {"nnz_l": entries // 2, "nnz_u": entries // 2}
    run["systems"] = {"count": count, "systems_per_s": count / seconds}
    phases = [{"name": name, "wall_s": seconds / 2} for name in ("numeric", "solve")]
    run["refactor_samples"] = [{"repetition": k, "total_s": 2 * seconds, "phases": phases}
                               for k in range(5)]
    return run


THREE_SIZES = (of_systems("small", 1, 1e-3), of_systems("small", 256, 8e-3),
               of_systems("large", 1, 1e-3, n=30_000, entries=500_000),
               of_systems("large", 256, 64e-3, n=30_000, entries=500_000),
               of_systems("huge", 1, 1e-3, n=90_000, entries=500_000),
               of_systems("huge", 256, 128e-3, n=90_000, entries=500_000))


class SystemsPage(Folder):
    def make(self, *runs, options=("--no-figures",)):
        page = self.page("systems_page", self.write(file_of(*runs)), "--output", self.path("out"),
                         *options)
        self.assertEqual(page.returncode, 0, page.stderr)
        return page.stdout

    def test_gains_are_those_of_a_system_and_bars_say_how_they_end(self):
        text = self.make(*THREE_SIZES)
        self.assertIn("| small | 2,000 | 0.08 | 32.00 [32.00, 32.00] | 20: held, 5: held |", text)
        self.assertIn("| large | 30,000 | 4.00 | 4.00 [4.00, 4.00] | 5: missed |", text)
        self.assertIn("| huge | 90,000 | 4.00 | 2.00 [2.00, 2.00] | none |", text)
        self.assertIn("at least 20 times (factors below 2 MB): held on 1 of 1 matrices; missed: "
                      "none", text)
        self.assertIn("at least 5 times (at most 40,000 rows): held on 1 of 2 matrices; missed: "
                      "large", text)
        self.assertIn("| small | fast | 1,000 | 32,000 |", text)

    def test_the_figure_has_the_bars(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        self.make(*THREE_SIZES, options=())
        with open(self.path(os.path.join("out", "systems.svg")), encoding="utf-8") as figure:
            self.assertIn("20: factors below 2 MB", figure.read())

    def test_others_stand_beside_as_many_systems(self):
        text = self.make(
            of_systems("a", 1, 1e-3), of_systems("a", 256, 8e-3),
            of_systems("a", 1, 1e-6, peer="klu"), of_systems("a", 256, 24e-3, peer="klu"),
            of_systems("a", 256, 1e-6, mode="fast-cpu", outcome="inaccurate"))
        self.assertIn("256 systems of `klu` take geometric mean 3.00 (n = 1", text)
        self.assertNotIn("of `fast-cpu` take", text)
        self.assertIn("| a | klu | 1,000,000 | 10,667 |", text)

    def test_the_uniform_batch_has_a_bar_of_its_own(self):
        ours = [of_systems(matrix, 256, 8e-3) for matrix in ("a", "b", "c")]
        beside = [of_systems("a", 256, 64e-3, peer="cudss"),
                  of_systems("c", 256, 1e-6, peer="cudss", outcome="inaccurate")]
        for seconds, verdict in ((16e-3, "held; not faster on: none"),
                                 (8e-3, "missed; not faster on: b"),
                                 (4e-3, "missed; not faster on: b")):
            text = self.make(*ours, *beside, of_systems("b", 256, seconds, peer="cudss"),
                             *THREE_SIZES)
            self.assertIn("faster on each matrix, of the 2 that it solves: " + verdict, text)
            self.assertIn("| a | 2,000 | 8.00 [8.00, 8.00] |", text)
            self.assertIn("| c | 2,000 | - |", text)
        slow = self.make(*ours, of_systems("a", 256, 12e-3, peer="cudss"), *THREE_SIZES)
        self.assertIn("of the 1 that it solves: missed; not faster on: none", slow)
        self.assertNotIn("uniform batch", self.make(*THREE_SIZES, *beside[1:]))

    def test_what_cannot_be_a_page_is_refused(self):
        for runs, words in (((run_of("a", "cpu"),), "no run of many systems"),
                            ((of_systems("a", 4, 1e-3), of_systems("a", 4, 2e-3)),
                             "have as many systems")):
            page = self.page("systems_page", self.write(file_of(*runs)), "--no-figures")
            self.assertEqual(page.returncode, 1)
            self.assertIn(words, page.stderr)
        self.assertIn("No matrix has `fast` with 1 and with 256 systems",
                      self.make(of_systems("a", 4, 1e-3)))


if __name__ == "__main__":
    unittest.main()
