# SPDX-License-Identifier: BSD-3-Clause
"""Numbers in prose that come from records: where they are marked, and what a mark computes.

A mark is an HTML comment right after the numbers that it is for, which readers do not see:

  takes 5.2 times as long (2.7 to 10.5)<!-- = h200/fast.json.xz: mean(x), low(x), high(x) -->

Its expression is Python; it gives as many numbers as are to be compared, in the order of the text,
or a truth, which must hold and is for no number. FILE is below results/. The names that an
expression may use are those of Quantities and of the arithmetic functions at the end. Of a sweep
in segments, FILE is what the whole would be called.
"""
import functools
import math
import os
import re
from collections import namedtuple

import experiments
from gsofa_machines import simulated_searching, simulated_seconds
from page import published_rows
from results import geometric_mean, load, ratio, spread

MARK = re.compile(r"<!-- = ([\w./-]+): (.*?) -->", re.DOTALL)
UNRECORDED = re.compile(r"<!-- unrecorded: (.*?) -->", re.DOTALL)
# A number that is part of no name, with thousands or an exponent.
NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?(?!\.?\w*[A-Za-z_]\d|\.\d)")
UNITS = r"(?:times|ms|us|ns|s|min|minutes|seconds|GB/s|Gflop/s|Tflop/s|percent)\b|%"
MEASURED = re.compile(rf"(?<![\w.])\d[\d,]*(?:\.\d+)?\*{{0,2}}\s?(?:{UNITS})"
                      r"(?! (?:bootstrap )?interval)"
                      r"|(?<![\w./-])\d+\.\d+(?![\w]*[A-Za-z]\w*|\.\d)")

# A mark and what it is for: numbers are [(begin, end)] of their places in the text.
Mark = namedtuple("Mark", "file expression place")


def blanked(text, pattern):
    """The text with what fits the pattern made blank, each place where it was."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
TARGET = re.compile(r"\]\([^)\s]*\)")
HEADING = re.compile(r"^#+ .*$", re.MULTILINE)


def prose(text):
    """The text with code, comments, targets of links and headings made blank."""
    for pattern in (FENCE, COMMENT, CODE, TARGET, HEADING):
        text = blanked(text, pattern)
    return text


def number_of(shown):
    return float(shown.replace(",", ""))


def unit_of(shown):
    """Of the last digit that is shown; zeros at the end of a large whole number may be rounded."""
    digits, _, exponent = shown.replace(",", "").lower().partition("e")
    power = int(exponent or 0)
    if "." in digits:
        return 10.0 ** (power - len(digits.partition(".")[2]))
    zeros = len(digits) - len(digits.rstrip("0")) if len(digits) > 2 else 0
    return 10.0 ** (power + zeros)


def shown_as(value, shown):
    """The value with as many digits as are shown."""
    if "e" in shown.lower():
        digits = shown.lower().partition("e")[0].partition(".")[2]
        mantissa, exponent = f"{value:.{len(digits)}e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    places = len(shown.partition(".")[2])
    rounded = round(value / unit_of(shown)) * unit_of(shown)
    text = f"{rounded:,.{places}f}"
    return text if "," in shown or rounded >= 10_000 else text.replace(",", "")


def agrees(shown, value):
    """Whether the value, rounded to the digits that are shown, is what is shown."""
    unit = unit_of(shown)
    return abs(number_of(shown) - value) <= 0.5 * unit * (1 + 1e-9)


def require_threads(runs):
    """A part of one factorization is on the host, of which a library that got one thread only says
    nothing."""
    alone = [run.label() for run in runs if run.warns("peer_on_one_thread")]
    if alone:
        raise ValueError(f"one host thread only, where more were allowed: {', '.join(alone)}")


class Quantities:
    """What an expression may ask of one result file; every answer is a number, or {matrix:
    number}."""

    def __init__(self, path):
        self.results = load(experiments.files_of(path))
        self.with_beside = load([*self.results.files, *experiments.beside_record(path)])

    def runs(self, variant=None, until=None, **wanted):
        """The ok runs of a variant."""
        return self.results.select(variant=variant, until=until, **wanted)

    def over(self, base, other, *phases, until=None):
        """{matrix: median time of the variant `base` over that of `other`}; without phases of all
        of it."""
        first = self.results.by_matrix(variant=base, until=until)
        second = self.results.by_matrix(variant=other, until=until)
        if not phases:
            require_threads([*first.values(), *second.values()])
        return {matrix: ratio(run, second[matrix], *(phases or ("total_s",))).value
                for matrix, run in first.items() if matrix in second}

    def seconds(self, variant, *phases, until=None):
        """{matrix: median seconds of a variant}"""
        return {matrix: run.seconds(*(phases or ("total_s",))).median
                for matrix, run in self.results.by_matrix(variant=variant, until=until).items()}

    def extent(self, matrix, variant):
        """(least, most) milliseconds of all of a run, over its repetitions"""
        run = self.results.by_matrix(variant=variant, until="solve")[matrix]
        values = [1e3 * seconds for seconds in run.samples("total_s").values()]
        return min(values), max(values)

    def per_level(self, variant):
        """{matrix: seconds of levelization a level}"""
        return {matrix: seconds / self.levels()[matrix]
                for matrix, seconds in self.seconds(variant, "levelize").items()}

    def share(self, variant, part, *phases):
        """{matrix: the share of a phase in the sum of phases}, of medians"""
        whole = self.seconds(variant, *phases)
        return {matrix: seconds / whole[matrix]
                for matrix, seconds in self.seconds(variant, part).items()}

    def formats(self, design, blocks):
        """{graph: time of Table 4's M dense columns over that of so many blocks that search}, as on
        the page of E2E Figure 8"""
        page = self.script("e2e-fig8")
        own = page.own_pairs(page.pairs_of(self.results), design).get(blocks, [])
        return {pair.search.matrix: pair.speedup.value for pair in own}

    def words(self, *variants):
        """Words of work arrays a row and column of the searches of these variants."""
        return [run.get("memory", "bytes_per_source") / run.get("matrix", "n") / 4
                for variant in variants for run in self.results.select(variant=variant)
                if run.get("memory", "bytes_per_source")]

    def public(self, variant, least_levels=0):
        """{matrix: total GPU time of the public GLU3.0 over the numeric phase of a variant}, where
        there are more levels"""
        page = self.script("numeric_page")
        rows, _ = published_rows("glu3-public")
        known = {row["matrix"]: float(row["numeric_ms"]) for row in rows}
        return {matrix: page.over_public(run, known[matrix]).value
                for matrix, run in self.results.by_matrix(variant=variant).items()
                if matrix in known and run.get("factors", "levels") > least_levels}

    def over_public_search(self, variant):
        """{matrix: symbolic step of a variant over the public code of GSoFa}"""
        page = self.script("gsofa_page")
        known = page.public_times()
        return {matrix: 1e3 * run.seconds("symbolic").median / known[page.original(run)]
                for matrix, run in self.results.by_matrix(variant=variant).items()
                if page.original(run) in known}

    def get(self, variant, *keys):
        """{matrix: what the record has there}"""
        return {run.matrix: run.get(*keys) for run in self.results.select(variant=variant)
                if run.get(*keys) is not None}

    def script(self, name):
        """The functions of a page's script, which get the runs as `results`."""
        return experiments.page_module(name)

    def fast(self, library, measure="one_shot", **conditions):
        """{matrix: time of a library over that of mode fast}, as on the page, with the records that
        this has beside it; rows=(from, below), cold=whether its run was the only one."""
        page = self.script("fast_page")
        ours = self.ours(measure)
        found = self._over_fast(measure).get(library, {})
        theirs = self._fastest(library, measure)
        least, most = conditions.get("rows", (0, math.inf))
        return {matrix: value.value for matrix, value in found.items()
                if least <= ours[matrix].get("matrix", "n") < most and
                conditions.get("cold") in (None, page.is_cold(theirs[matrix]))}

    @functools.lru_cache(maxsize=None)
    def _over_fast(self, measure):
        """{library: {matrix: Ratio}}, which many claims ask for."""
        page = self.script("fast_page")
        return page.over_fast(page.with_further_settings(self.with_beside), self.ours(measure),
                              getattr(page, measure))

    @functools.lru_cache(maxsize=None)
    def _fastest(self, library, measure):
        """{matrix: the run of a library with its fastest settings}"""
        page = self.script("fast_page")
        found = page.fastest(page.with_further_settings(self.with_beside), library,
                             self.ours(measure), getattr(page, measure))
        if measure == "one_shot":
            require_threads(found.values())
        return found

    def settings(self, library, variant):
        """On how many matrices these settings of a library are its fastest for one system."""
        return sum(1 for run in self._fastest(library, "one_shot").values()
                   if run.variant == variant)

    def ours(self, measure):
        variant = "fast" if measure == "one_shot" else "fast-1000"
        return self.script("fast_page").own_runs(self.results, variant)

    def fast_seconds(self, measure="one_shot"):
        """{matrix: median seconds of mode fast}"""
        timed = getattr(self.script("fast_page"), measure)
        return {matrix: spread(timed(run).values()).median
                for matrix, run in self.ours(measure).items()}

    def without(self, part, measure="refactorization", least=0, library="cudss"):
        """{matrix: time of a library over that of fast, a phase of which takes no time}, from so
        many rows on."""
        page, found = self.script("fast_page"), {}
        timed, ours = getattr(page, measure), self.ours(measure)
        kind = "samples" if measure == "one_shot" else "refactor_samples"
        theirs = self._fastest(library, measure)
        for matrix, run in ours.items():
            if matrix in theirs and run.get("matrix", "n") >= least:
                whole, left = timed(run), run.samples(part, kind)
                found[matrix] = (page.median(timed(theirs[matrix])) /
                                 page.median({k: whole[k] - left[k] for k in whole}))
        return found

    def again(self, phase, base, other="fast-1000"):
        """{matrix: median of a phase of refactorizations of `base` over that of `other`}"""
        second = self.seconds_again(other, phase)
        return {matrix: seconds / second[matrix] for matrix, seconds in
                self.seconds_again(base, phase).items() if matrix in second}

    def seconds_again(self, variant, phase):
        """{matrix: median seconds of a phase of a variant's refactorizations}"""
        return {run.matrix: spread(run.samples(phase, "refactor_samples").values()).median
                for run in self.results.select(variant=variant, until="solve")}

    def ordering(self, base, other, least=0):
        """{matrix: time of an ordering over another's, without permuting}, from so many rows on"""
        page = self.script("fast_page")
        second = self.results.by_matrix(variant=other, until="symbolic")
        return {matrix: page.median(page.ordering_seconds(run)) /
                page.median(page.ordering_seconds(second[matrix]))
                for matrix, run in self.results.by_matrix(variant=base, until="symbolic").items()
                if matrix in second and run.get("matrix", "n") >= least}

    def batch(self, base, other, precision, first=1, last=64):
        """{order: time of a step or library over another's}, as in the pages of batches: matrices
        that are on the device"""
        import batch
        facts = {"operation": "lu", "data": "device"}
        found = batch.speedups(batch.by_order(self.results, base, precision, **facts),
                               batch.by_order(self.results, other, precision, **facts))
        return {order: value.value for order, value in found.items() if first <= order <= last}

    def dense(self, ours, theirs, pivoting, precision="double"):
        """{order, or (rows, columns): time of the fastest of some variants over that of the fastest
        of others}, on one large dense matrix"""
        import dense
        import dense_peers
        found = {}
        for (m, n), runs in dense_peers.groups(self.results)[(pivoting, precision)].items():
            pair = [dense_peers.fastest(runs, names) for names in (ours, theirs)]
            if all(pair):
                found[n if m == n else (m, n)] = dense.seconds(pair[0]) / dense.seconds(pair[1])
        return found

    def by_name(self, ours, theirs):
        """{matrix: time of the fastest of some variants over that of the fastest of others}, where
        several dense matrices have one order"""
        import dense
        import dense_peers
        found = {}
        for run in dense.select(self.results):
            found.setdefault(run.matrix, {})[dense_peers.name_of(run)] = run
        pairs = {name: [dense_peers.fastest(runs, names) for names in (ours, theirs)]
                 for name, runs in found.items()}
        return {name: dense.seconds(pair[0]) / dense.seconds(pair[1])
                for name, pair in pairs.items() if all(pair)}

    def together(self, count):
        """{matrix: systems a second of `fast` among so many over those of one at a time}"""
        page = self.script("systems_page")
        return {matrix: value.value
                for matrix, value in page.gains(page.found_runs(self.results), count).items()}

    def bar_of_systems(self, least):
        """On how many matrices the page's bar of so many times is held, of how many."""
        page = self.script("systems_page")
        bar = next(bar for bar in page.BARS if bar.least == least)
        held, missed = page.split_by(bar, page.found_runs(self.results))
        return len(held), len(held) + len(missed)

    def simulated(self, machine):
        """{matrix: time of the symbolic step on one device over that simulated on a machine}"""
        one = self.seconds("gsofa", "symbolic")
        return {run.matrix: one[run.matrix] / simulated_seconds(run) for run in self.runs(machine)}

    def slowest_slice(self, machine):
        """{matrix: share of the slowest slice, supernodes included, in the time simulated}"""
        return {run.matrix: simulated_searching(run) / simulated_seconds(run)
                for run in self.runs(machine)}

    def searches(self, machine):
        """{matrix: searches of all slices together over the symbolic step on one device}"""
        one = self.seconds("gsofa", "symbolic")
        return {run.matrix: sum(part["search_s"] for part in run.get("distribution", "slices")) /
                one[run.matrix] for run in self.runs(machine)}

    def agreeing(self, *keys):
        """How many matrices all variants agree on, in an entry of the record."""
        found = {}
        for run in self.results.runs:
            found.setdefault(run.matrix, set()).add(run.get(*keys) if run.ok else None)
        return sum(len(values) == 1 and None not in values for values in found.values())

    def errors(self, variant):
        """{matrix: backward error}, of runs that are not ok, too"""
        return {run.matrix: run.get("verification", "backward_error")
                for run in self.results.runs if run.variant == variant
                and run.get("verification", "backward_error") is not None}

    def outcomes(self, outcome):
        """The runs that ended so."""
        return [run for run in self.results.runs if run.record["outcome"] == outcome]

    def matrices(self, generated):
        """Those with a run that is ok."""
        return {run.matrix for run in self.results.select() if run.generated == generated}

    def rows(self):
        return {run.matrix: run.get("matrix", "n") for run in self.results.runs
                if run.get("matrix", "n")}

    def levels(self):
        return {run.matrix: run.get("factors", "levels") for run in self.results.runs
                if run.get("factors", "levels")}


def where(values, condition):
    """Those of {matrix: number} whose number is such."""
    return {name: value for name, value in values.items() if condition(value)}


def only(values, *names):
    return {name: value for name, value in values.items() if name in names}


def but(values, *names):
    return {name: value for name, value in values.items() if name not in names}


ARITHMETIC = {
    "mean": lambda values: geometric_mean(values.values()).value,
    "low": lambda values: min(values.values()), "high": lambda values: max(values.values()),
    "n": len, "where": where, "only": only,
    "but": but, "len": len, "max": max, "min": min, "sum": sum,
    "all": all, "any": any, "abs": abs, "sorted": sorted, "set": set,
}


class Report:
    """What an expression may ask of REPORT.md."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()

    def verdicts(self, verdict):
        """How many claims end so."""
        return len(re.findall(rf"^\| .* \| \*\*{verdict}\*\* \| \[", self.text, re.MULTILINE))


@functools.lru_cache(maxsize=None)
def quantities(path):
    return Report(path) if path.endswith(".md") else Quantities(path)


def value_of(path, expression):
    """What an expression gives of a result file: a tuple of numbers, or a truth."""
    known = quantities(path)
    names = {name: getattr(known, name) for name in dir(known) if not name.startswith("_")}
    value = eval(expression, {"__builtins__": {}, **names, **ARITHMETIC})
    return value if isinstance(value, (bool, tuple)) else (value,)


def marks_of(text):
    """Every mark outside of code."""
    without_code = blanked(blanked(text, FENCE), CODE)
    return [Mark(match[1], " ".join(match[2].split()), match.start())
            for match in MARK.finditer(text) if without_code[match.start()] == "<"]


def numbers_before(plain, place, count):
    """The last numbers of the paragraph before a place: matches in the prose."""
    start = plain.rfind("\n\n", 0, place) + 1
    return list(NUMBER.finditer(plain, start, place))[-count:]


class Page:
    """A page in Markdown with its marks, and what is wrong with them."""

    def __init__(self, text, results):
        self.text, self.plain, self.results = text, prose(text), results
        self.marks = marks_of(text)
        self.covered = []  # places of numbers that a mark is for
        self.faults = []  # (line, what is wrong)
        self.corrections = []  # (begin, end, the number as it should be)

    def fault(self, place, what):
        self.faults.append((self.text.count("\n", 0, place) + 1, what))

    def check(self):
        for mark in self.marks:
            if what := self.fault_of(mark):
                self.fault(mark.place, what)
        for place, number in self.unmarked():
            self.fault(place, f"'{number}' stands beside links to records and has no mark")
        return self.faults

    def fault_of(self, mark):
        """What is wrong with a mark, or None."""
        if self.text[:mark.place].endswith("\n"):
            return "a mark that begins a line ends the paragraph before it"
        path = os.path.join(self.results, mark.file)
        if not experiments.files_of(path):
            return f"there is no {mark.file}"
        try:
            values = value_of(path, mark.expression)
        except Exception as error:  # an expression may fail in any way
            return f"{mark.expression}: {type(error).__name__}: {error}"
        truth = isinstance(values, bool)
        shown = numbers_before(self.plain, mark.place, 1 if truth else len(values))
        self.covered += [match.span() for match in shown]
        if truth:
            return None if values else f"{mark.expression} does not hold"
        if len(shown) < len(values):
            return f"{mark.expression}: {len(values)} numbers, and {len(shown)} before it"
        wrong = [(match, value) for match, value in zip(shown, values)
                 if not agrees(match[0], value)]
        self.corrections += [(*match.span(), shown_as(value, match[0])) for match, value in wrong]
        said = ", ".join(f"{match[0]} is {value:.6g}" for match, value in wrong)
        return f"{mark.expression}: {said}" if wrong else None

    def corrected(self):
        """The text with the numbers that check() found to be others."""
        text = self.text
        for begin, end, number in sorted(self.corrections, reverse=True):
            text = text[:begin] + number + text[end:]
        return text

    def unmarked(self):
        """(place, number) of what looks measured in a section that links to records, is in no
        paragraph of UNRECORDED and has no mark."""
        for start, end in sections(self.text):
            if not RECORD_LINK.search(self.text[start:end]):
                continue
            for first, last in paragraphs(self.text, start, end):
                if UNRECORDED.search(self.text[first:last]):
                    continue
                for match in MEASURED.finditer(self.plain, first, last):
                    if not any(begin <= match.start() < end for begin, end in self.covered):
                        yield match.start(), match[0].strip()


# What a section has that is about records: a link to one or its page, or its name as the heading.
RECORD_LINK = re.compile(r"\]\([^)\s]*(?:h200|h100|cpu|figures)/[\w.-]+\.(?:json|md)|REPORT\.md\)"
                         r"|^#+ .*\.json", re.MULTILINE)


def sections(text):
    """(start, end) of what stands under each heading."""
    starts = [0] + [match.start() for match in HEADING.finditer(blanked(text, FENCE))]
    return list(zip(starts, starts[1:] + [len(text)]))


def paragraphs(text, start, end):
    place = start
    for part in re.split(r"(\n\s*\n)", text[start:end]):
        if part.strip():
            yield place, place + len(part)
        place += len(part)
