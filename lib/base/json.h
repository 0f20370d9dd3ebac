// Reading JSON that people write: errors say where, unknown keys name the nearest known one.
#pragma once
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/types.h"

namespace ropewalk {

using Json = nlohmann::json;

// Parses the text of one JSON document. Throws InputError with file, line and column for a syntax error, a key that an
// object has twice, or text after the document.
Json parse_json(std::string_view text, const std::string& path);

// A value inside a document together with the way to it ("tensors.x.shape[2]"), so that whoever finds it unfit can say
// where it stands. Does not own the document.
class JsonCursor {
 public:
  JsonCursor(const Json& value, std::shared_ptr<const std::string> file, std::string path)
      : value_(&value), file_(std::move(file)), path_(std::move(path)) {}
  // The root of a document.
  JsonCursor(const Json& document, const std::string& file)
      : JsonCursor(document, std::make_shared<const std::string>(file), "") {}

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
  void expect_keys(std::initializer_list<const char*> known) const;
  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
  // Fails where the value is no object or lacks the key.
  JsonCursor at(const std::string& key) const;
  // The members of an object, sorted by key; fails where it is none.
  std::vector<std::pair<std::string, JsonCursor>> members() const;
  // The elements of an array; fails where it is none.
  std::vector<JsonCursor> elements() const;
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

 private:
  const Json* value_;
  std::shared_ptr<const std::string> file_;
  std::string path_;
};

}  // namespace ropewalk
