#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lists the GoogleTest cases that a ctest log says were skipped, grouped by reason.

usage: skipped_tests.py BUILD_DIR/Testing/Temporary/LastTest.log
"""
import collections
import re
import sys


def skipped_cases(lines):
    """Yields (case, reason) for each skipped case of the output of GoogleTest programs."""
    reason, collecting = [], False
    for line in lines:
        line = line.rstrip("\n")
        if re.match(r"\[ RUN      \] ", line):
            reason, collecting = [], False
        elif line.endswith(": Skipped"):
            collecting = True
        elif match := re.match(r"\[  SKIPPED \] (\S+) \(", line):
            yield match[1], " ".join(reason) or "no reason given"
            reason, collecting = [], False
        elif collecting and line.strip():
            reason.append(line.strip())


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        by_reason = collections.defaultdict(list)
        for case, reason in skipped_cases(log):
            by_reason[reason].append(case)
    total = sum(len(cases) for cases in by_reason.values())
    print(f"Skipped test cases: {total}")
    for reason, cases in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        shown = ", ".join(cases[:3]) + (", ..." if len(cases) > 3 else "")
        print(f"  {len(cases)} x {reason} ({shown})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
