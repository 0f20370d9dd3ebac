// A variable that has another value until the scope ends.
#pragma once
#include <utility>

namespace ropewalk::compat {

template <class T>
class ForNow {
 public:
  template <class Value>
  ForNow(T& variable, Value&& value)
      : variable_(variable), before_(std::exchange(variable, std::forward<Value>(value))) {}
  ForNow(const ForNow&) = delete;
  ~ForNow() { variable_ = std::move(before_); }

 private:
  T& variable_;
  T before_;
};

}  // namespace ropewalk::compat
