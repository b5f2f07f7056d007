# SPDX-License-Identifier: BSD-3-Clause
"""The report: every published number that can be addressed beside ours, made from result files."""
import os
import posixpath
import re
from collections import namedtuple

import experiments
import html_page
from comparison import VERDICTS
from page import claim_table, counted, folded, table
from results import ResultError, cpu_name, load

TITLE = "What lufact reproduces"
INTRODUCTION = """\
Made by `scripts/report` from result files; no number here is typed. For every published number that
a run addresses: paper | ours | ratio | comparable? why, with the place of the raw record. Each
claim of a paper ends in one of: reproduced, contradicted (both by 95% intervals, on an equal
comparison in the published regime), not testable here with what is missing, or arithmetic.
Stand-ins are generated matrices of the class of a published one, in its place where it is not at
hand: a time on one is no answer to a published time, and the tables say so. The papers are E2E
(*End-to-End LU Factorization of Large Matrices on GPUs*, PPoPP 2023), GLU3 (*GLU3.0*, IEEE Design &
Test 2020), BATCH (*Factorization and Inversion of a Million Matrices using GPUs*, ICCS 2017),
GSoFa (*GSOFA: Scalable Sparse Symbolic LU Factorization on GPUs*, IEEE TPDS 2021) and DENSE
(*Parallel LU Decomposition on GP-GPU using CUDA*, 2019)."""
WAY_BACK = '<nav><a href="../REPORT.html">All experiments</a></nav>'
RELATIVE_LINK = re.compile(r"\]\((?!\w+:|#)([^)\s]+)\)")
OWN, RECORDS = "Comparisons of our own", "Raw records"

COMPARABLE = {"yes": "comparable", "partly": "partly", "no": "not", "arithmetic": "arithmetic"}

# One experiment of the report: its page, or why there is none.
Section = namedtuple("Section", "experiment page fault")


def section_of(experiment, *folders):
    """From the full result file where there is one, otherwise from the quick one."""
    paths = experiments.result_paths(experiment, *folders)
    if not paths:
        names = " or ".join(experiments.result_names(experiment))
        return Section(experiment, None, f"no result file ({names})")
    try:
        own = os.path.dirname(paths[0])
        paths += experiments.paths_beside(experiment, own, *folders)
        return Section(experiment, experiments.page_maker(experiment.script)(load(paths)), None)
    except ResultError as error:
        text = str(error)
        for folder in folders:
            text = text.replace(folder + os.sep, "")
        return Section(experiment, None, text)


def page_link(section):
    return f"[{section.experiment.id}](figures/{section.experiment.id}.md)"


def listed(texts):
    return ", ".join(sorted(set(texts)))


def device_text(device):
    return (f"{device['name']} (driver {device.get('driver') or 'unknown'}, CUDA runtime "
            f"{device.get('runtime') or 'unknown'})")


def host_text(meta):
    host = meta["host"]
    memory = f", {host['memory_bytes'] / 2**30:.0f} GiB" if host.get("memory_bytes") else ""
    return f"{cpu_name(meta)}{memory}, {host.get('os') or 'unknown system'}"


def origin(sections):
    """When, from which commits and on what the numbers were measured."""
    metas = [content["meta"] for section in sections
             for content in section.page.results.files.values()]
    days = sorted({meta["started_at"][:10] for meta in metas})
    devices = listed(device_text(meta["device"]) for meta in metas if meta["device"])
    return "\n".join([
        f"- Date: {' to '.join(dict.fromkeys((days[0], days[-1])))}",
        "- Commit: " + listed(f"`{meta['lufact']['git_sha'][:12]}`" for meta in metas),
        f"- Device: {devices or 'none'}",
        "- Host: " + listed(host_text(meta) for meta in metas)])


def contents(sections, own):
    headings = [section.page.title for section in sections] + ([OWN] if own else []) + [RECORDS]
    return "\n".join(f"- [{heading}](#{html_page.anchor(heading)})" for heading in headings)


def summary(sections, missing):
    rows = [[page_link(s), s.page.hardware, len(s.page.comparisons),
             *(sum(1 for c in s.page.comparisons if c.comparable == kind) for kind in COMPARABLE)]
            for s in sections]
    parts = [table(["experiment", "measured on", "numbers", *COMPARABLE.values()], rows)]
    by_fault = {}
    for section in missing:
        by_fault.setdefault(section.fault, []).append(section.experiment.id)
    if missing:
        parts.append(folded(f"{counted(len(missing), 'experiment')} not measured", "\n".join(
            f"- {', '.join(ids)}: {fault}" for fault, ids in by_fault.items())))
    return "\n\n".join(parts)


def verdicts(sections):
    """How each claim ends, with a link to what it rests on."""
    rows = [[claim.what if not claim.what.startswith("...") else f"{before} {claim.what}",
             f"**{claim.verdict}**", f"[{section.experiment.id}](#{html_page.anchor(title)})"]
            for section in sections for title in [section.page.title]
            for claim, before in zip(section.page.claims, firsts(section.page.claims))]
    counts = ", ".join(f"{sum(row[1] == f'**{verdict}**' for row in rows)} {verdict}"
                       for verdict in VERDICTS)
    return f"Claims: {counts}.\n\n" + table(["claim", "verdict", "why"], rows) if rows else ""


def firsts(claims):
    """For each claim the last one before it that does not go on with another."""
    found, last = [], ""
    for claim in claims:
        if not claim.what.startswith("..."):
            last = claim.what
        found.append(last)
    return found


def seen_from_report(text):
    """What a page says, its links to pages beside it from the folder above."""
    return RELATIVE_LINK.sub(
        lambda match: f"]({posixpath.normpath(posixpath.join('figures', match[1]))})", text)


def section_text(section, output, with_figures):
    page = section.page
    parts = [f"## {page.title}", page.provenance(), page.caption or "",
             seen_from_report(page.conclusion or "")]
    if with_figures:
        parts += [link.markdown("figures/") for link in page.figure_links()]
    if page.claims:
        parts.append(seen_from_report(claim_table(page.claims)))
    if page.comparisons:
        parts.append(page.comparison_tables(output))
    parts.append(f"Every number of it: {page_link(section)}.")
    return "\n\n".join(part for part in parts if part)


def report_text(sections, output, with_figures):
    made = [section for section in sections if section.page]
    shown = [section for section in made if section.experiment.published]
    own = [section for section in made if not section.experiment.published]
    missing = [section for section in sections
               if section.experiment.published and not section.page]
    parts = [f"# {TITLE}", origin(made), INTRODUCTION, "**Contents**", contents(shown, own),
             verdicts(shown), summary(shown, missing)]
    parts += [section_text(section, output, with_figures) for section in shown]
    if own:
        parts.append(f"## {OWN}\n\n" + "\n".join(
            f"- {page_link(section)}: {section.page.title}" for section in own))
    sources = dict.fromkeys(line for section in made
                            for line in section.page.results.source_lines(output))
    parts.append(f"## {RECORDS}\n\n" + "\n".join(sources))
    return "\n\n".join(parts) + "\n"


def require_one(sections, folders):
    """Raises ResultError where no experiment has a usable result."""
    if any(section.page for section in sections):
        return
    unusable = [f"{s.experiment.id}: {s.fault}" for s in sections
                if not s.fault.startswith("no result file")]
    raise ResultError(f"{', '.join(folders)}: no result that a report can be made from. "
                      + ("\n".join(unusable) or "Make some with scripts/reproduce, or name the "
                         "folder that holds them."))


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_report(folders, output, pictures=("svg",), html=True):
    """OUTPUT/REPORT.md, REPORT.html and figures/ID.md and .html with their figures in those
    formats, from the result files of `folders`, of which the first that has one counts. Returns
    the sections. Raises ResultError, with nothing written, where no result is usable."""
    sections = [section_of(experiment, *folders) for experiment in experiments.EXPERIMENTS]
    require_one(sections, folders)
    if html:
        html_page.library()
    figures = os.path.join(output, "figures")
    for section in sections:
        if section.page:
            stem = os.path.join(figures, section.experiment.id)
            text = section.page.write(figures, section.experiment.id, pictures)
            if html:
                write(stem + ".html", html_page.page_of(text, section.page.title, WAY_BACK))
    text = report_text(sections, output, bool(pictures))
    write(os.path.join(output, "REPORT.md"), text)
    if html:
        write(os.path.join(output, "REPORT.html"), html_page.page_of(text, TITLE))
    return sections
