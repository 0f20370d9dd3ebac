#include "lib/compare/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "lib/base/bits.h"
#include "lib/base/error.h"
#include "lib/base/numbers.h"
#include "lib/compare/elements.h"

namespace ropewalk::compare {
namespace {

constexpr i64 piece = 1024;            // elements that are looked at together
constexpr u64 footprint_limit = 4096;  // elements that a picture needs
constexpr double infinity = std::numeric_limits<double>::infinity();

// The expected values, piece by piece.
class Expected {
 public:
  Expected(const Launch& launch, const Expectation& expectation, const std::vector<TensorAfter>& tensors)
      : atol_(expectation.atol), rtol_(expectation.rtol) {
    if (expectation.same_as) {
      view_ = ElementView(launch.tensors[*expectation.same_as], tensors[*expectation.same_as]);
    } else {
      view_ = ElementView(*expectation.values);
    }
    if (expectation.bound) bound_ = ElementView(*expectation.bound);
    const i64 wanted = element_count(launch.tensors[expectation.tensor].shape);
    const i64 parts = launch.tensors[expectation.tensor].dtype == Dtype::C64 ? 2 : 1;
    if (view_.count() != wanted * parts || (expectation.bound && bound_.count() != wanted)) {
      throw InputError(InputLocation{launch.source_path, 0, 0, "expect." + launch.tensors[expectation.tensor].name},
                       fmt::format("{} values are expected of a tensor of {} elements", view_.count() / parts, wanted));
    }
    parts_ = parts;
  }

  // Whole numbers of 64 bits, which a double does not hold: the elements' own bits. False: they are something else.
  bool read_words(Dtype dtype, i64 first, i64 count, u64* out) const {
    if (view_.dtype != dtype || !is_word(dtype)) return false;
    for_pieces(view_, first, count, [&](const std::byte* at, i64 stride, i64 here) {
      copy_words(at, stride, here, out);
      out += here;
    });
    return true;
  }
  static bool is_word(Dtype dtype) { return dtype == Dtype::I64 || dtype == Dtype::U64; }
  static void copy_words(const std::byte* at, i64 stride, i64 count, u64* out) {
    for (i64 n = 0; n < count; ++n) std::memcpy(out + n, at + n * stride * 8, 8);
  }

  // Elements [first, first + count) in row-major order.
  void read(i64 first, i64 count, double* value, double* bound) const {
    read_row_major(view_, first, count, value);
    if (bound_.bytes && parts_ == 1) {
      read_row_major(bound_, first, count, bound);
    } else if (bound_.bytes) {
      for (i64 n = 0; n < count; ++n) read_row_major(bound_, (first + n) / parts_, 1, bound + n);
    } else {
      for (i64 n = 0; n < count; ++n) bound[n] = std::abs(value[n]) < infinity ? atol_ + rtol_ * std::abs(value[n]) : 0;
    }
  }

 private:
  static void read_row_major(const ElementView& view, i64 first, i64 count, double* out) {
    for_pieces(view, first, count, [&](const std::byte* at, i64 stride, i64 here) {
      read_elements(at, view.dtype, stride, here, out);
      out += here;
    });
  }

  // Calls body(first byte, stride, count) for the pieces of rows.
  template <class Body>
  static void for_pieces(const ElementView& view, i64 first, i64 count, Body body) {
    const i64 columns = view.columns(), stride = view.strides.empty() ? 1 : view.strides.back();
    while (count > 0) {
      const i64 row = first / columns, column = first % columns, here = std::min(count, columns - column);
      const i64 at = view.row_offset(row) + column * stride;
      body(view.bytes + at * size_of(view.dtype), stride, here);
      first += here;
      count -= here;
    }
  }

  ElementView view_, bound_;
  double atol_, rtol_;
  i64 parts_ = 1;  // of an element: a complex one has two
};

// Units in the last place of one dtype, as lib/base/numbers.h has them, by two figures of it: quick for each element.
class Units {
 public:
  explicit Units(Dtype dtype) : of_one_(is_floating(dtype) ? ulp_at(1, dtype) : 0), least_(ulp_at(0, dtype)) {}
  double at(double value) const {
    const double power_below = std::bit_cast<double>(std::bit_cast<u64>(value) & 0x7ff0000000000000ull);
    return std::max(power_below * of_one_, least_);
  }

 private:
  double of_one_, least_;
};

bool is_right(double got, double expected, double bound) {
  if (got == expected || bound == infinity) return true;
  if (std::isnan(expected)) return std::isnan(got);
  // An expected infinity has a difference of infinity or NaN to all else, also where the bound grew with it.
  return std::isfinite(expected) && std::abs(got - expected) <= bound;
}

// How far outside, for the choice of the worst.
double badness(const WrongElement& element) {
  const double error = element.error();
  return std::isnan(error) ? infinity : error - element.bound;
}

class Judge {
 public:
  Judge(const LaunchTensor& tensor, const TensorAfter& after, bool written_only)
      : tensor_(tensor), after_(after), written_only_(written_only), view_(tensor, after), units_(view_.dtype) {
    result_.footprint.tensor = tensor.name;
    result_.footprint.shape = tensor.shape;
  }

  Judgement run(const Expected& expected) {
    const i64 columns = view_.columns(), rows = view_.rows();
    for (i64 row = 0; row < rows; ++row) {
      const i64 offset = view_.row_offset(row);
      for (i64 column = 0; column < columns; column += piece) {
        judge_piece(expected, row * columns + column, offset + column * stride(), std::min(piece, columns - column));
      }
    }
    return std::move(result_);
  }

 private:
  i64 stride() const { return view_.strides.empty() ? 1 : view_.strides.back(); }

  // `first` is the row-major number of the first element, `offset` its offset in storage.
  void judge_piece(const Expected& expected, i64 first, i64 offset, i64 count) {
    double got[piece], value[piece], bound[piece], error[piece];
    read_elements(view_.bytes + offset * size_of(view_.dtype), view_.dtype, stride(), count, got);
    expected.read(first, count, value, bound);
    // One pass without branches, which is all that a right piece needs.
    double largest = 0;
    bool all_right = true;
    for (i64 n = 0; n < count; ++n) {
      error[n] = bound[n] == infinity ? 0 : std::abs(got[n] - value[n]);
      all_right &= error[n] <= bound[n];
      largest = std::max(largest, error[n]);
    }
    u64 words[piece], wanted[piece];
    const bool by_words = Expected::is_word(view_.dtype) && expected.read_words(view_.dtype, first, count, wanted);
    if (by_words) {
      Expected::copy_words(view_.bytes + offset * 8, stride(), count, words);
      for (i64 n = 0; n < count; ++n) {
        const bool is_less = view_.dtype == Dtype::I64 ? i64(words[n]) < i64(wanted[n]) : words[n] < wanted[n];
        error[n] = bound[n] == infinity ? 0 : double(is_less ? wanted[n] - words[n] : words[n] - wanted[n]);
        all_right &= error[n] <= bound[n];
        largest = std::max(largest, error[n]);
      }
    }
    const bool all_there = holds_all(offset, count);
    if (all_right && all_there && largest < infinity) {
      result_.compared += u64(count);
      if (largest > 0) note_errors(value, error, count);
      return;
    }
    for (i64 n = 0; n < count; ++n) {
      if (bound[n] == infinity || (!all_there && !holds_all(offset + n * stride(), 1))) continue;
      ++result_.compared;
      if (by_words ? error[n] > bound[n] : !is_right(got[n], value[n], bound[n])) {
        WrongElement element{{}, got[n], value[n], bound[n]};
        if (by_words) {
          element.exact_got = whole_number(words[n]);
          element.exact_expected = whole_number(wanted[n]);
          element.exact_error = error[n];
        }
        note_wrong(first + n, std::move(element));
      } else if (std::isfinite(value[n])) {
        note_errors(value + n, error + n, 1);
      }
    }
  }

  std::string whole_number(u64 word) const {
    return view_.dtype == Dtype::I64 ? std::to_string(i64(word)) : std::to_string(word);
  }

  bool holds_all(i64 offset, i64 count) const {
    const u64* bits = written_only_ ? after_.written : after_.initialized;
    if (!bits || count == 0) return true;
    const u64 size = size_of(view_.dtype);
    if (stride() == 1 || count == 1) return all_bits(bits, u64(offset) * size, u64(offset + count) * size);
    for (i64 n = 0; n < count; ++n) {
      const u64 at = u64(offset + n * stride()) * size;
      if (!all_bits(bits, at, at + size)) return false;
    }
    return true;
  }

  void note_errors(const double* value, const double* error, i64 count) {
    double largest = result_.largest_error, ulps = result_.largest_ulps;
    for (i64 n = 0; n < count; ++n) {
      largest = std::max(largest, error[n]);
      ulps = std::max(ulps, error[n] / units_.at(value[n]));
    }
    result_.largest_error = largest;
    result_.largest_ulps = ulps;
  }

  // `n` counts elements of the view: those of a complex tensor are two each.
  void note_wrong(i64 n, WrongElement element) {
    const i64 number = tensor_.dtype == Dtype::C64 ? n / 2 : n;
    const double element_bound = element.bound;
    ++result_.wrong;
    result_.not_a_number += std::isnan(element.got);
    const double error = element.error();
    result_.largest_error = std::max(result_.largest_error, std::isnan(error) ? infinity : error);
    result_.largest_ulps =
        std::max(result_.largest_ulps, std::isfinite(error) ? error / units_.at(element.expected) : infinity);
    if (!result_.worst || badness(element) > badness(*result_.worst)) {
      element.index = index_of(tensor_.shape, number);
      if (!result_.first) result_.first = element;
      result_.worst = std::move(element);
    }
    auto& elements = result_.footprint.elements;
    if (!elements.empty() && elements.back() == number) return;
    if (elements.size() < footprint_limit) {
      elements.push_back(number);
      result_.footprint.errors.push_back(std::isfinite(error) ? float(error / element_bound) : HUGE_VALF);
    } else {
      result_.footprint.complete = false;
    }
  }

  const LaunchTensor& tensor_;
  const TensorAfter& after_;
  const bool written_only_;
  const ElementView view_;
  const Units units_;
  Judgement result_;
};

}  // namespace

Judgement judge(const Launch& launch, const Expectation& expectation, const std::vector<TensorAfter>& tensors,
                bool written_only) {
  const Expected expected(launch, expectation, tensors);
  return Judge(launch.tensors[expectation.tensor], tensors[expectation.tensor], written_only).run(expected);
}

}  // namespace ropewalk::compare
