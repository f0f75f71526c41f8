#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "engine/state/observables.hpp"

namespace tessera
{

/// Calls `use` with the rows of a thermo file up to `last_step`, in order: what the columns of a
/// run whose samples have `quantities` hold, to the bit. The file is one that ThermoLog::check()
/// found right. Throws IoError if it cannot be read.
void for_each_thermo_row(std::filesystem::path const& path, std::int64_t last_step,
                         Observables const& quantities,
                         std::function<void(Observables const&)> const& use);

}  // namespace tessera
