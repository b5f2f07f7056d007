# SPDX-License-Identifier: BSD-3-Clause
"""datasets.txt: the matrices of the papers, and whether a file is the one that a line describes."""
import hashlib
import json
import os
import re
from collections import namedtuple

# n, nnz, kept and stored are numbers; papers is a list; sha256, storage and stored are None where
# they are not known. columns: None where there are n. source: who says all this.
Dataset = namedtuple("Dataset", "name n nnz kept storage stored kind papers sha256 columns source",
                     defaults=(None, "datasets.txt"))

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BLOCK = 1 << 20
# A line of an entry whose value is zero: 0, -0.0, 0e+00 ...
ZERO_LINE = re.compile(rb"^[ \t]*(\d+)[ \t]+(\d+)[ \t]+"
                       rb"[-+]?(?:0+\.?0*|\.0+)(?:[eE][-+]?\d+)?[ \t\r]*$", re.MULTILINE)
# Longer than any line of an entry that the collection writes.
LONGEST_LINE = 128


class DatasetError(Exception):
    """What is wrong with a file or a request, and what to do about it."""


def read_datasets(path=os.path.join(ROOT, "datasets.txt")):
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    datasets = []
    for line in lines[1:]:
        cells = line.split("\t")
        if len(cells) != 9:
            raise DatasetError(f"{path}: not 9 columns: {line}")
        name, n, nnz, kept, storage, stored, kind, papers, sha256 = cells
        datasets.append(Dataset(name, int(n), int(nnz), int(kept), storage, int(stored), kind,
                                papers.split("; "), None if sha256 == "-" else sha256))
    return datasets


def of_experiment(name, datasets):
    """The matrices that configs/NAME.json and configs/quick/NAME.json name, or None."""
    paths = [os.path.join(ROOT, "configs", *folder, name + ".json") for folder in ((), ("quick",))]
    files = set()
    for path in paths:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                files |= {entry.get("file") for entry in json.load(file)["matrices"]}
    if not any(map(os.path.exists, paths)):
        return None
    return [dataset for dataset in datasets if dataset.name in files]


def chosen(only, datasets):
    """The datasets that a list of names asks for: of matrices, with or without their group, of
    papers and of experiments. All without a list."""
    if not only:
        return datasets
    found = {}
    for word in only:
        matches = [d for d in datasets if word in (d.name, d.name.split("/")[1])
                   or any(paper.split(" ")[0].lower() == word.lower() for paper in d.papers)]
        matches = matches or of_experiment(word, datasets)
        if matches is None:
            raise DatasetError(f"--only {word}: neither a matrix of datasets.txt nor a paper nor "
                               "an experiment of configs/")
        found.update((d.name, d) for d in matches)
    return list(found.values())


class Inspection:
    """Reads the bytes of a .mtx file as they pass and compares them with a dataset's line."""

    def __init__(self, dataset):
        self.dataset = dataset
        self.hash = hashlib.sha256()
        self.tail = b""      # an unfinished line
        self.header = None   # words of the banner
        self.sizes = None    # n, n, stored
        self.entries = self.zeros = self.zero_diagonals = 0

    def feed(self, data):
        self.hash.update(data)
        text = self.tail + data
        end = text.rfind(b"\n") + 1
        self.tail = text[end:]
        self.count(text[:end])

    def count(self, text):
        while self.sizes is None and text:
            line, _, text = text.partition(b"\n")
            self.read_head(line.decode("ascii", "replace").strip())
        self.entries += text.count(b"\n") - text.count(b"\n\n") - text.startswith(b"\n")
        if self.header and self.header[3] != "pattern":
            for match in ZERO_LINE.finditer(text):
                self.zeros += 1
                self.zero_diagonals += match.group(1) == match.group(2)

    def read_head(self, line):
        if self.header is None:
            self.header = line.lower().split()
            if self.header[:3] != ["%%matrixmarket", "matrix", "coordinate"] or \
                    len(self.header) != 5:
                raise DatasetError("no Matrix Market coordinate file: it begins with "
                                   f"'{line[:60]}'")
        elif line and not line.startswith("%"):
            words = line.split()
            if len(words) != 3 or not all(word.isdigit() for word in words):
                raise DatasetError(f"no line of sizes: '{line[:60]}'")
            self.sizes = tuple(map(int, words))

    def finish(self):
        """The sha256 of all bytes. Raises DatasetError where the file is another one."""
        if self.tail:
            self.count(self.tail + b"\n")
            self.tail = b""
        if self.sizes is None:
            raise DatasetError("the file ends before its line of sizes")
        for what, wanted, got in self.facts():
            if wanted != got:
                raise DatasetError(f"{what} is {got}, {self.dataset.source} has {wanted}: another "
                                   "or a damaged file")
        return self.hash.hexdigest()

    def facts(self):
        """(what, as the line says, as the file is)"""
        dataset = self.dataset
        columns = dataset.n if dataset.columns is None else dataset.columns
        yield "the number of rows", dataset.n, self.sizes[0]
        yield "the number of columns", columns, self.sizes[1]
        if dataset.stored is None:  # of a symmetric file: fewer than the matrix has
            stored = min(self.sizes[2], dataset.kept)
        else:
            yield "the storage", dataset.storage, self.header[4]
            stored = dataset.stored
        yield "the number of entries in the line of sizes", stored, self.sizes[2]
        yield "the number of lines of entries", stored, self.entries
        if dataset.stored is None:
            return
        mirrored = 2 if dataset.storage == "symmetric" else 1
        zeros = mirrored * (self.zeros - self.zero_diagonals) + self.zero_diagonals
        yield "the number of zeros among the entries", dataset.kept - dataset.nnz, zeros


def largest_size(dataset):
    """A bound of the bytes of its .mtx file."""
    stored = dataset.kept if dataset.stored is None else dataset.stored
    return BLOCK + LONGEST_LINE * stored


class Lock:
    """The sha256 of every matrix at its first download, in a file beside the matrices."""

    def __init__(self, path):
        self.path, self.known = path, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    name, sha256 = line.split()
                    self.known[name] = sha256

    def check(self, dataset, sha256):
        """Notes a hash that is not known; raises DatasetError where another one is."""
        wanted = dataset.sha256 or self.known.get(dataset.name)
        source = dataset.source if dataset.sha256 else self.path
        if wanted and wanted != sha256:
            raise DatasetError(f"the sha256 is {sha256}, {source} has {wanted}: another version or "
                               "a damaged file; remove the line to accept it")
        if dataset.name not in self.known:
            self.known[dataset.name] = sha256
            self.write()

    def write(self):
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            file.writelines(f"{name} {sha256}\n" for name, sha256 in sorted(self.known.items()))
        os.replace(self.path + ".new", self.path)
