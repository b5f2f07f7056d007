#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_docs finds commands that do not work, and stages_page a page that is not the program's."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LUFACT = os.environ["LUFACT_PROGRAM"]


def run_script(name, *arguments):
    answer = subprocess.run([sys.executable, os.path.join(SCRIPTS, name), "--lufact", LUFACT,
                             *arguments], capture_output=True, text=True, check=False)
    return answer.returncode, answer.stdout + answer.stderr


class CheckDocs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, page, text):
        os.makedirs(os.path.join(self.root, os.path.dirname(page)), exist_ok=True)
        with open(os.path.join(self.root, page), "w", encoding="ascii") as file:
            file.write(text)

    def check(self, text):
        self.write("README.md", text)
        return run_script("check_docs", "--root", self.root, "README.md")

    def assert_fault(self, text, line, what):
        status, output = self.check(text)
        self.assertEqual(status, 1, output)
        self.assertIn(f"README.md:{line}: ", output)
        self.assertIn(what, output)

    def test_runs_what_is_right(self):
        status, output = self.check("""\
# A title

<!-- setup
lufact generate grid2d --nx 3 --ny 3 --output a.mtx
-->
```sh
test -s a.mtx
lufact run --matrix a.mtx --mode cpu \\
  --until symbolic
```

```console
$ lufact run --matrix a.mtx --mode cpu
a  n 9  nnz 33
  verdict  ok
...
```

```sh gpu
lufact run --matrix a.mtx --mode ooc
lufact run --matrix a.mtx --mode ooc --until symbolic
```

```sh status=2
lufact run --mode cpu
```

```sh long
VARIABLE=1 lufact sweep --config X.json --resume  # a comment
cmake --build build
```

[above](#a-title), [itself](README.md)
""")
        self.assertEqual(status, 0, output)
        self.assertIn("5 blocks run, 1 checked", output)

    def test_finds_a_command_that_fails(self):
        self.assert_fault("```sh\nlufact run --matrix absent.mtx\n```\n", 1, "exit status 4")
        self.assert_fault("```sh\nlufact list --jsom\n```\n", 1, "exit status 2")
        self.assert_fault("Text.\n\n```sh\nfalse\ntrue\n```\n", 3, "exit status 1")
        self.assert_fault("```sh gpu\nlufact run --matrix absent.mtx\ntrue\n```\n", 1,
                          "exit status 4")
        self.assert_fault("```sh status=3\ntrue\n```\n", 1, "exit status 0")

    def test_finds_output_that_is_not_printed(self):
        self.assert_fault("```console\n$ lufact --version\nlufact\nanother  1\n```\n", 1,
                          "'another' is not in what this prints")

    def test_finds_wrong_commands_that_are_not_run(self):
        for mark in ("long", "network", "root", "data"):
            self.assert_fault(f"```sh {mark}\nlufact run --matrices A\n```\n", 1,
                              "has no option --matrices")
        self.assert_fault("```sh long\nlufact run --mode ooc,warp\n```\n", 1,
                          "--mode does not know warp")
        self.assert_fault("```sh long\nlufact run --symbolic gpu\n```\n", 1,
                          "--symbolic does not know gpu")
        self.assert_fault("```sh long\nlufact run --peer klu,kul\n```\n", 1,
                          "--peer does not know kul")
        self.assert_fault("```sh long\nlufact batch --variant rows,row\n```\n", 1,
                          "--variant does not know row")
        self.assert_fault("```sh long\nlufact runn --mode cpu\n```\n", 1,
                          "lufact has no command runn")
        self.assert_fault("```sh long\nlufact generate grid2d --n 3\n```\n", 1,
                          "lufact generate grid2d has no option --n")
        self.assert_fault("```sh long\nscripts/tset\n```\n", 1, "there is no script scripts/tset")
        self.assert_fault("```sh long\nlufcat list\n```\n", 1, "there is no program lufcat")
        self.assert_fault("```sh long\nlufact list (\n```\n", 1, "syntax error")

    def test_a_page_does_not_see_what_another_left(self):
        self.write("kept/inner/file", "as it was\n")
        self.write("README.md", "```sh\necho x > new; mkdir -p kept/empty/inner\n"
                   "echo changed > kept/inner/file\n```\n")
        seen = ("```sh\ntest ! -e new\ntest ! -e kept/empty\ntest -e build/app/lufact\n"
                "grep -x 'as it was' kept/inner/file\n{}\n```\n")
        self.write("docs/a.md", seen.format("rm -r kept"))
        self.write("docs/b.md", seen.format("mv kept/inner/file kept/inner/other"))
        self.write("docs/c.md", seen.format("test ! -e kept/inner/other"))
        status, output = run_script("check_docs", "--root", self.root)
        self.assertEqual(status, 0, output)
        self.assertIn("4 pages, 4 blocks run", output)
        with open(os.path.join(self.root, "kept/inner/file"), encoding="ascii") as file:
            self.assertEqual(file.read(), "as it was\n")

    def test_finds_commands_that_would_not_be_looked_at(self):
        self.assert_fault("Text\n\n    lufact list\n", 1, "an indented block")
        self.assert_fault("```\nlufact list\n```\n", 1, "unknown language ''")
        self.assert_fault("```text\nlufact list\n```\n", 1, "a command in a text block")
        self.assert_fault("```sh slow\nlufact list\n```\n", 1, "unknown word 'slow'")
        self.assert_fault("```sh\nlufact list\n", 1, "has no end")

    def test_finds_links_to_nowhere(self):
        self.assert_fault("[x](docs/absent.md)\n", 1, "link to docs/absent.md")
        self.assert_fault("# A\n\n[x](#b)\n", 1, "no such heading")

    def test_refuses_pages_without_commands(self):
        self.assertEqual(self.check("Text.\n")[0], 2)


class StagesPage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "stages.md")
        self.assertEqual(run_script("stages_page", "--output", self.path), (0, ""))

    def test_accepts_what_it_wrote(self):
        self.assertEqual(run_script("stages_page", "--check", self.path), (0, ""))

    def test_says_nothing_of_this_machine(self):
        with open(self.path, encoding="ascii") as file:
            self.assertNotIn("cannot run here", file.read())

    def test_names_the_command_where_a_page_differs(self):
        with open(self.path, encoding="ascii") as file:
            text = file.read()
        with open(self.path, "w", encoding="ascii") as file:
            file.write(text.replace("`cpu-gp-pruned` |", "`cpu-gp` |"))
        status, output = run_script("stages_page", "--check", self.path)
        self.assertEqual(status, 1)
        self.assertIn("`cpu-gp` |", output)
        self.assertIn(f"--output {self.path}", output)

    def test_links_the_source_folder_where_the_program_names_one(self):
        loader = importlib.machinery.SourceFileLoader("stages_page",
                                                      os.path.join(SCRIPTS, "stages_page"))
        module = importlib.util.module_from_spec(
            importlib.util.spec_from_loader("stages_page", loader))
        loader.exec_module(module)
        stage = {"name": "x", "description": "d", "side": "host", "deterministic": True,
                 "takes": ["a"], "gives": "b", "solve_methods": [], "source": "core/columns"}
        self.assertIn("| [core/columns](../core/columns) |", module.stages_table([stage]))


if __name__ == "__main__":
    unittest.main()
