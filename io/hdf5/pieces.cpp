#include "io/hdf5/pieces.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera::hdf5
{

void Pieces::put(haddr_t address, H5FD_mem_t type, unsigned char const* bytes, std::size_t size)
{
    drop(address, address + size);
    by_address_[address] = {type, {bytes, bytes + size}};
}

void Pieces::drop(haddr_t first, haddr_t last)
{
    auto place = by_address_.upper_bound(first);
    if (place != by_address_.begin())
    {
        --place;
    }
    while (place != by_address_.end() && place->first < last)
    {
        haddr_t const begin = place->first;
        haddr_t const end = begin + place->second.bytes.size();
        if (end <= first)
        {
            ++place;
            continue;
        }
        Piece const piece = std::move(place->second);
        place = by_address_.erase(place);
        auto const at = [&](haddr_t address) {
            return piece.bytes.begin() + static_cast<std::ptrdiff_t>(address - begin);
        };
        if (begin < first)
        {
            by_address_[begin] = {piece.type, {at(begin), at(first)}};
        }
        if (end > last)
        {
            by_address_[last] = {piece.type, {at(last), at(end)}};
        }
    }
}

void Pieces::lay_over(haddr_t address, unsigned char* bytes, std::size_t size) const
{
    auto place = by_address_.upper_bound(address);
    if (place != by_address_.begin())
    {
        --place;
    }
    for (; place != by_address_.end() && place->first < address + size; ++place)
    {
        haddr_t const first = std::max(address, place->first);
        haddr_t const last = std::min(address + size, place->first + place->second.bytes.size());
        if (first < last)
        {
            std::memcpy(bytes + (first - address),
                        place->second.bytes.data() + (first - place->first), last - first);
        }
    }
}

}  // namespace tessera::hdf5
