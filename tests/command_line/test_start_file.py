#!/usr/bin/env python3
"""What a start file says reaches the run and its records; what it cannot say is refused or told."""

import os
import sys
import unittest

from command_line import CommandLineTest, changed, h5py, np

# Mass 4 in open space: nothing of it is a default.
DROPLET = {
    "system": {
        "lattice": {"type": "fcc", "cells": [3, 3, 3], "density": 0.8442},
        "species": [{"name": "Kr", "mass": 4.0}],
        "temperature": 1.0,
        "boundary": ["open", "open", "open"],
    },
    "potential": {"cutoff": 2.0},
    "run": {"steps": 20},
    "force": {"precision": "double"},
    "output": {
        "trajectory": {"file": "t.h5", "every": 20, "dtype": "float64",
                       "fields": ["position", "image", "velocity"]},
        "thermo": {"file": "t.csv", "every": 20},
        "checkpoint": {"file": "c.h5"},
    },
    "device": "cpu",
    "threads": 1,
}

WRITE_DATA = """\
LAMMPS data file via write_data, version 22 Jul 2025, timestep = 50, units = lj

2 atoms
1 atom types

-1 7 xlo xhi
0 8 ylo yhi
0 8 zlo zhi

Masses

1 4

Pair Coeffs # lj/cut

1 2 1.1

Atoms # atomic

1 1 1 1 1 0 0 0
2 1 2.5 1 1 -1 0 0

Velocities

1 1 0 0
2 -1 0 0
"""

XYZ = """\
2
Lattice="8 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3 pbc="F F F"
Ar 0.3 4 4
Ar 7.2 4 4
"""


def at_start(name, **changes):
    """The input that starts at rest, or at the file's velocities, and takes no step."""
    bare = {"system__" + key: None for key in ["lattice", "species", "boundary", "temperature"]}
    return changed(DROPLET, **{**bare, "system__file": name, "run__steps": 0, **changes})


class StartFile(CommandLineTest):
    def row(self, *names):
        # an open system has no pressure: an empty column
        return [float(word or "nan") for word in self.read(*names).decode().split("\n")[-2].split(",")]

    def test_an_open_run_with_masses_goes_on_from_each_of_its_files(self):
        self.run_in("first", self.input(DROPLET))
        for kind in ["xyz", "data"]:
            self.tessera("convert", "first/t.h5", "--to", kind, "--frame", "last",
                         "-o", f"first/t.{kind}")
        expected = self.row("first", "t.csv")
        for name in ["t.h5", "c.h5", "t.xyz", "t.data"]:
            with self.subTest(start=name):
                self.run_in(name, self.input(at_start("first/" + name)))
                found = self.row(name, "t.csv")
                np.testing.assert_allclose(found[4:7], expected[4:7], rtol=1e-12)
                np.testing.assert_allclose(found[2], expected[2], rtol=1e-12)
                with h5py.File(self.path(name, "t.h5"), "r") as file:
                    text = file["parameters/input_yaml"][()].decode()
                    self.assertIn("{name: Kr, mass: 4}", text)
                    self.assertIn("boundary: [open, open, open]", text)
                    np.testing.assert_array_equal(file["particles/all/mass"][()], 4.0)
                self.tessera("resume", self.path(name, "c.h5"), "--steps", 2, "--quiet")
                self.assertEqual(self.row(name, "t.csv")[0], 0)
                self.assertIn("species   Kr: 108 particles, mass 4",
                              self.tessera("info", self.path(name, "c.h5")).stdout)

    def test_validate_shows_what_is_taken(self):
        self.write("s.xyz", XYZ)
        shown = self.tessera("validate", self.input(at_start("s.xyz", system__temperature=0))).stdout
        for part in ["{name: Ar, mass: 1}", "boundary: [open, open, open]", "species: [Ar, Ar]"]:
            self.assertIn(part, shown)
        again = self.tessera("validate", self.write("again.yaml", shown.split("\n\n")[0])).stdout
        self.assertEqual(again, shown)

    def test_contradictions_are_refused_where_they_stand(self):
        self.write("s.xyz", XYZ)
        self.write("s.data", WRITE_DATA)
        cases = [
            ("s.xyz", {"boundary": ["periodic"] * 3}, "system.boundary", "[open, open, open]"),
            ("s.xyz", {"species": [{"name": "A"}]}, "system.species", "'Ar'"),
            ("s.data", {"species": [{"name": "A", "mass": 1}]}, "system.species.0.mass", "4"),
        ]
        for name, says, key, value in cases:
            config = at_start(name, system__temperature=0)
            config["system"].update(says)
            message = self.tessera("run", self.input(config), code=2).stderr
            self.assertIn("in.yaml:", message)
            self.assertIn(key, message)
            self.assertIn(value, message)
        pairs = [{"species": ["A", "A"], "epsilon": 1, "sigma": 1.1}]
        message = self.tessera("run", self.input(at_start("s.data", potential__pairs=pairs)),
                               code=2).stderr
        self.assertIn("potential.pairs", message)
        self.assertIn("epsilon of 1,", message)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.yaml", "s.data", "s.xyz"])

    def test_coefficients_and_masses_of_write_data(self):
        self.write("s.data", WRITE_DATA)
        self.run_in("o", self.input(at_start("s.data")))
        row = self.row("o", "t.csv")
        # 4 epsilon ((sigma/r)^12 - (sigma/r)^6) of one pair at 1.5; 1/2 4 v^2 each
        s6 = (1.1 / 1.5) ** 6
        self.assertAlmostEqual(row[4], 4 * 2 * (s6 * s6 - s6) / 2, places=12)
        self.assertAlmostEqual(row[5], 2.0, places=12)
        with h5py.File(self.path("o", "t.h5"), "r") as file:
            self.assertIn("epsilon: 2, sigma: 1.1", file["parameters/input_yaml"][()].decode())

    def test_a_type_without_particles_is_a_species(self):
        text = WRITE_DATA.replace("1 atom types", "2 atom types").replace("1 4\n", "1 1\n2 4\n")
        text = text.replace("1 2 1.1\n", "1 1 1\n2 2 1.1\n")
        text = text.replace("1 1 1 1 1 0", "1 2 1 1 1 0").replace("2 1 2.5", "2 2 2.5")
        self.write("s.data", text)
        self.run_in("o", self.input(at_start("s.data", potential__mixing="geometric")))
        with h5py.File(self.path("o", "t.h5"), "r") as file:
            np.testing.assert_array_equal(file["particles/all/species"][()], [1, 1])
        self.assertAlmostEqual(self.row("o", "t.csv")[5], 2.0, places=12)
        one = at_start("s.data", system__species=[{"name": "small"}])
        self.assertIn("2 in all", self.tessera("run", self.input(one), code=2).stderr)

    def test_names_do_not_steer_the_terminal(self):
        for name in ["\x1b[2J", "n" * 500000, "\u202eabc", "a\tb"]:
            self.write("s.xyz", XYZ.replace("Ar", name))
            config = at_start("s.xyz", system__temperature=0)
            for text in [self.tessera("run", self.input(config), code=2).stderr,
                         self.tessera("run", self.input(changed(
                             DROPLET, system__species=[{"name": name + " b"}])), code=2).stderr]:
                self.assertLess(len(text), 5000)
                self.assertTrue(all(c == "\n" or c.isprintable() for c in text), repr(text))

    def test_what_is_not_used_is_said(self):
        self.write("s.xyz", XYZ.replace("pos:R:3", "pos:R:3:forces:R:3:tag:I:1")
                   .replace("4 4\n", "4 4 0 0 0 7\n"))
        result = self.run_in("o", self.input(at_start("s.xyz", system__temperature=0)))
        self.assertIn("forces, tag", result.stderr)

    def test_a_start_is_beside_its_input(self):
        os.mkdir(self.path("inputs"))
        self.write("inputs/s.xyz", XYZ)
        path = self.input(at_start("s.xyz", system__temperature=0), name="inputs/in.yaml")
        result = self.run_in("beside", path)
        self.assertNotIn("s.xyz", result.stderr)
        with h5py.File(self.path("beside", "t.h5"), "r") as file:
            self.assertEqual(file["particles/all/position/value"].shape[1], 2)
        # three particles in the working folder: the input's is taken, and that is said
        self.write("s.xyz", XYZ.replace("2\n", "3\n", 1) + "Ar 1 1 1\n")
        result = self.run_in("both", path)
        self.assertIn("inputs/s.xyz is read, not s.xyz", result.stderr)
        with h5py.File(self.path("both", "t.h5"), "r") as file:
            self.assertEqual(file["particles/all/position/value"].shape[1], 2)
        # a name on the command line is meant where it is typed
        result = self.run_in("typed", path, "--set", "system.file=s.xyz")
        with h5py.File(self.path("typed", "t.h5"), "r") as file:
            self.assertEqual(file["particles/all/position/value"].shape[1], 3)
        os.remove(self.path("inputs/s.xyz"))
        result = self.run_in("here", path)
        self.assertIn("s.xyz is read; there is no", result.stderr)
        os.remove(self.path("s.xyz"))
        self.assertIn("No such file", self.run_in("none", path, code=2).stderr)


class OtherProducers(CommandLineTest):
    """H5MD of other programs."""

    def trajectory(self, name="t.h5", numbers=(0, 1, 0), masses=(2.0, 3.0, 2.0), labels=None):
        with h5py.File(self.path(name), "w") as file:
            file.create_group("h5md").attrs["version"] = [1, 1]
            group = file.create_group("particles/fluid")
            box = group.create_group("box")
            box.attrs["dimension"] = 3
            box.attrs["boundary"] = np.array([b"periodic", b"none", b"periodic"])
            box["edges"] = [8.0, 9.0, 10.0]
            position = group.create_group("position")
            position["value"] = np.array([[[1, 1, 1], [3, -2, 1], [5, 1, 1]]], dtype="f8")
            position["step"] = np.array([5])
            position["time"] = np.array([0.5])
            kind = h5py.enum_dtype(labels) if labels else "i4"
            group.create_dataset("species", data=np.array(numbers, dtype="i4"), dtype=kind)
            if masses is not None:
                group["mass"] = np.array(masses)
        return name

    def validate(self, name="t.h5", code=0, **says):
        config = {"system": {"file": name, "temperature": 0, **says},
                  "potential": {"cutoff": 2, "mixing": "geometric",
                                "pairs": [{"species": [name] * 2, "epsilon": 1, "sigma": 1}
                                          for name in says.pop("of", ["0", "1"])]},
                  "run": {"steps": 0}}
        config["system"].pop("of", None)
        result = self.tessera("validate", self.input(config), code=code)
        return result.stderr if code else result.stdout

    def test_boundary_numbers_and_masses(self):
        self.trajectory()
        shown = self.validate()
        for part in ['{name: "0", mass: 2}', '{name: "1", mass: 3}',
                     "boundary: [periodic, open, periodic]"]:
            self.assertIn(part, shown)
        names = [{"name": "A"}, {"name": "B"}]
        self.assertIn("{name: B, mass: 3}", self.validate(species=names, of=["A", "B"]))
        self.trajectory(numbers=(1, 2, 1))
        self.assertIn("{name: B, mass: 3}", self.validate(species=names, of=["A", "B"]))
        self.trajectory(numbers=(1, 1, 1), masses=(2.0, 2.0, 2.0))
        self.assertIn("from 0 or from 1", self.validate(species=names, of=["A", "B"], code=2))
        self.trajectory(numbers=(0, 60000, 0))
        self.assertIn('"60000"', self.validate(of=["0", "60000"]))
        self.trajectory(numbers=(0, 2**31 - 1, 0))
        self.assertIn("2147483647", self.validate(code=2))

    def test_names_of_an_enumeration(self):
        self.trajectory(numbers=(5, 9, 5), labels={"Ar": 5, "Kr": 9})
        self.assertIn("{name: Kr, mass: 3}", self.validate(of=["Ar", "Kr"]))
        names = [{"name": "Kr"}, {"name": "Ar"}]
        self.assertIn("{name: Kr, mass: 3}", self.validate(species=names, of=["Ar", "Kr"]))

    def test_masses_that_no_species_can_have(self):
        self.trajectory(masses=(2.0, 3.0, 2.5))
        self.assertIn("masses 2 and 2.5", self.validate(code=2))
        self.trajectory(masses=(2.0, 0.0, 2.0))
        self.assertIn("above 0", self.validate(code=2))

    def test_more_than_is_read(self):
        for path, data, part in [("particles/solid/species", [1], "2 groups"),
                                 ("connectivity/bonds", [[0, 1]], "bonds"),
                                 ("particles/fluid/charge", [1.0, -1.0, 0.0], "charges")]:
            self.trajectory()
            with h5py.File(self.path("t.h5"), "a") as file:
                file[path] = data
            self.assertIn(part, self.validate(code=2))
            self.assertIn(part, self.tessera("convert", "t.h5", "--to", "xyz", code=2).stderr)
        self.trajectory()
        with h5py.File(self.path("t.h5"), "a") as file:
            file["particles/fluid/charge"] = [0.0, 0.0, 0.0]
            file["particles/fluid/radius"] = [1.0, 1.0, 1.0]
        self.assertIn('{name: "1", mass: 3}', self.validate())

    def test_without_velocities_a_run_asks_for_a_temperature(self):
        self.trajectory()
        self.tessera("convert", "t.h5", "--to", "xyz")
        self.assertNotIn("velo", self.read("t.xyz").decode())
        config = {"system": {"file": "t.xyz"}, "run": {"steps": 0},
                  "potential": {"cutoff": 2, "mixing": "geometric",
                                "pairs": [{"species": [name] * 2, "epsilon": 1, "sigma": 1}
                                          for name in ["0", "1"]]}}
        self.assertIn("system.temperature", self.tessera("run", self.input(config), code=2).stderr)

    def test_no_particles_make_no_file(self):
        with h5py.File(self.path("t.h5"), "w") as file:
            group = file.create_group("particles/all")
            group["box/edges"] = [8.0, 9.0, 10.0]
            group["position/value"] = np.zeros((1, 0, 3))
            group["position/step"] = np.array([0])
            group["position/time"] = np.array([0.0])
        for kind in ["xyz", "data", "lammpstrj"]:
            result = self.tessera("convert", "t.h5", "--to", kind, code=2)
            self.assertIn("no particles", result.stderr)
            self.assertFalse(os.path.exists(self.path("t." + kind)))


if __name__ == "__main__":
    sys.exit(unittest.main())
