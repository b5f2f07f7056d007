#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A stranger's first ten minutes: what README says, typed on a fresh machine.

Without options scripts/quickstart runs with stand-ins for cmake, ninja, nvcc, nvidia-smi and dpkg:
what it decides, says and demonstrates is looked at, with the program of LUFACT_PROGRAM. With
--build DIR nothing is stood in for: a copy of the checkout in DIR is built by quickstart under an
empty home folder, then every command of README and the installed program run. Packages are not
installed: those that are missing fail the test by name. With --build DIR --install they are, as on
a machine that has none of them.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts", "lib"))
from tracked_files import tracked_files  # noqa: E402

PROGRAM = "build/quickstart/app/lufact"  # where quickstart leaves it, by README
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def copy_checkout(to):
    """The tracked files."""
    for path in tracked_files(ROOT):
        copy = os.path.join(to, path)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy2(os.path.join(ROOT, path), copy)


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)


def own_matrix_command(said):
    """The words of the command for a matrix of one's own, from the last lines of quickstart."""
    return shlex.split(re.search(r"^A matrix of your own: (.*)$", said, re.MULTILINE)[1])


def can_run(listed, *peers):
    found = {peer["name"] for peer in json.loads(listed)["peers"] if peer["can_run"]}
    return found.issuperset(peers)


def executable(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/bash\n" + text)
    os.chmod(path, 0o755)


def typed_by_readme(mark):
    """The commands of README in blocks of `sh` with this mark, without what is said of them."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        blocks = re.findall(rf"^```sh {mark}\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines]


# What README says that takes long, and which test types it; the rest is typed by check_docs.
LONG_COMMANDS = {("scripts/quickstart",): "Fresh",
                 ("scripts/test",): "scripts/test, which runs this test",
                 ("scripts/reproduce", "--quick"): "test_reproduce, on small matrices"}


class Readme(unittest.TestCase):
    """What README says to type is what is tried."""

    def test_every_command_that_takes_long_has_its_test(self):
        self.assertEqual({tuple(command) for command in typed_by_readme("long")},
                         set(LONG_COMMANDS))

    def test_none_needs_anything_else(self):
        for mark in ("network", "root", "data"):
            self.assertEqual(typed_by_readme(mark), [], f"README has commands marked {mark}")

    def test_it_says_where_quickstart_leaves_the_program(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            self.assertIn(f"PATH=$PWD/{os.path.dirname(PROGRAM)}:$PATH", file.read())


class Decisions(unittest.TestCase):
    """scripts/quickstart with stand-ins for the tools that it calls."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.matrix = os.path.join(folder.name, "small.mtx")
        with open(cls.matrix, "w", encoding="utf-8") as file:
            file.write("%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 4\n2 2 3\n"
                       "3 3 2\n3 1 1\n")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = os.path.join(folder.name, "a checkout")
        for path in ("scripts/quickstart", "scripts/lib/common.sh",
                     "baselines/peers/known_peers.txt"):
            copy = os.path.join(self.tree, path)
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, path), copy)
        self.tools = os.path.join(folder.name, "tools")
        os.mkdir(self.tools)
        self.log = os.path.join(folder.name, "cmake.log")
        # Answers as lufact does and repeats what it was asked to run.
        self.tool("lufact", """if [[ $1 == list ]]; then
  echo '{"modes": [{"name": "cpu", "can_run": true}, {"name": "none", "can_run": true},
    {"name": "ooc", "can_run": false, "reason": "ooc cannot run here: no driver"}],
    "peers": [{"name": "klu", "can_run": true}, {"name": "umfpack", "can_run": true},
      {"name": "superlu", "can_run": false}]}'
else
  echo "asked: $*"
fi
""")
        self.program = os.path.join(self.tools, "lufact")
        self.stand_in_for_the_build()
        self.tool("ninja", "for k in 1 2 3; do echo \"[$k/4] Building CXX object $k.o\"; done\n"
                           "echo '[4/4] Building CUDA object 4.o'\n")
        self.tool("dpkg-query", "echo installed\n")
        self.tool("nvcc", "echo 'Cuda compilation tools, release 13.0, V13.0.88'\n")
        self.tool("nvidia-smi", "exit 9\n")

    def stand_in_for_the_build(self):
        """A build is a link to the program, with small matrices in the place of the demo's."""
        self.tool("cmake", f'''printf '%s\\n' "$*" >> {shlex.quote(self.log)}
mkdir -p build/quickstart/{{app,matrices}}
echo 'CMAKE_CUDA_ARCHITECTURES:STRING=80;90' > build/quickstart/CMakeCache.txt
ln -sf {shlex.quote(self.program)} build/quickstart/app/lufact
for name in circuit-20000 grid2d-150x150; do
  cp {shlex.quote(self.matrix)} build/quickstart/matrices/$name.mtx
done
''')

    def tool(self, name, text):
        executable(os.path.join(self.tools, name), text)

    def quickstart(self, *options):
        env = {"HOME": self.tools, "PATH": f"{self.tools}:{SYSTEM_PATH}",
               "CUDACXX": os.path.join(self.tools, "nvcc")}
        return run([os.path.join(self.tree, "scripts", "quickstart"), "--no-install", "--jobs", "2",
                    *options], env=env)

    def cmake_calls(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def test_without_a_device_no_cuda_is_compiled_and_the_option_for_it_is_named(self):
        result = self.quickstart()
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("-DLUFACT_CUDA=off", self.cmake_calls())
        self.assertRegex(result.stdout, "CPU only: nvidia-smi shows no device .--cuda compiles")

    def test_cuda_is_compiled_where_it_is_asked_for_or_a_device_is_seen(self):
        for options, devices in ((["--cuda"], "exit 9"), ([], "echo 'GPU 0: NVIDIA'")):
            self.tool("nvidia-smi", devices + "\n")
            result = self.quickstart(*options)
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertIn("-DLUFACT_CUDA=on", self.cmake_calls())
            self.assertNotIn("CPU only", result.stdout)
            os.remove(self.log)

    def test_cuda_that_cannot_be_compiled_is_said_before_anything_is_built(self):
        self.tool("nvcc", "echo 'Cuda compilation tools, release 11.8, V11.8.89'\n")
        result = self.quickstart("--cuda")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("release 11.8, older than 12.0", result.stdout)
        self.assertFalse(os.path.exists(self.log))

    def test_missing_packages_are_named_with_the_command(self):
        self.tool("dpkg-query", "[[ ${@: -1} == libeigen3-dev ]] || echo installed\n")
        result = self.quickstart()
        self.assertEqual(result.returncode, 1)
        self.assertIn("apt-get install --no-install-recommends libeigen3-dev\n", result.stdout)

    def test_it_says_how_long_it_takes(self):
        # Three files of 4 s and one of 20 s for two architectures, with two jobs.
        self.assertRegex(self.quickstart().stdout, "4 files with 2 jobs, about 1 minutes")

    def test_plugins_are_built_and_the_demo_and_the_advice_name_those_that_can_run(self):
        result = self.quickstart()
        self.assertIn("--target lufact_installed", self.cmake_calls())
        self.assertRegex(result.stdout, "asked: run .* --mode cpu --peer klu,umfpack --output ")
        self.assertIn("Cannot run here: ooc (no driver)\n", result.stdout)
        program = os.path.join(self.tree, "build/quickstart/app/lufact")
        self.assertEqual(own_matrix_command(result.stdout),
                         [program, "run", "--matrix", "FILE.mtx", "--peer", "klu,umfpack"])

    def test_with_the_program_itself_the_demo_and_the_advice_work_from_anywhere(self):
        self.program = os.environ.get("LUFACT_PROGRAM", "")
        if not os.access(self.program, os.X_OK):
            self.skipTest("LUFACT_PROGRAM names no program")
        self.stand_in_for_the_build()
        result = self.quickstart()
        self.assertEqual(result.returncode, 0, result.stdout)
        listed = run([self.program, "list", "--json"]).stdout
        self.assertEqual(own_matrix_command(result.stdout)[4:],
                         ["--peer", "klu,umfpack"] if can_run(listed, "klu", "umfpack") else [])
        with tempfile.TemporaryDirectory() as elsewhere:
            shutil.copy(self.matrix, os.path.join(elsewhere, "FILE.mtx"))
            command = own_matrix_command(result.stdout)
            mine = run([*command, "--mode", "cpu", "--repetitions", "1"], cwd=elsewhere)
            self.assertEqual(mine.returncode, 0, mine.stdout)

    def test_no_package_drags_a_desktop_behind_it(self):
        with open(os.path.join(ROOT, "scripts/lib/common.sh"), encoding="utf-8") as file:
            self.assertNotIn("valijson", file.read())


class Fresh(unittest.TestCase):
    """Everything, in a copy of the checkout under an empty home folder."""
    folder = ""
    options = ("--no-install",)

    @classmethod
    def setUpClass(cls):
        if not cls.folder:
            raise unittest.SkipTest("no --build DIR says where to build")
        shutil.rmtree(cls.folder, ignore_errors=True)
        cls.tree = os.path.join(cls.folder, "lufact")
        cls.home = os.path.join(cls.folder, "home")
        cls.prefix = os.path.join(cls.folder, "prefix")
        os.makedirs(cls.home)
        copy_checkout(cls.tree)
        cls.env = {"HOME": cls.home, "PATH": SYSTEM_PATH, "LANG": "C.UTF-8"}
        if shutil.which("ccache"):
            # Compiling is not what is tried here: what another build compiled will do.
            cache = run(["ccache", "--get-config", "cache_dir"]).stdout.strip()
            cls.env.update(CMAKE_CXX_COMPILER_LAUNCHER="ccache", CCACHE_DIR=cache,
                           CMAKE_CUDA_COMPILER_LAUNCHER="ccache", CCACHE_NOHASHDIR="1",
                           CCACHE_BASEDIR=os.path.realpath(cls.tree))
        begin = time.monotonic()
        cls.built = cls.type(*typed_by_readme("long")[0], *cls.options)
        print(f"quickstart took {time.monotonic() - begin:.0f} s")

    @classmethod
    def type(cls, *command, folder=None):
        return run(command, cwd=folder or cls.tree, env=cls.env)

    def setUp(self):
        self.assertEqual(self.built.returncode, 0, self.built.stdout[-4000:])
        self.program = own_matrix_command(self.built.stdout)[0]
        self.assertEqual(self.program, os.path.join(os.path.realpath(self.tree), PROGRAM))

    def test_the_program_is_in_the_path_that_readme_says(self):
        path = f"{os.path.dirname(PROGRAM)}:{SYSTEM_PATH}"
        result = run(["bash", "-c", f'PATH="$PWD/{path}" && lufact --version'], cwd=self.tree,
                     env=self.env)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertRegex(result.stdout, r"^lufact \d")

    def test_the_demo_ends_with_a_table_beside_klu_and_umfpack(self):
        said = self.built.stdout
        self.assertRegex(said, r"minutes; then a demo")
        for peer in ("klu", "umfpack"):
            self.assertRegex(said, rf"(?m)^ +.*\b{peer}\b")
        self.assertNotRegex(said, r"(?m)^ +verdict .*(error|unsupported|inaccurate)")

    def test_what_the_last_line_says_works_on_a_matrix_of_ones_own(self):
        command = own_matrix_command(self.built.stdout)
        matrix = os.path.join(self.home, "FILE.mtx")
        made = self.type(self.program, "generate", "circuit", "--n", "3000", "--output", matrix)
        self.assertEqual(made.returncode, 0, made.stdout)
        result = self.type(*command, folder=self.home)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertRegex(result.stdout, r"\bumfpack\b")

    def test_every_command_of_readme_does_what_it_says(self):
        result = self.type("scripts/check_docs", "--lufact", self.program, "README.md")
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_the_installed_program_has_its_plugins(self):
        result = self.type("cmake", "--install", "build/quickstart", "--prefix", self.prefix)
        self.assertEqual(result.returncode, 0, result.stdout[-4000:])
        # The build folder must not be what it works by.
        os.rename(os.path.join(self.tree, "build"), os.path.join(self.tree, "moved"))
        self.addCleanup(os.rename, os.path.join(self.tree, "moved"),
                        os.path.join(self.tree, "build"))
        program = os.path.join(self.prefix, "bin", "lufact")
        self.assertGreater(os.path.getsize(os.path.join(self.prefix, "share/man/man1/lufact.1")), 0)
        self.assertEqual(self.type(program, "generate", "grid2d", "--nx", "30", "--ny", "30",
                                   "--output", "g.mtx", folder=self.home).returncode, 0)
        result = self.type(program, "run", "--matrix", "g.mtx", "--mode", "fast-cpu", "--peer",
                           "klu,umfpack", "--output", "g.json", folder=self.home)
        self.assertEqual(result.returncode, 0, result.stdout)
        result = self.type(program, "validate", "g.json", folder=self.home)
        self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--build"]:
        Fresh.folder = os.path.abspath(sys.argv[2])
        others = sys.argv[3:]
        if others[:1] == ["--install"]:
            Fresh.options = ()
            others = others[1:]
        unittest.main(argv=sys.argv[:1] + others, defaultTest="Fresh")
    else:
        unittest.main(argv=sys.argv, defaultTest=("Decisions", "Readme"))
