#!/usr/bin/env python3
"""Runs that start from what other runs left: trajectories, checkpoints and converted text."""

import os
import subprocess
import sys
import unittest

from command_line import CommandLineTest, changed, h5py, np, steps_of

MIXTURE = {
    "system": {
        "lattice": {"type": "fcc", "cells": [4, 4, 4], "density": 1.2},
        "species": [{"name": "A", "mass": 1.0, "fraction": 0.8},
                    {"name": "B", "mass": 2.0, "fraction": 0.2}],
        "temperature": 1.0,
        "seed": 3,
    },
    "potential": {
        "cutoff": 2.0, "truncation": "shifted", "mixing": "lorentz_berthelot",
        "pairs": [{"species": ["A", "A"], "epsilon": 1, "sigma": 1},
                  {"species": ["B", "B"], "epsilon": 0.5, "sigma": 0.88}],
    },
    "run": {"steps": 40, "dt": 0.003},
    "output": {
        "trajectory": {"file": "t.h5", "every": 10, "dtype": "float64",
                       "fields": ["position", "image", "velocity", "force"]},
        "checkpoint": {"file": "c.h5"},
    },
    "device": "cpu",
    "threads": 2,
}


def frame(path, number):
    with h5py.File(path, "r") as file:
        particles = file["particles/all"]
        return {**{name: particles[name]["value"][number]
                   for name in ["position", "image", "velocity", "force"]},
                **{name: particles[name][()] for name in ["species", "mass", "id"]},
                "energy": file["observables/potential_energy/value"][number]}


class Start(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.run_in("first", self.input(MIXTURE))

    def start_from(self, name, folder, **changes):
        config = changed(MIXTURE, system__lattice=None, system__temperature=None, system__file=name,
                         system__species=[{"name": "A", "mass": 1.0}, {"name": "B", "mass": 2.0}],
                         **changes)
        self.run_in(folder, self.input(config))
        return self.path(folder, "t.h5")

    def check(self, name, number=4, atol=0.0):
        found = frame(self.start_from(name, "second", output__overwrite=True), 0)
        expected = frame(self.path("first", "t.h5"), number)
        for key in ["species", "mass", "id", "image"]:
            np.testing.assert_array_equal(found[key], expected[key], key)
        for key in ["position", "velocity"]:
            np.testing.assert_allclose(found[key], expected[key], rtol=0, atol=atol, err_msg=key)

    def test_from_a_trajectory_in_double(self):
        self.check("first/t.h5")
        self.check("first/t.h5", 4)
        result = self.start_from("first/t.h5", "frame", system__frame=2)
        np.testing.assert_array_equal(frame(result, 0)["position"],
                                      frame(self.path("first", "t.h5"), 2)["position"])

    def test_from_a_checkpoint(self):
        self.check("first/c.h5")

    def test_from_converted_text(self):
        for kind in ["xyz", "data"]:
            with self.subTest(format=kind):
                self.tessera("convert", "first/t.h5", "--to", kind, "-o", f"start.{kind}")
                self.check(f"start.{kind}")
        self.tessera("convert", "first/t.h5", "--to", "lammpstrj")
        with open(self.path("first", "t.lammpstrj"), encoding="utf-8") as file:
            self.assertEqual(file.read().count("ITEM: TIMESTEP"), 5)

    def test_from_float32_positions(self):
        self.run_in("first", self.input(MIXTURE, output__trajectory__dtype="float32",
                                        output__overwrite=True))
        self.check("first/t.h5")

    def test_converting_does_not_replace(self):
        self.write("there.xyz", "precious")
        result = self.tessera("convert", "first/t.h5", "--to", "xyz", "-o", "there.xyz", code=2)
        self.assertIn("there.xyz", result.stderr)
        self.assertEqual(self.read("there.xyz"), b"precious")

    def test_info_tells_what_is_there(self):
        text = self.tessera("info", "first/t.h5").stdout
        for part in ["frames      5, steps 0 to 40", "position, image, velocity, force",
                     "particles   256", "A: 205 particles, mass 1", "B: 51 particles, mass 2",
                     "complete    yes", "seed        3", "mixing: lorentz_berthelot"]:
            self.assertIn(part, text.replace("\n", " ") if "\n" in part else text)
        text = self.tessera("info", "first/c.h5").stdout
        for part in ["step        40", "particles   256", "complete    yes, checksum right"]:
            self.assertIn(part, text)

    def test_info_says_what_is_wrong_with_a_checkpoint_cut_short(self):
        whole = self.read("first/c.h5")
        words = {100: "truncated", len(whole) // 2: "truncated",
                 len(whole) - 1: "cut short", len(whole) - 8: "cut short"}
        for length, word in words.items():
            with self.subTest(length=length):
                with open(self.path("cut.h5"), "wb") as file:
                    file.write(whole[:length])
                self.assertIn(word, self.tessera("info", "cut.h5", code=1).stdout)
        # so little could be anything
        for length in (0, 1):
            with open(self.path("cut.h5"), "wb") as file:
                file.write(whole[:length])
            self.assertIn("no HDF5 file", self.tessera("info", "cut.h5", code=2).stderr)

    def test_the_input_in_a_trajectory_runs_again_to_the_same(self):
        with h5py.File(self.path("first", "t.h5"), "r") as file:
            text = file["parameters/input_yaml"][()].decode()
        self.run_in("again", self.write("stored.yaml", text))
        self.assert_same_run("first", "again", ("t.h5",))


class ReadmeExample(CommandLineTest):
    """The three lines of the README that open a trajectory in MDAnalysis."""

    def test_mdanalysis(self):
        try:
            import MDAnalysis  # noqa: F401
        except ImportError as missing:
            self.skipTest(str(missing))
        readme = os.path.join(os.path.dirname(__file__), "..", "..", "README.md")
        with open(readme, encoding="utf-8") as file:
            program = file.read().split("```python\n")[1].split("```")[0]
        self.run_in(".", self.input(output__trajectory__file="melt.h5"))
        self.tessera(*program.split("\n")[0].removeprefix("# tessera ").split())
        shown = subprocess.run([sys.executable, "-W", "ignore", "-c", program], cwd=self.folder,
                               stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(int(shown.split()[0]), len(steps_of(self.path("melt.h5"))))
        with h5py.File(self.path("melt.h5"), "r") as file:
            mean = file["particles/all/position/value"][0].mean(axis=0)
        found = [float(word) for word in shown.split("[")[1].split("]")[0].split()]
        # printed with 8 digits
        np.testing.assert_allclose(found, mean, rtol=1e-5)


if __name__ == "__main__":
    sys.exit(unittest.main())
