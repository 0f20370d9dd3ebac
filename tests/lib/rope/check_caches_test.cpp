#include "lib/rope/check_caches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "lib/rope/words.h"
#include "reference/rope_table.h"
#include "tests/lib/rope/draws.h"

namespace ropewalk::rope::testing {
namespace {

RopeFormula plain(double theta = 10000, i64 dim = 64, i64 length = 1024) {
  RopeFormula formula;
  formula.theta = theta;
  formula.head_dim = formula.rotary_dim = dim;
  formula.max_positions = length;
  return formula;
}

RopeConfig config_of(const RopeFormula& formula) { return {{{"", formula}}}; }

Dump dump_of(const FloatTable& table, DumpLayout layout = DumpLayout::Separate, Dtype dtype = Dtype::F32) {
  DumpWriter writer("rank.safetensors");
  writer.add(table, layout, dtype, "rotary_emb.");
  return writer.finish();
}

// The cause of the one finding; empty where there is none.
std::string cause_in(const CacheAnswer& answer) {
  if (answer.findings.empty()) return "";
  EXPECT_EQ(answer.findings.size(), 1u);
  return answer.findings[0].cause ? answer.findings[0].cause->id : "no cause";
}

TEST(CheckCaches, RecognisesFormulasWithoutAConfiguration) {
  RopeFormula llama = plain(5e5, 128, 4096);
  llama.type = RopeType::Llama3;
  llama.factor = 8;
  llama.original_positions = 8192;
  RopeFormula linear = plain();
  linear.type = RopeType::Linear;
  linear.factor = 4;
  for (const RopeFormula& formula : {plain(), plain(1e6, 128), linear, llama}) {
    const CacheAnswer answer = check_dumps({dump_of(float_table({formula, 4096}, 4096))}, std::nullopt, 1);
    EXPECT_TRUE(answer.findings.empty()) << in_words(formula)
                                         << (answer.findings.empty() ? "" : answer.findings[0].message);
    ASSERT_GE(answer.notes.size(), 1u);
    RopeFormula known = formula;
    known.max_positions = 0;
    EXPECT_EQ(answer.notes[0], "recognised: " + in_words(known));
  }
}

// One file for cos and one for sin, named as a dump names them, or in any way where they are all that there is.
TEST(CheckCaches, HalvesInFilesOfTheirOwnAreOneTable) {
  const Dump both = dump_of(float_table({plain(), 1024}, 1024));
  ASSERT_EQ(both.tensors.size(), 2u);
  const auto half = [&](size_t n, const std::string& name) {
    Dump file = both;
    file.path = name + ".npy";
    file.tensors = {both.tensors[n]};
    file.tensors[0].name = name;
    return file;
  };
  const std::vector<std::vector<Dump>> dumps = {
      {half(0, "rank0.rope.cos"), half(1, "rank0.rope.sin")},
      {half(1, "sin"), half(0, "cos")},
      {half(0, "first"), half(1, "second")},
      {half(0, "rank0.cos"), half(0, "rank1.cos"), half(1, "rank0.sin"), half(1, "rank1.sin")}};
  for (const std::vector<Dump>& files : dumps) {
    for (const auto& config : {std::optional(config_of(plain())), std::optional<RopeConfig>()}) {
      const CacheAnswer answer = check_dumps(files, config, 1);
      EXPECT_TRUE(answer.findings.empty()) << files[0].path << ": " << answer.findings[0].message;
      EXPECT_EQ(answer.cases, files.size() / 2) << files[0].path;
    }
  }
  // Halves of two formulas are no table.
  const Dump other = dump_of(float_table({plain(5e5), 1024}, 1024));
  Dump sine = half(1, "sin");
  sine.tensors[0].data = other.tensors[1].data;
  sine.owner = other.owner;
  EXPECT_FALSE(check_dumps({half(0, "cos"), sine}, config_of(plain()), 1).findings.empty());
}

TEST(CheckCaches, NamesTheRowTheTensorAndBothResiduals) {
  const CacheAnswer answer = check_dumps({dump_of(float_table({plain(5e5), 1024}, 1024))}, config_of(plain()), 1);
  ASSERT_EQ(answer.findings.size(), 1u);
  const Finding& finding = answer.findings[0];
  EXPECT_EQ(finding.rule, Rule::CacheMismatch);
  ASSERT_TRUE(finding.cause);
  EXPECT_EQ(finding.cause->id, "wrong-theta");
  EXPECT_EQ(finding.cause->text, "theta is 500000 in place of 10000");
  ASSERT_GE(finding.cause->evidence.size(), 3u);
  EXPECT_NE(finding.cause->evidence[0].find("residual"), std::string::npos);
  EXPECT_EQ(finding.cause->evidence[1].substr(0, 5), "next:");
  EXPECT_EQ(finding.access->tensor, "rotary_emb.cos_cached");
  EXPECT_EQ(*finding.access->index, (std::vector<i64>{1, 1}));
  EXPECT_FALSE(finding.footprint.elements.empty());
}

// An odd rank has its own cause, as a mismatch of ranks.
TEST(CheckCaches, OneOddRankIsAMismatchOfRanks) {
  const FloatTable right = float_table({plain(), 1024}, 1024);
  FloatTable zeros = right;
  zeros.cosine.assign(zeros.cosine.size(), 0);
  zeros.sine.assign(zeros.sine.size(), 0);
  const CacheAnswer answer = check_dumps({dump_of(right), dump_of(zeros)}, config_of(plain()), 1);
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].rule, Rule::RankMismatch);
  EXPECT_EQ(answer.findings[0].cause->id, "uninitialized-memory");
  EXPECT_EQ(answer.cases, 2u);
  EXPECT_EQ(answer.passed, 1u);
}

// Fresh pages are zero but for what the allocator wrote into their first bytes.
TEST(CheckCaches, ZerosBehindAnAllocatorsWordsAreMemoryThatNobodyFilled) {
  FloatTable table = float_table({plain(), 1024}, 1024);
  table.sine.assign(table.sine.size(), 0);
  for (const size_t n : {0, 1, 2, 3}) table.sine[n] = n % 2 ? 4.6e-41f : -1.3e10f;
  const CacheAnswer answer = check_dumps({dump_of(table)}, config_of(plain()), 1);
  ASSERT_EQ(answer.findings.size(), 1u);
  ASSERT_TRUE(answer.findings[0].cause);
  EXPECT_EQ(answer.findings[0].cause->id, "uninitialized-memory");
}

TEST(CheckCaches, ShortInverseFrequenciesAreRounded) {
  for (const Dtype dtype : {Dtype::BF16, Dtype::F16}) {
    DumpWriter writer("buffers.safetensors");
    const std::vector<float> w = float_frequencies({plain(), 0});
    writer.add_tensor("model.rotary_emb.inv_freq", dtype, {i64(w.size())}, w);
    const CacheAnswer answer = check_dumps({writer.finish()}, config_of(plain()), 1);
    ASSERT_EQ(answer.findings.size(), 1u);
    EXPECT_EQ(answer.findings[0].cause->id, "inv-freq-rounded");
  }
}

// A bf16 table that was widened for a file format without bf16 is no worse for it, nor one of a model in bf16.
TEST(CheckCaches, TablesThatWereRoundedOnTheWayAreFoundWhereTheFormatHasTheShortOne) {
  FloatTable table = float_table({plain(), 1024}, 1024);
  for (auto* list : {&table.cosine, &table.sine}) {
    for (float& value : *list) {
      u8 bytes[2];
      store_from_double(bytes, Dtype::BF16, double(value));
      value = float(load_as_double(bytes, Dtype::BF16));
    }
  }
  const auto answer_as = [&](const std::string& path, std::optional<Dtype> dtype) {
    DumpWriter writer(path);
    writer.add(table, DumpLayout::Separate, Dtype::F32, "rotary_emb.");
    RopeConfig config = config_of(plain());
    config.dtype = dtype;
    return cause_in(check_dumps({writer.finish()}, config, 1));
  };
  EXPECT_EQ(answer_as("rank0.npz", std::nullopt), "");
  EXPECT_EQ(answer_as("rank0.safetensors", Dtype::BF16), "");
  EXPECT_EQ(answer_as("rank0.safetensors", std::nullopt), "table-rounded");
  EXPECT_EQ(answer_as("rank0.npz", Dtype::BF16), "");
  EXPECT_EQ(answer_as("rank0.npz", Dtype::F32), "table-rounded");
  EXPECT_EQ(answer_as("rank0.npz", Dtype::F16), "table-rounded");
  // Another rank says what the table should be, whatever the file's format.
  const FloatTable exact = float_table({plain(), 1024}, 1024);
  DumpWriter first("rank0.npz"), second("rank1.npz");
  first.add(exact, DumpLayout::Separate, Dtype::F32, "rotary_emb.");
  second.add(table, DumpLayout::Separate, Dtype::F32, "rotary_emb.");
  const CacheAnswer answer = check_dumps({first.finish(), second.finish()}, config_of(plain()), 1);
  EXPECT_EQ(cause_in(answer), "table-rounded");
  EXPECT_EQ(answer.findings[0].rule, Rule::RankMismatch);
}

TEST(CheckCaches, LongAndShortCachesBeginAgain) {
  RopeFormula f = plain(10000, 32, 512);
  f.type = RopeType::LongRope;
  f.original_positions = 128;
  f.factor = 4;
  for (int i = 0; i < 16; ++i) f.short_factor.push_back(1 + 0.1 * i), f.long_factor.push_back(2 + i);
  RopeFormula shorter = f, longer = f;
  shorter.long_set = false;
  longer.long_set = true;
  FloatTable both = float_table({shorter, 512}, 128);
  const FloatTable rest = float_table({longer, 512}, 512);
  both.rows += rest.rows;
  both.cosine.insert(both.cosine.end(), rest.cosine.begin(), rest.cosine.end());
  both.sine.insert(both.sine.end(), rest.sine.begin(), rest.sine.end());
  std::vector<float> values;
  for (i64 row = 0; row < both.rows; ++row) {
    for (const auto* list : {&both.cosine, &both.sine})
      values.insert(values.end(), list->begin() + row * 16, list->begin() + row * 16 + 16);
  }
  DumpWriter writer("vllm.safetensors");
  writer.add_tensor("rotary_emb.long_short_cos_sin_cache", Dtype::F32, {both.rows, 32}, values);
  const CacheAnswer answer = check_dumps({writer.finish()}, config_of(f), 1);
  EXPECT_TRUE(answer.findings.empty()) << answer.findings[0].message;
  EXPECT_EQ(answer.cases, 2u);
}

// The answer depends on the dump alone, not on how many threads look at it.
TEST(CheckCaches, IsTheSameOnAnyNumberOfThreads) {
  Making making{plain(10000, 64, 40000), 40000};
  making.position = [](i64 row) { return double(row % 30001); };
  const Dump dump = dump_of(float_table(making, 40000), DumpLayout::Rows);
  const CacheAnswer one = check_dumps({dump}, config_of(making.formula), 1),
                    four = check_dumps({dump}, config_of(making.formula), 4);
  ASSERT_EQ(one.findings.size(), 1u);
  ASSERT_EQ(four.findings.size(), 1u);
  EXPECT_EQ(one.findings[0].message, four.findings[0].message);
  EXPECT_EQ(one.findings[0].cause->text, "positions are taken modulo 30001");
  EXPECT_EQ(one.findings[0].cause->text, four.findings[0].cause->text);
}

// XPos as flash-attention's RotaryEmbedding makes it: queries times the scale, keys divided by it.
FloatTable xpos_table(i64 rows, i64 length, bool keys) {
  FloatTable table = float_table({plain(), rows}, rows);
  for (i64 row = 0; row < rows; ++row) {
    for (i64 i = 0; i < table.pairs; ++i) {
      const float zeta = (2 * float(i) + 0.4f * 64) / (1.4f * 64);
      const float scale = std::pow(zeta, (float(row) - float(length / 2)) / 512.0f);
      table.cosine[size_t(row * table.pairs + i)] *= keys ? 1 / scale : scale;
      table.sine[size_t(row * table.pairs + i)] *= keys ? 1 / scale : scale;
    }
  }
  return table;
}

Dump xpos_dump(const FloatTable& queries, const FloatTable& keys) {
  DumpWriter writer("xpos.safetensors");
  const Shape shape = {queries.rows, queries.pairs};
  writer.add_tensor("rotary_emb._cos_cached", Dtype::F32, shape, queries.cosine);
  writer.add_tensor("rotary_emb._sin_cached", Dtype::F32, shape, queries.sine);
  writer.add_tensor("rotary_emb._cos_k_cached", Dtype::F32, shape, keys.cosine);
  writer.add_tensor("rotary_emb._sin_k_cached", Dtype::F32, shape, keys.sine);
  return writer.finish();
}

TEST(CheckCaches, XPosGrowsWithThePosition) {
  RopeFormula formula = plain();
  formula.xpos_scale_base = 512;
  const auto cause_of = [&](const FloatTable& queries, const FloatTable& keys) {
    const CacheAnswer answer = check_dumps({xpos_dump(queries, keys)}, config_of(formula), 1);
    EXPECT_EQ(answer.cases, 2u);
    if (answer.findings.empty()) return std::string();
    return answer.findings[0].cause ? answer.findings[0].cause->id : std::string("none");
  };
  const FloatTable queries = xpos_table(1024, 1024, false), keys = xpos_table(1024, 1024, true);
  EXPECT_EQ(cause_of(queries, keys), "");
  const FloatTable unscaled = float_table({plain(), 1024}, 1024);
  EXPECT_EQ(cause_of(unscaled, keys), "scaling-missing");
  EXPECT_EQ(cause_of(queries, queries), "scaling-wrong-parameter");
  EXPECT_EQ(cause_of(xpos_table(1024, 512, false), keys), "stale-rows");
  FloatTable one_wrong = queries;
  one_wrong.cosine[777] += 0.1f;
  EXPECT_EQ(cause_of(one_wrong, keys), "none");
}

// The frequencies of a vision tower are those of one of its axes.
TEST(CheckCaches, TowersHaveTheFrequenciesOfOneAxis) {
  RopeFormula tower = plain(1e4, 80, 0);
  tower.axes = RopeAxes::Vision;
  RopeConfig config = config_of(plain(1e6, 128));
  config.entries.push_back({"", tower, "vision"});
  std::vector<float> text = float_frequencies({plain(1e6, 128)}), visual = float_frequencies({plain(1e4, 40)});
  const auto answer_to_these = [&] {
    DumpWriter writer("buffers.safetensors");
    writer.add_tensor("model.rotary_emb.inv_freq", Dtype::F32, {i64(text.size())}, text);
    writer.add_tensor("visual.rotary_pos_emb.inv_freq", Dtype::F32, {i64(visual.size())}, visual);
    return check_dumps({writer.finish()}, config, 1);
  };
  EXPECT_TRUE(answer_to_these().findings.empty());
  visual = float_frequencies({plain(1e5, 40)});
  const CacheAnswer answer = answer_to_these();
  ASSERT_EQ(answer.findings.size(), 1u);
  ASSERT_TRUE(answer.findings[0].cause);
  EXPECT_EQ(answer.findings[0].cause->id, "wrong-theta");
}

// A configuration that is a tower's own has a formula for modules with a tower's name.
TEST(CheckCaches, ATowersOwnConfigurationJudgesIt) {
  RopeFormula tower = plain(1e4, 80, 0);
  tower.axes = RopeAxes::Vision;
  const auto findings_of = [&](double theta) {
    const std::vector<float> values = float_frequencies({plain(theta, 40)});
    DumpWriter writer("buffers.safetensors");
    writer.add_tensor("visual.rotary_pos_emb.inv_freq", Dtype::F32, {i64(values.size())}, values);
    const CacheAnswer answer = check_dumps({writer.finish()}, config_of(tower), 1);
    EXPECT_TRUE(answer.not_judged.empty());
    return answer.findings.size();
  };
  EXPECT_EQ(findings_of(1e4), 0u);
  EXPECT_EQ(findings_of(1.01e4), 1u);
}

// Tables of Hunyuan's kind: a row is a cell of a grid, each axis has a series of its own.
FloatTable grid_table(const RopeFormula& formula, i64 frames, i64 height, i64 width) {
  const reference::RopeFrequencies w = reference::rope_frequencies(formula, 0);
  FloatTable table{frames * height * width, formula.pairs(), {}, {}};
  for (i64 row = 0; row < table.rows; ++row) {
    const i64 cells[] = {row / (height * width), row / width % height, row % width};
    for (i64 pair = 0; pair < table.pairs; ++pair) {
      const double angle = double(cells[reference::rope_axis(formula, pair)]) * w.frequency[size_t(pair)];
      table.cosine.push_back(float(std::cos(angle)));
      table.sine.push_back(float(std::sin(angle)));
    }
  }
  return table;
}

TEST(CheckCaches, RowsMayBeCellsOfAGrid) {
  RopeFormula formula = plain(256, 128, 4096);  // positions of the largest grid, of which this one has a part
  formula.axes = RopeAxes::Series;
  formula.sections = {8, 28, 28};
  FloatTable table = grid_table(formula, 3, 10, 12);
  CacheAnswer answer = check_dumps({dump_of(table)}, config_of(formula), 1);
  EXPECT_EQ(answer.passed, 1u) << (answer.findings.empty()
                                       ? answer.not_judged.empty() ? "" : answer.not_judged[0].reason
                                       : answer.findings[0].message +
                                             (answer.findings[0].cause ? answer.findings[0].cause->text : ""));
  EXPECT_TRUE(answer.findings.empty() && answer.not_judged.empty());
  // No cell explains a row whose columns were made with another theta; which cells are meant is not known.
  formula.theta = 10000;
  table = grid_table(formula, 3, 10, 12);
  formula.theta = 256;
  answer = check_dumps({dump_of(table)}, config_of(formula), 1);
  EXPECT_EQ(answer.passed, 0u);
  EXPECT_EQ(answer.not_judged.size() + answer.findings.size(), 1u);
}

TEST(CheckCaches, AFlippedBitIsNamed) {
  FloatTable table = float_table({plain(), 1024}, 1024);
  float& value = table.sine[500 * 32 + 7];
  u32 bits;
  std::memcpy(&bits, &value, 4);
  bits ^= u32(1) << 22;
  std::memcpy(&value, &bits, 4);
  const CacheAnswer answer = check_dumps({dump_of(table)}, config_of(plain()), 1);
  EXPECT_EQ(cause_in(answer), "flipped-bit");
  EXPECT_EQ(answer.findings[0].cause->text,
            "rotary_emb.sin_cached[500, 7] alone is wrong: bit 22 is flipped (of the mantissa)");
}

// The same in the inverse frequencies, and their order.
TEST(CheckCaches, FrequenciesMayBeExchangedOrDamaged) {
  const std::vector<float> right = float_frequencies({plain(), 0});
  const auto cause_of = [&](const std::vector<float>& values) {
    DumpWriter writer("buffers.safetensors");
    writer.add_tensor("model.rotary_emb.inv_freq", Dtype::F32, {i64(values.size())}, values);
    return cause_in(check_dumps({writer.finish()}, config_of(plain()), 1));
  };
  EXPECT_EQ(cause_of(right), "");
  std::vector<float> values = right;
  std::swap(values[3], values[9]);
  EXPECT_EQ(cause_of(values), "frequency-order");
  values = {right.rbegin(), right.rend()};
  EXPECT_EQ(cause_of(values), "frequency-order");
  values = right;
  values[5] = -values[5];
  EXPECT_EQ(cause_of(values), "flipped-bit");
}

// Columns that are repeated in neighbours are for another rotation than the family's; without a family it is a note.
TEST(CheckCaches, TheLayoutOfAKnownFamilyIsChecked) {
  const Dump dump = dump_of(float_table({plain(), 1024}, 1024), DumpLayout::SeparateInterleaved);
  RopeConfig config = config_of(plain());
  const CacheAnswer unknown = check_dumps({dump}, config, 1);
  EXPECT_TRUE(unknown.findings.empty());
  EXPECT_EQ(unknown.notes.back(), "columns are repeated in neighbours (GPT-J)");
  config.family = "llama";
  EXPECT_EQ(cause_in(check_dumps({dump}, config, 1)), "layout-mixup");
  config.family = "cohere2";
  EXPECT_TRUE(check_dumps({dump}, config, 1).findings.empty());
}

// Each rank has a formula that is known, and not the same one; the layers' names say which tables belong together.
TEST(CheckCaches, RanksThatDisagreeAreFoundWhateverIsKnown) {
  const FloatTable a = float_table({plain(), 512}, 512), b = float_table({plain(5e5), 512}, 512);
  EXPECT_TRUE(check_dumps({dump_of(a), dump_of(a), dump_of(a)}, std::nullopt, 1).findings.empty());
  const CacheAnswer answer = check_dumps({dump_of(a), dump_of(b), dump_of(b)}, std::nullopt, 1);
  EXPECT_EQ(cause_in(answer), "rank-differs");
  EXPECT_EQ(answer.findings[0].cause->text, "rank 0 has another table than rank 1");
}

}  // namespace
}  // namespace ropewalk::rope::testing
