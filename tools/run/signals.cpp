#include "tools/run/signals.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace tessera
{
namespace
{

struct StopSignal
{
    int number;
    char const* name;
};

constexpr std::array stop_signals = {
    StopSignal{SIGHUP, "SIGHUP"},   StopSignal{SIGINT, "SIGINT"},   StopSignal{SIGTERM, "SIGTERM"},
    StopSignal{SIGUSR1, "SIGUSR1"}, StopSignal{SIGUSR2, "SIGUSR2"}, StopSignal{SIGXCPU, "SIGXCPU"}};

constexpr std::int64_t same_request_nanoseconds = 100'000'000;

// Lock-free: the handler may run in two threads at a time.
std::atomic<int> stop_signal = 0;
std::atomic<std::int64_t> stop_time = 0;  // [ns], 0 until it is known

std::int64_t now()
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

/// Calls only what may be called in a signal handler.
void request_stop(int signal)
{
    int none = 0;
    if (stop_signal.compare_exchange_strong(none, signal))
    {
        stop_time = now();
        return;
    }
    std::int64_t const first = stop_time;
    if (signal != SIGXCPU && first != 0 && now() - first >= same_request_nanoseconds)
    {
        // Blocked in here, it ends the process when the handler returns.
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
}

}  // namespace

void let_writes_fail()
{
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
}

void watch_stop_signals()
{
    struct sigaction action = {};
    action.sa_handler = request_stop;
    // Slow system calls go on where they were: files are still to be written.
    action.sa_flags = SA_RESTART;
    for (StopSignal const& watched : stop_signals)
    {
        sigaddset(&action.sa_mask, watched.number);
    }
    for (StopSignal const& watched : stop_signals)
    {
        struct sigaction present = {};
        sigaction(watched.number, nullptr, &present);
        if (present.sa_handler != SIG_IGN)
        {
            sigaction(watched.number, &action, nullptr);
        }
    }
}

bool stop_requested()
{
    return stop_signal != 0;
}

char const* stop_signal_name()
{
    for (StopSignal const& watched : stop_signals)
    {
        if (watched.number == stop_signal)
        {
            return watched.name;
        }
    }
    return nullptr;
}

}  // namespace tessera
