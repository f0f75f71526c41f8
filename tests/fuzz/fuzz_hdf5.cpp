/// HDF5 files of a run, edited as tests/fuzz/hdf5_edits.hpp says, given to the verbs that read
/// them.
///
/// FUZZED_FILES: 1 trajectories, 2 checkpoints, 3 both; FUZZED_BYTES: whether bytes of the file are
/// changed too, so that it may be no HDF5 any more. A checkpoint is sealed anew, so that the
/// checksum hides nothing of it.
///
/// The input's head: what is done with the file, which file, for a checkpoint whether the
/// trajectory of the run is there.

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/errors.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/input/input.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/hdf5_edits.hpp"
#include "tests/fuzz/start_input.hpp"
#include "tools/convert.hpp"
#include "tools/info.hpp"
#include "tools/verb/verbs.hpp"

using namespace tessera;
namespace fs = std::filesystem;

namespace
{

constexpr bool patches = FUZZED_BYTES != 0;
constexpr std::size_t trailer_size = 24;

/// Two species in a small box, of a run short enough to be made at each start of the fuzzer.
constexpr char input_text[] = R"(system:
  lattice: {type: fcc, cells: [2, 2, 2], density: 0.8}
  species: [{name: A, fraction: 0.5}, {name: B, mass: 2.0, fraction: 0.5}]
  temperature: 0.7
  boundary: [periodic, periodic, open]
potential:
  cutoff: 1.5
  truncation: shifted
  mixing: geometric
  pairs: [{species: [A, A], epsilon: 1, sigma: 1}, {species: [B, B], epsilon: 1, sigma: 0.9}]
neighbor: {rebuild: on_displacement, skin: 0.2}
force: {path: gather, precision: double}
run: {steps: 4}
output:
  trajectory: {file: t.h5, every: 1, fields: [position, image, velocity, force]}
  thermo: {file: t.csv, every: 1}
  checkpoint: {file: c.h5}
  rdf: {file: g.csv, every: 2, bins: 8}
device: cpu
threads: 1
)";

int run_verb(void (*add)(CLI::App&, int&), std::vector<std::string> arguments)
{
    int code = 0;
    CLI::App app;
    add(app, code);
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    return code;
}

fs::path folder()
{
    return fuzz::scratch("run");
}

using Files = std::map<std::string, std::string>;

Files files_there()
{
    Files files;
    for (auto const& entry : fs::directory_iterator(folder()))
    {
        files[entry.path().filename().string()] = fuzz::read_file(entry.path());
    }
    return files;
}

/// Makes these files all there are; `there` says what the folder holds, as far as it is known.
void put(Files const& files, Files& there)
{
    for (auto const& entry : fs::directory_iterator(folder()))
    {
        if (!files.contains(entry.path().filename().string()))
        {
            fs::remove_all(entry.path());
        }
    }
    for (auto const& [name, bytes] : files)
    {
        auto const known = there.find(name);
        if (known == there.end() || known->second != bytes)
        {
            fuzz::write_file(folder() / name, bytes);
        }
    }
    there = files;
}

std::string sealed(std::string body)
{
    std::uint64_t const numbers[] = {body.size(), XXH3_64bits(body.data(), body.size())};
    std::string trailer = "TSCKPT01";
    trailer.append(reinterpret_cast<char const*>(numbers), sizeof numbers);
    return body + trailer;
}

/// The files of a run, and those of it that are edited.
struct Run
{
    Files files;
    fuzz::EditableFile trajectory, checkpoint;
};

Run make_run(std::vector<std::string> const& overrides)
{
    Files there;
    put({}, there);
    fs::path const input = fuzz::scratch("in.yaml");
    fuzz::write_file(input, input_text);
    std::vector<std::string> arguments{"run", input.string(), "--output-dir", folder().string(),
                                       "--quiet"};
    for (std::string const& assignment : overrides)
    {
        arguments.insert(arguments.end(), {"--set", assignment});
    }
    fuzz::require(run_verb(add_run, arguments) == 0, "the run that is edited can be made");
    Files files = files_there();
    files[fuzz::EditableFile::other_file] = files.at("t.h5");
    files[fuzz::EditableFile::other_values] = std::string(4096, '\0');
    std::string const checkpoint = files.at("c.h5");
    return {files, fuzz::EditableFile(files.at("t.h5")),
            fuzz::EditableFile(checkpoint.substr(0, checkpoint.size() - trailer_size))};
}

std::vector<Run> make_runs()
{
    // what the verbs print is of no interest; the fuzzer itself writes to descriptor 2
    stdout = std::fopen("/dev/null", "w");
    stderr = std::fopen("/dev/null", "w");
    fs::create_directory(folder());
    std::vector<Run> runs;
    runs.push_back(make_run({}));
    runs.push_back(make_run({"output.trajectory.dtype=float64", "output.trajectory.compress=true",
                             "output.rdf=null", "output.trajectory.fields=[position]"}));
    runs.push_back(make_run({"output.thermo.file=null", "force.path=reordered",
                             "force.precision=mixed", "neighbor.rebuild=every_step",
                             "system.boundary=[periodic, periodic, periodic]"}));
    return runs;
}

/// What the input of a checkpoint names lies in this folder: a fuzzer must not write elsewhere.
bool stays_here(fs::path const& checkpoint)
{
    bool here = false;
    fuzz::succeeds(SIZE_MAX / 4096, [&] {
        OutputConfig const output =
            parse_input(read_checkpoint(checkpoint).resolved_yaml, "in.yaml", {}).config.output;
        auto const plain = [](fs::path const& file) {
            return file.empty() || (file == file.filename() && file != ".." && file != ".");
        };
        here = (!output.trajectory || plain(output.trajectory->file)) &&
               (!output.thermo || plain(output.thermo->file)) &&
               (!output.checkpoint || plain(output.checkpoint->file)) &&
               (!output.rdf || plain(output.rdf->file));
    });
    return here;
}

/// Goes on with the run: a refusal must leave every file as it was.
void resume(std::size_t size)
{
    fs::path const checkpoint = folder() / "c.h5";
    if (!stays_here(checkpoint))
    {
        return;
    }
    Files const before = files_there();
    bool refused = false;
    fuzz::succeeds(size, [&] {
        try
        {
            int const code =
                run_verb(add_resume, {"resume", checkpoint.string(), "--steps", "2", "--quiet"});
            fuzz::require(code == 0, "a run that is resumed ends");
        }
        catch (ConfigError const&)
        {
            refused = true;
            throw;
        }
    });
    Files const after = files_there();
    fuzz::require(!refused || after == before, "a refused command changes nothing");
    for (char const* const name :
         {fuzz::EditableFile::other_file, fuzz::EditableFile::other_values})
    {
        fuzz::require(after.at(name) == before.at(name), "a file that is linked to stays");
    }
}

bool resumes(std::uint8_t action)
{
    return action % 8 > 5;
}

void use(std::uint8_t action, fs::path const& path, std::size_t size)
{
    constexpr char const* formats[] = {"xyz", "lammpstrj", "data"};
    switch (action % 8)
    {
        case 0:
            fuzz::succeeds(size, [&] { run_info(path); });
            break;
        case 1:
        case 2:
        case 3: {
            fs::path const out = folder() / "converted";
            fuzz::succeeds(size, [&] { run_convert(path, formats[action % 8 - 1], out); });
            std::error_code none;
            std::uintmax_t const length = fs::file_size(out, none);
            // a byte of a compressed file holds up to a thousand, and a number takes 20 as text
            fuzz::require(none || length <= (1U << 20) + 4096 * fs::file_size(path),
                          "what is made of a file is bounded by its size");
            break;
        }
        case 4:
        case 5:
            fuzz::StartInputs(path).start(action % 8 == 4 ? fuzz::Says::little : fuzz::Says::much,
                                          size);
            break;
        default:
            resume(size);
            break;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    static std::vector<Run> const runs = make_runs();
    fuzz::FuzzInput const input = fuzz::decode({data, size});
    auto const [action, which, options, spare] = input.head;
    Run const& run = runs[which % runs.size()];
    bool const trajectory = FUZZED_FILES == 1 || (FUZZED_FILES == 3 && spare % 2 == 0);
    Files files = run.files;
    std::string const name = trajectory ? "t.h5" : "c.h5";
    files[name] = trajectory ? run.trajectory.edited(input.edits, patches)
                             : sealed(run.checkpoint.edited(input.edits, patches));
    if (!trajectory && options % 4 == 1)
    {
        files.erase("t.h5");
    }
    static Files there;
    put(files, there);
    use(action, folder() / name, files[name].size());
    if (resumes(action))
    {
        there.clear();
    }
    return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t limit);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t limit, unsigned seed)
{
    std::minstd_rand random(seed);
    if (random() % 8 == 0)
    {
        return LLVMFuzzerMutate(data, size, limit);
    }
    fuzz::FuzzInput input = fuzz::decode({data, size});
    do
    {
        fuzz::mutate(input, random, patches);
    } while (random() % 2 == 0);
    std::vector<std::uint8_t> const bytes = fuzz::encode(input);
    std::size_t const length = std::min(bytes.size(), limit);
    std::memcpy(data, bytes.data(), length);
    return length;
}
