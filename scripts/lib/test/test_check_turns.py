#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_turns: what it makes of records that are made up, and a measurement with the program."""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SCRIPTS / "lib"))
sys.dont_write_bytecode = True
from turns_check import CONDITIONS, MissingMeasurement, holds, judge, report  # noqa: E402


def measurement(condition, beside, total_ms, scale_ms=2.0, foreign=0.1):
    busy = condition == "busy"
    return {"matrix": "m", "condition": condition, "beside": beside, "outcome": "ok",
            "phases": {"total": [1e-3 * total_ms] * 20, "scale": [1e-3 * scale_ms] * 20,
                       "solve": [1e-4] * 20},
            "host_state": {"foreign_processors": 1.0 if busy else foreign},
            "warnings": {"ours": ["host_busy"] if busy else []}}


def good_record():
    return {"mode": "fast", "host": "a host", "repetitions": 20, "lufact": "lufact 1",
            "measurements": [measurement(condition, beside, 14 if condition == "busy" else 10)
                             for condition in CONDITIONS for beside in (None, "klu", "cudss")]}


def find(record, condition, beside):
    return next(m for m in record["measurements"]
                if m["condition"] == condition and m["beside"] == beside)


class Judgement(unittest.TestCase):
    def setUp(self):
        self.record = good_record()

    def failed(self):
        findings = judge(self.record)
        self.assertEqual(holds(findings), not [f for f in findings if f.ok is False])
        return [(f.rule, f.condition, f.beside, f.phase) for f in findings if f.ok is False]

    def test_a_good_record_holds(self):
        self.assertEqual(self.failed(), [])
        text = report(self.record, judge(self.record))
        self.assertTrue(text.endswith("\nholds\n"), text)
        self.assertIn("warn of the busy host: 3 of 3", text)

    def test_turns_that_are_slower_or_faster_are_found(self):
        find(self.record, "half", "klu")["phases"]["total"] = [0.0111] * 20
        find(self.record, "default", "cudss")["phases"]["total"] = [0.0089] * 20
        find(self.record, "busy", "cudss")["phases"]["total"] = [0.0130] * 20
        self.assertEqual(self.failed(), [("turns", "default", "cudss", "total"),
                                         ("turns", "half", "klu", "total")])

    def test_the_median_counts(self):
        find(self.record, "default", "klu")["phases"]["total"] = [0.01] * 11 + [1.0] * 9
        self.assertEqual(self.failed(), [])

    def test_a_phase_over_a_millisecond_is_judged_and_a_shorter_one_is_not(self):
        phases = find(self.record, "default", "klu")["phases"]
        phases["solve"] = [9e-4] * 20
        self.assertEqual(self.failed(), [])
        phases["solve"] = [2e-3] * 20
        self.assertEqual(self.failed(), [("turns", "default", "klu", "solve")])

    def test_a_phase_that_only_one_side_has_is_found(self):
        find(self.record, "default", "klu")["phases"]["levelize"] = [5e-3] * 20
        self.assertEqual(self.failed(), [("turns", "default", "klu", "levelize")])

    def test_binding_that_puts_all_threads_on_one_core_is_found(self):
        for beside in (None, "klu", "cudss"):
            find(self.record, "bound", beside)["phases"]["total"] = [0.047] * 20
        self.assertEqual(self.failed(), [("bound", "bound", None, "total")])

    def test_a_busy_thread_may_cost_half_as_much_again(self):
        find(self.record, "busy", "klu")["phases"]["total"] = [0.0149] * 20
        self.assertEqual(self.failed(), [])
        find(self.record, "busy", "klu")["phases"]["total"] = [0.0151] * 20
        self.assertEqual(self.failed(), [("busy", "busy", "klu", "total")])

    def test_a_record_that_does_not_warn_of_it_is_found(self):
        find(self.record, "busy", None)["warnings"] = {"ours": ["noisy"]}
        self.assertEqual(self.failed(), [("said", "busy", None, "")])

    def test_a_host_that_tells_nothing_is_no_failure_and_said(self):
        for beside in (None, "klu", "cudss"):
            busy = find(self.record, "busy", beside)
            busy["host_state"], busy["warnings"] = {"foreign_processors": None}, {"ours": []}
        self.assertEqual(self.failed(), [])
        self.assertIn("3 cannot be told here", report(self.record, judge(self.record)))

    def test_a_run_that_failed_is_found(self):
        find(self.record, "half", None)["outcome"] = "timeout"
        self.assertEqual(self.failed(), [("ok", "half", None, "")])

    def test_a_record_with_a_hole_is_not_judged(self):
        self.record["measurements"].remove(find(self.record, "half", "klu"))
        with self.assertRaisesRegex(MissingMeasurement, "m, half, beside klu"):
            judge(self.record)
        with self.assertRaises(MissingMeasurement):
            judge({"measurements": []})

    def test_the_exit_status_tells(self):
        bad = copy.deepcopy(self.record)
        find(bad, "busy", None)["phases"]["total"] = [0.16] * 20
        hole = {**self.record, "measurements": self.record["measurements"][:-1]}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "record.json"
            for record, status in ((self.record, 0), (bad, 3), (hole, 2)):
                path.write_text(json.dumps(record), encoding="utf-8")
                done = subprocess.run([SCRIPTS / "check_turns", "--judge", path], check=False,
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)


@unittest.skipUnless("LUFACT_PROGRAM" in os.environ, "LUFACT_PROGRAM names no program")
class Measured(unittest.TestCase):
    """Whether it holds is for quiet hosts; that all is measured and judged is for any."""

    def test_a_small_matrix_is_measured_under_every_condition(self):
        program = os.environ["LUFACT_PROGRAM"]
        with tempfile.TemporaryDirectory() as folder:
            matrix, output = pathlib.Path(folder) / "grid.mtx", pathlib.Path(folder) / "turns.json"
            subprocess.run([program, "generate", "grid2d", "--nx", "30", "--ny", "30", "--output",
                            matrix], check=True, stdout=subprocess.DEVNULL)
            done = subprocess.run([SCRIPTS / "check_turns", "--lufact", program, "--matrix-dir",
                                   folder, "--matrices", "grid", "--mode", "fast-cpu", "--peers",
                                   "", "--repetitions", "10", "--output", output],
                                  check=False, capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 3), done.stderr)
            record = json.loads(output.read_text(encoding="utf-8"))
            self.assertEqual([m["condition"] for m in record["measurements"]], list(CONDITIONS))
            for taken in record["measurements"]:
                self.assertEqual(len(taken["phases"]["total"]), 10)
                self.assertGreaterEqual(taken["host_state"]["processors"], 1)
            half = record["measurements"][2]["host_state"]
            self.assertEqual(int(half["environment"]["OMP_NUM_THREADS"]), half["threads"])
            self.assertIn("fast-cpu", output.with_suffix(".txt").read_text(encoding="utf-8"))

    def test_a_matrix_that_is_missing_is_named(self):
        done = subprocess.run([SCRIPTS / "check_turns", "--lufact", os.environ["LUFACT_PROGRAM"],
                               "--matrices", "nowhere", "--matrix-dir", "/nonexistent"],
                              check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("matrix nowhere is not in /nonexistent", done.stderr)


if __name__ == "__main__":
    unittest.main()
