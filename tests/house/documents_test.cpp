// What the reader is shown is executed: in every Markdown file each block marked `console` is a command after "$ " and,
// below it, exactly what the command prints. ROPEWALK_UPDATE_GOLDEN=1 writes the outputs again.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "tests/house/repository.h"

namespace ropewalk::testing {
namespace {

bool updating() {
  const char* const update = std::getenv("ROPEWALK_UPDATE_GOLDEN");
  return update && std::string(update) == "1";
}

// Times differ from run to run.
std::string without_times(const std::string& text) {
  static const std::regex time("[0-9]+\\.[0-9]+ s\\)");
  return std::regex_replace(text, time, "0.01 s)");
}

// A command of a console block with the lines that stand below it.
struct Shown {
  std::string file;
  size_t line = 0;  // of the command, 1-based
  std::string command;
  std::string output;
};

std::vector<std::string> documents() {
  std::vector<std::string> paths;
  for (const std::string& path : repository_files()) {
    if (path.ends_with(".md")) paths.push_back(path);
  }
  return paths;
}

std::vector<Shown> shown_in(const std::string& path) {
  std::vector<Shown> all;
  bool inside = false;
  const std::vector<std::string> lines = lines_of(content_of(path));
  for (size_t n = 0; n < lines.size(); ++n) {
    if (lines[n].starts_with("```")) {
      inside = !inside && lines[n] == "```console";
    } else if (inside && lines[n].starts_with("$ ")) {
      all.push_back({path, n + 1, lines[n].substr(2), ""});
    } else if (inside && !all.empty()) {
      all.back().output += lines[n] + "\n";
    }
  }
  return all;
}

// make builds and tests (this test among others): only that the target exists is tested.
bool is_for_people(const std::string& command) { return command.starts_with("make ") || command.starts_with("git "); }

std::string printed_by(const Shown& shown) {
  std::string text = without_times(run_shell(shown.command).output);
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

void update(const std::string& path) {
  std::vector<std::string> lines = lines_of(content_of(path));
  const std::vector<Shown> all = shown_in(path);
  for (auto shown = all.rbegin(); shown != all.rend(); ++shown) {
    if (is_for_people(shown->command)) continue;
    const auto first = lines.begin() + long(shown->line);
    const auto last = first + long(lines_of(shown->output).size());
    const std::vector<std::string> output = lines_of(printed_by(*shown));
    lines.insert(lines.erase(first, last), output.begin(), output.end());
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  replace_content(path, text);
}

TEST(Documents, PrintWhatTheirCommandsPrint) {
  size_t count = 0;
  for (const std::string& path : documents()) {
    if (updating()) update(path);
    for (const Shown& shown : shown_in(path)) {
      if (is_for_people(shown.command)) continue;
      ++count;
      EXPECT_EQ(shown.output, printed_by(shown))
          << shown.file << ":" << shown.line << ": " << shown.command << "\nROPEWALK_UPDATE_GOLDEN=1 writes it again";
    }
  }
  EXPECT_GT(count, 0u);
}

TEST(Documents, NameMakeTargetsThatExist) {
  const std::string makefile = "\n" + content_of("Makefile");
  for (const std::string& path : documents()) {
    for (const Shown& shown : shown_in(path)) {
      if (!shown.command.starts_with("make ")) continue;
      const std::string target = shown.command.substr(5, shown.command.find(' ', 5) - 5);
      EXPECT_NE(makefile.find("\n" + target + ":"), std::string::npos) << path << ":" << shown.line;
    }
  }
}

TEST(Documents, TheManualHasTheHelpOfEveryCommand) {
  std::string commands;
  for (const Shown& shown : shown_in("docs/manual.md")) commands += shown.command + "\n";
  EXPECT_NE(commands.find("rope-check --help\n"), std::string::npos);
  bool listing = false;
  size_t count = 0;
  for (const std::string& line : lines_of(run_shell("rope-check --help").output)) {
    if (line == "Subcommands:")
      listing = true;
    else if (line.empty())
      listing = false;
    else if (listing && line.starts_with("  ") && line[2] != ' ') {
      ++count;
      const std::string name = line.substr(2, line.find(' ', 2) - 2);
      EXPECT_NE(commands.find("rope-check " + name + " --help\n"), std::string::npos) << name;
    }
  }
  EXPECT_GE(count, 5u);
}

// "This is `PATH`:" and a block of JSON: the file's text.
TEST(Documents, ShowFilesAsTheyAre) {
  const std::regex shown("This is `([^`]+)`:\n\n```json\n([^`]*)```");
  size_t count = 0;
  for (const std::string& path : documents()) {
    const std::string text = content_of(path);
    for (std::sregex_iterator match(text.begin(), text.end(), shown), end; match != end; ++match, ++count) {
      EXPECT_EQ((*match)[2].str(), content_of((*match)[1].str())) << path << " shows another " << (*match)[1].str();
    }
  }
  EXPECT_GT(count, 0u);
}

TEST(Documents, LinkToFilesThatExist) {
  const std::regex link("\\]\\(([^)#:]+)\\)");
  std::string known = "\n";
  for (const std::string& file : repository_files()) known += file + "\n";
  for (const std::string& path : documents()) {
    const std::string folder = path.find('/') == std::string::npos ? "" : path.substr(0, path.rfind('/') + 1);
    const std::string text = content_of(path);
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
      std::string target = folder + (*match)[1].str();
      while (target.find("/../") != std::string::npos) {
        const size_t up = target.find("/../");
        const size_t begin = target.rfind('/', up - 1) == std::string::npos ? 0 : target.rfind('/', up - 1) + 1;
        target.erase(begin, up + 4 - begin);
      }
      EXPECT_NE(known.find("\n" + target), std::string::npos) << path << " links to " << (*match)[1].str();
    }
  }
}

}  // namespace
}  // namespace ropewalk::testing
