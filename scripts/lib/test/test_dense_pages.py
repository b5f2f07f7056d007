#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Our own pages on one large dense matrix: what they print of small results."""
import copy
import os
import sys
import unittest

from fixtures import SCRIPTS, Folder, dense_run, file_of

sys.path.insert(0, os.path.join(SCRIPTS, "lib"))
import experiments  # noqa: E402
import results  # noqa: E402


def beside(variant, n, seconds, m=None, **more):
    return dense_run(variant, n, seconds, name=f"random-{m or n}x{n}", m=m or n,
                     pivoting="partial", **more)


# Ours half as long as cuSOLVER at 1,000, a quarter longer at 4,096.
BESIDE_VENDOR = file_of(
    beside("fast", 1000, 1e-3, profile={"numeric": 2e-3, "numeric/diagonal": 8e-4,
                                        "numeric/triangular": 2e-4, "numeric/product": 5e-4}),
    beside("cusolver", 1000, 2e-3, peer="cusolver"), beside("cpu", 1000, 8e-3),
    beside("mkl", 1000, 4e-3, peer="mkl"),
    beside("fast", 4096, 5e-3), beside("cusolver", 4096, 4e-3, peer="cusolver"),
    beside("fast", 16, 8e-4, m=1000000), beside("cusolver", 16, 1e-3, m=1000000, peer="cusolver"))


def hard(variant, error, outcome, different, peer=None):
    run = dense_run(variant, 100, 1e-3, name="ties", peer=peer, pivoting="partial", info=0,
                    growth=2.0)
    run["outcome"] = outcome
    run["verification"] = {"backward_error": error, "threshold": 7e-15,
                           "pivots": {"equal": 97, "tied": 3 - different, "different": different}}
    return run


def of_front(variant, seconds, peer=None):
    run = beside(variant, 700, seconds, peer=peer)
    run["input"]["name"] = run["sweep"]["matrix"] = "bayer10-front"
    run["verification"] = {"backward_error": 1e-17, "threshold": 7e-15}
    return run


FRONTS = file_of(of_front("fast", 1e-3), of_front("cusolver", 4e-3, peer="cusolver"))
def solved(variant, seconds, arithmetic, outcome="ok", refinement=None, peer=None):
    run = dense_run(variant, 1000, seconds, name="condition-1e4-1000", peer=peer,
                    operation="solve", pivoting="partial", arithmetic=arithmetic,
                    refinement=refinement)
    run["outcome"] = outcome
    run["until"] = "solve"
    for sample in run["samples"]:
        sample["phases"][0]["name"] = "solve"
    run["verification"] = {"backward_error": 1e-17, "threshold": 7e-12}
    run["sweep"]["variant"] = f"{variant}-{arithmetic}"
    return run


REFINED = {"method": "classical", "steps": 2, "full_precision": False, "history": [1e-7, 1e-17]}
PRECISION = file_of(
    solved("fast", 4e-3, "double"), solved("fast", 2e-3, "tf32", refinement=REFINED),
    solved("fast", 1e-3, "half", "inaccurate", {**REFINED, "method": "gmres"}),
    solved("fast", 3e-3, "float", refinement=REFINED),
    solved("cusolver-irs-float", 6e-3, "float", refinement=REFINED, peer="cusolver-irs-float"),
    solved("cusolver-irs-tf32", 8e-3, "tf32", refinement={**REFINED, "full_precision": True},
           peer="cusolver-irs-tf32"))
HARD = file_of(hard("hybrid-tuned", 1e-16, "ok", 0),
               hard("cusolver", 1e-2, "inaccurate", 3, peer="cusolver"))
CASES = {
    "dense_peers_page": (BESIDE_VENDOR,
                         ["double, pivoting partial: time of ours over the fastest of cuSOLVER "
                          "0.500 to 1.25; behind at 4,096 (1.25).",
                          "`cpu` has 0.500 to 0.500 of the rate of `mkl` from order 1,000 on.",
                          "| 1,000 | fast | 0.8 | 0.2 | 0.5 | 0.800 |",
                          "| 1,000 | 1 | 2 | 8 | 4 | 667 | 0.500 |"]),
    "dense_tall_page": (BESIDE_VENDOR, ["| 1,000,000 x 16 | 50.0 |", "0.500 to 1.25"]),
    "dense_fronts_page": (FRONTS, ["Ours factored and verified 1 of 1 fronts.",
                                   "| bayer10-front | 700 | 1 | 4 | 0.250 | 1.0e-17 |"]),
    "dense_precision_page": (PRECISION,
                             ["Factors in tf32: 2.00 to 2.00 times as fast as factors in "
                              "double; double's accuracy everywhere.\n",
                              "Factors in float: 1.33 to 1.33 times as fast as factors in "
                              "double; double's accuracy everywhere. Time over that of "
                              "cuSOLVER's refinement: 0.500 to 0.500.",
                              "not double's accuracy on condition-1e4-1000.",
                              "| condition-1e4-1000 | 1,000 | fast | tf32 | 2 | 2.00 | "
                              "classical | 2 | - | 1.0e-17 | ok |",
                              "| cusolver-irs-tf32 | tf32 | 8 | 0.500 | classical | 2 | yes |"]),
    "dense_hard_page": (HARD,
                        ["1 of 2 runs are ok or stop at the zero pivot. `cusolver`, pivoting "
                         "partial is inaccurate on ties.",
                         "| ties | partial | double | cusolver | inaccurate | 1.0e-02 | 7.0e-15 | "
                         "2.0e+00 | 97 | 0 | 3 | 0 |"]),
}


class DensePages(Folder):
    def test_what_bounds_ours_where_it_is_behind_is_told(self):
        runs = [dense_run(variant, n, factor * n * 1e-6, name=f"dominant-{n}", pivoting="none",
                          peer=peer)
                for n, behind in ((100, 2.0), (640, 1.5), (1024, 0.5))
                for variant, factor, peer in (("task-graph", behind, None),
                                              ("cusolver-nopivot", 1, "cusolver-nopivot"))]
        with open(self.path("product-rates.tsv"), "w", encoding="utf-8") as file:
            file.write("depth\town_us\town_tflops\tcublas_us\tcublas_tflops\n"
                       "64\t9\t10\t8\t11.25\n512\t40\t18\t30\t24\n")
        text = self.text("dense_peers_page", file_of(*runs))
        self.assertIn("`task-graph` takes 100 us at 100, 96.0 us at 640 for each tile of 64 rows "
                      "on the diagonal.", text)
        self.assertIn("our products, alone, go at 10.0 to 18.0 Tflop/s by their depth, cuBLAS's at "
                      "11.2 to 24.0", text)

    def text(self, script, content):
        page = experiments.page_maker(script)(results.load([self.write(content)]))
        return page.text(self.folder.name)

    def test_every_page_has_a_case(self):
        own = {e.script for e in experiments.EXPERIMENTS
               if e.id.startswith("dense-") and not e.published}
        self.assertEqual(own, set(CASES))

    def test_print_the_numbers_that_they_are_made_of(self):
        for script, (content, lines) in CASES.items():
            text = self.text(script, copy.deepcopy(content))
            for line in lines:
                with self.subTest(script=script, line=line):
                    self.assertIn(line, text)

    def test_a_file_without_dense_matrices_is_refused(self):
        other = copy.deepcopy(HARD)
        for run in other["runs"]:
            run["dense"] = None
        for script in CASES:
            with self.subTest(script=script), self.assertRaises(results.ResultError):
                self.text(script, other)


if __name__ == "__main__":
    unittest.main()
