#pragma once
/// Extents that let a search among cells meet every pair and no alias: see
/// kernels/arithmetic/pair_space.hpp.

#include "kernels/arithmetic/box.hpp"
#include "kernels/arithmetic/pair_space.hpp"
#include "kernels/neighbor/cells.hpp"

namespace tessera
{

/// For a search that tests each particle against all in the cells within reach of its own. Wide
/// cells make it coarse: steps go on in listed_space().
PairSpace cell_search_space(Box const& box, CellGrid const& grid, double list_radius);

/// Cells along x that the particles of one cluster may span, besides the leader's own.
inline constexpr int cluster_cells = 36;

/// For a search that tests the particles of a cluster, which share the cells' y and z, and their
/// candidates by displacements from one of them, the leader.
PairSpace cluster_search_space(Box const& box, CellGrid const& grid, double list_radius);

/// The longest displacement from its leader that such a search may meet on the way to a neighbor
/// [sigma].
double cluster_span(CellGrid const& grid, double list_radius);

}  // namespace tessera
