#include "lib/campaign/case_file.h"

#include <fmt/format.h>

#include "lib/base/json.h"
#include "lib/family/kernel.h"
#include "lib/problem/call_text.h"

namespace ropewalk::campaign {
namespace {

constexpr const char* schema = "ropewalk.case/1";

}  // namespace

SavedCase read_case(std::string_view text, const std::string& path, const Kernels& kernels) {
  const JsonCursor cursor(parse_json(text, path), path);
  cursor.expect_keys({"schema", "kernel", "problem", "blocks", "rule", "finding"});
  cursor.expect_schema(schema);
  SavedCase kept;
  cursor.read("kernel", kept.kernel);
  cursor.read("problem", kept.problem);
  cursor.read_if("blocks", kept.blocks, 0, u64(1) << 40);
  const auto in_field = [&](const char* key, auto&& read) {
    try {
      return read();
    } catch (const InputError& error) {
      cursor.at(key).fail(error.what());
    }
  };
  const Kernel* const kernel = in_field("kernel", [&] { return &kernels.named(kept.kernel); });
  const std::string kind = in_field("problem", [&] { return CallText::parse(kept.problem).name; });
  if (kind != kernel->family->name) {
    cursor.at("problem").fail(
        fmt::format("{} answers {} problems, not {} ones", kept.kernel, kernel->family->name, kind));
  }
  in_field("problem", [&] { return kernel->family->parse(kept.problem); });
  return kept;
}

std::string case_text(const SavedCase& kept, const Finding& finding) {
  const nlohmann::ordered_json json = {
      {"schema", schema},      {"kernel", kept.kernel},         {"problem", kept.problem},
      {"blocks", kept.blocks}, {"rule", name_of(finding.rule)}, {"finding", finding.id}};
  return json.dump(2) + "\n";
}

}  // namespace ropewalk::campaign
