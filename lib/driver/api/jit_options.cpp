#include "lib/driver/api/jit_options.h"

#include <algorithm>
#include <cstring>

#include "lib/base/types.h"

namespace ropewalk::driver {

namespace {

// CU_JIT_INFO_LOG_BUFFER and CU_JIT_ERROR_LOG_BUFFER; the number of the size of each is one more.
constexpr int info_buffer = 3, error_buffer = 5;

}  // namespace

void JitOptions::write_log(const std::string& errors) const {
  const auto value_of = [&](int option) {
    const int* const at = std::find(options, options + count, option);
    return at == options + count ? nullptr : values + (at - options);
  };
  for (const int buffer : {info_buffer, error_buffer}) {
    void** const to = value_of(buffer);
    void** const size = value_of(buffer + 1);
    if (!to || !*to || !size || !u64(*size)) continue;
    const u64 bytes = buffer == error_buffer ? std::min(u64(errors.size()), u64(*size) - 1) : 0;
    std::memcpy(*to, errors.data(), bytes);
    static_cast<char*>(*to)[bytes] = 0;
    *size = reinterpret_cast<void*>(bytes);
  }
}

}  // namespace ropewalk::driver
