#pragma once
/// Every section of an input, each described once: fields(visit, section) names the keys in the
/// order in which they are written. The reader, the writer and the key reference are visitors.
///
///   visit(key, value)           a value of its own
///   visit.section(key, section) a map with the fields of `section`; an optional one may be absent
///   visit.list(key, sections)   a list of such maps
///   visit.start(start)          exactly one of the alternatives of start_fields()

#include <variant>

#include "engine/config/config.hpp"
#include "io/input/key.hpp"

namespace tessera
{

template <class Visitor>
void fields(Visitor& visit, LatticeConfig& lattice)
{
    visit({.name = "type", .need = Need::required, .meaning = "The crystal."}, lattice.type);
    visit({.name = "cells",
           .need = Need::required,
           .range = "from 1",
           .meaning = "Unit cells along x, y and z."},
          lattice.cells);
    visit({.name = "density",
           .need = Need::required,
           .unit = "sigma^-3",
           .range = "above 0",
           .meaning = "Particles per volume."},
          lattice.density);
}

template <class Visitor>
void fields(Visitor& visit, RandomConfig& random)
{
    visit({.name = "count", .need = Need::required, .range = "from 1", .meaning = "Particles."},
          random.count);
    visit({.name = "density",
           .need = Need::required,
           .unit = "sigma^-3",
           .range = "above 0",
           .meaning = "Particles per volume."},
          random.density);
    visit({.name = "min_distance",
           .unit = "sigma",
           .range = "from 0",
           .meaning = "No two particles start closer than this."},
          random.min_distance);
}

template <class Visitor>
void fields(Visitor& visit, FileConfig& file)
{
    visit(
        {.name = "file",
         .meaning = "A trajectory or checkpoint (.h5), extended XYZ (.xyz) or LAMMPS data (.data), "
                    "beside the input or in the working folder.",
         .without = "a lattice or random start"},
        file.path);
    visit({.name = "frame", .meaning = "Which of the file's frames, from 0.", .empty_word = "last"},
          Number{file.frame, 0, "frames are numbered from 0; give one, or 'last'"});
}

template <class Visitor>
void start_fields(Visitor& visit, StartConfig& start)
{
    visit.alternative({.name = "lattice", .meaning = "Particles on a crystal that fills the box."},
                      std::get_if<LatticeConfig>(&start));
    visit.alternative({.name = "random", .meaning = "Particles at random places."},
                      std::get_if<RandomConfig>(&start));
    visit.alternative({}, std::get_if<FileConfig>(&start));
}

template <class Visitor>
void fields(Visitor& visit, SpeciesConfig& species)
{
    visit({.name = "name", .need = Need::required, .meaning = "One word."}, species.name);
    visit({.name = "mass", .unit = "m", .range = "above 0", .meaning = "Of a particle."},
          species.mass);
    visit({.name = "fraction",
           .range = "0 to 1",
           .meaning = "Share of the particles of a lattice or random start.",
           .without = "an equal share"},
          species.fraction);
}

template <class Visitor>
void fields(Visitor& visit, SystemConfig& system)
{
    visit.start(system.start);
    visit.list({.name = "species", .meaning = "Kinds of particles; those of a file are its own."},
               system.species);
    visit({.name = "temperature",
           .unit = "epsilon/k",
           .range = "from 0",
           .meaning = "Of the velocities drawn at the start; lattice and random starts need it.",
           .without = "the file's velocities"},
          system.temperature);
    visit({.name = "seed",
           .range = "0 to 2^64 - 1",
           .meaning = "Of every random number; the same seed, the same run."},
          system.seed);
    visit({.name = "boundary", .meaning = "Of the axes x, y and z."}, system.boundary);
}

template <class Visitor>
void fields(Visitor& visit, PairConfig& pair)
{
    visit({.name = "species", .need = Need::required, .meaning = "Which two, in any order."},
          SpeciesPair{pair.first, pair.second});
    visit({.name = "epsilon",
           .need = Need::required,
           .unit = "epsilon",
           .range = "from 0",
           .meaning = "Depth of the well."},
          pair.epsilon);
    visit({.name = "sigma",
           .need = Need::required,
           .unit = "sigma",
           .range = "above 0",
           .meaning = "Where the energy crosses zero."},
          pair.sigma);
    visit({.name = "cutoff",
           .unit = "sigma",
           .range = "above 0",
           .meaning = "Of this pair.",
           .without = "the potential's"},
          pair.cutoff);
    visit({.name = "n", .meaning = "Of this pair; mie only.", .without = "the potential's"},
          pair.n);
    visit({.name = "m", .meaning = "Of this pair; mie only.", .without = "the potential's"},
          pair.m);
}

template <class Visitor>
void fields(Visitor& visit, PotentialConfig& potential)
{
    bool const mie = potential.type == PotentialType::mie;
    visit({.name = "type", .meaning = "The form of every pair.", .written = mie}, potential.type);
    visit({.name = "n",
           .range = "above m, to 100",
           .meaning = "Exponent of the repulsion; mie only.",
           .without = "12",
           .written = mie},
          potential.n);
    visit({.name = "m",
           .range = "above 3",
           .meaning = "Exponent of the attraction; mie only.",
           .without = "6",
           .written = mie},
          potential.m);
    visit({.name = "cutoff",
           .unit = "sigma",
           .range = "above 0",
           .meaning = "Range of a pair that names none of its own."},
          potential.cutoff);
    visit({.name = "truncation", .meaning = "What happens at the cutoff."}, potential.truncation);
    visit({.name = "switch_on",
           .unit = "sigma",
           .range = "above 0, below every cutoff",
           .meaning = "Where `switched` begins to; it alone has it.",
           .without = "required by switched",
           .written = potential.truncation == Truncation::switched},
          potential.switch_on);
    visit({.name = "tail_correction",
           .meaning = "Whether energy and pressure come with what the cut neglects."},
          potential.tail_correction);
    visit({.name = "mixing", .meaning = "Gives the pairs of unlike species that are not listed."},
          potential.mixing);
    visit.list(
        {.name = "pairs", .meaning = "Coefficients; 1 and 1 for one species that names none."},
        potential.pairs);
}

template <class Visitor>
void fields(Visitor& visit, NeighborConfig& neighbor)
{
    visit({.name = "rebuild",
           .meaning = "every_step: exact lists each step; on_displacement: lists that last until a "
                      "particle has moved by half the skin."},
          neighbor.rebuild);
    visit({.name = "skin",
           .unit = "sigma",
           .range = "from 0; above 0 for on_displacement",
           .meaning = "What lists reach beyond the cutoff."},
          neighbor.skin);
}

template <class Visitor>
void fields(Visitor& visit, ForceConfig& force)
{
    visit({.name = "path", .meaning = "How the force kernel reads its neighbors."}, force.path);
    visit({.name = "precision", .meaning = "mixed: state in double, pair arithmetic in float."},
          force.precision);
    visit({.name = "lanes",
           .range = "1, 2, 4, 8 or 16",
           .meaning = "GPU threads that share a particle's neighbors.",
           .empty_word = "auto"},
          force.lanes);
}

template <class Visitor>
void fields(Visitor& visit, ReorderConfig& reorder)
{
    visit({.name = "streams", .range = "1 to 16", .meaning = "That fill chunks, on a GPU."},
          reorder.streams);
    visit({.name = "chunk_particles",
           .range = "a multiple of 32",
           .meaning = "Particles of a chunk in memory; auto: rows stay on the chip where they can.",
           .empty_word = "auto"},
          reorder.chunk_particles);
    visit({.name = "format",
           .meaning =
               "Of a neighbor in a chunk: 8 bytes or floats; precision double stores doubles."},
          reorder.format);
}

template <class Visitor>
void fields(Visitor& visit, EnsembleConfig& ensemble)
{
    visit({.name = "type",
           .need = Need::required,
           .meaning = "What is kept constant.",
           .governs = true},
          ensemble.type);
}

template <class Visitor>
void fields(Visitor& visit, RunConfig& run)
{
    visit({.name = "steps", .need = Need::required, .range = "from 0", .meaning = "How many."},
          run.steps);
    visit({.name = "dt", .unit = "tau", .range = "above 0", .meaning = "Length of a step."},
          run.dt);
    visit({.name = "walltime",
           .unit = "s",
           .range = "above 0",
           .meaning = "Ends the run with a checkpoint after this time.",
           .without = "no limit"},
          Seconds{run.walltime});
}

template <class Visitor>
void fields(Visitor& visit, TrajectoryConfig& trajectory)
{
    visit({.name = "file", .need = Need::required, .meaning = "H5MD, .h5 or .h5md."},
          trajectory.file);
    visit({.name = "every",
           .need = Need::required,
           .unit = "steps",
           .range = "from 1",
           .meaning = "Between frames."},
          trajectory.every);
    visit({.name = "fields", .meaning = "What of a particle is written; position must be."},
          trajectory.fields);
    visit({.name = "dtype", .meaning = "Of the fields, images aside."}, trajectory.dtype);
    visit({.name = "compress", .meaning = "Whether without loss, by deflate."},
          trajectory.compress);
}

template <class Visitor>
void fields(Visitor& visit, ThermoConfig& thermo)
{
    visit({.name = "file",
           .meaning = "CSV.",
           .without = "the table on the screen alone",
           .written = !thermo.file.empty()},
          thermo.file);
    visit({.name = "every", .unit = "steps", .range = "from 1", .meaning = "Between rows."},
          thermo.every);
    visit({.name = "coordination",
           .unit = "sigma",
           .range = "above 0, to the smallest cutoff",
           .meaning = "A column with the mean number of neighbors within this distance.",
           .without = "no such column"},
          thermo.coordination);
}

template <class Visitor>
void fields(Visitor& visit, CheckpointConfig& checkpoint)
{
    visit({.name = "file", .need = Need::required, .meaning = "HDF5; the one before is kept too."},
          checkpoint.file);
    visit({.name = "every",
           .unit = "steps",
           .range = "from 1",
           .meaning = "Between checkpoints.",
           .without = "only at the end"},
          checkpoint.every);
    visit({.name = "wall_every",
           .unit = "s",
           .range = "above 0",
           .meaning = "Time between checkpoints.",
           .without = "only at the end"},
          Seconds{checkpoint.wall_every});
}

template <class Visitor>
void fields(Visitor& visit, RdfConfig& rdf)
{
    visit({.name = "file", .need = Need::required, .meaning = "CSV, written at the end."},
          rdf.file);
    visit({.name = "every", .unit = "steps", .range = "from 1", .meaning = "Between samples."},
          rdf.every);
    visit({.name = "bins", .range = "1 to 100000", .meaning = "Up to the smallest cutoff."},
          rdf.bins);
    visit({.name = "start", .range = "from 0", .meaning = "The first step that may be sampled."},
          rdf.start);
}

template <class Visitor>
void fields(Visitor& visit, OutputConfig& output)
{
    visit.section({.name = "trajectory", .meaning = "Frames in H5MD."}, output.trajectory);
    visit.section({.name = "thermo", .meaning = "Temperature, pressure and energies."},
                  output.thermo);
    visit.section({.name = "checkpoint", .meaning = "What `tessera resume` goes on from."},
                  output.checkpoint);
    visit.section({.name = "rdf", .meaning = "g(r) up to the smallest cutoff."}, output.rdf);
    visit({.name = "overwrite", .meaning = "Whether files that are there may be replaced."},
          output.overwrite);
}

/// The sections that decide how fast a run is, and not its results.
template <class Visitor>
void speed_fields(Visitor& visit, Config& config)
{
    visit.section({.name = "neighbor", .meaning = "Lists of neighbors: decides speed alone."},
                  config.neighbor);
    visit.section({.name = "force", .meaning = "How forces are computed."}, config.force);
    visit.section({.name = "reorder", .meaning = "Chunks of neighbors, on the path `reordered`."},
                  config.reorder);
}

template <class Visitor>
void fields(Visitor& visit, Config& config)
{
    visit.section({.name = "system",
                   .need = Need::required,
                   .meaning = "The particles: exactly one of lattice, random and file.",
                   .layout = SectionLayout::lines},
                  config.system);
    visit.section({.name = "potential",
                   .meaning = "Of every pair of particles.",
                   .layout = SectionLayout::lines},
                  config.potential);
    speed_fields(visit, config);
    visit.section({.name = "ensemble", .meaning = "nve where it is not given."}, config.ensemble);
    visit.section({.name = "run", .need = Need::required, .meaning = "How long."}, config.run);
    visit.section({.name = "output",
                   .meaning = "The files of a run; what is not named is not written.",
                   .layout = SectionLayout::lines},
                  config.output);
    visit({.name = "device", .meaning = "auto: a GPU where there is one."}, config.device);
    visit({.name = "threads",
           .range = "from 1",
           .meaning = "Of the CPU; auto: as many as it has.",
           .empty_word = "auto"},
          Number{config.threads, 1, "a run has at least one; give a number from 1, or 'auto'"});
}

}  // namespace tessera
