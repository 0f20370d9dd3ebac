#include "tools/install/man_page.h"

#include <fmt/format.h>

#include <cctype>

namespace ropewalk::tools {
namespace {

// Text in which roff sees nothing to do.
std::string plain(const std::string& text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char letter : text) {
    if (letter == '\\') {
      out += "\\e";
    } else if (letter == '-') {
      out += "\\-";
    } else {
      out += letter;
    }
  }
  return out;
}

std::string option_text(const OptionWords& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + ("\\fB" + plain(name) + "\\fR");
  if (!option.value.empty()) names += " \\fI" + plain(option.value) + "\\fR";
  return ".TP\n" + names + "\n" + plain(option.help) + "\n";
}

std::string options_text(const CommandWords& command) {
  std::string out;
  for (const OptionWords& positional : command.positionals) out += option_text(positional);
  for (const OptionWords& option : command.options) out += option_text(option);
  return out;
}

}  // namespace

std::string man_page(const Program& program, const std::vector<CommandWords>& commands, const std::string& version) {
  std::string title;
  for (const char letter : program.name) title += char(std::toupper(static_cast<unsigned char>(letter)));
  std::string out = fmt::format(".TH {} 1 \"\" \"Ropewalk {}\" \"User Commands\"\n", plain(title), version);
  out += fmt::format(".SH NAME\n{} \\- {}\n", plain(program.name), plain(program.purpose));
  out += fmt::format(".SH SYNOPSIS\n.B {}\n.I COMMAND\n.RI [ OPTIONS ]\n", plain(program.name));
  out += ".SH OPTIONS\n" + options_text(commands.front());
  out += ".SH COMMANDS\n";
  for (size_t n = 1; n < commands.size(); ++n) {
    out += fmt::format(".SS {}\n{}.\n", plain(commands[n].name), plain(commands[n].help)) + options_text(commands[n]);
  }
  out += fmt::format(".SH EXIT STATUS\n{}\n", plain(exit_codes_line));
  return out;
}

}  // namespace ropewalk::tools
