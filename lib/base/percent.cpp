#include "lib/base/percent.h"

#include <fmt/format.h>

#include <cstdlib>

namespace ropewalk {
namespace {

constexpr int most_digits = 17;

// Adds digits until the text says what is true.
template <class Write>
std::string truly_printed(double share, int digits, const Write& write) {
  std::string text = write(100 * share, digits);
  while (digits < most_digits) {
    const double printed = std::strtod(text.c_str(), nullptr);
    if ((printed != 100 || share == 1) && (printed != 0 || share == 0)) break;
    text = write(100 * share, ++digits);
  }
  return text;
}

}  // namespace

std::string percent_fixed(double share, int decimals) {
  return truly_printed(share, decimals, [](double value, int digits) { return fmt::format("{:.{}f}", value, digits); });
}

std::string percent_rounded(double share, int digits) {
  return truly_printed(share, digits, [](double value, int digits) { return fmt::format("{:.{}g}", value, digits); });
}

}  // namespace ropewalk
