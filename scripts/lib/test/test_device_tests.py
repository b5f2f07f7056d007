#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of scripts/device-tests with test programs that only say what they see."""
import os
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "device-tests")

# Prints what GoogleTest prints of {passed} tests, after what it saw; two seconds at the most.
PROGRAM = """#!/usr/bin/env bash
if [[ " $* " == *--gtest_list_tests* ]]; then
  printf 'Suite.\\n'
  for ((k = 0; k < {tests}; ++k)); do printf '  Test%d\\n' "$k"; done
  exit 0
fi
begin=$(date +%s%N)
sleep 0.3
printf '%s devices=%s shard=%s/%s processors=%s begin=%s end=%s memory=%s\\n' {name} \\
  "${{CUDA_VISIBLE_DEVICES-unset}}" "$GTEST_SHARD_INDEX" "$GTEST_TOTAL_SHARDS" "$(nproc)" \\
  "$begin" "$(date +%s%N)" "${{LUFACT_DEVICE_MEMORY-unset}}" >>{seen}
printf '[  PASSED  ] %d tests.\\n' $(({tests} / GTEST_TOTAL_SHARDS))
exit {status}
"""

# Runs the program behind its own options.
SANITIZER = """#!/usr/bin/env bash
if [[ $1 == --version ]]; then echo 'a sanitizer'; exit; fi
while [[ $1 != /* ]]; do shift; done
exec "$@"
"""


class DeviceTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.seen = os.path.join(self.folder, "seen")
        os.makedirs(os.path.join(self.folder, "tools"))
        self.write("tools/nvidia-smi", "#!/bin/sh\necho 'GPU 0: a card'\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def add_programs(self, **programs):
        """NAME=(labels, tests, status) each."""
        with open(os.path.join(self.folder, "tests.tsv"), "w", encoding="utf-8") as file:
            for name, (labels, tests, status) in programs.items():
                file.write(f"{name}\t{labels}\t{name}\n")
                self.write(name, PROGRAM.format(name=name, tests=tests, status=status,
                                                seen=self.seen))

    def run_script(self, *options, sanitizers=False):
        log = os.path.join(self.folder, "log")
        path = os.path.join(self.folder, "tools") + os.pathsep + os.environ["PATH"]
        environment = {**os.environ, "PATH": path}
        for name in ("CUDA_VISIBLE_DEVICES", "LUFACT_DEVICE_MEMORY"):
            environment.pop(name, None)
        if not sanitizers:
            options = ("--no-sanitizers", *options)
        done = subprocess.run(
            ["bash", SCRIPT, "--bundle", self.folder, "--output", log, *options],
            capture_output=True, text=True, check=False, env=environment)
        runs = []
        if os.path.exists(self.seen):
            with open(self.seen, encoding="utf-8") as file:
                for line in file:
                    name, *words = line.split()
                    runs.append({"name": name, **dict(word.split("=") for word in words)})
        return done, runs

    def test_without_devices_programs_see_what_the_environment_shows(self):
        self.add_programs(one=("device", 9, 0), two=("device,alone", 2, 0))
        done, runs = self.run_script()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([(run["name"], run["devices"], run["shard"]) for run in runs],
                         [("one", "unset", "0/1"), ("two", "unset", "0/1")])
        self.assertRegex(done.stdout, "total: 2 runs, 11 passed")

    @unittest.skipUnless(shutil.which("taskset"), "there is no taskset")
    def test_parts_are_dealt_to_devices_with_a_share_of_the_processors(self):
        self.add_programs(one=("device", 8, 0))
        done, runs = self.run_script("--devices", "0,1", "--jobs", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(sorted((run["devices"], run["shard"]) for run in runs),
                         [("0", "0/2"), ("1", "1/2")])
        share = max(1, len(os.sched_getaffinity(0)) // 2)
        self.assertTrue(all(int(run["processors"]) == share for run in runs), runs)

    @unittest.skipUnless(shutil.which("taskset"), "there is no taskset")
    def test_one_that_is_alone_has_its_device_for_itself(self):
        self.add_programs(one=("device,alone", 3, 0), two=("device,alone", 3, 0),
                          three=("device,alone", 3, 0))
        done, runs = self.run_script("--devices", "0,1", "--jobs", "3")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for device in "01":
            on_it = sorted((int(run["begin"]), int(run["end"]))
                           for run in runs if run["devices"] == device)
            self.assertTrue(on_it)
            for earlier, later in zip(on_it, on_it[1:]):
                self.assertLess(earlier[1], later[0])

    @unittest.skipUnless(shutil.which("taskset"), "there is no taskset")
    def test_what_takes_several_devices_sees_all_of_them_and_runs_last(self):
        self.add_programs(many=("device,alone,several-devices", 8, 0), one=("device", 1, 0))
        done, runs = self.run_script("--devices", "2,3")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([(run["name"], run["shard"]) for run in runs],
                         [("one", "0/1"), ("many", "0/1")])
        self.assertEqual(runs[-1]["devices"], "2,3")
        self.assertTrue(re.search(r"^devices +2,3$", done.stdout, re.MULTILINE))

    def test_a_program_that_ends_badly_is_told(self):
        self.add_programs(good=("device", 1, 0), bad=("device", 1, 3))
        done, _ = self.run_script()
        self.assertEqual(done.returncode, 1)
        self.assertIn("not clean: bad", done.stdout)

    def test_sanitizers_see_arrays_of_the_pool(self):
        self.write("tools/compute-sanitizer", SANITIZER)
        self.add_programs(one=("device", 1, 0))
        done, runs = self.run_script("--tools", "memcheck", sanitizers=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([run["memory"] for run in runs], ["unset", "pool"])

    def test_nothing_that_matches_is_no_success(self):
        self.add_programs(one=("-", 1, 0))
        done, runs = self.run_script("--label", "device")
        self.assertEqual((done.returncode, runs), (1, []))


if __name__ == "__main__":
    unittest.main()
