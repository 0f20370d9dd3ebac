#include "lib/machine/checks/wording.h"

#include <fmt/format.h>

#include "lib/finding/access_words.h"

namespace ropewalk::machine {

namespace {

// A tensor without a name of its own has a description, "allocation 2 (128 bytes, cudaMalloc)".
bool is_described(const Access& access) { return access.tensor.find(' ') != std::string::npos; }

}  // namespace

Wording::Wording(const Finding& of, const Collected& all, const LaunchTensor* touched, std::string size)
    : finding(of),
      collected(all),
      example(all.example),
      access(of.access.value_or(Access())),
      tensor_(touched),
      size_(std::move(size)) {}

std::string Wording::verb() const { return example.detail.empty() ? "touches" : example.detail; }

std::string Wording::bytes() const { return fmt::format("{} byte{}", access.bytes, access.bytes == 1 ? "" : "s"); }

std::string Wording::not_in() const {
  if (!access.region.empty()) return fmt::format("not in {}, the region that this argument may reach", access.region);
  return tensor_ && !tensor_->regions.empty() ? "in no region of the tensor" : "no element of the tensor";
}

std::string Wording::element() const {
  const std::string name = access.tensor.empty() ? access.space + " memory" : access.tensor;
  if (access.index && is_described(access)) {
    const char* const what = access.dtype == "u8" ? "byte" : "element";
    const bool is_flat = access.index->size() == 1;
    return is_flat ? fmt::format("{} {} of {}", what, access.index->front(), name)
                   : fmt::format("{} {} of {}", what, text_of(*access.index), name);
  }
  if (access.index) return name + text_of(*access.index);
  const i64 offset = access.byte_offset.value_or(0);
  return fmt::format("{} {} {}", name, offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
}

std::string Wording::where() const {
  std::string of = access.tensor.empty() ? access.space + " memory" : is_described(access) ? "it" : access.tensor;
  if (access.tensor.empty()) of += size_;
  if (!access.shape.empty() && !is_described(access)) of += " " + text_of(access.shape);
  if (access.bytes_before_start) return fmt::format("{} bytes before the start of {}", *access.bytes_before_start, of);
  if (const u64 outside = bytes_across_end(access))
    return fmt::format("the last {} of them past the end of {}", outside, of);
  if (access.bytes_past_end && *access.bytes_past_end == 0)
    return fmt::format("the first bytes past the end of {}", of);
  if (access.bytes_past_end) return fmt::format("{} bytes past the end of {}", *access.bytes_past_end, of);
  return fmt::format("inside {}", of);
}

}  // namespace ropewalk::machine
