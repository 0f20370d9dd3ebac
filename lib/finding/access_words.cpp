#include "lib/finding/access_words.h"

#include "lib/base/dtype.h"

namespace ropewalk {

u64 bytes_across_end(const Access& access) {
  const std::optional<Dtype> dtype = dtype_named(access.dtype);
  if (!dtype || access.shape.empty() || access.byte_offset.value_or(-1) < 0) return 0;
  u64 size = size_of(*dtype);
  for (const i64 extent : access.shape) size *= u64(extent);
  const u64 first = u64(*access.byte_offset), last = first + access.bytes;
  return first < size && size < last ? last - size : 0;
}

}  // namespace ropewalk
