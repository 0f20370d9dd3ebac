#include "tools/install/completions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ropewalk::tools {
namespace {

std::string function_name(const Program& program) {
  std::string name = "_" + program.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string names_of(const CommandWords& command) {
  std::string out;
  for (const OptionWords& option : command.options) {
    for (const std::string& name : option.names) out += (out.empty() ? "" : " ") + name;
  }
  return out;
}

std::string choices_text(const OptionWords& option) { return fmt::format("{}", fmt::join(choices_of(option), " ")); }

// Within single quotes of a shell; `also` are characters that get a backslash before them.
std::string quoted(const std::string& text, const std::string& also) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\'') {
      out += "'\\''";
      continue;
    }
    if (also.find(letter) != std::string::npos) out += '\\';
    out += letter;
  }
  return out;
}

std::string zsh_options(const CommandWords& command, const char* margin) {
  std::string out;
  for (const OptionWords& option : command.options) {
    for (const std::string& name : option.names) {
      const std::string choices = choices_text(option), values = choices.empty() ? "_files" : "(" + choices + ")";
      out += fmt::format("{}'*{}[{}]{}' \\\n", margin, name, quoted(option.help, "[]:\\"),
                         option.value.empty() ? "" : fmt::format(":{}:{}", quoted(option.value, ":\\"), values));
    }
  }
  return out + margin + "'*:file:_files'\n";
}

// A line for each name of an option whose values are known.
std::string bash_values(const CommandWords& command) {
  std::string out;
  for (const OptionWords& option : command.options) {
    const std::string choices = choices_text(option);
    if (choices.empty()) continue;
    for (const std::string& name : option.names)
      out += fmt::format("    \"{} {}\") values=\"{}\" ;;\n", command.name, name, choices);
  }
  return out;
}

}  // namespace

std::string bash_completion(const Program& program, const std::vector<CommandWords>& commands) {
  const std::string function = function_name(program);
  std::string names, cases, values;
  for (size_t n = 1; n < commands.size(); ++n) {
    values += bash_values(commands[n]);
    names += (n > 1 ? " " : "") + commands[n].name;
    cases += fmt::format("    {}) options=\"{}\" ;;\n", commands[n].name, names_of(commands[n]));
  }
  return fmt::format(R"(# Completes {0} in bash.
{1}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" options="" values=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{2} {3}" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{4}  esac
  case "${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD-1]}}" in
{5}  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F {1} {0}
)",
                     program.name, function, names, names_of(commands.front()), cases, values);
}

std::string zsh_completion(const Program& program, const std::vector<CommandWords>& commands) {
  std::string names, cases;
  for (size_t n = 1; n < commands.size(); ++n) {
    names += fmt::format("    '{}:{}'\n", commands[n].name, quoted(commands[n].help, ":\\"));
    cases += fmt::format("    {})\n      _arguments \\\n{}      ;;\n", commands[n].name,
                         zsh_options(commands[n], "        "));
  }
  return fmt::format(R"(#compdef {0}
# Completes {0} in zsh.
{1}() {{
  local -a commands
  commands=(
{2}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    compadd -- {3}
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
{4}  esac
}}
{1} "$@"
)",
                     program.name, function_name(program), names, names_of(commands.front()), cases);
}

std::string fish_completion(const Program& program, const std::vector<CommandWords>& commands) {
  std::string out = fmt::format("# Completes {} in fish.\n", program.name);
  const auto add_options = [&](const CommandWords& command, const std::string& where) {
    for (const OptionWords& option : command.options) {
      out += fmt::format("complete -c {} -n '{}'", program.name, where);
      for (const std::string& name : option.names) {
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      const std::string choices = choices_text(option);
      out += option.value.empty() ? "" : choices.empty() ? " -r" : fmt::format(" -x -a '{}'", choices);
      out += fmt::format(" -d '{}'\n", quoted(option.help, "\\"));
    }
  };
  add_options(commands.front(), "__fish_use_subcommand");
  for (size_t n = 1; n < commands.size(); ++n) {
    out += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d '{}'\n", program.name, commands[n].name,
                       quoted(commands[n].help, "\\"));
    add_options(commands[n], "__fish_seen_subcommand_from " + commands[n].name);
  }
  return out;
}

}  // namespace ropewalk::tools
