// Managed memory: where it had best lie. Nothing moves here; wrong ranges and locations are refused, and the program
// can ask for what it advised.
#include "lib/driver/advice.h"

#include <algorithm>
#include <optional>

#include "lib/driver/api/api.h"

namespace ropewalk::driver {

namespace {

constexpr u64 page_bytes = 4096;
constexpr int device_of_host = -1, no_device = -2;  // CU_DEVICE_CPU, CU_DEVICE_INVALID

// CUmem_advise
enum class Advised : int { ReadMostly = 1, NotReadMostly, Preferred, NotPreferred, AccessedBy, NotAccessedBy };

// Pages of managed memory; first == last: none.
struct PageRange {
  AdvisedPages* advice = nullptr;
  u64 first = 0, last = 0;
};

// Nothing: the range is not one of managed memory. It may reach to the end of its last page.
std::optional<PageRange> pages_of(const Call& call, DevicePointer address, u64 bytes) {
  const ResolvedAddress at = call->memory().find(address);
  Allocation* const memory = at.allocation;
  if (!memory || memory->freed || memory->kind != MemoryKind::Managed) return std::nullopt;
  const auto pages = [](u64 count) { return (count + page_bytes - 1) / page_bytes; };  // of the allocation, from 0
  const u64 offset = address - memory->address, end = pages(memory->bytes);
  if (address < memory->address || offset > memory->bytes || bytes > end * page_bytes - offset) return std::nullopt;
  if (!memory->advice) memory->advice = std::make_shared<AdvisedPages>();
  return PageRange{memory->advice.get(), offset / page_bytes, pages(offset + bytes)};
}

Result check(const Call& call, const MemoryLocation& location) {
  if (location.type == MemoryLocation::of_device) {
    return call->options().has_device(location.number) ? Result::Success : Result::InvalidDevice;
  }
  // This host is one node.
  if (location.type == MemoryLocation::of_host_node) return location.number ? Result::InvalidValue : Result::Success;
  const bool is_host = location.type == MemoryLocation::of_host || location.type == MemoryLocation::of_this_host_node;
  return is_host ? Result::Success : Result::InvalidValue;
}

MemoryLocation location_of(int device) {
  return device == device_of_host ? MemoryLocation{MemoryLocation::of_host, 0}
                                  : MemoryLocation{MemoryLocation::of_device, device};
}
int device_of(const MemoryLocation& location) {
  if (location.type == MemoryLocation::none) return no_device;
  return location.type == MemoryLocation::of_device ? location.number : device_of_host;
}

int prefetch(DevicePointer address, u64 bytes, const MemoryLocation& to, Stream* stream) {
  RW_CALL(call);
  if (!is_stream(*call, stream)) return answer(Result::InvalidHandle);
  if (const Result result = check(call, to); result != Result::Success) return answer(result);
  const std::optional<PageRange> pages = pages_of(call, address, bytes);
  if (!pages || !bytes) return invalid_value;
  pages->advice->change(pages->first, pages->last, [&](Advice& part) { part.prefetched = to; });
  return success;
}

int advise(DevicePointer address, u64 bytes, int what, const MemoryLocation& location) {
  RW_CALL(call);
  const auto advised = Advised(what);
  if (advised < Advised::ReadMostly || advised > Advised::NotAccessedBy) return invalid_value;
  const bool is_about_one = advised == Advised::Preferred || advised >= Advised::AccessedBy;
  if (is_about_one && check(call, location) != Result::Success) return invalid_value;
  const std::optional<PageRange> pages = pages_of(call, address, bytes);
  if (!pages) return invalid_value;
  pages->advice->change(pages->first, pages->last, [&](Advice& part) {
    switch (advised) {
      case Advised::ReadMostly:
      case Advised::NotReadMostly:
        part.is_read_mostly = advised == Advised::ReadMostly;
        break;
      case Advised::Preferred:
        part.preferred = location;
        break;
      case Advised::NotPreferred:
        part.preferred = {};
        break;
      case Advised::AccessedBy:
        part.accessed_by.insert(device_of(location));
        break;
      case Advised::NotAccessedBy:
        part.accessed_by.erase(device_of(location));
        break;
    }
  });
  return success;
}

// What is advised of all pages alike.
struct Common {
  bool is_read_mostly = true;
  std::optional<MemoryLocation> preferred, prefetched;
  std::optional<std::set<int>> accessed_by;
};
Common common_of(const PageRange& pages) {
  Common out;
  const auto join = [](std::optional<MemoryLocation>& all, const MemoryLocation& one) {
    all = !all || *all == one ? one : MemoryLocation{};
  };
  pages.advice->see(pages.first, pages.last, [&](const Advice& part) {
    out.is_read_mostly &= part.is_read_mostly;
    join(out.preferred, part.preferred);
    join(out.prefetched, part.prefetched);
    if (!out.accessed_by) out.accessed_by = part.accessed_by;
    std::erase_if(*out.accessed_by, [&](int device) { return !part.accessed_by.contains(device); });
  });
  return out;
}

}  // namespace

RW_CUDA cuMemPrefetchAsync(DevicePointer address, std::size_t bytes, int device, Stream* stream) {
  return prefetch(address, bytes, location_of(device), stream);
}
RW_CUDA cuMemPrefetchAsync_v2(DevicePointer address, std::size_t bytes, MemoryLocation to, unsigned flags,
                              Stream* stream) {
  return flags ? invalid_value : prefetch(address, bytes, to, stream);
}

RW_CUDA cuMemPrefetchBatchAsync(const DevicePointer* addresses, const std::size_t* bytes, std::size_t count,
                                const MemoryLocation* to, const std::size_t* first, std::size_t kinds, u64 flags,
                                Stream* stream) {
  if (!count || !has_all(addresses, bytes, to) || !are_firsts(first, kinds, count)) return invalid_value;
  if (flags || is_legacy(stream)) return invalid_value;
  for (std::size_t n = 0, kind = 0; n < count; ++n) {
    if (kind + 1 < kinds && first[kind + 1] == n) ++kind;
    if (const int no = prefetch(addresses[n], bytes[n], to[kind], stream)) return no;
  }
  return success;
}

RW_CUDA cuMemAdvise(DevicePointer address, std::size_t bytes, int what, int device) {
  return advise(address, bytes, what, location_of(device));
}
RW_CUDA cuMemAdvise_v2(DevicePointer address, std::size_t bytes, int what, MemoryLocation location) {
  return advise(address, bytes, what, location);
}

RW_CUDA cuMemRangeGetAttribute(int* data, std::size_t data_bytes, int attribute, DevicePointer address,
                               std::size_t bytes) {
  RW_CALL(call);
  // CUmem_range_attribute
  enum {
    read_mostly = 1,
    preferred,
    accessed_by,
    prefetched,
    preferred_type,
    preferred_id,
    prefetched_type,
    prefetched_id
  };
  const bool is_list = attribute == accessed_by;
  if (!data || !data_bytes || (is_list ? data_bytes % 4 != 0 : data_bytes != 4)) return invalid_value;
  const std::optional<PageRange> pages = pages_of(call, address, bytes);
  if (!pages || !bytes) return invalid_value;
  const Common all = common_of(*pages);
  switch (attribute) {
    case read_mostly:
      *data = all.is_read_mostly;
      break;
    case preferred:
      *data = device_of(*all.preferred);
      break;
    case prefetched:
      *data = device_of(*all.prefetched);
      break;
    case preferred_type:
      *data = all.preferred->type;
      break;
    case preferred_id:
      *data = all.preferred->number;
      break;
    case prefetched_type:
      *data = all.prefetched->type;
      break;
    case prefetched_id:
      *data = all.prefetched->number;
      break;
    case accessed_by: {
      const std::size_t count = data_bytes / 4;
      std::fill_n(data, count, no_device);
      std::copy_n(all.accessed_by->begin(), std::min(count, all.accessed_by->size()), data);
      break;
    }
    default:
      return invalid_value;
  }
  return success;
}

RW_CUDA cuMemRangeGetAttributes(int** data, const std::size_t* data_bytes, const int* attributes, std::size_t count,
                                DevicePointer address, std::size_t bytes) {
  if (!data || !data_bytes || !attributes || !count) return invalid_value;
  for (std::size_t n = 0; n < count; ++n) {
    if (const int result = cuMemRangeGetAttribute(data[n], data_bytes[n], attributes[n], address, bytes)) return result;
  }
  return success;
}

}  // namespace ropewalk::driver
