#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_claims: numbers in prose that agree with records, that do not, and that have no mark."""
import os
import sys
import unittest

from fixtures import SCRIPTS, Folder, dense_run, file_of, run_of

sys.path.insert(0, os.path.join(SCRIPTS, "lib"))
import claims  # noqa: E402

RECORD = file_of(*(run for matrix, factor in (("first", 2.0), ("second", 8.0)) for run in
                   (run_of(matrix, "quick", until="solve"),
                    run_of(matrix, "slow", factor, until="solve"))))
LINK = "See the [record](h200/r.json).\n\n"


class Marks(Folder):
    def setUp(self):
        super().setUp()
        self.write(RECORD)

    def page(self, text):
        page = claims.Page(text, self.folder.name)
        page.check()
        return page

    def faults(self, text):
        return [what for _, what in self.page(text).faults]

    def mark(self, expression):
        return f"<!-- = r.json: {expression} -->"

    def test_numbers_that_agree(self):
        over = "over('slow', 'quick', 'symbolic')"
        text = (f"It is **4.0 times** as fast (2.0 to 8, n = 2)"
                f"{self.mark(f'mean({over}), low({over}), high({over}), n({over})')}.\n")
        self.assertEqual(self.faults(LINK + text), [])

    def test_numbers_that_do_not(self):
        mark = self.mark("mean(over('slow', 'quick', 'symbolic'))")
        found = self.faults(f"{LINK}It is 4.1 times as fast{mark}.\n")
        self.assertEqual(len(found), 1)
        self.assertIn("4.1 is 4", found[0])

    def test_the_digits_that_are_shown_count(self):
        for shown, value, agreed in (("4.0", 4.04, True), ("4.0", 4.06, False), ("12", 12.4, True),
                                     ("0.95", 0.949, True), ("3,200", 3162.0, True),
                                     ("3,100", 3162.0, False), ("1e-13", 1.3e-13, True),
                                     ("8e-13", 7.4e-13, False), ("16,000", 15838.0, True)):
            with self.subTest(shown=shown, value=value):
                self.assertEqual(claims.agrees(shown, value), agreed)

    def test_a_truth_must_hold_and_is_for_the_number_before_it(self):
        self.assertEqual(self.faults(LINK + "All take less than 20 ms"
                                     + self.mark("high(seconds('quick', 'symbolic')) < 0.02")
                                     + ".\n"), [])
        found = self.faults(LINK + "All take less than 5 ms"
                            + self.mark("high(seconds('quick', 'symbolic')) < 0.005") + ".\n")
        self.assertEqual(len(found), 1)
        self.assertIn("does not hold", found[0])

    def test_numbers_beside_records_need_a_mark(self):
        self.assertEqual(self.faults(LINK + "It takes 12.5 ms.\n"),
                         ["'12.5 ms' stands beside links to records and has no mark"])
        self.assertEqual(self.faults("It takes 12.5 ms.\n"), [])  # beside no record
        self.assertEqual(self.faults(LINK + "`--min-time 0.05` and CUDA13.0.\n"), [])
        self.assertEqual(self.faults(LINK + "It takes 12.5 ms<!-- unrecorded: by hand -->.\n"), [])
        self.assertEqual(self.faults("### r.json\n\nIt takes 12.5 ms.\n"),
                         ["'12.5 ms' stands beside links to records and has no mark"])

    def test_each_number_needs_its_own(self):
        found = self.faults(LINK + "It takes 7.5 ms, and 12 ms"
                            + self.mark("1e3 * seconds('quick', 'symbolic')['first']") + ".\n")
        self.assertEqual(found, ["'7.5 ms' stands beside links to records and has no mark"])

    def test_marks_that_cannot_be_computed(self):
        self.assertIn("there is no absent.json",
                      self.faults("It is 4<!-- = absent.json: 4 -->.\n")[0])
        self.assertIn("NameError", self.faults("It is 4" + self.mark("nothing()") + ".\n")[0])
        self.assertIn("2 numbers, and 1 before it",
                      self.faults("It is 4" + self.mark("4, 5") + ".\n")[0])
        self.assertIn("begins a line", self.faults("It is 4\n" + self.mark("4") + ".\n")[0])

    def test_segments_of_a_sweep_are_one_record(self):
        for index, runs in enumerate((RECORD["runs"][:2], RECORD["runs"][2:])):
            self.write(file_of(*runs), f"cut.segment-{index}-of-2.json.xz")
        text = ("It is 4.0 times as fast<!-- = cut.json.xz: mean(over('slow', 'quick', 'symbolic'))"
                " -->.\n")
        self.assertEqual(self.faults(text), [])
        self.assertEqual(len(self.faults("[record](h200/cut.segment-0-of-2.json.xz), 4 ms.\n")), 1)

    def test_a_segment_stands_for_its_inputs_in_a_record_that_was_stopped(self):
        stopped = [run_of("first", "quick", 3.0, until="solve"), *RECORD["runs"][2:]]
        self.write(file_of(*stopped), "cut.json")
        self.write(file_of(*RECORD["runs"][:2]), "cut.segment-0-of-2.json.xz")
        text = ("It is 4.0 times as fast<!-- = cut.json: mean(over('slow', 'quick', 'symbolic'))"
                " -->.\n")
        self.assertEqual(self.faults(text), [])

    def test_changing_the_record_changes_what_agrees(self):
        text = LINK + "It takes 12 ms" + self.mark(
            "1e3 * seconds('quick', 'symbolic')['first']") + ".\n"
        self.assertEqual(self.faults(text), [])
        RECORD["runs"][0]["samples"][2]["phases"][0]["wall_s"] *= 10
        try:
            os.mkdir(self.path("other"))
            self.write(RECORD, os.path.join("other", "r.json"))
            page = claims.Page(text, self.path("other"))
            self.assertEqual(len(page.check()), 1)
        finally:
            RECORD["runs"][0]["samples"][2]["phases"][0]["wall_s"] /= 10

    def test_numbers_are_corrected_with_as_many_digits(self):
        mark = self.mark("mean(over('slow', 'quick', 'symbolic')), 0.5, 12345")
        page = self.page(f"It is 4.1 times, 0.75 and 12,000{mark}.\n")
        self.assertEqual(page.corrected(), f"It is 4.0 times, 0.50 and 12,000{mark}.\n")

    def test_one_large_matrix_beside_libraries(self):
        library = "cusolver-nopivot"
        self.write(file_of(*(dense_run(variant, 100, seconds, peer=peer, pivoting="none")
                             for variant, seconds, peer in (("hybrid-tuned", 4e-3, None),
                                                            ("task-graph", 1e-3, None),
                                                            (library, 2e-3, library)))))
        text = ("It takes 0.50 of cuSOLVER's time, 4.0 times"
                + self.mark("dense(('hybrid-tuned', 'task-graph'), ('cusolver-nopivot',), 'none')"
                            "[100], dense(['hybrid-tuned'], ['task-graph'], 'none')[100]") + ".\n")
        self.assertEqual(self.faults(LINK + text), [])

    def test_a_library_with_one_thread_of_several_says_nothing_of_one_factorization(self):
        ours, theirs = (run_of("first", variant, factor, until="solve")
                        for variant, factor in (("fast", 1.0), ("cudss", 4.0)))
        theirs["mode"] = "peer"
        refused = "one host thread only, where more were allowed: first cudss"
        for compared in ("fast('cudss')", "over('cudss', 'fast')"):
            text = f"{LINK}It is 4.0 times as fast{self.mark(f'mean({compared})')}.\n"
            theirs["warnings"] = []
            self.write(file_of(ours, theirs))
            claims.quantities.cache_clear()
            self.assertEqual(self.faults(text), [])
            theirs["warnings"] = [{"code": "peer_on_one_thread", "message": "no threading layer"}]
            self.write(file_of(ours, theirs))
            claims.quantities.cache_clear()
            self.assertIn(refused, " ".join(self.faults(text)))

    def test_verdicts_are_counted_in_the_report(self):
        with open(self.path("REPORT.md"), "w", encoding="utf-8") as file:
            file.write("| claim | verdict | why |\n| a | **reproduced** | [x](#x) |\n"
                       "| b | **contradicted** | [x](#x) |\n| c | **reproduced** | [x](#x) |\n")
        self.assertEqual(self.faults("2 of them<!-- = REPORT.md: verdicts('reproduced') -->.\n"),
                         [])


if __name__ == "__main__":
    unittest.main()
