"""Kinds of fault that befall a run from outside, and how each must end."""

import os
import resource
import shutil
import signal
import subprocess
import time

from torture_runs import (CHECKPOINT, STEPS, TABLE, TESSERA, TRAJECTORY, Different, Reference,
                          contents, demand, last_line, read, takes_memory_limits)

BROKEN = ["terminate called", "std::", "HDF5-DIAG", "bad_alloc", "Segmentation", "Assertion"]
# A trajectory takes a mebibyte of disk before it writes.
ROOM_AHEAD = 1 << 20


class Faults:
    """Each method that is a kind returns what was seen, or raises Different."""

    def __init__(self, base, injector, chance):
        self.base, self.injector, self.chance = base, injector, chance
        self.reference = Reference(os.path.join(base, "faults"), "faults", {})
        self.folder = os.path.join(base, "faults", "out")
        self.rows = []

    def environment(self, **more):
        return {**os.environ, "LD_PRELOAD": self.injector,
                "INJECT_FOLDER": os.path.realpath(self.folder), **more}

    def fresh(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)

    def execute(self, command=None, **options):
        done = subprocess.run(command or self.reference.run_command(self.folder), text=True,
                              stdout=options.pop("stdout", subprocess.PIPE),
                              stderr=options.pop("stderr", subprocess.PIPE), timeout=300, **options)
        for text in BROKEN:
            demand(text not in (done.stderr or ""), f"prints '{text}'")
        return done

    def failed(self, done, codes=(1, 2)):
        demand(done.returncode in codes, f"exit code {done.returncode}, not one of {codes}: "
               + last_line(done.stderr or ""))
        demand(done.stderr is None or done.stderr.strip(), "fails without a message")
        return f"{done.returncode}: {last_line(done.stderr or '')}"

    def whole_afterwards(self, seen):
        """What is left is the beginning of the run, and goes on to its end."""
        frames = self.reference.check_part(self.folder)
        how = self.reference.finish(self.folder)
        self.reference.check_whole(self.folder)
        return f"{seen} [{frames} frames left, {how}]"

    def refused_untouched(self, done, before):
        seen = self.failed(done, (2,))
        demand(self.listing() == before, "refused, and yet changed the folder")
        return seen

    def listing(self):
        return {name: read(os.path.join(self.folder, name))
                for name in sorted(os.listdir(self.folder))}

    # --- calls that fail ---

    def calls_of(self, call):
        """How many of these calls a run makes."""
        self.fresh()
        counts = os.path.join(self.base, "counts")
        self.execute(env=self.environment(INJECT_COUNTS=counts))
        with open(counts, encoding="ascii") as file:
            return int(dict(line.split() for line in file)[call])

    def failing_call(self, call, action, repeat, trials=3):
        """A call that fails ends the run with a message and with what was written before intact."""
        count, seen = self.calls_of(call), []
        demand(count > 0, f"a run never calls {call}")
        for place in sorted({1, count} | {self.chance.randint(1, count) for _ in range(trials)}):
            self.fresh()
            done = self.execute(env=self.environment(
                INJECT_FAULT=f"{call}:{place}:{action}:{repeat}"))
            try:
                if done.returncode == 0:
                    # a call whose failure costs nothing
                    self.reference.check_whole(self.folder)
                    seen.append("0: done all the same")
                else:
                    seen.append(self.whole_afterwards(self.failed(done)))
            except Different as difference:
                raise Different(f"{call} {place} of {count}: {difference}") from None
        codes = ",".join(text.split(":")[0] for text in seen)
        return f"{count} calls, codes {codes}; {max(seen)}"

    def hindered_call(self, call, action):
        """A call that is interrupted or does a part is made again, and the run is the same."""
        self.fresh()
        done = self.execute(env=self.environment(INJECT_FAULT=f"{call}:1:{action}:alternate"))
        demand(done.returncode == 0, f"exit code {done.returncode}: {last_line(done.stderr)}")
        self.reference.check_whole(self.folder)
        return "0: same run"

    def without(self, call, reason):
        """A file system that lacks this call does without it."""
        self.fresh()
        done = self.execute(env=self.environment(INJECT_FAULT=f"{call}:1:{reason}:on"))
        demand(done.returncode == 0, f"exit code {done.returncode}: {last_line(done.stderr)}")
        self.reference.check_whole(self.folder)
        return "0: same run"

    # --- what surrounds a run ---

    def file_size_limit(self):
        self.fresh()
        size = ROOM_AHEAD + os.path.getsize(self.reference.path(TRAJECTORY)) // 2
        done = self.execute(preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (size, size)))
        return self.whole_afterwards(self.failed(done))

    def small_disk(self):
        """A file system that is full before the run is done; None where none can be mounted."""
        self.fresh()
        files = [self.reference.path(name) for name in os.listdir(self.reference.folder)]
        size = ROOM_AHEAD + sum(map(os.path.getsize, files)) // 2
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs",
                                  self.folder], capture_output=True)
        if mounted.returncode != 0:
            return None
        try:
            seen = self.failed(self.execute())
            kept = os.path.join(self.base, "faults", "kept")
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(self.folder, kept)
        finally:
            subprocess.run(["umount", self.folder], check=True)
        shutil.rmtree(self.folder)
        shutil.move(kept, self.folder)
        return self.whole_afterwards(seen)

    def read_only_folder(self):
        """Refused with nothing made; None where the folder cannot be made read-only."""
        self.fresh()
        if os.geteuid() == 0:
            if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", self.folder],
                              capture_output=True).returncode != 0:
                return None
        else:
            os.chmod(self.folder, 0o555)
        try:
            return self.refused_untouched(self.execute(), {})
        finally:
            if os.geteuid() == 0:
                subprocess.run(["umount", self.folder], check=True)
            else:
                os.chmod(self.folder, 0o755)

    def closed_descriptors(self):
        """None of a program's text is in a file, whichever of the three streams are closed."""
        seen = []
        for closed in [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)]:
            self.fresh()
            command = [argument for argument in self.reference.run_command(self.folder)
                       if argument != "--quiet"]

            def close():
                for descriptor in closed:
                    os.close(descriptor)

            process = subprocess.Popen(command, preexec_fn=close, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            code = process.wait(timeout=300)
            demand(code in (0, 1), f"exit code {code} with {closed} closed")
            if code == 0:
                self.reference.check_whole(self.folder)
            else:
                self.whole_afterwards("")
            seen.append(f"{closed}: {code}")
        return ", ".join(seen)

    def full_stdout(self):
        """A table that cannot be shown is a failed run, with all files whole."""
        self.fresh()
        command = [argument for argument in self.reference.run_command(self.folder)
                   if argument != "--quiet"]
        with open("/dev/full", "wb") as full:
            done = self.execute(command, stdout=full)
        return self.whole_afterwards(self.failed(done, (1,)))

    def two_runs(self):
        """The second of two runs in one folder is refused, the first is what it would have been."""
        self.fresh()
        slow = [*self.reference.run_command(self.folder), "--set", f"run.steps={40 * STEPS}"]
        first = subprocess.Popen(slow, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while not os.path.exists(os.path.join(self.folder, CHECKPOINT)):
            demand(time.monotonic() < deadline and first.poll() is None, "the first run ends early")
            time.sleep(0.01)
        seen = []
        for command in [slow, [*slow, "--set", "output.overwrite=true"],
                        self.reference.resume_command(self.folder)]:
            seen.append(self.failed(self.execute(command), (2,)))
        first.send_signal(signal.SIGTERM)
        error = first.communicate(timeout=120)[1].decode()
        demand(first.returncode == 3, f"the first run ends with {first.returncode}: {error[-200:]}")
        demand(len(contents(os.path.join(self.folder, TRAJECTORY))) > 0, "no trajectory")
        self.execute([TESSERA, "info", os.path.join(self.folder, TRAJECTORY)])
        return "; ".join(seen)

    def stop_signals(self):
        """Each signal of a scheduler stops the run with a checkpoint, from which it goes on."""
        seen = []
        for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1,
                       signal.SIGUSR2, signal.SIGXCPU]:
            self.fresh()
            process = subprocess.Popen(self.reference.run_command(self.folder),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            table = os.path.join(self.folder, TABLE)
            # Steps have begun: before, a signal simply ends the program.
            while process.poll() is None and not (os.path.exists(table) and
                                                  open(table).read().count("\n") > 2):
                time.sleep(0.001)
            process.send_signal(number)
            error = process.communicate(timeout=120)[1].decode()
            demand(process.returncode in (0, 3), f"{number.name}: exit code {process.returncode}")
            demand(process.returncode == 0 or os.path.exists(os.path.join(self.folder, CHECKPOINT)),
                   f"{number.name}: no checkpoint: {last_line(error)}")
            self.whole_afterwards("")
            seen.append(f"{number.name} {process.returncode}")
        return ", ".join(seen)

    def damaged_checkpoint(self):
        """The previous one is taken, and the run goes on from there."""
        count = self.calls_of("fsync")
        self.fresh()
        done = self.execute(env=self.environment(INJECT_FAULT=f"fsync:{count // 2}:stop"))
        demand(done.returncode == 3, f"exit code {done.returncode}: {last_line(done.stderr)}")
        path = os.path.join(self.folder, CHECKPOINT)
        with open(path, "r+b") as file:
            file.seek(os.path.getsize(path) // 2)
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 1]))
        done = self.execute(self.reference.resume_command(self.folder))
        demand(done.returncode == 0 and "before it" in done.stderr, last_line(done.stderr))
        self.reference.check_whole(self.folder)
        return "0: " + done.stderr.strip().splitlines()[0]

    def both_damaged(self):
        """Refused, with nothing changed."""
        self.fresh()
        self.execute()
        for name in [CHECKPOINT, "c.prev.h5"]:
            os.truncate(os.path.join(self.folder, name), 100)
        before = self.listing()
        return self.refused_untouched(self.execute(self.reference.resume_command(self.folder)),
                                      before)

    def files_there(self):
        """A run into a folder that holds one leaves it as it is."""
        self.fresh()
        self.execute()
        return self.refused_untouched(self.execute(), self.listing())

    def little_memory(self):
        """Too little memory is told as such; None where the program takes no limit."""
        if not takes_memory_limits():
            return None
        self.fresh()
        done = self.execute([*self.reference.run_command(self.folder), "--set",
                             "system.lattice.cells=[100, 100, 100]"],
                            preexec_fn=lambda: resource.setrlimit(
                                resource.RLIMIT_AS, (1 << 30, 1 << 30)))
        seen = self.failed(done)
        demand("memory" in done.stderr, "the message names no memory: " + seen)
        return seen

    def vanished_folder(self):
        """A run whose folder is taken away fails; it does not end as if all were written."""
        self.fresh()
        process = subprocess.Popen(
            [*self.reference.run_command(self.folder), "--set", f"run.steps={20 * STEPS}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while not os.path.exists(os.path.join(self.folder, CHECKPOINT)) and process.poll() is None:
            time.sleep(0.005)
        shutil.rmtree(self.folder, ignore_errors=True)
        error = process.communicate(timeout=300)[1].decode()
        demand(process.returncode == 1 and error.strip(),
               f"exit code {process.returncode}: {last_line(error)}")
        return f"1: {last_line(error)}"

    def kinds(self):
        """(name, what is done) of every kind."""
        failing = [("write", "ENOSPC", "on"), ("write", "EIO", "once"), ("pwrite", "ENOSPC", "on"),
                   ("pwrite", "EIO", "once"), ("pwrite", "EDQUOT", "once"), ("fsync", "EIO", "once"),
                   ("open", "EMFILE", "once"), ("rename", "EIO", "once"), ("close", "EIO", "once"),
                   ("ftruncate", "EIO", "once"), ("fallocate", "ENOSPC", "on")]
        for call, reason, repeat in failing:
            yield (f"{call} fails, {reason} {repeat}",
                   lambda a=(call, reason, repeat): self.failing_call(*a))
        for call in ["write", "pwrite", "fallocate"]:
            yield f"{call} interrupted", lambda c=call: self.hindered_call(c, "EINTR")
        for call in ["write", "pwrite", "read"]:
            yield f"{call} does half", lambda c=call: self.hindered_call(c, "short")
        yield "no hard links", lambda: self.without("link", "EPERM")
        yield "no allocation ahead", lambda: self.without("fallocate", "EOPNOTSUPP")
        for method in [self.file_size_limit, self.small_disk, self.read_only_folder,
                       self.closed_descriptors, self.full_stdout, self.two_runs, self.stop_signals,
                       self.damaged_checkpoint, self.both_damaged, self.files_there,
                       self.little_memory, self.vanished_folder]:
            yield method.__name__.replace("_", " "), method

    def run(self):
        for name, kind in self.kinds():
            try:
                seen = kind()
                self.rows.append((name, "left out" if seen is None else "right", seen or ""))
            except (Different, OSError, subprocess.SubprocessError) as difference:
                self.rows.append((name, "WRONG", str(difference)))
        return [row for row in self.rows if row[1] == "WRONG"]

    def report(self):
        print(f"\n{'kind of fault':<32} {'end':<9} seen")
        for name, end, seen in self.rows:
            print(f"{name:<32} {end:<9} {seen}")
        right = sum(row[1] == "right" for row in self.rows)
        print(f"{len(self.rows)} kinds of fault: {right} right, "
              f"{sum(row[1] == 'WRONG' for row in self.rows)} wrong, "
              f"{sum(row[1] == 'left out' for row in self.rows)} cannot be made here")
