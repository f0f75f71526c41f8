/// The CSV file that a resumed run goes on with. It is refused and left as it was, or continued:
/// rows up to the checkpoint's step stay as they were, and the next row stands behind them.

#include "io/thermo_log.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/known_frames.hpp"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    constexpr std::int64_t checkpoint_frame = 3;  // step 30 of tests/known_frames.hpp
    static std::filesystem::path const path = fuzz::scratch("t.csv");
    std::string_view const before = fuzz::text_of(data, size);
    fuzz::write_file(path, before);
    bool const continued = fuzz::succeeds(size, [&] {
        ThermoLog log =
            ThermoLog::resume(path, ThermoLog::Table::hide, known_state(checkpoint_frame, 1).step);
        log.write(known_observables(checkpoint_frame + 1));
        log.close();
    });
    std::string const after = fuzz::read_file(path);
    if (!continued)
    {
        fuzz::require(after == before, "a file that is refused stays as it was");
        return 0;
    }
    std::size_t const kept = after.rfind('\n', after.size() - 2) + 1;
    fuzz::require(after.ends_with('\n') && after.compare(kept, 3, "40,") == 0,
                  "the new row is the last line");
    bool const begun = kept > before.size() || before.substr(0, kept) != after.substr(0, kept);
    fuzz::require(!begun || before.find('\n') == std::string_view::npos,
                  "rows that are kept are kept as they were");
    return 0;
}
