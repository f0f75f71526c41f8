#pragma once
/// Entries of 4 bytes, 8 bytes or multiples of 16 in shared memory, by 32-bit addresses.

#include <cstdint>
#include <cstring>

namespace tessera::cuda
{

/// Shared memory by its 32-bit address: the compiler would otherwise work the window's base out
/// anew at every access.
__device__ __forceinline__ std::uint32_t shared_address(void const* shared)
{
    auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    asm volatile("" : "+r"(address));
    return address;
}

template <class Entry>
__device__ __forceinline__ void store_shared(std::uint32_t address, Entry const& entry)
{
    std::uint32_t w[sizeof(Entry) / 4];
    memcpy(w, &entry, sizeof(Entry));
    if constexpr (sizeof(Entry) == 4)
    {
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(w[0]) : "memory");
    }
    else if constexpr (sizeof(Entry) == 8)
    {
        asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(address), "r"(w[0]), "r"(w[1])
                     : "memory");
    }
    else
    {
#pragma unroll
        for (unsigned k = 0; k < sizeof(Entry) / 4; k += 4)
        {
            asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address + 4 * k),
                         "r"(w[k]), "r"(w[k + 1]), "r"(w[k + 2]), "r"(w[k + 3])
                         : "memory");
        }
    }
}

template <class Entry>
__device__ __forceinline__ Entry load_shared(std::uint32_t address)
{
    std::uint32_t w[sizeof(Entry) / 4];
    if constexpr (sizeof(Entry) == 4)
    {
        asm volatile("ld.shared.b32 %0, [%1];" : "=r"(w[0]) : "r"(address) : "memory");
    }
    else if constexpr (sizeof(Entry) == 8)
    {
        asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
                     : "=r"(w[0]), "=r"(w[1])
                     : "r"(address)
                     : "memory");
    }
    else
    {
#pragma unroll
        for (unsigned k = 0; k < sizeof(Entry) / 4; k += 4)
        {
            asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(w[k]), "=r"(w[k + 1]), "=r"(w[k + 2]), "=r"(w[k + 3])
                         : "r"(address + 4 * k)
                         : "memory");
        }
    }
    Entry entry;
    memcpy(&entry, w, sizeof(Entry));
    return entry;
}

}  // namespace tessera::cuda
