#pragma once

#include <cstdint>
#include <string>

#include "engine/simulation.hpp"

namespace tessera
{

/// "step 1200 of 10000, 345 steps/s, 1.38e+06 particle-steps/s, 0:00:26 left"; rates are those of
/// this process.
std::string progress_text(Progress const& progress, std::int64_t particle_count);

/// One line on stdout that is written over and over; silent unless stdout is a terminal.
class ProgressLine
{
public:
    explicit ProgressLine(std::int64_t particle_count);
    /// Removes the line.
    ~ProgressLine();
    ProgressLine(ProgressLine const&) = delete;
    ProgressLine& operator=(ProgressLine const&) = delete;

    void update(Progress const& progress) const;

private:
    std::int64_t particle_count_;
};

/// Makes room for other output where a progress line may stand: has no effect unless stdout is a
/// terminal.
void clear_progress_line();

}  // namespace tessera
