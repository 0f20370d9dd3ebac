// Names of entries and sources with seeded bugs.
#pragma once
#include <algorithm>
#include <string>

namespace ropewalk::kernels {

// What the entries of a family begin with: "attention_page_order" for attention_ and page-order.
inline std::string entry_prefix(std::string start, const std::string& words) {
  start += words;
  std::replace(start.begin(), start.end(), '-', '_');
  return start;
}

// "kernels/faulty/rotary_widths.cu" for rotary_widths.
inline std::string faulty_source(const std::string& stem) { return "kernels/faulty/" + stem + ".cu"; }

}  // namespace ropewalk::kernels
