#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_size: a violation of each rule in a checkout of its own is caught."""
import os
import shutil
import subprocess
import sys
import unittest

from fixtures import SCRIPTS, Folder

MEGABYTE = 10**6


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class CheckSize(Folder):
    def setUp(self):
        super().setUp()
        subprocess.run(["git", "init", "-q", self.folder.name], check=True)
        self.add("results/h200/fast.json.xz", 2 * MEGABYTE)
        self.add("results/figures/fast.svg", 1000)
        self.add("configs/fast.json", 1000)

    def add(self, name, size, track=True):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.truncate(size)
        if track:
            subprocess.run(["git", "-C", self.folder.name, "add", name], check=True)

    def check(self):
        return subprocess.run([sys.executable, os.path.join(SCRIPTS, "check_size"),
                               self.folder.name], capture_output=True, text=True, check=False)

    def assert_fault(self, expected):
        made = self.check()
        self.assertEqual(made.returncode, 1, made.stdout + made.stderr)
        self.assertIn(expected, made.stdout)

    def test_a_small_checkout_passes(self):
        made = self.check()
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        self.assertIn("records under results/: 2.00 MB", made.stdout)

    def test_a_plain_record_is_caught(self):
        self.add("results/h200/new.json", 10)
        self.assert_fault("results/h200/new.json: a record that is not compressed")

    def test_a_png_is_caught(self):
        self.add("results/figures/fast.png", 10)
        self.assert_fault("results/figures/fast.png: a picture that is no SVG")

    def test_large_records_are_caught(self):
        self.add("results/cpu/large.json.gz", 5 * MEGABYTE)
        self.assert_fault("the records under results/ take 7,000,000 bytes")

    def test_a_large_checkout_is_caught(self):
        self.add("core/large.bin", 17 * MEGABYTE)
        self.assert_fault("all tracked files take 19,002,000 bytes")

    def test_what_git_does_not_track_counts_nothing(self):
        self.add("results/h200/new.json", 20 * MEGABYTE, track=False)
        self.assertEqual(self.check().returncode, 0)

    def test_without_a_checkout_nothing_is_checked(self):
        shutil.rmtree(self.path(".git"))
        made = self.check()
        self.assertEqual(made.returncode, 0)
        self.assertIn("nothing is checked", made.stdout)


if __name__ == "__main__":
    unittest.main()
