# SPDX-License-Identifier: BSD-3-Clause
"""GSoFa's matrices at several orders: that of the paper where there is such a record, a smaller one
elsewhere, and real matrices beside them. Rows say which; a ratio is within one record."""
from comparison import original
from gsofa_runs import known, mean_of, published_matrices, variants
from page import table
from results import Results, device_name, three_digits

REAL_SWEEP = "gsofa-time-real"
FULL_SWEEP = "gsofa-time-full"
FULL, REAL = "full", "real"


def is_real(run):
    return not run.generated and not run.stand_in_for


def published_rows(run):
    """Of the matrix that a run stands for, 0 where it is none of the paper's."""
    return published_matrices().get(original(run), (0, 0))[0]


def order_of(run):
    """That of the published matrix, a part of it, or that of a real matrix."""
    if is_real(run):
        return REAL
    rows, own = published_rows(run), run.get("matrix", "n")
    if not rows:
        return "-"
    return FULL if own == rows else f"1/{rows / own:.0f}"


def budget_of(run):
    """In bytes of the array of the search, as the paper counts them."""
    size = run.get("gsofa", "budget_bytes") / 1e6
    return f"{three_digits(size / 1e3)} GB" if size >= 1e3 else f"{three_digits(size)} MB"


def budgets_text(runs):
    """What the budgets are that {"16GB": {matrix: run}, ...} are called by."""
    sizes = {name: [run.get("gsofa", "budget_bytes") for run in found.values()]
             for name, found in runs.items()}
    smaller = {name: min(found) for name, found in sizes.items() if min(found) < named_size(name)}
    name, found = next(iter(runs.items()))
    whole = [matrix for matrix, run in found.items()
             if run.get("gsofa", "budget_bytes") == named_size(name)]
    if not smaller:
        return "Budgets are those of the paper."
    own = f" Those of the paper have {', '.join(whole)}." if whole else ""
    return scaled_text(smaller, bool(whole)) + own


def named_size(name):
    """Bytes of what a variant calls its budget, such as "16GB"."""
    return int(name.removesuffix("GB")) * 10**9


def scaled_text(budgets, some):
    """budgets: {"16GB": bytes}; some: whether other rows have the paper's."""
    smaller = max(named_size(name) / size for name, size in budgets.items())
    sizes = ", ".join(f"{three_digits(size / 1e6)} MB for {name}" for name, size in budgets.items())
    where = "For the smaller orders" if some else "Here"
    return (f"Budgets have the names of the paper's. {where} they are smaller by a factor of "
            f"{smaller:.3g}, {sizes}, and the stand-ins have fewer rows.")


def largest_orders(runs, names):
    """{published name: sweep} of the largest order at which all of these variants are ok, or where
    none has them all, of the first sweep with a run."""
    found = {}
    for run in runs:
        sweeps = found.setdefault(original(run), {})
        complete = sweeps.setdefault(run.sweep, {})
        if run.ok and run.variant in names:
            complete[run.variant] = run.get("matrix", "n")
    return {matrix: max(sweeps, key=lambda name: max(sweeps[name].values())
                        if len(sweeps[name]) == len(names) else 0)
            for matrix, sweeps in found.items()}


def with_runs(results, fits):
    """The runs that fit, and the files that have one."""
    kept = results.keeping(fits)
    paths = {run.path for run in kept.runs}
    kept.files = {path: content for path, content in results.files.items() if path in paths}
    return kept


class Orders:
    """The records of a page: of each published matrix the largest order at which the variants ran
    that it compares, and real matrices beside them."""

    def __init__(self, results, *names):
        self.results, self.names = results, names
        chosen = largest_orders([run for run in results.runs if run.sweep != REAL_SWEEP], names)

        def fits(run):
            return run.sweep != REAL_SWEEP and chosen[original(run)] == run.sweep

        def beside(run):
            return run.sweep == REAL_SWEEP and is_real(run)

        self.published, self.beside = with_runs(results, fits), with_runs(results, beside)
        usable = with_runs(results, lambda run: run.sweep != REAL_SWEEP or beside(run))
        # What failed at an order that is not shown is said at the end of the page.
        self.shown = usable.keeping(lambda run: not run.ok or fits(run) or beside(run))
        self.several = len({run.sweep for run in usable.runs}) > 1
        self.cards = len({device_name(results.meta(run)) for run in usable.runs}) > 1

    def runs(self):
        """{variant: {matrix: run}} of the published matrices."""
        found = variants(self.published, *self.names)
        return {name: found[name.replace("-", "_")] for name in self.names}

    def real(self):
        """The same of the real matrices beside them, of which there may be none."""
        found = {name: known(self.beside, name) for name in self.names}
        return {name: {matrix: run for matrix, run in runs.items()
                       if all(matrix in others for others in found.values())}
                for name, runs in found.items()}

    def both(self):
        """The same of all of them."""
        beside = self.real()
        return {name: {**runs, **beside[name]} for name, runs in self.runs().items()}

    def known(self, name):
        """{matrix: run} of a variant that need not be there, of all of them."""
        return {**known(self.published, name), **known(self.beside, name)}

    def table(self, header, rows, budgets=False):
        """rows: [(run, cells)], of which the first two are matrix and n. Says what each is from
        where there are several records."""
        names = ["order", *(["budget"] if budgets else []), *(["card"] if self.cards else [])]
        if not self.several:
            return table(header, [cells for _, cells in rows])
        return table([*header[:2], *names, *header[2:]],
                     [[*cells[:2], *self.origin(run, budgets), *cells[2:]] for run, cells in rows])

    def origin(self, run, budgets):
        return [order_of(run), *([budget_of(run)] if budgets else []),
                *([device_name(self.results.meta(run))] if self.cards else [])]

    def note(self):
        """What the column says, or nothing where there is one record."""
        if not self.several:
            return ""
        return ("Order: full is that of the published matrix, 1/k that of a smaller stand-in; "
                "real are real matrices, no stand-ins. Both times of a ratio are of one record and "
                "one card.")

    def at_full_order(self, ratios, runs, what="At the published order alone"):
        """A sentence on these ratios of matrices as large as those of the paper."""
        full = [value for matrix, value in ratios.items()
                if runs[matrix].get("matrix", "n") == published_rows(runs[matrix])]
        return f" {what}: {mean_of(full)}." if self.several and full else ""


def on_real(count, text):
    """A sentence on the real matrices beside the published ones, if there are any."""
    return f" On {count} real {'matrix' if count == 1 else 'matrices'} beside them: {text}." \
        if count else ""
