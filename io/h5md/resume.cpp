#include "io/h5md/resume.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/config/errors.hpp"
#include "engine/state/observables.hpp"
#include "io/files/output_file.hpp"
#include "io/h5md/frames.hpp"
#include "io/h5md/observables.hpp"
#include "io/h5md/parameters.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/numbers.hpp"
#include "io/hdf5/ordered.hpp"

namespace tessera::hdf5
{

namespace
{

constexpr char const* advice =
    "Name the folder of the run that the checkpoint is of, or another file.";

template <class T>
void require_same(Handle const& all, char const* name, std::vector<T> const& expected)
{
    Numbers const numbers = Numbers::open(all, name);
    if (numbers.shape().size() != 1 || numbers.rows() != expected.size() ||
        numbers.all<T>() != expected)
    {
        throw IoError(fmt::format("the {} of its particles are others than the checkpoint's. {}",
                                  name, advice));
    }
}

/// A column is in every row or in none.
void require_quantity(Handle const& file, char const* group, std::string const& name, bool wanted)
{
    bool const held = exists(open_group(file, group), name);
    if (held != wanted)
    {
        throw IoError(fmt::format(
            "{} {} {}, and the run {}. Go on with the quantities that the file was begun with, or "
            "name a new file.",
            group, held ? "holds" : "lacks", name, wanted ? "has it" : "does not have it"));
    }
}

void require_same_species(Handle const& file, State const& state)
{
    State stored;
    read_species_table(open_group(file, "parameters"), stored);
    if (stored.species_names != state.species_names || stored.species_mass != state.species_mass)
    {
        throw IoError(fmt::format(
            "its species or their masses are others than the checkpoint's. {}", advice));
    }
}

}  // namespace

void check_continuable(std::filesystem::path const& path, TrajectoryConfig const& config,
                       std::int64_t last_step)
{
    Handle const file = open_file(path, Access::inspect);
    CommittedFrames const committed = CommittedFrames::open(file);
    FrameSeries const frames = FrameSeries::open(file, config, committed.count());
    ObservableSeries const observables = ObservableSeries::open(file, committed.count());
    ThermoSeries const thermo = ThermoSeries::open(file);
    RdfSeries const rdf = RdfSeries::open(file);
    std::vector<Series const*> all = frames.series();
    for (auto const& more : {observables.series(), thermo.series(), rdf.series()})
    {
        all.insert(all.end(), more.begin(), more.end());
    }
    require_distinct(all);
    if (exists(file, "parameters/changes"))
    {
        Series::open(file, "parameters/changes", H5T_STD_U8LE, {});
    }
    hsize_t const kept = frames.frames_up_to(last_step);
    if (kept > 0)
    {
        // space is taken in the order of time: if the last frame is there, those before it are
        frames.read_row(kept - 1);
    }
    // what else is lost is found by the library itself, in the index
    if (was_read_beyond_end(file))
    {
        throw IoError("the file has lost its end, and with it what a run needs to go on.");
    }
}

void check_same_run(std::filesystem::path const& path, State const& state, RunInfo const& info,
                    Observables const& quantities)
{
    Handle const file = open_file(path, Access::inspect);
    RunInfo const stored = read_parameters(file);
    bool const known = !stored.run_id.empty() && !info.run_id.empty();
    if (known ? stored.run_id != info.run_id : stored.seed != info.seed)
    {
        throw IoError(fmt::format("it is another run's. {}", advice));
    }
    Handle const all = open_group(file, "particles/all");
    require_same(all, "id", state.id);
    require_same(all, "species", state.species);
    require_same_species(file, state);
    for (char const* const group : {"observables", "parameters/thermo"})
    {
        require_quantity(file, group, "pressure", has_volume(state.box));
        for (Column const& column : columns())
        {
            if (tells_of_quantity(column))
            {
                require_quantity(file, group, std::string(column.h5md), column.present(quantities));
            }
        }
    }
    Numbers const position = Numbers::open(all, "position/value");
    if (position.shape().size() != 3 || position.shape()[1] != state.position.size())
    {
        throw IoError(fmt::format("it has other particles than the checkpoint. {}", advice));
    }
}

}  // namespace tessera::hdf5
