#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of refactorizations with values on the device: what it prints of small results."""
import unittest

from fixtures import Folder, file_of, run_of


def refactored(matrix, n, variant, seconds, outcome="ok"):
    run = run_of(matrix, variant, until="solve")
    run["matrix"]["n"], run["outcome"] = n, outcome
    run["refactor_samples"] = [{"repetition": k, "total_s": seconds, "phases": []}
                               for k in range(5)]
    return run


class RefactorDevicePage(Folder):
    def test_each_way_to_wait_has_its_means_by_rows(self):
        page = self.page("refactor_device_page", self.write(file_of(
            refactored("small", 2000, "fast", 1e-4), refactored("small", 2000, "cudss", 3e-4),
            refactored("large", 50_000, "fast", 1e-3), refactored("large", 50_000, "cudss", 6e-3),
            refactored("small", 2000, "fast-waits", 2e-4),
            refactored("small", 2000, "cudss-waits", 5e-4),
            refactored("wrong", 90_000, "fast", 1e-3),
            refactored("wrong", 90_000, "cudss", 9e-3, outcome="inaccurate"))))
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertIn("- one wait, no phases: cuDSS takes geometric mean 4.24 (n = 2", page.stdout)
        self.assertIn("below 10,000 rows geometric mean 3.00 (n = 1", page.stdout)
        self.assertIn("- a wait after each phase: cuDSS takes geometric mean 2.50 (n = 1",
                      page.stdout)
        self.assertNotIn("phases by events: cuDSS takes", page.stdout)
        self.assertIn("| large | 50,000 |  |  |  |  |  |  | 1 | 6 | 6.00 [6.00, 6.00] |",
                      page.stdout)


if __name__ == "__main__":
    unittest.main()
