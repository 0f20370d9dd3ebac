#include "lib/tensor/npy_header.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <optional>

#include "lib/base/error.h"

namespace ropewalk {
namespace {

struct Descr {
  std::string_view code;  // without the byte order
  Dtype dtype;
};
constexpr std::array<Descr, 16> known_descrs{{{"b1", Dtype::Bool},
                                              {"i1", Dtype::I8},
                                              {"i2", Dtype::I16},
                                              {"i4", Dtype::I32},
                                              {"i8", Dtype::I64},
                                              {"u1", Dtype::U8},
                                              {"u2", Dtype::U16},
                                              {"u4", Dtype::U32},
                                              {"u8", Dtype::U64},
                                              {"f2", Dtype::F16},
                                              {"f4", Dtype::F32},
                                              {"f8", Dtype::F64},
                                              {"c8", Dtype::C64},
                                              {"c16", Dtype::F64},
                                              {"V1", Dtype::U8},
                                              {"V2", Dtype::U16}}};

// Reads the few forms of Python literals that the header is made of.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  NpyHeader read() {
    expect('{', "header");
    bool has_descr = false, has_order = false, has_shape = false;
    NpyHeader header;
    while (!take('}')) {
      const std::string key = quoted("header");
      expect(':', key);
      if (key == "descr") {
        read_descr(header);
        has_descr = true;
      } else if (key == "fortran_order") {
        header.column_major = boolean();
        has_order = true;
      } else if (key == "shape") {
        header.shape = shape();
        has_shape = true;
      } else {
        fail("header", "unknown key '" + shown(key) + "', expected 'descr', 'fortran_order' and 'shape'");
      }
      if (!take(',')) {
        expect('}', "header");
        break;
      }
    }
    if (!has_descr) fail("descr", "is missing in the header");
    if (!has_order) fail("fortran_order", "is missing in the header");
    if (!has_shape) fail("shape", "is missing in the header");
    if (is_wide_complex_ && header.column_major) fail("fortran_order", "is not read of complex128, expected False");
    if (is_wide_complex_) header.shape.push_back(2);
    skip_space();
    if (at_ < text_.size()) fail("header", "expected nothing but spaces behind the dict, found " + next());
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& field, const std::string& what) const {
    throw InputError(InputLocation{path_, 0, 0, field}, what);
  }

  // Text of the file made fit for a message.
  static std::string shown(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 40)) out += c >= 0x20 && c < 0x7f ? c : '?';
    return out + (text.size() > 40 ? "..." : "");
  }

  std::string next() const {
    return at_ < text_.size() ? "'" + shown(text_.substr(at_, 1)) + "'" : std::string("the end of the header");
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c, const std::string& field) {
    if (!take(c)) fail(shown(field), std::string("expected '") + c + "', found " + next());
  }

  std::string quoted(const char* field) {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail(field, "expected a text in quotes, found " + next());
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail(field, "a text has no closing quote");
    const std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }

  void read_descr(NpyHeader& header) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[')
      fail("descr", "records of several fields are not read, expected '<f4' or the like");
    const std::string descr = quoted("descr");
    const char order = descr.empty() ? '\0' : descr[0];
    const std::string_view code = std::string_view(descr).substr(descr.empty() ? 0 : 1);
    is_wide_complex_ = code == "c16";
    for (const Descr& known : known_descrs) {
      if (code != known.code || std::string_view("<>|=").find(order) == std::string_view::npos) continue;
      header.dtype = known.dtype;
      header.big_endian = order == '>';
      return;
    }
    fail("descr",
         "'" + shown(descr) +
             "' is not read; expected '<', '>' or '|' and one of b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 V1 V2");
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("fortran_order", "expected True or False, found " + next());
  }

  Shape shape() {
    expect('(', "shape");
    Shape result;
    while (!take(')')) {
      skip_space();
      i64 extent = 0;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error == std::errc::result_out_of_range) fail("shape", "an extent is larger than 2^63 - 1");
      if (error != std::errc() || extent < 0)
        fail("shape", "expected a whole number that is not negative, found " + next());
      at_ += size_t(end - begin);
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // a long of Python 2
      result.push_back(extent);
      if (result.size() > 64) fail("shape", "has more than 64 dimensions");
      if (!take(',')) {
        expect(')', "shape");
        break;
      }
    }
    return result;
  }

  std::string_view text_;
  const std::string& path_;
  size_t at_ = 0;
  bool is_wide_complex_ = false;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& path) { return HeaderReader(text, path).read(); }

}  // namespace ropewalk
