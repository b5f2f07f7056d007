#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_turns: what it makes of records that are made up, and a measurement with the program."""
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SCRIPTS / "lib"))
sys.dont_write_bytecode = True
from turns_check import CONDITIONS, FAILED, HELD, LEAST_PROCESSES, UNDECIDED  # noqa: E402
from turns_check import MissingMeasurement, agreement, judge, ratio_interval  # noqa: E402
from turns_check import report, shared_cores, verdict_of  # noqa: E402


def processes_of(total_ms, condition="default", beside=None, foreign=0.1, count=6):
    """As many as `count`, of four repetitions that are 2% apart, a percent apart themselves."""
    busy = condition == "busy"
    return [{"outcome": "ok", "peer_turns": 4 if beside else None,
             "phases": {"total": [1e-3 * total_ms * (1 + 0.01 * process + 0.02 * repetition)
                                  for repetition in range(4)],
                        "scale": [2e-3] * 4, "solve": [1e-4] * 4},
             "host_state": {"foreign_processors": 1.0 if busy else foreign},
             "warnings": {"ours": ["host_busy"] if busy else []}} for process in range(count)]


def measurement(condition, beside, total_ms):
    return {"matrix": "m", "condition": condition, "beside": beside,
            "processes": processes_of(total_ms, condition, beside)}


def good_record():
    return {"mode": "fast", "host": "a host", "repetitions": 4, "lufact": "lufact 1",
            "measurements": [measurement(condition, beside, 14 if condition == "busy" else 10)
                             for condition in CONDITIONS for beside in (None, "klu", "cudss")]}


def find(record, condition, beside):
    return next(m for m in record["measurements"]
                if m["condition"] == condition and m["beside"] == beside)


def set_phase(record, condition, beside, phase, seconds):
    """In every process; None takes the phase away."""
    for process in find(record, condition, beside)["processes"]:
        process["phases"].pop(phase, None)
        if seconds is not None:
            process["phases"][phase] = [seconds] * 4


class Interval(unittest.TestCase):
    def test_equal_sides_are_within_a_narrow_interval_around_one(self):
        sides = [[1.0, 1.01, 0.99]] * 6
        low, high = ratio_interval(sides, sides)
        self.assertLessEqual(0.97, low)
        self.assertLessEqual(low, 1)
        self.assertLessEqual(1, high)
        self.assertLessEqual(high, 1.03)

    def test_a_side_that_is_slower_throughout_is_seen(self):
        base = [[1 + 0.01 * p, 1.02 + 0.01 * p] for p in range(6)]
        slower = [[1.3 * s for s in process] for process in base]
        low, high = ratio_interval(base, slower)
        self.assertGreater(low, 1.2)
        self.assertLess(high, 1.4)

    def test_processes_that_differ_widen_it_where_repetitions_agree(self):
        """Sixty repetitions decide nothing where ten processes are at one of two speeds."""
        quick_or_slow = [[0.8 if p % 3 else 1.15] * 10 for p in range(6)]
        low, high = ratio_interval(quick_or_slow, quick_or_slow)
        self.assertGreater(high - low, 0.3)
        of_their_own = [[s] for process in quick_or_slow for s in process]
        self.assertEqual(ratio_interval(of_their_own, of_their_own), (1, 1))

    def test_few_processes_have_none(self):
        few = [[1.0]] * (LEAST_PROCESSES - 1)
        self.assertIsNone(ratio_interval(few, [[1.0]] * 9))
        self.assertIsNone(ratio_interval([[1.0]] * 9, few))
        self.assertIsNotNone(ratio_interval([[1.0]] * LEAST_PROCESSES, [[1.0]] * 9))

    def test_it_covers_the_ratio_nineteen_times_in_twenty_or_nearly(self):
        """Of normal times with a spread between processes and one within: the percentile bootstrap
        of 8 clusters is known to be somewhat too narrow."""
        draws = random.Random(5)
        def side():
            return [[draws.gauss(center, 0.02) for _ in range(4)]
                    for center in (draws.gauss(1, 0.04) for _ in range(8))]
        hits = 0
        for _ in range(30):
            low, high = ratio_interval(side(), side())
            hits += low <= 1 <= high
        self.assertGreaterEqual(hits, 25)

    def test_what_it_says_of_agreement(self):
        self.assertEqual(agreement((0.95, 1.05)), HELD)
        self.assertEqual(agreement((1.05, 1.2)), HELD)
        self.assertEqual(agreement((1.11, 1.12)), FAILED)
        self.assertEqual(agreement((0.5, 0.89)), FAILED)
        self.assertEqual(agreement((0.85, 1.15)), UNDECIDED)
        self.assertEqual(agreement(None), UNDECIDED)


class Judgement(unittest.TestCase):
    def setUp(self):
        self.record = good_record()

    def found(self, verdict):
        return [(f.rule, f.condition, f.beside, f.phase) for f in judge(self.record)
                if f.verdict == verdict]

    def failed(self):
        failed = self.found(FAILED)
        self.assertEqual(verdict_of(judge(self.record)) == FAILED, bool(failed))
        return failed

    def test_a_good_record_holds(self):
        self.assertEqual(self.failed(), [])
        text = report(self.record, judge(self.record))
        self.assertTrue(text.endswith("\nholds\n"), text)
        self.assertIn("warn of the busy host: 3 of 3", text)
        self.assertIn("6 processes a side, 4 repetitions each", text)
        self.assertRegex(text, r"m, default, beside klu: total 10\.\d+ ms, 1\.00 times the 10\.\d+ "
                               r"ms alone \(0\.9\d to 1\.0\d, 0\.\d\d wide\)")

    def test_turns_that_are_slower_or_faster_are_found(self):
        find(self.record, "half", "klu")["processes"] = processes_of(12, "half", "klu")
        find(self.record, "default", "cudss")["processes"] = processes_of(8.5, "default", "cudss")
        find(self.record, "busy", "cudss")["processes"] = processes_of(12, "busy", "cudss")
        self.assertEqual(self.failed(), [("turns", "default", "cudss", "total"),
                                         ("turns", "half", "klu", "total")])

    def test_the_median_counts(self):
        for process in find(self.record, "default", "klu")["processes"]:
            process["phases"]["total"][-1] = 1.0
        self.assertEqual(self.failed(), [])

    def test_a_wide_interval_is_undecided_and_its_width_is_said(self):
        for number, process in enumerate(find(self.record, "default", "klu")["processes"]):
            process["phases"]["total"] = [0.008 if number % 2 else 0.0125] * 4
        self.assertEqual(self.failed(), [])
        self.assertEqual(self.found(UNDECIDED), [("turns", "default", "klu", "total")])
        text = report(self.record, judge(self.record))
        self.assertTrue(text.endswith("\nundecided\n"), text)
        self.assertRegex(text, r"undecided: m, default, beside klu: total .* wide\)")
        self.assertIn("0 do not, 1 are undecided", text)

    def test_few_processes_are_undecided(self):
        find(self.record, "default", "klu")["processes"] = processes_of(10, beside="klu", count=4)
        self.assertIn(("turns", "default", "klu", "total"), self.found(UNDECIDED))
        self.assertIn("fewer than 5 processes", report(self.record, judge(self.record)))

    def test_a_phase_over_a_millisecond_is_judged_and_a_shorter_one_is_not(self):
        set_phase(self.record, "default", "klu", "solve", 9e-4)
        self.assertEqual(self.failed(), [])
        set_phase(self.record, "default", "klu", "solve", 2e-3)
        self.assertEqual(self.failed(), [("turns", "default", "klu", "solve")])

    def test_a_phase_that_only_one_side_has_is_found(self):
        set_phase(self.record, "default", "klu", "levelize", 5e-3)
        self.assertEqual(self.failed(), [("turns", "default", "klu", "levelize")])
        set_phase(self.record, "default", "klu", "levelize", None)
        set_phase(self.record, "default", "klu", "scale", None)
        self.assertEqual(self.failed(), [("turns", "default", "klu", "scale")])

    def test_binding_that_puts_all_threads_on_one_core_is_found(self):
        for beside in (None, "klu", "cudss"):
            find(self.record, "bound", beside)["processes"] = processes_of(47, "bound", beside)
        self.assertEqual(self.failed(), [("bound", "bound", None, "total")])

    def test_a_busy_thread_may_cost_half_as_much_again(self):
        find(self.record, "busy", "klu")["processes"] = processes_of(14.9, "busy", "klu")
        self.assertEqual(self.failed(), [])
        find(self.record, "busy", "klu")["processes"] = processes_of(15.2, "busy", "klu")
        self.assertEqual(self.failed(), [("busy", "busy", "klu", "total")])

    def test_a_record_that_does_not_warn_of_it_is_found(self):
        for process in find(self.record, "busy", None)["processes"]:
            process["warnings"] = {"ours": ["noisy"]}
        self.assertEqual(self.failed(), [("said", "busy", None, "")])

    def test_a_host_that_tells_nothing_is_no_failure_and_said(self):
        for beside in (None, "klu", "cudss"):
            for process in find(self.record, "busy", beside)["processes"]:
                process["host_state"] = {"foreign_processors": None}
                process["warnings"] = {"ours": []}
        self.assertEqual(self.failed(), [])
        self.assertIn("3 cannot be told here", report(self.record, judge(self.record)))

    def test_a_run_that_failed_is_found(self):
        find(self.record, "half", None)["processes"][2]["outcome"] = "timeout"
        self.assertEqual(self.failed(), [("ok", "half", None, "")])

    def test_a_peer_that_took_no_turns_is_found(self):
        find(self.record, "default", "klu")["processes"][2]["peer_turns"] = 1
        self.assertEqual(self.failed(), [("peer", "default", "klu", "")])

    def test_what_was_planned_and_not_measured_is_undecided(self):
        find(self.record, "half", "klu")["processes"] = []
        self.assertEqual(self.failed(), [])
        self.assertEqual(self.found(UNDECIDED), [("taken", "half", "klu", "")])

    def test_a_record_with_a_hole_is_not_judged(self):
        self.record["measurements"].remove(find(self.record, "default", None))
        with self.assertRaisesRegex(MissingMeasurement, "m, default, alone"):
            judge(self.record)
        with self.assertRaises(MissingMeasurement):
            judge({"measurements": []})

    def test_a_record_without_processes_is_of_an_earlier_form(self):
        old = {"matrix": "m", "condition": "default", "beside": None, "phases": {"total": [1.0]}}
        with self.assertRaisesRegex(MissingMeasurement, "earlier check_turns"):
            judge({"measurements": [old]})

    def test_cores_that_somebody_else_used_are_counted(self):
        self.assertEqual(shared_cores(self.record), {})
        for beside, slow in ((None, 1.0), ("klu", 1.6)):
            for number, process in enumerate(find(self.record, "default", beside)["processes"]):
                pace = {"processor": 1, "independent_s": 6e-6 * (slow if number < 3 else 1),
                        "dependent_s": 16e-6}
                process["host"] = [{"core_before": pace, "core_after": pace}]
        self.assertEqual(shared_cores(self.record), {None: 0.0, "klu": 0.5})
        self.assertIn("used as well: 0% alone, 50% beside klu",
                      report(self.record, judge(self.record)))

    def test_the_exit_status_tells(self):
        slow, wide = copy.deepcopy(self.record), copy.deepcopy(self.record)
        find(slow, "busy", None)["processes"] = processes_of(160, "busy")
        find(wide, "half", "klu")["processes"] = []
        hole = {**self.record, "measurements": self.record["measurements"][1:]}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "record.json"
            for record, status in ((self.record, 0), (slow, 3), (wide, 4), (hole, 2)):
                path.write_text(json.dumps(record), encoding="utf-8")
                done = subprocess.run([SCRIPTS / "check_turns", "--judge", path], check=False,
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)


@unittest.skipUnless("LUFACT_PROGRAM" in os.environ, "LUFACT_PROGRAM names no program")
class Measured(unittest.TestCase):
    """Whether it holds is for quiet hosts; that all is measured and judged is for any."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.output = pathlib.Path(self.folder.name) / "turns.json"
        for name, side in (("grid", "30"), ("small", "20")):
            path = pathlib.Path(self.folder.name) / f"{name}.mtx"
            subprocess.run([os.environ["LUFACT_PROGRAM"], "generate", "grid2d", "--nx", side,
                            "--ny", side, "--output", path], check=True,
                           stdout=subprocess.DEVNULL)

    def tearDown(self):
        self.folder.cleanup()

    def check(self, *options):
        return subprocess.run([SCRIPTS / "check_turns", "--lufact", os.environ["LUFACT_PROGRAM"],
                               "--matrix-dir", self.folder.name, "--mode", "fast-cpu", "--peers",
                               "", "--repetitions", "3", "--output", self.output, *options],
                              check=False, capture_output=True, text=True)

    def record(self):
        return json.loads(self.output.read_text(encoding="utf-8"))

    def test_a_small_matrix_is_measured_under_every_condition(self):
        done = self.check("--matrices", "grid", "--processes", "2")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        measurements = self.record()["measurements"]
        self.assertEqual([m["condition"] for m in measurements], list(CONDITIONS))
        for taken in measurements:
            self.assertEqual(len(taken["processes"]), 2)
            for process in taken["processes"]:
                self.assertEqual(len(process["phases"]["total"]), 3)
                self.assertGreaterEqual(process["host_state"]["processors"], 1)
                self.assertEqual(len(process["host"]), 3)
                self.assertGreater(process["host"][0]["core_before"]["independent_s"], 0)
        half = measurements[2]["processes"][0]["host_state"]
        self.assertEqual(int(half["environment"]["OMP_NUM_THREADS"]), half["threads"])
        self.assertIn("fast-cpu", self.output.with_suffix(".txt").read_text(encoding="utf-8"))

    def test_it_goes_on_where_it_was_stopped_and_with_other_matrices(self):
        stopped = self.check("--matrices", "grid", "--conditions", "default,half", "--processes",
                             "2", "--seconds", "0")
        self.assertEqual(stopped.returncode, 4, stopped.stderr)
        self.assertEqual([len(m["processes"]) for m in self.record()["measurements"]], [1, 0])
        again = self.check("--matrices", "grid", "--conditions", "default,half")
        self.assertEqual(again.returncode, 2)
        self.assertIn("--resume goes on with it", again.stderr)
        for matrices in ("grid", "grid,small"):
            done = self.check("--matrices", matrices, "--conditions", "default,half", "--processes",
                              "2", "--resume")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(m["matrix"], m["condition"], len(m["processes"]))
                          for m in self.record()["measurements"]],
                         [("grid", "default", 2), ("grid", "half", 2), ("small", "default", 2),
                          ("small", "half", 2)])
        other = self.check("--matrices", "grid", "--resume", "--repetitions", "4")
        self.assertEqual(other.returncode, 2)
        self.assertIn("has repetitions 3", other.stderr)

    def test_a_pair_that_is_left_out_is_said(self):
        done = self.check("--matrices", "grid,small", "--conditions", "default", "--processes",
                          "1", "--peers", "klu", "--without", "klu:grid", "--repetitions", "2")
        if done.returncode == 2:
            self.assertIn("lufact_peer_klu.so", done.stderr)
            self.skipTest("the plug-in klu is not there")
        self.assertEqual(done.returncode, 4, done.stderr)
        record = self.record()
        self.assertEqual(record["left_out"], [["klu", "grid"]])
        self.assertEqual([(m["matrix"], m["beside"]) for m in record["measurements"]],
                         [("grid", None), ("small", None), ("small", "klu")])
        self.assertEqual(record["measurements"][2]["processes"][0]["peer_turns"], 2)
        self.assertIn("left out: grid beside klu",
                      self.output.with_suffix(".txt").read_text(encoding="utf-8"))

    def test_a_matrix_that_is_missing_is_named(self):
        done = subprocess.run([SCRIPTS / "check_turns", "--lufact", os.environ["LUFACT_PROGRAM"],
                               "--matrices", "nowhere", "--matrix-dir", "/nonexistent"],
                              check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("matrix nowhere is not in /nonexistent", done.stderr)


if __name__ == "__main__":
    unittest.main()
