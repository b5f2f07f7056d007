#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Our own pages on batches: what they print of small results, and what they refuse."""
import copy
import os
import sys
import unittest

from fixtures import SCRIPTS, Folder, batch_run, file_of

sys.path.insert(0, os.path.join(SCRIPTS, "lib"))
import batch  # noqa: E402
import experiments  # noqa: E402
import results  # noqa: E402

LARGE = 2 ** 31 // (8 * 16 * 16)  # matrices of order 16 that take 2 GiB
BANDWIDTH = file_of(
    batch_run("copy", 16, 0.92e-3, count=LARGE), batch_run("fast", 16, 1.00e-3, count=LARGE),
    batch_run("copy", 32, 0.70e-3, count=LARGE), batch_run("fast", 32, 1.00e-3, count=LARGE),
    batch_run("copy", 16, 1.00e-4, count=1000, name="few-16"),
    batch_run("fast", 16, 2.00e-4, count=1000, name="few-16"),
    batch_run("cublas", 16, 8.00e-4, count=1000, name="few-16", peer="cublas"),
    batch_run("fast", 48, 1.00e-3, count=1000, name="few-48"),
    batch_run("cublas", 48, 1.50e-3, count=1000, name="few-48", peer="cublas"))
COUNTS = file_of(*(
    batch_run(variant, 8, seconds, count=count, name=f"order-8-{count}", peer=peer, data=data)
    for variant, peer, data, times in (
        ("fast", None, "device", (1e-5, 1e-5, 1e-4)), ("fast", None, "pinned", (3e-5, 1e-3, 1e-1)),
        ("mkl-omp", "mkl-omp", "device", (1e-6, 1e-3, 5e-2)))
    for count, seconds in zip((1, 1000, 100000), times)))
LAYOUTS = file_of(*(batch_run("fast", order, seconds, layout=layout, name=f"random-{order}")
                    for order in (4, 8)
                    for layout, seconds in (("contiguous", 1e-3), ("interleaved", 5e-4),
                                            ("pointers", 2e-3))))


def streamed(variant, seconds, limit=None):
    return batch_run(variant, 32, seconds, data="pinned",
                     options={"device-memory-limit": limit} if limit else None,
                     streaming={"chunks": 64, "chunk_matrices": 16384, "upload_busy_s": 0.04,
                                "compute_busy_s": 0.01, "download_busy_s": 0.05})


STREAMING = file_of(streamed("copy", 0.095), streamed("fast", 0.1), streamed("copy", 0.1, "1GiB"),
                    streamed("fast", 0.2, "1GiB"))
REAL = file_of(
    batch_run("fast", 8, 1e-3, name="bayer10-blocks-8", info={"zero_pivots": 12345}),
    batch_run("cublas", 8, 4e-3, name="bayer10-blocks-8", peer="cublas",
              info={"zero_pivots": 12345}),
    batch_run("fast", 12, 1e-3, name="tet4-elastic"),
    batch_run("cublas", 12, 2e-3, name="tet4-elastic", peer="cublas"))
HARD = file_of(batch_run("fast", 8, 1e-3, name="graded-8"),
               batch_run("magma", 8, 1e-3, name="graded-8", peer="magma", outcome="inaccurate"))

# Of each page: a result file, and what it must print of it.
CASES = {
    "batch_bandwidth_page": (BANDWIDTH, [
        "lu, double, orders 16: `fast` has 92% to 92% of the rate of copy; the target of 90% is "
        "reached at every order",
        "orders 32: `fast` has 70% to 70% of the rate of copy; the target of 75% is missed at 32",
        "fewer matrices: `fast` over copy: geometric mean 0.500 (n = 1",
        "lu, double, orders 16: `fast` over cuBLAS: geometric mean 4.00 (n = 1",
        "lu, double, orders 48: `fast` over cuBLAS: geometric mean 1.50 (n = 1",
        "## LU, double, 2 GiB of matrices or more", "| 16 | 4,668 | 92% |"]),
    "batch_count_page": (COUNTS, [
        "lu, double, order 8: `fast` wins from 1,000 matrices on; `fast, with copies` does not win "
        "at any count", "| 100,000 | 0.2 | 100 | 50.1 |"]),
    "batch_layouts_page": (LAYOUTS, [
        "lu, double, time of fast: interleaved / contiguous: geometric mean 0.500 (n = 2",
        "time of fast: pointers / contiguous: geometric mean 2.00",
        "| 4 | 4.00 | 8.00 | 2.00 | 0.50 | 2.00 |"]),
    "batch_streaming_page": (STREAMING, [
        "lu double 32, pinned, limit none: `fast` has 95% of the rate of the copies alone",
        "limit 1GiB: `fast` has 50% of the rate",
        "| 1,000,000 | 64 | 16,384 | 100 | 40 | 10 | 50 |"]),
    "batch_real_page": (REAL, [
        "lu, double: 2 inputs, every matrix verified; 1 have matrices with a zero pivot "
        "(bayer10-blocks-8)", "`fast` over cuBLAS: geometric mean 2.83 (n = 2, from 2.00 to 4.00)",
        "| bayer10-blocks-8 | 8 | 1,000,000 | 12,345 | 0 | - | 2.0e-16 | 8.00 | 2.00 |"]),
    "batch_hard_page": (HARD, [
        "1 of 2 runs are ok, every matrix verified.", "`magma` is inaccurate on graded-8",
        "| graded-8 | 8 | double | fast | ok | 2.0e-16 | 6.7e-15 | 999,993 | 7 | 0 | 0 | 0 |"]),
}


class Pages(Folder):
    def text(self, script, content):
        return experiments.page_maker(script)(results.load([self.write(content)])).text(
            self.folder.name)

    def test_every_experiment_of_our_own_has_a_case(self):
        self.assertEqual(set(CASES), {e.script for e in experiments.EXPERIMENTS
                                      if e.id.startswith("batch-") and not e.published})

    def test_print_the_numbers_that_they_plot(self):
        for script, (content, wanted) in CASES.items():
            text = self.text(script, content)
            for line in wanted:
                with self.subTest(script=script, line=line):
                    self.assertIn(line, text)

    def test_what_bounds_the_kernels_comes_from_the_file_beside_the_result(self):
        line = {"operation": "lu", "precision": "double", "order": "24", "count": "1000",
                "device": "A device", "kernel": "rows_g8r3_lu", "seconds": "1e-3",
                "bytes_read": "1000000000", "bytes_written": "500000000", "issue_percent": "33.2",
                "shared_percent": "42.6", "fp64_percent": "17.3", "fma_percent": "80",
                "alu_percent": "28.3", "warps": "7.6", "block_threads": "128", "registers": "234",
                "blocks_by_registers": "2", "blocks_by_shared": "3",
                "cycles_per_instruction": "5.8", "waits_wait": "1.4", "waits_barrier": "0",
                "waits_long_scoreboard": "0.95", "waits_mio_throttle": "0.1"}
        lines = [{**line, "order": "16", "shared_percent": "99"}, line]
        with open(self.path("batch-limits.tsv"), "w", encoding="utf-8") as file:
            for values in (line.keys(), *(other.values() for other in lines)):
                file.write("\t".join(values) + "\n")
        text = self.text("batch_bandwidth_page", BANDWIDTH)
        self.assertIn("orders to 16, by the profiler's counters: the busiest of the issue slots, "
                      "the pipe of shared memory and the arithmetic ones is busy for 99% to 99%",
                      text)
        self.assertIn("is busy for 43% to 43% of the time; a multiprocessor holds 8 to 8 warps, at "
                      "least 95% of those for which registers", text)
        self.assertIn("| lu, double | 24 | rows_g8r3_lu | 1,500 | 33% | 43% | 17% | 7.6 | 8 | 12 "
                      "| 5.8 | wait 1.40, long scoreboard 0.95, mio throttle 0.10 |", text)

    def test_files_without_such_runs_are_refused_with_the_reason(self):
        for script, (content, _) in CASES.items():
            failed = copy.deepcopy(content)
            for run in failed["runs"]:
                run.update(outcome="unsupported", error={"message": "there is no device"})
            with self.subTest(script=script), self.assertRaises(results.ResultError) as caught:
                self.text(script, failed)
            self.assertIn("there is no device", str(caught.exception))

    def test_every_figure_is_drawn(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        for script, (content, _) in CASES.items():
            page = experiments.page_maker(script)(results.load([self.write(content)]))
            page.write(self.path("pages"), script)
            for figure in page.figures:
                with self.subTest(script=script, figure=figure):
                    self.assertIn(figure + ".svg", os.listdir(self.path("pages")))


class Runs(Folder):
    def load(self, *runs):
        return results.load([self.write(file_of(*runs))])

    def test_the_clock_of_the_device_counts_where_every_sample_has_it(self):
        run = self.load(batch_run("fast", 4, 1e-3)).runs[0]
        self.assertEqual([round(1e3 * s, 6) for s in batch.seconds(run).values()], [0.9, 1.0, 1.1])
        run.record["samples"][1]["phases"][0]["gpu_s"] = None
        self.assertAlmostEqual(batch.seconds(run)[1], 1.1e-3)

    def test_two_runs_of_one_question_are_refused(self):
        loaded = self.load(batch_run("fast", 4, 1e-3), batch_run("fast", 4, 2e-3))
        with self.assertRaisesRegex(results.ResultError, "the same question"):
            batch.by_order(loaded, "fast", "double")

    def test_the_fastest_line_is_taken_at_every_order(self):
        loaded = self.load(batch_run("cpu", 4, 1e-3), batch_run("mkl-omp", 4, 2e-3, peer="mkl-omp"),
                           batch_run("cpu", 8, 3e-3), batch_run("mkl-omp", 8, 2e-3, peer="mkl-omp"))
        best = batch.fastest_by_order(loaded, batch.CPU_LINES, "double")
        self.assertEqual({order: batch.name_of(run) for order, run in best.items()},
                         {4: "cpu", 8: "mkl-omp"})

    def test_batches_of_different_counts_are_compared_by_matrix(self):
        loaded = self.load(batch_run("cpu", 4, 1e-2, count=1000), batch_run("fast", 4, 1e-2))
        ratio = batch.speedups(batch.by_order(loaded, "cpu", "double"),
                               batch.by_order(loaded, "fast", "double"))[4]
        self.assertAlmostEqual(ratio.value, 1000)

    def test_orders_are_listed_as_ranges(self):
        self.assertEqual(batch.order_list([9, 1, 2, 3, 7, 8]), "1-3, 7-9")


if __name__ == "__main__":
    unittest.main()
