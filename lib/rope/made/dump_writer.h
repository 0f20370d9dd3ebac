// Float tables as the dumps of programs: layouts, dtypes, ranks.
#pragma once
#include <string>
#include <vector>

#include "lib/rope/dump.h"
#include "lib/rope/made/float_table.h"

namespace ropewalk::rope {

enum class DumpLayout : u8 {
  Separate,
  SeparateHalf,
  SeparateInterleaved,
  Rows,
  Complex,
  Pairs,
  BatchHalf,
  HeadHalf,
  BareRows,
  BareInterleaved
};
constexpr DumpLayout all_dump_layouts[] = {
    DumpLayout::Separate, DumpLayout::SeparateHalf,   DumpLayout::SeparateInterleaved, DumpLayout::Rows,
    DumpLayout::Complex,  DumpLayout::Pairs,          DumpLayout::BatchHalf,           DumpLayout::HeadHalf,
    DumpLayout::BareRows, DumpLayout::BareInterleaved};
const char* name_of(DumpLayout layout);

// Collects the tensors of one rank's file.
class DumpWriter {
 public:
  explicit DumpWriter(std::string path);
  // Adds a table; `module` begins the names of its tensors. Complex tables are f32 whatever the dtype.
  void add(const FloatTable& table, DumpLayout layout, Dtype dtype, const std::string& module);
  void add_tensor(const std::string& name, Dtype dtype, Shape shape, const std::vector<float>& values);
  Dump finish();

 private:
  Dump dump_;
  std::shared_ptr<std::vector<std::unique_ptr<Array>>> arrays_;
};

}  // namespace ropewalk::rope
