#!/usr/bin/env python3
"""tools/checks/transactions.py accepts equal counts, and refuses a differing, missing or other kernel."""

import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "checks" / "transactions.py"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"


def run(rows, kernels):
    """Exit code of the script for host rows (kernel, sectors, requests) and measured kernels."""
    document = {"rows": [{"what": name, "order": "random", "kernel": name, "sectors": sectors,
                          "requests": requests} for name, sectors, requests in rows]}
    document["rows"].append({"what": "sum", "kernel": "", "sectors": 1, "requests": 1})
    lines = ["==PROF== Connected", '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"',
             '"","","","",""']
    for number, (name, sectors, requests) in enumerate(kernels):
        for metric, value in ((SECTORS, sectors), (REQUESTS, requests)):
            lines.append(f'"{number}","void {name}<float>(int)","{metric}","","{value:,}"')
    with tempfile.TemporaryDirectory() as folder:
        host = pathlib.Path(folder) / "host.json"
        measured = pathlib.Path(folder) / "ncu.csv"
        host.write_text(json.dumps(document))
        measured.write_text("\n".join(lines) + "\n")
        return subprocess.run([sys.executable, SCRIPT, host, measured],
                              stdout=subprocess.DEVNULL).returncode


def main():
    rows = [("shoc", 1000000, 5000), ("gather", 2000, 70)]
    cases = {
        "equal counts": (run(rows, rows), 0),
        "one per cent off": (run(rows, [("shoc", 1010000, 5000), rows[1]]), 0),
        "sectors off": (run(rows, [("shoc", 1100000, 5000), rows[1]]), 1),
        "requests off": (run(rows, [rows[0], ("gather", 2000, 75)]), 1),
        "kernel missing": (run(rows, rows[:1]), 1),
        "other kernel": (run(rows, [rows[0], ("reorder", 2000, 70)]), 1),
    }
    wrong = [name for name, (got, expected) in cases.items() if got != expected]
    for name in wrong:
        print(f"{name}: exit code {cases[name][0]}, expected {cases[name][1]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
