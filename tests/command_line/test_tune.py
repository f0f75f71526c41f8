#!/usr/bin/env python3
"""`tessera tune`: what it prints is an input's sections, and nothing else is written."""

import json
import os
import re
import sys
import unittest

from command_line import CommandLineTest

TUNED = ("neighbor", "force", "reorder")


def sections(text):
    """The sections of a resolved input or a fragment that decide speed: name -> line."""
    return {line.split(":")[0]: line for line in text.splitlines() if line.startswith(TUNED)}


class Tune(CommandLineTest):
    def test_the_fragment_is_an_input_and_no_file_is_written(self):
        source = self.input(neighbor={"skin": 0.35}, force={"path": "gather"})
        result = self.tessera("tune", source, "--seconds", 3, "--json", self.path("t.json"))
        self.assertEqual(result.stderr, "")
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.yaml", "t.json"])

        # everything but the sections is a comment
        lines = [line for line in result.stdout.splitlines() if not line.startswith("#")]
        self.assertEqual([line.split(":")[0] for line in lines], list(TUNED))
        self.assertEqual(sections(result.stdout), sections("\n".join(lines)))
        for knob in ["path", "skin", "lanes", "chunk_particles", "together"]:
            self.assertRegex(result.stdout, rf"(?m)^# - {knob}: ")

        # in place of the input's own sections it is read, and means what it says
        merged = self.input(name="merged.yaml", neighbor=None, force=None)
        with open(merged, encoding="utf-8") as file:
            rest = file.read().rstrip().rstrip("}").rstrip()
        text = rest + ",\n" + ",\n".join(
            re.sub(r"^(\w+)", r'"\1"', line) for line in lines) + "\n}\n"
        self.write("merged.yaml", text)
        resolved = self.tessera("validate", self.path("merged.yaml")).stdout
        self.assertEqual(sections(resolved), sections(result.stdout))
        # so are the same settings as options
        options = re.search(r"(?m)^# as options: (.*)$", result.stdout).group(1).split()
        self.assertEqual(
            sections(self.tessera("validate", source, *options).stdout), sections(result.stdout))

        with open(self.path("t.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["benchmark"], "tune")
        self.assertEqual(report["yaml"].splitlines(), lines)
        self.assertEqual(len(report["reasons"]), 5)
        timed = [row for row in report["rows"] if "seconds" in row]
        self.assertGreaterEqual(len(timed), 1)
        for row in timed:
            self.assertEqual(row["particles"], 256)
            self.assertGreaterEqual(row["rounds"], 3)
            self.assertGreater(row["seconds"]["least"], 0.0)
            self.assertAlmostEqual(row["particle_steps_per_second"] * row["seconds"]["median"],
                                   256.0, places=6)
        for row in report["rows"]:
            self.assertTrue("seconds" in row or row["not_timed"], row)
        # precision, format and rebuild are the input's
        self.assertIn("precision: mixed", result.stdout)
        self.assertIn("format: packed", result.stdout)
        self.assertIn("rebuild: every_step", result.stdout)

    def test_settings_that_are_legal_stay_legal(self):
        for changes in [{"neighbor__skin": 0}, {"force__path": "auto"}, {"force__lanes": 8},
                        {"neighbor": {"rebuild": "on_displacement", "skin": 0.3}}]:
            with self.subTest(changes=changes):
                result = self.tessera("tune", self.input(**changes), "--seconds", 0.3)
                self.assertEqual(list(sections(result.stdout)), list(TUNED))
                # a budget too short for all is said, not overrun in silence
                self.assertIn("out of time", result.stdout)
        self.assertEqual(os.listdir(self.folder), ["in.yaml"])

    def test_bad_input_ends_with_2(self):
        source = self.input()
        for wrong in [["--set", "force.lanes=3"], ["--set", "force.lane=4"],
                      ["--set", "neighbor.skim=0.3"], ["--seconds", 0], ["--device", "gpu"],
                      ["--set", "system.lattice.density=1e9"]]:
            with self.subTest(wrong=wrong):
                self.assertEqual(self.tessera("tune", source, *wrong, code=2).stdout, "")
        self.tessera("tune", self.path("none.yaml"), code=2)
        close = self.write("close.xyz", '2\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3'
                           '\nA 1 1 1\nA 1 1 1.01\n')
        result = self.tessera("tune", self.input(system={"file": close, "temperature": 1.0}),
                              code=2)
        self.assertIn("too close", result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
