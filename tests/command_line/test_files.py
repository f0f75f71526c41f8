#!/usr/bin/env python3
"""Output files that cannot be made or filled: nothing is lost, and the message says what to do."""

import os
import resource
import sys
import unittest

from command_line import CommandLineTest, h5py, np, steps_of


def limit_files(megabytes):
    """A file size limit, which fails a write as a full disk does, with a prefix already written."""
    size = int(megabytes * 2**20)
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class Names(CommandLineTest):
    def test_files_that_are_there_stay(self):
        for name in ["t.h5", "t.csv", "c.h5", "c.prev.h5", "g.csv"]:
            with self.subTest(file=name):
                source = self.input(output__rdf={"file": "g.csv", "every": 10}, run__steps=10)
                self.write(name, "precious")
                before = sorted(os.listdir(self.folder))
                result = self.tessera("run", source, code=2)
                self.assertIn(name, result.stderr)
                self.assertIn("overwrite: true", result.stderr)
                self.assertEqual(self.read(name), b"precious")
                self.assertEqual(sorted(os.listdir(self.folder)), before, "half the files are made")
                os.remove(self.path(name))

    def test_overwriting_is_on_request(self):
        source = self.input(output__overwrite=True, run__steps=10)
        self.tessera("run", source, "--quiet")
        first = steps_of(self.path("t.h5"))
        self.tessera("run", source, "--quiet")
        self.assertEqual(steps_of(self.path("t.h5")), first)
        self.assertEqual(self.read("t.csv").count(b"\n"), 4)

    def test_a_trajectory_that_is_being_written_is_not_replaced(self):
        source = self.input(output__overwrite=True, run__steps=10**6)
        process = self.start("run", source)
        try:
            self.wait_for_rows(self.path("t.csv"), 20, process)
            rows = self.read("t.csv").count(b"\n")
            result = self.tessera("run", source, code=2)
            self.assertIn("locked", result.stderr)
        finally:
            code, _, errors = self.interrupt(process)
        self.assertEqual(code, 3, errors)
        self.assertGreaterEqual(self.read("t.csv").count(b"\n"), rows)
        self.assertIn("complete    yes", self.tessera("info", self.path("c.h5")).stdout)

    def test_a_trajectory_that_is_being_written_is_not_resumed(self):
        process = self.start("run", self.input(run__steps=10**6))
        try:
            self.wait_for_rows(self.path("t.csv"), 30, process)
            result = self.tessera("resume", self.path("c.h5"), code=2)
            self.assertIn("locked", result.stderr)
        finally:
            code, _, errors = self.interrupt(process)
        self.assertEqual(code, 3, errors)
        rows = np.loadtxt(self.path("t.csv"), delimiter=",", skiprows=1)
        np.testing.assert_array_equal(rows[:, 0], 5 * np.arange(len(rows)))

    def test_folders_that_cannot_be(self):
        self.write("file", "")
        result = self.tessera("run", self.input(), "--output-dir", "file/out", code=2)
        self.assertIn("file/out", result.stderr)
        for output in ["trajectory", "thermo", "checkpoint", "rdf"]:
            with self.subTest(output=output):
                key = f"output__{output}"
                result = self.tessera("run", self.input(
                    output=None, **{key: {"file": "file/x.h5", "every": 10}}), code=2)
                self.assertIn("file/x.h5", result.stderr)
                result = self.tessera("run", self.input(
                    output=None, **{key: {"file": "no/x.h5", "every": 10}}), code=2)
                self.assertIn("no/x.h5", result.stderr)
                self.assertIn("directories are not made", result.stderr)

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_read_only_folders(self):
        os.mkdir(self.path("locked"), 0o555)
        result = self.tessera("run", self.input(), "--output-dir", "locked", code=2)
        self.assertIn("Permission denied", result.stderr)


class FullDisk(CommandLineTest):
    # A frame is 256 * (3 * 12 + 3 * 4) = 12288 bytes, and a MiB is kept ahead for the indices.
    def check_frames(self):
        with h5py.File(self.path("t.h5"), "r") as file:
            frames = int(file["parameters/committed_frames"][()])
            np.testing.assert_array_equal(file["particles/all/position/step"][:frames],
                                          np.arange(frames))
            self.assertTrue((file["particles/all/velocity/value"][frames - 1] != 0).all())
        return frames

    def test_a_full_disk_keeps_frames_and_checkpoint(self):
        result = self.tessera("run", self.input(output__trajectory__every=1, run__steps=400), "--quiet",
                              code=1, preexec_fn=limit_files(3))
        self.assertIn("t.h5", result.stderr)
        self.assertIn("Free some space", result.stderr)
        frames = self.check_frames()
        self.assertGreater(frames, 100)
        self.assertIn(f"The {frames} frames before are intact", result.stderr)
        self.assertIn("complete    yes", self.tessera("info", self.path("c.h5")).stdout)
        # with room again the run goes on as if nothing had been
        self.tessera("resume", self.path("c.h5"), "--quiet")
        self.assertEqual(self.check_frames(), 401)

    def test_no_room_for_the_first_frame(self):
        result = self.tessera("run", self.input(), "--quiet", code=2, preexec_fn=limit_files(0.5))
        self.assertIn("Free some space", result.stderr)
        self.assertFalse(os.path.exists(self.path("t.h5")))

    def test_no_room_for_the_thermo_file(self):
        result = self.tessera("run", self.input(output__trajectory=None, output__thermo__every=1,
                                                output__checkpoint=None, run__steps=1000),
                              "--quiet", code=1, preexec_fn=limit_files(0.02))
        self.assertIn("t.csv", result.stderr)
        self.assertIn("Free some space", result.stderr)

    def test_no_room_for_a_checkpoint_keeps_the_one_before(self):
        # a checkpoint of 256 particles takes 40 kB, of which a limit of 20 kB holds a part
        source = self.input(output__trajectory=None)
        self.tessera("run", source, "--quiet")
        before = self.read("c.h5")
        result = self.tessera("resume", self.path("c.h5"), "--steps", 50, "--quiet", code=1,
                              preexec_fn=limit_files(0.02))
        self.assertIn("c.h5", result.stderr)
        self.assertEqual(self.read("c.h5"), before)
        self.assertFalse(os.path.exists(self.path(".c.h5.new")))

    def test_no_room_for_the_summary(self):
        result = self.tessera("run", self.input(output=None), "--summary", "/dev/full", "--quiet",
                              code=1)
        self.assertIn("--summary", result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
