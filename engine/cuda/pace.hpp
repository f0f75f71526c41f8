#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tessera
{

/// How many steps are queued at once. Only a guess, the gates hold whatever happens: too few cost a
/// wait each, too many cost empty kernels.
class CudaPace
{
public:
    static constexpr std::int64_t longest_batch = 64;
    static constexpr std::int64_t replay_steps = 48;

    /// `host_free`: lists are built on the device, pointers never change, and steps can be
    /// replayed.
    void set(double skin, bool host_free)
    {
        skin_ = skin;
        host_free_ = host_free;
    }

    /// Of `left` steps, which are not begun. The first step of all has its own kicks; then whole
    /// replays.
    std::int64_t batch_length(std::int64_t left, bool first) const
    {
        if (host_free_)
        {
            return first ? std::min<std::int64_t>(left, 1) : std::min(left, replay_steps);
        }
        return std::min(
            {skin_ > 0.0 ? predicted_steps() : longest_batch - 1, left, longest_batch - 1});
    }
    bool replays(std::int64_t steps) const
    {
        return host_free_ && steps == replay_steps;
    }

    /// Lists are built where particles are.
    void restart()
    {
        since_build_ = 0;
    }
    /// So many steps more moved a particle so far, by the bits of its squared displacement.
    void count(std::int64_t steps, std::uint32_t displacement_sq)
    {
        since_build_ += steps;
        moved_ = std::sqrt(std::bit_cast<float>(displacement_sq));
        if (since_build_ > 0)
        {
            moved_a_step_ = moved_ / static_cast<double>(since_build_);
        }
    }
    /// Lists are going to be built where particles are.
    void expect_build()
    {
        moved_ = 0.0;
    }

private:
    /// Until a particle has probably moved half a skin.
    std::int64_t predicted_steps() const
    {
        if (moved_a_step_ <= 0.0)
        {
            return 4;
        }
        auto const steps = static_cast<std::int64_t>((0.5 * skin_ - moved_) / moved_a_step_);
        return std::max<std::int64_t>(steps + 1, 1);
    }

    double skin_ = 0.0;
    bool host_free_ = false;
    std::int64_t since_build_ = 0;
    double moved_ = 0.0, moved_a_step_ = 0.0;  // furthest since the build, and its growth [sigma]
};

}  // namespace tessera
