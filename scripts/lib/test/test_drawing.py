#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""drawing.py: where bars and dots stand, what marks a missing one, how axes are labelled."""
import os
import sys
import unittest

from fixtures import SCRIPTS

sys.path.insert(0, os.path.join(SCRIPTS, "lib"))
import drawing  # noqa: E402
from results import Ratio, ResultError  # noqa: E402


def exactly(value):
    return Ratio(value, value, value)


class Drawing(unittest.TestCase):
    def setUp(self):
        try:
            self.plot = drawing.pyplot()
        except ResultError as error:
            self.skipTest(str(error))
        self.figure, self.axes = self.plot.subplots()

    def tearDown(self):
        if hasattr(self, "figure"):
            self.plot.close(self.figure)

    def labels(self, axis):
        return [tick.get_text() for tick in axis.get_ticklabels()]

    def test_bars_go_from_1_up_and_down_by_the_logarithm(self):
        drawing.draw_ratios(self.axes, ["a", "b"], {"x": {"a": exactly(4.0), "b": exactly(0.25)}},
                            "ratio")
        high, low = self.axes.containers[-1].patches
        self.assertEqual((high.get_y(), high.get_y() + high.get_height()), (1.0, 4.0))
        self.assertEqual((low.get_y(), low.get_y() + low.get_height()), (1.0, 0.25))
        place = self.axes.transData.transform
        heights = [place((0, y))[1] for y in (0.25, 1.0, 4.0)]
        self.assertAlmostEqual(heights[2] - heights[1], heights[1] - heights[0])
        self.assertEqual(self.labels(self.axes.yaxis), ["0.5", "1", "2"])

    def test_a_missing_bar_is_marked_where_it_would_stand(self):
        drawing.draw_ratios(self.axes, ["a", "b"], {"x": {"a": exactly(2.0)},
                                                    "y": {"a": exactly(3.0), "b": exactly(2.0)}},
                            "ratio")
        marked, = [line for line in self.axes.lines if line.get_label() == drawing.MISSING]
        self.assertEqual([round(x, 6) for x in marked.get_xdata()], [0.8])
        names = [text.get_text() for text in self.axes.get_legend().get_texts()]
        self.assertEqual(names, ["x", "y", drawing.MISSING])

    def test_many_ratios_are_sorted_dots_in_one_column(self):
        groups = [f"m{k}" for k in range(50)]
        values = {group: exactly(1.0 + (7 * k) % 50) for k, group in enumerate(groups)}
        del values["m3"]
        drawing.draw_ratios(self.axes, groups, {"x": values}, "ratio")
        names = self.labels(self.axes.yaxis)
        known = [values[name].value for name in names if name in values]
        self.assertEqual(known, sorted(known))
        self.assertEqual(names[0], "m3")
        hollow, = [line for line in self.axes.lines if line.get_markerfacecolor() == "none"]
        self.assertEqual(list(hollow.get_ydata()), [0])
        self.assertLessEqual(self.figure.get_figwidth(), drawing.WIDTH)

    def test_ticks_of_wide_axes_are_powers_in_full(self):
        drawing.plain_ticks(self.axes.yaxis, 0.005, 20000)
        self.assertEqual([self.axes.yaxis.get_major_formatter()(value, None)
                          for value in self.axes.yaxis.get_major_locator()()],
                         ["0.01", "0.1", "1", "10", "100", "1,000", "10,000"])

    def test_a_narrow_axis_has_more_ticks_than_1(self):
        drawing.plain_ticks(self.axes.yaxis, 0.84, 1.18)
        self.assertEqual([self.axes.yaxis.get_major_formatter()(value, None)
                          for value in self.axes.yaxis.get_major_locator()()],
                         ["0.9", "1", "1.1"])


if __name__ == "__main__":
    unittest.main()
