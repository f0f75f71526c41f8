#pragma once

#include <filesystem>
#include <string_view>

namespace tessera
{

/// Throws IoError "cannot ACTION PATH: REASON. REMEDY" from errno: call it first after the system
/// call that failed.
[[noreturn]] void fail_with_errno(std::string_view action, std::filesystem::path const& path);

/// What a user can do about a reason as the system words it: full disk, permissions, locks, paths.
/// Starts with a blank; empty if there is nothing to say.
std::string_view remedy_for(std::string_view reason);

}  // namespace tessera
