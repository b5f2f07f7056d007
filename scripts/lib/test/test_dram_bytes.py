#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of scripts/dram_bytes with a profiler that prints what Nsight Compute prints."""
import csv
import os
import stat
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "dram_bytes")
COUNTERS = '"dram__bytes_read.sum","dram__bytes_write.sum","gpu__time_duration.sum"'
PRINTED = f'''==PROF== Connected to process 12
"ID","Process ID","Device Name","Kernel Name",{COUNTERS}
"","","","","Mbyte","Kbyte","us"
"0","12","A device","void search_batch<Paper>","1,000.5","250","2,000"
"1","12","A device","void search_batch<Paper>","0.5","750","500"
'''


class DramBytes(unittest.TestCase):
    def run_script(self, printed, status=0, matrices=("a/one.mtx.xz",), ncu=None):
        folder = tempfile.mkdtemp(dir=self.folder.name)
        program = os.path.join(folder, "ncu")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/usr/bin/env python3\nimport sys\nsys.stdout.write({printed!r})\n"
                       f"sys.exit({status})\n")
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
        done = subprocess.run(
            [sys.executable, SCRIPT, "--lufact", "lufact", "--output", folder, "--ncu",
             ncu or program, *matrices], capture_output=True, text=True, check=False)
        return done, folder

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_adds_the_kernels_of_each_matrix_in_bytes_and_seconds(self):
        done, folder = self.run_script(PRINTED, matrices=("a/two.mtx", "a/one.mtx.xz"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(folder, "gsofa-dram-bytes.tsv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        self.assertEqual([row["matrix"] for row in rows], ["one", "two"])
        self.assertEqual(rows[0]["kernels"], "2")
        self.assertEqual(int(rows[0]["bytes_read"]), 1_001_000_000)
        self.assertEqual(int(rows[0]["bytes_written"]), 1_000_000)
        self.assertAlmostEqual(float(rows[0]["seconds"]), 0.0025)
        with open(os.path.join(folder, "dram-bytes-paper-one.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), PRINTED)

    def test_says_what_failed(self):
        for printed, status, message in (
                ("==ERROR== ERR_NVGPUCTRPERM\n", 1, "ERR_NVGPUCTRPERM"),
                ("==WARNING== No kernels were profiled.\n", 0, "no kernel search_batch"),
                (PRINTED.replace("dram__bytes_read.sum", "other"), 0, "does not give")):
            done, folder = self.run_script(printed, status)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
            self.assertFalse(os.path.exists(os.path.join(folder, "gsofa-dram-bytes.tsv")))
        done, _ = self.run_script("", ncu="/nowhere/ncu")
        self.assertEqual(done.returncode, 1)
        self.assertIn("install Nsight Compute", done.stderr)


if __name__ == "__main__":
    unittest.main()
