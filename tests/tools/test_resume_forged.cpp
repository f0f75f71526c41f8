/// Runs that go on from checkpoints which are not as this version of the program writes them.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "engine/config/errors.hpp"
#include "io/h5md/read.hpp"
#include "tests/support/forged.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/support.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tools/verb/verbs.hpp"

using namespace tessera;

namespace
{

/// Two particles, away from the far faces of a box that can so be made smaller.
constexpr char start[] = R"(2
Lattice="8 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3 pbc="T T T"
A 1.0 1.0 1.0
A 2.2 1.0 1.0
)";
constexpr char input[] = R"(system: {file: start.xyz, temperature: 0.5}
potential: {cutoff: 2.5}
run: {steps: 20, dt: 0.002}
output:
  trajectory: {file: t.h5, every: 5}
  thermo: {file: t.csv, every: 5}
  checkpoint: {file: c.h5, every: 10}
device: cpu
threads: 1
)";

int verb(void (*add)(CLI::App&, int&), std::vector<std::string> arguments)
{
    int code = -1;
    CLI::App app;
    add(app, code);
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    return code;
}

/// A finished run in a folder of its own.
class FinishedRun
{
public:
    FinishedRun()
    {
        std::ofstream(directory_ / "start.xyz") << start;
        std::ofstream(directory_ / "in.yaml") << input;
        REQUIRE(verb(add_run, {"run", path("in.yaml"), "--set", "system.file=" + path("start.xyz"),
                               "--output-dir", (directory_ / "out").string(), "--quiet"}) == 0);
    }

    std::string path(std::string const& name) const
    {
        return (directory_ / name).string();
    }
    int resume() const
    {
        return verb(add_resume, {"resume", path("out/c.h5"), "--steps", "10", "--quiet"});
    }
    std::map<std::string, std::string> files() const
    {
        std::map<std::string, std::string> files;
        for (auto const& entry : std::filesystem::directory_iterator(directory_ / "out"))
        {
            files[entry.path().filename().string()] = bytes_of(entry.path());
        }
        return files;
    }

private:
    TemporaryDirectory directory_;
};

Edit without(std::vector<std::string> const& attributes)
{
    return [=](hid_t file) {
        hid_t const parameters = H5Gopen2(file, "parameters", H5P_DEFAULT);
        for (std::string const& name : attributes)
        {
            REQUIRE(H5Adelete(parameters, name.c_str()) >= 0);
        }
        H5Gclose(parameters);
    };
}

}  // namespace

TEST_CASE("a run goes on from a checkpoint of an older version, which tells less")
{
    FinishedRun const whole;
    REQUIRE(whole.resume() == 0);
    std::vector<std::string> const newer{"run_id", "output_dir", "thermo_rows", "thermo_hash"};
    std::vector<std::vector<std::string>> cases{newer};
    for (std::string const& name : newer)
    {
        cases.push_back({name});
    }
    for (std::vector<std::string> const& lacking : cases)
    {
        INFO(lacking.front() << " and " << lacking.size() - 1 << " more are lacking");
        FinishedRun const run;
        forge(run.path("out/c.h5"), without(lacking));
        REQUIRE(run.resume() == 0);
        CHECK(run.files().at("t.csv") == whole.files().at("t.csv"));
        // the inputs that the trajectories hold name different folders
        TrajectoryReader const found(run.path("out/t.h5")), expected(whole.path("out/t.h5"));
        REQUIRE(found.frame_count() == expected.frame_count());
        State const last = found.read(found.frame_count() - 1);
        CHECK(last.step == 30);
        CHECK((last.position == expected.read(found.frame_count() - 1).position));
    }
}

TEST_CASE("a run does not go on in a box that is too small for its cutoff")
{
    FinishedRun const run;
    forge(run.path("out/c.h5"), attribute<double>("state", "edges", {8.0, 4.9, 8.0}));
    auto const before = run.files();
    std::string const message = message_of<ConfigError>([&] { run.resume(); });
    CHECK(mentions(message, "4.9 along y"));
    CHECK(run.files() == before);
}
