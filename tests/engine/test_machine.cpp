#include "engine/config/machine.hpp"

#include <omp.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "engine/config/errors.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/support.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace tessera;
using Catch::Matchers::Contains;

namespace
{

constexpr std::int64_t gib = std::int64_t{1} << 30;

/// A machine made of files: path below its root, content.
class FakeMachine
{
public:
    explicit FakeMachine(std::map<std::string, std::string> const& files)
    {
        for (auto const& [name, content] : files)
        {
            write(name, content);
        }
    }
    void write(std::string const& name, std::string const& content) const
    {
        std::filesystem::path const path = root() / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << content;
    }
    std::filesystem::path root() const
    {
        return directory_ / "";
    }

private:
    TemporaryDirectory directory_;
};

/// As on a machine of today: one hierarchy, of version 2.
std::map<std::string, std::string> const unified = {
    {"proc/self/mountinfo",
     "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
     "31 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"},
    {"proc/self/cgroup", "0::/slurm/job_7/step_0\n"},
    {"proc/meminfo", "MemTotal:       65536000 kB\nMemFree: 1 kB\nMemAvailable:   33554432 kB\n"},
    {"proc/self/statm", "1000 500 300 20 0 400 0\n"}};

/// As under an older system: a hierarchy a controller, of version 1, and an empty one of version 2.
std::map<std::string, std::string> const split = {
    {"proc/self/mountinfo",
     "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
     "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
     "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"},
    {"proc/self/cgroup", "9:cpu,cpuacct:/pbs/job_8\n4:memory:/pbs/job_8\n0::/\n"},
    {"proc/meminfo", "MemAvailable:   33554432 kB\n"}};

}  // namespace

TEST_CASE("the processor quota of a control group, of either version, and of those around it")
{
    FakeMachine const machine(unified);
    CHECK_FALSE(processor_quota(machine.root()));
    machine.write("sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "max 100000\n");
    CHECK_FALSE(processor_quota(machine.root()));
    machine.write("sys/fs/cgroup/slurm/job_7/cpu.max", "250000 100000\n");
    CHECK(processor_quota(machine.root()) == Approx(2.5));
    machine.write("sys/fs/cgroup/slurm/cpu.max", "800000 100000\n");
    CHECK(processor_quota(machine.root()) == Approx(2.5));
    machine.write("sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "50000 100000\n");
    CHECK(processor_quota(machine.root()) == Approx(0.5));
    CHECK(usable_processors(machine.root()) == 1);

    FakeMachine const older(split);
    std::string const folder = "sys/fs/cgroup/cpu,cpuacct/pbs/job_8/";
    older.write(folder + "cpu.cfs_quota_us", "-1\n");
    older.write(folder + "cpu.cfs_period_us", "100000\n");
    CHECK_FALSE(processor_quota(older.root()));
    CHECK(usable_processors(older.root()) == omp_get_num_procs());
    older.write(folder + "cpu.cfs_quota_us", "20000\n");
    CHECK(processor_quota(older.root()) == Approx(0.2));
    CHECK(usable_processors(older.root()) == 1);
}

TEST_CASE("a container sees its own group as the top of what is mounted")
{
    auto files = split;
    // The path is that of the host; only the container's own group is mounted.
    files["proc/self/cgroup"] = "9:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n";
    files["proc/self/mountinfo"] =
        "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
        "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
    files["sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us"] = "150000\n";
    files["sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us"] = "100000\n";
    files["sys/fs/cgroup/memory/memory.limit_in_bytes"] = std::to_string(4 * gib);
    files["sys/fs/cgroup/memory/memory.usage_in_bytes"] = std::to_string(gib);
    FakeMachine const machine(files);
    CHECK(processor_quota(machine.root()) == Approx(1.5));
    CHECK(memory_room(machine.root()).bytes == 3 * gib);
    // A name space of control groups instead: the group is called "/" from inside.
    machine.write("proc/self/cgroup", "9:cpu,cpuacct:/../..\n4:memory:/\n");
    CHECK(processor_quota(machine.root()) == Approx(1.5));
}

TEST_CASE("memory is the least of what the machine, its groups and its limits leave")
{
    FakeMachine const machine(unified);
    MemoryRoom room = memory_room(machine.root());
    CHECK(room.bytes == 32 * gib);
    CHECK_THAT(room.bound, Contains("free on this machine"));

    std::string const job = "sys/fs/cgroup/slurm/job_7/";
    machine.write(job + "step_0/memory.max", "max\n");
    machine.write(job + "step_0/memory.current", std::to_string(2 * gib));
    CHECK(memory_room(machine.root()).bytes == 32 * gib);
    machine.write(job + "memory.max", std::to_string(8 * gib));
    machine.write(job + "memory.current", std::to_string(6 * gib));
    room = memory_room(machine.root());
    CHECK(room.bytes == 2 * gib);
    CHECK_THAT(room.bound, Contains("control group"));
    // Pages of files are given up when memory is asked for.
    machine.write(job + "memory.stat", "anon 7\ninactive_file " + std::to_string(3 * gib) +
                                           "\nactive_file " + std::to_string(gib) + "\n");
    CHECK(memory_room(machine.root()).bytes == 6 * gib);
    // More in use than the limit, as for a moment after it was lowered.
    machine.write(job + "memory.max", std::to_string(gib));
    CHECK(memory_room(machine.root()).bytes == 0);

    FakeMachine const older(split);
    std::string const folder = "sys/fs/cgroup/memory/pbs/job_8/";
    older.write(folder + "memory.limit_in_bytes", "9223372036854771712\n");
    older.write(folder + "memory.usage_in_bytes", std::to_string(gib));
    CHECK(memory_room(older.root()).bytes == 32 * gib);
    older.write(folder + "memory.limit_in_bytes", std::to_string(4 * gib));
    older.write(folder + "memory.stat", "total_inactive_file " + std::to_string(gib) + "\n");
    CHECK(memory_room(older.root()).bytes == 4 * gib);
}

TEST_CASE("a limit on address space bounds memory, less what is taken")
{
    if (test::has_address_sanitizer)
    {
        return;  // which cannot do with so little
    }
    FakeMachine const machine(unified);
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
    rlimit limit = before;
    limit.rlim_cur = 16 * gib;
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    MemoryRoom const room = memory_room(machine.root());
    REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
    CHECK(room.bytes == 16 * gib - 1000 * 4096);
    CHECK_THAT(room.bound, Contains("ulimit -v"));
}

TEST_CASE("this machine has a processor and some memory")
{
    CHECK(usable_processors() >= 1);
    CHECK(usable_processors() <= omp_get_num_procs());
    CHECK(memory_room().bytes > (1 << 20));
}

TEST_CASE("the first number of OMP_NUM_THREADS is the outermost level's")
{
    CHECK(outermost_threads("4") == 4);
    CHECK(outermost_threads(" 3 ") == 3);
    CHECK(outermost_threads("2,8,1") == 2);
    CHECK(outermost_threads("2 ,8") == 2);
    for (char const* const text : {"", " ", ",2", "0", "-1", "two", "2x", "2 3", "1.5"})
    {
        CAPTURE(text);
        CHECK_FALSE(outermost_threads(text));
    }
    CHECK(outermost_threads("99999999999999999999").value_or(0) > most_threads());
}

TEST_CASE("threads are those asked for, else the variable's, and never more than can be had")
{
    char const* const before = std::getenv("OMP_NUM_THREADS");
    std::string const kept = before != nullptr ? before : "";
    setenv("OMP_NUM_THREADS", "3,2", 1);
    CHECK(thread_count(0) == 3);
    CHECK(thread_count(5) == 5);
    setenv("OMP_NUM_THREADS", "100000", 1);
    CHECK_THAT(message_of<ConfigError>([] { thread_count(0); }), Contains("OMP_NUM_THREADS"));
    CHECK(thread_count(1) == 1);
    unsetenv("OMP_NUM_THREADS");
    CHECK(thread_count(0) == usable_processors());
    CHECK_THROWS_AS(thread_count(static_cast<int>(most_threads()) + 1), ConfigError);
    if (before != nullptr)
    {
        setenv("OMP_NUM_THREADS", kept.c_str(), 1);
    }
}
