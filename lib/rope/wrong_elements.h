// The elements of a table that are outside of their bounds, one by one: what they look like by themselves.
#pragma once
#include <vector>

#include "lib/rope/judge_table.h"

namespace ropewalk::rope {

// Up to `most` of them in the order of planes, rows and columns.
struct WrongElements {
  std::vector<WrongValue> list;
  bool complete = false;  // all are in the list
};
WrongElements wrong_elements(const CacheTable& table, const Model& right, const Rounding& rounding,
                             const StreamVerdict& stream);

// Wrong elements that are NaN or infinite, all of them. Says whether it explained the table.
bool explain_not_a_number(TableVerdict& verdict, const CacheTable& table, const WrongElements& wrong);
// Adds to a table that is wrong for another cause which of its values are NaN or infinite, if any are.
void add_not_a_number(TableVerdict& verdict, const CacheTable& table);
// Wrong elements that are right but for a rounding to a shorter format than the others have.
bool explain_rounded(TableVerdict& verdict, const CacheTable& table, const Model& right, const WrongElements& wrong);
// A short format whose values were cut off toward zero, where they should be rounded to the nearest.
bool explain_cut_off(TableVerdict& verdict, const CacheTable& table, const Model& right, Dtype dtype);
// The few columns that all listed wrong elements stand in: "the wrong values are all in column 40 of cos"; empty: more.
std::string columns_text(const CacheTable& table, const WrongElements& wrong);
// Whether they are a few among right ones in their rows and their columns.
bool are_isolated(const CacheTable& table, const StreamVerdict& stream, const WrongElements& wrong);
// Isolated ones, with the bit where it is one.
void explain_isolated(TableVerdict& verdict, const CacheTable& table, const WrongElements& wrong);

// The bits that, flipped back, bring `got` within `bound` of `expected`.
std::vector<int> flipped_bits(double got, double expected, double bound, Dtype dtype);
// "bit 30 is flipped (an exponent's)", "bits 3 or 4"; empty where none is
std::string bit_text(const std::vector<int>& bits, Dtype dtype);

}  // namespace ropewalk::rope
