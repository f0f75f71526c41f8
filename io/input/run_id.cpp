#include "io/input/run_id.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "io/input/input.hpp"

namespace tessera
{

namespace
{

class Hash
{
public:
    Hash() : state_(XXH3_createState(), XXH3_freeState)
    {
        XXH3_128bits_reset(state_.get());
    }
    void add(void const* bytes, std::size_t size)
    {
        XXH3_128bits_update(state_.get(), bytes, size);
    }
    /// The length too, so that what one array has more the next cannot have less.
    template <class T>
    void add(std::vector<T> const& values)
    {
        std::uint64_t const count = values.size();
        add(&count, sizeof count);
        add(values.data(), values.size() * sizeof(T));
    }
    void add(std::string_view text)
    {
        std::uint64_t const count = text.size();
        add(&count, sizeof count);
        add(text.data(), text.size());
    }
    std::string digits() const
    {
        XXH128_hash_t const hash = XXH3_128bits_digest(state_.get());
        return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
    }

private:
    std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

/// The input with what may change in a resumed run left at its default.
Config lasting_part(Config const& config)
{
    Config lasting;
    lasting.system = config.system;
    lasting.potential = config.potential;
    lasting.ensemble = config.ensemble;
    lasting.run.dt = config.run.dt;
    return lasting;
}

}  // namespace

std::string make_run_id(Config const& config, State const& start)
{
    static_assert(sizeof(Vec3<double>) == 3 * sizeof(double));
    Hash hash;
    hash.add(to_yaml(lasting_part(config)));
    Vec3<double> const edges = start.box.edges;
    hash.add(std::vector<double>{edges.x, edges.y, edges.z});
    for (int axis = 0; axis < 3; ++axis)
    {
        hash.add(start.box.periodic(axis) ? "periodic" : "open");
    }
    for (std::string const& name : start.species_names)
    {
        hash.add(name);
    }
    hash.add(start.species_mass);
    hash.add(start.id);
    hash.add(start.species);
    hash.add(start.position);
    hash.add(start.image);
    hash.add(start.velocity);
    return hash.digits();
}

}  // namespace tessera
