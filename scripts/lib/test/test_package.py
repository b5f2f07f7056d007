#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The packages that cpack makes of a build: what is in them, what the Debian package depends on,
and that program and scripts run from an extracted tree.

usage: test_package.py --build DIR --cpack PROGRAM
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

# Of an installed tree, below its prefix.
WANTED = ("bin/lufact", "share/doc/lufact/README.md", "share/doc/lufact/LICENSE",
          "share/doc/lufact/docs/modes.md", "share/lufact/lufact-result.schema.json",
          "share/lufact/configs/fast.json", "share/lufact/configs/quick/detection.json",
          "share/lufact/datasets.txt", "share/lufact/results/reference/glu3-table2.tsv",
          "share/lufact/scripts/reproduce", "share/lufact/scripts/report",
          "share/lufact/scripts/fetch_datasets", "share/lufact/scripts/figures/fast_page",
          "share/lufact/scripts/lib/html_page.html",
          # Always built, since their libraries are loaded at run time.
          "lib/lufact/peers/lufact_peer_pardiso.so", "lib/lufact/peers/lufact_array_peer_lapack.so")
UNWANTED = re.compile(r"/test/|__pycache__|/scripts/(test|bundle|check_\w+)$|/device-tests/")


class Package(unittest.TestCase):
    build = cpack = None  # set by main()

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        made = subprocess.run([cls.cpack, "--config", os.path.join(cls.build, "CPackConfig.cmake"),
                               "-B", cls.folder], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise AssertionError(made.stdout + made.stderr)

    def package(self, ending):
        return next((os.path.join(self.folder, name) for name in os.listdir(self.folder)
                     if name.endswith(ending)), None)

    def debian_package(self):
        package = self.package(".deb")
        if package is None:
            self.assertFalse(shutil.which("dpkg-shlibdeps") and shutil.which("file"))
            self.skipTest("no Debian package is made without dpkg-shlibdeps and file")
        return package

    def run_in(self, tree, *command, status=0):
        """Output of a command in a new folder, with nothing of the build in its environment."""
        with tempfile.TemporaryDirectory(dir=self.folder) as here:
            environment = {key: value for key, value in os.environ.items()
                           if not key.startswith("LUFACT_")}
            made = subprocess.run([os.path.join(tree, command[0]), *command[1:]], cwd=here,
                                  capture_output=True, text=True, check=False,
                                  env={**environment, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(made.returncode, status, made.stdout + made.stderr)
        return made.stdout + made.stderr

    def holds_what_it_should(self, names):
        for name in WANTED:
            self.assertIn(name, names)
        self.assertEqual([name for name in names if UNWANTED.search("/" + name)], [])

    def runs_from(self, tree):
        self.assertIn("lufact ", self.run_in(tree, "bin/lufact", "--version"))
        listed = self.run_in(tree, "bin/lufact", "list")
        self.assertIn("fast-cpu", listed)
        # A plug-in that is in the package is found beside the program, not in the build.
        self.assertNotIn("there is no plug-in lufact_peer_pardiso", listed)
        factored = self.run_in(tree, "bin/lufact", "generate", "grid2d", "--nx", "20", "--ny", "20",
                               "--output", os.path.join(self.folder, "grid.mtx"))
        self.assertIn("400 x 400", factored)
        result = os.path.join(self.folder, "grid.json")
        self.run_in(tree, "bin/lufact", "run", "--matrix", os.path.join(self.folder, "grid.mtx"),
                    "--mode", "cpu,fast-cpu", "--output", result)
        self.run_in(tree, "bin/lufact", "validate", result)
        scripts = "share/lufact/scripts"
        self.assertIn("by a peer", self.run_in(tree, f"{scripts}/figures/peers_page", result,
                                                     status=1))
        with open(os.path.join(tree, "share/lufact/configs/quick/detection.json"),
                  encoding="utf-8") as file:
            inputs = len(json.load(file)["matrices"])
        self.assertIn(f"detection.json: {inputs} inputs, ",
                      self.run_in(tree, f"{scripts}/reproduce", "--list", "glu3-table2"))
        self.assertIn("usage", self.run_in(tree, f"{scripts}/fetch_datasets", "--help"))

    def test_the_archive_runs_from_any_folder(self):
        with tarfile.open(self.package(".tar.gz")) as archive:
            top = archive.getnames()[0].split("/")[0]
            self.holds_what_it_should([name.removeprefix(top + "/")
                                       for name in archive.getnames()])
            archive.extractall(self.folder)
        self.runs_from(os.path.join(self.folder, top))

    def test_the_scripts_reproduce_with_the_installed_program(self):
        """It is found from the script's own place, not in PATH."""
        with tarfile.open(self.package(".tar.gz")) as archive:
            top = archive.getnames()[0].split("/")[0]
            archive.extractall(self.folder)
        made = self.run_in(os.path.join(self.folder, top), "share/lufact/scripts/reproduce",
                           "glu3-table2", "--quick", "--slice", "0.001", "--output",
                           os.path.join(self.folder, "out"))
        self.assertIn("== configs/quick/detection.json", made)

    def test_the_debian_package_names_what_it_needs(self):
        package = self.debian_package()
        depends = subprocess.run(["dpkg-deb", "-f", package, "Depends"], capture_output=True,
                                 text=True, check=True).stdout
        named = {part.split()[0] for part in re.split(r"[,|]", depends)}
        self.assertLessEqual({"libc6", "libgomp1", "libstdc++6"}, named)
        tree = os.path.join(self.folder, "deb")
        subprocess.run(["dpkg-deb", "-x", package, tree], check=True)
        files = [os.path.relpath(os.path.join(folder, name), os.path.join(tree, "usr"))
                 for folder, _, names in os.walk(tree) for name in names]
        self.holds_what_it_should(files)
        # Every library that the program and the plug-ins are linked with is of a named package.
        for name in files:
            if name == "bin/lufact" or name.endswith(".so"):
                for library in needed(os.path.join(tree, "usr", name)):
                    self.assertTrue(owners(library) & named, f"{name} needs {library}: {depends}")
        self.runs_from(os.path.join(tree, "usr"))


def needed(program):
    """Paths of the libraries that a file names itself."""
    dynamic = subprocess.run(["objdump", "-p", program], capture_output=True, text=True,
                             check=True).stdout
    found = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    paths = dict(re.findall(r"^\s*(\S+) => (/\S+)", found, re.MULTILINE))
    return [paths[name] for name in re.findall(r"NEEDED\s+(\S+)", dynamic) if name in paths]


def owners(library):
    """The installed packages that a library is of, under any of the names that lead to it."""
    names = {os.path.realpath(library), "*/" + os.path.basename(os.path.realpath(library)),
             "*/" + os.path.basename(library)}
    packages = set()
    for name in names:
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True, check=False)
        packages.update(line.split(":")[0] for line in found.stdout.splitlines())
    return packages


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--cpack", required=True)
    arguments, rest = parser.parse_known_args()
    Package.build, Package.cpack = arguments.build, arguments.cpack
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
