#pragma once

#include <chrono>

namespace tessera
{

/// Adds the wall seconds between its construction and destruction to a stage's total.
class StageTimer
{
public:
    explicit StageTimer(double& seconds)
        : seconds_(seconds), start_(std::chrono::steady_clock::now())
    {
    }
    StageTimer(StageTimer const&) = delete;
    StageTimer& operator=(StageTimer const&) = delete;
    ~StageTimer()
    {
        seconds_ +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    double& seconds_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace tessera
