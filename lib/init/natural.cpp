#include "lib/init/natural.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ropewalk::init {

Natural::Natural(u64 value) {
  for (; value; value /= base) digits_.push_back(u32(value % base));
}

void Natural::trim() {
  while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
}

Natural& Natural::operator+=(const Natural& other) {
  digits_.resize(std::max(digits_.size(), other.digits_.size()) + 1);
  u64 carry = 0;
  for (size_t n = 0; n < digits_.size(); ++n) {
    carry += u64(digits_[n]) + (n < other.digits_.size() ? other.digits_[n] : 0);
    digits_[n] = u32(carry % base);
    carry /= base;
  }
  trim();
  return *this;
}

Natural Natural::operator*(const Natural& other) const {
  Natural product;
  product.digits_.resize(digits_.size() + other.digits_.size());
  for (size_t a = 0; a < digits_.size(); ++a) {
    u64 carry = 0;
    for (size_t b = 0; b < other.digits_.size() || carry; ++b) {
      carry += product.digits_[a + b] + u64(digits_[a]) * (b < other.digits_.size() ? other.digits_[b] : 0);
      product.digits_[a + b] = u32(carry % base);
      carry /= base;
    }
  }
  product.trim();
  return product;
}

void Natural::divide(u32 divisor) {
  u64 rest = 0;
  for (size_t n = digits_.size(); n-- > 0;) {
    rest = rest * base + digits_[n];
    digits_[n] = u32(rest / divisor);
    rest %= divisor;
  }
  trim();
}

Natural Natural::binomial(u64 n, u64 k) {
  Natural result(1);
  for (u64 i = 1; i <= k; ++i) {
    result = result * Natural(n - k + i);
    result.divide(u32(i));
  }
  return result;
}

std::string Natural::text() const {
  if (digits_.empty()) return "0";
  std::string text = std::to_string(digits_.back());
  for (size_t n = digits_.size() - 1; n-- > 0;) text += fmt::format("{:09}", digits_[n]);
  if (text.size() > 15) return fmt::format("{}.{}e+{}", text[0], text.substr(1, 2), text.size() - 1);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace ropewalk::init
