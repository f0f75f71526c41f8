/// Every path, precision, format and list mode against the brute-force reference.

#include <string>

#include "tests/support/device_runs.hpp"
#include "tests/support/force_check.hpp"
#include "tests/support/precise_systems.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("every path, precision and list mode equals brute force on hard geometries")
{
    for (System const& system : hard_systems())
    {
        check_variants(on_device, system);
    }
}

TEST_CASE("every truncation equals brute force on every path")
{
    Truncation const truncation =
        GENERATE(Truncation::shifted, Truncation::force_shifted, Truncation::switched);
    auto const systems = hard_systems(truncation);
    check_variants(on_device, systems[0]);
    check_variants(on_device, systems[1]);
}

TEST_CASE("mie potentials equal brute force on every path, alone and mixed")
{
    for (auto const& [n, m] : {std::pair{14.0, 6.0}, std::pair{9.5, 5.0}})
    {
        auto systems = hard_systems(Truncation::force_shifted);
        for (std::size_t const which : {0, 1})
        {
            PotentialConfig& potential = systems[which].config.potential;
            potential.type = PotentialType::mie;
            potential.n = n;
            potential.m = m;
            check_variants(on_device, systems[which]);
        }
    }
}

TEST_CASE("forces near a far particle, far out and in a long box are as right as anywhere")
{
    for (System const& system : far_systems())
    {
        check_variants(on_device, system);
    }
}
