#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>

#include "engine/backend/backend.hpp"
#include "engine/backend/stage_timer.hpp"

namespace tessera
{

/// What `automatic` takes: the fastest of `paths` in lists and forces of one step, the best of a
/// few `trial`s after prepare(path). Says the timings.
template <class Prepare, class Trial>
ForcePath choose_path(std::initializer_list<ForcePath> paths, int trials, Prepare const& prepare,
                      Trial const& trial, Notify const& notify)
{
    auto const name = [](ForcePath path) {
        return path == ForcePath::reordered ? "reordered"
               : path == ForcePath::gather  ? "gather"
                                            : "shoc";
    };
    std::string timings;
    double best = std::numeric_limits<double>::max();
    ForcePath chosen = ForcePath::gather;
    for (ForcePath const path : paths)
    {
        prepare(path);
        double fastest = std::numeric_limits<double>::max();
        for (int n = 0; n < trials; ++n)
        {
            double seconds = 0.0;
            {
                StageTimer const timer(seconds);
                trial();
            }
            fastest = std::min(fastest, seconds);
        }
        timings +=
            fmt::format("{}{} {:.3g} ms", timings.empty() ? "" : ", ", name(path), 1e3 * fastest);
        if (fastest < best)
        {
            best = fastest;
            chosen = path;
        }
    }
    notify(fmt::format("path auto: {} is the fastest here (lists and forces of one step: {})",
                       name(chosen), timings));
    return chosen;
}

}  // namespace tessera
