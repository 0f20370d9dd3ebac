// Functions: head, parameters, directives. The body is read in read_body.cpp.
#include "lib/ptx/body.h"
#include "lib/ptx/constant.h"
#include "lib/ptx/reader.h"

namespace ropewalk::ptx {

namespace {

bool have_same_parameters(const Function& a, const Function& b) {
  if (a.return_count != b.return_count || a.parameter_count != b.parameter_count) return false;
  for (u32 n = 0; n < a.return_count + a.parameter_count; ++n) {
    const Variable &one = a.variables[n], &other = b.variables[n];
    const bool are_aligned = !one.alignment || !other.alignment || one.alignment == other.alignment;
    if (one.type != other.type || one.vector != other.vector || one.extents != other.extents || !are_aligned)
      return false;
  }
  return true;
}

class FunctionReader {
 public:
  FunctionReader(ReadState& state, bool is_entry, const std::string& linkage) : state_(state), lexer_(state.lexer) {
    function_.is_entry = is_entry;
    function_.linkage = linkage;
  }

  void read() {
    while (lexer_.peek() == '.') attribute();
    if (!function_.is_entry && lexer_.peek() == '(') parameters(&function_.return_count);
    lexer_.peek();
    const Mark mark = lexer_.mark();
    const std::string_view name = lexer_.word("the name of a function");
    function_.name = name;
    function_.line = mark.line;
    if (lexer_.peek() == '(') parameters(&function_.parameter_count);
    directives();
    const u64 index = function_index(name, mark);
    function_.has_body = lexer_.peek() == '{';
    if (function_.has_body) {
      state_.local_base[index] = u32(state_.module.variables.size());
      read_body(state_, function_, state_.inlined[index], marks_);
    } else if (!lexer_.accept(';')) {
      lexer_.fail("'{' of the function's body or ';'");
    }
    store(index);
  }

 private:
  void attribute() {
    const Mark mark = lexer_.mark();
    if (lexer_.directive() != "attribute") lexer_.fail_at(mark, "expected the name of a function");
    lexer_.expect('(', "after \".attribute\"");
    if (!lexer_.jump_past(')')) lexer_.fail("')' after an attribute");
  }

  void parameters(u32* count) {
    lexer_.expect('(', "before parameters");
    if (lexer_.accept(')')) return;
    do {
      lexer_.peek();
      Mark mark = lexer_.mark();
      const std::string_view word = lexer_.directive();
      if (word == "reg") lexer_.fail_at(mark, "parameters in registers are not supported, expected \".param\"");
      if (word != "param") lexer_.fail_at(mark, "expected \".param\" of a parameter");
      const Variable kind = read_variable_kind(state_, Space::Param, "");
      function_.variables.push_back(read_variable_name(state_, kind, false, &mark));
      marks_.push_back(mark);
      ++*count;
    } while (lexer_.accept(','));
    lexer_.expect(')', "after the last parameter");
  }

  void directives() {
    while (lexer_.peek() == '.') function_.directives.push_back(directive());
  }

  // A directive with what follows it, whatever that is, with single spaces.
  std::string directive() {
    const std::string_view name = lexer_.directive();
    if (name.empty()) lexer_.fail("a directive");
    std::string text = "." + std::string(name);
    if (name == "pragma") {
      text += " \"" + std::string(lexer_.quoted("the text of a pragma in quotes")) + "\"";
      lexer_.expect(';', "after a pragma");
      return text;
    }
    while (true) {
      const char c = lexer_.peek();
      if (c == '.' || c == '{' || c == ';' || lexer_.at_end()) return text;
      if (c != ',' && c != ')' && text.back() != '(') text += ' ';
      if (c == '"') {
        text += '"' + std::string(lexer_.quoted("text")) + '"';
      } else if (lexer_.at_word()) {
        text += lexer_.cut_word();
      } else if (c >= '0' && c <= '9') {
        text += lexer_.cut_number();
      } else if (std::string_view(",()=-+:").find(c) != std::string_view::npos) {
        text += c;
        lexer_.advance(1);
      } else {
        lexer_.fail("'{' of the function's body or ';'");
      }
    }
  }

  // The function's number: a new one, or that of its earlier declaration.
  u64 function_index(std::string_view name, Mark mark) {
    NameTable::Entry* entry = state_.names.insert(name);
    if (entry->number == NameTable::none) {
      const u64 index = state_.module.functions.size();
      entry->number = ReadState::function_number(index);
      state_.module.functions.emplace_back();
      Function& declared = state_.module.functions.back();
      declared.name = function_.name;
      state_.local_base.push_back(0);
      state_.inlined.emplace_back();
      return index;
    }
    const std::string quoted = "\"" + function_.name.substr(0, 200) + "\"";
    if (entry->number % 2) lexer_.fail_at(mark, quoted + " is a variable already");
    const u64 index = entry->number / 2;
    const Function& known = state_.module.functions[index];
    const std::string first = ", first on line " + std::to_string(known.line);
    if (known.has_body)
      lexer_.fail_at(mark,
                     quoted + (lexer_.peek() == '{' ? " is defined twice" : " is declared behind its body") + first);
    if (known.is_entry != function_.is_entry) lexer_.fail_at(mark, quoted + " is an entry and a function" + first);
    if (!have_same_parameters(known, function_))
      lexer_.fail_at(mark, quoted + " has other parameters elsewhere" + first);
    return index;
  }

  void store(u64 index) {
    Function& known = state_.module.functions[index];
    if (function_.linkage == "extern" && function_.has_body) function_.linkage.clear();
    const std::string alias = known.alias;
    known = std::move(function_);
    known.alias = alias;
  }

  ReadState& state_;
  Lexer& lexer_;
  Function function_;
  std::vector<Mark> marks_;
};

}  // namespace

void read_function(ReadState& state, bool is_entry, const std::string& linkage) {
  FunctionReader(state, is_entry, linkage).read();
}

}  // namespace ropewalk::ptx
