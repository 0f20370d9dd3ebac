#include "lib/tensor/pickle.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "lib/base/error.h"

namespace ropewalk {
namespace {

constexpr size_t most_values = size_t(1) << 22;

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::vector<std::string>& allowed, const std::string& path)
      : bytes_(bytes), allowed_(allowed), path_(path) {}

  Pickle read() {
    while (true) {
      const u8 opcode = u8(number(1));
      if (opcode == '.') break;
      step(opcode);
    }
    pickle_.root = pop();
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(InputLocation{path_, 0, 0, "pickle, byte " + std::to_string(at_)}, what);
  }

  u64 number(size_t size) {
    u64 value = 0;
    const std::string_view text = take(size);
    for (size_t i = 0; i < size; ++i) value |= u64(u8(text[i])) << (8 * i);
    return value;
  }

  std::string_view take(u64 size) {
    if (size > bytes_.size() - at_) fail("ends in the middle of a value");
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
    at_ += size;
    return text;
  }

  std::string line() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_, bytes_.size() - at_);
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) fail("ends in the middle of a line");
    at_ += end + 1;
    return std::string(rest.substr(0, end));
  }

  template <class T>
  void push(T value) {
    if (pickle_.values.size() == most_values) fail("has more than " + std::to_string(most_values) + " values");
    pickle_.values.push_back({std::move(value)});
    stack_.push_back(&pickle_.values.back());
  }

  PickleRef pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) fail("takes a value that is not there");
    const PickleRef value = stack_.back();
    stack_.pop_back();
    return value;
  }

  PickleRef top() const {
    if (stack_.empty()) fail("takes a value that is not there");
    return stack_.back();
  }

  // All values since the last mark.
  std::vector<PickleRef> pop_to_mark() {
    if (marks_.empty()) fail("goes back to a mark that is not there");
    const size_t mark = marks_.back();
    marks_.pop_back();
    if (mark > stack_.size()) fail("goes back to a mark that is not there");
    std::vector<PickleRef> values(stack_.begin() + i64(mark), stack_.end());
    stack_.resize(mark);
    return values;
  }

  std::vector<PickleRef> pop_some(size_t count) {
    std::vector<PickleRef> values(count);
    for (size_t n = count; n-- > 0;) values[n] = pop();
    return values;
  }

  void push_global(const std::string& name) {
    if (std::find(allowed_.begin(), allowed_.end(), name) == allowed_.end()) {
      fail("names \"" + name + "\", which is not needed to rebuild a tensor: it is not carried out");
    }
    push(PickleGlobal{name});
  }

  std::string popped_text() {
    const PickleRef value = pop();
    const auto* text = std::get_if<std::string>(&value->value);
    if (!text) fail("expected a text");
    return *text;
  }

  void call() {
    const PickleRef arguments = pop(), function = pop();
    const auto* global = std::get_if<PickleGlobal>(&function->value);
    const auto* list = std::get_if<PickleSequence>(&arguments->value);
    if (!global || !list) fail("calls what is no function");
    push(PickleCall{global->name, list->items, {}});
  }

  // Where keys and values are put: a dict, or an OrderedDict that was called for.
  void set_items(const std::vector<PickleRef>& values) {
    if (values.size() % 2 != 0) fail("has a key without a value");
    PickleValue& target = *top();
    auto* dict = std::get_if<PickleDict>(&target.value);
    if (auto* made = std::get_if<PickleCall>(&target.value)) dict = &made->dict;
    if (!dict) fail("puts keys into what is no dict");
    for (size_t n = 0; n < values.size(); n += 2) dict->items.push_back({values[n], values[n + 1]});
  }

  void append(const std::vector<PickleRef>& values) {
    auto* list = std::get_if<PickleSequence>(&top()->value);
    if (!list) fail("appends to what is no list");
    list->items.insert(list->items.end(), values.begin(), values.end());
  }

  void get(u64 slot) {
    const auto found = memo_.find(slot);
    if (found == memo_.end()) fail("recalls a value that was not kept");
    stack_.push_back(found->second);
  }

  // A whole number of `size` bytes in two's complement.
  i64 signed_number(u64 size) {
    if (size > 8) fail("has a whole number of more than 8 bytes");
    const u64 value = number(size);
    if (size == 0 || size == 8) return i64(value);
    const u64 sign = u64(1) << (8 * size - 1);
    return i64((value ^ sign) - sign);
  }

  void step(u8 opcode) {
    switch (opcode) {
      case 0x80:  // PROTO
        if (const u64 version = number(1); version < 2 || version > 5)
          fail("is of protocol " + std::to_string(version));
        return;
      case 0x95:  // FRAME
        number(8);
        return;
      case '(':
        marks_.push_back(stack_.size());
        return;
      case '0':
        pop();
        return;
      case '1':
        pop_to_mark();
        return;
      case '2':
        stack_.push_back(top());
        return;
      case 'N':
        return push(PickleNone{});
      case 0x88:
        return push(true);
      case 0x89:
        return push(false);
      case 'J':
        return push(signed_number(4));
      case 'K':
        return push(i64(number(1)));
      case 'M':
        return push(i64(number(2)));
      case 0x8a:
        return push(signed_number(number(1)));
      case 0x8b:
        return push(signed_number(number(4)));
      case 'G': {  // big-endian
        const u64 bits = __builtin_bswap64(number(8));
        return push(std::bit_cast<double>(bits));
      }
      case 'X':
        return push(std::string(take(number(4))));
      case 0x8c:
        return push(std::string(take(number(1))));
      case 0x8d:
        return push(std::string(take(number(8))));
      case 'U':
        return push(std::string(take(number(1))));
      case 'B':
        return push(PickleBytes{std::string(take(number(4)))});
      case 'C':
        return push(PickleBytes{std::string(take(number(1)))});
      case ')':
      case ']':
        return push(PickleSequence{});
      case '}':
        return push(PickleDict{});
      case 't':
      case 'l':
        return push(PickleSequence{pop_to_mark()});
      case 0x85:
      case 0x86:
      case 0x87:
        return push(PickleSequence{pop_some(size_t(opcode - 0x84))});
      case 'd': {
        std::vector<PickleRef> values = pop_to_mark();
        push(PickleDict{});
        return set_items(values);
      }
      case 's':
        return set_items(pop_some(2));
      case 'u':
        return set_items(pop_to_mark());
      case 'a':
        return append(pop_some(1));
      case 'e':
        return append(pop_to_mark());
      case 'c': {
        const std::string module = line();
        return push_global(module + "." + line());
      }
      case 0x93: {  // STACK_GLOBAL
        const std::string name = popped_text();
        return push_global(popped_text() + "." + name);
      }
      case 'R':
        return call();
      case 0x81:  // NEWOBJ
        return call();
      case 'b':  // BUILD: attributes, such as a state_dict's _metadata, say nothing of tensors
        pop();
        top();
        return;
      case 'Q':
        return push(PicklePersistent{pop()});
      case 'q':
        memo_[number(1)] = top();
        return;
      case 'r':
        memo_[number(4)] = top();
        return;
      case 0x94:
        memo_[memo_.size()] = top();
        return;
      case 'h':
        return get(number(1));
      case 'j':
        return get(number(4));
      default:
        --at_;
        fail("has the opcode " + std::to_string(opcode) + ", which no tensor needs");
    }
  }

  std::span<const std::byte> bytes_;
  const std::vector<std::string>& allowed_;
  const std::string& path_;
  u64 at_ = 0;
  Pickle pickle_;
  std::vector<PickleRef> stack_;
  std::vector<size_t> marks_;
  std::map<u64, PickleRef> memo_;
};

}  // namespace

Pickle read_pickle(std::span<const std::byte> bytes, const std::vector<std::string>& allowed, const std::string& path) {
  return Reader(bytes, allowed, path).read();
}

}  // namespace ropewalk
