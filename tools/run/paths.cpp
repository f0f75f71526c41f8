#include "tools/run/paths.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <variant>

#include "engine/config/errors.hpp"
#include "io/files/file_identity.hpp"
#include "io/files/file_lock.hpp"
#include "io/files/output_file.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/input/input.hpp"
#include "tools/run/summary.hpp"
#include "tools/verb/input_fault.hpp"

namespace tessera
{

namespace
{

namespace fs = std::filesystem;

constexpr char const* resumed_key = "the checkpoint that is resumed";

fs::path in(fs::path const& folder, fs::path const& file)
{
    return folder.empty() || file.empty() ? file : folder / file;
}

fs::path present_part(fs::path folder)
{
    std::error_code error;
    while (!folder.empty() && !fs::exists(folder, error))
    {
        folder = folder.parent_path();
    }
    return folder.empty() ? "." : folder;
}

[[noreturn]] void fail_output_dir(fs::path const& folder, std::error_code error)
{
    throw ConfigError(fmt::format("--output-dir {}: cannot be made: {}; choose another folder",
                                  folder.string(), error.message()));
}

void check_output_dir(fs::path const& folder)
{
    std::error_code error;
    if (folder.empty() || fs::is_directory(folder, error))
    {
        return;
    }
    check_name("--output-dir", folder.has_filename() ? folder : folder.parent_path());
    fs::path const there = present_part(folder);
    if (!fs::is_directory(there, error))
    {
        fail_output_dir(folder, std::make_error_code(std::errc::not_a_directory));
    }
    if (::access(there.c_str(), W_OK | X_OK) != 0)
    {
        fail_output_dir(folder, std::error_code(errno, std::generic_category()));
    }
}

void claim_read(Launch const& launch, Claims& claims)
{
    if (!launch.input.empty())
    {
        claims.read("the input", launch.input);
    }
    if (auto const* const start = std::get_if<FileConfig>(&launch.config.system.start))
    {
        claims.read("system.file", start->path);
    }
    if (launch.earlier)
    {
        claims.read(resumed_key, launch.earlier->checkpoint);
        claims.read(resumed_key, previous_checkpoint(launch.earlier->checkpoint));
    }
}

/// Where an HDF5 file is made, and its lock.
void claim_derived(Claims& claims, std::string const& key, fs::path const& path)
{
    claims.write(key + " (its lock)", lock_name(path));
    if (!is_stream(path))
    {
        claims.write_beside(key, key + " (in the making)", aside_name(path));
    }
}

void claim_written(RunPaths const& paths, Claims& claims)
{
    auto const claim = [&](std::string const& key, fs::path const& path) {
        if (!path.empty())
        {
            claims.write(key, path, key == "output.checkpoint.file" ? resumed_key : "");
            claim_derived(claims, key, path);
        }
    };
    claim("output.trajectory.file", paths.trajectory);
    claim("output.thermo.file", paths.thermo);
    claim("output.checkpoint.file", paths.checkpoint);
    claim("output.rdf.file", paths.rdf);
    claim("--summary", paths.summary);
    if (!paths.checkpoint.empty())
    {
        claims.write_beside("output.checkpoint.file",
                            "output.checkpoint.file (the one before the last)",
                            previous_checkpoint(paths.checkpoint), resumed_key);
    }
}

void check_ways(Launch const& launch, RunPaths const& paths)
{
    // in a folder that is still to be made nothing is in the way
    std::error_code error;
    bool const to_be_made = !launch.output_dir.empty() && !fs::exists(launch.output_dir, error);
    auto const check = [&](fs::path const& path, OutputKind kind) {
        bool const in_it =
            to_be_made && identify(path.parent_path()) == identify(launch.output_dir);
        if (!path.empty() && !in_it)
        {
            bool const fresh = launch.beginning == Beginning::fresh;
            check_way(path, launch.overwrite || !fresh, kind);
        }
    };
    check(paths.trajectory, OutputKind::file);
    check(paths.thermo, OutputKind::text);
    check(paths.checkpoint, OutputKind::file);
    check(paths.rdf, OutputKind::text);
    if (!paths.checkpoint.empty())
    {
        check(previous_checkpoint(paths.checkpoint), OutputKind::file);
        check_aside(aside_name(paths.checkpoint));
    }
    if (!paths.trajectory.empty())
    {
        check_aside(aside_name(paths.trajectory));
    }
    for (fs::path const& path : paths.all())
    {
        check_lock_name(path);
    }
}

bool is_of_run(fs::path const& checkpoint, Launch const& launch)
{
    try
    {
        RunInfo const info = read_checkpoint_info(checkpoint);
        refuse_other_run(changed_keys(
            parse_input(info.resolved_yaml, checkpoint.string(), {}).config, launch.config));
        return info.run_id == launch.earlier->info.run_id;
    }
    catch (IoError const&)
    {
        return false;
    }
    catch (ConfigError const&)
    {
        return false;
    }
}

}  // namespace

std::vector<fs::path> RunPaths::all() const
{
    std::vector<fs::path> paths;
    for (fs::path const& path : {trajectory, thermo, checkpoint, rdf, summary})
    {
        if (!path.empty())
        {
            paths.push_back(path);
        }
    }
    return paths;
}

RunPaths run_paths(Launch const& launch)
{
    OutputConfig const& output = launch.config.output;
    auto const file = [&](auto const& section) {
        return section ? in(launch.output_dir, section->file) : fs::path();
    };
    return {file(output.trajectory), file(output.thermo), file(output.checkpoint), file(output.rdf),
            launch.summary};
}

void check_file_names(Config const& config)
{
    if (auto const* const start = std::get_if<FileConfig>(&config.system.start))
    {
        check_name("system.file", start->path);
    }
    auto const check = [](char const* key, auto const& section) {
        if (section && !section->file.empty())
        {
            check_name(key, section->file);
        }
    };
    OutputConfig const& output = config.output;
    check("output.trajectory.file", output.trajectory);
    check("output.thermo.file", output.thermo);
    check("output.checkpoint.file", output.checkpoint);
    check("output.rdf.file", output.rdf);
}

void check_trajectory_name(Config const& config)
{
    if (!config.output.trajectory)
    {
        return;
    }
    fs::path const& file = config.output.trajectory->file;
    std::string const extension = file.extension().string();
    constexpr std::string_view known[] = {".h5", ".h5md", ".hdf5"};
    if (std::find(std::begin(known), std::end(known), extension) == std::end(known))
    {
        throw ConfigError(fmt::format(
            "output.trajectory.file: '{}' has not the name of an H5MD file, which a trajectory is; "
            "name it .h5 or .h5md; `tessera convert` then makes xyz, lammpstrj or data of it",
            file.string()));
    }
}

void check_run_paths(Launch const& launch)
{
    RunPaths const paths = run_paths(launch);
    check_output_dir(launch.output_dir);
    Claims claims;
    claim_read(launch, claims);
    claim_written(paths, claims);
    blame_input([&] { check_ways(launch, paths); });
    check_summary_way(paths.summary, launch.overwrite);
}

void check_own_checkpoints(Launch const& launch, fs::path const& checkpoint)
{
    fs::path const previous = previous_checkpoint(checkpoint);
    FileIdentity const resumed = identify(launch.earlier->checkpoint);
    bool const same_pair = resumed == identify(checkpoint) || resumed == identify(previous);
    std::error_code error;
    for (fs::path const& path : {checkpoint, previous})
    {
        bool const there = fs::exists(fs::symlink_status(path, error));
        // one of the pair may be damaged, which is what the other is for
        bool const ours = same_pair ? resumed == identify(path) || may_be_hdf5(resolved(path)) ||
                                          is_checkpoint(path)
                                    : is_of_run(path, launch);
        if (there && !ours)
        {
            check_way(path, launch.overwrite);
        }
    }
}

MadeFolder::MadeFolder(fs::path const& folder)
{
    std::vector<fs::path> missing;
    std::error_code error;
    for (fs::path part = folder.has_filename() ? folder : folder.parent_path();
         !part.empty() && !fs::exists(part, error); part = part.parent_path())
    {
        missing.push_back(part);
    }
    for (auto part = missing.rbegin(); part != missing.rend(); ++part)
    {
        if (fs::create_directory(*part, error))
        {
            made_.push_back(*part);
        }
        if (error)
        {
            for (auto made = made_.rbegin(); made != made_.rend(); ++made)
            {
                ::rmdir(made->c_str());
            }
            fail_output_dir(folder, error);
        }
    }
}

MadeFolder::~MadeFolder()
{
    for (auto part = made_.rbegin(); part != made_.rend(); ++part)
    {
        // only as long as it is empty
        ::rmdir(part->c_str());
    }
}

void MadeFolder::keep()
{
    made_.clear();
}

}  // namespace tessera
