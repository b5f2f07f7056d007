#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""GSoFa's pages of several devices: what was measured beside what was simulated, and what a page
says where some of it did not run."""
import copy
import os
import sys
import unittest

from fixtures import SCRIPTS, Folder, file_of
from gsofa_cases import BESIDE_RANKS, DEVICES, FAULTS, LONG, MANY, SCALING, on_devices

sys.path.insert(0, os.path.join(SCRIPTS, "lib"))
import experiments  # noqa: E402
import results  # noqa: E402


def without(content, *variants):
    """The same where these variants did not run for want of devices."""
    changed = copy.deepcopy(content)
    for run in changed["runs"]:
        if run["sweep"]["variant"] in variants:
            run.update(outcome="unsupported", error={"message": "there is one device"})
    return changed


def of_sweep(content, name, card):
    """As the record of this sweep on another card."""
    changed = copy.deepcopy(content)
    changed["meta"]["device"]["name"] = card
    for run in changed["runs"]:
        run["sweep"]["name"] = name
    return changed


class Pages(Folder):
    def text(self, script, *contents):
        paths = [self.write(content, f"r{k}.json") for k, content in enumerate(contents)]
        return experiments.page_maker(script)(results.load(paths)).text(self.folder.name)


class DevicesPage(Pages):
    def page_text(self, content):
        return self.text("gsofa_devices_page", content)

    def test_several_devices_stand_beside_one(self):
        text = self.page_text(DEVICES)
        for line in (
                "| pre2 | 1,000 | 2 devices | 1,200 | 660 | 1.82 [1.82, 1.82] | 2.00 [1.97, 2.04]",
                "| pre2 | 1,000 | 4 devices | 1,200 | 360 | 3.33 [3.33, 3.33] | 4.00 [3.89, 4.17]",
                "| pre2 | 1,000 | 4 ranks | 1,200 | 480 | 2.50 [2.50, 2.50] | 3.33 [3.18, 3.57] | "
                "1.25 | mpi | 1.5 |",
                "| epb2 | 1,000 | 2 devices | 12 | 15 | 0.80 [0.80, 0.80] |",
                "measured: 2 devices geometric mean 1.21 (n = 2",
                "quicker than 4 devices on 1 of 1",
                "Pattern and supernodes are those of one device in every run",
                "of up to 4 measured devices, from: none on epb2, pre2."):
            self.assertIn(line, text)

    def test_bars_are_for_what_takes_one_device_a_second(self):
        text = self.page_text(DEVICES)
        for line in (
                "takes 1 s or more (pre2), one device over:",
                "- 2 devices, measured, search and supernodes, at least 1.9: on 1 of 1\n",
                "- 2 ranks, measured, the whole step, exchange included, at least 1.8: on 0 of 1; "
                "not on pre2 1.67 [1.67, 1.67]\n",
                "- 8 devices, simulated, the whole step, at least 7: on 1 of 1\n"):
            self.assertIn(line, text)
        self.assertNotIn("8 devices, measured", text)
        short = file_of(*(run for run in DEVICES["runs"] if run["sweep"]["matrix"] == "epb2"))
        self.assertIn("No matrix takes one device 1 s", self.page_text(short))

    def test_simulations_are_held_against_what_was_measured(self):
        text = self.page_text(DEVICES)
        for line in (
                "| pre2 | 2 devices | 650 | 660 | 0.985 | 520 | 600 | 0.867 |",
                "| pre2 | 2 ranks | 900 | 720 | 1.25 | 720 | 600 | 1.20 |",
                "4 devices: 1 of 1 in the whole step, 1 in search and supernodes",
                "2 ranks: 0 of 1 in the whole step", "are *simulated* unless called measured"):
            self.assertIn(line, text)

    def test_eight_devices_count_where_there_are_eight(self):
        content = copy.deepcopy(DEVICES)
        content["runs"] += [on_devices("pre2", "devices-8", 0.125 * LONG),
                            on_devices("pre2", "ranks-8", 0.2 * LONG)]
        text = self.page_text(content)
        self.assertIn("- 8 devices, measured, search and supernodes, at least 7: on 1 of 1", text)
        self.assertIn("| pre2 | 8 devices | 160 | 150 | 1.07 |", text)
        self.assertIn("quicker than 8 devices on 1 of 1", text)

    def test_what_did_not_run_is_left_out(self):
        text = self.page_text(without(DEVICES, "ranks-2", "ranks-4", "devices-4", "1x2", "1x4",
                                      "1x8", "2x1"))
        self.assertIn("| pre2 | 1,000 | 2 devices |", text)
        self.assertIn("there is one device", text)
        shown = text[:text.index("Runs that are not ok")]
        for absent in ("ranks", "4 devices", "imulat", "- 8 devices"):
            self.assertNotIn(absent, shown)
        with self.assertRaisesRegex(results.ResultError, "no run of GSoFa on several devices"):
            self.page_text(without(DEVICES, "devices-2", "ranks-2", "ranks-4", "devices-4"))

    def test_another_pattern_is_told(self):
        content = copy.deepcopy(DEVICES)
        content["runs"][3]["factors"]["pattern_sha256"] = "another"
        self.assertIn("differ from those of one device: pre2 on 4 devices.",
                      self.page_text(content))

    def test_no_simulated_run_is_called_measured(self):
        content = copy.deepcopy(DEVICES)
        content["runs"][2]["distribution"]["simulated_s"] = 0.5
        with self.assertRaisesRegex(results.ResultError, "a measured run is asked for"):
            self.page_text(content)

    def test_without_repetitions_there_is_no_interval(self):
        content = copy.deepcopy(DEVICES)
        for run in content["runs"]:
            run["samples"] = run["samples"][:3]
        self.assertIn("| 1,100 | 605 | 1.82 | 2.02 | 1.25 | peer |", self.page_text(content))


class MeasuredPoints(Pages):
    """Of the figures whose larger machines are simulated."""

    def test_dealing_and_chunks_on_two_devices(self):
        dealt, chunks = self.text("gsofa-fig17", MANY), self.text("gsofa-fig21", MANY)
        self.assertIn("| pre2 | 2.50 [2.50, 2.50] | 1.50 [1.50, 1.50] |", dealt)
        self.assertIn("Measured, chunks to two nodes of one device: geometric mean 2.50", dealt)
        self.assertIn("| pre2 | 1.25 [1.25, 1.25] | 1.50 [1.50, 1.50] |", chunks)
        self.assertIn("Two devices, measured, chunks of 256: geometric mean 1.50", chunks)

    def test_one_device_leaves_them_out(self):
        variants = {run["sweep"]["variant"] for run in MANY["runs"]}
        alone = without(MANY, *(name for name in variants if name.startswith(("devices", "ranks"))))
        for script in ("gsofa-fig17", "gsofa-fig21"):
            text = self.text(script, alone)
            shown = text[:text.index("Runs that are not ok")]
            with self.subTest(script=script):
                self.assertIn("| pre2 | 1,000 |", shown)
                self.assertNotRegex(shown, r"[Tt]wo devices|, measured")
        without_ranks = self.text("gsofa-fig17", without(MANY, "ranks-2"))
        self.assertIn("| pre2 | 1.50 [1.50, 1.50] |", without_ranks)
        self.assertNotIn("chunks to two nodes", without_ranks)

    def test_two_devices_beside_superlu_dist(self):
        text = self.text("gsofa-fig12", without(BESIDE_RANKS, "devices-2", "superlu-dist-seq"))
        self.assertIn("| pre2 | 1,000 | - | 6 on 4 | 10,000 | 10,000 | 12 | 0.500 | - | - | 0.6 |",
                      text)
        self.assertNotIn("of two, measured", text)

    def test_superlu_dist_with_one_thread_for_mpi_is_told(self):
        told = "had MPI for one thread each"
        self.assertIn(told, self.text("gsofa-fig12", BESIDE_RANKS))
        self.assertNotIn(told, self.text("gsofa-fig12",
                                         without(BESIDE_RANKS, "superlu-dist-par-4")))
        mended = copy.deepcopy(BESIDE_RANKS)
        mended["runs"][-1]["peer"] = {"settings": {"mpi_threads": "multiple"}}
        self.assertNotIn(told, self.text("gsofa-fig12", mended))

    def test_faults_of_what_ran(self):
        text = self.text("gsofa-fig18", without(FAULTS, "um-separate"))
        self.assertIn("| 4,000 | 1,000 | - | - | 4.00 | - | 48 | 24 | - | 6 | - |", text)
        self.assertNotIn("arrays for each device, and", text)
        text = self.text("gsofa-fig18", without(FAULTS, "um", "um-advise", "um-separate"))
        self.assertIn("No run with managed memory is ok.", text)
        self.assertNotIn("## Paper and ours", text)

    def test_scaling_has_the_machines_of_its_own_record(self):
        text = self.text("gsofa-fig19", SCALING)
        self.assertIn("| pre2 | 1,000 | 1.60 [1.60, 1.60] | 2.00 | 2.00 [2.00, 2.00] | - |", text)
        self.assertIn("Measured: 2 devices over one device geometric mean 1.60", text)
        alone = self.text("gsofa-fig19", without(SCALING, "devices-2", "ranks-4"))
        self.assertNotIn("Measured: ", alone)
        self.assertNotIn("Speedup over one device, measured", alone)

    def test_scaling_has_the_machines_of_another_card(self):
        """Whose runs have the same names."""
        other = of_sweep(DEVICES, "gsofa-devices", "Another card")
        text = self.text("gsofa-fig19", without(SCALING, "devices-2", "ranks-4"), other)
        self.assertIn("Measured on A card and Another card.", text)
        self.assertIn("measured on Another card, beside", text)
        self.assertIn("| pre2 | 1,000 | 1.82 [1.82, 1.82] | 1.85 | 3.33 [3.33, 3.33] | 3.33 | 1.67 "
                      "[1.67, 1.67] | 1.33 | 2.50 [2.50, 2.50] | - |", text)
        self.assertIn("| pre2 | 1,000 | 12 | 1.5 | 0.5 | 24.0 | 24.0 on 264 | 12 |", text)

    def test_the_record_beside_may_be_in_another_folder(self):
        os.mkdir(self.path("h200"))
        os.mkdir(self.path("h100"))
        self.write(SCALING, "h200/gsofa-many.json")
        beside = self.write(DEVICES, "h100/gsofa-devices.json")
        scaling = next(e for e in experiments.EXPERIMENTS if e.id == "gsofa-fig19")
        folders = [self.path("h200"), self.path("h100")]
        self.assertEqual(experiments.paths_beside(scaling, *folders), [beside])
        own = self.write(DEVICES, "h200/gsofa-devices.json")
        self.assertEqual(experiments.paths_beside(scaling, *folders), [own])

    def test_figures_are_drawn(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        other = of_sweep(DEVICES, "gsofa-devices", "Another card")
        for script, contents, names in (
                ("gsofa_devices_page", [DEVICES], ["gsofa-devices"]),
                ("gsofa-fig17", [MANY], ["gsofa-fig17", "gsofa-fig17-two"]),
                ("gsofa-fig21", [MANY], ["gsofa-fig21", "gsofa-fig21-two"]),
                ("gsofa-fig19", [SCALING, other], ["gsofa-fig19"])):
            paths = [self.write(content, f"r{k}.json") for k, content in enumerate(contents)]
            experiments.page_maker(script)(results.load(paths)).write(self.path(script), script)
            with self.subTest(script=script):
                self.assertLessEqual({f"{name}.svg" for name in names},
                                     set(os.listdir(self.path(script))))


if __name__ == "__main__":
    unittest.main()
