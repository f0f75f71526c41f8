#!/usr/bin/env python3
"""A machine is shared: threads, memory and OMP_ variables are taken as they are granted."""

import json
import os
import resource
import sys
import unittest

from command_line import LIQUID, CommandLineTest, changed, takes_memory_limits

SMALL = changed(LIQUID, run__steps=10, output=None, threads=None)
# Enough particles for two threads to be in the pair counts at a time.
RDF = changed(LIQUID, system__lattice__cells=[16, 16, 16], run__steps=4, threads=None,
              output={"rdf": {"file": "g.csv", "every": 1}})
# About a gigabyte: 1 000 188 particles.
LARGE = changed(SMALL, system__lattice__cells=[63, 63, 63])


def environment(**variables):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("OMP_", "GOMP_"))}
    return {**kept, **{name: str(value) for name, value in variables.items()}}


under_limits = unittest.skipUnless(takes_memory_limits(), "the sanitizer's own memory is too much")


def limited(megabytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1_000_000,) * 2)
    return limit


class Threads(CommandLineTest):
    def threads_of(self, config=SMALL, **variables):
        self.tessera("run", self.input(config), "--quiet", "--summary", self.path("s.json"),
                     env=environment(**variables))
        with open(self.path("s.json"), encoding="utf-8") as file:
            return json.load(file)["device"]

    def test_auto_takes_what_the_variable_or_the_affinity_says(self):
        self.assertIn("(3 threads)", self.threads_of(OMP_NUM_THREADS=3))
        self.assertIn("(3 threads)", self.threads_of(OMP_NUM_THREADS="3,2"))
        self.assertIn("(2 threads)", self.threads_of(OMP_NUM_THREADS=3, OMP_THREAD_LIMIT=2))
        # the input's own number is the nearest wish
        self.assertIn("(4 threads)", self.threads_of(changed(SMALL, threads=4), OMP_NUM_THREADS=3))
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(before)})
        try:
            self.assertIn("(1 threads)", self.threads_of())
        finally:
            os.sched_setaffinity(0, before)

    def test_too_many_are_refused_and_nothing_is_made(self):
        source = self.input(changed(SMALL, threads=100000))
        few = self.input(SMALL, name="few.yaml")
        for verb in ["validate", "run"]:
            self.assertIn("threads: is 100000", self.tessera(verb, source, code=2).stderr)
            result = self.tessera(verb, few, code=2, env=environment(OMP_NUM_THREADS=100000))
            self.assertIn("OMP_NUM_THREADS", result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["few.yaml", "in.yaml"])

    @under_limits
    def test_more_than_can_be_started(self):
        # stacks of 8 MB each do not fit
        source = self.input(changed(SMALL, threads=1000))
        for verb in ["validate", "run"]:
            result = self.tessera(verb, source, code=2, preexec_fn=limited(2000))
            self.assertIn("threads: is 1000", result.stderr)
            self.assertIn("can be started", result.stderr)

    def test_waiting_threads_sleep_unless_the_user_says_otherwise(self):
        def policy(**variables):
            result = self.tessera("validate", self.input(SMALL),
                                  env=environment(OMP_DISPLAY_ENV="verbose", **variables))
            lines = [line.split("=") for line in result.stderr.splitlines() if "SPINCOUNT" in line]
            if not lines:
                self.skipTest("not libgomp")
            return int(lines[0][1].strip(" '"))

        self.assertLessEqual(policy(), 1000)
        self.assertEqual(policy(GOMP_SPINCOUNT=1234), 1234)
        self.assertGreater(policy(OMP_WAIT_POLICY="active"), 10**6)

    def test_pairs_are_counted_right_under_nested_threads(self):
        for force in [{"path": "gather"}, {"path": "reordered"}]:
            for reorder in [{}, {"chunk_particles": 8192}]:
                config = changed(RDF, force=force, reorder=reorder)
                with self.subTest(force=force, reorder=reorder):
                    name = f"{force['path']}{len(reorder)}"
                    self.run_in(name, self.input(config), env=environment(OMP_NUM_THREADS=1))
                    nested = environment(OMP_NESTED="true", OMP_NUM_THREADS="2,2",
                                         OMP_MAX_ACTIVE_LEVELS=2)
                    self.run_in(name + "nested", self.input(config), env=nested)
                    self.assertEqual(self.read(name, "g.csv"), self.read(name + "nested", "g.csv"))


class Memory(CommandLineTest):
    def test_a_start_that_does_not_fit_is_refused_before_it_is_made(self):
        source = self.input(changed(SMALL, system__lattice__cells=[500, 500, 500]))
        for verb in ["validate", "run"]:
            result = self.tessera(verb, source, "--set", "output.checkpoint.file=c.h5", code=2)
            for part in ["500000000 particles", "state", "checkpoint", "neighbor list", "chunks",
                         "force.path: gather", "free"]:
                self.assertIn(part, result.stderr)
            self.assertEqual(result.stdout, "")
        self.assertEqual(os.listdir(self.folder), ["in.yaml"])

    @under_limits
    def test_a_limit_on_address_space(self):
        source = self.input(LARGE)
        for verb in ["validate", "run"]:
            result = self.tessera(verb, source, code=2, preexec_fn=limited(1200))
            self.assertIn("ulimit -v", result.stderr)
            self.assertIn("1000188 particles need", result.stderr)
        # of so little that the same run is refused, a smaller one takes what it needs
        self.tessera("run", self.input(SMALL), "--quiet", preexec_fn=limited(1200))

    @under_limits
    def test_a_resumed_run_is_refused_alike_and_its_files_are_untouched(self):
        config = changed(LIQUID, system__lattice__cells=[20, 20, 20], run__steps=2)
        self.run_in("out", self.input(config))
        before = {name: self.read("out", name) for name in os.listdir(self.path("out"))}
        # room to read the state, but not for lists and chunks
        result = self.tessera("resume", self.path("out", "c.h5"), "--steps", 1000, "--set",
                              "neighbor.skin=9", code=2, preexec_fn=limited(600))
        self.assertIn("ulimit -v", result.stderr)
        after = {name: self.read("out", name) for name in os.listdir(self.path("out"))}
        self.assertEqual(before, after)

    @under_limits
    def test_memory_that_runs_out_all_the_same_is_told(self):
        # too little for the arrays of the start file's text, whose particles nobody knows yet
        lines = "".join(f"A {1.5 * (n % 100)} {1.5 * (n // 100 % 100)} {1.5 * (n // 10000)}\n"
                        for n in range(400000))
        self.write("big.xyz", '400000\nLattice="150 0 0 0 150 0 0 0 150" '
                              f"Properties=species:S:1:pos:R:3\n{lines}")
        source = self.input(changed(SMALL, system={"file": "big.xyz", "temperature": 1.0},
                                    threads=1))
        result = self.tessera("run", source, code=1, preexec_fn=limited(60))
        self.assertIn("out of memory", result.stderr)
        self.assertNotIn("bad_alloc", result.stderr)

    def test_the_report_says_what_is_needed_and_what_there_is(self):
        result = self.tessera("validate", self.input(SMALL))
        self.assertEqual(result.stdout.count("# memory needed on the host"), 1)
        self.assertIn("on the host the run needs", result.stderr)
        self.assertIn("free on this machine", result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
