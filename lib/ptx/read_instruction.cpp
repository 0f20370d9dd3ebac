// Instructions: predicates, opcodes, calls, index statements.
#include "lib/ptx/body.h"
#include "lib/ptx/constant.h"
#include "lib/ptx/instruction_table.h"

namespace ropewalk::ptx {

void BodyReader::predicated() {
  lexer_.expect('@', "of a predicate");
  const bool negated = lexer_.accept('!');
  lexer_.peek();
  const Mark predicate_mark = lexer_.mark();
  const std::string_view name = lexer_.word("a predicate");
  const Symbol* symbol = scopes_.find(name);
  if (!symbol || symbol->kind != Symbol::Kind::Register) {
    lexer_.fail_at(predicate_mark,
                   "\"" + std::string(name.substr(0, 200)) + "\" is no register here, expected a predicate");
  }
  const u32 predicate = symbol->id;
  lexer_.peek();
  const Mark mark = lexer_.mark();
  instruction(lexer_.word("an instruction after its predicate"), mark, predicate, negated);
}

void BodyReader::instruction(std::string_view stem, Mark mark, u32 predicate, bool negated) {
  std::string_view text = stem;
  if (lexer_.here() == '.' && lexer_.cursor() == stem.data() + stem.size()) {
    const std::string_view modifiers = lexer_.cut_modifiers();
    text = {stem.data(), stem.size() + modifiers.size()};
  }
  u32 opcode;
  if (lexer_.peek() == '.') {
    // Modifiers with space before them.
    std::string& joined = state_.spaced_opcodes.emplace_back(text);
    while (lexer_.peek() == '.') joined += lexer_.cut_modifiers();
    opcode = opcode_of(joined, mark);
  } else {
    opcode = opcode_of(text, mark);
  }
  switch (state_.module.opcodes[opcode].facts().turn) {
    case Turn::Branch:
      branch_operands(false);
      break;
    case Turn::Table:
      branch_operands(true);
      break;
    case Turn::Call:
      call_operands();
      break;
    default:
      plain_operands();
  }
  if (!lexer_.accept(';')) lexer_.fail("',' or ';' after an operand");
  emit(opcode, mark, predicate, negated);
}

u32 BodyReader::opcode_of(std::string_view text, Mark mark) {
  NameTable::Entry* entry = state_.opcodes.find(text);
  if (entry) return entry->number;
  if (text.ends_with('.') || text.find("..") != text.npos) {
    lexer_.fail_at(mark, "this opcode has an empty modifier, expected a word behind each '.'");
  }
  const u32 number = u32(state_.module.opcodes.size());
  state_.module.opcodes.emplace_back(text);
  state_.opcodes.insert(text)->number = number;
  return number;
}

void BodyReader::plain_operands() {
  if (lexer_.peek() == ';') return;
  do {
    top_.push_back(operand_or_pair());
  } while (lexer_.accept(','));
}

void BodyReader::branch_operands(bool indexed) {
  if (indexed) {
    top_.push_back(operand());
    lexer_.expect(',', "between the index of a branch and its table");
  }
  lexer_.peek();
  const Mark mark = lexer_.mark();
  top_.push_back(reference(lexer_.word(indexed ? "a table of labels" : "a label"), mark));
}

void BodyReader::call_operands() {
  Operand none;
  none.kind = Operand::Kind::Vector;
  if (lexer_.peek() == '(') {
    top_.push_back(call_list());
    lexer_.expect(',', "between the returned values of a call and the function");
  } else {
    top_.push_back(none);
  }
  top_.push_back(callee());
  bool more = lexer_.accept(',');
  if (more && lexer_.peek() == '(') {
    top_.push_back(call_list());
    more = lexer_.accept(',');
  } else {
    top_.push_back(none);
  }
  if (!more) return;
  lexer_.peek();
  const Mark mark = lexer_.mark();
  top_.push_back(reference(lexer_.word("the arguments of a call, its prototype or its targets"), mark));
}

Operand BodyReader::callee() {
  lexer_.peek();
  const Mark mark = lexer_.mark();
  const std::string_view name = lexer_.word("the function to call");
  Operand operand;
  if (const Symbol* symbol = scopes_.find(name); symbol && symbol->kind == Symbol::Kind::Register) {
    operand.kind = Operand::Kind::Register;
    operand.id = symbol->id;
    return operand;
  }
  const NameTable::Entry* entry = state_.names.find(name);
  if (!entry || entry->number % 2) {
    lexer_.fail_at(mark, "\"" + std::string(name.substr(0, 200)) +
                             "\" is not declared, expected a function that was declared before, or a register");
  }
  operand.kind = Operand::Kind::Function;
  operand.id = entry->number / 2;
  return operand;
}

Operand BodyReader::call_list() {
  lexer_.expect('(', "of a call");
  return vector(')');
}

void BodyReader::index_statement() {
  const Mark mark = lexer_.mark();
  const char* const end = lexer_.hide_after_line();
  lexer_.advance(std::string_view("//@index").size());
  const auto side = [&] {
    const char c = lexer_.peek();
    const Mark side_mark = lexer_.mark();
    const Operand operand = starts_constant(c) ? constant(false) : this->operand();
    if (operand.kind != Operand::Kind::Register && operand.kind != Operand::Kind::Integer &&
        operand.kind != Operand::Kind::Special) {
      lexer_.fail_at(side_mark, "expected a register or an integer in an index statement");
    }
    return operand;
  };
  top_.push_back(side());
  lexer_.expect('<', "between index and bound of an index statement");
  top_.push_back(side());
  lexer_.expect(':', "before the name of an index statement");
  top_.push_back(text(std::string(lexer_.rest_of_line())));
  lexer_.show_until(end);
  emit(opcode_of("@index", mark), mark, Instruction::no_predicate, false);
}

void BodyReader::emit(u32 opcode, Mark mark, u32 predicate, bool negated) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.first_operand = u32(function_.operands.size());
  instruction.operand_count = u32(top_.size());
  instruction.predicate = predicate;
  instruction.predicate_negated = negated;
  instruction.location = location_;
  instruction.line = mark.line;
  instruction.column = mark.column;
  function_.operands.insert(function_.operands.end(), top_.begin(), top_.end());
  if (!waiting_.empty()) {
    for (u32 i = 0; i < top_.size(); ++i) {
      if (top_[i].kind != Operand::Kind::Label) continue;
      const Waiting& waiting = waiting_[top_[i].id];
      scopes_.refer(waiting.name, waiting.mark, instruction.first_operand + i);
    }
    waiting_.clear();
  }
  top_.clear();
  function_.instructions.push_back(instruction);
}

}  // namespace ropewalk::ptx
