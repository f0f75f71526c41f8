#include "io/files/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera
{

namespace
{

bool on_terminal()
{
    static bool const terminal = isatty(STDOUT_FILENO) != 0;
    return terminal;
}

constexpr char const* clear_line = "\r\x1b[K";

}  // namespace

std::string progress_text(Progress const& progress, std::int64_t particle_count)
{
    std::string text = fmt::format("step {} of {}", progress.step, progress.last_step);
    if (progress.steps_done <= 0 || progress.seconds <= 0.0)
    {
        return text;
    }
    double const rate = static_cast<double>(progress.steps_done) / progress.seconds;
    double const remaining =
        static_cast<double>(std::max<std::int64_t>(progress.last_step - progress.step, 0));
    // beyond what a clock shows the number only has to stay an integer
    auto const left = static_cast<std::int64_t>(std::min(std::ceil(remaining / rate), 1e15));
    return text + fmt::format(", {:.4g} steps/s, {:.3g} particle-steps/s, {}:{:02}:{:02} left",
                              rate, rate * static_cast<double>(particle_count), left / 3600,
                              left / 60 % 60, left % 60);
}

ProgressLine::ProgressLine(std::int64_t particle_count) : particle_count_(particle_count)
{
}

ProgressLine::~ProgressLine()
{
    clear_progress_line();
}

void ProgressLine::update(Progress const& progress) const
{
    if (on_terminal())
    {
        std::fputs((clear_line + progress_text(progress, particle_count_)).c_str(), stdout);
        std::fflush(stdout);
    }
}

void clear_progress_line()
{
    if (on_terminal())
    {
        std::fputs(clear_line, stdout);
        std::fflush(stdout);
    }
}

}  // namespace tessera
