#include "lib/rope/made/dump_writer.h"

namespace ropewalk::rope {
namespace {

// Columns of a row made of a table's row.
std::vector<float> arranged(const FloatTable& table, const std::vector<float>& first, const std::vector<float>& second,
                            bool neighbours) {
  std::vector<float> out;
  for (i64 row = 0; row < table.rows; ++row) {
    const size_t at = size_t(row * table.pairs);
    if (neighbours) {
      for (size_t i = 0; i < size_t(table.pairs); ++i) {
        out.push_back(first[at + i]);
        out.push_back(second[at + i]);
      }
    } else {
      out.insert(out.end(), first.begin() + i64(at), first.begin() + i64(at) + table.pairs);
      out.insert(out.end(), second.begin() + i64(at), second.begin() + i64(at) + table.pairs);
    }
  }
  return out;
}

}  // namespace

const char* name_of(DumpLayout layout) {
  constexpr const char* names[] = {
      "separate",  "separate-half", "separate-interleaved", "rows", "complex", "pairs", "[1,T,d]",
      "[1,1,T,d]", "bare-rows",     "bare-interleaved"};
  return names[size_t(layout)];
}

DumpWriter::DumpWriter(std::string path) : arrays_(std::make_shared<std::vector<std::unique_ptr<Array>>>()) {
  dump_.path = std::move(path);
}

void DumpWriter::add_tensor(const std::string& name, Dtype dtype, Shape shape, const std::vector<float>& values) {
  auto array = std::make_unique<Array>(Array::zeros(dtype, shape));
  if (dtype == Dtype::C64) {
    std::copy_n(reinterpret_cast<const std::byte*>(values.data()), values.size() * 4, array->bytes.begin());
  } else {
    for (size_t n = 0; n < values.size(); ++n) array->set(i64(n), double(values[n]));
  }
  dump_.tensors.push_back({name, dtype, std::move(shape), array->bytes, false});
  arrays_->push_back(std::move(array));
}

void DumpWriter::add(const FloatTable& table, DumpLayout layout, Dtype dtype, const std::string& module) {
  const i64 rows = table.rows, pairs = table.pairs;
  const auto separate = [&](Shape shape, bool repeat, bool neighbours) {
    const auto values = [&](const std::vector<float>& one) {
      return repeat ? arranged(table, one, one, neighbours) : one;
    };
    add_tensor(module + "cos_cached", dtype, shape, values(table.cosine));
    add_tensor(module + "sin_cached", dtype, shape, values(table.sine));
  };
  switch (layout) {
    case DumpLayout::Separate:
      return separate({rows, pairs}, false, false);
    case DumpLayout::SeparateHalf:
      return separate({rows, 2 * pairs}, true, false);
    case DumpLayout::SeparateInterleaved:
      return separate({rows, 2 * pairs}, true, true);
    case DumpLayout::BatchHalf:
      return separate({1, rows, 2 * pairs}, true, false);
    case DumpLayout::HeadHalf:
      return separate({1, 1, rows, 2 * pairs}, true, false);
    case DumpLayout::Rows:
      return add_tensor(module + "cos_sin_cache", dtype, {rows, 2 * pairs},
                        arranged(table, table.cosine, table.sine, false));
    case DumpLayout::Complex:
      return add_tensor(module + "freqs_cis", Dtype::C64, {rows, pairs},
                        arranged(table, table.cosine, table.sine, true));
    case DumpLayout::Pairs:
      return add_tensor(module + "freqs_cis", dtype, {rows, pairs, 2}, arranged(table, table.cosine, table.sine, true));
    case DumpLayout::BareRows:
      return add_tensor("table", dtype, {rows, 2 * pairs}, arranged(table, table.cosine, table.sine, false));
    case DumpLayout::BareInterleaved:
      return add_tensor("table", dtype, {rows, 2 * pairs}, arranged(table, table.cosine, table.sine, true));
  }
}

Dump DumpWriter::finish() {
  dump_.owner = arrays_;
  return std::move(dump_);
}

}  // namespace ropewalk::rope
