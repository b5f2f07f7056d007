#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""report and reproduce: on small results, with a program that only pretends, and, where
LUFACT_PROGRAM names one, with lufact itself."""
import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from fixtures import SCRIPTS, Folder, file_of, run_of

sys.path.insert(0, os.path.join(SCRIPTS, "lib"))
import experiment_needs  # noqa: E402
import experiments  # noqa: E402
import html_page  # noqa: E402
from page import folded  # noqa: E402
from results import ResultError  # noqa: E402

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


def html_pages(test):
    """Skips the test where the library is missing that makes HTML."""
    try:
        html_page.library()
    except ResultError as error:
        test.skipTest(str(error))


class Report(Folder):
    def test_lists_paper_ours_ratio_and_why_with_links_to_the_records(self):
        self.write(DETECTION, "detection.json")
        text = self.report("--no-figures", "--no-html")[0]
        self.assertIn("| memplus: levels, exact rule | 147 | 1,999 | 13.6 | yes: the same matrix, "
                      "and a count | [detection.json](detection.json) runs[1] |", text)
        self.assertIn("- e2e-fig4, e2e-table2: no result file (e2e-fig4.json or "
                      "end-to-end.json)", text)
        self.assertIn("[glu3-table2](figures/glu3-table2.md) | A CPU (4 threads) |", text)
        self.assertIn("- [detection.json](detection.json): A card; A CPU (4 threads); commit "
                      "012345", text)
        self.assertTrue(os.path.exists(self.path("figures/glu3-table2.md")))

    def test_segments_of_a_record_are_read_together(self):
        other = [{**run, "sweep": {**run["sweep"], "matrix": "second"}}
                 for run in DETECTION["runs"]]
        self.write(DETECTION, "detection.segment-0-of-2.json")
        self.write(file_of(*other), "detection.segment-1-of-2.json.xz")
        text, = self.report("--no-figures", "--no-html")
        self.assertIn("`cpu-relaxed` is faster on 2 of 2 matrices.", text)

    def test_records_beside_a_page_s_own_may_be_in_another_folder(self):
        page = next(e for e in experiments.EXPERIMENTS if e.id == "e2e-fig8")
        for folder in ("own", "other", "last"):
            os.mkdir(self.path(folder))
        for folder in ("other", "last"):
            self.write(DETECTION, os.path.join(folder, "column-formats.json"))
        folders = [self.path(folder) for folder in ("own", "other", "last")]
        self.assertEqual(experiments.paths_beside(page, *folders),
                         [self.path("other/column-formats.json")])

    def test_segments_of_a_record_may_be_in_several_folders(self):
        wanted = next(e for e in experiments.EXPERIMENTS if e.id == "glu3-table2")
        for folder in ("own", "other"):
            os.mkdir(self.path(folder))
        folders = [self.path("own"), self.path("other")]
        name = f"{wanted.full}.segment-{{}}-of-3.json"
        for folder, index in (("own", 0), ("own", 1), ("other", 1), ("other", 2)):
            self.write(DETECTION, os.path.join(folder, name.format(index)))
        self.assertEqual(sorted(experiments.result_paths(wanted, *folders)),
                         sorted(self.path(os.path.join(folder, name.format(index))) for
                                folder, index in (("own", 0), ("own", 1), ("other", 2))))
        # A whole record of the first folder is not completed by another card's.
        self.write(DETECTION, os.path.join("own", wanted.full + ".json"))
        self.assertNotIn(self.path(os.path.join("other", name.format(2))),
                         experiments.result_paths(wanted, *folders))

    def report(self, *options):
        """REPORT.md and, where it was made, REPORT.html."""
        made = script("report", self.folder.name, *options)
        self.assertEqual(made.returncode, 0, made.stderr)
        return [self.read(name) for name in ("REPORT.md", "REPORT.html")
                if os.path.exists(self.path(name))]

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_begins_with_its_origin_and_contents(self):
        self.write(DETECTION, "detection.json")
        text, = self.report("--no-figures", "--no-html")
        head = text.split("## ")[0]
        for line in ("- Date: 2026-01-31", "- Commit: `0123456789ab`",
                     "- Device: A card (driver 580.1, CUDA runtime 13.0)",
                     "- Host: A CPU (4 threads), unknown system",
                     "- [GLU3 Table II: detection of dependencies]"
                     "(#glu3-table-ii-detection-of-dependencies)"):
            self.assertIn(line, head)

    def test_what_cannot_be_compared_is_folded_behind_what_can(self):
        runs = [{**run, "sweep": {**run["sweep"], "matrix": "like", "stand_in_for": "x/memplus"}}
                for run in DETECTION["runs"]]
        self.write(file_of(*DETECTION["runs"], *runs), "detection.json")
        text, = self.report("--no-figures", "--no-html")
        section = text.split("## GLU3 Table II")[1]
        shown, hidden = section.split("<details>")
        self.assertIn("5 numbers that cannot be compared", hidden)
        self.assertIn("yes: the same matrix", shown)
        self.assertNotIn("no: a stand-in", shown)
        self.assertEqual(hidden.count("no: a stand-in"), 5)

    def test_links_of_the_html_lead_to_html_and_exist(self):
        html_pages(self)
        self.write(DETECTION, "detection.json")
        _, page = self.report("--no-figures")
        self.assertIn('<a href="detection.json">detection.json</a> runs[1]', page)
        self.assertIn("<td>memplus: levels, exact rule</td>", page)
        self.assertIn("<em>End-to-End LU Factorization of Large Matrices on GPUs</em>", page)
        self.assertIn('<meta name="viewport"', page)
        self.assertIn("prefers-color-scheme: dark", page)
        for name, text in (("REPORT.html", page),
                           ("figures/x", self.read("figures/glu3-table2.html"))):
            for link in re.findall(r'(?:href|src)="([^"#:]+)"', text):
                with self.subTest(page=name, link=link):
                    self.assertNotRegex(link, r"\.md$")
                    self.assertTrue(os.path.exists(os.path.join(
                        self.folder.name, os.path.dirname(name), link)))

    def test_without_figures_nothing_links_to_one(self):
        self.write(DETECTION, "detection.json")
        text, = self.report("--no-figures", "--no-html")
        self.assertNotIn("![", text)
        self.assertNotIn("![", self.read("figures/glu3-table2.md"))

    def test_a_missing_library_is_named_with_the_option_that_does_without(self):
        self.write(DETECTION, "detection.json")
        os.mkdir(self.path("lib"))
        with open(self.path("lib/markdown.py"), "w", encoding="utf-8") as file:
            file.write("raise ImportError\n")
        made = subprocess.run([sys.executable, os.path.join(SCRIPTS, "report"), self.folder.name,
                               "--no-figures"], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": self.path("lib")})
        self.assertEqual(made.returncode, 1)
        self.assertIn("install python3-markdown, or pass --no-html", made.stderr)

    def test_finds_compressed_records(self):
        for ending in (".json.gz", ".json.xz"):
            path = self.write(DETECTION, "detection" + ending)
            self.report("--no-figures", "--no-html")
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
            self.assertIn("](figures/glu3-table2.svg)", self.report("--no-html", *options)[0])
            drawn = {os.path.splitext(name)[1] for name in os.listdir(self.path("figures"))}
            self.assertEqual(drawn - {".md"}, kinds)

    def test_says_why_an_experiment_is_not_in_it(self):
        failed = run_of("a", "ooc")
        failed.update(outcome="unsupported", error={"message": "there is no device"})
        self.write(file_of(failed), "end-to-end.json")
        self.write(DETECTION, "detection.json")
        self.assertIn("1 unsupported (a ooc: there is no device)",
                      self.report("--no-figures", "--no-html")[0])

    def test_nothing_usable_is_an_error_and_writes_nothing(self):
        made = script("report", self.folder.name, "--no-figures")
        self.assertEqual(made.returncode, 1)
        self.assertIn("Make some with scripts/reproduce", made.stderr)
        failed = run_of("a", "ooc")
        failed.update(outcome="unsupported", error={"message": "there is no device"})
        self.write(file_of(failed), "end-to-end.json")
        made = script("report", self.folder.name, "--no-figures")
        self.assertEqual(made.returncode, 1)
        self.assertIn("1 unsupported (a ooc: there is no device)", made.stderr)
        self.assertEqual(os.listdir(self.folder.name), ["end-to-end.json"])

    def test_a_missing_folder_is_wrong_usage(self):
        made = script("report", self.path("absent"))
        self.assertEqual(made.returncode, 2)
        self.assertIn("make results first", made.stderr)


class Html(unittest.TestCase):
    def test_escapes_text_and_turns_markdown_into_elements(self):
        html_pages(self)
        page = html_page.page_of("# A <b>\n\nSee `x < y` and *this* [it](a.json).\n\n"
                                 "- one\n- two\n\n"
                                 "| a | b |\n| --- | ---: |\n| 2 <i> | 1 |\n\n![f](f.svg)\n", "T<")
        for part in ("<title>T&lt;</title>", '<h1 id="a-b">A &lt;b&gt;</h1>',
                     "<code>x &lt; y</code>", "<em>this</em>", '<a href="a.json">it</a>',
                     "<li>two</li>", '<div class="wide"><table>', "<th>a</th>", "2 &lt;i&gt;",
                     '<div class="figure"><img alt="f" src="f.svg"', '<td class="n">1</td>'):
            self.assertIn(part, page)

    def test_folded_text_and_links_to_pages(self):
        html_pages(self)
        page = html_page.page_of(folded("2 rows", "| a |\n| --- |\n| [b](c/d.md#e) |") + "\n\nx\n",
                                 "T")
        self.assertRegex(page, r"(?s)<details>\s*<summary>2 rows</summary>.*<table>.*</details>")
        self.assertIn('href="c/d.html#e"', page)
        self.assertNotIn("<p><details>", page)


class Needs(unittest.TestCase):
    """What --list says of configurations."""

    CONFIG = {"options": {"device-memory-limit": "6GiB"},
              "matrices": [{"file": "G/a", "stand_in": {"nnz": 70}},
                           {"generate": {"kind": "grid2d", "name": "b"}}],
              "variants": [{"name": "cpu", "mode": "cpu"}, {"name": "ooc", "mode": "ooc"},
                           {"name": "nd", "mode": "cpu", "options": {"ordering": "nd-gpu"}}],
              "peers": ["klu", "cudss-amd"],
              "exclude": [{"matrix": "b", "variant": ["ooc", "klu"]}]}

    def test_runs_are_counted_and_sorted_by_what_they_need(self):
        runs = experiment_needs.runs_of(self.CONFIG)
        self.assertEqual(len(runs), 8)
        on_gpu = {(matrix, v["name"]) for matrix, v in runs if experiment_needs.needs_gpu(v)}
        self.assertEqual(on_gpu, {("a", "ooc"), ("a", "nd"), ("a", "cudss-amd"), ("b", "nd"),
                                  ("b", "cudss-amd")})
        self.assertEqual(experiment_needs.most_entries(self.CONFIG), 70)

    def test_lists_of_values_are_a_variant_for_each(self):
        config = {"inputs": [{"file": "a"}],
                  "variants": [{"name": "v", "mode": "skr", "options": {"seed": 2},
                                "each": {"blocks": [1, 8], "block": [4]}}]}
        self.assertEqual([v["name"] for _, v in experiment_needs.runs_of(config)],
                         ["v-1-4", "v-8-4"])
        self.assertEqual(experiment_needs.variants_of(config)[1]["options"],
                         {"seed": 2, "blocks": 8, "block": 4})
        config["exclude"] = [{"matrix": "a", "variant": "v-8-4"}]
        self.assertEqual(len(experiment_needs.runs_of(config)), 1)
        config["exclude"] = [{"matrix": "a", "variant": "v"}]
        self.assertEqual(experiment_needs.runs_of(config), [])

    def test_ranges_are_an_input_for_each_value(self):
        self.assertEqual(experiment_needs.names_of({"generate": {"name": "r", "n": "2..4"}}),
                         ["r-2", "r-3", "r-4"])

    def test_the_list_names_sizes_needs_and_times(self):
        made = script("reproduce", "--list", "glu3-table2", "e2e-fig4", "--quick")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertRegex(made.stdout, r"detection.json: 13 inputs, 52 runs; up to 605,045 entries; "
                         r"no GPU needed; \d+ s on NVIDIA H200, .*detection.json.xz")
        self.assertIn("44 need a GPU", made.stdout)
        self.assertNotIn("e2e-fig5", made.stdout)
        self.assertEqual(script("reproduce", "--list", "nothing").returncode, 1)

    def test_segments_of_a_sweep_add_up(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name, "cards")
            folder.mkdir()
            for index, seconds in enumerate((20.0, 30.0)):
                content = file_of(run_of(f"m{index}", "ooc"))
                content["meta"]["argv"] = ["lufact", "sweep", "configs/cut.json"]
                content["runs"][0]["sweep"]["elapsed_s"] = seconds
                (folder / f"cut.segment-{index}-of-2.json").write_text(json.dumps(content))
            self.assertEqual(experiment_needs.timed("configs/cut.json", pathlib.Path(name)),
                             f"50 s on A card, A CPU (4 threads) "
                             f"({os.path.join(os.path.basename(name), 'cards')}"
                             "/cut.segment-0-of-2.json)")
            self.assertEqual(experiment_needs.timed("configs/quick/cut.json", pathlib.Path(name)),
                             "no record that tells the time")

    def test_runs_are_as_many_as_a_dry_run_has(self):
        program = os.environ.get("LUFACT_PROGRAM")
        if not program:
            self.skipTest("LUFACT_PROGRAM does not name lufact")
        for path in sorted(glob.glob(os.path.join(SCRIPTS, "..", "configs", "**", "*.json"),
                                     recursive=True)):
            with open(path, encoding="utf-8") as file:
                config = json.load(file)
            dry = subprocess.run([program, "sweep", "--config", path, "--dry-run",
                                  "--no-forecast"], capture_output=True, text=True, check=True)
            with self.subTest(config=path):
                self.assertIn(f"of {len(experiment_needs.runs_of(config))} runs", dry.stdout)


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
