#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/devices.hpp"
#include "engine/start/start_check.hpp"
#include "io/files/file_identity.hpp"
#include "io/files/standard_streams.hpp"
#include "io/input/input.hpp"
#include "io/yaml/enum_names.hpp"
#include "tools/bench/report.hpp"
#include "tools/run/paths.hpp"
#include "tools/run/start_state.hpp"
#include "tools/tune/choice.hpp"
#include "tools/tune/duel.hpp"
#include "tools/tune/knobs.hpp"
#include "tools/verb/input_options.hpp"
#include "tools/verb/verbs.hpp"

namespace tessera
{
namespace
{

using Json = nlohmann::ordered_json;

struct TuneOptions : InputOptions
{
    std::string device;
    double seconds = 60.0;
    std::filesystem::path json;
};

/// The keys that tuning sets, as the input spells their values.
std::vector<std::pair<std::string, std::string>> tuned_keys(Config const& config)
{
    auto const number = [](auto const& value) {
        return value ? fmt::format("{}", *value) : std::string("auto");
    };
    return {{"neighbor.skin", fmt::format("{}", config.neighbor.skin)},
            {"force.path", std::string(name_of(config.force.path))},
            {"force.lanes", number(config.force.lanes)},
            {"reorder.streams", fmt::format("{}", config.reorder.streams)},
            {"reorder.chunk_particles", number(config.reorder.chunk_particles)}};
}

/// The search: one knob after the other, each at what the earlier ones were set to.
class Tuner
{
public:
    Tuner(TuneOptions const& options, Config const& config, State const& state)
        : end_(now() + options.seconds),
          device_(device_for(config)),
          arena_(config, state, 0.1 * options.seconds, say),
          given_(arena_.present()),
          report_("tune", machine(), "# ")
    {
        report_.heading(fmt::format(
            "{} particles, {} precision, rebuild {}: whole steps after {} steps of warm-up; times "
            "a step, median [least, most]",
            arena_.particles(), name_of(config.force.precision), name_of(config.neighbor.rebuild),
            arena_.molten_steps()));
    }

    void run()
    {
        for (std::size_t knob = 0; knob < tune_knobs(given_, system()).size(); ++knob)
        {
            tune(knob);
        }
        chosen_ = arena_.present();
        check_whole();
    }

    /// The sentences and the sections to paste; JSON if a file is named.
    void conclude(std::filesystem::path const& json)
    {
        report_.heading("what was chosen, and why");
        for (std::string const& reason : reasons_)
        {
            fmt::print("# - {}\n", reason);
        }
        std::string const fragment = speed_to_yaml(chosen_);
        std::string settings;
        Json keys = Json::object();
        for (auto const& [key, value] : tuned_keys(chosen_))
        {
            settings += fmt::format(" --set {}={}", key, value);
            keys[key] = value;
        }
        fmt::print(
            "#\n# as options:{}\n# in the input, in place of its own sections of these "
            "names:\n{}",
            settings, fragment);
        report_.note("reasons", reasons_);
        report_.note("chosen", std::move(keys));
        report_.note("yaml", fragment);
        report_.write(json);
    }

private:
    static double now()
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }

    Json machine() const
    {
        Json json = describe_host();
        json["device"] = arena_.report().device;
        return json;
    }

    TuneSystem system() const
    {
        return {device_, arena_.particles(), arena_.report().lanes};
    }

    /// The time for the next duel: an equal share for each that is left, the last comparison
    /// with the input among them.
    double share(std::size_t knob, std::size_t done) const
    {
        std::vector<Knob> const knobs = tune_knobs(arena_.present(), system());
        std::size_t left = 1;
        for (std::size_t n = knob; n < knobs.size(); ++n)
        {
            left += knobs[n].challengers.size();
        }
        return std::max(end_ - now(), 0.0) / static_cast<double>(left - done);
    }

    void tune(std::size_t which)
    {
        Knob const knob = tune_knobs(arena_.present(), system())[which];
        if (!knob.fixed.empty())
        {
            reasons_.push_back(fmt::format("{}: not tuned, {}", knob.name, knob.fixed));
            return;
        }
        Contest contest{knob.name, knob.present, {}, {}};
        std::vector<std::size_t> timed;
        std::size_t skipped = 0;
        for (std::size_t n = 0; n < knob.challengers.size(); ++n)
        {
            Setting const& setting = knob.challengers[n];
            if (!setting.fault.empty() || now() >= end_)
            {
                skipped += setting.fault.empty() ? 1 : 0;
                add_untimed(knob, setting, setting.fault.empty() ? "out of time" : setting.fault);
                continue;
            }
            Duel const duel = arena_.fight(setting.config, share(which, n));
            if (!duel.fault.empty())
            {
                add_untimed(knob, setting, duel.fault);
                continue;
            }
            Comparison const comparison = compare(duel.present, duel.challenger);
            add_row(knob, setting, duel, comparison);
            contest.challengers.push_back(setting.name);
            contest.comparisons.push_back(comparison);
            timed.push_back(n);
        }
        std::string const late =
            skipped > 0
                ? fmt::format("; {} not timed, the time was over: give more --seconds", skipped)
                : "";
        reasons_.push_back(explain(contest) + late);
        if (std::optional<std::size_t> const winner = choose(contest.comparisons))
        {
            arena_.crown(knob.challengers[timed[*winner]].config);
        }
    }

    /// Knob by knob need not be right together: the input's own settings have the last word.
    void check_whole()
    {
        if (tuned_keys(chosen_) == tuned_keys(given_))
        {
            reasons_.emplace_back("together: the settings stay as they are");
            return;
        }
        Duel const duel = arena_.fight(given_, std::max(end_ - now(), 0.0));
        if (!duel.fault.empty())
        {
            reasons_.push_back("together: not compared with the input: " + duel.fault);
            return;
        }
        Comparison const comparison = compare(duel.challenger, duel.present);
        add_row({"together", "", {}, ""}, {"the input's settings", given_, ""}, duel,
                compare(duel.present, duel.challenger));
        std::string const text =
            fmt::format("together: {:.2f} times as fast as the input's settings (spread {:.1f} %)",
                        comparison.speed_up, 100.0 * comparison.spread);
        bool const faster = comparison.speed_up > 1.0;
        chosen_ = faster ? chosen_ : given_;
        reasons_.push_back(faster ? text : text + ", so those stay");
    }

    void add_untimed(Knob const& knob, Setting const& setting, std::string const& why)
    {
        report_.add(fmt::format("{} {}", knob.name, setting.name),
                    {{"knob", knob.name}, {"setting", setting.name}, {"not_timed", why}},
                    "not timed: " + why);
    }

    /// Both sides of a duel: the present setting is timed again beside each challenger.
    void add_row(Knob const& knob, Setting const& setting, Duel const& duel,
                 Comparison const& comparison)
    {
        Timing const timing = timing_of(duel.challenger);
        Timing const present = timing_of(duel.present);
        auto const particles = static_cast<double>(arena_.particles());
        Json details = {
            {"knob", knob.name},
            {"setting", setting.name},
            {"present", knob.present},
            {"present_seconds",
             {{"median", present.median}, {"least", present.least}, {"most", present.most}}},
            {"speed_up", comparison.speed_up},
            {"spread", comparison.spread},
            {"rounds", duel.present.size()},
            {"steps", duel.steps},
            {"particles", arena_.particles()},
            {"steps_per_second", 1.0 / timing.median},
            {"particle_steps_per_second", particles / timing.median}};
        for (auto const& [key, value] : tuned_keys(setting.config))
        {
            details[key] = value;
        }
        report_.add(fmt::format("{} {}", knob.name, setting.name), timing, std::move(details),
                    fmt::format("{:9.4g} steps/s {:9.4g} particle-steps/s  {:.3f} times the "
                                "present {:.2f} us, spread {:.1f} %",
                                1.0 / timing.median, particles / timing.median, comparison.speed_up,
                                1e6 * present.median, 100.0 * comparison.spread));
    }

    double end_;
    DeviceType device_;
    Arena arena_;
    Config given_, chosen_;
    BenchReport report_;
    std::vector<std::string> reasons_;
};

/// CLI11's own check lets nan through, and prints the largest double in full.
CLI::Validator seconds_number()
{
    return {[](std::string& text) -> std::string {
                double value = 0.0;
                bool const right =
                    CLI::detail::lexical_cast(text, value) && value > 0.0 && std::isfinite(value);
                return right ? "" : text + " is no number of seconds; give one above 0";
            },
            "POSITIVE"};
}

int tune(TuneOptions options)
{
    if (!options.device.empty())
    {
        options.overrides.push_back("device=" + options.device);
    }
    Input input = load_input(options.input, options.overrides);
    Config const& config = input.config;
    check_file_names(config);
    Claims claims;
    claims.read("the input", options.input);
    if (auto const* const start = std::get_if<FileConfig>(&config.system.start))
    {
        claims.read("system.file", start->path);
    }
    if (!options.json.empty())
    {
        claims.write("--json", options.json);
        check_report_way(options.json);
    }
    State const state = make_start(input);
    refuse_unfit_start(config, state);
    Tuner tuner(options, config, state);
    tuner.run();
    tuner.conclude(options.json);
    return 0;
}

}  // namespace

void add_tune(CLI::App& app, int& exit_code)
{
    auto const options = std::make_shared<TuneOptions>();
    CLI::App* const verb = app.add_subcommand(
        "tune", "Time settings that change speed and not results, on an input's own system");
    options->add_to(*verb);
    verb->add_option("--device", options->device, "auto, cpu, cuda or cuda:N");
    verb->add_option("--seconds", options->seconds, "About how long it may take")
        ->check(seconds_number());
    verb->add_option("--json", options->json, "Write the rows to this file");
    verb->callback([options, &exit_code] { exit_code = tune(*options); });
}

}  // namespace tessera
