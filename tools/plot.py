#!/usr/bin/env python3
"""Plots a trajectory: energies, temperature, pressure, g(r), mean squared displacement, snapshot.

    tools/plot.py FILE.h5 [-o OUT.png|OUT.pdf]

Only frames that the run committed are used. Needs h5py, numpy and matplotlib.
"""

import argparse
import os
import sys

# A running trajectory is locked by its run; it can be read at every instant. Before h5py is loaded.
os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

RDF_PARTICLES = 2000  # above this the N^2 distances of a frame are not worth the wait
RDF_FRAMES = 10
RDF_BINS = 150
MSD_FRAMES = 400  # frames read for the displacement, spread over the file


def committed_frames(file):
    """How many frames can be trusted."""
    present = file["particles/all/position/value"].shape[0]
    if "parameters/committed_frames" in file:
        return min(present, int(file["parameters/committed_frames"][()]))
    return present


def edges_of(file, frame):
    return np.diagonal(file["particles/all/box/edges/value"][frame]).astype(float)


def series(file, name, frames):
    """(time, values) of a scalar: the finer thermo rows if they are there, else the frames'."""
    thermo = file.get("parameters/thermo")
    fine = {
        "potential_energy": "potential_energy_per_particle",
        "kinetic_energy": "kinetic_energy_per_particle",
        "internal_energy": "total_energy_per_particle",
    }.get(name, name)
    if thermo is not None and fine in thermo and thermo["step"].shape[0] > 1:
        rows = min(thermo[fine].shape[0], thermo["step"].shape[0])
        return thermo["time"][:rows], thermo[fine][:rows]
    group = file.get(f"observables/{name}")
    if group is None:
        return np.empty(0), np.empty(0)
    return group["time"][:frames], group["value"][:frames]


def periodic_axes(file):
    names = file["particles/all/box"].attrs["boundary"]
    return np.array([(n.decode() if isinstance(n, bytes) else n) == "periodic" for n in names])


def radial_distribution(file, frames):
    """g(r) as the run sampled it, or from the last frames of a small system; and which."""
    if "parameters/rdf/value" in file and file["parameters/rdf/value"].shape[0] > 0:
        return file["parameters/rdf/r"][()], file["parameters/rdf/value"][()], "averaged over the steps that the run sampled"
    count = file["particles/all/position/value"].shape[1]
    if frames == 0 or count < 2 or count > RDF_PARTICLES:
        return None, None, f"computed up to {RDF_PARTICLES} particles"
    periodic = periodic_axes(file)
    used = range(max(0, frames - RDF_FRAMES), frames)
    limit = min(edges_of(file, frame).min() for frame in used) / 2
    bounds = np.linspace(0, limit, RDF_BINS + 1)
    shells = 4 / 3 * np.pi * np.diff(bounds**3)
    first, second = np.triu_indices(count, 1)
    total = np.zeros(RDF_BINS)
    for frame in used:
        edges = edges_of(file, frame)
        position = file["particles/all/position/value"][frame].astype(float)
        separation = position[first] - position[second]
        separation -= np.where(periodic, edges * np.rint(separation / edges), 0.0)
        pairs, _ = np.histogram(np.linalg.norm(separation, axis=1), bounds)
        total += pairs / (shells * len(first) / np.prod(edges))
    centers = (bounds[1:] + bounds[:-1]) / 2
    return centers, total / len(used), f"from the last {len(used)} frames"


def mean_squared_displacement(file, frames):
    """(time, MSD) against the first frame, the drift of the whole system taken out."""
    particles = file["particles/all"]
    if "image" not in particles or frames < 2:
        return None, None
    used = np.unique(np.linspace(0, frames - 1, min(frames, MSD_FRAMES)).astype(int))
    mass = particles["mass"][()] if "mass" in particles else None

    def unwrapped(frame):
        position = particles["position/value"][frame].astype(float)
        position += particles["image/value"][frame] * edges_of(file, frame)
        return position - np.average(position, axis=0, weights=mass)

    start = unwrapped(used[0])
    msd = [np.mean(np.sum((unwrapped(frame) - start) ** 2, axis=1)) for frame in used]
    time = particles["position/time"][:frames][used]
    return time - time[0], np.array(msd)


def draw_lines(axes, file, frames, names, ylabel):
    for name, label in names:
        time, values = series(file, name, frames)
        if len(time):
            axes.plot(time, values, label=label, marker="." if len(time) < 30 else None)
    axes.set(xlabel=r"time [$\tau$]", ylabel=ylabel)
    if len(names) > 1:
        axes.legend(fontsize="small")


def draw_rdf(axes, file, frames):
    radius, value, origin = radial_distribution(file, frames)
    axes.set(xlabel=r"r [$\sigma$]", ylabel="g(r)", title=origin)
    if radius is not None:
        axes.axhline(1.0, color="0.8", zorder=0)
        axes.plot(radius, value)


def draw_msd(axes, file, frames):
    time, msd = mean_squared_displacement(file, frames)
    axes.set(xlabel=r"time [$\tau$]", ylabel=r"MSD [$\sigma^2$]")
    if time is None:
        axes.set_title("needs images and two frames")
    else:
        axes.plot(time, msd, marker="." if len(time) < 30 else None)


def draw_snapshot(axes, file, frames):
    axes.set(xlabel=r"x [$\sigma$]", ylabel=r"y [$\sigma$]", aspect="equal")
    if frames == 0:
        axes.set_title("no frame")
        return
    position = file["particles/all/position/value"][frames - 1]
    edges = edges_of(file, frames - 1)
    species = file["particles/all/species"][()] if "particles/all/species" in file else 0
    # a whole box hides behind its foremost particles: the slab of one sigma at the top shows order
    top = position[:, 2].max()
    shown = np.flatnonzero(position[:, 2] >= top - 1.0)
    order = shown[np.argsort(position[shown, 2])]
    color = np.broadcast_to(species, len(position))[order]
    # one particle is about one sigma wide: points of the axes' width over the box edge
    size = (150.0 / max(edges[0], edges[1])) ** 2
    axes.scatter(position[order, 0], position[order, 1], s=size, c=color, cmap="tab10", vmin=0,
                 vmax=9, edgecolors="white", linewidths=0.2, alpha=0.8, rasterized=True)
    axes.set(xlim=(0, edges[0]), ylim=(0, edges[1]))
    axes.set_title(f"step {file['particles/all/position/step'][frames - 1]}, top sigma along z")


def plot(path, output):
    with h5py.File(path, "r") as file:
        if "particles/all/position/value" not in file:
            raise ValueError("no /particles/all/position: this is not a trajectory of tessera")
        frames = committed_frames(file)
        figure, panels = plt.subplots(2, 3, figsize=(13, 7.5), layout="constrained")
        energies = [("potential_energy", "potential"), ("kinetic_energy", "kinetic"),
                    ("internal_energy", "total")]
        draw_lines(panels[0, 0], file, frames, energies, r"energy per particle [$\epsilon$]")
        draw_lines(panels[0, 1], file, frames, [("temperature", "")], r"temperature [$\epsilon/k$]")
        draw_lines(panels[0, 2], file, frames, [("pressure", "")],
                   r"pressure [$\epsilon/\sigma^3$]")
        draw_rdf(panels[1, 0], file, frames)
        draw_msd(panels[1, 1], file, frames)
        draw_snapshot(panels[1, 2], file, frames)
        count = file["particles/all/position/value"].shape[1]
        figure.suptitle(f"{os.path.basename(path)}: {count} particles, {frames} frames")
        figure.savefig(output, dpi=130)
        plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="trajectory in H5MD")
    parser.add_argument("-o", "--output", help="PNG or PDF; default: FILE with .png")
    arguments = parser.parse_args()
    output = arguments.output or os.path.splitext(arguments.file)[0] + ".png"
    if os.path.abspath(output) == os.path.abspath(arguments.file):
        parser.error("the output would replace the trajectory")
    try:
        plot(arguments.file, output)
    except (OSError, ValueError) as error:
        print(f"{arguments.file}: {error}", file=sys.stderr)
        return 1
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
