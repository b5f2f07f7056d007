# SPDX-License-Identifier: BSD-3-Clause
"""What each object adds to a program, from the map that GNU ld writes of it.

Code that several objects have, such as instances of a template, counts for the first of them. The
sum is that of the file without symbols, but for some percent: of unwinding tables the linker drops
what is equal.
"""
import collections
import re

DEVICE = (".nv_fatbin", "__nv_relfatbin")
# They take no place in a file that was stripped.
LEFT_OUT = (".bss", ".tbss", ".comment", ".debug")
OUTPUT = re.compile(r"(\S+)")
INPUT = re.compile(r" (\S+)?\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S.*\.(?:o|o\)|a\)))$")
START = "Linker script and memory map"


class MapError(Exception):
    pass


Size = collections.namedtuple("Size", "host device")


def object_sizes(path):
    """{object: Size}, objects as the map names them: main.o, or libpart.a(part.o)."""
    sizes, output = {}, None
    for line in memory_map(path):
        if named := OUTPUT.match(line):
            output = named[1]
        elif (found := INPUT.match(line)) and not output.startswith(LEFT_OUT):
            host, device = sizes.get(found[4], (0, 0))
            added = int(found[3], 16)
            sizes[found[4]] = (Size(host, device + added) if output in DEVICE
                               else Size(host + added, device))
    return sizes


def memory_map(path):
    """The lines of the map that tell where sections went. Before them are those left out."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith(START):
                return [line.rstrip("\n") for line in file]
    raise MapError(f"{path} is no map of GNU ld: it has no line '{START}'")
