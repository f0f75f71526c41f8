#!/usr/bin/env python3
"""What is wrong with an input or a command line ends with code 2 and a message that says where."""

import os
import sys
import unittest

from command_line import LIQUID, CommandLineTest, changed

GOOD = """\
system:
  lattice: {type: fcc, cells: [4, 4, 4], density: 0.8442}
  temperature: 1.44
run: {steps: 5}
"""
COINCIDENT = """\
3
Lattice="8 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3:id:I:1
A 1.0 1.0 1.0 7
A 4.0 4.0 4.0 9
A {x} 1.0 1.0 21
"""


class Faults(CommandLineTest):
    def refused(self, text, *parts, arguments=()):
        """The input ends with 2, before any file is made, and its message holds the parts."""
        path = text if os.path.isabs(text) else self.write("in.yaml", text)
        before = sorted(os.listdir(self.folder))
        for verb in ["validate", "run"]:
            result = self.tessera(verb, path, *arguments, code=2)
            for part in parts:
                self.assertIn(part, result.stderr)
            self.assertEqual(result.stdout, "")
            self.assertTrue(result.stderr.endswith("\n"))
        self.assertEqual(sorted(os.listdir(self.folder)), before)


class Input(Faults):
    def test_keys(self):
        self.refused(GOOD + "potentail: {cutoff: 2}\n", "in.yaml:5:1", "potentail", "potential")
        self.refused(GOOD + "potential: {skin: 2}\n", "in.yaml:5:13", "skin", "cutoff")
        self.refused(GOOD + "run: {steps: 6}\n", "in.yaml:5:1", "run", "twice")
        self.refused(GOOD.replace("steps", "dt"), "run", "steps")
        self.refused(GOOD.replace("run: {steps: 5}", ""), "run")

    def test_numbers(self):
        for text in ["10.5", "0010", "1_000", ".nan", ".inf", "1e30", "99999999999999999999", "0x10",
                     "ten", "true", "''", "[1]"]:
            with self.subTest(steps=text):
                self.refused(GOOD.replace("steps: 5", f"steps: {text}"), "in.yaml:4:14", "run.steps")
        for text in [".nan", ".inf", "1e999", "0", "-1", "No"]:
            with self.subTest(dt=text):
                self.refused(GOOD.replace("steps: 5", f"steps: 5, dt: {text}"), "in.yaml:4:", "dt")

    def test_integers_with_exponents_and_any_locale(self):
        self.write("in.yaml", GOOD.replace("steps: 5", "steps: 1e1"))
        environment = {**os.environ, "LC_ALL": "de_DE.UTF-8", "LC_NUMERIC": "de_DE.UTF-8"}
        result = self.tessera("run", "in.yaml", env=environment)
        self.assertIn("10 steps of 256 particles", result.stdout)

    def test_the_text_itself(self):
        self.refused("", "in.yaml")
        self.refused(GOOD + "--- \nrun: {steps: 6}\n", "in.yaml:5", "document")
        self.refused(GOOD + "device: 'cpu\n", "in.yaml")
        self.refused("system: &a {lattice: *a}\n" + GOOD.split("\n", 3)[3], "in.yaml:1")
        self.refused(GOOD + "#" * (1 << 20) + "\n", "in.yaml")
        self.refused(GOOD.replace("\n", "\n\t", 1), "in.yaml:2")

    def test_values_are_all_reported_at_once(self):
        text = GOOD.replace("1.44", "-1").replace("0.8442", "0").replace("steps: 5", "steps: -2")
        self.refused(text + "potential: {cutoff: -3}\nneighbor: {skin: -1}\n", "temperature",
                     "density", "run.steps", "potential.cutoff", "neighbor.skin")

    def test_species_and_pairs(self):
        two = GOOD.replace("  temperature", "  species: [{name: A}, {name: B}]\n  temperature")
        self.refused(two, "A", "B", "mixing")
        self.refused(two + "potential: {mixing: geometric, pairs: [{species: [A, C], epsilon: 1, "
                     "sigma: 1}]}\n", "in.yaml:6:", "C", "known")

    def test_ensembles_that_are_not_there_are_named(self):
        for name in ["langevin", "bussi", "nose_hoover", "berendsen", "npt", "minimize"]:
            with self.subTest(ensemble=name):
                self.refused(GOOD + f"ensemble: {{type: {name}, temperature: 1, tau: 1}}\n",
                             "in.yaml:5:", name, "nve")

    def test_devices(self):
        self.refused(GOOD + "device: gpu\n", "in.yaml:5:9", "gpu", "cuda")
        self.write("in.yaml", GOOD)
        # without CUDA, or with no device to be seen
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        result = self.tessera("run", "in.yaml", "--device", "cuda", code=2, env=environment)
        self.assertIn("CUDA", result.stderr)
        self.assertIn("cpu", result.stderr)

    def test_the_command_line(self):
        self.write("in.yaml", GOOD)
        for arguments in [[], ["walk"], ["run"], ["run", "absent.yaml"], ["run", "in.yaml", "--sett"],
                          ["run", "in.yaml", "--set", "run.steps"], ["validate", "absent.yaml"],
                          ["run", "in.yaml", "--set", "=5"], ["resume", "in.yaml", "--steps", "0"],
                          ["resume", "in.yaml"], ["info", "absent.h5"], ["info", "in.yaml"],
                          ["convert", "in.yaml", "--to", "xyz"], ["run", "."], ["info", "."],
                          ["convert", "in.yaml", "--to", "pdb"], ["bench", "sleep"]]:
            with self.subTest(arguments=arguments):
                result = self.tessera(*arguments, code=2)
                self.assertNotEqual(result.stderr, "")
                self.assertEqual(result.stdout, "")
        self.assertIn("in.yaml", self.tessera("resume", "in.yaml", code=2).stderr)


class Geometry(Faults):
    def test_a_box_too_small_names_axis_and_lengths(self):
        # two cells of an edge of (4 / 0.8442)^(1/3)
        small = GOOD.replace("[4, 4, 4]", "[4, 2, 4]")
        self.refused(small, "3.35919 along y", "at least 5", "system.lattice")

    def test_twice_the_cutoff_is_enough(self):
        edge = (256 / 0.8442) ** (1 / 3)
        self.write("in.yaml", GOOD + f"potential: {{cutoff: {edge / 2 - 1e-9}}}\n"
                   "neighbor: {rebuild: on_displacement, skin: 1.0}\n")
        self.tessera("run", "in.yaml")

    def file_start(self, text, name="start.xyz", **changes):
        self.write(name, text)
        config = changed(LIQUID, system={"file": name, "temperature": 0}, output=None,
                         run__steps=3, **changes)
        return self.input(config)

    def test_coincident_particles_are_named_with_their_distance(self):
        for x, distance in [("1.0", "0 apart"), ("1.05", "0.05 apart"), ("9.0", "0 apart")]:
            with self.subTest(x=x):
                result = self.tessera("run", self.file_start(COINCIDENT.format(x=x)), code=2)
                self.assertIn("particles 7 (A) and 21 (A) are " + distance, result.stderr)

    def test_what_is_absurdly_close_goes_by_sigma(self):
        pairs = [{"species": ["A", "A"], "epsilon": 1, "sigma": 0.1}]
        source = self.file_start(COINCIDENT.format(x="1.12"), potential__pairs=pairs)
        self.tessera("run", source)
        source = self.file_start(COINCIDENT.format(x="1.01"), potential__pairs=pairs)
        self.assertIn("0.01 apart", self.tessera("run", source, code=2).stderr)

    def test_particles_that_feel_nothing_may_overlap(self):
        pairs = [{"species": ["A", "A"], "epsilon": 0, "sigma": 1}]
        result = self.tessera("run", self.file_start(COINCIDENT.format(x="1.0"),
                                                     potential__pairs=pairs))
        self.assertNotIn("nan", result.stdout)

    def test_starts_that_cannot_be_read(self):
        for text in ["", "2\n", "0\nLattice=\"8 0 0 0 8 0 0 0 8\"\n", "1\nno lattice\nA 1 1 1\n",
                     COINCIDENT.format(x="nan"), COINCIDENT.format(x="x"),
                     COINCIDENT.replace("21", "7").format(x="2.5"),
                     COINCIDENT.replace("8 0 0 0 8", "8 1 0 0 8").format(x="2.5"),
                     COINCIDENT.replace("8 0 0 0 8", "4 0 0 0 8").format(x="2.5")]:
            with self.subTest(text=text):
                self.file_start(text)
                self.refused(self.path("in.yaml"), "start.xyz")
        self.file_start("\x89HDF\r\n\x1a\n" + "junk" * 100, name="start.h5")
        self.refused(self.path("in.yaml"), "start.h5")

    def test_a_file_without_velocities_needs_a_temperature(self):
        source = self.file_start(COINCIDENT.format(x="2.5"))
        self.tessera("run", source)
        self.refused(self.input(changed(LIQUID, system={"file": "start.xyz"}, output=None)),
                     "no velocities", "system.temperature")

    def test_one_particle_flies_straight(self):
        self.write("one.xyz", '1\nLattice="8 0 0 0 8 0 0 0 8" '
                   'Properties=species:S:1:pos:R:3:velo:R:3\nA 1 1 1 1 0 0\n')
        for path in ["reordered", "gather", "shoc"]:
            result = self.tessera("run", self.input(
                changed(LIQUID, system={"file": "one.xyz"}, force={"path": path, "precision": "mixed"},
                        run={"steps": 100, "dt": 0.01}, output={"thermo": {"every": 100}})))
            # v^2 / 3 with the three degrees of freedom of a single particle; no energy, no NaN
            row = result.stdout.splitlines()[2].split()
            self.assertEqual((row[0], float(row[1]), float(row[4])), ("100", 1.0, 0.0))
            self.assertAlmostEqual(float(row[2]), 1 / 3, 6)
        random = changed(LIQUID, system={"random": {"count": 1, "density": 0.001}, "temperature": 1})
        self.tessera("run", self.input(random, output=None))

    def test_a_run_that_blows_up_names_particle_and_speed(self):
        source = self.input(run={"steps": 1000, "dt": 0.2}, output__trajectory__every=1)
        result = self.tessera("run", source, "--quiet", code=1)
        self.assertRegex(result.stderr, r"step \d+: particle \d+ at \(.*\) has speed [\d.e+]+")
        self.assertIn("smaller run.dt", result.stderr)
        self.assertNotIn(b"nan", self.read("t.csv"))
        self.assertNotIn(b"inf", self.read("t.csv"))
        info = self.tessera("info", "t.h5").stdout
        self.assertIn("complete    yes", info)


if __name__ == "__main__":
    sys.exit(unittest.main())
