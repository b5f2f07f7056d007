#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compact_svg.py: what a figure loses on its way into a third of its bytes, and what it keeps."""
import os
import re
import sys
import unittest
from xml.etree import ElementTree

from fixtures import SCRIPTS, Folder

sys.path.insert(0, os.path.join(SCRIPTS, "lib"))
from compact_svg import compact_svg, short_path  # noqa: E402
import drawing  # noqa: E402
from results import Ratio, ResultError  # noqa: E402

FIGURE = """<?xml version="1.0" encoding="utf-8" standalone="no"?>
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="504pt" height="200pt" viewBox="0 0 504 200"
 xmlns="http://www.w3.org/2000/svg" version="1.1">
 <metadata><who>matplotlib</who></metadata>
 <defs><style type="text/css">*{stroke-linejoin: round}</style></defs>
 <g id="figure_1"><g id="axes_1">
  <g id="patch_2"><path d="M 54.202115 266.642003
L 487.116604 266.642003
z
" clip-path="url(#p08cd)" style="fill: #0000cd; stroke: none"/></g>
  <g id="matplotlib.axis_1"><g id="xtick_1">
   <g id="line2d_1"><defs><path id="0000cd" d="M 0 0
L 0 3.5
" style="stroke: #000000"/></defs>
    <g><use xlink:href="#0000cd" x="73.880046" y="-0.000004" style="stroke: #000000"/></g></g>
   <g id="text_1"><text style="font: 9px 'A', 'B'" x="7.125" y="2"
     transform="rotate(-0 7.125 2)">a <tspan x="1">b</tspan> c</text></g></g></g>
  <g id="text_2" transform="translate(1.23456 2) rotate(-45)"><text>d</text></g>
 </g></g>
 <defs><clipPath id="p08cd"><rect x="54.202115" y="1" width="2" height="3"/></clipPath></defs>
</svg>
"""
SVG = "{http://www.w3.org/2000/svg}"


class Compact(unittest.TestCase):
    def setUp(self):
        self.text = compact_svg(FIGURE)
        self.root = ElementTree.fromstring(self.text)

    def test_twice_is_once(self):
        again = ElementTree.tostring(ElementTree.fromstring(compact_svg(self.text)))
        self.assertEqual(again, ElementTree.tostring(self.root))

    def test_a_style_is_said_once(self):
        self.assertNotIn("style=", self.text)
        sheet = self.root.find(f".//{SVG}style").text
        self.assertTrue(sheet.startswith("*{stroke-linejoin: round}\n"))
        styles = dict(re.findall(r"\.(\w+){(.*)}", sheet))
        self.assertEqual(sorted(styles.values()), ["fill:#0000cd;stroke:none", "font:9px 'A','B'",
                                                   "stroke:#000000"])
        mark, use = self.root.find(f".//{SVG}defs/{SVG}path"), self.root.find(f".//{SVG}use")
        self.assertEqual(styles[mark.get("class")], "stroke:#000000")
        self.assertEqual(mark.get("class"), use.get("class"))

    def test_places_are_to_a_hundredth(self):
        self.assertIn('d="M54.2 266.64 487.12 266.64z"', self.text)
        self.assertIn('x="73.88" y="0"', self.text)
        self.assertIn("translate(1.23 2) rotate(-45)", self.text)
        self.assertNotIn("rotate(0", self.text)

    def test_a_path_says_a_command_once(self):
        self.assertEqual(short_path("M 1 2 \nL 3 4 \nL 5 -6 \nM 7 8 \nL 9 1e-05 \nz\n"),
                         "M1 2 3 4 5 -6M7 8 9 0z")
        self.assertEqual(short_path("M 0 1 C 1 2 3 4 5 6 C 1 2 3 4 5 6 L 1 2 z M 1 1 z"),
                         "M0 1C1 2 3 4 5 6 1 2 3 4 5 6L1 2zM1 1z")

    def test_references_still_lead_somewhere(self):
        names = {element.get("id") for element in self.root.iter()} - {None}
        use = self.root.find(f".//{SVG}use").get("{http://www.w3.org/1999/xlink}href")
        self.assertIn(use.removeprefix("#"), names)
        clip = self.root.find(f".//{SVG}path[@clip-path]").get("clip-path")
        self.assertEqual(clip, f"url(#{self.root.find(f'.//{SVG}clipPath').get('id')})")
        self.assertEqual(names - {use[1:], clip[5:-1]},
                         {"axes_1", "patch_2", "matplotlib.axis_1", "xtick_1"})

    def test_groups_without_a_purpose_are_gone(self):
        tick, = [group for group in self.root.iter(f"{SVG}g") if group.get("id") == "xtick_1"]
        self.assertEqual([child.tag.removeprefix(SVG) for child in tick], ["defs", "use", "text"])
        self.assertTrue(all(group.attrib for group in self.root.iter(f"{SVG}g")))

    def test_letters_stay(self):
        self.assertEqual(["".join(text.itertext()) for text in self.root.iter(f"{SVG}text")],
                         ["a b c", "d"])


class Drawn(Folder):
    def test_a_figure_of_ours(self):
        values = {name: Ratio(2.0, 1.5, 2.5) for name in "abc"}
        try:
            drawing.draw_figure(self.path("figure"), "title", lambda axes: drawing.draw_ratios(
                axes, list("abc"), {"x": values}, "ratio"), ["svg"])
        except ResultError as error:
            self.skipTest(str(error))
        with open(self.path("figure.svg"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(compact_svg(text).count("\n<"), text.count("\n<"))
        self.assertNotIn(" style=", text)
        self.assertNotIn("metadata", text)


if __name__ == "__main__":
    unittest.main()
