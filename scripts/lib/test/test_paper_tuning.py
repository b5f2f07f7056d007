#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""paper_tuning: the table that it makes of a small record."""
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "paper_tuning"


def load_script():
    loader = importlib.machinery.SourceFileLoader("paper_tuning", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def run_of(step, precision, order, blocks, seconds, outcome="ok"):
    samples = [{"phases": [{"name": "numeric", "wall_s": 1, "gpu_s": value}]} for value in seconds]
    return {"outcome": outcome, "samples": samples,
            "pipeline": {"numeric": step, "precision": precision},
            "batch": {"matrices_per_block": blocks, "sizes": [{"n": order, "count": 9}]}}


class PaperTuning(unittest.TestCase):
    def setUp(self):
        self.script = load_script()
        self.data = {"meta": {"device": {"name": "A card"}}, "runs": [
            run_of("registers-lazy", "double", 8, 4, [3, 3, 9]),
            run_of("registers-lazy", "double", 8, 2, [2, 4, 2]),
            run_of("registers-lazy", "double", 8, 16, [1, 1, 1], "unsupported"),
            run_of("registers-lazy", "float", 8, 8, [5, 5]),
            run_of("registers-lazy", "float", 8, 4, [5, 5])]}

    def test_the_least_median_wins_and_of_equal_ones_the_smallest(self):
        best = self.script.best_blocks(self.data)
        self.assertEqual(best, {("registers-lazy", "float64", 8): 2,
                                ("registers-lazy", "float32", 8): 4})

    def test_the_table_names_card_and_record(self):
        text = self.script.table_text(self.data, "r.json")
        self.assertIn('card = "A card"', text)
        self.assertIn("from r.json", text)
        self.assertIn('{"registers-lazy", Precision::float64, 8, 2},', text)

    def test_a_record_without_blocks_is_refused(self):
        with self.assertRaises(self.script.ResultError):
            self.script.table_text({"meta": {}, "runs": []}, "r.json")
        missing = subprocess.run([sys.executable, SCRIPT, os.devnull + ".json"],
                                 capture_output=True, text=True, check=False)
        self.assertEqual(missing.returncode, 1)
        self.assertNotIn("Traceback", missing.stderr)


if __name__ == "__main__":
    unittest.main()
