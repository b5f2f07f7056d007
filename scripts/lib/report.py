# SPDX-License-Identifier: BSD-3-Clause
"""The report: every published number that can be addressed beside ours, made from result files."""
import os
from collections import namedtuple

import experiments
from html_page import page_of
from page import pyplot, table
from results import ResultError, load

TITLE = "What lufact reproduces"
INTRODUCTION = """\
Made by `scripts/report` from result files; no number here is typed. For every published number that
a run addresses: paper | ours | ratio | comparable? why, with the place of the raw record. Stand-ins
are generated matrices of the class of a published one, in its place where it is not at hand, with
its order and entries where a run takes minutes: a time on one is no answer to a published time, and
the tables say so. The papers are E2E (*End-to-End LU Factorization of Large Matrices on GPUs*,
PPoPP 2023), GLU3 (*GLU3.0*, IEEE Design & Test 2020) and BATCH (*Factorization and Inversion of a
Million Matrices using GPUs*, ICCS 2017)."""

# One experiment of the report: its page, or why there is none.
Section = namedtuple("Section", "experiment page fault")


def section_of(experiment, folder):
    """From the full result file where there is one, otherwise from the quick one."""
    paths = experiments.result_paths(experiment, folder)
    if not paths:
        names = " or ".join(experiments.result_names(experiment))
        return Section(experiment, None, f"no result file ({names})")
    try:
        return Section(experiment, experiments.page_maker(experiment.script)(load(paths[:1])), None)
    except ResultError as error:
        return Section(experiment, None, str(error).replace(folder + os.sep, ""))


def page_link(section):
    return f"[{section.experiment.id}](figures/{section.experiment.id}.md)"


def summary(sections):
    rows = [[page_link(s), s.page.results.devices(), len(s.page.comparisons),
             sum(1 for c in s.page.comparisons if c.comparable == "yes"),
             sum(1 for c in s.page.comparisons if c.comparable == "partly"),
             sum(1 for c in s.page.comparisons if c.comparable == "no")]
            for s in sections if s.page and s.experiment.published]
    parts = [table(["experiment", "measured on", "numbers", "comparable", "partly", "not"], rows)]
    missing = [f"- {s.experiment.id}: {s.fault}" for s in sections
               if not s.page and s.experiment.published]
    if missing:
        parts.append("Not measured:\n\n" + "\n".join(missing))
    return "\n\n".join(parts)


def section_text(section, output):
    page = section.page
    parts = [f"## {page.title}", page.provenance(), page.conclusion or ""]
    parts += [f"![{title.splitlines()[0]}](figures/{figure}.svg)"
              for figure, (title, _) in page.figures.items()]
    if page.comparisons:
        parts.append(page.comparison_table(output))
    parts.append(f"Every number of it: {page_link(section)}.")
    return "\n\n".join(part for part in parts if part)


def report_text(sections, output):
    own = [section for section in sections if section.page and not section.experiment.published]
    parts = [f"# {TITLE}", INTRODUCTION, summary(sections)]
    parts += [section_text(section, output) for section in sections
              if section.page and section.experiment.published]
    if own:
        parts.append("## Comparisons of our own\n\n" + "\n".join(
            f"- {page_link(section)}: {section.page.title}" for section in own))
    sources = dict.fromkeys(line for section in sections if section.page
                            for line in section.page.results.source_lines(output))
    if sources:
        parts.append("## Raw records\n\n" + "\n".join(sources))
    return "\n\n".join(parts) + "\n"


def figures_can_be_drawn():
    try:
        pyplot()
    except ResultError:
        return False
    return True


def write_report(folder, output, pictures=("svg",)):
    """OUTPUT/REPORT.md, REPORT.html and figures/ID.md with its figures in those formats, from the
    result files of `folder`. Returns the sections."""
    sections = [section_of(experiment, folder) for experiment in experiments.EXPERIMENTS]
    for section in sections:
        if section.page:
            section.page.write(os.path.join(output, "figures"), section.experiment.id, pictures)
    os.makedirs(output, exist_ok=True)
    text = report_text(sections, output)
    for name, content in (("REPORT.md", text), ("REPORT.html", page_of(text, TITLE))):
        with open(os.path.join(output, name), "w", encoding="utf-8") as file:
            file.write(content)
    return sections
