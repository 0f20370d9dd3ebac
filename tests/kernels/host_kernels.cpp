#include "tests/kernels/host_kernels.h"

#include <cstring>
#include <map>

#include "kernels/faulty/rotary_widths.cu"
#include "kernels/rotary/apply.cu"
#include "kernels/rotary/apply_vector.cu"
#include "kernels/rotary/cache.cu"
#include "kernels/rotary/qk.cu"
#include "lib/base/error.h"

namespace ropewalk::kernels {
namespace {

using Address = std::byte*;
using Apply = void (*)(Address, Address, Address, Address, RotaryArguments);
using Qk = void (*)(Address, Address, Address, Address, RotaryQkArguments);
using Cache = void (*)(Address, Address, Address, int, int, double);

#define ENTRY(name, Rules, X, C, interleaved) {#name, reinterpret_cast<void (*)()>(&name)},

const std::map<std::string, void (*)()>& entries() {
  static const std::map<std::string, void (*)()> all = {
      ROTARY_ENTRIES(ENTRY, rotary_apply, ) ROTARY_ENTRIES(ENTRY, rotary_apply_vector, )
          ROTARY_ENTRIES(ENTRY, rotary_apply_unguarded, ) ROTARY_ENTRIES(ENTRY, rotary_qk, )
              ENTRY(rotary_cache_f32, , , , ) ENTRY(rotary_cache_f16, , , , ) ENTRY(rotary_cache_bf16, , , , )};
  return all;
}

// The storage of a launch's tensors.
class Storage {
 public:
  explicit Storage(const Launch& launch) {
    for (const LaunchTensor& tensor : launch.tensors) {
      const u32 size = size_of(tensor.dtype);
      auto& bytes = tensors_.emplace_back(tensor.bytes(), std::byte(0xff));
      if (std::holds_alternative<Uninitialized>(tensor.init)) continue;
      const i64 count = element_count(tensor.shape);
      std::vector<std::byte> values(u64(count) * size);
      write_values(tensor.init, 0, count, tensor.dtype, values.data());
      for (i64 n = 0; n < count; ++n) {
        std::memcpy(&bytes[u64(offset_of(tensor.strides, index_of(tensor.shape, n))) * size], &values[u64(n) * size],
                    size);
      }
    }
  }
  template <class Argument>
  u64 bits_of(const Argument& argument) {
    if (const auto* tensor = std::get_if<TensorArgument>(&argument)) {
      return reinterpret_cast<u64>(tensors_[tensor->tensor].data());
    }
    if (const auto* scalar = std::get_if<ScalarArgument>(&argument)) return scalar->bits;
    return 0;
  }
  Address address(const Argument& argument) { return reinterpret_cast<Address>(bits_of(argument)); }
  template <class Packed>
  Packed packed(const Argument& argument) {
    Packed out{};
    for (const auto& part : std::get<StructArgument>(argument).parts) {
      const u64 bits = bits_of(part.value);
      const auto* scalar = std::get_if<ScalarArgument>(&part.value);
      std::memcpy(reinterpret_cast<char*>(&out) + part.at, &bits, scalar ? size_of(scalar->dtype) : 8);
    }
    return out;
  }
  std::vector<std::vector<std::byte>> take() { return std::move(tensors_); }

 private:
  std::vector<std::vector<std::byte>> tensors_;
};

template <class Call>
void for_each_thread(const Launch& launch, Call call) {
  blockDim = {launch.block.x, launch.block.y, launch.block.z};
  gridDim = {launch.grid.x, launch.grid.y, launch.grid.z};
  for (u64 block = 0; block < launch.grid.count(); ++block) {
    blockIdx = {unsigned(block % gridDim.x), unsigned(block / gridDim.x % gridDim.y),
                unsigned(block / gridDim.x / gridDim.y)};
    for (u64 thread = 0; thread < launch.block.count(); ++thread) {
      threadIdx = {unsigned(thread % blockDim.x), unsigned(thread / blockDim.x % blockDim.y),
                   unsigned(thread / blockDim.x / blockDim.y)};
      call();
    }
  }
}

}  // namespace

std::vector<std::vector<std::byte>> run_on_host(const Launch& launch) {
  const auto found = entries().find(launch.entry);
  if (found == entries().end()) throw InternalError("no host kernel " + launch.entry);
  Storage storage(launch);
  const auto& a = launch.arguments;
  if (launch.entry.starts_with("rotary_cache")) {
    const auto kernel = reinterpret_cast<Cache>(found->second);
    double log2_theta;
    const u64 bits = storage.bits_of(a[5]);
    std::memcpy(&log2_theta, &bits, 8);
    for_each_thread(
        launch, [&, cosine = storage.address(a[0]), sine = storage.address(a[1]), frequencies = storage.address(a[2]),
                 rows = int(storage.bits_of(a[3])),
                 width = int(storage.bits_of(a[4]))] { kernel(cosine, sine, frequencies, rows, width, log2_theta); });
  } else if (launch.entry.starts_with("rotary_qk")) {
    const auto packed = storage.packed<RotaryQkArguments>(a[4]);
    const auto kernel = reinterpret_cast<Qk>(found->second);
    for_each_thread(launch, [&, q = storage.address(a[0]), k = storage.address(a[1]), c = storage.address(a[2]),
                             s = storage.address(a[3])] { kernel(q, k, c, s, packed); });
  } else {
    const auto packed = storage.packed<RotaryArguments>(a[4]);
    const auto kernel = reinterpret_cast<Apply>(found->second);
    for_each_thread(launch, [&, out = storage.address(a[0]), x = storage.address(a[1]), c = storage.address(a[2]),
                             s = storage.address(a[3])] { kernel(out, x, c, s, packed); });
  }
  return storage.take();
}

}  // namespace ropewalk::kernels
