// The top level of a module: header, variables, functions, files and sections.
#include "lib/ptx/read_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lib/ptx/constant.h"
#include "lib/ptx/header.h"
#include "lib/ptx/reader.h"

namespace ropewalk::ptx {

namespace {

constexpr u64 most_files = 65535;

// An array without a bound is one with any.
bool are_of_one_type(const Variable& a, const Variable& b) {
  const bool has_bounds = a.bytes() && b.bytes();
  return a.type == b.type && a.vector == b.vector && a.extents.empty() == b.extents.empty() &&
         (!has_bounds || a.extents == b.extents);
}

class ModuleReader {
 public:
  ModuleReader(std::string_view text, const std::string& path) : state_(text, path) {}

  Module read() {
    while (!lexer_.at_end()) statement();
    if (state_.module.version.empty()) lexer_.fail_at(Mark{1, 1}, "this is no PTX, expected a line \".version\"");
    if (state_.module.target.empty()) lexer_.fail_at(Mark{1, 1}, "this names no target, expected a line \".target\"");
    finish();
    return std::move(state_.module);
  }

 private:
  void statement() {
    if (lexer_.accept(';')) return;
    if (lexer_.here() == '@') {
      // "@@DWARF ...": debug data as PTX before 4.0 had it, a line each.
      lexer_.rest_of_line();
      return;
    }
    const Mark mark = lexer_.mark();
    const std::string_view word = lexer_.directive();
    if (word.empty()) lexer_.fail("a directive such as \".entry\" or \".global\"");
    Space space;
    if (word == "version") {
      version();
    } else if (word == "target") {
      target();
    } else if (word == "address_size") {
      address_size();
    } else if (word == "file") {
      file();
    } else if (word == "section") {
      section();
    } else if (word == "loc") {
      lexer_.rest_of_line();
    } else if (word == "alias") {
      alias();
    } else if (word == "pragma") {
      do {
        lexer_.quoted("the text of a pragma in quotes");
      } while (lexer_.accept(','));
      lexer_.expect(';', "after a pragma");
    } else if (word == "visible" || word == "extern" || word == "weak" || word == "common") {
      linked(std::string(word));
    } else if (word == "entry" || word == "func") {
      read_function(state_, word == "entry", "");
    } else if (space_named(word, &space)) {
      variables(space, "");
    } else {
      lexer_.fail_at(mark, "found \"." + std::string(word.substr(0, 60)) +
                               "\", expected a directive of the module such as \".entry\" or \".global\"");
    }
  }

  void version() {
    lexer_.peek();
    const Mark mark = lexer_.mark();
    const std::string_view text = lexer_.cut_number();
    const u64 dot = text.find('.');
    const bool only_digits = text.find_first_not_of("0123456789.") == text.npos;
    if (!only_digits || dot == 0 || dot + 1 >= text.size() || text.find('.', dot + 1) != text.npos) {
      lexer_.fail_at(mark, "this is no version of PTX, expected two numbers such as \"8.8\"");
    }
    if (standing_of_version(text) == Standing::None) {
      lexer_.fail_at(mark, "there is no PTX " + std::string(text.substr(0, 20)) + ", the newest that is known is 9.4");
    }
    state_.module.version = text;
  }

  void target() {
    std::string& target = state_.module.target;
    target.clear();
    do {
      lexer_.peek();
      const Mark mark = lexer_.mark();
      const std::string_view word = lexer_.word("a target such as \"sm_80\"");
      // The assembler asks for debug sections where the target says "debug", and those are not kept.
      if (word == "debug") continue;
      const bool is_option = word == "texmode_unified" || word == "texmode_independent" || word == "map_f64_to_f32";
      if (!is_option && standing_of_target(word) == Standing::None) {
        lexer_.fail_at(mark, "there is no target " + std::string(word.substr(0, 40)) +
                                 ", expected an architecture such as \"sm_80\", the newest that is known is sm_121");
      }
      if (!target.empty()) target += ", ";
      target += word;
    } while (lexer_.accept(','));
  }

  void address_size() {
    lexer_.peek();
    const Mark mark = lexer_.mark();
    const u64 size = read_integer(lexer_, "32 or 64");
    if (size != 32 && size != 64) lexer_.fail_at(mark, "this is no size of addresses, expected 32 or 64");
    state_.module.address_size = u32(size);
  }

  void file() {
    lexer_.peek();
    const Mark mark = lexer_.mark();
    const u64 number = read_integer(lexer_, "the number of a file");
    if (number > most_files) lexer_.fail_at(mark, "the number of this file is too large, expected 65535 at most");
    std::vector<std::string>& files = state_.module.files;
    if (number >= files.size()) files.resize(number + 1);
    if (!files[number].empty()) lexer_.fail_at(mark, "the number of this file is another one's already");
    files[number] = lexer_.quoted("the path of a file in quotes");
    while (lexer_.accept(',')) read_integer(lexer_, "the time or the size of a file");
  }

  void section() {
    const bool dotted = lexer_.peek() == '.';
    const std::string_view name = dotted ? lexer_.directive() : lexer_.word("the name of a section");
    if (name.empty()) lexer_.fail("the name of a section");
    debug_names_.read_section(lexer_, name);
  }

  void alias() {
    lexer_.peek();
    const Mark name_mark = lexer_.mark();
    const std::string_view name = lexer_.word("the name of a function");
    const NameTable::Entry* entry = state_.names.find(name);
    if (!entry || entry->number % 2)
      lexer_.fail_at(name_mark, "expected the name of a function that was declared before");
    Function& function = state_.module.functions[entry->number / 2];
    lexer_.expect(',', "between the two names of an alias");
    lexer_.peek();
    const Mark mark = lexer_.mark();
    const std::string_view target = lexer_.word("the name of a function");
    const NameTable::Entry* other = state_.names.find(target);
    if (!other || other->number % 2) lexer_.fail_at(mark, "expected the name of a function that was declared before");
    if (!function.alias.empty())
      lexer_.fail_at(name_mark, "\"" + std::string(name.substr(0, 200)) + "\" is an alias already");
    function.alias = target;
    lexer_.expect(';', "after an alias");
  }

  void linked(const std::string& linkage) {
    lexer_.peek();
    const Mark mark = lexer_.mark();
    const std::string_view word = lexer_.directive();
    Space space;
    if (word == "entry" || word == "func") {
      read_function(state_, word == "entry", linkage);
    } else if (space_named(word, &space)) {
      variables(space, linkage);
    } else {
      lexer_.fail_at(mark, "expected \".entry\", \".func\" or a state space behind \"." + linkage + "\"");
    }
  }

  void variables(Space space, const std::string& linkage) {
    const Variable kind = read_variable_kind(state_, space, linkage);
    do {
      Mark mark;
      const char* start = (lexer_.peek(), lexer_.cursor());
      Variable variable = read_variable_name(state_, kind, true, &mark);
      // The key of the table is the name in the text, which outlives the variable.
      add(std::move(variable), {start, u64(0)}, mark);
    } while (lexer_.accept(','));
    lexer_.expect(';', "after the declaration of a variable");
  }

  void add(Variable variable, std::string_view at, Mark mark) {
    std::vector<Variable>& variables = state_.module.variables;
    NameTable::Entry* entry = state_.names.insert({at.data(), variable.name.size()});
    if (entry->number == NameTable::none) {
      entry->number = ReadState::variable_number(variables.size());
      variables.push_back(std::move(variable));
      return;
    }
    if (entry->number % 2 == 0) lexer_.fail_at(mark, "\"" + variable.name.substr(0, 200) + "\" is a function already");
    Variable& known = variables[entry->number / 2];
    const std::string quoted = "\"" + variable.name.substr(0, 200) + "\"";
    if (known.space != variable.space || (!known.is_extern && !variable.is_extern))
      lexer_.fail_at(mark, quoted + " is declared twice");
    if (!are_of_one_type(known, variable)) lexer_.fail_at(mark, quoted + " is declared as one of another type before");
    if (known.is_extern && !variable.is_extern && variable.linkage.empty())
      lexer_.fail_at(mark, quoted + " is .extern before, expected .visible, .weak or .common here");
    if (known.is_extern) known = std::move(variable);
  }

  void finish() {
    Module& module = state_.module;
    if (module.files.size() <= state_.largest_file) module.files.resize(state_.largest_file + 1);
    for (const auto& [name, mark] : state_.initialiser_symbols) {
      if (!state_.names.find(name)) {
        lexer_.fail_at(mark, "\"" + name.substr(0, 200) + "\" is not declared, expected a variable or function");
      }
    }
    for (u64 i = 0; i < module.functions.size(); ++i) {
      Function& function = module.functions[i];
      const LocationNames& names = state_.inlined[i];
      for (u64 n = 0; n < names.size(); ++n) {
        if (!names[n].label.empty())
          function.locations[n].function = debug_names_.number_of(names[n], module.inlined_functions);
      }
    }
    const std::vector<Moved> moved = move_variables_out();
    for (u64 i = 0; i < module.functions.size(); ++i)
      renumber_variables(module.functions[i], state_.local_base[i], moved[i]);
  }

  // Of the variables of a function: the number that each has in the module now, none where it is still the function's.
  using Moved = std::vector<u32>;

  // A body may declare variables in global and constant memory: there is one of each, as of those of the module.
  std::vector<Moved> move_variables_out() {
    std::vector<Variable>& variables = state_.module.variables;
    std::set<std::string> names;
    std::vector<Moved> moved;
    for (Function& function : state_.module.functions) {
      moved.emplace_back(function.variables.size(), NameTable::none);
      for (u64 n = 0; n < function.variables.size(); ++n) {
        Variable& variable = function.variables[n];
        if (variable.space != Space::Global && variable.space != Space::Const) continue;
        if (names.empty()) {
          for (const Variable& known : variables) names.insert(known.name);
          for (const Function& known : state_.module.functions) names.insert(known.name);
        }
        const std::string name = variable.name;
        for (u32 count = 2; !names.insert(variable.name).second; ++count)
          variable.name = fmt::format("{}${}", name, count);
        moved.back()[n] = u32(variables.size());
        variables.push_back(std::move(variable));
      }
      u64 n = 0;
      std::erase_if(function.variables, [&](const Variable&) { return moved.back()[n++] != NameTable::none; });
    }
    return moved;
  }

  // Variables of a function were numbered behind those of the module that were known then; more may have come.
  void renumber_variables(Function& function, u32 base, const Moved& moved) {
    u32 next = u32(state_.module.variables.size());
    if (next == base) return;
    std::vector<u32> numbers;
    for (const u32 number : moved) numbers.push_back(number == NameTable::none ? next++ : number);
    for (Operand& operand : function.operands) {
      if (operand.kind == Operand::Kind::Variable && operand.id >= base) operand.id = numbers[operand.id - base];
    }
  }

  ReadState state_;
  Lexer& lexer_ = state_.lexer;
  DebugNames debug_names_;
};

}  // namespace

Module read_module(std::string_view text, const std::string& path) { return ModuleReader(text, path).read(); }

}  // namespace ropewalk::ptx
