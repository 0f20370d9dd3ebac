// Reads the body of a function; inside of lib/ptx only.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "lib/ptx/reader.h"
#include "lib/ptx/scope.h"

namespace ropewalk::ptx {

// From '{' to '}'. The function's parameters are there already, each declared at its mark.
void read_body(ReadState& state, Function& function, LocationNames& names, const std::vector<Mark>& parameter_marks);

class BodyReader {
 public:
  BodyReader(ReadState& state, Function& function, LocationNames& names)
      : state_(state),
        lexer_(state.lexer),
        function_(function),
        scopes_(state.lexer, function, state.names),
        locations_(function, names),
        variable_base_(u32(state.module.variables.size())) {}

  void read(const std::vector<Mark>& parameter_marks);

 private:
  // read_body.cpp: statements and directives.
  void statement(char first);
  void directive();
  void locate();
  void registers();
  void variables(Space space);
  void label(std::string_view name, Mark mark);
  bool table(std::string_view name, Mark mark);
  void branch_targets(u32 table);
  void call_targets(u32 table);
  std::string prototype();

  // read_instruction.cpp: one instruction from its predicate or opcode on.
  void predicated();
  void instruction(std::string_view stem, Mark mark, u32 predicate, bool negated);
  void index_statement();
  void plain_operands();
  void branch_operands(bool indexed);
  void call_operands();
  Operand callee();
  Operand call_list();
  u32 opcode_of(std::string_view text, Mark mark);
  // Appends the instruction with the operands that were pushed since `first`.
  void emit(u32 opcode, Mark mark, u32 predicate, bool negated);

  // read_operand.cpp: one operand. Parts of vectors and addresses go to the pool at once.
  Operand operand();
  Operand operand_or_pair();
  Operand vector(char close);
  Operand address();
  Operand named();
  Operand constant(bool whole_expression);
  Operand special(std::string_view name, Mark mark);
  Operand selected(const Symbol& symbol, std::string_view name, Mark mark);
  Operand text(std::string text);
  Operand reference(std::string_view name, Mark mark);
  i64 address_offset();
  // Moves what stands in `scratch_` from `first` on to the pool, as parts of an operand of that kind.
  Operand parts(Operand::Kind kind, u64 first);

  // A label reference among the operands of the current instruction, its index in the pool being unknown yet.
  struct Waiting {
    std::string_view name;
    Mark mark;
  };

  ReadState& state_;
  Lexer& lexer_;
  Function& function_;
  Scopes scopes_;
  Locations locations_;
  u32 variable_base_;
  u32 location_ = 0;
  u32 nesting_ = 0;               // of vectors and addresses
  std::vector<Operand> scratch_;  // a stack of operands that are being collected
  std::vector<Operand> top_;      // the operands of the current instruction
  std::vector<Waiting> waiting_;
  std::deque<std::string> parameter_names_;  // as declared; the function may have them renamed
};

}  // namespace ropewalk::ptx
