#pragma once

#include <cstddef>
#include <filesystem>

namespace tessera::fuzz
{

/// Whether an input leaves species and boundaries to its start file, or names them too.
enum class Says
{
    little,
    much
};

/// Inputs that start from the file at `path`.
class StartInputs
{
public:
    explicit StartInputs(std::filesystem::path const& path);

    /// Reads the file and makes the start of a run, whose state must be sound, or refuses it.
    void start(Says says, std::size_t file_size) const;

private:
    std::filesystem::path little_, much_;
};

}  // namespace tessera::fuzz
