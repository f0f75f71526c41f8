#include "kernels/device/copy.hpp"

#include "kernels/device/cuda_check.hpp"

namespace tessera::cuda
{
namespace
{

constexpr int copy_block = 256;

template <int bytes>
struct PieceType;
template <>
struct PieceType<1>
{
    using Type = unsigned char;
};
template <>
struct PieceType<2>
{
    using Type = unsigned short;
};
template <>
struct PieceType<4>
{
    using Type = unsigned;
};
template <>
struct PieceType<8>
{
    using Type = uint2;
};
template <>
struct PieceType<16>
{
    using Type = uint4;
};

/// The bytes before the first boundary of the destination, the pieces, the bytes after.
struct CopySpan
{
    std::byte* destination;
    std::byte const* source;
    std::int64_t head, pieces, tail;
};

/// pieces_each pieces a thread, a block's width apart. Head and tail are shorter than a piece:
/// the first block's threads take a byte each.
template <int piece_bytes, int pieces_each>
__global__ void __launch_bounds__(copy_block) copy_kernel(CopySpan span)
{
    using Piece = typename PieceType<piece_bytes>::Type;
    auto* const destination = reinterpret_cast<Piece*>(span.destination + span.head);
    auto const* const source = reinterpret_cast<Piece const*>(span.source + span.head);
    std::int64_t const first =
        static_cast<std::int64_t>(blockIdx.x) * (copy_block * pieces_each) + threadIdx.x;
    Piece piece[pieces_each];
#pragma unroll
    for (int k = 0; k < pieces_each; ++k)
    {
        if (first + k * copy_block < span.pieces)
        {
            piece[k] = __ldg(source + first + k * copy_block);
        }
    }
#pragma unroll
    for (int k = 0; k < pieces_each; ++k)
    {
        if (first + k * copy_block < span.pieces)
        {
            destination[first + k * copy_block] = piece[k];
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < span.head)
    {
        span.destination[threadIdx.x] = span.source[threadIdx.x];
    }
    if (blockIdx.x == 0 && threadIdx.x < span.tail)
    {
        std::int64_t const at = span.head + span.pieces * piece_bytes + threadIdx.x;
        span.destination[at] = span.source[at];
    }
}

template <int piece_bytes, int pieces_each>
void launch(std::byte* destination, std::byte const* source, std::int64_t bytes,
            StreamHandle stream)
{
    auto const past_boundary =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(destination) % piece_bytes);
    std::int64_t const to_boundary = (piece_bytes - past_boundary) % piece_bytes;
    std::int64_t const head = to_boundary < bytes ? to_boundary : bytes;
    std::int64_t const pieces = (bytes - head) / piece_bytes;
    CopySpan const span{destination, source, head, pieces, bytes - head - pieces * piece_bytes};
    std::int64_t const a_block = copy_block * pieces_each;
    std::int64_t const blocks = pieces == 0 ? 1 : (pieces + a_block - 1) / a_block;
    copy_kernel<piece_bytes, pieces_each>
        <<<static_cast<unsigned>(blocks), copy_block, 0, stream>>>(span);
}

int widest_bytes(CopyWidth width)
{
    return width == CopyWidth::bytes_4 ? 4 : width == CopyWidth::bytes_8 ? 8 : 16;
}

}  // namespace

void copy(std::byte* destination, std::byte const* source, std::int64_t bytes, CopyWidth width,
          StreamHandle stream)
{
    if (bytes == 0)
    {
        return;
    }
    auto const apart =
        reinterpret_cast<std::uintptr_t>(destination) - reinterpret_cast<std::uintptr_t>(source);
    int piece_bytes = widest_bytes(width);
    while (apart % piece_bytes != 0)
    {
        piece_bytes /= 2;
    }
    switch (piece_bytes)
    {
        case 16:
            if (width == CopyWidth::four_times_16)
            {
                launch<16, 4>(destination, source, bytes, stream);
            }
            else
            {
                launch<16, 1>(destination, source, bytes, stream);
            }
            break;
        case 8:
            launch<8, 1>(destination, source, bytes, stream);
            break;
        case 4:
            launch<4, 1>(destination, source, bytes, stream);
            break;
        case 2:
            launch<2, 1>(destination, source, bytes, stream);
            break;
        default:
            launch<1, 1>(destination, source, bytes, stream);
    }
    cuda_check(cudaGetLastError(), "launch of copy");
}

}  // namespace tessera::cuda
