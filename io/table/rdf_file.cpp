#include "io/table/rdf_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "engine/config/errors.hpp"
#include "io/files/output_file.hpp"

namespace tessera
{

void write_rdf_file(std::filesystem::path const& path, Rdf const& rdf)
{
    auto const radius = rdf.radius();
    auto const value = rdf.value();
    std::string text = "r,g,pairs\n";
    for (std::size_t bin = 0; bin < radius.size(); ++bin)
    {
        fmt::format_to(std::back_inserter(text), "{},{},{}\n", radius[bin],
                       value.empty() ? "" : fmt::format("{}", value[bin]), rdf.pairs[bin]);
    }
    write_whole(path, text);
}

bool is_rdf_file(std::filesystem::path const& path, Rdf const& rdf)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
    {
        throw IoError(fmt::format("{}: cannot be read; check its permissions", path.string()));
    }
    auto const starts_with = [&](std::string const& text) {
        std::string found(text.size(), '\0');
        file.read(found.data(), static_cast<std::streamsize>(found.size()));
        return file.good() && found == text;
    };
    auto const skip_line = [&] {
        // what follows r is two numbers
        std::string rest(80, '\0');
        file.getline(rest.data(), static_cast<std::streamsize>(rest.size()));
        return file.good();
    };
    auto const radius = rdf.radius();
    return starts_with("r,g,pairs\n") &&
           std::all_of(
               radius.begin(), radius.end(),
               [&](double r) { return starts_with(fmt::format("{},", r)) && skip_line(); }) &&
           file.peek() == std::ifstream::traits_type::eof();
}

}  // namespace tessera
