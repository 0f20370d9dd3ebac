#include "lib/ptx/debug_names.h"

#include "lib/base/random.h"
#include "lib/ptx/constant.h"

namespace ropewalk::ptx {

namespace {

constexpr u32 most_files = 65535;
constexpr u32 deepest_inlining = 100;

// A number of a .loc line.
u32 number_in_line(Lexer& lexer, const char* expected) {
  const char c = lexer.peek_in_line();
  if (c < '0' || c > '9') lexer.fail(expected);
  const Mark mark = lexer.mark();
  const u64 number = read_constant(lexer).bits;
  if (number > 0xffffffffu) lexer.fail_at(mark, std::string("this number is too large, expected ") + expected);
  return u32(number);
}

u32 file_in_line(Lexer& lexer) {
  const Mark mark = lexer.mark();
  const u32 file = number_in_line(lexer, "the number of a file");
  if (file > most_files) lexer.fail_at(mark, "the number of this file is too large, expected 65535 at most");
  return file;
}

bool accept_in_line(Lexer& lexer, char c) { return lexer.peek_in_line() == c && lexer.accept(c); }

}  // namespace

u64 Locations::Hash::operator()(const Key& key) const {
  return mix((u64(key.file) << 32 | key.line) ^ mix(u64(key.column) << 32 | key.inlined_at)) ^
         std::hash<std::string_view>()(key.label);
}

Locations::Found Locations::add(const Key& key, u64 offset, u32 depth) {
  const auto [entry, is_new] = known_.try_emplace(key, Found{u32(function_.locations.size()), depth});
  if (is_new) {
    function_.locations.push_back(Location{key.file, key.line, key.column, key.inlined_at, 0});
    names_.push_back(DebugReference{key.label, offset});
  }
  latest_[Key{key.file, key.line, key.column, 0, {}}] = entry->second;
  return entry->second;
}

u32 Locations::read(Lexer& lexer, u32* largest_file) {
  Key key{};
  lexer.peek_in_line();
  key.file = file_in_line(lexer);
  key.line = number_in_line(lexer, "the line in the source");
  const char c = lexer.peek_in_line();
  if (c >= '0' && c <= '9') key.column = number_in_line(lexer, "the column in the source");
  if (key.file > *largest_file) *largest_file = key.file;
  u64 offset = 0;
  u32 depth = 0;
  while (accept_in_line(lexer, ',')) {
    lexer.peek_in_line();
    const Mark mark = lexer.mark();
    const std::string_view what = lexer.word("\"function_name\" or \"inlined_at\"");
    lexer.peek_in_line();
    if (what == "function_name") {
      key.label = lexer.word("the label of a name in .debug_str");
      if (accept_in_line(lexer, '+')) offset = number_in_line(lexer, "an offset");
    } else if (what == "inlined_at") {
      Key outer{};
      outer.file = file_in_line(lexer);
      outer.line = number_in_line(lexer, "the line in the source");
      outer.column = number_in_line(lexer, "the column in the source");
      if (outer.file > *largest_file) *largest_file = outer.file;
      const auto found = latest_.find(outer);
      const bool usable = found != latest_.end() && found->second.depth < deepest_inlining;
      const Found at = usable ? found->second : add(outer, 0, 0);
      key.inlined_at = at.number;
      depth = at.depth + 1;
    } else {
      lexer.fail_at(mark,
                    "found \"" + std::string(what.substr(0, 60)) + "\", expected \"function_name\" or \"inlined_at\"");
    }
  }
  return add(key, offset, depth).number;
}

void DebugNames::read_section(Lexer& lexer, std::string_view name) {
  lexer.expect('{', "at the begin of a section");
  if (name != "debug_str") {
    if (!lexer.jump_past('}')) lexer.fail("'}' at the end of a section");
    return;
  }
  while (!lexer.accept('}')) {
    if (lexer.at_word()) {
      const std::string_view label = lexer.cut_word();
      lexer.expect(':', "after a label");
      labels_[label] = bytes_.size();
    } else if (const Mark mark = lexer.mark(); lexer.directive() == "b8") {
      do {
        bytes_ += char(read_integer(lexer, "a byte"));
      } while (lexer.accept(','));
    } else {
      lexer.fail_at(mark, "expected a label, a row of \".b8\" or '}' in section .debug_str");
    }
  }
}

u32 DebugNames::number_of(const DebugReference& reference, std::vector<std::string>& names) {
  const auto found = labels_.find(reference.label);
  if (found == labels_.end() || reference.offset >= bytes_.size() - found->second) return 0;
  const u64 at = found->second + reference.offset;
  if (const auto known = numbers_.find(at); known != numbers_.end()) return known->second;
  const std::string_view text = bytes_.c_str() + at;
  const u32 number = text.empty() ? 0 : u32(names.size());
  if (number) names.emplace_back(text);
  numbers_[at] = number;
  return number;
}

}  // namespace ropewalk::ptx
