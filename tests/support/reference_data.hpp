#pragma once
/// Published and computed reference data: tests/data/README.md says where each file is from.

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::test
{

inline std::filesystem::path reference_folder()
{
    return std::filesystem::path(TESSERA_SOURCE_DIR) / "tests" / "data";
}

/// One line of a table: column name to text.
using Row = std::map<std::string, std::string>;

/// The rows of a comma-separated file. Names are the first line that is not a comment, or, where
/// the file names its columns in a comment, `names`.
inline std::vector<Row> read_table(std::filesystem::path const& file,
                                   std::vector<std::string> names = {})
{
    std::ifstream in(file);
    if (!in)
    {
        throw std::runtime_error("cannot read " + file.string());
    }
    std::vector<Row> rows;
    std::string line;
    while (std::getline(in, line))
    {
        if (line.empty() || line[0] == '#')
        {
            continue;
        }
        std::vector<std::string> cells;
        std::stringstream stream(line);
        for (std::string cell; std::getline(stream, cell, ',');)
        {
            cells.push_back(cell);
        }
        if (names.empty())
        {
            names = cells;
            continue;
        }
        Row row;
        for (std::size_t column = 0; column < names.size() && column < cells.size(); ++column)
        {
            row[names[column]] = cells[column];
        }
        rows.push_back(row);
    }
    return rows;
}

inline double number(Row const& row, std::string const& column)
{
    return std::stod(row.at(column));
}

}  // namespace tessera::test
