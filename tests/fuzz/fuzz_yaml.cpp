/// An input file: any text is refused with its faults, or read, judged and sized as `validate`
/// does; what is printed of it reads back to the same.

#include <variant>

#include "engine/start/initial.hpp"
#include "io/input/input.hpp"
#include "io/input/report.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    constexpr std::int64_t particles_made = 2000;
    Input input;
    bool const read = fuzz::succeeds(
        size, [&] { input = parse_input(fuzz::text_of(data, size), "in.yaml", {}); });
    if (!read)
    {
        return 0;
    }
    Input again;
    fuzz::require(
        fuzz::succeeds(size, [&] { again = parse_input(input.resolved, "in.yaml", {}); }) &&
            again.resolved == input.resolved,
        "a resolved input reads back to itself");
    if (std::holds_alternative<FileConfig>(input.config.system.start))
    {
        return 0;
    }
    fuzz::succeeds(size, [&] {
        InputSize const counts{initial_box(input.config), initial_species_counts(input.config)};
        report_input(input.config, counts);
        if (initial_particle_count(input.config) <= particles_made)
        {
            fuzz::require_sound(make_initial_state(input.config));
        }
    });
    return 0;
}
