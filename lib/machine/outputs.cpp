#include "lib/machine/outputs.h"

#include <fmt/format.h>

#include <cmath>

#include "lib/base/bits.h"

namespace ropewalk::machine {

namespace {

bool in_fields(const LaunchTensor& tensor, i64 n) {
  if (tensor.fields.empty()) return true;
  const i64 columns = tensor.shape.empty() ? 1 : tensor.shape.back();
  const i64 row = n / columns, column = n % columns;
  for (const Field& field : tensor.fields) {
    if (row >= field.first_row && row < field.last_row && column >= field.first_column && column < field.last_column) {
      return true;
    }
  }
  return false;
}

// body(element in row-major order, byte offset) for every element, until it returns false.
template <class Body>
void for_elements(const LaunchTensor& tensor, Body body) {
  const i64 count = element_count(tensor.shape);
  const i64 size = size_of(tensor.dtype);
  std::vector<i64> index(tensor.shape.size(), 0);
  i64 offset = 0;
  for (i64 n = 0; n < count; ++n) {
    if (!body(n, u64(offset * size))) return;
    for (i64 d = i64(index.size()) - 1; d >= 0; --d) {
      offset += tensor.strides[d];
      if (++index[d] < tensor.shape[d]) break;
      offset -= tensor.strides[d] * tensor.shape[d];
      index[d] = 0;
    }
  }
}

// The last step of an entry is a return: the place to speak of a kernel as a whole is where it begins.
Occurrence about_output(Rule rule, const Window& window, u64 offset, u32 bytes) {
  Occurrence out;
  out.rule = rule;
  out.step = no_value;
  out.window = u32(window_of(window.base));
  out.has_access = true;
  out.offset = i64(offset);
  out.bytes = bytes;
  return out;
}

void check_written(const LaunchTensor& tensor, const Window& window, Collector& collector) {
  const u64* written = window.initialized;
  if (!written || !std::holds_alternative<Uninitialized>(tensor.init)) return;
  const u32 size = size_of(tensor.dtype);
  if (tensor.fields.empty() && all_bits(written, 0, window.bytes)) return;
  for_elements(tensor, [&](i64 n, u64 offset) {
    if (all_bits(written, offset, offset + size) || !in_fields(tensor, n)) return true;
    if (window.poisoned && any_bit(window.poisoned, offset, offset + size)) return true;
    collector.report(about_output(Rule::OutputNotWritten, window, offset, size));
    return true;
  });
}

template <class Body>
void for_nonfinite(const LaunchTensor& tensor, const Window& window, Body body) {
  const u32 size = size_of(tensor.dtype);
  for_elements(tensor, [&](i64, u64 offset) {
    if (window.initialized && !all_bits(window.initialized, offset, offset + size)) return true;
    if (std::isfinite(load_as_double(window.data + offset, tensor.dtype))) return true;
    return body(offset);
  });
}

}  // namespace

bool has_nonfinite_output(const Launch& launch, const Memory& memory) {
  bool found = false;
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    if (!launch.tensors[n].finite) continue;
    for_nonfinite(launch.tensors[n], memory.tensor(n), [&](u64) { return !(found = true); });
  }
  return found;
}

void check_outputs(LaunchState& state, Collector& collector, bool sampled, bool with_origins) {
  const Launch& launch = state.launch;
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    const LaunchTensor& tensor = launch.tensors[n];
    const Window& window = state.memory.tensor(n);
    if (tensor.output && !sampled && state.options.checks.has(Check::Outputs)) check_written(tensor, window, collector);
    if (!tensor.finite || !with_origins) continue;
    for_nonfinite(tensor, window, [&](u64 offset) {
      Occurrence out = about_output(Rule::NonfiniteOrigin, window, offset, size_of(tensor.dtype));
      const auto origin = state.origins.find(window.base + offset);
      out.step = origin == state.origins.end() ? no_value : origin->second - 1;
      out.detail = fmt::format("{}", load_as_double(window.data + offset, tensor.dtype));
      collector.report(out);
      return true;
    });
  }
}

}  // namespace ropewalk::machine
