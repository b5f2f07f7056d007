# SPDX-License-Identifier: BSD-3-Clause
"""Result files of lufact, read for figures and tables: NAME.json, NAME.json.gz or NAME.json.xz.

load() refuses what a figure must not be made from: files of another program or of another major
schema version, and runs that nothing verified. Every number that a script prints comes from the
samples, so that changing one in a file changes what is printed.
"""
import gzip
import json
import lzma
import math
import os
import re
import zlib
from collections import namedtuple

from intervals import mean_interval, paired_interval, quantile, unpaired_interval

SCHEMA_NAME, SCHEMA_MAJORS = "lufact-result", ("1", "2")
ENDINGS = (".json", ".json.gz", ".json.xz")

# Of samples: quartiles of type 7, as in the result file.
Spread = namedtuple("Spread", "n median q1 q3")
GeometricMean = namedtuple("GeometricMean", "value n least largest low high")


class Ratio(namedtuple("Ratio", "value low high", defaults=(None, None))):
    """The ratio of two medians with its 95% interval, or without one (None) below 5 repetitions."""

    @property
    def known(self):
        return self.low is not None

    @property
    def above(self):
        """Whether the interval is above 1."""
        return self.known and self.low > 1

    @property
    def below(self):
        return self.known and self.high < 1


class ResultError(Exception):
    """A file or a run that cannot be used, and what to do about it."""


def read_json(path):
    """The content of a result file, whose first bytes say how it is compressed, or ResultError."""
    try:
        with open(path, "rb") as file:
            content = file.read()
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
        elif content.startswith(b"\xfd7zXZ\0"):
            content = lzma.decompress(content)
        return json.loads(content)
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise ResultError(f"{path}: damaged or cut short: {error}") from error
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}; run the sweep that makes it first "
                          "(configs/README.md)") from error
    except ValueError as error:
        raise ResultError(f"{path}: no JSON: {error}") from error


def result_files(folder, pattern):
    """The result files below `folder` that fit `pattern`, such as "*-t*" or "**/*", in any form:
    pathlib paths in order."""
    return sorted(path for ending in ENDINGS for path in folder.glob(pattern + ending))


def spread(samples):
    ordered = sorted(samples)
    if not ordered:
        raise ResultError("no samples to summarize")
    return Spread(len(ordered), quantile(ordered, 0.5), quantile(ordered, 0.25),
                  quantile(ordered, 0.75))


def geometric_mean(values):
    """With the number of values, without which it is never to be printed, and its 95% interval over
    them, which says how far such a mean would be another with other matrices of the kind."""
    values = list(values)
    if not values:
        return None
    if min(values) <= 0:
        raise ResultError(f"no geometric mean of {min(values)}")
    logarithms = [math.log(value) for value in values]
    low, high = mean_interval(logarithms) or (None, None)
    return GeometricMean(math.exp(sum(logarithms) / len(values)), len(values), min(values),
                         max(values), None if low is None else math.exp(low),
                         None if high is None else math.exp(high))


def three_digits(value):
    """0.00815, 2.00, 32.7, 300, 3,146."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:#.3g}".rstrip(".")


def range_text(values):
    values = list(values)
    return f"{three_digits(min(values))}x to {three_digits(max(values))}x"


def mean_text(mean):
    if mean is None:
        return "no matrix"
    interval = "" if mean.low is None else \
        f"; 95% interval {three_digits(mean.low)} to {three_digits(mean.high)}"
    return (f"geometric mean {three_digits(mean.value)} (n = {mean.n}, from "
            f"{three_digits(mean.least)} to {three_digits(mean.largest)}{interval})")


class Run:
    """One run of a result file."""

    def __init__(self, record, path, index):
        self.record, self.path, self.index = record, path, index

    def get(self, *keys):
        """The value under nested keys, or None where one of them is absent or null."""
        value = self.record
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    @property
    def matrix(self):
        return (self.get("sweep", "matrix") or self.get("matrix", "name") or
                self.get("input", "name"))

    @property
    def variant(self):
        return (self.get("sweep", "variant") or self.get("pipeline", "peer") or
                self.record["mode"])

    @property
    def density(self):
        """Entries of a row, in the mean."""
        return self.get("matrix", "nnz") / self.get("matrix", "n")

    @property
    def used_device(self):
        """Whether it had memory on a card."""
        return bool(self.get("memory", "device_peak_bytes"))

    @property
    def ok(self):
        return self.record["outcome"] == "ok"

    def warns(self, code):
        return any(warning["code"] == code for warning in self.record["warnings"])

    @property
    def stand_in_for(self):
        return self.get("sweep", "stand_in_for")

    @property
    def generated(self):
        return self.get("matrix", "generator") is not None

    def option(self, name):
        """What the sweep set on the command line, or None for the default."""
        return self.get("sweep", "options", name)

    def stage(self, kind):
        return self.get("pipeline", kind)

    @property
    def sweep(self):
        return self.get("sweep", "name")

    @property
    def in_segment(self):
        """Whether its file is one of `lufact sweep --segments`."""
        return ".segment-" in self.path

    def label(self):
        return f"{self.matrix} {self.variant}"

    def where(self):
        return f"{self.path}: runs[{self.index}] ({self.label()})"

    def samples(self, phase, kind="samples"):
        """Seconds of one phase (`total_s`, `symbolic`, `symbolic/count`) by repetition."""
        seconds = {}
        for sample in self.record[kind]:
            if phase == "total_s":
                seconds[sample["repetition"]] = sample["total_s"]
            for entry in sample["phases"]:
                if entry["name"] == phase:
                    seconds[sample["repetition"]] = entry["wall_s"]
        if not seconds:
            raise ResultError(f"{self.where()}: no sample has the phase {phase}")
        return seconds

    def part_seconds(self, phase, ending):
        """Seconds by repetition of the parts of a phase, at any depth, that have this last name."""
        return {sample["repetition"]: sum(entry["wall_s"] for entry in sample["phases"]
                                          if entry["name"].startswith(phase + "/")
                                          and entry["name"].endswith("/" + ending))
                for sample in self.record["samples"]}

    def sums(self, phases):
        """Seconds of several phases together by repetition."""
        each = [self.samples(phase) for phase in phases]
        return {k: sum(seconds[k] for seconds in each) for k in each[0]}

    def known_sums(self, phases):
        """As sums(), over those of the phases that the run has; None where it has none. A foreign
        solver does some steps together with others."""
        present = [phase for phase in phases if self.has_phase(phase)]
        return self.sums(present) if present else None

    def refactor_sums(self):
        """Seconds of each refactorization with its solve, or None."""
        if not self.record["refactor_samples"]:
            return None
        return self.samples("total_s", "refactor_samples")

    def seconds(self, *phases):
        return spread(self.sums(phases).values())

    def has_phase(self, phase):
        return any(entry["name"] == phase for sample in self.record["samples"]
                   for entry in sample["phases"])

    def transfer_share(self):
        """The last column of E2E's Table 3: the upload and the copies inside the symbolic step
        (counters that are read back) over upload and symbolic step."""
        upload, symbolic = self.samples("transfer"), self.samples("symbolic")
        read = self.part_seconds("symbolic", "read")
        return spread((upload[k] + read[k]) / (upload[k] + symbolic[k]) for k in upload).median

    def nnz_lu(self):
        nnz_l, nnz_u = self.get("factors", "nnz_l"), self.get("factors", "nnz_u")
        return None if nnz_l is None or nnz_u is None else nnz_l + nnz_u


def ratio(base, other, *phases):
    """base / other: above 1, `other` is faster."""
    return ratio_between(base, other, lambda run: run.sums(phases))


def took_turns(base, other):
    """Whether the repetitions of two runs are pairs. A sweep that was interrupted goes on in
    another invocation, which makes only the runs that are missing."""
    return base.path == other.path and (base.get("sweep", "invocation") ==
                                        other.get("sweep", "invocation"))


def ratio_between(base, other, timed):
    """The same of timed(run), seconds by repetition; of pairs only where the runs took turns."""
    compared = ratio_of if took_turns(base, other) else ratio_of_unpaired
    return compared(timed(base), timed(other))


def ratio_of(first, second):
    """Of two runs' seconds by repetition, which are pairs: the runs took turns."""
    both = [k for k in first if k in second and second[k] > 0]
    value = spread(first.values()).median / spread(second.values()).median
    return Ratio(value, *(paired_interval([first[k] for k in both], [second[k] for k in both])
                          or (None, None)))


def ratio_of_unpaired(first, second):
    """Of seconds that are no pairs, such as refactorizations within runs that took turns."""
    first, second = list(first.values()), list(second.values())
    value = spread(first).median / spread(second).median
    return Ratio(value, *(unpaired_interval(first, second) or (None, None)))


def add_only(found, key, run):
    """found[key] = run. Refuses a second run for a key, of which a page would show one."""
    if key in found:
        raise ResultError(f"{run.where()} and {found[key].where()} answer the same question; give "
                          "one file of each sweep and machine")
    found[key] = run


def last_measured(runs):
    """Without what a whole record says of inputs that a segment of its sweep measured anew: a sweep
    that was stopped is completed by segments of its own."""
    anew = {(run.sweep, run.matrix) for run in runs if run.in_segment}
    return [run for run in runs if run.in_segment or (run.sweep, run.matrix) not in anew]


class Results:
    """The runs of one or more result files."""

    def __init__(self, files):
        self.files = files  # path to content
        self.runs = last_measured([Run(record, path, index) for path, content in files.items()
                                   for index, record in enumerate(content["runs"])])

    def select(self, sweep=None, variant=None, matrix=None, until=None, options=None, **stages):
        """The ok runs that fit; stages by kind: symbolic="gpu-ooc". An option that is None must be
        at its default."""
        def fits(run):
            return (run.ok and (sweep is None or run.sweep == sweep) and
                    (variant is None or run.variant == variant) and
                    (matrix is None or run.matrix == matrix) and
                    (until is None or run.record["until"] == until) and
                    all(run.option(key) == value for key, value in (options or {}).items()) and
                    all(run.stage(kind) == name for kind, name in stages.items()))
        return [run for run in self.runs if fits(run)]

    def by_matrix(self, **wanted):
        """The one ok run of each matrix that fits. Refuses several, which would hide one."""
        found = {}
        for run in self.select(**wanted):
            add_only(found, run.matrix, run)
        return found

    def of_sweep(self, name, other=False):
        """The files of one sweep, or those of all others."""
        def fits(content):
            return any((run.get("sweep") or {}).get("name") == name for run in content["runs"])
        return Results({path: content for path, content in self.files.items()
                        if fits(content) != other})

    def keeping(self, fits):
        """The same files with fewer runs."""
        kept = Results(self.files)
        kept.runs = [run for run in self.runs if fits(run)]
        return kept

    def not_ok(self):
        return [run for run in self.runs if not run.ok]

    def hardware(self, runs=None):
        """What did the work of these runs (default: all that are ok): the cards of those that used
        one, the processors of the others."""
        names = {(not run.used_device,
                  device_name(self.meta(run)) if run.used_device else cpu_name(self.meta(run)))
                 for run in (self.select() if runs is None else runs)}
        return " and ".join(name for _, name in sorted(names)) or "nothing: no run is ok"

    def meta(self, run):
        return self.files[run.path]["meta"]

    def stand_ins(self):
        return sorted({(run.matrix, run.stand_in_for) for run in self.runs if run.stand_in_for})

    def source_lines(self, shown_from):
        """Where the numbers come from: a list for a page."""
        lines = []
        for path, content in self.files.items():
            meta = content["meta"]
            link = os.path.relpath(path, shown_from).replace(os.sep, "/")
            dirty = "" if meta["lufact"]["git_dirty"] is False else ", from a changed tree"
            lines.append(f"- [{os.path.basename(path)}]({link}): {device_name(meta)}; "
                         f"{cpu_name(meta)}; commit "
                         f"{meta['lufact']['git_sha'][:12]}{dirty}; {meta['started_at']}")
        return lines


def device_name(meta):
    return (meta["device"] or {}).get("name") or "no GPU"


def cpu_name(meta):
    host = meta["host"]
    model = re.sub(r"\((R|TM)\)| Processor$", "", host["cpu_model"] or "unknown CPU")
    return model + (f" ({host['threads']} threads)" if host.get("threads") else "")


def check_file(path, content):
    if not isinstance(content, dict) or (content.get("schema") or {}).get("name") != SCHEMA_NAME:
        raise ResultError(f"{path}: no result file of lufact; give what `lufact sweep` or "
                          "`lufact run --output` wrote")
    version = str(content["schema"].get("version"))
    if version.split(".", maxsplit=1)[0] not in SCHEMA_MAJORS:
        known = " and ".join(f"{major}.x" for major in SCHEMA_MAJORS)
        raise ResultError(f"{path}: schema version {version}; this script reads {known}: use the "
                          "scripts of that version of lufact")
    for key in ("meta", "runs"):
        if key not in content:
            raise ResultError(f"{path}: '{key}' is missing; `lufact validate` says more")
    for index, run in enumerate(content["runs"]):
        warned = any(warning["code"] == "unverified" for warning in run["warnings"])
        # The symbolic step of a foreign program hands out no pattern: a page that shows its time
        # holds its count of entries beside ours.
        counted = run["mode"] == "peer" and run["until"] == "symbolic"
        if run["outcome"] == "ok" and warned and not counted:
            raise ResultError(f"{path}: runs[{index}] was not verified (--verify none); figures "
                              "are made from verified runs only")


def load(paths):
    """Results of the files, or ResultError with what is wrong with one of them."""
    files = {}
    for path in paths:
        files[path] = read_json(path)
        check_file(path, files[path])
    return Results(files)


def read_reference(path):
    """The rows of a table of published numbers, as dictionaries of texts, and its source: lines
    that begin with # say where the numbers come from, the first other line names the columns."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    source = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [dict(zip(rows[0], row)) for row in rows[1:]], source


def rows_beside(results, name):
    """The rows of a table of measurements in the folder of a result; none where there is none."""
    for folder in sorted({os.path.dirname(run.path) for run in results.runs}):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return read_reference(path)[0]
    return []
