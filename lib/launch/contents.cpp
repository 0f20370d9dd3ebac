#include "lib/launch/contents.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "lib/base/cores.h"

namespace ropewalk {

bool is_gap_free(const LaunchTensor& tensor) { return tensor.strides == contiguous_strides(tensor.shape); }

void fill_tensor(const LaunchTensor& tensor, std::byte* data, u64 first, u64 last) {
  if (std::holds_alternative<Uninitialized>(tensor.init)) return;
  const u32 size = size_of(tensor.dtype);
  if (const auto* given = std::get_if<Given>(&tensor.init);
      given && given->array->dtype == tensor.dtype && is_gap_free(tensor)) {
    const u64 bytes = std::min<u64>(last, given->array->bytes.size());
    if (bytes > first) std::memcpy(data + first, given->array->bytes.data() + first, bytes - first);
    return;
  }
  if (is_gap_free(tensor)) {
    write_values(tensor.init, i64(first / size), i64((last - first) / size), tensor.dtype, data + first);
    return;
  }
  // Row by row where a row has no gaps, else element by element.
  const i64 count = element_count(tensor.shape);
  const u64 rank = tensor.shape.size(), inner = rank && tensor.strides.back() == 1 ? 1 : 0;
  const i64 together = inner ? tensor.shape.back() : 1;
  std::vector<i64> index(rank, 0);
  for (i64 n = 0; n < count; n += together) {
    write_values(tensor.init, n, together, tensor.dtype, data + offset_of(tensor.strides, index) * size);
    for (i64 d = i64(rank - inner) - 1; d >= 0; --d) {
      if (++index[d] < tensor.shape[d]) break;
      index[d] = 0;
    }
  }
}

void fill_whole_tensor(const LaunchTensor& tensor, std::byte* data) {
  constexpr u64 chunk = u64(4) << 20;
  const u64 bytes = tensor.bytes();
  if (bytes < 4 * chunk || !is_gap_free(tensor)) return fill_tensor(tensor, data, 0, bytes);
  std::atomic<u64> next = 0;
  on_spare_cores(i64(bytes / chunk), [&] {
    for (u64 first; (first = chunk * next++) < bytes;) fill_tensor(tensor, data, first, std::min(bytes, first + chunk));
  });
}

}  // namespace ropewalk
