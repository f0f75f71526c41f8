#!/usr/bin/env python3
"""Files by write_frames, read by other programs: test_h5md_readers.py WRITE_FRAMES PLOT.

h5py, MDAnalysis and, where it is installed, LAMMPS read them; PLOT draws one.

The content expected is that of tests/support/known_frames.hpp. Exits with 77 (skipped) without the modules.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

warnings.filterwarnings("ignore", category=DeprecationWarning)
try:
    import h5py
    import MDAnalysis
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

FRAMES, PARTICLES = 12, 150
EDGES = np.array([8.0, 9.0, 10.0])
WRITE_FRAMES = os.path.abspath(sys.argv.pop(1))
PLOT = os.path.abspath(sys.argv.pop(1))


def unwrapped(frame):
    p = np.arange(PARTICLES)
    return np.column_stack([0.1 * p + 0.01 * frame, 0.2 * p, np.full(PARTICLES, 5.0)])


class Readers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.path = cls.write("t.h5")

    @classmethod
    def write(cls, name):
        path = os.path.join(cls.directory.name, name)
        command = [WRITE_FRAMES, path, str(FRAMES), str(PARTICLES)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return path

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def test_h5py_finds_the_layout(self):
        with h5py.File(self.path, "r") as file:
            self.assertEqual(list(file["h5md"].attrs["version"]), [1, 1])
            self.assertEqual(file["h5md/author"].attrs["name"], b"N/A")
            self.assertEqual(file["h5md/creator"].attrs["name"], b"tessera")
            self.assertEqual(list(file["h5md/modules/thermodynamics"].attrs["version"]), [1, 0])
            box = file["particles/all/box"]
            self.assertEqual(box.attrs["dimension"], 3)
            self.assertEqual(list(box.attrs["boundary"]), [b"periodic"] * 3)
            self.assertEqual(box["edges/value"].shape, (FRAMES, 3, 3))
            np.testing.assert_array_equal(box["edges/value"][-1], np.diag(EDGES))
            position = file["particles/all/position"]
            self.assertEqual(position["value"].dtype, np.float32)
            self.assertEqual(position["step"].dtype, np.int64)
            for linked in ["image", "velocity", "box/edges"]:
                for clock in ["step", "time"]:
                    self.assertEqual(file[f"particles/all/{linked}/{clock}"], position[clock])
            self.assertEqual(file["observables/temperature/step"], position["step"])
            np.testing.assert_array_equal(position["step"], 10 * np.arange(FRAMES))
            self.assertEqual(file["parameters/committed_frames"][()], FRAMES)
            self.assertEqual(file["parameters"].attrs["seed"], 2**64 - 1)
            self.assertIn(b"seed: 18446744073709551615", file["parameters/input_yaml"][()])

    def test_h5py_finds_the_values(self):
        with h5py.File(self.path, "r") as file:
            particles = file["particles/all"]
            np.testing.assert_array_equal(particles["id"], 2 * np.arange(PARTICLES) + 1)
            np.testing.assert_array_equal(particles["species"], np.arange(PARTICLES) % 2)
            np.testing.assert_array_equal(particles["mass"][:2], [1.0, 39.948])
            for frame in range(FRAMES):
                position = particles["position/value"][frame].astype(float)
                self.assertTrue((position >= 0).all() and (position < EDGES).all())
                found = position + particles["image/value"][frame] * EDGES
                # one rounding of a coordinate below 16 to float32: 2^-24 * 16
                np.testing.assert_allclose(found, unwrapped(frame), rtol=0, atol=1e-6)
                self.assertEqual(
                    file["observables/temperature/value"][frame], 1.0 / 3.0 + frame
                )
            tensor = file["observables/pressure_tensor/value"][0]
            np.testing.assert_array_equal(tensor, [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]])
            np.testing.assert_array_equal(file["parameters/thermo/step"], 10 * np.arange(FRAMES))

    def test_mdanalysis_reads_box_times_and_observables(self):
        universe = MDAnalysis.Universe.empty(PARTICLES, trajectory=False)
        universe.load_new(self.path, format="H5MD", convert_units=False)
        self.assertEqual(len(universe.trajectory), FRAMES)
        for frame, step in enumerate(universe.trajectory):
            np.testing.assert_allclose(step.dimensions, [8, 9, 10, 90, 90, 90])
            self.assertAlmostEqual(step.time, 0.05 * frame)
            np.testing.assert_array_equal(step.velocities[:, 0], np.full(PARTICLES, frame))
            np.testing.assert_allclose(step.positions[3], unwrapped(frame)[3], atol=1e-6)
            self.assertEqual(step.data["particle_number"], PARTICLES)
            self.assertEqual(step.data["potential_energy"], -6.0)

    def test_mdanalysis_reads_the_dump_and_the_xyz(self):
        for name, format_name in [("t.lammpstrj", "LAMMPSDUMP"), ("t.xyz", "XYZ")]:
            universe = MDAnalysis.Universe.empty(PARTICLES, trajectory=False)
            universe.load_new(self.write(name), format=format_name)
            self.assertEqual(len(universe.trajectory), FRAMES)
            universe.trajectory[-1]
            expected = unwrapped(FRAMES - 1) % EDGES
            difference = universe.atoms.positions - expected
            difference -= EDGES * np.rint(difference / EDGES)
            np.testing.assert_allclose(difference, 0, atol=2e-6)

    def test_h5py_reads_a_checkpoint_despite_its_trailer(self):
        with h5py.File(self.write("t.ckpt.h5"), "r") as file:
            self.assertEqual(file["state"].attrs["step"], 10 * (FRAMES - 1))
            self.assertEqual(file["state/position"].shape, (PARTICLES, 3))
            self.assertEqual(file["state/velocity"][0, 0], FRAMES - 1)

    @unittest.skipUnless(shutil.which("lmp"), "LAMMPS is not installed")
    def test_lammps_reads_the_data_file(self):
        script = f"""
            units lj
            atom_style atomic
            read_data {self.write("t.data")}
            pair_style zero 1.0
            pair_coeff * *
            variable n equal count(all)
            variable m equal mass(all)
            variable vx equal vcm(all,x)
            variable x equal xcm(all,x)
            run 0
            print "found ${{n}} ${{m}} ${{vx}} ${{x}}"
        """
        result = subprocess.run(
            ["lmp", "-log", "none"], input=script, capture_output=True, text=True, check=False,
            cwd=self.directory.name,
        )
        lines = [line for line in result.stdout.splitlines() if line.startswith("found ")]
        self.assertEqual(len(lines), 1, result.stdout + result.stderr)
        count, mass, velocity, center = map(float, lines[0].split()[1:])
        self.assertEqual(count, PARTICLES)
        masses = np.where(np.arange(PARTICLES) % 2 == 0, 1.0, 39.948)
        self.assertAlmostEqual(mass, masses.sum(), places=9)
        self.assertAlmostEqual(velocity, FRAMES - 1, places=9)
        # LAMMPS prints 15 digits; its center of mass uses the images
        expected = np.average(unwrapped(FRAMES - 1)[:, 0], weights=masses)
        self.assertAlmostEqual(center, expected, places=9)

    def test_plot_draws_png_and_pdf(self):
        for name, magic in [("t.png", b"\x89PNG"), ("t.pdf", b"%PDF")]:
            output = os.path.join(self.directory.name, name)
            subprocess.run(
                [sys.executable, PLOT, self.path, "-o", output],
                check=True, stdout=subprocess.DEVNULL,
            )
            with open(output, "rb") as file:
                self.assertEqual(file.read(4), magic)


if __name__ == "__main__":
    unittest.main()
