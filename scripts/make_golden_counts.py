#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden counts of small matrices, by brute force on Python sets, with no code of lufact.

    make_golden_counts.py              write core/verify/test/golden/*.mtx and counts.jsonl
    make_golden_counts.py --check      exit 1 unless the files there are what it would write
    make_golden_counts.py FILE.mtx...  print the counts of these files (small ones: it is slow)

The matrices are taken in natural order, as stored zeros included, with missing diagonal entries
added. Elimination is done literally on sets of columns, and the dependencies of columns are found
pair by pair from their definitions: those of GLU 1.0 (U), the triple loop of GLU 2.0 (Algorithm 3
of the GLU 3.0 paper; "exact") and Algorithm 4 of that paper ("relaxed").
"""
import argparse
import json
import sys
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent / "core" / "verify" / "test" / "golden"


# ---- matrices -----------------------------------------------------------------------------------
class Lcg:
    """Integers that are the same everywhere (Knuth's MMIX constants, upper bits)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound


class Matrix:
    """Entries as (row, column) -> value in eighths, and how the file stores them."""

    def __init__(self, name, n, field="real", symmetry="general"):
        self.name, self.n, self.field, self.symmetry = name, n, field, symmetry
        self.entries = {}

    def put(self, i, j, eighths):
        self.entries[i, j] = eighths
        if self.symmetry != "general":
            self.entries[j, i] = -eighths if self.symmetry == "skew-symmetric" else eighths

    def put_both(self, i, j, eighths):
        self.put(i, j, eighths)
        self.put(j, i, eighths)

    def dominant_diagonal(self, missing=()):
        """Puts a diagonal larger than the sum of its row, except in the rows `missing`."""
        sums = [8] * self.n
        for (i, _), value in self.entries.items():
            sums[i] += abs(value)
        for i in range(self.n):
            if i not in missing:
                self.entries[i, i] = sums[i]

    def stored(self):
        if self.symmetry == "general":
            return sorted(self.entries.items(), key=lambda e: (e[0][1], e[0][0]))
        keep = {e: v for e, v in self.entries.items() if e[0] >= e[1]}
        return sorted(keep.items(), key=lambda e: (e[0][1], e[0][0]))

    def text(self):
        lines = [f"%%MatrixMarket matrix coordinate {self.field} {self.symmetry}",
                 f"% {self.name}, made by scripts/make_golden_counts.py"]
        stored = self.stored()
        lines.append(f"{self.n} {self.n} {len(stored)}")
        for (i, j), eighths in stored:
            value = {"pattern": "", "integer": f" {eighths}"}.get(self.field, f" {eighths / 8}")
            lines.append(f"{i + 1} {j + 1}{value}")
        return "\n".join(lines) + "\n"


def grid(width, height):
    m = Matrix(f"grid_{width}x{height}", width * height, symmetry="symmetric")
    for i in range(m.n):
        if (i + 1) % width:
            m.put(i + 1, i, -8)
        if i + width < m.n:
            m.put(i + width, i, -8)
    m.dominant_diagonal()
    return m


def arrow(n, hub, name):
    m = Matrix(name, n)
    for i in range(n):
        if i != hub:
            m.put(i, hub, 3 + i % 5)
            m.put(hub, i, -4)
    m.dominant_diagonal()
    return m


def tridiagonal(n):
    m = Matrix(f"tridiagonal_{n}", n, field="integer")
    for i in range(1, n):
        m.put(i, i - 1, -1)
        m.put(i - 1, i, 2)
    m.dominant_diagonal()
    return m


def random_unsymmetric(n, entries, seed, missing_every):
    """Sparse enough, and towards the end, so that the three dependency rules differ."""
    m = Matrix(f"random_{n}", n)
    lcg = Lcg(seed)
    missing = range(0, n - 1, missing_every) if missing_every else ()
    for i in missing:  # a full structural rank all the same
        m.put_both(i, i + 1, 9)
    for _ in range(entries):
        i, j, value = lcg.below(n), lcg.below(n), 1 + lcg.below(32)
        if i != j and max(i, j) >= n // 4:
            m.put(i, j, value if lcg.below(2) else -value)
    m.dominant_diagonal(missing)
    return m


def dense_block(n, size):
    """A dense block in the middle of a chain."""
    m = Matrix(f"dense_block_{n}", n)
    first = (n - size) // 2
    for i in range(1, n):
        m.put(i, i - 1, 4)
    for i in range(first, first + size):
        for j in range(first, first + size):
            if i != j:
                m.put(i, j, 1 + (7 * i + 3 * j) % 11)
    m.dominant_diagonal()
    return m


def circuit(n):
    """Nodes in a tree with its root last, a supply net that every sixth node touches, controlled
    sources (one-sided entries), voltage sources (no diagonal) and one stored zero."""
    m = Matrix(f"circuit_{n}", n)
    lcg = Lcg(2024)
    sources = 6
    nodes = n - sources
    supply = nodes - 1
    for i in range(nodes - 1):
        m.put_both(i, min(i + 1 + lcg.below(40), supply), -(1 + lcg.below(8)))
        if i % 6 == 0:
            m.put_both(i, supply, -2)
        if i % 5 == 0:
            m.put(i, lcg.below(nodes), 1 + lcg.below(4))
    for s in range(sources):
        m.put_both(nodes + s, (s + 1) * (nodes // (sources + 1)), 8)
    m.put(supply - 1, 0, 0)
    m.dominant_diagonal(missing=range(nodes, n))
    return m


def bit_reversed_path(bits):
    n = 2**bits
    label = [int(format(i, f"0{bits}b")[::-1], 2) for i in range(n)]
    m = Matrix(f"permuted_path_{n}", n)
    for i in range(1, n):
        m.put(label[i], label[i - 1], 5)
        m.put(label[i - 1], label[i], -3)
    m.dominant_diagonal()
    return m


def skew_ladder(n):
    m = Matrix(f"skew_ladder_{n}", n, symmetry="skew-symmetric")
    for i in range(1, n):
        m.put(i, i - 1, 8 + i % 3)
        if i >= 5:
            m.put(i, i - 5, 2)
    return m


def triangular(n, upper):
    m = Matrix(("upper" if upper else "lower") + f"_triangular_{n}", n)
    lcg = Lcg(77)
    for i in range(1, n):
        for _ in range(2):
            j, value = lcg.below(i), 1 + lcg.below(9)
            m.put(*((j, i) if upper else (i, j)), value)
    m.dominant_diagonal()
    return m


def banded(n):
    """One diagonal below, three above: much U, little L."""
    m = Matrix(f"banded_{n}", n)
    for i in range(n):
        for j in (i - 1, i + 1, i + 2, i + 3):
            if 0 <= j < n and (i * j) % 5 != 2:
                m.put(i, j, 1 + (i + 2 * j) % 7)
    m.dominant_diagonal()
    return m


def pattern_mesh(n):
    """No values in the file, no diagonal in every seventh row."""
    m = Matrix(f"pattern_mesh_{n}", n, field="pattern", symmetry="symmetric")
    for i in range(1, n):
        m.put(i, i // 2, 8)
        m.put(i, i - 1, 8)
    m.dominant_diagonal(missing=range(3, n, 7))
    return m


def disconnected(n):
    """Three interleaved rings of different density."""
    m = Matrix(f"disconnected_{n}", n)
    for i in range(n):
        m.put(i, (i + 3) % n, 2)
        if i % 3 == 1:
            m.put(i, (i + 6) % n, -1)
        if i % 3 == 2:
            m.put((i + 9) % n, i, 3)
    m.dominant_diagonal()
    return m


def double_u():
    """The 3 x 3 example of the double-U dependency."""
    m = Matrix("double_u_3", 3)
    for i, row in enumerate(((8, 0, 8), (8, 8, 8), (0, 8, 8))):
        for j, value in enumerate(row):
            if value:
                m.put(i, j, value)
    return m


def one():
    m = Matrix("one", 1)
    m.dominant_diagonal()
    return m


def all_matrices():
    return [one(), double_u(), grid(14, 14), arrow(60, 59, "arrow_down_60"),
            arrow(50, 0, "arrow_up_50"), tridiagonal(150), random_unsymmetric(100, 110, 5, 4),
            random_unsymmetric(200, 260, 9, 0), dense_block(90, 24), circuit(180),
            bit_reversed_path(7), skew_ladder(60), triangular(70, False), triangular(80, True),
            banded(120), pattern_mesh(90), disconnected(96)]


# ---- counts -------------------------------------------------------------------------------------
def read_pattern(text):
    """(n, set of entries) of a Matrix Market coordinate file, symmetric ones expanded."""
    lines = text.splitlines()
    symmetry = lines[0].split()[4].lower()
    data = [line.split() for line in lines[1:] if line.strip() and not line.startswith("%")]
    n = int(data[0][0])
    entries = {(int(row[0]) - 1, int(row[1]) - 1) for row in data[1:]}
    if symmetry != "general":
        entries |= {(j, i) for i, j in entries}
    return n, entries


def eliminate(n, entries):
    """The rows of L + U as sets, and the flops: one a division, two a multiply-add."""
    rows = [{i} for i in range(n)]
    for i, j in entries:
        rows[i].add(j)
    flops = 0
    for i in range(n):
        right = {k for k in rows[i] if k > i}
        for t in range(i + 1, n):
            if i in rows[t]:
                flops += 1 + 2 * len(right)
                rows[t] |= right
    return rows, flops


def dependencies(n, rows):
    """Three lists of sets: the columns that each column waits for, by rule."""
    columns = [{i for i in range(n) if k in rows[i]} for k in range(n)]
    u = [{i for i in columns[k] if i < k and any(t > i for t in columns[i])} for k in range(n)]
    exact = [set(waits) for waits in u]
    for i in range(n):
        for t in columns[i]:
            if t <= i:
                continue
            for j in columns[t]:
                if j >= t and any(k > t for k in rows[i] & rows[j]):
                    exact[t].add(i)
    relaxed = [u[k] | {i for i in rows[k] if i < k} for k in range(n)]
    return u, exact, relaxed


def count_levels(waits_for):
    level = []
    for waits in waits_for:
        level.append(1 + max((level[i] for i in waits), default=-1))
    return 1 + max(level, default=-1)


def counts(name, text):
    n, entries = read_pattern(text)
    rows, flops = eliminate(n, entries)
    nnz_l = sum(j < i for i in range(n) for j in rows[i])
    nnz_u = sum(j >= i for i in range(n) for j in rows[i])
    missing = sum((i, i) not in entries for i in range(n))
    glu1, exact, relaxed = (count_levels(waits) for waits in dependencies(n, rows))
    return {"matrix": name, "n": n, "nnz": len(entries), "missing_diagonals_added": missing,
            "nnz_l": nnz_l, "nnz_u": nnz_u, "fill_in": nnz_l + nnz_u - len(entries) - missing,
            "flops": flops, "levels_glu1": glu1, "levels_exact": exact, "levels_relaxed": relaxed}


# ---- files --------------------------------------------------------------------------------------
def golden_files():
    """File name -> text."""
    files, lines = {}, []
    for matrix in all_matrices():
        text = matrix.text()
        files[matrix.name + ".mtx"] = text
        lines.append(json.dumps(counts(matrix.name, text)))
    files["counts.jsonl"] = "\n".join(lines) + "\n"
    return files


def check():
    expected = golden_files()
    present = {path.name for path in GOLDEN.iterdir()} if GOLDEN.is_dir() else set()
    faults = [f"{name}: missing" for name in sorted(expected.keys() - present)]
    faults += [f"{name}: not made by this script" for name in sorted(present - expected.keys())]
    faults += [f"{name}: differs" for name in sorted(expected.keys() & present)
               if (GOLDEN / name).read_text(encoding="ascii") != expected[name]]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    if arguments.check:
        return check()
    if arguments.files:
        for path in arguments.files:
            print(json.dumps(counts(path.stem, path.read_text(encoding="utf-8"))))
        return 0
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, text in golden_files().items():
        (GOLDEN / name).write_text(text, encoding="ascii", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
