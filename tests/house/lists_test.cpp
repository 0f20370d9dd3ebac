// Where rules, checks and instructions are listed for readers, the list is the house's own (lib/finding/list.h, what
// each check says of itself, lib/ptx/instruction_table.h). ROPEWALK_UPDATE_GOLDEN=1 writes the lists again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "lib/machine/checks/unit.h"
#include "lib/ptx/instruction_table.h"
#include "reports/rules.h"
#include "tests/house/repository.h"

namespace ropewalk::testing {
namespace {

// Compares lines of a file, from the one after `before` up to the first that does not start with `start`, with those
// that a list makes. make(lines that are there) gives those that should be.
template <class Make>
void expect_lines(const std::string& path, const std::string& before, const std::string& start, Make make) {
  std::vector<std::string> lines = lines_of(content_of(path));
  const auto first = std::find(lines.begin(), lines.end(), before) + 1;
  ASSERT_LT(first, lines.end()) << path << " has no line \"" << before << "\"";
  const auto last = std::find_if(first, lines.end(), [&](const auto& line) { return !line.starts_with(start); });
  const std::vector<std::string> there(first, last), wanted = make(there);
  ASSERT_FALSE(wanted.empty());
  const char* const update = std::getenv("ROPEWALK_UPDATE_GOLDEN");
  if (!update || std::string(update) != "1") {
    EXPECT_EQ(there, wanted) << path << ", after line " << first - lines.begin()
                             << ": not what the house has; ROPEWALK_UPDATE_GOLDEN=1 writes it again";
    return;
  }
  const auto at = lines.erase(first, last);
  lines.insert(at, wanted.begin(), wanted.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  replace_content(path, text);
}

TEST(Lists, TheSchemaHasAllRules) {
  expect_lines("reports/schema/report-1.schema.json", "      \"out-of-bounds-read\",", "      \"", [](const auto&) {
    std::vector<std::string> names;
    for (const Rule rule : all_rules()) names.push_back(fmt::format("      \"{}\",", name_of(rule)));
    names.back().pop_back();
    names.erase(names.begin());
    return names;
  });
}

// A row may say more behind its rules.
TEST(Lists, TheManualHasAllChecksWithTheirRules) {
  expect_lines("docs/manual.md", "| check | rules |", "|", [](const std::vector<std::string>& there) {
    std::vector<std::string> rows{"|---|---|"};
    for (const Check check : all_checks()) {
      std::string row = fmt::format("| `{}` | ", name_of(check));
      for (const RuleInfo& info : machine::unit_of(check).rules) {
        row += fmt::format("{}`{}`", row.ends_with(' ') ? "" : ", ", name_of(info.rule));
      }
      const auto old =
          std::find_if(there.begin(), there.end(), [&](const auto& line) { return line.starts_with(row); });
      rows.push_back(old == there.end() ? row + " |" : *old);
    }
    return rows;
  });
}

TEST(Lists, TheManualHasAllInstructions) {
  using ptx::Group;
  expect_lines("docs/manual.md", "| instructions | opcodes |", "|", [](const auto&) {
    std::vector<std::string> rows{"|---|---|"};
    const auto add = [&](std::string_view what, auto belongs) {
      std::string row = fmt::format("| {} | ", what);
      for (const ptx::InstructionRow& one : ptx::table::rows) {
        const bool is_instruction = !one.stem.empty() && one.stem[0] != '@';
        if (is_instruction && belongs(one)) row += fmt::format("{}`{}`", row.ends_with("| ") ? "" : ", ", one.stem);
      }
      rows.push_back(row + " |");
    };
    for (const auto& [group, name] :
         {std::pair{Group::Arithmetic, "arithmetic"}, std::pair{Group::Video, "video"},
          std::pair{Group::Move, "values and addresses"}, std::pair{Group::Memory, "loads and stores"},
          std::pair{Group::Barrier, "barriers in shared memory"}, std::pair{Group::Matrix, "tensor cores"},
          std::pair{Group::Warp, "warps"}, std::pair{Group::Control, "control"}}) {
      add(name, [&](const ptx::InstructionRow& one) { return one.is_known() && one.facts.group == group; });
    }
    add("not known", [](const ptx::InstructionRow& one) { return !one.is_known(); });
    return rows;
  });
}

TEST(Lists, EveryRuleHasOnePageOfThreeSentences) {
  for (const Rule rule : all_rules()) {
    u32 pages = u32(std::ranges::count(rules_without_check(), rule, &RuleInfo::rule));
    for (const Check check : all_checks()) pages += machine::unit_of(check).info_of(rule) != nullptr;
    ASSERT_EQ(pages, 1u) << name_of(rule) << ": a rule stands with one check, or in rules_without_check.cpp";
    const RuleInfo& info = reports::info_of(rule);
    for (const std::string_view sentence : {info.means, info.hurts, info.causes}) {
      EXPECT_GT(sentence.size(), 40u) << name_of(rule);
      EXPECT_EQ(sentence.back(), '.') << name_of(rule);
      EXPECT_EQ(sentence.find(". "), std::string_view::npos) << name_of(rule) << ": more than one sentence";
    }
    EXPECT_FALSE(info.title.empty());
    EXPECT_NE(info.title.back(), '.');
  }
}

}  // namespace
}  // namespace ropewalk::testing
