#include "io/text/lammps_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "io/files/printable.hpp"

namespace tessera
{

namespace
{

/// lj/cut by itself or in one of its accelerated forms: lj/cut/coul/long is another potential.
void require_lj_cut(LammpsLines const& lines)
{
    if (lines.comment().empty())
    {
        return;
    }
    constexpr std::string_view known[] = {"lj/cut",    "lj/cut/gpu", "lj/cut/intel",
                                          "lj/cut/kk", "lj/cut/omp", "lj/cut/opt"};
    std::string_view const style = lines.comment().front();
    if (std::find(std::begin(known), std::end(known), style) == std::end(known))
    {
        lines.input().fail(
            fmt::format("these coefficients are of the pair style {}, not lj/cut: write the file "
                        "with `write_data FILE nocoeff`, and the pairs in the input.",
                        printable(style)));
    }
}

}  // namespace

void parse_lammps_pairs(LammpsLines& lines, std::size_t types, TypeOf const& type_of,
                        std::vector<FilePair>& pairs)
{
    TextInput const& input = lines.input();
    require_lj_cut(lines);
    bool const unlike = lines.fields().front() == "PairIJ";
    std::size_t const count = unlike ? types * (types + 1) / 2 : types;
    std::size_t const first = unlike ? 2 : 1;
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (FilePair const& pair : pairs)
    {
        seen.emplace(pair.first, pair.second);
    }
    for (std::size_t line = 0; line < count; ++line)
    {
        lines.require("the coefficients of a pair");
        auto const& fields = lines.fields();
        if (fields.size() != first + 3)
        {
            lines.expect_fields(first + 2,
                                unlike ? "two types, epsilon and sigma, or those and a cutoff,"
                                       : "a type, epsilon and sigma, or those and a cutoff,");
        }
        FilePair pair;
        auto const types_of_pair = std::minmax({type_of(fields[0]), type_of(fields[first - 1])});
        pair.first = types_of_pair.first;
        pair.second = types_of_pair.second;
        if (!seen.emplace(pair.first, pair.second).second)
        {
            input.fail("the coefficients of this pair have come before.");
        }
        pair.epsilon = input.stated_number(fields[first], "an epsilon");
        if (pair.epsilon.value < 0.0)
        {
            input.fail("an epsilon must be 0 or above.");
        }
        pair.sigma = lines.positive(fields[first + 1], "a sigma");
        if (fields.size() == first + 3)
        {
            pair.cutoff = lines.positive(fields[first + 2], "a cutoff");
        }
        pairs.push_back(pair);
    }
}

}  // namespace tessera
