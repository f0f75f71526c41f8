#pragma once
/// The problem of SHOC's molecular dynamics benchmark, made the way SHOC makes it.

#include <cstdint>
#include <vector>

#include "kernels/shoc/shoc.hpp"

namespace tessera
{

/// How atoms lie in memory.
enum class AtomOrder : std::uint8_t
{
    random,  ///< as drawn, SHOC's own
    sorted   ///< along a Morton curve through the cube
};

/// Atoms, their lists and what the counts of the benchmark need.
template <class T>
struct ShocProblem
{
    std::vector<ShocPosition<T>> position;  ///< [atom]
    std::vector<std::int32_t> list;         ///< [slot][atom]
    std::int64_t pairs_within = 0;          ///< list entries within the cutoff
    double closest = 0.0;                   ///< distance of the closest two atoms [sigma]
    double farthest = 0.0;                  ///< distance of the farthest list entry [sigma]

    std::int64_t count() const
    {
        return static_cast<std::int64_t>(position.size());
    }
    ShocView<T> view() const
    {
        return {position.data(), list.data(), count()};
    }
};

inline constexpr std::int64_t shoc_seed = 8650341;

/// Draws `count` atoms uniformly in the cube by drand48's 48-bit congruence seeded as srand48 does
/// (x, y, z in turn, each rounded to T) and lists, for each, the 128 nearest others by ascending
/// distance, equal ones by index. Throws std::invalid_argument for fewer than 129 atoms.
template <class T>
ShocProblem<T> make_shoc_problem(std::int64_t count, AtomOrder order,
                                 std::int64_t seed = shoc_seed);

/// The atoms along a Morton curve: order[place] is the atom; equal codes stay in order.
template <class T>
std::vector<std::int32_t> morton_order(std::vector<ShocPosition<T>> const& position);

/// SHOC's forces in double, from the positions as they are in T.
template <class T>
std::vector<Vec3<double>> shoc_reference(ShocProblem<T> const& problem);

/// SHOC's tiled list (kernels/shoc/shoc.hpp), owned. An empty `order` means the atoms' own.
std::vector<std::int32_t> make_tiled_list(std::vector<std::int32_t> const& list, std::int64_t count,
                                          std::vector<std::int32_t> const& order, int lanes);

/// How forces differ from the reference.
struct ForceError
{
    double relative = 0.0;  ///< ||f - reference|| / ||reference||, over all atoms together
    double median = 0.0;    ///< of |f - reference| / |reference|, atom by atom
    double largest = 0.0;   ///< of the same
};

/// Not-a-number anywhere gives not-a-number in `relative` and infinity in `largest`.
template <class T>
ForceError force_error(std::vector<Vec3<T>> const& force,
                       std::vector<Vec3<double>> const& reference);

}  // namespace tessera
