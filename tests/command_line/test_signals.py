#!/usr/bin/env python3
"""Every signal that a scheduler sends is a request to stop; exit code 3 promises a checkpoint."""

import os
import resource
import shutil
import signal
import sys
import time
import unittest

from command_line import CommandLineTest, LIQUID, changed, h5py, steps_of

REQUESTS = [signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2,
            signal.SIGXCPU]
ENDLESS = changed(LIQUID, run__steps=10**9)
UNSAVED = changed(ENDLESS, output__checkpoint=None)
# A step of it takes most of a second, so that a request to stop is seen long after it was made.
SLOW = changed(ENDLESS, system__lattice__cells=[48, 48, 48], output__trajectory=None,
               output__thermo__every=1, output__checkpoint__every=10**6)


def ignoring(*numbers):
    def prepare():
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
    return prepare


class Signals(CommandLineTest):
    def running(self, config=ENDLESS, rows=4, **options):
        process = self.start("run", self.input(config), "--output-dir", self.path("out"),
                             "--quiet", **options)
        self.addCleanup(process.kill)
        self.wait_for_rows(self.path("out", "t.csv"), rows, process)
        self.assertIsNone(process.poll())
        return process

    def tearDown(self):
        shutil.rmtree(self.path("out"), ignore_errors=True)
        super().tearDown()

    def test_each_of_them_saves_a_checkpoint(self):
        for number in REQUESTS:
            with self.subTest(signal=number.name):
                code, _, errors = self.interrupt(self.running(), number)
                self.assertEqual(code, 3, errors)
                self.assertIn(number.name, errors)
                with h5py.File(self.path("out", "c.h5"), "r") as file:
                    step = int(file["state"].attrs["step"])
                self.assertIn(f"stopped on request at step {step} of", errors)
                self.tessera("resume", self.path("out", "c.h5"), "--quiet", "--steps", 10)
                self.assertGreater(steps_of(self.path("out", "t.h5"))[-1], step)
                shutil.rmtree(self.path("out"))

    def test_ones_that_were_ignored_at_the_start_stay_ignored(self):
        # nohup, and what a shell without job control does behind &
        process = self.running(preexec_fn=ignoring(*REQUESTS[:2], signal.SIGUSR1))
        for number in [signal.SIGHUP, signal.SIGINT, signal.SIGUSR1]:
            process.send_signal(number)
        time.sleep(1.0)
        self.assertIsNone(process.poll())
        self.assertEqual(self.interrupt(process)[0], 3)

    def test_a_second_one_ends_at_once(self):
        for first, second in [(signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGHUP)]:
            with self.subTest(first=first.name, second=second.name):
                process = self.running(SLOW, rows=2)
                process.send_signal(first)
                time.sleep(0.15)
                code, _, errors = self.interrupt(process, second)
                self.assertEqual(code, -second, errors)
                self.assertNotIn("stopped", errors)
                shutil.rmtree(self.path("out"))

    def test_one_request_said_twice_is_one(self):
        # as timeout(1) does, to the process and to its group; XCPU comes every second
        for numbers, pause in [((signal.SIGTERM, signal.SIGHUP), 0.0),
                               ((signal.SIGTERM, signal.SIGTERM), 0.01),
                               ((signal.SIGXCPU, signal.SIGXCPU), 0.15)]:
            with self.subTest(signals=[number.name for number in numbers]):
                process = self.running(SLOW, rows=2)
                process.send_signal(numbers[0])
                time.sleep(pause)
                code, _, errors = self.interrupt(process, numbers[1])
                self.assertEqual(code, 3, errors)
                shutil.rmtree(self.path("out"))

    def test_a_limit_of_processor_time(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (2, 30))
        process = self.running(preexec_fn=limit)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 3, errors)
        self.assertIn("SIGXCPU", errors)

    def test_code_3_only_where_a_checkpoint_is(self):
        code, _, errors = self.interrupt(self.running(UNSAVED))
        self.assertEqual(code, 1, errors)
        self.assertIn("nothing is saved", errors)
        result = self.run_in("limited", self.input(UNSAVED, run__walltime=0.3), code=1)
        self.assertIn("at the wall-time limit at step", result.stderr)
        self.assertIn("nothing is saved", result.stderr)

    def test_a_checkpoint_that_cannot_be_saved(self):
        # a folder is in the way of the new checkpoint; it also stops root
        process = self.running(changed(ENDLESS, output__checkpoint__every=10**6))
        for name in ["c.h5", "c.prev.h5"]:
            os.makedirs(self.path("out", name, "x"))
        code, _, errors = self.interrupt(process)
        self.assertEqual(code, 1, errors)
        self.assertIn("c.h5", errors)

    def test_verbs_without_a_run_end_at_once(self):
        self.run_in("out", self.input(run__steps=10))
        process = self.start("tune", self.input(ENDLESS), "--seconds", 100)
        time.sleep(0.5)
        self.assertEqual(self.interrupt(process)[0], -signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(unittest.main())
