#include "tools/parse/help.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace ropewalk::tools {
namespace {

constexpr size_t description_column = 30;  // CLI11's own

std::string wrapped_line(std::string_view line, size_t width) {
  const bool is_entry =
      line.starts_with("  ") && line.size() > description_column && line[description_column - 1] == ' ';
  const size_t indent = is_entry ? description_column : 0;
  std::string out;
  while (line.size() > width - (out.empty() ? 0 : indent)) {
    const size_t room = width - (out.empty() ? 0 : indent), first = out.empty() ? indent : 0;
    size_t blank = line.rfind(' ', room);
    if (blank == std::string_view::npos || blank <= first) blank = line.find(' ', std::max(room, first));
    if (blank == std::string_view::npos) break;
    out += std::string(out.empty() ? 0 : indent, ' ') + std::string(line.substr(0, blank)) + "\n";
    line.remove_prefix(blank + 1);
  }
  return out + std::string(out.empty() ? 0 : indent, ' ') + std::string(line) + "\n";
}

}  // namespace

u64 help_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::clamp<u64>(size.ws_col, 50, 120);
}

std::string wrapped_help(const std::string& text, u64 width) {
  std::string out;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    // CLI11 writes two empty lines before a group of options.
    const bool is_second = end == start && out.ends_with("\n\n");
    if (!is_second) out += wrapped_line(std::string_view(text).substr(start, end - start), width);
    start = end + 1;
  }
  return out;
}

}  // namespace ropewalk::tools
