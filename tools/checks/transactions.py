#!/usr/bin/env python3
"""Compares the transactions that `tessera bench transactions` counted on the host with what the
hardware counted.

    ncu --clock-control none --csv --log-file ncu.csv --metrics \\
        l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,\\
        l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum \\
        tessera bench transactions --json transactions.json
    transactions.py transactions.json ncu.csv

Exits with 1 if a kernel is missing or a count differs by more than the tolerance.
"""

import argparse
import csv
import json
import sys

SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"


def read_counters(path):
    """Kernels in launch order: (name, {metric: value})."""
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    kernels = {}
    for row in csv.DictReader(lines):
        if not row["ID"].isdigit():
            continue
        name, metrics = kernels.setdefault(int(row["ID"]), (row["Kernel Name"], {}))
        metrics[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return [kernels[key] for key in sorted(kernels)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", help="written by tessera bench transactions --json")
    parser.add_argument("csv", help="written by ncu --csv --log-file")
    parser.add_argument("--tolerance", type=float, default=0.02, help="relative, default 0.02")
    arguments = parser.parse_args()

    with open(arguments.json) as file:
        rows = [row for row in json.load(file)["rows"] if row.get("kernel")]
    counters = read_counters(arguments.csv)
    failed = len(rows) != len(counters)
    if failed:
        print(f"{len(rows)} kernels were counted on the host, {len(counters)} by the profiler")
    print(f"{'kernel':52} {'sectors':>12} {'measured':>12} {'ratio':>7} "
          f"{'requests':>10} {'measured':>10} {'ratio':>7}")
    for row, (name, metrics) in zip(rows, counters):
        if row["kernel"] not in name:
            print(f"expected {row['kernel']}, the profiler saw {name}")
            return 1
        sectors = metrics[SECTORS] / row["sectors"]
        requests = metrics[REQUESTS] / row["requests"]
        wrong = abs(sectors - 1) > arguments.tolerance or abs(requests - 1) > arguments.tolerance
        failed |= wrong
        print(f"{row['what'] + ' ' + row['order']:52} {row['sectors']:12} {metrics[SECTORS]:12.0f} "
              f"{sectors:7.4f} {row['requests']:10} {metrics[REQUESTS]:10.0f} {requests:7.4f}"
              f"{'  DIFFERS' if wrong else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
