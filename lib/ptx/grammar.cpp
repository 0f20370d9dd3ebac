#include "lib/ptx/grammar.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <utility>
#include <vector>

#include "lib/base/error.h"
#include "lib/ptx/header.h"
#include "lib/ptx/instruction_table.h"
#include "lib/ptx/signature.h"

namespace ropewalk::ptx {

namespace {

using Kind = Operand::Kind;

using Version = std::pair<u32, u32>;
constexpr Version known_version{9, 0};  // that the rules are of

Version version_of(const Module& module) {
  Version version;
  const char* const end = module.version.data() + module.version.size();
  const auto [dot, error] = std::from_chars(module.version.data(), end, version.first);
  if (error == std::errc() && dot < end) std::from_chars(dot + 1, end, version.second);
  return version;
}

Edition edition_of(const Module& module) {
  const u32 capability = capability_of(module.target);
  return {is_newer_than_grammar(module), capability, version_of(module) >= Version{6, 4} && capability >= 70};
}

Type twice(Type type) {
  switch (type) {
    case Type::U16:
      return Type::U32;
    case Type::S16:
      return Type::S32;
    case Type::U32:
      return Type::U64;
    case Type::S32:
      return Type::S64;
    default:
      return type;
  }
}

class Checker {
 public:
  Checker(const Module& module, const Function& function)
      : module_(module),
        function_(function),
        signatures_(module.opcodes.size()),
        is_known_(module.opcodes.size()),
        edition_(edition_of(module)) {}

  void check() {
    for (const Instruction& instruction : function_.instructions) {
      instruction_ = &instruction;
      opcode_ = &module_.opcode(instruction);
      if (!is_known_[instruction.opcode]) {
        signatures_[instruction.opcode] = signature_of(*opcode_, edition_);
        is_known_[instruction.opcode] = true;
      }
      signature_ = &signatures_[instruction.opcode];
      if (!signature_->fault.empty()) fail(signature_->fault);
      for (u32 n = 0; n < instruction.operand_count; ++n) {
        if (at(n).kind == Kind::Special) check_special(at(n));
        if (at(n).kind == Kind::Address && at(n).count == 0) check_constant_address(n);
      }
      if (instruction.predicate != Instruction::no_predicate &&
          function_.registers[instruction.predicate].type != Type::Pred) {
        fail("the predicate " + function_.registers[instruction.predicate].name + " is no register of type .pred");
      }
      if (opcode_->op == "mov"_op)
        check_move();
      else if (signature_->matrix)
        check_product(*signature_->matrix);
      else if (!signature_->pattern.empty() || signature_->has_rule)
        check_operands();
      else
        check_video();
      check_barrier();
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(InputLocation{module_.path, instruction_->line, instruction_->column, {}}, what);
  }

  void check_operands() const {
    const std::string& pattern = signature_->pattern;
    u32 wanted = 0, most = 0;
    const bool is_open = pattern.back() == '*' || pattern.ends_with("[*]");
    for (u32 n = 0; n < pattern.size(); ++n) {
      if (pattern[n] == '[') {
        ++most;
        n += 2;
      } else if (pattern[n] != '*' && pattern[n] != '-') {
        ++wanted;
        ++most;
      }
    }
    const u32 count = instruction_->operand_count;
    if (count < wanted || (count > most && !is_open)) {
      fail(opcode_->text + " has " + std::to_string(count) + (count == 1 ? " operand" : " operands") + ", expected " +
           std::to_string(wanted) + (most > wanted || is_open ? " or more" : ""));
    }
    u32 spare = count - wanted;
    for (u32 n = 0, at = 0; n < pattern.size() && at < count; ++n) {
      if (pattern[n] == '[') {
        if (spare && pattern[n + 1] != '*') check_operand(pattern[n + 1], at++), --spare;
        n += 2;
      } else if (pattern[n] != '*' && pattern[n] != '-') {
        check_operand(pattern[n], at++);
      }
    }
    if (pattern.ends_with("[p]") && signature_->combines != (count > wanted)) {
      fail(opcode_->text + (signature_->combines ? " lacks the predicate that it combines with"
                                                 : " has a predicate more than it takes without .and, .or or .xor"));
    }
  }

  // Numbers of barriers and of threads, where they are constants.
  void check_barrier() const {
    if ((opcode_->op != "bar"_op && opcode_->op != "barrier"_op) || opcode_->has("warp") || opcode_->has("cluster"))
      return;
    const u32 number = opcode_->has("red"), threads = number + 1;
    if (at(number).kind == Kind::Integer && (at(number).value < 0 || at(number).value > 15))
      fail(fmt::format("there is no barrier {}, expected 0 to 15", at(number).value));
    const bool has_threads = instruction_->operand_count > threads + number;
    if (has_threads && at(threads).kind == Kind::Integer && at(threads).value % 32 != 0)
      fail(fmt::format("{} threads are no whole warps, expected a multiple of 32", at(threads).value));
  }

  // Video instructions of two or four values in a register take registers alone, the scalar ones numbers as well.
  void check_video() const {
    if (opcode_->facts().lanes < 2) return;
    if (instruction_->operand_count != 4) {
      fail(opcode_->text + " has " + std::to_string(instruction_->operand_count) + " operands, expected 4");
    }
    for (u32 n = 1; n < 4; ++n) {
      const Kind kind = at(n).kind;
      if (kind == Kind::Integer || kind == Kind::Float || kind == Kind::Float32) refuse(n, "a register");
    }
  }

  const Operand& at(u32 n) const { return function_.operands[instruction_->first_operand + n]; }
  const Operand& part(const Operand& operand, u32 n) const { return function_.operands[operand.first + n]; }

  [[noreturn]] void refuse(u32 n, const std::string& expected) const {
    fail("operand " + std::to_string(n + 1) + " of " + opcode_->text + " is not " + expected);
  }

  bool is_register(const Operand& operand, Type type, bool wider = false) const {
    if (operand.kind != Kind::Register) return false;
    const Type own = function_.registers[operand.id].type;
    const TypeClass is = class_of(own), wanted = class_of(type);
    if (operand.negated && is != TypeClass::Predicate) return false;
    if (is == TypeClass::Predicate || wanted == TypeClass::Predicate) return is == wanted;
    if (type != Type::None && (wider ? size_of(own) < size_of(type) : size_of(own) != size_of(type))) return false;
    return type == Type::None || is == TypeClass::Bits || wanted == TypeClass::Bits || is == wanted;
  }
  bool is_constant(const Operand& operand, Type type) const {
    const TypeClass wanted = class_of(type);
    if (operand.kind == Kind::Special) return wanted != TypeClass::Predicate;
    if (operand.kind == Kind::Integer) return wanted != TypeClass::Float || size_of(type) < 4;
    if (operand.kind != Kind::Float && operand.kind != Kind::Float32) return false;
    // 0f3F800000 has 32 bits, any other number with a point has 64.
    const u32 size = operand.kind == Kind::Float32 ? 4 : 8;
    return wanted == TypeClass::Float || (wanted == TypeClass::Bits && size == size_of(type));
  }
  // A name with % that is neither a register nor one of the special registers that only some programs use.
  void check_special(const Operand& operand) const {
    if (Special(operand.id) != Special::Unknown || edition_.is_newer) return;
    const std::string& name = function_.texts[u64(operand.value)];
    for (const std::string_view known : {"%envreg", "%pm", "%reserved_smem_", "%current_graph_exec"}) {
      if (name.starts_with(known)) return;
    }
    fail("\"" + name + "\" is no register here and no special register");
  }
  bool is_source(const Operand& operand, Type type, bool wider = false) const {
    return is_register(operand, type, wider) || is_constant(operand, type);
  }
  bool is_word(const Operand& operand) const {
    return is_register(operand, Type::U32) || operand.kind == Kind::Integer || operand.kind == Kind::Special;
  }
  bool is_written_predicate(const Operand& operand) const {
    return operand.kind == Kind::Sink || (is_register(operand, Type::Pred) && !operand.negated);
  }
  bool is_address_base(const Operand& operand) const {
    if (operand.kind != Kind::Register) return operand.kind == Kind::Variable;
    const TypeClass of = class_of(function_.registers[operand.id].type);
    return (of == TypeClass::Integer || of == TypeClass::Bits) && size_of(function_.registers[operand.id].type) <= 8;
  }

  void check_operand(char letter, u32 n) const {
    const Operand& operand = at(n);
    Type first = signature_->first, last = signature_->last;
    if (signature_->is_wide && letter == 'd') letter = 'w';
    if (signature_->is_wide && letter == 'a' && n == 3) letter = 'W';
    const auto typed = [](Type type) { return "of type " + std::string(name_of(type)); };
    switch (letter) {
      case 'd':
        if (!is_register(operand, first) || operand.negated) refuse(n, "a register " + typed(first));
        return;
      case 'o':
        if (operand.kind != Kind::Sink && !is_register(operand, first)) refuse(n, "a register " + typed(first));
        return;
      case 'D':
      case 'E': {
        const Type type = letter == 'E' ? Type::B32 : first;
        const bool is_pair = operand.kind == Kind::Pair;
        const Operand& result = is_pair ? part(operand, 0) : operand;
        if (!is_register(result, type) && !(is_pair && result.kind == Kind::Sink))
          refuse(n, "a register " + typed(type));
        if (is_pair && !is_written_predicate(part(operand, 1))) refuse(n, "a register with a predicate");
        if (is_pair && opcode_->op == "lop3"_op && !signature_->combines) refuse(n, "a register alone");
        if (!is_pair && opcode_->op == "elect"_op) refuse(n, "a register with a predicate");
        return;
      }
      case 'a':
        if (!is_source(operand, last)) refuse(n, "a register or constant " + typed(last));
        return;
      case 'c':
        if (!is_source(operand, first)) refuse(n, "a register or constant " + typed(first));
        return;
      case 'w':
        if (!is_register(operand, twice(first))) refuse(n, "a register " + typed(twice(first)));
        return;
      case 'W':
        if (!is_source(operand, twice(first))) refuse(n, "a register or constant " + typed(twice(first)));
        return;
      case 'r':
        if (!is_register(operand, Type::U32)) refuse(n, "a register of 32 bits");
        return;
      case 'u':
        if (!is_word(operand)) refuse(n, "an integer of 32 bits");
        return;
      case 'i':
        if (operand.kind != Kind::Integer) refuse(n, "an integer constant");
        return;
      case 'p':
        if (!is_register(operand, Type::Pred) && operand.kind != Kind::Integer) refuse(n, "a predicate");
        return;
      case 'P':
        if (!is_written_predicate(operand)) refuse(n, "a predicate");
        return;
      case 'Q': {
        const bool is_pair = operand.kind == Kind::Pair;
        if (is_pair ? !is_written_predicate(part(operand, 0)) || !is_written_predicate(part(operand, 1))
                    : !is_written_predicate(operand)) {
          refuse(n, "a predicate, or two with '|' between them");
        }
        return;
      }
      case 'x':
        if (!is_register(operand, first, true) || operand.negated) refuse(n, "a register " + typed(first));
        return;
      case 'y':
        if (!is_source(operand, last, true)) refuse(n, "a register or constant " + typed(last));
        return;
      case 'v':
      case 's':
        return check_elements(operand, n, letter == 's');
      case 'm':
      case 'M':
      case 'G':
        return check_address(operand, n, letter);
      case 'l':
        if (operand.kind != Kind::Label) refuse(n, "a label");
        return;
      case 't':
        if (operand.kind != Kind::Text) refuse(n, "a table of labels");
        return;
      case 'A':
        if (!is_source(operand, last) && operand.kind != Kind::Variable && operand.kind != Kind::Function) {
          refuse(n, "an address " + typed(last));
        }
        return;
      default:
        return;
    }
  }

  void check_elements(const Operand& operand, u32 n, bool is_read) const {
    const u32 count = operand.kind == Kind::Vector ? operand.count : 1;
    if (count != opcode_->vector || (opcode_->vector > 1 && operand.kind != Kind::Vector)) {
      refuse(n, opcode_->vector == 1 ? "one register" : "a vector of " + std::to_string(opcode_->vector));
    }
    const Type type = signature_->last;
    for (u32 i = 0; i < count; ++i) {
      const Operand& element = operand.kind == Kind::Vector ? part(operand, i) : operand;
      const bool fits = is_register(element, type, true) || (is_read && is_constant(element, type)) ||
                        (!is_read && count > 1 && element.kind == Kind::Sink);
      if (!fits || element.negated) {
        refuse(n, (is_read ? "a register or constant for " : "a register for ") + std::string(name_of(type)));
      }
    }
  }

  // Whatever is done there, where the instruction is known. ptxas does not look at what a fence is for.
  void check_constant_address(u32 n) const {
    const bool is_local = !opcode_->spaces.empty() && opcode_->spaces[0] == Space::Local;
    const bool is_looked_at = opcode_->op != Op() && opcode_->op != "fence"_op;
    if (is_looked_at && !is_local)
      refuse(n, "an address with a register or a variable: only .local memory has constant ones");
  }

  // 'M': in shared memory, 'G': in global memory, whatever the opcode names first.
  void check_address(const Operand& operand, u32 n, char letter) const {
    if (operand.kind != Kind::Address || operand.count > 1) refuse(n, "an address in brackets");
    if (operand.count == 0) return;
    const Operand& base = part(operand, 0);
    if (!is_address_base(base)) refuse(n, "an address: its base is no integer register and no variable");
    if (base.kind != Kind::Variable) return;
    const u32 shared = u32(module_.variables.size());
    const Variable& variable = base.id < shared ? module_.variables[base.id] : function_.variables[base.id - shared];
    if (letter == 'm' && opcode_->spaces.empty()) return;
    const Space space = letter == 'M' ? Space::Shared : letter == 'G' ? Space::Global : opcode_->spaces[0];
    if (variable.space != space) {
      refuse(n, "in " + std::string(name_of(space)) + " memory: " + variable.name + " is in " +
                    std::string(name_of(variable.space)) + " memory");
    }
  }

  void check_move() const {
    if (!signature_->has_rule) return;
    if (instruction_->operand_count != 2) {
      fail(opcode_->text + " has " + std::to_string(instruction_->operand_count) + " operands, expected 2");
    }
    const Type type = signature_->last;
    for (u32 n = 0; n < 2; ++n) {
      const Operand& operand = at(n);
      if (operand.kind == Kind::Vector && operand.count == 1) {
        if (!is_register(part(operand, 0), type)) refuse(n, "a register of type " + std::string(name_of(type)));
      } else if (operand.kind == Kind::Vector) {
        check_parts(operand, n);
      } else if (n == 0) {
        if (!is_register(operand, type) || operand.negated)
          refuse(n, "a register of type " + std::string(name_of(type)));
      } else if (operand.kind == Kind::Variable || operand.kind == Kind::Function) {
        if (size_of(type) < 4) refuse(n, "of the size of an address");
      } else if (!is_source(operand, type) && !(type == Type::Pred && operand.kind == Kind::Integer)) {
        refuse(n, "a register or constant of type " + std::string(name_of(type)));
      }
    }
    if (at(0).kind == Kind::Vector && at(1).kind == Kind::Vector && at(0).count > 1 && at(1).count > 1) {
      refuse(1, "a single register");
    }
  }

  // d, a, b and c of a matrix product. Numbers may stand in c alone.
  void check_product(const MatrixForm& form) const {
    const std::array registers{form.registers_of_sum(), form.registers_of_a(), form.registers_of_b(),
                               form.registers_of_sum()};
    const std::array elements{form.sum, form.a, form.b, form.sum};
    if (instruction_->operand_count != 4) {
      fail(opcode_->text + " has " + std::to_string(instruction_->operand_count) + " operands, expected 4");
    }
    for (u32 n = 0; n < 4; ++n) {
      const Type type = facts_of(elements[n]).register_type;
      if (at(n).kind != Kind::Vector || at(n).count != registers[n]) {
        refuse(n, "a vector of " + std::to_string(registers[n]) + (registers[n] == 1 ? " register" : " registers"));
      }
      for (u32 i = 0; i < registers[n]; ++i) {
        const Operand& one = part(at(n), i);
        const bool fits =
            is_register(one, type) || (n == 0 && one.kind == Kind::Sink) || (n == 3 && is_constant(one, type));
        if (!fits || one.negated) refuse(n, "a vector of registers for " + std::string(name_of(type)));
      }
    }
  }

  // The parts of a vector fill the type.
  void check_parts(const Operand& operand, u32 n) const {
    const u32 size = size_of(signature_->last), part_size = operand.count ? size / operand.count : 0;
    const bool divides = (operand.count == 2 || operand.count == 4) && part_size > 0 && signature_->last != Type::Pred;
    for (u32 i = 0; i < operand.count && divides; ++i) {
      const Operand& element = part(operand, i);
      const bool fits = element.kind == Kind::Register && function_.registers[element.id].type != Type::Pred &&
                        !element.negated && size_of(function_.registers[element.id].type) == part_size;
      const bool is_left_out = n == 0 ? element.kind == Kind::Sink : element.kind == Kind::Integer;
      if (!fits && !is_left_out) refuse(n, "a vector of registers of " + std::to_string(8 * part_size) + " bits each");
    }
    if (!divides) refuse(n, "a vector of 2 or 4 parts");
  }

  const Module& module_;
  const Function& function_;
  std::vector<Signature> signatures_;  // by opcode
  std::vector<bool> is_known_;
  const Edition edition_;
  const Instruction* instruction_ = nullptr;
  const Opcode* opcode_ = nullptr;
  const Signature* signature_ = nullptr;
};

}  // namespace

bool is_newer_than_grammar(const Module& module) { return version_of(module) > known_version; }

// Functions that a function calls are a part of it.
void check_instructions(const Module& module, const Function& function) {
  std::set<const Function*> seen{&function};
  std::vector<const Function*> open{&function};
  const auto add = [&](const Function& called) {
    if (seen.insert(&called).second) open.push_back(&called);
  };
  while (!open.empty()) {
    const Function& caller = *open.back();
    open.pop_back();
    Checker(module, caller).check();
    for (const Function& named : module.functions) {
      if (!caller.alias.empty() && named.name == caller.alias) add(named);
    }
    for (const Operand& operand : caller.operands) {
      if (operand.kind == Kind::Function) add(module.functions[operand.id]);
    }
  }
}

}  // namespace ropewalk::ptx
