#include "tests/lib/rope/draws.h"

#include <fmt/format.h>

#include <cmath>

#include "lib/base/mapped_file.h"
#include "lib/rope/family_layout.h"
#include "lib/rope/grid_tables.h"
#include "lib/rope/words.h"
#include "reference/rope_table.h"
#include "tests/lib/rope/faults.h"

namespace ropewalk::rope::testing {
namespace {

Dtype random_dtype(Random& random) {
  constexpr Dtype dtypes[] = {Dtype::F32, Dtype::F32, Dtype::BF16, Dtype::F16, Dtype::F64};
  return dtypes[random.below(5)];
}

// Whether a table differs from the right one so that it must be seen: in a good part of its values, by far.
bool shows(const Making& right, const FloatTable& got, Dtype dtype, const std::vector<double>& positions) {
  const reference::RopeFrequencies frequencies = reference::rope_frequencies(right.formula, right.formula_rows);
  if (frequencies.pairs() != got.pairs) return true;
  const reference::RopeBound bound(frequencies, dtype);
  i64 far = 0;
  for (i64 row = 0; row < got.rows; ++row) {
    const double p = positions[size_t(row)];
    for (i64 pair = 0; pair < got.pairs; ++pair) {
      const double angle = p * frequencies.frequency[size_t(pair)];
      const double c = frequencies.attention * std::cos(angle), s = frequencies.attention * std::sin(angle);
      const size_t at = size_t(row * got.pairs + pair);
      far += !(std::abs(double(got.cosine[at]) - c) < 3 * bound.at(pair, p, c)) ||
             !(std::abs(double(got.sine[at]) - s) < 3 * bound.at(pair, p, s));
    }
  }
  return far * 50 > got.rows * got.pairs;
}

struct Setting {
  RopeFormula formula;
  RopeConfig config;
  std::string family, module = "model.layers.";
  Dtype dtype = Dtype::F32;
  DumpLayout layout = DumpLayout::Separate;
  i64 rows = 0, ranks = 1, layers = 1;
  Arrangement arrangement = Arrangement::Copies;

  std::string text() const {
    return fmt::format("{}{}, {} rows, {}, {}, {} ranks ({}), {} layers", family, in_words(formula), rows,
                       ropewalk::name_of(dtype), name_of(layout), ranks, rope::name_of(arrangement), layers);
  }
  i64 total() const { return arrangement == Arrangement::Copies ? rows : rows * ranks; }
  double position(i64 rank, i64 row) const {
    const PositionRuns runs = runs_of(arrangement, rank, std::vector<i64>(size_t(ranks), rows));
    for (const PositionRun& run : runs) {
      if (row >= run.first_row && row < run.first_row + run.rows)
        return double(run.first_position + row - run.first_row);
    }
    return double(row);
  }
};

// Takes one sure formula of a family for text; false where it has none.
bool take_family(Random& random, const Family& family, Setting& s) {
  s.config = family.config;
  s.config.dtype.reset();
  std::vector<RopeConfig::Entry*> sure;
  for (RopeConfig::Entry& entry : s.config.entries) {
    // Tables of a few thousand rows are enough; the formula is the one of that length.
    RopeFormula& formula = entry.formula;
    if (formula.max_positions == 0 || formula.max_positions > 2048) formula.max_positions = 1024;
    if (formula.type == RopeType::LongRope) formula.original_positions = std::min<i64>(formula.original_positions, 256);
    const RopeAxes axes = entry.formula.axes;
    if (entry.sure && !is_grid(axes) && entry.also.empty() && entry.formula.pairs() >= 4) sure.push_back(&entry);
  }
  if (sure.empty()) return false;
  const RopeConfig::Entry& entry = *sure[random.below(sure.size())];
  s.formula = entry.formula;
  s.family = family.name + ": ";
  s.module = "model." + (entry.part.empty() ? std::string("language_model") : entry.part) + "." +
             (entry.layer_type.empty() ? "" : entry.layer_type + ".") + "layers.";
  return true;
}

Setting random_setting(Random& random, bool shards, const std::vector<Family>& families) {
  Setting s;
  while (!families.empty() && !take_family(random, families[random.below(families.size())], s)) continue;
  if (families.empty()) {
    s.formula = random_formula(random);
    s.config.entries.push_back({"", s.formula});
  }
  s.dtype = random_dtype(random);
  s.layout = all_dump_layouts[random.below(std::size(all_dump_layouts))];
  // A table without a name may be of any part of the configuration.
  const bool nameless = s.layout == DumpLayout::BareRows || s.layout == DumpLayout::BareInterleaved;
  if (nameless && s.config.entries.size() > 1) s.layout = DumpLayout::Rows;
  if (s.layout == DumpLayout::Complex) s.dtype = Dtype::F32;
  const std::optional<ColumnLayout> usual = family_layout(s.config.family);
  if (usual == ColumnLayout::RepeatedHalf && s.layout == DumpLayout::SeparateInterleaved)
    s.layout = DumpLayout::SeparateHalf;
  if (usual == ColumnLayout::RepeatedPairs && s.layout != DumpLayout::Complex) s.layout = DumpLayout::Separate;
  const bool bare = s.layout == DumpLayout::BareRows || s.layout == DumpLayout::BareInterleaved;
  s.ranks = random.below(2) ? 1 : i64(2 << random.below(2));
  s.layers = bare ? 1 : i64(1 + random.below(2));
  s.rows = s.formula.max_positions;
  if (s.formula.type == RopeType::Dynamic && random.below(4)) s.rows = i64(double(s.rows) * (1.5 + random.unit()));
  if (random.below(3) == 0) s.rows += i64(random.below(100));
  if (shards && s.ranks > 1 && random.below(2)) {
    s.arrangement = random.below(2) ? Arrangement::Contiguous : Arrangement::Balanced;
    s.rows = (s.rows / s.ranks + 2) / 2 * 2;
    while (s.rows * s.ranks < s.formula.max_positions) s.rows += 2;
  }
  return s;
}

std::string module_of(const Setting& s, i64 layer) {
  return fmt::format("{}{}.self_attn.rotary_emb.", s.module, layer);
}

Making right_making(const Setting& s, i64 rank) {
  Making making;
  making.formula = s.formula;
  making.formula_rows = s.total();
  if (s.arrangement != Arrangement::Copies) making.position = [s, rank](i64 row) { return s.position(rank, row); };
  return making;
}

}  // namespace

std::vector<Family> read_families(const std::string& path) {
  const MappedFile file(path);
  std::vector<Family> families;
  for (const JsonCursor& one : JsonCursor(parse_json(file.text(), path), path).elements())
    families.push_back({one.at("name").text(), read_rope_config(one.at("config"))});
  return families;
}

Draw healthy_draw(u64 seed, const std::vector<Family>& families) {
  Random random(seed);
  const Setting s = random_setting(random, true, families);
  Draw draw{"healthy: " + std::string(name_of(s.formula.type)), "", fmt::format("seed {}: {}", seed, s.text()), {}, {}};
  draw.config = s.config;
  for (i64 rank = 0; rank < s.ranks; ++rank) {
    DumpWriter writer(fmt::format("rank{}.safetensors", rank));
    const Making making = right_making(s, rank);
    const FloatTable table = float_table(making, s.rows);
    for (i64 layer = 0; layer < s.layers; ++layer) writer.add(table, s.layout, s.dtype, module_of(s, layer));
    if (random.below(3) == 0 && s.layout != DumpLayout::BareRows && s.layout != DumpLayout::BareInterleaved) {
      const std::vector<float> w = float_frequencies(making);
      writer.add_tensor(module_of(s, 0) + "inv_freq", Dtype::F32, {i64(w.size())}, w);
    }
    draw.dumps.push_back(writer.finish());
  }
  return draw;
}

Draw broken_draw(u64 seed, const std::vector<Family>& families) {
  const u64 start = Random(seed).below(all_faults().size());
  for (u64 attempt = 0;; ++attempt) {
    // What no family can have gives way to the next fault.
    const Fault& fault = all_faults()[(start + attempt / 128) % all_faults().size()];
    Random random = Random(seed).split(attempt);
    Setting s = random_setting(random, fault.on_shards, families);
    if (fault.needs_shards && s.arrangement != Arrangement::Contiguous) continue;
    FaultCase one{s.formula, s.dtype, s.layout, s.rows, s.total(), s.ranks, random.split(99)};
    Making wrong = right_making(s, 0);
    if (!fault.applies(one)) continue;
    // One odd rank, or all of them.
    const bool alone = s.ranks > 1 && !fault.all_ranks && (fault.one_rank || random.below(2));
    const i64 odd = alone ? i64(random.below(u64(s.ranks - 1))) + 1 : -1;
    Draw draw;
    draw.kind = fmt::format("{}: {}", fault.name, name_of(s.formula.type));
    draw.cause = fault.cause;
    draw.text = fmt::format("seed {}: {} ({}), {}{}", seed, fault.cause, fault.name, s.text(),
                            alone ? fmt::format(", rank {} alone", odd) : "");
    draw.config = s.config;
    bool visible = false;
    i64 rows = s.rows;
    for (i64 rank = 0; rank < s.ranks; ++rank) {
      const bool bad = !alone || rank == odd;
      Making making = right_making(s, rank);
      FaultCase here = one;
      here.rank = rank;
      here.position = [s](i64 of_rank, i64 row) { return s.position(of_rank, row); };
      if (bad) fault.spoil_making(here, making, rows);
      FloatTable table = float_table(making, rows);
      if (bad) fault.spoil_table(here, right_making(s, rank), table);
      Dtype dtype = s.dtype;
      if (bad) {
        std::vector<double> positions;
        for (i64 row = 0; row < table.rows; ++row) positions.push_back(s.position(rank, row));
        visible |= fault.always_shows || shows(right_making(s, rank), table, dtype, positions);
      }
      DumpWriter writer(fmt::format("rank{}.safetensors", rank));
      for (i64 layer = 0; layer < s.layers; ++layer) {
        if (bad && fault.write) {
          fault.write(here, table, writer, module_of(s, layer));
        } else {
          writer.add(table, s.layout, dtype, module_of(s, layer));
        }
      }
      draw.dumps.push_back(writer.finish());
      rows = s.rows;
    }
    if (visible) return draw;
  }
}

std::string answer_to(const Draw& draw) {
  const CacheAnswer answer = check_dumps(draw.dumps, draw.config, 1);
  if (answer.findings.empty()) return "healthy";
  std::string out;
  for (const Finding& finding : answer.findings)
    out += (out.empty() ? "" : " + ") + (finding.cause ? finding.cause->id : std::string("no cause"));
  return out;
}

}  // namespace ropewalk::rope::testing
