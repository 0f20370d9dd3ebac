#include "lib/launch/read_tensor.h"

#include <fmt/format.h>

#include <bit>

#include "lib/base/nearest.h"
#include "lib/launch/contents.h"
#include "lib/launch/read_init.h"

namespace ropewalk {
namespace {

constexpr u64 largest_bytes = u64(1) << 62;
constexpr u64 most_bytes_of_a_variable = u64(1) << 32;

Dtype read_dtype(const JsonCursor& cursor) {
  std::vector<std::string> names;
  for (const Dtype dtype : all_dtypes()) names.emplace_back(name_of(dtype));
  return all_dtypes()[cursor.choice(names, "dtype")];
}

std::vector<i64> read_extents(const JsonCursor& cursor) {
  const std::vector<JsonCursor> elements = cursor.elements();
  if (elements.size() > 64)
    cursor.fail("has " + std::to_string(elements.size()) + " dimensions, at most 64 are possible");
  std::vector<i64> extents;
  for (const JsonCursor& element : elements) extents.push_back(element.integer(0, i64(largest_bytes)));
  return extents;
}

void read_strides(const JsonCursor& cursor, LaunchTensor& tensor) {
  tensor.strides = read_extents(cursor);
  if (tensor.strides.size() != tensor.shape.size()) {
    cursor.fail("has " + std::to_string(tensor.strides.size()) + " strides for the " +
                std::to_string(tensor.shape.size()) + " dimensions of shape " + text_of(tensor.shape));
  }
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.output && tensor.strides[d] == 0 && tensor.shape[d] > 1) {
      cursor.elements()[d].fail("an output cannot have stride 0 where its extent is " +
                                std::to_string(tensor.shape[d]) + ": its elements would lie on each other");
    }
  }
}

// The tensor must fit into an address space, counted with its gaps.
void check_size(const JsonCursor& cursor, const LaunchTensor& tensor) {
  const std::optional<i64> count = checked_element_count(tensor.shape);
  const std::optional<i64> span = checked_element_span(tensor.shape, tensor.strides);
  const i64 most = i64(largest_bytes / size_of(tensor.dtype));
  if (!count || !span || *count > most || *span > most) {
    cursor.fail("shape " + text_of(tensor.shape) + " with strides " + text_of(tensor.strides) + " of " +
                std::string(name_of(tensor.dtype)) + " is more than 2^62 bytes");
  }
}

void read_range(const JsonCursor& cursor, i64 extent, i64& first, i64& last) {
  const std::vector<JsonCursor> ends = cursor.elements(2, "[first, last)");
  first = ends[0].integer(0, extent);
  last = ends[1].integer(first, extent);
}

Region read_region(const JsonCursor& cursor, const LaunchTensor& tensor) {
  cursor.expect_keys({"name", "rows", "columns"});
  const Shape& shape = tensor.shape;
  const i64 columns = shape.empty() ? 1 : shape.back();
  const i64 rows = shape.empty() ? 1 : element_count(Shape(shape.begin(), shape.end() - 1));
  Region region{cursor.at("name").text(), 0, rows, 0, columns};
  if (cursor.has("rows")) read_range(cursor.at("rows"), rows, region.first_row, region.last_row);
  if (cursor.has("columns")) read_range(cursor.at("columns"), columns, region.first_column, region.last_column);
  if (region.name.empty()) cursor.at("name").fail("a field needs a name that is not empty");
  for (const Region& other : tensor.regions) {
    if (other.name == region.name) cursor.at("name").fail("the field \"" + region.name + "\" occurs twice");
  }
  return region;
}

}  // namespace

u32 tensor_named(const JsonCursor& cursor, const std::string& name, const Launch& launch) {
  const i64 index = launch.tensor_named(name);
  if (index >= 0) return u32(index);
  std::vector<std::string> names;
  for (const LaunchTensor& tensor : launch.tensors) names.push_back(tensor.name);
  cursor.fail("there is no tensor \"" + name + "\", " + did_you_mean(name, names));
}

LaunchTensor read_tensor(const JsonCursor& cursor, const std::string& name, const LaunchFiles& files) {
  cursor.expect_keys({"dtype", "shape", "strides", "init", "output", "finite", "alignment", "freed", "fields",
                      "unwritten", "pointers"});
  LaunchTensor tensor;
  tensor.name = name;
  tensor.dtype = read_dtype(cursor.at("dtype"));
  tensor.shape = read_extents(cursor.at("shape"));
  cursor.read_if("output", tensor.output);
  cursor.read_if("finite", tensor.finite);
  cursor.read_if("freed", tensor.freed);
  if (!checked_element_count(tensor.shape)) cursor.at("shape").fail("has more than 2^63 elements");
  tensor.strides = contiguous_strides(tensor.shape);
  if (cursor.has("strides")) read_strides(cursor.at("strides"), tensor);
  check_size(cursor, tensor);
  tensor.init = cursor.has("init") ? read_init(cursor.at("init"), tensor, files) : Init(Uninitialized{});
  if (cursor.has("alignment")) {
    const JsonCursor alignment = cursor.at("alignment");
    tensor.alignment = u32(alignment.natural(1, 1u << 20));
    if (!std::has_single_bit(tensor.alignment))
      alignment.fail("expected a power of two, found " + alignment.description());
  }
  if (cursor.has("fields")) {
    constexpr u64 most_regions = 4000;
    const std::vector<JsonCursor> regions = cursor.at("fields").elements();
    if (regions.size() > most_regions) {
      cursor.at("fields").fail(fmt::format("has {} fields, at most {} are possible", regions.size(), most_regions));
    }
    for (const JsonCursor& region : regions) tensor.regions.push_back(read_region(region, tensor));
  }
  if (cursor.has("unwritten")) {
    for (const JsonCursor& range : cursor.at("unwritten").elements()) {
      const std::vector<JsonCursor> ends = range.elements(2, "[first, last) of its bytes");
      const u64 first = ends[0].natural(0, tensor.bytes());
      tensor.unwritten.emplace_back(first, ends[1].natural(first, tensor.bytes()));
    }
  }
  return tensor;
}

std::vector<LaunchPointer> read_pointers(const JsonCursor& cursor, u64 bytes, const Launch& launch) {
  std::vector<LaunchPointer> pointers;
  if (!cursor.has("pointers")) return pointers;
  for (const JsonCursor& item : cursor.at("pointers").elements()) {
    item.expect_keys({"at", "tensor", "variable", "offset"});
    LaunchPointer& pointer = pointers.emplace_back();
    if (bytes < 8) item.fail(fmt::format("a pointer has 8 bytes, and there are {}", bytes));
    pointer.at = item.at("at").natural(0, bytes - 8);
    if (item.has("tensor") == item.has("variable")) item.fail("expected either tensor or variable");
    if (item.has("tensor")) {
      pointer.tensor = i32(tensor_named(item.at("tensor"), item.at("tensor").text(), launch));
    } else {
      pointer.variable = item.at("variable").text();
    }
    item.read_if("offset", pointer.offset);
  }
  return pointers;
}

LaunchVariable read_variable(const JsonCursor& cursor, const std::string& name, const LaunchFiles& files,
                             const Launch& launch) {
  cursor.expect_keys({"bytes", "init", "pointers"});
  LaunchTensor bytes{.name = name, .dtype = Dtype::U8};
  bytes.shape = {i64(cursor.at("bytes").natural(0, most_bytes_of_a_variable))};
  bytes.strides = {1};
  if (cursor.has("init")) bytes.init = read_init(cursor.at("init"), bytes, files);
  LaunchVariable variable{.name = name, .bytes = std::vector<std::byte>(bytes.bytes())};
  fill_tensor(bytes, variable.bytes.data(), 0, variable.bytes.size());
  variable.pointers = read_pointers(cursor, variable.bytes.size(), launch);
  return variable;
}

}  // namespace ropewalk
