# SPDX-License-Identifier: BSD-3-Clause
"""Small result files for the tests of scripts, and a folder to put them in."""
import gzip
import json
import lzma
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PHASES = ("symbolic", "levelize", "numeric", "transfer")


def run_of(matrix, variant, factor=1.0, until="symbolic", options=None, stand_in_for=None,
           **stages):
    """A run of 5 repetitions whose phases take 10, 11, ... 14 ms times the factor."""
    samples = []
    for repetition in range(5):
        seconds = factor * (0.010 + 0.001 * repetition)
        phases = [{"name": name, "wall_s": seconds, "bytes_h2d": 0, "bytes_d2h": 0}
                  for name in PHASES]
        samples.append({"repetition": repetition, "total_s": seconds * len(PHASES),
                        "phases": [*phases, {"name": "numeric/levels", "wall_s": seconds}]})
    pipeline = {"symbolic": None, "levelize": None, "numeric": None, "dependency": "relaxed",
                "precision": "double", "peer": None}
    return {"mode": "ooc", "outcome": "ok", "error": None, "until": until,
            "matrix": {"name": matrix, "n": 1000, "nnz": 5000, "generator": None},
            "pipeline": {**pipeline, **stages}, "samples": samples, "warnings": [],
            "factors": {"nnz_l": 4000, "nnz_u": 6000, "levels": 2000,
                        "levels_by_rule": {"glu1": 1, "exact": 1999, "relaxed": 2000}},
            "unified_memory": None, "profile": None,
            "memory": {"chunks": 1, "budget_bytes": 8e9,
                       "device_peak_bytes": None if variant.startswith("cpu") else 1e6},
            "numeric": {"parallel_columns": None}, "verification": {"passed": True},
            "sweep": {"name": "test", "matrix": matrix, "variant": variant,
                      "options": options or {},
                      "stand_in_for": stand_in_for}}


def batch_run(variant, order, seconds, precision="double", count=1000000, name=None, peer=None,
              options=None, streaming=None, info=None, outcome="ok", **facts):
    """A run of `lufact batch` of 3 repetitions that take 0.9, 1 and 1.1 times the seconds on the
    device, and 0.1 ms more by the wall."""
    samples = [{"repetition": k, "total_s": factor * seconds + 1e-4,
                "phases": [{"name": "numeric", "wall_s": factor * seconds + 1e-4,
                            "gpu_s": factor * seconds}]}
               for k, factor in enumerate((0.9, 1.0, 1.1))]
    batch = {"operation": "lu", "sizes": [{"n": order, "count": count}], "count": count,
             "layout": "contiguous", "data": "device", "flops": 1.0 * order * count,
             "useful_bytes": 16.0 * order * order * count, "streaming": streaming,
             "info": {"zero_pivots": 0, "nonfinite": 0, "first": None, **(info or {})}, **facts}
    name = name or f"random-{order}"
    return {"workload": "batch", "mode": "peer" if peer else "batch", "outcome": outcome,
            "error": None if outcome == "ok" else {"message": "an error over the threshold"},
            "until": "numeric", "matrix": None, "input": {"name": name}, "warnings": [],
            "pipeline": {"numeric": variant, "precision": precision, "peer": peer},
            "samples": samples, "refactor_samples": [], "batch": batch,
            "memory": {"device_peak_bytes": None if variant in ("cpu", "mkl-omp") else 1e6},
            "verification": {"passed": outcome == "ok", "backward_error": 2e-16,
                             "threshold": 6.7e-15, "matrices_checked": count,
                             "pivots": {"checked": count, "equal": count - 7, "tied": 7,
                                        "different": 0}},
            "sweep": {"name": "test", "matrix": name, "variant": f"{variant}-{precision}",
                      "options": options or {}, "stand_in_for": None}}


def dense_run(variant, n, seconds, precision="double", name=None, peer=None, options=None,
              profile=None, **facts):
    """A run of `lufact dense` of 3 repetitions that take 0.9, 1 and 1.1 times the seconds."""
    samples = [{"repetition": k, "total_s": factor * seconds,
                "phases": [{"name": "numeric", "wall_s": factor * seconds,
                            "gpu_s": factor * seconds}]}
               for k, factor in enumerate((0.9, 1.0, 1.1))]
    options = options or {}
    blocks = {"asked": str(options.get("blocks", "half")), "used": options.get("blocks", n // 2)}
    dense = {"operation": "lu", "m": n, "n": n, "flops": 2.0 * n**3 / 3, "blocks": blocks,
             "grid_barriers": n, "profile": profile or {}, **facts}
    name = name or f"sizes-{n}"
    return {"workload": "dense", "mode": "peer" if peer else "dense", "outcome": "ok",
            "error": None, "until": "numeric", "matrix": None, "input": {"name": name},
            "warnings": [], "pipeline": {"numeric": variant, "precision": precision, "peer": peer},
            "samples": samples, "refactor_samples": [], "dense": dense,
            "memory": {"device_peak_bytes": 1e6},
            "sweep": {"name": "test", "matrix": name, "variant": f"{variant}-{precision}",
                      "options": options, "stand_in_for": None}}


def file_of(*runs):
    return {"schema": {"name": "lufact-result", "version": "1.1.0"},
            "meta": {"device": {"name": "A card", "driver": "580.1", "runtime": "13.0",
                                "memory_bytes": 16e9},
                     "host": {"cpu_model": "A CPU", "threads": 4},
                     "lufact": {"git_sha": "0123456789abcdef", "git_dirty": False},
                     "started_at": "2026-01-31T09:05:00Z"},
            "config": {}, "runs": list(runs), "comparisons": []}


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, content, name="r.json"):
        """A result file of that name, compressed as its ending says."""
        opener = {".gz": gzip.open, ".xz": lzma.open}.get(os.path.splitext(name)[1], open)
        with opener(self.path(name), "wt", encoding="utf-8") as file:
            json.dump(content, file)
        return self.path(name)

    def page(self, script, *arguments):
        return subprocess.run([sys.executable, os.path.join(SCRIPTS, "figures", script),
                               *arguments], capture_output=True, text=True, check=False)
