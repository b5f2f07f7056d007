# SPDX-License-Identifier: BSD-3-Clause
"""The index of the SuiteSparse Matrix Collection (ssstats.csv), and searching in it."""
import fnmatch
import os
import re
import time
from collections import namedtuple

from datasets import Dataset, DatasetError
from download import download

# As the columns of ssstats.csv have them; real, binary, nd, posdef are 0 or 1, psym and nsym (the
# symmetry of pattern and values) from 0 to 1. entries: of the pattern, stored zeros counted too.
Entry = namedtuple("Entry", "group name rows cols nnz real binary nd posdef psym nsym kind entries")
SECONDS_A_DAY = 86400
FRESH_DAYS = 30

TEXTS = {"group": lambda entry: entry.group, "name": lambda entry: entry.name,
         "kind": lambda entry: entry.kind}
NUMBERS = {"n": lambda entry: entry.rows, "rows": lambda entry: entry.rows,
           "cols": lambda entry: entry.cols, "nnz": lambda entry: entry.nnz,
           "real": lambda entry: entry.real, "binary": lambda entry: entry.binary,
           "posdef": lambda entry: entry.posdef, "psym": lambda entry: entry.psym,
           "nsym": lambda entry: entry.nsym,
           "square": lambda entry: int(entry.rows == entry.cols)}
COMPARE = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
           ">=": lambda a, b: a >= b, "=": lambda a, b: a == b, "!=": lambda a, b: a != b}
TERM = re.compile(r"(\w+)(<=|>=|!=|<|>|=)(.+)")


def parse_index(path):
    """The entries of ssstats.csv: two lines (their number, a date), then one each."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    try:
        count = int(lines[0])
        entries = [parse_entry(line) for line in lines[2:] if line.strip()]
    except (IndexError, ValueError) as error:
        raise DatasetError(f"{path} is no index of the collection ({error}); remove it") from error
    if len(entries) != count:
        raise DatasetError(f"{path} has {len(entries)} of {count} matrices: it was cut off; "
                           "remove it")
    return entries


def parse_entry(line):
    cells = line.split(",")
    if len(cells) < 13:
        raise ValueError(f"not 13 columns: {line[:80]}")
    # A kind may have commas in it.
    kind = ",".join(cells[11:-1])
    return Entry(cells[0], cells[1], int(cells[2]), int(cells[3]), int(cells[4]), int(cells[5]),
                 int(cells[6]), int(cells[7]), int(cells[8]), float(cells[9]), float(cells[10]),
                 kind, int(cells[-1]))


def read_index(path, url, options, say):
    """The entries of the index in the file `path`, which is downloaded where it is missing or more
    than a month old. One that cannot be renewed is still good."""
    there = os.path.exists(path)
    age = time.time() - os.path.getmtime(path) if there else 0
    if there and (options.offline or age < FRESH_DAYS * SECONDS_A_DAY):
        return parse_index(path)
    if options.offline:
        raise DatasetError(f"the index of the collection is not at {path}; without --offline it is "
                           "downloaded")
    try:
        renew(path, url, options, say)
    except DatasetError as error:
        if not there:
            raise DatasetError(f"the index of the collection cannot be had: {error}; with another "
                               f"machine's help, put {url} to {path}") from error
        say(f"the index is {int(age / SECONDS_A_DAY)} days old, and cannot be renewed: {error}")
    return parse_index(path)


def renew(path, url, options, say):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    partial = f"{path}.{os.getpid()}.part"
    try:
        download(url, partial, options.timeout, options.retries, say)
        parse_index(partial)
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def dataset_of(entry):
    """What a file of it must have."""
    return Dataset(f"{entry.group}/{entry.name}", entry.rows, entry.nnz, entry.entries, None, None,
                   entry.kind, [], None, entry.cols, "the index of the collection")


def parse_term(term):
    """A function of an entry, from "n<1e5" or "kind=circuit"."""
    match = TERM.fullmatch(term)
    fields = ", ".join([*NUMBERS, *TEXTS])
    if not match or match.group(1).lower() not in (*NUMBERS, *TEXTS):
        raise DatasetError(f"--search: '{term}' is no condition; accepted: FIELD, one of < <= > >= "
                           f"= !=, and a value, such as n<1e5 or kind=circuit; fields: {fields}")
    field, sign, value = match.group(1).lower(), match.group(2), match.group(3)
    if field in TEXTS:
        return text_condition(field, sign, value.lower())
    try:
        number = float(value)
    except ValueError:
        raise DatasetError(f"--search: '{value}' in '{term}' is no number") from None
    return lambda entry: COMPARE[sign](NUMBERS[field](entry), number)


def text_condition(field, sign, value):
    """A part of the text; all of it where `value` has * or ? in it."""
    if sign not in ("=", "!="):
        raise DatasetError(f"--search: {field} is a text; accepted: {field}={value} and "
                           f"{field}!={value}")
    whole = any(letter in value for letter in "*?")

    def holds(entry):
        text = TEXTS[field](entry).lower()
        found = fnmatch.fnmatchcase(text, value) if whole else value in text
        return found == (sign == "=")
    return holds


def search(entries, expression):
    """The entries for which all conditions hold, the smallest first."""
    conditions = [parse_term(term) for term in expression.split()]
    if not conditions:
        raise DatasetError("--search: give a condition, such as 'n<1e5 kind=circuit'")
    found = [entry for entry in entries if all(holds(entry) for holds in conditions)]
    return sorted(found, key=lambda entry: (entry.nnz, entry.group, entry.name))


def entry_named(name, entries):
    """By Group/Name, or by a name that only one group has."""
    wanted = name.lower()
    found = [entry for entry in entries
             if wanted in (f"{entry.group}/{entry.name}".lower(), entry.name.lower())]
    if len(found) == 1:
        return found[0]
    if found:
        groups = ", ".join(f"{entry.group}/{entry.name}" for entry in found)
        raise DatasetError(f"'{name}' is several matrices: {groups}")
    near = [f"{entry.group}/{entry.name}" for entry in entries
            if wanted.split("/")[-1] in entry.name.lower()][:5]
    hint = f"; names like it: {', '.join(near)}" if near else ""
    raise DatasetError(f"'{name}' is no matrix of the collection{hint}")
