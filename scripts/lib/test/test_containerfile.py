#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commands of the Containerfile, where there is no engine for containers: it is read as an
engine reads it, and with --run its CPU image is made by its RUN lines in folders.

usage: test_containerfile.py [--run]

With --run the stages of the CPU image run in the checkout, which takes a build. Places below / are
in a temporary folder; an `apt-get` of the test's own asks the system's whether the package could be
installed, and unpacks it there. What is not tried so: the base images, and the CUDA image.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections import namedtuple

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 3))
Stage = namedtuple("Stage", "name base steps")  # steps: (instruction, text)
PLACES = ("/packages", "/var/lib/apt/lists")  # of an image, that its commands name
APT = """#!/bin/sh -e
# In place of apt-get: installs packages into $IMAGE, once apt-get says that it could install them.
for word; do
  case $word in
    *.deb)
      /usr/bin/apt-get --simulate -qq install "$word" >/dev/null
      dpkg-deb -x "$word" "$IMAGE" ;;
  esac
done
"""


def read_stages(path):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"\\\n", " ", file.read())
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    images, stages = {}, {}
    for line in lines:
        word, rest = line.split(maxsplit=1)
        if word == "FROM":
            base, name = re.fullmatch(r"\$\{(\w+)\} AS (\S+)", rest).groups()
            stages[name] = Stage(name, images[base], [])
        elif stages:
            list(stages.values())[-1].steps.append((word, rest))
        else:
            name, image = re.fullmatch(r"(\w+)=(\S+)", rest).groups()
            images[name] = image
    return stages


class Containerfile(unittest.TestCase):
    run_stages = False  # set by main()

    def setUp(self):
        self.stages = read_stages(os.path.join(ROOT, "Containerfile"))

    def test_there_is_an_image_for_each_kind_from_a_stage_that_packs(self):
        self.assertEqual(set(self.stages), {"build-cpu", "cpu", "build-cuda", "cuda"})
        for kind in ("cpu", "cuda"):
            copies = [text for word, text in self.stages[kind].steps if word == "COPY"]
            self.assertEqual(copies, [f"--from=build-{kind} /packages/ /packages/"])
            self.assertIn(("ENTRYPOINT", '["lufact"]'), self.stages[kind].steps)

    def test_the_scripts_have_the_options_that_it_gives(self):
        for stage in self.stages.values():
            for word, text in stage.steps:
                if word == "RUN" and text.startswith("scripts/"):
                    script, *words = text.split()
                    said = subprocess.run([os.path.join(ROOT, script), "--help"], check=True,
                                          capture_output=True, text=True).stdout
                    for option in (word for word in words if word.startswith("--")):
                        self.assertIn(f"  {option} ", said)

    def test_what_is_left_out_of_an_image_is_what_git_ignores(self):
        """Otherwise the stamp of a clean checkout would say that it was changed."""
        with open(os.path.join(ROOT, ".containerignore"), encoding="utf-8") as file:
            patterns = [line.strip() for line in file if not line.startswith("#")]
        tracked = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True,
                                 check=False).stdout.splitlines()
        for pattern in patterns:
            inside = re.compile(re.escape(pattern.rstrip("/")).replace(r"\*\*/", "(.*/)?")
                                .replace(r"\*", "[^/]*") + "(/|$)")
            self.assertEqual([name for name in tracked if inside.match(name)], [], pattern)

    def test_the_commands_of_the_cpu_image_run(self):
        if not self.run_stages:
            self.skipTest("it takes a build: --run")
        with tempfile.TemporaryDirectory() as image:
            for place in PLACES:
                os.makedirs(image + place)
            open(f"{image}{PLACES[1]}/list", "w", encoding="utf-8").close()
            os.mkdir(f"{image}/shims")
            with open(f"{image}/shims/apt-get", "w", encoding="utf-8") as file:
                file.write(APT)
            os.chmod(f"{image}/shims/apt-get", 0o755)
            self.run_steps(self.stages["build-cpu"], image, os.environ["PATH"])
            self.run_steps(self.stages["cpu"], image,
                           f"{image}/shims:{image}/usr/bin:/usr/bin:/bin")

    def run_steps(self, stage, image, path):
        for text in [text for word, text in stage.steps if word == "RUN"]:
            for place in PLACES:
                text = text.replace(place, image + place)
            made = subprocess.run(["bash", "-ec", text], cwd=ROOT, capture_output=True, text=True,
                                  check=False, env={**os.environ, "IMAGE": image, "PATH": path})
            self.assertEqual(made.returncode, 0, f"{text}\n{made.stdout[-3000:]}{made.stderr}")


if __name__ == "__main__":
    Containerfile.run_stages = "--run" in sys.argv
    unittest.main(argv=[word for word in sys.argv if word != "--run"])
