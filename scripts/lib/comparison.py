# SPDX-License-Identifier: BSD-3-Clause
"""Published numbers beside ours: paper | ours | ratio | comparable? why, with the raw record."""
import os
import re
from collections import namedtuple

from intervals import LEAST_PAIRS, SIGNIFICANT, p_text
from results import ResultError, geometric_mean, mean_text, three_digits

# paper and ours are numbers or texts; run is the one that `ours` is from, or None for several.
Comparison = namedtuple("Comparison", "what paper ours comparable why run")

REPRODUCED, CONTRADICTED, UNTESTED = "reproduced", "contradicted", "not testable here"
ARITHMETIC = "arithmetic"
VERDICTS = (REPRODUCED, CONTRADICTED, UNTESTED, ARITHMETIC)


class Claim(namedtuple("Claim", "what paper ours verdict why")):
    """What a paper claims, what is found here and what follows."""

    def row(self):
        return [self.what, self.paper, self.ours, f"**{self.verdict}**: {self.why}"]


HEADER = ["what", "paper", "ours", "ours / paper", "comparable?", "raw record"]
STAND_IN = "a stand-in of the same class, with another structure and fill"


def original(run):
    """The name of the published matrix that a run stands for, without its group."""
    return (run.stand_in_for or run.matrix).split("/")[-1]


def of_one_matrix(what, paper, ours, run, hardware=None):
    """A comparison on one matrix, for which a stand-in is not good enough. hardware: what the
    paper measured on, None for a count, which no machine changes."""
    if run.stand_in_for or run.generated:
        comparable, why = "no", STAND_IN
    elif hardware is None:
        comparable, why = "yes", "the same matrix, and a count"
    else:
        comparable, why = "partly", f"the same matrix; the paper has {hardware}"
    return Comparison(f"{original(run)}: {what}", paper, ours, comparable, why, run)


def of_many(what, paper, ours, runs, hardware):
    """A comparison of a range or a mean over all matrices."""
    real = sum(1 for run in runs if not run.generated)
    why = (f"direction and size only; other matrices ({real} real, {len(runs) - real} generated) "
           f"and another machine; the paper has {hardware}")
    return Comparison(what, paper, ours, "partly", why, None)


def number_text(value):
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else three_digits(value)


def ratio_text(comparison):
    paper, ours = comparison.paper, comparison.ours
    if isinstance(paper, str) or isinstance(ours, str) or not paper or ours is None:
        return "-"
    return three_digits(ours / paper)


def record_link(comparison, results, folder):
    """To the file, with the place of the run in it."""
    run = comparison.run
    paths = [run.path] if run else list(results.files)
    place = f" runs[{run.index}]" if run else ""
    return ", ".join(f"[{os.path.basename(path)}]"
                     f"({os.path.relpath(path, folder).replace(os.sep, '/')}){place}"
                     for path in paths)


def comparison_row(comparison, results, folder):
    return [comparison.what, number_text(comparison.paper), number_text(comparison.ours),
            ratio_text(comparison), f"{comparison.comparable}: {comparison.why}",
            record_link(comparison, results, folder)]


def required(results, **selections):
    """{name: {matrix: run}} of several selections, which must have matrices in common.

    Each selection is a dictionary for Results.by_matrix. Only matrices that all of them have are
    kept. Raises ResultError saying what there is instead.
    """
    found = {name: results.by_matrix(**wanted) for name, wanted in selections.items()}
    common = [matrix for matrix in next(iter(found.values()))
              if all(matrix in runs for runs in found.values())]
    if not common:
        raise ResultError(f"no matrix has verified runs of {' and '.join(found)} in "
                          f"{', '.join(results.files)}: {what_there_is(results)}")
    return {name: {matrix: runs[matrix] for matrix in common} for name, runs in found.items()}


def completed(results, sweep):
    """The runs of a sweep, and those of others on matrices that it has no ok run on, by published
    names. All of them where it is not there."""
    own = {original(run) for run in results.select(sweep=sweep)}
    return results.keeping(lambda run: not own or run.sweep == sweep or original(run) not in own)


def what_there_is(results):
    """In one line: how the runs ended, and the first reason why one is not ok."""
    outcomes = {}
    for run in results.runs:
        outcomes[run.record["outcome"]] = outcomes.get(run.record["outcome"], 0) + 1
    counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()) or "no run"
    failed = results.not_ok()
    reason = (failed[0].get("error", "message") or "").splitlines() if failed else []
    return counts + (f" ({failed[0].label()}: {reason[0]})" if reason else "")


# Matrices by the 95% interval of their ratio: above 1, below 1, around 1, and without an interval.
Sides = namedtuple("Sides", "above below around unknown")


def sides(ratios):
    found = Sides([], [], [], [])
    for name, ratio in ratios.items():
        place = (found.unknown if not ratio.known else found.above if ratio.above else
                 found.below if ratio.below else found.around)
        place.append(name)
    return found


def sides_text(who, ratios, what="matrices"):
    """On how many `who` is faster and slower, as far as intervals tell."""
    found = sides(ratios)
    if len(found.unknown) == len(ratios):
        above = sum(1 for ratio in ratios.values() if ratio.value > 1)
        return (f"`{who}` has the smaller median on {above} of {len(ratios)} {what}; with fewer "
                f"than {LEAST_PAIRS} repetitions there is no interval, and neither is called the "
                "faster one.")
    parts = [f"`{who}` is faster on {len(found.above)} of {len(ratios)} {what}"]
    for names, text in ((found.below, "slower on"), (found.around, "neither, by its interval, on"),
                        (found.unknown, "without an interval on")):
        if names:
            parts.append(f"{text} {len(names)} ({', '.join(names)})")
    return ", ".join(parts) + "."


def trend_text(correlation, sign):
    """A rank correlation with its p-value; sign: 1 or -1, that of the paper."""
    text = f"{correlation.value:.2f} (n = {correlation.n}, {p_text(correlation.p)})"
    if correlation.p >= SIGNIFICANT:
        return text + ", too weak to tell"
    agrees = correlation.value * sign > 0
    return text + (", as published" if agrees else ", the other way round than published")


def judged(what, paper, ours, holds, fails, missing=(), more="",
           evidence="the 95% interval leaves 1", undecided=""):
    """The Claim. holds, fails: whether the intervals say so; missing: what keeps the experiment
    from being the published one; more: what else a reader must know; undecided: why neither
    follows, where not for want of an interval that leaves 1."""
    more = f"; {more}" if more else ""
    if missing:
        return Claim(what, paper, ours, UNTESTED, "; ".join(missing) + more)
    if holds:
        return Claim(what, paper, ours, REPRODUCED, evidence + more)
    if fails:
        return Claim(what, paper, ours, CONTRADICTED,
                     f"equal comparison in the published regime; {evidence}{more}")
    return Claim(what, paper, ours, UNTESTED, (undecided or "the intervals do not tell") + more)


def stand_ins_of(runs):
    """Names of the matrices that stand for others: they cannot contradict what is said of those."""
    return {run.matrix for run in runs if run.stand_in_for}


def judged_mean(what, paper, ratios, missing=(), more="", stand_ins=()):
    """Of a mean speedup over matrices that is to be above 1; only a mean over real ones that is
    below contradicts it."""
    mean = geometric_mean(ratio.value for ratio in ratios.values())
    real = geometric_mean(ratio.value for name, ratio in ratios.items() if name not in stand_ins)
    holds = mean.low is not None and mean.low > 1
    if holds:
        more = joined(size_note(paper, mean.low, mean.high), more)
    return judged(what, paper, mean_text(mean), holds,
                  real is not None and real.high is not None and real.high < 1, missing, more,
                  "the mean's 95% interval leaves 1")


def size_note(paper, low, high):
    """What to say of numbers from low to high that lie beside those of the paper, "6.7" or
    "2.88x to 3.33x": that the direction is the same is not all."""
    match = re.fullmatch(r"([\d.,]+)x?(?: to ([\d.,]+)x?)?", paper)
    if not match:
        return ""
    least, most = (float(number.replace(",", "")) for number in (match[1], match[2] or match[1]))
    if high < least:
        return f"the direction alone: all of it is below the published {match[1]}"
    return f"all of it is above the published {match[2] or match[1]}" if low > most else ""


def joined(*notes):
    return "; ".join(filter(None, notes))


def judged_everywhere(who, what, paper, ratios, missing=(), more="", stand_ins=()):
    """Of a speedup that is to be above 1 on every matrix; only a real one contradicts it."""
    found = sides(ratios)
    real = [name for name in found.below if name not in stand_ins]
    holds = 0 < len(ratios) == len(found.above)
    if holds:
        values = [ratio.value for ratio in ratios.values()]
        more = joined(size_note(paper, min(values), max(values)), more)
    undecided = "slower on stand-ins only, which contradict nothing" if found.below else ""
    return judged(what, paper, f"{sides_text(who, ratios)} {extremes_text(ratios)}", holds,
                  bool(real), missing, more, undecided=undecided)


def extremes_text(ratios):
    """The smallest and the largest ratio with their intervals."""
    def text(name):
        value, *bounds = ratios[name]
        interval = f" [{', '.join(map(three_digits, bounds))}]" if ratios[name].known else ""
        return f"{three_digits(value)}{interval} ({name})"
    ordered = sorted(ratios, key=lambda name: ratios[name].value)
    return f"From {text(ordered[0])} to {text(ordered[-1])}." if ordered else ""


def judged_trend(what, paper, correlation, sign, missing=(), more="", stand_ins=()):
    """Of a rank correlation; sign: 1 or -1, that of the paper. Stand-ins have neither the structure
    nor the fill of what they stand for: with one among them nothing is contradicted."""
    if correlation is None:
        return judged(what, paper, "one of the two does not vary", False, False, missing, more)
    clear, along = correlation.p < SIGNIFICANT, correlation.value * sign > 0
    against = clear and not along
    return judged(what, paper, f"rank correlation {trend_text(correlation, sign)}",
                  clear and along, against and not stand_ins, missing, more,
                  f"{p_text(correlation.p)}",
                  "the other way round, but on stand-ins" if against else "")


GIBIBYTE = 2**30
PUBLISHED_BUDGET = 16 * GIBIBYTE


MOST_ABSENT = 1 / 3  # of the published matrices, for a verdict on the others


def absent_matrices(runs, names):
    """What to say of published matrices that neither ran nor have a stand-in."""
    absent = [name for name in names if name not in {original(run) for run in runs}]
    return absent, (f"{len(absent)} of {len(names)} published matrices did not run "
                    f"({', '.join(absent)})")


def missing_matrices(runs, names):
    """The same where they are too many for a verdict."""
    absent, text = absent_matrices(runs, names)
    return [text] if len(absent) > MOST_ABSENT * len(names) else []


def few_missing(runs, names):
    """The same where they are not: what a verdict is to be read with."""
    absent, text = absent_matrices(runs, names)
    return text if 0 < len(absent) <= MOST_ABSENT * len(names) else ""


def missing_budget(runs):
    """What to say of runs that had another memory than the paper's card."""
    budgets = sorted({run.get("memory", "budget_bytes") for run in runs
                      if run.get("memory", "budget_bytes")})
    others = [budget for budget in budgets if budget != PUBLISHED_BUDGET]
    return [f"device memory of {' and '.join(f'{b / GIBIBYTE:.3g} GiB' for b in others)} instead "
            "of 16 GiB"] if others else []


def missing_oversubscription(results, runs):
    """What to say of managed memory that fits the card, as it did not in the paper."""
    fits = [run for run in runs if (run.get("memory", "managed_peak_bytes") or 0)
            < results.meta(run)["device"]["memory_bytes"]]
    if not fits:
        return []
    largest = max(run.get("memory", "managed_peak_bytes") or 0 for run in fits)
    return [f"the managed arrays fit the card ({largest / GIBIBYTE:.3g} GiB or less), so that "
            "nothing is evicted"]


def missing_repetitions(ratios):
    unknown = sides(ratios).unknown
    return [f"no 95% interval of {len(unknown)} of {len(ratios)} ratios (fewer than {LEAST_PAIRS} "
            "repetitions)"] if unknown else []


def stand_in_note(runs, names=(), orders=None):
    """How many of these runs are on stand-ins, of which how many smaller ones than the published
    matrices where their {name: rows} are given, and which published names are left out."""
    stand_ins = [run for run in runs if run.stand_in_for]
    smaller = [run for run in stand_ins if run.get("matrix", "n") < (orders or {}).get(
        original(run), 0)]
    return joined(f"{len(stand_ins)} of {len(runs)} matrices are stand-ins" if stand_ins else "",
                  f"{len(smaller)} of them smaller than the published ones" if smaller else "",
                  few_missing(runs, names))
