#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""results_table, symbolic_scaling and skipped_tests: what they make of small inputs."""
import json
import lzma
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def run(script, *arguments):
    return subprocess.run([sys.executable, os.path.join(SCRIPTS, script), *arguments],
                          capture_output=True, text=True, check=False)


def median(value):
    return {"n": 5, "median": value, "q1": value, "q3": value, "min": value, "max": value}


RESULT = {
    "schema": {"name": "lufact-result", "version": "1.0.0"},
    "meta": {"lufact": {"git_sha": "0123456789abcdef"}, "device": None,
             "host": {"cpu_model": "A CPU", "threads": 2}},
    "runs": [
        {"mode": "cpu", "outcome": "ok", "pipeline": {"peer": None},
         "matrix": {"name": "wing", "n": 62032, "nnz": 243088},
         "factors": {"nnz_l": 1000, "nnz_u": 2345, "levels": 17},
         "summary": {"total_s": median(1.25), "numeric": median(0.0123)},
         "verification": {"backward_error": 1.23e-16}},
        {"mode": "ooc", "outcome": "unsupported", "pipeline": {"peer": None},
         "matrix": {"name": "wing", "n": None, "nnz": None}, "factors": None,
         "summary": None, "verification": None},
    ],
}


class ResultsTable(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.result = os.path.join(self.folder.name, "r.json")
        with open(self.result, "w", encoding="utf-8") as file:
            json.dump(RESULT, file)

    def tearDown(self):
        self.folder.cleanup()

    def test_one_row_per_run_with_medians_in_milliseconds(self):
        lines = run("results_table", self.result).stdout.splitlines()
        rows = [line for line in lines if line.startswith("| wing")]
        self.assertEqual(len(rows), 2)
        self.assertIn("| 3,345 | 17 | cpu |", rows[0])
        self.assertIn("| 12.30 |", rows[0])
        self.assertIn("| 1250 | 1.2e-16 | ok |", rows[0])
        self.assertTrue(rows[1].endswith("| - | - | unsupported |"), rows[1])
        header = next(line for line in lines if line.startswith("| matrix"))
        self.assertEqual(header.count("|"), rows[0].count("|"))
        self.assertIn("commit 0123456789ab.", lines[0])

    def test_variants_of_a_mode_are_told_apart(self):
        named = json.loads(json.dumps(RESULT))
        named["runs"][0]["variant"] = "cpu:2"
        named["runs"][1]["sweep"] = {"variant": "ooc-metis"}
        with open(self.result, "w", encoding="utf-8") as file:
            json.dump(named, file)
        printed = run("results_table", self.result).stdout
        self.assertIn("| cpu:2 |", printed)
        self.assertIn("| ooc-metis |", printed)

    def test_update_replaces_only_what_stands_between_the_marks(self):
        readme = os.path.join(self.folder.name, "README.md")
        with open(readme, "w", encoding="utf-8") as file:
            file.write("before\n<!-- results_table:begin -->\nold\n<!-- results_table:end -->\n"
                       "after\n")
        for _ in range(2):
            self.assertEqual(run("results_table", self.result, "--update", readme).returncode, 0)
        with open(readme, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("before\n<!-- results_table:begin -->\n`r.json`"), text)
        self.assertTrue(text.endswith("<!-- results_table:end -->\nafter\n"))
        self.assertNotIn("old", text)
        self.assertEqual(text.count("| wing"), 2)

    def test_reads_a_compressed_file(self):
        plain = run("results_table", self.result).stdout
        packed = self.result + ".xz"
        with lzma.open(packed, "wt", encoding="utf-8") as file:
            json.dump(RESULT, file)
        self.assertEqual(run("results_table", packed).stdout, plain.replace("r.json", "r.json.xz"))

    def test_a_file_that_is_no_result_is_refused(self):
        other = os.path.join(self.folder.name, "other.json")
        with open(other, "w", encoding="utf-8") as file:
            file.write("{}")
        outcome = run("results_table", other)
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("no lufact result file", outcome.stderr)

    def test_update_without_marks_is_refused(self):
        outcome = run("results_table", self.result, "--update", self.result)
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("needs one line", outcome.stderr)


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
