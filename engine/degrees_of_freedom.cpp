#include "engine/observables.hpp"

namespace tessera
{

std::int64_t degrees_of_freedom(std::int64_t particle_count)
{
    return particle_count > 1 ? 3 * particle_count - 3 : 3 * particle_count;
}

}  // namespace tessera
