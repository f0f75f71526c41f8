#!/usr/bin/env python3
"""A run cut in parts by limits and signals leaves the bytes of the run that was never cut."""

import os
import shutil
import signal
import subprocess
import sys
import unittest

from command_line import TESSERA, CommandLineTest, contents, h5py, steps_of

# g(r) is accumulated over the whole run, so its bytes tell whether the sum was carried on.
RDF = {"file": "g.csv", "every": 20, "bins": 100}
FILES = ("t.h5", "t.csv", "g.csv")


class Resume(CommandLineTest):
    def resume(self, folder, *arguments, code=0, name="c.h5"):
        return self.tessera("resume", self.path(folder, name), "--quiet", *arguments, code=code)

    def part(self, folder, steps, **changes):
        """The first steps of a run whose input asks for 200, as a crash after them leaves it."""
        source = self.input(run__steps=steps, output__rdf=RDF, **changes)
        self.run_in(folder, source)
        return source

    def whole(self, folder, **changes):
        self.run_in(folder, self.input(output__rdf=RDF, **changes))

    def test_two_halves_are_the_whole(self):
        for path, precision, rebuild in [
                ("reordered", "mixed", "every_step"), ("reordered", "double", "on_displacement"),
                ("reordered", "single", "on_displacement"), ("gather", "mixed", "on_displacement"),
                ("gather", "double", "every_step"), ("shoc", "mixed", "every_step"),
                ("shoc", "single", "on_displacement"), ("auto", "mixed", "every_step")]:
            with self.subTest(path=path, precision=precision, rebuild=rebuild):
                changes = {"force": {"path": path, "precision": precision},
                           "neighbor": {"rebuild": rebuild, "skin": 0.3},
                           "output__overwrite": True}
                self.whole("whole", **changes)
                self.part("parts", 100, **changes)
                self.resume("parts", "--steps", 100)
                self.assert_same_run("whole", "parts", FILES)

    def test_cuts_between_all_intervals(self):
        self.whole("whole")
        self.part("parts", 37)
        for steps in [1, 2, 37, 23, 100]:  # 38, 40, 77, 100, 200
            self.resume("parts", "--steps", steps)
        self.assert_same_run("whole", "parts", FILES)

    def test_a_later_start_of_rdf(self):
        changes = {"output__rdf": {**RDF, "start": 50}}
        self.run_in("whole", self.input(**changes))
        # the checkpoint before, at and after the first sample, of step 60
        for steps in [10, 60, 61, 130]:
            with self.subTest(steps=steps):
                shutil.rmtree(self.path("parts"), ignore_errors=True)
                self.run_in("parts", self.input(run__steps=steps, **changes))
                self.assertEqual(os.path.exists(self.path("parts", "g.csv")), steps >= 60)
                self.resume("parts", "--steps", 200 - steps)
                self.assert_same_run("whole", "parts", FILES)

    def test_what_rdf_has_summed_stays(self):
        self.part("out", 100)
        for change in ["output.rdf.start=60", "output.rdf.bins=50"]:
            result = self.resume("out", "--steps", 10, "--set", change, code=2)
            self.assertIn("output.rdf", result.stderr)
        # 120, 140: what came before the new start is dropped
        self.resume("out", "--steps", 50, "--set", "output.rdf.start=110")
        self.assertIn("2 samples", self.tessera("info", self.path("out", "c.h5")).stdout)

    def test_every_number_of_threads_goes_on_alike(self):
        self.whole("whole")
        self.part("parts", 111)
        self.resume("parts", "--steps", 89, "--set", "threads=1")
        self.assert_same_run("whole", "parts", FILES)

    def test_an_earlier_checkpoint_drops_what_came_after_it(self):
        self.whole("whole")
        shutil.copytree(self.path("whole"), self.path("parts"))
        # the last but one is of step 185, of a run whose files reach 200
        shutil.copy(self.path("parts", "c.prev.h5"), self.path("parts", "c.h5"))
        with h5py.File(self.path("parts", "t.h5"), "r") as file:
            self.assertEqual(file["parameters/committed_frames"][()], 21)
        self.resume("parts")
        self.assert_same_run("whole", "parts", FILES)

    def test_signals_save_and_a_resumed_run_goes_on(self):
        source = self.input(run__steps=2000, output__rdf=RDF)
        self.run_in("whole", source)
        for number in [signal.SIGTERM, signal.SIGINT]:
            with self.subTest(signal=number.name):
                folder = number.name
                process = self.start("run", source, "--output-dir", self.path(folder))
                self.wait_for_rows(self.path(folder, "t.csv"), 30, process)
                code, output, errors = self.interrupt(process, number)
                self.assertEqual(code, 3, errors)
                self.assertIn("stopped on request at step", errors)
                self.assertIn(f"tessera resume {self.path(folder, 'c.h5')}", errors)
                self.assertNotIn("stopped", output)
                self.assertLess(steps_of(self.path(folder, "t.h5"))[-1], 2000)
                self.resume(folder)
                self.assert_same_run("whole", folder, FILES)

    def test_a_resumed_run_can_be_stopped_and_resumed(self):
        self.run_in("whole", self.input(run__steps=2100, output__rdf=RDF))
        self.part("parts", 100)
        process = self.start("resume", self.path("parts", "c.h5"), "--steps", 2000)
        self.wait_for_rows(self.path("parts", "t.csv"), 60, process)
        code, _, errors = self.interrupt(process)
        self.assertEqual(code, 3, errors)
        # what was left is what --steps had asked for
        self.resume("parts")
        self.assert_same_run("whole", "parts", FILES)

    def test_kills_are_resumed_from_the_last_checkpoint(self):
        source = self.input(run__steps=2000, output__rdf=RDF)
        self.run_in("whole", source)
        process = self.start("run", source, "--output-dir", self.path("killed"))
        self.wait_for_rows(self.path("killed", "t.csv"), 60, process)
        self.assertEqual(self.interrupt(process, signal.SIGKILL)[0], -signal.SIGKILL)
        process = self.start("resume", self.path("killed", "c.h5"))
        self.wait_for_rows(self.path("killed", "t.csv"), 160, process)
        self.assertEqual(self.interrupt(process, signal.SIGKILL)[0], -signal.SIGKILL)
        self.assertLess(steps_of(self.path("killed", "t.h5"))[-1], 2000)
        self.resume("killed")
        self.assert_same_run("whole", "killed", FILES)

    def test_the_wall_time_limit_saves_and_stops(self):
        result = self.run_in("out", self.input(run__steps=10**9, run__walltime=0.5), code=3)
        self.assertIn("at the wall-time limit at step", result.stderr)
        self.resume("out", "--steps", 5)

    def test_steps_given_beyond_the_end_and_before_it(self):
        self.part("out", 100)
        self.resume("out", "--steps", 30)
        self.assertEqual(steps_of(self.path("out", "t.h5"))[-1], 130)
        self.resume("out", "--set", "run.steps=160")
        self.assertEqual(steps_of(self.path("out", "t.h5"))[-1], 160)
        # a few steps of those that are left do not lose the others
        self.resume("out", "--set", "run.steps=300", "--steps", 10)
        self.assertEqual(steps_of(self.path("out", "t.h5"))[-1], 170)
        self.resume("out")
        self.assertEqual(steps_of(self.path("out", "t.h5"))[-1], 300)

    def test_a_finished_run_is_refused_and_untouched(self):
        self.part("out", 100)
        before = self.read("out", "t.h5")
        result = self.resume("out", code=2)
        self.assertIn("complete at step 100", result.stderr)
        self.assertIn("--steps", result.stderr)
        self.assertEqual(self.read("out", "t.h5"), before)

    def test_it_may_be_called_from_anywhere(self):
        os.mkdir(self.path("elsewhere"))
        for folder in ["whole", "parts"]:
            os.makedirs(self.path(folder, "c"))
        self.whole("whole", output__checkpoint={"file": "c/c.h5", "every": 37})
        self.part("parts", 100, output__checkpoint={"file": "c/c.h5", "every": 37})
        os.rename(self.path("parts"), self.path("elsewhere", "moved"))
        self.tessera("resume", "elsewhere/moved/c/c.h5", "--steps", 100, "--quiet")
        shutil.copytree(self.path("elsewhere", "moved"), self.path("moved"))
        self.assert_same_run("whole", "moved", FILES)


class DamagedCheckpoints(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.run_in("whole", self.input())
        self.whole = contents(self.path("whole", "t.h5"))

    def check_previous_is_used(self, damage):
        shutil.rmtree(self.path("copy"), ignore_errors=True)
        shutil.copytree(self.path("whole"), self.path("copy"))
        damage(self.path("copy", "c.h5"))
        # 1 where it is still to be known for a checkpoint, 2 where it could be anything
        info = subprocess.run([TESSERA, "info", self.path("copy", "c.h5")], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn(info.returncode, [1, 2])
        result = self.tessera("resume", self.path("copy", "c.h5"), "--quiet")
        self.assertIn("cannot use the checkpoint", result.stderr)
        self.assertIn("c.prev.h5, at step 185", result.stderr)
        self.assertEqual(contents(self.path("copy", "t.h5")), self.whole)

    def test_truncated(self):
        self.check_previous_is_used(lambda path: os.truncate(path, os.path.getsize(path) - 1))
        self.check_previous_is_used(lambda path: os.truncate(path, 1000))
        self.check_previous_is_used(lambda path: os.truncate(path, 0))

    def test_altered_anywhere(self):
        size = os.path.getsize(self.path("whole", "c.h5"))
        for place in [0, 9, size // 3, size // 2, size - 30, size - 20, size - 1]:
            def alter(path, place=place):
                with open(path, "r+b") as file:
                    file.seek(place)
                    byte = file.read(1)
                    file.seek(place)
                    file.write(bytes([byte[0] ^ 0x10]))
            with self.subTest(place=place):
                self.check_previous_is_used(alter)

    def test_removed(self):
        shutil.copytree(self.path("whole"), self.path("copy"))
        os.remove(self.path("copy", "c.h5"))
        result = self.tessera("resume", self.path("copy", "c.h5"), "--quiet")
        self.assertIn("c.prev.h5, at step 185", result.stderr)
        self.assertEqual(contents(self.path("copy", "t.h5")), self.whole)

    def test_none_left_is_an_input_error(self):
        result = self.tessera("resume", self.path("nowhere.h5"), code=2)
        self.assertIn("nowhere.h5", result.stderr)
        self.write("junk.h5", "no checkpoint at all, but long enough to have a trailer")
        self.assertIn("no checkpoint", self.tessera("resume", "junk.h5", code=2).stderr)
        result = self.tessera("resume", self.path("whole", "t.h5"), code=2)
        self.assertIn("no checkpoint", result.stderr)

    def test_files_that_are_gone_are_named(self):
        os.remove(self.path("whole", "t.h5"))
        result = self.tessera("resume", self.path("whole", "c.h5"), "--steps", 5, code=2)
        self.assertIn("cannot continue the trajectory", result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
