#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/adding-a-stage.md: what the page says is done to a copy of the tree, and works there.

Without options the edits are made and the copy is checked for style and layering. With --build DIR
lufact is built from the copy without CUDA in DIR/build, which takes minutes, and both stages of the
page run; with --cuda as well their CUDA sources are compiled.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts", "lib"))
from tracked_files import tracked_files  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "adding-a-stage.md")
NEW_FILE = re.compile(r"New file `([^`]+)`:\s+```\w+\n(.*?)```", re.DOTALL)
NEW_LINE = re.compile(r"In `([^`]+)`, behind the line\s+`([^`]+)`:\s+```\w+\n((?:[^\n]*\n)+?)```")


def copy_tree(to):
    """The tracked files but for results."""
    for path in tracked_files(ROOT):
        if not path.startswith("results" + os.sep):
            copy = os.path.join(to, path)
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, path), copy)


def insert_line(path, behind, line):
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    places = [k for k, text in enumerate(lines) if text.strip() == behind]
    if len(places) != 1:
        raise ValueError(f"{path} has {len(places)} lines '{behind}'")
    lines.insert(places[0] + 1, line)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)


def apply_page(tree):
    """Makes the edits of the page in `tree`; returns (new files, files with a new line)."""
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    new_files, new_lines = NEW_FILE.findall(page), NEW_LINE.findall(page)
    if page.count("```") != 2 * (len(new_files) + len(new_lines)):
        raise ValueError("a block of the page is neither a new file nor a new line")
    for path, text in new_files:
        with open(os.path.join(tree, path), "x", encoding="utf-8") as file:
            file.write(text)
    for path, behind, line in new_lines:
        insert_line(os.path.join(tree, path), behind, line)
    return [path for path, _ in new_files], [path for path, _, _ in new_lines]


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tree = os.path.join(folder.name, "lufact")
        copy_tree(cls.tree)
        cls.new_files, cls.new_lines = apply_page(cls.tree)

    def test_a_gpu_stage_is_its_files_a_line_of_cmake_and_a_line_of_the_list(self):
        self.assertEqual([path for path in self.new_lines if path.startswith("gpu/")],
                         ["gpu/levelize/CMakeLists.txt", "gpu/stages.def"])
        self.assertTrue(all(path.startswith(("gpu/levelize/", "core/order/"))
                            for path in self.new_files), self.new_files)

    def test_the_tree_keeps_its_rules(self):
        for check in ("check_style", "check_layering"):
            result = run([sys.executable, os.path.join(self.tree, "scripts", check), self.tree])
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class Build(unittest.TestCase):
    folder, cuda = "", False

    @classmethod
    def setUpClass(cls):
        if not cls.folder:
            raise unittest.SkipTest("no --build DIR says where to build")
        shutil.rmtree(cls.folder, ignore_errors=True)
        cls.tree = os.path.join(cls.folder, "lufact")
        cls.build = os.path.join(cls.tree, "build")
        copy_tree(cls.tree)
        apply_page(cls.tree)
        cls.configure(cls.build, "off")
        cls.compile(cls.build, "lufact", "test_gpu_stub")

    @classmethod
    def compile_run(cls, command):
        # ccache finds what an earlier copy compiled in another folder.
        cache = {"CCACHE_BASEDIR": os.path.realpath(cls.tree), "CCACHE_NOHASHDIR": "1"}
        result = run(command, env={**os.environ, **cache})
        if result.returncode != 0:
            raise AssertionError(" ".join(command) + "\n" + result.stdout + result.stderr)

    @classmethod
    def configure(cls, build, cuda):
        launcher = [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("CXX", "CUDA")]
        cls.compile_run(["cmake", "-S", cls.tree, "-B", build, "-G", "Ninja",
                         "-DCMAKE_BUILD_TYPE=Release", "-DLUFACT_WARNINGS_AS_ERRORS=ON",
                         f"-DLUFACT_CUDA={cuda}"] + (launcher if shutil.which("ccache") else []))

    @classmethod
    def compile(cls, build, *targets):
        cls.compile_run(["cmake", "--build", build, "--target", *targets])

    def lufact(self, *arguments):
        return run([os.path.join(self.build, "app", "lufact"), *arguments])

    def run_small_matrix(self, *options):
        """Runs a matrix of four rows with these options; returns the result and the record."""
        matrix = os.path.join(self.folder, "small.mtx")
        with open(matrix, "w", encoding="utf-8") as file:
            file.write("%%MatrixMarket matrix coordinate real general\n4 4 8\n1 1 4\n1 2 1\n2 2 4\n"
                       "2 3 1\n3 3 4\n3 1 1\n4 4 4\n4 1 1\n")
        record = os.path.join(self.folder, "record.json")
        result = self.lufact("run", "--matrix", matrix, "--repetitions", "1", "--output", record,
                             *options)
        with open(record, encoding="utf-8") as file:
            return result, json.load(file)["runs"][0]

    def test_both_stages_are_listed(self):
        stages = {(stage["stage"], stage["name"]): stage
                  for stage in json.loads(self.lufact("list", "--json").stdout)["stages"]}
        rounds = stages["levelize", "gpu-rounds"]
        self.assertEqual((rounds["side"], rounds["source"]), ("device", "gpu/levelize"))
        self.assertFalse(rounds["can_run"])
        self.assertIn("has no GPU code", rounds["reason"])
        self.assertTrue(stages["ordering", "degree"]["can_run"])

    def test_the_list_has_the_gpu_stage_and_it_refuses_to_run(self):
        result = run([os.path.join(self.build, "gpu", "stub", "test_gpu_stub")])
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_the_cpu_stage_runs(self):
        result, record = self.run_small_matrix("--mode", "cpu", "--ordering", "degree")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(record["outcome"], "ok")

    def test_a_run_with_the_gpu_stage_says_why_it_cannot_be(self):
        result, record = self.run_small_matrix("--mode", "ooc", "--levelize", "gpu-rounds")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(record["outcome"], "unsupported")

    def test_cuda_sources_compile(self):
        if not self.cuda:
            self.skipTest("no CUDA compiler")
        build = os.path.join(self.tree, "build-cuda")
        self.configure(build, "on")
        objects = ("gpu/levelize/CMakeFiles/lufact_gpu_rounds.dir/rounds_levelize.cu.o",
                   "gpu/CMakeFiles/lufact_gpu.dir/levelize_stages.cpp.o")
        self.compile_run(["ninja", "-C", build, *objects])


if __name__ == "__main__":
    if "--cuda" in sys.argv:
        sys.argv.remove("--cuda")
        Build.cuda = True
    if "--build" in sys.argv:
        place = sys.argv.index("--build")
        Build.folder = os.path.abspath(sys.argv[place + 1])
        del sys.argv[place:place + 2]
    else:
        del Build
    unittest.main()
