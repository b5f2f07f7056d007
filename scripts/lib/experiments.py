# SPDX-License-Identifier: BSD-3-Clause
"""The experiments that can be reproduced: their configurations and the script of each."""
import glob
import importlib.machinery
import importlib.util
import os
from collections import namedtuple

from results import ENDINGS

# full and quick name the configurations configs/FULL.json and configs/quick/QUICK.json, and so the
# result files; script is in scripts/figures; published tells the papers' experiments from our own.
Experiment = namedtuple("Experiment", "id full quick script published")


# Records that a page shows beside its own where they are there.
QUICK_END_TO_END = "end-to-end"  # has the baseline by threads
BESIDE = {"e2e-fig3": ("chunks",), "e2e-fig4": (QUICK_END_TO_END,), "e2e-fig7": ("chunks",),
          "e2e-fig8": ("column-formats",), "dense-peers": ("dense-largest",),
          "gsofa-fig19": ("gsofa-devices",), "gsofa-fig4": ("gsofa-profile",),
          **dict.fromkeys(("gsofa-fig5", "gsofa-fig10", "gsofa-fig13", "gsofa-fig14",
                           "gsofa-fig20"), ("gsofa-time-full", "gsofa-time-real")),
          **dict.fromkeys(("gsofa-table3", "gsofa-fig15", "gsofa-fig16"), ("gsofa-space-full",))}


def published(name, full, quick):
    return Experiment(name, full, quick, name, True)


EXPERIMENTS = (
    published("e2e-fig3", "e2e-fig3", "chunks"),
    published("e2e-fig4", "e2e-fig4", "end-to-end"),
    published("e2e-fig5", "e2e-fig5", "end-to-end"),
    published("e2e-fig6", "e2e-fig6", "symbolic-memory"),
    published("e2e-fig7", "e2e-fig7", "chunks"),
    published("e2e-fig8", "e2e-fig8", "column-formats"),
    published("e2e-table2", "e2e-fig4", "end-to-end"),
    published("e2e-table3", "e2e-fig6", "symbolic-memory"),
    published("e2e-table4", "e2e-fig8", "column-formats"),
    published("e2e-levelization", "levelize", "levelize"),
    published("glu3-table1", "glu3-table1", "kernel-modes"),
    published("glu3-table2", "glu3-table2", "detection"),
    published("glu3-fig-levels", "glu3-table1", "kernel-modes"),
    published("batch-fig1", "batch-steps", "batch-steps"),
    published("batch-fig3", "batch-steps", "batch-steps"),
    published("batch-fig5", "batch-steps", "batch-steps"),
    published("batch-fig7", "batch-steps", "batch-steps"),
    published("gsofa-fig4", "gsofa-fig4", "gsofa"),
    published("gsofa-fig5", "gsofa-time", "gsofa"),
    published("gsofa-table3", "gsofa-space", "gsofa"),
    published("gsofa-fig10", "gsofa-time", "gsofa"),
    published("gsofa-fig11", "gsofa-fig11", "gsofa"),
    published("gsofa-fig12", "gsofa-fig12", "gsofa-fig12"),
    published("gsofa-fig13", "gsofa-time", "gsofa"),
    published("gsofa-fig14", "gsofa-time", "gsofa"),
    published("gsofa-fig15", "gsofa-space", "gsofa"),
    published("gsofa-fig16", "gsofa-space", "gsofa"),
    published("gsofa-fig16-many", "gsofa-fig16-many", "gsofa-many"),
    published("gsofa-fig17", "gsofa-fig17", "gsofa-many"),
    published("gsofa-fig18", "gsofa-fig18", "gsofa-fig18"),
    published("gsofa-fig19", "gsofa-fig19", "gsofa-many"),
    published("gsofa-fig20", "gsofa-time", "gsofa"),
    published("gsofa-fig21", "gsofa-fig17", "gsofa-many"),
    Experiment("gsofa", "gsofa", "gsofa", "gsofa_page", False),
    Experiment("gsofa-devices", "gsofa-devices", "gsofa-devices", "gsofa_devices_page", False),
    published("batch-fig8", "batch-fig8", "batch-fig8"),
    published("batch-fig9", "batch-fig9", "batch-fig9"),
    Experiment("glu3-public", "glu3-public", "glu3-public", "glu3_public_page", False),
    Experiment("e2e-parts", "e2e-parts", "e2e-parts", "e2e-parts", False),
    Experiment("e2e-auto", "e2e-auto", "e2e-auto", "e2e-auto", False),
    published("dense-fig3", "dense-fig3", "dense-fig3"),
    published("dense-fig4", "dense-fig4", "dense-fig4"),
    Experiment("dense-peers", "dense-peers", "dense-peers", "dense_peers_page", False),
    Experiment("dense-tall", "dense-tall", "dense-tall", "dense_tall_page", False),
    Experiment("dense-precision", "dense-precision", "dense-precision", "dense_precision_page",
               False),
    Experiment("dense-fronts", "dense-fronts", "dense-fronts", "dense_fronts_page", False),
    Experiment("dense-hard", "dense-hard", "dense-hard", "dense_hard_page", False),
    Experiment("symbolic", "e2e-symbolic", "symbolic", "symbolic_page", False),
    Experiment("levelize", "levelize", "levelize", "levelize_page", False),
    Experiment("numeric", "numeric", "numeric", "numeric_page", False),
    Experiment("peers", "peers", "peers", "peers_page", False),
    Experiment("fast", "fast", "fast", "fast_page", False),
    Experiment("refactor-device", "refactor-device", "refactor-device", "refactor_device_page",
               False),
    Experiment("systems", "systems", "systems", "systems_page", False),
    Experiment("right-hand-sides", "right-hand-sides", "right-hand-sides", "right_hand_sides_page",
               False),
    Experiment("memory", "memory", "memory", "memory_page", False),
    Experiment("large", "large", "large", "large_page", False),
    Experiment("batch-bandwidth", "batch-bandwidth", "batch-bandwidth", "batch_bandwidth_page",
               False),
    Experiment("batch-count", "batch-count", "batch-count", "batch_count_page", False),
    Experiment("batch-layouts", "batch-layouts", "batch-layouts", "batch_layouts_page", False),
    Experiment("batch-streaming", "batch-streaming", "batch-streaming", "batch_streaming_page",
               False),
    Experiment("batch-real", "batch-real", "batch-real", "batch_real_page", False),
    Experiment("batch-hard", "batch-hard", "batch-hard", "batch_hard_page", False),
)

FIGURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures")


def page_maker(script):
    """make_page(results) of a script in scripts/figures."""
    return page_module(script).make_page


def page_module(script):
    """The functions of a script in scripts/figures, whose name need not end in .py."""
    path = os.path.join(FIGURES, script)
    loader = importlib.machinery.SourceFileLoader(script.replace("-", "_") + "_script", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def result_names(experiment):
    """Where its runs may stand: the result files of the full and of the quick configuration."""
    return [name + ".json" for name in dict.fromkeys([experiment.full, experiment.quick])]


def paths_beside(experiment, *folders):
    """The further records of a page, each from the first of the folders that has it."""
    return [path for stem in BESIDE.get(experiment.id, ())
            for path in next(filter(None, (existing([stem], folder) for folder in folders)), [])]


def beside_record(path):
    """Those that a page shows beside this record."""
    folder, name = os.path.split(path)
    stem = name.split(".")[0]
    return next((paths_beside(experiment, folder) for experiment in EXPERIMENTS
                 if stem in (experiment.full, experiment.quick) and experiment.id in BESIDE), [])


def result_paths(experiment, *folders):
    """The record of the full configuration where it is in one of the folders, the first counting,
    or that of the quick one: the path of its file, plain or compressed, or those of its segments,
    which may be of several folders, each from the first that has it."""
    for name in result_names(experiment):
        found = {}
        for folder in folders:
            here = {os.path.basename(path).split(".json")[0]: path
                    for path in existing([name.removesuffix(".json")], folder)}
            if not found or all(".segment-" in part for part in (*found, *here)):
                found = {**here, **found}
        if found:
            return list(found.values())
    return []


def existing(stems, folder):
    """The files of these records, each in one file or in the segments of `lufact sweep`."""
    patterns = [os.path.join(glob.escape(folder), stem + part + ending) for stem in stems
                for ending in ENDINGS for part in ("", ".segment-*-of-*")]
    return [path for pattern in patterns for path in sorted(glob.glob(pattern))]


def files_of(path):
    """The file of a record and those of the segments that its sweep was cut into, or a page."""
    folder, name = os.path.split(path)
    return existing([name.split(".json")[0]], folder) or [path] * os.path.exists(path)


def config_name(experiment, quick):
    """Of its configuration below configs/."""
    return os.path.join("quick", experiment.quick + ".json") if quick else experiment.full + ".json"
