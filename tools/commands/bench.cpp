#include <fmt/format.h>

#include "lib/base/error.h"
#include "lib/machine/machine.h"
#include "tools/bench/measure.h"
#include "tools/commands/answer.h"

namespace ropewalk::tools {
namespace {

// One column of the table.
struct Setting {
  const char* title;
  RunOptions options;
};

std::vector<Setting> settings() {
  RunOptions all, bounds;
  all.threads = bounds.threads = 1;
  bounds.checks = parse_checks("bounds");
  return {{"all checks", all}, {"bounds", bounds}};
}

std::string cell(const Speed& speed) {
  if (!speed.not_measured.empty()) return fmt::format("{:>12}", "-");
  return fmt::format("{:>10.2f} G", speed.per_second() / 1e9);
}

std::string table(const std::string& title, const std::vector<MeasuredLaunch>& subjects, const BenchOptions& options) {
  const std::unique_ptr<Executor> executor = machine::make_machine();
  std::string out = fmt::format("{:<28}", title);
  for (const Setting& setting : settings()) out += fmt::format("{:>12}", setting.title);
  out += "\n";
  size_t count = 0;
  for (const MeasuredLaunch& subject : subjects) {
    if (subject.name.find(options.filter) == std::string::npos) continue;
    ++count;
    std::string line = fmt::format("{:<28}", subject.name), remark;
    for (const Setting& setting : settings()) {
      const Speed speed = measure(subject.name, subject.launch, *executor, setting.options, options.seconds);
      line += cell(speed);
      if (remark.empty() && !speed.not_measured.empty()) remark = "  not measured: " + speed.not_measured;
    }
    out += line + remark + "\n";
  }
  return count ? out + "\n" : "";
}

// A campaign is measured for longer than a launch: its first cases are not like the others.
constexpr double campaign_times = 20;

std::string speed_line(const std::string& name, const CampaignSpeed& speed) {
  const std::string found = speed.findings ? fmt::format(", with {} findings", speed.findings) : "";
  return fmt::format("{:<38} {:.0f} cases/s on {} cores, all checks on, compared with the reference{}\n", name,
                     speed.per_second(), speed.jobs, found);
}

constexpr const char* reference_name = "reference, 8 heads, T=512, D=64";

std::string reference_line(double seconds) {
  const ReferenceSpeed speed = reference_speed(seconds);
  return fmt::format(
      "{:<38} {:.1f} GFLOP/s forward, {:.1f} forward and backward on {} cores, in double precision with bounds\n",
      reference_name, speed.forward / 1e9, speed.both / 1e9, speed.cores);
}

std::string campaign_lines(const BenchOptions& options) {
  const auto is_meant = [&](const std::string& name) { return name.find(options.filter) != std::string::npos; };
  std::string lines;
  const std::string campaign = "campaign over " + options.family + " kernels",
                    small = options.family == "rotary" ? "small cases, T to 64, D to 128"
                                                       : "small cases, one head, T to 64, D 64";
  const double seconds = campaign_times * options.seconds;
  if (is_meant(campaign)) lines += speed_line(campaign, campaign_speed(options.family, seconds));
  if (is_meant(small)) lines += speed_line(small, small_cases_speed(options.family, seconds));
  if (options.family == "attention" && is_meant(reference_name)) lines += reference_line(seconds);
  return lines;
}

}  // namespace

std::string answer(const BenchOptions& options) {
  const std::string campaign = campaign_lines(options);
  const std::string tables = table("kernel", kernel_subjects(options.family), options) +
                             table("instructions", instruction_subjects(), options);
  if (tables.empty() && !campaign.empty()) return campaign;
  if (tables.empty()) throw InputError("bench: no measurement has \"" + options.filter + "\" in its name");
  return "thread-instructions a second on one core\n\n" + tables + campaign;
}

}  // namespace ropewalk::tools
