#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_figures finds what it is for, in figures like those that matplotlib writes."""
import os
import subprocess
import sys
import unittest

from fixtures import SCRIPTS, Folder

FIGURE = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 viewBox="0 0 {width} 200"><g id="figure_1"><g id="axes_1">
<g id="patch_2"><path d="M 50 150 L 450 150 L 450 10 L 50 10 z"/></g>
<g id="matplotlib.axis_1">{names}</g>
<g id="matplotlib.axis_2">{ticks}</g>{bars}</g></g></svg>
"""
TICK = """<g id="{axis}tick_{at}"><g><use xlink:href="#m" x="{x}" y="{y}"/></g><g id="text_{at}">
<text style="font: {size}px 'DejaVu Sans'; text-anchor: {anchor}" x="{x}" y="{y}"
 transform="rotate(-{angle} {x} {y})">{text}</text></g></g>"""


def tick(axis, at, x, y, text, size=8, angle=0, anchor="middle"):
    return TICK.format(axis=axis, at=at, x=x, y=y, text=text, size=size, angle=angle,
                       anchor=anchor)


def bar(left, top, bottom):
    right = left + 20
    return (f'<g id="patch_9"><path d="M {left} {bottom} L {right} {bottom} L {right} {top} '
            f'L {left} {top} z" clip-path="url(#p)"/></g>')


LOGARITHMIC = "".join(tick("y", at, 45, y, text) for at, (y, text) in
                      enumerate([(150, "0.1"), (100, "1"), (50, "10")]))
LINEAR = "".join(tick("y", at, 45, y, text) for at, (y, text) in
                 enumerate([(150, "0"), (100, "1"), (50, "2")]))


class Rules(Folder):
    def faults(self, names="", ticks=LINEAR, bars="", width=504):
        path = self.path("figure.svg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(FIGURE.format(names=names, ticks=ticks, bars=bars, width=width))
        check = subprocess.run([sys.executable, os.path.join(SCRIPTS, "check_figures"), path],
                               capture_output=True, text=True, check=False)
        self.assertEqual(check.returncode, 0 if "0 faults" in check.stdout else 1, check.stderr)
        return check.stdout.splitlines()[:-1]

    def test_a_good_figure_has_none(self):
        self.assertEqual(self.faults(tick("x", 1, 100, 160, "memplus") +
                                     tick("x", 2, 200, 160, "wing"), bars=bar(90, 60, 150)), [])

    def test_small_text(self):
        found = self.faults(tick("x", 1, 100, 160, "memplus", size=5))
        self.assertEqual(len(found), 1)
        self.assertIn("'memplus' has 6.7 points at 900 pixels", found[0])
        self.assertEqual(len(self.faults(width=1008)), 3)  # the three names of the y axis

    def test_the_style_of_a_class_counts(self):
        sheet = "<style>*{fill: none}\n.small{font:5px 'DejaVu Sans'}</style>"
        name = '<text class="small" x="100" y="160">memplus</text>'
        found = self.faults(sheet + name)
        self.assertEqual(len(found), 1)
        self.assertIn("'memplus' has 6.7 points at 900 pixels", found[0])

    def test_tick_names_that_overlap(self):
        found = self.faults(tick("x", 1, 100, 160, "luxembourg_osm") +
                            tick("x", 2, 130, 160, "rail_79841"))
        self.assertEqual(len(found), 1)
        self.assertIn("'luxembourg_osm' and 'rail_79841' overlap", found[0])
        turned = [tick("x", at, x, 160, "luxembourg_osm", angle=45, anchor="end")
                  for at, x in enumerate((100, 130))]
        self.assertEqual(self.faults("".join(turned)), [])
        turned = [tick("x", at, x, 160, "luxembourg_osm", angle=45, anchor="end")
                  for at, x in enumerate((100, 108))]
        self.assertEqual(len(self.faults("".join(turned))), 1)

    def test_bars_below_the_axis(self):
        self.assertIn("1 bars end below the axis", self.faults(bars=bar(90, 60, 9000))[0])

    def test_bars_on_a_logarithmic_axis_start_at_1(self):
        self.assertEqual(self.faults(ticks=LOGARITHMIC, bars=bar(90, 60, 100) + bar(120, 100, 140)),
                         [])
        found = self.faults(ticks=LOGARITHMIC, bars=bar(90, 60, 150))
        self.assertEqual(len(found), 1)
        self.assertIn("1 bars on a logarithmic axis do not start at 1", found[0])

    def test_no_figure_is_a_fault(self):
        self.assertTrue(any("no text" in line for line in self.faults(ticks="")))


if __name__ == "__main__":
    unittest.main()
