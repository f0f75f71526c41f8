/// A start file in text: extended XYZ or LAMMPS data, as START_EXTENSION says (.xyz, .data), read,
/// completed and checked for overlaps as `run` does.

#include "engine/start_check.hpp"
#include "io/yaml.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;

namespace
{

Config config_of(std::filesystem::path const& path)
{
    std::string const text = "system:\n  file: " + path.string() +
                             "\n"
                             "  species: [{name: A}, {name: B, mass: 2.0}]\n"
                             "  boundary: [periodic, periodic, open]\n"
                             "potential: {cutoff: 1.5, mixing: geometric, pairs: [\n"
                             "  {species: [A, A], epsilon: 1, sigma: 1},\n"
                             "  {species: [B, B], epsilon: 1, sigma: 0.5}]}\n"
                             "run: {steps: 1}\n";
    return parse_input(text, "in.yaml", {}).config;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    static std::filesystem::path const path = fuzz::scratch("start" START_EXTENSION);
    static Config const config = config_of(path);
    fuzz::write_file(path, fuzz::text_of(data, size));
    fuzz::succeeds(size, [&] {
        State const state = make_start(config);
        fuzz::require_sound(state);
        refuse_unfit_start(config, state);
    });
    return 0;
}
