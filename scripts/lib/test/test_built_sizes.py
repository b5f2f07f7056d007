#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""built_sizes, on build folders of a few files that are made up."""
import os
import random
import shutil
import struct
import subprocess
import sys
import unittest

from fixtures import SCRIPTS, Folder

MEGABYTE = 10**6
HEAD = """Discarded input sections
 .text          0x0000000000000000    0x99999 gpu/batch/liblufact_gpu_batch.a(discarded.cu.o)

Linker script and memory map

LOAD app/CMakeFiles/lufact.dir/main.cpp.o
"""


def elf(codes):
    """An ELF file with sections .text.kernelK of these sizes, and one that is no code."""
    names = b"\0" + b"".join(b".text.kernel%d\0" % k for k in range(len(codes))) + b".nv.info\0"
    starts = [1]
    for k in range(len(codes)):
        starts.append(starts[-1] + len(b".text.kernel%d\0" % k))
    sizes = [*codes, 4096, len(names)]
    sections = [struct.pack("<IIQQQQIIQQ", start, 1, 0, 0, 64, size, 0, 0, 0, 0)
                for start, size in zip([*starts, 0], sizes)]
    head = b"\x7fELF\x02" + bytes(0x28 - 5) + struct.pack("<Q", 64 + len(names)) + bytes(10)
    return (head + struct.pack("<HHH", 64, len(sections), len(sections) - 1) + names
            + b"".join(sections))


def fat_binary(*machine_codes, tail=b""):
    """A fat binary of these ELF files and one entry of PTX."""
    entries = b"".join(struct.pack("<HHIQ", kind, 0x101, 64, len(body)) + bytes(48) + body
                       for kind, body in [*((2, code) for code in machine_codes),
                                          (1, b"ptx" + tail)])
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries


class BuiltSizes(Folder):
    def setUp(self):
        super().setUp()
        self.lines = []
        for path in ("app/batch/batch_plan.cpp", "app/run/supervisor.cpp",
                     "gpu/batch/batch_validator.cu", "gpu/batch/ours/rows.cu",
                     "core/fronts/dense_kernels.cpp", "core/dense/cpu/host_lu.cpp"):
            self.file(path, b"")
        self.file("build/CMakeCache.txt", (
            f"CMAKE_HOME_DIRECTORY:INTERNAL={self.folder.name}\n"
            "CMAKE_CUDA_ARCHITECTURES:STRING=90\nLUFACT_BATCH_SIZES:STRING=1..2\n").encode())
        self.file("build/CMakeFiles/3.25.1/CMakeCUDACompiler.cmake",
                  b'set(CMAKE_CUDA_COMPILER_VERSION "13.0.88")\n')
        self.kernels("ours_f32_1", fat_binary(elf([256, 5000, 7000])))
        self.kernels("ours_f64_1", fat_binary(elf([9000])))
        self.kernels("paper_f32_1", fat_binary(elf([1000])))
        self.kernels("probe_f32_1", b"read by nobody")
        self.file("build/lib/lufact/dense/dense_kernels.so", b"dense")
        self.section(".text", "app/liblufact_app.a(supervisor.cpp.o)", 900000)
        self.section(".text", "core/fronts/liblufact_fronts.a(dense_kernels.cpp.o)", 100000)
        self.section(".nv_fatbin", "gpu/batch/liblufact_gpu_batch.a(batch_validator.cu.o)", 40000)
        self.write_map()

    def file(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(content)

    def kernels(self, name, content):
        self.file(f"build/lib/lufact/batch/{name}.fatbin", content)

    def section(self, output, name, size):
        """A section of an object in the map, as ld writes long names: on two lines."""
        self.lines += [output, f" {output}.of_a_long_name",
                       f"                0x0000000000038a90 {size:#10x} {name}",
                       "                0x0000000000038a90                a_symbol"]

    def write_map(self):
        self.file("build/app/lufact.map", (HEAD + "\n".join(self.lines) + "\n").encode())

    def built_sizes(self, *arguments):
        return subprocess.run([sys.executable, os.path.join(SCRIPTS, "built_sizes"),
                               self.path("build"), *arguments], capture_output=True, text=True,
                              check=False)

    def check(self, status):
        made = self.built_sizes("--check")
        self.assertEqual(made.returncode, status, made.stdout + made.stderr)
        return made.stdout

    def test_a_small_build_passes(self):
        said = self.check(0)
        self.assertIn("3 files of batch kernels, architectures: 1,", said)
        self.assertIn("grows for dense matrices by: 4.0%", said)
        self.assertIn("belongs into files, bytes: 0", said)

    def test_files_that_do_not_pack_are_over_the_limit_of_their_architectures(self):
        noise = random.Random(1).randbytes(21 * MEGABYTE)
        self.kernels("ours_f32_2", fat_binary(elf([1000]), tail=noise))
        self.assertIn("over the limit: 4 files", self.check(1))

    def test_the_limit_of_files_is_for_each_architecture(self):
        self.kernels("ours_f32_2", fat_binary(elf([1000]), elf([1000])))
        said = self.check(0)
        self.assertIn("architectures: 2,", said)
        self.assertIn("limit 40,000,000", said)

    def test_large_files_that_pack_well_pass(self):
        self.kernels("ours_f32_2", fat_binary(elf([1000]), tail=bytes(30 * MEGABYTE)))
        self.check(0)

    def test_kernels_of_files_in_the_program_are_a_fault(self):
        self.section(".nv_fatbin", "gpu/batch/ours/liblufact_gpu_batch_ours.a(rows.cu.o)", 20000)
        self.write_map()
        self.assertIn("over the limit: device code", self.check(1))

    def test_a_program_that_grows_too_much_is_a_fault(self):
        self.section(".text", "app/liblufact_app.a(batch_plan.cpp.o)", 150000)
        self.section(".text", "core/dense/cpu/liblufact_cpu_dense.a(host_lu.cpp.o)", 20000)
        self.section(".bss", "core/dense/cpu/liblufact_cpu_dense.a(host_lu.cpp.o)", MEGABYTE)
        self.write_map()
        said = self.check(1)
        self.assertIn("dense matrices by: 21.0%", said)
        self.assertIn("over the limit: the program", said)

    def test_what_cannot_be_read_is_a_fault_and_named(self):
        self.kernels("ours_f32_2", b"no fat binary at all")
        self.assertIn("ours_f32_2.fatbin: it does not begin", self.check(1))
        self.kernels("ours_f32_2", fat_binary(b"squeezed" * 20))
        self.assertIn("machine code is compressed", self.check(1))
        self.kernels("ours_f32_2", fat_binary(elf([1000])))
        os.remove(self.path("build/app/lufact.map"))
        self.assertIn("lufact.map", self.check(1))

    def test_without_kernels_or_a_map_of_gnu_ld_nothing_is_checked(self):
        self.file("build/app/lufact.map", b"VMA LMA Size\n")
        self.assertIn("no map of GNU ld", self.check(77))
        shutil.rmtree(self.path("build/lib/lufact/batch"))
        self.assertIn("no kernels of batches", self.check(77))

    def test_the_record(self):
        shutil.copy(shutil.which("true"), self.path("build/app/lufact"))
        made = self.built_sizes()
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        self.assertIn("# nvcc: 13.0.88\n# architectures: 90\n# orders: 1..2\n", made.stdout)
        rows = {line.split("\t")[0]: line.split("\t") for line in made.stdout.splitlines()}
        # The kernel of 256 bytes does nothing.
        self.assertEqual(rows["kernels ours"][1:4], ["2", "3", str(256 + 5000 + 7000 + 9000)])
        self.assertEqual(rows["kernels"][1:3], ["3", "4"])
        self.assertEqual(rows["program batch"][3:6], ["40000", "0", "40000"])
        self.assertEqual(rows["program rest"][3:6], ["0", "1000000", "1000000"])

    def test_the_table_of_a_record(self):
        columns = ("part", "files", "kernels", "device_bytes", "host_bytes", "bytes", "xz_bytes",
                   "gz_bytes")
        rows = [("kernels", 2, 9, 5000000, 1000000, 6000000, 700000, 1500000),
                ("program rest", "-", "-", 7000000, 1000000, 8000000, "-", "-"),
                ("program batch", "-", "-", 300000, 100000, 400000, "-", "-")]
        text = "# commit: abc\n" + "".join("\t".join(map(str, row)) + "\n"
                                           for row in (columns, *rows))
        self.file("sizes.tsv", text.encode())
        made = subprocess.run([sys.executable, os.path.join(SCRIPTS, "built_sizes"), "--table",
                               self.path("sizes.tsv")], capture_output=True, text=True, check=True)
        self.assertEqual(made.stdout.splitlines()[2:], [
            "| kernels | 2 | 9 | 5.00 | 6.00 | 0.70 | 1.50 | - |",
            "| program rest | - | - | 7.00 | 8.00 | - | - | - |",
            "| program batch | - | - | 0.30 | 0.40 | - | - | 5.0% |"])

    def test_usage(self):
        made = subprocess.run([sys.executable, os.path.join(SCRIPTS, "built_sizes")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 2)
        self.assertIn("usage: built_sizes", made.stdout)


if __name__ == "__main__":
    unittest.main()
