#include "engine/config/machine.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

#include "engine/config/errors.hpp"

namespace tessera
{
namespace
{

namespace fs = std::filesystem;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// The first number in a file; empty without a file, and for words such as "max".
std::optional<std::int64_t> read_number(fs::path const& file)
{
    std::ifstream stream(file);
    std::int64_t number = 0;
    return stream >> number ? std::optional(number) : std::nullopt;
}

/// The number behind `name` in a file of lines "name number"; 0 if it is not there.
std::int64_t read_named(fs::path const& file, std::string const& name)
{
    std::ifstream stream(file);
    std::string line;
    while (std::getline(stream, line))
    {
        std::istringstream fields(line);
        std::string word;
        std::int64_t number = 0;
        if (fields >> word >> number && word == name)
        {
            return number;
        }
    }
    return 0;
}

bool lists(std::string const& commas, std::string const& word)
{
    return ("," + commas + ",").find("," + word + ",") != std::string::npos;
}

/// Where a hierarchy of control groups is mounted.
struct GroupMount
{
    int version = 0;
    fs::path shown;  // the group that is seen at `folder`
    fs::path folder;
};

/// Mounts of version 2, and of version 1 with `controller`.
std::vector<GroupMount> group_mounts(fs::path const& root, std::string const& controller)
{
    std::vector<GroupMount> mounts;
    std::ifstream stream(root / "proc/self/mountinfo");
    std::string line;
    while (std::getline(stream, line))
    {
        // id parent device root folder options [tags...] - type source options
        std::size_t const dash = line.find(" - ");
        if (dash == std::string::npos)
        {
            continue;
        }
        std::istringstream before(line.substr(0, dash));
        std::istringstream after(line.substr(dash + 3));
        std::string skipped, shown, folder, type, options;
        before >> skipped >> skipped >> skipped >> shown >> folder;
        after >> type >> skipped >> options;
        int const version = type == "cgroup2"                                ? 2
                            : type == "cgroup" && lists(options, controller) ? 1
                                                                             : 0;
        if (version != 0)
        {
            mounts.push_back({version, shown, root / fs::path(folder).relative_path()});
        }
    }
    return mounts;
}

/// The group of this process in the hierarchy of that version with `controller`, as "/a/b".
std::optional<fs::path> own_group(fs::path const& root, int version, std::string const& controller)
{
    std::ifstream stream(root / "proc/self/cgroup");
    std::string line;
    while (std::getline(stream, line))
    {
        // number:controllers:/path, with no controllers in version 2
        std::size_t const first = line.find(':');
        std::size_t const second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
        {
            continue;
        }
        std::string const controllers = line.substr(first + 1, second - first - 1);
        if (version == 2 ? controllers.empty() : lists(controllers, controller))
        {
            return fs::path(line.substr(second + 1)).lexically_normal();
        }
    }
    return std::nullopt;
}

/// Calls use(version, folder) for the process's group and every group around it: each may limit.
template <class Use>
void for_each_group(fs::path const& root, std::string const& controller, Use const& use)
{
    for (GroupMount const& mount : group_mounts(root, controller))
    {
        auto const group = own_group(root, mount.version, controller);
        if (!group)
        {
            continue;
        }
        // Seen from inside a container, the path may be that of the host, which is not mounted.
        fs::path below = group->lexically_relative(mount.shown);
        below = below.empty() || *below.begin() == ".." ? fs::path() : below;
        for (fs::path folder = (mount.folder / below).lexically_normal();;
             folder = folder.parent_path())
        {
            use(mount.version, folder);
            if (folder.native().size() <= mount.folder.native().size())
            {
                break;
            }
        }
    }
}

void take_least(MemoryRoom& room, std::int64_t bytes, std::string bound)
{
    if (bytes < room.bytes)
    {
        room = {std::max<std::int64_t>(bytes, 0), std::move(bound)};
    }
}

void take_limit(MemoryRoom& room, int resource, std::int64_t pages_used, char const* bound)
{
    rlimit limit{};
    if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY)
    {
        auto const bytes = static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, unlimited));
        take_least(room, bytes - pages_used * sysconf(_SC_PAGESIZE), bound);
    }
}

/// Threads besides this one that can be started, `wanted` at most: they wait for each other.
std::int64_t startable_threads(std::int64_t wanted)
{
    std::mutex mutex;
    std::condition_variable done;
    bool over = false;
    std::vector<std::thread> threads;
    try
    {
        threads.reserve(static_cast<std::size_t>(wanted));
        while (static_cast<std::int64_t>(threads.size()) < wanted)
        {
            threads.emplace_back([&] {
                std::unique_lock lock(mutex);
                done.wait(lock, [&] { return over; });
            });
        }
    }
    catch (std::system_error const&)
    {
        // A limit on processes, or on memory for their stacks: what has been started counts.
    }
    {
        std::lock_guard const lock(mutex);
        over = true;
    }
    done.notify_all();
    for (std::thread& thread : threads)
    {
        thread.join();
    }
    return static_cast<std::int64_t>(threads.size());
}

}  // namespace

std::optional<double> processor_quota(fs::path const& root)
{
    std::optional<double> least;
    for_each_group(root, "cpu", [&](int version, fs::path const& folder) {
        std::optional<std::int64_t> quota, period;
        if (version == 2)
        {
            std::ifstream stream(folder / "cpu.max");  // "50000 100000", or "max 100000"
            std::int64_t numbers[2] = {};
            if (stream >> numbers[0] >> numbers[1])
            {
                quota = numbers[0];
                period = numbers[1];
            }
        }
        else
        {
            quota = read_number(folder / "cpu.cfs_quota_us");  // -1: no limit
            period = read_number(folder / "cpu.cfs_period_us");
        }
        if (quota && period && *quota > 0 && *period > 0)
        {
            double const processors = static_cast<double>(*quota) / static_cast<double>(*period);
            least = std::min(processors, least.value_or(processors));
        }
    });
    return least;
}

int usable_processors(fs::path const& root)
{
    int const bound = omp_get_num_procs();
    std::optional<double> const quota = processor_quota(root);
    double const whole = quota ? std::ceil(*quota - 1e-9) : static_cast<double>(bound);
    return std::max(1, static_cast<int>(std::min(whole, static_cast<double>(bound))));
}

std::optional<std::int64_t> outermost_threads(std::string_view omp_num_threads)
{
    std::size_t const begin = omp_num_threads.find_first_not_of(" \t");
    std::size_t const end = std::min(omp_num_threads.find(','), omp_num_threads.size());
    if (begin == std::string_view::npos || begin >= end)
    {
        return std::nullopt;
    }
    std::int64_t number = 0;
    auto const [stop, error] =
        std::from_chars(omp_num_threads.data() + begin, omp_num_threads.data() + end, number);
    std::string_view const rest =
        omp_num_threads.substr(static_cast<std::size_t>(stop - omp_num_threads.data()),
                               end - static_cast<std::size_t>(stop - omp_num_threads.data()));
    bool const whole = rest.find_first_not_of(" \t") == std::string_view::npos;
    if (error == std::errc::result_out_of_range && omp_num_threads[begin] != '-')
    {
        return unlimited;
    }
    return error == std::errc() && whole && number > 0 ? std::optional(number) : std::nullopt;
}

std::int64_t most_threads()
{
    return std::max<std::int64_t>(1024,
                                  4 * static_cast<std::int64_t>(sysconf(_SC_NPROCESSORS_ONLN)));
}

int thread_count(int threads)
{
    char const* const variable = threads > 0 ? nullptr : std::getenv("OMP_NUM_THREADS");
    auto const from_variable = outermost_threads(variable != nullptr ? variable : "");
    std::int64_t const wanted = threads > 0 ? threads : from_variable.value_or(usable_processors());
    std::string const source = from_variable ? " (from OMP_NUM_THREADS)" : "";
    if (wanted > most_threads())
    {
        throw ConfigError(
            fmt::format("threads: is {}{}; this machine has {} processors, and more "
                        "than {} threads only get in each other's way; give fewer",
                        wanted, source, sysconf(_SC_NPROCESSORS_ONLN), most_threads()));
    }
    std::int64_t const allowed = std::min<std::int64_t>(wanted, omp_get_thread_limit());
    std::int64_t const started = 1 + startable_threads(allowed - 1);
    if (started < allowed)
    {
        throw ConfigError(
            fmt::format("threads: is {}{}, but only {} can be started here (limits on "
                        "processes or memory); give fewer",
                        allowed, source, started));
    }
    return static_cast<int>(allowed);
}

MemoryRoom memory_room(fs::path const& root)
{
    MemoryRoom room{unlimited, "no limit"};
    if (std::int64_t const kilobytes = read_named(root / "proc/meminfo", "MemAvailable:");
        kilobytes > 0)
    {
        take_least(room, kilobytes * 1024, "free on this machine");
    }
    for_each_group(root, "memory", [&](int version, fs::path const& folder) {
        bool const second = version == 2;
        auto const limit = read_number(folder / (second ? "memory.max" : "memory.limit_in_bytes"));
        auto const used =
            read_number(folder / (second ? "memory.current" : "memory.usage_in_bytes"));
        if (limit && used)
        {
            std::string const prefix = second ? "" : "total_";
            std::int64_t const cache = read_named(folder / "memory.stat", prefix + "active_file") +
                                       read_named(folder / "memory.stat", prefix + "inactive_file");
            take_least(room, *limit - std::max<std::int64_t>(*used - cache, 0),
                       "left of the memory limit of this control group");
        }
    });
    // Pages: all, resident, shared, text, library, data.
    std::ifstream stream(root / "proc/self/statm");
    std::int64_t pages[6] = {};
    for (std::int64_t& number : pages)
    {
        stream >> number;
    }
    take_limit(room, RLIMIT_AS, pages[0], "left of the limit on address space (ulimit -v)");
    take_limit(room, RLIMIT_DATA, pages[5], "left of the limit on data (ulimit -d)");
    return room;
}

}  // namespace tessera
