#include "io/h5md/checkpoint_trailer.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/config/errors.hpp"

namespace tessera
{

namespace
{

constexpr std::string_view trailer_mark = "TSCKPT01";

void put_number(std::byte* out, std::uint64_t number)
{
    for (int byte = 0; byte < 8; ++byte)
    {
        out[byte] = static_cast<std::byte>(number >> (8 * byte));
    }
}

Trailer make_trailer(std::uint64_t length, std::uint64_t hash)
{
    Trailer trailer;
    std::memcpy(trailer.data(), trailer_mark.data(), trailer_mark.size());
    put_number(trailer.data() + 8, length);
    put_number(trailer.data() + 16, hash);
    return trailer;
}

}  // namespace

Trailer make_trailer(std::span<std::byte const> body)
{
    return make_trailer(body.size(), XXH3_64bits(body.data(), body.size()));
}

std::span<std::byte const> verified_body(std::span<std::byte const> bytes)
{
    char const* const problem = "it is no checkpoint, or cut off at its end";
    if (bytes.size() < trailer_size)
    {
        throw IoError(problem);
    }
    std::span<std::byte const> const body = bytes.first(bytes.size() - trailer_size);
    std::byte const* const found = bytes.data() + body.size();
    if (std::memcmp(found, trailer_mark.data(), trailer_mark.size()) != 0)
    {
        throw IoError(problem);
    }
    if (std::memcmp(found, make_trailer(body).data(), trailer_size) != 0)
    {
        throw IoError("its checksum is wrong: the file has been altered or damaged");
    }
    return body;
}

void verify_stored(std::filesystem::path const& path, Trailer const& trailer)
{
    std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> const state(XXH3_createState(),
                                                                                XXH3_freeState);
    XXH3_64bits_reset(state.get());
    std::error_code error;
    std::uintmax_t const size = std::filesystem::file_size(path, error);
    if (error || size < trailer_size)
    {
        throw IoError("it is cut off");
    }
    std::uintmax_t rest = size - trailer_size;
    std::uint64_t const length = rest;
    std::ifstream file(path, std::ios::binary);
    std::vector<char> piece(std::size_t{1} << 20);
    while (rest > 0 && file)
    {
        auto const count = std::min<std::uintmax_t>(rest, piece.size());
        file.read(piece.data(), static_cast<std::streamsize>(count));
        XXH3_64bits_update(state.get(), piece.data(), count);
        rest -= count;
    }
    Trailer found;
    file.read(reinterpret_cast<char*>(found.data()), trailer_size);
    if (!file || found != trailer ||
        make_trailer(length, XXH3_64bits_digest(state.get())) != trailer)
    {
        throw IoError("its checksum is wrong");
    }
}

bool has_trailer(std::filesystem::path const& path)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
    {
        return false;
    }
    std::ifstream file(path, std::ios::binary);
    std::array<char, trailer_mark.size()> mark{};
    file.seekg(-static_cast<std::streamoff>(trailer_size), std::ios::end);
    file.read(mark.data(), mark.size());
    return file.good() && std::string_view(mark.data(), mark.size()) == trailer_mark;
}

}  // namespace tessera
