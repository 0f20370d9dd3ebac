// The statements of a body: scopes, labels, directives.
#include <algorithm>

#include "lib/ptx/body.h"
#include "lib/ptx/constant.h"

namespace ropewalk::ptx {

namespace {

constexpr u64 most_registers = 0xffffffffu;

}  // namespace

void read_body(ReadState& state, Function& function, LocationNames& names, const std::vector<Mark>& parameter_marks) {
  BodyReader(state, function, names).read(parameter_marks);
}

void BodyReader::read(const std::vector<Mark>& parameter_marks) {
  for (u32 i = 0; i < function_.variables.size(); ++i) {
    parameter_names_.push_back(function_.variables[i].name);
    function_.variables[i].name =
        scopes_.declare(parameter_names_.back(), Symbol::Kind::Variable, i, parameter_marks[i]);
  }
  lexer_.expect('{', "before a body");
  scopes_.enter();
  while (scopes_.depth() > 0) {
    const char c = lexer_.peek_statement();
    statement(c);
  }
  scopes_.finish();
}

void BodyReader::statement(char first) {
  switch (first) {
    case '{':
      scopes_.enter();
      lexer_.advance(1);
      return;
    case '}':
      lexer_.advance(1);
      scopes_.leave();
      return;
    case ';':
      lexer_.advance(1);
      return;
    case '.':
      return directive();
    case '@':
      return predicated();
    case '/':
      return index_statement();
    default:
      break;
  }
  const Mark mark = lexer_.mark();
  const std::string_view word = lexer_.word("an instruction, a label, a directive or '}'");
  char next = lexer_.here();
  if (next != '.' && next != ';' && next != ':') next = lexer_.peek();
  if (next == ':' && lexer_.after() != ':') {
    lexer_.advance(1);
    label(word, mark);
  } else {
    instruction(word, mark, Instruction::no_predicate, false);
  }
}

void BodyReader::directive() {
  const Mark mark = lexer_.mark();
  const std::string_view word = lexer_.directive();
  Space space;
  if (word == "loc") {
    locate();
  } else if (word == "reg") {
    registers();
  } else if (space_named(word, &space)) {
    variables(space);
  } else if (word == "pragma") {
    do {
      const std::string text(lexer_.quoted("the text of a pragma in quotes"));
      function_.pragmas.push_back(Pragma{u32(function_.instructions.size()), text});
    } while (lexer_.accept(','));
    lexer_.expect(';', "after a pragma");
  } else {
    lexer_.fail_at(mark, "found \"." + std::string(word.substr(0, 60)) +
                             "\", expected a directive of a body such as \".reg\" or \".shared\"");
  }
}

// LLVM takes inline assembly for lines of the source and counts on with every line of it (so Triton's conversions seem
// to stand some lines too low): the position before is the statement's own and holds to the end. Line 0 is of what
// stands for no line of the source: the one before holds on.
void BodyReader::locate() {
  const u32 location = locations_.read(lexer_, &state_.largest_file);
  const bool has_line = function_.locations[location].line != 0;
  const bool is_counted_on = lexer_.in_inline_assembly() && location_ != 0;
  if (has_line && !is_counted_on) location_ = location;
}

void BodyReader::registers() {
  u8 width = 1;
  if (lexer_.peek() == '.' && lexer_.after() == 'v') {
    const Mark mark = lexer_.mark();
    const std::string_view word = lexer_.directive();
    if (word != "v2" && word != "v4") lexer_.fail_at(mark, "expected \".v2\" or \".v4\" or the type of registers");
    width = u8(word[1] - '0');
  }
  const Type type = read_type(lexer_);
  do {
    lexer_.peek();
    const Mark mark = lexer_.mark();
    const std::string_view name = lexer_.word("the name of a register");
    if (lexer_.peek() != '<') {
      scopes_.declare_register(name, type, width, mark);
      continue;
    }
    lexer_.advance(1);
    lexer_.peek();
    const Mark count_mark = lexer_.mark();
    const Constant count = read_constant(lexer_);
    if (count.kind != Constant::Kind::Integer || count.bits > most_registers || width > 1) {
      lexer_.fail_at(count_mark, "this is no number of registers, expected an integer below 2^32 of scalar registers");
    }
    lexer_.expect('>', "after the number of registers");
    scopes_.declare_registers(name, type, u32(std::min(count.bits, most_registers)), mark);
  } while (lexer_.accept(','));
  lexer_.expect(';', "after the declaration of registers");
}

void BodyReader::variables(Space space) {
  const Variable kind = read_variable_kind(state_, space, "");
  do {
    Mark mark;
    lexer_.peek();
    const char* const start = lexer_.cursor();
    Variable variable = read_variable_name(state_, kind, true, &mark);
    const std::string_view name(start, variable.name.size());
    variable.name = scopes_.declare(name, Symbol::Kind::Variable, u32(function_.variables.size()), mark);
    function_.variables.push_back(std::move(variable));
  } while (lexer_.accept(','));
  lexer_.expect(';', "after the declaration of a variable");
}

void BodyReader::label(std::string_view name, Mark mark) {
  if (lexer_.peek_statement() == '.' && table(name, mark)) return;
  const u32 id = u32(function_.labels.size());
  std::string unique = scopes_.declare(name, Symbol::Kind::Label, id, mark);
  function_.labels.push_back(Label{std::move(unique), u32(function_.instructions.size())});
}

// Whether the directive that follows a label makes a table of it.
bool BodyReader::table(std::string_view name, Mark mark) {
  const char c = lexer_.after();
  if (c != 'b' && c != 'c') return false;
  const Lexer before = lexer_;
  const std::string_view word = lexer_.directive();
  if (word != "branchtargets" && word != "calltargets" && word != "callprototype") {
    lexer_ = before;
    return false;
  }
  const u32 id = u32(function_.tables.size());
  function_.tables.emplace_back();
  function_.tables[id].name = scopes_.declare(name, Symbol::Kind::Table, id, mark);
  if (word != "branchtargets") {
    // A call of an address is executed as branches to the functions that it may name.
    opcode_of("brx.idx", mark);
    opcode_of("bra", mark);
  }
  if (word == "branchtargets") {
    branch_targets(id);
  } else if (word == "calltargets") {
    call_targets(id);
  } else {
    function_.tables[id].prototype = prototype();
  }
  return true;
}

void BodyReader::branch_targets(u32 table) {
  do {
    lexer_.peek();
    const Mark mark = lexer_.mark();
    const std::string_view name = lexer_.word("a label");
    std::vector<u32>& labels = function_.tables[table].labels;
    scopes_.refer(name, mark, u32(labels.size()), table);
    labels.push_back(0);
  } while (lexer_.accept(','));
  lexer_.expect(';', "after the targets of a branch");
}

void BodyReader::call_targets(u32 table) {
  do {
    lexer_.peek();
    const Mark mark = lexer_.mark();
    const std::string_view name = lexer_.word("the name of a function");
    const NameTable::Entry* entry = state_.names.find(name);
    if (!entry || entry->number % 2) lexer_.fail_at(mark, "expected the name of a function that was declared before");
    function_.tables[table].functions.push_back(entry->number / 2);
  } while (lexer_.accept(','));
  lexer_.expect(';', "after the targets of a call");
}

// The text of a call prototype, with single spaces.
std::string BodyReader::prototype() {
  std::string text;
  while (true) {
    const char c = lexer_.peek();
    if (c == ';') break;
    if (lexer_.at_end()) lexer_.fail("';' after a call prototype");
    if (!text.empty() && c != ',' && c != ')' && c != ']' && c != '[' && text.back() != '(' && text.back() != '[')
      text += ' ';
    if (lexer_.at_word()) {
      text += lexer_.cut_word();
    } else if (const std::string_view word = lexer_.directive(); !word.empty()) {
      text += '.';
      text += word;
    } else if (c >= '0' && c <= '9') {
      text += lexer_.cut_number();
    } else if (c == '(' || c == ')' || c == ',' || c == '[' || c == ']') {
      text += c;
      lexer_.advance(1);
    } else {
      lexer_.fail("the parameters of a call prototype or ';'");
    }
  }
  lexer_.advance(1);
  return text;
}

}  // namespace ropewalk::ptx
