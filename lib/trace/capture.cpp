#include "lib/trace/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/launch/accessed_types.h"
#include "lib/launch/unpack_argument.h"

namespace ropewalk::trace {

namespace {

class Capturer {
 public:
  Capturer(const Snapshot& snapshot, const TracedLaunch& traced, std::shared_ptr<const ptx::Module> module,
           const std::string& folder)
      : snapshot_(snapshot), traced_(traced), folder_(folder) {
    Launch& launch = out_.launch;
    launch.module = std::move(module);
    launch.entry = launch.kernel_name = traced.kernel;
    launch.grid = traced.grid;
    launch.block = traced.block;
    launch.dynamic_shared_bytes = traced.shared_bytes;
  }

  Captured run() {
    const ptx::Function* entry = out_.launch.module->entry(traced_.kernel);
    if (!entry) throw InputError(fmt::format("the PTX has no kernel {}", traced_.kernel));
    if (!traced_.unknown.empty()) throw InputError("its arguments are not known: " + traced_.unknown);
    if (snapshot_.saved_launch != traced_.number) throw InputError("its memory was not saved before it ran");
    types_ = accessed_types(*out_.launch.module, *entry);
    for (const ArgumentWord& word : argument_words(traced_, snapshot_, out_.launch.module.get())) {
      words_[{word.parameter, word.offset}] = word;
    }
    for (const auto& [key_of_word, word] : words_) {
      if (word.state == PointerState::Live || word.state == PointerState::Freed) add_tensor(word);
    }
    for (u32 n = 0; n < entry->parameter_count; ++n) add_argument(n, entry->parameter(n));
    note_variables();
    return std::move(out_);
  }

 private:
  const SavedMemory* saved(u64 address) const {
    for (const SavedMemory& one : snapshot_.saved) {
      if (one.address == address) return &one;
    }
    return nullptr;
  }

  void add_tensor(const ArgumentWord& word) {
    const auto key = std::pair(word.memory.address, word.memory.made);
    if (tensors_.contains(key)) return;
    LaunchTensor tensor;
    tensor.name = fmt::format("argument{}", word.parameter);
    if (word.offset) tensor.name += fmt::format("_{}", word.offset);
    const auto type = types_.find({word.parameter, word.offset});
    tensor.dtype = type == types_.end() ? Dtype::U8 : type->second;
    if (word.memory.bytes % size_of(tensor.dtype)) tensor.dtype = Dtype::U8;
    for (const auto& [key_of_word, other] : words_) {
      const bool is_here = other.memory.address == word.memory.address && other.memory.made == word.memory.made;
      if (is_here && other.into % size_of(tensor.dtype)) tensor.dtype = Dtype::U8;
    }
    tensor.shape = {i64(word.memory.bytes / size_of(tensor.dtype))};
    tensor.strides = {1};
    tensor.freed = word.state == PointerState::Freed;
    if (!tensor.freed) fill(tensor, word);
    tensors_[key] = u32(out_.launch.tensors.size());
    out_.launch.tensors.push_back(std::move(tensor));
  }

  void fill(LaunchTensor& tensor, const ArgumentWord& word) {
    const SavedMemory* memory = saved(word.memory.address);
    if (!memory || memory->file.empty()) {
      tensor.init = Fill{0};
      out_.notes.push_back(
          fmt::format("{} holds zeros: {}", tensor.name, memory ? memory->left_out : "it was not saved"));
      return;
    }
    const MappedFile file(folder_ + "/" + memory->file);
    auto values = std::make_shared<Array>();
    values->dtype = tensor.dtype;
    values->shape = tensor.shape;
    values->bytes.resize(word.memory.bytes);
    std::memcpy(values->bytes.data(), file.bytes().data(), std::min<u64>(word.memory.bytes, file.bytes().size()));
    tensor.init = Given{values, ""};
  }

  // What 8 bytes of a parameter point to; nullopt: they are a number.
  std::optional<ArgumentValue> pointer_at(u32 parameter, u32 offset) const {
    const auto at = words_.find({parameter, offset});
    if (at == words_.end()) return std::nullopt;
    const ArgumentWord& word = at->second;
    if (word.state == PointerState::Null) return NullArgument{};
    if (word.state != PointerState::Live && word.state != PointerState::Freed) return std::nullopt;
    const u32 number = tensors_.at({word.memory.address, word.memory.made});
    return TensorArgument{number, -1, i64(word.into / size_of(out_.launch.tensors[number].dtype))};
  }

  void add_argument(u32 number, const ptx::Variable& parameter) {
    if (number >= traced_.parameters.size()) throw InputError("the program's kernel has fewer parameters than its PTX");
    const u8* const bytes = traced_.bytes.data() + traced_.parameters[number].offset;
    out_.launch.arguments.push_back(unpack_argument(parameter, reinterpret_cast<const std::byte*>(bytes),
                                                    [&](u32 offset, u64) { return pointer_at(number, offset); }));
  }

  // What a program put into variables of the module is not saved.
  void note_variables() {
    for (const TracedAllocation& memory : snapshot_.allocations) {
      if (memory.kind != "variable" || memory.freed) continue;
      out_.notes.push_back("variables of the module hold what the PTX gives them, not what the program put there");
      return;
    }
  }

  const Snapshot& snapshot_;
  const TracedLaunch& traced_;
  const std::string& folder_;
  Captured out_;
  std::map<std::pair<u32, u32>, Dtype> types_;
  std::map<std::pair<u32, u32>, ArgumentWord> words_;
  std::map<std::pair<u64, u64>, u32> tensors_;  // by address and order of the allocation
};

}  // namespace

Captured capture(const Snapshot& snapshot, const TracedLaunch& launch, std::shared_ptr<const ptx::Module> module,
                 const std::string& folder) {
  return Capturer(snapshot, launch, std::move(module), folder).run();
}

}  // namespace ropewalk::trace
