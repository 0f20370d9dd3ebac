#include "lib/base/percent.h"

#include <fmt/format.h>

#include <cstdlib>

namespace ropewalk {
namespace {

constexpr int most_digits = 17;

// Adds digits until the text says what is true.
template <class Write>
std::string told_truly(double share, int digits, const Write& write) {
  std::string text = write(100 * share, digits);
  while (digits < most_digits) {
    const double told = std::strtod(text.c_str(), nullptr);
    if ((told != 100 || share == 1) && (told != 0 || share == 0)) break;
    text = write(100 * share, ++digits);
  }
  return text;
}

}  // namespace

std::string percent_fixed(double share, int decimals) {
  return told_truly(share, decimals, [](double value, int digits) { return fmt::format("{:.{}f}", value, digits); });
}

std::string percent_rounded(double share, int digits) {
  return told_truly(share, digits, [](double value, int digits) { return fmt::format("{:.{}g}", value, digits); });
}

}  // namespace ropewalk
