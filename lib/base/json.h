// Reading JSON that people write: errors say where, unknown keys name the nearest known one.
#pragma once
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/types.h"

namespace ropewalk {

using Json = nlohmann::json;

// Parses the text of one JSON document. Throws InputError with file, line and column for a syntax error, a key that an
// object has twice, or text after the document.
Json parse_json(std::string_view text, const std::string& path);
// The same of what Python writes: its NaN, Infinity and -Infinity are the texts that JsonCursor::number reads.
Json parse_python_json(std::string_view text, const std::string& path);

// A value inside a document together with the way to it ("tensors.x.shape[2]"), so that whoever finds it unfit can say
// where it stands. All cursors into a document keep it.
class JsonCursor {
 public:
  // The root of a document; `file` is used in messages.
  JsonCursor(Json document, std::string file)
      : JsonCursor(std::make_shared<const Source>(std::move(document), std::move(file))) {}

  const Json& value() const { return *value_; }
  const std::string& path() const { return path_; }
  // Throws InputError "file: path: what".
  [[noreturn]] void fail(const std::string& what) const;

  bool is_object() const { return value_->is_object(); }
  bool is_array() const { return value_->is_array(); }
  bool is_text() const { return value_->is_string(); }
  // "the number 3", "the text \"abc\"", "an object", ...: for messages.
  std::string description() const;

  // The value must be an object with no other keys than these; an unknown one is an error that names the nearest.
  void expect_keys(const std::vector<std::string>& known) const;
  // The key "schema" must have this text.
  void expect_schema(std::string_view name) const;
  bool has(const std::string& key) const { return value_->is_object() && value_->contains(key); }
  // The same, and it is not null.
  bool has_value(const std::string& key) const { return has(key) && !(*value_)[key].is_null(); }
  // Fails where the value is no object or lacks the key.
  JsonCursor at(const std::string& key) const;
  // The members of an object, sorted by key; fails where it is none.
  std::vector<std::pair<std::string, JsonCursor>> members() const;
  // The elements of an array; fails where it is none.
  std::vector<JsonCursor> elements() const;
  // The same, of so many; `expected` says which, for messages: "[first, last)".
  std::vector<JsonCursor> elements(u64 count, const std::string& expected) const;
  // The n-th element of an array, n < size().
  JsonCursor element(u64 n) const;
  u64 size() const { return value_->size(); }

  std::string text() const;
  bool boolean() const;
  // Any number, or the texts "nan", "inf" and "-inf", which JSON has no numbers for.
  double number() const;
  double finite_number() const;
  // A whole number in [low, high] (3.0 counts as one).
  i64 integer(i64 low, i64 high) const;
  u64 natural(u64 low, u64 high) const;
  // Which of the names the text is; `what` they are names of, for messages.
  u64 choice(const std::vector<std::string>& names, const std::string& what) const;

  // What the type of `into` holds: a text, true or false, a finite number, a whole number in its range or in
  // [low, high], or a list of such. The key must be there.
  template <class T>
  void read(const std::string& key, T& into) const {
    at(key).read(into);
  }
  template <class T>
  void read(const std::string& key, T& into, std::type_identity_t<T> low, std::type_identity_t<T> high) const {
    into = T(std::is_signed_v<T> ? at(key).integer(i64(low), i64(high)) : i64(at(key).natural(u64(low), u64(high))));
  }
  template <class T>
  void read(const std::string& key, std::optional<T>& into, std::type_identity_t<T> low,
            std::type_identity_t<T> high) const {
    read(key, into.emplace(), low, high);
  }
  // The same where the key is there and not null; else `into` stays as it is.
  template <class T, class... Range>
  void read_if(const std::string& key, T& into, Range... range) const {
    if (has_value(key)) read(key, into, range...);
  }
  template <class T>
  void read(T& into) const;

 private:
  struct Source {
    Json document;
    std::string file;
  };
  explicit JsonCursor(std::shared_ptr<const Source> source) : value_(&source->document), source_(std::move(source)) {}
  JsonCursor(const JsonCursor& parent, const Json& value, std::string path)
      : value_(&value), source_(parent.source_), path_(std::move(path)) {}

  const Json* value_;
  std::shared_ptr<const Source> source_;
  std::string path_;
};

template <class T>
void JsonCursor::read(T& into) const {
  if constexpr (std::is_same_v<T, std::string>) {
    into = text();
  } else if constexpr (std::is_same_v<T, bool>) {
    into = boolean();
  } else if constexpr (std::is_floating_point_v<T>) {
    into = finite_number();
  } else if constexpr (std::is_unsigned_v<T>) {
    into = T(natural(0, std::numeric_limits<T>::max()));
  } else if constexpr (std::is_integral_v<T>) {
    into = T(integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else if constexpr (requires { into.emplace_back(); }) {
    into.clear();
    for (const JsonCursor& element : elements()) element.read(into.emplace_back());
  } else {
    read(into.emplace());  // of an optional
  }
}

}  // namespace ropewalk
