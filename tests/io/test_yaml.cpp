#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "engine/start/initial.hpp"
#include "io/input/keys.hpp"
#include "io/input/report.hpp"
#include "io/yaml/nearest_name.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/yaml_inputs.hpp"

using namespace tessera;
using Catch::Matchers::Contains;

TEST_CASE("the documented input is read in full")
{
    std::string const text = R"(
system:
  lattice: {type: fcc, cells: [20, 20, 20], density: 0.8442}
  species: [{name: A, mass: 1.0}]
  temperature: 1.44
  seed: 18446744073709551615
  boundary: [periodic, open, periodic]
potential:
  cutoff: 2.5
  truncation: switched
  switch_on: 2.0
  tail_correction: false
  mixing: none
  pairs: [{species: [A, A], epsilon: 1.0, sigma: 1.0}]
neighbor: {rebuild: on_displacement, skin: 0.4}
force: {path: shoc, precision: double, lanes: 8}
reorder: {streams: 3, chunk_particles: 4096, format: float}
ensemble: {type: nve}
run: {steps: 1e6, dt: 0.004, walltime: 2h}
output:
  trajectory: {file: m.h5, every: 100, fields: [position, image, velocity, force], dtype: float64}
  thermo: {file: m.csv, every: 50}
  checkpoint: {file: m.ckpt.h5, every: 1000, wall_every: 15min}
  rdf: {file: rdf.csv, every: 10, bins: 100, start: 5e5}
  overwrite: true
device: cuda:1
threads: 3
)";
    Config const c = parse_input(text, "in.yaml", {}).config;
    auto const& lattice = std::get<LatticeConfig>(c.system.start);
    CHECK(lattice.cells == Vec3<std::int64_t>{20, 20, 20});
    CHECK(lattice.density == 0.8442);
    CHECK(c.system.temperature == 1.44);
    CHECK(c.system.seed == std::numeric_limits<std::uint64_t>::max());
    CHECK(c.system.boundary.y == Boundary::open);
    CHECK(c.potential.truncation == Truncation::switched);
    CHECK(c.potential.switch_on == 2.0);
    CHECK(c.neighbor.rebuild == Rebuild::on_displacement);
    CHECK(c.force.path == ForcePath::shoc);
    CHECK(c.force.precision == Precision::double_);
    CHECK(c.force.lanes == 8);
    CHECK(c.reorder.chunk_particles == 4096);
    CHECK(c.reorder.format == ChunkFormat::plain);
    CHECK(c.run.steps == 1000000);
    CHECK(c.run.walltime == 7200.0);
    REQUIRE(c.output.trajectory);
    CHECK(c.output.trajectory->fields.size() == 4);
    CHECK(c.output.trajectory->dtype == TrajectoryType::float64);
    REQUIRE(c.output.checkpoint);
    CHECK(c.output.checkpoint->wall_every == 900.0);
    REQUIRE(c.output.rdf);
    CHECK(c.output.rdf->bins == 100);
    CHECK(c.output.rdf->start == 500000);
    CHECK(c.output.overwrite);
    CHECK(c.device.type == DeviceType::cuda);
    CHECK(c.device.index == 1);
    CHECK(c.threads == 3);
}

TEST_CASE("the resolved text reads back to itself, whatever the config")
{
    std::string const odd_names = replace(
        input("potential: {pairs: [{species: [\"No way\", \"No way\"], epsilon: 1, sigma: 1}]}\n"),
        "  temperature", "  species: [{name: \"No way\", mass: 0.1}]\n  temperature");
    // A blank in a name is refused, so the quoting is tested on the path of a file.
    CHECK_THAT(faults(odd_names), Contains("has blanks"));
    Overrides const overrides = GENERATE(
        Overrides{}, Overrides{"system.temperature=0.1", "run.dt=1e-300"},
        Overrides{"system.temperature=4.9406564584124654e-324"},
        Overrides{"run.walltime=0.30000000000000004", "run.steps=9007199254740992"},
        Overrides{"output.thermo.every=7"},
        Overrides{"output.trajectory={file: \"a 'b' \\\"c\\\\d\", every: 3}"},
        Overrides{"output.checkpoint={file: \"null\", wall_every: 1d}", "device=cuda:7"},
        Overrides{"system.lattice=null", "system.file=true", "system.frame=4"},
        Overrides{"system.lattice=null", "system.random={count: 5e3, density: 0.3}",
                  "system.seed=18446744073709551615", "system.boundary=[open, open, open]"},
        Overrides{"system.species=[{name: No, fraction: 0.25}, {name: 1, fraction: 0.75}]",
                  "potential={mixing: waldman_hagler, truncation: switched, switch_on: 2, "
                  "pairs: [{species: [No, No], epsilon: 0.1, sigma: 0.7}, "
                  "{species: [1, 1], epsilon: 1, sigma: 1, cutoff: 2.1}]}"});
    Input const first = parse_input(input(), "in.yaml", overrides);
    Input const second = parse_input(first.resolved, "resolved", {});
    CHECK(second.resolved == first.resolved);
    CHECK(second.config.system.temperature == first.config.system.temperature);
    CHECK(second.config.run.dt == first.config.run.dt);
    CHECK(second.config.run.steps == first.config.run.steps);
    CHECK(second.config.run.walltime == first.config.run.walltime);
    if (first.config.output.trajectory)
    {
        CHECK(second.config.output.trajectory->file == first.config.output.trajectory->file);
    }
}

TEST_CASE("the inputs that come with the program are right")
{
    std::filesystem::path const folder = std::filesystem::path(TESSERA_SOURCE_DIR) / "inputs";
    int count = 0;
    for (auto const& entry : std::filesystem::directory_iterator(folder))
    {
        if (entry.path().extension() == ".yaml")
        {
            INFO(entry.path().string());
            CHECK_NOTHROW(load_input(entry.path(), {}));
            ++count;
        }
    }
    CHECK(count >= 5);
}

TEST_CASE("the report of an input gives counts, box, density, memory and cost")
{
    Config const config =
        parse_input(input(), "in.yaml",
                    {"system.species=[{name: A, fraction: 0.8}, {name: B, fraction: 0.2}]",
                     "potential={mixing: geometric, pairs: [{species: [A, A], epsilon: 1, sigma: "
                     "1}, {species: [B, B], epsilon: 1, sigma: 1}]}"})
            .config;
    std::vector<std::int64_t> const counts = initial_species_counts(config);
    CHECK(counts == std::vector<std::int64_t>{205, 51});
    std::string const report = report_input(config, {initial_box(config), counts});
    INFO(report);
    CHECK_THAT(report, Contains("# particles: 256\n#   A: 205\n#   B: 51\n"));
    // 4 (4 / 0.8442)^(1/3) = 6.718385 and 4/3 pi 2.5^3 0.8442 = 55.25, 77.6 with the skin.
    CHECK_THAT(report, Contains("[6.718385, 6.718385, 6.718385], [periodic, periodic, periodic]"));
    CHECK_THAT(report, Contains("# density: 0.8442\n") && Contains("# memory forecast: "));
    CHECK_THAT(report, Contains("55.3 within the cutoff 2.5, 77.6 with the skin"));
    // A comment behind the resolved input, which stays readable.
    CHECK_NOTHROW(parse_input(to_yaml(config) + report, "report", {}));
    CHECK(uniform_neighbors(100.0, 1.0, 256) == 255.0);
}

TEST_CASE("unknown keys name their place, the allowed keys and the nearest")
{
    std::string const misspelt = faults(input("potential:\n  cutof: 3.0\n"));
    CHECK_THAT(misspelt, Contains("in.yaml:6:3: potential.cutof: is not a key of 'potential'"));
    CHECK_THAT(misspelt, Contains("allowed: type, n, m, cutoff, truncation, switch_on, "
                                  "tail_correction, mixing, pairs; did"));
    CHECK_THAT(misspelt, Contains("did you mean 'cutoff'?"));
    CHECK_THAT(faults(input("dt: 0.1\n")), Contains("in.yaml:5:1: dt: ") && Contains("'run'"));
    CHECK_THAT(faults(input("neighbour: {skin: 0.1}\n")), Contains("did you mean 'neighbor'?"));
    CHECK_THAT(faults(input("force: {path:shoc}\n")), Contains("a colon and a space"));
    CHECK_THAT(faults(input("<<: {a: 1}\n")), Contains("merge keys"));
}

TEST_CASE("missing keys and wrong types say what is needed")
{
    CHECK_THAT(faults("run: {steps: 1}\n"), Contains("in.yaml:1:1: system: is missing"));
    CHECK_THAT(faults(replace(input(), "steps: 10", "dt: 0.1")),
               Contains("in.yaml:4:6: run.steps: is missing"));
    CHECK_THAT(faults(replace(input(), "type: fcc, ", "")),
               Contains("in.yaml:2:12: system.lattice.type: is missing"));
    CHECK_THAT(faults(replace(input(), "  temperature: 1.44\n", "")),
               Contains("system.temperature: is missing"));
    CHECK_THAT(faults(replace(input(), "1.44", "[1]")), Contains("has a list, but a number"));
    CHECK_THAT(faults(replace(input(), "1.44", "'1.44'")),
               Contains("in.yaml:3:16:") && Contains("leave the quotes out"));
    CHECK_THAT(faults(replace(input(), "1.44", "")), Contains("has no value"));
    CHECK_THAT(faults(replace(input(), "[4, 4, 4]", "[4, 4]")), Contains("x, y and z"));
    CHECK_THAT(faults(replace(input(), "{steps: 10}", "fast")), Contains("a map of keys"));
    CHECK_THAT(faults(input("output:\n")), Contains("output: has no value"));
    CHECK_THAT(faults("- a\n- b\n"), Contains("in.yaml:1:1:") && Contains("a map of keys"));
}

TEST_CASE("features of other versions are refused by name")
{
    CHECK_THAT(faults(input("ensemble: {type: langevin, temperature: 1, tau: 1}\n")),
               Contains("'langevin' is not available in this version; available: nve"));
    CHECK(lines(faults(input("ensemble: {type: npt, temperature: 1}\n"))) == 1);
    CHECK_THAT(faults(input("ensemble: {type: nve, tau: 1}\n")), Contains("ensemble.tau"));
    CHECK_THAT(faults(input(), {"system.boundary=[periodic, wall, open]"}),
               Contains("'wall' is not available in this version; available: periodic, open"));
    CHECK_THAT(faults(input("device: gpu\n")), Contains("allowed: auto, cpu, cuda, cuda:1"));
    CHECK_THAT(faults(input("force: {path: reorderd}\n")), Contains("did you mean 'reordered'?"));
}

TEST_CASE("lanes are a number or auto, and every bad one is refused with its place")
{
    CHECK_FALSE(parse_input(input(), "in.yaml", {}).config.force.lanes);
    CHECK_FALSE(parse_input(input("force: {lanes: auto}\n"), "in.yaml", {}).config.force.lanes);
    for (int const lanes : {1, 2, 4, 8, 16})
    {
        std::string const text = input("force: {lanes: " + std::to_string(lanes) + "}\n");
        Input const read = parse_input(text, "in.yaml", {});
        CHECK(read.config.force.lanes == lanes);
        CHECK(parse_input(read.resolved, "again", {}).config.force.lanes == lanes);
    }
    CHECK_THAT(faults(input("force: {lanes: 3}\n")),
               Contains("in.yaml:") && Contains("force.lanes: is 3;") && Contains("or auto"));
    for (std::string const bad : {"0", "-4", "32", "2.5", "many", "[4]"})
    {
        INFO(bad);
        CHECK(lines(faults(input("force: {lanes: " + bad + "}\n"))) == 1);
        CHECK_THAT(faults(input("force: {lanes: " + bad + "}\n")), Contains("force.lanes: "));
    }
    CHECK_THAT(faults(input("force: {lane: 4}\n")), Contains("did you mean 'lanes'?"));
}

TEST_CASE("exactly one start")
{
    CHECK_THAT(faults(input(), {"system.lattice=null"}), Contains("exactly one"));
    CHECK_THAT(faults(input(), {"system.file=a.h5"}), Contains("stands beside lattice"));
    CHECK_THAT(faults(input(), {"system.frame=1"}), Contains("without file"));
    CHECK_THAT(faults(input(), {"system.lattice=null", "system.file=a.h5", "system.frame=first"}),
               Contains("system.frame"));
    Config const config =
        parse_input(input(), "in.yaml",
                    {"system.lattice=null", "system.file=a.h5", "system.temperature=null"})
            .config;
    CHECK(std::get<FileConfig>(config.system.start).path == "a.h5");
    CHECK_FALSE(std::get<FileConfig>(config.system.start).frame);
    CHECK_FALSE(config.system.temperature);
}

TEST_CASE("everything wrong is reported at once, in the order of the text")
{
    std::string const text = replace(input("potential: {cutoff: 4.0}\nneighbor: {skim: 1}\n"),
                                     "{steps: 10}", "{steps: -1, dt: 0, walltime: x}");
    std::string const message = faults(text);
    INFO(message);
    CHECK(lines(message) == 7);
    CHECK_THAT(message, Contains("needs at least 8") && Contains("along x") && Contains("along z"));
    CHECK(message.find("run.steps") < message.find("run.dt"));
    CHECK(message.find("run.dt") < message.find("run.walltime"));
    CHECK(message.find("run.walltime") < message.find("neighbor.skim"));
}

TEST_CASE("a value that cannot be read brings no second fault about its default")
{
    CHECK(lines(faults(replace(input(), "0.8442", "abc"))) == 1);
    CHECK(lines(faults(replace(input(), "1.44", "abc"))) == 1);
    CHECK(lines(faults(input(), {"system.species=[{name: A}, {name: B}]",
                                 "potential={mixing: geometrical, pairs: [{species: [A, A], "
                                 "epsilon: 1, sigma: 1}, {species: [B, B], epsilon: 1, sigma: "
                                 "1}]}"})) == 1);
}

TEST_CASE("overrides set, add, index and remove")
{
    std::string const text = input("potential: {pairs: [{species: [A, A], epsilon: 1, sigma: 1}]}");
    Config const config =
        parse_input(text, "in.yaml",
                    {"potential.pairs.0.epsilon=0.5", "system.lattice.cells.2=6",
                     "output.thermo.file=t.csv", "run.steps=5", "run.steps=6", "device=cpu"})
            .config;
    CHECK(config.potential.pairs[0].epsilon == 0.5);
    CHECK(std::get<LatticeConfig>(config.system.start).cells.z == 6);
    CHECK(config.output.thermo->file == "t.csv");
    CHECK(config.run.steps == 6);
    CHECK_THAT(faults(text, {"run.stepps=5"}),
               Contains("--set run.stepps=5: run.stepps: is not a key") &&
                   Contains("did you mean 'steps'?"));
    CHECK_THAT(faults(text, {"run.steps"}), Contains("--set run.steps: is not of the form"));
    CHECK_THAT(faults(text, {"=5"}), Contains("is not of the form"));
    CHECK_THAT(faults(text, {"run..dt=5"}), Contains("is not of the form"));
    CHECK_THAT(faults(text, {"run.steps="}), Contains("has no value"));
    CHECK_THAT(faults(text, {"run.steps.a=1"}), Contains("is a single value"));
    CHECK_THAT(faults(text, {"potential.pairs.7.sigma=1"}), Contains("is a list of 1"));
    CHECK_THAT(faults(text, {"output.rdf=null"}), Contains("nothing to remove"));
    CHECK_THAT(faults(text, {"run.steps=[1"}), Contains("--set run.steps=[1: "));
    CHECK_THAT(faults(text, {"run.dt=-1"}), Contains("--set run.dt=-1: run.dt: is -1"));
}

TEST_CASE("files that cannot be read say so")
{
    CHECK_THROWS_WITH(load_input("no/such/file.yaml", {}),
                      Contains("no/such/file.yaml") && Contains("No such file"));
    CHECK_THROWS_WITH(load_input(std::filesystem::temp_directory_path(), {}),
                      Contains("it is a folder"));
}

TEST_CASE("the key list that hints come from is the keys that are read")
{
    for (std::string_view const path : input_keys())
    {
        std::string const key{path.substr(path.rfind('.') + 1)};
        INFO(path);
        CHECK_FALSE(section_of_key(key, input_keys()).empty());
        std::string setting{path};
        for (char const* list : {"system.species.", "potential.pairs."})
        {
            if (setting.starts_with(list))
            {
                setting.insert(std::string(list).size(), "0.");
            }
        }
        // A value of no type: the key must be known, the value refused.
        CHECK_THAT(faults(input("potential: {pairs: [{}]}"),
                          {"system.species=[{name: A}]", setting + "={a: 1}"}),
                   !Contains("is not a key of 'system") && !Contains("is not a key of 'run") &&
                       !Contains(setting + ": is not a key"));
    }
}

TEST_CASE("the reference beside the inputs is that of the keys, each with a type and a meaning")
{
    std::filesystem::path const path =
        std::filesystem::path(TESSERA_SOURCE_DIR) / "inputs" / "README.md";
    std::ifstream file(path);
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    // after a change: build/tessera keys >> inputs/README.md, in place of what is below its heading
    CHECK_THAT(text, Contains(key_reference("")));
    for (std::string const& key : input_keys())
    {
        INFO(key);
        std::string const line = key_reference(key);
        CHECK(lines(line) == 2);
        CHECK_THAT(line, Contains("- `" + key + "`: ") && Contains(". ") &&
                             !Contains("default: ;") && !Contains("default: ."));
    }
    CHECK(key_reference("output.rdf").find("output.thermo") == std::string::npos);
    CHECK_THAT(key_reference("run.dt"), Contains("number [tau], above 0; default: 0.005. "));
    CHECK_THAT(key_reference("output.thermo.file"), Contains("default: the table on the screen"));
    CHECK_THAT(message_of<ConfigError>([] { key_reference("output.rfd"); }),
               Contains("did you mean 'output.rdf'?"));
}
