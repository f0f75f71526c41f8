/// What may not be written as a result, on the GPU: the cases that the CPU has. Exits 77 (skipped)
/// where there is no GPU.

#include "tests/support/cuda_runs.hpp"
#include "tests/support/unsound_cases.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("coincident particles are found on every path, and both are named")
{
    coincident_particles_are_found(on_gpu);
}

TEST_CASE("ids name particles, however large they are")
{
    ids_name_particles(on_gpu);
}

TEST_CASE("particles without an interaction may be at one place")
{
    free_particles_may_coincide(on_gpu);
}

TEST_CASE("one rule says how far a particle may move, along periodic and open axes")
{
    one_rule_for_runaways(on_gpu);
}

TEST_CASE("image counts that are full stop the run")
{
    images_do_not_overflow(on_gpu);
}

TEST_CASE("particles at one place at the start are found in small and large systems")
{
    for (int const cells : {8, 13})
    {
        Config const config = lennard_jones_config();
        State together = liquid(config, cells);
        together.position[7] = together.position[8];
        auto const backend = loaded(config, together);
        CHECK(backend->find_unsound() == 8);
        std::string const message = message_of<RunError>([&] { backend->advance(5); });
        CHECK(mentions(message, "step 1: particle 8"));
        CHECK(mentions(message, "particle 9 is at its place"));
    }
}
