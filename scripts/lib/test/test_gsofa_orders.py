#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""GSoFa's pages where matrices were measured at the order of the paper's, too, and real ones beside
them, on another card."""
import copy
import os
import sys
import unittest

from fixtures import SCRIPTS, Folder
from gsofa_cases import FRONTIERS, SPACE, TIMES

sys.path.insert(0, os.path.join(SCRIPTS, "lib"))
import experiments  # noqa: E402
import results  # noqa: E402

BBMAT, PRE2 = 38744, 659033  # rows of the published matrices


def of_order(content, sweep, stand_in_for, n, card="A card", seconds=1.0):
    """As the record of a sweep on stand-ins of n rows, which takes so many times as long."""
    changed = copy.deepcopy(content)
    changed["meta"]["device"]["name"] = card
    for run in changed["runs"]:
        run["matrix"].update(n=n, generator={"kind": "flow"})
        run["sweep"].update(name=sweep, stand_in_for=stand_in_for)
        for sample in run["samples"]:
            for phase in sample["phases"]:
                phase["wall_s"] *= seconds
    return changed


def real(content, sweep, matrix, card):
    changed = copy.deepcopy(content)
    changed["meta"]["device"]["name"] = card
    for run in changed["runs"]:
        run["sweep"].update(name=sweep, matrix=matrix)
    return changed


def changed_runs(content, change, *variants):
    changed = copy.deepcopy(content)
    for run in changed["runs"]:
        if run["sweep"]["variant"] in variants:
            change(run)
    return changed


def budgeted_as_named(content):
    """With the budgets that the variants are called by."""
    changed = copy.deepcopy(content)
    for run in changed["runs"]:
        run["gsofa"]["budget_bytes"] *= 32
    return changed


QUARTER = of_order(TIMES, "gsofa-time", "Simon/bbmat", BBMAT // 4)
WHOLE = of_order(TIMES, "gsofa-time-full", "Simon/bbmat", BBMAT, "Another card", 100.0)
BESIDE = real(TIMES, "gsofa-time-real", "af23560", "Another card")
SPACE_PART = of_order(SPACE, "gsofa-space", "ATandT/pre2", PRE2 // 32)
SPACE_WHOLE = budgeted_as_named(of_order(SPACE, "gsofa-space-full", "ATandT/pre2", PRE2,
                                         "Another card", 100.0))
TIME_PAGES = ("gsofa-fig5", "gsofa-fig10", "gsofa-fig13", "gsofa-fig14", "gsofa-fig20")


class Pages(Folder):
    def text(self, script, *contents):
        paths = [self.write(content, f"r{k}.json") for k, content in enumerate(contents)]
        return experiments.page_maker(script)(results.load(paths)).text(self.folder.name)


class Times(Pages):
    def test_rows_are_of_the_largest_order_and_say_which(self):
        for script, row in (
                ("gsofa-fig5", "| 100 |"), ("gsofa-fig10", "| 1,200 | 15,600 | 39,600 |"),
                ("gsofa-fig13", "| 240,000,000 | 0.200 | 0.400 |"),
                ("gsofa-fig14", "| 1,200 | 1,500 | 1.25 [1.25, 1.25] |"),
                ("gsofa-fig20", "| 1,200 | 960 | 25.0 |")):
            with self.subTest(script=script):
                text = self.text(script, QUARTER, WHOLE, BESIDE)
                self.assertIn("| bbmat | 38,744 | full | Another card " + row, text)
                self.assertNotIn("| bbmat | 9,686 |", text)
                self.assertIn("| af23560 | 1,000 | real | Another card |", text)
                self.assertIn("real are real matrices, no stand-ins.", text)

    def test_the_card_stands_beside_rows_of_several(self):
        other = of_order(real(TIMES, "", "epb2", ""), "gsofa-time", "Averous/epb2", 12614)
        text = self.text("gsofa-fig14", other, WHOLE)
        self.assertIn("| epb2 | 12,614 | 1/2 | A card | 12 | 15 |", text)
        self.assertIn("| bbmat | 38,744 | full | Another card | 1,200 | 1,500 |", text)
        self.assertIn("Both times of a ratio are of one record and one card.", text)

    def test_real_matrices_are_in_a_sentence_and_in_no_published_comparison(self):
        text = self.text("gsofa-fig20", QUARTER, BESIDE)
        self.assertIn("quicker one on 1 of 1 matrices, in the paper on 3 of 13. On 1 real matrix "
                      "beside them: 25.0% to 25.0%, quicker on 1 of 1.", text)
        self.assertIn("other matrices (0 real, 1 generated)", text)

    def test_a_page_s_variants_are_all_of_one_order(self):
        """Where one of them did not run at the larger order the smaller one is shown."""
        slow = changed_runs(WHOLE, lambda run: run.update(outcome="timeout", error={
            "message": "stopped after 120 s"}), "gpu-fill2-plain")
        text = self.text("gsofa-fig10", QUARTER, slow)
        self.assertIn("| bbmat | 9,686 | 1/4 | A card | 12 | 156 | 396 |", text)
        self.assertIn("- timeout (stopped after 120 s): bbmat gpu-fill2-plain", text)
        self.assertIn("| bbmat | 38,744 | full | Another card | 1,200 |",
                      self.text("gsofa-fig14", QUARTER, slow))

    def test_a_stand_in_of_a_real_matrix_is_no_row(self):
        made = of_order(BESIDE, "gsofa-time-real", "Bai/af23560", 23560)
        for script in TIME_PAGES:
            with self.subTest(script=script):
                self.assertEqual(self.text(script, QUARTER, made), self.text(script, QUARTER))

    def test_counters_stay_at_the_order_at_which_they_were_taken(self):
        with open(self.path("gsofa-dram-bytes.tsv"), "w", encoding="utf-8") as file:
            file.write("matrix\tlayout\tdevice\tkernels\tbytes_read\tbytes_written\tseconds\n"
                       "bbmat\tpaper\t\t1\t300000000\t100000000\t0.001\n")
        counted = {**QUARTER, "meta": {**QUARTER["meta"], "peaks": {
            "device": {"copy_bytes_per_s": 4e12}}}}
        text = self.text("gsofa-fig13", counted, WHOLE)
        self.assertIn("| bbmat | 9,686 | 1/4 | A card | 400 (10.0%) | - |", text)
        self.assertIn("| bbmat | 38,744 | full | Another card | 240,000,000 | 0.200 | 0.400 | "
                      "1.60 |", text)
        self.assertIn("on 1 of 1 matrices, at the orders of the second table.", text)


class Space(Pages):
    def test_rows_say_order_and_budget(self):
        for script, row in (
                ("gsofa-table3", "| pre2 | 659,033 | full | 16.0 GB | 100 | 25.0 | 50.0 | 7 |"),
                ("gsofa-fig15", "| pre2 | 659,033 | full | 1.00 GB | 2,400 | 3,600 | 1.50 "),
                ("gsofa-fig16", "| pre2 | 659,033 | full | 1.00 GB | paper-1GB | 50 | 10 | 2,4")):
            with self.subTest(script=script):
                stomach = of_order(real(SPACE, "", "stomach", ""), "gsofa-space", "Norris/stomach",
                                   6667)
                text = self.text(script, {**SPACE_PART,
                                          "runs": SPACE_PART["runs"] + stomach["runs"]},
                                 {**SPACE_WHOLE, "meta": SPACE_PART["meta"]})
                self.assertIn(row, text)
                self.assertIn("| stomach | 6,667 | 1/32 | ", text)
                self.assertIn("For the smaller orders they are smaller by a factor of 32, ", text)
                self.assertIn("Those of the paper have pre2.", text)

    def test_the_published_order_has_a_mean_of_its_own(self):
        self.assertIn(" At the published order alone: geometric mean 1.50 (n = 1",
                      self.text("gsofa-fig15", of_order(real(SPACE, "", "stomach", ""),
                                                        "gsofa-space", "Norris/stomach", 6667),
                                SPACE_WHOLE))
        self.assertNotIn("published order", self.text("gsofa-fig16", SPACE_PART))

    def test_budgets_of_the_paper_are_called_so(self):
        self.assertIn("Budgets are those of the paper.",
                      self.text("gsofa-fig16", SPACE_PART, SPACE_WHOLE))


def with_profile(variant):
    """A record of runs without a profile, and of those of `variant` as the ones with."""
    plain = [run for run in TIMES["runs"] if run["sweep"]["variant"] == "gsofa"]
    profiled = [copy.deepcopy(run) for run in TIMES["runs"] if run["sweep"]["variant"] == variant]
    for run in profiled:
        run["sweep"]["variant"] = "gsofa-profile"
    return real({**TIMES, "runs": plain + profiled}, "gsofa-profile", "bbmat", "Another card")


class Profile(Pages):
    def test_its_cost_stands_on_the_page_of_frontiers(self):
        text = self.text("gsofa-fig4", FRONTIERS, with_profile("gsofa-no-windows"))
        self.assertIn("Time of the search with `record-profile` over that without, on Another card:"
                      " 1.25 [1.25, 1.25] on bbmat. Sources were counted within timed repetitions",
                      text)
        text = self.text("gsofa-fig4", FRONTIERS, with_profile("gsofa"))
        self.assertIn("on Another card: 1.00 [1.00, 1.00] on bbmat.\n", text)
        self.assertIn("| bcsstk18 | 1,000 | 4 | 40.0 | 80.0 |", text)
        self.assertNotIn("with `record-profile` over", self.text("gsofa-fig4", FRONTIERS))


class Beside(Folder):
    def test_records_of_other_orders_may_be_in_another_folder(self):
        os.mkdir(self.path("h200"))
        os.mkdir(self.path("h100"))
        self.write(QUARTER, "h200/gsofa-time.json")
        beside = [self.write(WHOLE, "h100/gsofa-time-full.json"),
                  self.write(BESIDE, "h100/gsofa-time-real.json")]
        folders = [self.path("h200"), self.path("h100")]
        for experiment in experiments.EXPERIMENTS:
            if experiment.id in TIME_PAGES:
                self.assertEqual(experiments.paths_beside(experiment, *folders), beside)


if __name__ == "__main__":
    unittest.main()
