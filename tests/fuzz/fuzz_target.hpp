#pragma once
/// What the fuzz targets share: the errors that a file may lead to, and where files are put.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "engine/state/state.hpp"

namespace tessera::fuzz
{

/// Whether `action` ends well, or with an error of the project's own (ConfigError, IoError,
/// RunError) whose message can be shown: not empty, and of a length that the input's size bounds.
/// Every other exception leaves through here and ends the fuzzer.
bool succeeds(std::size_t input_size, std::function<void()> const& action);

/// Ends the fuzzer unless `holds`, saying which rule is broken.
void require(bool holds, char const* rule);

/// Ends the fuzzer unless every array has the state's number of particles, species are named, ids
/// ascend and numbers are finite, wrapped along periodic axes.
void require_sound(State const& state);

/// A file of this process in the folder for temporary files; a path of a fixed length, so that a
/// file which holds its own name is the same file in each process.
std::filesystem::path scratch(std::string const& name);

/// Makes or replaces the file.
void write_file(std::filesystem::path const& path, std::string_view bytes);
std::string read_file(std::filesystem::path const& path);

inline std::string_view text_of(std::uint8_t const* data, std::size_t size)
{
    return {reinterpret_cast<char const*>(data), size};
}

}  // namespace tessera::fuzz
