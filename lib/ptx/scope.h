// The names inside one function while its body is read: registers, variables and labels, scope in scope.
//
// The module has no scopes: whatever gets declared under a name that was taken before gets "$2", "$3", ... appended.
// Registers are made when they are first named, so "%f<11393>" costs nothing for those that nobody uses.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "lib/ptx/lexer.h"
#include "lib/ptx/module.h"
#include "lib/ptx/name_table.h"

namespace ropewalk::ptx {

struct Symbol {
  enum class Kind : u8 { Register, VectorRegister, Variable, Label, Table };
  Kind kind = Kind::Register;
  bool made = true;          // false: a register that nobody named yet; `id` is not valid
  bool is_of_range = false;  // a register that was declared with others
  u8 width = 1;              // of a vector register: 2 or 4
  Type type = Type::None;    // of a register
  u32 id = 0;  // index into the function's registers, variables, labels or tables; none for a vector register
  u32 depth = 0;
  u32 shadowed = 0;       // the symbol of the same name outside, NameTable::none: none
  u32 next = 0;           // the next one of the same scope
  std::string_view name;  // as the text has it
};

class Scopes {
 public:
  // `outside`: names of the module, which no name of the function may hide.
  Scopes(Lexer& lexer, Function& function, NameTable& outside);

  u32 depth() const { return u32(open_.size()) - 1; }
  void enter();
  // Resolves the label references of the scope or hands them on, and forgets its names.
  void leave();
  // At the end of a function: fails at the first label reference that nothing answers.
  void finish();

  // Declares one register, or `count` registers NAME0, NAME1, ... . Fails at `mark` when the scope has the name.
  void declare_register(std::string_view name, Type type, u8 width, Mark mark);
  void declare_registers(std::string_view name, Type type, u32 count, Mark mark);
  // The name that the variable, label or table shall have in the function.
  std::string declare(std::string_view name, Symbol::Kind kind, u32 id, Mark mark);

  // The innermost symbol of that name (a register is made if it was not yet), nullptr: none.
  const Symbol* find(std::string_view name);
  // The name of the register that is an element of a vector register: "%v$x".
  static std::string element_name(std::string_view vector, u32 element);
  // A range "%r<10>" that has `name` as a number past its end; "" where there is none. For messages.
  std::string range_missed_by(std::string_view name) const;

  // Keeps a name that means something outside of the function from its registers and variables. False where one of an
  // inner scope has it already.
  bool reserve(std::string_view name);

  // A name whose meaning is settled when its scope ends: Function::operands[`operand`] or, where `table` is not none,
  // entry `operand` of that table becomes the label.
  void refer(std::string_view name, Mark mark, u32 operand, u32 table = NameTable::none);

 private:
  struct Reference {
    std::string_view name;
    Mark mark;
    u32 operand;
    u32 table;
  };
  struct Range {
    std::string_view prefix;
    Type type;
    u32 count;
    u32 depth;
  };
  struct Scope {
    u32 first_symbol = NameTable::none;
    u64 first_range = 0;
    u64 first_reference = 0;
  };

  [[noreturn]] void fail_twice(std::string_view name, Mark mark) const;
  // Fails where a range of the scope has the name of a register or variable that is declared.
  void expect_in_no_range(std::string_view name, Mark mark) const;
  // The same of a range that has the name of one that is declared.
  void expect_none_in_range(std::string_view prefix, u32 count, Mark mark) const;
  Symbol& add(std::string_view name, Symbol::Kind kind, u32 depth, Mark mark);
  std::string unused_name(std::string_view name);
  const Range* range_of(std::string_view name) const;
  void make(Symbol& symbol);
  bool resolve(const Reference& reference);

  Lexer& lexer_;
  Function& function_;
  NameTable& outside_;
  NameTable names_;
  std::vector<Symbol> symbols_;
  std::vector<Range> ranges_;
  std::vector<Reference> references_;
  std::vector<Scope> open_;
  std::deque<std::string> renamed_;  // names that the text does not contain
};

}  // namespace ropewalk::ptx
