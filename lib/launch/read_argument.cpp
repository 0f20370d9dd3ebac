#include "lib/launch/read_argument.h"

#include <algorithm>
#include <array>

#include "lib/base/nearest.h"
#include "lib/launch/read_number.h"
#include "lib/launch/read_tensor.h"

namespace ropewalk {
namespace {

constexpr std::array scalar_dtypes{Dtype::I8,  Dtype::I16, Dtype::I32,  Dtype::I64, Dtype::U8,  Dtype::U16, Dtype::U32,
                                   Dtype::U64, Dtype::F16, Dtype::BF16, Dtype::F32, Dtype::F64, Dtype::Bool};
// PTX allows 32,764 bytes of parameters (PTX ISA, "Kernel Function Parameters").
constexpr u64 most_parameter_bytes = 32764;
// How far outside its tensor a pointer may start: kernels that are handed `pointer - first_row * stride` do so.
constexpr i64 furthest_offset = i64(1) << 38;

TensorArgument read_tensor_argument(const JsonCursor& cursor, const Launch& launch) {
  const JsonCursor tensor_cursor = cursor.at("tensor");
  const std::string name = tensor_cursor.text();
  TensorArgument argument{tensor_named(tensor_cursor, name, launch)};
  const LaunchTensor& tensor = launch.tensors[argument.tensor];
  if (cursor.has("offset_elements")) {
    const i64 span = element_span(tensor.shape, tensor.strides);
    argument.offset_elements = cursor.at("offset_elements").integer(-furthest_offset, span + furthest_offset);
  }
  if (cursor.has("field")) {
    std::vector<std::string> names;
    for (const Region& region : tensor.regions) names.push_back(region.name);
    const JsonCursor field_cursor = cursor.at("field");
    const auto found = std::find(names.begin(), names.end(), field_cursor.text());
    if (found == names.end()) {
      field_cursor.fail("the tensor \"" + name + "\" has no field \"" + field_cursor.text() + "\", " +
                        did_you_mean(field_cursor.text(), names));
    }
    argument.region = i32(found - names.begin());
  }
  return argument;
}

NullArgument read_null(const JsonCursor& cursor) {
  if (cursor.text() != "ptr") cursor.fail("expected \"ptr\", found " + cursor.description());
  return {};
}

using PartValue = std::variant<TensorArgument, ScalarArgument, NullArgument>;

// What an argument and a part of a struct have in common; `cursor` has one of the keys that are not in `besides`.
PartValue read_part_value(const JsonCursor& cursor, const Launch& launch) {
  if (cursor.has("tensor")) return read_tensor_argument(cursor, launch);
  if (cursor.has("null")) return read_null(cursor.at("null"));
  for (const Dtype dtype : scalar_dtypes) {
    const std::string key(name_of(dtype));
    if (!cursor.has(key)) continue;
    ScalarArgument scalar{dtype, 0};
    read_element(cursor.at(key), dtype, &scalar.bits);
    return scalar;
  }
  cursor.fail("says no value: expected one of tensor, null, struct, i8 to i64, u8 to u64, f16, bf16, f32, f64, bool");
}

// Fails for unknown keys and for more than one value.
void check_keys(const JsonCursor& cursor, bool in_struct) {
  std::vector<std::string> kinds{"tensor", "null"};
  for (const Dtype dtype : scalar_dtypes) kinds.emplace_back(name_of(dtype));
  if (!in_struct) kinds.emplace_back("struct");
  std::vector<std::string> known = kinds;
  known.insert(known.end(), {"field", "offset_elements"});
  if (in_struct) known.emplace_back("at");
  cursor.expect_keys(known);
  std::string value;
  for (const auto& [key, member] : cursor.members()) {
    if (std::find(kinds.begin(), kinds.end(), key) == kinds.end()) continue;
    if (!value.empty()) cursor.fail("says two values, \"" + value + "\" and \"" + key + "\"");
    value = key;
  }
  for (const char* key : {"field", "offset_elements"}) {
    if (cursor.has(key) && value != "tensor") cursor.at(key).fail("only a tensor has this");
  }
}

u64 bytes_of(const PartValue& value) {
  const ScalarArgument* scalar = std::get_if<ScalarArgument>(&value);
  return scalar ? size_of(scalar->dtype) : 8;
}

StructArgument read_struct(const JsonCursor& cursor, const Launch& launch) {
  cursor.expect_keys({"bytes", "fields"});
  StructArgument argument;
  argument.bytes = cursor.at("bytes").natural(1, most_parameter_bytes);
  std::vector<bool> taken(argument.bytes, false);
  if (!cursor.has("fields")) return argument;
  for (const JsonCursor& part_cursor : cursor.at("fields").elements()) {
    check_keys(part_cursor, true);
    const StructArgument::Part part{part_cursor.at("at").natural(0, argument.bytes - 1),
                                    read_part_value(part_cursor, launch)};
    const u64 end = part.at + bytes_of(part.value);
    if (end > argument.bytes) {
      part_cursor.fail("takes the bytes " + std::to_string(part.at) + " to " + std::to_string(end) +
                       ", the struct ends at " + std::to_string(argument.bytes));
    }
    for (u64 at = part.at; at < end; ++at) {
      if (taken[at]) part_cursor.fail("takes byte " + std::to_string(at) + ", which another field has");
      taken[at] = true;
    }
    argument.parts.push_back(part);
  }
  return argument;
}

}  // namespace

Argument read_argument(const JsonCursor& cursor, const Launch& launch) {
  check_keys(cursor, false);
  if (cursor.has("struct")) return read_struct(cursor.at("struct"), launch);
  return std::visit([](const auto& value) -> Argument { return value; }, read_part_value(cursor, launch));
}

}  // namespace ropewalk
