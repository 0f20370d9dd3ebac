#include "tools/parse/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

#include "lib/base/error.h"
#include "lib/base/nearest.h"
#include "tools/parse/commands.h"
#include "tools/parse/help.h"
#include "tools/parse/words.h"

namespace ropewalk::tools {
namespace {

// A command of the program with its readers.
struct Entry {
  CLI::App* app = nullptr;
  ReadCommand read;
  ReadShared read_shared;
};

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// CLI11 says of an option without its value "--seed: 1 required N missing", of a repeated one "--seed: At Most 1 ...".
std::string message_of(const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::string option = text.substr(0, text.find(':'));
  if (text.ends_with("missing")) return option + ": a value is missing";
  if (text.find("At Most 1") != std::string::npos) return option + " is given more than once";
  return text;
}

// `--head-dim= FILE`: CLI11 would take FILE for the value.
void refuse_empty_values(const std::vector<std::string>& arguments, const std::vector<Entry>& entries) {
  const auto takes_value = [&](const std::string& name) {
    return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
      const CLI::Option* const option = name.starts_with("-") ? entry.app->get_option_no_throw(name) : nullptr;
      return option && option->get_type_size() > 0;
    });
  };
  for (size_t n = 0; n < arguments.size(); ++n) {
    const std::string& word = arguments[n];
    if (word == "--") return;
    if (word.empty() && n > 0 && takes_value(arguments[n - 1]))
      throw InputError(arguments[n - 1] + ": a value is missing");
    if (word.starts_with("--") && word.ends_with("=") && word.find('=') == word.size() - 1) {
      throw InputError(word.substr(0, word.size() - 1) + ": a value is missing");
    }
  }
}

// What CLI11 could not place in the command.
std::vector<std::string> extras_of(const Entry& entry) {
  std::vector<std::string> extras = entry.app->remaining();
  std::erase(extras, "--");  // CLI11 leaves the mark here that it took note of
  return extras;
}

// "cache does not take --checks; kernel, fuzz and launch do", where another command has the option; else the nearest
// one of this command.
std::string unknown_option(const std::string& name, const Entry& entry, const std::vector<Entry>& entries) {
  std::vector<std::string> takers;
  for (const Entry& other : entries) {
    const CLI::App& app = *other.app;
    if (app.get_option_no_throw(name) != nullptr) takers.push_back(app.get_name());
  }
  const std::string& command = entry.app->get_name();
  if (takers.empty()) {
    return command + ": unknown option " + name + "; " + did_you_mean(name, option_names(*entry.app));
  }
  std::string list;
  for (size_t n = 0; n < takers.size(); ++n) {
    list += (n == 0 ? "" : n + 1 == takers.size() ? " and " : ", ") + takers[n];
  }
  return command + ": " + name + " is not an option of this command, which would not honor it; " + list +
         (takers.size() == 1 ? " takes it" : " take it");
}

// Refuses what CLI11 could not place: an unknown option of the command first, for it is what has misplaced the others.
void refuse_extras(const CLI::App& root, const Entry* entry, const std::vector<Entry>& entries,
                   const std::string& program) {
  const std::vector<std::string> extras = entry ? extras_of(*entry) : std::vector<std::string>();
  if (!extras.empty() && extras.front().starts_with("-") && extras.front().size() > 1) {
    const std::string name = extras.front().substr(0, extras.front().find('='));
    throw InputError(unknown_option(name, *entry, entries));
  }
  std::vector<std::string> commands;
  for (const Entry& one : entries) commands.push_back(one.app->get_name());
  const std::vector<std::string> misplaced = root.remaining();
  if (!misplaced.empty()) {
    const std::string& word = misplaced.front();
    if (word.starts_with("-")) {
      throw InputError("unknown option " + word + " before the command; options follow it: " + program +
                       " COMMAND [OPTIONS]");
    }
    throw InputError("unknown command \"" + word + "\"; " + did_you_mean(word, commands));
  }
  if (!entry) throw InputError("a command is missing; " + did_you_mean("", commands) + " (or --help)");
  if (!extras.empty()) {
    throw InputError(entry->app->get_name() + ": did not expect the argument \"" + extras.front() + "\"");
  }
}

// Declares the program's own options and all of its commands.
std::vector<Entry> declare_all(CLI::App& root, const Program& program) {
  root.set_version_flag("-V,--version", program.name + " " ROPEWALK_VERSION, "print the version");
  root.set_help_flag("-h,--help", "print this help; " + program.name + " COMMAND --help shows a command's options");
  root.allow_extras();
  root.footer(exit_codes_line);

  std::vector<Entry> entries;
  const auto add = [&](const char* name, const char* help, ReadCommand (*declare)(CLI::App&),
                       const HonoredOptions& honored) {
    CLI::App* const app = root.add_subcommand(name, help);
    app->set_help_flag("-h,--help", "print this help");
    app->allow_extras();
    ReadCommand read = declare(*app);
    entries.push_back({app, std::move(read), declare_shared(*app, honored)});
  };
  const bool is_rotary = program.is_about("rotary");
  add("case", "run one case of one of our kernels, check it and compare it with the reference",
      is_rotary ? declare_kernel : declare_case, honored_by_our_kernels);
  add("fuzz", "look for trouble: a campaign over our kernels, every finding minimized", declare_fuzz,
      honored_by_our_kernels);
  if (is_rotary) {
    add("launch", "run any PTX as launch files say, check it and compare it with what they expect", declare_launch,
        honored_by_launch);
    add("cache", "compare dumped rope caches with their formula and with each other", declare_cache, honored_by_cache);
    add("init", "explore every order of an initialisation's events that a plan allows", declare_init, honored_by_init);
    add("run", "run a program that uses CUDA on a virtual GPU, every launch and copy checked", declare_run,
        honored_by_run);
    add("trace", "run a CUDA program, and on its first CUDA error say which launch failed and what it was handed",
        declare_trace, honors_nothing);
  } else {
    add("compat", "say whether a caller's calls bind to a provider's functions, and mean the same", declare_compat,
        honored_by_reports);
  }
  add("atlas", "run the known bugs of the field, each beside its correct counterpart, and judge what is found",
      declare_atlas, honored_by_atlas);
  add("replay", "show the findings of a report again, from the report alone", declare_replay, honored_by_replay);
  add("merge", "join reports, such as those of a campaign's shards, or write one in other formats", declare_merge,
      honored_by_reports);
  add("list", "list the kernels", declare_list, honors_nothing);
  add("explain", "say what a rule means and why it hurts, or what a cause is and what to do", declare_explain,
      honors_nothing);
  add("bench", "measure the machine's speed", declare_bench, honors_nothing);
  return entries;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words;
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  if (words.names.empty()) words.names.push_back(option.get_name());
  if (option.get_type_size() > 0 && option.nonpositional()) words.value = option.get_type_name();
  words.help = option.get_description();
  return words;
}

CommandWords words_of(const CLI::App& app, const std::string& name) {
  CommandWords words{name, app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    (option->nonpositional() ? words.options : words.positionals).push_back(words_of(*option));
  }
  return words;
}

}  // namespace

const char* const exit_codes_line =
    "Exit codes: 0 clean, 1 findings, 2 bad usage or unreadable input, 3 nothing could be checked, 4 internal error.";

std::vector<std::string> choices_of(const OptionWords& option) {
  std::vector<std::string> words;
  std::istringstream text(option.value);
  for (std::string word; std::getline(text, word, '|');) {
    if (!std::islower(static_cast<unsigned char>(word.empty() ? 'N' : word[0]))) return {};
    words.push_back(word);
  }
  return words.size() > 1 ? words : std::vector<std::string>();
}

std::vector<CommandWords> command_words(const Program& program) {
  CLI::App root(program.purpose, program.name);
  const std::vector<Entry> entries = declare_all(root, program);
  std::vector<CommandWords> commands = {words_of(root, "")};
  for (const Entry& entry : entries) commands.push_back(words_of(*entry.app, entry.app->get_name()));
  return commands;
}

std::string quoted_line(const std::string& program_name, const std::vector<std::string>& arguments) {
  std::string line = program_name;
  for (const std::string& argument : arguments) {
    const bool plain = !argument.empty() && argument.find_first_not_of(
                                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                "_-+=.,:/@%^") == std::string::npos;
    line += ' ';
    if (plain) {
      line += argument;
      continue;
    }
    line += '\'';
    for (const char letter : argument) line += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    line += '\'';
  }
  return line;
}

std::vector<std::string> split_line(const std::string& line) {
  std::vector<std::string> words;
  bool inside = false, quoted = false;
  for (size_t n = 0; n < line.size(); ++n) {
    const char letter = line[n];
    if (!quoted && letter == ' ') {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (letter == '\'') {
      quoted = !quoted;
    } else if (!quoted && letter == '\\' && n + 1 < line.size()) {
      words.back() += line[++n];
    } else {
      words.back() += letter;
    }
  }
  return words;
}

std::string check_line(const std::string& line) {
  const std::vector<std::string> words = split_line(line);
  std::vector<std::string> kept;
  for (size_t n = 1; n < words.size(); ++n) {
    if (words[n] == "--") {  // what follows is another program's
      kept.insert(kept.end(), words.begin() + long(n), words.end());
      break;
    }
    const auto option = reporting_options().find(words[n].substr(0, words[n].find('=')));
    if (option == reporting_options().end())
      kept.push_back(words[n]);
    else if (option->second && words[n].find('=') == std::string::npos)
      ++n;
  }
  return words.empty() ? line : quoted_line(words[0], kept);
}

namespace {

// What follows "--" are no options: names of files that begin with "-" are written as ./-. Behind another program's
// name the mark is its own.
std::vector<std::string> without_mark(std::vector<std::string> arguments) {
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  const bool is_own = arguments.empty() || (arguments.front() != "run" && arguments.front() != "trace");
  if (!is_own || mark == arguments.end() || mark == arguments.begin()) return arguments;
  for (auto word = mark + 1; word != arguments.end(); ++word) {
    if (word->starts_with("-") && *word != "-") *word = "./" + *word;
  }
  arguments.erase(mark);
  return arguments;
}

// A command by what it was called in the first edition.
std::string name_of_today(const std::string& word, const Program& program) {
  if (!program.old_case.empty() && word == program.old_case) return "case";
  if (!program.old_fuzz.empty() && word == program.old_fuzz) return "fuzz";
  return word;
}

}  // namespace

Request parse_command_line(const std::vector<std::string>& arguments, const Program& program) {
  CLI::App root(program.purpose, program.name);
  const std::vector<Entry> entries = declare_all(root, program);
  Request request;
  request.shared.program = &program;
  request.command_line = quoted_line(program.name, arguments);
  refuse_empty_values(arguments, entries);
  std::vector<std::string> words = without_mark(arguments);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  if (!words.empty()) words.back() = name_of_today(words.back(), program);
  try {
    root.parse(words);
  } catch (const CLI::CallForHelp&) {
    request.command = ShowText{wrapped_help(root.help(), help_width())};
    return request;
  } catch (const CLI::CallForVersion& version) {
    request.command = ShowText{std::string(version.what()) + "\n"};
    return request;
  } catch (const CLI::ParseError& error) {
    throw InputError(message_of(error));
  }
  const Entry* chosen = nullptr;
  for (const Entry& entry : entries) {
    if (entry.app->parsed()) chosen = chosen ? chosen : &entry;
  }
  refuse_extras(root, chosen, entries, program.name);
  request.shared = chosen->read_shared();
  request.shared.program = &program;
  request.command = chosen->read();
  if (auto* list = std::get_if<ListOptions>(&request.command)) list->families = program.families;
  if (auto* bench = std::get_if<BenchOptions>(&request.command)) bench->family = program.families.front();
  return request;
}

}  // namespace ropewalk::tools
