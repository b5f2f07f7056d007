# SPDX-License-Identifier: BSD-3-Clause
"""Judges a record of scripts/check_turns: whether the times of a mode depend on who takes turns
with it, on how OpenMP is set, and on one foreign busy thread.

A record has `measurements`, each
  {"matrix", "condition", "beside": peer or null, "processes": [{
     "outcome": of our mode, "peer_turns": turns that the peer took or null,
     "phases": {"total": [seconds of each repetition], "scale": [...], ...},
     "host_state": as lufact writes it or null, "host": [samples[].host or part of it],
     "warnings": {"ours": [codes], PEER: [codes]}}]}
with a condition of CONDITIONS. A process is one invocation of lufact and stands for a worker of its
own: repetitions of one process have its memory, its threads and its seconds on the host in common,
so that the ratio of medians is known as well as processes agree.
"""
import functools
from collections import namedtuple

from intervals import RESAMPLES, bounds, hash64, median

CONDITIONS = ("default", "bound", "half", "busy")
AGREEMENT = 0.10      # medians alone and in turns
SLOWDOWN = 1.5        # beside one busy thread, and bound to places
LEAST_SECONDS = 1e-3  # of phases that are judged
WIDEST = 0.20         # of an interval that decides
LEAST_PROCESSES = 5   # of either side, that an interval is made of
SEED = 1
NO_TIME = 1e-12       # seconds, of a phase that was not there: a ratio stays a number
SHARED = 1.2          # times the quickest pace seen, from which on a core counts as shared
HELD, FAILED, UNDECIDED, UNKNOWN = "holds", "does not hold", "undecided", "cannot be told"

# `ratio` is `median_s` over `base_s`, both of the phase, `interval` where it lies; None where the
# rule is not about times, or not about an interval.
Finding = namedtuple("Finding", "rule matrix condition beside phase base_s median_s ratio interval "
                                "verdict")


class MissingMeasurement(Exception):
    """What a record lacks to be judged."""


def is_earlier(data):
    """Of a check_turns that kept no processes apart, and judged by medians alone."""
    return any("processes" not in found for found in data["measurements"])


class Record:
    def __init__(self, data):
        if is_earlier(data):
            raise MissingMeasurement("this record is of an earlier check_turns, which kept no "
                                     "processes apart; judge it with the one of its commit")
        self.by_name = {}
        for found in data["measurements"]:
            self.by_name[(found["matrix"], found["condition"], found["beside"])] = found
        self.matrices = list(dict.fromkeys(matrix for matrix, _, _ in self.by_name))

    def conditions(self, matrix):
        return [c for c in CONDITIONS if (matrix, c, None) in self.by_name]

    def get(self, matrix, condition, beside):
        found = self.by_name.get((matrix, condition, beside))
        if found is None:
            raise MissingMeasurement(f"{matrix}, {condition}, "
                                     f"{'beside ' + beside if beside else 'alone'} is missing")
        return found

    def sides(self, matrix, condition):
        """None for alone, and the peers."""
        return [beside for m, c, beside in self.by_name if (m, c) == (matrix, condition)]

    def all_taken(self, *where):
        """Whether each of these (matrix, condition, beside) has processes: a measurement that was
        stopped lacks some that it planned."""
        return all(self.get(*name)["processes"] for name in where)


def seconds_by_process(measurement, phase):
    """[[seconds of each repetition] of each process]; a process that lacks the phase took none."""
    return [process["phases"].get(phase) or [0.0] * len(process["phases"].get("total", [0]))
            for process in measurement["processes"]]


def pooled(processes):
    return [seconds for process in processes for seconds in process]


@functools.lru_cache(maxsize=None)
def drawn_processes(count, seed):
    """The processes that each resample takes, with replacement."""
    return [tuple(hash64(seed, resample, place) % count for place in range(count))
            for resample in range(RESAMPLES)]


def ratio_interval(base, other):
    """Where the ratio of medians other / base lies, 95%: the percentile bootstrap over processes,
    each side drawn for itself with all repetitions of a process at a time (A. C. Davison, D. V.
    Hinkley, Bootstrap Methods and their Application, 1997, section 3.8). None below LEAST_PROCESSES
    on a side."""
    if min(len(base), len(other)) < LEAST_PROCESSES:
        return None

    def medians(processes, seed):
        return [median(pooled([processes[k] for k in chosen]))
                for chosen in drawn_processes(len(processes), seed)]
    pairs = zip(medians(base, SEED), medians(other, hash64(SEED, 0, 1)))
    return bounds((b / max(a, NO_TIME), 1) for a, b in pairs)


def agreement(interval):
    """Whether the ratio is within the band: an interval that lies beside it says no, one that is
    too wide says nothing."""
    if interval is None:
        return UNDECIDED
    low, high = interval
    if low > 1 + AGREEMENT or high < 1 - AGREEMENT:
        return FAILED
    return HELD if high - low <= WIDEST else UNDECIDED


def judge_outcome(measurement):
    where = (measurement["matrix"], measurement["condition"], measurement["beside"])
    if not measurement["processes"]:
        yield Finding("taken", *where, "", None, None, None, None, UNDECIDED)
        return
    yield Finding("taken", *where, "", None, None, None, None, HELD)
    ended = all(p["outcome"] == "ok" for p in measurement["processes"])
    yield Finding("ok", *where, "", None, None, None, None, HELD if ended else FAILED)
    if measurement["beside"] is not None:
        took = all(p["peer_turns"] >= len(p["phases"].get("total", []))
                   for p in measurement["processes"])
        yield Finding("peer", *where, "", None, None, None, None, HELD if took else FAILED)


def judge_turns(record, matrix, condition, peer):
    """Our phases in turns with `peer` are those alone."""
    alone, turns = record.get(matrix, condition, None), record.get(matrix, condition, peer)
    phases = dict.fromkeys(phase for side in (alone, turns) for process in side["processes"]
                           for phase in process["phases"])
    for phase in phases:
        base, other = seconds_by_process(alone, phase), seconds_by_process(turns, phase)
        base_s, median_s = median(pooled(base)), median(pooled(other))
        if max(base_s, median_s) < LEAST_SECONDS and phase != "total":
            continue
        interval = ratio_interval(base, other)
        yield Finding("turns", matrix, condition, peer, phase, base_s, median_s,
                      median_s / max(base_s, NO_TIME), interval,
                      agreement(interval))


def judge_slowdown(rule, base, other):
    """Medians of totals: at most SLOWDOWN times as long."""
    base_s, median_s = (median(pooled(seconds_by_process(m, "total"))) for m in (base, other))
    ratio = median_s / max(base_s, NO_TIME)
    yield Finding(rule, other["matrix"], other["condition"], other["beside"], "total", base_s,
                  median_s, ratio, None, HELD if ratio <= SLOWDOWN else FAILED)


def judge_bound(record, matrix):
    """Binding threads to places does not put them all on one."""
    return judge_slowdown("bound", record.get(matrix, "default", None),
                          record.get(matrix, "bound", None))


def judge_busy(record, matrix, beside):
    """One foreign busy thread costs what it takes, and the record says that it was there."""
    busy = record.get(matrix, "busy", beside)
    yield from judge_slowdown("busy", record.get(matrix, "default", beside), busy)
    states = [process["host_state"] or {} for process in busy["processes"]]
    tells = any(state.get(key) is not None for state in states
                for key in ("foreign_processors", "other_processors"))
    said = any("host_busy" in process["warnings"].get("ours", []) for process in busy["processes"])
    verdict = (HELD if said else FAILED) if tells else UNKNOWN
    yield Finding("said", matrix, "busy", beside, "", None, None, None, None, verdict)


def judge_condition(record, matrix, condition):
    """Everything that a condition is asked for, as far as it was measured."""
    quiet = (matrix, "default", None)
    for beside in record.sides(matrix, condition):
        here = (matrix, condition, beside)
        yield from judge_outcome(record.get(*here))
        if condition == "busy" and record.all_taken(here, (matrix, "default", beside)):
            yield from judge_busy(record, matrix, beside)
        if condition != "busy" and beside and record.all_taken(here, (matrix, condition, None)):
            yield from judge_turns(record, matrix, condition, beside)
    if condition == "bound" and record.all_taken(quiet, (matrix, "bound", None)):
        yield from judge_bound(record, matrix)


def judge(data):
    """Every finding of a record, or MissingMeasurement."""
    record = Record(data)
    if not any(m["processes"] for m in data["measurements"]):
        raise MissingMeasurement("nothing was measured")
    return [finding for matrix in record.matrices for condition in record.conditions(matrix)
            for finding in judge_condition(record, matrix, condition)]


def paces(measurement):
    """Of each repetition how long the fixed additions took on the core of the main thread, over the
    chain of multiplications, which a shared core leaves as it is: before and after, the larger."""
    found = []
    for process in measurement["processes"]:
        for host in process.get("host", []):
            both = [host.get(key) for key in ("core_before", "core_after")] if host else [None]
            if all(both):
                found.append(max(pace["independent_s"] / pace["dependent_s"] for pace in both))
    return found


def shared_cores(data):
    """{beside or None: share of repetitions whose main thread was on a core that somebody else used
    as well, at the quickest pace of the record}; empty where the record does not tell."""
    by_side = {}
    for measurement in data["measurements"]:
        if measurement["condition"] != "busy":
            by_side.setdefault(measurement["beside"], []).extend(paces(measurement))
    every = [pace for side in by_side.values() for pace in side]
    if not every:
        return {}
    quickest = sorted(every)[len(every) // 20]
    return {side: sum(pace > SHARED * quickest for pace in found) / len(found)
            for side, found in by_side.items() if found}


def interval_text(interval):
    if interval is None:
        return f"fewer than {LEAST_PROCESSES} processes on a side"
    low, high = interval
    return f"{low:.2f} to {high:.2f}, {high - low:.2f} wide"


def line_of(finding):
    where = f"{finding.matrix}, {finding.condition}"
    where += f", beside {finding.beside}" if finding.beside else ", alone"
    if finding.rule == "taken":
        return f"{where}: not measured yet"
    if finding.rule == "ok":
        return f"{where}: did not end well"
    if finding.rule == "peer":
        return f"{where}: {finding.beside} did not take all of its turns"
    if finding.rule == "said":
        verdict = "does not warn of a busy host" if finding.verdict == FAILED else \
            "this host does not tell what other processes do"
        return f"{where}: {verdict}"
    than = {"turns": "alone", "bound": "unbound", "busy": "on the quiet host"}[finding.rule]
    text = (f"{where}: {finding.phase} {1e3 * finding.median_s:.2f} ms, {finding.ratio:.2f} times "
            f"the {1e3 * finding.base_s:.2f} ms {than}")
    return text + (f" ({interval_text(finding.interval)})" if finding.rule == "turns" else "")


RULES = {"taken": "measurements that were taken",
         "ok": "runs that ended well",
         "peer": "peers that took their turns",
         "turns": f"medians in turns within {AGREEMENT:.0%} of those alone, by 95% intervals of at "
                  f"most {WIDEST:.2f}",
         "bound": f"bound to places at most {SLOWDOWN} times slower",
         "busy": f"beside one busy thread at most {SLOWDOWN} times slower",
         "said": "records that warn of the busy host"}


def rule_line(rule, findings):
    """How many hold, and how many nobody can tell."""
    judged = [finding for finding in findings if finding.verdict != UNKNOWN]
    counts = {v: sum(f.verdict == v for f in judged) for v in (HELD, FAILED, UNDECIDED)}
    line = f"{RULES[rule]}: {counts[HELD]} of {len(judged)}"
    if counts[UNDECIDED]:
        line += f", {counts[FAILED]} do not, {counts[UNDECIDED]} are undecided"
    ratios = [finding.ratio for finding in judged if finding.ratio is not None]
    if ratios:
        line += f" (ratios {min(ratios):.2f} to {max(ratios):.2f}"
        widths = [f.interval[1] - f.interval[0] for f in judged if f.interval is not None]
        if widths:
            inside = sum(f.interval is not None and f.interval[0] >= 1 - AGREEMENT
                         and f.interval[1] <= 1 + AGREEMENT for f in judged)
            line += (f", intervals {min(widths):.2f} to {max(widths):.2f} wide, {inside} wholly "
                     f"within {AGREEMENT:.0%}")
        line += ")"
    if len(judged) < len(findings):
        line += f"; {len(findings) - len(judged)} cannot be told here"
    return line


def counts_line(data):
    counts = sorted({len(m["processes"]) for m in data["measurements"] if m["processes"]})
    repetitions = sorted({len(p["phases"].get("total", [])) for m in data["measurements"]
                          for p in m["processes"]})
    span = "{} to {}".format(counts[0], counts[-1]) if len(counts) > 1 else counts[0]
    return f"{span} processes a side, {' or '.join(map(str, repetitions))} repetitions each"


def sides_text(shared):
    return ", ".join(f"{share:.0%} {'beside ' + side if side else 'alone'}"
                     for side, share in shared.items())


def report(data, findings):
    """A short text: how many hold of each rule, the totals in turns, each that does not hold or is
    undecided, and what was left out."""
    lines = [f"{data['mode']} on {data['host']}, {data['lufact']}", counts_line(data)]
    for rule in RULES:
        of_rule = [finding for finding in findings if finding.rule == rule]
        if of_rule:
            lines.append(rule_line(rule, of_rule))
    for verdict in (FAILED, UNDECIDED):
        lines += [f"  {verdict}: {line_of(f)}" for f in findings if f.verdict == verdict]
    lines += [f"  {line_of(f)}" for f in findings
              if f.rule == "turns" and f.phase == "total" and f.verdict == HELD]
    lines += [f"  left out: {matrix} beside {peer}" for peer, matrix in data.get("left_out", [])]
    if shared := shared_cores(data):
        lines.append("repetitions whose core somebody else used as well: " + sides_text(shared))
    lines.append(verdict_of(findings))
    return "\n".join(lines) + "\n"


def verdict_of(findings):
    """Of the whole record."""
    verdicts = {finding.verdict for finding in findings}
    return next((v for v in (FAILED, UNDECIDED) if v in verdicts), HELD)
