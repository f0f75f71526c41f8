/// The CSV file that a resumed run goes on with. It is refused and left as it was, or continued:
/// what is cut are rows of steps after the checkpoint's and a torn end, what is added is the next
/// row, behind a heading where the file had none yet.

#include <algorithm>
#include <charconv>

#include "io/table/thermo_log.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/known_frames.hpp"

using namespace tessera;

namespace
{

constexpr std::int64_t checkpoint_frame = 3;  // step 30 of tests/support/known_frames.hpp

/// Whether every whole line is a row of a step after the checkpoint's.
bool are_later_rows(std::string_view lines)
{
    for (std::size_t end = lines.find('\n'); end != std::string_view::npos; end = lines.find('\n'))
    {
        std::int64_t step = 0;
        auto const [stop, error] = std::from_chars(lines.data(), lines.data() + end, step);
        if (error != std::errc() || *stop != ',' || step <= 10 * checkpoint_frame)
        {
            return false;
        }
        lines.remove_prefix(end + 1);
    }
    return true;
}

void require_continued(std::string_view before, std::string_view after)
{
    auto const [differs, place] =
        std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    std::size_t const same = static_cast<std::size_t>(differs - before.begin());
    std::size_t const kept = same == 0 ? 0 : before.rfind('\n', same - 1) + 1;
    fuzz::require(are_later_rows(before.substr(kept)), "only later rows and a torn end are cut");
    std::string_view added = after.substr(kept);
    if (added.starts_with("step,"))
    {
        added.remove_prefix(added.find('\n') + 1);
    }
    if (added.empty() && after.size() > 1)
    {
        // the row was there, with the same values
        added = after.substr(after.rfind('\n', after.size() - 2) + 1);
    }
    fuzz::require(added.starts_with("40,") && added.find('\n') == added.size() - 1,
                  "the next row is all that is added");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    static std::filesystem::path const path = fuzz::scratch("t.csv");
    std::string_view const before = fuzz::text_of(data, size);
    fuzz::write_file(path, before);
    bool const continued = fuzz::succeeds(size, [&] {
        KeptRows const kept = ThermoLog::check(path, {}, known_state(checkpoint_frame, 1).step, {});
        ThermoLog log = ThermoLog::resume(path, ThermoLog::Table::hide, kept);
        log.write(known_observables(checkpoint_frame + 1));
        log.close();
    });
    std::string const after = fuzz::read_file(path);
    if (continued)
    {
        require_continued(before, after);
    }
    else
    {
        fuzz::require(after == before, "a file that is refused stays as it was");
    }
    return 0;
}
