#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The completions and the manual page that the program writes, in the shells that are installed."""
import os
import re
import shutil
import subprocess
import unittest

from fixtures import Folder

PROGRAM = os.environ.get("LUFACT_PROGRAM")


def output_of(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60,
                          **options).stdout


@unittest.skipUnless(PROGRAM, "LUFACT_PROGRAM names no program")
class Manual(Folder):
    def written(self, name, *words):
        """The path of a file with what the program writes."""
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(output_of(PROGRAM, *words))
        return path

    def options_of(self, *command):
        """The long options in a command's --help."""
        return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", output_of(PROGRAM, *command, "--help"),
                              re.MULTILINE))


class Bash(Manual):
    def setUp(self):
        super().setUp()
        self.script = self.written("lufact.bash", "completion", "bash")

    def completed(self, *words):
        """What TAB offers behind the last of the words."""
        array = " ".join(f"'{word}'" for word in words)
        return set(output_of("bash", "-c", f"source {self.script}; COMP_WORDS=({array}); "
                             f"COMP_CWORD={len(words) - 1}; _lufact; "
                             "printf '%s\\n' \"${COMPREPLY[@]}\"",
                             cwd=self.folder.name).split())

    def test_is_a_script(self):
        self.assertEqual(output_of("bash", "-n", self.script), "")

    def test_completes_commands_and_options(self):
        self.assertEqual(self.completed("lufact", "ru"), {"run"})
        self.assertIn("grid2d", self.completed("lufact", "generate", ""))
        self.assertEqual(self.completed("lufact", "run", "--mod"), {"--mode"})
        self.assertEqual(self.completed("lufact", "run", "--device-"), {"--device-memory-limit"})
        for command in (("run",), ("batch",), ("sweep",), ("generate", "grid2d"), ("fetch",)):
            self.assertLessEqual(self.options_of(*command),
                                 self.completed("lufact", *command, "--"), command)

    def test_completes_values(self):
        self.assertEqual(self.completed("lufact", "run", "--verify", "f"), {"full"})
        self.assertEqual(self.completed("lufact", "run", "--ordering", "am"), {"amd"})
        self.assertEqual(self.completed("lufact", "run", "--mode", "glu3-"), {"glu3-cpu"})
        self.assertEqual(self.completed("lufact", "run", "--mode", "fast,glu3-"),
                         {"fast,glu3-cpu"})
        self.assertEqual(self.completed("lufact", "run", "--verify", "=", "f"), {"full"})
        self.assertEqual(self.completed("lufact", "list", "ord"), {"orderings"})
        self.assertEqual(self.completed("lufact", "completion", "z"), {"zsh"})
        self.assertEqual(self.completed("lufact", "run", "--repetitions", ""), set())

    def test_completes_files(self):
        for name in ("a.mtx", "b.mtx"):
            with open(self.path(name), "w", encoding="utf-8"):
                pass
        self.assertEqual(self.completed("lufact", "run", "a"), {"a.mtx"})
        self.assertEqual(self.completed("lufact", "run", "--output", "b"), {"b.mtx"})


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(Manual):
    # Types a line into a shell of its own and prints what its TAB makes of it.
    TYPE = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell "zstyle ':completion:*' list-colors ''; bindkey '^I' complete-word; print READY''NOW"
zpty -r shell line '*READYNOW*'
zpty -w -n shell "$2"$'\t'
sleep 1
zpty -w -n shell $'\x15'"print DONE''NOW"$'\n'
zpty -r shell line '*DONENOW*'
print -r -- "$line"
"""

    def setUp(self):
        super().setUp()
        self.script = self.written("_lufact", "completion", "zsh")

    def completed(self, line):
        return output_of("zsh", "-f", "-c", self.TYPE, "zsh", self.folder.name, line,
                         cwd=self.folder.name)

    def test_is_a_script(self):
        self.assertEqual(output_of("zsh", "-n", self.script), "")

    def test_completes_commands_options_and_values(self):
        self.assertIn("lufact validate", self.completed("lufact valid"))
        self.assertIn("lufact run --repetitions", self.completed("lufact run --repet"))
        self.assertIn("--ordering colamd", self.completed("lufact run --ordering col"))
        self.assertIn("--mode fast,glu3-cpu", self.completed("lufact run --mode fast,glu3-"))
        self.assertIn("generate circuit", self.completed("lufact generate circ"))


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(Manual):
    def setUp(self):
        super().setUp()
        self.script = self.written("lufact.fish", "completion", "fish")

    def completed(self, line):
        text = output_of("fish", "--no-config", "-c", f"source {self.script}; complete -C '{line}'",
                         cwd=self.folder.name, env=dict(os.environ, HOME=self.folder.name))
        return {line.split("\t")[0] for line in text.splitlines()}

    def test_is_a_script(self):
        self.assertEqual(output_of("fish", "--no-execute", self.script), "")

    def test_completes_commands_options_and_values(self):
        self.assertEqual(self.completed("lufact valid"), {"validate"})
        self.assertEqual(self.completed("lufact run --repet"), {"--repetitions"})
        self.assertEqual(self.completed("lufact run --ordering col"), {"colamd"})
        self.assertIn("fast,glu3-cpu", self.completed("lufact run --mode fast,glu3-"))
        self.assertEqual(self.completed("lufact generate circ"), {"circuit"})


class ManPage(Manual):
    def setUp(self):
        super().setUp()
        self.page = self.written("lufact.1", "man")
        with open(self.page, encoding="utf-8") as file:
            self.text = file.read()

    def test_has_every_option(self):
        for command in (("run",), ("batch",), ("sweep",), ("generate", "circuit"), ("fetch",)):
            for option in self.options_of(*command):
                self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", self.text, command)

    def test_has_the_sections_of_a_manual_page(self):
        for section in ("NAME", "SYNOPSIS", "OPTIONS", '"LUFACT RUN"', "EXIT STATUS",
                        "ENVIRONMENT"):
            self.assertIn(f".SH {section}\n", self.text)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_has_nothing_to_say(self):
        made = subprocess.run(["groff", "-man", "-ww", "-Tascii", "-z", self.page],
                              capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((made.returncode, made.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "man is not installed")
    def test_man_shows_it(self):
        shown = output_of("man", "-l", self.page,
                          env=dict(os.environ, MANPAGER="cat", MAN_KEEP_FORMATTING="",
                                   LC_ALL="C", GROFF_NO_SGR="1", MANWIDTH="100"))
        text = re.sub(".\b", "", shown)
        self.assertIn("lufact - sparse LU factorization", text)
        self.assertIn("--device-memory-limit none|SIZE", text)
        self.assertIn("lufact run matrix.mtx --ordering colamd --refactor 100", text)


if __name__ == "__main__":
    unittest.main()
