#include "tools/bench/shoc_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace tessera
{
namespace
{

/// POSIX drand48: X' = 0x5DEECE66D X + 11 mod 2^48, seeded as srand48 does.
class Drand48
{
public:
    explicit Drand48(std::int64_t seed)
        : state_(((static_cast<std::uint64_t>(seed) & 0xFFFFFFFFU) << 16) | 0x330EU)
    {
    }
    double operator()()
    {
        state_ = (0x5DEECE66DULL * state_ + 11U) & 0xFFFFFFFFFFFFULL;
        return std::ldexp(static_cast<double>(state_), -48);
    }

private:
    std::uint64_t state_;
};

/// Atoms by cell of a cube, cells_a_side cells a side; atoms of a cell ascend.
struct CubeCells
{
    int a_side;
    double edge;
    std::vector<std::int32_t> start;  ///< [cell + 1]
    std::vector<std::int32_t> atom;   ///< [place]

    int coordinate(double x) const
    {
        return std::clamp(static_cast<int>(x / edge), 0, a_side - 1);
    }
    std::int64_t cell(int x, int y, int z) const
    {
        return (static_cast<std::int64_t>(z) * a_side + y) * a_side + x;
    }
};

template <class T>
CubeCells make_cells(std::vector<ShocPosition<T>> const& position)
{
    // Half the radius that holds 128 atoms on average: two shells of cells then nearly suffice.
    double const density = static_cast<double>(position.size()) / std::pow(shoc_edge, 3.0);
    double const radius = std::cbrt(shoc_neighbors / (4.0 / 3.0 * std::acos(-1.0) * density));
    CubeCells cells{std::max(1, static_cast<int>(shoc_edge / (0.55 * radius))), 0.0, {}, {}};
    cells.edge = shoc_edge / cells.a_side;
    auto const cell_of = [&](ShocPosition<T> const& p) {
        return cells.cell(cells.coordinate(p.x), cells.coordinate(p.y), cells.coordinate(p.z));
    };
    cells.start.assign(static_cast<std::size_t>(cells.cell(0, 0, cells.a_side)) + 1, 0);
    for (auto const& p : position)
    {
        ++cells.start[cell_of(p) + 1];
    }
    std::partial_sum(cells.start.begin(), cells.start.end(), cells.start.begin());
    std::vector<std::int32_t> next(cells.start.begin(), cells.start.end() - 1);
    cells.atom.resize(position.size());
    for (std::size_t atom = 0; atom < position.size(); ++atom)
    {
        cells.atom[next[cell_of(position[atom])]++] = static_cast<std::int32_t>(atom);
    }
    return cells;
}

using Candidate = std::pair<double, std::int32_t>;  // squared distance, atom

/// Gathers the atoms of the cells within `shells` of the atom's own, itself left out. Returns the
/// squared distance up to which none is missing.
template <class T>
double gather_candidates(std::vector<ShocPosition<T>> const& position, CubeCells const& cells,
                         std::int32_t atom, int shells, std::vector<Candidate>& found)
{
    found.clear();
    double const own[3] = {static_cast<double>(position[atom].x),
                           static_cast<double>(position[atom].y),
                           static_cast<double>(position[atom].z)};
    int low[3];
    int high[3];
    double complete = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis)
    {
        int const middle = cells.coordinate(own[axis]);
        low[axis] = std::max(0, middle - shells);
        high[axis] = std::min(cells.a_side - 1, middle + shells);
        // A face of the searched block inside the cube hides atoms beyond it.
        if (low[axis] > 0)
        {
            complete = std::min(complete, own[axis] - low[axis] * cells.edge);
        }
        if (high[axis] < cells.a_side - 1)
        {
            complete = std::min(complete, (high[axis] + 1) * cells.edge - own[axis]);
        }
    }
    for (int z = low[2]; z <= high[2]; ++z)
    {
        for (int y = low[1]; y <= high[1]; ++y)
        {
            auto const first = cells.start[cells.cell(low[0], y, z)];
            auto const last = cells.start[cells.cell(high[0], y, z) + 1];
            for (auto place = first; place < last; ++place)
            {
                std::int32_t const other = cells.atom[place];
                double const dx = own[0] - static_cast<double>(position[other].x);
                double const dy = own[1] - static_cast<double>(position[other].y);
                double const dz = own[2] - static_cast<double>(position[other].z);
                if (other != atom)
                {
                    found.emplace_back(dx * dx + dy * dy + dz * dz, other);
                }
            }
        }
    }
    return complete * complete;
}

/// The 128 nearest of one atom, in order.
template <class T>
void find_nearest(std::vector<ShocPosition<T>> const& position, CubeCells const& cells,
                  std::int32_t atom, std::vector<Candidate>& found)
{
    for (int shells = 2;; ++shells)
    {
        double const complete_sq = gather_candidates(position, cells, atom, shells, found);
        if (found.size() < static_cast<std::size_t>(shoc_neighbors))
        {
            continue;
        }
        auto const last = found.begin() + (shoc_neighbors - 1);
        std::nth_element(found.begin(), last, found.end());
        if (last->first < complete_sq || shells >= cells.a_side)
        {
            std::sort(found.begin(), last + 1);
            found.resize(shoc_neighbors);
            return;
        }
    }
}

/// Spreads the low 10 bits of `bits` three apart.
std::uint32_t spread_bits(std::uint32_t bits)
{
    bits = (bits | (bits << 16)) & 0x030000FFU;
    bits = (bits | (bits << 8)) & 0x0300F00FU;
    bits = (bits | (bits << 4)) & 0x030C30C3U;
    return (bits | (bits << 2)) & 0x09249249U;
}

}  // namespace

template <class T>
std::vector<std::int32_t> morton_order(std::vector<ShocPosition<T>> const& position)
{
    auto const code = [&](std::int32_t atom) {
        auto const bits = [](T x) {
            return spread_bits(static_cast<std::uint32_t>(
                std::clamp(static_cast<double>(x) / shoc_edge * 1024.0, 0.0, 1023.0)));
        };
        auto const& p = position[atom];
        return bits(p.x) | (bits(p.y) << 1) | (bits(p.z) << 2);
    };
    std::vector<std::pair<std::uint32_t, std::int32_t>> keyed(position.size());
    for (std::size_t atom = 0; atom < keyed.size(); ++atom)
    {
        keyed[atom] = {code(static_cast<std::int32_t>(atom)), static_cast<std::int32_t>(atom)};
    }
    std::sort(keyed.begin(), keyed.end());
    std::vector<std::int32_t> order(position.size());
    std::transform(keyed.begin(), keyed.end(), order.begin(),
                   [](auto const& pair) { return pair.second; });
    return order;
}

namespace
{

/// Fills the list, and what is known with it, from the positions.
template <class T>
void list_nearest(ShocProblem<T>& problem)
{
    std::int64_t const count = problem.count();
    problem.list.resize(static_cast<std::size_t>(count) * shoc_neighbors);
    CubeCells const cells = make_cells(problem.position);
    double closest_sq = std::numeric_limits<double>::infinity();
    double farthest_sq = 0.0;
    std::int64_t within = 0;
#pragma omp parallel reduction(min : closest_sq) reduction(max : farthest_sq) reduction(+ : within)
    {
        std::vector<Candidate> found;
#pragma omp for schedule(dynamic, 64)
        for (std::int64_t atom = 0; atom < count; ++atom)
        {
            find_nearest(problem.position, cells, static_cast<std::int32_t>(atom), found);
            for (int slot = 0; slot < shoc_neighbors; ++slot)
            {
                problem.list[slot * count + atom] = found[slot].second;
                within += found[slot].first < shoc_cutoff_sq ? 1 : 0;
            }
            closest_sq = std::min(closest_sq, found.front().first);
            farthest_sq = std::max(farthest_sq, found.back().first);
        }
    }
    problem.pairs_within = within;
    problem.closest = std::sqrt(closest_sq);
    problem.farthest = std::sqrt(farthest_sq);
}

}  // namespace

template <class T>
ShocProblem<T> make_shoc_problem(std::int64_t count, AtomOrder order, std::int64_t seed)
{
    if (count <= shoc_neighbors)
    {
        throw std::invalid_argument("a SHOC problem has at least 129 atoms");
    }
    ShocProblem<T> problem;
    problem.position.resize(static_cast<std::size_t>(count));
    Drand48 draw(seed);
    for (auto& p : problem.position)
    {
        p.x = static_cast<T>(draw() * shoc_edge);
        p.y = static_cast<T>(draw() * shoc_edge);
        p.z = static_cast<T>(draw() * shoc_edge);
        p.unused = T(0);
    }
    if (order == AtomOrder::sorted)
    {
        auto const drawn = problem.position;
        auto const along = morton_order(drawn);
        std::transform(along.begin(), along.end(), problem.position.begin(),
                       [&](std::int32_t atom) { return drawn[atom]; });
    }

    list_nearest(problem);
    return problem;
}

template <class T>
std::vector<Vec3<double>> shoc_reference(ShocProblem<T> const& problem)
{
    std::vector<ShocPosition<double>> position(problem.position.size());
    std::transform(problem.position.begin(), problem.position.end(), position.begin(),
                   [](ShocPosition<T> const& p) {
                       return ShocPosition<double>{p.x, p.y, p.z, 0.0};
                   });
    std::vector<Vec3<double>> force(position.size());
    cpu::shoc_force<double>({position.data(), problem.list.data(), problem.count()}, {},
                            force.data());
    return force;
}

std::vector<std::int32_t> make_tiled_list(std::vector<std::int32_t> const& list, std::int64_t count,
                                          std::vector<std::int32_t> const& order, int lanes)
{
    std::vector<std::int32_t> index(static_cast<std::size_t>(
        slice_count(count, lanes) * shoc_groups(lanes) * slice_rows * slot_group));
    cpu::shoc_tile_list(list.data(), count, order.empty() ? nullptr : order.data(), lanes,
                        index.data());
    return index;
}

template <class T>
ForceError force_error(std::vector<Vec3<T>> const& force,
                       std::vector<Vec3<double>> const& reference)
{
    double difference_sq = 0.0;
    double reference_sq = 0.0;
    std::vector<double> relative(force.size());
    for (std::size_t atom = 0; atom < force.size(); ++atom)
    {
        Vec3<double> const f{static_cast<double>(force[atom].x), static_cast<double>(force[atom].y),
                             static_cast<double>(force[atom].z)};
        Vec3<double> const d = f - reference[atom];
        double const of_atom = dot(reference[atom], reference[atom]);
        difference_sq += dot(d, d);
        reference_sq += of_atom;
        double const ratio = std::sqrt(dot(d, d) / of_atom);
        relative[atom] = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
    }
    auto const middle = relative.begin() + static_cast<std::ptrdiff_t>(relative.size() / 2);
    std::nth_element(relative.begin(), middle, relative.end());
    double const median = *middle;
    return {std::sqrt(difference_sq / reference_sq), median,
            *std::max_element(relative.begin(), relative.end())};
}

#define TESSERA_INSTANTIATE(T)                                                               \
    template std::vector<std::int32_t> morton_order<T>(std::vector<ShocPosition<T>> const&); \
    template ShocProblem<T> make_shoc_problem<T>(std::int64_t, AtomOrder, std::int64_t);     \
    template std::vector<Vec3<double>> shoc_reference<T>(ShocProblem<T> const&);             \
    template ForceError force_error<T>(std::vector<Vec3<T>> const&,                          \
                                       std::vector<Vec3<double>> const&);
TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)
#undef TESSERA_INSTANTIATE

}  // namespace tessera
