#include "lib/compat/caller.h"

#include <algorithm>
#include <map>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/mapped_file.h"
#include "lib/base/nearest.h"
#include "lib/compat/call_table.h"
#include "lib/compat/lse_layout.h"
#include "lib/compat/read_calls.h"
#include "lib/compat/source_tree.h"
#include "lib/compat/tables.h"

namespace ropewalk {
namespace {

// The versions that a source's guards compare with: between two of them its calls are the same.
std::vector<PackageVersion> thresholds_of(const std::vector<PythonStatement>& body) {
  std::vector<PackageVersion> all;
  for (const PythonStatement& statement : body) {
    for (const PythonToken& token : statement.tokens) {
      std::optional<PackageVersion> version;
      if (token.kind == PythonTokenKind::String) version = parse_version(contents_of(token));
      if (token.is_name()) version = version_in_name(std::string(token.text));
      if (version) all.push_back(*version);
    }
    for (PackageVersion& version : thresholds_of(statement.body)) all.push_back(std::move(version));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// A file of a caller's source, with what was read of it: once for all versions that its guards cannot tell apart.
class CallingFile {
 public:
  CallingFile(PythonFile file, const std::function<bool(const std::string&)>& is_named_elsewhere)
      : file_(std::move(file)), order_(file_, is_named_elsewhere), thresholds_(thresholds_of(file_.statements)) {}
  const PythonFile& file() const { return file_; }

  const CallsRead& calls_of(const ProviderView& view) {
    std::string key;
    for (const PackageVersion& one : thresholds_) {
      key += !view.version ? '?' : *view.version < one ? '<' : *view.version == one ? '=' : '>';
    }
    for (const auto& [module, functions] : view.modules) {
      key += "\n" + module;
      for (const std::string& function : functions) key += " " + function;
    }
    const auto found = read_.find(key);
    return found != read_.end() ? found->second : read_[key] = read_calls(file_, view, order_);
  }

 private:
  PythonFile file_;
  CallOrder order_;
  std::vector<PackageVersion> thresholds_;
  std::map<std::string, CallsRead> read_;
};

class SourceCaller : public Caller {
 public:
  SourceCaller(SourceTree tree, const Provider& provider) : tree_(std::move(tree)) {
    std::vector<std::string> tops;
    for (const auto& [module, functions] : provider.view().modules) tops.push_back(module.substr(0, module.find('.')));
    for (const SourceText& source : tree_.files) {
      const bool named = std::any_of(
          tops.begin(), tops.end(), [&](const std::string& top) { return source.text.find(top) != std::string::npos; });
      if (!named) continue;
      files_.emplace_back(read_python(source.path, source.text), [&](const std::string& name) {
        return std::any_of(tree_.files.begin(), tree_.files.end(), [&](const SourceText& other) {
          return &other != &source && other.text.find(name) != std::string::npos;
        });
      });
    }
  }

  std::string name() const override {
    if (tree_.package.empty()) return tree_.path;
    return tree_.package + (tree_.version.empty() ? "" : " " + tree_.version);
  }

  CallerCalls calls_of(const Provider& provider) const override {
    CallerCalls out;
    const ProviderView view = provider.view();
    for (CallingFile& one : files_) {
      const PythonFile& file = one.file();
      CallsRead read = one.calls_of(view);
      tell_lse_layout(
          file, provider, [&](const ProviderView& other) { return one.calls_of(other).calls; }, read.calls);
      for (Call& call : read.calls) out.calls.push_back(std::move(call));
      if (read.too_many_ways) out.notes.push_back(file.path + ": has too many ways through it; some were left out");
    }
    return out;
  }

 private:
  SourceTree tree_;
  mutable std::vector<CallingFile> files_;
};

std::unique_ptr<Caller> load_json(const std::string& path) {
  const MappedFile file(path);
  const Json document = parse_json(file.text(), path);
  const JsonCursor root(document, path);
  root.expect_keys({"schema", "caller", "from", "to", "calls"});
  if (root.at("schema").text() != "ropewalk.calls/1") root.at("schema").fail("expected \"ropewalk.calls/1\"");
  return read_call_table(root, root.at("caller").text(), path);
}

const Json& shipped_table() {
  static const Json document = parse_json(transformer_engine_table(), "transformer_engine.json");
  return document;
}

std::unique_ptr<Caller> load_shipped(const std::string& package, const std::string& version) {
  const JsonCursor root(shipped_table(), "transformer_engine.json");
  if (!same_package(package, root.at("package").text())) {
    throw InputError("--caller: no table ships for \"" + package + "\", only for " + root.at("package").text() +
                     "; give the path of its sources");
  }
  const std::optional<PackageVersion> wanted = parse_version(version);
  std::vector<std::string> known;
  for (const JsonCursor& release : root.at("releases").elements()) {
    for (const JsonCursor& one : release.at("versions").elements()) {
      known.push_back(one.text());
      if (!wanted || *parse_version(one.text()) != *wanted) continue;
      return read_call_table(release, root.at("package").text() + " " + one.text(), root.at("file").text());
    }
  }
  throw InputError("--caller: the table does not know " + package + " " + version + "; it knows " + known.front() +
                   " to " + known.back() + ", the nearest is " + nearest_of(version, known));
}

}  // namespace

std::unique_ptr<Caller> load_caller(const std::string& spec, const Provider& provider) {
  const size_t equals = spec.find("==");
  if (equals != std::string::npos) return load_shipped(spec.substr(0, equals), spec.substr(equals + 2));
  if (spec.ends_with(".json")) return load_json(spec);
  return std::make_unique<SourceCaller>(read_source_tree(spec), provider);
}

std::vector<std::string> shipped_callers() {
  const JsonCursor root(shipped_table(), "transformer_engine.json");
  std::vector<std::string> all;
  for (const JsonCursor& release : root.at("releases").elements()) {
    for (const JsonCursor& version : release.at("versions").elements()) {
      all.push_back(root.at("package").text() + "==" + version.text());
    }
  }
  return all;
}

}  // namespace ropewalk
