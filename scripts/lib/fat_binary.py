# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of a file that nvcc -fatbin made: a head, then entries of machine code, which are
ELF files, and of PTX."""
import collections
import struct

MARK, HEAD, ENTRY, MACHINE_CODE = 0xBA55ED50, "<IHHQ", "<HHIQ", 2
# A kernel that does nothing is an instruction and what fills up its place.
EMPTY_KERNEL = 256

Kernels = collections.namedtuple("Kernels", "count code_bytes architectures")


class FatBinaryError(Exception):
    pass


def kernels_of(contents):
    """How many kernels that do something each architecture has, the bytes of machine code of all
    and the number of architectures."""
    sizes = [code_sizes(image) for image in images(contents)]
    busy = [[size for size in own if size > EMPTY_KERNEL] for own in sizes]
    return Kernels(max(map(len, busy), default=0), sum(map(sum, sizes)), len(sizes))


def images(contents):
    """The ELF files of a fat binary."""
    if len(contents) < 16 or struct.unpack_from(HEAD, contents)[0] != MARK:
        raise FatBinaryError("it does not begin as a fat binary does")
    at = struct.calcsize(HEAD)
    while at < len(contents):
        kind, _, head, size = struct.unpack_from(ENTRY, contents, at)
        if kind == MACHINE_CODE:
            yield contents[at + head:at + head + size]
        at += head + size


def code_sizes(elf):
    """Bytes of each section .text.NAME of an ELF file of 64 bits."""
    if elf[:4] != b"\x7fELF":
        raise FatBinaryError("its machine code is compressed")
    start, = struct.unpack_from("<Q", elf, 0x28)
    each, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", elf, start + k * each) for k in range(count)]
    names_at = sections[names][4]
    return [section[5] for section in sections
            if elf.startswith(b".text.", names_at + section[0])]
