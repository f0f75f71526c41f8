"""Runs that are killed, and what becomes of them."""

import collections
import os
import shutil
import signal
import subprocess
import time

from torture_runs import CHECKPOINT, Different, Reference, VARIANTS, demand


class Kills:
    """Kills runs and resumed runs, half of them at a time, half before one of the calls that change
    a file, until `count` have been killed; every run is then resumed to its end."""

    def __init__(self, base, injector, chance):
        self.base, self.injector, self.chance = base, injector, chance
        self.count = collections.Counter()
        self.faults = []

    def measure(self, reference):
        """Seconds of the run, and how many calls it makes."""
        folder, counts = os.path.join(reference.base, "measured"), os.path.join(reference.base, "n")
        begin = time.monotonic()
        subprocess.run(reference.run_command(folder), check=True, capture_output=True,
                       env=self.environment(folder, INJECT_COUNTS=counts))
        with open(counts, encoding="ascii") as file:
            calls = dict(line.split() for line in file)
        return time.monotonic() - begin, int(calls["any"])

    def environment(self, folder, **more):
        return {**os.environ, "LD_PRELOAD": self.injector,
                "INJECT_FOLDER": os.path.realpath(folder), **more}

    def kill_once(self, command, folder, seconds, calls):
        """Whether the process was killed, not done before."""
        if self.chance.random() < 0.5:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(self.chance.uniform(0, seconds))
            process.send_signal(signal.SIGKILL)
        else:
            fault = f"any:{self.chance.randint(1, calls)}:kill"
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       env=self.environment(folder, INJECT_FAULT=fault))
        error = process.communicate(timeout=300)[1].decode()
        complete = process.returncode == 2 and "no steps are left" in error
        demand(process.returncode in (0, -signal.SIGKILL) or complete,
               f"ends with {process.returncode}: {error.strip()[-300:]}")
        killed = process.returncode == -signal.SIGKILL
        self.count["kills"] += killed
        return killed

    def torture(self, reference, seconds, calls, limit):
        folder = os.path.join(reference.base, "killed")
        shutil.rmtree(folder, ignore_errors=True)
        frames = 0
        command = reference.run_command(folder)
        for _ in range(self.chance.randint(1, 4)):
            if self.count["kills"] >= limit:
                break
            self.kill_once(command, folder, seconds, calls)
            before, frames = frames, reference.check_part(folder)
            # a resumed run drops what came after its checkpoint, and makes it again
            self.count["frames kept"] += max(0, frames - before)
            if not os.path.exists(os.path.join(folder, CHECKPOINT)):
                break
            command = reference.resume_command(folder)
        self.count[reference.finish(folder)] += 1
        self.count["runs"] += 1
        self.count["trajectories equal to the byte"] += reference.check_whole(folder)

    def run(self, limit):
        references = [Reference(os.path.join(self.base, f"kills{number}"), name, changes)
                      for number, (name, changes) in enumerate(VARIANTS.items())]
        measured = [self.measure(reference) for reference in references]
        while self.count["kills"] < limit:
            number = self.chance.randrange(len(references))
            try:
                self.torture(references[number], *measured[number], limit)
            except Different as difference:
                self.faults.append(f"{references[number].name}: {difference}")
                print("FAULT", self.faults[-1], flush=True)
                if len(self.faults) > 20:
                    break
        return self.faults

    def report(self):
        print(f"kills {self.count['kills']}, runs {self.count['runs']} "
              f"({self.count['resumed']} resumed, {self.count['begun anew']} begun anew): "
              f"{len(self.faults)} with frames lost or a wrong end; "
              f"{self.count['trajectories equal to the byte']} trajectories equal to the byte, "
              f"all tables and values of trajectories and checkpoints "
              f"{'equal' if not self.faults else 'looked at'}")
