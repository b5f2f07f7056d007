#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_layering and check_style: a violation of each rule in a tree of its own is caught."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def run_check(script, files):
    """Writes files {path: text} into a new tree; returns (exit status, output) of the script."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in {"core/base/types.hpp": "", **files}.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        result = subprocess.run([sys.executable, os.path.join(SCRIPTS, script), root],
                                capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr


class Layering(unittest.TestCase):
    def check_caught(self, path, text, expected, **more):
        status, output = run_check("check_layering", {path: text, **more})
        self.assertEqual(status, 1, output)
        self.assertIn(expected, output)

    def check_clean(self, files):
        status, output = run_check("check_layering", files)
        self.assertEqual(status, 0, output)

    def test_a_tree_that_keeps_the_rules_passes(self):
        self.check_clean({
            "app/main.cpp": '#include <CLI/CLI.hpp>\n#include "gpu/gpu.hpp"\n',
            "gpu/symbolic/fill.cu": '#include <cub/cub.cuh>\n#include "core/base/types.hpp"\n',
            "gpu/runtime/memory.cu": "void f() { cudaMalloc(&p, 1); }\n",
            "core/order/amd.cpp": '#include <amd.h>\n#include "core/matrix/pattern.hpp"\n',
            "baselines/peers/plugins/cudss.cpp":
                "#include <cudss.h>\n#include <cuda_runtime_api.h>\nauto f = cudaMalloc(&a, 1);\n",
            "core/base/test/test_base.cpp": '#include "core/verify/solution.hpp"\n',
            "gpu/numeric/a.cu": "// cudaMalloc(x): gpu/runtime\nauto f = cudaMemGetInfo(&a);\n",
        })

    def test_forbidden_arrows_between_modules(self):
        for path, target in (("core/base/a.cpp", "gpu/gpu.hpp"), ("core/base/a.cpp", "app/x.hpp"),
                             ("gpu/solve/a.cu", "baselines/klu.hpp"), ("gpu/a.cpp", "app/x.hpp"),
                             ("baselines/a.cpp", "gpu/gpu.hpp"),
                             ("core/matrix/test/t.cpp", "app/x.hpp")):
            self.check_caught(path, f'\n#include "{target}"\n', f"{path}:2: ")

    def test_low_folders_include_only_what_lies_below(self):
        for path, target, expected in (
                ("core/base/a.cpp", "core/matrix/pattern.hpp", "core/base must not include"),
                ("core/measure/a.cpp", "core/pipeline/stage.hpp", "core/measure must not include"),
                ("core/pipeline/a.cpp", "core/verify/x.hpp", "core/pipeline must not include"),
                ("core/pipeline/a.hpp", "core/order/nd/x.hpp", "must not include core/order/nd"),
                ("core/verify/a.cpp", "core/report/x.hpp", "must not include core/report"),
                ("core/choose/a.cpp", "core/run/x.hpp", "core/choose must not include core/run"),
                ("gpu/runtime/a.cu", "gpu/numeric/x.hpp", "gpu/runtime must not include"),
                ("gpu/runtime/a.cu", "gpu/gpu.hpp", "gpu/runtime must not include gpu "),
                ("gpu/facts/a.hpp", "gpu/runtime/x.hpp", "gpu/facts must not include gpu/runtime"),
                ("gpu/symbolic/fill2/a.cpp", "gpu/stages.hpp", "must not include gpu (")):
            self.check_caught(path, f'#include "{target}"\n', expected)
        self.check_caught("gpu/stub/a.cpp", "#include <cuda_runtime.h>\n", "without CUDA")

    def test_two_folders_do_not_include_each_other(self):
        for a, b in (("core/match", "core/order"), ("core/fronts/plan", "core/fronts/numeric"),
                     ("core/order", "core/order/nd"), ("gpu/fronts/solve", "gpu/fronts/numeric"),
                     ("gpu/solve", "gpu/numeric"), ("app/sweep", "app/commands"),
                     ("app", "app/run"), ("lufact", "lufact/api"),
                     ("baselines/peers", "baselines/peers/plugins")):
            there = f'#include "{b}/x.hpp"\n'
            self.check_clean({f"{a}/a.cpp": there, f"{b}/b.cpp": ""})
            back = f'\n#include "{a}/y.hpp"\n'
            status, output = run_check("check_layering", {
                f"{a}/a.cpp": there, f"{a}/c.cpp": there, f"{b}/b.hpp": back})
            self.assertEqual(status, 1, output)
            first, second = sorted((a, b))
            self.assertIn(f"{b}/b.hpp:2: closes a circle of folders: {first} -> {second} -> "
                          f"{first}\n", output)

    def test_no_way_leads_back_to_a_folder(self):
        files = {"gpu/matrix/a.cu": '#include "gpu/forest/a.cuh"\n',
                 "gpu/forest/a.cuh": '#include "gpu/symbolic/panels/a.cuh"\n',
                 "gpu/symbolic/panels/a.cuh": '#include "gpu/matrix/a.cuh"\n'}
        status, output = run_check("check_layering", files)
        self.assertEqual(status, 1, output)
        self.assertEqual(output.count("closes a circle of folders"), 1, output)
        self.assertIn("gpu/forest -> gpu/symbolic/panels -> gpu/matrix -> gpu/forest", output)
        files["gpu/symbolic/panels/a.cuh"] = '#include "gpu/runtime/a.cuh"\n'
        self.check_clean(files)

    def test_tests_may_close_a_circle(self):
        self.check_clean({"core/match/a.cpp": '#include "core/order/x.hpp"\n',
                          "core/order/test/b.cpp": '#include "core/match/y.hpp"\n'})

    def test_libraries_stay_at_home(self):
        for path, header in (("core/cpu/a.cpp", "amd.h"), ("app/a.cpp", "suitesparse/colamd.h"),
                             ("core/pipeline/a.cpp", "nlohmann/json.hpp"),
                             ("core/cpu/a.cpp", "cuda_runtime.h"), ("app/a.cpp", "cub/cub.cuh"),
                             ("gpu/numeric/a.cu", "metis.h"), ("core/report/a.cpp", "CLI/CLI.hpp")):
            self.check_caught(path, f"#include <{header}>\n", f"({header}) may be included only in")

    def test_device_memory_is_allocated_in_the_runtime_alone(self):
        for call in ("cudaMalloc(&p, 8)", "cudaMallocManaged(&p, 8)", "cudaHostAlloc(&p, 8, 0)",
                     "cudaMallocHost(&p, 8)", "cudaMallocAsync(&p, 8, s)", "cudaFree(p)",
                     "cudaFreeAsync(p, s)", "cudaFreeHost(p)", "cudaMalloc<float>(&p, 8)"):
            self.check_caught("gpu/numeric/a.cu", f"int x;\nauto e = {call};\n",
                              "gpu/numeric/a.cu:2: cuda")

    def test_includes_name_files_from_the_root(self):
        self.check_caught("core/base/a.cpp", '#include "types.hpp"\n', "from the root")
        self.check_caught("core/base/a.cpp", '#include "../matrix/pattern.hpp"\n', "from the root")

    def test_scripts_do_not_read_sources(self):
        self.check_caught("scripts/table.py", "open('core/base/types.hpp')\n",
                          "scripts must not read C++ sources")


class Style(unittest.TestCase):
    SPDX = "// SPDX-License-Identifier: BSD-3-Clause\n"

    def check_caught(self, path, text, expected):
        status, output = run_check("check_style", {"core/base/types.hpp": self.SPDX, path: text})
        self.assertEqual(status, 1, output)
        self.assertIn(expected, output)

    def test_a_clean_tree_passes(self):
        status, output = run_check("check_style", {"core/base/types.hpp": self.SPDX})
        self.assertEqual(status, 0, output)

    def test_each_rule(self):
        own = "/" + "home/someone/x"
        for path, text, expected in (
                ("core/a.cpp", "int x;\n", "a.cpp:1: no line 'SPDX"),
                ("scripts/a.py", "x = 1\n", "a.py:1: no line 'SPDX"),
                ("core/a.cpp", self.SPDX + "// \u00e9\n", "a.cpp:2: not ASCII"),
                ("README.md", "caf\u00e9\n", "README.md:1: not ASCII"),
                ("core/a.cpp", self.SPDX + "x" * 101 + "\n", "a.cpp:2: 101 columns"),
                ("core/CMakeLists.txt", "# " + self.SPDX[3:] + "x" * 101 + "\n",
                 "CMakeLists.txt:2: 101 columns"),
                ("cmake/a.cmake", "# " + self.SPDX[3:] + "x" * 101 + "\n",
                 "a.cmake:2: 101 columns"),
                ("core/a.cpp", self.SPDX + "\tint x;\n", "a tab"),
                ("core/a.cpp", self.SPDX + "int x; \n", "trailing blanks"),
                ("core/a.cpp", self.SPDX + "int x;", "no newline"),
                ("core/a.cpp", self.SPDX + "\n" * 400, "401 lines"),
                ("README.md", "x\n" * 151, "README.md:151: 151 lines, more than 150"),
                ("README.md", f"see {own}\n", "a place of one machine"),
                ("README.md", "see ../" + "shared/x\n", "outside the checkout"),
                ("scripts/a", "#!/bin/sh\n# SPDX-License-Identifier: BSD-3-Clause\n",
                 "not executable")):
            self.check_caught(path, text, expected)

    def test_clang_format(self):
        program = shutil.which("clang-format-14") or shutil.which("clang-format")
        if not program or "version 14." not in subprocess.run(
                [program, "--version"], capture_output=True, text=True, check=True).stdout:
            self.skipTest("clang-format 14 is not installed")
        files = {".clang-format": "BasedOnStyle: Google\n", "core/base/types.hpp": self.SPDX,
                 "core/a.cpp": self.SPDX + "int x;\nint  y;\n"}
        status, output = run_check("check_style", files)
        self.assertEqual(status, 1, output)
        self.assertIn("core/a.cpp:3: not as clang-format leaves it", output)


if __name__ == "__main__":
    unittest.main()
