#include "tests/fuzz/start_input.hpp"

#include <string>

#include "engine/start/start_check.hpp"
#include "io/input/input.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tools/run/start_state.hpp"

namespace tessera::fuzz
{

namespace
{

constexpr char rest[] = R"(
potential: {cutoff: 1.5, mixing: geometric, pairs: [
  {species: [A, A], epsilon: 1, sigma: 1}, {species: [B, B], epsilon: 1, sigma: 0.8}]}
run: {steps: 1}
)";

}  // namespace

StartInputs::StartInputs(std::filesystem::path const& path)
    : little_(scratch("little.yaml")), much_(scratch("much.yaml"))
{
    std::string const file = "system:\n  file: " + path.string();
    write_file(little_, file + rest);
    write_file(much_, file +
                          "\n  species: [{name: A}, {name: B, mass: 2}]"
                          "\n  boundary: [periodic, periodic, open]\n  temperature: 0.5" +
                          rest);
}

void StartInputs::start(Says says, std::size_t file_size) const
{
    succeeds(file_size, [&] {
        Input input = load_input(says == Says::little ? little_ : much_, {});
        State const state = make_start(input);
        require_sound(state);
        refuse_unfit_start(input.config, state);
    });
}

}  // namespace tessera::fuzz
