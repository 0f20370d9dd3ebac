// Video instructions: integer arithmetic on bytes, halves and words of registers (PTX ISA, "Video Instructions"). Each
// becomes arithmetic in 64 bits, where nothing overflows.
#include <fmt/format.h>

#include <array>
#include <string>

#include "lib/machine/decode/decoder.h"

namespace ropewalk::machine {

using Kind = ptx::Operand::Kind;

namespace {

// A part of a 32-bit register: bits [first, first + bits).
struct Part {
  u32 first = 0, bits = 32;
};

class Video {
 public:
  explicit Video(Decoder& decoder) : decoder_(decoder) {}

  // vadd, vsub, vabsdiff, vmin, vmax, vset: one operation; vadd2, vadd4, ...: one for each half or byte.
  bool decode() {
    lanes_ = decoder_.opcode().facts().lanes;
    stem_ = decoder_.opcode().stem.substr(1);
    if (lanes_ > 1) stem_.pop_back();
    if (!read_modifiers() || !read_operands()) return false;
    lanes_ == 1 ? scalar() : parallel();
    return true;
  }

 private:
  u32 constant(i64 value, u32 size) { return decoder_.constant(u64(value), size); }

  bool read_modifiers() {
    const u32 types = stem_ == "set" ? 2 : 3;
    std::array<bool, 3> is_signed{};
    for (u32 n = 0; n < types; ++n) {
      const std::string_view type = decoder_.modifier(n);
      if (type != "s32" && type != "u32") return false;
      is_signed[n + 3 - types] = type == "s32";
    }
    signed_d_ = is_signed[0];
    signed_a_ = is_signed[1];
    signed_b_ = is_signed[2];
    const u32 count = u32(decoder_.opcode().modifiers.size());
    for (u32 n = types; n < count; ++n) {
      const std::string_view word = decoder_.modifier(n);
      if (word == "sat")
        saturates_ = true;
      else if (word == "add" || word == "min" || word == "max")
        second_ = word;
      else if (stem_ == "set" && compare_.empty())
        compare_ = word;
      else if (word == "wrap")
        wraps_ = true;
      else if (word != "clamp")
        return false;
    }
    for (const char* known : {"eq", "ne", "lt", "le", "gt", "ge"}) has_compare_ |= compare_ == known;
    return has_compare_ == (stem_ == "set") && !(lanes_ > 1 && second_ != "" && second_ != "add");
  }

  // A register, perhaps with a selector such as "%r1.b0", as a value of 32 bits and the selector.
  bool read_operand(u32 n, u32& value, std::string& selector) {
    const ptx::Operand& operand = decoder_.operand(n);
    if (operand.kind != Kind::Text) {
      if (operand.kind != Kind::Register && operand.kind != Kind::Integer) return false;
      value = n == 0 ? operand.id : decoder_.source(operand, 4);
      return n != 0 || operand.kind == Kind::Register;
    }
    const std::string& text = decoder_.function().texts[operand.id];
    const std::size_t dot = text.rfind('.');
    selector = text.substr(dot + 1);
    const auto& registers = decoder_.function().registers;
    u32 found = 0;
    for (u32 id = 0; id < registers.size(); ++id) {
      if (registers[id].name != text.substr(0, dot)) continue;
      value = id;
      ++found;
    }
    return found == 1 && decoder_.size_of_value(value) == 4;
  }

  bool read_operands() {
    const u32 operands = decoder_.operand_count();
    if (operands != 3 && operands != 4) return false;
    if (!read_operand(0, d_, selector_d_) || !read_operand(1, a_, selector_a_) || !read_operand(2, b_, selector_b_)) {
      return false;
    }
    if (decoder_.size_of_value(d_) != 4) return false;
    // The third operand is there for a second operation, a merge, or the lanes that a mask leaves out.
    const bool wants_c = lanes_ > 1 || !second_.empty() || !selector_d_.empty();
    if (wants_c != (operands == 4)) return false;
    if (wants_c) c_ = decoder_.source(decoder_.operand(3), 4);
    return lanes_ > 1 || (is_part(selector_d_) && is_part(selector_a_) && is_part(selector_b_));
  }

  static bool is_part(const std::string& selector) {
    return selector.empty() ||
           (selector.size() == 2 && ((selector[0] == 'b' && selector[1] >= '0' && selector[1] <= '3') ||
                                     (selector[0] == 'h' && selector[1] >= '0' && selector[1] <= '1')));
  }
  static Part part_of(const std::string& selector) {
    if (selector.empty()) return {};
    const u32 bits = selector[0] == 'b' ? 8 : 16;
    return {u32(selector[1] - '0') * bits, bits};
  }

  // A part of a register, extended to 64 bits.
  u32 extended(u32 value, Part part, bool is_signed) {
    if (part.bits < 32) {
      value = decoder_.computed(is_signed ? "bfe.s32" : "bfe.u32", 4, value, constant(part.first, 4),
                                constant(part.bits, 4));
    }
    return decoder_.computed(is_signed ? "%resize.s32.s64" : "%resize.u32.u64", 8, value);
  }

  // The operation itself, on 64 bits each.
  u32 operation(u32 a, u32 b) {
    if (stem_ == "set") {
      const u32 holds = decoder_.computed("setp." + compare_ + ".s64", 1, a, b);
      return decoder_.computed("selp.u64", 8, constant(1, 8), constant(0, 8), holds);
    }
    if (stem_ == "shl" || stem_ == "shr") {
      const u32 amount = decoder_.computed("%resize.u64.u32", 4, b);
      const u32 bounded = wraps_ ? decoder_.computed("and.b32", 4, amount, constant(31, 4))
                                 : decoder_.computed("min.u32", 4, amount, constant(32, 4));
      return decoder_.computed(stem_ == "shl" ? "shl.b64" : "shr.s64", 8, a, bounded);
    }
    if (stem_ == "absdiff") return decoder_.computed("abs.s64", 8, decoder_.computed("sub.s64", 8, a, b));
    if (stem_ == "avrg") {
      // Rounded away from minus infinity: half of the sum plus one, where the sum is not negative.
      const u32 sum = decoder_.computed("add.s64", 8, a, b);
      const u32 plus_one = decoder_.computed("add.s64", 8, sum, constant(1, 8));
      const u32 up = decoder_.computed("setp.ge.s64", 1, sum, constant(0, 8));
      return decoder_.computed("shr.s64", 8, decoder_.computed("selp.u64", 8, plus_one, sum, up), constant(1, 4));
    }
    return decoder_.computed(stem_ + ".s64", 8, a, b);
  }

  // Clamped to what `bits` bits hold, and cut to 32.
  u32 saturated(u32 value, u32 bits) {
    if (saturates_) {
      const i64 low = signed_d_ ? -(i64(1) << (bits - 1)) : 0;
      const i64 high = signed_d_ ? (i64(1) << (bits - 1)) - 1 : (i64(1) << bits) - 1;
      value =
          decoder_.computed("min.s64", 8, decoder_.computed("max.s64", 8, value, constant(low, 8)), constant(high, 8));
    }
    return decoder_.computed("%resize.u64.u32", 4, value);
  }

  void scalar() {
    const Part part = part_of(selector_d_);
    const u32 a = extended(a_, part_of(selector_a_), signed_a_), b = extended(b_, part_of(selector_b_), signed_b_);
    const u32 result = saturated(operation(a, b), part.bits);
    if (second_ == "add")
      decoder_.compute("add.u32", d_, result, c_);
    else if (!second_.empty())
      decoder_.compute(second_ + (signed_d_ ? ".s32" : ".u32"), d_, result, c_);
    else if (part.bits == 32)
      decoder_.compute("%move.u32", d_, result);
    else
      decoder_.compute("bfi.b32", d_, result, c_, constant(part.first, 4), constant(part.bits, 4));
  }

  // The lane of a and b (counted through both) that goes to lane n: the digits of a selector stand from the highest
  // lane.
  u32 lane_of(const std::string& selector, u32 n, u32 standard) const {
    return selector.size() == lanes_ + 1 ? u32(selector[lanes_ - n] - '0') : standard + n;
  }

  void parallel() {
    const u32 bits = 32 / lanes_;
    u32 result = c_;
    for (u32 n = 0; n < lanes_; ++n) {
      const bool taken = selector_d_.empty() || selector_d_.find(char('0' + n), 1) != std::string::npos;
      if (!taken) continue;
      const auto lane = [&](u32 which, bool is_signed) {
        return extended(which < lanes_ ? a_ : b_, {which % lanes_ * bits, bits}, is_signed);
      };
      const u32 a = lane(lane_of(selector_a_, n, 0), signed_a_), b = lane(lane_of(selector_b_, n, lanes_), signed_b_);
      const u32 one = saturated(operation(a, b), bits);
      result = second_ == "add"
                   ? decoder_.computed("add.u32", 4, result, one)
                   : decoder_.computed("bfi.b32", 4, one, result, constant(n * bits, 4), constant(bits, 4));
    }
    decoder_.compute("%move.u32", d_, result);
  }

  Decoder& decoder_;
  std::string stem_, second_, compare_;
  bool has_compare_ = false, saturates_ = false, wraps_ = false;
  bool signed_d_ = false, signed_a_ = false, signed_b_ = false;
  u32 lanes_ = 1;
  u32 d_ = no_value, a_ = no_value, b_ = no_value, c_ = no_value;
  std::string selector_d_, selector_a_, selector_b_;
};

}  // namespace

bool decode_video(Decoder& decoder) { return Video(decoder).decode(); }

}  // namespace ropewalk::machine
