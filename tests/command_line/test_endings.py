#!/usr/bin/env python3
"""How runs end: with numbers that are no result, with outputs that fail, with a kill; and what
systems without a volume have and lack."""

import csv
import json
import os
import resource
import signal
import subprocess
import sys
import time
import unittest

from command_line import LIQUID, TESSERA, CommandLineTest, changed, contents, h5py, np, steps_of

# Particles 3 and 4 meet head on after three steps of 0.25; until then no pair is within the cutoff.
HEAD_ON = """\
4
Lattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3:velo:R:3:id:I:1
A 1.0 1.0 8.0 0 0 0 1
A 5.0 9.0 8.0 0 0 0 2
A 2.0 5.0 3.0 4 0 0 3
A {x} 5.0 3.0 -4 0 0 4
"""
# 32 particles of a droplet in the middle of open space.
DROPLET = changed(LIQUID, system__lattice={"type": "fcc", "cells": [2, 2, 2], "density": 1.0},
                  system__boundary=["periodic", "open", "open"], system__temperature=0.3,
                  potential={"cutoff": 0.75, "truncation": "shifted",
                             "pairs": [{"species": ["A", "A"], "epsilon": 1, "sigma": 0.3}]},
                  output__rdf={"file": "t.rdf.csv", "every": 10})


class NoResult(CommandLineTest):
    def head_on(self, x="8.0", **changes):
        self.write("start.xyz", HEAD_ON.format(x=x))
        every = {"every": 1}
        config = changed(LIQUID, system={"file": "start.xyz"}, run={"steps": 3, "dt": 0.25},
                         potential={"cutoff": 1.5, "truncation": "shifted"},
                         output={"trajectory": {"file": "t.h5", **every,
                                                "fields": ["position", "velocity", "force"]},
                                 "thermo": {"file": "t.csv", **every},
                                 "rdf": {"file": "t.rdf.csv", **every},
                                 "checkpoint": {"file": "c.h5", **every}})
        return self.input(config, **changes)

    def assert_good_until(self, step):
        """Rows, frames and checkpoint go to that step, and everything in them is a number."""
        rows = np.loadtxt(self.path("t.csv"), delimiter=",", skiprows=1, ndmin=2)
        self.assertEqual(rows[:, 0].tolist(), list(range(step + 1)))
        self.assertTrue(np.isfinite(rows).all())
        self.assertEqual(steps_of(self.path("t.h5")), list(range(step + 1)))
        with h5py.File(self.path("t.h5"), "r") as file:
            for name in ["position", "velocity", "force"]:
                self.assertTrue(np.isfinite(file[f"particles/all/{name}/value"][()]).all())
        self.assertIn("complete    yes", self.tessera("info", "t.h5").stdout)
        if step > 0:
            info = self.tessera("info", "c.h5").stdout
            self.assertIn(f"step        {step}\n", info)
            self.assertIn("complete    yes", info)

    def test_coincident_particles_at_the_last_step_or_before_end_with_1(self):
        for path in ["reordered", "gather", "shoc"]:
            for steps in [3, 10]:
                with self.subTest(path=path, steps=steps):
                    source = self.head_on(run__steps=steps, force={"path": path},
                                          output__overwrite=True)
                    result = self.tessera("run", source, "--quiet", code=1)
                    self.assertIn("step 3: particle 3 at (5, 5, 3)", result.stderr)
                    self.assertIn("particle 4 is at its place", result.stderr)
                    self.assertIn("the last checkpoint is of step 2", result.stderr)
                    self.assert_good_until(2)
                    # From there the same happens again, and still nothing is lost.
                    again = self.tessera("resume", "c.h5", "--quiet", code=1)
                    self.assertIn("step 3: particle 3", again.stderr)
                    self.assertIn("the last checkpoint is of step 2", again.stderr)
                    self.assert_good_until(2)

    def test_forces_that_are_absurd_are_no_result_either(self):
        # 0.1 apart after three steps: the force is finite, and would move a particle 10^12 edges.
        result = self.tessera("run", self.head_on(x="8.1"), "--quiet", code=1)
        self.assertRegex(result.stderr, r"step 3: particle 3 .* feels a force of \d\.\d+e\+14")
        self.assert_good_until(2)

    def test_a_wall_clock_checkpoint_is_not_taken_of_a_bad_step(self):
        source = self.head_on(output={"checkpoint": {"file": "c.h5"}}, run__steps=30)
        result = self.tessera("run", source, "--quiet", "--set",
                              "output.checkpoint.wall_every=0.001s", code=1)
        self.assertRegex(result.stderr, "step [34]: particle")
        if os.path.exists(self.path("c.h5")):
            step = int(self.tessera("info", "c.h5").stdout.split("step")[1].split()[0])
            self.assertLess(step, 3)

    def test_an_overlapping_start_is_refused_before_any_file(self):
        source = self.input(system={"random": {"count": 500, "density": 0.5, "min_distance": 0.4},
                                    "temperature": 1.0}, run__dt=0.05)
        result = self.tessera("run", source, "--quiet", code=1)
        self.assertRegex(result.stderr, r"step 0: particle \d+ at")
        self.assertEqual(os.listdir(self.folder), ["in.yaml"])


class FailingOutputs(CommandLineTest):
    def limited(self, *arguments, size):
        """Runs with a limit on the size of files."""
        return subprocess.run(
            [TESSERA, *arguments], cwd=self.folder, text=True, capture_output=True, timeout=300,
            check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))

    # 25 kB a frame; the file begins with 1 MB that is taken at once.
    BIG = changed(LIQUID, output__trajectory={"file": "t.h5", "every": 2, "dtype": "float64",
                                              "fields": ["position", "image", "velocity", "force"]},
                  output__thermo__every=2)
    SIZE = 2_000_000

    def test_a_trajectory_that_fails_leaves_a_checkpoint_to_go_on_from(self):
        source = self.input(self.BIG, output__checkpoint={"file": "c.h5"},
                            output__rdf={"file": "t.rdf.csv", "every": 10})
        self.run_in("whole", source)
        result = self.limited("run", source, "--output-dir", "out", "--quiet",
                              size=self.SIZE)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("t.h5", result.stderr)
        step = int(result.stderr.split("the run ends at step ")[1].split(",")[0])
        self.assertIn(f"ends at step {step}, which is saved in its checkpoint", result.stderr)
        self.assertGreater(step, 0)
        self.assertIn(f"step        {step}\n", self.tessera("info", "out/c.h5").stdout)
        self.assertNotIn(step, steps_of(self.path("out", "t.h5")))
        self.tessera("resume", "out/c.h5", "--quiet")
        # Also the row and the frame that failed, and no sample of g(r) twice.
        self.assert_same_run("whole", "out", files=("t.csv", "t.rdf.csv"))
        whole, found = (contents(self.path(folder, "t.h5")) for folder in ["whole", "out"])
        # Rows that waited in memory for the frame that failed are in the CSV alone.
        waited = "parameters/thermo/"
        self.assertEqual([key for key in whole
                          if whole[key] != found[key] and not key.startswith(waited)], [])
        rows = [len(dataset) for _, _, dataset in [whole[waited + "step"], found[waited + "step"]]]
        self.assertIn(rows[0] - rows[1], [0, 8])

    def test_without_a_checkpoint_file_the_last_step_is_said(self):
        result = self.limited("run", self.input(self.BIG, output__checkpoint=None), "--quiet",
                              size=self.SIZE)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, r"ends at step \d+, and no checkpoint was asked for")


class KilledRuns(CommandLineTest):
    def test_g_of_r_is_as_new_as_the_checkpoint(self):
        endless = self.input(run__steps=10**9, output__trajectory=None,
                             output__rdf={"file": "t.rdf.csv", "every": 10})
        process = self.start("run", endless, "--output-dir", "out", "--quiet")
        deadline = time.monotonic() + 60
        while not os.path.exists(self.path("out", "t.rdf.csv")) and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(0.2)
        self.assertEqual(self.interrupt(process, signal.SIGKILL)[0], -signal.SIGKILL)
        with h5py.File(self.path("out", "c.h5"), "r") as file:
            step = int(file["state"].attrs["step"])
        expected = set()
        # The kill may have come between a checkpoint and its g(r).
        for steps in [step - 37, step]:
            source = self.input(run__steps=steps, output__trajectory=None,
                                output__rdf={"file": "t.rdf.csv", "every": 10})
            self.run_in(f"whole{steps}", source)
            expected.add(self.read(f"whole{steps}", "t.rdf.csv"))
        self.assertIn(self.read("out", "t.rdf.csv"), expected)
        # What the kill left aside of either file is in no one's way.
        resumed = self.tessera("resume", self.path("out", "c.h5"), "--steps", 10, "--quiet")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertEqual([name for name in os.listdir(self.path("out")) if name.endswith(".new")],
                         [])


class Counting(CommandLineTest):
    def test_steps_and_times_beyond_what_can_be_counted(self):
        for steps in ["9007199254740993", "9223372036854775807", "1e18"]:
            source = self.write("in.yaml", json.dumps(changed(LIQUID, run=None)).rstrip("}") +
                                f", \"run\": {{\"steps\": {steps}}}}}")
            for verb in ["validate", "run"]:
                result = self.tessera(verb, source, code=2)
                self.assertIn("9007199254740992", result.stderr)
        source = self.input(run={"steps": 10**12, "dt": 1e300})
        self.assertIn("run.dt", self.tessera("validate", source, code=2).stderr)
        self.run_in("out", self.input(run__steps=40))
        before = self.read("out", "t.csv")
        for steps in [2**63 - 1, 2**53 - 39]:
            result = self.tessera("resume", "out/c.h5", "--steps", steps, code=2)
            self.assertIn("9007199254740992", result.stderr)
        result = self.tessera("resume", "out/c.h5", "--steps", 10, "--set", "run.dt=1e-30", code=2)
        self.assertIn("run.dt", result.stderr)
        self.assertEqual(self.read("out", "t.csv"), before)


class Notices(CommandLineTest):
    def test_a_drifting_start_is_said_once(self):
        start = ("2\nLattice=\"10 0 0 0 10 0 0 0 10\" Properties=species:S:1:pos:R:3:velo:R:3\n"
                 "A 1 1 1 4 1 0\nA 5 5 5 4 -1 0\n")
        self.write("start.xyz", start)
        drifting = changed(LIQUID, system={"file": "start.xyz"})
        result = self.run_in("out", self.input(drifting))
        # K = 17 of which 16 are the drift's; three degrees of freedom are left.
        self.assertEqual(result.stderr.count("drifts as a whole at speed 4:"), 1)
        self.assertIn("11.333 with the drift in it, 0.66667 without", result.stderr)
        self.write("start.xyz", start.replace("4 -1", "-4 -1"))
        self.assertNotIn("drift", self.run_in("still", self.input(drifting)).stderr)


class NoVolume(CommandLineTest):
    def test_pressure_and_g_of_r_are_left_empty(self):
        result = self.tessera("run", self.input(DROPLET), "--output-dir", "out", "--summary",
                              "s.json")
        self.assertEqual(result.stderr.count("no volume"), 1)
        heading, first = result.stdout.splitlines()[:2]
        self.assertEqual(first.split()[heading.split().index("pressure")], "-")
        with open(self.path("out", "t.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 41)
        self.assertEqual({row["pressure"] for row in rows}, {""})
        self.assertTrue(all(float(row["temperature"]) > 0 for row in rows))
        with open(self.path("out", "t.rdf.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["g"] for row in rows}, {""})
        self.assertGreater(sum(int(row["pairs"]) for row in rows), 0)
        with h5py.File(self.path("out", "t.h5"), "r") as file:
            for name in ["pressure", "pressure_tensor", "density"]:
                self.assertNotIn(name, file["observables"])
            self.assertNotIn("pressure", file["parameters/thermo"])
            self.assertEqual(len(file["observables/temperature/value"]), 21)
            self.assertEqual(len(file["parameters/thermo/temperature"]), 41)
        with open(self.path("s.json"), encoding="utf-8") as file:
            final = json.load(file)["final_observables"]
        self.assertNotIn("pressure", final)
        self.assertIn("temperature", final)
        self.assertIn("temperature", self.tessera("info", "out/t.h5").stdout)

    def test_a_resumed_run_goes_on_with_the_empty_column(self):
        self.run_in("whole", self.input(DROPLET))
        self.run_in("out", self.input(DROPLET, run__steps=120))
        result = self.tessera("resume", "out/c.h5", "--steps", 80, "--quiet")
        self.assertNotIn("no volume", result.stderr)
        self.assert_same_run("whole", "out", files=("t.h5", "t.csv", "t.rdf.csv"))

    def test_a_tail_correction_is_refused(self):
        result = self.tessera("run", self.input(DROPLET, potential__tail_correction=True), code=2)
        self.assertIn("potential.tail_correction", result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
