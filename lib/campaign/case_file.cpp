#include "lib/campaign/case_file.h"

#include <fmt/format.h>

#include "kernels/family.h"
#include "lib/base/json.h"

namespace ropewalk {
namespace {

constexpr const char* schema = "ropewalk.case/1";

}  // namespace

KeptCase read_case(std::string_view text, const std::string& path) {
  const Json json = parse_json(text, path);
  const JsonCursor cursor(json, path);
  cursor.expect_keys({"schema", "kernel", "problem", "blocks", "rule", "finding"});
  if (cursor.at("schema").text() != schema) cursor.at("schema").fail("expected \"" + std::string(schema) + "\"");
  KeptCase kept;
  kept.kernel = cursor.at("kernel").text();
  kept.problem = cursor.at("problem").text();
  if (cursor.has("blocks")) kept.blocks = cursor.at("blocks").natural(0, u64(1) << 40);
  const auto in_field = [&](const char* key, auto&& read) {
    try {
      return read();
    } catch (const InputError& error) {
      cursor.at(key).fail(error.what());
    }
  };
  const KernelFamily* const family = in_field("kernel", [&] { return &family_named(kept.kernel); });
  const Problem problem = in_field("problem", [&] { return parse_problem(kept.problem); });
  if (kind_of(problem) != family->problem_kind) {
    cursor.at("problem").fail(
        fmt::format("{} answers {} problems, not {} ones", kept.kernel, family->problem_kind, kind_of(problem)));
  }
  return kept;
}

std::string case_text(const KeptCase& kept, const Finding& finding) {
  const nlohmann::ordered_json json = {
      {"schema", schema},      {"kernel", kept.kernel},         {"problem", kept.problem},
      {"blocks", kept.blocks}, {"rule", name_of(finding.rule)}, {"finding", finding.id}};
  return json.dump(2) + "\n";
}

}  // namespace ropewalk
