#include "io/table/rdf_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "engine/config/errors.hpp"
#include "io/files/output_file.hpp"

namespace tessera
{

namespace
{

std::string text_of(Rdf const& rdf)
{
    auto const radius = rdf.radius();
    auto const value = rdf.value();
    std::string text = "r,g,pairs\n";
    for (std::size_t bin = 0; bin < radius.size(); ++bin)
    {
        fmt::format_to(std::back_inserter(text), "{},{},{}\n", radius[bin],
                       value.empty() ? "" : fmt::format("{}", value[bin]), rdf.pairs[bin]);
    }
    return text;
}

}  // namespace

void write_rdf_file(std::filesystem::path const& path, Rdf const& rdf)
{
    write_whole(path, text_of(rdf));
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

bool holds_rdf(std::filesystem::path const& path, Rdf const& rdf)
{
    std::string const text = text_of(rdf);
    std::string found(text.size() + 1, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(found.data(), static_cast<std::streamsize>(found.size()));
    found.resize(static_cast<std::size_t>(file.gcount()));
    return found == text;
}

}  // namespace tessera
