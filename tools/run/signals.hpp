#pragma once
/// Requests to stop, as schedulers, terminals and people send them.

namespace tessera
{

/// From now on writing to a closed pipe, or past a file-size limit, fails with a message instead of
/// killing the process.
void let_writes_fail();

/// From now on HUP, INT, TERM, USR1, USR2 and XCPU are requests to stop. One that was ignored when
/// the process was started stays ignored: nohup, and INT behind a shell's `&`.
///
/// A second signal ends the process at once, by that signal. Not so within a tenth of a second of
/// the first: timeout(1), service managers and terminals say the same thing twice. Nor by XCPU,
/// which the kernel repeats for every second of processor time from the limit on.
///
/// To be called when steps begin. Before, while files are read, a signal ends the process as ever.
void watch_stop_signals();

/// Whether a watched signal has come.
bool stop_requested();

/// The name of the signal that asked to stop, such as SIGTERM; nullptr if none has come.
char const* stop_signal_name();

}  // namespace tessera
