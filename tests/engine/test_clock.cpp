/// Steps and their times: exact, or refused.

#include "engine/state/clock.hpp"

#include <limits>

#include "engine/config/errors.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/support.hpp"

using namespace tessera;

TEST_CASE("steps and times are counted exactly, or refused")
{
    State start;
    constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
    CHECK(last_step_after(start, most_steps, 0.005) == 9007199254740992);
    start.step = 7;
    CHECK(last_step_after(start, 10, 0.005) == 17);
    for (std::int64_t const steps : {longest, longest - 7, most_steps - 6})
    {
        CHECK(mentions(message_of<ConfigError>([&] { last_step_after(start, steps, 0.005); }),
                       "9007199254740992"));
    }
    start.step = -1;
    CHECK_THROWS_AS(last_step_after(start, 1, 0.005), ConfigError);
    start.step = 0;
    for (double const dt : {1e300, 1e308})
    {
        CHECK_THROWS_AS(last_step_after(start, most_steps, dt), ConfigError);
    }
    // A clock at 1000 does not see steps below half its last digit.
    start.time = 1000.0;
    CHECK_THROWS_AS(last_step_after(start, 1000, 1e-14), ConfigError);
    CHECK_THROWS_AS(last_step_after(start, 1000, 5e-324), ConfigError);
    CHECK(last_step_after(start, 1000, 1e-9) == 1000);
    start.time = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(last_step_after(start, 1, 0.005), ConfigError);

    CHECK(Clock(0, 0.0, 5e-324).time(1) == 5e-324);
    CHECK(Clock(3, 1e300, 1e-300).time(3) == 1e300);
    CHECK(Clock(200, 1.0, 0.005).time(most_steps) == 0.005 * static_cast<double>(most_steps));
}
