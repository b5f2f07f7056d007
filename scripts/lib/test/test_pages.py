#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""results.py and the pages made with it: what they print of small inputs, and what they refuse."""
import copy
import json
import os
import sys
import unittest

from fixtures import SCRIPTS, Folder, file_of, run_of

sys.path.insert(0, os.path.join(SCRIPTS, "lib"))
import comparison  # noqa: E402
import conditions  # noqa: E402
import intervals  # noqa: E402
import results  # noqa: E402

SYMBOLIC = file_of(
    run_of("first", "gpu-ooc", symbolic="gpu-ooc"),
    run_of("first", "gpu-um", 2.0, symbolic="gpu-um"),
    run_of("second", "gpu-ooc", symbolic="gpu-ooc"),
    run_of("second", "gpu-um", 8.0, symbolic="gpu-um"),
    run_of("first", "gpu-ooc-1GiB", 1.5, symbolic="gpu-ooc",
           options={"device-memory-limit": "1GiB"}))


class Intervals(unittest.TestCase):
    def test_a_ratio_has_an_interval_from_5_pairs_on(self):
        five = {k: 1.0 + 0.1 * k for k in range(5)}
        found = results.ratio_of({k: 2 * v for k, v in five.items()}, five)
        self.assertEqual((found.value, found.low, found.high), (2.0, 2.0, 2.0))
        self.assertTrue(found.above and not found.below)
        four = {k: five[k] for k in range(4)}
        found = results.ratio_of({k: 2 * v for k, v in four.items()}, four)
        self.assertFalse(found.known or found.above or found.below)

    def test_intervals_are_those_of_the_record(self):
        path = os.path.join(SCRIPTS, "..", "results", "h200", "modes-and-peers.json.xz")
        loaded = results.load([path])
        runs = {run.record["id"]: run for run in loaded.runs}
        known = [c for c in loaded.files[path]["comparisons"] if c["ci_low"] is not None]
        self.assertGreater(len(known), 100)
        for said in known[::7]:
            found = results.ratio(runs[said["base_id"]], runs[said["id"]], said["phase"])
            self.assertAlmostEqual(found.low, said["ci_low"])
            self.assertAlmostEqual(found.high, said["ci_high"])

    def test_samples_that_are_no_pairs_are_drawn_apart(self):
        first = {k: 2.0 + 0.5 * (k % 3) for k in range(6)}
        second = {k: 1.0 for k in range(9)}
        found = results.ratio_of_unpaired(first, second)
        self.assertEqual(found.value, 2.5)
        self.assertTrue(2.0 <= found.low < 2.5 < found.high <= 3.0)

    def test_students_factor_goes_on_behind_the_table(self):
        for freedom, factor in ((31, 2.0395), (34, 2.0322), (60, 2.0003), (1000, 1.9623)):
            self.assertAlmostEqual(intervals.student(freedom), factor, 3)

    def test_runs_of_two_invocations_of_a_sweep_are_no_pairs(self):
        def run(seconds, invocation, path="a.json"):
            samples = [{"repetition": k, "total_s": s, "phases": []} for k, s in enumerate(seconds)]
            return results.Run({"samples": samples, "sweep": {"invocation": invocation}}, path, 0)
        slow, fast = [2.0, 4.0, 6.0, 8.0, 10.0], [1.0, 2.0, 3.0, 4.0, 5.0]
        pairs = results.ratio(run(slow, "first"), run(fast, "first"), "total_s")
        self.assertEqual((pairs.low, pairs.high), (2.0, 2.0))
        for other in (run(fast, "second"), run(fast, "first", "b.json")):
            found = results.ratio(run(slow, "first"), other, "total_s")
            self.assertEqual(found.value, 2.0)
            self.assertLess(found.low, 1.5)
            self.assertGreater(found.high, 2.5)

    def test_a_mean_has_students_interval_over_its_matrices(self):
        mean = results.geometric_mean([1.0, 2.0, 4.0])
        self.assertAlmostEqual(mean.value, 2.0)
        # log 2 = 0.6931 of standard deviation, 4.303 from the table for 2 degrees of freedom
        self.assertAlmostEqual(mean.high, 2.0 * 2.718281828 ** (4.303 * 0.693147 / 3**0.5), 4)
        self.assertIsNone(results.geometric_mean([1.0, 2.0]).low)

    def test_correlations_have_the_share_of_orders_as_far_from_none(self):
        found = intervals.rank_correlation([1, 2, 3, 4], [10, 20, 30, 40])
        self.assertAlmostEqual(found.value, 1.0)
        self.assertAlmostEqual(found.p, 2 / 24)
        many = intervals.rank_correlation(range(12), [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10])
        self.assertLess(many.p, 0.001)
        self.assertIsNone(intervals.rank_correlation([1, 1], [1, 2]))
        unrelated = intervals.rank_correlation(range(9), [4, 1, 8, 0, 5, 7, 2, 3, 6])
        self.assertGreater(unrelated.p, 0.5)

    def test_nothing_is_faster_where_the_interval_holds_1(self):
        ratios = {"a": results.Ratio(2.0, 1.5, 2.5), "b": results.Ratio(0.5, 0.4, 0.6),
                  "c": results.Ratio(1.1, 0.9, 1.3), "d": results.Ratio(3.0)}
        text = comparison.sides_text("x", ratios)
        self.assertEqual(text, "`x` is faster on 1 of 4 matrices, slower on 1 (b), neither, by its "
                         "interval, on 1 (c), without an interval on 1 (d).")
        self.assertIn("neither is called the faster one",
                      comparison.sides_text("x", {"d": results.Ratio(3.0)}))

    def test_verdicts_need_the_regime_and_an_interval(self):
        above, below = results.Ratio(2.0, 1.5, 2.5), results.Ratio(0.5, 0.4, 0.6)
        def verdict(ratios, missing=()):
            return comparison.judged_everywhere("x", "w", "p", ratios, missing).verdict
        self.assertEqual(verdict({"a": above}), "reproduced")
        self.assertEqual(verdict({"a": above, "b": below}), "contradicted")
        self.assertEqual(verdict({"a": above}, ["its matrices"]), "not testable here")
        self.assertEqual(verdict({}), "not testable here")
        self.assertEqual(verdict({"a": above, "b": results.Ratio(3.0)}), "not testable here")

    def test_stand_ins_contradict_nothing(self):
        ratios = {"a": results.Ratio(2.0, 1.5, 2.5), "b": results.Ratio(0.5, 0.4, 0.6)}
        found = comparison.judged_everywhere("x", "w", "p", ratios, stand_ins={"b"})
        self.assertEqual(found.verdict, "not testable here")
        self.assertIn("slower on stand-ins only", found.why)
        slow = {name: results.Ratio(0.5, 0.4, 0.6) for name in "abc"}
        self.assertEqual(comparison.judged_mean("w", "p", slow).verdict, "contradicted")
        self.assertEqual(comparison.judged_mean("w", "p", slow, stand_ins={"a", "b", "c"}).verdict,
                         "not testable here")
        falling = intervals.Correlation(-0.9, 0.01, 12)
        self.assertEqual(comparison.judged_trend("w", "p", falling, 1).verdict, "contradicted")
        found = comparison.judged_trend("w", "p", falling, 1, stand_ins={"a"})
        self.assertEqual(found.verdict, "not testable here")
        self.assertIn("the other way round, but on stand-ins", found.why)

    def test_a_claim_on_every_matrix_shows_its_extremes(self):
        ratios = {"a": results.Ratio(2.0, 1.5, 2.5), "b": results.Ratio(0.5, 0.4, 0.6),
                  "c": results.Ratio(7.0)}
        self.assertIn("From 0.500 [0.400, 0.600] (b) to 7.00 (c).",
                      comparison.judged_everywhere("x", "w", "p", ratios).ours)

    def test_a_direction_alone_is_said_to_be_that(self):
        near = {name: results.Ratio(value, value, value) for name, value in
                (("a", 2.0), ("b", 2.1), ("c", 2.2))}
        for paper, said in (("6.7", "below the published 6.7"), ("1.1", "above the published 1.1"),
                            ("2.88x to 3.33x", "below the published 2.88"), ("2.1", ""),
                            ("1.13x to 32.65x", ""), ("up to 10% faster", "")):
            for claim in (comparison.judged_mean("w", paper, near),
                          comparison.judged_everywhere("x", "w", paper, near)):
                self.assertEqual(claim.verdict, "reproduced")
                self.assertIn(said, claim.why)
                self.assertEqual("published" in claim.why, bool(said))

    def test_smaller_stand_ins_are_counted_as_such(self):
        runs = [results.Run(run_of(f"{name}-like", "ooc", stand_in_for=f"G/{name}"), "a.json", 0)
                for name in ("large", "small")]  # of 1,000 rows
        self.assertEqual(comparison.stand_in_note(runs, orders={"large": 2000, "small": 1000}),
                         "2 of 2 matrices are stand-ins; 1 of them smaller than the published ones")


class Conditions(Folder):
    def test_captions_say_what_was_measured_how(self):
        run = run_of("first", "ooc", symbolic="gpu-ooc", options={"threads": "4"})
        run["memory"]["bytes_per_source"] = 8000.0
        other = run_of("first", "um", symbolic="gpu-um", options={"device-memory-limit": "1GiB"})
        other["memory"]["budget_bytes"] = 2**30
        loaded = results.load([self.write(file_of(run, other))])
        text = conditions.conditions(loaded, loaded.runs)
        for part in ("precision: double", "1 GiB; of the rest all that the card has free",
                     "repetitions: 5",
                     "host threads: 4 (ooc), all (um)", "c = 2 words of work arrays a row",
                     "gpu-ooc, gpu-um: 128 threads a row"):
            self.assertIn(part, text)


    def test_captions_say_what_the_host_had_to_share(self):
        run, other = run_of("first", "ooc"), run_of("first", "um")
        run["warnings"] = [{"code": "host_busy", "message": "others"}]
        for each in (run, other):
            each["host_state"] = {"processors": 3}
            each["warnings"].append({"code": "host_shared", "message": "others, elsewhere"})
        loaded = results.load([self.write(file_of(run, other))])
        text = conditions.conditions(loaded, loaded.runs)
        self.assertIn("A CPU (4 threads), of which a process was bound to 3)", text)
        self.assertIn("; 1 of 2 runs warn of a busy host, 2 of 2 runs warn of work on other "
                      "processors of it", text)
        self.assertNotIn("one host thread only", text)

    def test_captions_name_libraries_that_had_one_thread_of_several(self):
        ours, theirs = run_of("first", "fast"), run_of("first", "cudss", until="solve")
        theirs["peer"] = {"library": "NVIDIA cuDSS"}
        theirs["warnings"] = [{"code": "peer_on_one_thread", "message": "no threading layer"}]
        loaded = results.load([self.write(file_of(ours, theirs))])
        self.assertIn("; one host thread only, where more were allowed: NVIDIA cuDSS",
                      conditions.conditions(loaded, loaded.runs))


class Statistics(unittest.TestCase):
    def test_quartiles_are_of_type_7(self):
        self.assertEqual(results.spread([4.0, 1.0, 2.0, 3.0]), (4, 2.5, 1.75, 3.25))

    def test_a_geometric_mean_has_its_count(self):
        mean = results.geometric_mean([2.0, 8.0])
        self.assertAlmostEqual(mean.value, 4.0)
        self.assertEqual(mean.n, 2)
        self.assertIn("n = 2", results.mean_text(mean))
        self.assertIsNone(results.geometric_mean([]))
        with self.assertRaises(results.ResultError):
            results.geometric_mean([1.0, 0.0])


class Loading(Folder):
    def refusal(self, content):
        with self.assertRaises(results.ResultError) as caught:
            results.load([self.write(content)])
        return str(caught.exception)

    def test_foreign_files_are_refused(self):
        self.assertIn("no result file", self.refusal({"runs": []}))
        self.assertIn("no result file", self.refusal([1, 2]))
        newer = copy.deepcopy(SYMBOLIC)
        newer["schema"]["version"] = "3.0.0"
        self.assertIn("schema version 3.0.0", self.refusal(newer))
        with open(self.path("r.json"), "w", encoding="utf-8") as file:
            file.write("{")
        with self.assertRaisesRegex(results.ResultError, "no JSON"):
            results.load([self.path("r.json")])

    def test_compressed_files_are_read_under_any_name(self):
        for ending in results.ENDINGS:
            path = self.write(SYMBOLIC, "r" + ending)
            self.assertEqual(results.read_json(path), SYMBOLIC)
            os.rename(path, self.path("renamed"))
            self.assertEqual(results.read_json(self.path("renamed")), SYMBOLIC)

    def test_a_compressed_file_that_is_cut_or_damaged_is_refused(self):
        for ending in results.ENDINGS[1:]:
            path = self.write(SYMBOLIC, "r" + ending)
            with open(path, "rb") as file:
                content = file.read()
            middle = len(content) // 2
            for broken in (content[:middle], content[:-1],
                           content[:middle] + b"lufact" + content[middle + 6:]):
                with open(path, "wb") as file:
                    file.write(broken)
                with self.assertRaisesRegex(results.ResultError, f"r{ending}: damaged or cut"):
                    results.load([path])

    def test_a_missing_file_is_named_with_what_to_do(self):
        with self.assertRaisesRegex(results.ResultError, "absent.json.*run the sweep"):
            results.load([self.path("absent.json")])

    def test_unverified_runs_are_refused(self):
        unverified = copy.deepcopy(SYMBOLIC)
        unverified["runs"][1]["warnings"] = [{"code": "unverified", "message": "-"}]
        self.assertIn("runs[1] was not verified", self.refusal(unverified))

    def test_several_files_are_one_set_of_runs(self):
        first = self.write(file_of(run_of("a", "x")), "a.json")
        second = self.write(file_of(run_of("b", "x")), "b.json")
        self.assertEqual(set(results.load([first, second]).by_matrix(variant="x")), {"a", "b"})
        again = self.write(file_of(run_of("a", "x")), "c.json")
        with self.assertRaisesRegex(results.ResultError, "the same question"):
            results.load([first, again]).by_matrix(variant="x")

    def test_ratios_are_of_medians_with_the_spread_of_pairs(self):
        loaded = results.load([self.write(SYMBOLIC)])
        slow, quick = loaded.select(variant="gpu-um", matrix="first") + loaded.select(
            variant="gpu-ooc", matrix="first")
        self.assertAlmostEqual(results.ratio(slow, quick, "symbolic").value, 2.0)
        with self.assertRaisesRegex(results.ResultError, "no sample has the phase order"):
            results.ratio(slow, quick, "order")


class SymbolicPage(Folder):
    def test_prints_times_speedups_and_means_with_their_count(self):
        page = self.page("symbolic_page", self.write(SYMBOLIC))
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertIn("| first | 1,000 | 10,000 | 12 | 24 |", page.stdout)
        self.assertIn("| second | 8.00 [8.00, 8.00] |", page.stdout)
        self.assertIn("gpu-ooc over gpu-um: geometric mean 4.00 (n = 2, from 2.00 to 8.00)",
                      page.stdout)
        self.assertIn("device memory limit 1GiB", page.stdout)
        self.assertIn("A card. No stand-ins", page.stdout)

    def test_two_runs_of_a_stage_without_a_limit_are_refused(self):
        twice = file_of(run_of("wing", "a", 1.0, symbolic="gpu-fill2", until="symbolic"),
                        run_of("wing", "b", 2.0, symbolic="gpu-fill2", until="symbolic"))
        page = self.page("symbolic_page", self.write(twice))
        self.assertEqual(page.returncode, 1)
        self.assertIn("answer the same question", page.stderr)

    def test_quick_stages_stand_beside_the_searches_on_cores_and_the_public_gsofa(self):
        changed = copy.deepcopy(SYMBOLIC)
        for run in changed["runs"]:
            run["sweep"]["matrix"] = {"first": "bcsstk18"}.get(run["sweep"]["matrix"],
                                                               run["sweep"]["matrix"])
            stage = {"gpu-ooc": "cpu-gp-pruned", "gpu-um": "gpu-fill2"}
            run["pipeline"]["symbolic"] = stage.get(run["pipeline"]["symbolic"],
                                                    run["pipeline"]["symbolic"])
        text = self.page("symbolic_page", self.write(changed)).stdout
        self.assertIn("| matrix | nnz(L+U) | gpu-fill2 over cpu-gp-pruned |", text)
        self.assertIn("| bcsstk18 | 10,000 | 0.50 [0.50, 0.50] |", text)
        self.assertIn("| bcsstk18 | 31.6 | - | 1.32 | - |", text)

    def test_changing_one_number_changes_what_is_printed(self):
        before = self.page("symbolic_page", self.write(SYMBOLIC)).stdout
        changed = copy.deepcopy(SYMBOLIC)
        changed["runs"][3]["samples"][2]["phases"][0]["wall_s"] *= 1.5
        after = self.page("symbolic_page", self.write(changed)).stdout
        self.assertNotEqual(before, after)
        self.assertNotIn("| second | 8.00 [8.00, 8.00] |", after)

    def test_says_where_stand_ins_were_used_and_what_failed(self):
        changed = copy.deepcopy(SYMBOLIC)
        changed["runs"][0]["sweep"]["stand_in_for"] = "Group/published"
        changed["runs"][4].update(outcome="timeout", error={"message": "stopped after 9 s"})
        text = self.page("symbolic_page", self.write(changed)).stdout
        self.assertIn("first for Group/published", text)
        self.assertIn("- timeout (stopped after 9 s): first gpu-ooc-1GiB", text)
        self.assertNotIn("device memory limit 1GiB", text)

    def test_counts_page_faults_and_shares(self):
        faults = copy.deepcopy(SYMBOLIC)
        faults["runs"][1]["unified_memory"] = {
            "gpu_page_fault_groups": 1234, "gpu_page_fault_records": 99, "fault_service_s": 0.005,
            "fault_share": 0.25, "unavailable_reason": None}
        text = self.page("symbolic_page", self.write(faults)).stdout
        self.assertIn("| first | gpu-um | 1,234 | 99 | 5 | 25.00% |", text)
        self.assertIn("| first | gpu-ooc | 50.00% |", text)  # of upload and symbolic step
        for sample in faults["runs"][0]["samples"]:
            symbolic = next(p for p in sample["phases"] if p["name"] == "symbolic")
            sample["phases"].append({"name": "symbolic/count/read",
                                     "wall_s": symbolic["wall_s"] / 2})
        text = self.page("symbolic_page", self.write(faults)).stdout
        self.assertIn("| first | gpu-ooc | 75.00% |", text)
        self.assertIn("| onetone2 | 16734 | 4638 |", text)

    def test_a_missing_file_gives_one_clear_line(self):
        page = self.page("symbolic_page", self.path("absent.json"))
        self.assertEqual(page.returncode, 1)
        self.assertEqual(page.stderr.count("\n"), 1)
        self.assertIn("absent.json", page.stderr)

    def test_writes_its_page_and_figures(self):
        output = self.path("pages")
        page = self.page("symbolic_page", self.write(SYMBOLIC), "--output", output, "--no-figures")
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertEqual(os.listdir(output), ["symbolic.md"])
        with open(os.path.join(output, "symbolic.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("](../r.json)", text)  # the raw record
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        drawn = []
        for _ in range(2):
            page = self.page("symbolic_page", self.path("r.json"), "--output", output)
            self.assertEqual(page.returncode, 0, page.stderr)
            self.assertNotIn("test-no-limit.png", os.listdir(output))
            with open(os.path.join(output, "test-no-limit.svg"), "rb") as file:
                drawn.append(file.read())
        self.assertEqual(drawn[0], drawn[1])
        self.page("symbolic_page", self.path("r.json"), "--output", output, "--png")
        self.assertLessEqual({"test-no-limit.png", "test-no-limit.svg"}, set(os.listdir(output)))


class LevelizePage(Folder):
    def test_prints_microseconds_per_level_and_detection(self):
        content = file_of(
            run_of("deep", "gpu-cdp", until="levelize", levelize="gpu-cdp"),
            run_of("deep", "cpu-relaxed", 0.5, until="levelize", levelize="cpu"),
            run_of("deep", "search", 50, until="levelize", levelize="cpu-glu2-search"))
        page = self.page("levelize_page", self.write(content))
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertIn("| deep | 1,000 | 2,000 | 6 | 3 | 300 |", page.stdout)
        self.assertIn("gpu-cdp, over 1000 levels: geometric mean 6.00 (n = 1", page.stdout)
        self.assertIn("| deep | 1,999 | 2,000 | 600 | 6 | 100.00 [100.00, 100.00] |", page.stdout)


class NumericPage(Folder):
    def test_prints_speedups_over_dense_and_over_the_public_program(self):
        content = file_of(
            run_of("wing", "gpu-dense-double", until="solve", numeric="gpu-dense"),
            run_of("wing", "best-double", 0.25, until="solve", numeric="gpu-persistent"),
            run_of("memplus", "best-float", 0.5, until="solve", numeric="gpu-persistent",
                   precision="float"))
        page = self.page("numeric_page", self.write(content))
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertIn("| wing | 4.00 [4.00, 4.00] |", page.stdout)
        self.assertIn("best-double: geometric mean 4.00 (n = 1", page.stdout)
        self.assertIn("| memplus | 6 | 1.00 |", page.stdout)  # 6.0 ms by the public program

    def test_takes_engines_of_fronts_which_have_no_levels(self):
        fronts = run_of("memplus", "fast", 0.5, until="solve", numeric="gpu-multifrontal",
                        precision="float")
        fronts["factors"]["levels"] = None
        page = self.page("numeric_page", self.write(file_of(fronts)))
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertIn("over 1000 levels: no matrix", page.stdout)


class PeersPage(Folder):
    def test_prints_who_wins_each_phase_and_by_how_much(self):
        def solved(variant, factor, mode):
            run = run_of("wing", variant, factor, until="solve", numeric="x")
            run["mode"], run["refactor_samples"] = mode, run["samples"][:3]
            run["factors"]["flops"] = 50_000
            return run

        content = file_of(solved("cpu", 2.0, "cpu"), solved("ooc", 1.0, "ooc"),
                          solved("klu", 3.0, "peer"), solved("cudss", 4.0, "peer"))
        page = self.page("peers_page", self.write(content))
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertIn("| wing | 5.0 | ooc 12 | klu 36 | 3.00 [3.00, 3.00] |", page.stdout)
        self.assertIn("end to end: `ours` is faster on 1 of 1 matrices", page.stdout)
        self.assertIn("our fastest mode over cudss, end to end: geometric mean 4.00 (n = 1",
                      page.stdout)
        self.assertIn("## Refactorization", page.stdout)

    def test_results_without_peers_are_refused(self):
        content = file_of(run_of("wing", "cpu", until="solve"))
        page = self.page("peers_page", self.write(content))
        self.assertEqual(page.returncode, 1)
        self.assertIn("by a peer", page.stderr)


class FastPage(Folder):
    def solved(self, variant, factor, mode, **stages):
        run = run_of("wing", variant, factor, until="solve", **stages)
        run["mode"], run["refactor_samples"] = mode, run["samples"][:3]
        for sample in run["samples"]:
            sample["phases"].append({"name": "solve", "wall_s": 0.001 * factor})
        return run

    def ordered(self, variant, seconds, flops):
        run = run_of("wing", variant, 1.0)
        run["matrix"]["n"], run["factors"]["flops"] = 50_000, flops
        for sample in run["samples"]:
            sample["phases"] += [{"name": "order", "wall_s": seconds + 0.002},
                                 {"name": "order/permute", "wall_s": 0.002}]
        return run

    def content(self):
        fast = self.solved("fast", 1.0, "fast", ordering="select", numeric="gpu-multifrontal")
        fast["pipeline"]["choices"] = [{"stage": "ordering", "chosen": "nd-parallel"}]
        slow, quick = self.solved("cudss", 6.0, "peer"), self.solved("cudss-amd", 4.0, "peer")
        klu = self.solved("klu-once", 50.0, "peer")
        klu["factors"]["flops"], klu["peer"] = 1e6, {"nnz_lu": 10_000}
        return file_of(fast, self.solved("fast-1000", 0.5, "fast", ordering="metis", numeric="x"),
                       slow, quick, klu, self.ordered("nd-parallel", 0.010, 3e6),
                       self.ordered("amd", 0.040, 2e6), self.ordered("metis", 0.300, 4e6))

    def test_the_fastest_settings_of_each_library_are_compared(self):
        page = self.page("fast_page", self.write(self.content()))
        self.assertEqual(page.returncode, 0, page.stderr)
        once, again = page.stdout.split("## A refactorization")
        self.assertIn("| wing | nd-parallel, gpu-multifrontal | 48 | 4.00 [4.00, 4.00] | "
                      "50.00 [50.00, 50.00] |", once)
        self.assertIn("over cudss: geometric mean 4.00 (n = 1", once)
        self.assertIn("| wing | metis, x | 22 | 8.00 | 100.00 |", again)
        self.assertIn("KLU takes 0.3 ms or more: n = 1, least 100.00 (wing)", again)
        self.assertIn("above 50: n = 1", again)

    def test_the_settings_that_count_are_told(self):
        content = self.content()
        failed = self.solved("cudss-matching", 3.0, "peer")
        failed["outcome"] = "inaccurate"
        content["runs"].append(failed)
        for run in content["runs"][2:4]:
            run["peer"] = {"threads": 8}
        text = self.page("fast_page", self.write(content)).stdout
        self.assertIn("- cudss: cudss on 0, cudss-amd on 1\n", text)
        self.assertIn("| matrix | cudss | cudss-amd |\n", text)
        self.assertIn("| wing | 288 | **192** |\n", text)
        self.assertIn("Host threads: cudss 8, cudss-amd 8.", text)
        content["runs"][3]["outcome"] = "inaccurate"  # what is wrong does not count, but is shown
        content["runs"].append(self.solved("cudss-ir", 7.0, "peer"))
        text = self.page("fast_page", self.write(content)).stdout
        self.assertIn("| matrix | cudss | cudss-ir |\n", text)
        self.assertIn("over cudss: geometric mean 6.00 (n = 1", text)

    def test_another_record_is_compared_with_its_own_runs_of_fast(self):
        # Twice as slow a machine, on which a third setting is the best one by its ratio.
        beside = file_of(self.solved("fast", 2.0, "fast"),
                         self.solved("cudss-matching", 5.0, "peer"),
                         self.solved("cudss-amd", 2.0, "peer"))  # the first record has that
        text = self.page("fast_page", self.write(self.content()),
                         self.write(beside, "beside.json")).stdout
        self.assertIn("over cudss: geometric mean 2.50 (n = 1", text)
        self.assertIn("| wing | nd-parallel, gpu-multifrontal | 48 | 2.50 [2.50, 2.50] |", text)
        self.assertIn("- cudss: cudss on 0, cudss-amd on 0, cudss-matching on 1\n", text)
        # Of refactorizations it has none of `fast-1000`: those of the first record.
        self.assertIn("| wing | metis, x | 22 | 8.00 | 100.00 |",
                      text.split("## A refactorization")[1])

    def test_segments_are_of_the_record_that_they_complete(self):
        added = self.content()
        for run in added["runs"]:
            run["matrix"] = {**run["matrix"], "name": "second"}
            run["sweep"] = {**run["sweep"], "matrix": "second"}
        text = self.page("fast_page", self.write(self.content(), "fast.json"),
                         self.write(added, "fast.segment-1-of-2.json")).stdout
        self.assertIn("over cudss: geometric mean 4.00 (n = 2", text)

    def test_rates_are_of_the_work_that_is_known(self):
        content = self.content()
        once, again = content["runs"][0], content["runs"][1]
        once["factors"]["flops"] = again["factors"]["flops"] = 1.2e9
        once["rates"] = {"numeric": {"flops_peak_share": 0.125}}
        for sample in once["samples"]:
            sample["phases"][3].update(bytes_h2d=int(6e8 * sample["phases"][3]["wall_s"]))
        text = self.page("fast_page", self.write(content)).stdout
        # 12 ms, and of the first three repetitions at half the time 5.5 ms
        self.assertIn("| wing | 1.2e+09 | 100 | 12.5% | 218 | 0.600 |", text)
        without = self.page("fast_page", self.write(self.content())).stdout
        self.assertIn("| wing | - | - | - | - | - |", without)

    def test_orderings_are_compared_without_the_permutation(self):
        content = self.content()
        text = self.page("fast_page", self.write(content)).stdout
        self.assertIn("| wing | 50,000 | 10 | 40 | 300 | 4.00 | 1.50 | 30.00 | 0.75 |", text)
        self.assertIn("amd / nd-parallel, n >= 49,000: geometric mean 4.00 (n = 1", text)
        content["runs"].append(self.ordered("nd-gpu", 0.005, 3e6))
        text = self.page("fast_page", self.write(content)).stdout
        self.assertIn("| wing | 50,000 | 5 | 10 | 40 | 300 | 8.00 | 4.00 | 1.50 |", text)
        self.assertIn("amd / nd-gpu, n >= 49,000: geometric mean 8.00 (n = 1", text)

    def test_mode_cpu_is_beside_fast_where_it_ran(self):
        content = self.content()
        self.assertNotIn("mode cpu", self.page("fast_page", self.write(content)).stdout)
        content["runs"].append(self.solved("cpu", 1.5, "cpu"))
        text = self.page("fast_page", self.write(content)).stdout
        self.assertIn("cpu / fast: n = 1, least 1.50 (wing)", text)
        self.assertIn("| wing | nd-parallel, gpu-multifrontal | 48 | 72 | "
                      "1.50 [1.50, 1.50] |", text)

    def test_results_without_fast_or_without_peers_are_refused(self):
        alone = file_of(self.solved("fast", 1.0, "fast"))
        page = self.page("fast_page", self.write(alone))
        self.assertEqual(page.returncode, 1)
        self.assertIn("no peer", page.stderr)
        page = self.page("fast_page", self.write(file_of(self.solved("cpu", 1.0, "cpu"))))
        self.assertIn("no run of the variant fast", page.stderr)


class ScalingPage(Folder):
    def test_prints_times_by_threads_and_the_mean_over_the_base(self):
        paths = []
        for stage, threads, factor in (("cpu-gp-pruned", 1, 1.0), ("cpu-parallel", 4, 0.5)):
            content = file_of(run_of("wing", "cpu", factor, symbolic=stage))
            content["config"]["threads"] = threads
            paths.append(self.write(content, f"{stage}-t{threads}.json"))
        page = self.page("scaling_page", *paths)
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertIn("| wing | 1,000 | 10,000 | 12 | 6 |", page.stdout)
        self.assertIn("cpu-parallel on 4 threads over cpu-gp-pruned on one: geometric mean 2.00",
                      page.stdout)

    def test_two_runs_of_a_stage_on_as_many_threads_are_refused(self):
        content = file_of(run_of("wing", "cpu", 1.0, symbolic="cpu-gp-pruned"))
        content["config"]["threads"] = 1
        again = copy.deepcopy(content)
        again["runs"][0]["samples"][0]["total_s"] *= 2
        page = self.page("scaling_page", self.write(content, "a.json"),
                         self.write(again, "b.json"))
        self.assertEqual(page.returncode, 1)
        self.assertIn("answer the same question", page.stderr)


if __name__ == "__main__":
    unittest.main()
