#include "lib/rope/names.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>

namespace ropewalk::rope {

std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char letter : name) {
    if (std::isalpha(u8(letter))) {
      words.back() += char(std::tolower(letter));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

Role role_of(const std::string& name) {
  const std::vector<std::string> words = words_of(name);
  const auto has = [&](std::initializer_list<const char*> any) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return std::any_of(any.begin(), any.end(), [&](const char* known) { return word == known; });
    });
  };
  if (has({"inv"}) && has({"freq", "freqs", "frequency", "frequencies"})) return Role::Frequencies;
  if (has({"invfreq"})) return Role::Frequencies;
  const bool cos = has({"cos", "cosine", "cosines"}), sin = has({"sin", "sine", "sines"});
  if (cos && sin) return Role::Both;
  if (cos) return Role::Cos;
  if (sin) return Role::Sin;
  if (has({"cis", "freqscis"})) return Role::Complex;
  return Role::Unknown;
}

bool names_a_table(const std::string& name) {
  const std::string own = name.substr(name.rfind('.') + 1);
  for (const std::string& word : words_of(own)) {
    for (const char* known : {"rope", "rotary", "rotaryemb", "freqs", "freq", "cache", "cached", "table", "emb",
                              "embedding", "embeddings", "buffer"}) {
      if (word == known) return true;
    }
  }
  return false;
}

bool speaks_of_rope(const std::string& name) {
  for (const std::string& word : words_of(name)) {
    if (word == "rope" || word == "rotary" || word == "freqs" || word == "rotaryemb") return true;
  }
  return false;
}

std::optional<bool> set_in(const std::string& name) {
  const std::vector<std::string> words = words_of(name.substr(name.rfind('.') + 1));
  const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (has("long") == has("short")) return std::nullopt;
  return has("long");
}

std::string module_of(const std::string& name) {
  std::string key = name;
  for (const char* word : {"cosines", "cosine", "cos", "sines", "sine", "sin"}) {
    for (size_t at = 0; (at = key.find(word, at)) != std::string::npos;) {
      const bool begins = at == 0 || !std::isalpha(u8(key[at - 1]));
      const size_t end = at + std::string_view(word).size();
      if (begins && (end == key.size() || !std::isalpha(u8(key[end])))) {
        key.replace(at, end - at, "~");
      } else {
        at = end;
      }
    }
  }
  return key;
}

}  // namespace ropewalk::rope
