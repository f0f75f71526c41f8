#!/usr/bin/env python3
"""Benchmarks that need no GPU: their rows, and errors that the precision explains."""

import json
import sys
import unittest

from command_line import CommandLineTest

# 864 particles, 16 in a sample of milliseconds.
SMALL = ["-n", 864, "--device", "cpu", "--threads", 2, "--repeat", 2, "--warm-up", 20]


class BenchForce(CommandLineTest):
    def rows(self, *arguments):
        self.tessera("bench", "force", *SMALL, *arguments, "--json", self.path("f.json"))
        with open(self.path("f.json"), encoding="utf-8") as file:
            return json.load(file)["rows"]

    def test_every_path_has_its_parts(self):
        rows = self.rows()
        self.assertEqual(
            [(row["path"], row["part"]) for row in rows],
            [("reordered", "reorder and forces"), ("reordered", "forces on valid chunks"),
             ("reordered", "reorder, by difference"), ("gather", "exact list and forces"),
             ("gather", "forces"), ("gather", "exact list, by difference"),
             ("shoc", "exact list and forces"), ("shoc", "forces"),
             ("shoc", "exact list, by difference")])
        for row in rows:
            self.assertEqual(row["particles"], 864)
            # 4/3 pi 2.5^3 0.8442 = 55.3 without structure
            self.assertTrue(52 < row["neighbors_per_particle"] < 58, row)
            if "difference" not in row["part"]:
                self.assertGreater(row["seconds"]["least"], 0.0)
                self.assertAlmostEqual(row["nanoseconds_per_neighbor"],
                                       1e9 * row["seconds"]["median"]
                                       / (864 * row["neighbors_per_particle"]))
        # every path at the same positions finds the same neighbors
        self.assertLess(max(row["neighbors_per_particle"] for row in rows)
                        - min(row["neighbors_per_particle"] for row in rows), 0.01)

    def test_errors_are_those_of_the_precision(self):
        # A pair force changes by 14 F / r for a displacement's error, and pair forces are some ten
        # times their sum: packed steps are 2.4e-6, half of it each; float rounds at 6e-8, double
        # at 1e-16, a few times over.
        for precision, form, bound in [("mixed", "packed", 2e-4), ("mixed", "float", 1e-5),
                                       ("double", "packed", 1e-13)]:
            for row in self.rows("--precision", precision, "--format", form):
                with self.subTest(precision=precision, form=form, path=row["path"]):
                    self.assertLess(row["force_error_rms"], bound)
                    self.assertGreater(row["force_error_rms"], 0.0)
                    self.assertGreaterEqual(row["force_error_largest"], row["force_error_rms"])

    def test_a_list_used_as_it_is_has_one_part(self):
        rows = self.rows("--path", "gather", "--rebuild", "on_displacement")
        self.assertEqual([row["part"] for row in rows], ["forces"])

    def test_bad_options_end_with_2(self):
        for wrong in [["--path", "gathered"], ["--precision", "half"], ["--lanes", 3],
                      ["-n", 0], ["--no-such"]]:
            self.tessera("bench", "force", *wrong, code=2)


if __name__ == "__main__":
    sys.exit(unittest.main())
