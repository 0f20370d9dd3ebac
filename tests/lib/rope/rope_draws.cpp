// Draws dumps and prints how the answers fall: rope_draws broken|healthy COUNT [FIRST_SEED [FAMILIES]], with a file of
// configurations to draw the formulas from; rope_draws show SEED [FAMILIES] tells all that is found in one broken dump.
// Exits 1 where fewer than 99.5% of the causes of broken dumps are right, there are fewer than 100 kinds of them, or a
// healthy dump has a finding.
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>

#include "lib/base/cores.h"
#include "tests/lib/rope/draws.h"

int main(int count, char** words) {
  using namespace ropewalk;
  using namespace ropewalk::rope;
  using namespace ropewalk::rope::testing;
  const bool broken = count > 1 && std::string(words[1]) == "broken";
  const u64 draws = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1000;
  const u64 first = count > 3 ? std::strtoull(words[3], nullptr, 10) : 1;
  const bool show = count > 2 && std::string(words[1]) == "show";
  std::vector<Family> families;
  if (count > (show ? 3 : 4)) families = read_families(words[show ? 3 : 4]);
  if (show) {
    const Draw draw = broken_draw(draws, families);
    fmt::print("{}\n", draw.text);
    const CacheAnswer answer = check_dumps(draw.dumps, draw.config, 1);
    for (const std::string& note : answer.notes) fmt::print("note: {}\n", note);
    for (const Finding& finding : answer.findings) {
      fmt::print("{}\n", finding.message);
      if (finding.cause) fmt::print("  {}: {}\n", finding.cause->id, finding.cause->text);
      for (const std::string& line : finding.cause ? finding.cause->evidence : finding.evidence)
        fmt::print("    {}\n", line);
    }
    return 0;
  }
  std::map<std::string, std::map<std::string, u64>> confusion;
  std::set<std::string> kinds;
  std::mutex mutex;
  std::atomic<u64> next = 0, wrong = 0;
  on_workers(2, [&](u32) {
    for (u64 n = next++; n < draws; n = next++) {
      const Draw draw = broken ? broken_draw(first + n, families) : healthy_draw(first + n, families);
      const std::string answer = answer_to(draw), right = broken ? draw.cause : "healthy";
      const std::lock_guard lock(mutex);
      ++confusion[right][answer];
      kinds.insert(draw.kind);
      if (answer == right) continue;
      if (wrong++ < 40) fmt::print("{}\n    answered {}\n", draw.text, answer);
    }
  });
  for (const auto& [right, answers] : confusion) {
    u64 all = 0;
    for (const auto& [answer, times] : answers) all += times;
    fmt::print("{:<26} {:>5} draws: {:6.2f}% right", right, all,
               100.0 * double(answers.count(right) ? answers.at(right) : 0) / double(all));
    for (const auto& [answer, times] : answers) {
      if (answer != right) fmt::print("; {} x {}", times, answer);
    }
    fmt::print("\n");
  }
  fmt::print("{} draws of {} kinds, {:.3f}% right\n", draws, kinds.size(),
             100.0 * double(draws - wrong) / double(draws));
  if (!broken) return wrong ? 1 : 0;
  return double(wrong) > 0.005 * double(draws) || (draws >= 10000 && kinds.size() < 100) ? 1 : 0;
}
