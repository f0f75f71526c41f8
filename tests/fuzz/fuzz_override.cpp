/// The --set assignments of a command line, one a line of the input, over an input that is right.

#include <string>
#include <vector>

#include "io/input/input.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;

namespace
{

constexpr char base[] = R"(system:
  lattice: {type: fcc, cells: [4, 4, 4], density: 0.8442}
  species: [{name: A, mass: 1.0, fraction: 0.75}, {name: B, mass: 2.0, fraction: 0.25}]
  temperature: 1.44
potential:
  cutoff: 2.5
  mixing: lorentz_berthelot
  pairs: [{species: [A, A], epsilon: 1, sigma: 1}, {species: [B, B], epsilon: 0.5, sigma: 0.9}]
run: {steps: 10}
output:
  trajectory: {file: t.h5, every: 10, fields: [position, velocity]}
  thermo: {file: t.csv, every: 5}
)";
constexpr std::size_t most_overrides = 8;

std::vector<std::string> lines_of(std::string_view text)
{
    std::vector<std::string> lines;
    for (std::size_t first = 0; first <= text.size() && lines.size() < most_overrides;)
    {
        std::size_t const end = std::min(text.find('\n', first), text.size());
        // an argument of a program ends at its first NUL
        std::string const line(text.substr(first, end - first));
        lines.emplace_back(line.c_str());
        first = end + 1;
    }
    return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    Input input;
    bool const read = fuzz::succeeds(
        size, [&] { input = parse_input(base, "in.yaml", lines_of(fuzz::text_of(data, size))); });
    if (read)
    {
        fuzz::require(parse_input(input.resolved, "in.yaml", {}).resolved == input.resolved,
                      "a resolved input reads back to itself");
    }
    return 0;
}
