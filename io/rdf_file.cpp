#include "io/rdf_file.hpp"

#include <fmt/format.h>

#include <fstream>

#include "engine/errors.hpp"

namespace tessera
{

void write_rdf_file(std::filesystem::path const& path, Rdf const& rdf)
{
    auto const radius = rdf.radius();
    auto const value = rdf.value();
    std::ofstream file(path);
    file << "r,g,pairs\n";
    for (std::size_t bin = 0; bin < radius.size(); ++bin)
    {
        file << fmt::format("{},{},{}\n", radius[bin], value[bin], rdf.pairs[bin]);
    }
    file.close();
    if (!file)
    {
        throw IoError(fmt::format("{}: g(r) cannot be written; check the folder and the space left",
                                  path.string()));
    }
}

}  // namespace tessera
