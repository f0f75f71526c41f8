#pragma once
/// What a file that a run starts from says, and what an input says beside it.
///
/// Masses, boundary, names of species and, where a format has them, pair coefficients are the
/// file's. An input that says the same is right, one that says otherwise is wrong, and what it
/// alone says holds.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"

namespace tessera
{

/// A number with the digits that its file holds: others nearer than `tolerance` are written alike.
struct StatedNumber
{
    double value = 0.0;
    double tolerance = 0.0;
};

/// Whether `number` would be written as the file's number is.
inline bool agrees(double number, StatedNumber const& stated)
{
    return std::abs(number - stated.value) <= stated.tolerance;
}

/// How a file tells its species apart.
enum class SpeciesNaming
{
    stated,   ///< by names
    hinted,   ///< by numbers, with names in comments
    numbered  ///< by numbers alone
};

struct FileSpecies
{
    std::string name;         ///< the number as text where naming is `numbered`
    std::int64_t number = 0;  ///< as in the file; not used where names are stated
    std::optional<StatedNumber> mass = std::nullopt;  ///< [m]; empty: the file does not say
};

struct FilePair
{
    std::size_t first = 0, second = 0;  ///< indices into StartFile::species
    StatedNumber epsilon, sigma;
    std::optional<StatedNumber> cutoff = std::nullopt;
};

struct StartFile
{
    std::string path;
    /// Particles, box and clock, in the file's order and with its positions. `species` indexes
    /// StartFile::species; image and velocity are empty where the file has none; names and masses
    /// are empty until take_start_file().
    State state;
    SpeciesNaming naming = SpeciesNaming::stated;
    std::vector<FileSpecies> species;
    /// The number of the first species; empty where a format leaves open if 0 or 1 is the first.
    std::optional<std::int64_t> first_number = std::nullopt;
    std::optional<Vec3<Boundary>> boundary = std::nullopt;
    std::vector<FilePair> pairs;
    /// What the user should know of: what the file holds and a run does not use.
    std::vector<std::string> notices;
};

/// What the input itself says; the rest of its config are defaults.
struct InputStatements
{
    bool species = false, boundary = false, pairs = false, cutoff = false;
    std::vector<bool> masses;  ///< [species of the input]
};

/// Fills `config` with what the file says and the input does not, and gives the state the
/// boundary, species, names and masses of the config. Returns every contradiction, naming both
/// values; after one the state is not to be used.
std::vector<Problem> take_start_file(Config& config, InputStatements const& said, StartFile& file);

}  // namespace tessera
