#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""report and reproduce: on small results, with a program that only pretends, and, where
LUFACT_PROGRAM names one, with lufact itself."""
import json
import os
import subprocess
import sys
import unittest

from fixtures import SCRIPTS, Folder, file_of, run_of

sys.path.insert(0, os.path.join(SCRIPTS, "lib"))
import html_page  # noqa: E402

DETECTION = file_of(run_of("memplus", "cpu-glu2-search", 300.0, until="levelize"),
                    run_of("memplus", "cpu-relaxed", 0.1, until="levelize"),
                    run_of("memplus", "cpu-exact", 0.2, until="levelize"))
# Stands for lufact: notes its arguments, writes a result and ends with 3; with SLOW it waits for an
# interrupt.
FAKE = """#!/usr/bin/env python3
import json, os, signal, sys, time
arguments = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "calls"), "a") as file:
    file.write(" ".join(arguments) + "\\n")
if os.path.exists(os.path.join(here, "slow")):
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        sys.exit(130)
output = arguments[arguments.index("--output-dir") + 1]
name = os.path.basename(arguments[arguments.index("--config") + 1])
os.makedirs(output, exist_ok=True)
with open(os.path.join(here, "result")) as source, open(os.path.join(output, name), "w") as target:
    target.write(source.read())
sys.exit(3)
"""


def script(name, *arguments):
    return subprocess.run([sys.executable, os.path.join(SCRIPTS, name), *arguments],
                          capture_output=True, text=True, check=False, timeout=100)


class Report(Folder):
    def test_lists_paper_ours_ratio_and_why_with_links_to_the_records(self):
        self.write(DETECTION, "detection.json")
        made = script("report", self.folder.name, "--no-figures")
        self.assertEqual(made.returncode, 0, made.stderr)
        with open(self.path("REPORT.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| memplus: levels, exact rule | 147 | 1,999 | 13.6 | yes: the same matrix, "
                      "and a count | [detection.json](detection.json) runs[1] |", text)
        self.assertIn("- e2e-fig4: no result file (e2e-fig4.json or end-to-end.json)", text)
        self.assertIn("[glu3-table2](figures/glu3-table2.md) | A card |", text)
        self.assertIn("- [detection.json](detection.json): A card; A CPU; commit 012345", text)
        self.assertTrue(os.path.exists(self.path("figures/glu3-table2.md")))
        with open(self.path("REPORT.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn('<a href="detection.json">detection.json</a> runs[1]', page)
        self.assertIn("<td>memplus: levels, exact rule</td>", page)
        self.assertIn('<td class="number">1,999</td>', page)

    def test_finds_compressed_records(self):
        for ending in (".json.gz", ".json.xz"):
            path = self.write(DETECTION, "detection" + ending)
            self.assertEqual(script("report", self.folder.name, "--no-figures").returncode, 0)
            with open(self.path("REPORT.md"), encoding="utf-8") as file:
                self.assertIn(f"| [detection{ending}](detection{ending}) runs[1] |", file.read())
            os.remove(path)

    def test_draws_pictures_of_the_kinds_asked_for(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed")
        self.write(DETECTION, "detection.json")
        for options, kinds in ([], {".svg"}), (["--png"], {".svg", ".png"}):
            made = script("report", self.folder.name, *options)
            self.assertEqual(made.returncode, 0, made.stderr)
            drawn = {os.path.splitext(name)[1] for name in os.listdir(self.path("figures"))}
            self.assertEqual(drawn - {".md"}, kinds)

    def test_says_why_an_experiment_is_not_in_it(self):
        failed = run_of("a", "ooc")
        failed.update(outcome="unsupported", error={"message": "there is no device"})
        self.write(file_of(failed), "end-to-end.json")
        script("report", self.folder.name, "--no-figures")
        with open(self.path("REPORT.md"), encoding="utf-8") as file:
            self.assertIn("1 unsupported (a ooc: there is no device)", file.read())

    def test_a_missing_folder_is_wrong_usage(self):
        made = script("report", self.path("absent"))
        self.assertEqual(made.returncode, 2)
        self.assertIn("make results first", made.stderr)


class Html(unittest.TestCase):
    def test_escapes_text_and_turns_markdown_into_elements(self):
        page = html_page.page_of("# A <b>\n\nSee `x < y` and [it](a.json).\n\n- one\n- two\n\n"
                                 "| a | b |\n| --- | ---: |\n| ![f](f.svg) | 1 |\n", "T")
        for part in ("<h1>A &lt;b&gt;</h1>", "<code>x &lt; y</code>", '<a href="a.json">it</a>',
                     "<li>two</li>", "<th>a</th>", '<img src="f.svg" alt="f">',
                     '<td class="number">1</td>'):
            self.assertIn(part, page)


class Reproduce(Folder):
    def setUp(self):
        super().setUp()
        self.program = self.path("lufact")
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(FAKE)
        os.chmod(self.program, 0o755)
        self.write(DETECTION, "result")

    def reproduce(self, *arguments):
        return script("reproduce", *arguments, "--lufact", self.program, "--output",
                      self.path("out"))

    def calls(self):
        with open(self.path("calls"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_sweeps_each_configuration_once_and_writes_the_report(self):
        made = self.reproduce("glu3-table2", "e2e-fig4", "e2e-fig5", "--quick",
                              "--device-memory-limit", "6GiB", "--option", "repetitions=1")
        self.assertEqual(made.returncode, 0, made.stderr)
        calls = self.calls()
        self.assertEqual(len(calls), 2)
        self.assertIn("configs/quick/detection.json", calls[0])
        self.assertIn("configs/quick/end-to-end.json", calls[1])
        for part in ("--resume", "--option repetitions=1", "--option device-memory-limit=6GiB"):
            self.assertIn(part, calls[0])
        self.assertTrue(os.path.exists(self.path("out/REPORT.md")))
        self.assertIn("e2e-fig4: not measured", made.stdout)

    def test_a_slice_interrupts_the_sweep_and_says_how_to_go_on(self):
        with open(self.path("slow"), "w", encoding="utf-8"):
            pass
        made = self.reproduce("glu3-table2", "--quick", "--slice", "0.02")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("repeat the command to go on", made.stdout)

    def test_names_what_is_unknown_or_missing(self):
        unknown = self.reproduce("e2e-fig99")
        self.assertEqual(unknown.returncode, 1)
        self.assertIn("there are e2e-fig3", unknown.stderr)
        os.remove(self.program)
        self.assertIn("build it first", self.reproduce("e2e-fig4").stderr)

    def test_slices_of_real_runs_add_up(self):
        program = os.environ.get("LUFACT_PROGRAM")
        if not program:
            self.skipTest("LUFACT_PROGRAM does not name lufact")
        command = ["glu3-table2", "--quick", "--option", "repetitions=1", "--lufact", program,
                   "--output", self.path("out"), "--matrix-dir", self.folder.name,
                   "--slice", "0.05"]
        finished = []
        # On a busy machine the first slices may not end a run.
        while len(finished) < 8 and not (len(finished) > 1 and finished[-1] > 0):
            made = script("reproduce", *command)
            self.assertEqual(made.returncode, 0, made.stderr)
            with open(self.path("out/detection.json"), encoding="utf-8") as file:
                runs = [run for run in json.load(file)["runs"] if run["outcome"] == "ok"]
            self.assertTrue(all(run["matrix"]["generator"] for run in runs))
            finished.append(len(runs))
        self.assertGreater(finished[-1], 0)
        self.assertEqual(finished, sorted(finished))
        with open(self.path("out/REPORT.md"), encoding="utf-8") as file:
            self.assertIn("no: a stand-in", file.read())


if __name__ == "__main__":
    unittest.main()
