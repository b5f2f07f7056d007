# SPDX-License-Identifier: BSD-3-Clause
"""Figures of matplotlib in a third of their size: the same drawing with fewer bytes.

What it writes repeats every style in every element, places to a millionth of a point and groups
that hold one element. Here a style is said once, as a class; places are to a hundredth; groups and
names that nothing needs are gone. What scripts/check_figures looks for stays: groups of axes, their
ticks and their patches, by the names that matplotlib gives them."""
import re
from xml.etree import ElementTree

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
NAMED_PARTS = re.compile(r"(axes|patch|matplotlib\.axis|[xy]tick)_\d+$")
REFERENCE = re.compile(r"(?<=url\(#)[^)]+|(?<=^#).+")
NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
PLACES = ("x", "y", "width", "height", "transform")
UNTURNED = re.compile(r"rotate\(0 [^()]*\)$")  # of rounded places
GROUP, TEXT, STYLE, METADATA = (f"{{{SVG}}}{name}" for name in ("g", "text", "style", "metadata"))


def make_compact(path):
    """Rewrites a file of matplotlib as compact_svg() has it."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(compact_svg(text))


def compact_svg(text):
    """The same figure, from the text of an SVG file of matplotlib."""
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    root = ElementTree.fromstring(text)
    for metadata in root.findall(METADATA):
        root.remove(metadata)
    shorten_names(root)
    for element in root.iter():
        shorten_places(element)
    name_styles(root)
    unwrap(root)
    break_lines(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def shorten_names(root):
    """Of what others refer to: n0, n1, ... in the order of the file. Other names go, those of
    NAMED_PARTS excepted."""
    used = {name for element in root.iter() for value in element.attrib.values()
            for name in REFERENCE.findall(value)}
    short = {}
    for element in root.iter():
        name = element.get("id")
        if name in used:
            short[name] = element.attrib["id"] = f"n{len(short)}"
        elif name and not NAMED_PARTS.match(name):
            del element.attrib["id"]
    for element in root.iter():
        for key, value in element.items():
            element.set(key, REFERENCE.sub(lambda match: short.get(match[0], match[0]), value))


def rounded(number):
    return f"{round(float(number), 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def shorten_places(element):
    for key in PLACES:
        if key in element.attrib:
            element.set(key, re.sub(NUMBER, lambda match: rounded(match[0]), element.get(key)))
    if UNTURNED.match(element.get("transform", "")):
        del element.attrib["transform"]
    if "d" in element.attrib:
        element.set("d", short_path(element.get("d")))


def short_path(path):
    """Without the letters of commands that a reader adds: another L or C, and L behind M."""
    parts, last = [], ""
    for token in re.findall(rf"[A-Za-z]|{NUMBER}", path):
        if not token.isalpha():
            parts.append((" " if parts and not parts[-1].isalpha() else "") + rounded(token))
        elif token in "Mz" or token != last:
            if not (token == "L" and last == "M"):
                parts.append(token)
            last = token
    return "".join(parts)


def name_styles(root):
    """Every style as a class, in the style sheet of the file."""
    names = {}
    for element in root.iter():
        if style := element.attrib.pop("style", None):
            style = re.sub(r"([:;,])\s+", r"\1", style)
            element.set("class", names.setdefault(style, f"s{len(names)}"))
    sheet = next(root.iter(STYLE))
    sheet.text += "".join(f"\n.{name}{{{style}}}" for style, name in names.items())


def unwrap(parent):
    """Puts what is in groups without attributes in the place of the group."""
    for child in list(parent):
        unwrap(child)
    for child in [child for child in parent if child.tag == GROUP and not child.attrib]:
        place = list(parent).index(child)
        parent[place:place + 1] = list(child)


def break_lines(element):
    """An element a line; the white space of letters stays."""
    if element.tag in (TEXT, STYLE):
        return
    element.text = "\n" if len(element) else None
    for child in element:
        break_lines(child)
        child.tail = "\n"
