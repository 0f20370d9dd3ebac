#include <algorithm>
#include <cmath>
#include <map>

#include "lib/base/error.h"
#include "lib/rope/given_positions.h"
#include "lib/rope/holds_angles.h"
#include "lib/rope/names.h"

namespace ropewalk::rope {
namespace {

// A tensor as one or more matrices of rows and columns: leading axes of other extents than 1 count tables.
struct Matrices {
  i64 count = 1, rows = 1, columns = 0;
  bool pairs = false;  // the last two axes were [pairs, 2]
};

Matrices matrices_of(const DumpTensor& tensor) {
  Matrices m;
  Shape shape = tensor.shape;
  if (tensor.dtype == Dtype::C64) shape.push_back(2);
  // [.., T, pairs, 2]
  if (shape.size() >= 3 && shape.back() == 2) {
    m.pairs = true;
    shape.pop_back();
    shape.back() *= 2;
  }
  m.columns = shape.back();
  shape.pop_back();
  // Axes of extent 1 say nothing, wherever they stand ([1, 1, T, w], [T, 1, 1, w]); the last other one counts the rows.
  std::erase(shape, 1);
  if (!shape.empty()) {
    m.rows = shape.back();
    shape.pop_back();
  }
  for (const i64 extent : shape) m.count *= extent;
  return m;
}

// Some rows of a matrix for looking at what it holds: the first ones, and others up to the last.
std::vector<i64> looked_at(i64 rows) {
  std::vector<i64> chosen;
  for (i64 n = 0; n < std::min<i64>(rows, 16); ++n) chosen.push_back(n);
  for (i64 n = 1; n <= 48; ++n) {
    const i64 row = (rows - 1) * n / 48;
    if (row > chosen.back()) chosen.push_back(row);
  }
  return chosen;
}

// From the first column of a pair's function to the other one that repeats it.
i64 distance_of_copies(const Plane& plane) {
  return plane.layout == ColumnLayout::RepeatedHalf    ? plane.columns / 2
         : plane.layout == ColumnLayout::RepeatedPairs ? 1
                                                       : plane.columns / 4;
}

// How well a layout explains a plane, from 0 to 1, without knowing the formula: repeated columns are equal, and
// squares of cos and sin have the same sum everywhere.
double fits(Plane plane, ColumnLayout layout) {
  if (plane.columns % 2 != 0) return 0;
  plane.layout = layout;
  const i64 half = plane.columns / 2;
  i64 good = 0, all = 0;
  double sum = 0;
  if (plane.holds_both()) {
    const double c = plane.at(0, plane.column_of(0, Trig::Cos)), s = plane.at(0, plane.column_of(0, Trig::Sin));
    sum = c * c + s * s;
    if (!(sum > 0.2 && sum < 20)) sum = 1;
  }
  for (const i64 row : looked_at(plane.rows)) {
    bool empty = true;  // rows of zeros fit any layout
    for (i64 column = 0; column < plane.columns; ++column) empty &= plane.at(row, column) == 0;
    if (empty && row > 0) continue;
    for (i64 pair = 0; pair < half; ++pair) {
      ++all;
      if (plane.holds_both()) {
        const double c = plane.at(row, plane.column_of(pair, Trig::Cos));
        const double s = plane.at(row, plane.column_of(pair, Trig::Sin));
        good += std::abs(c * c + s * s - sum) < 0.02 * sum;
      } else {
        const i64 first = plane.column_of(pair, plane.trig);
        good += plane.at(row, first) == plane.at(row, first + distance_of_copies(plane));
      }
    }
  }
  return double(good) / double(std::max<i64>(all, 1));
}

// Whether a row is position 0 of a table of both functions in one row: one number throughout for cos, and 0 for sin.
bool is_start(Plane plane, ColumnLayout layout, i64 row) {
  if (plane.columns % 2 != 0) return false;
  plane.layout = layout;
  const double first = plane.at(row, plane.column_of(0, Trig::Cos));
  if (!(first > 0.2)) return false;
  for (i64 column = 0; column < plane.columns; ++column) {
    const double value = plane.at(row, column);
    if (!(plane.trig_of(column) == Trig::Cos ? std::abs(value - first) < 1e-3 : std::abs(value) < 1e-3)) return false;
  }
  return true;
}

// GPT-J, CodeGen and RoFormer call their table embed_positions: sin, then cos.
bool is_embed_positions(const std::string& tensor, const TableHints& hints) {
  return hints.sin_first && tensor.find("embed_positions") != std::string::npos;
}

bool is_sin_first(const Plane& plane, Role role, const TableHints& hints) {
  if (!hints.sin_first || role != Role::Unknown || plane.columns % 2 != 0) return false;
  if (is_embed_positions(plane.tensor, hints)) return true;
  return is_start(plane, ColumnLayout::SinCosHalves, 0);
}

// Whether columns are repeated: those of some row as a whole, or of most pairs in every row. nullopt where nothing
// tells: in the first rows of a short format all columns are alike, and so are those of empty rows.
std::optional<bool> repeats_columns(Plane plane, ColumnLayout layout) {
  plane.layout = layout;
  const Trig function = plane.holds_both() ? Trig::Cos : plane.trig;
  struct Pair {
    double low = HUGE_VAL, high = -HUGE_VAL;
    bool repeats = true;
  };
  std::vector<Pair> pairs(static_cast<size_t>(plane.pairs()));
  bool is_known = false;
  for (const i64 row : looked_at(plane.rows)) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    bool all = true;
    for (i64 n = 0; n < plane.pairs(); ++n) {
      Pair& pair = pairs[size_t(n)];
      bool repeats = true;
      for (const Trig trig : {Trig::Cos, Trig::Sin}) {
        const i64 first = plane.column_of(n, trig);
        if (first >= 0) repeats &= plane.at(row, first) == plane.at(row, first + distance_of_copies(plane));
      }
      const double value = plane.at(row, plane.column_of(n, function));
      low = std::min(low, value);
      high = std::max(high, value);
      pair.low = std::min(pair.low, value);
      pair.high = std::max(pair.high, value);
      pair.repeats &= repeats;
      all &= repeats;
    }
    if (!(high - low > 0.3)) continue;
    if (all) return true;
    is_known = true;
  }
  if (!is_known) return std::nullopt;
  // One damaged column leaves no whole row.
  i64 telling = 0, repeated = 0;
  for (const Pair& pair : pairs) {
    if (!(pair.high - pair.low > 0.3)) continue;
    ++telling;
    repeated += pair.repeats;
  }
  return telling > 3 && repeated * 4 >= telling * 3;
}

ColumnLayout better(const Plane& plane, ColumnLayout first, ColumnLayout second, double& score) {
  const double a = fits(plane, first), b = fits(plane, second);
  score = std::max(a, b);
  return b > a ? second : first;
}

// Settles layout and function of a plane whose role the name gave or not.
void settle_one(Plane& plane, Role role, bool pairs, const TableHints& hints) {
  plane.trig = role == Role::Sin ? Trig::Sin : Trig::Cos;
  if (pairs) {
    plane.layout = ColumnLayout::CosSinPairs;
    return;
  }
  if (is_sin_first(plane, role, hints)) {
    plane.layout = ColumnLayout::SinCosHalves;
    return;
  }
  double both_score = 0, repeated_score = 0;
  const ColumnLayout both = better(plane, ColumnLayout::CosSinHalves, ColumnLayout::CosSinPairs, both_score);
  const ColumnLayout repeated = better(plane, ColumnLayout::RepeatedHalf, ColumnLayout::RepeatedPairs, repeated_score);
  const bool named_both = role == Role::Both || (role == Role::Complex && !hints.may_have(plane.columns));
  if (named_both) {
    // Where one function stands in both places, it tells the places.
    const bool repeats = plane.columns % 2 == 0 && repeated_score == 1 && both_score < 0.9;
    plane.layout = !repeats                                 ? both
                   : repeated == ColumnLayout::RepeatedHalf ? ColumnLayout::CosSinHalves
                                                            : ColumnLayout::CosSinPairs;
    return;
  }
  // Row 0 of both functions is (1, 0); where it is, damage to other rows changes nothing.
  Plane seen = plane;
  seen.layout = both;
  const double c = plane.columns % 2 == 0 ? std::abs(seen.at(0, seen.column_of(0, Trig::Cos))) : 0;
  const double s = plane.columns % 2 == 0 ? std::abs(seen.at(0, seen.column_of(0, Trig::Sin))) : 1;
  const bool is_known = (c > 0.2 && s < 0.01 * c) || hints.may_be_doubled(plane.columns);
  const double enough = is_known ? 0.1 : 0.9;
  // One row of position 0 alone: its halves may be neighbours that repeat as well.
  const bool alone = plane.rows == 1 && is_start(plane, ColumnLayout::CosSinHalves, 0);
  if (role == Role::Unknown && alone) {
    plane.layout = ColumnLayout::CosSinHalves;
    return;
  }
  if (role == Role::Unknown && plane.columns % 2 == 0 && both_score > enough && both_score > repeated_score) {
    plane.layout = both;
    return;
  }
  if (role == Role::Unknown || role == Role::Complex) {
    // One function alone: sin begins with zeros.
    double first_row = 0;
    for (i64 column = 0; column < plane.columns; ++column) first_row += std::abs(plane.at(0, column));
    plane.trig = first_row < 0.25 * double(plane.columns) ? Trig::Sin : Trig::Cos;
  }
  if (plane.columns % 4 == 0 && fits(plane, ColumnLayout::RepeatedByAxis) > repeated_score &&
      repeats_columns(plane, ColumnLayout::RepeatedByAxis) == true) {
    plane.layout = ColumnLayout::RepeatedByAxis;
    return;
  }
  // A table whose columns are all of their own frequencies repeats none of its rows, whatever width is meant.
  const std::optional<bool> repeats = plane.columns % 2 == 0 ? repeats_columns(plane, repeated) : false;
  plane.layout = repeats.value_or(hints.may_be_doubled(plane.columns)) ? repeated : ColumnLayout::Plain;
}

void settle(Plane& plane, Role role, bool pairs, const TableHints& hints) {
  settle_one(plane, role, pairs, hints);
  const bool may_be_wide = plane.columns % 4 == 0 && (hints.pairs.empty() || hints.may_have(plane.columns / 4));
  if (plane.layout == ColumnLayout::CosSinHalves && may_be_wide &&
      repeats_columns(plane, ColumnLayout::BothRepeatedHalf) == true)
    plane.layout = ColumnLayout::BothRepeatedHalf;
}

// Whether two matrices of one tensor are cos and sin of the same angles.
bool are_two_functions(Plane cosine, Plane sine) {
  i64 good = 0, all = 0;
  const double sum = std::pow(cosine.at(0, 0), 2) + std::pow(sine.at(0, 0), 2);
  if (!(sum > 0.2 && sum < 20)) return false;
  for (const i64 row : looked_at(cosine.rows)) {
    for (i64 column = 0; column < cosine.columns; ++column) {
      const double c = cosine.at(row, column), s = sine.at(row, column);
      ++all;
      good += std::abs(c * c + s * s - sum) < 0.02 * sum;
    }
  }
  return good * 10 > all * 9;
}

struct Finder {
  const TableHints& hints;
  FileTables out;
  std::map<std::string, size_t> waiting;  // tables with one function alone, by module
  bool of_batch = false;
  i64 number = 0, of = 1;  // the table that is looked at, and how many its tensor has

  void add_frequencies(const DumpTensor& tensor, bool guess) {
    FrequencyTensor found{tensor.name, tensor.dtype, {}, guess};
    const i64 count = element_count(tensor.shape);
    if (count > i64(1) << 20) return out.ignored.push_back(tensor.name);
    for (i64 n = 0; n < count; ++n) {
      found.values.push_back(load_as_double(tensor.data.data() + n * size_of(tensor.dtype), tensor.dtype));
    }
    out.frequencies.push_back(std::move(found));
  }

  void add_plane(const Plane& plane, const std::string& module, std::optional<bool> long_part, bool guess) {
    if (!plane.holds_both()) {
      const auto found = waiting.find(module);
      if (found != waiting.end()) {
        CacheTable& table = out.tables[found->second];
        if (table.planes.size() == 1 && table.planes[0].trig != plane.trig && table.rows == plane.rows &&
            table.pairs() == plane.pairs()) {
          table.planes.push_back(plane);
          if (plane.trig == Trig::Cos) std::swap(table.planes[0], table.planes[1]);
          return;
        }
      }
      waiting[module] = out.tables.size();
    }
    out.tables.push_back({module, {}, {plane}, plane.rows, long_part, guess, number, of, of_batch});
  }

  void add(const DumpTensor& tensor, Role role, bool guess) {
    const Matrices m = matrices_of(tensor);
    const Dtype dtype = tensor.dtype == Dtype::C64 ? Dtype::F32 : tensor.dtype;
    const i64 matrix_bytes = m.rows * m.columns * i64(size_of(dtype));
    const std::vector<std::string> words = words_of(tensor.name);
    const bool named_long_short = std::find(words.begin(), words.end(), "long") != words.end() &&
                                  std::find(words.begin(), words.end(), "short") != words.end();
    const auto plane_of = [&](i64 n) {
      return Plane{tensor.name, tensor.data.data() + n * matrix_bytes, dtype, m.rows, m.columns};
    };
    // Megatron's module returns angles, and each layer takes cos and sin of them.
    if (role == Role::Unknown && !m.pairs && holds_angles(plane_of(0)))
      return out.unjudged.push_back({tensor.name, "it holds angles, of which cos and sin are still to be taken"});
    // torch.stack((cos, sin)): the two functions one behind the other.
    const bool stacked = m.count == 2 && !m.pairs && (role == Role::Both || role == Role::Complex) &&
                         are_two_functions(plane_of(0), plane_of(1));
    of = stacked ? 1 : m.count;
    // A buffer has no axis for a batch, or one more beside it.
    const size_t axes = tensor.shape.size() - (m.pairs && tensor.dtype != Dtype::C64 ? 1 : 0);
    of_batch =
        !stacked && role != Role::Unknown && ((axes == 3 && tensor.shape[1] == m.rows) || (axes > 3 && m.count > 1));
    for (i64 n = 0; n < m.count; ++n) {
      number = stacked ? 0 : n;
      Plane plane = plane_of(n);
      plane.mapped = tensor.mapped;
      if (m.count > 1) plane.tensor += "[" + std::to_string(n) + "]";
      settle(plane, !stacked ? role : n == 0 ? Role::Cos : Role::Sin, m.pairs, hints);
      const std::string module = module_of(stacked ? tensor.name : plane.tensor);
      // Without its name it is known by its length, and by where its second part starts.
      const bool is_long_short =
          named_long_short || (hints.long_positions > 0 && m.rows == hints.original_positions + hints.long_positions &&
                               plane.holds_both() && is_start(plane, plane.layout, hints.original_positions));
      if (is_long_short && hints.original_positions > 0 && hints.original_positions < m.rows) {
        Plane first = plane, rest = plane;
        first.rows = hints.original_positions;
        rest.rows -= first.rows;
        rest.start += first.rows * m.columns * i64(size_of(dtype));
        add_plane(first, module + " (short part)", false, guess);
        add_plane(rest, module + " (long part)", true, guess);
      } else {
        add_plane(plane, module, hints.original_positions > 0 ? set_in(tensor.name) : std::nullopt, guess);
      }
    }
  }
};

}  // namespace

std::string readable_name(const CacheTable& table) {
  if (table.planes.size() == 1) {
    const bool is_named = !table.long_part || set_in(table.planes[0].tensor);
    const char* const part = is_named ? "" : *table.long_part ? " (long part)" : " (short part)";
    return table.planes[0].tensor + part;
  }
  std::string name = table.module;
  for (size_t mark = 0; (mark = name.find('~', mark)) != std::string::npos; mark += 7) name.replace(mark, 1, "cos/sin");
  return name;
}

FileTables find_tables(const Dump& dump, const TableHints& hints) {
  Finder finder{hints, {dump.path, {}, {}, {}, {}}, {}};
  // A file of one tensor is taken for a cache whatever its name; of many, those whose names say so.
  const bool alone = dump.tensors.size() == 1 || dump.is_single;
  for (const DumpTensor& tensor : dump.tensors) {
    const Role role = role_of(tensor.name);
    const i64 last = tensor.shape.empty() ? 1 : tensor.shape.back();
    const bool vector = tensor.dtype != Dtype::C64 && element_count(tensor.shape) == last;
    const bool is_own_name = is_embed_positions(tensor.name, hints);
    const bool guess = role == Role::Unknown && !alone && !is_own_name && !names_a_table(tensor.name);
    const bool named = role != Role::Unknown || is_own_name || speaks_of_rope(tensor.name);
    if (!named && !alone) {
      finder.out.ignored.push_back(tensor.name);
    } else if (role == Role::Frequencies && !vector) {
      finder.out.unjudged.push_back({tensor.name, "it is called inverse frequencies, and is a matrix: perhaps angles"});
    } else if (role == Role::Frequencies || (vector && tensor.shape.size() == 1 && role == Role::Unknown)) {
      finder.add_frequencies(tensor, guess);
    } else if (last >= 2 || tensor.dtype == Dtype::C64) {
      finder.add(tensor, role, guess);
    } else if (role != Role::Unknown) {
      finder.out.unjudged.push_back({tensor.name, "it has 1 column, and a table has 2 or more"});
    } else {
      finder.out.ignored.push_back(tensor.name);
    }
  }
  for (const auto& [name, what] : dump.unusable) {
    if (role_of(name) != Role::Unknown)
      finder.out.unjudged.push_back({name, "it is " + what + ": elements of f16, bf16, f32, f64 or c64 are compared"});
  }
  for (CacheTable& table : finder.out.tables) {
    table.name = readable_name(table);
    table.given = given_positions(dump, table);
    table.given_cells = given_cells(dump, table);
  }
  if (finder.out.tables.empty() && finder.out.frequencies.empty() && finder.out.unjudged.empty()) {
    throw InputError(InputLocation{dump.path}, "holds no rope cache: none of its " +
                                                   std::to_string(dump.tensors.size()) +
                                                   " tensors is named after cos, sin, freqs_cis or inv_freq");
  }
  return std::move(finder.out);
}

}  // namespace ropewalk::rope
