#!/usr/bin/env python3
"""Kills runs at random instants and lets faults befall them; every run must end as if nothing had.

    torture.py TESSERA INJECT_FAULTS [--kills 1000] [--seed N] [--no-faults]

INJECT_FAULTS is the library of tests/torture/inject_faults.cpp. Prints a table of the kinds of fault
and figures of the kills; fails if a frame was lost, a resumed run differs from one that was never
killed, or a fault ends otherwise than it must.
"""

import argparse
import os
import random
import sys
import tempfile
import time

from torture_faults import Faults
from torture_kills import Kills


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("injector")
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--no-faults", action="store_true")
    options = parser.parse_args()
    injector = os.path.abspath(options.injector)
    print(f"seed {options.seed}", flush=True)
    wrong = []
    with tempfile.TemporaryDirectory() as base:
        for what in [Kills(base, injector, random.Random(options.seed)),
                     None if options.no_faults else
                     Faults(base, injector, random.Random(options.seed))]:
            if what is None:
                continue
            begin = time.monotonic()
            wrong += what.run(options.kills) if isinstance(what, Kills) else what.run()
            what.report()
            print(f"{time.monotonic() - begin:.0f} s", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
