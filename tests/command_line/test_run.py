#!/usr/bin/env python3
"""A run of the executable: its files, table, summary, exit code and repeatability."""

import csv
import json
import os
import pty
import subprocess
import sys
import unittest

from command_line import TESSERA, CommandLineTest, h5py, np, steps_of

COLUMNS = ("step,time,temperature,pressure,potential_energy_per_particle,"
           "kinetic_energy_per_particle,total_energy_per_particle")
STAGES = ["sort", "neighbor", "reorder", "force", "integrate", "observables", "io"]


class Run(CommandLineTest):
    def test_rdf_without_the_crystal_it_starts_from(self):
        # fcc at 0.8442: neighbors at a / sqrt(2) = 1.1878 times 1, sqrt(2), sqrt(3); between the
        # first two shells, at 1.43 to 1.60, the crystal at rest has no pair and the liquid has many
        found = {}
        for start in [0, 500]:
            rdf = {"file": f"g{start}.csv", "every": 500, "bins": 100, "start": start}
            self.run_in("out", self.input(run__steps=500, output={"rdf": rdf}))
            found[start] = np.loadtxt(self.path("out", f"g{start}.csv"), delimiter=",", skiprows=1)
        r = found[0][:, 0]
        gap = (r > 1.43) & (r < 1.60)
        # sampled at 0 and 500, the gap has half of what the liquid has: the same pairs, twice the
        # samples
        np.testing.assert_array_equal(found[0][gap, 2], found[500][gap, 2])
        self.assertGreater(found[500][gap, 2].min(), 10)
        np.testing.assert_allclose(found[0][gap, 1], found[500][gap, 1] / 2, rtol=1e-12)
        shell = abs(r - 1.1878) < 0.0126
        self.assertGreater(found[0][shell, 1].max(), 2 * found[500][shell, 1].max())

    def test_frames_and_rows_come_once_each(self):
        self.tessera("run", self.input(run__steps=47), "--output-dir", self.path("out"))
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["c.h5", "c.prev.h5", "t.csv", "t.h5"])
        self.assertEqual(steps_of(self.path("out", "t.h5")), [0, 10, 20, 30, 40])
        with open(self.path("out", "t.csv"), encoding="utf-8") as file:
            self.assertEqual(file.readline().strip()[:len(COLUMNS)], COLUMNS)
            file.seek(0)
            rows = list(csv.DictReader(file))
        self.assertEqual([int(row["step"]) for row in rows], list(range(0, 47, 5)))
        with h5py.File(self.path("out", "t.h5"), "r") as file:
            self.assertEqual(file["parameters/committed_frames"][()], 5)
            np.testing.assert_array_equal(file["parameters/thermo/step"][()], range(0, 47, 5))
            # 0.004 * 10 k in double, the product that the clock makes
            np.testing.assert_array_equal(file["particles/all/position/time"][()],
                                          0.004 * np.arange(0, 50, 10))
            self.assertTrue(np.isfinite(file["particles/all/force/value"][()]).all())
            # the same numbers in both places
            np.testing.assert_array_equal(
                file["observables/temperature/value"][()],
                [float(row["temperature"]) for row in rows if int(row["step"]) % 10 == 0])
        self.assertIn("step        47\n", self.tessera("info", self.path("out", "c.h5")).stdout)

    def test_coordination_number(self):
        # the crystal has 12 neighbors at 1.1878 and the next at 1.68
        self.run_in("out", self.input(run__steps=100, output__thermo__coordination=1.5))
        with open(self.path("out", "t.csv"), encoding="utf-8") as file:
            self.assertEqual(file.readline().strip(), COLUMNS + ",coordination_number")
            file.seek(0)
            rows = list(csv.DictReader(file))
        numbers = [float(row["coordination_number"]) for row in rows]
        self.assertEqual(numbers[0], 12.0)
        with h5py.File(self.path("out", "t.h5"), "r") as file:
            np.testing.assert_array_equal(file["parameters/thermo/coordination_number"][()], numbers)
            np.testing.assert_array_equal(file["observables/coordination_number/value"][()],
                                          numbers[::2])
            # an independent count of the last frame
            frame = file["particles/all/position/value"][-1].astype(float)
            edges = np.diag(file["particles/all/box/edges/value"][-1])
        d = frame[:, None, :] - frame[None, :, :]
        d -= edges * np.round(d / edges)
        near = (np.sqrt((d * d).sum(axis=2)) < 1.5).sum() - len(frame)
        # frames are in float: a pair at the edge may fall on the other side
        self.assertLessEqual(abs(near - numbers[-1] * len(frame)), 4)
        self.assertNotEqual(numbers[-1], 12.0)
        # resumed, and to the same rows as in one go
        self.run_in("half", self.input(run__steps=50, output__thermo__coordination=1.5))
        self.tessera("resume", self.path("half", "c.h5"), "--steps", "50")
        with open(self.path("half", "t.csv"), "rb") as half, \
                open(self.path("out", "t.csv"), "rb") as whole:
            self.assertEqual(half.read(), whole.read())
        # other columns are another file
        result = self.tessera("resume", self.path("half", "c.h5"), "--steps", "5", "--set",
                              "output.thermo.coordination=null", code=2)
        self.assertIn("not the header", result.stderr)
        for wrong in [0, 2.6]:
            result = self.tessera("run", self.input(output__thermo__coordination=wrong), code=2)
            self.assertIn("output.thermo.coordination", result.stderr)

    def test_zero_steps_is_the_start_alone(self):
        self.tessera("run", self.input(), "--set", "run.steps=0", "--quiet")
        self.assertEqual(steps_of(self.path("t.h5")), [0])
        self.assertEqual(self.read("t.csv").count(b"\n"), 2)
        self.assertTrue(os.path.exists(self.path("c.h5")))

    def test_the_summary_holds_what_is_promised(self):
        self.tessera("run", self.input(), "--summary", self.path("s.json"), "--quiet")
        with open(self.path("s.json"), encoding="utf-8") as file:
            summary = json.load(file)
        for key in ["particles", "steps", "device", "path", "precision", "wall_seconds",
                    "particle_steps_per_second", "seconds_by_stage", "reorder_share",
                    "hidden_reorder_share", "cache", "rebuilds", "neighbors_per_particle",
                    "bytes_by_array", "final_observables", "energy_drift"]:
            self.assertIn(key, summary)
        self.assertEqual((summary["particles"], summary["steps"]), (256, 200))
        self.assertEqual((summary["path"], summary["precision"]), ("reordered", "mixed"))
        self.assertEqual(sorted(summary["seconds_by_stage"]), sorted(STAGES))
        # the stages also count the forces of the start, before the clock of the steps
        self.assertLess(sum(summary["seconds_by_stage"].values()), 1.5 * summary["wall_seconds"])
        self.assertGreater(summary["cache"]["misses"], 0)
        self.assertGreater(summary["cache"]["hits"], 0)
        self.assertGreaterEqual(summary["cache"]["invalidations"], 200)
        mean, most = (summary["neighbors_per_particle"][k] for k in ["mean", "max"])
        # the list with its skin: 4/3 pi 2.8^3 0.8442 = 77.6 in a fluid without structure
        self.assertTrue(65 < mean < 90 and most >= mean, (mean, most))
        self.assertEqual(summary["final_observables"]["step"], 200)
        last = self.read("t.csv").decode().splitlines()[-1].split(",")
        self.assertEqual(float(last[6]), summary["final_observables"]["total_energy_per_particle"])
        self.assertLess(abs(summary["energy_drift"]["per_particle"]), 0.01)

    def test_an_unwritable_summary_is_found_before_the_run(self):
        result = self.tessera("run", self.input(), "--summary", self.path("no", "s.json"), code=2)
        self.assertIn("--summary", result.stderr)
        self.assertFalse(os.path.exists(self.path("t.h5")))

    def test_overrides_and_device(self):
        self.tessera("run", self.input(device=None), "--set", "run.steps=20", "--set",
                     "output.trajectory.every=4", "--device", "cpu", "--quiet")
        self.assertEqual(steps_of(self.path("t.h5")), [0, 4, 8, 12, 16, 20])
        self.assertIn("no_such", self.tessera("run", self.input(), "--set", "run.no_such=1",
                                              code=2).stderr)

    def test_the_table_is_stdout_and_messages_are_stderr(self):
        result = self.tessera("run", self.input(run__steps=20, output__thermo__every=10))
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0].split()[:4], ["step", "time", "temperature", "pressure"])
        self.assertEqual([line.split()[0] for line in lines[1:4]], ["0", "10", "20"])
        self.assertNotIn("\r", result.stdout)
        self.assertNotIn("left", result.stdout)
        self.assertEqual(result.stderr, "")
        quiet = self.tessera("run", self.input(run__steps=20, output__overwrite=True), "--quiet")
        self.assertEqual((quiet.stdout, quiet.stderr), ("", ""))

    def test_without_thermo_the_table_is_still_there(self):
        result = self.tessera("run", self.input(output=None, run__steps=100))
        self.assertEqual([line.split()[0] for line in result.stdout.splitlines()[:3]],
                         ["step", "0", "100"])
        self.assertEqual(os.listdir(self.folder), ["in.yaml"])

    def test_progress_shows_on_a_terminal_only(self):
        leader, follower = pty.openpty()
        process = subprocess.Popen([TESSERA, "run", self.input()], cwd=self.folder,
                                   stdout=follower, stderr=subprocess.PIPE)
        os.close(follower)
        shown = b""
        try:
            while piece := os.read(leader, 65536):
                shown += piece
        except OSError:  # the other side is closed
            pass
        process.communicate()
        os.close(leader)
        self.assertEqual(process.returncode, 0)
        self.assertRegex(shown, rb"step \d+ of 200, [\d.e+]+ steps/s, [\d.e+]+ particle-steps/s")

    def test_a_reader_that_leaves_does_not_end_the_run(self):
        process = self.start("run", self.input())
        process.stdout.close()
        # nothing of the simulation is lost, but what was to be printed is
        self.assertEqual(process.wait(60), 1)
        self.assertIn("standard output failed (Broken pipe)", process.stderr.read())
        process.stderr.close()
        self.assertEqual(steps_of(self.path("t.h5"))[-1], 200)


class Repeatability(CommandLineTest):
    def test_any_number_of_threads_gives_the_same_bytes(self):
        for path in ["reordered", "gather", "shoc"]:
            for precision in ["mixed", "double", "single"]:
                with self.subTest(path=path, precision=precision):
                    source = self.input(force={"path": path, "precision": precision},
                                        output__overwrite=True, run__steps=60)
                    for threads in [2, 1, 2, 3]:
                        self.run_in(f"t{threads}", source, "--set", f"threads={threads}")
                        self.assert_same_run("t2", f"t{threads}")

    def test_every_path_gives_the_same_energy_in_double(self):
        energies = []
        for path in ["reordered", "gather", "shoc"]:
            for rebuild in ["every_step", "on_displacement"]:
                source = self.input(force={"path": path, "precision": "double"},
                                    neighbor={"rebuild": rebuild, "skin": 0.3}, run__steps=50)
                self.run_in(path + rebuild, source)
                rows = np.loadtxt(self.path(path + rebuild, "t.csv"), delimiter=",", skiprows=1)
                energies.append(rows[:, 4])
        for found in energies[1:]:
            # sums in another order differ by 1e-15; chaos multiplies it by e^(2 * 0.2) in t = 0.2
            np.testing.assert_allclose(found, energies[0], rtol=0, atol=1e-10)


class Validate(CommandLineTest):
    def test_what_it_prints_is_an_input_that_prints_the_same(self):
        first = self.tessera("validate", self.input()).stdout
        self.write("again.yaml", first)
        self.assertEqual(self.tessera("validate", self.path("again.yaml")).stdout, first)
        self.assertIn("# particles: 256\n", first)
        self.assertEqual(sorted(os.listdir(self.folder)), ["again.yaml", "in.yaml"])

    def test_keys_lists_what_an_input_may_hold(self):
        every = self.tessera("keys").stdout
        for key in ["system.lattice.cells", "potential.pairs.sigma", "output.rdf.start", "threads"]:
            self.assertIn(f"- `{key}`: ", every)
        rdf = self.tessera("keys", "output.rdf").stdout
        self.assertIn(rdf, every)
        self.assertEqual(rdf.count("`output.rdf."), 4)
        wrong = self.tessera("keys", "run.stepps", code=2)
        self.assertIn("did you mean 'run.steps'?", wrong.stderr)

    def test_the_resolved_input_gives_the_same_run(self):
        self.run_in("given", self.input())
        self.write("again.yaml", self.tessera("validate", self.input()).stdout)
        self.run_in("resolved", self.path("again.yaml"))
        self.assert_same_run("given", "resolved")

    def test_the_forecast_is_near_what_the_run_takes(self):
        # enough particles that the extra of a whole slice of 32 does not show
        config = {"system__lattice__cells": [10, 10, 10], "run__steps": 5, "output": None}
        for path in ["reordered", "gather"]:
            for precision in ["mixed", "double"]:
                with self.subTest(path=path, precision=precision):
                    source = self.input(force={"path": path, "precision": precision}, **config)
                    text = self.tessera("validate", source).stdout
                    forecast = float(text.split("# memory forecast: ")[1].split()[0]) * 1e6
                    self.tessera("run", source, "--quiet", "--summary", self.path("s.json"))
                    with open(self.path("s.json"), encoding="utf-8") as file:
                        taken = sum(json.load(file)["bytes_by_array"].values())
                    self.assertLess(abs(forecast - taken), 0.3 * taken, (forecast, taken))


if __name__ == "__main__":
    sys.exit(unittest.main())
