# SPDX-License-Identifier: BSD-3-Clause
"""scripts/batch_table on small records."""
import lzma
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAMES = "operation\tprecision\tlayout\tn\trhs\tkernel\tmatrices_per_block\tcount\tmedian_s\n"


class BatchTable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.record = os.path.join(folder.name, "record.tsv")
        self.table = os.path.join(folder.name, "table.inc")
        self.family = "fast"

    def run_script(self, *arguments):
        script = os.path.join(SCRIPTS, "batch_table")
        return subprocess.run([sys.executable, script, *arguments, self.family, self.record,
                               self.table],
                              capture_output=True, text=True, check=False).returncode

    def write_record(self, *rows):
        with open(self.record, "w", encoding="utf-8") as file:
            file.write("# device: NVIDIA H200\n# commit: 0123abc\n" + NAMES)
            file.writelines("\t".join(row.split()) + "\n" for row in rows)

    def table_text(self):
        with open(self.table, encoding="utf-8") as file:
            return file.read()

    def test_takes_the_quickest_for_each_problem(self):
        self.write_record("lu double contiguous 17 0 rows_g8r3 8 1000 2e-3",
                          "lu double contiguous 17 0 rows_g4r5 16 2000 3e-3",
                          "lu float contiguous 4 0 thread 64 1000 1e-4")
        self.assertEqual(self.run_script(), 0)
        text = self.table_text()
        self.assertIn('{lu, f64, contiguous, 17, 0, "rows_g4r5", 16, 2000, 3e-3},', text)
        self.assertIn('{lu, f32, contiguous, 4, 0, "thread", 64, 1000, 1e-4},', text)
        self.assertNotIn("rows_g8r3", text)
        self.assertIn('"NVIDIA H200", "0123abc"', text)

    def test_check_finds_a_table_of_another_record(self):
        self.write_record("lu double contiguous 17 0 rows_g8r3 8 1000 2e-3")
        self.run_script()
        self.assertEqual(self.run_script("--check"), 0)
        self.write_record("lu double contiguous 17 0 rows_g4r5 16 1000 2e-3")
        self.assertEqual(self.run_script("--check"), 1)

    def test_without_a_record_the_table_is_empty(self):
        self.assertEqual(self.run_script(), 0)
        self.assertIn("const BatchTuning table{};", self.table_text())

    def test_steps_of_the_paper_have_blocks_by_precision_and_order(self):
        self.family = "paper"
        self.write_record("lu double contiguous 8 0 registers-lazy 2 1000 2e-4",
                          "lu double contiguous 8 0 registers-lazy 4 1000 1e-4",
                          "lu double contiguous 8 0 registers-lazy 16 1000 1e-4",
                          "lu double contiguous 8 0 registers-tuned 1 1000 1e-5",
                          "inverse float contiguous 17 0 inverse-fused 3 1000 1e-4")
        self.assertEqual(self.run_script(), 0)
        text = self.table_text()
        self.assertIn('card = "NVIDIA H200"', text)
        self.assertIn("Of commit 0123abc.", text)
        self.assertIn('{"registers-lazy", Precision::float64, 8, 4},', text)
        self.assertIn('{"registers-tuned", Precision::float64, 8, 1},', text)
        self.assertIn('{"inverse-fused", Precision::float32, 17, 3},', text)

    def test_reads_compressed_records(self):
        self.family = "paper"
        self.write_record("lu double contiguous 8 0 registers-lazy 2 1000 2e-4")
        with open(self.record, "rb") as plain, lzma.open(self.record + ".xz", "wb") as packed:
            packed.write(plain.read())
        self.record += ".xz"
        self.assertEqual(self.run_script(), 0)
        self.assertIn('{"registers-lazy", Precision::float64, 8, 2},', self.table_text())

    def test_other_words_are_wrong_usage(self):
        self.family = "slow"
        self.assertEqual(self.run_script(), 2)


if __name__ == "__main__":
    unittest.main()
