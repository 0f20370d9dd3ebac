#include "lib/machine/instruction_location.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "lib/ptx/write.h"

namespace ropewalk::machine {

namespace {

constexpr std::array toolkit_headers{"cuda_fp16.h",
                                     "cuda_fp16.hpp",
                                     "cuda_bf16.h",
                                     "cuda_bf16.hpp",
                                     "cuda_fp8.h",
                                     "cuda_fp8.hpp",
                                     "cuda_fp4.hpp",
                                     "cuda_fp6.hpp",
                                     "sm_20_intrinsics.hpp",
                                     "sm_30_intrinsics.hpp",
                                     "sm_32_intrinsics.hpp",
                                     "sm_35_intrinsics.h",
                                     "sm_60_atomic_functions.hpp",
                                     "sm_61_intrinsics.hpp",
                                     "device_atomic_functions.hpp",
                                     "device_functions.hpp",
                                     "device_double_functions.hpp",
                                     "math_functions.hpp",
                                     "math_functions_dbl_ptx3.hpp",
                                     "mma.hpp",
                                     "crt/mma.hpp",
                                     "cuda_pipeline_primitives.h",
                                     "cuda_pipeline_helpers.h",
                                     "vector_functions.hpp",
                                     "common_functions.h"};

SourcePosition position_of(const Code& code, const ptx::Location& location) {
  const auto& files = code.module->files;
  return {location.file < files.size() ? files[location.file] : "", location.line, location.column,
          code.module->inlined_functions[location.function]};
}

FindingLocation bare_location(const Code& code, u32 instruction) {
  FindingLocation out;
  out.ptx_file = code.module->path;
  const ptx::Instruction& it = code.function.instructions[instruction];
  out.ptx_line = it.line;
  out.instruction = ptx::text_of(*code.module, code.function, it);
  return out;
}

}  // namespace

bool is_toolkit_header(std::string_view path) {
  if (path.find("cuda") != std::string_view::npos && path.find("include") != std::string_view::npos) return true;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::find(toolkit_headers.begin(), toolkit_headers.end(), name) != toolkit_headers.end();
}

namespace {

// Of calls, the innermost first.
std::vector<SourcePosition> chain_of(const Code& code, u32 location) {
  std::vector<SourcePosition> chain;
  for (u32 at = location; at != 0; at = code.function.locations[at].inlined_at) {
    chain.push_back(position_of(code, code.function.locations[at]));
    if (chain.size() > 1000) break;
  }
  return chain;
}

// chain: not empty.
const SourcePosition& innermost_of_ours(const std::vector<SourcePosition>& chain) {
  const auto ours = std::find_if(chain.begin(), chain.end(), [](const auto& p) { return !is_toolkit_header(p.file); });
  return ours == chain.end() ? chain.front() : *ours;
}

}  // namespace

std::optional<FindingLocation> location_of(const Code& code, u32 instruction) {
  FindingLocation out = bare_location(code, instruction);
  const std::vector<SourcePosition> chain = chain_of(code, code.function.instructions[instruction].location);
  if (chain.empty()) return out;
  const SourcePosition& innermost = innermost_of_ours(chain);
  out.file = innermost.file;
  out.line = innermost.line;
  out.column = innermost.column;
  if (chain.size() > 1) out.inlined = chain;
  return out;
}

namespace {

using Position = std::pair<std::string, u64>;  // file, line

// By instruction: the first one with the same key, itself where it has no location. key_of(chain of calls).
template <class KeyOf>
std::vector<u32> first_of_each(const Code& code, KeyOf key_of) {
  std::map<std::vector<Position>, u32> first_of;
  std::vector<u32> first_at(code.function.locations.size(), no_value), out;
  for (u32 n = 0; n < code.function.instructions.size(); ++n) {
    const u32 location = code.function.instructions[n].location;
    if (location != 0 && first_at[location] == no_value)
      first_at[location] = first_of.try_emplace(key_of(chain_of(code, location)), n).first->second;
    out.push_back(location == 0 ? n : first_at[location]);
  }
  return out;
}

}  // namespace

std::vector<u32> lines_of_source(const Code& code) {
  return first_of_each(code, [](const std::vector<SourcePosition>& chain) {
    const SourcePosition& at = innermost_of_ours(chain);
    return std::vector<Position>{{at.file, at.line}};
  });
}

std::vector<u32> statements_of_source(const Code& code) {
  return first_of_each(code, [](const std::vector<SourcePosition>& chain) {
    std::vector<Position> key;
    for (auto at = &innermost_of_ours(chain); at != chain.data() + chain.size(); ++at)
      key.emplace_back(at->file, at->line);
    return key;
  });
}

std::optional<FindingLocation> entry_location(const Code& code) {
  for (u32 i = 0; i < code.function.instructions.size(); ++i) {
    if (code.function.instructions[i].location == 0) continue;
    FindingLocation out = bare_location(code, i);
    u32 at = code.function.instructions[i].location;
    while (code.function.locations[at].inlined_at) at = code.function.locations[at].inlined_at;
    const SourcePosition position = position_of(code, code.function.locations[at]);
    out.file = position.file;
    out.line = position.line;
    out.column = position.column;
    out.ptx_line = code.function.line;
    out.instruction.clear();
    return out;
  }
  FindingLocation out;
  out.ptx_file = code.module->path;
  out.ptx_line = code.function.line;
  return out;
}

}  // namespace ropewalk::machine
