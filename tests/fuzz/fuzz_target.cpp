#include "tests/fuzz/fuzz_target.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "engine/config/errors.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tessera::fuzz
{

namespace
{

/// An input of many faults repeats its keys in each message.
constexpr std::size_t message_bytes = 16384;
constexpr std::size_t message_bytes_per_input_byte = 512;

void require_message(std::string_view message, std::size_t input_size)
{
    require(!message.empty(), "an error has a message");
    require(message.size() <= message_bytes + message_bytes_per_input_byte * input_size,
            "a message is no longer than its input accounts for");
}

}  // namespace

bool succeeds(std::size_t input_size, std::function<void()> const& action)
{
    try
    {
        action();
        return true;
    }
    catch (ConfigError const& error)
    {
        require_message(error.what(), input_size);
    }
    catch (IoError const& error)
    {
        require_message(error.what(), input_size);
    }
    catch (RunError const& error)
    {
        require_message(error.what(), input_size);
    }
    return false;
}

void require(bool holds, char const* rule)
{
    if (!holds)
    {
        // the stream may be what the verbs are silenced with
        ::dprintf(STDERR_FILENO, "broken rule: %s\n", rule);
        std::abort();
    }
}

void require_sound(State const& state)
{
    std::size_t const count = state.position.size();
    require(count > 0 && state.id.size() == count && state.species.size() == count &&
                state.image.size() == count && state.velocity.size() == count &&
                state.force.size() == count,
            "every array holds every particle");
    require(state.species_names.size() == state.species_mass.size(), "every species has a mass");
    for (std::size_t particle = 0; particle < count; ++particle)
    {
        auto const species = state.species[particle];
        require(species >= 0 && static_cast<std::size_t>(species) < state.species_names.size(),
                "every particle is of a named species");
        require(particle == 0 || state.id[particle - 1] < state.id[particle], "ids ascend");
        for (int axis = 0; axis < 3; ++axis)
        {
            double const position = state.position[particle][axis];
            require(std::isfinite(position) && std::isfinite(state.velocity[particle][axis]),
                    "positions and velocities are finite");
            require(
                !state.box.periodic(axis) || (position >= 0.0 && position < state.box.edges[axis]),
                "positions are wrapped along periodic axes");
        }
    }
}

std::filesystem::path scratch(std::string const& name)
{
    static TemporaryDirectory const folder;
    return folder / name;
}

void write_file(std::filesystem::path const& path, std::string_view bytes)
{
    int const file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(file >= 0, "a scratch file can be made");
    require(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "a scratch file can be written");
    ::close(file);
}

std::string read_file(std::filesystem::path const& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace tessera::fuzz
