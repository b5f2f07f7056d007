# SPDX-License-Identifier: BSD-3-Clause
"""Judges a record of scripts/check_turns: whether the times of a mode depend on who takes turns
with it, on how OpenMP is set, and on one foreign busy thread.

A record has `measurements`, each
  {"matrix", "condition", "beside": peer or null, "outcome": of our mode,
   "phases": {"total": [seconds], "scale": [...], ...}, "host_state": as lufact writes it or null,
   "warnings": {"ours": [codes], PEER: [codes]}}
with a condition of CONDITIONS.
"""
from collections import namedtuple

from results import spread

CONDITIONS = ("default", "bound", "half", "busy")
AGREEMENT = 0.10     # medians alone and in turns
SLOWDOWN = 1.5       # beside one busy thread, and bound to places
LEAST_SECONDS = 1e-3  # of phases that are judged

# `ok` is None where the host does not tell what would have to be known. `ratio` is `median_s` over
# `base_s`, both of the phase; None where the rule is not about times.
Finding = namedtuple("Finding", "rule matrix condition beside phase base_s median_s ratio ok")


class MissingMeasurement(Exception):
    """What a record lacks to be judged."""


def median(seconds):
    return spread(seconds).median


class Record:
    def __init__(self, data):
        self.by_name = {(m["matrix"], m["condition"], m["beside"]): m for m in data["measurements"]}
        self.matrices = list(dict.fromkeys(m["matrix"] for m in data["measurements"]))
        self.conditions = [c for c in CONDITIONS
                           if any(m["condition"] == c for m in data["measurements"])]
        self.peers = list(dict.fromkeys(m["beside"] for m in data["measurements"] if m["beside"]))

    def get(self, matrix, condition, beside):
        found = self.by_name.get((matrix, condition, beside))
        if found is None:
            raise MissingMeasurement(f"{matrix}, {condition}, "
                                     f"{'beside ' + beside if beside else 'alone'} is missing")
        return found


def compare_phases(rule, base, other, phases, limit):
    """One finding for each phase. `limit(ratio)` says whether it holds."""
    for phase in phases:
        base_s, median_s = (median(m["phases"][phase]) if m["phases"].get(phase) else 0
                            for m in (base, other))
        if max(base_s, median_s) < LEAST_SECONDS and phase != "total":
            continue
        ratio = median_s / base_s if base_s > 0 else float("inf")
        yield Finding(rule, other["matrix"], other["condition"], other["beside"], phase, base_s,
                      median_s, ratio, limit(ratio))


def agrees(ratio):
    return 1 - AGREEMENT <= ratio <= 1 + AGREEMENT


def is_not_much_slower(ratio):
    return ratio <= SLOWDOWN


def judge_outcome(measurement):
    yield Finding("ok", measurement["matrix"], measurement["condition"], measurement["beside"], "",
                  None, None, None, measurement["outcome"] == "ok")


def judge_turns(record, matrix, condition, peer):
    """Our phases in turns with `peer` are those alone."""
    alone, turns = record.get(matrix, condition, None), record.get(matrix, condition, peer)
    phases = list(dict.fromkeys([*alone["phases"], *turns["phases"]]))
    return compare_phases("turns", alone, turns, phases, agrees)


def judge_bound(record, matrix):
    """Binding threads to places does not put them all on one."""
    return compare_phases("bound", record.get(matrix, "default", None),
                          record.get(matrix, "bound", None), ["total"], is_not_much_slower)


def judge_busy(record, matrix, beside):
    """One foreign busy thread costs what it takes, and the record says that it was there."""
    quiet, busy = record.get(matrix, "default", beside), record.get(matrix, "busy", beside)
    yield from compare_phases("busy", quiet, busy, ["total"], is_not_much_slower)
    state = busy["host_state"] or {}
    tells = any(state.get(key) is not None for key in ("foreign_processors", "other_processors"))
    said = "host_busy" in busy["warnings"].get("ours", [])
    yield Finding("said", matrix, "busy", beside, "", None, None, None, said if tells else None)


def judge(data):
    """Every finding of a record, or MissingMeasurement."""
    record = Record(data)
    if not record.by_name:
        raise MissingMeasurement("nothing was measured")
    findings = []
    for matrix in record.matrices:
        for condition in record.conditions:
            for beside in (None, *record.peers):
                findings += judge_outcome(record.get(matrix, condition, beside))
        for condition in record.conditions:
            if condition != "busy":
                for peer in record.peers:
                    findings += judge_turns(record, matrix, condition, peer)
        if "bound" in record.conditions:
            findings += judge_bound(record, matrix)
        if "busy" in record.conditions:
            for beside in (None, *record.peers):
                findings += judge_busy(record, matrix, beside)
    return findings


def line_of(finding):
    where = f"{finding.matrix}, {finding.condition}"
    where += f", beside {finding.beside}" if finding.beside else ", alone"
    if finding.rule == "ok":
        return f"{where}: did not end well"
    if finding.rule == "said":
        verdict = "does not warn of a busy host" if finding.ok is False else \
            "this host does not tell what other processes do"
        return f"{where}: {verdict}"
    than = {"turns": "alone", "bound": "unbound", "busy": "on the quiet host"}[finding.rule]
    return (f"{where}: {finding.phase} {1e3 * finding.median_s:.2f} ms, {finding.ratio:.2f} times "
            f"the {1e3 * finding.base_s:.2f} ms {than}")


RULES = {"ok": "runs that ended well",
         "turns": f"medians in turns within {AGREEMENT:.0%} of those alone",
         "bound": f"bound to places at most {SLOWDOWN} times slower",
         "busy": f"beside one busy thread at most {SLOWDOWN} times slower",
         "said": "records that warn of the busy host"}


def report(data, findings):
    """A short text: how many hold of each rule, the worst ratio, and each that does not hold."""
    lines = []
    for rule, title in RULES.items():
        of_rule = [finding for finding in findings if finding.rule == rule]
        if not of_rule:
            continue
        judged = [finding for finding in of_rule if finding.ok is not None]
        line = f"{title}: {sum(finding.ok for finding in judged)} of {len(judged)}"
        ratios = [finding.ratio for finding in judged if finding.ratio is not None]
        if ratios:
            line += f" (ratios {min(ratios):.2f} to {max(ratios):.2f})"
        if len(judged) < len(of_rule):
            line += f"; {len(of_rule) - len(judged)} cannot be told here"
        lines.append(line)
    lines += ["  " + line_of(finding) for finding in findings if finding.ok is False]
    lines.append("holds" if holds(findings) else "does not hold")
    head = f"{data['mode']} on {data['host']}, {data['repetitions']} repetitions, {data['lufact']}"
    return "\n".join([head, *lines]) + "\n"


def holds(findings):
    return all(finding.ok is not False for finding in findings)
