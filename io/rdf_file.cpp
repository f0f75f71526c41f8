#include "io/rdf_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>

#include "engine/errors.hpp"
#include "io/durable_file.hpp"
#include "io/output_file.hpp"

namespace tessera
{

void write_rdf_file(std::filesystem::path const& path, Rdf const& rdf)
{
    auto const radius = rdf.radius();
    auto const value = rdf.value();
    // Aside first: a kill leaves the file of before, or this one, whole.
    std::filesystem::path const aside =
        path.parent_path() / fmt::format(".{}.new", path.filename().string());
    make_way(aside, true);
    std::ofstream file(aside);
    file << "r,g,pairs\n";
    for (std::size_t bin = 0; bin < radius.size(); ++bin)
    {
        std::string const g = value.empty() ? "" : fmt::format("{}", value[bin]);
        file << fmt::format("{},{},{}\n", radius[bin], g, rdf.pairs[bin]);
    }
    file.close();
    if (!file)
    {
        throw IoError(fmt::format("{}: g(r) cannot be written; check the folder and the space left",
                                  path.string()));
    }
    publish(aside, path, Existing::replace);
}

}  // namespace tessera
