#pragma once
/// stdin, stdout and stderr of a program that also writes files.

#include <string>
#include <string_view>

namespace tessera
{

/// Opens those of the descriptors 0, 1 and 2 that are closed: a file of the run would get one of
/// them, and with it what the program prints. Reading and writing there fail as before. First thing
/// in main().
void open_standard_streams();

/// Writes to stdout at once. After a write that failed nothing more is written.
/// False if this or an earlier write failed.
bool print_out(std::string_view text);

/// Writes "tessera: MESSAGE", as printable_lines() shows it, and a line end to stderr, where no
/// progress line stands in its way.
void say(std::string_view message);

/// Which of stdout and stderr failed, and why; empty if all that was to be printed has been. What
/// waits is printed first.
std::string stream_fault();

}  // namespace tessera
