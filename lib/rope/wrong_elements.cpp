#include "lib/rope/wrong_elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "lib/base/numbers.h"
#include "lib/base/percent.h"

namespace ropewalk::rope {

using reference::RopeBound;

namespace {

constexpr size_t most_listed = 4096;
constexpr size_t most_isolated = 64;

double rounded(double value, Dtype dtype) {
  u8 bytes[8];
  store_from_double(bytes, dtype, value);
  return load_as_double(bytes, dtype);
}

// The number of the format next to it toward zero.
double cut_off(double value, Dtype dtype) {
  u8 bytes[8];
  store_from_double(bytes, dtype, value);
  if (std::abs(load_as_double(bytes, dtype)) > std::abs(value)) {
    u16 bits;
    std::memcpy(&bits, bytes, sizeof bits);
    --bits;
    std::memcpy(bytes, &bits, sizeof bits);
  }
  return load_as_double(bytes, dtype);
}

std::string element_text(const CacheTable& table, const WrongValue& value) {
  return fmt::format("{}[{}, {}]", table.planes[value.plane].tensor, value.row, value.column);
}

// "row 5", "rows 5 to 9", "4 rows from 5 to 90"
std::string rows_text(const std::set<i64>& rows) {
  if (rows.size() == 1) return fmt::format("row {}", *rows.begin());
  const bool together = *rows.rbegin() - *rows.begin() + 1 == i64(rows.size());
  return together ? fmt::format("rows {} to {}", *rows.begin(), *rows.rbegin())
                  : fmt::format("{} rows from {} to {}", rows.size(), *rows.begin(), *rows.rbegin());
}

int mantissa_bits(Dtype dtype) {
  switch (dtype) {
    case Dtype::F16:
      return 10;
    case Dtype::BF16:
      return 7;
    case Dtype::F64:
      return 52;
    default:
      return 23;
  }
}

// Whether most of what stands in the same row, or in the same column, is wrong too: then the row or the column is what
// is wrong, not single elements.
bool stands_alone(const CacheTable& table, const WrongElements& wrong) {
  std::map<std::pair<size_t, i64>, i64> by_row, by_column;
  for (const WrongValue& one : wrong.list) {
    ++by_row[{one.plane, one.row}];
    ++by_column[{one.plane, one.column}];
  }
  for (const WrongValue& one : wrong.list) {
    const Plane& plane = table.planes[one.plane];
    if (plane.columns > 2 && by_row[{one.plane, one.row}] * 2 >= plane.columns) return false;
    if (plane.rows > 2 && by_column[{one.plane, one.column}] * 4 > plane.rows) return false;
  }
  return true;
}

}  // namespace

WrongElements wrong_elements(const CacheTable& table, const Model& right, const Rounding& rounding,
                             const StreamVerdict& stream) {
  WrongElements out;
  const RopeBounds bounds(right.frequencies, rounding);
  for (i64 row = 0; row < table.rows && out.list.size() < most_listed; ++row) {
    if (!stream.row_wrong(row)) continue;
    for (size_t p = 0; p < table.planes.size(); ++p) {
      const Plane& plane = table.planes[p];
      for (i64 column = 0; column < plane.columns; ++column) {
        const i64 pair = plane.pair_of(column);
        const double angle = right.angle_at(row, pair), position = right.position_at(row, pair);
        const double expected =
            right.frequencies.attention * (plane.trig_of(column) == Trig::Cos ? std::cos(angle) : std::sin(angle));
        const double got = plane.at(row, column);
        const double allowed = bounds.of(plane.trig_of(column)).at(pair, position, expected);
        if (std::abs(got - expected) <= allowed) continue;
        out.list.push_back({p, row, column, i64(position), got, expected, allowed});
      }
    }
  }
  out.complete = i64(out.list.size()) >= stream.wrong;
  return out;
}

bool explain_not_a_number(TableVerdict& verdict, const CacheTable& table, const WrongElements& wrong) {
  if (wrong.list.empty()) return false;
  std::set<i64> rows;
  WrongElements numbers;
  size_t count = 0;
  const WrongValue* first = nullptr;
  for (const WrongValue& one : wrong.list) {
    if (std::isfinite(one.got)) {
      numbers.list.push_back(one);
      continue;
    }
    if (!first) first = &one;
    ++count;
    rows.insert(one.row);
  }
  // A few wrong numbers beside them are a second defect; more of them are none of this one's.
  const size_t others = numbers.list.size();
  if (others > 0 && (!wrong.complete || others > most_isolated || others * 4 > count || !stands_alone(table, numbers)))
    return false;
  i64 columns = 0;
  for (const Plane& plane : table.planes) columns += plane.columns;
  const bool whole = wrong.complete && i64(count) == i64(rows.size()) * columns;
  const i64 not_numbers = verdict.stream.wrong - i64(others);
  const bool none_left = verdict.stream.wrong == verdict.stream.values;
  const std::string rest = none_left     ? "there are no others"
                           : others == 0 ? "the others are right"
                           : others == 1 ? "1 other element is wrong as well"
                                         : fmt::format("{} other elements are wrong as well", others);
  verdict.cause = "not-a-number";
  verdict.text = whole ? fmt::format("{} {} no numbers; {}", rows_text(rows), rows.size() == 1 ? "holds" : "hold", rest)
                 : not_numbers == 1 ? fmt::format("{} is NaN or infinite; {}", element_text(table, *first), rest)
                                    : fmt::format("{} elements are NaN or infinite, first {}; {}", not_numbers,
                                                  element_text(table, *first), rest);
  verdict.advice =
      "look for what wrote there: a kernel that ran past its rows, a division by 0, or memory that was not "
      "filled in time";
  if (others == 0) {
    verdict.evidence.push_back(fmt::format("every wrong element is NaN or infinite: {} of {} values",
                                           verdict.stream.wrong, verdict.stream.values));
  } else {
    verdict.evidence.push_back(fmt::format("{} of {} values are NaN or infinite", not_numbers, verdict.stream.values));
    for (size_t n = 0; n < others && n < 3; ++n) {
      const WrongValue& one = numbers.list[n];
      const Dtype dtype = table.planes[one.plane].dtype;
      const std::string bit = bit_text(flipped_bits(one.got, one.expected, one.bound, dtype), dtype);
      verdict.evidence.push_back(fmt::format("{}: {:.9g} in place of {:.9g}{}{}", element_text(table, one), one.got,
                                             one.expected, bit.empty() ? "" : ", ", bit));
    }
  }
  if (!none_left) {
    verdict.evidence.push_back(
        fmt::format("the other {} are within their bound", verdict.stream.values - verdict.stream.wrong));
  }
  return true;
}

void add_not_a_number(TableVerdict& verdict, const CacheTable& table) {
  if (verdict.cause == "not-a-number") return;
  i64 count = 0;
  std::optional<WrongValue> first;
  for (size_t p = 0; p < table.planes.size(); ++p) {
    const Plane& plane = table.planes[p];
    for (i64 row = 0; row < plane.rows; ++row) {
      for (i64 column = 0; column < plane.columns; ++column) {
        if (std::isfinite(plane.at(row, column))) continue;
        ++count;
        if (!first) first = WrongValue{p, row, column};
      }
    }
  }
  if (count == 0) return;
  const std::string text =
      count == 1 ? fmt::format("{} is NaN or infinite", element_text(table, *first))
                 : fmt::format("{} elements are NaN or infinite, first {}", count, element_text(table, *first));
  if (verdict.cause.empty())
    verdict.evidence.push_back(text);
  else
    verdict.text += "; besides, " + text;
}

bool explain_rounded(TableVerdict& verdict, const CacheTable& table, const Model& right, const WrongElements& wrong) {
  if (wrong.list.size() < 8) return false;
  const RopeBound f16(right.frequencies, Dtype::F16), bf16(right.frequencies, Dtype::BF16);
  for (const Dtype dtype : {Dtype::F16, Dtype::BF16}) {
    const RopeBound& bound = dtype == Dtype::F16 ? f16 : bf16;
    size_t explained = 0;
    std::set<size_t> planes;
    for (const WrongValue& one : wrong.list) {
      const Plane& plane = table.planes[one.plane];
      if (size_of(plane.dtype) <= 2 && !(plane.dtype == Dtype::F16 && dtype == Dtype::BF16)) break;
      const i64 pair = plane.pair_of(one.column);
      const bool near = std::abs(one.got - one.expected) <= bound.at(pair, double(one.position), one.expected);
      explained += near && rounded(one.got, dtype) == one.got;
      planes.insert(one.plane);
    }
    if (explained < wrong.list.size()) continue;
    const bool one_plane = planes.size() == 1 && table.planes.size() > 1;
    verdict.cause = "table-rounded";
    verdict.text = fmt::format("{} of the {} table were rounded to {} on the way",
                               one_plane ? "the values of " + table.planes[*planes.begin()].tensor : "values",
                               name_of(table.planes.front().dtype), name_of(dtype));
    verdict.advice = "keep the table in one format from where it is made to where it is read";
    verdict.evidence = {
        fmt::format("each of {} wrong elements is a {} number, and within that format's rounding of what "
                    "it should be",
                    wrong.list.size(), name_of(dtype)),
        fmt::format("the other {} of {} values are within the bound of {}",
                    verdict.stream.values - verdict.stream.wrong, verdict.stream.values,
                    name_of(table.planes.front().dtype))};
    return true;
  }
  return false;
}

bool explain_cut_off(TableVerdict& verdict, const CacheTable& table, const Model& right, Dtype dtype) {
  if (dtype != Dtype::BF16 && dtype != Dtype::F16) return false;
  const RopeBound bound(right.frequencies, Dtype::F32);
  i64 all = 0, cut = 0, nearest = 0;
  for (const i64 row : telling_rows(table.rows, 96)) {
    for (const Plane& plane : table.planes) {
      for (i64 column = 0; column < plane.columns; ++column) {
        const i64 pair = plane.pair_of(column);
        const double value = right.value_at(row, pair, plane.trig_of(column)), got = plane.at(row, column);
        const double error = bound.at(pair, right.position_at(row, pair), value);
        // Near 0 the error of the angle is many units wide.
        const auto is = [&](double (*shorten)(double, Dtype)) {
          return got >= shorten(value - error, dtype) && got <= shorten(value + error, dtype);
        };
        ++all;
        cut += is(cut_off);
        nearest += is(rounded);
      }
    }
  }
  if (cut * 1000 < all * 999 || nearest * 50 > all * 49) return false;
  verdict.cause = "table-rounded";
  verdict.text =
      fmt::format("the values were cut off to {}, toward zero, in place of rounded to the nearest", name_of(dtype));
  verdict.advice = "round to the nearest, as casts do: a shift of the bits drops what is below the last one";
  verdict.evidence = {
      fmt::format("{}% of the sampled values are the {} number next to the right one toward zero, {}% the nearest one",
                  percent_rounded(double(cut) / double(all), 4), name_of(dtype),
                  percent_rounded(double(nearest) / double(all), 4))};
  return true;
}

std::string columns_text(const CacheTable& table, const WrongElements& wrong) {
  std::map<std::string, std::set<i64>> columns;
  size_t count = 0;
  for (const WrongValue& one : wrong.list) count += columns[table.planes[one.plane].tensor].insert(one.column).second;
  const i64 all = table.planes[0].columns * i64(table.planes.size());
  if (count == 0 || count > 8 || i64(count) * 8 > all) return "";
  std::string text = wrong.complete ? "the wrong values are all in "
                                    : fmt::format("the first {} wrong values are all in ", wrong.list.size());
  const char* separator = "";
  for (const auto& [tensor, numbers] : columns) {
    text +=
        fmt::format("{}column{} {} of {}", separator, numbers.size() == 1 ? "" : "s", fmt::join(numbers, ", "), tensor);
    separator = " and ";
  }
  return text;
}

std::vector<int> flipped_bits(double got, double expected, double bound, Dtype dtype) {
  std::vector<int> bits;
  u8 bytes[8] = {};
  store_from_double(bytes, dtype, got);
  for (int bit = 0; bit < int(8 * size_of(dtype)); ++bit) {
    bytes[bit / 8] ^= u8(1 << (bit % 8));
    if (std::abs(load_as_double(bytes, dtype) - expected) <= bound) bits.push_back(bit);
    bytes[bit / 8] ^= u8(1 << (bit % 8));
  }
  return bits;
}

std::string bit_text(const std::vector<int>& bits, Dtype dtype) {
  if (bits.empty()) return "";
  std::string numbers;
  for (size_t n = 0; n < bits.size() && n < 3; ++n) numbers += (n ? " or " : "") + std::to_string(bits[n]);
  const int sign = int(8 * size_of(dtype)) - 1, bit = bits.back();
  const char* const field = bit == sign                   ? "the sign"
                            : bit >= mantissa_bits(dtype) ? "of the exponent"
                                                          : "of the mantissa";
  return fmt::format("bit {} is flipped ({})", numbers, field);
}

bool are_isolated(const CacheTable& table, const StreamVerdict& stream, const WrongElements& wrong) {
  return wrong.complete && !wrong.list.empty() && wrong.list.size() <= most_isolated &&
         i64(wrong.list.size()) * 50 <= stream.values && stands_alone(table, wrong);
}

void explain_isolated(TableVerdict& verdict, const CacheTable& table, const WrongElements& wrong) {
  std::vector<std::string> lines;
  size_t with_bit = 0;
  std::string first_bit;
  for (const WrongValue& one : wrong.list) {
    const Dtype dtype = table.planes[one.plane].dtype;
    const std::string bit = bit_text(flipped_bits(one.got, one.expected, one.bound, dtype), dtype);
    with_bit += !bit.empty();
    if (&one == &wrong.list.front()) first_bit = bit;
    if (lines.size() < 4) {
      lines.push_back(fmt::format("{}: {:.9g} in place of {:.9g}{}{}", element_text(table, one), one.got, one.expected,
                                  bit.empty() ? "" : ", ", bit));
    }
  }
  const bool bits = with_bit == wrong.list.size();
  const size_t count = wrong.list.size();
  verdict.cause = bits ? "flipped-bit" : "isolated-elements";
  verdict.text =
      count == 1
          ? fmt::format("{} alone is wrong{}{}", element_text(table, wrong.list.front()), bits ? ": " : "", first_bit)
          : fmt::format("{} elements are wrong, each by itself{}", count, bits ? ": one bit of each is flipped" : "");
  verdict.advice =
      bits ? "compare the bytes with another copy, and test the memory or the transfer that they went through"
           : "look for what wrote over these elements after the table was made";
  verdict.evidence = std::move(lines);
  verdict.evidence.push_back(fmt::format("as it should be: the other {} of {} values are within their bound",
                                         verdict.stream.values - verdict.stream.wrong, verdict.stream.values));
}

}  // namespace ropewalk::rope
