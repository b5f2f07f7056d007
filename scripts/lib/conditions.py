# SPDX-License-Identifier: BSD-3-Clause
"""Under what the numbers of a page were measured: what each page's caption says."""
import math

from results import cpu_name

GIBIBYTE = 2**30
WORD_BYTES = 4
PUBLISHED_WORDS = 6  # of a row's work arrays in E2E

# By the stage that ran: how its blocks are made and where it departs from the paper.
# scripts/check_claims holds the numbers against the kernels' sources.
SEARCH = ("128 threads a row; the kernel is fill2 as printed, one threshold after the other, not "
          "GSoFa's, from which E2E starts")
DENSE = ("small levels 2 to 16 warps a column, middle ones 32, wide sub-columns over several "
         "blocks in batched launches, not a stream for each column")
STAGES = {
    "gpu-ooc": SEARCH, "gpu-ooc-naive": SEARCH, "gpu-um": SEARCH, "gpu-um-prefetch": SEARCH,
    "gpu-cdp": "a level is one launch of a chain of tail launches",
    "gpu-dense": DENSE, "gpu-dense-fixed": "a block of 1024 threads a column on every level",
    "gpu-binary-search": "blocks of up to 1024 threads",
    "gpu-gsofa": "GSoFa's concurrent thresholds",
}


def listed(values):
    return ", ".join(dict.fromkeys(values))


def extent(values, form):
    low, high = form(min(values)), form(max(values))
    return low if low == high else f"{low} to {high}"


def by_variant(runs, value, form):
    """"6 GiB (ooc, glu3), 112 GiB (um)": what variants have, or one text for all of them."""
    values = {}
    for run in runs:
        if value(run) is not None:
            values.setdefault(run.variant, []).append(value(run))
    names = {}
    for variant, found in values.items():
        names.setdefault(extent(found, form), []).append(variant)
    most = max(names.values(), key=len, default=[])
    if len(names) < 2:
        return next(iter(names), None)
    others = most if len(most) > 3 else None  # not to be named one by one
    return ", ".join(f"{text} ({'the others' if variants is others else ', '.join(variants)})"
                     for text, variants in sorted(names.items(),
                                                  key=lambda item: item[1] is others))


def precision(run):
    return run.stage("precision") or run.option("precision")


def budget(run):
    return run.get("memory", "budget_bytes") if run.used_device else None


def gibibytes(count):
    return f"{count / GIBIBYTE:.3g} GiB"


def chosen_stages(run):
    """The stages that worked, those that a selector chose included."""
    pipeline = run.get("pipeline") or {}
    chosen = {choice["stage"]: choice["chosen"] for choice in pipeline.get("choices") or []}
    return [chosen.get(kind, pipeline.get(kind)) for kind in ("symbolic", "levelize", "numeric")]


def words_text(runs):
    """c, the words of work arrays a row: measured, and padded where it was asked for."""
    measured = [run.get("memory", "bytes_per_source") / run.get("matrix", "n") / WORD_BYTES
                for run in runs if run.stage("symbolic") in ("gpu-ooc", "gpu-ooc-naive")
                and run.get("memory", "bytes_per_source")]
    if not measured:
        return None
    padded = listed(run.option("symbolic-words") for run in runs if run.option("symbolic-words"))
    return (f"c = {extent(measured, '{:.2g}'.format)} words of work arrays a row "
            f"({f'padded to {padded}; ' if padded else ''}the paper has {PUBLISHED_WORDS})")


def threads_text(results, runs):
    def threads(run):
        asked = run.option("threads") or results.files[run.path]["config"].get("threads")
        return int(asked or 0)
    asked = by_variant(runs, threads, lambda count: str(count or "all"))
    hosts = listed(cpu_name(results.meta(run)) for run in runs)
    given = [run.get("host_state", "processors") for run in runs
             if (run.get("host_state", "processors") or math.inf)
             < (results.meta(run)["host"].get("threads") or 0)]
    bound = f", of which a process was bound to {extent(given, str)}" if given else ""
    return f"host threads: {asked} ({hosts}{bound})"


def busy_text(runs):
    """How many runs warn that the host was not theirs alone."""
    kinds = (("host_busy", "of a busy host"), ("host_shared", "of work on other processors of it"))
    return ", ".join(f"{count} of {len(runs)} runs warn {what}" for code, what in kinds
                     if (count := sum(run.warns(code) for run in runs))) or None


def one_thread_text(runs):
    """The libraries that had one host thread where they were allowed more, and so are slower than
    they need to be."""
    names = listed(run.get("peer", "library") for run in runs if run.warns("peer_on_one_thread"))
    return f"one host thread only, where more were allowed: {names}" if names else None


def memory_text(results, runs):
    """What was limited; of the rest the budget is what the card had free, which says little."""
    def limited(run):
        asked = (run.option("device-memory-limit")
                 or results.files[run.path]["config"].get("device_memory_limit"))
        return asked not in (None, "none")
    on_device = [run for run in runs if run.used_device]
    if not on_device:
        return "none used"
    free = "all that the card has free"
    few = [run for run in on_device if limited(run)]
    if not few:
        return free
    text = by_variant(few, budget, gibibytes)
    return text if len(few) == len(on_device) else f"{text}; of the rest {free}"


def conditions(results, runs):
    """One paragraph: precision, memory, repetitions, threads, blocks, deviations."""
    sparse = [run for run in runs if run.get("matrix") is not None]
    if not sparse:
        return None
    notes = {}
    for stage in dict.fromkeys(stage for run in sparse for stage in chosen_stages(run)):
        if stage in STAGES:
            notes.setdefault(STAGES[stage], []).append(stage)
    repetitions = [len(run.record["samples"]) for run in sparse]
    parts = [f"precision: {by_variant(sparse, precision, str) or 'patterns only'}",
             f"device memory: {memory_text(results, sparse)}",
             f"repetitions: {extent(repetitions, str)}", threads_text(results, sparse),
             one_thread_text(sparse), busy_text(sparse), words_text(sparse),
             *(f"{', '.join(stages)}: {note}" for note, stages in notes.items())]
    return ("Conditions: " + "; ".join(part for part in parts if part)
            + ". A bracket after a ratio is its 95% interval (bootstrap over paired repetitions); "
              "a ratio without one has fewer than 5 repetitions.")
