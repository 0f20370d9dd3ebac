// Declarations of variables with their initialisers.
#include <algorithm>
#include <cstring>

#include "lib/ptx/writer.h"

namespace ropewalk::ptx {

namespace {

std::string hexadecimal(u64 bits, int digits) {
  std::string text(u64(digits), '0');
  for (int i = digits; i-- > 0; bits >>= 4) text[u64(i)] = "0123456789ABCDEF"[bits & 15];
  return text;
}

class InitialWriter {
 public:
  InitialWriter(std::string& out, const Variable& variable) : out_(out), variable_(variable) {
    spans_.push_back(size_of(variable.type));
    if (variable.vector > 1) spans_.push_back(spans_.back() * variable.vector);
    for (u64 i = variable.extents.size(); i-- > 0;) spans_.push_back(spans_.back() * variable.extents[i]);
  }

  void write() { level(spans_.size() - 1, 0); }

 private:
  // The elements of one span, as far as bytes are given. Rows before the last end with their last bytes that count.
  void level(u64 depth, u64 at) {
    if (depth == 0) return element(at);
    out_ += '{';
    const u64 step = spans_[depth - 1];
    u64 end = std::min(at + spans_[depth], u64(variable_.initial.size()));
    if (end < variable_.initial.size()) {
      while (end > at + step && variable_.initial[end - 1] == 0 && !is_address(end - 1)) --end;
    }
    for (u64 i = at; i < end; i += step) {
      if (i != at) out_ += ", ";
      level(depth - 1, i);
    }
    out_ += '}';
  }

  void element(u64 at) {
    while (next_ < variable_.relocations.size() && relocation_end(variable_.relocations[next_]) <= at) ++next_;
    if (next_ < variable_.relocations.size() && variable_.relocations[next_].at <= at) {
      return address(variable_.relocations[next_], at);
    }
    const u64 bytes = std::min<u64>(spans_[0], variable_.initial.size() - at);
    u64 low = 0;
    std::memcpy(&low, variable_.initial.data() + at, std::min<u64>(bytes, 8));
    switch (variable_.type) {
      case Type::F32:
        out_ += "0f" + hexadecimal(low, 8);
        break;
      case Type::F64:
        out_ += "0d" + hexadecimal(low, 16);
        break;
      default:
        out_ += std::to_string(low);
        break;
    }
  }

  bool is_address(u64 byte) const {
    const auto next = std::ranges::upper_bound(variable_.relocations, byte, {}, &Variable::Relocation::at);
    return next != variable_.relocations.begin() && byte < relocation_end(*(next - 1));
  }

  u64 relocation_end(const Variable::Relocation& relocation) const {
    return relocation.at + (spans_[0] == 1 ? 8 : spans_[0]);
  }

  void address(const Variable::Relocation& relocation, u64 at) {
    std::string symbol = relocation.symbol;
    if (relocation.generic) symbol = "generic(" + symbol + ")";
    if (relocation.offset) symbol += (relocation.offset < 0 ? "" : "+") + std::to_string(relocation.offset);
    if (spans_[0] > 1) {
      out_ += symbol;
      return;
    }
    const u64 byte = at - relocation.at;
    out_ += "0xFF" + std::string(2 * byte, '0') + "(" + symbol + ")";
  }

  std::string& out_;
  const Variable& variable_;
  std::vector<u64> spans_;  // bytes of an element, of the innermost row, ...
  u64 next_ = 0;            // relocation
};

}  // namespace

void write_variable(std::string& out, const Variable& variable) {
  if (!variable.linkage.empty()) out += "." + variable.linkage + " ";
  out += ".";
  out += name_of(variable.space);
  if (variable.is_managed) out += " .attribute(.managed)";
  if (variable.alignment) out += " .align " + std::to_string(variable.alignment);
  if (variable.vector > 1) out += " .v" + std::to_string(variable.vector);
  out += " .";
  out += name_of(variable.type);
  if (variable.is_pointer) {
    out += " .ptr";
    if (!variable.pointer_space.empty()) out += " ." + variable.pointer_space;
    if (variable.pointer_alignment) out += " .align " + std::to_string(variable.pointer_alignment);
  }
  out += " " + variable.name;
  for (const u64 extent : variable.extents) out += extent ? "[" + std::to_string(extent) + "]" : "[]";
  if (variable.initial.empty()) return;
  out += " = ";
  InitialWriter(out, variable).write();
}

}  // namespace ropewalk::ptx
