#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""symbolic_scaling, skipped_tests and product_bound: what they make of small inputs."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from fixtures import file_of, run_of

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def run(script, *arguments):
    return subprocess.run([sys.executable, os.path.join(SCRIPTS, script), *arguments],
                          capture_output=True, text=True, check=False)


def median(value):
    return {"n": 5, "median": value, "q1": value, "q3": value, "min": value, "max": value}


class SymbolicScaling(unittest.TestCase):
    def write(self, folder, stage, threads, seconds, entries):
        runs = [{"pipeline": {"symbolic": stage}, "outcome": "ok", "matrix": {"name": name, "n": 9},
                 "factors": {"nnz_l": 0, "nnz_u": entries}, "summary": {"symbolic": median(time)}}
                for name, time in seconds.items()]
        runs.append({"pipeline": {"symbolic": stage}, "outcome": "timeout",
                     "matrix": {"name": "slow", "n": 9}, "factors": None, "summary": None})
        path = os.path.join(folder, f"{stage}-t{threads}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"config": {"threads": threads}, "runs": runs}, file)

    def test_compares_with_the_base_on_one_thread(self):
        with tempfile.TemporaryDirectory() as folder:
            self.write(folder, "cpu-gp-pruned", 1, {"a": 0.4, "b": 0.9}, 6_000_000)
            self.write(folder, "cpu-parallel", 2, {"a": 0.3, "b": 0.6}, 6_000_000)
            self.write(folder, "cpu-parallel", 16, {"a": 0.1, "b": 0.1}, 6_000_000)
            output = run("symbolic_scaling", "--table", folder).stdout
        self.assertIn("| a | 9 | 6,000,000 | 400.00 | 300.00 | 100.00 | 4.00 |", output)
        self.assertIn("on 16: geometric mean 6.00 over 2 matrices", output)
        self.assertNotIn("slow", output)


class ProductBound(unittest.TestCase):
    PLAN = ("matrix\tpath_ms\tgflop\tto_64\tto_128\tto_256\tto_512\tto_1024\tbeyond\tpivots\trows\n"
            "some/grid.mtx\t7.000\t100.000\t0.500\t0.000\t0.000\t0.000\t0.000\t0.500\t900\t900\n")
    RATES = ("depth\town_us\town_tflops\tcublas_us\tcublas_tflops\n"
             "64\t1.0\t20.00\t1.0\t10.00\n1024\t1.0\t25.00\t1.0\t50.00\n")

    def bound(self, matrix):
        with tempfile.TemporaryDirectory() as folder:
            names = [os.path.join(folder, name) for name in ("plans", "rates", "record.json")]
            texts = (self.PLAN, self.RATES,
                     json.dumps(file_of(run_of(matrix, "fast", until="solve"))))
            for name, text in zip(names, texts):
                with open(name, "w", encoding="utf-8") as file:
                    file.write(text)
            return run("product_bound", *names)

    # 2.5 + 2 ms of products at our rates, 2.5 + 1 at the better ones, of 12 ms in all.
    def test_takes_the_better_rate_of_each_depth(self):
        self.assertIn("| grid | 12.00 | 7.00 | 4.50 | 3.50 | 1.09 |", self.bound("grid").stdout)

    def test_says_what_is_missing(self):
        answer = self.bound("another")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("no verified run of fast on grid", answer.stderr)


class SkippedTests(unittest.TestCase):
    def test_groups_cases_by_reason(self):
        log = ("[ RUN      ] A.x\ntest:3: Skipped\nno device\n\n[  SKIPPED ] A.x (0 ms)\n"
               "[ RUN      ] A.y\n[       OK ] A.y (0 ms)\n"
               "[ RUN      ] B.z\ntest:9: Skipped\nno device\n\n[  SKIPPED ] B.z (0 ms)\n"
               "[  SKIPPED ] 2 tests, listed below:\n[  SKIPPED ] A.x\n[  SKIPPED ] B.z\n")
        with tempfile.NamedTemporaryFile("w", suffix=".log") as file:
            file.write(log)
            file.flush()
            output = run("lib/skipped_tests.py", file.name).stdout
        self.assertIn("Skipped test cases: 2", output)
        self.assertIn("2 x no device (A.x, B.z)", output)


if __name__ == "__main__":
    unittest.main()
