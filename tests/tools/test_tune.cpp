/// What `tessera tune` concludes from timings, what it tries, and how it times.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/check.hpp"
#include "engine/start/initial.hpp"
#include "io/input/input.hpp"
#include "tests/support/support.hpp"
#include "tests/support/yaml_inputs.hpp"
#include "tools/tune/choice.hpp"
#include "tools/tune/duel.hpp"
#include "tools/tune/knobs.hpp"

using namespace tessera;
using Catch::Matchers::Contains;

namespace
{

TuneSystem const on_gpu{DeviceType::cuda, 100'000, 2};
TuneSystem const on_cpu{DeviceType::cpu, 100'000, 1};

Config config_of(std::string const& section = "")
{
    return parse_input(input(section), "in.yaml", {}).config;
}

std::vector<std::string> names(Knob const& knob)
{
    std::vector<std::string> all;
    for (Setting const& setting : knob.challengers)
    {
        all.push_back(setting.name);
    }
    return all;
}

Contest contest(std::vector<Comparison> comparisons)
{
    Contest made{"path", "reordered", {}, std::move(comparisons)};
    for (std::size_t n = 0; n < made.comparisons.size(); ++n)
    {
        made.challengers.push_back("other" + std::to_string(n));
    }
    return made;
}

}  // namespace

TEST_CASE("rounds are compared in pairs, so a machine that changes its speed decides nothing")
{
    // The machine slows down threefold on the way; the challenger takes 0.8 of the time throughout.
    std::vector<double> const present{1.0, 1.5, 2.0, 2.5, 3.0};
    std::vector<double> challenger;
    for (double const seconds : present)
    {
        challenger.push_back(0.8 * seconds);
    }
    Comparison const comparison = compare(present, challenger);
    CHECK(comparison.speed_up == Approx(1.25));
    CHECK(comparison.spread == Approx(0.0).margin(1e-12));
    CHECK(wins(comparison));
}

TEST_CASE("the spread is the interquartile range, and one outlier does not decide")
{
    // Ratios 0.9, 1.0, 1.1, 1.2, 50: quartiles 1.0 and 1.2.
    Comparison const comparison = compare({0.9, 50.0, 1.1, 1.0, 1.2}, {1.0, 1.0, 1.0, 1.0, 1.0});
    CHECK(comparison.speed_up == Approx(1.1));
    CHECK(comparison.spread == Approx(0.2));
    CHECK_FALSE(wins(comparison));
    // Quartiles between two values: ratios 1, 2, 3, 4.
    CHECK(compare({4.0, 1.0, 3.0, 2.0}, {1.0, 1.0, 1.0, 1.0}).speed_up == Approx(2.5));
    CHECK(compare({4.0, 1.0, 3.0, 2.0}, {1.0, 1.0, 1.0, 1.0}).spread == Approx(1.5));
    CHECK(compare({3.0}, {2.0}).speed_up == Approx(1.5));
}

TEST_CASE("the present setting stays unless a challenger wins by more than the spread")
{
    CHECK_FALSE(choose({}));
    CHECK_FALSE(choose({{0.9, 0.0}, {1.0, 0.0}}));
    CHECK_FALSE(choose({{1.125, 0.125}}));
    CHECK(choose({{1.25, 0.125}}) == 0U);
    // Below one percent nothing is worth a key.
    CHECK_FALSE(choose({{1.009, 0.0}}));
    // The fastest of those that win, though a wild one looks faster.
    CHECK(choose({{1.2, 0.05}, {1.3, 0.05}, {1.5, 0.9}}) == 1U);
}

TEST_CASE("the reason names the margin over the present setting and over the second")
{
    std::string const won = explain(contest({{1.2, 0.01}, {1.5, 0.02}}));
    CHECK_THAT(won, Contains("path: other1, 1.50 times as fast as reordered (spread 2.0 %)"));
    CHECK_THAT(won, Contains("1.25 times as fast as the next, other0"));
    // Where nothing else beat the present setting, that was the second.
    CHECK_THAT(explain(contest({{0.5, 0.01}, {1.5, 0.02}})), !Contains("next"));
    CHECK_THAT(explain(contest({{1.02, 0.05}, {0.5, 0.0}})),
               Contains("reordered stays; other0, the best other, was 2.0 % faster, within the "
                        "spread of 5.0 %"));
    CHECK_THAT(explain(contest({{1.005, 0.001}})),
               Contains("0.5 % faster, less than the 1.0 % that a change must gain"));
    CHECK_THAT(explain(contest({{0.8, 0.03}})), Contains("20.0 % slower (spread 3.0 %)"));
    CHECK_THAT(explain(contest({})), Contains("reordered stays; nothing else was timed"));
}

TEST_CASE("what is tried changes speed alone")
{
    for (std::string const section :
         {"", "neighbor: {skin: 0}\n", "neighbor: {rebuild: on_displacement, skin: 0.25}\n",
          "force: {path: gather, precision: double}\n", "force: {lanes: 4}\n",
          "reorder: {format: float, chunk_particles: 64, streams: 3}\n"})
    {
        Config const config = config_of(section);
        for (TuneSystem const& system : {on_gpu, on_cpu})
        {
            for (Knob const& knob : tune_knobs(config, system))
            {
                INFO(section << " " << knob.name);
                std::set<std::string> seen{knob.present};
                for (Setting const& setting : knob.challengers)
                {
                    INFO(setting.name);
                    CHECK(seen.insert(setting.name).second);
                    CHECK(setting.fault.empty());
                    CHECK(check(setting.config).empty());
                    CHECK(speed_to_yaml(setting.config) != speed_to_yaml(config));
                    // All but the tuned keys is the input's.
                    Config other = setting.config;
                    other.neighbor.skin = config.neighbor.skin;
                    other.force.path = config.force.path;
                    other.force.lanes = config.force.lanes;
                    other.reorder.streams = config.reorder.streams;
                    other.reorder.chunk_particles = config.reorder.chunk_particles;
                    CHECK(to_yaml(other) == to_yaml(config));
                }
            }
        }
    }
}

TEST_CASE("each knob is tried only where it does something")
{
    Config const reordered = config_of();
    Config const gather = config_of("force: {path: gather}\n");
    Config const shoc = config_of("force: {path: shoc}\n");
    CHECK(names(path_knob(reordered)) == std::vector<std::string>{"gather", "shoc"});
    CHECK(names(skin_knob(reordered)) == std::vector<std::string>{"0.15", "0.2", "0.4", "0.5"});
    CHECK(names(skin_knob(config_of("neighbor: {skin: 0}\n"))).size() == 5);
    // Two lanes are what auto has.
    CHECK(names(lanes_knob(gather, on_gpu)) == std::vector<std::string>{"1", "4", "8", "16"});
    CHECK_THAT(lanes_knob(gather, on_cpu).fixed, Contains("CPU"));
    CHECK_THAT(lanes_knob(shoc, on_gpu).fixed, Contains("shoc"));
    CHECK_THAT(chunks_knob(gather, on_gpu).fixed, Contains("no chunks"));
    // One chunk alone, then 2 to 16 chunks with three numbers of streams each.
    auto const on_the_gpu = names(chunks_knob(reordered, on_gpu));
    CHECK(on_the_gpu.size() == 1 + 4 * 3);
    CHECK(on_the_gpu.front() == "131072 in 1 stream");
    CHECK(on_the_gpu.back() == "8192 in 4 streams");
    CHECK(names(chunks_knob(reordered, on_cpu)) ==
          std::vector<std::string>{"4096", "2048", "1024", "512", "256", "128"});
    // A size that was asked for is held against auto.
    CHECK(names(chunks_knob(config_of("reorder: {chunk_particles: 256}\n"), on_cpu)) ==
          std::vector<std::string>{"auto", "4096", "2048", "1024", "512", "128"});
}

TEST_CASE("what an input cannot have is said, not tried")
{
    Config config = config_of("force: {path: gather}\n");
    config.system.species.clear();
    config.potential.pairs.clear();
    config.potential.mixing = Mixing::geometric;
    for (int index = 0; index < 17; ++index)
    {
        std::string const name(1, static_cast<char>('A' + index));
        config.system.species.push_back({name, 1.0, std::nullopt});
        config.potential.pairs.push_back({name, name, 1.0, 1.0, std::nullopt});
    }
    Knob const knob = path_knob(config);
    CHECK_THAT(knob.challengers[0].fault, Contains("reorder.format"));
    CHECK(knob.challengers[1].fault.empty());
}

TEST_CASE("a duel has as many samples of both, and a challenger that cannot run is a fault")
{
    Config const config = config_of("force: {path: auto}\ndevice: cpu\nthreads: 1\n");
    int notices = 0;
    Arena arena(config, make_initial_state(config), 0.05, [&](std::string const&) { ++notices; });
    CHECK(notices == 1);  // which path it is
    CHECK(arena.present().force.path != ForcePath::automatic);
    CHECK(arena.molten_steps() >= 50);
    CHECK(arena.particles() == 256);

    Config other = arena.present();
    other.neighbor.skin = 0.5;
    auto const check_samples = [&](Duel const& duel) {
        CHECK(duel.fault.empty());
        CHECK(duel.present.size() >= 3);
        CHECK(duel.present.size() == duel.challenger.size());
        CHECK(duel.steps >= 20);
        CHECK(*std::min_element(duel.present.begin(), duel.present.end()) > 0.0);
        CHECK(*std::min_element(duel.challenger.begin(), duel.challenger.end()) > 0.0);
    };
    check_samples(arena.fight(other, 0.05));

    Config absent = other;
    absent.device = {DeviceType::cuda, 99};
    Duel const none = arena.fight(absent, 0.05);
    CHECK_THAT(none.fault, Contains("device"));
    CHECK(none.present.empty());
    check_samples(arena.fight(other, 0.05));

    arena.crown(other);
    CHECK(arena.present().neighbor.skin == 0.5);
    check_samples(arena.fight(config, 0.05));
}
