#include "lib/compat/call_table.h"

namespace ropewalk::compat {
namespace {

std::optional<PackageVersion> read_version(const JsonCursor& cursor, const char* key) {
  if (!cursor.has(key)) return std::nullopt;
  const JsonCursor field = cursor.at(key);
  const std::optional<PackageVersion> version = parse_version(field.text());
  if (!version) field.fail("expected a version such as \"2.6.0\", found " + field.description());
  return version;
}

VersionRange read_range(const JsonCursor& cursor) {
  const VersionRange range{read_version(cursor, "from"), read_version(cursor, "to"), read_version(cursor, "below")};
  for (const char* end : {"to", "below"}) {
    const std::optional<PackageVersion>& last = std::string(end) == "to" ? range.to : range.below;
    if (!range.from || !last || *range.from <= *last) continue;
    cursor.at(end).fail("expected no version before \"from\" (" + range.from->text + "), found " + last->text);
  }
  return range;
}

template <class Value>
struct Conditional {
  Value value;
  VersionRange range;
};

struct TableCall {
  Call call;  // without what depends on the version
  VersionRange range;
  std::vector<Conditional<NamedText>> keywords;
  std::vector<Conditional<ResultUse>> uses;
  std::vector<Conditional<std::string>> layouts;
};

TableCall read_call(const JsonCursor& cursor, const std::string& file) {
  cursor.expect_keys({"function", "module", "at", "line", "positional", "keywords", "results", "unpacked", "lse",
                      "from", "to", "below"});
  TableCall one;
  one.range = read_range(cursor);
  one.call.file = file;
  cursor.read("function", one.call.function);
  cursor.read_if("module", one.call.module);
  cursor.read_if("at", one.call.scope);
  cursor.read_if("line", one.call.line, 1, 1 << 30);
  cursor.read_if("unpacked", one.call.unpacked, 1, 1000);
  cursor.read_if("positional", one.call.positional);
  if (cursor.has("keywords")) {
    for (const JsonCursor& keyword : cursor.at("keywords").elements()) {
      if (keyword.is_text()) {
        one.keywords.push_back({{keyword.text(), keyword.text()}, {}});
        continue;
      }
      keyword.expect_keys({"name", "from", "to", "below"});
      const std::string name = keyword.at("name").text();
      one.keywords.push_back({{name, name}, read_range(keyword)});
    }
  }
  if (cursor.has("results")) {
    for (const JsonCursor& use : cursor.at("results").elements()) {
      use.expect_keys({"index", "name", "from", "to", "below"});
      one.uses.push_back(
          {{i64(use.at("index").natural(0, 1000)), use.has("name") ? use.at("name").text() : "", 0}, read_range(use)});
    }
  }
  if (cursor.has("lse")) {
    for (const JsonCursor& layout : cursor.at("lse").elements()) {
      layout.expect_keys({"layout", "from", "to", "below"});
      one.layouts.push_back({layout.at("layout").text(), read_range(layout)});
    }
  }
  return one;
}

class TableCaller : public Caller {
 public:
  TableCaller(const JsonCursor& cursor, std::string name, const std::string& file)
      : name_(std::move(name)), range_(read_range(cursor)) {
    for (const JsonCursor& call : cursor.at("calls").elements()) calls_.push_back(read_call(call, file));
  }

  std::string name() const override { return name_; }

  CallerCalls calls_of(const Provider& provider) const override {
    CallerCalls out;
    if (!provider.version) {
      out.notes.push_back("the version of " + provider.package + " is not known; give it with --provider-version");
      return out;
    }
    const PackageVersion& version = *provider.version;
    if (!range_.holds(version)) return out;
    for (const TableCall& one : calls_) {
      if (!one.range.holds(version)) continue;
      Call call = one.call;
      for (const auto& [keyword, range] : one.keywords) {
        if (range.holds(version)) call.keywords.push_back(keyword);
      }
      for (const auto& [use, range] : one.uses) {
        if (range.holds(version)) call.uses.push_back(use);
      }
      for (const auto& [layout, range] : one.layouts) {
        if (range.holds(version)) call.lse_layout = layout;
      }
      out.calls.push_back(std::move(call));
    }
    return out;
  }

 private:
  std::string name_;
  VersionRange range_;
  std::vector<TableCall> calls_;
};

}  // namespace

bool VersionRange::holds(const PackageVersion& version) const {
  return !(from && version < *from) && !(to && version > *to) && !(below && version >= *below);
}

std::unique_ptr<Caller> read_call_table(const JsonCursor& cursor, std::string name, std::string file) {
  return std::make_unique<TableCaller>(cursor, std::move(name), file);
}

}  // namespace ropewalk::compat
