#!/usr/bin/env python3
"""The states that a kill can leave a trajectory in: it opens, what it counts is right, and a
resumed run ends with the datasets of the run that was never killed.

Called as SCRIPT TESSERA RECORD_WRITES. The preloaded library of tests/support/record_writes.cpp keeps each
call that changes a file; the states are rebuilt from them, one after each call. Only a call that a
kill ends halfway, between two pages, is not among them.
"""

import io
import os
import random
import shutil
import struct
import sys
import unittest

RECORDER = os.path.abspath(sys.argv.pop(2))

from command_line import CommandLineTest, changed, contents, h5py, np, LIQUID  # noqa: E402

HEAD = struct.Struct("=8sqqii")
# A compressed frame is a chunk of its own: an index node of 64 of them splits twice in 140 frames.
SMALL = changed(LIQUID, system__lattice__cells=[2, 2, 2], potential__cutoff=1.6,
                neighbor={"rebuild": "every_step", "skin": 0}, run__steps=140,
                output__trajectory__every=1, output__trajectory__compress=True,
                output__thermo__every=2, output__checkpoint={"file": "c.h5"},
                output__rdf={"file": "g.csv", "every": 10})
FRAMES = 141
ALL_STEPS = ("--set", "run.steps=140")
CLOSELY = {0, 1, 2, 61, 62, 63, 64, 65, 66, *range(120, 130), 140, 141}
RESUMED = 20
SEED = random.SystemRandom().randrange(10**6)


def states(record, files):
    """The files by path after each recorded call; `files` holds those that were there before."""
    with open(record, "rb") as source:
        data = source.read()
    place = 0
    while place < len(data):
        kind, offset, length, first_size, second_size = HEAD.unpack_from(data, place)
        place += HEAD.size
        first = data[place:place + first_size].decode()
        place += first_size
        second = data[place:place + second_size].decode()
        place += second_size
        kind = kind[:1]
        if kind == b"w":
            file = files.setdefault(first, bytearray())
            file.extend(bytes(max(0, offset + length - len(file))))
            file[offset:offset + length] = data[place:place + length]
            place += length
        elif kind == b"t":
            file = files.setdefault(first, bytearray())
            file.extend(bytes(max(0, offset - len(file))))
            del file[offset:]
        elif kind in b"rl" and first in files:
            files[second] = files[first]
        if kind in b"ru":
            files.pop(first, None)
        yield files


class States(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.folder = os.path.realpath(self.folder)
        print("seed", SEED)

    def recorded(self, *arguments, before=None):
        """Runs with the recorder; the trajectory out/t.h5, or None, after each call."""
        record = self.path("record")
        environment = {**os.environ, "LD_PRELOAD": RECORDER, "RECORD_WRITES": record}
        self.tessera(*arguments, "--quiet", env=environment)
        path = self.path("out", "t.h5")
        files = {} if before is None else {path: bytearray(before)}
        file = None
        for files in states(record, files):
            file = files.get(path)
            yield file
        self.assertEqual(bytes(file), self.read("out", "t.h5"), "calls are missing in the record")

    def frames_in(self, state, expected):
        """How many frames the state counts, each like the expected one; all it holds can be read."""
        with h5py.File(io.BytesIO(state), "r") as file:
            count = int(file["parameters/committed_frames"][()])
            names = []
            file.visititems(lambda name, item: names.append(name))
            for name, (whole, per_frame) in expected.items():
                self.assertIn(name, names)
                found = file[name][()]
                if per_frame:
                    self.assertGreaterEqual(len(found), count, name)
                    np.testing.assert_array_equal(found[:count], whole[:count], name)
                    self.assertTrue(np.isfinite(found[:count]).all(), name)
            return count

    def whole_run(self, **changes):
        """The input, and the datasets of a run of it: name -> (values, whether a row is a frame)."""
        source = self.input(SMALL, **changes)
        self.run_in("whole", source)
        expected = {}

        def visit(name, item):
            if isinstance(item, h5py.Dataset):
                frames = name.startswith(("observables", "particles")) and item.maxshape[0] is None
                expected[name] = (item[()], frames)

        with h5py.File(self.path("whole", "t.h5"), "r") as file:
            file.visititems(visit)
        self.assertIn("observables/pressure/value", expected)
        return source, expected

    def check_resumed(self, chosen, checkpoint):
        """A run that goes on from the checkpoint and any of the states is the whole run."""
        whole = contents(self.path("whole", "t.h5"))
        for number, state in chosen:
            shutil.rmtree(self.path("again"), ignore_errors=True)
            shutil.copytree(self.path("out"), self.path("again"))
            shutil.copy(checkpoint, self.path("again", "c.h5"))
            with open(self.path("again", "t.h5"), "wb") as file:
                file.write(state)
            self.tessera("resume", self.path("again", "c.h5"), *ALL_STEPS, "--quiet")
            found = contents(self.path("again", "t.h5"))
            different = [name for name in whole if whole[name] != found.get(name)]
            self.assertEqual(different, [], f"resumed from state {number}")

    def part(self, source, steps):
        """A checkpoint of that step."""
        self.run_in("part", source, "--set", f"run.steps={steps}")
        return self.path("part", "c.h5")

    def fresh(self):
        shutil.rmtree(self.folder)
        os.mkdir(self.folder)

    def check(self, chance, record, expected):
        """Checks the states of a record; (number, state, frames counted) of those that were."""
        checked, last, count = [], None, 0
        for number, file in enumerate(record):
            if file is None:
                self.assertIsNone(last, "the trajectory vanished")
                continue
            state = bytes(file)
            if state == last:
                continue
            last = state
            # all where the file starts, where index nodes split, and where it ends; a part elsewhere
            if count in CLOSELY or chance.random() < 0.1:
                count = self.frames_in(state, expected)
                checked.append((number, state, count))
        self.assertEqual(self.frames_in(last, expected), FRAMES)
        return checked

    def test_states_of_a_run(self):
        for compress in [True, False]:
            with self.subTest(compress=compress):
                self.fresh()
                chance = random.Random(SEED)
                source, expected = self.whole_run(output__trajectory__compress=compress,
                                                  output__overwrite=True)
                record = self.recorded("run", source, "--output-dir", self.path("out"))
                checked = self.check(chance, record, expected)
                print(f"run, compress {compress}, seed {SEED}: {len(checked)} states opened")
                self.assertGreater(len(checked), 500)
                # a checkpoint of step 60 goes with the states after it
                later = [(number, state) for number, state, count in checked if count > 61]
                self.check_resumed(chance.sample(later, RESUMED), self.part(source, 60))

    def test_states_of_a_resumed_run(self):
        for compress, step in [(True, 60), (True, 126), (False, 60)]:
            with self.subTest(compress=compress, step=step):
                self.fresh()
                chance = random.Random(SEED)
                source, expected = self.whole_run(output__trajectory__compress=compress,
                                                  output__overwrite=True)
                checkpoint = self.part(source, step)
                shutil.copytree(self.path("whole"), self.path("out"))
                shutil.copy(checkpoint, self.path("out", "c.h5"))
                record = self.recorded("resume", self.path("out", "c.h5"), *ALL_STEPS,
                                       before=self.read("whole", "t.h5"))
                checked = self.check(chance, record, expected)
                print(f"resumed from step {step}, compress {compress}, seed {SEED}: "
                      f"{len(checked)} states opened")
                self.assertEqual(min(count for _, _, count in checked), step + 1)
                dropping = [(number, state) for number, state, count in checked
                            if count in (step + 1, FRAMES)]
                self.check_resumed(chance.sample(dropping, RESUMED), checkpoint)

    def test_no_row_is_told_whose_frame_is_not_there(self):
        source = self.input(SMALL, output__thermo__every=1, output__overwrite=True)
        self.run_in("out", source)
        before = {self.path("out", name): bytearray(self.read("out", name))
                  for name in ["t.h5", "t.csv"]}
        checkpoint = self.part(source, 60)
        shutil.copy(checkpoint, self.path("out", "c.h5"))
        record = self.path("record")
        self.tessera("resume", self.path("out", "c.h5"), *ALL_STEPS, "--quiet",
                     env={**os.environ, "LD_PRELOAD": RECORDER, "RECORD_WRITES": record})
        seen, last = set(), None
        for files in states(record, before):
            pair = tuple(bytes(files[self.path("out", name)]) for name in ["t.h5", "t.csv"])
            if pair == last:
                continue
            last = pair
            with h5py.File(io.BytesIO(pair[0]), "r") as file:
                frames = int(file["parameters/committed_frames"][()])
            rows = pair[1].count(b"\n") - 1
            self.assertLessEqual(rows, frames)
            seen.add((rows, frames))
        # from all there were, through what the checkpoint tells of, to all again
        self.assertIn((61, 61), seen)
        self.assertIn((FRAMES, FRAMES), seen)


if __name__ == "__main__":
    sys.exit(unittest.main())
