#pragma once

#include <hdf5.h>

#include <cstddef>
#include <map>
#include <vector>

namespace tessera::hdf5
{

/// Pieces of a file that wait to be written, by address; no two overlap.
class Pieces
{
public:
    struct Piece
    {
        H5FD_mem_t type;
        std::vector<unsigned char> bytes;
    };

    /// Adds a piece, over what waits in its place.
    void put(haddr_t address, H5FD_mem_t type, unsigned char const* bytes, std::size_t size);
    /// Takes [first, last) out of what waits.
    void drop(haddr_t first, haddr_t last);
    /// Copies what waits in [address, address + size) over `bytes`, as they are in the file.
    void lay_over(haddr_t address, unsigned char* bytes, std::size_t size) const;
    void clear()
    {
        by_address_.clear();
    }

    std::map<haddr_t, Piece> const& by_address() const
    {
        return by_address_;
    }

private:
    std::map<haddr_t, Piece> by_address_;
};

}  // namespace tessera::hdf5
