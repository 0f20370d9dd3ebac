#include "tests/mutants/argued.h"

#include <fstream>
#include <sstream>

#include "lib/base/json.h"
#include "reports/glob.h"

namespace ropewalk::mutants {

using reports::glob_matches;

namespace {

constexpr const char* schema = "ropewalk.argued-mutants/1";

Argued argued_of(const JsonCursor& entry) {
  entry.expect_keys({"entries", "rule", "source", "line", "instruction", "what", "argument", "unreached"});
  Argued argued;
  argued.entries = entry.at("entries").text();
  argued.rule = entry.at("rule").text();
  const auto read = [&](const char* key, std::string& pattern) {
    if (entry.has(key)) pattern = entry.at(key).text();
  };
  read("source", argued.source);
  read("line", argued.line);
  read("instruction", argued.instruction);
  read("what", argued.what);
  argued.argument = entry.at("argument").text();
  if (argued.argument.empty()) entry.at("argument").fail("expected an argument");
  if (entry.has("unreached")) argued.unreached = entry.at("unreached").boolean();
  return argued;
}

}  // namespace

bool Argued::fits(const Mutant& mutant) const {
  return rule == mutant.rule && glob_matches(entries, mutant.entry) &&
         glob_matches(source, mutant.source.substr(0, mutant.source.rfind(':'))) && glob_matches(line, mutant.line) &&
         glob_matches(instruction, mutant.instruction) && glob_matches(what, mutant.what);
}

std::string Argued::name() const {
  return entries + ": " + rule + " at " + source + ", " + line + ", " + instruction + ", " + what;
}

std::vector<Argued> read_argued(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw InputError(InputLocation{path}, "cannot read the arguments");
  const JsonCursor cursor(parse_json(text.str(), path), path);
  cursor.expect_keys({"schema", "mutants"});
  cursor.expect_schema(schema);
  std::vector<Argued> all;
  for (const JsonCursor& entry : cursor.at("mutants").elements()) all.push_back(argued_of(entry));
  return all;
}

}  // namespace ropewalk::mutants
