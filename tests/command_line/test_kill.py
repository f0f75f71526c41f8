#!/usr/bin/env python3
"""Killed at any instant, a trajectory opens and holds every frame that the run had finished."""

import os
import random
import shutil
import signal
import sys
import time
import unittest

from command_line import CommandLineTest, changed, contents, LIQUID, h5py, np

KILLS = 50
EVERY_STEP = changed(LIQUID, run__steps=10**6, output__trajectory__every=1,
                     output__thermo__every=1, output__checkpoint__every=3)


class KillAtAnyInstant(CommandLineTest):
    """From the start of the process on; tests/command_line/test_states.py has each write."""

    STEPS = 300
    SECONDS = 20.0

    def setUp(self):
        super().setUp()
        self.seed = random.SystemRandom().randrange(10**6)
        print("seed", self.seed)

    def killed(self, delay, *arguments):
        process = self.start(*arguments, "--quiet")
        time.sleep(delay)
        code, _, errors = self.interrupt(process, signal.SIGKILL)
        self.assertIn(code, [0, -signal.SIGKILL], errors)

    def step_of_checkpoint(self):
        """Of the last one; past the end where there is none to resume."""
        if not os.path.exists(self.path("out", "c.h5")):
            return self.STEPS
        with h5py.File(self.path("out", "c.h5"), "r") as file:
            return int(file["state"].attrs["step"])

    def check(self, whole):
        """The trajectory is absent, or holds as many frames of the whole run as it says."""
        if not os.path.exists(self.path("out", "t.h5")):
            return
        with h5py.File(self.path("out", "t.h5"), "r") as file:
            count = int(file["parameters/committed_frames"][()])
            for name in ["position/value", "position/step", "velocity/value", "image/value"]:
                values = file["particles/all"][name][:count]
                self.assertEqual(len(values), count)
                self.assertTrue(np.isfinite(values).all())
                kind, shape, expected = whole["particles/all/" + name]
                expected = np.frombuffer(expected, kind).reshape(shape)
                np.testing.assert_array_equal(values, expected[:count])

    def test_kills_of_run_and_resume(self):
        chance = random.Random(self.seed)
        source = self.input(EVERY_STEP, run__steps=self.STEPS, output__checkpoint__every=20,
                            output__thermo__every=3, output__overwrite=True)
        begin = time.monotonic()
        self.run_in("whole", source)
        seconds = time.monotonic() - begin
        whole = contents(self.path("whole", "t.h5"))
        with h5py.File(self.path("whole", "t.h5"), "r") as file:
            step = file["particles/all/position/step"][()]
        whole["particles/all/position/step"] = (str(step.dtype), step.shape, step.tobytes())
        kills = 0
        while time.monotonic() < begin + self.SECONDS:
            shutil.rmtree(self.path("out"), ignore_errors=True)
            self.killed(chance.uniform(0, seconds), "run", source, "--output-dir",
                        self.path("out"))
            self.check(whole)
            for _ in range(chance.randrange(3)):
                if self.step_of_checkpoint() < self.STEPS:
                    self.killed(chance.uniform(0, seconds / 2), "resume", self.path("out", "c.h5"))
                    self.check(whole)
                    kills += 1
            kills += 1
            if self.step_of_checkpoint() < self.STEPS:
                self.tessera("resume", self.path("out", "c.h5"), "--quiet")
                self.assert_same_run("whole", "out")
        print(kills, "kills")
        self.assertGreater(kills, 10)


class Kill(CommandLineTest):
    def kill_once(self, source, delay):
        """How many thermo rows, each written after the frame of its step, the run had told."""
        if os.path.exists(self.path("out", "t.csv")):
            os.remove(self.path("out", "t.csv"))  # its rows would be taken for this run's
        process = self.start("run", source, "--output-dir", self.path("out"), "--quiet")
        self.wait_for_rows(self.path("out", "t.csv"), 2, process)
        time.sleep(delay)
        rows = self.read("out", "t.csv").count(b"\n") - 1
        code, _, errors = self.interrupt(process, signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL, errors)
        return rows

    def check(self, rows):
        with h5py.File(self.path("out", "t.h5"), "r") as file:
            committed = int(file["parameters/committed_frames"][()])
            self.assertGreaterEqual(committed, rows)
            particles = file["particles/all"]
            np.testing.assert_array_equal(particles["position/step"][:committed],
                                          np.arange(committed))
            for name in ["position", "velocity", "force", "image"]:
                self.assertGreaterEqual(particles[name]["value"].shape[0], committed)
            velocity = particles["velocity/value"][:committed].astype(float)
            # a frame that was lost reads as zeros, without kinetic energy
            kinetic = 0.5 * (velocity**2).sum(axis=(1, 2)) / velocity.shape[1]
            # float32 velocities: 2^-24 relative each, squared and averaged
            np.testing.assert_allclose(
                kinetic, file["observables/kinetic_energy/value"][:committed], rtol=1e-6)
        return committed

    def test_fifty_kills(self):
        source = self.input(EVERY_STEP, output__overwrite=True)
        chance = random.Random(20200)
        frames = [self.check(self.kill_once(source, chance.uniform(0, 0.25)))
                  for _ in range(KILLS)]
        self.assertGreater(len(set(frames)), KILLS // 4, "the kills came at one and the same step")

    def test_killed_runs_go_on(self):
        chance = random.Random(7)
        self.kill_once(self.input(EVERY_STEP), 0.2)
        for _ in range(5):
            process = self.start("resume", self.path("out", "c.h5"), "--quiet")
            time.sleep(chance.uniform(0.02, 0.3))
            self.interrupt(process, signal.SIGKILL)
        self.tessera("resume", self.path("out", "c.h5"), "--steps", 10, "--quiet")
        committed = self.check(0)
        rows = np.loadtxt(self.path("out", "t.csv"), delimiter=",", skiprows=1)
        np.testing.assert_array_equal(rows[:, 0], np.arange(committed))

    def test_a_file_cut_before_its_superblock_is_resumed(self):
        self.run_in("whole", self.input(run__steps=60))
        shutil.copytree(self.path("whole"), self.path("cut"))
        shutil.copy(self.path("cut", "c.prev.h5"), self.path("cut", "c.h5"))
        # the frames of steps 40, 50 and 60, dropped by the resumed run, are last in the file
        os.truncate(self.path("cut", "t.h5"), os.path.getsize(self.path("cut", "t.h5")) - 2 * 12288)
        self.tessera("resume", self.path("cut", "c.h5"), "--quiet")
        self.assert_same_run("whole", "cut")


if __name__ == "__main__":
    sys.exit(unittest.main())
