#pragma once

#include <string>
#include <string_view>

namespace tessera
{

/// What `action` throws as `Error`; empty if it does not throw.
template <class Error, class Action>
std::string message_of(Action const& action)
{
    try
    {
        action();
    }
    catch (Error const& error)
    {
        return error.what();
    }
    return {};
}

/// Whether a message holds `word`.
inline bool mentions(std::string const& message, std::string_view word)
{
    return message.find(word) != std::string::npos;
}

}  // namespace tessera
