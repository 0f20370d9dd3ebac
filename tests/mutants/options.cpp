#include "tests/mutants/options.h"

#include <charconv>
#include <functional>
#include <map>

#include "lib/base/error.h"
#include "lib/base/nearest.h"

namespace ropewalk::mutants {
namespace {

u64 number(const std::string& option, const std::string& text) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError(option + ": expected a whole number, not \"" + text + "\"");
  }
  return value;
}

}  // namespace

Options parse_options(const std::vector<std::string>& words) {
  Options options;
  const std::map<std::string, std::function<void(const std::string&)>> with_value = {
      {"--kernel", [&](const std::string& text) { options.kernels.push_back(text); }},
      {"--entries", [&](const std::string& text) { options.entries.push_back(text); }},
      {"--only", [&](const std::string& text) { options.only = text; }},
      {"--every", [&](const std::string& text) { options.every = std::max<u64>(1, number("--every", text)); }},
      {"--cases", [&](const std::string& text) { options.cases = number("--cases", text); }},
      {"--seed", [&](const std::string& text) { options.seed = number("--seed", text); }},
      {"--jobs", [&](const std::string& text) { options.jobs = u32(number("--jobs", text)); }},
      {"--argued", [&](const std::string& text) { options.argued = text; }},
      {"--report", [&](const std::string& text) { options.report = text; }},
  };
  for (u64 n = 0; n < words.size(); ++n) {
    if (words[n] == "--list" || words[n] == "--help") {
      (words[n] == "--list" ? options.list : options.help) = true;
      continue;
    }
    const auto found = with_value.find(words[n]);
    if (found == with_value.end()) {
      std::vector<std::string> names{"--list", "--help"};
      for (const auto& [name, set] : with_value) names.push_back(name);
      throw InputError("no option \"" + words[n] + "\", " + did_you_mean(words[n], names));
    }
    if (n + 1 == words.size()) throw InputError(words[n] + " needs a value");
    found->second(words[++n]);
  }
  return options;
}

std::string help_text() {
  return "Makes mutants of our kernels and tells which of them are found.\n"
         "Usage: mutants [OPTIONS]\n\n"
         "  --kernel NAME      mutate what this kernel launches (all healthy kernels); repeatable\n"
         "  --entries PATTERN  mutate the entries with such a name alone; repeatable\n"
         "  --only PATTERN     the mutants with such a name alone\n"
         "  --every N          each N-th of them\n"
         "  --cases N          cases that a mutant must outlive to count as a survivor (1500)\n"
         "  --seed N           of the campaign (1)\n"
         "  --jobs N           worker threads (one a core)\n"
         "  --argued FILE      the survivors that are argued for\n"
         "  --report FILE      write the results as JSON\n"
         "  --list             name the mutants, run none\n"
         "  --help             print this help\n\n"
         "Exit codes: 0 every mutant is found or argued for, 1 not so, 2 bad usage.\n";
}

}  // namespace ropewalk::mutants
