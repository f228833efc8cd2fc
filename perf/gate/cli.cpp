#include "cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <functional>

#include "commands.hpp"

namespace selectors::gate {
namespace {

constexpr const char* codes = R"(Exit codes:
  0  every limit holds
  1  a metric is outside its limits
  2  bad input, or no data for a limit
  3  the measurement is broken: contaminated, blind, or of the wrong build
  4  too noisy to tell)";

class command_line {
 public:
  command_line(const surroundings& world, std::ostream& out) : world_(world), out_(out) {
    app_.require_subcommand(1);
    app_.footer(codes);
    add_check();
    add_explain();
    add_validate();
    add_propose();
    add_replay();
  }

  int run(std::vector<std::string> arguments, std::ostream& err) {
    std::reverse(arguments.begin(), arguments.end());  // the parser takes them from the back
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
      return app_.exit(error, out_, err) == 0 ? 0 : 2;
    }
    return command_();
  }

 private:
  void add_thresholds(CLI::App* sub, std::filesystem::path& where) {
    sub->add_option("--thresholds", where, "folder of the profiles")->capture_default_str();
  }

  void add_check() {
    auto* sub = app_.add_subcommand("check", "judge a measurement and write the report files");
    sub->add_option("--measurement", check_.measurement, "file that selectors-perf wrote")->required();
    add_thresholds(sub, check_.thresholds);
    sub->add_option("--report", check_.report, "folder for verdict.json, junit.xml and report.md")
        ->capture_default_str();
    sub->add_flag("--require-profile", check_.require_profile, "a machine without a profile is an error (2)");
    sub->callback([this] { command_ = [this] { return check(check_, world_, out_); }; });
  }

  void add_explain() {
    auto* sub = app_.add_subcommand("explain", "what a metric is, its limits and where they come from");
    sub->add_option("metric", explain_.metric, "its name, as check prints it")->required();
    add_thresholds(sub, explain_.thresholds);
    sub->add_option("--report", explain_.report, "folder with the last verdict.json")->capture_default_str();
    sub->callback([this] { command_ = [this] { return explain(explain_, world_, out_); }; });
  }

  void add_validate() {
    auto* sub = app_.add_subcommand("validate", "check files without judging anything; none: all thresholds");
    sub->add_option("files", validate_.files, "thresholds, measurements, evidence or verdicts");
    add_thresholds(sub, validate_.thresholds);
    sub->add_option("--base", validate_.base,
                    "older copy of the folder; what changed must have a higher revision");
    sub->callback([this] { command_ = [this] { return validate(validate_, world_, out_); }; });
  }

  void add_propose() {
    auto* sub =
        app_.add_subcommand("propose", "draft a machine-class profile from measurements; changes no profile");
    sub->add_option("--measurement", propose_.measurements, "one or more, 200 bursts together")->required();
    sub->add_option("--output", propose_.output, "the draft: NAME.json")->required();
    sub->add_option("--evidence", propose_.evidence, "the reduced bursts, to be committed beside it")
        ->required();
    sub->add_option("--profile", propose_.profile, "NAME of the machine class")->required();
    sub->add_option("--proposed-by", propose_.proposed_by, "who proposes it")->required();
    sub->add_flag("--with-twins", propose_.with_twins, "two-sided limits for the overheads too");
    add_thresholds(sub, propose_.thresholds);
    sub->callback([this] { command_ = [this] { return make_proposal(propose_, world_, out_); }; });
  }

  void add_replay() {
    auto* sub =
        app_.add_subcommand("replay", "the verdict on recorded bursts, without timing or report files");
    auto* source = sub->add_option_group("source");
    source->add_option("--evidence", replay_.evidence, "file that propose wrote");
    source->add_option("--measurement", replay_.measurement, "file that selectors-perf wrote");
    source->require_option(1);
    add_thresholds(sub, replay_.thresholds);
    sub->add_flag("--require-profile", replay_.require_profile,
                  "a machine without a profile is an error (2)");
    sub->add_flag("--gates", replay_.gates, "cut the recording into ordinary runs and count their verdicts");
    sub->callback([this] { command_ = [this] { return replay(replay_, world_, out_); }; });
  }

  const surroundings& world_;
  std::ostream& out_;
  CLI::App app_{"Judges measured ratios against the limits in thresholds/.", "selectors-gate"};
  check_arguments check_;
  explain_arguments explain_;
  validate_arguments validate_;
  propose_arguments propose_;
  replay_arguments replay_;
  std::function<int()> command_;
};

}  // namespace

int run_command(std::vector<std::string> arguments, const surroundings& world, std::ostream& out,
                std::ostream& err) {
  try {
    return command_line(world, out).run(std::move(arguments), err);
  } catch (const std::exception& error) {
    err << "selectors-gate: " << error.what() << '\n';
    return 2;
  }
}

}  // namespace selectors::gate
